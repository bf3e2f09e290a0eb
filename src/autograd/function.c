/* User-defined differentiable functions: fa_apply runs forward without recording and creates a node that calls
 * backward. */
#include "autograd/engine.h"
#include "base/site.h"
#include "core/list.h"
#include "dispatch/call.h"

typedef struct function_args {
    fa_tensors inputs; /* and in a node, behind them, what forward saved */
} function_args;

/* A user-defined function, as stored in a node. */
typedef struct function {
    fa__object object;
    fa_function table;
    void *context;
    size_t inputs, results, saves;
    fa_dtype autocast; /* of forward, and so of backward */
} function;

enum { MOST_INPUTS = 8, MOST_SAVES = 8, MOST_OUT = FA__MAX_RESULTS + MOST_SAVES };

static const char *name_of(const function *f)
{
    return f->table.name ? f->table.name : "a function";
}

static void function_destroy(fa__object *o)
{
    function *f = (function *)o;
    if (f->table.release)
        f->table.release(f->context);
    fa__object_free(o);
}

__attribute__((__constructor__)) static void function_type(void)
{
    fa__object_type(FA__TYPE_FUNCTION, "function", function_destroy);
}

/* ---- backward ---- */

static bool call_backward(function *f, fa__back *b, fa_tensors saved, fa_tensor **gx)
{
    fa__scope settings;
    fa_settings *s = fa__use_again(&settings);
    if (!s)
        return false;
    s->autocast = f->autocast;
    fa__callback use = fa__callback_begin();
    bool good = f->table.backward_all ? f->table.backward_all(f->context, saved, (fa_tensors){f->results, b->gy}, gx)
                                      : f->table.backward(f->context, saved, b->gy[0], gx);
    fa__callback_end(&use);
    fa__use_close(&settings);
    if (!good)
        fa__fail(FA_ERROR_USER, "%s: its backward failed", name_of(f));
    return good && !fa__failed();
}

static void function_grad(fa__back *b)
{
    const function_args *a = b->args;
    function *f = (function *)b->node->own;
    fa_tensor *saved[MOST_INPUTS + MOST_OUT], *gx[MOST_INPUTS] = {NULL}, *const *item = a->inputs.item;
    memcpy(saved, item, f->inputs * sizeof saved[0]);
    memcpy(saved + f->inputs, b->y, f->results * sizeof saved[0]);
    memcpy(saved + f->inputs + f->results, item + f->inputs, f->saves * sizeof saved[0]);
    if (!call_backward(f, b, (fa_tensors){f->inputs + f->results + f->saves, saved}, gx))
        return;
    for (size_t k = 0; k < f->inputs; k++) {
        if (gx[k] && !fa__same_shape(gx[k], item[k])) {
            fa__fail(FA_ERROR_SHAPE, "%s: the gradient of input %zu is not of the input's shape", name_of(f), k);
            return;
        }
        fa__set_item_grad(b, k, gx[k] ? fa__own(fa__ref(gx[k])) : NULL);
    }
}

static const fa__traits function_traits = {.grad = function_grad},
                        null_traits = {.grad = function_grad, .null_gy = true};
static const fa__field function_fields[] = {
    {.name = "inputs", .kind = FA__TENSORS, .offset = offsetof(function_args, inputs)}};
#define FUNCTION(traits_)                                                                                              \
    {                                                                                                                  \
        .name = "apply", .id = FA__OP_expression, .traits = &(traits_), .fields = function_fields, .nfields = 1,       \
        .of = {[FA__TENSORS] = 1}, .nresults = 1, .args_size = sizeof(function_args), .inplace = -1, .keep = 1,        \
        .results = {                                                                                                   \
            "the result",                                                                                              \
            "result 1",                                                                                                \
            "result 2",                                                                                                \
            "result 3"                                                                                                 \
        }                                                                                                              \
    }
static const fa__op function_op = FUNCTION(function_traits), null_op = FUNCTION(null_traits);

/* ---- forward ---- */

/* Whether gradients flow from one of the results to one of the inputs. */
static bool needs(const function *f, fa_tensors inputs, fa_tensor *const *out)
{
    bool floats = false;
    for (size_t k = 0; k < f->results; k++)
        floats |= out[k] && fa__dtype_is_float(out[k]->dtype);
    if (!floats)
        return false;
    for (size_t k = 0; k < inputs.count; k++)
        if (fa__needs_grad(inputs.item[k]) && fa__dtype_is_float(inputs.item[k]->dtype))
            return fa__recording();
    return false;
}

static bool record(function *f, fa_tensors inputs, fa_tensor *const *out, const void *site)
{
    fa_tensor *held[MOST_INPUTS + MOST_SAVES];
    memcpy(held, inputs.item, f->inputs * sizeof held[0]);
    memcpy(held + f->inputs, out + f->results, f->saves * sizeof held[0]);
    const function_args args = {{f->inputs + f->saves, held}};
    fa__node *n = fa__node_new(f->table.null_grads ? &null_op : &function_op, &args, (uint32_t)f->results, 1, 0);
    if (!n)
        return false;
    n->own = fa__ref(f);
    n->made_at = site;
    bool good = true;
    for (size_t k = 0; good && k < f->results; k++)
        good = fa__node_result(n, (uint32_t)k, out[k], true);
    for (size_t k = 0; good && k < f->inputs; k++)
        good = !fa__dtype_is_float(held[k]->dtype) || fa__node_edge(n, 1 + (int)k, held[k]);
    for (size_t k = 0; good && k < f->results; k++)
        if (fa__dtype_is_float(out[k]->dtype)) {
            out[k]->node = fa__ref(n);
            out[k]->slot = (uint32_t)k;
        }
    fa__unref(n);
    return good;
}

static bool shares_memory(const fa_tensor *y, fa_tensors inputs)
{
    for (size_t k = 0; k < inputs.count; k++)
        if (y->storage && y->storage == inputs.item[k]->storage)
            return true;
    return false;
}

/* Fills `out` with what forward gives, in the innermost scope. */
static bool call_forward(const function *f, fa_tensors inputs, fa_tensor **out)
{
    bool good = true;
    if (f->table.forward_all)
        good = f->table.forward_all(f->context, inputs, out);
    else
        out[0] = f->table.forward(f->context, inputs);
    for (size_t k = 0; good && k < f->results + f->saves; k++)
        good = out[k] && fa__tensor_check(out[k], k < f->results ? "the function's result" : "what forward saves");
    return good || fa__fail(FA_ERROR_USER, "%s: its forward returned NULL", name_of(f));
}

static _Thread_local int forwards;

bool fa__in_apply(void)
{
    return forwards > 0;
}

/* Runs forward in a scope of its own; the results are always new tensors. One that shares memory with an input is not
 * known as a view of it, so autograd rejects modifying it in place. The caller owns all of `out`, also on failure. */
static bool run_forward(const function *f, fa_tensors inputs, fa_tensor **out)
{
    fa_tensor *given[MOST_OUT] = {NULL};
    fa__scope scope = fa__scope_open("fa_apply", 0);
    fa_settings s = fa__settings();
    s.no_grad = true;
    fa__scope use = fa__use_open(&s);
    forwards++;
    bool good = call_forward(f, inputs, given) && !fa__failed();
    forwards--;
    for (size_t k = 0; good && k < f->results + f->saves; k++) {
        out[k] = k < f->results ? fa__tensor_alias(given[k]) : fa__ref(given[k]);
        good = out[k] != NULL;
        if (good && k < f->results && shares_memory(out[k], inputs))
            out[k]->no_grad_view = 1;
    }
    fa__use_close(&use);
    fa__scope_close(&scope);
    return good;
}

static bool check_inputs(fa_tensors inputs)
{
    if (!fa__list_check(inputs, "fa_apply: the inputs"))
        return false;
    if (inputs.count > MOST_INPUTS)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_apply: a function takes at most %d inputs", MOST_INPUTS);
    for (size_t k = 0; k < inputs.count; k++)
        if (!fa__tensor_check(inputs.item[k], "fa_apply: an input"))
            return false;
    return true;
}

static bool check_table(const fa_function *t)
{
    if (!t || !(t->forward || t->forward_all) || !(t->backward || t->backward_all))
        return fa__fail(FA_ERROR_ARGUMENT, "fa_apply: a function needs forward and backward");
    if (!t->forward_all != !t->backward_all)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_apply: forward_all and backward_all belong together");
    if (t->forward_all && (t->results < 1 || t->results > FA__MAX_RESULTS || t->saves < 0 || t->saves > MOST_SAVES))
        return fa__fail(FA_ERROR_ARGUMENT, "fa_apply: %d results and %d tensors saved: there are 1 to %d, and 0 to %d",
                        t->results, t->saves, FA__MAX_RESULTS, MOST_SAVES);
    return true;
}

/* NULL after an error, and then the context was released. */
static function *function_new(const fa_function *table, void *context, fa_tensors inputs)
{
    function *f = check_table(table) ? fa__object_new(FA__TYPE_FUNCTION, sizeof *f) : NULL;
    if (!f) {
        if (table && table->release)
            table->release(context);
        return NULL;
    }
    f->table = *table;
    f->context = context;
    f->inputs = inputs.count;
    f->results = table->forward_all ? (size_t)table->results : 1;
    f->saves = table->forward_all ? (size_t)table->saves : 0;
    f->autocast = fa__settings().autocast;
    return f;
}

/* The results of the function, which belong to the caller; returns their number, and 0 after an error. */
static size_t apply(const fa_function *table, void *context, fa_tensors inputs, fa_tensor **out, const void *site)
{
    function *f = function_new(table, context, inputs);
    if (!f)
        return 0;
    size_t results = f->results, all = results + f->saves;
    bool good = check_inputs(inputs) && run_forward(f, inputs, out);
    if (good && needs(f, inputs, out))
        good = record(f, inputs, out, site);
    fa__unref(f);
    for (size_t k = good ? results : 0; k < all; k++) {
        fa__unref(out[k]);
        out[k] = NULL;
    }
    for (size_t k = 0; good && k < results && out[k]; k++)
        out[k]->made_by = &function_op;
    return good ? results : 0;
}

fa_tensor *fa_apply(const fa_function *table, void *context, fa_tensors inputs)
{
    fa_tensor *out[MOST_OUT] = {NULL};
    size_t count = apply(table, context, inputs, out, FA__SITE);
    for (size_t k = 1; k < count; k++)
        fa__unref(out[k]);
    return fa__own(out[0]);
}

fa_tensors fa_apply_all(const fa_function *table, void *context, fa_tensors inputs)
{
    fa_tensor *out[MOST_OUT] = {NULL};
    size_t count = apply(table, context, inputs, out, FA__SITE);
    fa__list *list = count ? fa__list_new(count) : NULL;
    for (size_t k = 0; k < count; k++) {
        if (list)
            list->item[k] = out[k];
        else
            fa__unref(out[k]);
    }
    return fa__list_own(list);
}
