/* Gather and scatter against plain loops: dimensions, layouts, dtypes and ways to combine, with the same bits for any
 * layout and number of threads; what an index out of range leaves behind. */
#include "support/api_test.h"
#include "support/tensors.h"
#include <facula/host.h>

typedef struct indexed_case {
    fa_shape x, index;
    int dim;
} indexed_case;

static const indexed_case cases[] = {
    {{1, {1000}}, {1, {30000}}, 0},
    {{1, {70000}}, {1, {20000}}, 0},
    {{2, {120, 200}}, {2, {300, 200}}, 0},
    {{2, {120, 200}}, {2, {120, 300}}, 1},
    {{2, {9000, 5}}, {2, {9000, 3}}, 1},
    {{2, {6, 9000}}, {2, {4, 9000}}, 0},
    {{2, {50, 4}}, {2, {9000, 3}}, 0},
    {{3, {3, 70, 130}}, {3, {3, 60, 130}}, 1},
    {{3, {2, 1, 300}}, {3, {2, 40, 300}}, 1},
    {{4, {5, 6, 7, 11}}, {4, {4, 9, 7, 11}}, 1},
    {{4, {5, 6, 7, 11}}, {4, {5, 6, 7, 1}}, -1},
    {{3, {4, 5, 6}}, {3, {4, 0, 6}}, 1},
    {{2, {1, 1}}, {2, {1, 1}}, 0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const char *const reductions[] = {NULL, "sum", "prod", "amax", "amin"};
enum { FETCH = -1, SET, SUM, PROD, AMAX, AMIN, HOWS };

static float combined(int how, float x, float y)
{
    switch (how) {
    case SUM:
        return x + y;
    case PROD:
        return x * y;
    case AMAX:
        return x > y || x != x ? x : y;
    case AMIN:
        return x < y || x != x ? x : y;
    default:
        return y;
    }
}

/* The number of element i of `shape` in another shape, at `at` along dim (itself: -1). */
static int64_t number_in(const fa_shape *other, const fa_shape *shape, int64_t i, int dim, int64_t at)
{
    int64_t number = 0, pace = 1;
    for (int d = shape->rank - 1; d >= 0; i /= shape->dim[d], pace *= other->dim[d], d--)
        number += (d == dim && at >= 0 ? at : i % shape->dim[d]) * pace;
    return number;
}

static int64_t count_of(const fa_shape *s)
{
    int64_t n = 1;
    for (int d = 0; d < s->rank; d++)
        n *= s->dim[d];
    return n;
}

/* Of contiguous f32: y is x before, and what is fetched lies like the index. */
static void by_hand(const indexed_case *c, int how, float *y, const int64_t *index, float *src)
{
    const int dim = c->dim < 0 ? c->dim + c->x.rank : c->dim;
    for (int64_t i = 0; i < count_of(&c->index); i++) {
        float *at = &y[number_in(&c->x, &c->index, i, dim, index[i])];
        if (how == FETCH)
            src[i] = *at;
        else
            *at = combined(how, *at, src[i]);
    }
}

enum { DENSE, ACROSS, BACKWARDS, GAPS, WAYS };

/* The same values, lying otherwise. */
static fa_tensor *laid(fa_tensor *x, int how)
{
    switch (how) {
    case ACROSS:
        return fa_transpose(fa_contiguous(fa_transpose(x, 0, -1)), 0, -1);
    case BACKWARDS:
        return fa_flip(fa_contiguous(fa_flip(x)));
    case GAPS:
        return fa_select(fa_stack(FA_TENSORS(x, x), .dim = -1), -1, 1);
    default:
        return x;
    }
}

static fa_tensor *by_library(const indexed_case *c, int how, fa_tensor *x, fa_tensor *index, fa_tensor *src)
{
    if (how == FETCH)
        return fa_gather(x, c->dim, index);
    return how == SET ? fa_scatter(x, c->dim, index, src) : fa_scatter_reduce(x, c->dim, index, src, reductions[how]);
}

/* Whole numbers: every dtype holds them, and most their sums and products. */
static fa_tensor *small_values(fa_shape shape, bool ones)
{
    return fa_to(fa_randint(0, ones ? 2 : 3, shape), FA_F32);
}

static void check_case(const indexed_case *c, int how, fa_dtype dtype, bool rounded)
{
    FA_SCOPE;
    const int dim = c->dim < 0 ? c->dim + c->x.rank : c->dim;
    fa_tensor *x = rounded ? fa_randn(c->x) : small_values(c->x, how == SUM || how == PROD);
    fa_tensor *src = rounded ? fa_randn(c->index) : small_values(c->index, how == SUM || how == PROD);
    fa_tensor *index = fa_randint(0, c->x.dim[dim], c->index), *want = how == FETCH ? fa_clone(src) : fa_clone(x);
    assert_no_error();
    if (how == FETCH)
        by_hand(c, how, fa_ptr(fa_clone(x), FA_F32), fa_ptr(index, FA_I64), fa_ptr(want, FA_F32));
    else
        by_hand(c, how, fa_ptr(want, FA_F32), fa_ptr(index, FA_I64), fa_ptr(src, FA_F32));
    want = fa_to(want, dtype);
    for (int i = 0; i < WAYS; i++) {
        fa_set_num_threads(i % 2 ? 3 : 1);
        fa_tensor *at = laid(fa_to(index, i == GAPS ? FA_I32 : FA_I64), (i + 1) % WAYS);
        fa_tensor *have = by_library(c, how, laid(fa_to(x, dtype), i), at, laid(fa_to(src, dtype), (i + 2) % WAYS));
        assert_no_error();
        assert_true(tensor_same_bits(fa_contiguous(have), want));
    }
}

/* Sums of which each is rounded: their order is what it is. */
static void order_and_layouts(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int how = FETCH; how < HOWS; how++)
            check_case(&cases[i], how, FA_F32, true);
}

static void dtypes(void **state)
{
    (void)state;
    static const fa_dtype others[] = {FA_F64, FA_I64, FA_I32, FA_BF16, FA_U8, FA_BOOL};
    for (int i = 0; i < CASES; i++)
        for (int how = FETCH; how < HOWS; how++)
            for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
                if ((i + how + (int)k) % 3 == 0 && (how < SUM || others[k] != FA_BOOL))
                    check_case(&cases[i], how, others[k], false);
}

/* A list of indices is the same for all of a row: whole rows are moved. */
static void lists(void **state)
{
    (void)state;
    for (int dim = 0; dim < 3; dim++) {
        FA_SCOPE;
        const fa_shape shape = {3, {70, 50, 40}};
        fa_shape several = shape, list = {3, {1, 1, 1}};
        several.dim[dim] = list.dim[dim] = 90;
        fa_tensor *x = fa_randn(shape), *src = fa_randn(several), *index = fa_randint(0, shape.dim[dim], FA_SHAPE(90));
        fa_tensor *each = fa_contiguous(fa_expand(fa_reshape(index, list), several));
        fa_tensor *want = fa_gather(x, dim, each), *sum = fa_scatter_add(x, dim, each, src);
        for (int i = 0; i < WAYS; i++) {
            fa_set_num_threads(i % 2 ? 3 : 1);
            assert_true(tensor_same_bits(fa_contiguous(fa_index_select(laid(x, i), dim, index)), want));
            assert_true(tensor_same_bits(fa_contiguous(fa_index_add(laid(x, i), dim, index, laid(src, i))), sum));
        }
    }
}

/* Positions over two dimensions, joined or not */
static void flat_positions(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_randn(FA_SHAPE(60, 50)), *index = fa_randint(-3000, 3000, FA_SHAPE(20000));
    fa_tensor *src = fa_randn(FA_SHAPE(20000)), *at = fa_where(fa_lt(index, 0), fa_add(index, 3000), index);
    fa_tensor *want = fa_gather(fa_flatten(x), 0, at);
    fa_tensor *sum = fa_reshape(fa_scatter_add(fa_flatten(x), 0, at, src), FA_SHAPE(60, 50));
    for (int i = 0; i < WAYS; i++) {
        fa_set_num_threads(i % 2 ? 3 : 1);
        assert_true(tensor_same_bits(fa_take(laid(x, i), laid(fa_to(index, FA_I32), i)), want));
        assert_true(tensor_same_bits(fa_put(laid(x, i), index, src, .accumulate = true), sum));
    }
    assert_no_error();
}

/* The first that is out of range is reported, and nothing was written. */
static void out_of_range(void **state)
{
    (void)state;
    static const int64_t wrong[] = {500, -1, INT64_MAX, INT64_MIN};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < WAYS; i++) {
            FA_SCOPE;
            fa_set_num_threads(i % 2 ? 3 : 1);
            fa_tensor *x = fa_randn(FA_SHAPE(90, 500)), *before = fa_clone(x);
            fa_tensor *index = fa_randint(0, 500, FA_SHAPE(90, 600));
            int64_t *at = fa_ptr(index, FA_I64);
            at[41234] = at[47000] = wrong[k];
            assert_null(fa_scatter_add_(x, 1, laid(index, i), fa_randn(FA_SHAPE(90, 600))));
            assert_error(FA_ERROR_INDEX, "out of range for dimension 1 of size 500", "element 41234");
            assert_true(tensor_same_bits(x, before));
            assert_null(fa_gather(x, 1, laid(index, i)));
            assert_error(FA_ERROR_INDEX, "element 41234");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(order_and_layouts), TEST(dtypes), TEST(lists), TEST(flat_positions),
                                       TEST(out_of_range)};
    return RUN("indexed");
}
