/* Reflection: every public operation with its fields, defaults, results and documentation. */
#include "dispatch/reflect.h"
#include "backend/registered.h"
#include "dispatch/row.h"
#include "dispatch/values.h"
#include <stdlib.h>

size_t fa_op_count(void)
{
    return fa__public_count + fa__registered_count();
}

const fa_op *fa_op_at(size_t i)
{
    const fa_op *op = i < fa__public_count ? fa__ops[fa__public_ids[i]] : fa__registered_at(i - fa__public_count);
    if (!op)
        fa__fail(FA_ERROR_INDEX, "fa_op_at: %zu is not below fa_op_count()", i);
    return op;
}

static int compare(const void *name, const void *id)
{
    return strcmp(name, fa__ops[*(const uint16_t *)id]->name);
}

const fa_op *fa_op_find(const char *name)
{
    if (!name)
        return NULL;
    const uint16_t *id = bsearch(name, fa__public_ids, fa__public_count, sizeof *id, compare);
    return id ? fa__ops[*id] : fa__registered_find(name);
}

/* String number n of a row's texts. */
static const char *text_of(const fa_op *op, int n)
{
    const char *s = fa__op_texts[op->id].strings;
    while (n-- > 0)
        s += strlen(s) + 1;
    return s;
}

/* Fields that callers see: all but keys. */
static int visible_fields(const fa_op *op)
{
    return op->nfields - __builtin_popcount(op->of[FA__KEY]);
}

static void describe_row(const fa_op *op, fa_op_info *about)
{
    const unsigned flags = fa__op_texts[op->id].flags;
    about->group = text_of(op, 0);
    about->doc = text_of(op, 1);
    about->expression = op->traits->expr;
    about->no_gradient = op->traits->no_grad;
    about->view = op->traits->view;
    about->composed = op->traits->compose || op->traits->compose_list;
    about->functional = !(flags & FA__ONLY_INPLACE);
    about->out = flags & FA__TAKES_OUT;
}

static void describe_registered(const fa_op *op, fa_op_info *about)
{
    const fa_register_op_options *o = &op->registered->given;
    about->group = "";
    about->doc = o->doc;
    about->expression = o->expression;
    about->no_gradient = op->traits->no_grad;
    about->functional = true;
    about->out = op->nresults == 1;
    about->registered = true;
}

fa_op_info fa_op_describe(const fa_op *op)
{
    fa_op_info about = {0};
    if (!op) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_op_describe: the operation is NULL");
        return about;
    }
    about.name = op->name;
    about.fields = visible_fields(op);
    about.results = op->nresults;
    about.inplace = op->inplace >= 0;
    about.random = op->of[FA__KEY] != 0;
    if (op->registered)
        describe_registered(op, &about);
    else
        describe_row(op, &about);
    about.pointwise = about.expression != NULL;
    return about;
}

/* The field that callers see as number i; -1: there is none. */
static int visible_field(const fa_op *op, int i)
{
    for (int k = 0; i >= 0 && k < op->nfields; k++)
        if (op->fields[k].kind != FA__KEY && i-- == 0)
            return k;
    return -1;
}

static fa_op_field row_field(const fa_op *op, int k)
{
    const fa__field *f = &op->fields[k];
    return (fa_op_field){.name = f->name,
                         .kind = (fa_kind)f->kind,
                         .size = fa__kind_size((fa_kind)f->kind),
                         .optional = f->optional,
                         .fallback = fa__value_read(fa__field_at(op->defaults, f), (fa_kind)f->kind),
                         .doc = text_of(op, 2 + k)};
}

fa_op_field fa_op_field_at(const fa_op *op, int i)
{
    int k = op ? visible_field(op, i) : -1;
    if (k >= 0)
        return op->registered ? op->registered->field[k] : row_field(op, k);
    if (op)
        fa__fail(FA_ERROR_INDEX, "fa_op_field_at: %s%s has no argument %d", fa__op_prefix(op), op->name, i);
    else
        fa__fail(FA_ERROR_ARGUMENT, "fa_op_field_at: the operation is NULL");
    return (fa_op_field){0};
}

const char *fa_op_result_name(const fa_op *op, int i)
{
    if (op && i >= 0 && i < (op->nresults ? op->nresults : 1))
        return op->results[i];
    if (op)
        fa__fail(FA_ERROR_INDEX, "fa_op_result_name: %s%s has no result %d", fa__op_prefix(op), op->name, i);
    else
        fa__fail(FA_ERROR_ARGUMENT, "fa_op_result_name: the operation is NULL");
    return NULL;
}
