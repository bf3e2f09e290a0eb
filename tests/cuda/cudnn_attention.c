/* Attention by cuDNN, on the simulator's or on a real GPU: results and gradients against attention in f64 on the CPU,
 * by which of them it makes, and with failures. */
#define CUDNN_MADE(gpu) ((gpu)->attentions)
#include "support/cudnn_test.h"
#include "support/same.h"

static void check(const char *what, fa_dtype dtype, const fa_tensor *have, const fa_tensor *want)
{
    const double off = error_of(have, want);
    if (!(off <= (dtype == FA_F16 ? 3e-3 : 2.4e-2)))
        fail_msg("%s of %s: off by %g", what, fa_dtype_name(dtype), off);
}

/* queries, keys, values and the gradient of the result */
typedef struct operands {
    fa_tensor *q, *k, *v, *gy;
} operands;

typedef struct size {
    fa_shape lead;
    int64_t queries, keys, width, v_width;
} size;

/* In memory as it is, or with heads between the rows, as layers have it. */
static fa_tensor *random_tensor(fa_dtype dtype, fa_shape lead, int64_t rows, int64_t columns, bool turned, bool grad)
{
    fa_shape s = lead;
    s.dim[s.rank++] = rows;
    s.dim[s.rank++] = columns;
    fa_tensor *x = fa_to(fa_to(fa_randn(s), dtype), GPU);
    if (turned && s.rank > 2)
        x = fa_transpose(fa_contiguous(fa_transpose(x, -2, -3)), -2, -3);
    fa_set_requires_grad(x, grad);
    return x;
}

static operands operands_of(fa_dtype dtype, const size *s, bool turned)
{
    return (operands){random_tensor(dtype, s->lead, s->queries, s->width, turned, true),
                      random_tensor(dtype, s->lead, s->keys, s->width, turned, true),
                      random_tensor(dtype, s->lead, s->keys, s->v_width, turned, true),
                      random_tensor(dtype, s->lead, s->queries, s->v_width, turned, false)};
}

static void check_attention(fa_dtype dtype, const size *s, bool turned, bool causal, int64_t by_library)
{
    FA_SCOPE;
    const operands o = operands_of(dtype, s, turned);
    fa_tensor *q = in_f64(fa_detach(o.q)), *k = in_f64(fa_detach(o.k)), *v = in_f64(fa_detach(o.v));
    fa_set_requires_grad(q, true), fa_set_requires_grad(k, true), fa_set_requires_grad(v, true);
    fa_tensor *want = fa_scaled_dot_product_attention(q, k, v, .causal = causal);
    fa_tensor *have = fa_scaled_dot_product_attention(o.q, o.k, o.v, .causal = causal);
    assert_int_equal(fa_tensor_dtype(have), dtype);
    check("attention", dtype, have, fa_detach(want));
    assert_int_equal(made(), by_library);
    fa_tensors due = fa_grad_of(FA_TENSORS(want), FA_TENSORS(q, k, v), .grad_outputs = FA_TENSORS(in_f64(o.gy)));
    fa_tensors g = fa_grad_of(FA_TENSORS(have), FA_TENSORS(o.q, o.k, o.v), .grad_outputs = FA_TENSORS(o.gy));
    for (int i = 0; i < 3; i++)
        check(i == 0 ? "gradient of q" : i == 1 ? "gradient of k" : "gradient of v", dtype, g.item[i], due.item[i]);
    assert_int_equal(made(), by_library);
}

static const size sizes[] = {
    {{2, {2, 3}}, 20, 20, 16, 16}, {{2, {1, 2}}, 9, 33, 8, 32}, {{1, {4}}, 33, 9, 64, 8}, {{0}, 65, 70, 128, 128}};

static void attentions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int how = 0; how < 4; how++)
            check_attention((how + (int)i) % 2 ? FA_F16 : FA_BF16, &sizes[i], how / 2, how % 2, 1);
}

/* What the library does not take is our kernel's, in f16 and bf16 as they are: other widths, masks, odd addresses,
 * deterministic sums; in f32 it never is the library's. */
static void others_are_ours(void **state)
{
    (void)state;
    const size odd = {{2, {2, 2}}, 20, 12, 12, 16}, deep = {{3, {2, 2, 2}}, 10, 12, 16, 16};
    check_attention(FA_F16, &odd, false, true, 0);
    check_attention(FA_BF16, &deep, true, false, 0);
    const operands o = operands_of(FA_F16, &sizes[0], false);
    fa_tensor *mask = fa_to(fa_gt(fa_rand(FA_SHAPE(20, 20)), 0.3), GPU);
    fa_tensor *want = fa_scaled_dot_product_attention(in_f64(o.q), in_f64(o.k), in_f64(o.v), .mask = fa_cpu(mask));
    check("with a mask", FA_F16, fa_scaled_dot_product_attention(o.q, o.k, o.v, .mask = mask), want);
    fa_tensor *numbers = fa_where(mask, 0.0, -1e6);
    check("with numbers", FA_F16, fa_scaled_dot_product_attention(o.q, o.k, o.v, .mask = numbers), want);
    assert_int_equal(made(), 0);
    const operands wide = operands_of(FA_F32, &sizes[0], false);
    assert_non_null(fa_scaled_dot_product_attention(wide.q, wide.k, wide.v));
    assert_int_equal(made(), 0);
    FA_USE(.deterministic = true);
    check_attention(FA_F16, &sizes[1], false, true, 0);
}

/* Where it is ours, the bits are those of f32 that are rounded once, as on the CPU. */
static void the_bits_of_f32(void **state)
{
    (void)state;
    FA_USE(.deterministic = true);
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        const fa_dtype dtype = i ? FA_BF16 : FA_F16;
        const operands o = operands_of(dtype, &sizes[1], i);
        fa_tensor *x[3] = {fa_detach(fa_cpu(o.q)), fa_detach(fa_cpu(o.k)), fa_detach(fa_cpu(o.v))};
        for (int k = 0; k < 3; k++)
            fa_set_requires_grad(x[k], true);
        fa_tensor *want = fa_scaled_dot_product_attention(x[0], x[1], x[2], .causal = true);
        fa_tensor *have = fa_scaled_dot_product_attention(o.q, o.k, o.v, .causal = true);
        assert_true(same_tensors(fa_cpu(have), want));
        fa_tensors due =
            fa_grad_of(FA_TENSORS(want), FA_TENSORS(x[0], x[1], x[2]), .grad_outputs = FA_TENSORS(fa_cpu(o.gy)));
        fa_tensors g = fa_grad_of(FA_TENSORS(have), FA_TENSORS(o.q, o.k, o.v), .grad_outputs = FA_TENSORS(o.gy));
        for (int k = 0; k < 3; k++)
            assert_true(same_tensors(fa_cpu(g.item[k]), due.item[k]));
    }
}

/* The simulator has no plan for matrices of 24 columns. */
static void an_attention_that_it_has_not(void **state)
{
    (void)state;
    const size none = {{2, {2, 2}}, 20, 20, 24, 24};
    for (int turn = 0; sim && turn < 2; turn++) {
        check_attention(FA_F16, &none, false, true, 0);
        check_attention(FA_F16, &sizes[0], false, true, 1);
    }
}

/* Whichever call fails, the result is our kernel's, and right; attention is not cuDNN's any more on this device. */
static void a_call_may_fail(void **state)
{
    (void)state;
    static const char *const calls[] = {
        "cudnnCreate",          "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute",
        "cudnnBackendFinalize", "cudnnBackendGetAttribute",     "cudnnBackendExecute"};
    const operands o = operands_of(FA_F16, &sizes[0], false);
    const fa_tensor *want = fa_scaled_dot_product_attention(in_f64(o.q), in_f64(o.k), in_f64(o.v));
    for (int i = 0; sim && i < (int)(sizeof calls / sizeof *calls); i++) {
        const fa_device there = FA_CUDA(i + 1);
        const fa_tensor *q = fa_to(o.q, there), *k = fa_to(o.k, there), *v = fa_to(o.v, there);
        for (int turn = 0; turn < 2; turn++) {
            const long before = sim->calls("cudnnBackendExecute");
            if (!turn)
                sim->inject(calls[i], 1, 5000, false);
            check(calls[i], FA_F16, fa_scaled_dot_product_attention(q, k, v), want);
            sim->inject(NULL, 0, 0, false);
            assert_int_equal(sim->calls("cudnnBackendExecute") - before, !turn && i == 5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(attentions), CASE(others_are_ours), CASE(the_bits_of_f32),
                                       CASE(an_attention_that_it_has_not), CASE(a_call_may_fail)};
    if (!cudnn_is_there("cudnnBackendExecute"))
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("cudnn_attention", tests, NULL, NULL);
}
