/* Each allocation of a training step, and of calls of every kind, fails once: no leak, no crash, and weights that are
 * as they were when the step says that it failed. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "core/order.h"
#include "support/api_test.h"
#include <pthread.h>

enum { IN = 20, OUT = 7, ROWS = 5 };

typedef struct model {
    fa_tensor *w, *b, *m, *x, *target;
} model;

static model make(fa_device where)
{
    float numbers[IN * OUT], input[ROWS * IN];
    int64_t target[ROWS];
    for (int i = 0; i < IN * OUT; i++)
        numbers[i] = (float)(i % 11) / 16 - 0.25F;
    for (int i = 0; i < ROWS * IN; i++)
        input[i] = (float)(i % 7) / 8;
    for (int i = 0; i < ROWS; i++)
        target[i] = i % OUT;
    return (model){
        .w = fa_tensor_from(numbers, FA_SHAPE(OUT, IN), .device = where, .requires_grad = true),
        .b = fa_tensor_from(numbers, FA_SHAPE(OUT), .device = where, .requires_grad = true),
        .m = fa_tensor_from(numbers, FA_SHAPE(OUT, IN), .device = where),
        .x = fa_tensor_from(input, FA_SHAPE(ROWS, IN), .device = where),
        .target = fa_tensor_from(target, FA_SHAPE(ROWS), .dtype = FA_I64, .device = where),
    };
}

/* One step; the text of the program decides whether it is already known. False when it failed. */
static bool step(const model *m, const char *program)
{
    FA_SCOPE;
    fa_set_grad(m->w, NULL);
    fa_set_grad(m->b, NULL);
    fa_tensor *loss = fa_cross_entropy(fa_linear(m->x, m->w, .bias = m->b), m->target);
    fa_backward(loss);
    const fa_binding bindings[] = {
        {.name = "p", .tensors = FA_TENSORS(m->w, m->b)},
        {.name = "g", .tensors = FA_TENSORS(fa_grad(m->w), fa_grad(m->b))},
        {.name = "lr", .number = fa__arg_f(0.1)},
    };
    return fa_update(program, 3, bindings);
}

typedef struct weights {
    float w[OUT * IN], b[OUT];
} weights;

static weights read_weights(const model *m)
{
    weights v;
    memset(&v, 0, sizeof v);
    assert_true(fa_read(m->w, v.w, FA_F32, OUT * IN));
    assert_true(fa_read(m->b, v.b, FA_F32, OUT));
    return v;
}

static void settle(fa_device where)
{
    fa_synchronize(where);
    fa__order_reap(true);
    fa_set_grad(NULL, NULL);
    fa_error_clear();
}

/* Fails each allocation of a step in turn until one goes through. What was cached (programs, pools) makes room again
 * between turns. */
static int fail_each(fa_device where, const char *name, bool fresh)
{
    model m = make(where);
    assert_no_error();
    char program[64];
    snprintf(program, sizeof program, "p = p - lr * g * %s", name);
    if (!fresh)
        assert_true(step(&m, program));
    weights before = read_weights(&m);
    int failed = 0;
    for (int64_t nth = 1; nth < 5000; nth++) {
        if (fresh)
            snprintf(program, sizeof program, "p = p - lr * g * %s%d", name, (int)nth);
        fa_empty_cache(FA_CPU);
        fa_empty_cache(where);
        fa__inject(nth);
        bool good = step(&m, program);
        bool reached = fa__inject_count() >= nth;
        fa__inject(0);
        if (good) {
            assert_no_error();
            weights after = read_weights(&m);
            assert_true(memcmp(&after, &before, sizeof after) != 0);
            if (!reached)
                break;
            before = after; /* it went without that memory, as a cache may */
            continue;
        }
        failed++;
        if (fa_error_code() != FA_ERROR_MEMORY)
            print_error("%s, allocation %d: %s\n", fa_device_name(where), (int)nth, fa_error_message());
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        weights after = read_weights(&m);
        if (memcmp(&after, &before, sizeof after) != 0)
            print_error("%s: a step that failed at allocation %d has changed the weights\n", fa_device_name(where),
                        (int)nth);
        assert_memory_equal(&after, &before, sizeof after);
    }
    return failed;
}

static void each_allocation_of_a_step_may_fail(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0)};
    for (int p = 0; p < 2; p++)
        for (int fresh = 0; fresh < 2; fresh++) {
            fa_memory before, after;
            settle(places[p]);
            before = fa_memory_stats(places[p]);
            {
                FA_SCOPE;
                int failed = fail_each(places[p], p ? "1.5" : "1.25", fresh);
                print_message("%s: %d failures\n", fa_device_name(places[p]), failed);
                assert_true(failed > 10);
            }
            settle(places[p]);
            after = fa_memory_stats(places[p]);
            assert_int_equal(after.blocks.current, before.blocks.current);
            assert_int_equal(after.allocated, before.allocated);
        }
}

/* ---- one call each, failing at each of its allocations, in a thread that has not used the library before ---- */

static float numbers[1000];
static int freed;

static void count_freed(void *context, void *data)
{
    (void)context, (void)data;
    freed++;
}

static bool call_from(void)
{
    return fa_tensor_from(numbers, FA_SHAPE(1000)) != NULL;
}
static bool call_from_late(void)
{
    return fa_tensor_from(numbers, FA_SHAPE(1000), .device = DEVICE(1), .requires_grad = true) != NULL;
}
static bool call_of(void)
{
    return fa_tensor_of(1.0, 2.0) != NULL;
}
static bool call_borrow(void)
{
    freed = 0;
    bool good;
    {
        FA_SCOPE;
        good = fa_tensor_borrow(numbers, FA_SHAPE(10), .free = count_freed) != NULL;
    }
    if (freed != good)
        fa_fail(FA_ERROR_INTERNAL, "free was called %d times", freed);
    return good;
}
static bool call_read(void)
{
    double to[4];
    fa_tensor *t = fa_get(fa_tensor_of(1.0, 2.0, 3.0, 4.0), "::-1");
    return fa_read(t, to, FA_F64, 4) && to[0] == 4;
}
static bool call_item(void)
{
    return fa_item_int(fa_to(fa_tensor_of(7), DEVICE(0))) == 7;
}
static bool call_set(void)
{
    fa_tensor *t = fa_zeros(FA_SHAPE(4, 4));
    return fa_set(t, "1, ::2", 3) && fa_item(fa_sum(t)) == 6;
}
static bool call_text(void)
{
    char *text = fa_text(fa_rand(FA_SHAPE(20, 100)));
    bool good = text != NULL;
    fa_free_text(text);
    return good;
}
static bool call_scopes(void)
{
    int turns = 0;
    FA_REPEAT (i, 3) {
        FA_SCOPE;
        FA_USE(.no_grad = true);
        for (int k = 0; k < 100; k++)
            fa_tensor_of(1);
        turns++;
    }
    return turns == 3 && !fa_failed();
}
static int nested(int depth)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    FA_REPEAT (i, 1)
        if (depth)
            nested(depth - 1);
    return 0;
}
static bool call_nested(void)
{
    nested(50);
    return !fa_failed();
}
static bool call_generator(void)
{
    fa_generator_use(fa_generator_new(3));
    fa_tensor *t = fa_randn(FA_SHAPE(5));
    fa_generator_use(NULL);
    return t != NULL && !fa_failed();
}
static bool call_composed(void)
{
    fa_tensor *x = fa_rand(FA_SHAPE(4, 10), .requires_grad = true);
    fa_tensor *loss = fa_mse_loss(fa_softmax(x, 1), fa_zeros_like(x));
    return loss && fa_backward(loss) && fa_grad(x);
}
static bool call_second_order(void)
{
    fa_tensor *x = fa_tensor_of(1.0, 2.0, 3.0);
    fa_set_requires_grad(x, true);
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_pow(x, 3))), FA_TENSORS(x), .create_graph = true);
    return g.count == 1 && fa_backward(fa_sum(g.item[0])) && fa_item(fa_select(fa_grad(x), 0, 2)) == 18;
}
static bool call_move(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(300), .requires_grad = true);
    if (!x || !fa_backward(fa_sum(x)))
        return false;
    bool moved = fa_move_(x, DEVICE(0));
    if (x && fa_grad(x) && !fa_device_equal(fa_tensor_device(x), fa_tensor_device(fa_grad(x)))) {
        fa_error_clear();
        fa_fail(FA_ERROR_INTERNAL, "the gradient is not where the tensor is");
    }
    if (!moved && x && fa_tensor_device(x).kind != FA__CPU) {
        fa_error_clear();
        fa_fail(FA_ERROR_INTERNAL, "fa_move_ failed and has moved");
    }
    return moved;
}
static bool call_inplace(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(300)), *y = fa_mul(x, 2);
    bool good = fa_add_(x, fa_get(y, "::-1")) && fa_mul(x, 2, .out = y);
    return good && fa_item(fa_sum(y)) == 1800;
}
static bool call_pointwise(void)
{
    static int turn;
    char text[80];
    snprintf(text, sizeof text, "x * sigmoid(%d.5 * y)", turn++);
    return fa_pointwise(text, fa_ones(FA_SHAPE(3)), 2) != NULL;
}
static bool call_cat(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(2, 3), .requires_grad = true);
    return fa_backward(fa_sum(fa_cat(FA_TENSORS(x, x, x), .dim = 1)));
}

/* More parts than an operation with named results can have, and only some of their gradients. */
static bool call_parts(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(10, 3), .requires_grad = true);
    fa_tensors part = fa_unbind(x);
    return part.count == 10 && fa_backward(fa_add(fa_sum(part.item[9]), fa_sum(fa_mul(part.item[2], part.item[2]))));
}
static bool call_grid(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(3), .requires_grad = true);
    fa_tensors grid = fa_meshgrid(FA_TENSORS(x, x), .indexing = "xy");
    return grid.count == 2 && fa_backward(fa_sum(fa_mul(grid.item[0], grid.item[1])));
}
static bool call_pad(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(2, 3), .requires_grad = true);
    return fa_backward(fa_sum(fa_pad(fa_roll(x, FA_SHAPE(1)), FA_LIST(2, 1), .mode = "reflect")));
}
static bool call_interleave(void)
{
    return fa_repeat_interleave(fa_ones(FA_SHAPE(3)), fa_tensor_of(1, 0, 2)) != NULL;
}
static bool call_parse(void)
{
    return fa_tensor_parse("[[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9.5]]") != NULL;
}

/* Of what is fetched by tensors and masks, and placed. */
static bool index_on(fa_device device)
{
    fa_tensor *x = fa_ones(FA_SHAPE(4, 3), .requires_grad = true, .device = device);
    fa_tensor *mask = fa_gt(x, 0), *y = fa_mul(x, 2);
    fa_tensor *rows = fa_zeros(FA_SHAPE(2), .dtype = FA_I64, .device = device);
    if (!fa_index_put_(y, FA_INDEX("::2", rows), fa_index(x, rows, "1:")))
        return false;
    fa_tensor *z = fa_scatter_reduce(y, 0, fa_zeros(FA_SHAPE(2, 3), .dtype = FA_I64, .device = device), x, "prod",
                                     .include_self = false);
    return fa_backward(fa_add(fa_sum(z), fa_sum(fa_index(y, mask)))) && fa_nonzero(x) && fa_nonzero_tuple(x).count == 2
           && fa_masked_scatter(x, mask, y) && fa_take(x, rows) && !fa_failed();
}
static bool call_index(void)
{
    return index_on(FA_CPU);
}
static bool call_index_late(void)
{
    return index_on(DEVICE(0));
}

static const struct call {
    const char *name;
    bool (*run)(void);
} calls[] = {
    {"tensor_from", call_from},
    {"tensor_from late", call_from_late},
    {"tensor_of", call_of},
    {"tensor_borrow", call_borrow},
    {"read", call_read},
    {"item", call_item},
    {"set", call_set},
    {"text", call_text},
    {"scopes", call_scopes},
    {"nested scopes", call_nested},
    {"generator", call_generator},
    {"composed", call_composed},
    {"second order", call_second_order},
    {"move_", call_move},
    {"in place", call_inplace},
    {"pointwise", call_pointwise},
    {"cat", call_cat},
    {"parts", call_parts},
    {"grid", call_grid},
    {"pad", call_pad},
    {"interleave", call_interleave},
    {"index", call_index},
    {"index late", call_index_late},
    {"parse", call_parse},
};

static void *fail_in_thread(void *argument)
{
    const struct call *call = argument;
    const char *wrong = NULL;
    int64_t nth = 1;
    for (; nth < 3000; nth++) {
        FA_SCOPE;
        fa__inject(nth);
        bool good = call->run();
        bool reached = fa__inject_count() >= nth;
        fa__inject(0);
        if (good && fa_failed())
            wrong = "it succeeded, and an error stands";
        else if (!good && fa_error_code() != FA_ERROR_MEMORY)
            wrong = "it failed for another reason";
        if (wrong || (good && !reached))
            break;
        fa_error_clear();
    }
    if (wrong)
        print_error("%s, allocation %d: %s: %s: %s\n", call->name, (int)nth, wrong, fa_code_name(fa_error_code()),
                    fa_error_message());
    fa_error_clear();
    return wrong || nth == 3000 ? argument : NULL;
}

static void moving_says_what_failed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(300), .requires_grad = true);
    assert_true(fa_backward(fa_sum(x)));
    bool moved = false;
    for (int64_t nth = 1; !moved; nth++) {
        fa__inject(nth);
        moved = fa_move_(x, DEVICE(0));
        fa__inject(0);
        assert_true(!moved || nth > 3);
        if (!moved)
            assert_memory_equal(error_reason(), "fa_move_", 8);
        fa_error_clear();
    }
    assert_true(fa_device_equal(fa_tensor_device(x), DEVICE(0)));
}

static void each_allocation_of_a_call_may_fail(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        pthread_t thread;
        void *result;
        struct call call = calls[i];
        fa_memory before = fa_memory_stats(FA_CPU);
        assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &call), 0);
        pthread_join(thread, &result);
        failed += result != NULL;
        settle(DEVICE(0));
        settle(DEVICE(1));
        if (fa_memory_stats(FA_CPU).blocks.current != before.blocks.current) {
            print_error("%s: %zu blocks are left\n", calls[i].name,
                        fa_memory_stats(FA_CPU).blocks.current - before.blocks.current);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

/* The very first call of a thread, whose context there is no memory for. */
static void *first_call(void *argument)
{
    fa__inject(*(int64_t *)argument);
    bool good = call_of() && call_from() && call_set();
    fa__inject(0);
    bool clean = good ? !fa_failed() : fa_error_code() == FA_ERROR_MEMORY;
    if (!clean)
        print_error("allocation %d: %d, %s\n", (int)*(int64_t *)argument, good, fa_error_message());
    fa_error_clear();
    bool again = call_of() && call_set();
    if (!again)
        print_error("after allocation %d: %s\n", (int)*(int64_t *)argument, fa_error_message());
    return clean && again ? NULL : argument;
}

static void the_first_call_of_a_thread_may_fail(void **state)
{
    (void)state;
    for (int64_t nth = 1; nth < 40; nth++) {
        pthread_t thread;
        void *result;
        int64_t n = nth;
        assert_int_equal(pthread_create(&thread, NULL, first_call, &n), 0);
        pthread_join(thread, &result);
        assert_null(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_allocation_of_a_step_may_fail),
        TEST(moving_says_what_failed),
        TEST(each_allocation_of_a_call_may_fail),
        TEST(the_first_call_of_a_thread_may_fail),
    };
    return RUN("api_memory_failures");
}
