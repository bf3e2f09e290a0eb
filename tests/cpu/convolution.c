/* Convolutions against their definition, over sizes, dtypes and layouts, with the same bits for any layout and number
 * of threads; what is refused, and what else the samples do not say. */
#include "backend/cpu/lanes_plan.h"
#include "base/alloc.h"
#include "support/autograd_test.h"
#include "support/convolution_cases.h"
#include "support/tensors.h"
#include <facula/host.h>

static uint64_t seed = 1;

/* Small fractions: sums of their products are exact in f32, whichever way they are added. */
static double *numbers(int64_t count)
{
    double *v = malloc((size_t)(count + 1) * sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v[i] = (double)(int64_t)(seed >> 59) - 15;
    }
    return v;
}

static int64_t count_of(fa_shape s)
{
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++)
        n *= s.dim[i];
    return n;
}

/* Calls f for each product of the definition, with its places in y, x and the weight, row-major. */
typedef struct sums {
    double *y, *x, *weight;
} sums;

static void each_product(const convolution_case *v, const sums *s, void (*f)(const sums *at))
{
    const int64_t in = v->in / v->groups, out = v->out / v->groups, h = convolution_result(v, 0);
    const int64_t w = convolution_result(v, 1), kernel = v->kernel[0] * v->kernel[1];
    for (int64_t at = 0; at < v->images * v->out * h * w; at++) {
        int64_t j = at % w, i = at / w % h, o = at / w / h % v->out, n = at / w / h / v->out;
        for (int64_t k = 0; k < in * kernel; k++) {
            int64_t c = k / kernel, r = k / v->kernel[1] % v->kernel[0], q = k % v->kernel[1];
            int64_t row = i * v->stride[0] + r * v->dilation[0] - v->padding[0];
            int64_t column = j * v->stride[1] + q * v->dilation[1] - v->padding[1];
            if (row < 0 || row >= v->size[0] || column < 0 || column >= v->size[1])
                continue;
            int64_t channel = o / out * in + c;
            f(&(sums){s->y + at, s->x + ((n * v->in + channel) * v->size[0] + row) * v->size[1] + column,
                      s->weight + o * in * kernel + k});
        }
    }
}

static void to_y(const sums *at)
{
    *at->y += *at->x * *at->weight;
}

static void to_x(const sums *at)
{
    *at->x += *at->y * *at->weight;
}

static void to_weight(const sums *at)
{
    *at->weight += *at->y * *at->x;
}

/* How often the chosen layout's values stand for themselves is the maker's affair: values are what it reads. */
static fa_tensor *tensor_of(double *values, fa_dtype dtype, fa_shape shape, layout how)
{
    if (how == LAYOUT_EXPANDED)
        repeat_values(shape.rank, shape.dim, values);
    fa_tensor *t = make_tensor(values, dtype, shape.rank, shape.dim, how, FA_CPU);
    assert_non_null(t);
    return t;
}

static void hold(const char *what, const convolution_case *v, fa_dtype dtype, layout how, const fa_tensor *have,
                 const double *want)
{
    double *values = have ? tensor_values(have) : NULL, worst = 0;
    double tolerance = dtype == FA_F16 || dtype == FA_BF16 ? dtype_tolerance(dtype) : 0;
    if (!values || !values_close(values, want, fa_numel(have), tolerance, &worst))
        fail_msg("%s of case %d, %s %s: off by %g %s", what, (int)(v - convolution_cases), fa_dtype_name(dtype),
                 layout_names[how], worst, fa_failed() ? fa_error_message() : "");
    free(values);
}

static void check_case(const convolution_case *v, fa_dtype dtype, layout x_how, layout weight_how, layout y_how)
{
    FA_SCOPE;
    FA_USE(.deterministic = true); /* the chains: winograd.c has what is nearly as precise */
    const fa_shape x_shape = CONVOLUTION_X(v), y_shape = CONVOLUTION_Y(v), weight_shape = CONVOLUTION_WEIGHT(v);
    const int64_t x_count = count_of(x_shape), y_count = count_of(y_shape), weight_count = count_of(weight_shape);
    double *x = numbers(x_count), *y = numbers(y_count), *weight = numbers(weight_count), *bias = numbers(v->out);
    double *want = calloc((size_t)(x_count + y_count + weight_count), sizeof *want);
    assert_non_null(want);
    fa_tensor *tx = tensor_of(x, dtype, x_shape, x_how), *ty = tensor_of(y, dtype, y_shape, y_how);
    fa_tensor *tw = tensor_of(weight, dtype, weight_shape, weight_how);
    fa_tensor *tb = tensor_of(bias, dtype, FA_SHAPE(v->out), LAYOUT_DENSE);
    const int64_t each = y_count / v->images / v->out;
    for (int64_t i = 0; i < y_count; i++)
        want[i] = bias[i / each % v->out];
    each_product(v, &(sums){want, x, weight}, to_y);
    hold("y", v, dtype, x_how, convolved(v, tx, tw, tb), want);
    each_product(v, &(sums){y, want + y_count, weight}, to_x);
    hold("x", v, dtype, y_how, convolved_back(v, ty, tw, NULL), want + y_count);
    each_product(v, &(sums){y, x, want + y_count + x_count}, to_weight);
    hold("weight", v, dtype, y_how, convolved_weight(v, tx, ty), want + y_count + x_count);
    free(x), free(y), free(weight), free(bias), free(want);
}

static void definition(void **state)
{
    (void)state;
    for (int i = 0; i < CONVOLUTION_CASES; i++) {
        check_case(&convolution_cases[i], FA_F64, LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
        check_case(&convolution_cases[i], FA_F32, LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
    }
}

static void dtypes(void **state)
{
    (void)state;
    static const fa_dtype others[] = {FA_I64, FA_I32, FA_F64, FA_BF16, FA_F16};
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        check_case(&convolution_cases[i], others[i % 3], LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        check_case(&convolution_cases[i], others[3 + i % 2], LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
}

static void layouts(void **state)
{
    (void)state;
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        for (layout how = LAYOUT_TRANSPOSED; how < LAYOUTS; how++)
            check_case(&convolution_cases[i], i % 2 ? FA_F32 : FA_F64, how,
                       (layout)(((unsigned)how + (unsigned)i) % LAYOUTS), how);
}

static fa_tensor *channels_last(const fa_tensor *x)
{
    const fa_shape last = {4, {0, 2, 3, 1}}, first = {4, {0, 3, 1, 2}};
    return fa_permute(fa_contiguous(fa_permute(x, last)), first);
}

/* Numbers of which each sum is rounded: the order is what it is. */
static void same_bits(void **state)
{
    (void)state;
    int threads = fa_num_threads();
    for (int i = 0; i < CONVOLUTION_CASES; i++) {
        FA_SCOPE;
        const convolution_case *v = &convolution_cases[i];
        fa_tensor *x = fa_randn(CONVOLUTION_X(v)), *y = fa_randn(CONVOLUTION_Y(v));
        fa_tensor *w = fa_randn(CONVOLUTION_WEIGHT(v)), *b = fa_randn(FA_SHAPE(v->out));
        fa_tensor *of_y = convolved(v, x, w, b), *of_x = convolved_back(v, y, w, NULL);
        fa_tensor *of_w = convolved_weight(v, x, y);
        fa_set_num_threads(i % 2 ? 1 : 3);
        fa_tensor *last = channels_last(x), *y_last = channels_last(y), *w_last = channels_last(w);
        assert_true(tensor_same_bits(of_y, convolved(v, last, w_last, b)));
        assert_true(tensor_same_bits(of_x, convolved_back(v, y_last, w, NULL)));
        assert_true(tensor_same_bits(of_w, convolved_weight(v, last, y_last)));
        fa_set_num_threads(threads);
        FA_USE(.deterministic = true);
        fa_tensor *one = fa_select(x, 0, 0), *first = fa_select(convolved(v, x, w, b), 0, 0);
        assert_true(tensor_same_bits(first, convolved(v, one, w, b))); /* an image does not depend on its batch */
    }
}

/* Taps so far apart that what lies between them cannot be copied. */
static void far_apart(void **state)
{
    (void)state;
    fa_tensor *x = fa_reshape(fa_arange(1, 7, .dtype = FA_F64), FA_SHAPE(1, 1, 2, 3));
    fa_tensor *w = fa_reshape(fa_arange(1, 5, .dtype = FA_F64), FA_SHAPE(1, 1, 2, 2));
    fa_tensor *y = fa_conv2d(x, w, .dilation = 1000000, .padding = FA_PAIR(500000, 499999));
    assert_int_equal(fa_size(y, 2), 2);
    HOLD(y, 0, 0);
    y = fa_conv2d(x, w, .dilation = 1000000, .padding = FA_PAIR(1000000, 1000000), .stride = 1000000);
    HOLD(y, 4, 3, 2, 1);
    fa_tensor *g =
        fa_conv_transpose2d(fa_ones(FA_SHAPE(1, 1, 1, 1), .dtype = FA_F64), w, .dilation = 3000, .padding = 1499);
    assert_int_equal(fa_size(g, 3), 3);
    HOLD(g, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void nothing_to_sum(void **state)
{
    (void)state;
    fa_tensor *b = fa_tensor_of(1.0, 2.0);
    HOLD(fa_conv2d(fa_ones(FA_SHAPE(1, 0, 2, 2)), fa_ones(FA_SHAPE(2, 0, 2, 1)), .bias = b), 1, 1, 2, 2);
    HOLD(fa_conv_transpose2d(fa_ones(FA_SHAPE(0, 1, 2)), fa_ones(FA_SHAPE(0, 2, 1, 1)), .bias = b), 1, 1, 2, 2);
    fa_tensor *none = fa__conv2d_weight(fa_ones(FA_SHAPE(0, 1, 2, 2)), fa_ones(FA_SHAPE(0, 1, 1, 1)), 2, 2, 1, 0, 1, 1);
    HOLD(none, 0, 0, 0, 0);
    /* no pixels, and 2^40 classes of them */
    fa_tensor *huge =
        fa_conv_transpose2d(fa_ones(FA_SHAPE(0, 1, 2, 2)), fa_ones(FA_SHAPE(1, 1, 1, 1)), .stride = 1 << 20);
    assert_int_equal(fa_size(huge, 2), (1 << 20) + 1);
}

/* Only results whose taps meet it; but padding is multiplied like other zeros. */
static void not_a_number(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, NAN, 2.0, 3.0), *w = fa_tensor_of(1.0, 1.0), *inf = fa_tensor_of(INFINITY, 1.0);
    x = fa_reshape(x, FA_SHAPE(1, 1, 4));
    w = fa_reshape(w, FA_SHAPE(1, 1, 2));
    HOLD(fa_conv1d(x, w), NAN, NAN, 5);
    HOLD(fa_conv1d(x, fa_reshape(inf, FA_SHAPE(1, 1, 2)), .padding = 1), NAN, NAN, NAN, INFINITY, INFINITY);
}

/* The sums by lanes leave out what is multiplied by zeros of the padding, but not where a weight is infinite. Columns
 * that are no neighbours are summed in another way. */
static void infinite_weights(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_add(fa_rand(FA_SHAPE(32, 3, 6, 5)), 1), *w = fa_randn(FA_SHAPE(4, 3, 3, 3));
        fa_copy_(fa_narrow(fa_select(w, 0, 1), 0, i, 1), fa_full(FA_SHAPE(1, 3, 3), i ? NAN : INFINITY));
        fa_tensor *y = fa_conv2d(x, w, .padding = 1), *last = fa_conv2d(channels_last(x), w, .padding = 1);
        assert_true(tensor_same_bits(fa_isnan(y), fa_isnan(last)));
        assert_true(tensor_same_bits(fa_nan_to_num(y, .nan = 3), fa_nan_to_num(last, .nan = 3)));
        assert_true(fa_item(fa_any(fa_isnan(fa_select(y, 1, 1)))) == 1);
        assert_true(fa_item(fa_any(fa_isnan(fa_select(y, 1, 2)))) == 0);
    }
}

/* Which way is taken is the planner's choice: it takes both. */
static void planned(void **state)
{
    (void)state;
    fa__lanes_plan x, y;
    fa__convolution few = {.images = 64,
                           .groups = 1,
                           .in = 3,
                           .out = 6,
                           .size = {32, 32},
                           .result = {28, 28},
                           .kernel = {5, 5},
                           .stride = {1, 1},
                           .dilation = {1, 1},
                           .x = {3072, 1024, 32, 1},
                           .y = {4704, 784, 28, 1}};
    fa__lanes_image image = {
        .p = fa__convolution_patches(&few), .groups = 1, .channels = 6, .stride = {4704, 784, 28, 1}};
    assert_true(fa__lanes_plan_image(&x, &image));
    assert_true(fa__lanes_plan_weight(&x, &y, &few));
    assert_int_equal(fa__convolution_parts(&few), 64); /* each image by itself */
    few.in = image.p.channels = 512;
    assert_false(fa__lanes_plan_image(&x, &image));
    assert_false(fa__lanes_plan_weight(&x, &y, &few));
}

static void lines(void **state)
{
    (void)state;
    fa_tensor *x = fa_randn(FA_SHAPE(2, 3, 9)), *w = fa_randn(FA_SHAPE(4, 3, 4));
    fa_tensor *same = fa_conv1d(x, w, .padding = FA_PADDING_SAME);
    assert_int_equal(fa_size(same, 2), 9);
    assert_true(tensor_same_bits(same, fa_narrow(fa_conv1d(x, w, .padding = 2), 2, 1, 9)));
    fa_tensor *image = fa_conv2d(fa_unsqueeze(x, 2), fa_unsqueeze(w, 2), .stride = FA_PAIR(1, 3));
    assert_true(tensor_same_bits(fa_conv1d(x, w, .stride = 3), fa_squeeze(image, .dim = 2)));
}

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)
#define ONES(...) fa_ones(FA_SHAPE(__VA_ARGS__))

static void refused(void **state)
{
    (void)state;
    fa_tensor *x = ONES(1, 2, 4, 4), *w = ONES(3, 2, 3, 3);
    REFUSED(fa_conv2d(ONES(1, 3, 4, 4), w), FA_ERROR_SHAPE, "fa_conv2d(x=(1, 3, 4, 4) f32", "x has 3 channels",
            "x has 3 channels, and weight takes 2");
    REFUSED(fa_conv2d(ONES(1, 4, 4, 4), w, .groups = 2), FA_ERROR_SHAPE, "fa_conv2d(", "3, is not divisible by 2");
    REFUSED(fa_conv2d(x, w, .groups = 0), FA_ERROR_ARGUMENT, "fa_conv2d(", "groups");
    REFUSED(fa_conv2d(x, w, .groups = INT64_MAX), FA_ERROR_SHAPE, "fa_conv2d(", "groups");
    REFUSED(fa_conv2d(x, ONES(0, 2, 3, 3)), FA_ERROR_SHAPE, "fa_conv2d(", "1 at least");
    REFUSED(fa_conv2d(x, ONES(3, 2, 5, 3)), FA_ERROR_SHAPE, "fa_conv2d(", "the kernel, 5 x 3", "input, 4 x 4");
    REFUSED(fa_conv2d(x, w, .dilation = FA_PAIR(1, 2)), FA_ERROR_SHAPE, "fa_conv2d(", "the kernel, 3 x 5");
    REFUSED(fa_conv2d(x, w, .dilation = INT32_MAX - 1), FA_ERROR_SHAPE, "fa_conv2d(", "larger than the padded");
    REFUSED(fa_conv2d(x, ONES(3, 2, 0, 3)), FA_ERROR_SHAPE, "fa_conv2d(", "0 x 3 entries");
    REFUSED(fa_conv2d(x, w, .padding = -1), FA_ERROR_ARGUMENT, "fa_conv2d(", "padding has to be from 0");
    REFUSED(fa_conv2d(x, w, .padding = INT64_C(1) << 40), FA_ERROR_ARGUMENT, "fa_conv2d(", "padding is no size");
    REFUSED(fa_conv2d(x, w, .padding = INT32_MAX), FA_ERROR_ARGUMENT, "fa_conv2d(", "padding is no size");
    REFUSED(fa_conv2d(x, w, .padding = (intptr_t) "same"), FA_ERROR_ARGUMENT,
            "the padding \"same\" is FA_PADDING_SAME");
    REFUSED(fa_conv2d(x, w, .stride = FA_DIMS(1, 2)), FA_ERROR_ARGUMENT, "stride=FA_DIMS(1, 2)",
            "stride is FA_DIMS: a height and a width are FA_PAIR(3, 5)");
    REFUSED(fa_avg_pool2d(x, 2, .stride = FA_DIMS(2, 2)), FA_ERROR_ARGUMENT, "stride is FA_DIMS", "FA_PAIR(3, 5)");
    REFUSED(fa_sum(x, .dim = FA_PAIR(0, 1)), FA_ERROR_ARGUMENT, "dim=FA_PAIR(0, 1)",
            "FA_PAIR is a height and a width: a dimension is a plain number, several are FA_DIMS(0, 1)");
    REFUSED(fa_conv2d(x, w, .stride = 0), FA_ERROR_ARGUMENT, "fa_conv2d(", "stride has to be from 1");
    REFUSED(fa_conv2d(x, w, .stride = FA_PAIR(1, -1)), FA_ERROR_ARGUMENT, "fa_conv2d(", "stride has to be from 1");
    REFUSED(fa_conv2d(x, w, .dilation = 0), FA_ERROR_ARGUMENT, "fa_conv2d(", "dilation has to be from 1");
    REFUSED(fa_conv2d(x, w, .stride = 2, .padding = FA_PADDING_SAME), FA_ERROR_ARGUMENT, "fa_conv2d(", "\"same\"");
    REFUSED(fa_conv2d(x, w, .bias = ONES(2)), FA_ERROR_SHAPE, "fa_conv2d(", "bias has to be (3)");
    REFUSED(fa_conv2d(x, fa_to(w, FA_F64)), FA_ERROR_DTYPE, "fa_conv2d(", "f32 and f64");
    REFUSED(fa_conv2d(x, w, .bias = fa_to(ONES(3), FA_F16)), FA_ERROR_DTYPE, "fa_conv2d(", "f32 and f16");
    REFUSED(fa_conv2d(fa_to(x, FA_BOOL), fa_to(w, FA_BOOL)), FA_ERROR_DTYPE, "fa_conv2d(", "bool");
    REFUSED(fa_conv2d(ONES(4, 4), w), FA_ERROR_SHAPE, "fa_conv2d(x=(4, 4)",
            "3 or 4 dimensions, (batch, channels, height, width) or without batch, and weight 4: fa_view and");
    REFUSED(fa_conv2d(x, ONES(2, 3, 3)), FA_ERROR_SHAPE, "fa_conv2d(", "weight 4");
    REFUSED(fa_conv2d(ONES(1, 2, 0, 4), w, .padding = 1), FA_ERROR_SHAPE, "fa_conv2d(", "only its batch");
    REFUSED(fa_conv1d(ONES(2, 4), ONES(3, 2, 5)), FA_ERROR_SHAPE, "fa_conv1d(x=(2, 4)", "the kernel, 1 x 5");
    REFUSED(fa_conv1d(x, w), FA_ERROR_SHAPE, "fa_conv1d(", "2 or 3 dimensions");
    REFUSED(fa_conv1d(ONES(2, 4), ONES(3, 2, 2), .stride = -1), FA_ERROR_ARGUMENT, "fa_conv1d(", "stride");
}

static void refused_transposed(void **state)
{
    (void)state;
    fa_tensor *x = ONES(1, 2, 4, 4), *w = ONES(2, 3, 3, 3);
    REFUSED(fa_conv_transpose2d(ONES(1, 3, 4, 4), w), FA_ERROR_SHAPE, "fa_conv_transpose2d(", "x has 3 channels",
            "weight takes 2, its first size");
    REFUSED(fa_conv_transpose2d(x, w, .output_padding = 1), FA_ERROR_ARGUMENT, "fa_conv_transpose2d(", "below stride");
    REFUSED(fa_conv_transpose2d(x, w, .stride = 2, .output_padding = 2), FA_ERROR_ARGUMENT, "fa_conv_transpose2d(",
            "output_padding");
    REFUSED(fa_conv_transpose2d(x, w, .stride = 2, .output_padding = -1), FA_ERROR_ARGUMENT, "fa_conv_transpose2d(",
            "output_padding has to be from 0");
    REFUSED(fa_conv_transpose2d(ONES(1, 2, 1, 1), w, .padding = 2), FA_ERROR_SHAPE, "fa_conv_transpose2d(",
            "takes all of the result");
    REFUSED(fa_conv_transpose2d(x, w, .padding = FA_PADDING_SAME), FA_ERROR_ARGUMENT, "fa_conv_transpose2d(", "same");
    REFUSED(fa_conv_transpose2d(x, w, .groups = 3), FA_ERROR_SHAPE, "fa_conv_transpose2d(", "not divisible");
    REFUSED(fa_conv_transpose2d(x, w, .groups = 2, .bias = ONES(3)), FA_ERROR_SHAPE, "fa_conv_transpose2d(",
            "bias has to be (6)");
    REFUSED(fa_conv_transpose2d(x, w, .stride = INT32_MAX - 1), FA_ERROR_SHAPE, "fa_conv_transpose2d(", "more than");
    REFUSED(fa_conv_transpose1d(ONES(2, 4), ONES(2, 3, 3), .output_padding = 1), FA_ERROR_ARGUMENT,
            "fa_conv_transpose1d(", "below stride");
}

static void autocast(void **state)
{
    (void)state;
    fa_tensor *x = ONES(1, 2, 4, 4), *w = ONES(3, 2, 3, 3);
    FA_SCOPE;
    FA_USE(.autocast = FA_BF16);
    assert_int_equal(fa_tensor_dtype(fa_conv2d(x, w)), FA_BF16);
    assert_int_equal(fa_tensor_dtype(fa_conv_transpose2d(x, ONES(2, 3, 3, 3))), FA_BF16);
    assert_int_equal(fa_tensor_dtype(fa_conv1d(ONES(2, 4), ONES(3, 2, 3))), FA_BF16);
}

/* Each allocation in turn: an error, and nothing is lost; or it goes without. */
static void without_memory(void **state)
{
    (void)state;
    const convolution_case *v = &convolution_cases[8], *parts = &convolution_cases[0];
    fa_tensor *x = fa_rand(CONVOLUTION_X(v)), *y = fa_rand(CONVOLUTION_Y(v)), *w = fa_rand(CONVOLUTION_WEIGHT(v));
    fa_tensor *many = fa_rand(CONVOLUTION_X(parts)), *of_many = fa_rand(CONVOLUTION_Y(parts));
    for (int which = 0; which < 4; which++) {
        int failed = 0;
        for (int64_t n = 1; n < 100; n++) {
            FA_SCOPE;
            fa__inject(n);
            const fa_tensor *t = which == 0   ? convolved(v, x, fa_transpose(w, 2, 3), NULL)
                                 : which == 1 ? convolved_back(v, y, w, NULL)
                                 : which == 2 ? convolved_weight(v, x, y)
                                              : convolved_weight(parts, many, of_many);
            bool reached = fa__inject_count() >= n;
            fa__inject(0);
            if (!reached)
                break;
            assert_true(t != NULL || fa_failed());
            failed += !t;
            fa_error_clear();
        }
        assert_true(failed > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(definition), TEST(dtypes),         TEST(layouts),      TEST(same_bits),
        TEST(far_apart),  TEST(nothing_to_sum), TEST(not_a_number), TEST(infinite_weights),
        TEST(planned),    TEST(lines),          TEST(refused),      TEST(refused_transposed),
        TEST(autocast),   TEST(without_memory),
    };
    return RUN("convolution");
}
