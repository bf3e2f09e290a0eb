/* Blocks of images side by side (lanes_block.h). Where there are few images, or large ones, they are divided into bands
 * of rows, and a lane has a band of one image; the bands of an image are neighbours, so that one thread has most of
 * them. */
#include "backend/cpu/lanes_block.h"
#include "backend/cpu/level.h"
#include "base/integer.h"
#include <string.h>

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- lanes ---- */

fa__lanes_share fa__lanes_share_of(const fa__lanes_plan *plan, int64_t block)
{
    const int lanes = fa__cpu_lanes->lanes;
    fa__lanes_share s = {0};
    const int64_t from = block * lanes;
    s.count = (int)fa__min(lanes, plan->images * plan->bands - from);
    for (int i = 0; i < lanes; i++) {
        const int64_t at = from + (i < s.count ? i : 0), image = at / plan->bands;
        s.image[i] = image * plan->each;
        s.first[i] = (at - image * plan->bands) * plan->rows;
    }
    s.level = plan->bands == 1;
    return s;
}

/* ---- elements ---- */

enum { PIECE = 128 }; /* so many elements of each lane are converted, or brought together, at a time */

/* Rows of an operand: its dtype, and from one element to the next */
typedef struct line {
    fa_dtype dtype;
    int64_t step;
} line;

/* block[i * lanes + j] = row[j][i], for i < n; elements of `zeros` are all the first one */
static void gather(float *block, const float *const *row, int64_t n, line l, const float *zeros)
{
    const int lanes = fa__cpu_lanes->lanes;
    const float *from[FA__LANES_MOST];
    _Alignas(64) float wide[FA__LANES_MOST][PIECE];
    if (l.dtype == FA_F32 && l.step == 1) {
        fa__cpu_lanes->gather(block, row, n);
        return;
    }
    void (*const halves)(float *, const float *const *, int64_t) = l.dtype == FA_F16    ? fa__cpu_lanes->gather_f16
                                                                   : l.dtype == FA_BF16 ? fa__cpu_lanes->gather_bf16
                                                                                        : NULL;
    if (halves && l.step == 1) {
        halves(block, row, n);
        return;
    }
    fa__load_loop *const load = fa__cpu_simd->of[FA__CLASS_F32]->load[l.dtype];
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = fa__min(PIECE, n - at);
        for (int j = 0; j < lanes; j++) {
            const int64_t step = row[j] == zeros ? 0 : l.step;
            load(wide[j], fa__lanes_element(row[j], at * step, l.dtype), step, count);
            from[j] = wide[j];
        }
        fa__cpu_lanes->gather(block + at * lanes, from, count);
    }
}

/* row[j][i] = block[i * lanes + j], for i < n, except for rows that are NULL */
static void scatter(float *const *row, const float *block, int64_t n, line l)
{
    const int lanes = fa__cpu_lanes->lanes;
    float *to[FA__LANES_MOST];
    _Alignas(64) float wide[FA__LANES_MOST][PIECE];
    if (l.dtype == FA_F32 && l.step == 1) {
        fa__cpu_lanes->scatter(row, block, n);
        return;
    }
    if (l.dtype == FA_BF16 && l.step == 1 && fa__cpu_lanes->scatter_bf16) {
        fa__cpu_lanes->scatter_bf16(row, block, n);
        return;
    }
    fa__store_loop *const store = fa__cpu_simd->of[FA__CLASS_F32]->store[l.dtype];
    for (int j = 0; j < lanes; j++)
        to[j] = row[j] ? wide[j] : NULL;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = fa__min(PIECE, n - at);
        fa__cpu_lanes->scatter(to, block + at * lanes, count);
        for (int j = 0; j < lanes; j++)
            if (row[j])
                store(fa__lanes_element(row[j], at * l.step, l.dtype), l.step, wide[j], count);
    }
}

/* ---- blocks ---- */

/* An image's rows as a block has them: columns from `from` on, `skip` zeros before and others behind them. */
typedef struct span {
    int64_t skip, from, count;
} span;

static span span_of(const fa__patches *p, const fa__lanes_plan *plan)
{
    span c = {.skip = fa__min(most(-plan->low[1], 0), plan->pitch), .from = most(plan->low[1], 0)};
    c.count = most(fa__min(p->size[1] - c.from, plan->pitch - c.skip), 0);
    return c;
}

static void set_zero(float *block, int64_t vectors)
{
    memset(block, 0, (size_t)(vectors * fa__cpu_lanes->lanes) * sizeof *block);
}

void fa__lanes_load_row(const fa__patches *p, const fa__lanes_plan *plan, const fa__lanes_share *s, fa_dtype dtype,
                        const float *x, int64_t r, const float *zeros, float *block)
{
    const int lanes = fa__cpu_lanes->lanes;
    const int64_t step = p->size[1] == 1 ? 1 : p->stride[3];
    const span c = span_of(p, plan);
    const float *row[FA__LANES_MOST];
    for (int i = 0; i < lanes; i++) {
        int64_t at = plan->low[0] + s->first[i] * p->step[0] + r;
        bool inside = at >= 0 && at < p->size[0];
        const int64_t first = s->image[i] * p->stride[0] + at * p->stride[2] + c.from * step;
        row[i] = inside ? fa__lanes_element(x, first, dtype) : zeros;
    }
    set_zero(block, c.skip);
    gather(block + c.skip * lanes, row, c.count, (line){dtype, step}, zeros);
    set_zero(block + (c.skip + c.count) * lanes, plan->pitch - c.skip - c.count);
}

/* Whether the rows of a block are neighbours in all images, so that they can be copied as one. */
static bool rows_join(const fa__patches *p, const fa__lanes_plan *plan, const fa__lanes_share *s)
{
    bool all = plan->low[1] == 0 && plan->pitch == p->size[1] && p->stride[2] == p->size[1]
               && (p->stride[3] == 1 || p->size[1] == 1);
    for (int i = 0; i < s->count && all; i++) {
        int64_t at = plan->low[0] + s->first[i] * p->step[0];
        all = at >= 0 && at + plan->block_rows <= p->size[0];
    }
    return all;
}

static void load_joined(const fa__patches *p, const fa__lanes_plan *plan, const fa__lanes_share *s, fa_dtype dtype,
                        const float *x, float *block)
{
    const float *row[FA__LANES_MOST];
    const int64_t each = plan->block_rows * plan->pitch;
    const bool whole = p->stride[1] == each; /* channels are neighbours, too */
    for (int64_t c = 0; c < (whole ? 1 : p->channels); c++) {
        for (int i = 0; i < fa__cpu_lanes->lanes; i++)
            row[i] = fa__lanes_element(x,
                             s->image[i] * p->stride[0] + c * p->stride[1]
                                 + (plan->low[0] + s->first[i] * p->step[0]) * p->stride[2],
                             dtype);
        gather(block + c * each * fa__cpu_lanes->lanes, row, whole ? p->channels * each : each, (line){dtype, 1}, NULL);
    }
}

void fa__lanes_load(const fa__patches *p, const fa__lanes_plan *plan, const fa__lanes_share *s, fa_dtype dtype, const float *x,
                       const float *zeros, float *block)
{
    if (rows_join(p, plan, s)) {
        load_joined(p, plan, s, dtype, x, block);
        return;
    }
    const int64_t each = plan->pitch * fa__cpu_lanes->lanes;
    for (int64_t c = 0; c < p->channels; c++)
        for (int64_t r = 0; r < plan->block_rows; r++)
            fa__lanes_load_row(p, plan, s, dtype, fa__lanes_element(x, c * p->stride[1], dtype), r, zeros,
                     block + (c * plan->block_rows + r) * each);
}

/* Rows r to r + n of a channel, from the block to the images that have them */
static void store_rows(const fa__lanes_image *g, const fa__lanes_share *s, float *y, int64_t r, int64_t n,
                       const float *block)
{
    float *row[FA__LANES_MOST] = {NULL};
    for (int i = 0; i < s->count; i++)
        if (s->first[i] + r < g->p.pixels[0])
            row[i] = fa__lanes_element(y, s->image[i] * g->stride[0] + (s->first[i] + r) * g->stride[2], g->dtype);
    scatter(row, block, n * g->p.pixels[1], (line){g->dtype, g->p.pixels[1] == 1 ? 1 : g->stride[3]});
}

void fa__lanes_store(const fa__lanes_image *g, const fa__lanes_plan *plan, const fa__lanes_share *s, float *y,
                     const float *block)
{
    const int64_t rows = plan->rows, columns = plan->columns;
    const bool join = columns == g->p.pixels[1] && g->stride[2] == columns && rows * plan->bands == g->p.pixels[0]
                      && (g->stride[3] == 1 || columns == 1);
    for (int64_t c = 0; c < g->channels; c++)
        for (int64_t r = 0; r < rows; r += join ? rows : 1)
            store_rows(g, s, fa__lanes_element(y, c * g->stride[1], g->dtype), r, join ? rows : 1,
                       block + (c * rows + r) * columns * fa__cpu_lanes->lanes);
}

void fa__lanes_store_row(const fa__lanes_image *g, const fa__lanes_share *s, float *y, int64_t r, const float *row)
{
    store_rows(g, s, y, r, 1, row);
}
