/* Matrix products of bf16 by instructions that multiply pairs (AVX-512 BF16, AMX): whole numbers, of which every sum is
 * exact, bit by bit; other numbers within the error of their sums, with the same bits for any layout and number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka needs the above first */
#include "backend/cpu/level.h"
#include "support/product.h"
#include "support/tensors.h"
#include <cmocka.h>
#include <facula/facula.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };
static const char *const levels[] = {"avx512_bf16", "amx"};

static uint64_t seed;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed ^ seed >> 31) * 0x9e3779b97f4a7c15u >> 33) % n;
}

/* ---- matrices in some layout ---- */

enum { ORDERS = 6 };

typedef struct matrix {
    uint16_t *memory, *data; /* data: element (0, 0) */
    int64_t row, col, count;
} matrix;

static matrix matrix_new(int64_t rows, int64_t cols, int order)
{
    const int64_t strides[ORDERS][2] = {{cols, 1},     {1, rows},         {cols + 5, 1},
                                        {1, rows + 3}, {2 * cols + 3, 2}, {-cols - 1, 1}};
    matrix m = {.row = strides[order][0], .col = strides[order][1]};
    m.count = (rows ? rows - 1 : 0) * llabs(m.row) + (cols ? cols - 1 : 0) * m.col + 1;
    m.memory = calloc((size_t)m.count, 2);
    m.data = m.memory + (m.row < 0 && rows ? -(rows - 1) * m.row : 0);
    return m;
}

static void fill(matrix *m, int64_t rows, int64_t cols, const double *value)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            product_put(FA_BF16, m->data + i * m->row + j * m->col, value[i * cols + j]);
}

/* ---- one product ---- */

typedef struct look {
    int a, b, c, threads;
    bool bias, relu;
} look;

typedef struct operands {
    int64_t m, n, k;
    double *a, *b, *bias;
} operands;

static double *numbers(int64_t count, bool whole)
{
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = whole ? (double)below(17) - 8 : ((double)below(2000001) - 1000000) / 1000000;
    return x;
}

static operands operands_new(int64_t m, int64_t n, int64_t k, bool whole)
{
    return (operands){m, n, k, numbers(m * k, whole), numbers(k * n, whole), numbers(n, whole)};
}

static void operands_free(operands *o)
{
    free(o->a);
    free(o->b);
    free(o->bias);
}

/* The results in rows without gaps; c's layout may have gaps, which have to stay as they were. */
static uint16_t *multiply(const operands *o, look how)
{
    matrix a = matrix_new(o->m, o->k, how.a), b = matrix_new(o->k, o->n, how.b), c = matrix_new(o->m, o->n, how.c);
    matrix bias = matrix_new(1, o->n, 0);
    fill(&a, o->m, o->k, o->a);
    fill(&b, o->k, o->n, o->b);
    fill(&bias, 1, o->n, o->bias);
    memset(c.memory, 0x5a, (size_t)c.count * 2);
    fa_set_num_threads(how.threads);
    fa__gemm g = {.m = o->m, .n = o->n, .k = o->k, .bias_col = 1, .relu = how.relu};
    g.a = a.data, g.a_row = a.row, g.a_col = a.col;
    g.b = b.data, g.b_row = b.row, g.b_col = b.col;
    g.c = c.data, g.c_row = c.row, g.c_col = c.col;
    g.bias = how.bias ? bias.data : NULL;
    assert_true(fa__cpu_gemm_of(FA_BF16)->run[FA_BF16](&g));
    uint16_t *results = malloc((size_t)(o->m * o->n + 1) * 2);
    for (int64_t i = 0; i < o->m; i++)
        for (int64_t j = 0; j < o->n; j++) {
            results[i * o->n + j] = c.data[i * c.row + j * c.col];
            c.data[i * c.row + j * c.col] = 0x5a5a;
        }
    for (int64_t i = 0; i < c.count; i++)
        assert_int_equal(c.memory[i], 0x5a5a);
    free(a.memory);
    free(b.memory);
    free(c.memory);
    free(bias.memory);
    return results;
}

static double rounded(double x)
{
    uint16_t h;
    product_put(FA_BF16, &h, x);
    return product_at(FA_BF16, &h, 0);
}

/* The sum of the products, in f64, and of their absolute values */
static double sum_of(const operands *o, look how, int64_t i, int64_t j, double *size)
{
    double sum = how.bias ? rounded(o->bias[j]) : 0;
    *size = fabs(sum);
    for (int64_t k = 0; k < o->k; k++) {
        double product = rounded(o->a[i * o->k + k]) * rounded(o->b[k * o->n + j]);
        sum += product;
        *size += fabs(product);
    }
    return how.relu && sum < 0 ? 0 : sum;
}

/* Of large products only some elements are computed again, of every tile. */
static void check(const char *level, const operands *o, look how, const uint16_t *results, bool whole)
{
    int64_t step = 1 + o->m * o->n * o->k / 1000000;
    for (int64_t at = 0; at < o->m * o->n; at += 1 + below(step)) {
        double size, sum = sum_of(o, how, at / o->n, at % o->n, &size), y = product_at(FA_BF16, results, at);
        double error = whole ? 0 : ldexp(fabs(sum), -8) + ldexp(size * (double)(o->k + 2), -24);
        if (fabs(y - (whole ? rounded(sum) : sum)) > error)
            fail_msg("%s, %" PRId64 "x%" PRId64 "x%" PRId64 ", layouts %d %d %d, %d threads: element %" PRId64
                     ", %" PRId64 " is %g, not %g",
                     level, o->m, o->n, o->k, how.a, how.b, how.c, how.threads, at / o->n, at % o->n, y, sum);
    }
}

static look random_look(void)
{
    return (look){(int)below(ORDERS), (int)below(ORDERS), (int)below(ORDERS),
                  (int)below(4) + 1,  below(2) == 0,      below(3) == 0};
}

/* ---- tests ---- */

static void for_each_level(void (*test)(const char *level))
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (fa__cpu_level_use(levels[i])) {
            seed = 1;
            test(levels[i]);
        }
}

/* Sizes around those of tiles, of registers, and of blocks */
static void whole_numbers(const char *level)
{
    static const int64_t edges[] = {0, 1, 2, 13, 14, 15, 16, 17, 28, 31, 32, 33, 47, 48, 49, 64, 65, 95, 97};
    static const int64_t large[][3] = {{170, 100, 700},  {33, 2100, 40},    {500, 40, 3100}, {1100, 70, 90},
                                       {70, 1100, 1600}, {200, 1030, 3100}, {1, 900, 700},   {900, 1, 700}};
    enum { FEW = 160, EDGES = sizeof edges / sizeof *edges, LARGE = sizeof large / sizeof *large };
    for (int i = 0; i < FEW + 2 * LARGE; i++) {
        const int64_t *size = large[i % LARGE];
        bool few = i < FEW;
        operands o = few ? operands_new(edges[below(EDGES)], edges[below(EDGES)], edges[below(EDGES)], true)
                         : operands_new(size[0], size[1], size[2], true);
        look how = random_look();
        uint16_t *y = multiply(&o, how);
        check(level, &o, how, y, true);
        free(y);
        operands_free(&o);
    }
}

static void test_whole_numbers(void **state)
{
    (void)state;
    for_each_level(whole_numbers);
}

static void same_bits(const char *level)
{
    static const int64_t sizes[][3] = {{65, 70, 333}, {130, 300, 1700}, {7, 200, 64}, {300, 9, 65}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        operands o = operands_new(sizes[s][0], sizes[s][1], sizes[s][2], false);
        look plain = {.threads = 1, .bias = true};
        uint16_t *first = multiply(&o, plain);
        check(level, &o, plain, first, false);
        for (int i = 0; i < 12; i++) {
            look how = random_look();
            how.bias = true;
            how.relu = false;
            uint16_t *y = multiply(&o, how);
            assert_memory_equal(first, y, (size_t)(o.m * o.n) * 2);
            free(y);
        }
        free(first);
        operands_free(&o);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    for_each_level(same_bits);
}

/* Infinities and NaN reach the results of their row or column, and no others. */
static void special_numbers(const char *level)
{
    (void)level;
    operands o = operands_new(37, 41, 45, true);
    o.a[3 * o.k + 44] = INFINITY;
    o.b[44 * o.n + 40] = 1;
    o.a[20 * o.k] = NAN;
    o.b[7 * o.n + 33] = NAN;
    for (int order = 0; order < ORDERS; order++) {
        uint16_t *y = multiply(&o, (look){order, (order + 1) % ORDERS, 0, 1, false, false});
        for (int64_t i = 0; i < o.m; i++)
            for (int64_t j = 0; j < o.n; j++)
                if (i == 20 || j == 33 || (i == 3 && o.b[44 * o.n + j] == 0))
                    assert_true(isnan(product_at(FA_BF16, y, i * o.n + j)));
                else
                    assert_int_equal(isfinite(product_at(FA_BF16, y, i * o.n + j)), i != 3);
        assert_true(product_at(FA_BF16, y, 3 * o.n + 40) == INFINITY);
        free(y);
    }
    operands_free(&o);
}

static void test_special_numbers(void **state)
{
    (void)state;
    for_each_level(special_numbers);
}

/* ---- by the operations ---- */

static fa_tensor *whole(fa_shape shape)
{
    return fa_to(fa_randint(-2, 3, shape), FA_BF16);
}

static void same(const char *level, const char *what, fa_tensor *low, fa_tensor *high)
{
    assert_int_equal(fa_tensor_dtype(low), FA_BF16);
    if (!tensor_same_bits(low, fa_to(high, FA_BF16)))
        fail_msg("%s: %s", level, what);
}

static fa_tensor *f32(fa_tensor *x)
{
    return fa_to(x, FA_F32);
}

static void operations(const char *level)
{
    FA_SCOPE;
    fa_tensor *a = whole(FA_SHAPE(3, 1, 40, 70)), *b = whole(FA_SHAPE(2, 70, 33));
    same(level, "batched product", fa_matmul(a, b), fa_matmul(f32(a), f32(b)));
    same(level, "no rows", fa_matmul(whole(FA_SHAPE(0, 5)), whole(FA_SHAPE(5, 3))), fa_zeros(FA_SHAPE(0, 3)));
    same(level, "no sums", fa_matmul(whole(FA_SHAPE(4, 0)), whole(FA_SHAPE(0, 3))), fa_zeros(FA_SHAPE(4, 3)));
    fa_tensor *x = whole(FA_SHAPE(65, 90)), *w = whole(FA_SHAPE(35, 90)), *bias = whole(FA_SHAPE(35));
    same(level, "linear layer", fa_linear(x, w, .bias = bias), fa_linear(f32(x), f32(w), .bias = f32(bias)));
    fa_tensor *g = whole(FA_SHAPE(65, 35));
    same(level, "gradient of a weight", fa_matmul(fa_t(g), x), fa_matmul(fa_t(f32(g)), f32(x)));
    same(level, "gradient of an input", fa_matmul(g, w), fa_matmul(f32(g), f32(w)));
}

static void convolutions(const char *level)
{
    FA_SCOPE;
    static const int64_t channels[][3] = {{3, 8, 1}, {32, 40, 1}, {32, 64, 2}};
    for (int i = 0; i < 3; i++) {
        int64_t in = channels[i][0], out = channels[i][1], groups = channels[i][2];
        fa_tensor *low[2] = {whole(FA_SHAPE(2, in, 13, 17)), whole(FA_SHAPE(out, in / groups, 3, 3))};
        fa_tensor *high[2] = {f32(low[0]), f32(low[1])}, *y[2];
        for (int k = 0; k < 2; k++) {
            fa_tensor **of = k ? high : low;
            fa_set_requires_grad(of[0], true);
            fa_set_requires_grad(of[1], true);
            y[k] = fa_conv2d(of[0], of[1], .padding = 1, .stride = FA_PAIR(1 + i % 2, 1), .groups = groups);
            fa_backward(fa_sum(y[k]));
        }
        same(level, "convolution", y[0], y[1]);
        same(level, "gradient of the image", fa_grad(low[0]), fa_grad(high[0]));
        same(level, "gradient of the kernel", fa_grad(low[1]), fa_grad(high[1]));
    }
}

static void test_operations(void **state)
{
    (void)state;
    fa_set_num_threads(2);
    for_each_level(operations);
    for_each_level(convolutions);
}

/* Under the setting, sums are the chains that every device computes. */
static void deterministic(const char *level)
{
    FA_SCOPE;
    fa_tensor *a = fa_to(fa_randn(FA_SHAPE(50, 3000)), FA_BF16), *b = fa_to(fa_randn(FA_SHAPE(3000, 60)), FA_BF16);
    fa_tensor *own = fa_matmul(a, b), *chain;
    assert_true(fa__cpu_gemm_of(FA_BF16) != fa__cpu_gemm);
    {
        FA_USE(.deterministic = true);
        assert_true(fa__cpu_gemm_of(FA_BF16) == fa__cpu_gemm);
        chain = fa_matmul(a, b);
    }
    assert_true(fa__cpu_level_use("avx512"));
    assert_true(tensor_same_bits(chain, fa_matmul(a, b)));
    assert_true(fa_item(fa_all(fa_isclose(f32(own), f32(chain), .rtol = 0.01, .atol = 0.01))));
    assert_true(fa__cpu_level_use(level));
}

static void test_deterministic(void **state)
{
    (void)state;
    for_each_level(deterministic);
}

int main(void)
{
    if (!fa__cpu_level_use(levels[0])) {
        printf("skipped: this machine has no AVX-512 BF16\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers),   cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_special_numbers), cmocka_unit_test(test_operations),
        cmocka_unit_test(test_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
