/* Convolutions and their gradients on a GPU: the bits of the CPU's chains, over dtypes, layouts, sizes that are no
 * multiples of the tiles, and with both kinds of kernels. Needs OpenCL, such as PoCL; without a platform it is skipped.
 */
#include "gpu/gpu_products.h"
#include "support/convolution_cases.h"

static void check_case(int i, fa_dtype dtype, layout x_how, layout w_how, layout y_how)
{
    if (!gpu_has(dtype))
        return;
    FA_SCOPE;
    FA_USE(.deterministic = true); /* on the CPU, too: it filters some of these otherwise */
    const convolution_case *v = &convolution_cases[i];
    pair x = gpu_random(dtype, CONVOLUTION_X(v), x_how, false, 0),
         y = gpu_random(dtype, CONVOLUTION_Y(v), y_how, false, 0);
    pair w = gpu_random(dtype, CONVOLUTION_WEIGHT(v), w_how, false, 0);
    pair of_y = gpu_random(dtype, FA_SHAPE(v->out), LAYOUT_DENSE, false, 0);
    pair of_x = gpu_random(dtype, FA_SHAPE(v->in), LAYOUT_DENSE, false, 0);
#define CASE_IS "%s of case %d, %s %s"
#define CASE_OF(what) what, i, fa_dtype_name(dtype), layout_names[x_how]
    SAME(CASE_IS, convolved(v, x.cpu, w.cpu, of_y.cpu), convolved(v, x.gpu, w.gpu, of_y.gpu), CASE_OF("y"));
    SAME(CASE_IS, convolved_back(v, y.cpu, w.cpu, of_x.cpu), convolved_back(v, y.gpu, w.gpu, of_x.gpu), CASE_OF("x"));
    SAME(CASE_IS, convolved_weight(v, x.cpu, y.cpu), convolved_weight(v, x.gpu, y.gpu), CASE_OF("weight"));
}

static void tiles(void **state)
{
    (void)state;
    choose(TILES);
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        check_case(i, FA_F32, LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
}

static void single_elements(void **state)
{
    (void)state;
    choose(DIRECT);
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        check_case(i, FA_F32, LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
}

static void all_dtypes(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * CONVOLUTION_CASES; i++) {
        choose((way)(i % WAYS));
        check_case(i % CONVOLUTION_CASES, dtypes[(i + i / CONVOLUTION_CASES) % DTYPES], LAYOUT_DENSE, LAYOUT_DENSE,
                   LAYOUT_DENSE);
    }
}

static void all_layouts(void **state)
{
    (void)state;
    for (int i = 0; i < CONVOLUTION_CASES; i++) {
        choose((way)(i % 2));
        check_case(i, FA_F32, (layout)(i % LAYOUTS), (layout)(i / 2 % LAYOUTS), (layout)(i / 3 % LAYOUTS));
    }
}

/* Rows and columns that are no 32-bit numbers */
static void too_far(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(1, 1, 1, 3), .device = GPU), *w = fa_ones(FA_SHAPE(1, 1, 1, 2), .device = GPU);
    assert_null(fa_conv2d(x, w, .dilation = FA_PAIR(1, 2000000000), .padding = FA_PAIR(0, 1000000000)));
    assert_error(FA_ERROR_UNAVAILABLE, "conv2d", "fallback");
    FA_USE(.fallback = true);
    fa_tensor *y = fa_conv2d(x, w, .dilation = FA_PAIR(1, 2000000000), .padding = FA_PAIR(0, 1000000000));
    assert_non_null(y);
    assert_int_equal(fa_size(y, 3), 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(tiles), CASE(single_elements), CASE(all_dtypes), CASE(all_layouts),
                                       CASE(too_far)};
    if (!strcmp(fa__cpu_level_name(), "base")) {
        printf("skipped: at this level the CPU rounds a multiply-add twice\n");
        return GPU_SKIPPED;
    }
    return gpu_there() ? RUN("gpu_convolution") : GPU_SKIPPED;
}
