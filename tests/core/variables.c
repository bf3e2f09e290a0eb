/* Variables that own a tensor, and references of the program's: returned, dropped early, and given back too often. */
#define _GNU_SOURCE
#include "support/alive.h"
#include <pthread.h>

/* ---- returning a variable ---- */

/* Returns from within `depth` loops and scopes; the value is one that a scope owns, or that only the variable has. */
static fa_tensor *from_depth(int depth, bool owned, double value)
{
    FA_VAR(h, fa_zeros(FA_SHAPE(3)));
    if (depth == 0) {
        fa_tensor *y = owned ? fa_full(FA_SHAPE(3), value) : NULL;
        fa_assign(&h, owned ? y : fa_full(FA_SHAPE(3), value));
        return fa_escape(h);
    }
    FA_SCOPE;
    FA_REPEAT (i, 3) {
        fa_tensor *y = owned ? fa_full(FA_SHAPE(3), value) : NULL;
        if (depth == 1) {
            fa_assign(&h, owned ? y : fa_full(FA_SHAPE(3), value));
            return fa_escape(h);
        }
        FA_SCOPE;
        fa_tensor *z = owned ? fa_full(FA_SHAPE(3), value) : NULL;
        fa_assign(&h, owned ? z : fa_full(FA_SHAPE(3), value));
        if (i == 1)
            return fa_escape(h);
    }
    return NULL;
}

static void a_variable_is_returned_from_every_depth(void **state)
{
    (void)state;
    for (int owned = 0; owned < 2; owned++)
        for (int depth = 0; depth < 3; depth++) {
            size_t before = blocks(), most = 0;
            FA_REPEAT (i, 20) {
                fa_tensor *y = from_depth(depth, owned != 0, (double)i);
                assert_true(fa_item(fa_select(y, 0, 2)) == (double)i);
                most = blocks() > most ? blocks() : most;
            }
            assert_no_error();
            assert_true(most <= before + 4); /* each result ends with its iteration */
            assert_int_equal(blocks(), before);
        }
}

/* Inner calls of a function that calls itself return to outer ones. */
static fa_tensor *sum_to(int n) // NOLINT(misc-no-recursion)
{
    FA_SCOPE;
    FA_VAR(sum, fa_zeros(FA_SHAPE(2)));
    FA_REPEAT (i, n) {
        fa_tensor *below = sum_to(n - 1);
        fa_assign(&sum, fa_add(below, n));
        fa_assign(&sum, fa_add(sum, below)); /* it is of this scope, and still there */
        return fa_escape(sum);
    }
    return fa_escape(sum);
}

static void a_function_that_calls_itself_returns_its_variable(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        fa_tensor *y = sum_to(5);
        assert_true(fa_item(fa_select(y, 0, 1)) == 5 + 2 * (4 + 2 * (3 + 2 * (2 + 2 * 1.0))));
        assert_int_equal(blocks(), before + 1);
    }
    assert_no_error();
    assert_int_equal(blocks(), before);
}

static void the_expression_of_an_assignment_is_a_scope(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(300));
    size_t before = blocks();
    FA_VAR(h, fa_add(fa_mul(x, 2), fa_mul(x, 3)));
    assert_int_equal(blocks(), before + 1);
    fa_assign(&h, fa_add(fa_mul(h, 2), h));
    assert_int_equal(blocks(), before + 1);
    {
        FA_SCOPE;
        assert_true(fa_item(fa_mean(h)) == 15);
    }
    fa_tensor *y = fa_neg(h);
    fa_assign(&h, y); /* y was made before: it stays until its scope ends */
    fa_assign(&h, NULL);
    assert_int_equal(blocks(), before + 1);
    assert_true(fa_item(fa_mean(y)) == -15);
    assert_no_error();
}

/* ---- memory of a chain of calls ---- */

enum { LAYERS = 8, WIDTH = 1 << 16 };

static fa_tensor *chained(fa_module *m, fa_tensor *x)
{
    (void)m;
    FA_VAR(h, fa_relu(x));
    for (int i = 1; i < LAYERS; i++)
        fa_assign(&h, fa_relu(h));
    return fa_escape(h);
}

static size_t peak_of(fa_module *net, fa_tensor *x)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_memory_reset_peak(FA_CPU);
    size_t before = fa_memory_stats(FA_CPU).allocated;
    assert_non_null(fa_forward(net, x));
    return fa_memory_stats(FA_CPU).peak - before;
}

static void a_chain_of_calls_holds_no_more_than_a_sequential(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(WIDTH));
    fa_module *chain = fa_nn_custom("chain", 0, chained), *layers = fa_nn_sequential();
    for (int i = 0; i < LAYERS; i++)
        fa_module_append(layers, fa_nn_relu());
    size_t most = peak_of(layers, x);
    assert_true(most >= WIDTH * sizeof(float) && 2 * most <= 5 * WIDTH * sizeof(float));
    assert_true(peak_of(chain, x) <= most);
    assert_no_error();
}

/* ---- dropping, keeping and releasing ---- */

static void a_dropped_tensor_is_freed_at_once(void **state)
{
    (void)state;
    FA_SCOPE;
    size_t before = blocks();
    fa_tensor *a = fa_ones(FA_SHAPE(100)), *b = fa_ones(FA_SHAPE(100));
    {
        FA_SCOPE;
        fa_tensor *c = fa_add(a, b);
        fa_drop(a); /* of an outer scope */
        assert_int_equal(blocks(), before + 2);
        fa_drop(c);
        assert_int_equal(blocks(), before + 1);
    }
    fa_keep(b);
    fa_drop(b);
    assert_int_equal(blocks(), before + 1);
    fa_drop(b);
    assert_error(FA_ERROR_STATE, "fa_drop: no scope of this thread owns the tensor");
    fa_release(b);
    assert_int_equal(blocks(), before);
    fa_drop(NULL);
    assert_no_error();
}

static void what_was_not_kept_is_not_released(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_ones(FA_SHAPE(3));
    fa_release(t);
    assert_error(FA_ERROR_STATE, "variables.c:", "fa_release: the tensor was not kept");
    fa_adopt(t);
    assert_error(FA_ERROR_STATE, "fa_adopt: the tensor was not kept");
    fa_keep(t);
    fa_keep(t);
    fa_release(t);
    fa_release(t);
    assert_no_error();
    fa_release(t);
    assert_error(FA_ERROR_STATE, "fa_release: the tensor was not kept");
    counted *c = make();
    fa_release(c);
    assert_error(FA_ERROR_STATE, "was not kept");
    fa_adopt(fa_keep(c));
    assert_no_error();
    assert_true(fa_item(fa_sum(t)) == 3);
}

/* ---- a root scope that grows ---- */

static char said[1000];

static void listen(void *context, fa_log_level level, const char *message)
{
    (void)context;
    if (level == FA_LOG_WARNING)
        snprintf(said, sizeof said, "%s", message);
}

static void make_large(int count)
{
    for (int i = 0; i < count && !fa_failed(); i++)
        fa_empty(FA_SHAPE(5 << 18)); /* 5 MiB, which are not touched */
}

static void *fill(void *count)
{
    make_large(*(int *)count);
    return fa_failed() ? strdup(fa_error_message()) : NULL;
}

static char *fill_the_root(int count)
{
    pthread_t thread;
    void *error = NULL;
    said[0] = 0;
    fa_set_log(listen, NULL);
    assert_int_equal(pthread_create(&thread, NULL, fill, &count), 0);
    pthread_join(thread, &error);
    fa_set_log(NULL, NULL);
    return error;
}

static void bytes_in_the_root_scope_are_reported_early(void **state)
{
    (void)state;
    assert_null(fill_the_root(40));
    assert_string_equal(said, "");
    assert_null(fill_the_root(100));
    assert_non_null(strstr(said, "the root scope of a thread holds 64 tensors of 320.0 MiB that were made at "));
    assert_non_null(strstr(said, "variables.c:"));
    assert_non_null(strstr(said, "FA_SCOPE or FA_REPEAT frees them earlier"));
}

static void memory_that_the_root_scope_holds_is_named_when_it_runs_out(void **state)
{
    (void)state;
    fa_empty_cache(FA_CPU);
    fa_memory_limit(FA_CPU, (size_t)300 << 20);
    char *error = fill_the_root(100);
    fa_memory_limit(FA_CPU, 0);
    assert_non_null(error);
    assert_non_null(strstr(error, "out of memory on cpu"));
    assert_non_null(strstr(error, "; the root scope of a thread holds "));
    assert_non_null(strstr(error, "variables.c:"));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_variable_is_returned_from_every_depth),
        TEST(a_function_that_calls_itself_returns_its_variable),
        TEST(the_expression_of_an_assignment_is_a_scope),
        TEST(a_chain_of_calls_holds_no_more_than_a_sequential),
        TEST(a_dropped_tensor_is_freed_at_once),
        TEST(what_was_not_kept_is_not_released),
        TEST(bytes_in_the_root_scope_are_reported_early),
        TEST(memory_that_the_root_scope_holds_is_named_when_it_runs_out),
    };
    return RUN("core_variables");
}
