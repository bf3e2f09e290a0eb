/* Programs over inputs that are stored across the output, such as x + transpose(y): read element by element, each would
 * take a line of memory from far away. Here blocks are read along memory and turned over into a
 * buffer, whose rows are then tiles like others. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/walk.h"

enum { MOST_TURNED = 4, ROWS = 16, COLUMNS = 256 /* of a block that is turned into a buffer */ };

/* The dimension along which the lane's neighbours lie, when that is not the last one and there are some; else -1. */
static int turned_dim(const fa__walk *w, const fa__lane *a)
{
    int last = w->rank - 1;
    if (!a->memory || a->stride[last] == 0 || a->stride[last] == a->size)
        return -1;
    for (int d = 0; d < last; d++)
        if (a->stride[d] == a->size && w->shape[d] >= 4)
            return d;
    return -1;
}

bool fa__walk_turn(fa__walk *w)
{
    int dim = -1, turned = 0;
    if (w->inner < 4 || w->n < 1024)
        return false;
    for (int i = 0; i < w->code->inputs && dim < 0; i++)
        dim = turned_dim(w, &w->lane[i]);
    if (dim < 0)
        return false;
    fa__walk_move_last(w, dim);
    fa__walk_move_last(w, w->rank - 2); /* what was last is last again */
    fa__walk_classify_lines(w);
    for (int i = 0; i < w->code->inputs; i++) {
        w->lane[i].turned = turned < MOST_TURNED && turned_dim(w, &w->lane[i]) == w->rank - 2;
        turned += w->lane[i].turned;
    }
    return true;
}

/* Blocks: along the last dimension, then the one before, then the others. */
typedef struct blocks {
    int copied;            /* the input that a program only copies, straight to its place; -1 if it does more */
    bool past;             /* such copies go past the caches */
    int64_t height, width; /* of a block */
    int64_t down, across;  /* how many there are */
} blocks;

static bool begins_lines(const fa__walk *w, const fa__lane *out)
{
    uintptr_t bits = (uintptr_t)out->data;
    for (int d = 0; d < w->rank - 1; d++)
        bits |= (uintptr_t)out->stride[d];
    return bits % 64 == 0;
}

/* Rows of a result are often apart by a multiple of what a cache's sets are, and evict one another: a copy writes to
 * few at a time, and past the caches from a quarter of their size on. Then neighbouring blocks go on in the rows of the
 * operand, of which each has a long part, so that it is read as the memory likes it. */
static blocks copy_blocks(const fa__walk *w, int from)
{
    const fa__lane *out = &w->lane[w->code->inputs], *a = &w->lane[from];
    bool whole = begins_lines(w, out), large = w->n * out->size > fa__cpu_cache_bytes() / 4;
    blocks b = {.copied = from, .height = whole ? 16 : 64, .width = fa__min(64, w->tile)};
    b.past = whole && large && a->own && fa__cpu_simd->transpose_past[__builtin_ctz(a->simd->size)];
    if (b.past)
        b.height = 128;
    return b;
}

/* What computes takes long rows, each of which costs some time to begin. */
static blocks blocks_of(const fa__walk *w)
{
    int from = w->code->same_as[0];
    bool copies = w->code->outputs == 1 && from >= 0 && w->lane[from].turned && w->lane[w->code->inputs].line;
    blocks b =
        copies ? copy_blocks(w, from) : (blocks){.copied = -1, .height = ROWS, .width = fa__min(COLUMNS, w->tile)};
    b.down = (w->shape[w->rank - 2] + b.height - 1) / b.height;
    b.across = (w->inner + b.width - 1) / b.width;
    return b;
}

int64_t fa__turned_units(const fa__walk *w)
{
    blocks b = blocks_of(w);
    return w->n / w->inner / w->shape[w->rank - 2] * b.down * b.across;
}

/* A lane's block, as rows of elements of its type; `past` the caches or not. */
static void turn_block(const fa__worker *k, int i, int64_t rows, int64_t columns, char *to, int64_t to_stride,
                       bool past)
{
    const fa__walk *w = k->walk;
    const fa__lane *a = &w->lane[i];
    int64_t stride = a->stride[w->rank - 1];
    const char *from = k->at.line[i] + k->at.column * stride;
    fa__transpose_loop *past_loop = past ? fa__cpu_simd->transpose_past[__builtin_ctz(a->simd->size)] : NULL;
    if (a->own) {
        (past_loop ? past_loop : a->simd->transpose)(to, to_stride, from, stride / a->size, rows, columns);
        return;
    }
    _Alignas(64) char converted[ROWS * COLUMNS * 8]; /* a copied block of 64 x 64 fits, too */
    for (int64_t c = 0; c < columns; c++)
        a->simd->load[a->operand->dtype](converted + c * rows * a->simd->size, from + c * stride, 1, rows);
    a->simd->transpose(to, to_stride, converted, rows, rows, columns);
}

static void copy_block(const fa__worker *k, const blocks *b, int64_t rows, int64_t columns)
{
    const fa__walk *w = k->walk;
    const fa__lane *out = &w->lane[w->code->inputs];
    char *to = k->at.line[w->code->inputs] + k->at.column * out->size;
    turn_block(k, b->copied, rows, columns, to, out->stride[w->rank - 2] / out->size, b->past);
}

static void run_block(fa__worker *k, char *turned, int64_t rows, int64_t columns)
{
    const fa__walk *w = k->walk;
    char *block[FA__MAX_INPUTS];
    for (int i = 0, used = 0; i < w->code->inputs; i++)
        if (w->lane[i].turned) {
            block[i] = turned + (ptrdiff_t)used++ * ROWS * COLUMNS * w->code->size;
            turn_block(k, i, rows, columns, block[i], columns, false);
        }
    for (int64_t r = 0; r < rows; r++) {
        for (int i = 0; i < w->code->inputs; i++)
            if (w->lane[i].turned)
                k->slot[i] = block[i] + r * columns * w->lane[i].simd->size;
        fa__worker_load(k, columns);
        fa__worker_aim(k, columns);
        fa__worker_steps(k, columns);
        fa__worker_store(k, columns);
        if (r + 1 < rows)
            fa__worker_next_line(k);
    }
}

void fa__turned_run(void *walk, int64_t begin, int64_t end)
{
    const fa__walk *w = walk;
    fa__worker k;
    _Alignas(64) char turned[MOST_TURNED * ROWS * COLUMNS * 8];
    blocks b = blocks_of(w);
    fa__worker_begin(&k, w, b.width);
    for (int64_t u = begin; u < end; u++) {
        int64_t each = b.down * b.across, outer = u / each, i = u - outer * each, height = w->shape[w->rank - 2];
        int64_t row = (b.past ? i % b.down : i / b.across) * b.height;
        int64_t column = (b.past ? i / b.down : i % b.across) * b.width;
        int64_t rows = fa__min(b.height, height - row), columns = fa__min(b.width, w->inner - column);
        fa__worker_seek(&k, (outer * height + row) * w->inner + column);
        if (b.copied >= 0)
            copy_block(&k, &b, rows, columns);
        else
            run_block(&k, turned, rows, columns);
    }
    fa__cpu_simd->stream_end();
}
