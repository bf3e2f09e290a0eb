/* Streams and events: where work goes, that tensors and memory are ordered between streams without the program's help,
 * that backward follows, what is counted and forbidden, and who lives how long. */
#define _GNU_SOURCE
#include "api_test.h"
#include "backend/device.h"
#include "backend/late/late.h"
#include "base/alloc.h"
#include "core/stream.h"
#include "ops/call.h"
#include <facula/nn.h>
#include <facula/optim.h>
#include <facula/stream.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

static int begin(void **state)
{
    (void)state;
    fa__late_delay(20);
    fa__late_reports_clear();
    fa_error_clear();
    fa_transfers_reset();
    return 0;
}

static int end(void **state)
{
    (void)state;
    fa__late_delay(20);
    fa__late_ignore_after(false);
    fa__call_hook = NULL;
    const fa__late_report *r;
    size_t count = fa__late_reports(&r);
    if (count)
        print_error("%s\n", r[0].text);
    if (fa_failed())
        print_error("left behind: %s\n", fa_error_message());
    bool good = !count && !fa_failed();
    fa_error_clear();
    fa_synchronize(FA_LATE(0));
    fa_synchronize(FA_LATE(1));
    return good && !fa_failed() ? 0 : -1;
}

static void no_reports(void)
{
    const fa__late_report *r;
    size_t count = fa__late_reports(&r);
    for (size_t i = 0; i < count && i < 32; i++)
        print_message("%s\n", r[i].text);
    assert_int_equal(count, 0);
}

/* Ones on late:0 that all queues know of. */
static fa_tensor *ones(int64_t count)
{
    fa_tensor *x = fa_to(fa_ones(FA_SHAPE(count)), FA_LATE(0));
    assert_true(fa_synchronize(FA_LATE(0)));
    return x;
}

static fa__queue *own_queue(fa_device device)
{
    return fa__device_get(device)->queue;
}

static uint64_t issued(const fa__queue *queue)
{
    return atomic_load(&queue->issued);
}

/* ---- where work goes ---- */

/* Where the last call of an operation went. */
static fa__queue *went_to;
static const char *watched;
static int calls;

static void watch(const fa__call *c, int depth)
{
    (void)depth;
    if (strcmp(c->op->name, watched) != 0)
        return;
    went_to = c->queue;
    calls++;
}

#define GOES(call, operation, queue)                                                                                   \
    do {                                                                                                               \
        watched = operation;                                                                                           \
        calls = 0;                                                                                                     \
        fa__call_hook = watch;                                                                                         \
        assert_true((call) != 0);                                                                                      \
        fa__call_hook = NULL;                                                                                          \
        assert_true(calls > 0);                                                                                        \
        assert_ptr_equal(went_to, queue);                                                                              \
    } while (0)

static void work_goes_to_the_stream_of_its_device(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0)), *c = fa_stream_new(FA_LATE(1));
    assert_true(a && b && c);
    assert_true(a->queue != b->queue && a->queue != own_queue(FA_LATE(0)) && b->queue != own_queue(FA_LATE(0)));
    assert_true(fa_device_equal(fa_stream_device(a), FA_LATE(0)));
    assert_true(fa_device_equal(fa_stream_device(c), FA_LATE(1)));
    fa_tensor *x = ones(1000), *y = fa_to(x, FA_LATE(1)), *host = fa_ones(FA_SHAPE(1000));
    GOES(fa_add(x, 1), "add", own_queue(FA_LATE(0)));
    {
        FA_USE(.stream = a);
        assert_true(fa_device_equal(fa_device_current(), FA_CPU)); /* a stream says nothing of where tensors are made */
        GOES(fa_add(x, 1), "add", a->queue);
        GOES(fa_add(y, 1), "add", own_queue(FA_LATE(1)));
        GOES(fa_add(host, 1), "add", NULL);
        GOES(fa_add_(x, 1), "add", a->queue);
        GOES(fa_zeros(FA_SHAPE(3), .device = FA_LATE(0)), "zeros", a->queue);
        GOES(fa_matmul(fa_reshape(x, FA_SHAPE(10, 100)), fa_reshape(x, FA_SHAPE(100, 10))), "matmul", a->queue);
        {
            FA_USE(.stream = b, .no_grad = true);
            GOES(fa_add(x, 1), "add", b->queue);
            FA_USE(.stream = NULL);
            GOES(fa_add(x, 1), "add", own_queue(FA_LATE(0)));
            FA_USE(.stream = c);
            GOES(fa_add(y, 1), "add", c->queue);
            GOES(fa_add(x, 1), "add", own_queue(FA_LATE(0)));
        }
        GOES(fa_add(x, 1), "add", a->queue);
        uint64_t before = issued(a->queue);
        const fa_binding p[] = {{.name = "p", .tensors = FA_TENSORS(x)}};
        assert_true(fa_update("p = p * 0", 1, p));
        assert_int_equal(issued(a->queue), before + 1);
    }
    GOES(fa_add(x, 1), "add", own_queue(FA_LATE(0)));
    assert_true(fa_item(fa_sum(x)) == 0);
}

/* Which queue a copy was issued to: the one whose tickets went on, of the three that there are. */
static void copies_go_to_the_stream_of_either_device(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    fa_tensor *host = fa_ones(FA_SHAPE(1000)), *x = ones(1000);
    fa_tensor *there = fa_zeros(FA_SHAPE(1000), .device = FA_LATE(1)), *here = fa_zeros(FA_SHAPE(1000));
    fa_synchronize(FA_LATE(1));
    fa__queue *const queue[] = {s->queue, own_queue(FA_LATE(0)), own_queue(FA_LATE(1))};
    const struct {
        fa_tensor *to, *from;
        fa_stream *stream;
        int queue;
    } rows[] = {
        {x, host, NULL, 1}, {here, x, NULL, 1}, {there, x, NULL, 2}, {x, there, NULL, 1}, {there, host, s, 2},
        {x, host, s, 0},    {here, x, s, 0},    {there, x, s, 0},    {x, there, s, 0},    {here, there, s, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t before[3];
        for (int k = 0; k < 3; k++)
            before[k] = issued(queue[k]);
        fa_transfers_reset();
        {
            FA_USE(.stream = rows[i].stream);
            assert_non_null(fa_copy_(rows[i].to, rows[i].from));
        }
        for (int k = 0; k < 3; k++)
            assert_int_equal(issued(queue[k]) - before[k], k == rows[i].queue);
        fa_transfers t = fa_transfers_total();
        assert_int_equal(t.to_device + t.to_host + t.between, 1);
        assert_int_equal(t.waits, 0);
    }
    assert_true(fa_item(fa_sum(here)) == 1000);
    {
        FA_USE(.stream = s);
        uint64_t before = issued(s->queue);
        fa_tensor *moved = fa_ones(FA_SHAPE(1000));
        assert_true(fa_move_(moved, FA_LATE(0)));
        assert_true(issued(s->queue) > before);
        assert_true(fa_item(fa_sum(moved)) == 1000);
    }
}

/* ---- order ---- */

static void a_tensor_is_ordered_between_streams(void **state)
{
    (void)state;
    fa__late_delay(-1); /* nothing is done before somebody waits */
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = ones(1000), *y, *z;
    {
        FA_USE(.stream = a);
        y = fa_mul(x, 3);
    }
    {
        FA_USE(.stream = b);
        z = fa_add(y, 1); /* read after write */
        fa_mul_(x, 5);    /* write after read */
        fa_mul_(y, 2);    /* write after write, and after the read above */
    }
    {
        FA_USE(.stream = a);
        fa_add_(z, y); /* and back */
    }
    fa_tensor *w = fa_add(fa_add(x, y), z); /* the device's own queue */
    assert_false(fa_stream_done(a));
    assert_false(fa_stream_done(b));
    assert_true(fa_item(fa_select(z, 0, 999)) == 10);
    assert_true(fa_item(fa_select(x, 0, 999)) == 5);
    assert_true(fa_item(fa_select(y, 0, 999)) == 6);
    assert_true(fa_item(fa_select(w, 0, 999)) == 21);
    no_reports();
}

static void read_after_write(fa_tensor *x, fa_stream *s, bool remove)
{
    fa_tensor *y = fa_mul(x, 2);
    fa__late_ignore_after(remove);
    FA_USE(.stream = s);
    fa_exp(y);
}

static void write_after_read(fa_tensor *x, fa_stream *s, bool remove)
{
    fa_exp(x);
    fa__late_ignore_after(remove);
    FA_USE(.stream = s);
    fa_mul_(x, 2);
}

static void write_after_write(fa_tensor *x, fa_stream *s, bool remove)
{
    fa_mul_(x, 2);
    fa__late_ignore_after(remove);
    FA_USE(.stream = s);
    fa_copy_(x, fa_ones(FA_SHAPE(1000)));
}

static void each_missing_order_between_streams_is_found(void **state)
{
    (void)state;
    static const struct {
        void (*run)(fa_tensor *, fa_stream *, bool remove);
        const char *said[2];
    } hazards[] = {
        {read_after_write, {"unordered: fa_exp (work ", "late:0) reads bytes that fa_mul (work "}},
        {write_after_read, {"unordered: fa_mul_ (work ", "late:0) writes bytes that fa_exp (work "}},
        {write_after_write, {"unordered: fa_copy_ (work ", "late:0) writes bytes that fa_mul_ (work "}},
    };
    for (size_t i = 0; i < 2 * sizeof hazards / sizeof *hazards; i++) {
        FA_SCOPE;
        bool remove = i % 2;
        fa__late_delay(-1);
        fa_stream *s = fa_stream_new(FA_LATE(0));
        hazards[i / 2].run(ones(1000), s, remove);
        fa__late_ignore_after(false);
        if (!remove) {
            no_reports();
            assert_no_error();
            continue;
        }
        const fa__late_report *report;
        assert_true(fa__late_reports(&report) >= 1);
        for (int k = 0; k < 2; k++)
            if (!strstr(report->text, hazards[i / 2].said[k]))
                fail_msg("\"%s\" is not in \"%s\"", hazards[i / 2].said[k], report->text);
        fa_error_clear();
        fa_synchronize(FA_LATE(0));
        fa__late_reports_clear();
        fa_error_clear();
    }
}

static void memory_of_one_stream_is_not_another_ones_before_its_work_is_done(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = ones(1000), *other, *again;
    const void *memory;
    {
        FA_USE(.stream = a);
        FA_SCOPE;
        fa_tensor *y = fa_mul(x, 2);
        memory = y->storage->data;
    }
    {
        FA_USE(.stream = b);
        other = fa_mul(x, 3);
        assert_ptr_not_equal(other->storage->data, memory);
    }
    {
        FA_USE(.stream = a);
        again = fa_mul(x, 4); /* the same queue has it at once */
        assert_ptr_equal(again->storage->data, memory);
    }
    assert_true(fa_item(fa_sum(other)) == 3000 && fa_item(fa_sum(again)) == 4000);
    no_reports();
    assert_true(fa_synchronize(FA_LATE(0)));
    {
        FA_SCOPE;
        FA_USE(.stream = a);
        memory = fa_mul(x, 5)->storage->data;
        assert_true(fa_stream_synchronize(a));
    }
    {
        FA_USE(.stream = b); /* done: another one may have it */
        assert_ptr_equal(fa_mul(x, 6)->storage->data, memory);
    }
    no_reports();
}

enum { TENSORS = 6, STREAMS = 4, ELEMENTS = 300 };

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

/* A program at random over tensors, streams and both devices, and the same on the CPU. */
static bool shuffle(uint32_t random, int turns, int streams)
{
    FA_SCOPE;
    fa_stream *stream[STREAMS + 1] = {NULL};
    for (int i = 1; i <= streams; i++)
        stream[i] = fa_stream_new(FA_LATE(i % 2));
    fa_tensor *late[TENSORS], *cpu[TENSORS];
    for (int i = 0; i < TENSORS; i++) {
        cpu[i] = fa_keep(fa_full(FA_SHAPE(ELEMENTS), (double)i));
        late[i] = fa_keep(fa_to(cpu[i], FA_LATE(i % 2)));
    }
    FA_REPEAT (turn, turns) {
        int i = (int)(next(&random) % TENSORS), k = (int)(next(&random) % TENSORS), what = (int)(next(&random) % 5);
        FA_USE(.stream = stream[next(&random) % (uint32_t)(streams + 1)]);
        fa_device where = fa_tensor_device(late[i]);
        fa_tensor *l = NULL, *c = NULL;
        if (what == 0) {
            l = fa_add(late[i], fa_to(late[k], where));
            c = fa_add(cpu[i], cpu[k]);
        } else if (what == 1) {
            fa_mul_(late[i], 0.5);
            fa_mul_(cpu[i], 0.5);
        } else if (what == 2 && i != k) {
            fa_copy_(late[i], late[k]);
            fa_copy_(cpu[i], cpu[k]);
        } else if (what == 3) {
            l = fa_to(late[i], FA_LATE((int)(turn % 2)));
            c = fa_clone(cpu[i]);
        } else {
            l = fa_to(fa_neg(fa_cpu(late[i])), where); /* the host waits */
            c = fa_neg(cpu[i]);
        }
        if (l) {
            fa_release(late[i]);
            fa_release(cpu[i]);
            late[i] = fa_keep(l);
            cpu[i] = fa_keep(c);
        }
    }
    bool same = !fa_failed();
    for (int i = 0; i < TENSORS; i++) {
        same &= fa_same(late[i], cpu[i]);
        fa_release(late[i]);
        fa_release(cpu[i]);
    }
    return same;
}

static void programs_at_random_give_the_values_of_the_cpu(void **state)
{
    (void)state;
    for (int64_t delay = 0; delay <= 20; delay += 20)
        for (uint32_t seed = 1; seed <= 6; seed++) {
            fa__late_delay(delay);
            assert_true(shuffle(seed * 7919, 150, STREAMS));
            no_reports();
        }
    fa__late_delay(-1);
    assert_true(shuffle(4711, 300, STREAMS));
    no_reports();
}

static void *shuffle_in_thread(void *seed)
{
    return shuffle(*(uint32_t *)seed, 150, 2) ? seed : NULL;
}

static void threads_have_streams_of_their_own(void **state)
{
    (void)state;
    uint32_t seed[4] = {1, 2, 3, 4};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, shuffle_in_thread, &seed[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *good;
        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    no_reports();
}

typedef struct shared {
    fa_stream *stream;
    fa_tensor *x;
    double sum;
} shared;

static void *use_shared(void *context)
{
    shared *s = context;
    FA_USE(.stream = s->stream);
    FA_REPEAT (i, 50)
        s->sum += fa_item(fa_sum(fa_mul(s->x, 2)));
    return NULL;
}

/* One stream, and one tensor, for several threads. */
static void a_stream_is_for_all_threads(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *stream = fa_stream_new(FA_LATE(0));
    fa_tensor *x = ones(100);
    shared s[3] = {{stream, x, 0}, {stream, x, 0}, {NULL, x, 0}};
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use_shared, &s[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        assert_true(s[i].sum == 200 * 50);
    }
    no_reports();
}

/* ---- backward and optimizers ---- */

static void backward_runs_where_forward_ran(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0)), *c = fa_stream_new(FA_LATE(1));
    fa_tensor *w = fa_full(FA_SHAPE(8, 8), 0.25, .device = FA_LATE(0), .requires_grad = true), *x, *loss;
    {
        FA_USE(.stream = a);
        x = fa_softmax(w, 1);
    }
    {
        FA_USE(.stream = c);
        x = fa_to(x, FA_LATE(1)); /* by a stream of the target */
        x = fa_matmul(x, x);
    }
    {
        FA_USE(.stream = b);
        x = fa_exp(fa_to(x, FA_LATE(0)));
    }
    loss = fa_sum(x);
    assert_true(fa_synchronize(FA_LATE(0)) && fa_synchronize(FA_LATE(1)));
    fa_stream *other = fa_stream_new(FA_LATE(0));
    {
        FA_USE(.stream = other);
        GOES(fa_backward(loss, .retain_graph = true), "sum", a->queue); /* within the backward of softmax */
        GOES(fa_backward(loss, .retain_graph = true), "matmul", c->queue);
        GOES(fa_backward(loss, .retain_graph = true), "mul", a->queue); /* its last product; b's is that of exp */
        assert_ptr_equal(fa__settings().stream, other);
        uint64_t by_a = issued(a->queue), by_b = issued(b->queue), by_c = issued(c->queue);
        uint64_t by_other = issued(other->queue);
        assert_true(fa_backward(loss, .create_graph = true));
        assert_true(issued(a->queue) > by_a && issued(b->queue) > by_b && issued(c->queue) > by_c);
        assert_true(issued(other->queue) - by_other <= 2); /* the gradient that it starts from, and its memory */
    }
    fa_tensor *g = fa_grad(w), *v = fa_full(FA_SHAPE(8, 8), 0.25, .requires_grad = true);
    assert_true(fa_device_equal(fa_tensor_device(g), FA_LATE(0)));
    fa_tensor *y = fa_softmax(v, 1);
    assert_true(fa_backward(fa_sum(fa_exp(fa_matmul(y, y)))));
    assert_true(fa_same(g, fa_mul(fa_grad(v), 4)));
    fa_set_grad(w, NULL); /* a cycle, by create_graph */
    no_reports();
}

/* The way back of a copy to the host, or from it, is the stream's that it took. */
static void gradients_of_copies_go_back_by_the_same_stream(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    for (int i = 0; i < 3; i++) {
        const fa_device from = i == 0 ? FA_LATE(0) : i == 1 ? FA_CPU : FA_LATE(0);
        const fa_device to = i == 0 ? FA_CPU : i == 1 ? FA_LATE(0) : FA_LATE(1);
        fa_tensor *w = fa_ones(FA_SHAPE(100), .device = from, .requires_grad = true), *y;
        {
            FA_USE(.stream = s);
            y = fa_to(w, to);
        }
        fa_tensor *loss = fa_sum(y);
        uint64_t before = issued(s->queue);
        assert_true(fa_backward(loss));
        assert_true(issued(s->queue) > before);
        assert_true(fa_item(fa_sum(fa_grad(w))) == 100);
    }
}

static fa_tensor *forward_on_a_stream(fa_tensor *w)
{
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    FA_USE(.stream = s);
    return fa_escape(fa_sum(fa_mul(w, w)));
}

static void backward_does_without_the_stream_itself(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_full(FA_SHAPE(100), 3, .device = FA_LATE(0), .dtype = FA_F32, .requires_grad = true);
    fa_tensor *loss = forward_on_a_stream(w);
    assert_true(fa_backward(loss));
    assert_true(fa_item(fa_sum(fa_grad(w))) == 600);
    no_reports();
}

static double trained(fa_device device, fa_stream *forward, fa_stream *step)
{
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_mul(fa_arange(0, 40), 0.01), device);
    fa_tensor *w = fa_to(fa_reshape(fa_mul(fa_arange(0, 20), 0.1), FA_SHAPE(10, 2)), device);
    x = fa_reshape(x, FA_SHAPE(4, 10));
    fa_set_requires_grad(w, true);
    fa_optim *optim = fa_optim_adam(fa_params(w), .lr = 0.1);
    FA_REPEAT (i, 10) {
        fa_optim_zero_grad(optim);
        fa_tensor *loss;
        {
            FA_USE(.stream = forward);
            loss = fa_mean(fa_pow(fa_matmul(x, w), 2));
        }
        fa_backward(loss);
        FA_USE(.stream = step);
        uint64_t before = step ? issued(step->queue) : 0;
        fa_optim_step(optim);
        assert_true(!step || issued(step->queue) > before);
    }
    return fa_item(fa_sum(w));
}

static void training_over_streams_has_the_same_bits(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0)), *c = fa_stream_new(FA_CPU);
    double cpu = trained(FA_CPU, NULL, NULL);
    assert_true(cpu == trained(FA_CPU, a, NULL) && isfinite(cpu));
    assert_true(cpu == trained(FA_LATE(0), NULL, NULL));
    assert_true(cpu == trained(FA_LATE(0), a, b));
    assert_true(cpu == trained(FA_LATE(1), a, NULL));
    assert_true(cpu == trained(FA_LATE(0), c, b));
    no_reports();
}

/* ---- waiting ---- */

static void waits_for_a_stream_are_counted_and_can_be_forbidden(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = ones(1000);
    assert_true(fa_stream_done(a) && fa_stream_done(b));
    for (int i = 0; i < 2; i++) {
        FA_USE(.stream = i ? b : a);
        fa_add(x, 1);
    }
    assert_false(fa_stream_done(a) || fa_stream_done(b));
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_stream_synchronize(a));
        assert_error(FA_ERROR_SYNC, "fa_stream_synchronize: the host would wait for late:0", "FA_SYNC");
        assert_false(fa_stream_done(a));
    }
    assert_int_equal(fa_transfers_total().waits, 0);
    assert_true(fa_stream_synchronize(a));
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(fa_stream_done(a));
    assert_false(fa_stream_done(b)); /* nobody waited for it */
    {
        FA_USE(.forbid = FA_SYNC);
        assert_true(fa_stream_synchronize(a)); /* nothing to wait for */
    }
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(fa_synchronize(FA_LATE(0))); /* all queues */
    assert_true(fa_stream_done(b));
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fa_transfers_report(file);
    fclose(file);
    assert_non_null(strstr(text, "fa_stream_synchronize"));
    free(text);
}

static fa_tensor *wrong_index(void)
{
    fa_tensor *index = fa_to(fa_tensor_of(0, 7), FA_LATE(0));
    return fa_index_select(fa_to(fa_ones(FA_SHAPE(4)), FA_LATE(0)), 0, index);
}

static void what_goes_wrong_on_a_stream_comes_up_when_it_is_waited_for(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    {
        FA_USE(.stream = s);
        wrong_index();
    }
    assert_no_error();
    assert_false(fa_stream_synchronize(s));
    assert_error(FA_ERROR_INDEX, "fa_index_select(", "index 7 is out of range");
    assert_true(fa_stream_synchronize(s));
    fa_event *e = fa_event_new();
    {
        FA_USE(.stream = s);
        wrong_index();
        assert_true(fa_event_record(e, NULL));
    }
    assert_false(fa_event_synchronize(e));
    assert_error(FA_ERROR_INDEX, "index 7 is out of range");
    /* another stream's work that depends on it fails too */
    fa_tensor *bad;
    {
        FA_USE(.stream = s);
        bad = wrong_index();
    }
    assert_true(isnan(fa_item(fa_sum(bad))));
    assert_error(FA_ERROR_INDEX, "index 7 is out of range");
    fa_stream_synchronize(s);
    fa_synchronize(FA_LATE(0));
    fa_error_clear();
}

/* ---- lives ---- */

static void a_freed_stream_leaves_its_queue_to_the_next(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_tensor *x = ones(1000), *y;
    fa__queue *queue;
    {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(FA_LATE(0));
        queue = s->queue;
        FA_USE(.stream = s);
        y = fa_escape(fa_mul(x, 2));
    }
    fa_transfers t = fa_transfers_total();
    fa_stream *other = fa_stream_new(FA_LATE(0)); /* the work is not done: it has a queue of its own */
    assert_ptr_not_equal(other->queue, queue);
    assert_int_equal(fa_transfers_total().waits, t.waits); /* the host did not wait */
    assert_true(fa_item(fa_sum(y)) == 2000);
    bool found = false;
    fa_stream *more[8] = {NULL};
    for (int i = 0; i < 8 && !found; i++) {
        more[i] = fa_stream_new(FA_LATE(0));
        found = more[i] && more[i]->queue == queue;
    }
    assert_true(found);
    no_reports();
}

static void kept_streams_live_on(void **state)
{
    (void)state;
    fa_stream *s;
    {
        FA_SCOPE;
        s = fa_keep(fa_stream_new(FA_LATE(0)));
    }
    {
        FA_SCOPE;
        FA_USE(.stream = s);
        assert_true(fa_item(fa_sum(fa_add(ones(10), 1))) == 20);
    }
    assert_true(fa_stream_synchronize(s));
    fa_release(s);
}

/* More streams than the device has queues: as many as it has, then an error; freed ones make room, at once. */
static void streams_are_as_many_as_queues(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_tensor *x = ones(100);
    int most = 0;
    for (int turn = 0; turn < 3; turn++) {
        FA_SCOPE;
        int count = 0;
        for (fa_stream *s; (s = fa_stream_new(FA_LATE(0))); count++) {
            FA_USE(.stream = s);
            assert_non_null(fa_add(x, 1));
            assert_true(count < FA__LATE_QUEUES);
        }
        assert_error(FA_ERROR_DEVICE, "fa_stream_new: late:0 has no more than");
        most = turn ? most : count;
        assert_true(count >= 4 && count == most);
    }
    no_reports();
}

static void what_went_wrong_on_a_freed_stream_is_told_before_its_queue_is_used_again(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_synchronize(FA_LATE(0));
    fa__queue *queue;
    {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(FA_LATE(0));
        queue = s->queue;
        FA_USE(.stream = s);
        wrong_index();
    }
    for (int64_t i = 0; atomic_load(&queue->done) < issued(queue) && i < 20000; i++)
        usleep(1000);
    bool told = false, used = false;
    for (int i = 0; i < FA__LATE_QUEUES && !used; i++) {
        fa_stream *s = fa_stream_new(FA_LATE(0));
        used = s && s->queue == queue;
        if (!s) {
            assert_error(FA_ERROR_INDEX, "fa_stream_new: fa_index_select(", "index 7 is out of range");
            assert_false(told);
            told = true;
        }
    }
    assert_true(told && used);
}

/* ---- events ---- */

static void events_mark_a_moment(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    fa_tensor *x = ones(1000);
    fa_event *first = fa_event_new(), *second = fa_event_new(), *third = fa_event_new();
    assert_true(fa_event_record(first, s));
    {
        FA_USE(.stream = s);
        fa_add(x, 1);
        assert_true(fa_event_record(second, NULL)); /* of the stream in force */
    }
    assert_false(fa_event_done(first) || fa_event_done(second));
    assert_true(isnan(fa_event_ms(first, second)));
    assert_error(FA_ERROR_STATE, "has not come yet on late:0");
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_event_synchronize(second));
        assert_error(FA_ERROR_SYNC, "fa_event_synchronize: the host would wait for late:0");
    }
    assert_true(fa_event_synchronize(second));
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(fa_event_done(first) && fa_event_done(second));
    assert_true(fa_event_synchronize(first));
    assert_int_equal(fa_transfers_total().waits, 1); /* it had come */
    fa__late_delay(20000);                           /* from here the queue rests for 20 ms before each piece of work */
    assert_true(fa_event_record(third, s));
    for (int64_t i = 0; !fa_event_done(third) && i < 20000; i++)
        usleep(1000);
    assert_true(fa_event_ms(first, second) >= 0);
    double ms = fa_event_ms(second, third);
    assert_true(ms >= 19.9 && ms < 20000);
    assert_true(fa_event_ms(third, second) == -ms);
    assert_true(fabs(fa_event_ms(first, third) - fa_event_ms(first, second) - ms) < 1e-9 * (1 + ms));
    assert_true(fa_event_record(first, s)); /* another moment */
    assert_true(fa_event_synchronize(first));
    assert_true(fa_event_ms(third, first) >= 0);
}

static void a_stream_waits_for_an_event(void **state)
{
    (void)state;
    fa__late_delay(-1);
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(i));
        fa_tensor *x = ones(1000);
        fa_event *e = fa_event_new(), *behind = fa_event_new();
        {
            FA_USE(.stream = a);
            fa_add(x, 1);
        }
        assert_true(fa_event_record(e, a));
        {
            FA_USE(.forbid = FA_SYNC | FA_TRANSFER); /* queues follow each other, the host goes on */
            if (i == 0)
                assert_true(fa_event_wait(e, b));
            FA_USE(.stream = b);
            if (i == 1)
                assert_true(fa_event_wait(e, NULL));
            assert_true(fa_event_wait(e, a)); /* its own work comes behind it anyway */
        }
        assert_true(fa_event_record(behind, b));
        assert_false(fa_event_done(e) || fa_event_done(behind));
        assert_true(fa_event_synchronize(behind)); /* nobody waits for a, but b */
        assert_true(fa_event_done(e));
    }
    no_reports();
}

static void events_order_for_the_checker_too(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = ones(1000);
    fa_event *e = fa_event_new();
    {
        FA_USE(.stream = a);
        fa_add_(x, 1);
    }
    assert_true(fa_event_record(e, a) && fa_event_wait(e, b));
    fa__late_ignore_after(true); /* the tensor's own order is gone: the event's is enough */
    {
        FA_USE(.stream = b);
        fa_add_(x, 1);
    }
    fa__late_ignore_after(false);
    no_reports();
    assert_true(fa_item(fa_sum(x)) == 3000);
}

static void an_event_may_go_before_its_moment(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    {
        FA_SCOPE;
        FA_USE(.stream = s);
        fa_event *e = fa_event_new();
        assert_true(fa_event_record(e, s));
        assert_true(fa_event_record(e, s));
    }
    assert_true(fa_stream_synchronize(s));
}

static void the_cpu_and_meta_are_done_at_once(void **state)
{
    (void)state;
    const fa_device devices[] = {FA_CPU, FA_META};
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(devices[i]);
        assert_non_null(s);
        assert_true(fa_device_equal(fa_stream_device(s), devices[i]));
        FA_USE(.stream = s, .device = devices[i]);
        fa_tensor *x = fa_add(fa_ones(FA_SHAPE(10)), 1);
        assert_true(fa_device_equal(fa_tensor_device(x), devices[i]));
        assert_true(fa_stream_done(s) && fa_stream_synchronize(s));
        fa_event *from = fa_event_new(), *to = fa_event_new();
        assert_true(fa_event_record(from, s));
        usleep(2000);
        assert_true(fa_event_record(to, s) && fa_event_wait(from, s) && fa_event_synchronize(to) && fa_event_done(to));
        assert_true(fa_event_ms(from, to) >= 2 && fa_event_ms(from, to) < 10000);
    }
    assert_int_equal(fa_transfers_total().waits, 0);
    /* later work of the CPU behind an event of a device: the host waits for it, unless that is forbidden */
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0)), *cpu = fa_stream_new(FA_CPU), *meta = fa_stream_new(FA_META);
    fa_event *e = fa_event_new(), *here = fa_event_new();
    assert_true(fa_event_record(e, s) && fa_event_record(here, cpu));
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_event_wait(e, cpu));
        assert_error(FA_ERROR_SYNC, "fa_event_wait: the host would wait for late:0");
        assert_true(fa_event_wait(e, meta)); /* it never does anything */
        assert_true(fa_event_wait(here, s)); /* it has come */
    }
    assert_true(fa_event_wait(e, cpu));
    assert_true(fa_event_done(e));
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(isnan(fa_event_ms(e, here)));
    assert_error(FA_ERROR_DEVICE, "fa_event_ms: one event is of late:0, the other one of cpu");
}

/* ---- errors ---- */

static void what_is_no_stream_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2));
    fa_stream *good = fa_stream_new(FA_LATE(0)), *dead;
    {
        FA_SCOPE;
        dead = fa_stream_new(FA_LATE(1));
    }
    FA_USE(.stream = good);
    {
        FA_USE(.stream = dead, .no_grad = true);
        assert_error(FA_ERROR_STATE, "FA_USE: .stream was freed when its scope ended (", "streams.c:");
        assert_ptr_equal(fa__settings().stream, good); /* as they were */
        assert_false(fa__settings().no_grad);
    }
    {
        FA_USE(.stream = (fa_stream *)(void *)x);
        assert_error(FA_ERROR_ARGUMENT, "FA_USE: .stream is a tensor, not a stream");
        FA_USE(.stream = (fa_stream *)(void *)fa_event_new());
        assert_error(FA_ERROR_ARGUMENT, "FA_USE: .stream is a event, not a stream");
        assert_ptr_equal(fa__settings().stream, good);
    }
    assert_false(fa_stream_synchronize(dead));
    assert_error(FA_ERROR_STATE, "fa_stream_synchronize: the stream was freed");
    assert_false(fa_stream_done(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_stream_done: the stream is NULL");
    assert_int_equal(fa_stream_device((fa_stream *)(void *)x).kind, 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_stream_device: it is a tensor, not a stream");
    assert_null(fa_stream_new(FA_CUDA(0)));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_stream_new: cuda: this build has no CUDA backend; there are: cpu");
    assert_null(fa_stream_new(FA_LATE(9)));
    assert_error(FA_ERROR_DEVICE, "fa_stream_new: late:9: there is no device of that number");

    fa_event *e = fa_event_new(), *none = NULL;
    assert_false(fa_event_done(e));
    assert_error(FA_ERROR_STATE, "fa_event_done: the event marks nothing yet");
    assert_false(fa_event_wait(e, good));
    assert_error(FA_ERROR_STATE, "fa_event_wait: the event marks nothing yet");
    assert_false(fa_event_synchronize(e));
    assert_error(FA_ERROR_STATE, "fa_event_synchronize: the event marks nothing yet");
    assert_true(isnan(fa_event_ms(e, e)));
    assert_error(FA_ERROR_STATE, "fa_event_ms: the event marks nothing yet");
    assert_false(fa_event_record(none, good));
    assert_error(FA_ERROR_ARGUMENT, "fa_event_record: the event is NULL");
    assert_false(fa_event_record((fa_event *)(void *)good, good));
    assert_error(FA_ERROR_ARGUMENT, "fa_event_record: it is a stream, not an event");
    assert_false(fa_event_record(e, dead));
    assert_error(FA_ERROR_STATE, "fa_event_record: the stream was freed");
    assert_false(fa_event_done(e)); /* still nothing */
    assert_error(FA_ERROR_STATE, "marks nothing yet");
    assert_true(fa_event_record(e, good));
    assert_false(fa_event_wait(e, dead));
    assert_error(FA_ERROR_STATE, "fa_event_wait: the stream was freed");
    assert_true(fa_event_synchronize(e));
}

/* Settings that name a stream go on when it was freed meanwhile: those inside must not fail because of it. */
static void a_stream_that_is_freed_while_in_force(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = ones(100);
    fa_stream *s = fa_keep(fa_stream_new(FA_LATE(0)));
    fa__disown(s);
    fa_release(s);
    FA_USE(.stream = s);
    fa_release(s);
    {
        FA_USE(.no_grad = true);
        assert_no_error();
        assert_true(fa__settings().no_grad);
        assert_true(fa_item(fa_sum(fa_add(x, 1))) == 200);
    }
}

/* Without memory at each place: an error, and no half of a stream. */
static void allocations_fail_one_after_another(void **state)
{
    (void)state;
    for (int64_t n = 1, done = 0; !done && n < 100; n++) {
        FA_SCOPE;
        fa__inject(n);
        fa_stream *s = fa_stream_new(FA_LATE(0));
        fa_event *e = s ? fa_event_new() : NULL;
        bool recorded = e && fa_event_record(e, s);
        fa__inject(0);
        done = recorded && !fa_failed();
        if (!done)
            assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(!recorded || fa_event_synchronize(e));
    }
}

static void quiet(void *context, fa_log_level level, const char *message)
{
    (void)context, (void)level, (void)message;
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_goes_to_the_stream_of_its_device),
        TEST(copies_go_to_the_stream_of_either_device),
        TEST(a_tensor_is_ordered_between_streams),
        TEST(each_missing_order_between_streams_is_found),
        TEST(memory_of_one_stream_is_not_another_ones_before_its_work_is_done),
        TEST(programs_at_random_give_the_values_of_the_cpu),
        TEST(threads_have_streams_of_their_own),
        TEST(a_stream_is_for_all_threads),
        TEST(backward_runs_where_forward_ran),
        TEST(gradients_of_copies_go_back_by_the_same_stream),
        TEST(backward_does_without_the_stream_itself),
        TEST(training_over_streams_has_the_same_bits),
        TEST(waits_for_a_stream_are_counted_and_can_be_forbidden),
        TEST(what_goes_wrong_on_a_stream_comes_up_when_it_is_waited_for),
        TEST(a_freed_stream_leaves_its_queue_to_the_next),
        TEST(kept_streams_live_on),
        TEST(streams_are_as_many_as_queues),
        TEST(what_went_wrong_on_a_freed_stream_is_told_before_its_queue_is_used_again),
        TEST(events_mark_a_moment),
        TEST(a_stream_waits_for_an_event),
        TEST(events_order_for_the_checker_too),
        TEST(an_event_may_go_before_its_moment),
        TEST(the_cpu_and_meta_are_done_at_once),
        TEST(what_is_no_stream_is_refused),
        TEST(a_stream_that_is_freed_while_in_force),
        TEST(allocations_fail_one_after_another),
    };
    fa_set_log(quiet, NULL);
    return RUN("streams");
}
