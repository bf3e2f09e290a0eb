/* Integers divided by 0 in floor_divide, remainder and fmod are an error on every device: at once on the CPU, and when
 * a device is waited for. What was to be written stays as it was, and the process goes on. */
#include "support/autograd_test.h"

static fa_device places[2]; /* the CPU and the device */

static fa_tensor *whole(fa_device where, fa_dtype dtype, double a, double b, double c)
{
    return fa_to(fa_to(fa_tensor_of(a, b, c), dtype), where);
}

/* The error that comes at once or at the wait. */
#define DIVIDES_BY_ZERO(where, result, ...)                                                                            \
    do {                                                                                                               \
        fa_tensor *y_ = (result);                                                                                      \
        if (y_)                                                                                                        \
            fa_synchronize(where);                                                                                     \
        assert_null(strstr(fa_error_message(), "what="));                                                              \
        FAILS(FA_ERROR_ARGUMENT, __VA_ARGS__, "division by zero");                                                     \
    } while (0)

static void tensors(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_U8, FA_I8, FA_I16, FA_I32, FA_I64};
    for (int p = 0; p < 2; p++)
        for (int d = 0; d < 5; d++) {
            fa_tensor *x = whole(places[p], dtypes[d], 7, 8, 9), *y = whole(places[p], dtypes[d], 1, 0, 2);
            DIVIDES_BY_ZERO(places[p], fa_floor_divide(x, y), "fa_floor_divide", "(3,)", "element 1");
            DIVIDES_BY_ZERO(places[p], fa_trunc_divide(x, y), "fa_trunc_divide", "element 1");
            DIVIDES_BY_ZERO(places[p], fa_remainder(x, y), "fa_remainder", "element 1");
            DIVIDES_BY_ZERO(places[p], fa_fmod(x, y), "fa_fmod", "element 1");
            HOLD(fa_floor_divide(x, whole(places[p], dtypes[d], 2, 3, 4)), 3, 2, 2);
        }
}

static void numbers(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        fa_tensor *x = whole(places[p], FA_I32, 7, 8, 9), *zero = fa_to(fa_tensor_of(0), places[p]);
        assert_null(fa_remainder(x, 0));
        FAILS(FA_ERROR_ARGUMENT, "fa_remainder", "y=0", "division by zero");
        assert_null(fa_remainder(x, fa_full(FA_SCALAR, 0, .dtype = FA_I64)));
        FAILS(FA_ERROR_ARGUMENT, "fa_remainder", "division by zero");
        DIVIDES_BY_ZERO(places[p], fa_floor_divide(x, zero), "fa_floor_divide", "element 0");
        DIVIDES_BY_ZERO(places[p], fa_floor_divide(7, zero), "fa_floor_divide", "element 0");
    }
}

/* A stride of 0 or less, a broadcast, nothing at all, and more than one group of a GPU looks at. */
static void layouts(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        fa_tensor *many = fa_ones(FA_SHAPE(3, 5000), .dtype = FA_I32, .device = places[p]);
        fa_tensor *back = fa_flip(fa_arange(0, 5000, .dtype = FA_I32, .device = places[p]), .dim = 0);
        DIVIDES_BY_ZERO(places[p], fa_remainder(many, back), "element 4999");
        DIVIDES_BY_ZERO(places[p], fa_remainder(many, fa_expand(fa_narrow(back, 0, 4999, 1), FA_SHAPE(3, 5000))),
                        "element 0");
        assert_non_null(fa_remainder(many, fa_narrow(back, 0, 0, 1)));
        fa_tensor *none = fa_narrow(many, 1, 0, 0);
        assert_int_equal(fa_numel(fa_remainder(none, none)), 0);
        assert_true(fa_synchronize(places[p]));
    }
}

/* Behind the fault nothing is written over values. */
static void in_place(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        fa_tensor *x = whole(places[p], FA_I32, 7, 8, 9), *y = whole(places[p], FA_I32, 1, 0, 2);
        DIVIDES_BY_ZERO(places[p], fa_remainder_(x, y), "fa_remainder_", "element 1");
        HOLD(x, 7, 8, 9);
    }
}

static void expressions(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        fa_tensor *x = whole(places[p], FA_I32, 7, 8, 9), *y = whole(places[p], FA_I32, 1, 0, 2);
        DIVIDES_BY_ZERO(places[p], fa_pointwise("x + remainder(x, y)", x, y), "fa_pointwise", "element 1");
        HOLD(fa_pointwise("remainder(x, y + 1)", x, y), 1, 0, 0);
    }
}

/* Floats are divided by 0 as ever. */
static void floats(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        fa_tensor *x = whole(places[p], FA_F32, -7, 0, 9), *y = whole(places[p], FA_F32, 0, 0, 2);
        HOLD(fa_floor_divide(x, y), -INFINITY, NAN, 4);
        HOLD(fa_remainder(x, 0), NAN, NAN, NAN);
    }
}

static int begin(void **state)
{
    places[1] = DEVICE(0);
    return test_begin(state);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, test_end)
    const struct CMUnitTest tests[] = {CASE(tensors),  CASE(numbers),     CASE(layouts),
                                       CASE(in_place), CASE(expressions), CASE(floats)};
    return RUN("division");
}
