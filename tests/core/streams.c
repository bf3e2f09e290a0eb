/* Streams: where the work of calls, of copies and of backward goes. */
#include "backend/device.h"
#include "core/stream.h"
#include "dispatch/call.h"
#include "support/api_test.h"
#include "support/late.h"
#include <facula/device.h>
#include <facula/nn.h>
#include <facula/optim.h>
#include <math.h>

static fa__queue *own_queue(fa_device device)
{
    return fa__device_get(device)->queue;
}

static uint64_t issued(const fa__queue *queue)
{
    return atomic_load(&queue->issued);
}

/* Where the last call of an operation went. */
static fa__queue *went_to;
static const char *watched;
static int calls;

static void watch(const fa__call *c, int depth)
{
    (void)depth;
    if (strcmp(c->op->name, watched) != 0)
        return;
    went_to = c->plan.queue;
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
    fa_tensor *x = late_ones(1000), *y = fa_to(x, FA_LATE(1)), *host = fa_ones(FA_SHAPE(1000));
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
    fa_tensor *host = fa_ones(FA_SHAPE(1000)), *x = late_ones(1000);
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
        GOES(fa_backward(loss, .retain_graph = true), "sum_of_products", a->queue); /* within the backward of softmax */
        GOES(fa_backward(loss, .retain_graph = true), "matmul", c->queue);
        GOES(fa_backward(loss, .retain_graph = true), "pointwise", a->queue); /* of softmax, behind that of exp on b */
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
    assert_true(same_tensors(g, fa_mul(fa_grad(v), 4)));
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

static int end(void **state)
{
    fa__call_hook = NULL; /* a test that failed left it there */
    return late_end(state);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, late_begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_goes_to_the_stream_of_its_device),   TEST(copies_go_to_the_stream_of_either_device),
        TEST(backward_runs_where_forward_ran),         TEST(gradients_of_copies_go_back_by_the_same_stream),
        TEST(backward_does_without_the_stream_itself), TEST(training_over_streams_has_the_same_bits),
    };
    fa_set_log(quiet_log, NULL);
    return RUN("streams");
}
