/* The walker's values: the dense call on the CPU is what all other layouts and devices are held against, bit for bit.
 */
#include "dispatch/compiled.h"
#include "support/conformance.h"
#include "support/devices.h"
#include <stdlib.h>

bool conform_equal(const fa_tensor *have, const fa_tensor *want)
{
    if (!walk.close)
        return tensor_same_bits(have, want);
    if (!tensor_same_form(have, want))
        return false;
    double *a = tensor_values(have), *b = tensor_values(want), worst;
    bool close = a && b && values_close(a, b, fa_numel(want), 2 * dtype_tolerance(fa_tensor_dtype(want)), &worst);
    free(a);
    free(b);
    return close;
}

bool conform_same(const fa__op *op, const fa_tensor *have, const fa_tensor *want)
{
    return op->traits->unspecified_values ? tensor_same_form(have, want) : conform_equal(have, want);
}

static bool same_results(const attempt *a, const attempt *b)
{
    bool same = a->results == b->results;
    for (int i = 0; same && i < a->results; i++)
        same = conform_same(a->s->op, a->result[i], b->result[i]);
    return same;
}

/* Operands of every layout take the place of dense ones: all at once, and each by itself. */
static void layouts_on(const inputs *in, const attempt *base, layout how, fa_device where, int only)
{
    FA_SCOPE;
    layout each[MOST_TENSORS];
    attempt a;
    for (int i = 0; i < in->s->operands; i++)
        each[i] = only < 0 || only == i ? how : LAYOUT_DENSE;
    bool ok = attempt_all(&a, in, each, where);
    check(ok && same_results(&a, base), "%s %s%s %s: differs from dense on cpu", fa_dtype_name(in->dtype[0]),
          layout_names[how], only < 0 ? "" : " (one operand)", fa_device_name(where));
}

/* The same with values that repeat, as those of an expanded tensor do. */
static void expanded(const inputs *in, int only)
{
    FA_SCOPE;
    inputs repeated;
    attempt base;
    if (!inputs_make(&repeated, in->s, in->dtype[0]))
        return;
    for (int i = 0; i < in->s->operands; i++) {
        const operand *o = &in->s->operand[i];
        memcpy(repeated.dtype, in->dtype, sizeof in->dtype);
        memcpy(repeated.values[i], in->values[i], (size_t)o->count * sizeof(double));
        if (only < 0 || only == i)
            repeat_values(o->rank, o->shape, repeated.values[i]);
    }
    if (attempt_all(&base, &repeated, NULL, FA_CPU)) {
        if (test_device_is_late(0))
            layouts_on(&repeated, &base, LAYOUT_EXPANDED, FA_CPU, only);
        if (only < 0 || !test_device_is_late(0))
            layouts_on(&repeated, &base, LAYOUT_EXPANDED, DEVICE(0), only);
    } else {
        check(error_is_clean(in->s->op), "expanded values: not a clean error");
    }
    inputs_free(&repeated);
}

static void on_meta(const inputs *in, const attempt *base)
{
    FA_SCOPE;
    attempt a;
    bool ok = attempt_all(&a, in, NULL, FA_META);
    ok = ok && a.results == base->results;
    for (int i = 0; ok && i < a.results; i++)
        ok = tensor_same_form(a.result[i], base->result[i]) && fa_device_equal(fa_tensor_device(a.result[i]), FA_META);
    if (!ok && in->s->op->traits->by_values && error_is_clean(in->s->op)) {
        fa_error_clear();
        return;
    }
    check(ok, "%s on meta: not the shape, dtype and device that are due", fa_dtype_name(in->dtype[0]));
}

/* Index operands of other dtypes: any integer will do. */
static void index_dtypes(const inputs *in, const attempt *base)
{
    static const fa_dtype others[] = {FA_I32, FA_I16, FA_I8, FA_U8};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        FA_SCOPE;
        attempt a;
        inputs other = *in;
        bool any = false;
        for (int i = 0; i < in->s->operands; i++)
            if (in->s->operand[i].domain == 'i' && in->s->operand[i].below > 0 && in->s->operand[i].below < 128) {
                other.dtype[i] = others[k];
                any = true;
            }
        if (!any)
            return;
        bool ok = attempt_all(&a, &other, NULL, conform_place());
        for (int i = 0; ok && i < a.results; i++)
            ok = base->result[i]->dtype == FA_I64 || conform_equal(a.result[i], base->result[i]);
        check(ok, "indices as %s: differs from i64", fa_dtype_name(others[k]));
    }
}

static void all_layouts(const inputs *in, const attempt *base)
{
    layouts_on(in, base, LAYOUT_DENSE, DEVICE(0), -1);
    if (in->s->op->traits->by_layout)
        return;
    for (int how = LAYOUT_DENSE + 1; how < LAYOUT_EXPANDED && in->s->operands; how++) {
        layouts_on(in, base, (layout)how, FA_CPU, -1);
        layouts_on(in, base, (layout)how, DEVICE(0), -1);
        for (int only = 0; only < in->s->operands && in->s->operands > 1; only++)
            layouts_on(in, base, (layout)how, FA_CPU, only);
    }
    if (in->s->operands)
        expanded(in, -1);
    for (int only = 0; only < in->s->operands && in->s->operands > 1; only++)
        expanded(in, only);
}

/* A device that has no such kernel says so. */
static bool lacks(const fa__op *op, fa_dtype dtype)
{
    bool says = fa_error_code() == FA_ERROR_UNAVAILABLE && error_is_clean(op);
    if (says)
        printf("%s does not have fa_%s of %s: %s\n", DEVICE_NAME(0), op->name, fa_dtype_name(dtype),
               fa_error_message());
    return says;
}

/* The same on a device with kernels of its own; `base` NULL: the CPU refuses the call. */
static void on_device(const inputs *in, const attempt *base)
{
    const sample *s = in->s;
    attempt a;
    bool there;
    {
        FA_SCOPE;
        there = attempt_all(&a, in, NULL, DEVICE(0));
    }
    if (!there && base && lacks(s->op, in->dtype[0])) {
        fa_error_clear();
        return;
    }
    if (!base || !there) {
        check(!base && !there && error_is_clean(s->op), "%s on %s: %s", fa_dtype_name(in->dtype[0]), DEVICE_NAME(0),
              base ? "fails" : "is not refused");
        return;
    }
    layouts_on(in, base, LAYOUT_DENSE, DEVICE(0), -1);
    for (int how = LAYOUT_DENSE + 1; how < LAYOUT_EXPANDED && s->operands && !s->op->traits->by_layout; how++)
        for (int only = -1; only < (walk.all && s->operands > 1 ? s->operands : 0); only++)
            layouts_on(in, base, (layout)how, DEVICE(0), only);
    for (int only = -1; only < (walk.all && s->operands > 1 ? s->operands : 0); only++)
        if (s->operands && !s->op->traits->by_layout)
            expanded(in, only);
    index_dtypes(in, base);
}

static bool in_dtype(const sample *s, fa_dtype dtype)
{
    FA_SCOPE;
    inputs in;
    attempt base;
    if (!inputs_make(&in, s, dtype))
        return false;
    bool ok = attempt_all(&base, &in, NULL, FA_CPU);
    if (!test_device_is_late(0)) {
        fa_error_clear();
        on_device(&in, ok ? &base : NULL);
    } else if (ok) {
        check(true, "call");
        on_meta(&in, &base);
        all_layouts(&in, &base);
        index_dtypes(&in, &base);
    } else {
        check(error_is_clean(s->op), "%s: not a clean error", fa_dtype_name(dtype));
    }
    inputs_free(&in);
    return ok;
}

bool conform_of_integers(const fa__op *op)
{
    const fa__compiled *f = op->traits->expr ? fa__compiled_of(op) : NULL;
    return f && f->e->whole;
}

void conform_values(const sample *s)
{
    if (!sample_varies(s)) {
        check(in_dtype(s, FA_F32), "the sample fails");
        return;
    }
    for (int dtype = FA_BOOL; dtype < FA__DTYPES; dtype++) {
        if (!conform_has(dtype))
            continue;
        bool ok = in_dtype(s, (fa_dtype)dtype);
        if (conform_of_integers(s->op) && dtype >= FA_F16)
            check(!ok, "%s is not refused", fa_dtype_name((fa_dtype)dtype));
        else if (dtype == FA_F32 || dtype == FA_F64)
            check(ok, "the sample fails in %s", fa_dtype_name((fa_dtype)dtype));
    }
}
