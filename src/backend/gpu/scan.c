/* Scans along a dimension, in the order of backend/scan.h: the ends of runs, level by level until a line is one run;
 * then back, the results of each level behind those of the one above. */
#include "backend/scan.h"
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

_Static_assert(SCAN_RUN == FA__SCAN_RUN, "the CPU's order");

enum { MOST_LEVELS = 16 };

typedef struct level {
    scan_arguments a;
    char *ends; /* of its runs: the elements of the level above */
} level;

typedef struct scan {
    fa__gpu_issue *issue;
    const fa__gpu_kernel *kernel;
    const fa__operand *y, *x, *b;
    level level[MOST_LEVELS];
    int levels;
} scan;

static int64_t runs_of(int64_t length)
{
    return (length + SCAN_RUN - 1) / SCAN_RUN;
}

static void set_operands(scan_arguments *a, const scan *s, int dim)
{
    const fa__operand *x = s->x;
    a->lines = a->first = 1;
    a->length = x->rank ? x->shape[dim] : 1;
    a->y_dtype = s->y->dtype;
    a->x_dtype = x->dtype;
    a->b_dtype = s->b ? s->b->dtype : x->dtype;
    if (x->rank) {
        a->y_step = s->y->stride[dim];
        a->x_step = x->stride[dim];
        a->b_step = s->b ? s->b->stride[dim] : 0;
    }
    for (int d = 0; d < x->rank; d++) {
        if (d == dim || x->shape[d] == 1)
            continue;
        int k = a->rank++;
        a->lines *= x->shape[d];
        a->shape[k] = x->shape[d];
        a->y_stride[k] = s->y->stride[d];
        a->x_stride[k] = x->stride[d];
        a->b_stride[k] = s->b ? s->b->stride[d] : 0;
    }
    a->runs = runs_of(a->length);
    a->across = a->rank > 0 && a->x_stride[a->rank - 1] == 1;
}

/* One pass over level k: its elements stand where the ends of the one below were put. */
static uint64_t run_level(scan *s, int k, bool write)
{
    scan_arguments *a = &s->level[k].a;
    a->write = write;
    return FA__GPU_LAUNCH(s->issue, s->kernel, a->lines * (write ? a->runs : a->runs - 1), *a,
                          k ? s->level[k - 1].ends : s->y->data, k ? NULL : s->x->data, k || !s->b ? NULL : s->b->data,
                          s->level[k].ends);
}

/* The levels above the first, and room for the ends of all. */
static bool make_levels(scan *s, fa__class class, int parts)
{
    int64_t size = class == FA__CLASS_F64 || class == FA__CLASS_I64 ? 8 : 4, room = 0;
    s->levels = 1;
    for (const scan_arguments *a = &s->level[0].a; a->runs > 1; a = &s->level[s->levels++].a) {
        room += a->lines * (a->runs - 1) * parts;
        const int64_t length = a->runs - 1;
        s->level[s->levels].a = (scan_arguments){.lines = a->lines,
                                                 .length = length,
                                                 .runs = runs_of(length),
                                                 .rank = 1,
                                                 .shape = {a->lines},
                                                 .y_stride = {length},
                                                 .y_step = 1,
                                                 .across = a->across};
    }
    char *memory = room ? fa__gpu_scratch(s->issue, (size_t)(room * size)) : NULL;
    if (room && !memory)
        return false;
    for (int k = 0; k + 1 < s->levels; k++) {
        const scan_arguments *a = &s->level[k].a;
        s->level[k].ends = memory;
        memory += a->lines * (a->runs - 1) * parts * size;
    }
    return true;
}

static uint64_t run(fa__gpu_issue *issue, const fa__launch *l, int64_t dim, fa__scan_kind kind)
{
    scan s = {.issue = issue, .y = &l->operand[0], .x = &l->operand[1]};
    fa__class class = fa__class_of(s.y->dtype);
    if (!fa__gpu_handles(issue->device, s.x, l->op->name))
        return 0;
    s.b = kind == FA__SCAN_LINEAR ? &l->operand[2] : NULL;
    s.kernel = fa__gpu_fixed(issue, kind == FA__SCAN_LOG_SUM ? FA__GPU_SCAN_LOG_SUM : FA__GPU_SCAN, (int)kind, class);
    if (!s.kernel)
        return 0;
    set_operands(&s.level[0].a, &s, fa__gpu_dim(s.x, dim));
    if (s.level[0].a.lines == 0)
        s.level[0].a.runs = 0;
    if (!make_levels(&s, class, kind >= FA__SCAN_LOG_SUM ? 2 : 1))
        return 0;
    uint64_t ticket = 1;
    for (int k = 0; k + 1 < s.levels && ticket; k++)
        ticket = run_level(&s, k, false);
    for (int k = s.levels; k-- > 0 && ticket;)
        ticket = run_level(&s, k, true);
    return ticket;
}

KERNEL(cumsum)
{
    return run(issue, l, ((const cumulative_args *)l->args)->dim, FA__SCAN_SUM);
}

KERNEL(cumprod)
{
    return run(issue, l, ((const cumulative_args *)l->args)->dim, FA__SCAN_PROD);
}

KERNEL(running_max)
{
    return run(issue, l, ((const running_args *)l->args)->dim, FA__SCAN_MAX);
}

KERNEL(running_min)
{
    return run(issue, l, ((const running_args *)l->args)->dim, FA__SCAN_MIN);
}

KERNEL(logcumsumexp)
{
    return run(issue, l, ((const running_args *)l->args)->dim, FA__SCAN_LOG_SUM);
}

KERNEL(linear_scan)
{
    return run(issue, l, ((const linear_scan_args *)l->args)->dim, FA__SCAN_LINEAR);
}
