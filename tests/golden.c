/* Every operation over its samples, held against what PyTorch answered: values, dtypes, errors and gradients
 * (tests/reference/operations.txt). The dtypes of pairs of operands are in promotion.c.
 *
 *     golden [operation...]    only those */
#include "support/check.h"
#include "support/devices.h"
#include "support/gradient.h"
#include "support/reference.h"
#include <stdlib.h>

/* Where Facula differs from PyTorch on purpose: it answers where PyTorch refuses, or the other way round. */
static const struct {
    const char *op, *dtypes, *why;
} differences[] = {
    {"relu", "bool", "no element is below 0: they stay"},
    {"argmax", "bool", "bool has an order"},
    {"argmin", "bool", "as argmax"},
    {"matmul", "bool", "there is no product of bool, of nothing neither"},
    {"linear", "bool", "as matmul"},
    {"topk", "bool", "false and true have an order: sort has them"},
    {"isin", "bool", "bool can be compared"},
    {"softmax", "i64 i32 u8 bool", "integers are refused, empty ones too"},
    {"log_softmax", "i64 i32 u8 bool", "as softmax"},
    {"softmin", "i64 i32 u8 bool", "as softmax"},
    {"floor_divide", "bool", "bool computes as integers do"},
    {"hardtanh", "bool", "bool has an order"},
    {"relu6", "bool", "as hardtanh"},
    {"tanhshrink", "bool", "computed in f32"},
    {"square", "bool", "a product of bool is bool"},
    {"addcdiv", "i64 i32 u8 bool", "true division, as in div"},
    {"conv1d", "bool", "as matmul"},
    {"conv2d", "bool", "as matmul"},
    {"conv_transpose1d", "bool", "as matmul"},
    {"conv_transpose2d", "bool", "as matmul"},
    {"mm", "bool", "as matmul"},
    {"bmm", "bool", "as matmul"},
    {"mv", "bool", "as matmul"},
    {"inner", "bool", "as matmul"},
    {"tensordot", "bool", "as matmul"},
    {"tensordot_at", "bool", "as matmul"},
    {"addmm", "bool", "as matmul"},
    {"addmv", "bool", "as matmul"},
    {"addr", "bool", "as matmul"},
    {"baddbmm", "bool", "as matmul"},
    {"multi_dot", "bool", "as matmul"},
    {"matrix_power", "bool", "as matmul"},
    {"einsum", "i32 u8 bool", "as matmul; sums of integers keep their dtype, whichever way they are made"},
    {"smooth_l1_loss", "i64 i32 u8 bool", "losses are of floats, but for distances and their squares"},
    {"poisson_nll_loss", "i64 i32 u8 bool", "as smooth_l1_loss"},
    {"hinge_embedding_loss", "i64 i32 u8 bool", "as smooth_l1_loss"},
    {"margin_ranking_loss", "i64 i32 u8 bool", "as smooth_l1_loss"},
    {"cosine_embedding_loss", "i64 i32 u8 bool", "as smooth_l1_loss"},
    {"triplet_margin_loss", "i64 i32 u8 bool", "as smooth_l1_loss"},
    {"pairwise_distance", "u8 bool", "differences are taken in f32"},
    {"avg_pool2d", "i64", "means of integers are refused"},
    {"adaptive_mean", "i64 i32 u8 bool", "as avg_pool2d, empty ones too"},
    {"adaptive_avg_pool2d", "i64 i32 u8 bool", "as adaptive_mean"},
    {"avg_pool1d", "i64", "as avg_pool2d"},
    {"feature_dropout", "i64 i32 u8 bool", "computed in f32, as dropout"},
    {"batch_norm", "i64 i32 u8 bool", "as avg_pool2d, empty ones too"},
    {"group_norm", "i64 i32 u8 bool", "as avg_pool2d, empty ones too"},
    {"local_response_norm", "i64", "as avg_pool2d"},
    {"clamp", "u8", "numbers wrap into the dtype, as in arithmetic"},
};

/* Where PyTorch computes f64 less exactly: by coefficients of f32, or by short series. */
static const char *const coarse[] = {"hardsigmoid", "digamma", "polygamma"};

static double tolerance(const char *op, fa_dtype dtype)
{
    for (size_t i = 0; i < sizeof coarse / sizeof *coarse; i++)
        if (!strcmp(coarse[i], op) && dtype == FA_F64)
            return 1e-7;
    return dtype_tolerance(dtype);
}

/* Where they are done: the CPU, or the device that FACULA_TEST_DEVICES names. */
static fa_device place(void)
{
    return test_device_is_late(0) ? FA_CPU : DEVICE(0);
}

static const char *const dtypes[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "u8", "bool"};

static bool differs_on_purpose(const char *op, const char *dtype)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (!strcmp(differences[i].op, op) && strstr(differences[i].dtypes, dtype))
            return true;
    return false;
}

/* The values an answer stands for: its own, or those of the dtype it refers to. NULL: of another number of elements. */
static double *values_of(const answer *a, const char *reference, int result, int64_t count)
{
    answer other = *a;
    if (a->kind == ANSWER_CLOSE || a->kind == ANSWER_SAME)
        other = reference_answer(reference, a->kind == ANSWER_CLOSE ? "f64" : "i64", result);
    return other.kind == ANSWER_VALUES && other.count == count ? answer_values(&other) : NULL;
}

static bool same_shape(const answer *a, const fa_tensor *y)
{
    bool same = a->rank == fa_dim(y);
    for (int i = 0; same && i < a->rank; i++)
        same = a->shape[i] == fa_size(y, i);
    return same;
}

/* The tolerance: of the dtype that was computed in, or of the result's when that is coarser. */
static double tolerance_of(const char *op, const char *dtype, const fa_tensor *y)
{
    double a = tolerance(op, reference_dtype(dtype, 0)), b = tolerance(op, fa_tensor_dtype(y));
    return b > 0 && a > b ? a : b;
}

static void hold_result(const char *op, const fa_tensor *y, const char *reference, const char *dtype, int n)
{
    answer a = reference_answer(reference, dtype, n);
    if (a.kind <= ANSWER_ERROR)
        return;
    check(fa_tensor_dtype(y) == a.dtype, "%s: result %d is %s, not %s", dtype, n, fa_dtype_name(fa_tensor_dtype(y)),
          fa_dtype_name(a.dtype));
    double *have = tensor_values(y), *want = values_of(&a, reference, n, fa_numel(y)), worst = 0;
    bool ok = have && want && (a.kind != ANSWER_VALUES || same_shape(&a, y))
              && values_close(have, want, fa_numel(y), tolerance_of(op, dtype, y), &worst);
    check(ok, "%s: result %d is off by %g", dtype, n, worst);
    free(have);
    free(want);
}

static void hold_dtype(const sample *s, const char *reference, const char *dtype)
{
    FA_SCOPE;
    inputs in;
    attempt a;
    answer first = reference_answer(reference, dtype, 0);
    if (first.kind == ANSWER_NONE || first.kind == ANSWER_MISSING || !inputs_make(&in, s, reference_dtype(dtype, 0)))
        return;
    bool ok = attempt_all(&a, &in, NULL, place());
    if (differs_on_purpose(s->op->name, dtype))
        fa_error_clear();
    else if (first.kind == ANSWER_ERROR)
        check(!ok && error_is_clean(s->op), "%s: PyTorch refuses it", dtype);
    else if (check(ok, "%s: fails", dtype)) {
        check(reference_answer(reference, dtype, a.results).kind == ANSWER_NONE, "%s: there are only %d results", dtype,
              a.results);
        for (int i = 0; i < a.results; i++)
            hold_result(s->op->name, a.result[i], reference, dtype, i);
    }
    inputs_free(&in);
}

static void hold_gradient(const sample *s, const fa_tensor *g, const char *reference, int which, const char *dtype)
{
    answer a = reference_answer(reference, "grad", s->operand[which].place);
    if (a.kind != ANSWER_VALUES)
        return;
    double *have = g ? tensor_values(g) : calloc((size_t)a.count + 1, sizeof *have), *want = answer_values(&a),
           worst = 0;
    bool ok = have && want && (!g || same_shape(&a, g))
              && values_close(have, want, a.count, 4 * tolerance(s->op->name, reference_dtype(dtype, 0)), &worst);
    check(ok, "%s: the gradient of operand %d is off by %g", dtype, which, worst);
    free(have);
    free(want);
}

static void hold_gradients(const sample *s, const char *reference, const char *dtype)
{
    FA_SCOPE;
    inputs in;
    chain c;
    fa_tensor *g[MOST_TENSORS];
    if (!strstr(reference, "grad ") || s->op->cells->no_grad || !inputs_make(&in, s, reference_dtype(dtype, 0)))
        return;
    in.where = place();
    if (check(chain_run(&c, &in, 1, true) && gradients_of(&c.terms, c.x, c.count, false, g), "%s: gradients fail",
              dtype))
        for (int i = 0; i < c.count; i++)
            hold_gradient(s, g[i], reference, c.which[i], dtype);
    inputs_free(&in);
}

static void hold_sample(const sample *s, const char *operations)
{
    check_about("%s: fa_%s [%s]", s->row->place, s->op->name, s->text);
    const char *reference = reference_sample(operations, s->op->name, s->text);
    if (!check(reference != NULL, "no reference: run tests/reference/generate.py %s", s->op->name))
        return;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        hold_dtype(s, reference, dtypes[i]);
    if (reference_answer(reference, "f64", 0).kind == ANSWER_VALUES) {
        hold_gradients(s, reference, "f64");
        hold_gradients(s, reference, "f32");
    }
}

static void hold_row(const fa__samples *row, const char *operations)
{
    const fa__op *op = sample_op(row->op);
    const char *wrong;
    sample s;
    check_about("%s: fa_%s", row->place, row->op);
    for (int n = 0; op && sample_read(&s, op, row, n, &wrong); n++)
        hold_sample(&s, operations);
}

static bool chosen(const char *name, int argc, char **argv)
{
    bool found = argc < 2;
    for (int i = 1; i < argc; i++)
        found |= !strcmp(name, argv[i]);
    return found;
}

int main(int argc, char **argv)
{
    if (!test_devices_there())
        return TEST_SKIPPED;
    char *operations = reference_load("operations.txt");
    if (!check(operations != NULL, "tests/reference/operations.txt cannot be read"))
        return check_end();
    for (const fa__samples *row = fa__all_samples; row->op; row++)
        if (row->torch && *row->torch && chosen(row->op, argc, argv))
            hold_row(row, operations);
    free(operations);
    return check_end();
}
