/* Denormal numbers in each floating dtype: rows that compute, compare, convert, order and add them keep every bit. The
 * tolerances of golden.c are far above them; what is expected here is exact, and is computed in f64 (of f64's own
 * denormals, too: sums, differences and products by powers of two of these are exact). Devices that run late compute as
 * the CPU does; OpenCL's may flush denormals of f32, and is not asked. */
#include "support/autograd_test.h"
#include "support/tensors.h"
#include <math.h>

enum { COUNT = 40 };

static const fa_dtype dtypes[] = {FA_F16, FA_BF16, FA_F32, FA_F64};
static const int lowest[] = {-24, -133, -149, -1074}; /* the smallest number is 2 to the power of it */
static const int digits[] = {10, 7, 23, 52};          /* of denormals */

/* Number i: multiples of the smallest number with all digits, of both signs, up to where numbers are normal. */
static double number(int k, int64_t i)
{
    int64_t whole = (INT64_C(1) << digits[k]) / COUNT * i + i % 3;
    return (i & 1 ? -1 : 1) * ldexp((double)whole, lowest[k]);
}

static fa_tensor *numbers(int k, int64_t from, fa_device device)
{
    double v[COUNT];
    for (int64_t i = 0; i < COUNT; i++)
        v[i] = number(k, (i + from) % COUNT);
    return make_tensor(v, dtypes[k], 1, (int64_t[]){COUNT}, LAYOUT_DENSE, device);
}

/* Every element, as f64 has it; signs of zeros too. */
static void hold(const fa_tensor *y, const double *want, int line)
{
    double have[COUNT];
    assert_true(y && fa_numel(y) <= COUNT && fa_read(y, have, FA_F64, fa_numel(y)));
    for (int64_t i = 0; i < fa_numel(y); i++)
        if (!(isnan(have[i]) && isnan(want[i])) && (have[i] != want[i] || signbit(have[i]) != signbit(want[i]))) {
            print_error("line %d, %s: element %d is %a instead of %a\n", line, fa_dtype_name(fa_tensor_dtype(y)),
                        (int)i, have[i], want[i]);
            fail();
        }
}

/* An expression of element i of x, a, and of y, b. */
#define EACH(y, expression)                                                                                            \
    do {                                                                                                               \
        double want[COUNT];                                                                                            \
        for (int64_t i = 0; i < COUNT; i++) {                                                                          \
            double a = number(k, i), b = number(k, (i + 7) % COUNT);                                                   \
            (void)a, (void)b;                                                                                          \
            want[i] = (double)(expression);                                                                            \
        }                                                                                                              \
        hold(y, want, __LINE__);                                                                                       \
    } while (0)

static void pointwise(int k, fa_device device)
{
    FA_SCOPE;
    fa_tensor *x = numbers(k, 0, device), *y = numbers(k, 7, device);
    EACH(fa_add(x, y), a + b);
    EACH(fa_sub(x, y), a - b);
    EACH(fa_mul(x, 2), 2 * a);
    EACH(fa_mul(x, -1), -a);
    EACH(fa_neg(x), -a);
    EACH(fa_abs(x), fabs(a));
    EACH(fa_maximum(x, y), a > b ? a : b);
    EACH(fa_where(fa_lt(x, y), x, y), a < b ? a : b);
    EACH(fa_relu(x), a > 0 ? a : 0);
    EACH(fa_div(x, x), i ? 1 : NAN);
    EACH(fa_sign(x), (a > 0) - (a < 0));
}

static void compared(int k, fa_device device)
{
    FA_SCOPE;
    fa_tensor *x = numbers(k, 0, device), *y = numbers(k, 7, device);
    EACH(fa_eq(x, 0), a == 0);
    EACH(fa_gt(x, 0), a > 0);
    EACH(fa_lt(x, y), a < b);
    EACH(fa_eq(x, y), a == b);
    EACH(fa_to(x, FA_BOOL), a != 0);
    EACH(fa_logical_not(x), a == 0);
    EACH(fa_signbit(x), signbit(a) != 0);
}

/* Sums are of the first 16, which do not round in any order. */
static void ordered_and_added(int k, fa_device device)
{
    FA_SCOPE;
    double sum = 0, least = 0, most = 0, order[COUNT];
    fa_tensor *x = numbers(k, 0, device);
    for (int64_t i = 0; i < COUNT; i++) {
        sum += i < 16 ? number(k, i) : 0;
        least = fmin(least, number(k, i));
        most = fmax(most, number(k, i));
    }
    hold(fa_sum(fa_narrow(x, 0, 0, 16)), &sum, __LINE__);
    hold(fa_amin(x), &least, __LINE__);
    hold(fa_amax(x), &most, __LINE__);
    assert_true(fa_read(fa_sort(x).values, order, FA_F64, COUNT));
    for (int i = 1; i < COUNT; i++)
        assert_true(order[i - 1] <= order[i]);
    assert_true(order[0] == least && order[COUNT - 1] == most);
}

/* To wider dtypes, and back. */
static void converted(int k, fa_device device)
{
    FA_SCOPE;
    fa_tensor *x = numbers(k, 0, device);
    EACH(fa_to(x, FA_F64), a);
    EACH(fa_to(fa_to(x, FA_F64), dtypes[k]), a);
    if (dtypes[k] != FA_F64) {
        EACH(fa_to(x, FA_F32), a);
        EACH(fa_to(fa_to(x, FA_F32), dtypes[k]), a);
    }
    EACH(fa_to(x, FA_I32), 0);
}

static void denormals(void **state)
{
    (void)state;
    static void (*const what[])(int, fa_device) = {pointwise, compared, ordered_and_added, converted};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            what[i](k, FA_CPU);
            what[i](k, DEVICE(0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(denormals)};
    return RUN("denormals");
}
