/* The cache of users' expressions: one for equal texts and names, bounded, and shared by threads. */
#include "pointwise/expression_test.h"
#include <pthread.h>

static const fa__expression *cached(const char *text)
{
    fa__parse_error error;
    return fa__expression_cached(text, &operands, &error);
}

static void test_found(void **state)
{
    (void)state;
    char again[] = "x + y";
    const fa__expression *a = cached("x + y"), *b = cached(again);
    assert_non_null(a);
    assert_ptr_equal(a, b);
    const fa__expression *other = cached("x + y ");
    assert_ptr_not_equal(a, other);
    fa__expression_free(other);
    fa__expression_free(b);
    fa__expression_cache_clear();
    assert_string_equal(a->text, "x + y"); /* held */
    other = cached("x + y");
    assert_ptr_not_equal(a, other);
    fa__expression_free(other);
    fa__expression_free(a);
}

/* The same text with other names is another expression. */
static void test_names(void **state)
{
    (void)state;
    static const char *const xy[] = {"x", "y"}, *const yx[] = {"y", "x"}, *const xyz[] = {"x", "y", "z"};
    static const char *const r[] = {"r"};
    const fa__signature signatures[] = {{xy, 2, NULL, 0}, {yx, 2, NULL, 0}, {xyz, 3, NULL, 0}, {xy, 2, r, 1}};
    const fa__expression *found[COUNT(signatures)];
    fa__parse_error error;
    for (size_t i = 0; i < COUNT(signatures); i++) {
        found[i] = fa__expression_cached("r = x - y", &signatures[i], &error);
        assert_non_null(found[i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(found[i], found[j]);
    }
    assert_true(fa__ssa_eval(&found[0]->ssa, (double[]){5, 3}, 0) == 2);
    assert_true(fa__ssa_eval(&found[1]->ssa, (double[]){5, 3}, 0) == -2);
    for (size_t i = 0; i < COUNT(signatures); i++)
        fa__expression_free(found[i]);
}

static void test_errors(void **state)
{
    (void)state;
    fa__parse_error error;
    for (int i = 0; i < 2; i++) {
        assert_null(fa__expression_cached("x +", &operands, &error));
        assert_string_equal(error.message, "expected an operand, found the end");
        assert_int_equal(error.position, 3);
    }
    const fa__expression *e = fa__expression_cached("x", &operands, &error);
    assert_string_equal(error.message, "");
    fa__expression_free(e);
}

/* More texts than it keeps: what is held stays, the rest may be parsed again. */
static void test_many(void **state)
{
    (void)state;
    char text[32];
    const fa__expression *held = cached("x * 0.25"), *again;
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "x + %d", i);
        const fa__expression *e = cached(text);
        assert_string_equal(e->text, text);
        assert_true(fa__ssa_eval(&e->ssa, (double[]){1}, 0) == 1 + i);
        fa__expression_free(e);
    }
    again = cached("x * 0.25");
    assert_ptr_equal(held, again);
    fa__expression_free(again);
    fa__expression_free(held);
    fa__expression_cache_clear();
}

/* All held at once, more than it would keep. */
static void test_many_held(void **state)
{
    (void)state;
    static const fa__expression *held[6000];
    char text[32];
    for (int i = 0; i < 6000; i++) {
        snprintf(text, sizeof text, "x - %d", i);
        held[i] = cached(text);
    }
    for (int i = 0; i < 6000; i++) {
        snprintf(text, sizeof text, "x - %d", i);
        const fa__expression *again = cached(text);
        assert_ptr_equal(again, held[i]);
        fa__expression_free(again);
        fa__expression_free(held[i]);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int64_t nth = 1; nth < 20; nth++) {
        fa__expression_cache_clear();
        fa__inject(nth);
        const fa__expression *e = cached("exp(x) * y");
        fa__inject(0);
        assert_int_equal(!e, fa__failed());
        fa__expression_free(e);
        if (e)
            return;
        fa_error_clear();
    }
    fail_msg("never succeeded");
}

enum { THREADS = 4, ROUNDS = 20000, TEXTS = 200 };

/* cmocka's assertions are for the main thread: what is wrong is counted. */
static void *look_up(void *first)
{
    intptr_t wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char text[32];
        int number = (i * 7 + (int)(intptr_t)first) % TEXTS;
        snprintf(text, sizeof text, "exp(x * %d)", number + 2);
        const fa__expression *e = cached(text);
        fa__underived why;
        const fa__expression *d = e ? fa__expression_derivative(e, X, &why) : NULL;
        wrong += !d || strcmp(e->text, text) != 0 || d->used != (1u << OPERANDS | 2u << OPERANDS);
        if (i % 5000 == 4999)
            fa__expression_cache_clear();
        fa__expression_free(e);
    }
    return (void *)wrong;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, look_up, (void *)(i * 50)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),   cmocka_unit_test(test_names),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_many),    cmocka_unit_test(test_many_held), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
