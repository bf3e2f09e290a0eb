/* Whole rows by an index along the first dimension, as in embeddings: fetched. */
#include "backend/cpu/rows.h"
#include "base/parallel.h"
#include <string.h>

typedef struct rows {
    const fa__operand *y, *x, *index;
    int64_t width, size;
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
    *r = (rows){.y = y, .x = x, .index = index, .width = 1, .size = (int64_t)fa__dtype_size(y->dtype)};
    for (int d = 1; d < y->rank; d++)
        r->width *= y->shape[d];
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
