/* Whole rows by an index along the first dimension, as in embeddings: fetched, and added where they came from. */
#include "backend/cpu/rows.h"
#include "base/parallel.h"
#include <string.h>

typedef struct rows {
    const fa__operand *y, *x, *index;
    const fa__simd_class *k;
    int64_t n, width, size, x_size, parts;
} rows;

static int64_t place(const rows *r, int64_t i)
{
    return fa__cpu_integer(r->index, r->index->rank ? i * r->index->stride[0] : 0);
}

/* Whether what is behind the first dimension is a run of memory in both. */
static bool has_rows(rows *r, const fa__operand *y, const fa__operand *x, const fa__operand *index)
{
    int behind = y->rank - 1;
    if (y->rank < 1 || x->rank < 1 || !fa__is_dense(behind, y->shape + 1, y->stride + 1)
        || !fa__is_dense(behind, x->shape + 1, x->stride + 1))
        return false;
    *r = (rows){.y = y,
                .x = x,
                .index = index,
                .width = 1,
                .size = (int64_t)fa__dtype_size(y->dtype),
                .x_size = (int64_t)fa__dtype_size(x->dtype)};
    for (int d = 1; d < y->rank; d++)
        r->width *= y->shape[d];
    r->k = fa__cpu_class(y->dtype);
    return true;
}

/* Rows lie anywhere: the processor cannot know what comes next. */
static void fetch_some(void *context, int64_t begin, int64_t end)
{
    enum { AHEAD = 8, MOST = 1024 };
    const rows *r = context;
    const int64_t step = r->x->stride[0] * r->size, bytes = r->width * r->size;
    for (int64_t i = begin; i < end; i++) {
        if (i + AHEAD < end)
            fa__cpu_prefetch((const char *)r->x->data + place(r, i + AHEAD) * step, bytes < MOST ? bytes : MOST);
        memcpy((char *)r->y->data + i * r->y->stride[0] * r->size, (const char *)r->x->data + place(r, i) * step,
               (size_t)bytes);
    }
}

bool fa__cpu_fetch_rows(const fa__operand *y, const fa__operand *x, const fa__operand *index)
{
    rows r;
    if (!has_rows(&r, y, x, index))
        return false;
    if (r.width)
        fa__parallel_for(y->shape[0], 1 + 16384 / r.width, fetch_some, &r);
    return true;
}

/* y may be wider than x. */
static void add_row(const rows *r, char *to, const char *from)
{
    enum { TILE = 256 };
    _Alignas(64) char sum[TILE * 8], term[TILE * 8];
    if (r->k->dtype == r->x->dtype) {
        r->k->prim[FA__PRIM_add](to, to, from, NULL, r->width);
        return;
    }
    for (int64_t i = 0; i < r->width; i += TILE) {
        int64_t n = r->width - i < TILE ? r->width - i : TILE;
        r->k->load[r->y->dtype](sum, to + i * r->size, 1, n);
        r->k->load[r->x->dtype](term, from + i * r->x_size, 1, n);
        r->k->prim[FA__PRIM_add](sum, sum, term, NULL, n);
        r->k->store[r->y->dtype](to + i * r->size, 1, sum, n);
    }
}

/* Each part has some rows of y, and goes through the whole index for them: what comes to a row comes in order. */
static void add_some(void *context, int64_t begin, int64_t end)
{
    const rows *r = context;
    int64_t first = r->y->shape[0] * begin / r->parts, last = r->y->shape[0] * end / r->parts;
    int64_t y_step = r->y->stride[0] * r->size, x_step = r->x->stride[0] * r->x_size;
    for (int64_t i = first; i < last; i++)
        memset((char *)r->y->data + i * y_step, 0, (size_t)(r->width * r->size));
    for (int64_t i = 0; i < r->n; i++) {
        int64_t to = place(r, i);
        if (to >= first && to < last)
            add_row(r, (char *)r->y->data + to * y_step, (const char *)r->x->data + i * x_step);
    }
}

bool fa__cpu_sum_rows(const fa__operand *y, const fa__operand *x, const fa__operand *index)
{
    rows r;
    if (!has_rows(&r, y, x, index))
        return false;
    int64_t work = (x->shape[0] + y->shape[0]) * r.width / 16384, most = fa__parallel_threads();
    r.n = x->shape[0];
    r.parts = work < 1 ? 1 : work < most ? work : most;
    if (r.width)
        fa__parallel_for(r.parts, 1, add_some, &r);
    return true;
}
