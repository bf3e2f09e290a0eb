/* The limits of the machine, by loops over registers and over arrays that no cache holds, on several threads at once;
 * the best of many short tries counts. */
#define _GNU_SOURCE
#include "limits.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

static const double seconds_each = 0.4;
enum { LEAST_TRIES = 10, HUGE_PAGE = 2 << 20, FLOATS = 16 << 20 /* of each array */, MOST_THREADS = 256 };

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What one thread works on: its part of three arrays, or nothing. */
typedef struct part {
    float *x, *y, *z;
    size_t floats;
    double sum;
} part;

/* ---- arithmetic: as many chains of multiply-adds as keep every unit busy ---- */

enum { CHAINS = 12, FMA_TURNS = 1 << 17 };

/* FMA_LOOP(name, target, vector, broadcast, fma, first): a loop with vectors of one width. */
#define FMA_LOOP(name, attributes, vector, broadcast, fma, first)                                                      \
    attributes static void name(part *p)                                                                               \
    {                                                                                                                  \
        vector chain[CHAINS], factor = broadcast(0.999F), term = broadcast(0.001F);                                    \
        for (int i = 0; i < CHAINS; i++)                                                                               \
            chain[i] = broadcast((float)i);                                                                            \
        for (int n = 0; n < FMA_TURNS; n++) {                                                                          \
            _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) chain[i] = fma(chain[i], factor, term);          \
        }                                                                                                              \
        for (int i = 0; i < CHAINS; i++)                                                                               \
            p->sum += (double)first(chain[i]);                                                                         \
    }

#define PLAIN_FMA(a, b, c) ((a) * (b) + (c))
#define PLAIN_BROADCAST(v) ((vector4){v, v, v, v})
#define PLAIN_FIRST(v) ((v)[0])
typedef float vector4 __attribute__((__vector_size__(16)));
FMA_LOOP(fma_base, , vector4, PLAIN_BROADCAST, PLAIN_FMA, PLAIN_FIRST)
#ifdef __x86_64__
FMA_LOOP(fma_avx2, __attribute__((__target__("avx2,fma"))), __m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32)
FMA_LOOP(fma_avx512, __attribute__((__target__("avx512f"))), __m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32)
#endif

typedef struct loop {
    void (*run)(part *);
    double amount; /* of all threads: operations, or bytes */
} loop;

static loop fma_loop(int threads)
{
    double turns = 2.0 * threads * CHAINS * FMA_TURNS;
#ifdef __x86_64__
    const char *level = getenv("FACULA_CPU"); /* Facula does not go above it */
    if (__builtin_cpu_supports("avx512f") && (!level || strcmp(level, "avx512") == 0))
        return (loop){fma_avx512, 16 * turns};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (loop){fma_avx2, 8 * turns};
#endif
    return (loop){fma_base, 4 * turns};
}

/* ---- memory ---- */

static inline void store_past_caches(float *to, vector4 v)
{
#ifdef __x86_64__
    _mm_stream_ps(to, (__m128)v);
#else
    memcpy(to, &v, sizeof v);
#endif
}

static inline vector4 load(const float *from)
{
    return *(const vector4 *)(const void *)from;
}

static void read_pass(part *p)
{
    vector4 sum[8] = {{0}};
    for (size_t i = 0; i < p->floats; i += 32)
        for (size_t k = 0; k < 8; k++)
            sum[k] += load(p->x + i + 4 * k);
    for (int k = 0; k < 8; k++)
        p->sum += (double)sum[k][0];
}

static void write_pass(part *p)
{
    for (size_t i = 0; i < p->floats; i += 4)
        store_past_caches(p->z + i, PLAIN_BROADCAST(1));
}

static void copy_pass(part *p)
{
    for (size_t i = 0; i < p->floats; i += 4)
        store_past_caches(p->z + i, load(p->x + i));
}

static void add_pass(part *p)
{
    for (size_t i = 0; i < p->floats; i += 4)
        store_past_caches(p->z + i, load(p->x + i) + load(p->y + i));
}

/* ---- threads ---- */

typedef struct team {
    pthread_barrier_t start;
    void (*run)(part *);
    int threads;
} team;

typedef struct member {
    team *team;
    part part;
    pthread_t thread;
    double begin, end;
} member;

static void *member_main(void *context)
{
    member *m = context;
    pthread_barrier_wait(&m->team->start);
    m->begin = bench_now();
    m->team->run(&m->part);
    m->end = bench_now();
    return NULL;
}

/* Seconds from the first thread's begin to the last one's end. */
static double run_once(member *all)
{
    team *t = all->team;
    pthread_barrier_init(&t->start, NULL, (unsigned)t->threads);
    for (int i = 1; i < t->threads; i++)
        if (pthread_create(&all[i].thread, NULL, member_main, &all[i]) != 0)
            abort(); /* the others wait for it */
    member_main(&all[0]);
    double begin = all[0].begin, end = all[0].end;
    for (int i = 1; i < t->threads; i++) {
        pthread_join(all[i].thread, NULL);
        begin = all[i].begin < begin ? all[i].begin : begin;
        end = all[i].end > end ? all[i].end : end;
    }
    pthread_barrier_destroy(&t->start);
    return end - begin;
}

static double rate(loop l, member *all)
{
    double least = 1e9, end = bench_now() + seconds_each;
    all->team->run = l.run;
    for (int i = 0; i < LEAST_TRIES || bench_now() < end; i++) {
        double taken = run_once(all);
        least = taken < least ? taken : least;
    }
    return l.amount / least;
}

static float *array(void)
{
    size_t bytes = FLOATS * sizeof(float);
    float *a = aligned_alloc(HUGE_PAGE, bytes);
    if (a) {
        madvise(a, bytes, MADV_HUGEPAGE);
        memset(a, 0, bytes);
    }
    return a;
}

bool bench_limits_measure(bench_limits *l, int threads)
{
    static member all[MOST_THREADS];
    float *x = array(), *y = array(), *z = array();
    const bool good = x && y && z;
    team t = {.threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads};
    for (int i = 0; good && i < t.threads; i++) {
        size_t floats = FLOATS / (size_t)t.threads / 32 * 32, at = (size_t)i * floats;
        all[i] = (member){.team = &t, .part = {x + at, y + at, z + at, floats, 0}};
    }
    if (good) {
        const double bytes = 4.0 * (double)t.threads * (double)all[0].part.floats;
        l->flop = rate(fma_loop(t.threads), all);
        l->read = rate((loop){read_pass, bytes}, all);
        l->write = rate((loop){write_pass, bytes}, all);
        l->copy = rate((loop){copy_pass, 2 * bytes}, all);
        l->add = rate((loop){add_pass, 3 * bytes}, all);
    }
    free(x);
    free(y);
    free(z);
    return good;
}

void bench_limits_print(void)
{
    bench_limits l = {0};
    bench_limits_measure(&l, BENCH_THREADS);
    printf("%.6g %.6g %.6g %.6g %.6g\n", l.flop, l.read, l.write, l.copy, l.add);
}

bool bench_limits_read(const char *line, bench_limits *l)
{
    double *const field[] = {&l->flop, &l->read, &l->write, &l->copy, &l->add};
    for (int i = 0; i < 5; i++) {
        char *end;
        *field[i] = strtod(line, &end);
        if (end == line)
            return false;
        line = end;
    }
    return true;
}

static double time_of(double amount, double a_second)
{
    return a_second > 0 ? amount / a_second : 0;
}

/* Arithmetic and memory go on at the same time; passes over memory do not. */
double bench_least_seconds(const bench_limits *l, const bench_work *w)
{
    double compute = time_of(w->flop, l->flop);
    double memory =
        time_of(w->read, l->read) + time_of(w->write, l->write) + time_of(w->copy, l->copy) + time_of(w->add, l->add);
    return compute > memory ? compute : memory;
}
