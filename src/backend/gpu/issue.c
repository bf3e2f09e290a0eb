/* Issuing an operation: its launches, what they have in common, scratch memory. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "backend/registered.h"
#include "base/error.h"
#include "kernels_gpu.h"

typedef fa__gpu_queue queue;

bool fa__gpu_has_kernel(const fa__op *op)
{
    if (op->id == FA__OP_expression)
        return op->registered && op->registered->given.gpu;
    return fa__gpu_kernels[op->id];
}

/* ---- launches ---- */
/* Behind a fault, what writes over values leaves them; so does what comes behind a check of its own operation. */
static bool is_careful(const fa__gpu_issue *issue)
{
    return !issue->launch || issue->launch->overwrites || issue->checked;
}

bool fa__gpu_launch_now(queue *q, const fa__gpu_kernel *k, const uint64_t groups[3], bool careful,
                        const fa__gpu_arg *args, int count, uint64_t ticket)
{
    pthread_mutex_lock(&q->gpu->launching);
    const bool good = q->gpu->driver->launch(q->base.device, q->handle, k, groups, q->word, careful, args, count);
    pthread_mutex_unlock(&q->gpu->launching);
    if (FA__UNLIKELY(good && !atomic_load_explicit(&k->launched, memory_order_relaxed))) {
        atomic_store(&q->last_new, ticket);
        atomic_store(&((fa__gpu_kernel *)(uintptr_t)k)->launched, true);
    }
    return good;
}

static bool issue_launch(fa__gpu_issue *issue, const fa__gpu_kernel *k, const uint64_t groups[3],
                         const fa__gpu_args *args)
{
    queue *q = issue->queue;
    if (FA__UNLIKELY(q->capture != NULL))
        return fa__gpu_capture_launch(issue, k, groups, is_careful(issue), args->arg, args->count);
    if (FA__UNLIKELY(fa__gpu_has_to_wait(q, k)))
        return fa__gpu_hold_launch(issue, k, groups, is_careful(issue), args->arg, args->count);
    return fa__gpu_launch_now(q, k, groups, is_careful(issue), args->arg, args->count, q->base.issued + 1);
}

/* One that may write the fault word. Takes over the use of the source. */
static uint64_t launch_checked(fa__gpu_issue *issue, const fa__gpu_kernel *k, const uint64_t groups[3],
                               const fa__gpu_args *args, fa__gpu_check *source)
{
    queue *q = issue->queue;
    fa__gpu_check *c = fa__gpu_check_new(issue, k->name, source);
    if (!c)
        fa__gpu_check_drop(source);
    if (!c || !issue_launch(issue, k, groups, args) || !fa__gpu_check_issue(c)) {
        fa__gpu_check_drop(c);
        return 0;
    }
    const fa__gpu_work w = {.op = issue->op, .check = c};
    issue->checked = true;
    q->last_check = c->ticket;
    return fa__gpu_commit(q, &w, NULL, NULL);
}

uint64_t fa__gpu_launch_groups(fa__gpu_issue *issue, const fa__gpu_kernel *k, const uint64_t groups[3],
                               const fa__gpu_args *args)
{
    queue *q = issue->queue;
    if (!fa__gpu_begin(q, issue->op))
        return 0;
    if (!groups[0] || !groups[1] || !groups[2]) /* nothing, which has a ticket all the same */
        return fa__gpu_commit(q, NULL, NULL, NULL);
    if (k->faults)
        return launch_checked(issue, k, groups, args, NULL);
    return issue_launch(issue, k, groups, args) ? fa__gpu_commit(q, NULL, NULL, NULL) : 0;
}

uint64_t fa__gpu_launch_inherit(fa__gpu_issue *issue, const fa__gpu_kernel *k, fa__gpu_check *source)
{
    static const fa__gpu_args none;
    if (!fa__gpu_begin(issue->queue, NULL)) {
        fa__gpu_check_drop(source);
        return 0;
    }
    uint64_t ticket = launch_checked(issue, k, (uint64_t[3]){1, 1, 1}, &none, source);
    if (ticket)
        issue->queue->last_inherit = ticket;
    return ticket;
}

/* A kernel without items still runs, as one group: its ticket is what the caller waits for. */
uint64_t fa__gpu_launch_items(fa__gpu_issue *issue, const fa__gpu_kernel *kernel, int64_t items,
                              const fa__gpu_args *args)
{
    int64_t group = (int64_t)kernel->group[0] * kernel->group[1], groups = (items + group - 1) / group;
    return fa__gpu_launch_groups(issue, kernel, (uint64_t[3]){groups > 0 ? (uint64_t)groups : 1, 1, 1}, args);
}

uint64_t fa__gpu_launch_buffers(fa__gpu_issue *issue, const fa__gpu_kernel *kernel, int64_t items, const void *struct_,
                                size_t size, const void *const *address, int buffers)
{
    fa__gpu_args args = {.count = 0};
    for (int i = 0; i < buffers; i++)
        fa__gpu_memory(&args, address[i]);
    fa__gpu_value(&args, struct_, size);
    return kernel ? fa__gpu_launch_items(issue, kernel, items, &args) : 0;
}

/* ---- scratch ---- */
/* A block of the device's cache: it goes back with the queue's last ticket, so that the same queue may have it again at
 * once. */
void *fa__gpu_scratch(fa__gpu_issue *issue, size_t bytes)
{
    fa__gpu_issue_end(issue);
    if (FA__UNLIKELY(issue->queue->capture != NULL))
        return fa__gpu_capture_memory(issue, bytes, false);
    issue->scratch = fa__cache_take(&issue->device->cache, bytes, &issue->queue->base);
    return issue->scratch ? fa__block_memory(issue->scratch) : NULL;
}

void fa__gpu_issue_end(fa__gpu_issue *issue)
{
    fa__queue *base = &issue->queue->base;
    if (FA__UNLIKELY(issue->queue->capture != NULL))
        fa__gpu_capture_give(issue);
    if (FA__UNLIKELY(issue->scratch != NULL))
        fa__cache_give(&issue->device->cache, issue->scratch, base, base->issued);
    issue->scratch = NULL;
}

/* ---- compiling ---- */
/* What was checked before the lock was let go of has to hold when it is taken again: see clear() in check.c. */
void fa__gpu_compile_begin(fa__gpu_issue *issue)
{
    issue->queue->compiling++;
    pthread_mutex_unlock(&issue->device->lock);
}

void fa__gpu_compile_end(fa__gpu_issue *issue)
{
    pthread_mutex_lock(&issue->device->lock);
    issue->queue->compiling--;
    pthread_cond_broadcast(&issue->queue->compiled);
}

/* ---- operations ---- */
uint64_t fa__gpu_run_kernel(fa__gpu_issue *issue, const fa__launch *l, int op)
{
    uint64_t ticket = fa__run_override(issue->device, &issue->queue->base, l, op);
    if (ticket == FA__DECLINED)
        return fa__gpu_kernels[op](issue, l);
    if (FA__UNLIKELY(issue->queue->capture != NULL))
        fa__gpu_capture_library(issue->queue->capture);
    return ticket;
}

uint64_t fa__gpu_run(fa__queue *base, const fa__launch *l)
{
    fa__gpu_issue issue = fa__gpu_issue_begin(base, l);
    uint64_t ticket = FA__LIKELY(l->kind == FA__LAUNCH_PROGRAM) ? fa__gpu_run_elementwise(&issue, l)
                      : l->kind == FA__LAUNCH_REDUCE            ? fa__gpu_run_reduce(&issue, l)
                                                                : fa__gpu_run_kernel(&issue, l, l->op->id);
    fa__gpu_issue_end(&issue);
    return ticket;
}
