/* Graphs: what is recorded, what is refused and why, memory, faults, threads, streams, misuse. */
#include "base/alloc.h"
#include "support/api_test.h"
#include "support/tensors.h"
#include <facula/dlpack.h>
#include <facula/graph.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 1000, PLACES = 3 /* the CPU, and the two devices of the run */ };

static fa_device place(int i)
{
    return i ? DEVICE(i - 1) : FA_CPU;
}

static fa_tensor *numbers(fa_device device, double first)
{
    return fa_to(fa_arange(first, first + COUNT, .dtype = FA_F32), device);
}

static void assert_same(const fa_tensor *a, const fa_tensor *b)
{
    assert_no_error();
    assert_true(tensor_same_bits(fa_cpu(a), fa_cpu(b)));
}

/* ---- what a replay does ---- */
static void a_replay_reads_inputs_and_overwrites_results(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        fa_tensor *x = numbers(place(i), 0), *small = fa_to(fa_ones(FA_SHAPE(2)), place(i)), *sum = NULL, *y = NULL;
        fa_graph *g = fa_graph_new(place(i));
        assert_int_equal(fa_graph_launches(g), 0);
        FA_RECORD(g)
        {
            fa_add_(small, 1);
            y = fa_escape(fa_mul(fa_add(x, 1), fa_mul(x, 2)));
            sum = fa_escape(fa_sum(y));
            assert_true(fa_graph_recording());
        }
        assert_false(fa_graph_recording());
        assert_int_equal(fa_graph_launches(g), 5);
        fa_copy_(x, numbers(place(i), 50));
        assert_true(fa_graph_replay(g));
        fa_tensor *z = numbers(FA_CPU, 50);
        assert_same(y, fa_mul(fa_add(z, 1), fa_mul(z, 2)));
        assert_true(fa_item(sum) == fa_item(fa_sum(fa_cpu(y))));
        assert_true(fa_item(fa_sum(small)) == 6);
    }
}

/* The graph keeps what it uses; results outlive the graph. */
static void inputs_and_graphs_may_be_freed(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        FA_VAR(y, NULL);
        {
            FA_SCOPE;
            fa_graph *g = fa_graph_new(place(i));
            {
                FA_SCOPE;
                fa_tensor *x = numbers(place(i), 1), *tiny = fa_to(fa_ones(FA_SCALAR), place(i));
                FA_RECORD(g)
                fa_assign(&y, fa_mul(fa_add_(x, 1), tiny));
            }
            FA_REPEAT (5)
                numbers(place(i), 777); /* would take the memory of x */
            assert_true(fa_graph_replay(g));
        }
        FA_REPEAT (5)
            numbers(place(i), 555);
        assert_same(y, numbers(FA_CPU, 3));
    }
}

static void autograd_knows_that_a_replay_changes_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = numbers(FA_CPU, 0), *w = fa_ones(FA_SHAPE(COUNT), .requires_grad = true);
    fa_graph *g = fa_graph_new(FA_CPU);
    FA_RECORD(g)
    fa_add_(x, 1);
    fa_tensor *loss = fa_sum(fa_mul(w, x));
    assert_true(fa_graph_replay(g));
    assert_false(fa_backward(loss));
    assert_error(FA_ERROR_GRADIENT, "was changed in place by graph_replay");
}

static void a_block_may_be_left_early(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3));
    fa_graph *g = fa_graph_new(FA_CPU);
    FA_RECORD(g)
    {
        fa_add_(x, 1);
        if (fa_graph_recording())
            break;
        fa_add_(x, 10);
    }
    assert_true(fa_graph_replay(g));
    assert_true(fa_item(fa_sum(x)) == 6);
    assert_int_equal(fa_graph_launches(g), 1);
}

static void a_block_may_be_exempted(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_zeros(FA_SHAPE(3), .device = place(i));
        fa_graph *g = fa_graph_new(place(i));
        FA_RECORD(g)
        {
            fa_add_(x, 1);
            FA_UNRECORDED;
            assert_true(fa_item(fa_sum(x)) == 3);
            fa_add_(x, 1);
            assert_false(fa_graph_recording());
        }
        assert_true(fa_graph_replay(g));
        assert_true(fa_item(fa_sum(x)) == 9);
        assert_no_error();
    }
}

static void casts_are_made_in_each_replay(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_BF16);
    fa_tensor *x = fa_ones(FA_SHAPE(4, 4)), *w = fa_ones(FA_SHAPE(4, 4), .requires_grad = true), *y = NULL;
    fa_graph *g = fa_graph_new(FA_CPU);
    fa_matmul(x, w); /* w as bf16 is kept for the block */
    FA_RECORD(g)
    y = fa_escape(fa_matmul(x, w));
    {
        FA_USE(.no_grad = true);
        fa_mul_(w, 3);
    }
    assert_true(fa_graph_replay(g));
    assert_true(fa_item(fa_sum(fa_to(y, FA_F32))) == 16 * 12);
    assert_same(y, fa_matmul(x, w));
}

static void a_graph_is_printed_as_its_launches(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = numbers(FA_CPU, 0);
    fa_graph *g = fa_graph_new(FA_CPU);
    FA_RECORD(g)
    fa_sum(fa_mul(x, 2));
    char text[1000] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    fa_graph_print(g, file);
    fclose(file);
    assert_non_null(strstr(text, "mul "));
    assert_non_null(strstr(text, "(1000,) f32 at 0x"));
    assert_non_null(strstr(text, "\nsum "));
    assert_non_null(strstr(text, "graphs.c:"));
    fa_graph_print(g, NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_graph_print: the file is NULL");
}

/* ---- what is refused ---- */
static fa_tensor *given; /* on the device that is recorded */

static void reads(void)
{
    assert_true(isnan(fa_item(fa_sum(given))));
}

static void prints(void)
{
    float value[COUNT];
    assert_false(fa_read(given, value, FA_F32, COUNT));
}

static void takes_a_pointer(void)
{
    assert_null(fa_ptr(given, FA_F32));
}

static void exports(void)
{
    assert_null(fa_to_dlpack(given));
}

static void asks_for_a_shape(void)
{
    fa_nonzero(given);
}

static void finds_unique(void)
{
    fa_unique(given);
}

static void copies_data(void)
{
    float one[1] = {1};
    fa_tensor_from(one, FA_SHAPE(1));
}

static void copies_away(void)
{
    fa_to(given, fa_device_equal(fa_tensor_device(given), FA_CPU) ? DEVICE(0) : FA_CPU);
}

static void computes_elsewhere(void)
{
    fa_ones(FA_SHAPE(3), .device = fa_device_equal(fa_tensor_device(given), DEVICE(1)) ? FA_CPU : DEVICE(1));
}

static void seeds(void)
{
    fa_manual_seed(1);
}

static void sets_a_rate(void)
{
    fa_optim_set_lr(fa_optim_sgd(fa_params(given), .lr = 1), 0.5);
}

static void records_an_event(void)
{
    fa_event_record(fa_event_new(), NULL);
}

static void replays(void)
{
    FA_SCOPE;
    fa_graph_replay(fa_graph_new(FA_CPU));
}

static void records_again(void)
{
    fa_graph *other = fa_graph_new(FA_CPU);
    FA_RECORD(other)
    fail();
}

static const struct {
    void (*call)(void);
    const char *name, *why;
} refused[] = {
    {reads, "fa_item", "the host reads a value"},
    {prints, "fa_read", "the host reads a value"},
    {takes_a_pointer, "fa_ptr", ""},
    {exports, "fa_to_dlpack", "what the other library does is not done by a replay"},
    {asks_for_a_shape, "fa_nonzero", "the host reads a value"},
    {finds_unique, "fa_unique", "the host reads a value"},
    {copies_data, "fa_tensor_from", "the program's data are copied once"},
    {copies_away, "fa_to", "it copies from "},
    {computes_elsewhere, "fa_ones", "it runs on "},
    {seeds, "fa_set_random_state", "a replay would not set the state"},
    {sets_a_rate, "fa_optim_set_lr", "a replay would not set .lr"},
    {records_an_event, "fa_event_record", "a graph is for the work of one stream"},
    {replays, "fa_graph_replay", "a graph cannot be part of another one"},
    {records_again, "FA_RECORD", "this thread is recording a graph already"},
};

/* Each says what and why, with the line, and leaves the graph empty and the device usable. */
static void what_a_replay_cannot_repeat_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++)
        for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
            FA_SCOPE;
            if (i && (refused[k].call == takes_a_pointer || refused[k].call == exports))
                continue; /* there are no pointers to memory of devices */
            fa_graph *g = fa_graph_new(place(i));
            given = numbers(place(i), 0);
            FA_RECORD(g)
            {
                fa_add_(given, 1);
                refused[k].call();
            }
            assert_false(fa_graph_recording());
            assert_int_equal(fa_graph_launches(g), 0);
            if (fa_error_code() == FA_ERROR_STATE)
                assert_non_null(strstr(fa_error_message(), "graphs.c:"));
            assert_error(FA_ERROR_STATE, refused[k].name, refused[k].why);
            assert_false(fa_graph_replay(g));
            assert_error(FA_ERROR_STATE, "fa_graph_replay: the graph is empty");
            assert_same(given, numbers(FA_CPU, 1));
        }
}

static void a_number_on_the_cpu_is_no_operand_of_a_graph_elsewhere(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = numbers(DEVICE(0), 0), *two = fa_full(FA_SCALAR, 2.0);
    fa_graph *g = fa_graph_new(DEVICE(0));
    FA_RECORD(g)
    fa_mul(x, two);
    assert_error(FA_ERROR_STATE, "mul", "a 0-dim tensor on the CPU is read when the operation is called");
}

static void misuse_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_graph_new(FA_META));
    assert_error(FA_ERROR_DEVICE, "fa_graph_new: meta has no memory");
    assert_null(fa_graph_new((fa_device){77, 0}));
    assert_error(FA_ERROR_DEVICE, "fa_graph_new");
    assert_false(fa_graph_replay(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_graph_replay: the graph is NULL");
    assert_false(fa_graph_replay((fa_graph *)(void *)fa_ones(FA_SCALAR)));
    assert_error(FA_ERROR_ARGUMENT, "fa_graph_replay: it is a tensor, not a graph");
    fa_graph *g = fa_graph_new(FA_CPU);
    assert_false(fa_graph_replay(g));
    assert_error(FA_ERROR_STATE, "fa_graph_replay: the graph was not recorded");
    FA_RECORD(g)
    fa_ones(FA_SHAPE(3));
    FA_RECORD(g)
    fail();
    assert_error(FA_ERROR_STATE, "FA_RECORD: the graph was recorded already");
    assert_true(fa_graph_replay(g));
    fa_graph *none = NULL;
    FA_RECORD(none)
    fail();
    assert_error(FA_ERROR_ARGUMENT, "FA_RECORD: the graph is NULL");
}

static void moved_memory_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_linear(30, 30);
    fa_tensor *x = fa_ones(FA_SHAPE(2, 30));
    fa_graph *g = fa_graph_new(FA_CPU);
    FA_RECORD(g)
    fa_forward(net, x);
    assert_true(fa_graph_replay(g));
    fa_module_to(net, DEVICE(0));
    assert_false(fa_graph_replay(g));
    assert_error(FA_ERROR_STATE, "fa_graph_replay: memory that the graph uses was moved");
}

/* ---- memory ---- */
static void memory_belongs_to_the_graph(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20 };
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_zeros(FA_SHAPE(LARGE), .device = place(i));
        fa_synchronize(place(i));
        fa_empty_cache(place(i));
        fa_memory before = fa_memory_stats(place(i)), own;
        {
            FA_SCOPE;
            fa_graph *g = fa_graph_new(place(i));
            FA_RECORD(g)
            FA_REPEAT (10)
                fa_sum(fa_add(x, 1));
            own = fa_graph_memory(g);
            assert_true(own.peak >= 4 * LARGE && own.peak < 3 * 4 * LARGE); /* the second one takes the first one's */
            assert_true(own.reserved >= own.peak);
            assert_true(fa_memory_stats(place(i)).allocated >= before.allocated + own.reserved);
            assert_true(fa_graph_replay(g));
        }
        fa_memory after = fa_memory_stats(place(i));
        assert_int_equal(after.allocated, before.allocated);
        fa_synchronize(place(i));
        fa_empty_cache(place(i));
        assert_true(fa_memory_stats(place(i)).reserved <= before.reserved);
        assert_no_error();
    }
}

/* Each allocation of a recording and of its replay fails once: an error, and nothing is lost. */
static void allocations_may_fail(void **state)
{
    (void)state;
    int64_t made = INT64_MAX, errors = 0;
    for (int64_t n = 1; made >= n - 1; n++) {
        FA_SCOPE;
        fa_tensor *x = numbers(DEVICE(0), 0);
        fa__inject(n);
        fa_graph *g = fa_graph_new(DEVICE(0));
        FA_RECORD(g)
        fa_sum(fa_add_(fa_randn(FA_SHAPE(COUNT), .device = DEVICE(0)), x));
        bool good = g && fa_graph_replay(g);
        made = fa__inject_count();
        fa__inject(0);
        errors += fa_failed();
        assert_true(fa_failed() != good);
        if (!good)
            assert_error(FA_ERROR_MEMORY, "");
    }
    assert_true(errors > 10);
}

/* ---- faults ---- */
static void a_fault_in_a_replay_has_the_line_of_the_call(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        fa_tensor *x = numbers(place(i), 0), *at = fa_zeros(FA_SHAPE(3), .dtype = FA_I64, .device = place(i));
        fa_graph *g = fa_graph_new(place(i));
        fa_tensor *y = NULL;
        FA_RECORD(g)
        y = fa_escape(fa_add(fa_index_select(x, 0, at), 1));
        fa_copy_(at, COUNT);
        fa_graph_replay(g);
        fa_synchronize(place(i));
        if (fa_failed())
            assert_non_null(strstr(fa_error_message(), "graphs.c:"));
        assert_error(FA_ERROR_INDEX, "index_select", "index 1000 is out of range");
        fa_copy_(at, 7);
        assert_true(fa_graph_replay(g));
        assert_true(fa_item(fa_sum(y)) == 24);
        assert_no_error();
    }
}

/* ---- threads and streams ---- */
typedef struct job {
    fa_graph *graph;
    fa_device device;
    bool good;
} job;

static void *record_own(void *context)
{
    job *j = context;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(COUNT), .device = j->device);
    fa_graph *g = fa_graph_new(j->device);
    FA_RECORD(g)
    FA_REPEAT (20)
        fa_add_(x, fa_ones(FA_SHAPE(COUNT), .device = j->device));
    for (int i = 0; i < 20; i++)
        fa_graph_replay(g);
    j->good = fa_item(fa_sum(x)) == COUNT * 20.0 * 21 && fa_graph_launches(g) == 40;
    return NULL;
}

static void *replay_others(void *context)
{
    job *j = context;
    j->good = true;
    for (int i = 0; i < 50; i++)
        j->good &= fa_graph_replay(j->graph);
    return NULL;
}

static void threads_have_graphs_of_their_own_and_share_some(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    FA_SCOPE;
    pthread_t thread[2 * THREADS];
    job jobs[2 * THREADS];
    fa_tensor *x = fa_zeros(FA_SHAPE(3), .device = DEVICE(0));
    fa_graph *g = fa_graph_new(DEVICE(0));
    FA_RECORD(g)
    fa_add_(x, 1);
    for (int i = 0; i < 2 * THREADS; i++) {
        jobs[i] = (job){.graph = g, .device = place(i % PLACES)};
        assert_int_equal(pthread_create(&thread[i], NULL, i % 2 ? replay_others : record_own, &jobs[i]), 0);
    }
    for (int i = 0; i < 2 * THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_true(jobs[i].good);
    }
    assert_true(fa_item(fa_sum(x)) == 3 * (1 + 50 * THREADS));
}

/* A thread may end while it records. */
static void *leave(void *context)
{
    fa_graph *g = context;
    fa__graph_open(g, "here", 0);
    fa_ones(FA_SHAPE(3));
    return NULL;
}

static void a_thread_that_ends_leaves_no_recording(void **state)
{
    (void)state;
    FA_SCOPE;
    pthread_t thread;
    fa_graph *g = fa_graph_new(FA_CPU);
    assert_int_equal(pthread_create(&thread, NULL, leave, g), 0);
    pthread_join(thread, NULL);
    assert_false(fa_graph_replay(g));
    assert_error(FA_ERROR_STATE, "the graph is empty");
}

/* A graph keeps to its stream, and is ordered with what other streams do to its inputs and results. */
static void a_graph_has_a_stream(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *stream = fa_stream_new(DEVICE(0));
    fa_tensor *x = numbers(DEVICE(0), 0), *y = NULL;
    fa_graph *g = fa_graph_new(DEVICE(0));
    {
        FA_USE(.stream = stream);
        FA_RECORD(g)
        y = fa_escape(fa_mul(fa_add(x, 1), 2));
    }
    for (int i = 0; i < 5; i++) {
        fa_copy_(x, i);
        assert_true(fa_graph_replay(g));
        assert_same(fa_add(y, 1), fa_full(FA_SHAPE(COUNT), 2.0F * (float)(i + 1) + 1));
    }
    fa_graph *other = fa_graph_new(DEVICE(0));
    FA_RECORD(other)
    {
        FA_USE(.stream = stream);
        fa_add(x, 1);
    }
    assert_error(FA_ERROR_STATE, "fa_add", "it runs on another stream than the graph");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_replay_reads_inputs_and_overwrites_results),
        TEST(inputs_and_graphs_may_be_freed),
        TEST(autograd_knows_that_a_replay_changes_tensors),
        TEST(a_block_may_be_left_early),
        TEST(a_block_may_be_exempted),
        TEST(casts_are_made_in_each_replay),
        TEST(a_graph_is_printed_as_its_launches),
        TEST(what_a_replay_cannot_repeat_is_refused),
        TEST(a_number_on_the_cpu_is_no_operand_of_a_graph_elsewhere),
        TEST(misuse_is_an_error),
        TEST(moved_memory_is_an_error),
        TEST(memory_belongs_to_the_graph),
        TEST(allocations_may_fail),
        TEST(a_fault_in_a_replay_has_the_line_of_the_call),
        TEST(threads_have_graphs_of_their_own_and_share_some),
        TEST(a_thread_that_ends_leaves_no_recording),
        TEST(a_graph_has_a_stream),
    };
    return RUN("graphs");
}
