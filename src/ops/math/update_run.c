/* How fa_update runs: one launch for each index of the lists. On devices that accept lists of launches, launches of the
 * same expression are issued together, if none uses what another one writes. */
#include "core/order.h"
#include "dispatch/promote.h"
#include "ops/math/update.h"

enum { MOST_OPERANDS = FA__MAX_INPUTS + FA__MAX_OUTPUTS };

typedef FA__LAUNCH_ROOM(MOST_OPERANDS) room;

static fa__device *device_of(const fa__update *u, size_t i)
{
    return fa__tensor_device(fa__update_first(u, i));
}

bool fa__update_is_word(const fa__update *u, size_t k, size_t i)
{
    const fa_tensor *t = fa__update_tensor(u, k, i);
    return t && t->rank == 0 && (!u->binding[k].tensors.count || fa__update_first(u, i)->rank > 0);
}

fa_dtype fa__update_dtype(const fa__update *u, size_t i)
{
    fa_dtype d = (fa_dtype)u->op->compiled->casts;
    for (size_t k = 0; k < u->bindings; k++)
        if (u->binding[k].tensors.count && !fa__update_is_word(u, k, i))
            d = fa__promote(d, (fa_dtype)u->binding[k].tensors.item[i]->dtype);
    return d;
}

/* ---- the launch of one place ---- */

static int operands_of(const fa__update *u)
{
    return u->results + (int)u->bindings;
}

static void number_operand(fa__operand *o, const fa_binding *b, size_t i)
{
    static const fa__field field = {.kind = FA__NUMBER};
    fa_arg number = b->numbers ? fa__arg_f(b->numbers[i]) : b->number;
    fa__value_of(o, &field, &number);
}

static void key_operand(fa__operand *o, const fa__operand *drawn)
{
    *o = (fa__operand){.kind = FA__VALUE_KEY, .value.key = drawn ? drawn->value.key : fa__draw_key()};
}

/* An operand with a single element for the whole launch. */
static void word_operand(fa__operand *o, const fa_tensor *t, int rank)
{
    fa__operand_of(o, t);
    o->rank = (uint8_t)rank;
    memset(o->stride, 0, sizeof o->stride);
}

/* The operands: results first, then the bound tensors and numbers. */
static void fill_launch(const fa__update *u, size_t i, fa__launch *l, fa_tensor **tensor)
{
    const fa_tensor *first = fa__update_first(u, i);
    *l = (fa__launch){.kind = FA__LAUNCH_PROGRAM,
                      .compute = (uint8_t)fa__class_of(fa__update_dtype(u, i)),
                      .outputs = (uint16_t)u->results,
                      .op = u->op,
                      .program = &u->op->compiled->program,
                      .overwrites = true,
                      .rank = first->rank};
    memcpy(l->shape, first->shape, sizeof l->shape);
    for (int k = 0; k < u->results; k++) {
        tensor[l->operands] = u->binding[u->result[k]].tensors.item[i];
        fa__operand_of(&l->operand[l->operands], tensor[l->operands]);
        l->operands++;
    }
    for (size_t k = 0; k < u->bindings; k++) {
        fa_tensor *t = fa__update_tensor(u, k, i);
        fa__operand *o = &l->operand[l->operands];
        tensor[l->operands++] = t;
        if (u->binding[k].random)
            key_operand(o, u->drawn ? &u->drawn[k] : NULL);
        else if (!t)
            number_operand(o, &u->binding[k], i);
        else if (fa__update_is_word(u, k, i))
            word_operand(o, t, l->rank);
        else
            fa__operand_of(o, t);
    }
}

/* Marks the written tensors as modified, for autograd. */
static void note_change(const fa__update *u, size_t i)
{
    for (int k = 0; k < u->results; k++) {
        fa__storage *s = u->binding[u->result[k]].tensors.item[i]->storage;
        atomic_fetch_add_explicit(&s->version, 1, memory_order_relaxed);
        s->changed_by = u->op;
    }
}

static fa__call call_for(const fa__update *u, fa__device *d)
{
    return (fa__call){.op = u->op, .plan = {.device = d, .queue = fa__queue_of(d), .pending = true}};
}

static bool run_place(const fa__update *u, size_t i);

/* Runs on CPU copies what the device does not support, and copies the results back into the given tensors. `drawn`: the
 * operands of the bindings in the launch for the device. */
static FA__COLD bool run_place_elsewhere(const fa__update *u, size_t i, const fa__operand *drawn)
{
    fa_binding there[FA__MAX_INPUTS];
    fa_tensor *copied[FA__MAX_INPUTS];
    fa__update v = {
        .op = u->op, .bindings = u->bindings, .length = 1, .binding = there, .results = u->results, .drawn = drawn};
    memcpy(v.result, u->result, sizeof v.result);
    FA_USE(.no_grad = true);
    FA_SCOPE;
    FA__WORK_FOR(u->op);
    fa__tell_fallback(u->op, device_of(u, i));
    for (size_t k = 0; k < u->bindings; k++) {
        there[k] = u->binding[k];
        if (there[k].numbers)
            there[k].numbers += i;
        const fa_tensor *t = fa__update_tensor(u, k, i);
        if (!t)
            continue;
        if (!(copied[k] = fa_to(t, FA_CPU)))
            return false;
        if (there[k].tensors.count)
            there[k].tensors = (fa_tensors){.item = &copied[k], .count = 1};
        else
            there[k].number = fa__arg_t(copied[k]);
    }
    bool good = run_place(&v, 0);
    for (int r = 0; good && r < u->results; r++) {
        fa_tensor *t = u->binding[u->result[r]].tensors.item[i];
        good = fa_copy_(t, copied[u->result[r]]) != NULL;
        t->storage->changed_by = u->op;
    }
    return good;
}

/* All argument checks have passed, but the device may still fail. */
static bool run_place(const fa__update *u, size_t i)
{
    room r;
    fa_tensor *tensor[MOST_OPERANDS];
    fa__call c = call_for(u, device_of(u, i));
    fill_launch(u, i, &r.launch, tensor);
    if (!c.plan.device->shapes_only && !fa__launch_run(&c, &r.launch, tensor))
        return c.plan.unsupported && run_place_elsewhere(u, i, &r.launch.operand[u->results]);
    note_change(u, i);
    return true;
}

/* ---- lists of launches ---- */

/* A launch that is issued as part of a list. */
typedef struct entry {
    const fa__update *update;
    size_t place;
    fa__device *device;
    fa__launch *launch;
    fa_tensor **tensor;
    bool done;
} entry;

/* A tensor that a launch uses, in a hash chain by storage. */
typedef struct use {
    const fa_tensor *tensor;
    int entry;
    bool written;
    struct use *next;
} use;

typedef struct entries {
    int count, operands; /* operands: of all launches */
    size_t launch_bytes; /* their memory */
    entry *entry;
    use *use, **chain;
    size_t chains;             /* a power of two */
    const fa__launch **launch; /* of the list that is run */
    fa_tensor *const **tensor;
    entry **listed;
} entries;

/* Under .fallback each launch may have to run on the CPU, so they are not issued as a list. */
static bool takes_lists(const fa__update *u, size_t i)
{
    const fa__device *d = device_of(u, i);
    return !d->shapes_only && d->backend->run_list && !fa__ctx()->settings->fallback;
}

/* Rounds up to a multiple of 16, where each part starts. */
static size_t rounded(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

static size_t launch_bytes(const fa__update *u)
{
    return rounded(sizeof(fa__launch) + (size_t)operands_of(u) * sizeof(fa__operand));
}

static void count_entries(entries *e, const fa__update *u, size_t count)
{
    *e = (entries){.count = 0};
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < u[k].length; i++)
            if (takes_lists(&u[k], i)) {
                e->count++;
                e->operands += operands_of(&u[k]);
                e->launch_bytes += launch_bytes(&u[k]);
            }
    for (e->chains = 1; e->chains < (size_t)e->operands;)
        e->chains *= 2;
}

/* Takes a part of the memory at *at. */
static void *part(char **at, size_t bytes)
{
    void *p = *at;
    *at += rounded(bytes);
    return p;
}

/* Allocates and fills all entries; false and an error if memory is lacking. */
static bool make_entries(entries *e, const fa__update *u, size_t count)
{
    size_t n = (size_t)e->count, operands = (size_t)e->operands;
    size_t each = sizeof *e->entry + sizeof *e->launch + sizeof *e->tensor + sizeof *e->listed;
    char *at = fa__malloc(n * each + operands * (sizeof *e->use + sizeof(fa_tensor *)) + e->launch_bytes
                          + e->chains * sizeof *e->chain + (size_t)16 * 8);
    if (!at)
        return false;
    e->entry = part(&at, n * sizeof *e->entry);
    e->launch = part(&at, n * sizeof *e->launch);
    e->tensor = part(&at, n * sizeof *e->tensor);
    e->listed = part(&at, n * sizeof *e->listed);
    e->use = part(&at, operands * sizeof *e->use);
    e->chain = part(&at, e->chains * sizeof *e->chain);
    fa_tensor **tensor = part(&at, operands * sizeof *tensor);
    entry *to = e->entry;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < u[k].length; i++)
            if (takes_lists(&u[k], i)) {
                *to = (entry){.update = &u[k], .place = i, .device = device_of(&u[k], i), .tensor = tensor};
                to->launch = part(&at, launch_bytes(&u[k]));
                fill_launch(&u[k], i, to->launch, tensor);
                tensor += operands_of(&u[k]);
                to++;
            }
    return true;
}

/* ---- independent launches ---- */

static use **chain_of(const entries *e, const fa_tensor *t)
{
    return &e->chain[((uintptr_t)t->storage >> 4) * 0x9E3779B97F4A7C15u >> 32 & (e->chains - 1)];
}

/* Whether another launch writes what this one uses, or uses what it writes. */
static bool meets_other(const use *chain, const use *now)
{
    for (; chain; chain = chain->next)
        if (chain->tensor->storage == now->tensor->storage && chain->entry != now->entry
            && (chain->written || now->written) && fa__may_share(chain->tensor, now->tensor))
            return true;
    return false;
}

/* Whether the entries from first to end are independent of each other. */
static bool are_independent(const entries *e, int first, int end)
{
    use *now = e->use;
    memset(e->chain, 0, e->chains * sizeof *e->chain);
    for (int i = first; i < end; i++)
        for (int k = 0; k < e->entry[i].launch->operands; k++) {
            const fa_tensor *t = e->entry[i].tensor[k];
            if (!t)
                continue;
            use **chain = chain_of(e, t);
            *now = (use){.tensor = t, .entry = i, .written = k < e->entry[i].launch->outputs, .next = *chain};
            if (meets_other(*chain, now))
                return false;
            *chain = now++;
        }
    return true;
}

/* ---- running them ---- */

static bool goes_with(const entry *a, const entry *b)
{
    return a->device == b->device && a->launch->program == b->launch->program
           && a->launch->compute == b->launch->compute;
}

/* Issues the launches with the expression, program class and device of the first entry, and marks them done. */
static bool run_next_list(entries *e, int first, int end)
{
    const entry *begin = &e->entry[first];
    int n = 0;
    for (entry *x = &e->entry[first]; x < &e->entry[end]; x++)
        if (!x->done && goes_with(x, begin)) {
            x->done = true;
            e->listed[n] = x;
            e->tensor[n] = x->tensor;
            e->launch[n++] = x->launch;
        }
    fa__call c = call_for(begin->update, begin->device);
    if (!fa__launch_run_list(&c, (fa__launch *const *)(uintptr_t)e->launch, e->tensor, n))
        return false;
    for (int i = 0; i < n; i++)
        note_change(e->listed[i]->update, e->listed[i]->place);
    return true;
}

/* Runs entries that are independent, as lists. */
static bool run_lists(entries *e, int first, int end)
{
    bool good = true;
    for (int i = first; good && i < end; i++)
        good = e->entry[i].done || run_next_list(e, i, end);
    return good;
}

static bool run_in_order(entries *e, int first, int end)
{
    bool good = true;
    for (int i = first; good && i < end; i++)
        good = run_lists(e, i, i + 1);
    return good;
}

/* Runs all entries together if they are independent; otherwise one expression after the other, and dependent launches
 * of one expression in order. */
static bool run_entries(entries *e)
{
    bool good = true;
    if (are_independent(e, 0, e->count))
        return run_lists(e, 0, e->count);
    for (int first = 0, end; good && first < e->count; first = end) {
        for (end = first; end < e->count && e->entry[end].update == e->entry[first].update;)
            end++;
        good = (are_independent(e, first, end) ? run_lists : run_in_order)(e, first, end);
    }
    return good;
}

/* ---- running all updates ---- */

/* Reserves memory for the launch at one position and for its record. */
static bool reserve_place(const fa__update *u, size_t i)
{
    fa__device *d = device_of(u, i);
    if (d->host || d->shapes_only)
        return true;
    for (size_t k = 0; k < u->bindings; k++) {
        const fa_tensor *t = fa__update_tensor(u, k, i);
        if (t && !fa__order_room(t->storage))
            return false;
    }
    return !d->backend->reserve || d->backend->reserve(fa__queue_of(d), operands_of(u));
}

static bool reserve(const fa__update *u)
{
    bool good = true;
    for (size_t i = 0; good && i < u->length; i++)
        good = reserve_place(u, i);
    return good;
}

static void give_back_reserved(const fa__update *u)
{
    for (size_t i = 0; i < u->length; i++) {
        fa__device *d = device_of(u, i);
        if (!d->host && d->backend->reserve)
            d->backend->reserve(fa__queue_of(d), 0);
    }
}

/* Runs the launches that are not part of a list, in order. */
static bool run_places(const fa__update *u, bool listed)
{
    bool good = true;
    for (size_t i = 0; good && i < u->length; i++)
        good = (listed && takes_lists(u, i)) || run_place(u, i);
    return good;
}

bool fa__updates_run(const fa__update *u, size_t count)
{
    entries e;
    bool good = true;
    count_entries(&e, u, count);
    for (size_t k = 0; good && k < count; k++)
        good = reserve(&u[k]);
    good = good && (e.count < 2 || make_entries(&e, u, count));
    for (size_t k = 0; good && k < count; k++)
        good = run_places(&u[k], e.count > 1);
    good = good && (e.count < 2 || run_entries(&e));
    for (size_t k = 0; k < count; k++)
        give_back_reserved(&u[k]);
    fa__free(e.entry);
    return good;
}
