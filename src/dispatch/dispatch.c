/* The dispatcher: what every operation goes through. run_stages() names the stages in their order; each fills its part
 * of the call's plan. The request is never changed: a call that has to go on with other operands, or on another device,
 * goes on as a call of its own (operands.c, fallback.c). */
#include "base/text.h"
#include "dispatch/call.h"

void (*fa__call_hook)(const fa__call *, int depth);

/* ---- the stages ---- */

/* Operands are there and alive, and the row's condition on its numbers holds. */
static FA__HOT bool check(fa__call *c)
{
    uint32_t needed = ~0U;
    if (FA__UNLIKELY(!fa__ctx()))
        return false;
    if (fa__is_elementwise(c->op)) {
        fa__compiled *compiled = c->plan.elementwise.compiled = fa__compiled_of(c->op);
        if (FA__UNLIKELY(!compiled))
            return false;
        if (c->op->compiled) /* a derivative: it need not mention all operands of its operation */
            needed = compiled->e->used;
    }
    return fa__check_operands(c, needed) && (!c->op->traits->require || fa__requirement_holds(c));
}

/* The device of a call without operands: its own option, or the settings'. */
static bool find_device(fa__call *c)
{
    fa_device wanted = {0, 0};
    FA__EACH_BIT (i, c->op->of[FA__DEVICE_])
        wanted = *(const fa_device *)fa__field_at(c->args, &c->op->fields[i]);
    c->plan.device = fa__device_get(wanted.kind == FA__DEFAULT_DEVICE ? fa_device_current() : wanted);
    return c->plan.device != NULL;
}

/* Where the call runs. A call without operands is where its option says, whatever .placement is. */
static FA__HOT bool place(fa__call *c)
{
    fa__plan *p = &c->plan;
    bool automatic = fa__ctx()->settings->placement == FA_PLACE_AUTO;
    if (FA__UNLIKELY(!p->device)) {
        if (!find_device(c))
            return false;
    } else if (FA__UNLIKELY(p->several_devices | automatic) && !p->settled && !fa__place(c, automatic))
        return false;
    p->queue = fa__queue_of(p->device);
    return true;
}

/* What autocast makes of the floating operands. */
static FA__HOT void cast(fa__call *c)
{
    fa_dtype setting = fa__ctx()->settings->autocast;
    if (FA__UNLIKELY(setting != FA_SAME) && !c->given && !c->plan.settled)
        c->plan.cast = (uint8_t)fa__autocast_dtype(c);
}

static bool has_kernel(const fa__call *c)
{
    return c->op->traits->run || c->op->traits->view || c->plan.device->backend->has_kernel(c->op);
}

/* The results' shapes and dtypes. Mistakes in a call that falls back to the CPU are reported of the operands as they
 * are, before anything is copied. */
static FA__HOT bool infer(fa__call *c)
{
    if (FA__LIKELY(fa__is_elementwise(c->op)))
        return fa__infer_elementwise(c);
    c->plan.unsupported = !has_kernel(c);
    if (FA__UNLIKELY(c->plan.unsupported) && !fa__may_fall_back(c))
        return fa__no_kernel(c);
    return c->op->traits->infer(c) && fa__check_storage(c);
}

static bool records(const fa__call *c)
{
    return c->plan.needs_grad && !c->op->traits->no_grad && fa__recording();
}

/* What is given to write into fits; new results; copies of what backward needs and the call overwrites. */
static FA__HOT bool allocate(fa__call *c)
{
    if (FA__UNLIKELY(c->given != NULL)) {
        if (!fa__check_given(c))
            return false;
        if (c->inplace && !c->plan.unsupported && records(c) && !fa__keep_overwritten(c))
            return false;
    }
    return FA__UNLIKELY(c->plan.unsupported) || fa__make_results(c);
}

/* A result that is narrower than what it is computed in wraps, or is rounded, before .out of another dtype has it. */
static FA__NOINLINE bool run_between(fa__call *c)
{
    fa_tensor *out = c->out[0];
    fa_dtype d = (fa_dtype)c->spec[0].dtype;
    if (out->dtype == d || fa__dtype_size(d) >= sizeof(float))
        return fa__run_elementwise(c);
    fa_tensor *y = fa__tensor_empty(c->plan.device, d, out->rank, out->shape, c->plan.queue);
    if (!y)
        return false;
    c->out[0] = y;
    bool good = fa__run_elementwise(c);
    c->out[0] = out;
    good = good && fa__run_copy(c, out, y);
    fa__unref(y); /* not at the scope's end: with .out a program counts on no new memory */
    return good;
}

static bool run_general(fa__call *c)
{
    const fa__traits *row = c->op->traits;
    if (row->view)
        return true;
    return row->run ? row->run(c) : row->accumulate_f32 ? fa__run_accumulated_f32(c) : fa__run_kernel(c);
}

/* The work. False with plan.unsupported set, and without an error, when the CPU is to do it. */
static FA__HOT bool issue(fa__call *c)
{
    bool good;
    if (FA__UNLIKELY(c->plan.unsupported))
        return false;
    if (FA__UNLIKELY(c->plan.device->shapes_only))
        good = true;
    else if (FA__LIKELY(fa__is_elementwise(c->op)))
        good = FA__LIKELY(!c->given || c->inplace) ? fa__run_elementwise(c) : run_between(c);
    else
        good = run_general(c);
    if (FA__UNLIKELY(c->given != NULL) && good) {
        atomic_fetch_add_explicit(&c->given->storage->version, 1, memory_order_relaxed);
        c->given->storage->changed_by = fa__outermost(c)->op;
    }
    return good;
}

/* The graph: a leaf that needs gradients, or a node. */
static FA__HOT bool record(fa__call *c)
{
    if (FA__UNLIKELY(c->requires_grad)) {
        if (!fa__dtype_is_float(c->out[0]->dtype))
            return fa__call_fail(c, FA_ERROR_DTYPE, "only floating tensors can need gradients");
        c->out[0]->requires_grad = true;
    }
    return !records(c) || fa__record(c);
}

static FA__HOT bool run_stages(fa__call *c)
{
    if (!check(c) || !place(c))
        return false;
    cast(c);
    if (FA__UNLIKELY(c->plan.moves | c->plan.cast))
        return fa__go_on_with_operands(c);
    if (FA__UNLIKELY(fa__is_composed(c->op)))
        return fa__compose(c);
    if (!infer(c) || !allocate(c))
        return FA__UNLIKELY(c->plan.unshares) && fa__go_on_with_operands(c);
    if (FA__UNLIKELY(!issue(c)))
        return c->plan.unsupported && fa__fall_back(c);
    return record(c);
}

/* ---- the call ---- */

static inline __attribute__((__always_inline__)) bool dispatch(fa__call *c)
{
    fa__spec spec[FA__MAX_RESULTS];
    const fa_tensor *tensor[FA__MAX_FIELDS];
    c->spec = spec;
    c->tensor = tensor;
    for (int i = 0; i < c->op->nfields; i++)
        tensor[i] = NULL;
    bool good = run_stages(c);
    if (FA__UNLIKELY(c->spec != spec))
        fa__free(c->spec);
    if (FA__UNLIKELY(c->plan.recorded != NULL))
        fa__free(c->plan.recorded);
    c->spec = NULL;
    c->tensor = NULL;
    return good;
}

bool fa__dispatch(fa__call *c)
{
    return dispatch(c);
}

/* How many composed operations a call is part of. */
static int depth_now(void)
{
    int depth = 0;
    for (const fa__attribution *a = fa__ctx()->attribution; a; a = a->outer)
        depth += a->call != NULL;
    return depth;
}

/* The list goes to the innermost scope, or is dropped. */
static FA__COLD bool end_list(fa__call *c, bool good)
{
    size_t count = good ? c->list->count : 0;
    if (good && fa__list_own(c->list).count == count)
        return true;
    if (!good)
        fa__unref(c->list);
    c->list = NULL;
    return false;
}

static FA__COLD bool fail(fa__call *c, bool stood)
{
    if (!stood && fa__failed())
        fa__name_failure(c);
    for (int i = 0; i < FA__MAX_RESULTS; i++)
        c->out[i] = NULL;
    return false;
}

FA__HOT bool fa__invoke(fa__call *c)
{
    bool stood = fa__failed();
    bool good = dispatch(c);
    if (FA__UNLIKELY(!stood && fa__is_composed(c->op) && fa__failed()))
        good = false; /* a part failed that the result would do without */
    if (FA__UNLIKELY(!c->op->nresults))
        good = end_list(c, good);
    if (FA__UNLIKELY(!good))
        return fail(c, stood);
    if (FA__UNLIKELY(fa__call_hook != NULL))
        fa__call_hook(c, depth_now());
    return true;
}
