/* Convolutions and their gradients on tensor cores by our kernel, on the simulator's or on a real GPU: against
 * convolutions in f64 on the CPU, within the bounds of docs/math.md, by which of them it makes. */
#include "support/convolution_cases.h"
#include "support/cudasim.h"
#include "support/tensor_cores.h"
#include "support/tensors.h"
#include <stdio.h>

#define S(...) FA_SHAPE(__VA_ARGS__)

static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16};

/* ---- operands ---- */
/* As support/tensors.h has them; as images with their channels last; or dense, but at an odd address. */
enum { CHANNELS_LAST = LAYOUTS, ODD, HOWS };

static fa_tensor *laid_out(const fa_tensor *dense, int how)
{
    const fa_shape shape = fa_tensor_shape(dense);
    const fa_dtype dtype = fa_tensor_dtype(dense);
    if (how == CHANNELS_LAST) {
        fa_tensor *last = fa_contiguous(fa_transpose(fa_transpose(fa_to(dense, GPU), 1, 2), 2, 3));
        return fa_transpose(fa_transpose(last, 2, 3), 1, 2);
    }
    if (how == ODD) {
        fa_tensor *line = fa_cat(FA_TENSORS(fa_ones(S(3), .dtype = dtype), fa_flatten(dense)));
        return fa_view(fa_narrow(fa_to(line, GPU), 0, 3, fa_numel(dense)), shape);
    }
    double *values = tensor_values(dense);
    if (how == LAYOUT_EXPANDED)
        repeat_values(shape.rank, shape.dim, values);
    fa_tensor *x = make_tensor(values, dtype, shape.rank, shape.dim, (layout)how, GPU);
    free(values);
    return x;
}

static fa_tensor *random_tensor(fa_dtype dtype, fa_shape shape, int how)
{
    fa_tensor *x = laid_out(fa_to(fa_randn(shape), dtype), how);
    if (!x)
        fail_msg("%s", fa_error_message());
    return x;
}

typedef struct operands {
    fa_tensor *x, *y, *weight, *out, *in; /* and the biases of y and of x */
} operands;

static operands operands_of(const convolution_case *v, fa_dtype dtype, int x_how, int weight_how, int y_how)
{
    return (operands){random_tensor(dtype, CONVOLUTION_X(v), x_how), random_tensor(dtype, CONVOLUTION_Y(v), y_how),
                      random_tensor(dtype, CONVOLUTION_WEIGHT(v), weight_how),
                      random_tensor(dtype, S(v->out), x_how < LAYOUTS ? x_how : LAYOUT_DENSE),
                      random_tensor(dtype, S(v->in), LAYOUT_DENSE)};
}

/* The same on the CPU, of f64 */
static operands exact(const operands *o)
{
    return (operands){in_f64(o->x), in_f64(o->y), in_f64(o->weight), in_f64(o->out), in_f64(o->in)};
}

static operands absolute(const operands *o)
{
    return (operands){fa_abs(o->x), fa_abs(o->y), fa_abs(o->weight), fa_abs(o->out), fa_abs(o->in)};
}

/* ---- checks ---- */
typedef enum direction { OF_Y, OF_X, OF_WEIGHT, DIRECTIONS } direction;
static const char *const direction_names[] = {"y", "x", "the weight"};

static fa_tensor *convolve(const convolution_case *v, direction which, const operands *o)
{
    return which == OF_Y   ? convolved(v, o->x, o->weight, o->out)
           : which == OF_X ? convolved_back(v, o->y, o->weight, o->in)
                           : convolved_weight(v, o->x, o->y);
}

static int64_t depth_of(const convolution_case *v, direction which)
{
    const int64_t taps = v->kernel[0] * v->kernel[1] / v->groups;
    return which == OF_Y   ? v->in * taps
           : which == OF_X ? v->out * taps
                           : v->images * convolution_result(v, 0) * convolution_result(v, 1);
}

static void check_all(const char *what, const convolution_case *v, const operands *o, int64_t on_tensor_cores)
{
    const operands of_f64 = exact(o), sizes = absolute(&of_f64);
    const fa_dtype dtype = fa_tensor_dtype(o->x);
    for (direction which = 0; which < DIRECTIONS; which++) {
        FA_SCOPE;
        char name[120];
        snprintf(name, sizeof name, "%s of %s", direction_names[which], what);
        check_result(name, dtype, convolve(v, which, o), convolve(v, which, &of_f64), convolve(v, which, &sizes),
                     depth_of(v, which), on_tensor_cores);
    }
}

static void check_case(int i, fa_dtype dtype, int x_how, int weight_how, int y_how)
{
    FA_SCOPE;
    char what[80];
    snprintf(what, sizeof what, "case %d, layouts %d, %d, %d", i, x_how, weight_how, y_how);
    const operands o = operands_of(&convolution_cases[i], dtype, x_how, weight_how, y_how);
    check_all(what, &convolution_cases[i], &o, 1);
}

/* ---- tests ---- */
static void each_case(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int i = 0; i < CONVOLUTION_CASES; i++)
        for (int large = 0; large < 2; large++) {
            use_large_tiles(large);
            check_case(i, dtypes[(i + large) % 3], LAYOUT_DENSE, LAYOUT_DENSE, LAYOUT_DENSE);
        }
}

static void layouts(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int i = 0; i < CONVOLUTION_CASES; i++) {
        use_large_tiles(i % 2);
        check_case(i, dtypes[i % 3], (i + 1) % HOWS, (i / 2 + i) % HOWS, (i / 3 + 2 * i) % HOWS);
    }
}

/* Rows, columns and depth around the edges of tiles, of steps and of pieces: each of them is each direction's rows. */
static void check_sizes(int64_t out, int64_t pixels, int64_t in, int kernel, int turn)
{
    FA_SCOPE;
    const convolution_case v = {1, in, out, 1, {1, pixels}, {1, kernel}, {1, 1}, {0, kernel / 2}, {1, 1}};
    char what[80];
    snprintf(what, sizeof what, "%d x %d channels, %d pixels", (int)out, (int)in, (int)pixels);
    const operands o = operands_of(&v, dtypes[turn % 3], turn % 5 ? LAYOUT_DENSE : ODD, turn % 4 ? LAYOUT_DENSE : ODD,
                                   turn % 7 ? LAYOUT_DENSE : ODD);
    check_all(what, &v, &o, 1);
}

static void edges(void **state)
{
    (void)state;
    static const int64_t of_steps[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    int turn = 0;
    FA_USE(.tf32 = true);
    for (size_t i = 0; i < sizeof of_steps / sizeof *of_steps; i++)
        for (int d = 0; d < 3; d++) {
            check_sizes(9, 10, of_steps[i], 1, d);
            check_sizes(of_steps[i], 11, 7, 3, d);
            check_sizes(10, of_steps[i], 5, 1, d);
        }
    for (int large = 0; large < 2; large++) {
        const int64_t tile = large ? 128 : 64;
        use_large_tiles(large);
        for (int64_t m = tile - 1; m <= tile + 1; m++)
            for (int64_t n = tile - 1; n <= tile + 1; n++, turn++) {
                check_sizes(m, n, 17, 1, turn);
                check_sizes(m, 40, (n + 2) / 3, 3, turn + 1);
                check_sizes(20, m, n, 1, turn + 2);
            }
    }
}

/* NaN and infinities stay where their pixels and channels are. Under weights that are infinite the padding counts. */
static void special_numbers(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++) {
        FA_SCOPE;
        fa_tensor *x = fa_ones(S(2, 5, 7, 9), .dtype = dtypes[d]), *w = fa_ones(S(9, 5, 3, 3), .dtype = dtypes[d]);
        fa_set(x, "1, 4, 6, 8", NAN);
        fa_set(x, "0, 2, 3, 3", INFINITY);
        fa_set(w, "7, 4, 2, 2", -INFINITY);
        const fa_tensor *have = in_f64(fa_conv2d(fa_to(x, GPU), fa_to(w, GPU), .padding = 1));
        const fa_tensor *want = fa_conv2d(in_f64(x), in_f64(w), .padding = 1);
        assert_int_equal(made(), 1);
        assert_true(fa_item(fa_all(fa_logical_or(fa_eq(have, want), fa_logical_and(fa_isnan(have), fa_isnan(want))))));
    }
}

/* Every run, and each size of tiles, has the same bits. */
static void the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < CONVOLUTION_CASES; i += 8)
        for (direction which = 0; which < DIRECTIONS; which++) {
            FA_SCOPE;
            const operands o = operands_of(&convolution_cases[i], dtypes[1 + i % 2], 0, 0, 0);
            use_large_tiles(false);
            const fa_tensor *first = fa_cpu(convolve(&convolution_cases[i], which, &o));
            assert_true(tensor_same_bits(first, fa_cpu(convolve(&convolution_cases[i], which, &o))));
            use_large_tiles(true);
            assert_true(tensor_same_bits(first, fa_cpu(convolve(&convolution_cases[i], which, &o))));
            assert_int_equal(made(), 3);
        }
}

static void empty_ones(void **state)
{
    (void)state;
    fa_tensor *none = random_tensor(FA_F16, S(0, 3, 5, 5), 0), *w = random_tensor(FA_F16, S(4, 3, 3, 3), 0);
    fa_tensor *y = fa_conv2d(none, w);
    assert_true(y && fa_numel(y) == 0);
    const convolution_case v = {0, 3, 4, 1, {5, 5}, {3, 3}, {1, 1}, {0, 0}, {1, 1}};
    const fa_tensor *of_none = in_f64(convolved_weight(&v, none, y));
    assert_true(fa_numel(of_none) == 4 * 27 && fa_item(fa_all(fa_eq(of_none, 0))) == 1);
}

/* Where nothing is asked for, those that are large enough, of dtypes and settings that allow it. */
static void large_ones(void **state)
{
    (void)state;
    static const convolution_case large = {2, 32, 32, 1, {16, 16}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                  small = {1, 16, 16, 1, {8, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                  depthwise = {8, 64, 64, 64, {32, 32}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                  colours = {8, 3, 8, 1, {32, 32}, {5, 5}, {1, 1}, {2, 2}, {1, 1}};
    own()->tensor_use = FA__GPU_FASTER;
    const operands o = operands_of(&large, FA_F16, 0, 0, 0), f32 = operands_of(&large, FA_F32, 0, 0, 0);
    const operands s = operands_of(&small, FA_F16, 0, 0, 0), w = operands_of(&depthwise, FA_F16, 0, 0, 0),
                   c = operands_of(&colours, FA_F16, 0, 0, 0);
    check_all("a large one", &large, &o, 1);
    check_all("a small one", &small, &s, 0);
    check_all("a depthwise one", &depthwise, &w, 0);
    check_all("few channels", &colours, &c, 0);
    check_all("f32", &large, &f32, 0);
    own()->tensor_use = FA__GPU_NEVER;
    check_all("it is turned off", &large, &o, 0);
    own()->tensor_use = FA__GPU_FASTER;
    FA_USE(.tf32 = true);
    check_all("tf32", &large, &f32, 1);
    FA_USE(.deterministic = true);
    check_all("a deterministic one", &large, &o, 0);
}

/* The whole step: a convolution, and both gradients. */
static void gradients(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    fa_tensor *weight = fa_randn(S(6, 3, 3, 3), .requires_grad = true),
              *x = fa_randn(S(2, 3, 8, 9), .requires_grad = true);
    fa_tensor *on_gpu = fa_detach(fa_to(weight, GPU)), *x_on_gpu = fa_detach(fa_to(x, GPU));
    fa_set_requires_grad(on_gpu, true);
    fa_set_requires_grad(x_on_gpu, true);
    assert_true(fa_backward(fa_sum(fa_square(fa_conv2d(x, weight, .stride = 2)))));
    assert_true(fa_backward(fa_sum(fa_square(fa_conv2d(x_on_gpu, on_gpu, .stride = 2)))));
    assert_int_equal(made(), 3);
    const fa_tensor *of[2][2] = {{fa_grad(on_gpu), fa_grad(weight)}, {fa_grad(x_on_gpu), fa_grad(x)}};
    for (int i = 0; i < 2; i++) {
        const fa_tensor *want = in_f64(of[i][1]);
        assert_true(fa_item(fa_amax(fa_abs(fa_sub(in_f64(of[i][0]), want)))) < 4e-3 * fa_item(fa_amax(fa_abs(want))));
    }
}

/* The simulator counts where ldmatrix meets a bank of shared memory twice. */
static void no_bank_conflicts(void **state)
{
    (void)state;
    const cudasim_functions *sim = test_cudasim();
    if (!sim)
        skip();
    assert_int_equal(sim->conflicts(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_case),  CASE(layouts),    CASE(edges),     CASE(special_numbers),   CASE(the_same_bits),
        CASE(empty_ones), CASE(large_ones), CASE(gradients), CASE(no_bank_conflicts),
    };
    setenv("FACULA_CUDNN", "0", 1);
    if (!tensor_cores_there())
        return 77;
    return cmocka_run_group_tests_name("tensor_convolution", tests, NULL, NULL);
}
