/* Every operation over its samples, held against what PyTorch answered: values, dtypes, errors and gradients
 * (tests/reference/operations.txt). The dtypes of pairs of operands are in promotion.c.
 *
 *     golden [operation...]    only those */
#include "support/check.h"
#include "support/devices.h"
#include "support/gradient.h"
#include "support/reference.h"
#include <stdlib.h>

/* Whether the row's DIFFERS has a word: a dtype in which Facula differs from PyTorch on purpose (it answers where
 * PyTorch refuses, or the other way round), or "coarse", where PyTorch computes f64 less exactly. */
static bool differs(const fa__samples *row, const char *word)
{
    const char *at = strstr(row->differs, word), *end = strchr(row->differs, ':');
    return at && end && at < end;
}

static double tolerance(const fa__samples *row, fa_dtype dtype)
{
    return dtype == FA_F64 && differs(row, "coarse") ? 1e-7 : dtype_tolerance(dtype);
}

/* Where they are done: the CPU, or the device that FACULA_TEST_DEVICES names. */
static fa_device place(void)
{
    return test_device_is_late(0) ? FA_CPU : DEVICE(0);
}

static const char *const dtypes[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "u8", "bool"};

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
static double tolerance_of(const fa__samples *row, const char *dtype, const fa_tensor *y)
{
    double a = tolerance(row, reference_dtype(dtype, 0)), b = tolerance(row, fa_tensor_dtype(y));
    return b > 0 && a > b ? a : b;
}

static void hold_result(const fa__samples *row, const fa_tensor *y, const char *reference, const char *dtype, int n)
{
    answer a = reference_answer(reference, dtype, n);
    if (a.kind <= ANSWER_ERROR)
        return;
    check(fa_tensor_dtype(y) == a.dtype, "%s: result %d is %s, not %s", dtype, n, fa_dtype_name(fa_tensor_dtype(y)),
          fa_dtype_name(a.dtype));
    double *have = tensor_values(y), *want = values_of(&a, reference, n, fa_numel(y)), worst = 0;
    bool ok = have && want && (a.kind != ANSWER_VALUES || same_shape(&a, y))
              && values_close(have, want, fa_numel(y), tolerance_of(row, dtype, y), &worst);
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
    if (differs(s->row, dtype))
        fa_error_clear();
    else if (first.kind == ANSWER_ERROR)
        check(!ok && error_is_clean(s->op), "%s: PyTorch refuses it", dtype);
    else if (check(ok, "%s: fails", dtype)) {
        check(reference_answer(reference, dtype, a.results).kind == ANSWER_NONE, "%s: there are only %d results", dtype,
              a.results);
        for (int i = 0; i < a.results; i++)
            hold_result(s->row, a.result[i], reference, dtype, i);
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
              && values_close(have, want, a.count, 4 * tolerance(s->row, reference_dtype(dtype, 0)), &worst);
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
    if (!strstr(reference, "grad ") || s->op->traits->no_grad || !inputs_make(&in, s, reference_dtype(dtype, 0)))
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
