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

/* block[i * lanes + j] = row[j][i], for i < n; elements of `zeros` are all the first one */
static void gather(float *block, const float *const *row, int64_t n, fa_dtype dtype, int64_t step, const float *zeros)
{
    const int lanes = fa__cpu_lanes->lanes;
    const float *from[FA__LANES_MOST];
    _Alignas(64) float wide[FA__LANES_MOST][PIECE];
    if (dtype == FA_F32 && step == 1) {
        fa__cpu_lanes->gather(block, row, n);
        return;
    }
    void (*const halves)(float *, const float *const *, int64_t) = dtype == FA_F16    ? fa__cpu_lanes->gather_f16
                                                                   : dtype == FA_BF16 ? fa__cpu_lanes->gather_bf16
                                                                                      : NULL;
    if (halves && step == 1) {
        halves(block, row, n);
        return;
    }
    fa__load_loop *const load = fa__cpu_simd->of[FA__CLASS_F32]->load[dtype];
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = fa__min(PIECE, n - at);
        for (int j = 0; j < lanes; j++) {
            const int64_t next = row[j] == zeros ? 0 : step;
            load(wide[j], fa__lanes_element(row[j], at * next, dtype), next, count);
            from[j] = wide[j];
        }
        fa__cpu_lanes->gather(block + at * lanes, from, count);
    }
}

/* row[j][i] = block[i * lanes + j], for i < n, except for rows that are NULL */
static void scatter(float *const *row, const float *block, int64_t n, fa_dtype dtype, int64_t step)
{
    const int lanes = fa__cpu_lanes->lanes;
    float *to[FA__LANES_MOST];
    _Alignas(64) float wide[FA__LANES_MOST][PIECE];
    if (dtype == FA_F32 && step == 1) {
        fa__cpu_lanes->scatter(row, block, n);
        return;
    }
    if (dtype == FA_BF16 && step == 1 && fa__cpu_lanes->scatter_bf16) {
        fa__cpu_lanes->scatter_bf16(row, block, n);
        return;
    }
    fa__store_loop *const store = fa__cpu_simd->of[FA__CLASS_F32]->store[dtype];
    for (int j = 0; j < lanes; j++)
        to[j] = row[j] ? wide[j] : NULL;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = fa__min(PIECE, n - at);
        fa__cpu_lanes->scatter(to, block + at * lanes, count);
        for (int j = 0; j < lanes; j++)
            if (row[j])
                store(fa__lanes_element(row[j], at * step, dtype), step, wide[j], count);
    }
}

/* ---- rows ---- */

/* The rows of `source` number r, of the channel that begins at x; `outside` for those that there are not */
static void find_rows(const float *row[FA__LANES_MOST], const fa__lanes_rows *source, const float *x, int64_t r,
                      const float *outside)
{
    for (int i = 0; i < fa__cpu_lanes->lanes; i++) {
        const int64_t number = source->first[i] + r;
        const bool inside = number >= 0 && number < source->rows;
        row[i] = inside ? fa__lanes_element(x, source->at[i] + r * source->row, source->dtype) : outside;
    }
}

fa__lanes_rows fa__lanes_rows_of_x(const fa__patches *p, const fa__lanes_plan *plan, const fa__lanes_share *s,
                                   fa_dtype dtype, const float *zeros)
{
    fa__lanes_rows rows = {.dtype = dtype,
                           .channel = p->stride[1],
                           .row = p->stride[2],
                           .step = p->size[1] == 1 ? 1 : p->stride[3],
                           .rows = p->size[0],
                           .skip = fa__min(most(-plan->low[1], 0), plan->pitch),
                           .zeros = zeros};
    const int64_t from = most(plan->low[1], 0), read = plan->pitch - (plan->tile ? plan->columns - p->pixels[1] : 0);
    rows.columns = most(fa__min(p->size[1] - from, read - rows.skip), 0); /* what only pixels beyond y read is zero */
    rows.behind = plan->pitch - rows.skip - rows.columns;
    bool join = plan->low[1] == 0 && plan->pitch == p->size[1] && p->stride[2] == p->size[1] && rows.step == 1;
    for (int i = 0; i < fa__cpu_lanes->lanes; i++) {
        rows.first[i] = plan->low[0] + s->first[i] * p->step[0];
        rows.at[i] = s->image[i] * p->stride[0] + rows.first[i] * rows.row + from * rows.step;
        join &= rows.first[i] >= 0 && rows.first[i] + plan->block_rows <= p->size[0];
    }
    rows.join = join;
    return rows;
}

fa__lanes_rows fa__lanes_rows_of_y(const fa__lanes_image *g, const fa__lanes_share *s)
{
    fa__lanes_rows rows = {.dtype = g->dtype,
                           .channel = g->stride[1],
                           .row = g->stride[2],
                           .step = g->p.pixels[1] == 1 ? 1 : g->stride[3],
                           .rows = g->p.pixels[0],
                           .columns = g->p.pixels[1]};
    for (int i = 0; i < fa__cpu_lanes->lanes; i++) {
        rows.first[i] = i < s->count ? s->first[i] : rows.rows;
        rows.at[i] = s->image[i] * g->stride[0] + s->first[i] * rows.row;
    }
    return rows;
}

static void set_zero(float *block, int64_t vectors)
{
    if (vectors)
        memset(block, 0, (size_t)(vectors * fa__cpu_lanes->lanes) * sizeof *block);
}

void fa__lanes_load_row(const fa__lanes_rows *rows, const float *x, int64_t r, float *block)
{
    const int lanes = fa__cpu_lanes->lanes;
    const float *row[FA__LANES_MOST];
    find_rows(row, rows, x, r, rows->zeros);
    set_zero(block, rows->skip);
    gather(block + rows->skip * lanes, row, rows->columns, rows->dtype, rows->step, rows->zeros);
    set_zero(block + (rows->skip + rows->columns) * lanes, rows->behind);
}

void fa__lanes_store_row(const fa__lanes_rows *rows, float *y, int64_t r, int64_t count, const float *block)
{
    const float *row[FA__LANES_MOST];
    float *to[FA__LANES_MOST];
    find_rows(row, rows, y, r, NULL);
    for (int i = 0; i < fa__cpu_lanes->lanes; i++)
        to[i] = (float *)(uintptr_t)row[i];
    scatter(to, block, count * rows->columns, rows->dtype, rows->step);
}

/* ---- blocks ---- */

/* Rows that are neighbours in all images, and channels if they are, too, are copied as one. */
static void load_joined(const fa__lanes_rows *rows, int64_t channels, int64_t each, const float *x, float *block)
{
    const float *row[FA__LANES_MOST];
    const bool whole = rows->channel == each;
    for (int64_t c = 0; c < (whole ? 1 : channels); c++) {
        find_rows(row, rows, fa__lanes_element(x, c * rows->channel, rows->dtype), 0, NULL);
        gather(block + c * each * fa__cpu_lanes->lanes, row, whole ? channels * each : each, rows->dtype, 1, NULL);
    }
}

void fa__lanes_load(const fa__lanes_rows *rows, const fa__lanes_plan *plan, int64_t channels, const float *x,
                    float *block)
{
    if (rows->join) {
        load_joined(rows, channels, plan->block_rows * plan->pitch, x, block);
        return;
    }
    const int64_t each = plan->pitch * fa__cpu_lanes->lanes;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t r = 0; r < plan->block_rows; r++)
            fa__lanes_load_row(rows, fa__lanes_element(x, c * rows->channel, rows->dtype), r,
                               block + (c * plan->block_rows + r) * each);
}

void fa__lanes_store(const fa__lanes_rows *rows, const fa__lanes_plan *plan, int64_t channels, float *y,
                     const float *block)
{
    const int64_t columns = plan->columns;
    const bool join = rows->row == columns && plan->rows * plan->bands == rows->rows && rows->step == 1;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t r = 0; r < plan->rows; r += join ? plan->rows : 1)
            fa__lanes_store_row(rows, fa__lanes_element(y, c * rows->channel, rows->dtype), r, join ? plan->rows : 1,
                                block + (c * plan->rows + r) * columns * fa__cpu_lanes->lanes);
}
