/* Launches: operands become pointers and strides, work is ordered behind what it must not overtake, run, and noted. */
#include "backend/capture/capture.h"
#include "base/error.h"
#include "base/text.h"
#include "core/order.h"
#include "core/room.h"
#include "dispatch/call.h"
#include "dispatch/promote.h"

enum { MAX_OPERANDS = FA__MAX_INPUTS + FA__MAX_OUTPUTS };

/* A launch with room for the operands of a formula. */
typedef FA__LAUNCH_ROOM(MAX_OPERANDS) room;

FA__HOT void fa__operand_of(fa__operand *o, const fa_tensor *t)
{
    o->kind = FA__MEMORY;
    o->dtype = t->dtype;
    o->rank = t->rank;
    o->data = fa__tensor_data(t);
    for (int i = 0; i < t->rank; i++) {
        o->shape[i] = t->shape[i];
        o->stride[i] = t->stride[i];
    }
}

/* It is the host that waits for late work, in the name of what was asked for; queues follow each other. */
static bool order(fa__call *c, const fa__launch *l, fa_tensor *const *tensor)
{
    const fa__op *op = c->plan.queue ? c->op : fa__asked_for(c);
    for (int i = 0; i < l->operands; i++) {
        fa__storage *s = tensor[i] ? tensor[i]->storage : NULL;
        if (!s || (!fa__has_pending(s) && !c->plan.queue))
            continue;
        if (i < l->outputs ? !fa__before_write(s, c->plan.queue, op) : !fa__before_read(s, c->plan.queue, op))
            return false;
    }
    return true;
}

/* Results of a composed operation are made as long as that runs, also by what it does in place. */
static bool written(const fa__launch *l, fa__storage *s, fa__sync_point work, const fa__op *op)
{
    if (l->overwrites && !fa__is_unmade(s))
        return fa__after_write(s, work, op);
    s->making = fa__ctx()->attribution && fa__ctx()->attribution->call;
    return fa__after_creation(s, work, op);
}

static bool note(fa__call *c, const fa__launch *l, fa_tensor *const *tensor, uint64_t ticket)
{
    fa__sync_point work = {c->plan.queue, ticket};
    bool good = true;
    for (int i = 0; i < l->operands; i++) {
        fa__storage *s = tensor[i] ? tensor[i]->storage : NULL;
        if (s)
            good &= i < l->outputs ? written(l, s, work, c->op) : fa__after_read(s, work, c->op);
    }
    return good;
}

/* Whether no operand was made behind a fault. Under the device's lock, where no fault can end before the work is
 * issued. */
static bool sound(const fa__launch *l, fa_tensor *const *tensor)
{
    for (int i = 0; i < l->operands && fa__any_faults(); i++)
        if (tensor[i] && tensor[i]->storage && !fa__storage_sound(tensor[i]->storage))
            return false;
    return true;
}

/* Data pointers are read after ordering and under the lock: memory may move until then. */
static void point(fa__launch *l, fa_tensor *const *tensor)
{
    for (int i = 0; i < l->operands; i++)
        if (tensor[i] && tensor[i]->storage)
            l->operand[i].data = fa__tensor_data(tensor[i]);
}

/* A kernel of the host found something wrong. */
static FA__COLD bool fault_fails(const fa__call *c, const fa__launch *l, const fa__fault *fault)
{
    char text[200];
    struct fa__text what = fa__text_in(text, sizeof text);
    fa__fault_describe(&what, fault, l, fa__asked_for(c));
    return fa__call_fail(c, (fa_code)atomic_load(&fault->code), "%s", text);
}

/* With .fallback: what the device does not have is no error yet. Backends refuse that before they issue anything. */
static FA__COLD uint64_t run_or_leave(fa__call *c, const fa__launch *l)
{
    if (fa__failed()) /* it stays the error that stands: nothing may be told meanwhile */
        return c->plan.device->backend->run(c->plan.queue, l);
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    uint64_t ticket = c->plan.device->backend->run(c->plan.queue, l);
    fa__error_use(before);
    c->plan.unsupported = !ticket && error.code == FA_ERROR_UNAVAILABLE;
    if (!ticket && !c->plan.unsupported)
        fa__error_hand_over(&error);
    return ticket;
}

/* Whoever sees no result looks for an error: there always is one. */
static FA__COLD bool not_issued(const fa__call *c)
{
    if (!c->plan.unsupported && !fa__failed())
        fa__call_fail(c, FA_ERROR_INTERNAL, "%s issued nothing, and gives no reason", c->plan.device->name);
    return false;
}

/* Backends that keep nothing there are asked each time. */
static inline bool is_prepared(const fa__backend *b, const fa__launch *l)
{
    return atomic_load_explicit(&l->program->compiled[b->kind][l->compute], memory_order_acquire) != NULL;
}

/* ---- memory that stays where it is ---- */
static void let_go(fa_tensor *const *tensor, int count)
{
    for (int i = 0; i < count; i++)
        if (tensor[i] && tensor[i]->storage)
            fa__storage_let_go(tensor[i]->storage);
}

/* Until the work is noted. False and an error if there is no room for an operand that was in the host's memory. */
static bool hold(fa_tensor *const *tensor, int count)
{
    for (int i = 0; i < count; i++)
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): each operand has an entry
        if (tensor[i] && tensor[i]->storage && !fa__storage_hold(tensor[i]->storage)) {
            let_go(tensor, i);
            return false;
        }
    return true;
}

/* ---- running ---- */
/* Whether the device had no working memory for a kernel, of which nothing was issued yet, and room was made for it. */
static FA__COLD bool room_was_made(const fa__call *c, uint64_t before)
{
    fa__device *d = c->plan.device;
    const fa_error *e = fa__self->error;
    if (c->plan.unsupported || e->code != FA_ERROR_MEMORY || !d->cache.lacking || c->plan.queue->issued != before)
        return false;
    const fa_error kept = *e;
    size_t bytes = d->cache.lacking;
    d->cache.lacking = 0;
    fa_error_clear();
    if (fa__room_make(d, bytes))
        return true;
    if (!fa__failed())
        *fa__self->error = kept;
    return false;
}

/* On a device with queues, for operands that are held. */
static FA__NOINLINE bool issue(fa__call *c, fa__launch *l, fa_tensor *const *tensor, uint64_t *ticket)
{
    const fa__backend *b = c->plan.device->backend;
    if (!order(c, l, tensor))
        return false;
    l->caller = fa__asked_for(c);
    l->overwrites |= c->given && tensor[0] == c->given;
    uint64_t before;
    do {
        pthread_mutex_lock(&c->plan.device->lock);
        point(l, tensor);
        before = c->plan.queue->issued;
        *ticket = !b->ready(c->plan.queue) || !sound(l, tensor) ? 0
                  : FA__LIKELY(!fa__ctx()->settings->fallback)  ? b->run(c->plan.queue, l)
                                                                : run_or_leave(c, l);
        pthread_mutex_unlock(&c->plan.device->lock);
    } while (FA__UNLIKELY(!*ticket) && room_was_made(c, before));
    return FA__LIKELY(*ticket != 0) ? note(c, l, tensor, *ticket) : not_issued(c);
}

static inline __attribute__((__always_inline__)) bool run(fa__call *c, fa__launch *l, fa_tensor *const *tensor,
                                                          uint64_t *ticket)
{
    const fa__backend *b = c->plan.device->backend;
    if (l->program && !is_prepared(b, l)
        && !b->prepare(c->plan.device, (fa__program *)(uintptr_t)l->program, (fa__class)l->compute))
        return false;
    if (FA__LIKELY(c->plan.device->host)) {
        fa__fault fault = {0};
        l->fault = &fault;
        bool ready = !c->plan.pending || order(c, l, tensor), good = ready && b->run(NULL, l);
        l->fault = NULL;
        if (FA__UNLIKELY(atomic_load_explicit(&fault.code, memory_order_relaxed)))
            return fault_fails(c, l, &fault);
        return FA__LIKELY(good) || (ready && not_issued(c));
    }
    bool spills = fa__moves_begin(), good = hold(tensor, l->operands);
    if (good) {
        good = issue(c, l, tensor, ticket);
        let_go(tensor, l->operands);
    }
    fa__moves_end(spills);
    return good;
}

/* The launch becomes part of the graph that this thread records, which holds the memory from then on. */
static FA__COLD bool run_recorded(fa__call *c, fa__launch *l, fa_tensor *const *tensor)
{
    uint64_t ticket = 0;
    l->caller = fa__asked_for(c);
    if (!fa__graph_allows(c->plan.device, c->plan.queue, l->caller) || !hold(tensor, l->operands))
        return false;
    bool good = run(c, l, tensor, &ticket) && fa__graph_add(&l, &tensor, 1, ticket);
    let_go(tensor, l->operands);
    return good;
}

FA__HOT bool fa__launch_run(fa__call *c, fa__launch *l, fa_tensor *const *tensor)
{
    uint64_t ticket;
    return FA__UNLIKELY(fa__capturing()) ? run_recorded(c, l, tensor) : run(c, l, tensor, &ticket);
}

/* On a device with queues, for operands that are held. */
static bool issue_list(fa__call *c, fa__launch *const *l, fa_tensor *const *const *tensor, int count)
{
    const fa__backend *b = c->plan.device->backend;
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (!order(c, l[i], tensor[i]))
            return false;
        l[i]->caller = fa__asked_for(c);
    }
    uint64_t ticket, before;
    do {
        pthread_mutex_lock(&c->plan.device->lock);
        for (int i = 0; i < count; i++)
            point(l[i], tensor[i]);
        before = c->plan.queue->issued;
        bool ready = b->ready(c->plan.queue);
        for (int i = 0; ready && i < count; i++)
            ready = sound(l[i], tensor[i]);
        ticket = ready ? b->run_list(c->plan.queue, (const fa__launch *const *)l, count) : 0;
        pthread_mutex_unlock(&c->plan.device->lock);
    } while (FA__UNLIKELY(!ticket) && room_was_made(c, before));
    if (!ticket)
        return not_issued(c);
    for (int i = 0; i < count; i++)
        good &= note(c, l[i], tensor[i], ticket);
    return good && (!fa__capturing() || fa__graph_add(l, tensor, count, ticket));
}

static bool run_held_list(fa__call *c, fa__launch *const *l, fa_tensor *const *const *tensor, int count)
{
    int held = 0;
    while (held < count && hold(tensor[held], l[held]->operands))
        held++;
    bool good = held == count && issue_list(c, l, tensor, count);
    while (held-- > 0)
        let_go(tensor[held], l[held]->operands);
    return good;
}

static size_t operand_bytes(const fa__launch *l, fa_tensor *const *tensor)
{
    size_t bytes = 0;
    for (int i = 0; i < l->operands; i++)
        bytes += tensor[i] && tensor[i]->storage ? tensor[i]->storage->bytes : 0;
    return bytes;
}

/* How many of these launches may be issued together: one at least, and no more than a quarter of the device's limit has
 * to be there at once if it may spill. */
static int together(const fa__device *d, fa__launch *const *l, fa_tensor *const *const *tensor, int count, bool spills)
{
    if (FA__LIKELY(!spills))
        return count;
    size_t bytes = operand_bytes(l[0], tensor[0]);
    int some = 1;
    while (some < count && (bytes += operand_bytes(l[some], tensor[some])) <= d->cache.limit / 4)
        some++;
    return some;
}

bool fa__launch_run_list(fa__call *c, fa__launch *const *l, fa_tensor *const *const *tensor, int count)
{
    bool spills = fa__moves_begin(), good = true;
    if (fa__capturing() && !fa__graph_allows(c->plan.device, c->plan.queue, fa__asked_for(c)))
        good = false;
    for (int from = 0, some; good && from < count; from += some) {
        some = together(c->plan.device, l + from, tensor + from, count - from, spills);
        good = run_held_list(c, l + from, tensor + from, some);
    }
    fa__moves_end(spills);
    return good;
}

/* ---- kernels ---- */

static size_t list_length(const fa__call *c)
{
    for (int i = 0; i < c->op->nfields; i++)
        if (c->op->fields[i].kind == FA__TENSORS)
            return ((const fa_tensors *)fa__field_at(c->args, &c->op->fields[i]))->count;
    return 0;
}

static void add_operand(fa__launch *l, fa_tensor **tensor, fa_tensor *t)
{
    fa__operand *o = &l->operand[l->operands];
    tensor[l->operands++] = t;
    if (t)
        fa__operand_of(o, t);
    else
        *o = (fa__operand){.kind = FA__MEMORY, .data = NULL, .dtype = FA_SAME};
}

static void add_number(fa__launch *l, fa_tensor **tensor, const fa_arg *a)
{
    fa__operand *o = &l->operand[l->operands];
    tensor[l->operands++] = NULL;
    o->data = NULL;
    o->rank = 0;
    o->kind = a->kind == FA__ARG_FLOAT ? FA__VALUE_FLOAT : FA__VALUE_INT;
    o->dtype = a->kind == FA__ARG_FLOAT ? FA_F64 : a->kind == FA__ARG_INT ? FA_I64 : FA_BOOL;
    o->value.f = fa__double_in(*a);
}

static bool run_kernel(fa__call *c, const fa__program *then)
{
    size_t operands = c->op->nresults + c->op->nfields + list_length(c);
    room few;
    fa_tensor *few_tensors[MAX_OPERANDS];
    bool many = operands > MAX_OPERANDS;
    fa__launch *l = many ? fa__malloc(sizeof *l + operands * (sizeof(fa__operand) + sizeof(fa_tensor *))) : &few.launch;
    if (!l)
        return false;
    fa_tensor **tensor = many ? (fa_tensor **)(void *)&l->operand[operands] : few_tensors;
    *l = (fa__launch){.kind = FA__LAUNCH_KERNEL,
                      .error_dtype = c->plan.error_dtype,
                      .outputs = c->op->nresults,
                      .op = c->op,
                      .program = then,
                      .compute = then ? (uint8_t)fa__class_of(c->out[0]->dtype) : 0,
                      .args = c->args};
    for (int i = 0; i < c->op->nresults; i++)
        add_operand(l, tensor, c->out[i]);
    for (int i = 0; i < c->op->nfields; i++) {
        const fa__field *f = &c->op->fields[i];
        const void *p = fa__field_at(c->args, f);
        if (f->kind == FA__TENSOR || (f->kind == FA__NUMBER && c->tensor[i]))
            add_operand(l, tensor, (fa_tensor *)(uintptr_t)c->tensor[i]);
        else if (f->kind == FA__NUMBER)
            add_number(l, tensor, p);
        else if (f->kind == FA__TENSORS)
            for (size_t k = 0; k < ((const fa_tensors *)p)->count; k++)
                add_operand(l, tensor, ((const fa_tensors *)p)->item[k]);
    }
    bool good = fa__launch_run(c, l, tensor);
    if (many)
        fa__free(l);
    return good;
}

bool fa__run_kernel(fa__call *c)
{
    return run_kernel(c, NULL);
}

bool fa__run_kernel_then(fa__call *c, const fa__op *then)
{
    const fa__compiled *f = fa__compiled_of(then);
    return f && run_kernel(c, &f->program);
}

/* ---- expressions from .run ---- */

/* An input of an expression over an iteration shape of `rank` dimensions; `map` says which dimension of the operand
 * each is, counted from the operand's end when map is NULL. */
static void stretch(fa__operand *o, const fa_tensor *t, int rank, const int *map)
{
    o->kind = FA__MEMORY;
    o->dtype = t->dtype;
    o->data = t->storage ? fa__tensor_data(t) : NULL;
    o->rank = (uint8_t)rank;
    for (int i = 0; i < rank; i++) {
        int d = (map ? map[i] : i) - (rank - t->rank);
        o->stride[i] = d < 0 || t->shape[d] == 1 ? 0 : t->stride[d];
    }
}

static FA__HOT void bind(fa__launch *l, fa_tensor **tensor, const fa__bound *b, int rank, const int *map)
{
    if (!b->key && b->value.kind == FA__ARG_TENSOR) {
        tensor[l->operands] = (fa_tensor *)(uintptr_t)fa__tensor_in(b->value);
        stretch(&l->operand[l->operands++], fa__tensor_in(b->value), rank, map);
    } else if (b->key) {
        tensor[l->operands] = NULL;
        l->operand[l->operands].kind = FA__VALUE_KEY;
        l->operand[l->operands].dtype = FA_I64;
        l->operand[l->operands].rank = 0;
        l->operand[l->operands].value.key = *b->key;
        l->operand[l->operands++].data = NULL;
    } else
        add_number(l, tensor, &b->value);
}

/* What an expression of .run computes in: its result's dtype, or that of its first tensor if that is more precise. */
static fa__class class_for(const fa_tensor *out, const fa__compiled *f, int count, const fa__bound *bound)
{
    fa_dtype d = out->dtype == FA_BOOL ? FA_SAME : (fa_dtype)out->dtype;
    for (int i = 0; i < count; i++)
        if (!bound[i].key && bound[i].value.kind == FA__ARG_TENSOR)
            d = fa__promote(d, (fa_dtype)fa__tensor_in(bound[i].value)->dtype);
    return fa__class_of(f->e->floating && !fa__dtype_is_float(d) ? FA_F32 : d == FA_SAME ? FA_F32 : d);
}

static FA__HOT fa__compiled *formula_for(fa__source *source, int count, const fa__bound *bound,
                                         const char *const *outputs, int noutputs)
{
    fa__compiled *known = atomic_load_explicit(&source->compiled, memory_order_acquire);
    if (FA__LIKELY(known != NULL))
        return known;
    const char *names[FA__MAX_INPUTS];
    for (int i = 0; i < count; i++)
        names[i] = bound[i].name;
    const fa__op *op = fa__expression_op("pointwise", source->text, names, count, outputs, noutputs);
    if (op)
        fa__source_knows(source, op->compiled);
    return op ? op->compiled : NULL;
}

bool fa__run_source(fa__call *c, fa_tensor *out, fa__source *source, int count, const fa__bound *bound)
{
    fa__compiled *f = formula_for(source, count, bound, NULL, 0);
    if (!f)
        return false;
    room r;
    fa_tensor *tensor[MAX_OPERANDS] = {out};
    fa__launch *l = &r.launch;
    *l = (fa__launch){
        .kind = FA__LAUNCH_PROGRAM, .outputs = 1, .operands = 1, .op = c->op, .program = &f->program, .args = c->args};
    l->rank = out->rank;
    memcpy(l->shape, out->shape, sizeof l->shape);
    fa__operand_of(&l->operand[0], out);
    for (int i = 0; i < count; i++)
        bind(l, tensor, &bound[i], out->rank, NULL);
    l->compute = (uint8_t)class_for(out, f, count, bound);
    return fa__launch_run(c, l, tensor);
}

bool fa__run_copy(fa__call *c, fa_tensor *out, const fa_tensor *x)
{
    return x && fa__run_expression(c, out, "x", 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(x)}});
}

FA__HOT bool fa__run_reduction(fa__call *c, int outputs, fa_tensor *const *outs, const char *const *names,
                               fa__combine combine, fa__source *source, unsigned set, int count, const fa__bound *bound)
{
    fa__compiled *f = formula_for(source, count, bound, names, names ? outputs : 0);
    const fa_tensor *x = fa__tensor_in(bound[0].value), *out = outs[0];
    if (!f)
        return false;
    room r;
    fa_tensor *tensor[MAX_OPERANDS] = {outs[0]};
    fa__launch *l = &r.launch;
    *l = (fa__launch){.kind = FA__LAUNCH_REDUCE,
                      .outputs = (uint8_t)outputs,
                      .operands = (uint8_t)outputs,
                      .op = c->op,
                      .program = &f->program,
                      .args = c->args};
    l->combine = (uint8_t)combine;
    int map[FA_MAX_DIMS], n = 0, at = 0;
    bool kept_dims = out->rank == x->rank;
    int64_t stride[FA_MAX_DIMS];
    for (int d = 0; d < x->rank; d++)
        if (!(set >> d & 1)) {
            stride[n] = out->stride[kept_dims ? d : at];
            at++;
            map[n++] = d;
        }
    l->kept = (uint8_t)n;
    for (int d = 0; d < x->rank; d++)
        if (set >> d & 1) {
            stride[n] = 0;
            map[n++] = d;
        }
    l->rank = x->rank;
    for (int i = 0; i < x->rank; i++)
        l->shape[i] = x->shape[map[i]];
    for (int k = 0; k < outputs; k++) {
        tensor[k] = outs[k];
        fa__operand_of(&l->operand[k], outs[k]);
        l->operand[k].rank = x->rank;
        memcpy(l->operand[k].stride, stride, sizeof stride);
    }
    for (int i = 0; i < count; i++)
        bind(l, tensor, &bound[i], x->rank, map);
    /* Sums and products are of elements in the result's dtype, for halves in f32; what is put into bool is a test. */
    bool own = combine == FA__COMBINE_SUM || (combine == FA__COMBINE_PROD && out->dtype != FA_BOOL);
    l->compute = (uint8_t)fa__class_of(fa__promote((fa_dtype)out->dtype, own ? FA_SAME : (fa_dtype)x->dtype));
    return fa__launch_run(c, l, tensor);
}
