/* The walker's gradients: in f64, against central differences of a weighted sum of the results (first order), and of a
 * weighted sum of those gradients (second order); for expanded weights against those of a copy; and for what a row does
 * not take, with infinity and NaN coming in. */
#include "dispatch/compiled.h"
#include "support/conformance.h"
#include "support/devices.h"
#include "support/gradient.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double step = 1.0 / (1 << 17), tolerance = 2e-6;
enum { MOST_CHECKED = 64, EXPRESSIONS = 3 /* one in so many has gradients in a reduced walk */ };

static double dot(const fa_tensor *a, const fa_tensor *b)
{
    double *x = tensor_values(a), *y = tensor_values(b), sum = 0;
    for (int64_t i = 0, n = fa_numel(a); x && y && i < n; i++)
        sum += x[i] * y[i];
    if (!x || !y)
        sum = NAN;
    free(x);
    free(y);
    return sum;
}

static double chain_value(const inputs *in, int order)
{
    FA_SCOPE;
    chain c;
    if (!chain_run(&c, in, order, false))
        return NAN;
    double sum = 0;
    for (int i = 0; i < c.terms.count; i++)
        sum += dot(c.terms.y[i], c.terms.w[i]);
    return sum;
}

/* The difference quotient for one element. */
static double quotient(const inputs *in, int operand_number, int64_t element, int order)
{
    double *v = &in->values[operand_number][element], old = *v;
    *v = old + step;
    double up = chain_value(in, order);
    *v = old - step;
    double down = chain_value(in, order);
    *v = old;
    return (up - down) / (2 * step);
}

static void hold_against(const inputs *in, const fa_tensor *g, int operand_number, int order)
{
    const operand *o = &in->s->operand[operand_number];
    double *have = g ? tensor_values(g) : NULL, worst = 0;
    bool same_shape = !g || (fa_numel(g) == o->count && fa_dim(g) == o->rank);
    check(same_shape && (!g || have), "gradient %d of operand %d has another shape", order, operand_number);
    int64_t stride = o->count / MOST_CHECKED + 1;
    for (int64_t i = 0; same_shape && i < o->count; i += stride) {
        double want = quotient(in, operand_number, i, order), got = have ? have[i] : 0, difference = fabs(got - want);
        if (isnan(want) && isnan(got) && !fa_failed())
            continue;
        if (!(difference <= tolerance * (1 + fabs(want))) && !(difference <= worst))
            worst = difference;
    }
    check(!(worst > 0) && !isnan(worst), "gradient of order %d for operand %d is off by %g", order, operand_number,
          worst);
    free(have);
}

static bool one_order(const inputs *in, int order)
{
    FA_SCOPE;
    chain c;
    fa_tensor *g[MOST_TENSORS];
    bool ok = chain_run(&c, in, order, true) && gradients_of(&c.terms, c.x, c.count, false, g);
    if (!check(ok, "gradient of order %d: the call fails", order))
        return false;
    for (int i = 0; i < c.count; i++)
        if (in->s->op->constant >> in->s->operand[c.which[i]].field & 1)
            check(!g[i], "gradient of order %d for operand %d, which gets none", order, c.which[i]);
        else
            hold_against(in, g[i], c.which[i], order);
    return true;
}

static bool both(const fa_tensor *there, const fa_tensor *here)
{
    return there && here ? conform_equal(there, here) : !there && !here;
}

/* The weights as one number that is repeated, or as numbers of their own. */
static bool weights_alike(terms *t, bool repeated)
{
    bool good = true;
    for (int i = 0; i < t->count; i++) {
        fa_tensor *one = fa_full(FA_SCALAR, 0.75, .dtype = fa_tensor_dtype(t->y[i]));
        t->w[i] = repeated ? fa_expand_as(one, t->y[i]) : fa_full(fa_tensor_shape(t->y[i]), 0.75, .dtype = FA_F64);
        good = good && t->w[i];
    }
    return good;
}

/* A gradient that is expanded gives what one with memory of its own gives, also where there are no elements. */
static bool expanded_weights(const inputs *in, int order)
{
    FA_SCOPE;
    chain c;
    fa_tensor *g[2][MOST_TENSORS];
    if (!chain_run(&c, in, order, true))
        return false;
    for (int repeated = 0; repeated < 2; repeated++)
        if (!check(weights_alike(&c.terms, repeated) && gradients_of(&c.terms, c.x, c.count, true, g[repeated]),
                   "gradient of order %d of %s: the call fails", order, repeated ? "repeated numbers" : "numbers"))
            return false;
    for (int i = 0; i < c.count; i++)
        check(both(g[1][i], g[0][i]), "gradient of order %d for operand %d: an expanded one gives another", order,
              c.which[i]);
    return true;
}

/* Whether a row takes one operand and leaves another: what is left has a gradient of 0, whatever comes in. */
static bool chooses(const fa__op *op)
{
    const fa__compiled *f = op->traits->expr ? fa__compiled_of(op) : NULL;
    bool found = false;
    for (int i = 0; f && i < f->e->ssa.count; i++) {
        uint8_t prim = f->e->ssa.node[i].prim;
        found |= prim == FA__PRIM_select || prim == FA__PRIM_maximum || prim == FA__PRIM_minimum;
    }
    return found;
}

/* An element that the row does not take, so that a change of it changes nothing, has to have a gradient of just 0. */
static void hold_what_is_left(const inputs *in, const fa_tensor *g, int operand_number, double incoming)
{
    const operand *o = &in->s->operand[operand_number];
    double *have = g ? tensor_values(g) : NULL;
    int64_t wrong = 0, stride = o->count / MOST_CHECKED + 1;
    for (int64_t i = 0; have && i < o->count; i += stride)
        wrong += have[i] != 0 && quotient(in, operand_number, i, 1) == 0;
    check(!wrong, "%lld elements of operand %d that are not taken have a gradient when %g comes in", (long long)wrong,
          operand_number, incoming);
    free(have);
}

static void what_is_left(const inputs *in, double incoming)
{
    FA_SCOPE;
    chain c;
    fa_tensor *g[MOST_TENSORS];
    bool ok = chain_run(&c, in, 1, true);
    for (int i = 0; ok && i < c.terms.count; i++)
        c.terms.w[i] = fa_full(fa_tensor_shape(c.terms.y[i]), incoming, .dtype = FA_F64);
    if (!check(ok && gradients_of(&c.terms, c.x, c.count, false, g), "the gradient of %g fails", incoming))
        return;
    for (int i = 0; i < c.count; i++)
        hold_what_is_left(in, g[i], c.which[i], incoming);
}

/* Whether there are gradients to hold against differences. A row that should have one and has not fails here. */
static bool differentiable(const inputs *in)
{
    FA_SCOPE;
    chain c;
    if (!chain_run(&c, in, 1, true) || !c.count)
        return fa_error_clear(), false;
    bool floating = false, recorded = false, exact = true;
    for (int i = 0; i < c.a.results; i++) {
        floating |= fa__dtype_is_float(c.a.result[i]->dtype);
        recorded |= has_history(c.a.result[i]);
        exact &= c.a.result[i]->dtype == FA_F64 || !fa__dtype_is_float(c.a.result[i]->dtype);
    }
    if (in->s->op->traits->no_grad)
        check(!recorded, "the row says that it has no gradient, and was recorded");
    else if (floating)
        check(recorded, "no gradient, and no reason why");
    return recorded && exact && !in->s->op->traits->no_grad;
}

/* The order of the gradients that are looked at on another device; 0: none. Those of an expression are kernels of their
 * own: a reduced walk has them of some rows, and of the others the first order. */
static int highest_order(const fa__op *op)
{
    return !walk.reduced ? 2 : !op->traits->expr ? 1 : walk.turn % EXPRESSIONS ? 0 : 2;
}

/* Gradients up to an order on another device are the CPU's. */
static void as_on_the_cpu(inputs *in, int order)
{
    FA_SCOPE;
    chain c[2];
    fa_tensor *g[2][MOST_TENSORS];
    bool ok[2];
    const char *name = fa_dtype_name(in->dtype[0]);
    for (int there = 0; there < 2; there++) {
        in->where = there ? DEVICE(0) : FA_CPU;
        ok[there] = chain_run(&c[there], in, order, true)
                    && gradients_of(&c[there].terms, c[there].x, c[there].count, false, g[there]);
        if (!there && !ok[0]) {
            fa_error_clear();
            return;
        }
    }
    if (!check(ok[1], "%s: gradients on %s: the call fails", name, DEVICE_NAME(0)))
        return;
    for (int i = 0; i < c[0].count; i++) {
        if (order == 2)
            check(both(c[1].g[i], c[0].g[i]), "%s: gradient for operand %d on %s differs from cpu", name, c[0].which[i],
                  DEVICE_NAME(0));
        check(both(g[1][i], g[0][i]), "%s: gradient of order %d for operand %d on %s differs from cpu", name, order,
              c[0].which[i], DEVICE_NAME(0));
    }
}

static void on_device(const sample *s)
{
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16};
    const int order = highest_order(s->op);
    for (int d = 0; d < (walk.all || walk.close ? 4 : 1); d++) {
        inputs in;
        if (!order || s->op->traits->no_grad || !inputs_make(&in, s, dtypes[d]))
            return;
        as_on_the_cpu(&in, order);
        inputs_free(&in);
    }
}

void conform_gradients(const sample *s)
{
    FA_SCOPE;
    inputs in;
    if (!test_device_is_late(0)) {
        on_device(s);
        return;
    }
    for (int i = 0; i < s->operands; i++)
        if (strchr("tn", s->operand[i].domain))
            return;
    if (!inputs_make(&in, s, FA_F64))
        return;
    if (differentiable(&in) && one_order(&in, 1) && expanded_weights(&in, 1) && one_order(&in, 2)
        && expanded_weights(&in, 2) && chooses(s->op)) {
        what_is_left(&in, INFINITY);
        what_is_left(&in, NAN);
    }
    inputs_free(&in);
}
