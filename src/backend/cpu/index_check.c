/* Whether indices are in range, before anything is written: a pass at the speed of memory. Only when one is not, the
 * first of them is looked for. */
#include "backend/cpu/indexed.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <stdatomic.h>

enum { PIECE = 1024, SERIAL = 16384 };

/* The dimensions along which the index differs; the last of them is divided into pieces. */
typedef struct check {
    const fa__operand *index;
    int64_t low, size;
    int rank;
    int64_t shape[FA_MAX_DIMS], stride[FA_MAX_DIMS];
    int64_t n, step, pieces;
    _Atomic bool bad;
} check;

/* x - low and size - 1 - x are both at least 0, or one has its highest bit set. */
static bool any_outside(const uint64_t *x, int64_t n, uint64_t low, uint64_t last)
{
    enum { EACH = 8 };
    uint64_t seen[EACH] = {0}, all = 0;
    int64_t i = 0;
    for (; i + EACH <= n; i += EACH)
        for (int k = 0; k < EACH; k++)
            seen[k] |= (x[i + k] - low) | (last - x[i + k]);
    for (; i < n; i++)
        all |= (x[i] - low) | (last - x[i]);
    for (int k = 0; k < EACH; k++)
        all |= seen[k];
    return all >> 63;
}

static void check_pieces(void *context, int64_t begin, int64_t end)
{
    check *c = context;
    const fa__operand *index = c->index;
    const int64_t size = (int64_t)fa__dtype_size(index->dtype);
    bool bad = false;
    for (int64_t u = begin; u < end; u++) {
        int64_t room[PIECE], first = u % c->pieces * PIECE, offset = first * c->step, rest = u / c->pieces;
        const int64_t n = fa__min(PIECE, c->n - first);
        for (int d = c->rank; d-- > 0; rest /= c->shape[d])
            offset += rest % c->shape[d] * c->stride[d];
        const void *from = (const char *)index->data + offset * size;
        if (index->dtype != FA_I64 || c->step != 1) {
            fa__cpu_simd->of[FA__CLASS_I64]->load[index->dtype](room, from, c->step, n);
            from = room;
        }
        bad |= any_outside(from, n, (uint64_t)c->low, (uint64_t)(c->size - 1));
    }
    if (bad)
        atomic_store(&c->bad, true);
}

/* False when the index is empty. */
static bool read_shape(check *c)
{
    const fa__operand *x = c->index;
    c->n = 1;
    c->step = 0;
    for (int d = x->rank; d-- > 0;) {
        if (x->shape[d] == 0)
            return false;
        if (x->shape[d] == 1 || x->stride[d] == 0)
            continue;
        if (c->n == 1) {
            c->n = x->shape[d];
            c->step = x->stride[d];
        } else if (!c->rank && x->stride[d] == c->step * c->n) {
            c->n *= x->shape[d];
        } else {
            c->shape[c->rank] = x->shape[d];
            c->stride[c->rank++] = x->stride[d];
        }
    }
    return true;
}

/* Element by element, in logical order */
static bool report_first(const fa__launch *l, const fa__operand *index, int dim, int64_t low, int64_t size)
{
    fa__cpu_walk w = fa__cpu_others(index->shape, index->rank, -1, index, NULL, NULL);
    for (int64_t i = 0; i < w.count; i++) {
        int64_t o[3];
        fa__cpu_place(&w, i, o);
        const int64_t at = fa__cpu_integer(index, o[0]);
        if (at < low || at >= size) {
            const fa__fault what = {.dim = dim, .value = at, .size = size, .position = i};
            return fa__cpu_fault(l, FA_ERROR_INDEX, what);
        }
    }
    return true;
}

bool fa__cpu_check_index(const fa__launch *l, const fa__operand *index, int dim, int64_t low, int64_t size)
{
    check c = {.index = index, .low = low, .size = size};
    if (!read_shape(&c))
        return true;
    c.pieces = fa__ceil_div(c.n, PIECE);
    int64_t units = c.pieces;
    for (int d = 0; d < c.rank; d++)
        units *= c.shape[d];
    fa__parallel_for(units, 1 + SERIAL / fa__min(c.n, PIECE), check_pieces, &c);
    return !atomic_load(&c.bad) || report_first(l, index, dim, low, size);
}
