/* Attention forward and backward, some rows of the scores at a time: the matrix of all scores is never in memory. Each
 * row is complete before its softmax, so that all sums are those of the same operations one after the other: chains of
 * multiply-adds in products (gemm.h), the reductions' tree in softmax. */
#include "backend/cpu/kernel.h"
#include "base/alloc.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <math.h>
#include <string.h>

enum {
    ROWS = 84,               /* of scores at a time, at most: a multiple of the height of all tiles of products */
    SCORES_BYTES = 384 << 10 /* of them, unless they are few rows: the second-level cache keeps them */
};

/* q is (heads, rows, width), k (heads, columns, width), v (heads, columns, v_width); heads are all dimensions but the
 * last two. */
typedef struct attention {
    const fa__operand *q, *k, *v, *mask, *y, *gy;
    char *gq, *gk, *gv; /* without gaps */
    const fa__simd_class *c;
    int64_t heads, rows, columns, width, v_width, block, blocks;
    _Alignas(8) char scale[8];
    bool causal;
    _Atomic bool failed;
} attention;

/* Working memory of a thread. */
typedef struct room {
    char *scores, *gradients; /* (block, columns) */
    char *line, *numbers;     /* of one row; what its blocks come to */
} room;

/* Some rows of a head. `columns` are those that any of them needs. */
typedef struct part {
    int64_t head, row, rows, columns;
} part;

/* A matrix: its rows' and columns' distances in elements. */
typedef struct matrix {
    char *data;
    int64_t row, col;
} matrix;

static matrix turned(matrix m)
{
    return (matrix){m.data, m.col, m.row};
}

/* What has no elements has no memory. */
static char *after(void *data, int64_t bytes)
{
    return data ? (char *)data + bytes : NULL;
}

/* The matrix of a head, from a row on. */
static matrix matrix_of(const attention *s, const fa__operand *x, int64_t head, int64_t row)
{
    int64_t at = 0;
    int r = x->rank - 2;
    for (int d = r - 1; d >= 0; head /= x->shape[d--])
        at += head % x->shape[d] * x->stride[d];
    return (matrix){after(x->data, (at + row * x->stride[r]) * s->c->size), x->stride[r], x->stride[r + 1]};
}

/* The same for gradients. */
static matrix result_of(const attention *s, char *data, int64_t rows, int64_t width, int64_t head, int64_t row)
{
    return (matrix){after(data, (head * rows + row) * width * s->c->size), width, 1};
}

static void multiply(attention *s, matrix c, matrix a, matrix b, int64_t m, int64_t n, int64_t k, bool accumulate)
{
    const fa__gemm g = {.m = m,
                        .n = n,
                        .k = k,
                        .a = a.data,
                        .a_row = a.row,
                        .a_col = a.col,
                        .b = b.data,
                        .b_row = b.row,
                        .b_col = b.col,
                        .c = c.data,
                        .c_row = c.row,
                        .c_col = c.col,
                        .accumulate = accumulate};
    if (!fa__cpu_gemm->run[s->q->dtype](&g))
        atomic_store(&s->failed, true);
}

/* ---- one row ---- */

/* How many columns a row sees. */
static int64_t seen(const attention *s, int64_t row)
{
    return s->causal ? fa__min(row + 1, s->columns) : s->columns;
}

static double number(const attention *s, const char *x)
{
    double value;
    if (s->c->dtype == FA_F64)
        memcpy(&value, x, sizeof value);
    else
        value = (double)*(const float *)(const void *)x;
    return value;
}

static void fill(const attention *s, char *to, double value, int64_t n)
{
    s->c->load[FA_F64](to, &value, 0, n);
}

/* Adds the mask's row; one of bool takes away what is false. */
static void add_mask(const attention *s, const part *p, int64_t i, char *x, int64_t n, const room *m)
{
    const fa__operand *mask = s->mask;
    int r = mask->rank - 2;
    int64_t at = (p->row + i) * mask->stride[r], head = p->head, step = mask->stride[r + 1];
    for (int d = r - 1; d >= 0; head /= mask->shape[d--])
        at += head % mask->shape[d] * mask->stride[d];
    const char *from = (const char *)mask->data + at * (int64_t)fa__dtype_size(mask->dtype);
    if (mask->dtype != FA_BOOL) {
        s->c->load[mask->dtype](m->line, from, step, n);
        s->c->prim[FA__PRIM_add](x, x, m->line, NULL, n);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        if (!from[j * step])
            fill(s, x + j * s->c->size, -(double)INFINITY, 1);
}

static void softmax(const attention *s, char *x, int64_t n, const room *m)
{
    const fa__simd_class *c = s->c;
    _Alignas(8) char most[8], smallest[8], sum[8];
    if (n == 0)
        return;
    fa__cpu_combine_rows(c, FA__COMBINE_MAX, most, x, 1, n, m->numbers);
    fa__cpu_combine_rows(c, FA__COMBINE_MIN, smallest, x, 1, n, m->numbers);
    if (number(s, most) == -(double)INFINITY) {
        memset(x, 0, (size_t)(n * c->size));
        return;
    }
    c->powers(x, x, most, smallest, n);
    fa__cpu_combine_rows(c, FA__COMBINE_SUM, sum, x, 1, n, m->numbers);
    fill(s, smallest, 1, 1);
    c->prim[FA__PRIM_div](sum, smallest, sum, NULL, 1);
    c->scale_row(x, x, sum, n);
}

/* ---- some rows ---- */

static part part_of(const attention *s, int64_t head, int64_t block)
{
    part p = {.head = head, .row = block * s->block};
    p.rows = fa__min(s->block, s->rows - p.row);
    p.columns = seen(s, p.row + p.rows - 1);
    return p;
}

static char *line_of(const attention *s, char *of, int64_t i)
{
    return of + i * s->columns * s->c->size;
}

static void clear_rest(const attention *s, const part *p, char *line, int64_t n)
{
    memset(line + n * s->c->size, 0, (size_t)((p->columns - n) * s->c->size));
}

static void probabilities(attention *s, const part *p, const room *m)
{
    matrix scores = {m->scores, s->columns, 1};
    multiply(s, scores, matrix_of(s, s->q, p->head, p->row), turned(matrix_of(s, s->k, p->head, 0)), p->rows,
             p->columns, s->width, false);
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t n = seen(s, p->row + i);
        char *x = line_of(s, m->scores, i);
        s->c->scale_row(x, x, s->scale, n);
        if (s->mask->kind == FA__MEMORY)
            add_mask(s, p, i, x, n, m);
        softmax(s, x, n, m);
        clear_rest(s, p, x, n);
    }
}

static void forward(attention *s, const part *p, const room *m)
{
    probabilities(s, p, m);
    multiply(s, matrix_of(s, s->y, p->head, p->row), (matrix){m->scores, s->columns, 1}, matrix_of(s, s->v, p->head, 0),
             p->rows, s->v_width, p->columns, false);
}

/* From the gradients of the probabilities to those of the products of q and k. */
static void score_gradients(const attention *s, const part *p, const room *m)
{
    const fa__simd_class *c = s->c;
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t n = seen(s, p->row + i);
        char *x = line_of(s, m->scores, i), *g = line_of(s, m->gradients, i);
        _Alignas(8) char sum[8];
        if (n == 0)
            continue;
        c->prim[FA__PRIM_mul](g, g, x, NULL, n);
        fa__cpu_combine_rows(c, FA__COMBINE_SUM, sum, g, 1, n, m->numbers);
        c->scale_row(m->line, x, sum, n);
        c->prim[FA__PRIM_sub](g, g, m->line, NULL, n);
        c->scale_row(g, g, s->scale, n);
        clear_rest(s, p, g, n);
    }
}

static void backward(attention *s, const part *p, const room *m)
{
    matrix scores = {m->scores, s->columns, 1}, gradients = {m->gradients, s->columns, 1};
    matrix q = matrix_of(s, s->q, p->head, p->row), gy = matrix_of(s, s->gy, p->head, p->row);
    probabilities(s, p, m);
    multiply(s, result_of(s, s->gv, s->columns, s->v_width, p->head, 0), turned(scores), gy, p->columns, s->v_width,
             p->rows, true);
    multiply(s, gradients, gy, turned(matrix_of(s, s->v, p->head, 0)), p->rows, p->columns, s->v_width, false);
    score_gradients(s, p, m);
    multiply(s, result_of(s, s->gq, s->rows, s->width, p->head, p->row), gradients, matrix_of(s, s->k, p->head, 0),
             p->rows, s->width, p->columns, false);
    multiply(s, result_of(s, s->gk, s->columns, s->width, p->head, 0), turned(gradients), q, p->columns, s->width,
             p->rows, true);
}

/* ---- all of them ---- */

static bool make_room(attention *s, room *m)
{
    const int64_t line = (s->columns * s->c->size + 63) & ~INT64_C(63), block = (s->block * line + 63) & ~INT64_C(63);
    char *at = fa__malloc((size_t)(block * (s->gy ? 2 : 1) + 2 * line + 64));
    *m = (room){.scores = at};
    if (!at) {
        atomic_store(&s->failed, true);
        return false;
    }
    m->line = at + block;
    m->numbers = m->line + line;
    m->gradients = s->gy ? m->numbers + line + 64 : NULL;
    return true;
}

/* Units are blocks of rows. */
static void some_blocks(void *context, int64_t begin, int64_t end)
{
    attention *s = context;
    room m;
    if (!make_room(s, &m))
        return;
    for (int64_t i = begin; i < end; i++) {
        part p = part_of(s, i / s->blocks, i % s->blocks);
        forward(s, &p, &m);
    }
    fa__free(m.scores);
}

/* Units are heads: the gradients of k and v are sums over all rows, in their order. */
static void some_heads(void *context, int64_t begin, int64_t end)
{
    attention *s = context;
    room m;
    if (!make_room(s, &m))
        return;
    for (int64_t i = begin * s->blocks; i < end * s->blocks; i++) {
        part p = part_of(s, i / s->blocks, i % s->blocks);
        backward(s, &p, &m);
    }
    fa__free(m.scores);
}

static void describe(attention *s, double scale, bool causal)
{
    const fa__operand *q = s->q, *v = s->v;
    s->c = fa__cpu_class(q->dtype);
    s->causal = causal;
    fill(s, s->scale, scale, 1);
    s->heads = 1;
    for (int d = 0; d < q->rank - 2; d++)
        s->heads *= q->shape[d];
    s->rows = q->shape[q->rank - 2];
    s->width = q->shape[q->rank - 1];
    s->columns = v->shape[v->rank - 2];
    s->v_width = v->shape[v->rank - 1];
    int64_t most = SCORES_BYTES / (s->columns * s->c->size + 1);
    most = most > ROWS ? ROWS : most < ROWS / 6 ? ROWS / 6 : most;
    s->blocks = (s->rows + most - 1) / most;
    s->block = s->blocks ? (s->rows + s->blocks - 1) / s->blocks : 0;
}

KERNEL(attention)
{
    const attention_args *a = l->args;
    const fa__operand *o = l->operand;
    attention s = {.y = &o[0], .q = &o[1], .k = &o[2], .v = &o[3], .mask = &o[4]};
    describe(&s, a->scale, a->causal);
    fa__parallel_for(s.heads * s.blocks, 1, some_blocks, &s);
    return !atomic_load(&s.failed);
}

static void clear(const attention *s, char *x, int64_t rows, int64_t width)
{
    int64_t bytes = s->heads * rows * width * s->c->size;
    if (bytes > 0)
        memset(x, 0, (size_t)bytes);
}

KERNEL(attention_back)
{
    const attention_back_args *a = l->args;
    const fa__operand *o = l->operand;
    attention s = {.gq = o[0].data, .gk = o[1].data, .gv = o[2].data, .gy = &o[3], .q = &o[4], .k = &o[5], .v = &o[6]};
    s.mask = &o[7];
    describe(&s, a->scale, a->causal);
    clear(&s, s.gk, s.columns, s.width);
    clear(&s, s.gv, s.columns, s.v_width);
    if (s.heads < fa__parallel_threads())
        some_heads(&s, 0, s.heads); /* its products use all threads */
    else
        fa__parallel_for(s.heads, 1, some_heads, &s);
    return !atomic_load(&s.failed);
}
