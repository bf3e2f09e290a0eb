/* The ledger beside OpenCL's own account: this program stands between the library and the driver, and counts commands,
 * bytes, waits and builds itself; times are those of the queue's events. A whole epoch of training is compared, with
 * the digits and an MLP on opencl:0. Skipped where there is no OpenCL. */
#define _GNU_SOURCE
#include "core/ledger.h"
#include "backend/device.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/clock.h"
#include "core/attribution.h"
#include "support/digits_training.h"
#include "support/text.h"
#include <facula/facula.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_EVENTS = 4096 };

/* ---- the driver's account ---- */
typedef struct kind {
    uint64_t count, bytes, ns;
} kind;

/* Looks are reads of the queue's fault word: the library's own, and no copy of anybody's data. */
static struct {
    kind write, own, read, look, between, wait, build, map;
    cl_event event[MOST_EVENTS]; /* of copies */
    kind *of[MOST_EVENTS];
    int events;
} account;
static fa__opencl_api real;

static bool is_fault_word(cl_mem m)
{
    const fa__device *d = fa__device_get(FA_OPENCL(0));
    bool is = false;
    for (int i = 0; i < FA__GPU_QUEUES; i++) {
        const fa__gpu_queue *q = &fa__gpu_queues[fa__gpu_own(d)->number][i];
        size_t at;
        is |= q->used && q->word && fa__opencl_find(d, q->word, &at) == m;
    }
    return is;
}

static cl_int note(kind *k, size_t bytes, cl_event *e, cl_int status)
{
    k->count++;
    k->bytes += bytes;
    if (status == CL_SUCCESS && e && account.events < MOST_EVENTS) {
        real.clRetainEvent(*e);
        account.event[account.events] = *e;
        account.of[account.events++] = k;
    }
    return status;
}

static cl_int write_buffer(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, const void *from,
                           cl_uint n, const cl_event *list, cl_event *e)
{
    /* Those that no copy asked for are the library's own: a new queue's fault word, arguments of lists of launches. */
    const bool own = !fa__called_by_program();
    assert_true(own || !block);
    return note(own ? &account.own : &account.write, size, e,
                real.clEnqueueWriteBuffer(q, m, block, at, size, from, n, list, e));
}

static cl_int read_buffer(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, void *to, cl_uint n,
                          const cl_event *list, cl_event *e)
{
    kind *k = is_fault_word(m) ? &account.look : &account.read;
    assert_int_equal(block, CL_FALSE);
    return note(k, size, e, real.clEnqueueReadBuffer(q, m, block, at, size, to, n, list, e));
}

static cl_int copy_buffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t size,
                          cl_uint n, const cl_event *list, cl_event *e)
{
    return note(&account.between, size, e, real.clEnqueueCopyBuffer(q, from, to, from_at, to_at, size, n, list, e));
}

static void took(kind *k, int64_t start)
{
    k->count++;
    k->ns += (uint64_t)(fa__clock_ns() - start);
}

static cl_int wait_for_events(cl_uint n, const cl_event *list)
{
    int64_t start = fa__clock_ns();
    cl_int status = real.clWaitForEvents(n, list);
    took(&account.wait, start);
    return status;
}

static cl_int finish(cl_command_queue q)
{
    int64_t start = fa__clock_ns();
    cl_int status = real.clFinish(q);
    took(&account.wait, start);
    return status;
}

static cl_int build_program(cl_program p, cl_uint n, const cl_device_id *list, const char *options,
                            void (*call)(cl_program, void *), void *context)
{
    int64_t start = fa__clock_ns();
    cl_int status = real.clBuildProgram(p, n, list, options, call, context);
    took(&account.build, start);
    return status;
}

static void *map_buffer(cl_command_queue q, cl_mem m, cl_bool block, cl_bitfield flags, size_t at, size_t size,
                        cl_uint n, const cl_event *list, cl_event *e, cl_int *status)
{
    int64_t start = fa__clock_ns();
    void *host = real.clEnqueueMapBuffer(q, m, block, flags, at, size, n, list, e, status);
    took(&account.map, start);
    return host;
}

static void open_account(void)
{
    memset(&account, 0, sizeof account);
    fa_transfers_reset();
    fa__opencl.clEnqueueWriteBuffer = write_buffer;
    fa__opencl.clEnqueueReadBuffer = read_buffer;
    fa__opencl.clEnqueueCopyBuffer = copy_buffer;
    fa__opencl.clWaitForEvents = wait_for_events;
    fa__opencl.clFinish = finish;
    fa__opencl.clBuildProgram = build_program;
    fa__opencl.clEnqueueMapBuffer = map_buffer;
}

/* What is under way ends first, and is in the account and the ledger. Then the events are asked for their times. */
static void close_account(void)
{
    assert_true(fa_synchronize(FA_OPENCL(0)));
    fa__opencl = real;
    assert_true(account.events < MOST_EVENTS);
    for (int i = 0; i < account.events; i++) {
        cl_ulong start = 0, end = 0;
        cl_event e = account.event[i];
        assert_int_equal(real.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), 0);
        assert_int_equal(real.clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), 0);
        account.of[i]->ns += end - start;
        real.clReleaseEvent(e);
    }
}

static int begin(void **state)
{
    (void)state;
    real = fa__opencl;
    fa_error_clear();
    return 0;
}

static int end(void **state)
{
    (void)state;
    fa__opencl = real;
    fa_synchronize(FA_OPENCL(0));
    if (fa_failed())
        print_message("left behind: %s\n", fa_error_message());
    return fa_failed() ? -1 : 0;
}

static void use_pinned(bool pinned)
{
    fa__device *d = fa__device_get(FA_OPENCL(0));
    assert_non_null(d);
    fa__gpu_own(d)->pinned = pinned;
}

/* ---- rows of the ledger ---- */
typedef struct rows {
    size_t count;
    fa__ledger_row row[FA__LEDGER_ROWS];
} rows;

static const rows *all_rows(void)
{
    static rows r;
    r.count = fa__ledger_rows(r.row, FA__LEDGER_ROWS);
    return &r;
}

/* The row of an operation ("": the program itself); NULL when there is none. */
static const fa__ledger_row *row_of(const char *name, bool wait, const char *from, const char *to)
{
    const rows *r = all_rows();
    for (size_t i = 0; i < r->count; i++) {
        const fa__ledger_row *l = &r->row[i];
        if (!strcmp(l->op ? l->op->name : "", name) && l->wait == wait && !strcmp(l->from ? l->from->name : "cpu", from)
            && !strcmp(l->to ? l->to->name : "cpu", to))
            return l;
    }
    return NULL;
}

/* ---- the tests ---- */
static void compare_copies(const training *t)
{
    fa_transfers ledger = fa_transfers_total();
    assert_int_equal(ledger.to_device, account.write.count);
    assert_int_equal(ledger.bytes_to_device, account.write.bytes);
    assert_int_equal(ledger.to_host, account.read.count);
    assert_int_equal(ledger.bytes_to_host, account.read.bytes);
    assert_int_equal(ledger.between, 0);
    assert_int_equal(account.between.count, 0);
    assert_int_equal(ledger.copy_ns, account.write.ns + account.read.ns);
    assert_true(account.write.ns > 0 && account.read.ns > 0);
    /* and it is what the program asked for: the parameters, each sample's pixels and class, the losses */
    assert_int_equal(ledger.bytes_to_device, fa_module_nbytes(t->net) + (size_t)t->samples * (64 * 4 + 8));
    assert_int_equal(ledger.bytes_to_host, t->reads * 4);
}

static uint64_t counted_waits(const char *name)
{
    const fa__ledger_row *r = row_of(name, true, "opencl:0", "opencl:0");
    return r ? r->count : 0;
}

static void compare_waits(const training *t)
{
    fa_transfers ledger = fa_transfers_total();
    uint64_t inside = account.build.count + account.map.count; /* each is an implicit wait */
    assert_true(ledger.implicit >= inside);
    assert_true(ledger.implicit_ns >= account.build.ns + account.map.ns);
    /* Nothing is missed. Work may have come to its end when the driver was about to be asked: then the ledger has one
     * more. */
    assert_true(account.wait.count <= ledger.waits + ledger.implicit - inside);
    assert_true(account.wait.ns + account.build.ns + account.map.ns <= ledger.wait_ns + ledger.implicit_ns);
    assert_true(ledger.implicit - inside <= account.wait.count);
    /* The program asked for them: it read the loss, it waited in the end; and to move a parameter is to wait for it. */
    assert_true(counted_waits("item") <= (uint64_t)t->reads);
    assert_true(counted_waits("synchronize") == 1);
    assert_true(counted_waits("module_to") <= fa_module_parameters(t->net).count);
    assert_int_equal(ledger.waits, counted_waits("item") + counted_waits("synchronize") + counted_waits("module_to"));
}

static void an_epoch_is_in_the_ledger_as_the_driver_saw_it(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        FA_SCOPE;
        open_account(); /* the first time, the device is opened now */
        use_pinned(pinned);
        training t = training_new(FA_OPENCL(0));
        training_epoch(&t);
        close_account();
        assert_false(fa_failed());
        assert_int_equal(t.samples, 1438);
        assert_true(t.reads == 4 && t.loss > 0 && t.loss < 2.2); /* ln 10 is 2.3 */
        assert_true(pinned || account.build.count > 5);
        assert_true(account.look.count > 0);
        compare_copies(&t);
        compare_waits(&t);
        use_pinned(false);
    }
}

/* Everything is on the device beforehand: neither copies nor waits but where the loss is read. */
static void an_epoch_passes_where_copies_and_waits_are_forbidden(void **state)
{
    (void)state;
    FA_SCOPE;
    training t = training_new(FA_OPENCL(0));
    fa_tensor *input[64], *target[64];
    int batches = 0;
    FA_EACH (batch, t.loader) {
        input[batches] = fa_escape(batch.input);
        target[batches++] = fa_escape(batch.target);
    }
    assert_int_equal(batches, fa_loader_length(t.loader));
    FA_VAR(last, NULL);
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        FA_REPEAT (i, batches) {
            fa_tensor *loss = training_step(&t, input[i], target[i]);
            if (i % DIGITS_EVERY == DIGITS_EVERY - 1)
                training_read(&t, loss);
            fa_assign(&last, loss);
        }
        assert_false(fa_failed());
        assert_int_equal(t.reads, 4);
        fa_transfers total = fa_transfers_total();
        assert_int_equal(total.to_device + total.between, 0);
        assert_int_equal(total.to_host, 4);
        fa_item(last);
        assert_int_equal(fa_error_code(), FA_ERROR_SYNC);
        assert_non_null(strstr(fa_error_message(), "fa_item: "));
        assert_non_null(strstr(fa_error_message(), "from opencl:0 to cpu, which .forbid = FA_TRANSFER forbids here"));
        fa_error_clear();
    }
    assert_true(fa_item(last) < 2.2);
}

/* The loader hands batches over, and nobody waits for that. */
static void a_loader_copies_without_waits(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        FA_SCOPE;
        use_pinned(pinned);
        training t = training_new(FA_OPENCL(0));
        fa_transfers_reset();
        FA_USE(.forbid = FA_SYNC);
        training_epoch(&t);
        assert_false(fa_failed());
        assert_int_equal(t.reads, 4);
        assert_true(fa_transfers_total().waits <= 4);
        use_pinned(false);
    }
}

/* A line of the table: copies end with GB/s, waits with the implicit ones. */
static void check_line(const char *line, kind *copies, kind *waits, kind *implicit)
{
    char operation[64], what[16], rest[256];
    assert_int_equal(sscanf(line, "%63s %15s %255[^\n]", operation, what, rest), 3);
    bool wait = !strcmp(what, "wait");
    assert_true(wait || !strcmp(what, "copy"));
    const char *numbers = strstr(rest, wait ? "opencl:0" : rest[0] == 'c' ? "-> opencl:0" : "-> cpu");
    assert_non_null(numbers);
    numbers += strcspn(numbers, " ") + (wait ? 0 : strlen(" cpu"));
    numbers += strcspn(numbers, " ");
    unsigned long long count, bytes, inside;
    double ms, last;
    int n = wait ? sscanf(numbers, "%llu %llu %lf %llu %lf", &count, &bytes, &ms, &inside, &last)
                 : sscanf(numbers, "%llu %llu %lf %lf", &count, &bytes, &ms, &last);
    assert_int_equal(n, wait ? 5 : 4);
    kind *k = wait ? waits : copies;
    k->count += count;
    k->bytes += bytes;
    if (wait) {
        implicit->count += inside;
    } else {
        double least = (double)bytes / (ms + 0.001) / 1e6, most = ms > 0.001 ? (double)bytes / (ms - 0.001) / 1e6 : 1e9;
        assert_true(count > 0 && bytes > 0);
        assert_true(last > least - 0.01 && last < most + 0.01); /* both are rounded */
    }
}

static void the_report_shows_the_epoch(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_transfers_reset();
    training t = training_new(FA_OPENCL(0));
    training_epoch(&t);
    assert_true(fa_synchronize(FA_OPENCL(0)));
    fa_transfers total = fa_transfers_total();
    char *text = written(fa_transfers_report), *line = strtok(text, "\n");
    kind copies = {0}, waits = {0}, implicit = {0};
    assert_string_equal(line, "operation            what  place                    count          bytes         ms    "
                              "GB/s  implicit         ms");
    while ((line = strtok(NULL, "\n")) && strncmp(line, "in all: ", 8))
        check_line(line, &copies, &waits, &implicit);
    assert_non_null(line);
    assert_int_equal(copies.count, total.to_device + total.to_host);
    assert_int_equal(copies.bytes, total.bytes_to_device + total.bytes_to_host);
    assert_int_equal(waits.count, total.waits);
    assert_int_equal(implicit.count, total.implicit);
    free(text);
    const fa__ledger_row *to = row_of("to", false, "cpu", "opencl:0");
    assert_true(to && to->count == 90 && to->bytes == 1438 * (64 * 4 + 8) && to->ns > 0);
    const fa__ledger_row *item = row_of("item", false, "opencl:0", "cpu");
    assert_true(item && item->count == 4 && item->bytes == 16);
    text = written(fa_transfers_json);
    assert_non_null(strstr(text, "\"operation\": \"fa_item\", \"from\": \"opencl:0\", \"to\": \"cpu\", \"count\": 4, "
                                 "\"bytes\": 16, \"ns\": "));
    free(text);
    fa_transfers_reset();
    total = fa_transfers_total();
    assert_memory_equal(&total, &(fa_transfers){0}, sizeof total);
    assert_int_equal(all_rows()->count, 0);
}

/* ---- waits inside the driver ---- */
static void building_a_kernel_is_an_implicit_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_rand(FA_SHAPE(100)), FA_OPENCL(0));
    open_account();
    fa_tensor *y = fa_pointwise("x * 3.25 + 0.0625 * x * x", x);
    close_account();
    assert_non_null(y);
    assert_int_equal(account.build.count, 1);
    const fa__ledger_row *r = row_of("pointwise", true, "opencl:0", "opencl:0");
    assert_true(r && r->implicit == 1 && r->count == 0);
    assert_true(r->implicit_ns >= account.build.ns);
    open_account();
    y = fa_pointwise("x * 3.25 + 0.0625 * x * x", y); /* it is there now */
    close_account();
    assert_int_equal(account.build.count, 0);
    assert_int_equal(fa_transfers_total().implicit, 0);
}

/* What another kind's queue writes into memory of the host is waited for before OpenCL's reads it. */
static void another_kind_of_device_is_an_implicit_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_rand(FA_SHAPE(100)), FA_LATE(0));
    open_account();
    fa_tensor *y = fa_cpu(x), *z = fa_to(y, FA_OPENCL(0)), *again = fa_to(y, FA_OPENCL(0)); /* that is done by then */
    close_account();
    const fa__ledger_row *r = row_of("to", true, "late:0", "late:0");
    assert_true(z && again && r && r->implicit == 1 && r->count == 0);
    assert_null(row_of("", true, "late:0", "late:0"));
}

/* Nothing orders queues of two kinds but the host. */
static void a_stream_behind_another_kind_is_an_implicit_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *late = fa_stream_new(FA_LATE(0)), *s = fa_stream_new(FA_OPENCL(0));
    fa_event *e = fa_event_new();
    fa_tensor *x = fa_to(fa_rand(FA_SHAPE(100)), FA_LATE(0));
    {
        FA_USE(.stream = late);
        fa_add_(x, 1);
    }
    assert_true(fa_event_record(e, late));
    open_account();
    assert_true(fa_event_wait(e, s));
    close_account();
    const fa__ledger_row *r = row_of("event_wait", true, "late:0", "late:0");
    assert_true(r && r->implicit == 1 && r->count == 0);
    assert_int_equal(fa_transfers_total().implicit, 1);
}

/* Memory of the host that is not pinned goes through a ring that is. While the device is busy, that is full soon, and
 * the host has to wait for it. */
static void a_full_ring_of_pinned_memory_is_an_implicit_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    const int64_t much = 3 * FA__GPU_STAGING / 4;
    fa_tensor *x = fa_rand(FA_SHAPE(much)), *a = fa_to(fa_rand(FA_SHAPE(512, 512)), FA_OPENCL(0));
    fa_item(fa_sum(fa_matmul(a, a))); /* the kernel is built */
    use_pinned(true);
    fa_to(fa_rand(FA_SHAPE(100)), FA_OPENCL(0)); /* the ring is made */
    fa_synchronize(FA_OPENCL(0));
    open_account();
    for (int i = 0; i < 4; i++)
        fa_matmul(a, a);
    fa_tensor *there = fa_to(x, FA_OPENCL(0));
    uint64_t waited = account.wait.count, ns = account.wait.ns;
    const fa__ledger_row *r = row_of("to", true, "opencl:0", "opencl:0");
    assert_true(waited >= 1);
    assert_true(r && r->count == 0 && r->implicit >= 1 && r->implicit <= waited);
    assert_true(r->implicit_ns >= ns);
    close_account();
    assert_int_equal(account.write.bytes, fa_transfers_total().bytes_to_device);
    assert_int_equal(account.write.count, (3 * FA__GPU_STAGING + FA__GPU_CHUNK - 1) / FA__GPU_CHUNK);
    assert_int_equal(fa_transfers_total().to_device, 1);
    assert_int_equal(fa_transfers_total().copy_ns, account.write.ns);
    use_pinned(false);
    assert_true(fa_item(fa_sum(fa_eq(fa_cpu(there), x))) == (double)much);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* kernels are compiled where they are needed */
    const struct CMUnitTest tests[] = {
        TEST(an_epoch_is_in_the_ledger_as_the_driver_saw_it),
        TEST(an_epoch_passes_where_copies_and_waits_are_forbidden),
        TEST(a_loader_copies_without_waits),
        TEST(the_report_shows_the_epoch),
        TEST(building_a_kernel_is_an_implicit_wait),
        TEST(another_kind_of_device_is_an_implicit_wait),
        TEST(a_stream_behind_another_kind_is_an_implicit_wait),
        TEST(a_full_ring_of_pinned_memory_is_an_implicit_wait),
    };
    const char *why;
    setenv("FACULA_CACHE_DIR", "", 1); /* kernels are built here */
    unsetenv("FACULA_OPENCL_PINNED");
    if (!fa_device_count("opencl", &why)) {
        printf("skipped: there is no OpenCL: %s\n", why);
        return 77;
    }
    return cmocka_run_group_tests_name("ledger_opencl", tests, NULL, NULL);
}
