/* Arguments that programs make by hand, and make wrong: lists that are not there, shapes of impossible rank; and sizes
 * that are large where nothing is. */
#include "support/autograd_test.h"

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)

static void lists_that_are_not_there(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(4, 3));
    const fa_list none = {2, NULL};
    REFUSED(fa_pad(x, none), FA_ERROR_ARGUMENT, "fa_pad(x=(4, 3) f32 cpu, pads=NULL", "pads is NULL");
    assert_int_equal(fa_split_sizes(x, none).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_split_sizes(", "sizes is NULL");
    assert_int_equal(fa_tensor_split_at(x, none).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_tensor_split_at(", "indices is NULL");
    assert_int_equal(fa_tensor_split_at(x, ((fa_list){0, NULL})).count, 1);
    assert_false(fa_failed());
}

/* Nine sizes are written as FA_SHAPE would keep them; less than none nobody writes, but somebody may compute. */
static void ranks_that_no_shape_has(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(4, 3)), *scalar = fa_zeros(FA_SCALAR);
    const fa_shape wrong[] = {{.rank = 9, .dim = {1, 1, 1, 1, 1, 1, 1, 1}}, {.rank = -1}, {.rank = INT32_MIN}};
    const fa_dims many[] = {INT64_MAX, FA__DIMS(9),
                            FA__DIMS(2046)}; /* FA_DIMS has a number for each of at most eight */
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        static const char *const said[] = {"no dimension 9223372036854775807", "1 shifts for", "several are FA_DIMS"};
        REFUSED(fa_roll(x, FA_SHAPE(1), .dims = many[i]), i ? FA_ERROR_ARGUMENT : FA_ERROR_INDEX, "fa_roll(", said[i]);
        REFUSED(fa_rot90(x, .dims = many[i]), FA_ERROR_SHAPE, "fa_rot90(", "two dimensions");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const fa_shape s = wrong[i];
        REFUSED(fa_unflatten(scalar, 0, s), FA_ERROR_SHAPE, "fa_unflatten(");
        REFUSED(fa_unflatten(x, 0, s), FA_ERROR_SHAPE, "fa_unflatten(");
        REFUSED(fa_tile(x, s), FA_ERROR_SHAPE, "fa_tile(");
        REFUSED(fa_tile(scalar, s), FA_ERROR_SHAPE, "fa_tile(");
        REFUSED(fa_repeat(scalar, s), FA_ERROR_SHAPE, "fa_repeat(");
        REFUSED(fa_roll(x, s, .dims = 0), FA_ERROR_ARGUMENT, "fa_roll(");
        REFUSED(fa_movedim(x, s, s), FA_ERROR_ARGUMENT, "fa_movedim(");
        REFUSED(fa_as_strided(x, s, s), FA_ERROR_SHAPE, "fa_as_strided(");
        REFUSED(fa_view(x, s), FA_ERROR_SHAPE, "fa_view(");
        REFUSED(fa_reshape(x, s), FA_ERROR_SHAPE, "fa_reshape(");
        REFUSED(fa_expand(x, s), FA_ERROR_SHAPE, "fa_expand(");
        REFUSED(fa_permute(x, s), FA_ERROR_SHAPE, "fa_permute(");
        REFUSED(fa_new_zeros(x, s), FA_ERROR_SHAPE, "fa_new_zeros(");
    }
}

/* Rows without places take no time. */
static void triangles_of_many_rows(void **state)
{
    (void)state;
    const int64_t many = INT64_C(1) << 40;
    HOLD(fa_triu_indices(many, 2), 0, 0, 1, 0, 1, 1);
    HOLD(fa_triu_indices(many, 1, .offset = -1), 0, 1, 0, 0);
    HOLD(fa_tril_indices(many, 1, .offset = 1 - many), many - 1, 0);
    assert_int_equal(fa_size(fa_tril_indices(INT64_MAX, 0), 1), 0);
    assert_int_equal(fa_size(fa_triu_indices(INT64_MAX, 0, .offset = INT64_MIN), 1), 0);
    assert_int_equal(fa_size(fa_tril_indices(many, 3, .offset = INT64_MIN), 1), 0);
    assert_false(fa_failed());
}

/* Of a composed operation, too, .out may be an operand, or share memory with one. */
static void results_that_are_operands_of_composed(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, NAN, 3.0), *n = fa_tensor_of(1, 2);
    assert_ptr_equal(fa_nan_to_num(x, .out = x), x);
    HOLD(x, 1, 0, 3);
    assert_ptr_equal(fa_nan_to_num(n, .out = n), n);
    assert_non_null(fa_flip(x, .out = x));
    HOLD(x, 3, 0, 1);
    assert_non_null(fa_nan_to_num(x, .out = fa_get(x, "::-1")));
    HOLD(x, 1, 0, 3);
    assert_false(fa_failed());
}

/* An empty .out takes the result's shape; but not when it is an operand, whose shape that would change. */
static void results_that_are_operands(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(0, 4)), *y = fa_zeros(FA_SHAPE(0, 2)), *z = fa_zeros(FA_SHAPE(0));
    fa_tensor *column = fa_zeros(FA_SHAPE(3, 1));
    const char *why = "an operand";
    REFUSED(fa_sum(x, .dim = 0, .out = x), FA_ERROR_SHAPE, "fa_sum(x=(0, 4) f32 cpu", "shape (4,)", why);
    REFUSED(fa_sum(x, .dim = -1, .out = x), FA_ERROR_SHAPE, "fa_sum(", why);
    REFUSED(fa_matmul(fa_zeros(FA_SHAPE(3, 0)), y, .out = y), FA_ERROR_SHAPE, "fa_matmul(", "shape (3, 2)", why);
    REFUSED(fa_cat(FA_TENSORS(z, fa_ones(FA_SHAPE(2))), .out = z), FA_ERROR_SHAPE, "fa_cat(", "shape (2,)", why);
    REFUSED(fa_pad(z, FA_LIST(1, 1), .out = z), FA_ERROR_SHAPE, "fa_pad(", "shape (2,)", why);
    REFUSED(fa_add(z, column, .out = z), FA_ERROR_SHAPE, "fa_add(", "shape (3, 0)", why);
    assert_int_equal(fa_size(x, 1), 4);
    assert_int_equal(fa_size(y, 1), 2);
    assert_int_equal(fa_dim(z), 1);
    fa_tensor *ones = fa_ones(FA_SHAPE(2)), *fresh = fa_zeros(FA_SHAPE(0)); /* it is no operand */
    assert_ptr_equal(fa_cat(FA_TENSORS(ones, ones), .out = fresh), fresh);
    assert_int_equal(fa_numel(fresh), 4);
    assert_ptr_equal(fa_add(z, 1, .out = z), z);
    assert_ptr_equal(fa_sum(x, .dim = 0, .out = z), z);
    HOLD(z, 0, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_that_are_not_there),  TEST(ranks_that_no_shape_has),
        TEST(triangles_of_many_rows),    TEST(results_that_are_operands_of_composed),
        TEST(results_that_are_operands),
    };
    return RUN("arguments");
}
