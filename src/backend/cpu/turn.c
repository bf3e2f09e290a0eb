/* Programs over inputs that are stored across the output, such as x + transpose(y): read element by element, each would
 * take a line of memory from far away. Here blocks of ROWS x COLUMNS are read along memory and turned over into a
 * buffer, whose rows are then tiles like others. */
#include "backend/cpu/walk.h"

enum { ROWS = 64, COLUMNS = 64, MOST_TURNED = 4 };

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
    int64_t height, width; /* of a block */
    int64_t down, across;  /* how many there are */
} blocks;

static blocks blocks_of(const fa__walk *w)
{
    blocks b = {.height = ROWS, .width = fa__min(COLUMNS, w->tile)};
    b.down = (w->shape[w->rank - 2] + b.height - 1) / b.height;
    b.across = (w->inner + b.width - 1) / b.width;
    return b;
}

int64_t fa__turned_units(const fa__walk *w)
{
    blocks b = blocks_of(w);
    return w->n / w->inner / w->shape[w->rank - 2] * b.down * b.across;
}

/* A lane's block, as rows of elements of its type. */
static void turn_block(const fa__worker *k, int i, int64_t rows, int64_t columns, char *to, int64_t to_stride)
{
    const fa__walk *w = k->walk;
    const fa__lane *a = &w->lane[i];
    int64_t stride = a->stride[w->rank - 1];
    const char *from = k->at.line[i] + k->at.column * stride;
    if (a->own) {
        a->simd->transpose(to, to_stride, from, stride / a->size, rows, columns);
        return;
    }
    _Alignas(64) char converted[ROWS * COLUMNS * 8];
    for (int64_t c = 0; c < columns; c++)
        a->simd->load[a->operand->dtype](converted + c * ROWS * a->simd->size, from + c * stride, 1, rows);
    a->simd->transpose(to, to_stride, converted, ROWS, rows, columns);
}

/* A program that only copies: the block goes to its place at once. */
static bool copy_block(const fa__worker *k, int64_t rows, int64_t columns)
{
    const fa__walk *w = k->walk;
    int out = w->code->inputs, from = w->code->same_as[0];
    if (w->code->outputs != 1 || from < 0 || !w->lane[from].turned || !w->lane[out].line)
        return false;
    int64_t stride = w->lane[out].stride[w->rank - 2] / w->lane[out].size;
    turn_block(k, from, rows, columns, k->at.line[out] + k->at.column * w->lane[out].size, stride);
    return true;
}

static void run_block(fa__worker *k, char *turned, int64_t rows, int64_t columns)
{
    const fa__walk *w = k->walk;
    char *block[FA__MAX_INPUTS];
    for (int i = 0, used = 0; i < w->code->inputs; i++)
        if (w->lane[i].turned) {
            block[i] = turned + (ptrdiff_t)used++ * ROWS * COLUMNS * w->code->size;
            turn_block(k, i, rows, columns, block[i], columns);
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
        int64_t column = u % b.across * b.width, rest = u / b.across;
        int64_t row = rest % b.down * b.height, outer = rest / b.down, height = w->shape[w->rank - 2];
        int64_t rows = fa__min(b.height, height - row), columns = fa__min(b.width, w->inner - column);
        fa__worker_seek(&k, (outer * height + row) * w->inner + column);
        if (!copy_block(&k, rows, columns))
            run_block(&k, turned, rows, columns);
    }
    fa__cpu_simd->stream_end();
}
