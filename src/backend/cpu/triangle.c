/* The places of triangles, a row of the matrix at a time. */
#include "backend/cpu/kernel.h"

static int64_t held(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* The columns of a row that belong to the triangle: from *first to before *end. */
static void columns_of(const triangle_indices_args *a, bool upper, int64_t row, int64_t *first, int64_t *end)
{
    int64_t offset = held(a->offset, -a->row - 1, a->col + 1);
    *first = upper ? held(row + offset, 0, a->col) : 0;
    *end = upper ? a->col : held(row + offset + 1, 0, a->col);
}

/* The rows that have places: from *first to before *end. */
static void rows_of(const triangle_indices_args *a, bool upper, int64_t *first, int64_t *end)
{
    *first = *end = 0;
    if (!a->row || !a->col)
        return;
    int64_t offset = held(a->offset, -a->row - 1, a->col + 1);
    *first = upper ? 0 : held(-offset, 0, a->row);
    *end = upper ? held(a->col - offset, 0, a->row) : a->row;
}

static bool write_places(const fa__launch *l, bool upper)
{
    const triangle_indices_args *a = l->args;
    const fa__operand *y = &l->operand[0];
    const fa__simd_class *k = fa__cpu_class(FA_I64);
    int64_t size = (int64_t)fa__dtype_size(y->dtype), at = 0, from, rows_end, first, end;
    rows_of(a, upper, &from, &rows_end);
    for (int64_t row = from; row < rows_end; row++) {
        columns_of(a, upper, row, &first, &end);
        for (int64_t column = first; column < end; column++, at++) {
            char *to = (char *)y->data + at * y->stride[1] * size;
            k->store[y->dtype](to, 1, &row, 1);
            k->store[y->dtype](to + y->stride[0] * size, 1, &column, 1);
        }
    }
    return true;
}

KERNEL(tril_indices)
{
    return write_places(l, false);
}

KERNEL(triu_indices)
{
    return write_places(l, true);
}
