/* Convolutions by Winograd's filtering, of many channels and by lanes: against f64, with the same bits for any layout,
 * number of threads and level of instructions; the setting `deterministic` asks for the chains. */
#include "backend/cpu/level.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "support/autograd_test.h"
#include "support/convolution_cases.h"
#include "support/tensors.h"
#include <facula/host.h>
#include <math.h>

static const convolution_case cases[] = {
    {2, 24, 25, 1, {28, 28}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {70, 26, 27, 1, {3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 64, 32, 1, {15, 21}, {3, 3}, {1, 1}, {0, 0}, {1, 1}},
    {3, 33, 40, 1, {9, 8}, {3, 3}, {1, 1}, {2, 1}, {1, 1}},
    {9, 48, 70, 1, {17, 5}, {3, 3}, {1, 1}, {1, 2}, {1, 1}},
    {20, 24, 24, 1, {4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {6, 130, 24, 1, {6, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {4, 64, 96, 2, {12, 16}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {60, 24, 40, 1, {20, 22}, {3, 3}, {1, 1}, {6, 5}, {1, 1}}, /* several blocks of tiles */
    /* Few channels: by lanes */
    {64, 3, 6, 1, {32, 32}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {4, 6, 9, 1, {32, 32}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
    {35, 8, 12, 1, {17, 19}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {18, 12, 10, 1, {11, 23}, {7, 7}, {1, 1}, {3, 3}, {1, 1}},
    {17, 12, 16, 2, {15, 12}, {3, 5}, {1, 1}, {1, 2}, {1, 1}},
    {40, 12, 16, 1, {9, 9}, {5, 5}, {1, 1}, {4, 2}, {1, 1}},
    {32, 12, 12, 1, {21, 18}, {4, 3}, {1, 1}, {2, 1}, {3, 1}},
    {6, 12, 16, 1, {24, 36}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {300, 6, 8, 1, {12, 10}, {3, 3}, {1, 1}, {0, 1}, {1, 1}}, /* several images for each lane */
    /* The gradient of x alone: of each class of pixels, by rows and columns within a stride, or of some */
    {16, 8, 12, 1, {40, 41}, {6, 6}, {2, 2}, {1, 2}, {1, 1}},
    {9, 12, 16, 1, {33, 32}, {5, 5}, {2, 2}, {2, 2}, {1, 1}},
    {5, 30, 26, 1, {36, 38}, {9, 9}, {3, 3}, {4, 3}, {1, 1}}, /* in both dimensions */
};
enum { CASES = sizeof cases / sizeof *cases, FIRST_BY_LANES = 9, FIRST_OF_CLASSES = 18 };

typedef struct operands {
    fa_tensor *x, *y, *weight, *bias;
} operands;

typedef struct results {
    fa_tensor *of[3]; /* y, x and weight */
} results;

static operands operands_of(const convolution_case *v)
{
    return (operands){fa_randn(CONVOLUTION_X(v)), fa_randn(CONVOLUTION_Y(v)), fa_randn(CONVOLUTION_WEIGHT(v)),
                      fa_randn(FA_SHAPE(v->out))};
}

static operands converted(operands o, fa_tensor *(*f)(const fa_tensor *))
{
    return (operands){f(o.x), f(o.y), f(o.weight), f(o.bias)};
}

static fa_tensor *to_f64(const fa_tensor *x)
{
    return fa_to(x, FA_F64);
}

/* The same values, rows one element apart and columns far apart */
static fa_tensor *turned(const fa_tensor *x)
{
    return fa_dim(x) < 2 ? fa_clone(x) : fa_transpose(fa_contiguous(fa_transpose(x, -1, -2)), -1, -2);
}

static results results_of(const convolution_case *v, operands o)
{
    return (results){
        {convolved(v, o.x, o.weight, o.bias), convolved_back(v, o.y, o.weight, NULL), convolved_weight(v, o.x, o.y)}};
}

static double root_mean_square(const fa_tensor *x)
{
    return sqrt(fa_item(fa_mean(fa_mul(x, x))));
}

static void precise(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        FA_SCOPE;
        operands o = operands_of(&cases[i]);
        results have = results_of(&cases[i], o), want = results_of(&cases[i], converted(o, to_f64));
        for (int k = 0; k < 3; k++) {
            fa_tensor *error = fa_sub(to_f64(have.of[k]), want.of[k]);
            double size = root_mean_square(want.of[k]), mean = root_mean_square(error) / size;
            double most = fa_item(fa_amax(fa_abs(error))) / size;
            if (!(mean < 4e-6 && most < 4e-5))
                fail_msg("case %d, result %d: errors of %g, at most %g", i, k, mean, most);
        }
    }
}

static void hold_same(const char *what, int i, results a, results b)
{
    for (int k = 0; k < 3; k++)
        if (!tensor_same_bits(a.of[k], b.of[k]))
            fail_msg("case %d, result %d: other bits %s", i, k, what);
}

static void same_bits(void **state)
{
    (void)state;
    int threads = fa_num_threads();
    for (int i = 0; i < CASES; i++) {
        FA_SCOPE;
        operands o = operands_of(&cases[i]);
        results first = results_of(&cases[i], o);
        fa_set_num_threads(i % 2 ? 1 : 3);
        hold_same("with other threads", i, first, results_of(&cases[i], o));
        hold_same("with other strides", i, first, results_of(&cases[i], converted(o, turned)));
        fa_set_num_threads(threads);
    }
}

/* At every level that has a fused multiply-add */
static void hold_levels(int i, const convolution_case *v, operands o)
{
    const char *used = fa__cpu_level_name();
    int count;
    const char *const *name = fa__cpu_level_names(&count);
    assert_true(fa__cpu_level_use(name[count - 1]));
    results best = results_of(v, o);
    for (int l = 0; l < count - 1; l++) {
        if (strcmp(name[l], "base") == 0)
            continue;
        assert_true(fa__cpu_level_use(name[l]));
        hold_same(name[l], i, best, results_of(v, o));
    }
    assert_true(fa__cpu_level_use(used));
}

static void levels(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        FA_SCOPE;
        hold_levels(i, &cases[i], operands_of(&cases[i]));
    }
}

/* All cases are taken, and none where the chains are asked for: these have other bits. */
static void deterministic(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        FA_SCOPE;
        operands o = operands_of(&cases[i]);
        results fast = results_of(&cases[i], o);
        FA_USE(.deterministic = true);
        results chains = results_of(&cases[i], o);
        for (int k = 0; k < 3; k++)
            if ((k == 1 || i < FIRST_OF_CLASSES) && tensor_same_bits(fast.of[k], chains.of[k]))
                fail_msg("case %d, result %d is a chain", i, k);
    }
}

static fa_tensor *to_f16(const fa_tensor *x)
{
    return fa_to(x, FA_F16);
}

/* Half precision: the same bits for any number of threads, any strides and any level, also where pixels are in several
 * classes, and where images are too few for the lanes. */
static void halves(void **state)
{
    (void)state;
    static const convolution_case some[] = {
        {64, 3, 6, 1, {32, 32}, {5, 5}, {1, 1}, {0, 0}, {1, 1}},
        {4, 14, 10, 1, {14, 18}, {7, 3}, {3, 1}, {1, 1}, {1, 1}},
        {9, 13, 9, 1, {28, 29}, {3, 3}, {2, 1}, {1, 0}, {1, 1}},
        {16, 12, 10, 1, {35, 35}, {2, 5}, {3, 1}, {1, 0}, {1, 1}},
        {19, 6, 15, 1, {19, 20}, {3, 3}, {2, 1}, {1, 1}, {1, 1}},
        {8, 26, 28, 1, {20, 18}, {3, 3}, {1, 1}, {1, 1}, {1, 1}}, /* by two-dimensional filtering, in f32 */
        {16, 24, 25, 1, {33, 31}, {5, 5}, {2, 2}, {1, 2}, {1, 1}},
        {16, 8, 12, 1, {40, 41}, {6, 6}, {2, 2}, {1, 2}, {1, 1}}, /* backwards: four classes of 3 x 3 */
        {1, 24, 24, 1, {20, 130}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        {1, 24, 24, 1, {40, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        {2, 32, 32, 1, {5, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        {7, 24, 24, 1, {1, 60}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        {3, 24, 24, 1, {14, 67}, {6, 6}, {2, 2}, {2, 2}, {1, 1}},
    };
    const int threads = fa_num_threads();
    for (int i = 0; i < (int)(sizeof some / sizeof *some); i++) {
        FA_SCOPE;
        operands o = converted(operands_of(&some[i]), to_f16);
        fa_set_num_threads(1);
        results first = results_of(&some[i], o);
        fa_set_num_threads(2);
        hold_same("with other threads", i, first, results_of(&some[i], o));
        hold_same("with other strides", i, first, results_of(&some[i], converted(o, turned)));
        fa_set_num_threads(threads);
        hold_levels(i, &some[i], o);
    }
}

static fa_tensor *to_bf16(const fa_tensor *x)
{
    return fa_to(x, FA_BF16);
}

/* The number of threads does not choose between lanes and products by instructions for bf16, which have other bits. */
static void bf16_by_threads(void **state)
{
    (void)state;
    static const convolution_case some[] = {
        {1, 6, 40, 1, {40, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
        {1, 8, 3, 1, {40, 40}, {3, 3}, {1, 1}, {2, 2}, {2, 2}},
        {3, 24, 24, 1, {7, 33}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},
    };
    const int threads = fa_num_threads();
    for (int i = 0; i < (int)(sizeof some / sizeof *some); i++) {
        FA_SCOPE;
        operands o = converted(operands_of(&some[i]), to_bf16);
        fa_set_num_threads(1);
        results first = results_of(&some[i], o);
        for (int n = 2; n < 7; n++) {
            fa_set_num_threads(n);
            hold_same("with other threads", i, first, results_of(&some[i], o));
        }
        fa_set_num_threads(threads);
    }
}

/* What no pixel reads does not reach any, and rows of padding add nothing to large weights. */
static void infinite(void **state)
{
    (void)state;
    static const convolution_case wide = {8, 8, 8, 1, {36, 34}, {3, 5}, {1, 1}, {1, 7}, {1, 1}};
    operands o = operands_of(&wide);
    fa_tensor *all = fa_isfinite(convolved_back(&wide, o.y, o.weight, NULL));
    assert_true(fa_item(fa_all(all)));
    /* Pixels read columns 3 to 40, and those that fill the last tile two more. */
    const fa_tensor *column = fa_eq(fa_arange(0, (double)fa_size(o.y, 3)), 41);
    fa_tensor *y = fa_masked_fill(o.y, column, (double)INFINITY);
    assert_true(fa_item(fa_all(fa_isfinite(convolved_back(&wide, y, o.weight, NULL)))));
    static const convolution_case few = {8, 8, 8, 1, {20, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
    o = operands_of(&few);
    const fa_tensor *row = fa_unsqueeze(fa_eq(fa_arange(0, 3), 0), 1);
    o.weight = fa_masked_fill(fa_ones_like(o.weight), row, 3.3e38);
    fa_tensor *x = fa_mul(o.x, 1e-20);
    const int threads = fa_num_threads();
    fa_set_num_threads(1);
    fa_tensor *one = convolved(&few, x, o.weight, o.bias);
    fa_set_num_threads(2);
    assert_true(fa_equal(fa_isfinite(one), fa_isfinite(convolved(&few, x, o.weight, o.bias))));
    fa_set_num_threads(threads);
}

/* Each allocation fails once: the call fails with an error, or its result is right. */
static void memory_fails(const convolution_case *v)
{
    const int threads = fa_num_threads();
    fa_set_num_threads(1); /* so that the only scratch memory is this thread's */
    operands o = operands_of(v);
    results want = results_of(v, o);
    for (int which = 0; which < 3; which++) {
        bool reached = true;
        int failed = 0;
        for (int64_t n = 1; reached; n++) {
            FA_SCOPE;
            fa__cpu_scratch_release();
            fa__inject(n);
            fa_tensor *have = which == 0   ? convolved(v, o.x, o.weight, o.bias)
                              : which == 1 ? convolved_back(v, o.y, o.weight, NULL)
                                           : convolved_weight(v, o.x, o.y);
            reached = fa__inject_count() >= n;
            fa__inject(0);
            assert_int_equal(fa_error_code(), have ? FA_OK : FA_ERROR_MEMORY);
            failed += !have;
            fa_error_clear();
            assert_true(!have || tensor_same_bits(have, want.of[which]));
        }
        assert_true(failed >= 2); /* the result, and the scratch memory */
    }
    fa_set_num_threads(threads);
}

static void without_memory(void **state)
{
    (void)state;
    memory_fails(&cases[0]);
    memory_fails(&cases[FIRST_BY_LANES]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(precise), TEST(same_bits),       TEST(levels),   TEST(deterministic),
                                       TEST(halves),  TEST(bf16_by_threads), TEST(infinite), TEST(without_memory)};
    return RUN("winograd");
}
