/* User-defined differentiable functions: fa_apply runs forward without recording and creates a node that calls
 * backward. */
#include "autograd/engine.h"
#include "base/site.h"
#include "dispatch/call.h"

typedef struct function_args {
    fa_tensors inputs;
} function_args;

/* A user-defined function, as stored in a node. */
typedef struct function {
    fa__object object;
    fa_function table;
    void *context;
} function;

enum { MOST_INPUTS = 8 };

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

static bool call_backward(function *f, fa__back *b, fa_tensor **saved, size_t count, fa_tensor **gx)
{
    fa__callback use = fa__callback_begin();
    bool good = f->table.backward(f->context, (fa_tensors){count + 1, saved}, b->gy[0], gx);
    fa__callback_end(&use);
    if (!good)
        fa__fail(FA_ERROR_USER, "%s: its backward failed", f->table.name ? f->table.name : "a function");
    return good && !fa__failed();
}

static void function_grad(fa__back *b)
{
    const function_args *a = b->args;
    function *f = (function *)b->node->own;
    fa_tensor *saved[MOST_INPUTS + 1], *gx[MOST_INPUTS] = {NULL};
    memcpy(saved, a->inputs.item, a->inputs.count * sizeof saved[0]);
    saved[a->inputs.count] = b->y[0];
    if (!call_backward(f, b, saved, a->inputs.count, gx))
        return;
    for (size_t k = 0; k < a->inputs.count; k++) {
        if (gx[k] && !fa__same_shape(gx[k], a->inputs.item[k])) {
            fa__fail(FA_ERROR_SHAPE, "%s: the gradient of input %zu is not of the input's shape",
                     f->table.name ? f->table.name : "a function", k);
            return;
        }
        fa__set_item_grad(b, k, gx[k] ? fa__own(fa__ref(gx[k])) : NULL);
    }
}

static const fa__traits function_traits = {.grad = function_grad};
static const fa__field function_fields[] = {
    {.name = "inputs", .kind = FA__TENSORS, .offset = offsetof(function_args, inputs)}};
static const fa__op function_op = {.name = "apply",
                                   .id = FA__OP_expression,
                                   .traits = &function_traits,
                                   .fields = function_fields,
                                   .nfields = 1,
                                   .of = {[FA__TENSORS] = 1},
                                   .nresults = 1,
                                   .args_size = sizeof(function_args),
                                   .inplace = -1,
                                   .keep = 1,
                                   .results = {"the result"}};

static bool needs(fa_tensors inputs)
{
    for (size_t k = 0; k < inputs.count; k++)
        if (fa__needs_grad(inputs.item[k]) && fa__dtype_is_float(inputs.item[k]->dtype))
            return fa__recording();
    return false;
}

static bool record(function *f, fa_tensors inputs, fa_tensor *y, const void *site)
{
    const function_args args = {inputs};
    fa__node *n = fa__node_new(&function_op, &args, 1, 1, 0);
    if (!n)
        return false;
    n->own = fa__ref(f);
    n->made_at = site;
    bool good = fa__node_result(n, 0, y, true);
    for (size_t k = 0; good && k < inputs.count; k++)
        good = !fa__dtype_is_float(inputs.item[k]->dtype) || fa__node_edge(n, 1 + (int)k, inputs.item[k]);
    if (good) {
        y->node = fa__ref(n);
        y->slot = 0;
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

/* Runs forward in a scope of its own; the result is always a new tensor. If it shares memory with an input, it is not
 * known as a view of it, so autograd rejects modifying it in place. */
static fa_tensor *run_forward(const function *f, fa_tensors inputs)
{
    fa__scope scope = fa__scope_open("fa_apply", 0);
    fa_settings s = fa__settings();
    s.no_grad = true;
    fa__scope use = fa__use_open(&s);
    fa_tensor *y = f->table.forward(f->context, inputs);
    if (!y)
        fa__fail(FA_ERROR_USER, "%s: its forward returned NULL", f->table.name ? f->table.name : "a function");
    fa_tensor *own = y && fa__tensor_check(y, "the function's result") && !fa__failed() ? fa__tensor_alias(y) : NULL;
    fa__use_close(&use);
    fa__scope_close(&scope);
    if (own && shares_memory(own, inputs))
        own->no_grad_view = 1;
    return own;
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

fa_tensor *fa_apply(const fa_function *table, void *context, fa_tensors inputs)
{
    if (!table || !table->forward || !table->backward) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_apply: a function needs forward and backward");
        if (table && table->release)
            table->release(context);
        return NULL;
    }
    function *f = fa__object_new(FA__TYPE_FUNCTION, sizeof *f);
    if (!f) {
        if (table->release)
            table->release(context);
        return NULL;
    }
    f->table = *table;
    f->context = context;
    fa_tensor *y = check_inputs(inputs) ? run_forward(f, inputs) : NULL;
    bool records = y && fa__dtype_is_float(y->dtype) && needs(inputs);
    bool good = y && (!records || record(f, inputs, y, FA__SITE));
    fa__unref(f);
    if (!good) {
        fa__unref(y);
        return NULL;
    }
    y->made_by = &function_op;
    return fa__own(y);
}
