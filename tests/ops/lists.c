/* Operations whose result is a list: whose the array and its tensors are, the memory that parts share, their gradients,
 * and changes in place. */
#include "support/autograd_test.h"

static fa_tensor *count_up(fa_shape shape, int64_t n)
{
    return fa_reshape(fa_arange(0, (double)n, .dtype = FA_F64), shape);
}

static void shares_memory(void **state)
{
    (void)state;
    fa_tensor *x = count_up(FA_SHAPE(5, 2), 10);
    fa_tensors part = fa_split(x, 2);
    assert_int_equal(part.count, 3);
    HOLD(part.item[2], 8, 9);
    fa_copy_(part.item[1], -1);
    HOLD(x, 0, 1, 2, 3, -1, -1, -1, -1, 8, 9);
    fa_tensors row = fa_unbind(x, .dim = 1);
    fa_copy_(row.item[0], 7);
    HOLD(part.item[0], 7, 1, 7, 3);
    fa_tensors grid = fa_meshgrid(FA_TENSORS(fa_select(x, 1, 1), fa_select(x, 0, 0)), .indexing = "xy");
    assert_int_equal(fa_size(grid.item[0], 0), 2);
    assert_int_equal(fa_stride(grid.item[0], 0), 0);
    fa_tensors wide = fa_broadcast_tensors(FA_TENSORS(x, fa_select(x, 0, 0)));
    fa_set(x, "0, 0", 100);
    HOLD(fa_get(wide.item[1], "4"), 100, 1);
}

static fa_tensor *first_of(fa_tensor *x)
{
    FA_SCOPE;
    fa_tensors part = fa_chunk(x, 2);
    return fa_escape(part.item[0]);
}

static fa_tensor *gradient_of_square(fa_tensor *x)
{
    FA_SCOPE;
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(x, x))), FA_TENSORS(x));
    return fa_escape(g.item[0]);
}

/* The scope owns the array and the tensors; one of them can leave it, or be kept. */
static void belongs_to_the_scope(void **state)
{
    (void)state;
    fa_tensor *x = count_up(FA_SHAPE(4), 4), *kept = NULL;
    HOLD(first_of(x), 0, 1);
    fa_set_requires_grad(x, true);
    HOLD(gradient_of_square(x), 0, 2, 4, 6);
    {
        FA_SCOPE;
        kept = fa_keep(fa_split(x, 1).item[3]);
    }
    HOLD(kept, 3);
    fa_release(kept);
}

/* One node for all parts, more of them than an operation with named results can have. */
static void many_parts(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    fa_tensor *x = fa_ones(FA_SHAPE(MANY, 2), .dtype = FA_F64, .requires_grad = true);
    fa_tensors row = fa_unbind(x);
    assert_int_equal(row.count, MANY);
    fa_tensor *total = fa_mul(row.item[0], 2);
    for (int i = 1; i < MANY; i += 2)
        total = fa_add(total, fa_mul(row.item[i], fa_mul(row.item[i], i)));
    assert_true(fa_backward(fa_sum(total)));
    fa_tensor *g = fa_grad(x);
    HOLD(fa_get(g, ":4, 0"), 2, 2, 0, 6);
    HOLD(fa_get(g, "-2:, 1"), 0, 2 * (MANY - 1));
    HOLD(fa_sum(g), 2 * (2 + MANY * MANY / 2.0));
}

/* Only one part is used: the others' gradients are zeros, which nobody adds. */
static void one_part(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2, 6), .dtype = FA_F64, .requires_grad = true);
    fa_tensors part = fa_split_sizes(x, FA_LIST(1, 2, 3), .dim = 1);
    fa_tensor *w = fa_tensor_from(((double[]){2, 3}), FA_SHAPE(2), .dtype = FA_F64);
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(part.item[1], w))), FA_TENSORS(x));
    HOLD(g.item[0], 0, 2, 3, 0, 0, 0, 0, 2, 3, 0, 0, 0);
    g = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(fa_unbind(x, .dim = 1).item[4], w))), FA_TENSORS(x));
    HOLD(g.item[0], 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0);
}

/* A hook sees the gradient of its own part. */
static fa_tensor *twice(fa_tensor *g, void *seen)
{
    *(int *)seen += 1;
    return fa_mul(g, 2);
}

static void hooks(void **state)
{
    (void)state;
    int seen = 0;
    fa_tensor *x = fa_ones(FA_SHAPE(6), .dtype = FA_F64, .requires_grad = true);
    fa_tensors part = fa_split(x, 1);
    assert_true(fa_hook_grad(part.item[5], twice, &seen));
    fa_retain_grad(part.item[4]);
    assert_true(fa_backward(fa_add(fa_sum(fa_mul(part.item[4], 3)), fa_sum(part.item[5]))));
    assert_int_equal(seen, 1);
    HOLD(fa_grad(part.item[4]), 3);
    HOLD(fa_grad(x), 0, 0, 0, 0, 3, 2);
}

/* semantics.md: errors in place on the outputs of chunk, split, unbind. */
static void in_place(void **state)
{
    (void)state;
    fa_tensor *leaf = fa_ones(FA_SHAPE(4, 2), .dtype = FA_F64, .requires_grad = true), *x = fa_mul(leaf, leaf);
    fa_tensor *part[] = {fa_split(x, 2).item[0], fa_chunk(x, 2).item[1], fa_unbind(x).item[0],
                         fa_select(fa_split(x, 2).item[0], 0, 0)};
    for (int i = 0; i < 4; i++) {
        assert_null(fa_mul_(part[i], 2));
        FAILS(FA_ERROR_GRADIENT, "came in a list", "fa_mul_");
    }
    fa_tensors slice = fa_tensor_split(x, 2);
    assert_non_null(fa_mul_(slice.item[0], 3));
    HOLD(part[2], 3, 3);
    assert_true(fa_backward(fa_sum(fa_mul(part[2], part[2]))));
    HOLD(fa_grad(leaf), 36, 36, 0, 0, 0, 0, 0, 0);
    {
        FA_USE(.no_grad = true);
        assert_non_null(fa_mul_(fa_split(leaf, 3).item[1], 5));
    }
    HOLD(leaf, 1, 1, 1, 1, 1, 1, 5, 5);
    assert_int_equal(fa_split(leaf, FA_DIMS(1, 3)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "size is FA_DIMS: fa_split_sizes(x, FA_LIST(64, 4)) has several sizes", "fa_split");
    fa_tensor *plain = fa_ones(FA_SHAPE(2));
    assert_non_null(fa_mul_(fa_unbind(plain).item[0], 2));
    HOLD(plain, 2, 1);
    assert_null(fa_mul_(fa_unbind(plain).item[0], fa_sum(leaf)));
    FAILS(FA_ERROR_GRADIENT, "came in a list", "fa_mul_");
}

/* Parts of a base that is changed in place go with it. */
static void base_changed(void **state)
{
    (void)state;
    fa_tensor *leaf = fa_ones(FA_SHAPE(4), .dtype = FA_F64, .requires_grad = true), *x = fa_mul(leaf, 3);
    fa_tensors part = fa_split(x, 2);
    fa_mul_(x, x);
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(part.item[1])), FA_TENSORS(leaf));
    HOLD(g.item[0], 0, 0, 18, 18);
}

static void second_order(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_from(((double[]){1, 2, 3, 4}), FA_SHAPE(4), .dtype = FA_F64, .requires_grad = true);
    fa_tensors part = fa_split(x, 2);
    fa_tensor *y = fa_sum(fa_mul(fa_mul(part.item[0], part.item[0]), part.item[1]));
    fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .create_graph = true);
    HOLD(g.item[0], 6, 16, 1, 4);
    fa_tensors h = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(g.item[0], g.item[0]))), FA_TENSORS(x));
    HOLD(h.item[0], 2 * 6 * 6 + 2 * 1 * 2, 2 * 16 * 8 + 2 * 4 * 4, 2 * 6 * 2, 2 * 16 * 4);
}

static void nothing(void **state)
{
    (void)state;
    const fa_tensors none = {0, NULL};
    assert_int_equal(fa_unbind(fa_zeros(FA_SHAPE(0, 3))).count, 0);
    assert_int_equal(fa_broadcast_tensors(none).count, 0);
    assert_false(fa_failed());
}

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        fa_tensors refused = call;                                                                                     \
        assert_int_equal(refused.count, 0);                                                                            \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)

static void errors(void **state)
{
    (void)state;
    const fa_tensors none = {0, NULL};
    fa_tensor *x = fa_zeros(FA_SHAPE(4, 3)), *y = fa_zeros(FA_SHAPE(2), .dtype = FA_I32);
    REFUSED(fa_split(x, 0), FA_ERROR_ARGUMENT, "fa_split(x=(4, 3) f32 cpu, size=0)", "parts of 0 entries");
    REFUSED(fa_split(x, -1), FA_ERROR_ARGUMENT, "fa_split(");
    REFUSED(fa_split(x, 1, .dim = 2), FA_ERROR_INDEX, "fa_split(", "no dimension 2");
    REFUSED(fa_split(fa_zeros(FA_SCALAR), 1), FA_ERROR_SHAPE, "fa_split(x=() f32 cpu", "0-dim");
    REFUSED(fa_split_sizes(x, FA_LIST(1, 2)), FA_ERROR_ARGUMENT, "sizes={1, 2}", "make 3 entries of 4");
    REFUSED(fa_split_sizes(x, FA_LIST(5, -1)), FA_ERROR_ARGUMENT, "sizes[0] is 5", "4 entries of 4 are left");
    REFUSED(fa_split_sizes(x, FA_LIST(1.5, 2.5)), FA_ERROR_ARGUMENT, "sizes[0] is 1.5", "no whole number");
    REFUSED(fa_chunk(x, 0), FA_ERROR_ARGUMENT, "fa_chunk(", "0 chunks");
    REFUSED(fa_tensor_split(x, 0), FA_ERROR_ARGUMENT, "fa_tensor_split(", "0 sections");
    REFUSED(fa_tensor_split_at(x, FA_LIST(NAN)), FA_ERROR_ARGUMENT, "fa_tensor_split_at(", "indices[0] is nan");
    REFUSED(fa_meshgrid(FA_TENSORS(y, x)), FA_ERROR_SHAPE, "fa_meshgrid(x=[(2,) i32 cpu, (4, 3) f32 cpu]", "x[1]");
    REFUSED(fa_meshgrid(FA_TENSORS(y, fa_zeros(FA_SHAPE(2)))), FA_ERROR_DTYPE, "fa_meshgrid(", "x[1]");
    REFUSED(fa_meshgrid(FA_TENSORS(y), .indexing = "ji"), FA_ERROR_ARGUMENT, "indexing=\"ji\"", "\"ij\" or \"xy\"");
    REFUSED(fa_meshgrid(none), FA_ERROR_ARGUMENT, "fa_meshgrid(", "not 0");
    REFUSED(fa_broadcast_tensors(FA_TENSORS(x, y)), FA_ERROR_SHAPE, "fa_broadcast_tensors(", "x[1]");
    REFUSED(fa_broadcast_tensors(FA_TENSORS(x, fa_to(y, DEVICE(0)))), FA_ERROR_DEVICE, "fa_broadcast_tensors(",
            DEVICE_NAME(0), "cpu");
    REFUSED(fa_split(NULL, 1), FA_ERROR_ARGUMENT, "fa_split", "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shares_memory), TEST(belongs_to_the_scope), TEST(many_parts),   TEST(one_part), TEST(hooks),
        TEST(in_place),      TEST(base_changed),         TEST(second_order), TEST(nothing),  TEST(errors),
    };
    return RUN("lists");
}
