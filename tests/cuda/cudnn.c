/* Convolutions and their gradients by cuDNN, on the simulator's or on a real GPU: against convolutions in f64 on the
 * CPU, by which of them it makes, and with failures. */
#include "support/convolution_cases.h"
#define CUDNN_MADE(gpu) ((gpu)->convolutions)
#include "support/cudnn_test.h"

static double precision(fa_dtype dtype)
{
    return dtype == FA_F64 ? 1e-13 : dtype == FA_F32 ? 2e-5 : dtype == FA_F16 ? 2e-3 : 1.6e-2;
}

static void check(const char *what, int i, fa_dtype dtype, const fa_tensor *have, const fa_tensor *want,
                  int64_t by_library)
{
    const double off = error_of(have, want);
    if (!(off <= precision(dtype)))
        fail_msg("%s %d of %s: off by %g", what, i, fa_dtype_name(dtype), off);
    if (made() != by_library)
        fail_msg("%s %d of %s: %s by cuDNN", what, i, fa_dtype_name(dtype), by_library ? "not" : "made");
}

/* Numbers that the dtype has, in memory as they are, or with the columns of images far apart. */
static fa_tensor *random_tensor(fa_dtype dtype, fa_shape shape, bool turned)
{
    fa_tensor *x = fa_to(fa_to(fa_randn(shape), dtype), GPU);
    return turned ? fa_transpose(fa_contiguous(fa_transpose(x, 2, 3)), 2, 3) : x;
}

typedef struct operands {
    fa_tensor *x, *y, *weight, *out, *in; /* and the biases of y and of x */
} operands;

static operands operands_of(const convolution_case *v, fa_dtype dtype, bool turned)
{
    fa_tensor *out = fa_to(fa_to(fa_randn(FA_SHAPE(v->out, 2)), dtype), GPU);
    return (operands){random_tensor(dtype, CONVOLUTION_X(v), turned), random_tensor(dtype, CONVOLUTION_Y(v), turned),
                      random_tensor(dtype, CONVOLUTION_WEIGHT(v), false),
                      turned ? fa_select(out, 1, 1) : fa_contiguous(fa_select(out, 1, 1)),
                      fa_to(fa_to(fa_randn(FA_SHAPE(v->in)), dtype), GPU)};
}

static void check_all(const convolution_case *v, int i, fa_dtype dtype, bool turned, int64_t by_library)
{
    FA_SCOPE;
    const operands o = operands_of(v, dtype, turned);
    const fa_tensor *x = in_f64(o.x), *y = in_f64(o.y), *weight = in_f64(o.weight);
    check("y", i, dtype, convolved(v, o.x, o.weight, o.out), convolved(v, x, weight, in_f64(o.out)), by_library);
    check("x", i, dtype, convolved_back(v, o.y, o.weight, o.in), convolved_back(v, y, weight, in_f64(o.in)),
          by_library);
    check("weight", i, dtype, convolved_weight(v, o.x, o.y), convolved_weight(v, x, y), by_library);
}

static void convolutions(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16};
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        for (int turned = 0; turned < 2; turned++) {
            check_all(&convolution_cases[i], i, FA_F32, turned, 1);
            check_all(&convolution_cases[i], i, dtypes[(i + turned) % 4], turned, 1);
        }
}

static void gradients(void **state)
{
    (void)state;
    fa_tensor *weight = fa_randn(FA_SHAPE(6, 3, 3, 3), .requires_grad = true);
    fa_tensor *on_gpu = fa_detach(fa_to(weight, GPU)), *x = fa_randn(FA_SHAPE(2, 3, 8, 9), .requires_grad = true);
    fa_tensor *x_on_gpu = fa_detach(fa_to(x, GPU));
    fa_set_requires_grad(on_gpu, true);
    fa_set_requires_grad(x_on_gpu, true);
    assert_true(fa_backward(fa_sum(fa_square(fa_conv2d(x, weight)))));
    assert_true(fa_backward(fa_sum(fa_square(fa_conv2d(x_on_gpu, on_gpu)))));
    check("the weight's gradient", 0, FA_F32, fa_grad(on_gpu), in_f64(fa_grad(weight)), 3);
    check("the input's gradient", 0, FA_F32, fa_grad(x_on_gpu), in_f64(fa_grad(x)), 0);
}

static void tf32(void **state)
{
    (void)state;
    const convolution_case *v = &convolution_cases[2];
    const operands o = operands_of(v, FA_F32, false);
    const fa_tensor *want = convolved(v, in_f64(o.x), in_f64(o.weight), NULL);
    assert_true(error_of(convolved(v, o.x, o.weight, NULL), want) < 1e-5);
    FA_USE(.tf32 = true);
    const double off = error_of(convolved(v, o.x, o.weight, NULL), want);
    assert_true(off > 1e-5 && off < 2e-3);
    FA_USE(.deterministic = true);
    assert_int_equal(made(), 2);
    check_all(v, 2, FA_F32, false, 0);
}

/* What the library does not take: weights that are not contiguous, expanded images, integers. */
static void others_are_ours(void **state)
{
    (void)state;
    const convolution_case *v = &convolution_cases[2];
    operands o = operands_of(v, FA_F32, false);
    o.weight = fa_transpose(fa_contiguous(fa_transpose(o.weight, 2, 3)), 2, 3);
    check("strides", 0, FA_F32, convolved(v, o.x, o.weight, NULL), convolved(v, in_f64(o.x), in_f64(o.weight), NULL),
          0);
    o.weight = fa_contiguous(o.weight);
    o.x = fa_expand(fa_narrow(o.x, 0, 0, 1), CONVOLUTION_X(v));
    check("expanded", 0, FA_F32, convolved(v, o.x, o.weight, NULL), convolved(v, in_f64(o.x), in_f64(o.weight), NULL),
          0);
    fa_tensor *one = fa_to(fa_ones(CONVOLUTION_X(v), .dtype = FA_I32), GPU);
    fa_tensor *weight = fa_to(fa_ones(CONVOLUTION_WEIGHT(v), .dtype = FA_I32), GPU);
    check("integers", 0, FA_F64, convolved(v, one, weight, NULL), convolved(v, in_f64(one), in_f64(weight), NULL), 0);
}

/* For kernels of one row and 7 columns the simulator has no algorithm. */
static void a_convolution_that_it_has_not(void **state)
{
    (void)state;
    const convolution_case none = {2, 3, 4, 1, {9, 9}, {1, 7}, {1, 1}, {0, 3}, {1, 1}};
    for (int turn = 0; sim && turn < 2; turn++) {
        check_all(&none, 0, FA_F32, false, 0);
        check_all(&convolution_cases[4], 4, FA_F32, false, 1);
    }
}

/* Whichever call fails, the result is our kernel's, and right; cuDNN is not used any more, until the device is opened
 * by another process. So each failure is of a device of its own. */
static void a_call_may_fail(void **state)
{
    (void)state;
    static const char *const calls[] = {"cudnnCreate",
                                        "cudnnSetTensor4dDescriptorEx",
                                        "cudnnCreateFilterDescriptor",
                                        "cudnnSetConvolution2dDescriptor",
                                        "cudnnGetConvolutionForwardAlgorithm_v7",
                                        "cudnnConvolutionForward",
                                        "cudnnAddTensor"};
    const convolution_case *v = &convolution_cases[2];
    const operands o = operands_of(v, FA_F32, false);
    const fa_tensor *want = convolved(v, in_f64(o.x), in_f64(o.weight), in_f64(o.out));
    for (int i = 0; sim && i < (int)(sizeof calls / sizeof *calls); i++) {
        const fa_device there = FA_CUDA(i + 1);
        const fa_tensor *x = fa_to(o.x, there), *weight = fa_to(o.weight, there), *bias = fa_to(o.out, there);
        for (int turn = 0; turn < 2; turn++) {
            const long before = sim->calls(calls[i]);
            if (!turn)
                sim->inject(calls[i], 1, 5000, false);
            assert_true(error_of(convolved(v, x, weight, bias), want) < 1e-5);
            sim->inject(NULL, 0, 0, false);
            assert_int_equal(sim->calls(calls[i]) - before, !turn);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(convolutions),    CASE(gradients), CASE(tf32), CASE(others_are_ours), CASE(a_convolution_that_it_has_not),
        CASE(a_call_may_fail),
    };
    if (!cudnn_is_there("cudnnCreate"))
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("cudnn", tests, NULL, NULL);
}
