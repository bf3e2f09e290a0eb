/* Hooks on leaves and results, kept gradients, and operations of the program's own (fa_apply). */
#include "support/autograd_test.h"
#include <stdlib.h>

/* ---- hooks ---- */

static fa_tensor *times_ten(fa_tensor *grad, void *context)
{
    ++*(int *)context;
    return fa_mul(grad, 10);
}

static fa_tensor *plus_one(fa_tensor *grad, void *context)
{
    ++*(int *)context;
    return fa_add(grad, 1);
}

static fa_tensor *only_looks(fa_tensor *grad, void *context)
{
    ++*(int *)context;
    fa_mul(grad, 0);
    return NULL;
}

static fa_tensor *too_long(fa_tensor *grad, void *context)
{
    (void)context;
    return fa_cat(FA_TENSORS(grad, grad));
}

static fa_tensor *fails(fa_tensor *grad, void *context)
{
    (void)grad;
    (void)context;
    fa_fail(FA_ERROR_USER, "the hook did not like it");
    return NULL;
}

static fa_tensor *always(fa_tensor *grad, void *context)
{
    (void)grad;
    return context;
}

static fa_tensor *remembers(fa_tensor *grad, void *context)
{
    *(double *)context = fa_item(fa_select(grad, 0, 0));
    return fa_mul(grad, 100); /* is ignored */
}

static void hooks_of_a_leaf_in_their_order(void **state)
{
    (void)state;
    int calls = 0;
    fa_tensor *x = LEAF(1, 2);
    fa_hook_grad(x, times_ten, &calls);
    fa_hook_grad(x, plus_one, &calls);
    fa_hook_grad(x, only_looks, &calls);
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    HOLD(fa_grad(x), 21, 41);
    assert_int_equal(calls, 3);
}

static void a_hook_of_a_result_changes_what_goes_on(void **state)
{
    (void)state;
    int calls = 0;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3);
    fa_hook_grad(y, times_ten, &calls);
    assert_true(fa_backward(fa_sum(fa_add(fa_mul(y, 2), y))));
    HOLD(fa_grad(x), 90, 90);
    assert_int_equal(calls, 1); /* when its gradient is complete */
}

static void a_hook_is_removed(void **state)
{
    (void)state;
    int calls = 0;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3);
    int64_t first = fa_hook_grad(x, times_ten, &calls), second = fa_hook_grad(x, plus_one, &calls);
    int64_t third = fa_hook_grad(y, times_ten, &calls), fourth = fa_hook_after(x, only_looks, &calls);
    assert_true(first && second && third && fourth && first != second && second != third);
    assert_true(fa_unhook(x, first));
    assert_true(fa_unhook(y, third));
    assert_true(fa_unhook(x, fourth));
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 4, 4);
    assert_int_equal(calls, 1);
    assert_false(fa_unhook(x, first));
    FAILS(FA_ERROR_ARGUMENT, "fa_unhook");
}

static void hooks_of_leaves_run_for_grad_of(void **state)
{
    (void)state;
    int calls = 0;
    fa_tensor *x = LEAF(1, 2);
    fa_hook_grad(x, times_ten, &calls);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(fa_mul(x, 2))), FA_TENSORS(x)).item[0], 20, 20);
    assert_int_equal(calls, 1);
    assert_null(fa_grad(x));
}

static void a_hook_of_another_shape_is_an_error(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = LEAF(1, 2);
    fa_hook_grad(x, too_long, NULL);
    assert_false(fa_backward(fa_sum(fa_mul(x, 2))));
    FAILS(FA_ERROR_GRADIENT, "hook", "(4,) f64 cpu in the place of (2,) f64 cpu");
    assert_null(fa_grad(x));
    y = fa_mul(y, 1);
    fa_hook_grad(y, too_long, NULL);
    assert_false(fa_backward(fa_sum(fa_exp(y))));
    FAILS(FA_ERROR_GRADIENT, "hook", "(4,) f64 cpu in the place of (2,) f64 cpu");
}

static void a_failing_hook_stops_backward(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    fa_hook_grad(x, fails, NULL);
    assert_false(fa_backward(fa_sum(fa_mul(x, 2))));
    FAILS(FA_ERROR_USER, "did not like");
    assert_null(fa_grad(x));
}

static void what_a_hook_returns_is_not_changed(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *own = fa_full(FA_SHAPE(2), 5.0, .dtype = FA_F64);
    fa_hook_grad(x, always, own);
    for (int i = 0; i < 3; i++)
        assert_true(fa_backward(fa_sum(x)));
    HOLD(own, 5, 5);
    HOLD(fa_grad(x), 15, 15);
}

static void a_hook_after_sees_the_sum(void **state)
{
    (void)state;
    double seen = 0;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 2);
    assert_true(fa_hook_after(x, remembers, &seen) > 0);
    assert_true(fa_backward(fa_sum(x)));
    assert_true(fa_backward(fa_sum(x)));
    assert_true(seen == 2);
    HOLD(fa_grad(x), 2, 2);
    assert_int_equal(fa_hook_after(y, remembers, &seen), 0);
    FAILS(FA_ERROR_GRADIENT, "fa_hook_after");
}

static void hooks_need_a_tensor_that_needs_gradients(void **state)
{
    (void)state;
    assert_int_equal(fa_hook_grad(fa_ones(FA_SHAPE(2)), only_looks, NULL), 0);
    FAILS(FA_ERROR_ARGUMENT, "needs no gradients");
    assert_int_equal(fa_hook_grad(LEAF(1), NULL, NULL), 0);
    FAILS(FA_ERROR_ARGUMENT, "NULL");
}

static void retain_grad_keeps_and_adds(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 2), *z = fa_sum(y);
    assert_null(fa_grad(y));
    assert_true(fa_retain_grad(y));
    assert_true(fa_backward(z));
    HOLD(fa_grad(y), 1, 1);
    assert_true(fa_backward(z, .retain_graph = true));
    HOLD(fa_grad(y), 2, 2);
    HOLD(fa_grad(x), 4, 4);
    assert_false(fa_retain_grad(fa_ones(FA_SHAPE(2))));
    FAILS(FA_ERROR_GRADIENT, "fa_retain_grad");
    assert_true(fa_retain_grad(x)); /* of a leaf it is there anyway */
}

static void retain_grad_sees_what_hooks_left(void **state)
{
    (void)state;
    int calls = 0;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3);
    fa_retain_grad(y);
    fa_hook_grad(y, times_ten, &calls);
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(y), 10, 10);
    HOLD(fa_grad(x), 30, 30);
}

static void a_retained_gradient_is_nobody_elses(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_add(x, 0.0), *z = fa_add(y, 0.0);
    fa_retain_grad(y);
    fa_retain_grad(z);
    assert_true(fa_backward(fa_sum(z)));
    fa_mul_(fa_grad(z), 0);
    HOLD(fa_grad(y), 1, 1);
    HOLD(fa_grad(x), 1, 1);
}

/* What the program holds, and what a recorded backward keeps, stays as it is when another backward adds. */
static void a_retained_gradient_is_not_added_to_in_place(void **state)
{
    (void)state;
    fa_tensor *a = LEAF(2, 3), *w = LEAF(5, 7), *h = fa_mul(a, w), *y = fa_add(h, h);
    fa_retain_grad(h);
    fa_tensors g =
        fa_grad_of(FA_TENSORS(y), FA_TENSORS(w, h), .create_graph = true, .grad_outputs = FA_TENSORS(fa_ones_like(y)));
    assert_true(fa_backward(fa_sum(h), .retain_graph = true));
    fa_tensor *held = fa_grad(h);
    assert_true(fa_backward(fa_sum(h), .retain_graph = true));
    fa_tensors again = fa_grad_of(FA_TENSORS(fa_sum(g.item[0])), FA_TENSORS(a));
    assert_int_equal(again.count, 1);
    HOLD(again.item[0], 2, 2);
    HOLD(g.item[1], 2, 2);
    HOLD(held, 3, 3);
    HOLD(fa_grad(h), 4, 4);
    fa_set_grad(h, NULL);
    g = fa_grad_of(FA_TENSORS(fa_sum(h)), FA_TENSORS(h), .retain_graph = true);
    assert_true(fa_backward(fa_sum(h)));
    HOLD(g.item[0], 1, 1);
    HOLD(fa_grad(h), 2, 2);
}

/* ---- functions ---- */

typedef struct record {
    int released, forwards, backwards;
    bool fail_forward, fail_backward, wrong_shape, silent, silent_backward, same_as_input;
} record;

static fa_tensor *product_forward(void *context, fa_tensors in)
{
    record *r = context;
    r->forwards++;
    if (r->fail_forward)
        fa_fail(FA_ERROR_USER, "no forward today");
    assert_false(fa_requires_grad(fa_mul(in.item[0], 2)));
    return r->silent ? NULL : r->same_as_input ? in.item[0] : fa_mul(fa_mul(in.item[0], in.item[0]), in.item[1]);
}

/* Of x * x * y. */
static bool product_backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    record *r = context;
    r->backwards++;
    assert_int_equal(saved.count, 3);
    if (r->fail_backward)
        return fa_fail(FA_ERROR_USER, "no backward today");
    if (r->silent_backward)
        return false;
    fa_tensor *x = saved.item[0], *y = saved.item[1];
    grad_inputs[0] = r->wrong_shape ? fa_sum(grad) : fa_mul(grad, fa_mul(fa_mul(x, y), 2));
    grad_inputs[1] = fa_mul(grad, fa_mul(x, x));
    return true;
}

static void product_release(void *context)
{
    ((record *)context)->released++;
}

static const fa_function product = {
    .name = "product", .forward = product_forward, .backward = product_backward, .release = product_release};

static void a_function_of_ones_own(void **state)
{
    (void)state;
    record r = {0};
    {
        FA_SCOPE;
        fa_tensor *x = LEAF(2, 3), *y = LEAF(5, 7), *z = fa_apply(&product, &r, FA_TENSORS(x, y));
        HOLD(z, 20, 63);
        assert_true(fa_backward(fa_sum(z)));
        HOLD(fa_grad(x), 20, 42);
        HOLD(fa_grad(y), 4, 9);
        assert_int_equal(r.released, 0);
    }
    assert_int_equal(r.forwards, 1);
    assert_int_equal(r.backwards, 1);
    assert_int_equal(r.released, 1);
}

/* The sum and the product of two inputs; backward reads the first one from what forward saved. */
static bool both_forward(void *context, fa_tensors in, fa_tensor **out)
{
    (void)context;
    out[0] = fa_add(in.item[0], in.item[1]);
    out[1] = fa_mul(in.item[0], in.item[1]);
    out[2] = in.item[0];
    out[3] = fa_neg(in.item[1]);
    return true;
}

static bool both_backward(void *context, fa_tensors saved, fa_tensors grads, fa_tensor **gx)
{
    int *missing = context;
    assert_true(saved.count == 6 && grads.count == 2);
    *missing += !grads.item[0] + !grads.item[1];
    fa_tensor *sum = grads.item[0] ? grads.item[0] : fa_zeros_like(saved.item[0]);
    fa_tensor *second = grads.item[1] ? grads.item[1] : fa_zeros_like(saved.item[0]);
    gx[0] = fa_sub(sum, fa_mul(second, saved.item[5]));
    gx[1] = fa_add(sum, fa_mul(second, saved.item[4]));
    HOLD(saved.item[3], 10, 21); /* the second result */
    return true;
}

static void a_function_of_several_results(void **state)
{
    (void)state;
    int missing = 0;
    fa_function f = {
        .name = "both", .forward_all = both_forward, .backward_all = both_backward, .results = 2, .saves = 2};
    fa_tensor *x = LEAF(2, 3), *y = LEAF(5, 7);
    fa_tensors r = fa_apply_all(&f, &missing, FA_TENSORS(x, y));
    assert_int_equal(r.count, 2);
    HOLD(r.item[0], 7, 10);
    HOLD(r.item[1], 10, 21);
    assert_true(fa_backward(fa_sum(fa_add(r.item[0], fa_mul(r.item[1], 10)))));
    HOLD(fa_grad(x), 51, 71);
    HOLD(fa_grad(y), 21, 31);
    r = fa_apply_all(&f, &missing, FA_TENSORS(x, y));
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(r.item[1])), FA_TENSORS(x)).item[0], 5, 7);
    assert_int_equal(missing, 0);
    f.null_grads = true;
    r = fa_apply_all(&f, &missing, FA_TENSORS(x, y));
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(r.item[1])), FA_TENSORS(y)).item[0], 2, 3);
    assert_int_equal(missing, 1);
    HOLD(fa_apply(&f, &missing, FA_TENSORS(x, y)), 7, 10);
    fa_tensor *moved = fa_mul(x, 1); /* saved, and then changed */
    r = fa_apply_all(&f, &missing, FA_TENSORS(moved, y));
    fa_mul_(moved, 2);
    assert_false(fa_backward(fa_sum(r.item[0])));
    FAILS(FA_ERROR_GRADIENT, "changed in place");
    f.results = 4;
    f.saves = 0;
    assert_int_equal(fa_apply_all(&f, &missing, FA_TENSORS(x, y)).count, 4);
    assert_false(fa_failed());
    f.results = 5;
    assert_int_equal(fa_apply_all(&f, &missing, FA_TENSORS(x, y)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_apply: 5 results");
    f.backward_all = NULL;
    assert_int_equal(fa_apply_all(&f, &missing, FA_TENSORS(x, y)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_apply: a function needs forward and backward");
}

static void a_functions_gradient_has_a_gradient(void **state)
{
    (void)state;
    record r = {0};
    {
        FA_SCOPE;
        fa_tensor *x = LEAF(2, 3), *y = LEAF(5, 7), *z = fa_apply(&product, &r, FA_TENSORS(x, y));
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(z)), FA_TENSORS(x), .create_graph = true);
        g = fa_grad_of(FA_TENSORS(fa_sum(g.item[0])), FA_TENSORS(x, y), .create_graph = true);
        HOLD(g.item[0], 10, 14);
        HOLD(g.item[1], 4, 6);
        g = fa_grad_of(FA_TENSORS(fa_sum(g.item[0])), FA_TENSORS(y));
        HOLD(g.item[0], 2, 2);
    }
    assert_int_equal(r.released, 1);
}

/* exp, whose backward uses the result */
static fa_tensor *exp_forward(void *context, fa_tensors in)
{
    (void)context;
    return fa_exp(in.item[0]);
}

static bool exp_backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)context;
    grad_inputs[0] = fa_mul(grad, saved.item[1]);
    return true;
}

static void a_function_that_saves_its_result(void **state)
{
    (void)state;
    const fa_function f = {.name = "my_exp", .forward = exp_forward, .backward = exp_backward};
    fa_tensor *x = LEAF(0.5, 1), *g = fa_apply(&f, NULL, FA_TENSORS(x));
    for (int i = 0; i < 3; i++)
        g = fa_grad_of(FA_TENSORS(fa_sum(g)), FA_TENSORS(x), .create_graph = true).item[0];
    HOLD(g, exp(0.5), exp(1));
    fa_tensor *y = fa_apply(&f, NULL, FA_TENSORS(x));
    fa_add_(y, 1);
    assert_false(fa_backward(fa_sum(y)));
    FAILS(FA_ERROR_GRADIENT, "changed in place", "add");
}

static fa_tensor *first_two(void *context, fa_tensors inputs)
{
    (void)context;
    return fa_narrow(inputs.item[0], 0, 0, 2);
}

/* What forward returned of an input's memory is not changed in place where that is recorded. */
static void a_function_that_returns_a_view(void **state)
{
    (void)state;
    const fa_function f = {.name = "first_two", .forward = first_two, .backward = exp_backward};
    fa_tensor *x = LEAF(1, 2, 3), *a = fa_mul(x, 1), *v = fa_apply(&f, NULL, FA_TENSORS(a));
    HOLD(v, 1, 2);
    assert_null(fa_mul_(v, 3));
    FAILS(FA_ERROR_GRADIENT, "fa_mul_", "changed in place");
    assert_null(fa_add_(fa_apply(&f, NULL, FA_TENSORS(x)), 1));
    FAILS(FA_ERROR_GRADIENT, "changed in place");
    fa_tensor *plain = fa_tensor_of(1.0, 2.0, 3.0);
    assert_non_null(fa_mul_(fa_apply(&f, NULL, FA_TENSORS(plain)), 3));
    HOLD(plain, 3, 6, 3);
    assert_null(fa_mul_(fa_apply(&f, NULL, FA_TENSORS(plain)), fa_get(x, ":2")));
    FAILS(FA_ERROR_GRADIENT, "changed in place");
}

/* The gradient of what is changed in place is that of its new value. */
static void kept_gradients_follow_changes(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2, 3), *m = fa_mul(x, 2);
    assert_true(fa_retain_grad(m));
    fa_mul_(m, 3);
    assert_true(fa_backward(fa_sum(fa_mul(m, m))));
    HOLD(fa_grad(m), 12, 24, 36);
    HOLD(fa_grad(x), 72, 144, 216);
    fa_tensor *b = fa_mul(x, 2), *v = fa_narrow(b, 0, 0, 2);
    assert_true(fa_retain_grad(b) && fa_retain_grad(v));
    fa_mul_(v, 3);
    fa_mul_(b, 1);
    assert_true(fa_backward(fa_sum(fa_add(fa_sum(b), fa_sum(fa_mul(v, 10))))));
    HOLD(fa_grad(b), 11, 11, 1); /* v is read from b as it is now */
    HOLD(fa_grad(v), 10, 10);
}

static fa_tensor *other_dtype(fa_tensor *g, void *context)
{
    (void)context;
    return fa_to(g, FA_F32);
}

static fa_tensor *other_device(fa_tensor *g, void *context)
{
    (void)context;
    return fa_to(g, DEVICE(0));
}

static void hooks_keep_dtype_and_device(void **state)
{
    (void)state;
    fa_tensor *(*const hooks[])(fa_tensor *, void *) = {other_dtype, other_device};
    static const char *const named[] = {"f32", "late:0"};
    for (int i = 0; i < 2; i++) {
        fa_tensor *x = LEAF(1, 2), *m = fa_mul(x, 2);
        fa_hook_grad(x, hooks[i], NULL);
        assert_false(fa_backward(fa_sum(m)));
        FAILS(FA_ERROR_GRADIENT, "hook", named[i], "f64 cpu");
        assert_null(fa_grad(x));
        fa_tensor *y = LEAF(1, 2), *n = fa_mul(y, 2);
        fa_hook_grad(n, hooks[i], NULL);
        assert_false(fa_backward(fa_sum(n)));
        FAILS(FA_ERROR_GRADIENT, "hook", named[i], "f64 cpu", "fa_mul");
        assert_null(fa_grad(y));
    }
}

static fa_tensor *note_dtype(fa_tensor *g, void *context)
{
    *(fa_dtype *)context = fa_tensor_dtype(g);
    return NULL;
}

/* A gradient has the dtype and the device of what it belongs to, for whoever asks. */
static void gradients_of_results_fit_them(void **state)
{
    (void)state;
    fa_dtype seen = FA_SAME;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .requires_grad = true), *m = fa_mul(x, 2),
              *y = fa_ones(FA_SHAPE(2), .dtype = FA_F64);
    fa_hook_grad(m, note_dtype, &seen);
    assert_true(fa_retain_grad(m) && fa_retain_grad(m)); /* twice is once */
    fa_tensor *loss = fa_sum(fa_add(m, y));
    assert_int_equal(fa_tensor_dtype(fa_grad_of(FA_TENSORS(loss), FA_TENSORS(m), .retain_graph = true).item[0]),
                     FA_F32);
    fa_set_grad(m, NULL);
    assert_true(fa_backward(loss));
    assert_int_equal(seen, FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_grad(m)), FA_F32);
    HOLD(fa_grad(m), 1, 1);
    /* a value of the CPU that went to another device and stayed here, too */
    fa_tensor *v = fa_full(FA_SCALAR, 3.0, .requires_grad = true), *there = fa_ones(FA_SHAPE(2), .device = FA_LATE(0));
    fa_tensor *n = fa_mul(v, 1), *both = fa_add(fa_cpu(fa_sum(fa_mul(there, n))), fa_mul(n, n));
    fa_tensor *g = fa_grad_of(FA_TENSORS(both), FA_TENSORS(n), .retain_graph = true).item[0];
    assert_true(fa_device_equal(fa_tensor_device(g), FA_CPU) && fa_item(g) == 8);
    assert_true(fa_backward(both));
    assert_true(fa_item(fa_grad(v)) == 8);
}

/* As many operands as there are. */
static void long_lists(void **state)
{
    (void)state;
    enum { MANY = 70000 };
    fa_tensor *x = LEAF(1, 2), **item = malloc(MANY * sizeof *item);
    assert_non_null(item);
    for (int i = 0; i < MANY; i++)
        item[i] = x;
    const fa_tensors all = {MANY, item};
    assert_true(fa_backward(fa_sum(fa_cat(all))));
    HOLD(fa_grad(x), MANY, MANY);
    free(item);
}

static void no_tensor_is_its_own_gradient(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_false(fa_set_grad(x, x));
    FAILS(FA_ERROR_ARGUMENT, "its own gradient");
}

static void a_functions_inputs_are_watched(void **state)
{
    (void)state;
    record r = {0};
    FA_SCOPE;
    fa_tensor *x = fa_mul(LEAF(2, 3), 1), *y = LEAF(5, 7), *z = fa_apply(&product, &r, FA_TENSORS(x, y));
    fa_add_(x, 1);
    assert_false(fa_backward(fa_sum(z)));
    FAILS(FA_ERROR_GRADIENT, "changed in place", "add");
    assert_int_equal(r.backwards, 0);
}

static void a_function_that_records_nothing_is_released_at_once(void **state)
{
    (void)state;
    record r = {0};
    FA_SCOPE;
    fa_tensor *x = fa_tensor_of(1.0), *z = fa_apply(&product, &r, FA_TENSORS(x, x));
    assert_non_null(z);
    assert_int_equal(r.released, 1);
    FA_USE(.no_grad = true);
    x = LEAF(3);
    assert_false(fa_requires_grad(fa_apply(&product, &r, FA_TENSORS(x, x))));
    assert_int_equal(r.released, 2);
}

static void a_failing_forward(void **state)
{
    (void)state;
    record r = {.fail_forward = true};
    FA_SCOPE;
    fa_tensor *x = LEAF(2);
    assert_null(fa_apply(&product, &r, FA_TENSORS(x, x)));
    FAILS(FA_ERROR_USER, "no forward today");
    assert_int_equal(r.released, 1);
    r = (record){.silent = true};
    assert_null(fa_apply(&product, &r, FA_TENSORS(x, x)));
    FAILS(FA_ERROR_USER, "product", "forward");
    assert_int_equal(r.released, 1);
    r = (record){.silent = true};
    assert_null(fa_apply(&product, &r, FA_TENSORS(x, NULL)));
    FAILS(FA_ERROR_ARGUMENT, "input");
    assert_int_equal(r.released, 1);
}

static void a_failing_backward(void **state)
{
    (void)state;
    record r = {.fail_backward = true};
    {
        FA_SCOPE;
        fa_tensor *x = LEAF(2), *y = LEAF(3);
        assert_false(fa_backward(fa_apply(&product, &r, FA_TENSORS(x, y))));
        FAILS(FA_ERROR_USER, "no backward today");
        assert_null(fa_grad(x));
        r.fail_backward = false;
        r.wrong_shape = true;
        x = LEAF(2, 3);
        fa_tensor *z = fa_apply(&product, &r, FA_TENSORS(x, y));
        assert_false(fa_backward(fa_sum(z)));
        FAILS(FA_ERROR_SHAPE, "product", "input 0");
        r.silent_backward = true;
        assert_false(fa_backward(fa_sum(fa_apply(&product, &r, FA_TENSORS(x, y)))));
        FAILS(FA_ERROR_USER, "product", "backward failed");
    }
    assert_int_equal(r.released, 3);
}

static void a_function_needs_forward_and_backward(void **state)
{
    (void)state;
    record r = {0};
    fa_function without_forward = product, without_backward = product;
    without_forward.forward = NULL;
    without_backward.backward = NULL;
    assert_null(fa_apply(&without_forward, &r, FA_TENSORS(LEAF(2), LEAF(3))));
    FAILS(FA_ERROR_ARGUMENT, "forward and backward");
    assert_null(fa_apply(&without_backward, &r, FA_TENSORS(LEAF(2), LEAF(3))));
    FAILS(FA_ERROR_ARGUMENT, "forward and backward");
    assert_int_equal(r.released, 2);
    assert_null(fa_apply(NULL, &r, FA_TENSORS(LEAF(2), LEAF(3))));
    FAILS(FA_ERROR_ARGUMENT, "forward and backward");
    assert_int_equal(r.forwards, 0);
}

static bool last_only(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)context;
    grad_inputs[saved.count - 2] = grad;
    return true;
}

static fa_tensor *last_input(void *context, fa_tensors in)
{
    (void)context;
    return in.item[in.count - 1];
}

static void a_function_takes_eight_inputs(void **state)
{
    (void)state;
    const fa_function last = {.name = "last", .forward = last_input, .backward = last_only};
    fa_tensor *x = LEAF(2), *y = LEAF(3), *item[] = {x, x, x, x, x, x, x, y, y};
    const fa_tensors eight = {8, item}, nine = {9, item};
    assert_true(fa_backward(fa_apply(&last, NULL, eight)));
    assert_null(fa_grad(x));
    HOLD(fa_grad(y), 1);
    assert_null(fa_apply(&last, NULL, nine));
    FAILS(FA_ERROR_ARGUMENT, "fa_apply", "at most 8 inputs");
}

static void a_function_that_returns_its_input(void **state)
{
    (void)state;
    record r = {.same_as_input = true};
    FA_SCOPE;
    fa_tensor *x = LEAF(2), *y = LEAF(3), *z = fa_apply(&product, &r, FA_TENSORS(x, y));
    assert_true(z != x);
    assert_true(fa_is_leaf(x));
    assert_true(fa_backward(z));
    HOLD(fa_grad(x), 12);
}

/* ---- autocast ---- */

static fa_tensor *matmul_forward(void *context, fa_tensors in)
{
    (void)context;
    return fa_matmul(in.item[0], in.item[1]);
}

/* `saved` has f32 inputs, and `grad` is f16: what a user writes computes in the dtype of forward. */
static bool matmul_backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)context;
    grad_inputs[0] = fa_matmul(grad, fa_t(saved.item[1]));
    grad_inputs[1] = fa_matmul(fa_t(saved.item[0]), grad);
    return grad_inputs[0] && fa_tensor_dtype(grad_inputs[0]) == fa_tensor_dtype(grad) && grad_inputs[1];
}

static void a_functions_backward_has_the_autocast_of_its_forward(void **state)
{
    (void)state;
    const fa_function matmul = {.name = "matmul", .forward = matmul_forward, .backward = matmul_backward};
    const fa_dtype dtypes[] = {FA_F16, FA_BF16, FA_SAME};
    for (int d = 0; d < 3; d++)
        for (int again = 0; again < 2; again++) {
            FA_SCOPE;
            fa_tensor *x = fa_ones(FA_SHAPE(2, 3), .requires_grad = true, .device = DEVICE(0));
            fa_tensor *w = fa_full(FA_SHAPE(3, 4), 2.0, .requires_grad = true, .device = DEVICE(0)), *y = NULL;
            {
                FA_USE(.autocast = dtypes[d]);
                y = fa_apply(&matmul, NULL, FA_TENSORS(x, w));
            }
            assert_int_equal(fa_tensor_dtype(y), dtypes[d] == FA_SAME ? FA_F32 : dtypes[d]);
            FA_USE(.autocast = again ? FA_BF16 : FA_SAME); /* this does not matter */
            assert_true(fa_backward(fa_sum(y), .create_graph = again));
            assert_int_equal(fa_tensor_dtype(fa_grad(x)), FA_F32);
            HOLD(fa_select(fa_grad(x), 0, 1), 8, 8, 8);
            HOLD(fa_select(fa_grad(w), 0, 2), 2, 2, 2, 2);
            fa_set_grad(x, NULL);
            fa_set_grad(w, NULL);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hooks_of_a_leaf_in_their_order),
        TEST(a_hook_of_a_result_changes_what_goes_on),
        TEST(a_hook_is_removed),
        TEST(hooks_of_leaves_run_for_grad_of),
        TEST(a_hook_of_another_shape_is_an_error),
        TEST(a_failing_hook_stops_backward),
        TEST(what_a_hook_returns_is_not_changed),
        TEST(a_hook_after_sees_the_sum),
        TEST(hooks_need_a_tensor_that_needs_gradients),
        TEST(retain_grad_keeps_and_adds),
        TEST(retain_grad_sees_what_hooks_left),
        TEST(a_retained_gradient_is_nobody_elses),
        TEST(a_retained_gradient_is_not_added_to_in_place),
        TEST(a_function_of_ones_own),
        TEST(a_function_of_several_results),
        TEST(a_functions_gradient_has_a_gradient),
        TEST(a_function_that_saves_its_result),
        TEST(a_function_that_returns_a_view),
        TEST(kept_gradients_follow_changes),
        TEST(hooks_keep_dtype_and_device),
        TEST(gradients_of_results_fit_them),
        TEST(long_lists),
        TEST(no_tensor_is_its_own_gradient),
        TEST(a_functions_inputs_are_watched),
        TEST(a_function_that_records_nothing_is_released_at_once),
        TEST(a_failing_forward),
        TEST(a_failing_backward),
        TEST(a_function_needs_forward_and_backward),
        TEST(a_function_takes_eight_inputs),
        TEST(a_function_that_returns_its_input),
        TEST(a_functions_backward_has_the_autocast_of_its_forward),
    };
    return RUN("autograd_hooks");
}
