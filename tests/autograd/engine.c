/* The engine: shapes of graphs, accumulation, keeping the graph, and what each refuses. */
#include "support/autograd_test.h"
#include <facula/host.h>
#include <pthread.h>

/* ---- graphs ---- */

#ifdef __SANITIZE_THREAD__
enum { LINKS = 50000, SMALL_STACK = 2 << 20 }; /* the sanitizer is slow, and has its own things on the stack */
#else
enum { LINKS = 1000000, SMALL_STACK = 256 << 10 };
#endif

/* y = x + 1 + ... + 1 */
static void *long_chain(void *links)
{
    FA_SCOPE;
    fa_tensor *x = LEAF(1, 2);
    FA_VAR(y, fa_mul(x, 3));
    FA_REPEAT (i, *(int *)links)
        fa_assign(&y, fa_add(y, 1));
    fa_backward(y, .grad = fa_ones_like(y));
    bool good = !fa_failed() && fa_item(fa_select(fa_grad(x), 0, 1)) == 3;
    fa_assign(&y, NULL);
    return good ? links : NULL;
}

static void a_chain_of_a_million_operations_runs_and_is_freed(void **state)
{
    (void)state;
    int links = LINKS;
    assert_non_null(long_chain(&links));
}

static void a_chain_that_is_never_run_is_freed(void **state)
{
    (void)state;
    FA_VAR(y, fa_mul(LEAF(1, 2), 3));
    FA_REPEAT (i, LINKS)
        fa_assign(&y, fa_mul(y, y));
    fa_assign(&y, NULL);
}

static void a_chain_runs_on_a_small_stack(void **state)
{
    (void)state;
    int links = LINKS / 10;
    pthread_attr_t attr;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, SMALL_STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, long_chain, &links), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&attr);
    assert_ptr_equal(result, &links);
}

/* 2^40 paths from x to y: each node is run once. */
static void diamonds_run_each_node_once(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, -2), *y = x;
    for (int i = 0; i < 40; i++)
        y = fa_add(y, y);
    assert_true(fa_backward(y, .grad = fa_ones_like(y)));
    HOLD(fa_grad(x), 1099511627776.0, 1099511627776.0);
}

static void a_diamond_of_unequal_arms(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2), *a = fa_mul(x, x), *b = a;
    for (int i = 0; i < 5; i++)
        b = fa_mul(b, 2);
    assert_true(fa_backward(fa_mul(a, b))); /* 32 x^4 */
    HOLD(fa_grad(x), 1024);
}

/* Hundreds of nodes wait at once; half of them get a second gradient while others run and leave. */
static void many_nodes_wait_at_once(void **state)
{
    (void)state;
    enum { ARMS = 300 };
    fa_tensor *x = LEAF(1, 2), *item[2 * ARMS];
    int runs = 0;
    for (int i = 0; i < ARMS; i++) {
        item[i] = fa_mul(x, 2);
        item[ARMS + i] = fa_mul(fa_mul(item[i], 3), 1);
        assert_true(fa_hook_grad(item[i], counts, &runs) > 0);
    }
    const fa_tensors all = {2 * ARMS, item};
    assert_true(fa_backward(fa_sum(fa_cat(all))));
    HOLD(fa_grad(x), ARMS * 2 * (1 + 3), ARMS * 2 * (1 + 3));
    assert_int_equal(runs, ARMS);
}

static void a_leaf_used_often(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(3), *y = fa_mul(x, 0);
    for (int i = 1; i <= 100; i++)
        y = fa_add(y, fa_mul(x, i));
    assert_true(fa_backward(y));
    HOLD(fa_grad(x), 5050);
}

static void one_operand_on_both_sides(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(3, 4);
    assert_true(fa_backward(fa_sum(fa_div(fa_mul(x, x), x))));
    HOLD(fa_grad(x), 1, 1);
}

static void both_operands_broadcast(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(3, 1), 2.0, .dtype = FA_F64, .requires_grad = true), *y = LEAF(1, 2, 3, 4);
    assert_true(fa_backward(fa_sum(fa_mul(fa_add(x, y), y))));
    HOLD(fa_grad(x), 10, 10, 10);
    HOLD(fa_grad(y), 12, 18, 24, 30);
}

static void gradients_add_up_over_backwards(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    for (int i = 0; i < 3; i++)
        assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    HOLD(fa_grad(x), 6, 12);
    assert_true(fa_set_grad(x, NULL));
    assert_null(fa_grad(x));
    assert_true(fa_backward(fa_sum(x)));
    HOLD(fa_grad(x), 1, 1);
}

static void a_leaf_is_its_own_output(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(5);
    assert_true(fa_backward(x));
    HOLD(fa_grad(x), 1);
}

static void operands_that_need_none_get_none(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *c = fa_tensor_of(3.0, 4.0);
    assert_true(fa_backward(fa_sum(fa_mul(x, c))));
    assert_null(fa_grad(c));
    HOLD(fa_grad(x), 3, 4);
}

static void gradients_of_two_leaves_share_no_memory(void **state)
{
    (void)state;
    for (int create = 0; create < 2; create++) {
        fa_tensor *a = LEAF(1, 2), *b = LEAF(3, 4);
        assert_true(fa_backward(fa_sum(fa_add(a, b)), .create_graph = create));
        {
            FA_USE(.no_grad = true);
            fa_mul_(fa_grad(a), 0);
        }
        HOLD(fa_grad(a), 0, 0);
        HOLD(fa_grad(b), 1, 1);
    }
}

static void the_given_gradient_is_not_the_leafs(void **state)
{
    (void)state;
    for (int create = 0; create < 2; create++) {
        fa_tensor *x = LEAF(1, 2), *g = fa_to(fa_tensor_of(5.0, 6.0), FA_F64);
        assert_true(fa_backward(x, .grad = g, .create_graph = create));
        assert_true(fa_backward(x, .grad = g));
        HOLD(g, 5, 6);
        fa_mul_(g, 0);
        HOLD(fa_grad(x), 10, 12);
    }
}

/* ---- a second time ---- */

/* a second backward without `.retain_graph` when the graph saved tensors (a+a passes twice) */
static void a_second_backward_needs_retain_graph(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(fa_mul(x, x));
    assert_true(fa_backward(y));
    assert_false(fa_backward(y));
    FAILS(FA_ERROR_GRADIENT, "mul", "retain_graph");
    HOLD(fa_grad(x), 2, 4);
}

static void a_plus_a_passes_twice(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(fa_add(x, x));
    assert_true(fa_backward(y));
    assert_true(fa_backward(y));
    HOLD(fa_grad(x), 4, 4);
}

static void retain_graph_keeps_it(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(fa_exp(fa_mul(x, x)));
    assert_true(fa_backward(y, .retain_graph = true));
    assert_true(fa_backward(y, .retain_graph = true));
    assert_true(fa_backward(y));
    HOLD(fa_grad(x), 6 * exp(1), 12 * exp(4));
    assert_false(fa_backward(y));
    FAILS(FA_ERROR_GRADIENT, "retain_graph");
}

static void what_was_saved_is_freed_by_backward(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(1 << 18), .requires_grad = true), *y;
    fa_tensor *g = fa_ones(FA_SHAPE(1 << 18));
    size_t before = fa_memory_stats(FA_CPU).allocated;
    {
        FA_SCOPE;
        y = fa_escape(fa_mul(fa_sin(fa_mul(fa_add(x, 1), 3)), 0));
    }
    size_t held = fa_memory_stats(FA_CPU).allocated - before;
    assert_true(held >= 2u << 20);
    assert_true(fa_backward(y, .grad = g));
    fa_set_grad(x, NULL);
    assert_true(fa_memory_stats(FA_CPU).allocated - before <= (1u << 20) + 4096); /* y alone */
}

static size_t held_by_products(bool linear, bool bias)
{
    enum { SIZE = 256 };
    fa_tensor *x = fa_ones(FA_SHAPE(SIZE, SIZE), .requires_grad = !bias), *w = fa_ones(FA_SHAPE(SIZE, SIZE));
    fa_tensor *b = bias ? fa_ones(FA_SHAPE(SIZE), .requires_grad = true) : NULL, *y = x;
    size_t before = fa_memory_stats(FA_CPU).allocated;
    {
        FA_SCOPE;
        for (int i = 0; i < (bias ? 1 : 8); i++)
            y = linear ? fa_linear(y, bias ? fa_clone(w) : w, .bias = b) : fa_matmul(y, w);
        fa_escape(y);
    }
    size_t held = fa_memory_stats(FA_CPU).allocated - before;
    assert_true(fa_backward(y, .grad = fa_ones_like(y)));
    return held / (SIZE * SIZE * sizeof(float));
}

/* The gradient of one operand needs the other, and that of a bias needs neither. */
static void products_keep_what_wanted_gradients_need(void **state)
{
    (void)state;
    assert_int_equal(held_by_products(false, false), 1); /* the result */
    assert_int_equal(held_by_products(true, false), 1);
    assert_int_equal(held_by_products(true, true), 1);
}

/* ---- what backward refuses ---- */

/* backward from more than one element without `.grad` */
static void more_than_one_element_needs_a_gradient(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_false(fa_backward(fa_mul(x, 2)));
    FAILS(FA_ERROR_GRADIENT, ".grad", "(2,)");
    assert_null(fa_grad(x));
}

static void nothing_that_needs_gradients(void **state)
{
    (void)state;
    assert_false(fa_backward(fa_sum(fa_ones(FA_SHAPE(2)))));
    FAILS(FA_ERROR_GRADIENT, "fa_backward");
}

/* a gradient of the wrong shape or device (a wrong dtype is cast by backward, refused by assignment to the grad) */
static void a_gradient_of_the_wrong_shape(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_false(fa_backward(fa_mul(x, 2), .grad = fa_ones(FA_SHAPE(3), .dtype = FA_F64)));
    FAILS(FA_ERROR_SHAPE, "shape", "(3,)");
    assert_false(fa_backward(fa_mul(x, 2), .grad = fa_ones(FA_SHAPE(2, 1), .dtype = FA_F64)));
    FAILS(FA_ERROR_SHAPE, "shape", "(2, 1)");
    assert_null(fa_grad(x));
}

static void a_gradient_on_another_device(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_false(fa_backward(fa_mul(x, 2), .grad = fa_ones(FA_SHAPE(2), .dtype = FA_F64, .device = DEVICE(0))));
    FAILS(FA_ERROR_DEVICE, "late:0");
    assert_null(fa_grad(x));
}

static void a_gradient_of_another_dtype_is_cast(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .requires_grad = true);
    assert_true(fa_backward(fa_mul(x, 2), .grad = fa_ones(FA_SHAPE(2), .dtype = FA_F64)));
    assert_int_equal(fa_tensor_dtype(fa_grad(x)), FA_F32);
    HOLD(fa_grad(x), 2, 2);
}

static void set_grad_refuses_other_shapes_dtypes_and_devices(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_false(fa_set_grad(x, fa_ones(FA_SHAPE(3), .dtype = FA_F64)));
    FAILS(FA_ERROR_GRADIENT, "(3,)", "(2,)");
    assert_false(fa_set_grad(x, fa_ones(FA_SHAPE(2))));
    FAILS(FA_ERROR_GRADIENT, "f32", "f64");
    assert_false(fa_set_grad(x, fa_ones(FA_SHAPE(2), .dtype = FA_F64, .device = DEVICE(0))));
    FAILS(FA_ERROR_DEVICE, "late:0");
    assert_true(fa_set_grad(x, fa_full(FA_SHAPE(2), 7.0, .dtype = FA_F64)));
    assert_true(fa_backward(fa_sum(x)));
    HOLD(fa_grad(x), 8, 8);
}

/* gradients may be assigned as views of a bucket */
static void a_gradient_that_is_a_view_is_added_to(void **state)
{
    (void)state;
    fa_tensor *bucket = fa_zeros(FA_SHAPE(5), .dtype = FA_F64), *x = LEAF(1, 2);
    assert_true(fa_set_grad(x, fa_get(bucket, "3:0:-2")));
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    HOLD(bucket, 0, 4, 0, 2, 0);
}

static void set_requires_grad_refuses(void **state)
{
    (void)state;
    fa_tensor *i = fa_tensor_of(1, 2), *x = LEAF(1, 2), *y = fa_mul(x, 2);
    assert_false(fa_set_requires_grad(i, true));
    FAILS(FA_ERROR_DTYPE, "i64");
    assert_true(fa_set_requires_grad(i, false));
    assert_false(fa_set_requires_grad(y, false));
    FAILS(FA_ERROR_GRADIENT, "fa_detach");
    assert_true(fa_set_requires_grad(y, true));
    assert_true(fa_set_requires_grad(x, false));
    assert_false(fa_requires_grad(x));
    assert_false(fa_requires_grad(fa_mul(x, 2)));
}

static void a_leaf_that_stopped_collecting_gets_nothing(void **state)
{
    (void)state;
    int after = 0;
    fa_tensor *x = LEAF(1, 2), *hooked = LEAF(5, 6), *y = fa_sum(fa_mul(fa_mul(x, x), hooked));
    assert_true(fa_hook_after(hooked, counts, &after) > 0);
    fa_set_requires_grad(x, false);
    fa_set_requires_grad(hooked, false);
    assert_true(fa_backward(y, .retain_graph = true));
    assert_null(fa_grad(x));
    assert_null(fa_grad(hooked));
    assert_int_equal(after, 0);
    fa_set_requires_grad(x, true);
    fa_set_requires_grad(hooked, true);
    assert_true(fa_backward(y));
    HOLD(fa_grad(x), 10, 24);
    HOLD(fa_grad(hooked), 1, 4);
    assert_int_equal(after, 1);
}

static void while_an_error_stands_nothing_is_added(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(x);
    fa_fail(FA_ERROR_USER, "stands");
    assert_false(fa_backward(y));
    assert_int_equal(fa_grad_of(FA_TENSORS(y), FA_TENSORS(x)).count, 0);
    FAILS(FA_ERROR_USER, "stands");
    assert_null(fa_grad(x));
}

static void null_is_an_error(void **state)
{
    (void)state;
    assert_false(fa_backward(NULL));
    FAILS(FA_ERROR_ARGUMENT, "fa_backward");
    fa_tensor *x = LEAF(1);
    assert_int_equal(fa_grad_of(FA_TENSORS(x), FA_TENSORS(NULL)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_grad_of");
    assert_int_equal(fa_grad_of(FA_TENSORS(NULL), FA_TENSORS(x)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_grad_of");
}

/* ---- without recording ---- */

static void no_grad_records_nothing(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y;
    {
        FA_USE(.no_grad = true);
        y = fa_mul(x, 2);
        assert_false(fa_requires_grad(y));
        assert_false(fa_backward(fa_sum(y)));
        FAILS(FA_ERROR_GRADIENT, "nothing that needs gradients", ", and .no_grad is in force here: ()");
        FA_USE(.no_grad = false);
        assert_false(fa_backward(fa_sum(y)));
        FAILS(FA_ERROR_GRADIENT, "nothing that needs gradients went into the tensor: ()");
        assert_true(fa_requires_grad(fa_mul(x, 2)));
    }
    assert_true(fa_is_leaf(y));
    assert_false(fa_is_leaf(fa_mul(x, 2)));
    assert_true(fa_requires_grad(x));
}

static void detach_shares_memory_and_version(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 2), *d = fa_detach(y);
    assert_false(fa_requires_grad(d));
    assert_ptr_equal(fa_ptr_f64(d), fa_ptr_f64(y));
    int64_t before = fa_tensor_version(y);
    fa_add_(d, 1);
    assert_int_equal(fa_tensor_version(y), before + 1);
    HOLD(y, 3, 5);
    assert_true(fa_backward(fa_sum(fa_mul(fa_detach(y), y))));
    HOLD(fa_grad(x), 6, 10);
}

/* ---- anomaly ---- */

static void anomaly_mode_names_the_forward_call(void **state)
{
    (void)state;
    FA_USE(.anomaly = true);
    fa_tensor *x = LEAF(0, 4);
    fa_tensor *y = fa_sqrt(x); /* slope inf at 0; times 0 is NaN */
    fa_tensor *z = fa_sum(fa_mul(y, 0));
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "sqrt", "engine.c", "NaN");
    fa_tensor *good = LEAF(1, 4);
    assert_true(fa_backward(fa_sum(fa_sqrt(good))));
    FA_USE(.anomaly = false);
    fa_set_grad(x, NULL);
    assert_true(fa_backward(fa_sum(fa_mul(fa_sqrt(x), 0))));
    HOLD(fa_grad(x), NAN, 0);
}

/* Views of nothing take any strides, also those of an expanded gradient. */
static void gradients_of_nothing(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(0, 1, 2), .requires_grad = true),
              *y = fa_zeros(FA_SHAPE(0, 2, 2), .requires_grad = true);
    assert_true(fa_backward(fa_sum(fa_squeeze(x, .dim = 1))));
    assert_int_equal(fa_dim(fa_grad(x)), 3);
    assert_true(fa_backward(fa_cross_entropy(y, fa_zeros(FA_SHAPE(0, 2), .dtype = FA_I64), .reduction = FA_SUM)));
    assert_int_equal(fa_dim(fa_grad(y)), 3);
    fa_tensor *turned = fa_t(fa_zeros(FA_SHAPE(2, 0), .requires_grad = true)), *u = fa_unsqueeze(turned, 2);
    fa_tensors first = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(u, u))), FA_TENSORS(turned), .create_graph = true);
    assert_int_equal(first.count, 1);
    assert_true(fa_backward(fa_sum(first.item[0])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_chain_of_a_million_operations_runs_and_is_freed),
        TEST(a_chain_that_is_never_run_is_freed),
        TEST(a_chain_runs_on_a_small_stack),
        TEST(diamonds_run_each_node_once),
        TEST(a_diamond_of_unequal_arms),
        TEST(many_nodes_wait_at_once),
        TEST(a_leaf_used_often),
        TEST(one_operand_on_both_sides),
        TEST(both_operands_broadcast),
        TEST(gradients_add_up_over_backwards),
        TEST(a_leaf_is_its_own_output),
        TEST(operands_that_need_none_get_none),
        TEST(gradients_of_two_leaves_share_no_memory),
        TEST(the_given_gradient_is_not_the_leafs),
        TEST(a_second_backward_needs_retain_graph),
        TEST(a_plus_a_passes_twice),
        TEST(retain_graph_keeps_it),
        TEST(what_was_saved_is_freed_by_backward),
        TEST(products_keep_what_wanted_gradients_need),
        TEST(more_than_one_element_needs_a_gradient),
        TEST(nothing_that_needs_gradients),
        TEST(a_gradient_of_the_wrong_shape),
        TEST(a_gradient_on_another_device),
        TEST(a_gradient_of_another_dtype_is_cast),
        TEST(set_grad_refuses_other_shapes_dtypes_and_devices),
        TEST(a_gradient_that_is_a_view_is_added_to),
        TEST(gradients_of_nothing),
        TEST(set_requires_grad_refuses),
        TEST(a_leaf_that_stopped_collecting_gets_nothing),
        TEST(while_an_error_stands_nothing_is_added),
        TEST(null_is_an_error),
        TEST(no_grad_records_nothing),
        TEST(detach_shares_memory_and_version),
        TEST(anomaly_mode_names_the_forward_call),
    };
    return RUN("autograd_engine");
}
