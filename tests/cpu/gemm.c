/* Matrix products on the CPU, at every instruction set this machine has: against one chain of fused multiply-adds for
 * each element, bit by bit, over sizes, strides, dtypes and numbers of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka needs the above first */
#include "backend/cpu/gemm.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "support/product.h"
#include <cmocka.h>
#include <facula/error.h>
#include <facula/host.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct level {
    const char *name;
    const fa__gemm_kernels *kernels;
    bool fused; /* multiply-adds round once */
    bool here;
} level;

static level levels[] = {
#if defined __aarch64__
    {"neon", &fa__gemm_neon, true, true},
#else
    {"base", &fa__gemm_base, false, true},
#endif
#if defined __x86_64__
    {"avx2", &fa__gemm_avx2, true, false},
    {"avx512", &fa__gemm_avx512, true, false},
#endif
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static uint64_t seed;

static uint64_t random_bits(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = seed ^ seed >> 31;
    return (x * 0x9e3779b97f4a7c15u) >> 16;
}

static int64_t random_below(int64_t n)
{
    return (int64_t)(random_bits() % (uint64_t)n);
}

/* Any bits for integers; for floats numbers around 1, and now and then a zero or something special. */
static void fill_random(fa_dtype d, void *data, int64_t count, bool special)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 65504, 1e-7, 6e-8, 0x1p-14, 1e-39, 3e38, -0.0};
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = random_bits();
        char *to = (char *)data + (size_t)i * product_size(d);
        double x = (double)(int64_t)(bits % 200001) / 100000.0 - 1;
        if (special && random_below(7) == 0)
            x = specials[random_below(sizeof specials / sizeof specials[0])];
        if (d >= FA_F16)
            product_put(d, to, random_below(9) ? x : 0);
        else
            memcpy(to, &bits, product_size(d));
    }
}

/* ---- matrices in some layout ---- */

/* clang-format off */
typedef enum {
    ROWS, COLUMNS, PADDED_ROWS, PADDED_COLUMNS, UPWARDS, LEFTWARDS, SPREAD, PAGES, OUTPUTS,
    REPEATED_ROW = OUTPUTS, REPEATED_COLUMN, LAYOUTS
} layout;
/* clang-format on */

typedef struct matrix {
    void *memory, *data; /* data: element (0, 0) */
    int64_t row, col, count;
} matrix;

/* Strides are sums of so many columns and elements, of so many rows and elements. */
static const struct {
    int64_t row_cols, row_more, col_rows, col_more;
} strides[LAYOUTS] = {
    [ROWS] = {1, 0, 0, 1},         [COLUMNS] = {0, 1, 1, 0},
    [PADDED_ROWS] = {1, 5, 0, 1},  [PADDED_COLUMNS] = {0, 1, 1, 3},
    [UPWARDS] = {-1, -1, 0, 1},    [LEFTWARDS] = {1, 2, 0, -1},
    [SPREAD] = {2, 3, 0, 2},       [PAGES] = {0, 2048, 0, 1},
    [REPEATED_ROW] = {0, 0, 0, 1}, [REPEATED_COLUMN] = {0, 1, 0, 0},
};

static matrix matrix_new(fa_dtype d, int64_t rows, int64_t cols, layout how)
{
    matrix m = {.row = strides[how].row_cols * cols + strides[how].row_more,
                .col = strides[how].col_rows * rows + strides[how].col_more};
    int64_t down = (rows ? rows - 1 : 0) * m.row, right = (cols ? cols - 1 : 0) * m.col;
    int64_t first = -((down < 0 ? down : 0) + (right < 0 ? right : 0));
    m.count = llabs(down) + llabs(right) + 1;
    m.memory = malloc((size_t)m.count * product_size(d));
    assert_non_null(m.memory);
    m.data = (char *)m.memory + (size_t)first * product_size(d);
    return m;
}

/* ---- one case ---- */

typedef struct sizes {
    int64_t m, n, k;
} sizes;

typedef struct look {
    layout a, b, c;
    int bias; /* 0: none; else its stride is bias - 1 */
    bool relu, special;
} look;

/* Of large products only every so manyth element is computed again; that still meets every tile. */
static int64_t check_step(const fa__gemm *g)
{
    int64_t step = 1 + g->m * g->n * g->k / 1500000;
    return g->n % step ? step : step + 1;
}

static void check_elements(const level *l, fa_dtype d, const fa__gemm *g, const char *before, const matrix *c)
{
    int64_t size = (int64_t)product_size(d), step = check_step(g);
    char *expected = malloc((size_t)(c->count * size)), *at = expected + ((char *)c->data - (char *)c->memory);
    memcpy(expected, before, (size_t)(c->count * size));
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            int64_t offset = (i * g->c_row + j * g->c_col) * size;
            double tolerance = 0;
            if ((i * g->n + j) % step == 0)
                tolerance = product_element(g, d, i, j, at + offset);
            else
                memcpy(at + offset, (char *)c->data + offset, (size_t)size);
            if (!product_same(d, (char *)c->data + offset, at + offset, l->fused ? 0 : tolerance))
                fail_msg("%s, dtype %d, %" PRId64 "x%" PRId64 "x%" PRId64 ": element %" PRId64 ", %" PRId64, l->name, d,
                         g->m, g->n, g->k, i, j);
            memcpy(at + offset, (char *)c->data + offset, (size_t)size);
        }
    assert_memory_equal(expected, c->memory, (size_t)(c->count * size)); /* nothing else was written */
    free(expected);
}

static void check_case(const level *l, fa_dtype d, sizes s, look how)
{
    matrix a = matrix_new(d, s.m, s.k, how.a), b = matrix_new(d, s.k, s.n, how.b), c = matrix_new(d, s.m, s.n, how.c);
    int64_t bias_step = how.bias ? how.bias - 1 : 0;
    matrix bias = matrix_new(d, 1, s.n * bias_step + 1, ROWS);
    fill_random(d, a.memory, a.count, how.special);
    fill_random(d, b.memory, b.count, how.special);
    fill_random(d, c.memory, c.count, true);
    fill_random(d, bias.memory, bias.count, false);
    char *before = malloc((size_t)c.count * product_size(d));
    memcpy(before, c.memory, (size_t)c.count * product_size(d));
    fa__gemm g = {.m = s.m, .n = s.n, .k = s.k, .bias = how.bias ? bias.data : NULL, .bias_col = bias_step};
    g.a = a.data, g.a_row = a.row, g.a_col = a.col;
    g.b = b.data, g.b_row = b.row, g.b_col = b.col;
    g.c = c.data, g.c_row = c.row, g.c_col = c.col;
    g.relu = how.relu;
    assert_true(l->kernels->run[d](&g));
    check_elements(l, d, &g, before, &c);
    free(before);
    free(a.memory);
    free(b.memory);
    free(c.memory);
    free(bias.memory);
}

static look random_look(void)
{
    return (look){(layout)random_below(LAYOUTS), (layout)random_below(LAYOUTS), (layout)random_below(OUTPUTS),
                  (int)random_below(4),          random_below(3) == 0,          random_below(8) == 0};
}

static int64_t random_size(void)
{
    static const int64_t most[] = {2, 5, 20, 40, 70};
    return random_below(most[random_below(5)] + 1);
}

/* ---- tests ---- */

static void for_each_level(void (*check)(const level *l, fa_dtype d), fa_dtype from, fa_dtype to)
{
    for (int i = 0; i < LEVELS; i++)
        for (int d = (int)from; levels[i].here && d <= (int)to; d++) {
            seed = 1;
            check(&levels[i], (fa_dtype)d);
        }
}

static void check_random(const level *l, fa_dtype d)
{
    for (int i = 0; i < 300; i++) {
        look how = random_look();
        how.special = how.special && l->fused; /* rounding twice overflows in other places */
        fa_set_num_threads((int)random_below(4) + 1);
        check_case(l, d, (sizes){random_size(), random_size(), random_size()}, how);
    }
}

static void test_random_cases(void **state)
{
    (void)state;
    for_each_level(check_random, FA_U8, FA_F64);
}

static void check_layouts(const level *l, fa_dtype d)
{
    for (int a = 0; a < LAYOUTS; a++)
        for (int b = 0; b < LAYOUTS; b++) {
            look how = {(layout)a, (layout)b, (layout)((a + b) % OUTPUTS), (a + b) % 3, a % 2 == 0, false};
            check_case(l, d, (sizes){29, 67, 33}, how);
            check_case(l, d, (sizes){1, 67, 11}, how);
            check_case(l, d, (sizes){67, 1, 11}, how);
        }
}

static void test_layouts(void **state)
{
    (void)state;
    for_each_level(check_layouts, FA_I32, FA_F64);
}

/* Sizes at which operands are packed, divided into blocks and shared by threads */
static void check_blocks(const level *l, fa_dtype d)
{
    static const sizes large[] = {{260, 300, 530}, {300, 33, 1100}, {31, 260, 1111}, {15, 1300, 70}, {1, 900, 700},
                                  {900, 1, 700},   {5, 3, 5000},    {1100, 17, 40},  {64, 10, 128}};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        for (int threads = 1; threads <= 5; threads += 2) {
            fa_set_num_threads(threads);
            look how = random_look();
            how.special = false;
            check_case(l, d, large[i], threads == 1 ? (look){.bias = 2} : how);
        }
}

static void test_blocks(void **state)
{
    (void)state;
    for_each_level(check_blocks, FA_F32, FA_F64);
    for_each_level(check_blocks, FA_BF16, FA_BF16);
    for_each_level(check_blocks, FA_I32, FA_I32);
}

/* Every value of 16 bits survives a product with 1; a NaN stays one. */
static void check_halves(const level *l, fa_dtype d)
{
    enum { COUNT = 1 << 16 };
    uint16_t *a = malloc(COUNT * 2), *c = malloc(COUNT * 2), one = d == FA_F16 ? 0x3c00 : 0x3f80;
    for (int i = 0; i < COUNT; i++)
        a[i] = (uint16_t)i;
    fa__gemm g = {.m = COUNT,
                  .n = 1,
                  .k = 1,
                  .a = a,
                  .a_row = 1,
                  .a_col = 1,
                  .b = &one,
                  .b_row = 1,
                  .b_col = 1,
                  .c = c,
                  .c_row = 1,
                  .c_col = 1};
    assert_true(l->kernels->run[d](&g));
    for (int i = 0; i < COUNT; i++)
        if (isnan(product_at(d, a, i)))
            assert_true(isnan(product_at(d, c, i)));
        else
            assert_int_equal(c[i], i == 0x8000 ? 0 : i); /* 0 + -0 * 1 */
    free(a);
    free(c);
}

static void test_halves(void **state)
{
    (void)state;
    for_each_level(check_halves, FA_F16, FA_BF16);
}

static void check_nothing(const level *l, fa_dtype d)
{
    char c[8] = {1, 2, 3}, before[8] = {1, 2, 3};
    fa__gemm g = {.m = 0, .n = 3, .k = 2, .c = c, .c_row = 1, .c_col = 1};
    assert_true(l->kernels->run[d](&g));
    g.m = 3, g.n = 0;
    assert_true(l->kernels->run[d](&g));
    assert_memory_equal(c, before, sizeof c);
    uint64_t sums[6] = {1, 1, 1, 1, 1, 1};
    g = (fa__gemm){.m = 2, .n = 3, .a_row = 7, .a_col = 1, .b_row = 3, .b_col = 1, .c = sums, .c_row = 3, .c_col = 1};
    assert_true(l->kernels->run[d](&g));
    for (size_t i = 0; i < 6 * product_size(d); i++)
        assert_int_equal(((char *)sums)[i], 0);
}

static void test_nothing(void **state)
{
    (void)state;
    for_each_level(check_nothing, FA_U8, FA_F64);
}

static void check_memory(const level *l, fa_dtype d)
{
    static float a[40 * 40], b[40 * 40], c[40 * 40];
    fa__gemm g = {.m = 40,
                  .n = 40,
                  .k = 40,
                  .a = a,
                  .a_row = 40,
                  .a_col = 1,
                  .b = b,
                  .b_row = 1,
                  .b_col = 40,
                  .c = c,
                  .c_row = 40,
                  .c_col = 1};
    fa_set_num_threads(1);
    fa__cpu_scratch_release();
    fa__inject(1);
    assert_false(l->kernels->run[d](&g));
    fa__inject(0);
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    assert_true(l->kernels->run[d](&g));
}

static void test_no_memory(void **state)
{
    (void)state;
    for_each_level(check_memory, FA_BF16, FA_F32);
}

int main(void)
{
#if defined __x86_64__
    levels[1].here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    levels[2].here = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_cases), cmocka_unit_test(test_layouts), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_halves),       cmocka_unit_test(test_nothing), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
