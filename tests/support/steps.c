/* Trainings that are held against PyTorch's. */
#include "support/steps.h"
#include "support/check.h"
#include "support/reference.h"
#include "support/sample.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 16 };
static char *reference;

bool steps_load(const char *name)
{
    reference = reference_load(name);
    return check(reference != NULL, "tests/reference/%s cannot be read", name);
}

void steps_free(void)
{
    free(reference);
    reference = NULL;
}

fa_tensor *steps_made_on(const steps *r, fa_device where, const char *text, int place, double scale)
{
    sample s = {.seed = sample_seed("training", r->name)};
    operand o;
    if (!operand_read(&o, text, place))
        return NULL;
    fa_dtype dtype = operand_dtype(&o, r->dtype);
    double *v = malloc(((size_t)o.count + 1) * sizeof *v);
    if (!v)
        return NULL;
    operand_values(&s, &o, dtype, v);
    for (int64_t i = 0; i < o.count; i++)
        v[i] *= scale;
    fa_tensor *t = make_tensor(v, dtype, o.rank, o.shape, LAYOUT_DENSE, where);
    free(v);
    return t;
}

fa_tensor *steps_made(const steps *r, const char *text, int place, double scale)
{
    return steps_made_on(r, r->where, text, place, scale);
}

/* The numbers of the line "run step what: numbers"; NULL: there is no such line. */
static const char *line_of(const steps *r, const char *what)
{
    char head[128];
    snprintf(head, sizeof head, "\n%s %d %s: ", r->name, r->step, what);
    const char *s = strstr(reference, head);
    return s ? s + strlen(head) : NULL;
}

static void hold_number(const steps *r, const char *what, double have, double want)
{
    double tolerance = r->tolerance > 0 ? r->tolerance : r->dtype == FA_F64 ? 1e-11 : 2e-5;
    bool ok = fabs(have - want) <= tolerance * (1 + fabs(want));
    check(ok, "step %d, %s: %.17g, not %.17g", r->step, what, have, want);
}

double steps_known_loss(const steps *r)
{
    const char *s = line_of(r, "loss");
    return s ? strtod(s, NULL) : NAN;
}

void steps_loss(const steps *r, const fa_tensor *loss)
{
    const char *s = line_of(r, "loss");
    if (check(s && loss, "step %d: no loss", r->step))
        hold_number(r, "loss", fa_item(loss), strtod(s, NULL));
}

/* The norm, and every k-th element. */
void steps_tensor(const steps *r, const char *kind, const char *name, const fa_tensor *t)
{
    char what[64];
    snprintf(what, sizeof what, "%s %s", kind, name);
    const char *s = line_of(r, what);
    double *v = t ? tensor_values(t) : NULL, squares = 0;
    if (!check(s && v, "step %d: no %s", r->step, what)) {
        free(v);
        return;
    }
    int64_t count = fa_numel(t), stride = (count + MOST_SHOWN - 1) / MOST_SHOWN;
    for (int64_t i = 0; i < count; i++)
        squares += v[i] * v[i];
    char *at;
    hold_number(r, what, sqrt(squares), strtod(s, &at));
    for (int64_t i = 0; i < count; i += stride)
        hold_number(r, what, v[i], strtod(at, &at));
    free(v);
}
