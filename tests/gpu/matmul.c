/* Matrix products on a GPU: the CPU's bits, over dtypes, layouts, batches, sizes that are no multiples of the tiles,
 * and with both kinds of kernels. Needs OpenCL, such as PoCL; without a platform it is skipped. */
#include "gpu/gpu_products.h"

#define S(...) FA_SHAPE(__VA_ARGS__)

static void check_matmul(fa_dtype dtype, fa_shape a_shape, fa_shape b_shape, layout a_how, layout b_how, bool special)
{
    FA_SCOPE;
    pair a = gpu_random(dtype, a_shape, a_how, special, 0), b = gpu_random(dtype, b_shape, b_how, special, 0);
    SAME("%s matmul, %s and %s, a of rank %d, its last size %d", fa_matmul(a.cpu, b.cpu), fa_matmul(a.gpu, b.gpu),
         fa_dtype_name(dtype), layout_names[a_how], layout_names[b_how], (int)a_shape.rank,
         a_shape.rank ? (int)a_shape.dim[a_shape.rank - 1] : 0);
}

static const struct {
    fa_shape a, b;
} shapes[] = {
    {{2, {5, 7}}, {2, {7, 3}}},
    {{2, {64, 64}}, {2, {64, 64}}},
    {{2, {65, 33}}, {2, {33, 130}}},
    {{2, {130, 16}}, {2, {16, 63}}},
    {{2, {20, 1}}, {2, {1, 17}}},
    {{2, {1, 70}}, {2, {70, 200}}},
    {{2, {200, 70}}, {2, {70, 1}}},
    {{2, {3, 40}}, {2, {40, 90}}},
    {{1, {70}}, {1, {70}}},
    {{1, {70}}, {2, {70, 5}}},
    {{2, {5, 70}}, {1, {70}}},
    {{1, {9}}, {3, {2, 9, 20}}},
    {{3, {3, 20, 9}}, {1, {9}}},
    {{4, {2, 3, 17, 9}}, {4, {2, 3, 9, 20}}},
    {{4, {2, 1, 17, 9}}, {3, {3, 9, 20}}},
    {{3, {4, 17, 9}}, {2, {9, 20}}},
    {{2, {17, 9}}, {3, {4, 9, 20}}},
    {{4, {2, 3, 1, 9}}, {2, {9, 20}}},
    {{2, {3, 0}}, {2, {0, 4}}},
    {{2, {20, 0}}, {2, {0, 70}}},
    {{2, {0, 3}}, {2, {3, 4}}},
    {{2, {3, 3}}, {2, {3, 0}}},
    {{3, {0, 3, 3}}, {3, {0, 3, 3}}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void products_of_all_dtypes(void **state)
{
    (void)state;
    for (way w = 0; w < WAYS; w++) {
        choose(w);
        for (int d = 0; d < DTYPES; d++)
            for (int s = 0; s < SHAPES && gpu_has(dtypes[d]); s++)
                check_matmul(dtypes[d], shapes[s].a, shapes[s].b, LAYOUT_DENSE, LAYOUT_DENSE, false);
    }
}

/* NaN and infinities stay where they are: nothing but the operands' own elements is multiplied. */
static void special_numbers(void **state)
{
    (void)state;
    for (way w = 0; w < WAYS; w++) {
        choose(w);
        for (int d = 0; d < 4; d++)
            for (int s = 0; s < SHAPES && gpu_has(dtypes[d]); s++)
                check_matmul(dtypes[d], shapes[s].a, shapes[s].b, LAYOUT_DENSE, LAYOUT_TRANSPOSED, true);
    }
}

static void operands_in_any_layout(void **state)
{
    (void)state;
    for (way w = 0; w < CHOSEN; w++) {
        choose(w);
        for (layout a = 0; a < LAYOUTS; a++)
            for (layout b = 0; b < LAYOUTS; b++)
                for (int s = 0; s < SHAPES; s++)
                    check_matmul(s % 3 ? FA_F32 : FA_F16, shapes[s].a, shapes[s].b, a, b, false);
    }
}

/* A product too small for its dtype is -0, and stays that when k is no multiple of the tiles' depth. */
static void negative_zeros(void **state)
{
    (void)state;
    for (way w = 0; w < CHOSEN; w++) {
        choose(w);
        fa_tensor *a = fa_full(S(20, 3), -1e-30), *b = fa_full(S(3, 20), 1e-30), *c = fa_matmul(a, b);
        assert_true(signbit(fa_item(fa_get(c, "0, 0"))));
        SAME("%d", c, fa_matmul(fa_to(a, GPU), fa_to(b, GPU)), w);
    }
}

static void results_in_any_layout(void **state)
{
    (void)state;
    for (way w = 0; w < CHOSEN; w++) {
        choose(w);
        for (layout c = 0; c < LAYOUT_EXPANDED; c++) {
            FA_SCOPE;
            pair a = gpu_random(FA_F32, S(2, 3, 20, 9), LAYOUT_DENSE, false, 0);
            pair b = gpu_random(FA_F32, S(9, 33), LAYOUT_DENSE, false, 0);
            pair y = gpu_random(FA_F32, S(2, 3, 20, 33), c, false, 0);
            SAME("%s", fa_matmul(a.cpu, b.cpu, .out = y.cpu), fa_matmul(a.gpu, b.gpu, .out = y.gpu), layout_names[c]);
        }
    }
}

static void check_linear(fa_dtype dtype, fa_shape x_shape, int64_t out, layout x_how, layout w_how, bool biased)
{
    FA_SCOPE;
    int64_t in = x_shape.dim[x_shape.rank - 1];
    pair x = gpu_random(dtype, x_shape, x_how, false, 0), w = gpu_random(dtype, S(out, in), w_how, false, 0);
    pair bias = gpu_random(dtype, S(out), x_how, false, 0);
    SAME("%s linear, %s and %s, bias %d, x of rank %d", fa_linear(x.cpu, w.cpu, .bias = biased ? bias.cpu : NULL),
         fa_linear(x.gpu, w.gpu, .bias = biased ? bias.gpu : NULL), fa_dtype_name(dtype), layout_names[x_how],
         layout_names[w_how], biased, (int)x_shape.rank);
}

static void linear_layers(void **state)
{
    (void)state;
    static const fa_shape xs[] = {{1, {70}},       {2, {5, 70}}, {2, {130, 33}}, {3, {4, 20, 9}}, {4, {2, 3, 5, 9}},
                                  {3, {4, 1, 20}}, {2, {0, 9}},  {2, {17, 0}},   {1, {0}}};
    for (way w = 0; w < WAYS; w++) {
        choose(w);
        for (size_t s = 0; s < sizeof xs / sizeof *xs; s++) {
            for (int d = 0; d < DTYPES; d++)
                if (gpu_has(dtypes[d]))
                    check_linear(dtypes[d], xs[s], d % 2 ? 70 : 18, LAYOUT_DENSE, LAYOUT_DENSE, d % 3);
            for (layout how = 1; how < LAYOUTS; how++) {
                check_linear(FA_F32, xs[s], 33, how, LAYOUT_DENSE, true);
                check_linear(FA_BF16, xs[s], 33, LAYOUT_DENSE, how, false);
            }
        }
    }
    check_linear(FA_F32, S(4, 9), 0, LAYOUT_DENSE, LAYOUT_DENSE, true);
}

/* x without its gradient's strides: what a layer's backward pass multiplies is transposed. */
static void gradients(void **state)
{
    (void)state;
    pair x = gpu_random(FA_F32, S(40, 33), LAYOUT_DENSE, false, 0),
         w = gpu_random(FA_F32, S(20, 33), LAYOUT_DENSE, false, 0);
    SAME("%s", fa_matmul(fa_t(fa_linear(x.cpu, w.cpu)), x.cpu), fa_matmul(fa_t(fa_linear(x.gpu, w.gpu)), x.gpu), "");
}

static void sizes_by_chance(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        choose((way)(i % WAYS));
        int64_t m = 1 + gpu_below(150), n = 1 + gpu_below(150), k = 1 + gpu_below(80);
        check_matmul(dtypes[i % 3], S(m, k), S(k, n), (layout)gpu_below(LAYOUTS), (layout)gpu_below(LAYOUTS), i % 2);
    }
}

/* More groups than a grid's second and third dimension would take. */
static void many_small_products(void **state)
{
    (void)state;
    for (way w = 0; w < CHOSEN; w++) {
        choose(w);
        check_matmul(FA_F32, S(70000, 2, 2), S(70000, 2, 2), LAYOUT_DENSE, LAYOUT_DENSE, false);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* What changes nothing is computed. */
static void while_an_error_stands(void **state)
{
    (void)state;
    FA_SCOPE;
    pair a = gpu_random(FA_F32, S(20, 20), LAYOUT_DENSE, false, 0);
    fa_fail(FA_ERROR_USER, "stands");
    fa_tensor *there = fa_matmul(a.gpu, a.gpu);
    fa_error_clear();
    SAME("matmul, size %d", fa_matmul(a.cpu, a.cpu), there, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(products_of_all_dtypes),
                                       CASE(special_numbers),
                                       CASE(operands_in_any_layout),
                                       CASE(negative_zeros),
                                       CASE(results_in_any_layout),
                                       CASE(linear_layers),
                                       CASE(gradients),
                                       CASE(sizes_by_chance),
                                       CASE(many_small_products),
                                       CASE(while_an_error_stands)};
    if (!strcmp(fa__cpu_level_name(), "base")) {
        printf("skipped: at this level the CPU rounds a multiply-add twice\n");
        return GPU_SKIPPED;
    }
    return gpu_there() ? RUN("gpu_matmul") : GPU_SKIPPED;
}
