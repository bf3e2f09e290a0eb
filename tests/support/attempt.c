/* Calls of samples. */
#include "support/attempt.h"
#include <stdlib.h>

bool inputs_make(inputs *in, const sample *s, fa_dtype dtype)
{
    memset(in, 0, sizeof *in);
    in->s = s;
    in->where = FA_CPU;
    for (int i = 0; i < s->operands; i++) {
        const operand *o = &s->operand[i];
        in->dtype[i] = operand_dtype(o, dtype);
        in->values[i] = malloc(((size_t)o->count + 1) * sizeof(double));
        if (!in->values[i])
            return inputs_free(in), false;
        operand_values(s, o, in->dtype[i], in->values[i]);
    }
    return true;
}

void inputs_free(inputs *in)
{
    for (int i = 0; i < MOST_TENSORS; i++) {
        free(in->values[i]);
        in->values[i] = NULL;
    }
}

static void fill_list(attempt *a, int field)
{
    fa_tensors *list = (void *)(a->args + a->s->op->fields[field].offset);
    for (int i = a->s->operands; i-- > 0;)
        if (a->s->operand[i].field == field)
            list->item = &a->tensor[i];
    list->count = (size_t)a->s->lists[field];
}

void attempt_fill(attempt *a)
{
    const fa__op *op = a->s->op;
    memcpy(a->args, a->s->args, op->args_size);
    for (int i = 0; i < a->s->operands; i++) {
        const fa__field *f = &op->fields[a->s->operand[i].field];
        void *at = a->args + f->offset;
        if (f->kind == FA__TENSOR || f->kind == FA__LIKE)
            *(const fa_tensor **)at = a->tensor[i];
        else if (f->kind == FA__NUMBER)
            *(fa_arg *)at = fa__arg_t(a->tensor[i]);
    }
    for (int i = 0; i < op->nfields; i++)
        if (op->fields[i].kind == FA__TENSORS && a->s->lists[i] >= 0)
            fill_list(a, i);
}

bool attempt_make(attempt *a, const inputs *in, const layout *how, fa_device where)
{
    a->s = in->s;
    memset(a->result, 0, sizeof a->result);
    for (int i = 0; i < in->s->operands; i++) {
        const operand *o = &in->s->operand[i];
        a->tensor[i] = make_tensor(in->values[i], in->dtype[i], o->rank, o->shape, how ? how[i] : LAYOUT_DENSE, where);
        if (!a->tensor[i])
            return false;
    }
    attempt_fill(a);
    return true;
}

bool attempt_run(attempt *a, fa_tensor *given, bool inplace)
{
    fa__call c = {.op = a->s->op, .args = a->args, .given = given, .inplace = inplace};
    bool ok = fa__invoke(&c);
    size_t listed = ok && c.list ? c.list->count : 0;
    int results = a->s->op->nresults ? a->s->op->nresults : (int)listed;
    bool chosen = a->s->op->nresults > 1 && a->s->op->traits->compose; /* what is not asked for is left out */
    ok = ok && results <= MOST_RESULTS;
    a->results = 0;
    for (int i = 0; i < MOST_RESULTS; i++)
        a->result[i] = NULL;
    for (int i = 0; ok && i < results; i++) {
        fa_tensor *y = listed ? c.list->item[i] : c.out[i];
        ok = y || (chosen && i > 0);
        if (y)
            a->result[a->results++] = y;
    }
    return ok && !fa_failed();
}

bool attempt_all(attempt *a, const inputs *in, const layout *how, fa_device where)
{
    FA_USE(.device = where);
    return attempt_make(a, in, how, where) && attempt_run(a, NULL, false);
}

bool operand_differentiable(const sample *s, int i)
{
    return strchr("fpudt", s->operand[i].domain) && s->op->fields[s->operand[i].field].kind != FA__LIKE;
}

bool sample_varies(const sample *s)
{
    for (int i = 0; i < s->operands; i++)
        if (!strchr("irb", s->operand[i].domain))
            return true;
    return false;
}

bool error_is_clean(const fa__op *op)
{
    static const fa_code clean[] = {FA_ERROR_ARGUMENT, FA_ERROR_SHAPE, FA_ERROR_DTYPE,       FA_ERROR_DEVICE,
                                    FA_ERROR_INDEX,    FA_ERROR_STATE, FA_ERROR_UNAVAILABLE, FA_ERROR_GRADIENT};
    bool found = false;
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++)
        found |= fa_error_code() == clean[i];
    return found && strstr(fa_error_message(), op->name);
}
