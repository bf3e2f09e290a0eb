/* The call: what every operation goes through. */
#include "dispatch/call.h"
#include "backend/device.h"
#include "base/text.h"

void (*fa__call_hook)(const fa__call *, int depth);

static void bump(fa_tensor *t, const fa__op *op)
{
    atomic_fetch_add_explicit(&t->storage->version, 1, memory_order_relaxed);
    t->storage->changed_by = op;
}

static bool has_kernel(fa__call *c)
{
    return c->op->traits->run || c->op->traits->view || c->device->shapes_only || c->device->backend->has_kernel(c->op);
}

/* A result that is narrower than what it is computed in wraps, or is rounded, before .out of another dtype has it. */
static FA__NOINLINE bool run_between(fa__call *c, const fa__elementwise *e)
{
    fa_tensor *out = c->out[0];
    fa_dtype d = (fa_dtype)c->spec[0].dtype;
    if (out->dtype == d || fa__dtype_size(d) >= sizeof(float))
        return fa__run_elementwise(c, e);
    fa_tensor *y = fa__tensor_empty(c->device, d, out->rank, out->shape, c->queue);
    if (!y)
        return false;
    c->out[0] = y;
    bool good = fa__run_elementwise(c, e);
    c->out[0] = out;
    good = good && fa__run_expression(c, out, "x", 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(y)}});
    fa__unref(y); /* not at the scope's end: who gives .out counts on no new memory */
    return good;
}

static FA__HOT bool run(fa__call *c, const fa__elementwise *e)
{
    if (e)
        return FA__LIKELY(!c->given || c->inplace) ? fa__run_elementwise(c, e) : run_between(c, e);
    if (c->op->traits->view || c->device->shapes_only)
        return true;
    return c->op->traits->run              ? c->op->traits->run(c)
           : c->op->traits->accumulate_f32 ? fa__run_accumulated_f32(c)
                                           : fa__run_kernel(c);
}

static bool records(const fa__call *c)
{
    return c->needs_grad && !c->op->traits->no_grad && fa__recording();
}

static bool go_elementwise(fa__call *);
static bool go_general(fa__call *);

/* Results could not be made, or the work not issued: with .fallback the CPU does what the device cannot. */
static FA__COLD bool go_elsewhere(fa__call *c)
{
    return c->unsupported && fa__fall_back(c, fa__is_elementwise(c->op) ? go_elementwise : go_general);
}

/* In place and recorded: what backward needs of what is overwritten is copied before. */
static FA__NOINLINE bool change_recorded(fa__call *c, const fa__elementwise *e)
{
    const void *given = c->args;
    _Alignas(16) char args[c->op->args_size + 1];
    memcpy(args, given, c->op->args_size);
    if (!fa__keep_overwritten(c, args) || !fa__make_results(c))
        return false;
    if (!run(c, e))
        return go_elsewhere(c);
    bump(c->given, fa__outermost(c)->op);
    c->args = args;
    bool good = fa__record(c);
    c->args = given;
    return good;
}

/* From inferred results on: outputs, the work, the record. */
static FA__HOT bool finish(fa__call *c, const fa__elementwise *e)
{
    if (FA__UNLIKELY(c->given && !fa__check_given(c)))
        return false;
    if (FA__UNLIKELY(c->given && c->inplace && records(c)))
        return change_recorded(c, e);
    if (!fa__make_results(c) || !run(c, e))
        return go_elsewhere(c);
    if (c->given)
        bump(c->given, fa__outermost(c)->op);
    if (c->requires_grad) {
        if (!fa__dtype_is_float(c->out[0]->dtype))
            return fa__call_fail(c, FA_ERROR_DTYPE, "only floating tensors can need gradients");
        c->out[0]->requires_grad = true;
    }
    return !records(c) || fa__record(c);
}

static bool go_elementwise(fa__call *c)
{
    fa__elementwise e = {.compiled = fa__compiled_of(c->op)};
    return fa__infer_elementwise(c, &e) && finish(c, &e);
}

static bool infer(fa__call *c)
{
    return c->op->traits->infer(c) && fa__check_storage(c);
}

/* Mistakes are told of the operands as they are, before anything is copied. */
static FA__COLD bool go_without_kernel(fa__call *c)
{
    if (!fa__ctx()->settings->fallback || c->device->host)
        return fa__no_kernel(c);
    return infer(c) && (!c->given || fa__check_given(c)) && fa__fall_back(c, go_general);
}

static bool go_general(fa__call *c)
{
    if (FA__UNLIKELY(!has_kernel(c)))
        return go_without_kernel(c);
    return infer(c) && finish(c, NULL);
}

/* A composed result goes into .out by a copy, under the rules of .out. In place it is there: its parts wrote it. */
static bool given_result(fa__call *c, fa_tensor *y)
{
    c->out[0] = y;
    if (!c->given || !y || c->inplace)
        return y != NULL;
    c->spec[0].dtype = (fa_dtype)y->dtype;
    c->spec[0].rank = y->rank;
    memcpy(c->spec[0].shape, y->shape, sizeof y->shape[0] * y->rank);
    c->device = fa__tensor_device(y);
    if (!fa__check_given(c))
        return false;
    FA_USE(.no_grad = true);
    c->out[0] = c->given;
    return fa_copy_(c->given, y) != NULL;
}

bool fa__parts(fa__call *c, size_t count)
{
    if (count > UINT32_MAX)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%zu results are more than can be counted", count);
    fa__unref(c->list);
    c->list = fa__list_new(count);
    if (!c->list)
        return false;
    if (count > FA__MAX_RESULTS && !c->op->traits->compose_list)
        c->spec = fa__malloc(count * sizeof *c->spec);
    return c->spec != NULL;
}

bool fa__listed(fa__call *c, size_t count, fa_tensor *const *item)
{
    if (!fa__parts(c, count))
        return false;
    for (size_t k = 0; k < count; k++)
        if (!(c->list->item[k] = item[k] ? fa__ref(item[k]) : NULL))
            return false;
    return true;
}

static bool is_operands(const fa__call *c, const fa__storage *memory)
{
    for (int i = 0; i < c->op->nfields; i++) {
        if (c->tensor[i] && c->tensor[i]->storage == memory)
            return true;
        const fa_tensors *list = fa__field_at(c->args, &c->op->fields[i]);
        for (size_t k = 0; c->op->fields[i].kind == FA__TENSORS && k < list->count; k++)
            if (list->item[k]->storage == memory)
                return true;
    }
    return false;
}

/* A view of what a composed operation made itself is no view to anybody else. */
static void forget_base(const fa__call *c, fa_tensor *y)
{
    uint32_t slot;
    if ((!y->base && !y->no_grad_view) || is_operands(c, y->storage))
        return;
    if (y->base)
        fa__history(y, &slot);
    fa__unref(y->base);
    y->base = NULL;
    y->no_grad_view = 0;
    y->multi_view = false;
}

/* The parts of a composed operation; its results in c->out, or in its list. */
static bool run_parts(fa__call *c)
{
    if (c->op->traits->compose_list)
        return c->op->traits->compose_list(c);
    c->out[0] = c->op->traits->compose(c);
    for (int i = 0; i < c->op->nresults && c->out[0]; i++)
        if (c->out[i])
            forget_base(c, c->out[i]);
    return c->out[0] != NULL;
}

/* What autocast does with the operands where the call runs. */
static inline fa__cast cast_of(const fa__call *c)
{
    return c->device->host ? c->op->traits->autocast_cpu : c->op->traits->autocast;
}

/* What was done with the operands as a whole is not done once more by the parts: placing, and casting where the row has
 * a cell for autocast. */
static FA__COLD bool run_settled_parts(fa__call *c, bool cast)
{
    FA_USE(.autocast = cast ? FA_SAME : fa__ctx()->settings->autocast, .placement = FA_PLACE_STRICT);
    return run_parts(c);
}

/* What the program gets is no longer only a composed operation's own. */
static void show_results(const fa__call *c)
{
    fa_tensor *const *y = c->op->nresults ? c->out : c->list->item;
    size_t count = c->op->nresults ? (size_t)c->op->nresults : c->list->count;
    for (size_t i = 0; i < count; i++)
        if (y[i])
            fa__tensor_inner(y[i], false);
}

/* Composed operations are calls of others; errors and origins name the outermost. */
static bool go_composed(fa__call *c)
{
    const fa_settings *s = fa__ctx()->settings;
    bool cast = s->autocast != FA_SAME && cast_of(c) != FA__CAST_NONE;
    bool placed = s->placement == FA_PLACE_AUTO;
    fa__attribution a;
    fa__attribution_enter(&a, fa__reported_op(c), c);
    bool made = cast || placed ? run_settled_parts(c, cast) : run_parts(c);
    fa__attribution_leave(&a);
    if (made && !fa__outermost_call())
        show_results(c);
    return made && (c->op->traits->compose_list || given_result(c, c->out[0]));
}

/* The device of a call without operands: its own option, or the settings'. */
static bool own_device(fa__call *c)
{
    fa_device wanted = {0, 0};
    for (int i = 0; i < c->op->nfields; i++)
        if (c->op->fields[i].kind == FA__DEVICE_)
            wanted = *(const fa_device *)fa__field_at(c->args, &c->op->fields[i]);
    c->device = fa__device_get(wanted.kind == FA__DEFAULT_DEVICE ? fa_device_current() : wanted);
    return c->device != NULL;
}

static bool check_require(fa__call *c)
{
    return !c->op->traits->require || fa__requirement_holds(c);
}

static FA__HOT bool go(fa__call *c)
{
    c->queue = fa__queue_of(c->device);
    if (FA__UNLIKELY(fa__is_composed(c->op)))
        return go_composed(c);
    return fa__is_elementwise(c->op) ? go_elementwise(c) : go_general(c);
}

static FA__HOT bool go_cast(fa__call *c)
{
    const fa_settings *s = fa__ctx()->settings;
    bool casts = s->autocast != FA_SAME && !c->given && cast_of(c);
    return FA__UNLIKELY(casts) ? fa__autocasted(c, go) : go(c);
}

/* What runs where its operands are, whatever the settings place: what crosses devices itself; and views, since what is
 * written into the view of a copy would be lost. */
static bool stays(const fa__call *c)
{
    const fa__traits *row = c->op->traits;
    return row->cross_device || (!c->mixed && (row->view || row->may_view));
}

static bool invoke(fa__call *c)
{
    const fa__context *x = fa__ctx();
    uint32_t needed = ~0U;
    if (FA__UNLIKELY(!x))
        return false;
    if (c->op->compiled)
        needed = c->op->compiled->e->used;
    else if (c->op->traits->expr && !fa__compiled_of(c->op))
        return false;
    if (!fa__check_operands(c, needed) || !check_require(c))
        return false;
    bool placed = !c->device; /* what has no operands is where it says, whatever the settings place */
    if (placed && !own_device(c))
        return false;
    if (FA__UNLIKELY((c->mixed || x->settings->placement == FA_PLACE_AUTO) && !placed && !stays(c)))
        return fa__placed(c, go_cast);
    return go_cast(c);
}

/* How many composed operations a call is part of. */
static int depth_now(void)
{
    int depth = 0;
    for (const fa__attribution *a = fa__ctx()->attribution; a; a = a->outer)
        depth += a->call != NULL;
    return depth;
}

/* An error about a forbidden copy or wait names the function already; this adds its tensors. */
static void add_tensors(const fa__call *c)
{
    char text[600];
    struct fa__text t = fa__text_in(text, sizeof text);
    for (int i = 0; i < c->op->nfields; i++)
        if (c->tensor[i]) {
            fa__text_add(&t, t.at == text ? ": " : " and ");
            fa__describe_tensor(&t, c->tensor[i], true);
        }
    if (t.at != text)
        fa_error_append("%s", text);
}

/* An error from below (no memory, a part of a composed operation) gets in front of it what the program called; parts
 * are not named. */
static FA__COLD void name_failure(const fa__call *c)
{
    char text[600];
    struct fa__text description = fa__text_in(text, sizeof text);
    const fa_code code = fa__self->error->code;
    if (fa__self->error->unfinished)
        add_tensors(c);
    if (code == FA_ERROR_SYNC || fa__outermost_call())
        return;
    fa__text_add(&description, "fa_");
    fa__describe_call(&description, c, code == FA_ERROR_DEVICE);
    if (strncmp(fa__self->error->message, text, strcspn(text, "(") + 1) != 0)
        fa__error_within("%s", text);
}

/* What is given out is given to the scope; what is not goes. */
static FA__COLD bool end_list(fa__call *c, bool good, const fa__spec *few)
{
    if (c->spec != few)
        fa__free(c->spec);
    size_t count = good ? c->list->count : 0;
    if (good && fa__list_own(c->list).count == count)
        return true;
    if (!good)
        fa__unref(c->list);
    c->list = NULL;
    return false;
}

FA__HOT bool fa__invoke(fa__call *c)
{
    fa__spec spec[FA__MAX_RESULTS];
    const fa_tensor *tensor[FA__MAX_FIELDS];
    bool stood = fa__failed();
    c->spec = spec;
    c->tensor = tensor;
    for (int i = 0; i < c->op->nfields; i++)
        tensor[i] = NULL;
    bool good = invoke(c);
    if (FA__UNLIKELY(!stood && fa__is_composed(c->op) && fa__failed()))
        good = false; /* a part failed that the result would do without */
    if (FA__UNLIKELY(!c->op->nresults))
        good = end_list(c, good, spec);
    if (FA__UNLIKELY(!good)) {
        if (!stood && fa__failed())
            name_failure(c);
        for (int i = 0; i < FA__MAX_RESULTS; i++)
            c->out[i] = NULL;
    } else if (FA__UNLIKELY(fa__call_hook != NULL))
        fa__call_hook(c, depth_now());
    c->spec = NULL;
    c->tensor = NULL;
    return good;
}
