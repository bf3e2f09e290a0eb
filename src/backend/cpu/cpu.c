/* The CPU's entries in the table of backends. Its memory comes in segments that huge pages can back: fresh memory costs
 * more in page faults than the work on it. */
#define _GNU_SOURCE
#include "backend/cpu/cpu.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/program.h"
#include "backend/registered.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels_cpu.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE = 2 << 20 };

static int count(void)
{
    return 1;
}

static const char *why(void)
{
    return "";
}

static bool open_(fa__device *d)
{
    d->host = true;
    return true;
}

static void close_(fa__device *d)
{
    (void)d;
}

static void properties(fa__device *d, fa_device_properties *p)
{
    (void)d;
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(p->name, sizeof p->name, "CPU");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (colon && !strncmp(line, "model name", 10))
            snprintf(p->name, sizeof p->name, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        if (colon && !strncmp(line, "cpu MHz", 7))
            p->clock = atoi(colon + 2);
    }
    if (f)
        fclose(f);
    snprintf(p->driver, sizeof p->driver, "%s", fa__cpu_level_name());
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    p->memory = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
    p->units = fa__parallel_threads();
    p->bit_equal = true;
}

static void *allocate(fa__device *d, size_t size)
{
    (void)d;
    void *memory = fa__raw(size >= HUGE ? HUGE : 64, size);
    if (memory && size >= HUGE)
        madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

static void release(fa__device *d, void *memory, size_t size)
{
    (void)d;
    (void)size;
    fa__aligned_free(memory);
}

bool fa__cpu_has_kernel(const fa__op *op)
{
    if (op->id == FA__OP_expression)
        return op->registered && op->registered->given.cpu;
    return op->cpu_kernel;
}

FA__HOT bool fa__cpu_prepare_program(fa__device *d, fa__program *program, fa__class class)
{
    (void)d;
    return fa__cpu_prepare(program, class);
}

static bool run_kernel(const fa__launch *l)
{
    uint64_t done = fa__run_override(&fa__cpu_device, NULL, l, l->op->id);
    if (done != FA__DECLINED)
        return done != 0;
    return l->op->id == FA__OP_expression ? fa__cpu_expression(l) : l->op->cpu_kernel(l);
}

bool fa__cpu_run(const fa__launch *l)
{
    if (FA__LIKELY(l->kind == FA__LAUNCH_PROGRAM))
        return fa__cpu_run_program(l);
    return l->kind == FA__LAUNCH_REDUCE ? fa__cpu_run_reduce(l) : run_kernel(l);
}

static FA__HOT uint64_t run(fa__queue *q, const fa__launch *l)
{
    (void)q;
    return fa__cpu_run(l);
}

const fa__backend fa__backend_cpu = {
    .name = "cpu",
    .kind = FA__CPU,
    .count = count,
    .why = why,
    .open = open_,
    .close = close_,
    .properties = properties,
    .allocate = allocate,
    .release = release,
    .has_kernel = fa__cpu_has_kernel,
    .prepare = fa__cpu_prepare_program,
    .run = run,
    .overrides = fa__cpu_overrides,
};
