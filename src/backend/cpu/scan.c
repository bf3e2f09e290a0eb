/* Scans along a dimension, in the order of backend/scan.h: the ends of all runs are a line of their own, one level
 * above, and scanned first. Runs are worked on in strips (scan_strip.c). */
#include "backend/cpu/scan_line.h"
#include "backend/cpu/scan_strip.h"
#include "base/alloc.h"
#include "base/parallel.h"

/* A pass over all runs, or over all but the last ones. */
static void pass(fa__scan_level *l, bool write)
{
    int64_t runs = l->shape[l->run_dim];
    l->write = write;
    l->shape[l->run_dim] = write ? l->runs : l->runs - 1;
    l->strips = (l->shape[l->rank - 1] + FA__SCAN_STRIP - 1) / FA__SCAN_STRIP;
    for (int d = 0; d < l->rank - 1; d++)
        l->strips *= l->shape[d];
    fa__parallel_for(l->strips, 8, fa__scan_strips, l);
    l->shape[l->run_dim] = runs;
}

/* Lanes from the lines' dimensions, in which sides have their strides already. `across`: strips are made of lines. */
static void set_lanes(fa__scan_level *l, bool across)
{
    l->run_dim = across ? l->rank - 1 : l->rank;
    fa__scan_side *of[] = {&l->in[0], &l->in[1], &l->out[0], &l->out[1], &l->end[0], &l->end[1]};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        of[k]->stride[l->rank] = across ? of[k]->stride[l->rank - 1] : 0;
        of[k]->stride[l->run_dim] = k < 4 ? FA__SCAN_RUN * of[k]->step : 1;
    }
    l->shape[l->rank] = across ? l->shape[l->rank - 1] : 0;
    l->shape[l->run_dim] = l->runs;
    l->rank++;
}

static void set_ends(fa__scan_level *l, void *memory)
{
    size_t size = l->k->size;
    for (int p = 0; p < l->parts; p++) {
        fa__scan_side *e = &l->end[p];
        *e = (fa__scan_side){.data = (char *)memory + (size_t)(p * l->lines * (l->runs - 1)) * size,
                             .dtype = l->k->dtype,
                             .size = (uint8_t)size};
        int64_t step = l->runs - 1;
        for (int d = l->rank - 1; d >= 0; step *= l->shape[d--])
            e->stride[d] = step;
    }
}

/* The lines that the ends of the runs make: they are results and elements. */
static fa__scan_level above(const fa__scan_level *l)
{
    fa__scan_level a = {
        .k = l->k, .kind = l->kind, .parts = l->parts, .lines = l->lines, .length = l->runs - 1, .rank = 1};
    a.shape[0] = l->lines;
    for (int p = 0; p < l->parts; p++) {
        a.in[p] = (fa__scan_side){.data = l->end[p].data, .dtype = l->k->dtype, .size = l->k->size, .step = 1};
        a.in[p].stride[0] = l->runs - 1;
        a.out[p] = a.in[p];
    }
    return a;
}

/* Whether strips of lines read memory better than strips of runs, or (where runs are not counted yet) single lines. */
static bool is_across(const fa__scan_level *l)
{
    if (l->rank == 0)
        return false;
    int64_t apart = l->in[0].stride[l->rank - 1], run = (l->runs ? FA__SCAN_RUN : 1) * l->in[0].step;
    if (l->runs && l->runs < FA__SCAN_STRIP / 4)
        return l->shape[l->rank - 1] > l->runs;
    return (apart < 0 ? -apart : apart) < (run < 0 ? -run : run);
}

/* `l` has lines, length, and the sides in and out over the lines. */
static bool scan(fa__scan_level *l)
{
    void *memory = NULL;
    bool good = true;
    l->runs = (l->length + FA__SCAN_RUN - 1) / FA__SCAN_RUN;
    if (l->runs > 1) {
        memory = fa__malloc((size_t)(l->lines * (l->runs - 1) * l->parts) * l->k->size);
        if (!memory)
            return false;
        set_ends(l, memory);
    }
    fa__scan_level a = above(l);
    set_lanes(l, is_across(l));
    if (l->runs > 1) {
        pass(l, false);
        good = scan(&a);
    }
    if (good)
        pass(l, true);
    fa__free(memory);
    return good;
}

static fa__scan_side side_of(const fa__operand *x, int dim)
{
    fa__scan_side s = {.data = x->data, .dtype = x->dtype, .size = (uint8_t)fa__dtype_size(x->dtype)};
    int n = 0;
    for (int d = 0; d < x->rank; d++)
        if (d != dim)
            s.stride[n++] = x->stride[d];
    s.step = x->rank ? x->stride[dim] : 0;
    return s;
}

/* Operands: y, x, and b for a linear scan, of which x is a. */
static bool run(const fa__launch *l, int64_t dim, fa__scan_kind kind)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1];
    int d = fa__cpu_dim(x, dim);
    fa__scan_level first = {.k = fa__cpu_class(y->dtype),
                            .kind = kind,
                            .parts = kind >= FA__SCAN_LOG_SUM ? 2 : 1,
                            .first = true,
                            .lines = 1,
                            .length = x->rank ? x->shape[d] : 1};
    for (int i = 0; i < x->rank; i++)
        if (i != d) {
            first.shape[first.rank++] = x->shape[i];
            first.lines *= x->shape[i];
        }
    first.in[0] = side_of(x, d);
    first.out[0] = side_of(y, d);
    if (kind == FA__SCAN_LINEAR)
        first.in[1] = side_of(&l->operand[2], d);
    if (first.lines == 0 || first.length == 0)
        return true;
    return kind <= FA__SCAN_MIN && !is_across(&first) ? fa__scan_lines(y, x, d, kind) : scan(&first);
}

KERNEL(cumsum)
{
    return run(l, ((const cumulative_args *)l->args)->dim, FA__SCAN_SUM);
}

KERNEL(cumprod)
{
    return run(l, ((const cumulative_args *)l->args)->dim, FA__SCAN_PROD);
}

KERNEL(running_max)
{
    return run(l, ((const running_args *)l->args)->dim, FA__SCAN_MAX);
}

KERNEL(running_min)
{
    return run(l, ((const running_args *)l->args)->dim, FA__SCAN_MIN);
}

KERNEL(logcumsumexp)
{
    return run(l, ((const running_args *)l->args)->dim, FA__SCAN_LOG_SUM);
}

KERNEL(linear_scan)
{
    return run(l, ((const linear_scan_args *)l->args)->dim, FA__SCAN_LINEAR);
}
