/* Running a kernel: block after block, a block's threads as fibres that change at barriers. The first fibre runs thread
 * after thread; one that comes to a barrier stays there, and another fibre goes on with the threads that are left. So a
 * kernel without barriers needs no more than one. The order of threads turns around from one barrier to the next: where
 * a barrier is missing, one of the two orders shows it.
 *
 * What a warp's 32 threads do together is a barrier of these threads. Each warp goes as far as it can before the next
 * one goes on: a barrier of the block that is missing between warps is seen as well. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* fibres jump between stacks */
#include "cudasim.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { THREADS = 1024, STACK = 256 << 10, WARP = 32 };

typedef struct fibre {
    jmp_buf here;
    ucontext_t context;
    bool begun;
    int thread;   /* the one that waits at a barrier; -1: none */
    bool in_warp; /* it waits for its warp alone */
} fibre;

static fibre fibres[THREADS];
static char *stacks;
static fibre *running;
static jmp_buf scheduler;
static ucontext_t starter;
static const command *launch;
static int next, count; /* threads of the block that were begun; of all */
static bool apart;      /* a thread waits for its warp */
static unsigned turn;   /* odd: from the last thread to the first */

static three of(const unsigned n[3])
{
    return (three){n[0], n[1], n[2]};
}

static void set_thread(int i)
{
    const unsigned *n = launch->block, t = (unsigned)i;
    launch->function->module->place->thread = (three){t % n[0], t / n[0] % n[1], t / n[0] / n[1]};
}

static void to_scheduler(fibre *f)
{
    if (!_setjmp(f->here))
        _longjmp(scheduler, 1);
}

static void wait_in(bool in_warp)
{
    fibre *f = running;
    f->in_warp = in_warp;
    to_scheduler(f);
    set_thread(f->thread);
}

static void barrier(void)
{
    wait_in(false);
}

static void warp(void)
{
    apart = true;
    wait_in(true);
}

/* A fibre: whatever threads are left, for ever. */
static void live(void)
{
    fibre *f = running;
    for (;;) {
        while (next < count) {
            int i = next++;
            f->thread = turn % 2 ? count - 1 - i : i;
            set_thread(f->thread);
            launch->function->kernel->run((void **)launch->argument);
        }
        f->thread = -1;
        to_scheduler(f);
    }
}

static void resume(fibre *f)
{
    running = f;
    if (_setjmp(scheduler))
        return;
    if (f->begun)
        _longjmp(f->here, 1);
    f->begun = true;
    getcontext(&f->context);
    f->context.uc_stack = (stack_t){.ss_sp = stacks + (size_t)(f - fibres) * STACK, .ss_size = STACK};
    f->context.uc_link = NULL;
    makecontext(&f->context, live, 0);
    swapcontext(&starter, &f->context);
}

/* How many threads wait at a barrier, when all have come to one or have ended. */
static int begin_threads(void)
{
    int waiting = 0;
    for (next = 0; next < count;) {
        resume(&fibres[waiting]);
        waiting += fibres[waiting].thread >= 0;
    }
    return waiting;
}

static int go_on(int fibres_in_use)
{
    int waiting = 0;
    for (int i = 0; i < fibres_in_use; i++) {
        fibre *f = &fibres[turn % 2 ? fibres_in_use - 1 - i : i];
        resume(f);
        waiting += f->thread >= 0;
    }
    return waiting;
}

/* The fibres of a warp's threads, of which so many wait for it. */
static int find_warp(int number, int fibres_in_use, fibre *lane[WARP])
{
    int waiting = 0;
    memset(lane, 0, WARP * sizeof *lane);
    for (int i = 0; i < fibres_in_use; i++) {
        fibre *f = &fibres[i];
        if (f->thread < 0 || f->thread / WARP != number)
            continue;
        lane[f->thread % WARP] = f;
        waiting += f->in_warp;
    }
    return waiting;
}

/* Goes on until no thread of the warp waits for it any more. False, and a line: not all threads came. */
static bool run_warp(int number, int fibres_in_use)
{
    fibre *lane[WARP];
    const int threads = count - number * WARP < WARP ? count - number * WARP : WARP;
    int waiting = find_warp(number, fibres_in_use, lane);
    while (waiting == threads) {
        waiting = 0;
        for (int i = 0; i < threads; i++) {
            fibre *f = lane[turn % 2 ? threads - 1 - i : i];
            resume(f);
            waiting += f->thread >= 0 && f->in_warp;
        }
    }
    if (waiting)
        fprintf(stderr, "cudasim: what a warp does together is reached by %d of its %d threads\n", waiting, threads);
    return !waiting;
}

/* How many threads wait at a barrier of the block, when each warp has gone as far as it can; -1: a warp is apart. */
static int settle(int fibres_in_use, int waiting)
{
    const int warps = (count + WARP - 1) / WARP;
    if (!apart)
        return waiting;
    for (int w = 0; w < warps; w++)
        if (!run_warp(turn % 2 ? warps - 1 - w : w, fibres_in_use))
            return -1;
    apart = false;
    waiting = 0;
    for (int i = 0; i < fibres_in_use; i++)
        waiting += fibres[i].thread >= 0;
    return waiting;
}

static bool run_block(void)
{
    char *const *shared = launch->function->module->shared;
    memset(shared[0], 0xff, (size_t)(shared[1] - shared[0]));
    int in_use = begin_threads(), waiting = settle(in_use, in_use);
    while (waiting == count) {
        turn++;
        waiting = settle(in_use, go_on(in_use));
    }
    turn++;
    if (!waiting)
        return true;
    if (waiting > 0)
        fprintf(stderr, "cudasim: a barrier is reached by %d of a block's %d threads\n", waiting, count);
    for (int i = 0; i < in_use; i++)
        fibres[i].begun = false; /* what they were about to do is forgotten */
    return false;
}

bool cudasim_run(const command *c)
{
    place *p = c->function->module->place;
    if (!stacks)
        stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    launch = c;
    count = (int)(c->block[0] * c->block[1] * c->block[2]);
    p->threads = of(c->block);
    p->blocks = of(c->grid);
    p->barrier = barrier;
    p->warp = warp;
    for (unsigned z = 0; z < c->grid[2]; z++)
        for (unsigned y = 0; y < c->grid[1]; y++)
            for (unsigned x = 0; x < c->grid[0]; x++) {
                p->block = (three){x, y, z};
                if (!run_block())
                    return false;
            }
    return true;
}
