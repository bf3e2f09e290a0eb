/* The thread pool. A loop is split into chunks, and each participant has a range of chunks of its own, so that the
 * same thread touches the same memory in successive loops. A participant that has finished waits a little for the
 * others, whose caches hold what their chunks are about, and then takes chunks that they have not started, so that the
 * caller never waits for a thread that is asleep. Thread counts, the host program's pool and errors are in
 * parallel_host.c. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel_pool.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNKS_EACH = 4, STACK = 1 << 20, SPIN_NS = 50000, PATIENCE_NS = 4000 };
/* As in <linux/futex.h>, which not every C library comes with. */
enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129 };
#ifndef SYS_futex /* 32-bit systems that are new enough to have 64 bits of time */
#define SYS_futex SYS_futex_time64
#endif

/* A participant; number 0 is the caller. `word` holds the number of the loop (32 bits), the next chunk to take and
 * the end of the range (16 bits each), so that taking a chunk is one compare-and-swap, which fails if the loop is
 * over. */
typedef struct place {
    _Alignas(64) _Atomic uint64_t word;
    _Atomic uint32_t asleep; /* 1 while the thread sleeps on it */
    uint32_t last;           /* the last loop that its thread has seen */
    pthread_t thread;
} place;

static place places[FA__MOST_THREADS];

/* Written by the caller only, between loops; valid for any thread that has taken a chunk. */
static struct {
    _Atomic(fa__loop_body *) body;
    _Atomic(void *) context;
    _Atomic int64_t count;
    _Atomic int32_t chunks, participants;
    _Atomic uint32_t pending; /* chunks not done yet; the caller may sleep on it */
    _Atomic uint32_t waiting; /* 1 while the caller sleeps */
    _Atomic bool stopping;
    fa__loop_error error;
} loop = {.error = {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* Held while a thread runs a loop; protects the variables that follow. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static uint32_t loops;
static int workers;
static int most_workers = FA__MOST_THREADS - 1; /* lower, after the system refused to create a thread */
static bool forked;

static uint64_t word_of(uint32_t number, uint32_t next, uint32_t end)
{
    return (uint64_t)number << 32 | next << 16 | end;
}

static void futex_wait(_Atomic uint32_t *word, uint32_t while_it_is)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void pause_a_little(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

/* Spins until ready(argument) is true, or gives up after a while. With more threads than CPUs it does not spin. */
static bool spin(bool (*ready)(const void *), const void *argument)
{
    int64_t end = 0;
    for (;;) {
        for (int i = 0; i < 64; i++) {
            if (ready(argument))
                return true;
            pause_a_little();
        }
        int64_t now = fa__clock_ns();
        if (!end)
            end = now + (fa__threads_spin() ? SPIN_NS : 0);
        if (now >= end)
            return false;
    }
}

static bool take_chunk(place *p, int32_t *chunk)
{
    uint64_t word = atomic_load_explicit(&p->word, memory_order_acquire);
    for (;;) {
        uint32_t next = (uint32_t)word >> 16, end = word & 0xffff;
        if (next >= end)
            return false;
        if (atomic_compare_exchange_weak_explicit(&p->word, &word, word + (1 << 16), memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *chunk = (int32_t)next;
            return true;
        }
    }
}

/* Runs chunk c of the loop. Longer chunks are spread evenly, so that threads have equal parts. */
static void run_chunk(int32_t c)
{
    int64_t count = atomic_load_explicit(&loop.count, memory_order_relaxed);
    int64_t chunks = atomic_load_explicit(&loop.chunks, memory_order_relaxed);
    int64_t each = count / chunks, longer = count % chunks;
    int64_t begin = each * c + longer * c / chunks, end = each * (c + 1) + longer * (c + 1) / chunks;
    fa__loop_body *body = atomic_load_explicit(&loop.body, memory_order_relaxed);
    body(atomic_load_explicit(&loop.context, memory_order_relaxed), begin, end);
}

static bool all_taken(int32_t participants)
{
    for (int32_t i = 0; i < participants; i++) {
        uint64_t word = atomic_load_explicit(&places[i].word, memory_order_relaxed);
        if ((uint32_t)word >> 16 < (word & 0xffff))
            return false;
    }
    return true;
}

/* Gives the others a quarter of the time that this participant needed, so that chunks do not move to and fro between
 * the caches of threads that are equally fast. */
static void be_patient(int32_t participants, int64_t begin)
{
    int64_t now = fa__clock_ns(), wait = (now - begin) / 4;
    int64_t end = now + (wait < PATIENCE_NS ? wait : PATIENCE_NS);
    while (fa__threads_spin() && !all_taken(participants) && fa__clock_ns() < end)
        pause_a_little();
}

/* Runs chunks until none are left: its own first, then those of others. Returns their number. An error that stood
 * before stays where it is. */
static uint32_t do_chunks(int32_t me)
{
    bool stood = fa__failed();
    uint32_t done = 0;
    int64_t begin = fa__clock_ns();
    int32_t chunk, participants = atomic_load_explicit(&loop.participants, memory_order_relaxed);
    for (int32_t i = 0; i < participants; i++) {
        if (i == 1)
            be_patient(participants, begin);
        while (take_chunk(&places[(me + i) % participants], &chunk)) {
            run_chunk(chunk);
            done++;
            if (!stood && fa__failed())
                fa__loop_error_keep(&loop.error, chunk);
        }
    }
    return done;
}

static bool has_news(const void *argument)
{
    const place *p = (const place *)argument;
    return (uint32_t)(atomic_load_explicit(&p->word, memory_order_acquire) >> 32) != p->last;
}

/* The thread sets asleep and then reads the word again; the caller does the reverse. One of them therefore sees the
 * other. */
static void sleep_until_news(place *p)
{
    atomic_store(&p->asleep, 1);
    while (!((uint32_t)(atomic_load(&p->word) >> 32) != p->last) && atomic_load(&p->asleep))
        futex_wait(&p->asleep, 1);
    atomic_store(&p->asleep, 0);
}

static void take_part(place *p)
{
    fa__thread *t = fa__thread_here();
    if (!t) { /* no memory for the state of this thread: others do its chunks */
        fa_error_clear();
        return;
    }
    t->in_parallel = true;
    uint32_t done = do_chunks((int32_t)(p - places));
    if (done && atomic_fetch_sub(&loop.pending, done) == done && atomic_load(&loop.waiting))
        futex_wake(&loop.pending);
}

static void *worker(void *argument)
{
    place *p = (place *)argument;
    for (;;) {
        if (!spin(has_news, p))
            sleep_until_news(p);
        if (!has_news(p))
            continue;
        p->last = (uint32_t)(atomic_load_explicit(&p->word, memory_order_acquire) >> 32);
        if (atomic_load(&loop.stopping))
            return NULL;
        take_part(p);
    }
}

/* With all signals blocked: signals are handled by the program's own threads. */
static bool start_worker(place *p)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setstacksize(&attributes, STACK);
    p->last = (uint32_t)(atomic_load(&p->word) >> 32);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_create(&p->thread, &attributes, worker, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (made) {
        char name[20];
        snprintf(name, sizeof name, "facula-%d", (int)(p - places));
        pthread_setname_np(p->thread, name);
    }
    return made;
}

static void start_workers(int wanted)
{
    while (workers < wanted && workers < most_workers) {
        if (start_worker(&places[workers + 1]))
            workers++;
        else
            most_workers = workers;
    }
}

static void give(place *p, uint64_t word)
{
    atomic_store(&p->word, word);
    if (atomic_load(&p->asleep) && atomic_exchange(&p->asleep, 0))
        futex_wake(&p->asleep);
}

static void begin_loop(int32_t participants, int32_t chunks)
{
    atomic_store_explicit(&loop.pending, (uint32_t)chunks, memory_order_relaxed);
    loops++;
    for (int32_t i = participants; i-- > 0;) {
        uint32_t begin = (uint32_t)(chunks * i / participants), end = (uint32_t)(chunks * (i + 1) / participants);
        give(&places[i], word_of(loops, begin, end));
    }
}

static bool is_done(const void *argument)
{
    (void)argument;
    return atomic_load_explicit(&loop.pending, memory_order_acquire) == 0;
}

static void end_loop(uint32_t done)
{
    if (done)
        atomic_fetch_sub(&loop.pending, done);
    if (spin(is_done, NULL))
        return;
    atomic_store(&loop.waiting, 1);
    for (uint32_t left; (left = atomic_load(&loop.pending)) != 0;)
        futex_wait(&loop.pending, left);
    atomic_store(&loop.waiting, 0);
}

/* The same number for each thread, where there are enough. */
static int32_t chunk_count(int64_t count, int64_t grain, int threads)
{
    int64_t chunks = count / grain + (count % grain != 0), each = chunks / threads;
    return (int32_t)(each == 0 ? chunks : (each < CHUNKS_EACH ? each : CHUNKS_EACH) * threads);
}

bool fa__pool_run(int64_t count, int64_t grain, int threads, fa__loop_body *body, void *context)
{
    fa__thread *t = fa__self;
    int32_t chunks = chunk_count(count, grain, threads);
    int32_t participants = chunks < threads ? chunks : threads;
    if (forked || !t->started || atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        return false;
    start_workers(participants - 1);
    if (participants > workers + 1)
        participants = workers + 1;
    atomic_store_explicit(&loop.body, body, memory_order_relaxed);
    atomic_store_explicit(&loop.context, context, memory_order_relaxed);
    atomic_store_explicit(&loop.count, count, memory_order_relaxed);
    atomic_store_explicit(&loop.chunks, chunks, memory_order_relaxed);
    atomic_store_explicit(&loop.participants, participants, memory_order_relaxed);
    t->in_parallel = true;
    begin_loop(participants, chunks);
    end_loop(do_chunks(0));
    t->in_parallel = false;
    fa__error_hand_over(&loop.error.error);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return true;
}

/* Waits for the loop of another thread to end, with a timeout, since that thread may be waiting for the exiting one. */
static bool take_pool(void)
{
    int64_t end = fa__clock_ns() + INT64_C(1000000000);
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
        if (fa__clock_ns() > end)
            return false;
        sched_yield();
    }
    return true;
}

void fa__parallel_stop(void)
{
    if (forked || fa__self->in_parallel || !take_pool())
        return;
    atomic_store(&loop.stopping, true);
    loops++;
    for (int i = 1; i <= workers; i++)
        give(&places[i], word_of(loops, 0, 0));
    for (int i = 1; i <= workers; i++)
        pthread_join(places[i].thread, NULL);
    workers = 0;
    atomic_store(&loop.stopping, false);
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void fa__parallel_forked(void)
{
    forked = true;
}
