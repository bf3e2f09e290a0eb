/* Host memory: errors, alignment, checked sizes, injected failures. */
#include "base/alloc.h"
#include "base/base_test.h"
#include "base/error.h"
#include "base/small.h"
#include <errno.h>
#include <string.h>

static int clear(void **state)
{
    (void)state;
    fa__inject(0);
    fa_error_clear();
    return 0;
}

static void test_plain(void **state)
{
    (void)state;
    char *a = (char *)fa__malloc(100);
    assert_non_null(a);
    memset(a, 7, 100);
    a = (char *)fa__realloc(a, 100000);
    assert_int_equal(a[99], 7);
    fa__free(a);
    a = (char *)fa__calloc(10, 10);
    for (int i = 0; i < 100; i++)
        assert_int_equal(a[i], 0);
    fa__free(a);
    a = (char *)fa__realloc(NULL, 10);
    assert_non_null(a);
    fa__free(a);
    fa__free(NULL);
    assert_false(fa_failed());
}

static void test_nothing_is_something(void **state)
{
    (void)state;
    void *p[] = {fa__malloc(0), fa__calloc(0, 8), fa__aligned(64, 0), fa__realloc(fa__malloc(8), 0)};
    for (int i = 0; i < 4; i++) {
        assert_non_null(p[i]);
        fa__free(p[i]);
    }
}

static void test_aligned(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 1 << 21; alignment *= 2) {
        void *p = fa__aligned(alignment, 33);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignment, 0);
        memset(p, 1, 33);
        fa__aligned_free(p);
    }
}

static void test_too_much(void **state)
{
    (void)state;
    size_t volatile huge = SIZE_MAX / 2 + 1;
    assert_null(fa__malloc(huge));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_non_null(strstr(fa_error_message(), "9223372036854775808 bytes"));
    fa_error_clear();
    assert_null(fa__calloc(huge, 2));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    assert_null(fa__aligned(64, huge));
    assert_true(fa_failed());
    fa_error_clear();
    char *kept = (char *)fa__malloc(8);
    kept[7] = 3;
    assert_null(fa__realloc(kept, huge));
    assert_true(fa_failed());
    assert_int_equal(kept[7], 3);
    fa__free(kept);
}

static void test_checked_sizes(void **state)
{
    (void)state;
    size_t s;
    int64_t i;
    assert_true(fa__mul_size(SIZE_MAX / 2, 2, &s));
    assert_true(s == SIZE_MAX - 1);
    assert_false(fa__mul_size(SIZE_MAX / 2 + 1, 2, &s));
    assert_true(fa__add_size(SIZE_MAX - 1, 1, &s));
    assert_false(fa__add_size(SIZE_MAX, 1, &s));
    assert_true(fa__mul_i64(INT64_MAX, -1, &i));
    assert_true(i == -INT64_MAX);
    assert_false(fa__mul_i64(INT64_MIN, -1, &i));
    assert_true(fa__add_i64(INT64_MAX, INT64_MIN, &i));
    assert_int_equal(i, -1);
    assert_false(fa__add_i64(INT64_MAX, 1, &i));
}

/* One of each kind; true if all were there. */
static bool allocate_all(void)
{
    void *a = fa__malloc(8), *b = fa__calloc(1, 8), *c = fa__aligned(64, 8), *d = fa__small_alloc(8);
    void *e = fa__small_alloc(5000), *f = fa__realloc(a, 500);
    bool all = a && b && c && d && e && f;
    fa__free(f ? f : a);
    fa__free(b);
    fa__aligned_free(c);
    fa__small_free(d, 8);
    fa__small_free(e, 5000);
    return all;
}

static void test_injection(void **state)
{
    (void)state;
    assert_true(allocate_all());
    fa__inject(INT64_MAX);
    assert_true(allocate_all());
    int64_t all = fa__inject_count();
    assert_int_equal(all, 6);
    for (int64_t n = 1; n <= all; n++) {
        fa__inject(n);
        assert_false(allocate_all());
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(allocate_all()); /* once only */
    }
    fa__inject(all + 1);
    assert_true(allocate_all());
    fa__inject(0);
    assert_int_equal(fa__inject_count(), all);
    assert_true(allocate_all());
    assert_int_equal(fa__inject_count(), all);
    assert_false(fa_failed());
}

static void test_inject_now(void **state)
{
    (void)state;
    assert_false(fa__inject_now(1));
    fa__inject(2);
    assert_false(fa__inject_now(1));
    assert_true(fa__inject_now(1));
    assert_false(fa__inject_now(1));
    assert_false(fa_failed());
}

static void test_free_keeps_errno(void **state)
{
    (void)state;
    void *p = fa__malloc(1 << 24);
    errno = 77;
    fa__free(p);
    assert_int_equal(errno, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_plain, clear),
        cmocka_unit_test_teardown(test_nothing_is_something, clear),
        cmocka_unit_test_teardown(test_aligned, clear),
        cmocka_unit_test_teardown(test_too_much, clear),
        cmocka_unit_test_teardown(test_checked_sizes, clear),
        cmocka_unit_test_teardown(test_injection, clear),
        cmocka_unit_test_teardown(test_inject_now, clear),
        cmocka_unit_test_teardown(test_free_keeps_errno, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
