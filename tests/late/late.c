/* The late devices: copies that run late, events, memory that is handed out by tickets, the checker of order, what is
 * counted and forbidden. */
#define _GNU_SOURCE
#include "support/late.h"
#include "base/alloc.h"
#include "base/error.h"
#include "support/error_reason.h"
#include "support/storages.h"
#include <facula/facula.h>

static int end(void **state)
{
    (void)state;
    fa__late_delay(20);
    fa__late_ignore_after(false);
    fa_error_clear();
    fa_synchronize(FA_LATE(0));
    fa_synchronize(FA_LATE(1));
    fa__order_reap(true);
    return fa_failed() ? -1 : 0;
}

static void work_runs_late(void **state)
{
    (void)state;
    for (size_t size = 16; size <= 1 << 20; size *= 16) { /* inside storages, and in blocks of the cache */
        fa__late_delay(-1);
        fa__storage *source = filled(7, size), *device = new_storage(FA_LATE(0), size), *back = filled(1, size);
        assert_true(copy(&op_to, device, source));
        fa__unref(source); /* it stays until the copy is done */
        assert_true(copy(&op_back, back, device));
        fa__unref(device);
        assert_false(fa__order_done(back));
        assert_int_equal(*(char *)back->data, 1);
        assert_true(holds(back, 7));
        assert_true(fa__order_done(back));
        fa__unref(back);
    }
    no_reports();
}

static void a_source_is_guarded_until_it_was_read(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__storage *source = filled(7, SIZE), *device = new_storage(FA_LATE(0), SIZE);
    assert_true(copy(&op_to, device, source));
    assert_true(fa__before_write(source, NULL, &op_copy));
    memset(source->data, 8, SIZE);
    assert_true(holds(device, 7));
    fa__unref(source);
    fa__unref(device);
    no_reports();
}

static void copies_between_devices_are_ordered(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE), *c = new_storage(FA_LATE(1), SIZE);
    assert_true(copy(&op_to, b, a));
    assert_true(copy(&op_to, c, b)); /* read after write */
    fa__storage *d = filled(4, SIZE);
    assert_true(copy(&op_copy, b, d)); /* write after read, by the other queue */
    assert_true(holds(c, 3));
    assert_true(holds(b, 4));
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
    fa__unref(d);
    no_reports();
}

static void new_memory_holds_garbage(void **state)
{
    (void)state;
    fa__storage *a = new_storage(FA_LATE(0), SIZE), *b = filled(5, SIZE);
    assert_true(holds(a, FA__LATE_GARBAGE));
    assert_true(copy(&op_to, a, b));
    fa__unref(a);
    a = new_storage(FA_LATE(0), SIZE);
    assert_true(holds(a, FA__LATE_GARBAGE));
    fa__unref(a);
    fa__unref(b);
    no_reports();
}

static void memory_goes_to_another_queue_when_work_is_done(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    fa__late_delay(-1);
    fa__device *d = fa__device_get(FA_LATE(0));
    fa__queue *other = d->backend->queue_new(d);
    fa__storage *a = new_storage(FA_LATE(0), SIZE), *b = filled(5, SIZE);
    void *memory = a->data;
    assert_true(copy(&op_to, a, b));
    fa__unref(a);
    fa__storage *c = fa__storage_new(d, SIZE, other);
    assert_ptr_not_equal(c->data, memory);
    fa__unref(c);
    fa_synchronize(FA_LATE(0));
    fa__unref(b);
    d->backend->queue_free(other);
    fa__queue *again = d->backend->queue_new(d);
    assert_ptr_equal(again, other); /* its tickets go on */
    assert_true(again->issued > 0);
    d->backend->queue_free(again);
    no_reports();
}

/* The copies do race here, which the thread sanitizer may see. */
static void a_missing_event_is_found(void **state)
{
    (void)state;
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE), *c = new_storage(FA_LATE(1), SIZE);
    assert_true(copy(&op_to, b, a));
    fa__late_ignore_after(true);
    assert_true(copy(&op_copy, c, b));
    fa__late_ignore_after(false);
    const fa__late_report *report;
    assert_int_equal(fa__late_reports(&report), 1);
    assert_non_null(strstr(report->text, "unordered: fa_copy_ "));
    assert_non_null(strstr(report->text, "reads bytes that fa_to "));
    assert_non_null(strstr(report->text, "late:0"));
    assert_int_equal(fa_error_code(), FA_ERROR_INTERNAL);
    fa_error_clear();
    fa_synchronize(FA_LATE(0));
    fa_synchronize(FA_LATE(1));
    assert_true(copy(&op_copy, c, b)); /* the host has waited: that orders it */
    assert_int_equal(fa__late_reports(&report), 1);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

/* Each is two pieces of work on the same bytes, by two queues, and between them what removes their order, or not. */

static void read_after_write(fa_tensor *x, bool remove)
{
    fa_tensor *y = fa_mul(x, 2); /* a kernel of late:0 */
    fa__late_ignore_after(remove);
    fa_to(y, FA_LATE(1)); /* a copy by late:1 */
}

static void write_after_read(fa_tensor *x, bool remove)
{
    fa_to(x, FA_LATE(1));
    fa__late_ignore_after(remove);
    fa_add_(x, 1);
}

static void write_after_write(fa_tensor *x, bool remove)
{
    fa_tensor *y = fa_to(x, FA_LATE(1)), *host = fa_zeros(FA_SHAPE(1000));
    fa_copy_(host, x); /* by late:0 */
    fa__late_ignore_after(remove);
    fa_copy_(host, y); /* by late:1 */
}

static void each_missing_order_is_found_with_both_operations(void **state)
{
    (void)state;
    static const struct {
        void (*run)(fa_tensor *x, bool remove);
        const char *said[3];
    } hazards[] = {
        {read_after_write, {"unordered: fa_to (work ", "late:1) reads bytes that fa_mul (work ", "late:0) writes"}},
        {write_after_read, {"unordered: fa_add_ (work ", "late:0) writes bytes that fa_to (work ", "late:1) reads"}},
        {write_after_write,
         {"unordered: fa_copy_ (work ", "late:1) writes bytes that fa_copy_ (work ", "late:0) writes"}},
    };
    for (size_t i = 0; i < 2 * sizeof hazards / sizeof *hazards; i++) {
        FA_SCOPE;
        bool remove = i % 2;
        fa__late_delay(-1); /* nothing is done before somebody waits */
        fa_tensor *x = fa_to(fa_ones(FA_SHAPE(1000)), FA_LATE(0));
        fa_synchronize(FA_LATE(0));
        hazards[i / 2].run(x, remove);
        fa__late_ignore_after(false);
        if (!remove) {
            no_reports();
            assert_false(fa_failed());
            continue;
        }
        const fa__late_report *report;
        assert_int_equal(fa__late_reports(&report), 1);
        for (int k = 0; k < 3; k++)
            if (!strstr(report->text, hazards[i / 2].said[k]))
                fail_msg("\"%s\" is not in \"%s\"", hazards[i / 2].said[k], report->text);
        assert_int_equal(fa_error_code(), FA_ERROR_INTERNAL);
        assert_string_equal(error_reason(), report->text);
        fa_error_clear();
        fa_synchronize(FA_LATE(0));
        fa_synchronize(FA_LATE(1));
        fa__late_reports_clear();
    }
}

static void order_is_not_taken_from_speed(void **state)
{
    (void)state;
    fa__late_delay(0);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE), *c = new_storage(FA_LATE(1), SIZE);
    assert_true(copy(&op_to, b, a));
    while (!fa__order_done(b)) /* done, but nobody who orders work has seen it */
        ;
    fa__late_ignore_after(true);
    assert_true(copy(&op_copy, c, b));
    const fa__late_report *report;
    assert_int_equal(fa__late_reports(&report), 1);
    fa_error_clear();
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

static void wrong_memory_is_found(void **state)
{
    (void)state;
    fa__device *d = fa__device_get(FA_LATE(0));
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE);
    const fa__copy wrong[] = {{&op_to, b->data, a->data, SIZE, NULL, NULL, false, 0},
                              {&op_to, b->data, a->data, SIZE, d, d, false, 0},
                              {&op_to, b->data, a->data, SIZE, fa__device_get(FA_LATE(1)), NULL, false, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const fa__late_report *report;
        uint64_t ticket = d->backend->copy(d->queue, &wrong[i]);
        assert_int_equal(fa__late_reports(&report), 1);
        assert_non_null(strstr(report->text, "wrong memory: fa_to "));
        d->backend->wait(d->queue, ticket);
        fa__late_reports_clear();
        fa_error_clear();
    }
    fa__unref(a);
    fa__unref(b);
}

static void the_host_is_checked_too(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE);
    assert_true(copy(&op_to, b, a));
    fa__late_host_access(&op_back, a->data, SIZE, false); /* two reads */
    no_reports();
    fa__late_host_access(&op_copy, a->data, SIZE, true);
    const fa__late_report *report;
    assert_int_equal(fa__late_reports(&report), 1);
    assert_non_null(strstr(report->text, "fa_copy_ (on the host) writes bytes that fa_to "));
    fa_error_clear();
    fa__unref(a);
    fa__unref(b);
}

static void memory_handed_out_too_early_is_found(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE);
    assert_true(copy(&op_to, b, a));
    fa__late_check_taken(NULL, b->data, SIZE);
    const fa__late_report *report;
    assert_true(fa__late_reports(&report) >= 1);
    assert_non_null(strstr(report->text, "handed out too early"));
    fa_error_clear();
    fa__unref(a);
    fa__unref(b);
}

static void copies_and_waits_are_counted(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE), *c = new_storage(FA_LATE(1), SIZE);
    assert_true(copy(&op_to, b, a));
    assert_true(copy(&op_to, c, b));
    assert_true(holds(c, 3));
    assert_true(holds(a, 3)); /* done: nobody waits */
    fa_transfers t = fa_transfers_total();
    assert_int_equal(t.to_device, 1);
    assert_int_equal(t.to_host, 1);
    assert_int_equal(t.between, 1);
    assert_int_equal(t.bytes_to_device, SIZE);
    assert_int_equal(t.bytes_to_host, SIZE);
    assert_int_equal(t.bytes_between, SIZE);
    assert_int_equal(t.waits, 1);
    assert_true(t.copy_ns > 0 && t.wait_ns > 0);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
    no_reports();
}

static void what_is_forbidden_fails(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE), *c = filled(4, SIZE);
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        assert_false(copy(&op_to, b, a));
        assert_int_equal(fa_error_code(), FA_ERROR_SYNC);
        assert_string_equal(error_reason(),
                            "fa_to: a copy from cpu to late:0, which .forbid = FA_TRANSFER forbids here");
        fa_error_clear();
        assert_true(copy(&op_to, c, a)); /* on the host */
        FA_USE(.forbid = FA_SYNC);
        assert_true(copy(&op_to, b, a));
        assert_true(copy(&op_back, c, b));
        assert_false(holds(c, 3));
        assert_string_equal(error_reason(),
                            "fa_cpu: the host would wait for late:0, which .forbid = FA_SYNC forbids here");
        fa_error_clear();
        assert_false(fa_synchronize(FA_LATE(0)));
        fa_error_clear();
        FA_USE(.forbid = 0);
        assert_true(holds(c, 3));
    }
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
    no_reports();
}

static void many_readers_are_remembered(void **state)
{
    (void)state;
    fa__late_delay(-1);
    fa__device *d = fa__device_get(FA_LATE(0));
    fa__queue *queue[7];
    fa__storage *a = filled(3, SIZE), *to[7];
    for (int i = 0; i < 7; i++) {
        queue[i] = d->backend->queue_new(d);
        to[i] = fa__storage_new(d, SIZE, queue[i]);
        const fa__copy c = {&op_to, to[i]->data, a->data, SIZE, d, NULL, false, 0};
        assert_true(fa__before_read(a, queue[i], &op_to));
        fa__sync_point work = {queue[i], d->backend->copy(queue[i], &c)};
        assert_true(fa__after_read(a, work, &op_to));
        assert_true(fa__after_write(to[i], work, &op_to));
    }
    assert_true(fa__before_write(a, NULL, &op_copy));
    memset(a->data, 0, SIZE);
    fa__late_host_access(&op_copy, a->data, SIZE, true);
    for (int i = 0; i < 7; i++) {
        assert_true(holds(to[i], 3));
        fa__unref(to[i]);
        d->backend->queue_free(queue[i]);
    }
    fa__unref(a);
    no_reports();
}

/* Threads that read a storage on one queue may note that in another order than their work has. */
static void the_last_read_of_a_queue_is_remembered(void **state)
{
    (void)state;
    fa__device *d = fa__device_get(FA_LATE(0));
    fa__queue *q = d->queue, *other = d->backend->queue_new(d);
    fa__storage *nines = filled(9, SIZE), *a = new_storage(FA_LATE(0), SIZE), *b = new_storage(FA_LATE(0), SIZE);
    const fa__copy read = {&op_copy, b->data, a->data, SIZE, d, d, false, 0};
    const fa__copy write = {&op_to, a->data, nines->data, SIZE, d, NULL, false, 0};
    fa__sync_point first = {q, d->backend->copy(q, &read)}, last = {q, d->backend->copy(q, &read)};
    assert_true(fa__after_read(a, last, &op_copy) && fa__after_read(a, first, &op_copy));
    assert_true(fa__before_write(a, other, &op_to));
    fa__sync_point written = {other, d->backend->copy(other, &write)};
    assert_true(fa__after_write(a, written, &op_to) && fa__after_read(nines, written, &op_to));
    assert_true(holds(a, 9));
    fa__unref(nines);
    fa__unref(a);
    fa__unref(b);
    d->backend->queue_free(other);
    no_reports();
}

static void copies_at_random_give_the_values_of_the_model(void **state)
{
    (void)state;
    static const int64_t delays[] = {0, 5, -1};
    for (uint32_t i = 1; i <= 6; i++) {
        fa__late_delay(delays[i % 3]);
        assert_true(copy_at_random(FA__LATE, i * 97, 600));
    }
    assert_false(fa_failed());
    no_reports();
}

static void threads_share_the_queues(void **state)
{
    (void)state;
    fa__late_delay(5);
    assert_true(copy_at_random_in_threads(FA__LATE, 300, 0));
    no_reports();
}

static void devices_have_names(void **state)
{
    (void)state;
    const char *why;
    assert_true(fa_device_equal(fa_device_of("late:1"), FA_LATE(1)));
    assert_true(fa_device_equal(fa_device_of("late"), FA_LATE(0)));
    assert_true(fa_device_equal(fa_device_of("cpu"), FA_CPU));
    assert_string_equal(fa_device_name(FA_LATE(1)), "late:1");
    assert_string_equal(fa_device_name(FA_META), "meta");
    assert_string_equal(fa_device_name((fa_device){99, 0}), "unknown");
    assert_int_equal(fa_device_count("late", &why), 4);
    assert_int_equal(fa_device_count("cuda", &why), 0);
    assert_memory_equal(why, "there is no CUDA driver: ", 25);
    assert_true(fa_is_available(FA_LATE(1)));
    assert_false(fa_is_available(FA_LATE(4)));
    assert_false(fa_is_available(FA_CUDA(0)));
    assert_false(fa_failed());
    char there[256] = "there are: cpu, ";
    for (int i = 0; i < fa_device_count("opencl", NULL); i++)
        snprintf(there + strlen(there), sizeof there - strlen(there), "opencl:%d, ", i);
    snprintf(there + strlen(there), sizeof there - strlen(there), "meta, late:0, late:1");
    static const struct {
        const char *text;
        fa_code code;
        const char *message;
    } rows[] = {
        {"cuda:0", FA_ERROR_UNAVAILABLE, "cuda: there is no CUDA driver: "},
        {"late:7", FA_ERROR_DEVICE, "late:7: there is no device of that number; "},
        {"gpu", FA_ERROR_DEVICE, "fa_device_of(\"gpu\"): that names no device; "},
        {"bf16", FA_ERROR_DEVICE,
         "fa_device_of(\"bf16\"): that is a dtype, and dtypes are constants, such as FA_F32; "},
        {"late:", FA_ERROR_DEVICE, NULL},
        {"late:x", FA_ERROR_DEVICE, NULL},
        {"late:-1", FA_ERROR_DEVICE, NULL},
        {"late:99999999999999999999", FA_ERROR_DEVICE, NULL},
        {":0", FA_ERROR_DEVICE, NULL},
        {"", FA_ERROR_DEVICE, NULL},
        {NULL, FA_ERROR_DEVICE, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(fa_device_of(rows[i].text).kind, -1);
        assert_int_equal(fa_error_code(), rows[i].code);
        if (rows[i].message)
            assert_memory_equal(error_reason(), rows[i].message, strlen(rows[i].message));
        assert_non_null(strstr(fa_error_message(), there));
        fa_error_clear();
    }
}

/* The place of an error, which is this line of this file. */
#define ON_THIS_LINE(call) ((void)(call), is_of_line(__LINE__))

static bool is_of_line(int line)
{
    char place[64];
    snprintf(place, sizeof place, "late.c:%d: ", line);
    bool of_line = fa_failed() && strstr(fa_error_message(), place)
                   && strstr(fa_error_message(), "fa_device_of(\"gpu\"): that names no device; ");
    fa_error_clear();
    return of_line;
}

static bool is_on(const fa_tensor *x, fa_device device)
{
    return x && fa_device_equal(fa_tensor_device(x), device);
}

/* An option .device takes a name: of operations, data, layers, loaders and settings. */
static void options_take_names_of_devices(void **state)
{
    (void)state;
    FA_SCOPE;
    const float data[2] = {1, 2};
    fa_tensor *x = fa_zeros(FA_SHAPE(2), .device = "late:1", .dtype = FA_F64);
    assert_true(is_on(x, FA_LATE(1)) && fa_tensor_dtype(x) == FA_F64);
    assert_true(is_on(fa_zeros(FA_SHAPE(2), .dtype = FA_F64, .device = "cpu"), FA_CPU));
    assert_true(is_on(fa_zeros(FA_SHAPE(2), .device = FA_LATE(0)), FA_LATE(0)));
    assert_true(is_on(fa_move(x, .device = "late:0"), FA_LATE(0)));
    assert_true(is_on(fa_tensor_from(data, FA_SHAPE(2), .device = "late"), FA_LATE(0)));
    assert_true(is_on(fa_tensor_parse("[1]", .device = "meta"), FA_META));
    fa_module *net = fa_nn_linear(2, 3, .device = "late:0", .bias = false);
    assert_true(is_on(fa_module_parameters(net).item[0], FA_LATE(0)));
    fa_dataset *rows = fa_data_tensors(fa_ones(FA_SHAPE(4, 2)));
    FA_EACH (batch, fa_data_loader(rows, .batch_size = 2, .device = "late:1"))
        assert_true(is_on(batch.input, FA_LATE(1)));
    {
        FA_USE(.no_grad = true, .device = "late:1");
        assert_true(fa_device_equal(fa_device_current(), FA_LATE(1)));
        assert_true(is_on(fa_ones(FA_SHAPE(2)), FA_LATE(1)));
    }
    assert_false(fa_failed());
    fa_tensor *none = x;
    assert_true(ON_THIS_LINE(none = fa_zeros(FA_SHAPE(2), .device = "gpu")));
    assert_null(none);
    assert_true(ON_THIS_LINE(fa_data_loader(rows, .device = "gpu")));
    assert_true(ON_THIS_LINE(fa_nn_linear(2, 3, .device = "gpu")));
    FA_USE(.device = "gpu");
    assert_true(is_of_line(__LINE__ - 1));
    assert_null(fa_ones(FA_SHAPE(2)));
    fa_error_clear();
}

static void meta_counts_without_memory(void **state)
{
    (void)state;
    fa__storage *s = new_storage(FA_META, (size_t)140000000000);
    assert_null(s->data);
    assert_int_equal(fa_memory_stats(FA_META).allocated, 140000000000);
    fa__unref(s);
    assert_int_equal(fa_memory_stats(FA_META).allocated, 0);
    assert_int_equal(fa_memory_stats(FA_META).peak, 140000000000);
}

static void limits_and_summaries_work_on_devices(void **state)
{
    (void)state;
    fa_empty_cache(FA_LATE(1));
    size_t reserved = fa_memory_stats(FA_LATE(1)).reserved;
    assert_true(fa_memory_limit(FA_LATE(1), reserved + (1 << 20)));
    fa__device *d = fa__device_get(FA_LATE(1));
    assert_null(fa__storage_new(d, 8 << 20, d->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_non_null(strstr(fa_error_message(), "out of memory on late:1: 8388608 bytes were asked for"));
    fa_error_clear();
    assert_true(fa_memory_limit(FA_LATE(1), 0));
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fa_memory_summary(FA_LATE(1), file);
    fclose(file);
    assert_non_null(strstr(text, "| memory of late:1"));
    assert_non_null(strstr(text, "failures"));
    free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, late_begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_runs_late),
        TEST(a_source_is_guarded_until_it_was_read),
        TEST(copies_between_devices_are_ordered),
        TEST(new_memory_holds_garbage),
        TEST(memory_goes_to_another_queue_when_work_is_done),
        TEST(a_missing_event_is_found),
        TEST(each_missing_order_is_found_with_both_operations),
        TEST(order_is_not_taken_from_speed),
        TEST(wrong_memory_is_found),
        TEST(the_host_is_checked_too),
        TEST(memory_handed_out_too_early_is_found),
        TEST(copies_and_waits_are_counted),
        TEST(what_is_forbidden_fails),
        TEST(many_readers_are_remembered),
        TEST(the_last_read_of_a_queue_is_remembered),
        TEST(copies_at_random_give_the_values_of_the_model),
        TEST(threads_share_the_queues),
        TEST(devices_have_names),
        TEST(options_take_names_of_devices),
        TEST(meta_counts_without_memory),
        TEST(limits_and_summaries_work_on_devices),
    };
    fa_set_log(quiet_log, NULL);
    int failed = cmocka_run_group_tests_name("late", tests, NULL, NULL);
    fa__late_delay(-1); /* work that nobody waits for is done when the process ends */
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_LATE(0), SIZE);
    copy(&op_to, b, a);
    fa__unref(a);
    fa__unref(b);
    return failed;
}
