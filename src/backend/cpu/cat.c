/* Contiguous tensors of one dtype concatenated: the result is, for each place of the dimensions before the one along
 * which they are joined, a row of runs of memory, one of each part. */
#include "backend/cpu/kernel.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

enum { PIECE = 1 << 14 }; /* bytes */

typedef struct joined {
    const fa__operand *part;
    char *y;
    int64_t parts, rows, row, size; /* `row` in bytes */
    bool stream;
} joined;

/* Of a part, the bytes in each row. */
static int64_t run_of(const joined *j, const fa__operand *part)
{
    int64_t bytes = j->size;
    for (int d = 0; d < part->rank; d++)
        bytes *= part->shape[d];
    return bytes / j->rows;
}

static void copy(const joined *j, char *to, const char *from, int64_t bytes)
{
    if (j->stream)
        fa__cpu_simd->stream(to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

/* Bytes begin..end of a row of the result. */
static void copy_row(const joined *j, int64_t number, int64_t begin, int64_t end)
{
    char *to = j->y + number * j->row;
    for (int64_t k = 0, at = 0, run; at < end; k++, at += run) {
        run = run_of(j, &j->part[k]);
        int64_t first = begin > at ? begin - at : 0, behind = fa__min(run, end - at);
        if (first < behind)
            copy(j, to + at + first, (const char *)j->part[k].data + number * run + first, behind - first);
    }
}

static void some_pieces(void *context, int64_t begin, int64_t end)
{
    const joined *j = context;
    const int64_t behind = fa__min(end * PIECE, j->rows * j->row);
    for (int64_t at = begin * PIECE, some; at < behind; at += some) {
        some = fa__min(j->row - at % j->row, behind - at);
        copy_row(j, at / j->row, at % j->row, at % j->row + some);
    }
    if (j->stream)
        fa__cpu_simd->stream_end();
}

KERNEL(cat)
{
    const fa__operand *y = &l->operand[0];
    joined j = {.part = y + 1, .y = y->data, .parts = l->operands - 1, .rows = 1};
    j.size = j.row = (int64_t)fa__dtype_size(y->dtype);
    const int d = fa__cpu_dim(y, ((const cat_args *)l->args)->dim);
    for (int i = 0; i < y->rank; i++)
        *(i < d ? &j.rows : &j.row) *= y->shape[i];
    const int64_t bytes = j.rows * j.row;
    j.stream = bytes > fa__cpu_cache_bytes() && j.row / j.parts >= PIECE;
    if (bytes)
        fa__parallel_for((bytes + PIECE - 1) / PIECE, 4, some_pieces, &j);
    return true;
}
