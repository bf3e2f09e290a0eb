/* What the tests of gradients and semantics share: expected numbers, expected errors, tensors in f64. */
#ifndef FA__TESTS_AUTOGRAD_TEST_H
#define FA__TESTS_AUTOGRAD_TEST_H
#include "support/devices.h"
#include "support/same.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/operations.h>
#include <facula/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUN(name) (test_devices_there() ? cmocka_run_group_tests_name(name, tests, NULL, NULL) : TEST_SKIPPED)
#define TEST(name) cmocka_unit_test_setup_teardown(name, test_begin, test_end)

__attribute__((__unused__)) static int test_begin(void **state)
{
    (void)state;
    fa_error_clear();
    return 0;
}

/* A test that leaves an error behind has failed. */
__attribute__((__unused__)) static int test_end(void **state)
{
    (void)state;
    if (!fa_failed())
        return 0;
    print_error("left behind: %s\n", fa_error_message());
    fa_error_clear();
    return -1;
}

/* A hook that counts its calls, in any thread. */
__attribute__((__unused__)) static fa_tensor *counts(fa_tensor *grad, void *context)
{
    (void)grad;
    __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
    return NULL;
}

__attribute__((__unused__)) static void hold_values(const fa_tensor *t, const double *want, int64_t n, double tolerance,
                                                    const char *file, int line)
{
    double have[64] = {0};
    if (fa_failed() || !t || fa_numel(t) != n || !fa_read(t, have, FA_F64, n)) {
        print_error("%s:%d: %lld elements expected, %s\n", file, line, (long long)n,
                    fa_failed() ? fa_error_message()
                    : t         ? "there are others"
                                : "there is no tensor");
        fa_error_clear();
        _fail(file, line);
    }
    for (int64_t i = 0; i < n; i++)
        if (have[i] != want[i] && !(isnan(have[i]) && isnan(want[i]))
            && !(isfinite(want[i]) && fabs(have[i] - want[i]) <= tolerance * (1 + fabs(want[i])))) {
            print_error("%s:%d: element %lld is %.17g, expected %.17g\n", file, line, (long long)i, have[i], want[i]);
            _fail(file, line);
        }
}

/* The elements of a tensor, row-major. NaN is NaN. */
#define HOLD(t, ...)                                                                                                   \
    hold_values(t, (const double[]){__VA_ARGS__}, (int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)),   \
                1e-6, __FILE__, __LINE__)

__attribute__((__unused__)) static void hold_error(fa_code code, const char *const *text, const char *file, int line)
{
    char message[1024];
    fa_code have = fa_error_code();
    snprintf(message, sizeof message, "%s", fa_error_message());
    fa_error_clear();
    if (have != code) {
        print_error("%s:%d: error '%s' expected, there is '%s': %s\n", file, line, fa_code_name(code),
                    fa_code_name(have), message);
        _fail(file, line);
    }
    for (; *text; text++)
        if (!strstr(message, test_named(*text))) {
            print_error("%s:%d: \"%s\" is not in \"%s\"\n", file, line, test_named(*text), message);
            _fail(file, line);
        }
}

/* The error that stands, with texts that are in its message; clears it. */
#define FAILS(code, ...) hold_error(code, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)

/* A leaf of f64 numbers. */
#define LEAF(...)                                                                                                      \
    fa_tensor_from(((const double[]){__VA_ARGS__}),                                                                    \
                   FA_SHAPE((int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))), .dtype = FA_F64,       \
                   .requires_grad = true)
#endif
