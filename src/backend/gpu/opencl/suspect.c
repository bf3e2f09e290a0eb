/* Suspects: launches that may have faulted. What is told of one is kept, with a place for the copy of the fault word
 * behind it, as long as its work, other queues that take it over, or a stain needs it. */
#include "backend/fault.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_suspect suspect;

/* ---- places for copies of the fault word ---- */
static int find_place(queue *q)
{
    for (unsigned i = 0; i < FA__OPENCL_LOOKS; i++) {
        unsigned place = (q->next_look + i) % FA__OPENCL_LOOKS;
        if (!atomic_load(&q->taken[place])) {
            q->next_look = place + 1;
            return (int)place;
        }
    }
    return -1;
}

/* There are more places than work: when all are taken, other queues have fallen far behind this one. */
static bool take_place(queue *q, suspect *s, const fa__op *op)
{
    s->place = find_place(q);
    if (s->place < 0) {
        int64_t start = fa__clock_ns();
        fa__opencl_finish_all();
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
        s->place = find_place(q);
    }
    if (s->place < 0)
        return fa__fail(FA_ERROR_INTERNAL, "%s: no place for a fault", q->base.device->name);
    atomic_store(&q->taken[s->place], true);
    return true;
}

/* ---- owners and users ---- */
static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

void fa__opencl_own_suspect(suspect *s)
{
    atomic_fetch_add(&s->owners, 1);
}

void fa__opencl_use(suspect *s)
{
    fa__opencl_own_suspect(s);
    atomic_fetch_add(&s->users, 1);
}

void fa__opencl_disown(suspect *s)
{
    if (!s || atomic_fetch_sub(&s->owners, 1) != 1)
        return;
    fa__opencl_disown(s->source);
    fa__opencl_disown(s->culprit);
    fa__tellings_end(&s->told);
    fa__free(s);
}

void fa__opencl_let_go(suspect *s, bool faulty)
{
    suspect *source = s->source;
    if (!source || s->copied)
        return;
    s->copied = true;
    if (faulty)
        fa__opencl_own_suspect(source);
    else
        s->source = NULL;
    fa__opencl_drop(source);
}

void fa__opencl_drop(suspect *s)
{
    if (s && atomic_fetch_sub(&s->users, 1) == 1) {
        fa__opencl_let_go(s, false);
        atomic_store(&s->queue->taken[s->place], false);
    }
    fa__opencl_disown(s);
}

/* What is told of the launch that is being issued. */
static void describe(suspect *s, const fa__launch *l)
{
    fa__launch *copy = memcpy(s->launch, l, fa__launch_size(l));
    if (l->op && l->args && l->op->args_size)
        copy->args = memcpy(s->launch + rounded(fa__launch_size(l)), l->args, l->op->args_size);
}

suspect *fa__opencl_suspect_new(queue *q, const char *name, const fa__op *op)
{
    const fa__launch *l = q->launch;
    size_t size = l ? rounded(fa__launch_size(l)) : 0, args = l && l->op && l->args ? l->op->args_size : 0;
    suspect *s = fa__malloc(sizeof *s + size + args);
    if (!s)
        return NULL;
    fa__text text = fa__text_in(s->name, sizeof s->name);
    fa__text_add(&text, "%s", name ? name : "");
    s->known = l != NULL;
    s->queue = q;
    s->ticket = q->base.issued + 1;
    s->source = q->source;
    s->culprit = NULL;
    s->copied = s->source && q->source_known;
    s->born = fa__tellings_count();
    s->told = NULL;
    atomic_init(&s->owners, 1);
    atomic_init(&s->users, 1);
    if (l)
        describe(s, l);
    if (!take_place(q, s, op)) {
        fa__free(s);
        return NULL;
    }
    if (s->source)
        (s->copied ? fa__opencl_own_suspect : fa__opencl_use)(s->source);
    return s;
}

/* Where it came from is over, but maybe not put away. */
suspect *fa__opencl_origin(suspect *s)
{
    while (s->source) {
        s = s->source;
        fa__opencl_wait_quietly(s->queue, s->ticket);
        s = s->culprit ? s->culprit : s;
    }
    return s;
}
