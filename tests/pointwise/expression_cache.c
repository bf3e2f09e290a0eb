/* The cache of programs' expressions: bounded, the least recently used one goes, what is in use stays: by a call, the
 * graph, a late queue. */
#include "base/alloc.h"
#include "core/tensor.h"
#include "dispatch/expressions.h"
#include "support/autograd_test.h"
#include <pthread.h>

static const char *const names[] = {"x", "y"};

static const fa__op *take(const char *text)
{
    return fa__expression_take("pointwise", text, names, 2, NULL, 0);
}

static fa_tensor *gradient_leaf(fa_tensor *x)
{
    fa_set_requires_grad(x, true);
    return x;
}

static fa_tensor *gradient(fa_tensor *y, fa_tensor *x)
{
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(x), .create_graph = true);
    return g.count ? g.item[0] : NULL;
}

/* Whether the text is in the cache, and has been since it was marked. */
static bool is_marked(const char *text)
{
    const fa__op *op = take(text);
    bool is = atomic_load(&op->compiled->derivative[0]) != NULL;
    fa__expression_drop(op);
    return is;
}

static void mark(const char *text)
{
    const fa__op *op = take(text);
    assert_non_null(fa__derivative_of(op, 0));
    fa__expression_drop(op);
}

/* Many more texts than are kept, some of them again and again. */
static void it_is_bounded(void **state)
{
    (void)state;
    char text[64];
    fa__expressions_keep(FA__EXPRESSIONS_MOST);
    for (int i = 0; i < 4 * FA__EXPRESSIONS_MOST; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_tensor_of(1.0, 2.0);
        snprintf(text, sizeof text, "x * %d + y", i % 3 ? i : 3);
        fa_tensor *y = fa_pointwise(text, x, 0.5);
        HOLD(y, (i % 3 ? i : 3) + 0.5, 2 * (i % 3 ? i : 3) + 0.5);
        assert_true(fa__expressions_count() <= FA__EXPRESSIONS_MOST);
    }
    assert_int_equal(fa__expressions_count(), FA__EXPRESSIONS_MOST);
}

static void the_least_recently_used_goes(void **state)
{
    (void)state;
    fa__expressions_keep(0);
    fa__expressions_keep(3);
    mark("x + 1");
    mark("x + 2");
    mark("x + 3");
    assert_true(is_marked("x + 1"));
    mark("x + 4");
    assert_int_equal(fa__expressions_count(), 3);
    assert_true(is_marked("x + 1"));
    assert_true(is_marked("x + 3"));
    assert_true(is_marked("x + 4"));
    assert_false(is_marked("x + 2"));
}

static void what_is_held_stays(void **state)
{
    (void)state;
    fa__expressions_keep(0);
    const fa__op *held[20];
    char text[32];
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "x - %d", i);
        held[i] = take(text);
    }
    assert_int_equal(fa__expressions_count(), 20);
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "x - %d", i);
        const fa__op *again = take(text);
        assert_ptr_equal(again, held[i]);
        assert_string_equal(again->compiled->e->text, text);
        fa__expression_drop(again);
        fa__expression_drop(held[i]);
    }
    fa__expressions_keep(0);
    assert_int_equal(fa__expressions_count(), 0);
}

/* The same text with other names is another expression. */
static void names_are_part_of_it(void **state)
{
    (void)state;
    static const char *const yx[] = {"y", "x"};
    const fa__op *a = take("x - y"), *b = fa__expression_take("pointwise", "x - y", yx, 2, NULL, 0);
    assert_ptr_not_equal(a, b);
    assert_string_equal(a->fields[0].name, "x");
    assert_string_equal(b->fields[0].name, "y");
    fa__expression_drop(a);
    fa__expression_drop(b);
}

/* Backward after the expression, and its derivatives, were to be dropped; and tensors go on naming who made them. */
static void the_graph_holds_it(void **state)
{
    (void)state;
    FA_SCOPE;
    fa__expressions_keep(0);
    fa_tensor *x = gradient_leaf(fa_tensor_of(1.0, 2.0)), *y = fa_pointwise("x * x * x", x);
    for (int i = 0; i < 50; i++) {
        FA_SCOPE;
        char text[32];
        snprintf(text, sizeof text, "x * %d", i);
        fa_tensor *other = gradient_leaf(fa_tensor_of(3.0)), *z = fa_pointwise(text, other);
        assert_true(fa_backward(fa_sum(z)));
        HOLD(fa_grad(other), i);
    }
    fa__expressions_keep(0);
    assert_int_equal(fa__expressions_count(), 1);
    fa_tensor *g = gradient(y, x);
    HOLD(g, 3, 12);
    HOLD(gradient(g, x), 6, 12);
    assert_string_equal(y->made_by->name, "pointwise");
    assert_string_equal(g->made_by->name, "pointwise'x");
}

/* Work that is still to run when nobody else has the expression, and then some that goes wrong. */
static void late_work_holds_it(void **state)
{
    (void)state;
    fa__expressions_keep(0);
    for (int device = 0; device < 2; device++) {
        FA_SCOPE;
        int many = test_device_is_late(device) ? 100 : 5; /* others compile each */
        fa_tensor *x = fa_to(fa_tensor_of(1.0, 2.0), DEVICE(device)), *y[100],
                  *m = fa_to(fa_tensor_of(0.0, 0.0), DEVICE(device));
        for (int i = 0; i < many; i++) {
            char text[64];
            snprintf(text, sizeof text, "t = x * %d; t - exp(y)", i);
            y[i] = fa_pointwise(text, x, 0.0);
            snprintf(text, sizeof text, "m = m + %d", i);
            assert_true(fa_update(text, 1, (fa_binding[]){FA_BIND("m", FA_TENSORS(m))}));
        }
        for (int i = 0; i < many; i++)
            HOLD(y[i], i - 1, 2 * i - 1);
        HOLD(m, many * (many - 1) / 2, many * (many - 1) / 2);
        fa_synchronize(DEVICE(device));
        fa__expressions_keep(0);
        assert_int_equal(fa__expressions_count(), 0);
    }
}

static void errors_leave_nothing(void **state)
{
    (void)state;
    fa__expressions_keep(0);
    fa_tensor *x = fa_tensor_of(1.0);
    for (int i = 0; i < 2; i++) {
        assert_null(fa_pointwise("x +", x));
        assert_non_null(strstr(fa_error_message(), "expected an operand, found the end"));
        fa_error_clear();
    }
    assert_int_equal(fa__expressions_count(), 0);
}

static void memory_may_be_lacking(void **state)
{
    (void)state;
    for (int64_t nth = 1; nth < 40; nth++) {
        fa__expressions_keep(0);
        fa__expressions_keep(FA__EXPRESSIONS_MOST);
        fa__inject(nth);
        const fa__op *op = take("exp(x) * y");
        const fa__op *d = op ? fa__derivative_of(op, 0) : NULL;
        fa__inject(0);
        assert_int_equal(!d, fa_failed());
        fa__expression_drop(op);
        if (d)
            return;
        fa_error_clear();
    }
    fail_msg("never succeeded");
}

enum { THREADS = 4, ROUNDS = 3000, TEXTS = 60 };

/* cmocka's assertions are for the main thread: what is wrong is counted. */
static void *look_up(void *first)
{
    intptr_t wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        FA_SCOPE;
        char text[32];
        int number = (i * 7 + (int)(intptr_t)first) % TEXTS + 2;
        snprintf(text, sizeof text, "x * %d", number);
        fa_tensor *x = gradient_leaf(fa_full(FA_SHAPE(1), 3.0)), *y = fa_pointwise(text, x);
        wrong += !y || fa_item(y) != 3 * number || !fa_backward(y) || fa_item(fa_grad(x)) != number;
    }
    return (void *)wrong;
}

static void threads_share_it(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    fa__expressions_keep(TEXTS / 2);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, look_up, (void *)(i * 11)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    assert_true(fa__expressions_count() <= TEXTS / 2 + THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_bounded),        TEST(the_least_recently_used_goes), TEST(what_is_held_stays),
        TEST(names_are_part_of_it), TEST(the_graph_holds_it),           TEST(late_work_holds_it),
        TEST(errors_leave_nothing), TEST(memory_may_be_lacking),        TEST(threads_share_it),
    };
    return RUN("expression_cache");
}
