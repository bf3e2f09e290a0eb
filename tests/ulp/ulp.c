/* The largest errors of the math functions: every f32 there is, pairs and f64 by sample. Exits with 1 when one is
 * larger than measure.h allows, or a special value is wrong.
 *
 *     ulp [--level NAME] [--step N] [--samples N] [function...]
 *
 * --step takes every Nth f32 (default 1); --samples says how many pairs and f64 (default 20,000,000). */
#include "measure.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_ONCE = 4096, MOST_THREADS = 64 };
static int64_t step = 1, samples = 20000000;
static int threads;

typedef struct work {
    const function *f;
    int number;
    worst single, wide;
} work;

static void *run(void *argument)
{
    work *k = argument;
    float x[AT_ONCE], y[AT_ONCE] = {0};
    double u[AT_ONCE], v[AT_ONCE] = {0};
    uint64_t state = 88172645463325252u + (uint64_t)k->number * 977;
    int64_t count = (int64_t)1 << 32;
    for (int64_t at = k->number * AT_ONCE * step; k->f->arity == 1 && at < count; at += threads * AT_ONCE * step) {
        int n = 0;
        for (int64_t i = at; i < count && n < AT_ONCE; i += step)
            x[n++] = float_of((uint32_t)i);
        measure_f32(&k->single, k->f, x, y, n);
    }
    for (int64_t at = 0; at < samples / threads; at += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) {
            x[i] = (float)draw_number(&state, true), y[i] = (float)draw_number(&state, true);
            u[i] = draw_number(&state, false), v[i] = draw_number(&state, false);
        }
        measure_f32(&k->single, k->f, x, y, AT_ONCE);
        measure_f64(&k->wide, k->f, u, v, AT_ONCE);
    }
    return NULL;
}

/* Prints what was worst, and gives whether it is allowed. */
static bool print(const worst *w, const char *class, double most)
{
    printf("  %s %.4f ulp at %.9g", class, w->ulp, w->x);
    if (w->y != 0)
        printf(", %.9g", w->y);
    if (w->wrong)
        printf("; %lld WRONG, as at %.17g, %.17g", (long long)w->wrong, w->wrong_x, w->wrong_y);
    if (!(w->ulp <= most))
        printf("; MORE than %g", most);
    return !w->wrong && w->ulp <= most;
}

static bool measure(const function *f)
{
    work k[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    memset(k, 0, sizeof k);
    for (int i = 0; i < threads; i++) {
        k[i].f = f;
        k[i].number = i;
        if (pthread_create(&thread[i], NULL, run, &k[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        if (i > 0) {
            merge(&k[0].single, &k[i].single);
            merge(&k[0].wide, &k[i].wide);
        }
    }
    printf("%-8s", f->name);
    bool good = print(&k[0].single, "f32", f->most[0]);
    good &= print(&k[0].wide, "f64", f->most[1]);
    putchar('\n');
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (!strcmp(argv[at], "--step"))
            step = atoll(argv[at + 1]);
        else if (!strcmp(argv[at], "--samples"))
            samples = atoll(argv[at + 1]);
        else if (strcmp(argv[at], "--level") != 0 || !fa__cpu_level_use(argv[at + 1]))
            return fprintf(stderr, "ulp: %s %s?\n", argv[at], argv[at + 1]), 2;
    }
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    threads = cpus < 1 ? 1 : cpus > MOST_THREADS ? MOST_THREADS : (int)cpus;
    printf("level %s\n", fa__cpu_level_name());
    bool good = true;
    for (int i = 0; i < FUNCTIONS; i++) {
        bool wanted = at == argc;
        for (int a = at; a < argc; a++)
            wanted |= !strcmp(argv[a], functions[i].name);
        if (wanted)
            good &= measure(&functions[i]);
    }
    return good ? 0 : 1;
}
