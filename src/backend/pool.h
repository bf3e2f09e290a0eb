/* The windows of pooling: which elements along one dimension each result is made of, for every backend. Elements of a
 * window are taken row by row, and what windows give to one element comes in their order, row by row, too. */
#ifndef FA__BACKEND_POOL_H
#define FA__BACKEND_POOL_H
#include <stdbool.h>
#include <stdint.h>

/* Windows of `size` elements that are `dilation` apart, from -padding on, a window each `stride`. `adaptive`: window o
 * has the elements from floor(o * in / out) to below ceil((o + 1) * in / out). */
typedef struct fa__windows {
    int64_t in, out, size, stride, padding, dilation;
    bool adaptive;
} fa__windows;

/* One window: the first of its elements that are there, and how many are; `skipped` stand in front of them. */
typedef struct fa__window {
    int64_t from, count, skipped;
} fa__window;

static inline fa__window fa__window_at(const fa__windows *w, int64_t o)
{
    if (w->adaptive) {
        /* as o * in / out, without products that are too large */
        int64_t whole = w->in / w->out, rest = w->in % w->out;
        int64_t from = o * whole + o * rest / w->out, end = (o + 1) * whole + ((o + 1) * rest + w->out - 1) / w->out;
        return (fa__window){.from = from, .count = end - from};
    }
    int64_t start = o * w->stride - w->padding;
    int64_t skipped = start < 0 ? (w->dilation - 1 - start) / w->dilation : 0, from = start + skipped * w->dilation;
    int64_t there = from < w->in ? (w->in - 1 - from) / w->dilation + 1 : 0, most = w->size - skipped;
    return (fa__window){.from = from, .count = there < most ? there : most > 0 ? most : 0, .skipped = skipped};
}

/* How many elements a window has, counted with those of the padding, but not what is beyond it. */
static inline int64_t fa__window_padded(const fa__windows *w, int64_t o)
{
    int64_t start = o * w->stride - w->padding, end = w->in + w->padding;
    return end - start < w->size ? end - start : w->size;
}
#endif
