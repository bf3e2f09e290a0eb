/* The math functions on a sample of inputs: errors in units in the last place, special values, and the same bits at
 * each level of instructions. tests/ulp/ulp.c does the same for every f32. */
#include "ulp/measure.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { AT_ONCE = 4096, ROUNDS = 24 };

/* Where functions have their ends, seams and special cases. */
static const double edges[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0.5,
                               -0.5,
                               2.0,
                               -2.0,
                               3.0,
                               -3.0,
                               0.625,
                               0.9375,
                               0.625001,
                               0.70710678,
                               1.41421356,
                               4.0,
                               6.0,
                               20.0,
                               30.0,
                               -87.3,
                               -87.4,
                               88.72,
                               88.73,
                               -103.9,
                               -104.1,
                               709.7,
                               709.8,
                               -708.3,
                               -745.1,
                               -745.2,
                               1e-3,
                               1e-8,
                               1e-30,
                               1e-38,
                               1e-40,
                               1e-45,
                               1e-300,
                               5e-324,
                               1e10,
                               1e20,
                               1e30,
                               3.4e38,
                               1e100,
                               1e300,
                               1.7e308,
                               1.5707963267948966,
                               3.141592653589793,
                               6.283185307179586,
                               2147483648.0,
                               281474976710656.0,
                               1073741824.0,
                               16777215.0,
                               16777216.0,
                               16777217.0,
                               9007199254740991.0,
                               INFINITY,
                               NAN};
enum { EDGES = sizeof edges / sizeof edges[0] };

static void fill_f32(float *x, float *y, uint64_t *state, int round)
{
    for (int i = 0; i < AT_ONCE; i++) {
        x[i] = round == 0 ? (float)edges[i % EDGES] : (float)draw_number(state, true);
        y[i] = round == 0 ? (float)edges[i / EDGES % EDGES] : (float)draw_number(state, true);
        if (round == 1)
            x[i] = -(float)edges[i % EDGES], y[i] = (float)edges[i / EDGES % EDGES];
    }
}

static void fill_f64(double *x, double *y, uint64_t *state, int round)
{
    for (int i = 0; i < AT_ONCE; i++) {
        x[i] = round == 0 ? edges[i % EDGES] : draw_number(state, false);
        y[i] = round == 0 ? edges[i / EDGES % EDGES] : draw_number(state, false);
        if (round == 1)
            x[i] = -edges[i % EDGES], y[i] = edges[i / EDGES % EDGES];
    }
}

static void check_worst(const function *f, const worst *w, double most, const char *class)
{
    if (w->wrong)
        fail_msg("%s %s: %lld wrong, as at %.17g, %.17g", class, f->name, (long long)w->wrong, w->wrong_x, w->wrong_y);
    if (!(w->ulp <= most))
        fail_msg("%s %s: %.3f ulp at %.17g, %.17g", class, f->name, w->ulp, w->x, w->y);
}

static void test_errors(void **test)
{
    (void)test;
    for (int i = 0; i < FUNCTIONS; i++) {
        uint64_t state = 88172645463325252u;
        worst single = {0}, wide = {0};
        for (int r = 0; r < ROUNDS; r++) {
            static float x[AT_ONCE], y[AT_ONCE];
            static double u[AT_ONCE], v[AT_ONCE];
            fill_f32(x, y, &state, r);
            fill_f64(u, v, &state, r);
            measure_f32(&single, &functions[i], x, y, AT_ONCE);
            measure_f64(&wide, &functions[i], u, v, AT_ONCE);
        }
        check_worst(&functions[i], &single, functions[i].most[0], "f32");
        check_worst(&functions[i], &wide, functions[i].most[1], "f64");
    }
}

/* Bits of results, all NaN alike. */
static uint64_t bits_f32(const float *x)
{
    uint32_t b;
    memcpy(&b, x, sizeof b);
    return isnan(*x) ? 0x7fc00000u : b;
}

static uint64_t bits_f64(const double *x)
{
    uint64_t b;
    memcpy(&b, x, sizeof b);
    return isnan(*x) ? 0x7ff8000000000000u : b;
}

static void test_levels_agree(void **test)
{
    (void)test;
    int count;
    const char *const *level = fa__cpu_level_names(&count), *first = fa__cpu_level_name();
    for (int i = 0; i < FUNCTIONS; i++) {
        uint64_t state = 362436069u;
        for (int r = 0; r < ROUNDS; r++) {
            static float x[AT_ONCE], y[AT_ONCE], a[2][AT_ONCE];
            static double u[AT_ONCE], v[AT_ONCE], b[2][AT_ONCE];
            fill_f32(x, y, &state, r);
            fill_f64(u, v, &state, r);
            for (int l = 0; l < count; l++) {
                assert_true(fa__cpu_level_use(level[l]));
                fa__cpu_simd->of[FA__CLASS_F32]->prim[functions[i].prim](a[l > 0], x, y, NULL, AT_ONCE);
                fa__cpu_simd->of[FA__CLASS_F64]->prim[functions[i].prim](b[l > 0], u, v, NULL, AT_ONCE);
                for (int k = 0; k < AT_ONCE && l > 0; k++) {
                    if (bits_f32(&a[0][k]) != bits_f32(&a[1][k]))
                        fail_msg("%s of f32 %a, %a: %a by %s, %a by %s", functions[i].name, (double)x[k], (double)y[k],
                                 (double)a[0][k], level[0], (double)a[1][k], level[l]);
                    if (bits_f64(&b[0][k]) != bits_f64(&b[1][k]))
                        fail_msg("%s of f64 %a, %a: %a by %s, %a by %s", functions[i].name, u[k], v[k], b[0][k],
                                 level[0], b[1][k], level[l]);
                }
            }
        }
    }
    assert_true(fa__cpu_level_use(first));
}

/* A tile does not depend on its neighbours: sin and cos look at a whole tile before they choose their loop. */
static void test_alone(void **test)
{
    (void)test;
    const fa__prim prims[] = {FA__PRIM_sin, FA__PRIM_cos};
    for (int p = 0; p < 2; p++) {
        float x[64], all[64], one;
        for (int i = 0; i < 64; i++)
            x[i] = (float)(i * 0.37 - 5);
        x[17] = 1e30f;
        fa__cpu_simd->of[FA__CLASS_F32]->prim[prims[p]](all, x, NULL, NULL, 64);
        for (int i = 0; i < 64; i++) {
            fa__cpu_simd->of[FA__CLASS_F32]->prim[prims[p]](&one, &x[i], NULL, NULL, 1);
            assert_memory_equal(&one, &all[i], sizeof one);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
