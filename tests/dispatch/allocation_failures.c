/* Each allocation of operations and of their gradients fails once: the call says that there is no memory, gives no
 * result, and neither crashes nor leaks; without a failure it gives what it gave before. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "support/api_test.h"
#include <math.h>
#include <pthread.h>

/* What the calls work on: a matrix, whole numbers below 3 of its shape, and as a vector, a mask, and a weight for each
 * column. */
typedef struct operands {
    fa_tensor *x, *i, *v, *m, *w;
} operands;

#define CALL(name, ...)                                                                                                \
    static const fa_tensor *call_##name(const operands *o)                                                             \
    {                                                                                                                  \
        const fa_tensor *x = o->x;                                                                                     \
        (void)x;                                                                                                       \
        return __VA_ARGS__;                                                                                            \
    }

/* The gradient for x, which itself can be differentiated, of an operation's sum. */
#define GRADIENT(name, ...)                                                                                            \
    static const fa_tensor *call_##name(const operands *o)                                                             \
    {                                                                                                                  \
        fa_tensor *x = fa_clone(o->x);                                                                                 \
        if (!x)                                                                                                        \
            return NULL;                                                                                               \
        fa_set_requires_grad(x, true);                                                                                 \
        fa_tensor *y = fa_sum(__VA_ARGS__);                                                                            \
        fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .create_graph = true);                                 \
        return g.count ? g.item[0] : NULL;                                                                             \
    }

CALL(sort, fa_sort(x).values)
CALL(unique, fa_unique(x, .dim = 1, .return_inverse = true, .return_counts = true).values)
CALL(isin, fa_isin(x, 2))
CALL(cummax, fa_cummax(x, 1).values)
CALL(median, fa_median(x, .dim = 1).values)
CALL(nanmedian, fa_nanmedian(x).values)
CALL(mode, fa_mode(x).values)
CALL(quantile, fa_quantile(x, 0.25, .dim = 1, .keepdim = true))
CALL(histogram, fa_histogram(x, .bins = 4, .density = true).hist)
CALL(bincount, fa_bincount(o->v, .minlength = 4))
CALL(corrcoef, fa_corrcoef(x))
CALL(cov, fa_cov(x, .fweights = o->w))
CALL(cross_entropy, fa_cross_entropy(x, o->v, .label_smoothing = 0.25, .reduction = FA_SUM))
CALL(diff, fa_diff(x, .n = 2, .prepend = x))
CALL(norm, fa_norm(x, .p = 3))
CALL(pdist, fa_pdist(fa_to(x, FA_BF16)))
CALL(any, fa_any(x, .dim = 1))
CALL(sum_bool, fa_sum(x, .dtype = FA_BOOL))
CALL(scatter_mean, fa_scatter_reduce(x, 1, o->i, x, "mean"))
CALL(index_add, fa_index_add(x, 0, o->v, x, .alpha = 2))
CALL(index_fill, fa_index_fill(x, 0, o->v, 3))
CALL(index_fill_by_tensor, fa_index_fill(x, 0, o->v, fa_ones(FA_SCALAR)))
CALL(take_along_dim, fa_take_along_dim(x, o->i, .dim = 1))
CALL(put, fa_put(x, o->i, x, .accumulate = true))
CALL(masked_scatter, fa_masked_scatter(x, o->m, x))
CALL(diagonal_scatter, fa_diagonal_scatter(x, fa_diagonal(x)))
CALL(multinomial, fa_zeros_like(fa_multinomial(x, 2)))
CALL(draw_again, fa_zeros_like(fa_multinomial(x, 9, .replacement = true)))
CALL(floor_divide, fa_floor_divide(o->i, fa_add(o->i, 1)))
GRADIENT(cumprod_back, fa_cumprod(x, 1))
GRADIENT(logcumsumexp_back, fa_logcumsumexp(x, 1))
GRADIENT(prod_back, fa_prod(x, .dim = FA_DIMS(0, 1)))
GRADIENT(norm_back, fa_norm(x, .p = 3))
GRADIENT(largest_back, fa_norm(x, .p = INFINITY, .dim = 1))
GRADIENT(sort_back, fa_sort(x).values)
GRADIENT(mode_back, fa_mode(x).values)
GRADIENT(quantile_back, fa_quantile(x, 0.25))
GRADIENT(amax_back, fa_scatter_reduce(x, 1, o->i, x, "amax"))
GRADIENT(product_back, fa_scatter_reduce(x, 1, o->i, x, "prod"))
GRADIENT(select_back, fa_masked_select(x, o->m))

#define NAMED(name)                                                                                                    \
    {                                                                                                                  \
#name, call_##name                                                                                             \
    }
static const struct call {
    const char *name;
    const fa_tensor *(*run)(const operands *);
} calls[] = {
    NAMED(sort),
    NAMED(unique),
    NAMED(isin),
    NAMED(cummax),
    NAMED(median),
    NAMED(nanmedian),
    NAMED(mode),
    NAMED(quantile),
    NAMED(histogram),
    NAMED(bincount),
    NAMED(corrcoef),
    NAMED(cov),
    NAMED(cross_entropy),
    NAMED(diff),
    NAMED(norm),
    NAMED(pdist),
    NAMED(any),
    NAMED(sum_bool),
    NAMED(scatter_mean),
    NAMED(index_add),
    NAMED(index_fill),
    NAMED(index_fill_by_tensor),
    NAMED(take_along_dim),
    NAMED(put),
    NAMED(masked_scatter),
    NAMED(diagonal_scatter),
    NAMED(multinomial),
    NAMED(draw_again),
    NAMED(floor_divide),
    NAMED(cumprod_back),
    NAMED(logcumsumexp_back),
    NAMED(prod_back),
    NAMED(norm_back),
    NAMED(largest_back),
    NAMED(sort_back),
    NAMED(mode_back),
    NAMED(quantile_back),
    NAMED(amax_back),
    NAMED(product_back),
    NAMED(select_back),
};

static double sum_of(const fa_tensor *t)
{
    return t ? fa_item(fa_sum(t, .dtype = FA_F64)) : NAN;
}

/* What is wrong when allocation number nth fails; NULL: nothing. */
static const char *wrong_at(const struct call *call, const operands *o, int64_t nth, double truth, bool *reached)
{
    fa__inject(nth);
    const fa_tensor *y = call->run(o);
    *reached = fa__inject_count() >= nth;
    fa__inject(0);
    if (fa_failed())
        return fa_error_code() != FA_ERROR_MEMORY ? "it fails for another reason"
               : y                                ? "it fails, and gives a result"
                                                  : NULL;
    return !y ? "it gives nothing, and no error" : sum_of(y) != truth ? "it gives something else" : NULL;
}

static bool hold(const struct call *call, const operands *o)
{
    double truth = sum_of(call->run(o));
    bool reached = true;
    if (fa_failed() || isnan(truth))
        return print_error("%s: %s\n", call->name, fa_error_message()), false;
    for (int64_t nth = 1; reached; nth++) {
        FA_SCOPE;
        const char *wrong = wrong_at(call, o, nth, truth, &reached);
        if (wrong)
            return print_error("%s, allocation %d: %s: %s\n", call->name, (int)nth, wrong, fa_error_message()), false;
        fa_error_clear();
    }
    return true;
}

static void *run_all(void *failed)
{
    FA_SCOPE;
    operands o = {.x = fa_tensor_parse("[[3, 1, 2, 0.5], [1, 1, 0.25, 2], [5, 3, 1, 1]]"),
                  .i = fa_tensor_parse("[[2, 1, 2, 0], [1, 1, 0, 2], [0, 2, 1, 1]]", .dtype = FA_I64),
                  .v = fa_tensor_parse("[1, 0, 1]", .dtype = FA_I64),
                  .w = fa_tensor_parse("[1, 2, 1, 3]", .dtype = FA_I64)};
    o.m = fa_gt(o.x, 1);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        FA_SCOPE;
        *(int *)failed += !hold(&calls[k], &o);
        fa_error_clear();
    }
    return NULL;
}

/* On a thread of its own, whose caches go with it. */
static void each_allocation_may_fail(void **state)
{
    (void)state;
    pthread_t thread;
    int failed = 0;
    size_t before = fa_memory_stats(FA_CPU).blocks.current;
    assert_int_equal(pthread_create(&thread, NULL, run_all, &failed), 0);
    pthread_join(thread, NULL);
    assert_int_equal(failed, 0);
    assert_int_equal(fa_memory_stats(FA_CPU).blocks.current, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
