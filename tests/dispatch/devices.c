/* semantics.md, "Devices", "fa_to", and faults inside kernels. Each test opens with the line that it holds. */
#include "internal.h"
#include "support/autograd_test.h"
#include <facula/optim.h>
#include <stdio.h>

static bool on(const fa_tensor *t, fa_device d)
{
    return t && fa_device_equal(fa_tensor_device(t), d);
}

static fa_tensor *late(fa_tensor *t)
{
    return fa_to(t, DEVICE(0));
}

/* A 0-dim CPU operand mixes with a GPU tensor, result on the GPU. */
static void a_value_goes_with_any_device(void **state)
{
    (void)state;
    fa_tensor *x = late(fa_tensor_of(1.0, 2.0)), *s = fa_full(FA_SCALAR, 3.0);
    fa_tensor *results[] = {fa_mul(x, s), fa_sub(s, x), fa_where(fa_gt(x, 1), s, x), fa_maximum(s, x),
                            fa_add(fa_sum(x), s)};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        assert_true(on(results[i], DEVICE(0)));
    HOLD(results[0], 3, 6);
    HOLD(results[1], 2, 1);
    HOLD(results[2], 1, 3);
    HOLD(results[3], 3, 3);
    HOLD(results[4], 6);
    assert_non_null(fa_add_(x, s));
    HOLD(x, 4, 5);
    HOLD(fa_add(x, s, .out = fa_zeros(FA_SHAPE(2), .device = DEVICE(0))), 7, 8);
}

/* The other way round, and a CPU tensor of shape [1], is an error. */
static void a_value_does_not_come_from_a_device(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *s = fa_full(FA_SCALAR, 3.0, .device = DEVICE(0));
    assert_null(fa_mul(x, s));
    FAILS(FA_ERROR_DEVICE, "fa_mul", "(2,) f32 cpu", "() f32 late:0");
    assert_null(fa_mul(s, x));
    FAILS(FA_ERROR_DEVICE, "fa_mul");
    assert_null(fa_mul(late(x), fa_ones(FA_SHAPE(1))));
    FAILS(FA_ERROR_DEVICE, "(1,) f32 cpu");
    assert_null(fa_add_(x, s));
    FAILS(FA_ERROR_DEVICE, "fa_add_");
    assert_null(fa_add_(fa_full(FA_SCALAR, 1.0), s));
    FAILS(FA_ERROR_DEVICE, "add");
    assert_null(fa_mul(late(x), fa_to(x, DEVICE(1))));
    FAILS(FA_ERROR_DEVICE, "late:0", "late:1");
}

/* An index or mask on the CPU may index a GPU tensor; a GPU index on a CPU tensor is an error. */
static void indices_from_the_host(void **state)
{
    (void)state;
    fa_tensor *x = late(fa_tensor_of(1.0, 2.0, 3.0)), *i = fa_tensor_of(2, 0, 2);
    fa_tensor *y = fa_index_select(x, 0, i);
    assert_true(on(y, DEVICE(0)));
    HOLD(y, 3, 1, 3);
    HOLD(fa_gather(x, 0, i), 3, 1, 3);
    HOLD(fa_scatter_add(x, 0, i, x), 3, 2, 7);
    assert_null(fa_index_select(fa_cpu(x), 0, late(i)));
    FAILS(FA_ERROR_DEVICE, "fa_index_select", "late:0");
    assert_null(fa_gather(fa_cpu(x), 0, late(i)));
    FAILS(FA_ERROR_DEVICE, "fa_gather");
}

/* A mismatch error names every operand: shape, dtype, device, and the operation that made it; it is reported before any
 * dtype complaint. */
static void a_mismatch_names_every_operand(void **state)
{
    (void)state;
    fa_tensor *a = fa_exp(fa_ones(FA_SHAPE(2, 3), .dtype = FA_F64)), *b = late(fa_ones(FA_SHAPE(3, 2)));
    assert_null(fa_matmul(a, b));
    FAILS(FA_ERROR_DEVICE, "fa_matmul", "(2, 3) f64 cpu", "made by exp", "(3, 2) f32 late:0", "made by to");
    assert_null(fa_cat(FA_TENSORS(fa_ones(FA_SHAPE(2)), late(fa_ones(FA_SHAPE(2))))));
    FAILS(FA_ERROR_DEVICE, "fa_cat", "late:0");
    assert_null(fa_cross_entropy(late(fa_ones(FA_SHAPE(2, 3))), fa_tensor_of(0, 1), .weight = fa_ones(FA_SHAPE(3))));
    FAILS(FA_ERROR_DEVICE, "cross_entropy", "cpu");
}

/* `.out =` on another device is an error; so is the wrong shape. */
static void out_elsewhere_or_of_another_shape(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0);
    assert_null(fa_add(x, 1, .out = fa_zeros(FA_SHAPE(2), .device = DEVICE(0))));
    FAILS(FA_ERROR_DEVICE, "another device");
    assert_null(fa_add(x, 1, .out = fa_zeros(FA_SHAPE(3))));
    FAILS(FA_ERROR_SHAPE, "(2,)");
    assert_null(fa_add(x, 1, .out = fa_zeros(FA_SHAPE(2, 1))));
    FAILS(FA_ERROR_SHAPE, "(2,)");
    assert_null(fa_matmul(x, x, .out = fa_zeros(FA_SHAPE(1))));
    FAILS(FA_ERROR_SHAPE, "()");
}

/* An empty out tensor is resized. */
static void an_empty_out_is_resized(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *out = fa_zeros(FA_SHAPE(0)),
              *l = fa_zeros(FA_SHAPE(0), .device = DEVICE(0));
    assert_ptr_equal(fa_add(x, 1, .out = out), out);
    assert_int_equal(fa_dim(out), 1);
    HOLD(out, 2, 3);
    assert_ptr_equal(fa_add(late(x), 1, .out = l), l);
    HOLD(l, 2, 3);
}

/* That is the last thing to happen: after an error the tensor is as it was. */
static void out_is_as_it_was_after_an_error(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *m = fa_ones(FA_SHAPE(2, 2));
    fa_tensor *i = fa_zeros(FA_SHAPE(0), .dtype = FA_I32), *d = fa_zeros(FA_SHAPE(0, 3), .dtype = FA_F64);
    assert_null(fa_add(x, 1, .out = i));
    FAILS(FA_ERROR_DTYPE, "f32", "i32");
    assert_int_equal(fa_numel(i), 0);
    assert_null(fa_matmul(m, m, .out = d));
    FAILS(FA_ERROR_DTYPE, "f32", "f64");
    assert_int_equal(fa_size(d, 1), 3);
}

/* Views, and what has a place in the graph, keep their shapes: others rely on them. */
static void an_empty_out_that_is_not_resized(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *memory = fa_ones(FA_SHAPE(3)), *leaf = LEAF(1, 2);
    fa_tensor *kept[4] = {fa_narrow(memory, 0, 0, 0), NULL, fa_mul(fa_narrow(leaf, 0, 0, 0), 2),
                          fa_zeros(FA_SHAPE(0), .requires_grad = true)};
    FA_USE(.no_grad = true);
    kept[1] = fa_narrow(memory, 0, 0, 0);
    for (int k = 0; k < 4; k++) {
        assert_null(fa_add(x, 1, .out = kept[k]));
        FAILS(FA_ERROR_SHAPE, "(2,)", "a view", "gradient");
        assert_int_equal(fa_numel(kept[k]), 0);
    }
}

/* What backward keeps is not resized under its hands: that is a change in place. */
static void an_empty_out_that_backward_needs(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *leaf = fa_zeros(FA_SHAPE(0), .requires_grad = true),
              *w = fa_zeros(FA_SHAPE(0));
    fa_add_(w, 1);
    fa_tensor *y = fa_mul(leaf, w);
    assert_non_null(fa_add(x, 1, .out = w));
    HOLD(w, 2, 3);
    assert_false(fa_backward(fa_sum(y)));
    FAILS(FA_ERROR_GRADIENT, "changed in place by add");
}

/* Its dtype: elementwise operations cast within or above the result's category, matrix products need an exact match. */
static void the_dtype_of_out(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.5, 2.0), *m = fa_ones(FA_SHAPE(2, 2));
    HOLD(fa_add(x, 1, .out = fa_zeros(FA_SHAPE(2), .dtype = FA_F64)), 2.5, 3);
    HOLD(fa_add(x, 1, .out = fa_zeros(FA_SHAPE(2), .dtype = FA_F16)), 2.5, 3);
    HOLD(fa_add(fa_tensor_of(1, 2), 1, .out = fa_zeros(FA_SHAPE(2))), 2, 3);
    assert_null(fa_add(x, 1, .out = fa_zeros(FA_SHAPE(2), .dtype = FA_I32)));
    FAILS(FA_ERROR_DTYPE, "f32", "i32");
    assert_null(fa_matmul(m, m, .out = fa_zeros(FA_SHAPE(2, 2), .dtype = FA_F64)));
    FAILS(FA_ERROR_DTYPE, "f32", "f64");
}

/* `fa_copy_` crosses devices and dtypes and broadcasts. */
static void copy_crosses_and_broadcasts(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(2, 3), .device = DEVICE(0)), *i = fa_zeros(FA_SHAPE(3), .dtype = FA_I32);
    assert_non_null(fa_copy_(x, fa_tensor_of(1, 2, 3)));
    HOLD(x, 1, 2, 3, 1, 2, 3);
    assert_non_null(fa_copy_(fa_t(x), fa_to(fa_tensor_of(4.0, 5.0), DEVICE(1))));
    HOLD(x, 4, 4, 4, 5, 5, 5);
    assert_non_null(fa_copy_(i, late(fa_tensor_of(1.9, -2.9, 0.5))));
    HOLD(i, 1, -2, 0);
    assert_non_null(fa_copy_(fa_get(x, ":, ::-2"), fa_full(FA_SHAPE(1, 1), 9.0, .dtype = FA_F64)));
    HOLD(x, 9, 4, 9, 9, 5, 9);
    assert_null(fa_copy_(i, fa_ones(FA_SHAPE(2))));
    FAILS(FA_ERROR_SHAPE, "broadcast");
}

/* Returns its argument (another reference) when device and dtype match already, unless `.copy = true`. */
static void to_returns_its_argument(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *y;
    {
        FA_SCOPE;
        assert_ptr_equal(fa_to(x, FA_CPU), x);
        assert_ptr_equal(fa_to(x, FA_F32), x);
        assert_ptr_equal(fa_cpu(x), x);
    }
    y = fa_to(x, FA_F32, .copy = true);
    assert_ptr_not_equal(y, x);
    fa_add_(y, 1);
    HOLD(x, 1, 2);
}

/* Keeps the order of dense strides; expanded input comes out dense. The strides are PyTorch 2.15's. */
static void to_keeps_the_order_of_strides(void **state)
{
    (void)state;
    fa_place to[] = {FA__PLACE(FA_F64), FA__PLACE(DEVICE(0))};
    for (int k = 0; k < 2; k++) {
        const fa_place p = to[k];
        fa_tensor *t = (fa_to)(fa_t(fa_ones(FA_SHAPE(2, 3))), p, NULL);
        assert_true(fa_stride(t, 0) == 1 && fa_stride(t, 1) == 3);
        t = (fa_to)(fa_expand(fa_ones(FA_SHAPE(3)), FA_SHAPE(2, 3)), p, NULL);
        assert_true(fa_stride(t, 0) == 3 && fa_stride(t, 1) == 1);
        t = (fa_to)(fa_get(fa_ones(FA_SHAPE(4, 6)), ":, ::2"), p, NULL);
        assert_true(fa_stride(t, 0) == 3 && fa_stride(t, 1) == 1);
    }
    fa_tensor *x = fa_reshape(fa_arange(0, 6), FA_SHAPE(2, 3));
    HOLD(fa_to(fa_t(x), DEVICE(0)), 0, 3, 1, 4, 2, 5);
    HOLD(fa_to(fa_get(x, "::-1"), DEVICE(0)), 3, 4, 5, 0, 1, 2);
    HOLD(fa_to(fa_get(x, ":, ::2"), FA_F64), 0, 2, 3, 5);
}

static fa_shape numbers(char **text)
{
    fa_shape s = {.rank = 0};
    for (; **text && **text != '|' && **text != '\n'; s.rank++)
        s.dim[s.rank] = strtoll(*text, text, 10);
    *text += **text != 0;
    return s;
}

static bool has_strides(const fa_tensor *t, fa_shape strides)
{
    bool same = t && fa_dim(t) == strides.rank;
    for (int i = 0; same && i < strides.rank; i++)
        same = fa_size(t, i) == 1 || fa_stride(t, i) == strides.dim[i];
    return same;
}

/* Copies keep the order of strides and no gaps, as PyTorch's do (tests/reference/layouts.txt). Strides of dimensions of
 * size 1 lead nowhere and are not compared. */
static void copies_have_the_strides_of_pytorch(void **state)
{
    (void)state;
    FILE *file = fopen(FA_TEST_DATA "/reference/layouts.txt", "r");
    assert_non_null(file);
    char line[1000];
    int lines = 0, wrong = 0;
    fa_tensor *memory = fa_arange(0, 5000);
    while (fgets(line, sizeof line, file)) {
        FA_SCOPE;
        if (line[0] == '#')
            continue;
        char *at = line;
        fa_shape shape = numbers(&at), strides = numbers(&at), want = numbers(&at);
        fa_tensor *x = fa__strided_part(memory, FA_SHAPE(1), shape, strides, 0);
        fa_tensor *copies[] = {fa_clone(x), fa_to(x, FA_F64), fa_to(x, FA_F32, .copy = true), fa_to(x, DEVICE(0))};
        for (size_t k = 0; k < sizeof copies / sizeof *copies; k++)
            if (!has_strides(copies[k], want) || fa_item_int(fa_sum(fa_ne(fa_cpu(copies[k]), x)))) {
                print_error("copy %zu: %s", k, line);
                wrong++;
            }
        assert_true(fa_is_contiguous(fa_contiguous(x)));
        lines++;
    }
    fclose(file);
    assert_true(lines > 400);
    assert_int_equal(wrong, 0);
    fa_tensor *back = fa_clone(fa_flip(fa_t(fa_reshape(fa_arange(0, 6), FA_SHAPE(2, 3))), .dim = 1));
    assert_true(fa_stride(back, 0) == 1 && fa_stride(back, 1) == 3);
    HOLD(back, 3, 0, 4, 1, 5, 2);
}

/* Differentiable: the gradient comes back in the source's dtype and on its device. To an integer dtype drops
 * requires_grad. */
static void to_is_differentiable(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .requires_grad = true);
    fa_tensor *y = fa_to(fa_to(x, FA_F64), DEVICE(0));
    assert_true(fa_backward(fa_sum(fa_mul(y, y))));
    assert_true(on(fa_grad(x), FA_CPU) && fa_tensor_dtype(fa_grad(x)) == FA_F32);
    HOLD(fa_grad(x), 2, 2);
    assert_false(fa_requires_grad(fa_to(x, FA_I32)));
    assert_false(fa_requires_grad(fa_to(fa_mul(x, 2), FA_BOOL)));
    assert_true(fa_requires_grad(fa_to(x, FA_F16)));
}

/* A fault on a device (an index out of range inside a kernel) surfaces at the next wait with operation and index. */
static void an_index_out_of_range_on_late(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(4), .device = DEVICE(0));
    fa_tensor *y = fa_index_select(x, 0, late(fa_tensor_of(0, 7, 1)));
    if (!fa_failed())
        assert_true(isnan(fa_item(fa_sum(y))));
    FAILS(FA_ERROR_INDEX, "index_select", "7", "4");
    y = fa_gather(x, 0, late(fa_tensor_of(-1)));
    fa_synchronize(DEVICE(0));
    FAILS(FA_ERROR_INDEX, "gather", "-1", "4");
    HOLD(fa_index_select(x, 0, late(fa_tensor_of(3))), 1);
    HOLD(fa_add(x, 1), 2, 2, 2, 2);
}

/* Optimizer steps behind a fault write nothing, on the device where it was and on those that got something from it. */
static void a_fault_leaves_the_weights(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        FA_SCOPE;
        fa_device there = DEVICE(i & 1);
        fa_tensor *w = fa_to(fa_ones(FA_SHAPE(3)), there);
        fa_set_requires_grad(w, true);
        fa_optim *o = i < 2 ? fa_optim_sgd(fa_params(w), .lr = 1, .momentum = 0.9) : fa_optim_adam(fa_params(w));
        fa_tensor *index = fa_to(fa_tensor_of(0, 9), DEVICE(0));
        assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
        fa_tensor *loss = fa_sum(fa_index_select(fa_to(w, DEVICE(0)), 0, index));
        fa_backward(loss);
        fa_optim_step(o);
        assert_false(fa_synchronize(there)
                     && !fa_failed()); /* between two kinds of devices the host has waited already */
        FAILS(FA_ERROR_INDEX, "index_select", "9", "3");
        fa_synchronize(DEVICE(0));
        fa_error_clear();
        HOLD(fa_cpu(w), 1, 1, 1);
        fa_optim_zero_grad(o);
        assert_true(fa_backward(fa_sum(fa_mul(w, 0))) && fa_optim_step(o));
        HOLD(fa_cpu(w), 1, 1, 1);
    }
}

/* So do copies into what is there. */
static void a_fault_leaves_what_would_be_copied_over(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        FA_SCOPE;
        fa_tensor *x = late(fa_ones(FA_SHAPE(3))), *y = fa_to(fa_full(FA_SHAPE(3), 5.0), DEVICE(i & 1));
        fa_tensor *index = late(fa_tensor_of(0, 9, 1)), *host = fa_full(FA_SHAPE(3), 7.0);
        assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
        fa_tensor *bad = fa_index_select(x, 0, index);
        fa_copy_(y, bad);
        if (i > 1)
            fa_copy_(y, host);
        assert_false(fa_synchronize(DEVICE(i & 1)) && !fa_failed());
        FAILS(FA_ERROR_INDEX, "index_select", "9", "3");
        fa_synchronize(DEVICE(0));
        fa_error_clear();
        HOLD(fa_cpu(y), 5, 5, 5);
        assert_non_null(fa_copy_(y, host));
        HOLD(fa_cpu(y), 7, 7, 7);
    }
}

/* Out of range is an error with the index, on every device. */
static void an_index_out_of_range_on_the_cpu(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(4));
    assert_null(fa_index_select(x, 0, fa_tensor_of(0, 7, 1)));
    FAILS(FA_ERROR_INDEX, "index_select", "7", "4");
    assert_null(fa_cross_entropy(fa_ones(FA_SHAPE(2, 3)), fa_tensor_of(0, 3)));
    FAILS(FA_ERROR_INDEX, "cross_entropy", "3");
    assert_null(fa_select(x, 0, -5));
    FAILS(FA_ERROR_INDEX, "-5", "4");
    assert_null(fa_get(x, "4"));
    FAILS(FA_ERROR_INDEX, "4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_value_goes_with_any_device),
        TEST(a_value_does_not_come_from_a_device),
        TEST(indices_from_the_host),
        TEST(a_mismatch_names_every_operand),
        TEST(out_elsewhere_or_of_another_shape),
        TEST(an_empty_out_is_resized),
        TEST(out_is_as_it_was_after_an_error),
        TEST(an_empty_out_that_is_not_resized),
        TEST(an_empty_out_that_backward_needs),
        TEST(the_dtype_of_out),
        TEST(copy_crosses_and_broadcasts),
        TEST(to_returns_its_argument),
        TEST(to_keeps_the_order_of_strides),
        TEST(copies_have_the_strides_of_pytorch),
        TEST(to_is_differentiable),
        TEST(a_fault_leaves_the_weights),
        TEST(a_fault_leaves_what_would_be_copied_over),
        TEST(an_index_out_of_range_on_late),
        TEST(an_index_out_of_range_on_the_cpu),
    };
    return RUN("semantics_devices");
}
