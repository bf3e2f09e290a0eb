/* Lists of launches of one program, in a few launches of the device's: a table in its memory has the arguments of each,
 * and every group of work finds there which of them it belongs to. A step of an optimizer is such a list, of its
 * parameters. The table has room for all dimensions, so single launches with very many are done by one, too. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

enum { TABLE_BYTES = 1 << 20 /* of a table, at most */, SHAPES = FA__GPU_LIST_DENSE_BF16 + 1 - FA__GPU_LIST };

/* A table that is being filled. */
typedef struct table {
    fa__gpu_issue *issue;
    fa__gpu_shape shape;
    int dims, operands, entries, most;
    size_t words;              /* of an entry */
    int64_t groups;            /* of work, of all entries */
    int64_t *memory;           /* `most` entries, */
    const fa__launch **launch; /* and what each is of */
    int segments;
    const void *segment[LIST_SEGMENTS];
} table;

/* Words of list_entry in dialect/elementwise.inc. */
static size_t entry_words(int dims, int operands)
{
    return (size_t)(FA__GPU_ARGUMENT_WORDS(dims, operands) + 1 + operands + (operands + 1) / 2);
}

/* How many launches of so many operands a table has room for, at least one. */
static int table_room(const fa__launch *l, int count)
{
    int fit = (int)(TABLE_BYTES / (entry_words(FA_MAX_DIMS, l->operands) * sizeof(int64_t)));
    return count < fit ? count : fit;
}

/* The host's memory for a table of any shape; NULL, and no error, when it is lacking. */
static void *table_memory(const fa__launch *l, int room)
{
    size_t bytes = (size_t)room * (entry_words(FA_MAX_DIMS, l->operands) * sizeof(int64_t) + sizeof l);
    return fa__inject_now(bytes) ? NULL : fa__raw(16, bytes);
}

static void table_begin(table *t, fa__gpu_issue *issue, const fa__launch *l, fa__gpu_shape shape, int room,
                        void *memory)
{
    *t = (table){.issue = issue, .shape = shape, .operands = l->operands, .most = room, .memory = memory};
    t->dims = fa__gpu_program_dims(issue->device, l->program->ssa, shape);
    t->words = entry_words(t->dims, t->operands);
    t->launch = (const fa__launch **)(void *)(t->memory + (size_t)room * t->words);
}

/* ---- entries ---- */

/* The number of the segment that an address is in; -1: the table has no room for one more. */
static int segment_of(table *t, const void *address, int64_t *offset)
{
    const fa__gpu_driver *driver = ((const fa__gpu_device *)t->issue->device->own)->driver;
    const void *begin = driver->segment ? driver->segment(t->issue->device, address) : NULL;
    *offset = (int64_t)((uintptr_t)address - (uintptr_t)begin);
    for (int i = 0; i < t->segments; i++)
        if (t->segment[i] == begin)
            return i;
    if (t->segments == LIST_SEGMENTS)
        return -1;
    t->segment[t->segments] = begin;
    return t->segments++;
}

/* Behind the program's arguments: the first group of work, where each operand begins, and in which segment. */
static bool put_places(table *t, int64_t *word, const fa__gpu_operands *o)
{
    int64_t *at = word + 1;
    int32_t *segment = (int32_t *)(void *)(at + t->operands);
    *word = t->groups;
    memset(at, 0, (size_t)(t->operands + (t->operands + 1) / 2) * sizeof *at);
    FA__EACH_BIT (k, o->memory) {
        int number = o->count ? segment_of(t, o->launch->operand[k].data, &at[k]) : 0;
        if (number < 0)
            return false;
        segment[k] = number;
    }
    return true;
}

/* False when it does not fit: the table is as before. */
static bool table_add(table *t, const fa__gpu_operands *o)
{
    const fa__gpu_form *form = fa__gpu_shape_form(t->shape);
    int64_t items = t->shape == FA__GPU_LIST ? o->count : (o->count + 3) / 4;
    int before = t->segments;
    if (t->entries == t->most)
        return false;
    int64_t *word = t->memory + (size_t)t->entries * t->words;
    if (!put_places(t, fa__gpu_put_arguments(word, o, t->dims), o)) {
        t->segments = before;
        return false;
    }
    t->launch[t->entries++] = o->launch;
    t->groups += items ? (items + form->group[0] - 1) / form->group[0] : 1;
    return true;
}

/* ---- launching ---- */

static uint64_t one_by_one(fa__gpu_issue *issue, const fa__launch *const *l, int count)
{
    uint64_t ticket = 1;
    for (int i = 0; i < count && ticket; i++)
        ticket = fa__gpu_run(&issue->queue->base, l[i]);
    return ticket;
}

/* The table in the device's memory; NULL after an error. */
static void *upload(const table *t)
{
    return fa__gpu_upload(t->issue, t->memory, (size_t)t->entries * t->words * sizeof *t->memory);
}

/* The same, but where the device has no memory for it, that is no error. */
static void *upload_if_room(const table *t, bool *failed)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    void *there = upload(t);
    fa__error_use(before);
    *failed = !there && error.code != FA_ERROR_MEMORY;
    if (*failed)
        fa__error_hand_over(&error);
    return there;
}

static uint64_t launch_table(const table *t, const void *there)
{
    const fa__launch *l = t->launch[0];
    const fa__gpu_kernel *kernel = fa__gpu_program(t->issue, l->program, (fa__class)l->compute, t->shape);
    const list_arguments a = {.entries = t->entries};
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, there);
    for (int i = 0; i < LIST_SEGMENTS; i++)
        fa__gpu_memory(&args, i < t->segments ? t->segment[i] : NULL);
    fa__gpu_value(&args, &a, sizeof a);
    return kernel ? fa__gpu_launch_groups(t->issue, kernel, (uint64_t[3]){(uint64_t)t->groups, 1, 1}, &args) : 0;
}

/* Runs what the table has, and empties it. One entry, or those for which the device has no memory, are run by
 * themselves. */
static uint64_t flush(table *t)
{
    bool failed = false;
    void *there = t->entries > 1 ? upload_if_room(t, &failed) : NULL;
    uint64_t ticket = there ? launch_table(t, there) : failed ? 0 : one_by_one(t->issue, t->launch, t->entries);
    t->entries = t->segments = 0;
    t->groups = 0;
    return ticket;
}

/* ---- lists ---- */

typedef struct list {
    fa__gpu_issue *issue;
    const fa__launch *const *launch;
    int count, room;
    void *memory;   /* of a table with `room` entries */
    uint8_t *shape; /* of each launch, as if it were no list */
} list;

/* The launches of one shape. */
static uint64_t run_shape(const list *x, fa__gpu_shape shape)
{
    table t;
    uint64_t ticket = 1;
    table_begin(&t, x->issue, x->launch[0], (fa__gpu_shape)(FA__GPU_LIST + shape), x->room, x->memory);
    for (int i = 0; i < x->count && ticket; i++) {
        fa__gpu_operands o;
        if (x->shape[i] != shape)
            continue;
        fa__gpu_operands_of(&o, x->issue->device, x->launch[i]);
        if (table_add(&t, &o))
            continue;
        ticket = flush(&t);
        if (ticket && !table_add(&t, &o))
            ticket = fa__fail(FA_ERROR_INTERNAL, "a launch of %d operands does not fit a table", t.operands);
    }
    return ticket && t.entries ? flush(&t) : ticket;
}

/* The shapes of all; false when the device has not all dtypes, about which they complain one by one. */
static bool find_shapes(const list *x)
{
    const fa__gpu_device *g = x->issue->device->own;
    bool good = g->f64 || x->launch[0]->compute != FA__CLASS_F64;
    for (int i = 0; i < x->count && good; i++) {
        fa__gpu_operands o;
        fa__gpu_operands_of(&o, x->issue->device, x->launch[i]);
        FA__EACH_BIT (k, o.memory)
            good &= g->f64 || x->launch[i]->operand[k].dtype != FA_F64;
        x->shape[i] = (uint8_t)fa__gpu_shape_for(&o);
    }
    return good;
}

static uint64_t run_shapes(const list *x)
{
    uint64_t ticket = 1;
    for (int s = 0; s < SHAPES && ticket; s++) {
        uint64_t last = run_shape(x, (fa__gpu_shape)s);
        ticket = !last || last > ticket ? last : ticket; /* tickets grow */
    }
    return ticket;
}

/* Memory is taken before anything is issued; without it the launches are run by themselves. */
static uint64_t run_list(fa__gpu_issue *issue, const fa__launch *const *l, int count)
{
    list x = {.issue = issue, .launch = l, .count = count, .room = table_room(l[0], count)};
    x.memory = count > 1 ? table_memory(l[0], x.room) : NULL;
    x.shape = x.memory && !fa__inject_now((size_t)count) ? fa__raw(16, (size_t)count) : NULL;
    uint64_t ticket = x.shape && find_shapes(&x) ? run_shapes(&x) : one_by_one(issue, l, count);
    fa__aligned_free(x.shape);
    fa__aligned_free(x.memory);
    return ticket;
}

uint64_t fa__gpu_run_list(fa__queue *queue, const fa__launch *const *l, int count)
{
    fa__gpu_issue issue = fa__gpu_issue_begin(queue, l[0]);
    uint64_t ticket = run_list(&issue, l, count);
    fa__gpu_issue_end(&issue);
    return ticket;
}

uint64_t fa__gpu_run_by_table(fa__gpu_issue *issue, const fa__launch *l)
{
    table t;
    fa__gpu_operands o;
    fa__gpu_operands_of(&o, issue->device, l);
    if (!fa__gpu_has_dtypes(&o))
        return 0;
    void *memory = table_memory(l, 1);
    if (!memory)
        return fa__fail(FA_ERROR_MEMORY, "fa_%s: there is no memory for the table of its operands", l->op->name);
    table_begin(&t, issue, l, FA__GPU_LIST, 1, memory);
    void *there = table_add(&t, &o) ? upload(&t) : NULL;
    uint64_t ticket = there ? launch_table(&t, there) : 0;
    fa__aligned_free(memory);
    return ticket;
}
