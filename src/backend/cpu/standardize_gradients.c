/* The gradients of a norm over the last dimensions, of x, weight and bias, in one pass over memory. Those of weight and
 * bias are sums over rows by the reductions' tree: of each FA__BLOCK rows, every FA__CHAINS-th is added to the same
 * chain. A thread goes through the rows of as many chains as the cache holds the sums of, in the order of memory; the
 * chains are added afterwards. */
#include "backend/cpu/kernel.h"
#include "backend/cpu/scratch.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

enum { STRIP = 128 }; /* columns whose chains are added together */
enum {
    PIECE = 128,          /* elements of a row that are computed while those of the next row are fetched */
    ABREAST = 4,          /* chains that a thread takes, where there are enough for all threads */
    SUMS_SIZE = 256 << 10 /* bytes of sums of the chains that go through the rows side by side */
};

typedef struct norm {
    const char *g, *x, *mean, *variance, *weight;
    char *gx, *sums; /* for each chain a row of sums of g times the normalized x, and one of g; */
    char *parts;     /* and two numbers for each block of a row */
    const fa__simd_class *k;
    int64_t rows, n, blocks, blocks_of_row;
    double eps;
    bool stream;
} norm;

static int64_t chains_of(const norm *s, int64_t block)
{
    return fa__min(FA__CHAINS, s->rows - block * FA__BLOCK);
}

/* The numbers of a row's blocks become one, in place. */
static void fold(const norm *s, char *numbers)
{
    for (int64_t left = s->blocks_of_row; left > 1; left = (left + FA__BLOCK - 1) / FA__BLOCK)
        s->k->blocks[FA__COMBINE_SUM](numbers, numbers, left);
}

/* Part of a row: `at` is the number of its first element in x, and `column` in the row. */
static void back(const norm *s, int64_t at, int64_t column, int64_t count, const void *const *numbers, char *sums,
                 bool first)
{
    const int64_t size = s->k->size;
    _Alignas(64) char tile[PIECE * 8];
    char *to = s->gx + at * size;
    s->k->standardize_gradients(s->stream ? tile : to, s->g + at * size, s->x + at * size, numbers,
                                s->weight + column * size, sums + column * size, sums + (s->n + column) * size, first,
                                s->n, count);
    if (s->stream)
        fa__cpu_simd->stream(to, tile, count * size);
}

/* `next`: how far ahead the row lies that is fetched meanwhile; 0: none. */
static void one_row(const norm *s, int64_t row, int64_t next, char *sums, char *parts, bool first)
{
    const fa__simd_class *k = s->k;
    const int64_t size = k->size, start = row * s->n, ahead = next * s->n;
    const char *mean = s->mean + row * size;
    char *sum = parts, *product = parts + s->blocks_of_row * size;
    _Alignas(8) char scale[8];
    k->deviation(scale, s->variance + row * size, s->eps, 1);
    for (int64_t i = 0; i < s->n; i += FA__BLOCK)
        k->products(sum + i / FA__BLOCK * size, product + i / FA__BLOCK * size, s->g + (start + i) * size,
                    s->x + (start + i) * size, mean, scale, s->weight + i * size, fa__min(FA__BLOCK, s->n - i));
    fold(s, sum);
    fold(s, product);
    for (int64_t i = 0; i < s->n; i += PIECE) {
        const int64_t count = fa__min(PIECE, s->n - i);
        if (next) {
            fa__cpu_prefetch(s->x + (start + ahead + i) * size, count * size);
            fa__cpu_prefetch(s->g + (start + ahead + i) * size, count * size);
        }
        back(s, start + i, i, count, (const void *[]){mean, scale, sum, product}, sums, first);
    }
}

/* Chains are numbered through all blocks. Some of one block go through its rows side by side. */
static void some_chains(void *context, int64_t begin, int64_t end)
{
    const norm *s = context;
    const int64_t size = s->k->size, side_by_side = 1 + SUMS_SIZE / (2 * s->n * size);
    for (int64_t i = begin, last; i < end; i = last) {
        const int64_t block = i / FA__CHAINS, start = block * FA__BLOCK;
        const int64_t behind = fa__min(s->rows, start + FA__BLOCK);
        last = fa__min(fa__min(end, i + side_by_side), (block + 1) * FA__CHAINS);
        for (int64_t group = start; group < behind; group += FA__CHAINS)
            for (int64_t c = i; c < last; c++) {
                const int64_t row = group + c % FA__CHAINS, next = c + 1 < last ? 1 : FA__CHAINS - (last - 1 - i);
                if (row < behind)
                    one_row(s, row, row + next < behind ? next : 0, s->sums + c * 2 * s->n * size,
                            s->parts + c * 2 * s->blocks_of_row * size, group == start);
            }
    }
    if (s->stream)
        fa__cpu_simd->stream_end();
}

/* The sums of `count` neighbours become one, in place. */
static void add(const norm *s, char *sums, int64_t step, int64_t count, int64_t columns)
{
    _Alignas(64) char chains[FA__CHAINS * STRIP * 8];
    s->k->columns[FA__COMBINE_SUM](sums, sums, step, count, columns, chains);
}

static void some_strips(void *context, int64_t begin, int64_t end)
{
    const norm *s = context;
    const int64_t size = s->k->size, row = 2 * s->n;
    for (int64_t i = begin; i < end; i++) {
        int64_t columns = fa__min(STRIP, row - i * STRIP), step = FA__CHAINS * row;
        char *at = s->sums + i * STRIP * size;
        for (int64_t b = 0; b < s->blocks; b++)
            add(s, at + b * step * size, row, chains_of(s, b), columns);
        for (int64_t left = s->blocks, above; left > 1; left = above, step *= FA__BLOCK) {
            above = (left + FA__BLOCK - 1) / FA__BLOCK;
            for (int64_t b = 0; b < above; b++)
                add(s, at + b * FA__BLOCK * step * size, step, fa__min(FA__BLOCK, left - b * FA__BLOCK), columns);
        }
    }
}

KERNEL(standardize_gradients)
{
    const standardize_gradients_args *a = l->args;
    const fa__operand *o = l->operand, *x = &o[4];
    norm s = {.gx = o[0].data, .g = o[3].data, .x = x->data, .mean = o[5].data, .variance = o[6].data};
    s.weight = o[7].data;
    s.k = fa__cpu_class(x->dtype);
    s.eps = a->eps;
    s.rows = s.n = 1;
    for (int d = 0; d < x->rank; d++)
        *(a->set >> d & 1 ? &s.n : &s.rows) *= x->shape[d];
    s.blocks = (s.rows + FA__BLOCK - 1) / FA__BLOCK;
    s.blocks_of_row = (s.n + FA__BLOCK - 1) / FA__BLOCK;
    s.stream = fa__cpu_streams(3 * s.rows * s.n * s.k->size);
    const int64_t chains = (s.blocks - 1) * FA__CHAINS + chains_of(&s, s.blocks - 1);
    const int64_t bytes = s.n * s.k->size;
    s.sums = fa__cpu_scratch((size_t)(chains * 2 * (bytes + s.blocks_of_row * s.k->size)));
    if (!s.sums)
        return false;
    s.parts = s.sums + chains * 2 * bytes;
    const int64_t rows_each = (s.rows + chains - 1) / chains;
    const int64_t abreast = fa__min(ABREAST, 1 + (chains - 1) / fa__parallel_threads());
    fa__parallel_for(chains, abreast + 8 * FA__BLOCK / (s.n * rows_each), some_chains, &s);
    fa__parallel_for((2 * s.n + STRIP - 1) / STRIP, 1 + 64 / chains, some_strips, &s);
    memcpy(o[1].data, s.sums, (size_t)bytes);
    memcpy(o[2].data, s.sums + bytes, (size_t)bytes);
    return true;
}
