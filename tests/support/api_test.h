/* What the tests of the programs' interface share: cmocka and what it wants, the public headers, small checks. */
#ifndef API_TEST_H
#define API_TEST_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* after those */
#include <cmocka.h>
#include <facula/facula.h>
/* and of ours */
#include "support/devices.h"
#include "support/error_reason.h"
#include "support/same.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define API_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define API_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define API_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define API_TSAN 1
#endif

/* The standing error has this code, and says each of these; then it is gone. */
#define assert_error(code, ...)                                                                                        \
    do {                                                                                                               \
        const char *const api_said[] = {__VA_ARGS__};                                                                  \
        assert_true(error_says(code, api_said, sizeof api_said / sizeof *api_said, __LINE__));                         \
    } while (0)

static inline bool error_says(fa_code code, const char *const *said, size_t count, int line)
{
    bool good = fa_error_code() == code;
    for (size_t i = 0; i < count; i++)
        good = good && strstr(fa_error_message(), test_named(said[i]));
    if (!good)
        print_error("line %d: %s: \"%s\"\n", line, fa_code_name(fa_error_code()), fa_error_message());
    for (size_t i = 0; i < count && !good; i++)
        print_error("  expected %s: \"%s\"\n", fa_code_name(code), test_named(said[i]));
    fa_error_clear();
    return good;
}

#define assert_no_error()                                                                                              \
    do {                                                                                                               \
        if (fa_failed())                                                                                               \
            print_error("%s: \"%s\"\n", fa_code_name(fa_error_code()), fa_error_message());                            \
        assert_false(fa_failed());                                                                                     \
    } while (0)

static inline int api_begin(void **state)
{
    (void)state;
    fa_error_clear();
    fa_stop_clear();
    return 0;
}

#define TEST(f) cmocka_unit_test_setup(f, api_begin)
#define RUN(name) (test_devices_there() ? cmocka_run_group_tests_name(name, tests, NULL, NULL) : TEST_SKIPPED)
#endif
