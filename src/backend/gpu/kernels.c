/* Compiled kernels: by device, family, variant and class, or by program, device and shape. What is not in memory is
 * compiled by other threads (jobs.h), for launches that wait for it (held.c); kernels of registered operations, which
 * programs wrote, while the call waits, so that an error is its own. The caller has the device's lock, which guards
 * that device's places in all tables. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "backend/gpu/source.h"
#include "backend/registered.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "core/ledger.h"
#include <string.h>

/* A kernel in the list of all, which is there for closing devices. */
typedef struct built {
    fa__gpu_kernel kernel;
    fa__gpu_job job;
    struct built *next, *previous;
    fa__device *device;
    fa__gpu_kernel **place; /* the table's */
} built;

/* What a program has as `compiled`. */
typedef struct compiled {
    uint32_t reads;
    fa__gpu_kernel *kernel[FA__GPU_DEVICES][FA__GPU_SHAPES];
} compiled;

static fa__gpu_kernel *fixed[FA__GPU_DEVICES][FA__GPU_FAMILIES][FA__GPU_VARIANTS][FA__CLASSES];
static built *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
FA__LOCKED_AT_FORK(KERNELS, &lock)

/* ---- the devices ---- */

static const fa__ssa identity = {
    .count = 1, .inputs = 1, .outputs = 1, .type = NULL, .node = &(fa__ssa_node){.prim = FA__PRIM_input}};

/* A device keeps its number when it is closed. */
bool fa__gpu_enroll(fa__device *d)
{
    static const fa__device *enrolled[FA__GPU_DEVICES];
    fa__gpu_device *g = d->own;
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < FA__GPU_DEVICES && enrolled[i] && enrolled[i] != d)
        i++;
    if (i < FA__GPU_DEVICES)
        enrolled[i] = d;
    pthread_mutex_unlock(&lock);
    g->number = i;
    g->copy = (fa__program){.ssa = &identity, .text = "x", .hot = -1};
    return i < FA__GPU_DEVICES || fa__fail(FA_ERROR_UNAVAILABLE, "%s: there are more than %d GPUs", d->name, i);
}

/* ---- the list ---- */

static void add(built *b)
{
    pthread_mutex_lock(&lock);
    b->next = all;
    if (all)
        all->previous = b;
    all = b;
    pthread_mutex_unlock(&lock);
    *b->place = &b->kernel;
}

static void take_out(built *b)
{
    *(b->previous ? &b->previous->next : &all) = b->next;
    if (b->next)
        b->next->previous = b->previous;
    *b->place = NULL;
}

/* Where the driver is gone, kernels are kept where leak checkers see them. */
static void free_built(built *b)
{
    static _Atomic(built *) kept;
    const fa__gpu_device *g = b->device->own;
    if (fa__gpu_gone) {
        b->next = atomic_exchange(&kept, b);
        return;
    }
    fa__gpu_job_end(&b->job);
    if (b->kernel.handle)
        g->driver->kernel_free(b->device, b->kernel.handle);
    fa__free(b);
}

static built *first_of(const fa__device *d)
{
    built *b = all;
    while (b && b->device != d)
        b = b->next;
    return b;
}

void fa__gpu_forget(fa__device *d)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        built *b = first_of(d);
        if (b)
            take_out(b);
        pthread_mutex_unlock(&lock);
        if (!b)
            break;
        free_built(b);
    }
    fa__gpu_device *g = d->own;
    for (int class = 0; class < FA__CLASSES; class ++)
        fa__free(atomic_exchange(&g->copy.compiled[d->id.kind][class], NULL));
}

static void drop(fa__gpu_kernel *const *kernel, int count)
{
    for (int i = 0; i < count; i++) {
        built *b = (built *)(void *)kernel[i];
        if (!b)
            continue;
        pthread_mutex_t *of_device = &b->device->lock;
        pthread_mutex_lock(of_device);
        fa__gpu_catch_up_device(b->device); /* a launch may wait for it */
        pthread_mutex_lock(&lock);
        take_out(b);
        pthread_mutex_unlock(&lock);
        free_built(b);
        pthread_mutex_unlock(of_device);
    }
}

void fa__gpu_discard(void *what)
{
    compiled *c = what;
    for (int i = 0; i < FA__GPU_DEVICES; i++)
        drop(c->kernel[i], FA__GPU_SHAPES);
    fa__free(c);
}

/* ---- compiling ---- */

static built *built_of(const fa__gpu_kernel *k)
{
    return (built *)(uintptr_t)k;
}

/* One that could not be compiled for another reason than its source, such as too little memory, is tried again. */
static bool is_refused(const built *b)
{
    return !b->kernel.handle && b->job.code == FA_ERROR_DEVICE && b->job.why;
}

static bool is_known(const fa__gpu_kernel *k)
{
    return k && (!fa__gpu_is_compiled(k) || k->handle || is_refused(built_of(k)));
}

/* NULL, and the error, for a kernel that could not be compiled. */
static const fa__gpu_kernel *good(const built *b)
{
    return FA__LIKELY(b->kernel.handle != NULL) || fa__gpu_job_fails(&b->job) ? &b->kernel : NULL;
}

/* Waits for it, on behalf of the operation. Other threads may issue meanwhile: the device's lock is not held. */
static void await(fa__gpu_issue *issue, built *b)
{
    fa__gpu_job_use(&b->job);
    fa__gpu_compile_begin(issue);
    const int64_t taken = fa__gpu_job_finish(&b->job);
    fa__gpu_compile_end(issue);
    if (taken)
        fa__ledger_implicit(issue->op, issue->device, taken);
}

/* A kernel that may still be compiled, or with `now` one that is; NULL and an error. */
static const fa__gpu_kernel *usable(fa__gpu_issue *issue, const fa__gpu_kernel *k, bool now)
{
    built *b = built_of(k);
    if (FA__UNLIKELY(!fa__gpu_is_compiled(k)) && !now && !issue->queue->capture && !issue->queue->shared
        && !issue->queue->gpu->serial && fa__gpu_job_threads())
        return k;
    while (FA__UNLIKELY(!fa__gpu_is_compiled(k))) /* another thread may have it tried again */
        await(issue, b);
    return good(b);
}

static built *built_new(fa__device *d, const fa__gpu_form *form, fa__gpu_kernel **place)
{
    built *b = fa__calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->device = d;
    b->place = place;
    b->kernel.job = &b->job;
    b->kernel.group[0] = form->group[0];
    b->kernel.group[1] = form->group[1];
    b->kernel.faults = form->needs & FA__GPU_NEEDS_FAULTS;
    b->kernel.name = form->entry;
    b->kernel.form = form;
    b->job.device = d;
    b->job.kernel = &b->kernel;
    return b;
}

/* Has a source (which is freed; NULL: there was an error) compiled into a place of a table. */
static const fa__gpu_kernel *make(fa__gpu_issue *issue, fa__gpu_kernel **place, const fa__gpu_form *form, char *source,
                                  const char *what, bool now)
{
    fa__device *d = issue->device;
    built *b = !source ? NULL : *place ? built_of(*place) : built_new(d, form, place);
    if (!b) {
        fa__free(source);
        fa__error_within("compiling '%s' for %s", what, d->name);
        return NULL;
    }
    if (*place)
        fa__gpu_catch_up_device(d); /* launches that waited for it report why it failed */
    else
        add(b);
    b->job.what = what;
    fa__gpu_job_start(&b->job, source);
    return usable(issue, &b->kernel, now);
}

const fa__gpu_kernel *fa__gpu_fixed(fa__gpu_issue *issue, fa__gpu_family family, int variant, fa__class class)
{
    const fa__device *d = issue->device;
    const fa__gpu_device *g = d->own;
    fa__gpu_kernel **place = &fixed[g->number][family][variant][class];
    const fa__gpu_form *form = fa__gpu_family_form(family);
    if (FA__LIKELY(is_known(*place)))
        return usable(issue, *place, false);
    const char *entry = "";
    char *source = fa__gpu_source_fixed(d, family, variant, class, &entry);
    return make(issue, place, form, source, form->entry, false);
}

/* ---- programs ---- */

static compiled *compiled_of(const fa__device *d, const fa__program *p, fa__class class)
{
    return atomic_load_explicit(&p->compiled[d->id.kind][class], memory_order_acquire);
}

/* Kernels are compiled when their shape is first needed. */
bool fa__gpu_prepare(fa__device *d, fa__program *p, fa__class class)
{
    if (FA__LIKELY(compiled_of(d, p, class) != NULL))
        return true;
    compiled *c = fa__calloc(1, sizeof *c);
    if (!c)
        return false;
    c->reads = fa__gpu_program_reads(p->ssa);
    void *none = NULL;
    if (!atomic_compare_exchange_strong(&p->compiled[d->id.kind][class], &none, (void *)c))
        fa__free(c); /* another thread was first */
    return true;
}

uint32_t fa__gpu_reads(const fa__device *d, const fa__program *p, fa__class class)
{
    return compiled_of(d, p, class)->reads;
}

const fa__gpu_kernel *fa__gpu_program(fa__gpu_issue *issue, const fa__program *p, fa__class class, fa__gpu_shape shape)
{
    const fa__device *d = issue->device;
    const fa__gpu_device *g = d->own;
    fa__gpu_kernel **place = &compiled_of(d, p, class)->kernel[g->number][shape];
    if (FA__LIKELY(is_known(*place)))
        return usable(issue, *place, false);
    const char *entry = "";
    char *source = fa__gpu_source_program(d, p, class, shape, &entry);
    return make(issue, place, fa__gpu_shape_form(shape), source, p->text, false);
}

/* ---- registered operations ---- */

typedef struct given {
    fa__compiled_kernels base;
    fa__gpu_form form;
    fa__gpu_kernel *kernel[FA__GPU_DEVICES][FA__CLASSES][FA_MAX_DIMS];
} given;

static void discard_given(fa__compiled_kernels *what)
{
    given *g = (given *)what;
    drop(&g->kernel[0][0][0], FA__GPU_DEVICES * FA__CLASSES * FA_MAX_DIMS);
    fa__free(g);
}

static given *given_of(const fa__op *op)
{
    fa__registered *r = (fa__registered *)(uintptr_t)op->registered;
    fa__compiled_kernels *known = atomic_load_explicit(&r->compiled, memory_order_acquire);
    given *g = known ? (given *)known : fa__calloc(1, sizeof *g);
    if (known || !g)
        return g;
    g->form = (fa__gpu_form){
        .text = r->given.gpu, .entry = "op_kernel", .group = {(uint32_t)r->given.gpu_group, 1}, .needs = 0};
    g->base.discard = discard_given;
    if (atomic_compare_exchange_strong(&r->compiled, &known, &g->base))
        return g;
    fa__free(g); /* another thread was first */
    return (given *)known;
}

const fa__gpu_kernel *fa__gpu_registered(fa__gpu_issue *issue, const fa__op *op, int rank, fa__class class)
{
    const fa__device *d = issue->device;
    given *g = given_of(op);
    if (!g)
        return NULL;
    fa__gpu_kernel **place = &g->kernel[((const fa__gpu_device *)d->own)->number][class][rank - 1];
    if (FA__LIKELY(is_known(*place)))
        return usable(issue, *place, true);
    return make(issue, place, &g->form, fa__gpu_source_registered(d, op, &g->form, rank, class), op->name, true);
}
