/* Calls by operation: the values of fa_op_call become the struct of arguments that the operation's own function would
 * have filled, and go the same way from there on. */
#include "core/list.h"
#include "core/random.h"
#include "dispatch/reflect.h"
#include "dispatch/row.h"
#include "dispatch/values.h"
#include <stdarg.h>

/* A call that is being put together. */
typedef struct request {
    const fa_op *op;
    uint32_t set; /* bit i: field i has its value */
    int next;     /* the field of the next positional value */
    char *args;
} request;

static FA__COLD bool refuse(const fa_op *op, const char *format, ...) FA__PRINTF(2, 3);
static FA__COLD bool refuse(const fa_op *op, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return fa__fail(FA_ERROR_ARGUMENT, "%s%s: %s", fa__op_prefix(op), op->name, text);
}

/* The field that a value is for; -1 after an error. */
static int field_for(request *r, const fa_value *v)
{
    const fa_op *op = r->op;
    if (!v->name) {
        while (r->next < op->nfields && op->fields[r->next].kind == FA__KEY)
            r->next++;
        if (r->next < op->nfields)
            return r->next++;
        refuse(op, "there are more values than arguments");
        return -1;
    }
    r->next = op->nfields; /* positional values come first */
    for (int i = 0; i < op->nfields; i++)
        if (op->fields[i].kind != FA__KEY && !strcmp(op->fields[i].name, v->name))
            return i;
    refuse(op, "there is no argument '%.60s'", v->name);
    return -1;
}

static bool set_field(request *r, const fa_value *v)
{
    int i = field_for(r, v);
    if (i < 0)
        return false;
    const fa__field *f = &r->op->fields[i];
    if (r->set >> i & 1)
        return refuse(r->op, "%s is given twice", f->name);
    r->set |= 1U << i;
    return fa__value_write(r->args + f->offset, (fa_kind)f->kind, v)
           || refuse(r->op, "%s is %s, and not %s", f->name, fa__kind_name((fa_kind)f->kind), fa__kind_name(v->kind));
}

/* What the caller left out: keys are drawn, options have their defaults, and the rest is missing. */
static bool set_rest(const request *r)
{
    for (int i = 0; i < r->op->nfields; i++) {
        const fa__field *f = &r->op->fields[i];
        if (f->kind == FA__KEY)
            *(fa__key *)(void *)(r->args + f->offset) = fa__draw_key();
        else if (!f->optional && !(r->set >> i & 1))
            return refuse(r->op, "%s is missing", f->name);
    }
    return true;
}

static bool set_all(request *r, size_t count, const fa_value *values)
{
    if (r->op->defaults)
        memcpy(r->args, r->op->defaults, r->op->args_size);
    else
        memset(r->args, 0, r->op->args_size);
    for (size_t k = 0; k < count; k++)
        if (!set_field(r, &values[k]))
            return false;
    return set_rest(r);
}

/* The option by which a creation's results become leaves that need gradients. */
static bool asks_gradient(const request *r)
{
    for (int i = 0; i < r->op->nfields; i++)
        if (r->op->fields[i].kind == FA__BOOL && !strcmp(r->op->fields[i].name, "requires_grad"))
            return *(const bool *)(r->args + r->op->fields[i].offset);
    return false;
}

static fa_tensor *overwritten(const request *r)
{
    const fa__field *f = &r->op->fields[r->op->inplace];
    const void *p = r->args + f->offset;
    if (f->kind == FA__TENSOR)
        return *(fa_tensor *const *)p;
    const fa_arg *a = p;
    return a->kind == FA__ARG_TENSOR ? (fa_tensor *)(uintptr_t)fa__tensor_in(*a) : NULL;
}

typedef enum { NEW, OUT, INPLACE_FORM } form;

static bool has_form(const fa_op *op, form wanted)
{
    const fa_op_info about = fa_op_describe(op);
    if (wanted == OUT && !about.out)
        return refuse(op, "it takes no .out");
    if (wanted == INPLACE_FORM && !about.inplace)
        return refuse(op, "it has no in-place form");
    return wanted != NEW || about.functional || refuse(op, "it works in place: fa_call_ calls it");
}

typedef struct results {
    fa_tensor *out[FA__MAX_RESULTS];
    fa__list *list; /* of an operation whose result is one */
} results;

static bool call(results *y, const void *site, const fa_op *op, form wanted, fa_tensor *out, size_t count,
                 const fa_value *values)
{
    if (!op || (count && !values))
        return fa__fail(FA_ERROR_ARGUMENT, "fa_op_call: the %s NULL", op ? "values are" : "operation is");
    _Alignas(16) char args[op->args_size + 1];
    request r = {.op = op, .args = args};
    if (!has_form(op, wanted) || !set_all(&r, count, values))
        return false;
    fa_tensor *given = wanted == OUT ? out : wanted == INPLACE_FORM ? overwritten(&r) : NULL;
    if (wanted != NEW && !given)
        return refuse(op, "the tensor to write into is NULL");
    fa__call c = {.op = op,
                  .args = args,
                  .site = site,
                  .given = given,
                  .inplace = wanted == INPLACE_FORM,
                  .requires_grad = asks_gradient(&r)};
    bool good = fa__invoke(&c);
    memcpy(y->out, c.out, sizeof c.out);
    y->list = c.list;
    return good;
}

/* An operation with one result, or several, of which the first is meant. */
static fa_tensor *call_one(const fa_op *op, form wanted, fa_tensor *out, size_t count, const fa_value *values,
                           const void *site)
{
    results y;
    if (op && !op->nresults) {
        refuse(op, "its result is a list: fa_call_all returns it");
        return NULL;
    }
    return call(&y, site, op, wanted, out, count, values) ? y.out[0] : NULL;
}

fa_tensor *fa_op_call(const fa_op *op, size_t count, const fa_value *values)
{
    return call_one(op, NEW, NULL, count, values, FA__SITE);
}

fa_tensor *fa_op_call_out(const fa_op *op, fa_tensor *out, size_t count, const fa_value *values)
{
    return call_one(op, OUT, out, count, values, FA__SITE);
}

fa_tensor *fa_op_call_(const fa_op *op, size_t count, const fa_value *values)
{
    return call_one(op, INPLACE_FORM, NULL, count, values, FA__SITE);
}

/* The results are the scope's already; their array becomes so, too. */
static fa_tensors listed(const fa_op *op, const results *y)
{
    fa__list *list = fa__list_new(op->nresults);
    for (int i = 0; list && i < op->nresults; i++) {
        fa__disown(y->out[i]);
        list->item[i] = y->out[i];
    }
    return fa__list_own(list);
}

fa_tensors fa_op_call_all(const fa_op *op, size_t count, const fa_value *values)
{
    results y;
    if (!call(&y, FA__SITE, op, NEW, NULL, count, values))
        return FA__NO_TENSORS;
    return op->nresults ? listed(op, &y) : (fa_tensors){y.list->count, y.list->item};
}
