/* Walks over the elements of a launch (walk.h). */
#include "backend/cpu/walk.h"
#include "core/tensor.h"
#include <string.h>

static void set_lane(fa__walk *w, int slot, const fa__operand *o, bool used)
{
    fa__lane *a = &w->lane[slot];
    a->operand = o;
    a->simd = fa__cpu_simd->of[w->code->type[slot]];
    a->data = o->data;
    a->size = fa__dtype_sizes[o->dtype];
    a->memory = used && o->kind == FA__MEMORY;
    a->own = a->memory && o->dtype == a->simd->dtype;
    a->linear = a->line = a->repeats = a->apart = a->stream = a->turned = false;
}

void fa__walk_begin(fa__walk *w, const fa__launch *l, const fa__code *code, bool outputs)
{
    w->launch = l;
    w->code = code;
    w->simd = fa__cpu_simd->of[l->compute];
    w->lanes = l->operands;
    for (int i = 0; i < code->inputs; i++)
        set_lane(w, i, &l->operand[l->outputs + i], code->read[i]);
    for (int i = 0; i < l->outputs; i++)
        set_lane(w, code->inputs + i, &l->operand[i], outputs);
    w->rank = 0;
    w->kept = 0;
    w->n = 1;
    for (int d = 0; d < l->rank; d++) {
        w->n *= l->shape[d];
        if (l->shape[d] == 1)
            continue;
        for (int i = 0; i < w->lanes; i++)
            if (w->lane[i].memory) /* strides of an empty operand may be any numbers */
                w->lane[i].stride[w->rank] =
                    (int64_t)((uint64_t)w->lane[i].operand->stride[d] * (uint64_t)w->lane[i].size);
        w->kept += d < l->kept;
        w->shape[w->rank++] = l->shape[d];
    }
}

static void swap_dims(fa__walk *w, int d, int e)
{
    int64_t t = w->shape[d];
    w->shape[d] = w->shape[e];
    w->shape[e] = t;
    for (int i = 0; i < w->lanes; i++) {
        t = w->lane[i].stride[d];
        w->lane[i].stride[d] = w->lane[i].stride[e];
        w->lane[i].stride[e] = t;
    }
}

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* Whether dimension e should come before d, which it now follows: the first lane that steps differently decides. */
static bool out_of_order(const fa__walk *w, int d, int e)
{
    int outputs = w->launch->outputs;
    for (int i = 0; i < w->lanes; i++) {
        int slot = i < outputs ? w->lanes - outputs + i : i - outputs;
        const fa__lane *a = &w->lane[slot];
        if (!a->memory)
            continue;
        int64_t before = magnitude(a->stride[d]), after = magnitude(a->stride[e]);
        if (before != after && before != 0 && after != 0)
            return before < after;
    }
    return false;
}

void fa__walk_sort(fa__walk *w, int from, int to)
{
    for (int i = from + 1; i < to; i++)
        for (int d = i; d > from && out_of_order(w, d - 1, d); d--)
            swap_dims(w, d - 1, d);
}

static bool joins(const fa__walk *w, int d)
{
    for (int i = 0; i < w->lanes; i++)
        if (w->lane[i].memory && w->lane[i].stride[d] != w->lane[i].stride[d + 1] * w->shape[d + 1])
            return false;
    return true;
}

static void remove_dim(fa__walk *w, int d)
{
    w->rank--;
    for (int e = d; e < w->rank; e++)
        w->shape[e] = w->shape[e + 1];
    for (int i = 0; i < w->lanes; i++)
        if (w->lane[i].memory)
            for (int e = d; e < w->rank; e++)
                w->lane[i].stride[e] = w->lane[i].stride[e + 1];
}

int fa__walk_join(fa__walk *w, int from, int to)
{
    int rank = w->rank;
    for (int d = to - 2; d >= from; d--)
        if (joins(w, d)) {
            w->shape[d + 1] *= w->shape[d];
            remove_dim(w, d);
        }
    return rank - w->rank;
}

void fa__walk_move_last(fa__walk *w, int dim)
{
    for (int d = dim; d < w->rank - 1; d++)
        swap_dims(w, d, d + 1);
}

static bool all_zero(const int64_t *stride, int count)
{
    for (int d = 0; d < count; d++)
        if (stride[d] != 0)
            return false;
    return true;
}

void fa__walk_classify(fa__walk *w)
{
    if (w->rank == 0) {
        w->rank = 1;
        w->shape[0] = 1;
        for (int i = 0; i < w->lanes; i++)
            w->lane[i].stride[0] = w->lane[i].size;
    }
    int last = w->rank - 1;
    w->inner = w->shape[last];
    w->tile = w->code->tile;
    w->spans = 2 * w->inner <= w->tile;
    if (w->spans)
        w->tile -= w->tile % w->inner;
    for (int i = 0; i < w->lanes; i++) {
        fa__lane *a = &w->lane[i];
        if (!a->memory)
            continue;
        a->linear = true;
        int64_t expected = a->size;
        for (int d = last; d >= 0; expected *= w->shape[d--])
            a->linear &= a->stride[d] == expected;
        a->line = a->own && a->stride[last] == a->size;
        a->repeats = w->spans ? all_zero(a->stride, last) : a->stride[last] == 0;
    }
}

void fa__walk_classify_lines(fa__walk *w)
{
    fa__walk_classify(w);
    w->spans = false;
    w->tile = w->code->tile;
    for (int i = 0; i < w->lanes; i++)
        w->lane[i].repeats = w->lane[i].memory && w->lane[i].stride[w->rank - 1] == 0;
}
