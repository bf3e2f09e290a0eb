/* Convolutions with one image in each lane (lanes.h): what goes into a block, and how results are divided into tiles.
 * Where there are few images, or large ones, they are divided into bands of rows, and a lane has a band of one image;
 * the bands of an image are neighbours, so that one thread has most of them. None of it changes a sum:
 * backend/convolution.h says what it is. */
#include "backend/cpu/lanes.h"
#include "backend/cpu/lanes_plan.h"
#include "backend/cpu/level.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/integer.h"
#include "base/parallel.h"
#include "core/dtype.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- lanes ---- */

/* Which images the lanes of a block have. Lanes behind `count` repeat the first one; nobody reads their results. */
typedef struct share {
    int count;
    int64_t image[FA__LANES_MOST], first[FA__LANES_MOST]; /* and the first row of its pixels */
    bool level;                                           /* all have the same rows */
} share;

static share share_of(const fa__lanes_plan *plan, int64_t block)
{
    const int lanes = fa__cpu_lanes->lanes;
    share s = {0};
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

enum { PIECE = 128 }; /* of half precision: so many elements of each lane are converted at a time */

/* Element `at` of x, which is of half precision unless dtype is f32; it is only dereferenced if it is f32. */
static inline float *element(const float *x, int64_t at, fa_dtype dtype)
{
    return (float *)(void *)((char *)(uintptr_t)x + at * (int64_t)fa__dtype_sizes[dtype]);
}

/* block[i * lanes + j] = row[j][i], for i < n; rows are of the dtype */
static void gather(float *block, const float *const *row, int64_t n, fa_dtype dtype)
{
    const int lanes = fa__cpu_lanes->lanes;
    const float *from[FA__LANES_MOST];
    _Alignas(64) float wide[FA__LANES_MOST][PIECE];
    if (dtype == FA_F32) {
        fa__cpu_lanes->gather(block, row, n);
        return;
    }
    void (*const halves)(float *, const float *const *, int64_t) =
        dtype == FA_F16 ? fa__cpu_lanes->gather_f16 : fa__cpu_lanes->gather_bf16;
    if (halves) {
        halves(block, row, n);
        return;
    }
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = fa__min(PIECE, n - at);
        for (int j = 0; j < lanes; j++) {
            fa__cpu_simd->of[FA__CLASS_F32]->load[dtype](wide[j], element(row[j], at, dtype), 1, count);
            from[j] = wide[j];
        }
        fa__cpu_lanes->gather(block + at * lanes, from, count);
    }
}

/* row[j][i] = block[i * lanes + j], for i < n, except for rows that are NULL; rows are of the dtype */
static void scatter(float *const *row, const float *block, int64_t n, fa_dtype dtype)
{
    const int lanes = fa__cpu_lanes->lanes;
    float *to[FA__LANES_MOST];
    _Alignas(64) float wide[FA__LANES_MOST][PIECE];
    if (dtype == FA_F32) {
        fa__cpu_lanes->scatter(row, block, n);
        return;
    }
    if (dtype == FA_BF16 && fa__cpu_lanes->scatter_bf16) {
        fa__cpu_lanes->scatter_bf16(row, block, n);
        return;
    }
    for (int j = 0; j < lanes; j++)
        to[j] = row[j] ? wide[j] : NULL;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = fa__min(PIECE, n - at);
        fa__cpu_lanes->scatter(to, block + at * lanes, count);
        for (int j = 0; j < lanes; j++)
            if (row[j])
                fa__cpu_simd->of[FA__CLASS_F32]->store[dtype](element(row[j], at, dtype), 1, wide[j], count);
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

/* Row r of a channel of a block; `zeros` stands for rows outside of the image. */
static void load_row(const fa__patches *p, const fa__lanes_plan *plan, const share *s, fa_dtype dtype, const float *x,
                     int64_t r, const float *zeros, float *block)
{
    const int lanes = fa__cpu_lanes->lanes;
    const span c = span_of(p, plan);
    const float *row[FA__LANES_MOST];
    for (int i = 0; i < lanes; i++) {
        int64_t at = plan->low[0] + s->first[i] * p->step[0] + r;
        bool inside = at >= 0 && at < p->size[0];
        row[i] = inside ? element(x, s->image[i] * p->stride[0] + at * p->stride[2] + c.from, dtype) : zeros;
    }
    set_zero(block, c.skip);
    gather(block + c.skip * lanes, row, c.count, dtype);
    set_zero(block + (c.skip + c.count) * lanes, plan->pitch - c.skip - c.count);
}

/* Whether the rows of a block are neighbours in all images, so that they can be copied as one. */
static bool rows_join(const fa__patches *p, const fa__lanes_plan *plan, const share *s)
{
    bool all = plan->low[1] == 0 && plan->pitch == p->size[1] && p->stride[2] == p->size[1];
    for (int i = 0; i < s->count && all; i++) {
        int64_t at = plan->low[0] + s->first[i] * p->step[0];
        all = at >= 0 && at + plan->block_rows <= p->size[0];
    }
    return all;
}

static void load_joined(const fa__patches *p, const fa__lanes_plan *plan, const share *s, fa_dtype dtype,
                        const float *x, float *block)
{
    const float *row[FA__LANES_MOST];
    const int64_t each = plan->block_rows * plan->pitch;
    const bool whole = p->stride[1] == each; /* channels are neighbours, too */
    for (int64_t c = 0; c < (whole ? 1 : p->channels); c++) {
        for (int i = 0; i < fa__cpu_lanes->lanes; i++)
            row[i] = element(x,
                             s->image[i] * p->stride[0] + c * p->stride[1]
                                 + (plan->low[0] + s->first[i] * p->step[0]) * p->stride[2],
                             dtype);
        gather(block + c * each * fa__cpu_lanes->lanes, row, whole ? p->channels * each : each, dtype);
    }
}

/* All channels of a group of what the pixels of a block meet */
static void load_block(const fa__patches *p, const fa__lanes_plan *plan, const share *s, fa_dtype dtype, const float *x,
                       const float *zeros, float *block)
{
    if (rows_join(p, plan, s)) {
        load_joined(p, plan, s, dtype, x, block);
        return;
    }
    const int64_t line = plan->pitch * fa__cpu_lanes->lanes;
    for (int64_t c = 0; c < p->channels; c++)
        for (int64_t r = 0; r < plan->block_rows; r++)
            load_row(p, plan, s, dtype, element(x, c * p->stride[1], dtype), r, zeros,
                     block + (c * plan->block_rows + r) * line);
}

/* ---- images ---- */

typedef struct image_work {
    const fa__lanes_image *g;
    const fa__lanes_plan *plan;
    float *weight; /* of each group and tile of channels: by x's channels, rows, columns, and the tile's channels */
    bool finite;   /* no weight is infinite or not a number: what is multiplied by zero adds nothing */
    _Atomic bool failed;
} image_work;

static bool pack_tile(const fa__lanes_image *g, const float *from, int64_t count, float *to)
{
    float all = 0; /* stays 0 as long as everything is finite */
    for (int64_t c = 0; c < g->p.channels; c++)
        for (int64_t t = 0; t < g->p.taps[0]; t++)
            for (int64_t u = 0; u < g->p.taps[1]; u++) {
                const float *w = from + c * g->weight_tap[0] + t * g->weight_tap[1] + u * g->weight_tap[2];
                for (int64_t i = 0; i < count; i++) {
                    *to++ = w[i * g->weight_channel];
                    all += w[i * g->weight_channel] * 0;
                }
            }
    return all == 0;
}

static bool pack_weights(image_work *w)
{
    const fa__lanes_image *g = w->g;
    const int64_t tiles = fa__lanes_tiles(g->channels, fa__cpu_lanes->channels);
    const int64_t taps = g->p.channels * g->p.taps[0] * g->p.taps[1], count = g->groups * g->channels * taps;
    w->weight = fa__aligned(64, (size_t)(count ? count : 1) * sizeof(float));
    w->finite = true;
    for (int64_t i = 0; w->weight && taps && i < g->groups * tiles; i++) {
        int64_t group = i / tiles, from = fa__lanes_tile_at(g->channels, tiles, i % tiles);
        int64_t to = fa__lanes_tile_at(g->channels, tiles, i % tiles + 1);
        const float *weight = g->weight + group * g->weight_group + from * g->weight_channel;
        if (!pack_tile(g, weight, to - from, w->weight + (group * g->channels + from) * taps))
            w->finite = false;
    }
    return w->weight != NULL;
}

/* Where the tap of row t and column u of the first pixel is in a block */
static int64_t tap_at(const fa__patches *p, const fa__lanes_plan *plan, int64_t t, int64_t u)
{
    int64_t row = t * p->tap[0] + (p->tap[0] < 0 ? -p->tap[0] * (p->taps[0] - 1) : 0);
    int64_t column = u * p->tap[1] + (p->tap[1] < 0 ? -p->tap[1] * (p->taps[1] - 1) : 0);
    return (row * plan->pitch + column) * fa__cpu_lanes->lanes;
}

/* What the tiles of a block have in common */
typedef struct image_block {
    const image_work *w;
    const float *x;
    float *y;
    const float *weight, *bias; /* of the group */
    bool level;
    int64_t first; /* row of pixels, where all have the same */
} image_block;

/* Tiles of a row that are alike: side by side, of as many pixels, which meet the same columns of taps */
typedef struct stretch {
    int64_t column, pixels, tiles, columns[2];
} stretch;

/* The one from tile i on, of `tiles` in a row */
static stretch stretch_at(const image_work *w, int64_t i, int64_t tiles)
{
    const fa__patches *p = &w->g->p;
    const bool meets = w->finite && w->plan->padded[1];
    stretch s = {.column = fa__lanes_tile_at(p->pixels[1], tiles, i), .columns = {0, p->taps[1]}};
    s.pixels = fa__lanes_tile_at(p->pixels[1], tiles, i + 1) - s.column;
    if (meets)
        fa__lanes_meet(p, 1, s.column, s.pixels, s.columns);
    for (s.tiles = 1; i + s.tiles < tiles; s.tiles++) {
        const int64_t column = s.column + s.tiles * s.pixels;
        int64_t columns[2] = {0, p->taps[1]};
        if (meets)
            fa__lanes_meet(p, 1, column, s.pixels, columns);
        if (fa__lanes_tile_at(p->pixels[1], tiles, i + s.tiles + 1) != column + s.pixels || columns[0] != s.columns[0]
            || columns[1] != s.columns[1])
            break;
    }
    return s;
}

/* Some neighbouring pixels of row r, of all channels */
static void run_pixels(const image_block *b, int64_t r, const stretch *s, const int64_t rows[2])
{
    const fa__lanes_image *g = b->w->g;
    const fa__lanes_plan *plan = b->w->plan;
    const fa__patches *p = &g->p;
    const int64_t lanes = fa__cpu_lanes->lanes, tiles = fa__lanes_tiles(g->channels, fa__cpu_lanes->channels);
    fa__lanes_sums t = {
        .pixels = (int)s->pixels,
        .tiles = s->tiles,
        .taps = {p->channels, rows[1] - rows[0], s->columns[1] - s->columns[0]},
        .x_tap = {plan->block_rows * plan->pitch * lanes, p->tap[0] * plan->pitch * lanes, p->tap[1] * lanes},
        .x_next = p->step[1] * lanes,
        .y_channel = plan->rows * p->pixels[1] * lanes};
    t.x = b->x + (r * p->step[0] * plan->pitch + s->column * p->step[1]) * lanes
          + tap_at(p, plan, rows[0], s->columns[0]);
    for (int64_t i = 0; i < tiles; i++) {
        int64_t from = fa__lanes_tile_at(g->channels, tiles, i);
        t.channels = (int)(fa__lanes_tile_at(g->channels, tiles, i + 1) - from);
        t.weight_tap[1] = p->taps[1] * t.channels;
        t.weight_tap[0] = p->taps[0] * t.weight_tap[1];
        t.weight = b->weight + from * p->channels * p->taps[0] * p->taps[1] + rows[0] * t.weight_tap[1]
                   + s->columns[0] * t.channels;
        float bias[16];
        for (int k = 0; b->bias && k < t.channels; k++)
            bias[k] = b->bias[(from + k) * g->bias_channel];
        t.bias = b->bias ? bias : NULL;
        t.y = b->y + from * t.y_channel + (r * p->pixels[1] + s->column) * lanes;
        fa__cpu_lanes->sums(&t);
    }
}

static void run_row(const image_block *b, int64_t r)
{
    const fa__patches *p = &b->w->g->p;
    const int64_t tiles = fa__lanes_tiles(p->pixels[1], b->w->plan->across);
    int64_t rows[2] = {0, p->taps[0]};
    if (b->w->finite && b->level && b->w->plan->padded[0])
        fa__lanes_meet(p, 0, b->first + r, 1, rows);
    for (int64_t i = 0; i < tiles;) {
        const stretch s = stretch_at(b->w, i, tiles);
        run_pixels(b, r, &s, rows);
        i += s.tiles;
    }
}

/* Rows r to r + n of a channel, from the block to the images that have them */
static void store_rows(const fa__lanes_image *g, const share *s, float *y, int64_t r, int64_t n, const float *block)
{
    float *row[FA__LANES_MOST] = {NULL};
    for (int i = 0; i < s->count; i++)
        if (s->first[i] + r < g->p.pixels[0])
            row[i] = element(y, s->image[i] * g->stride[0] + (s->first[i] + r) * g->stride[2], g->dtype);
    scatter(row, block + r * g->p.pixels[1] * fa__cpu_lanes->lanes, n * g->p.pixels[1], g->dtype);
}

static void store_block(const image_work *w, const share *s, float *y, const float *block)
{
    const fa__lanes_image *g = w->g;
    const int64_t rows = w->plan->rows, line = g->p.pixels[1];
    const bool join = g->stride[2] == line && rows * w->plan->bands == g->p.pixels[0];
    for (int64_t c = 0; c < g->channels; c++) {
        const float *from = block + c * rows * line * fa__cpu_lanes->lanes;
        for (int64_t r = 0; r < rows; r += join ? rows : 1)
            store_rows(g, s, element(y, c * g->stride[1], g->dtype), r, join ? rows : 1, from);
    }
}

static void run_image_blocks(void *context, int64_t begin, int64_t end)
{
    image_work *w = context;
    const fa__lanes_image *g = w->g;
    const fa__lanes_plan *plan = w->plan;
    const int64_t taps = g->p.channels * g->p.taps[0] * g->p.taps[1];
    float *scratch = fa__cpu_scratch((size_t)(plan->x_floats + plan->y_floats + plan->zeros) * sizeof(float));
    if (!scratch) {
        atomic_store(&w->failed, true);
        return;
    }
    float *zeros = scratch + plan->x_floats + plan->y_floats;
    memset(zeros, 0, (size_t)plan->zeros * sizeof *zeros);
    for (int64_t i = begin; i < end; i++) {
        const int64_t group = i / plan->blocks;
        const share s = share_of(plan, i % plan->blocks);
        load_block(&g->p, plan, &s, g->dtype, element(g->x, group * g->p.channels * g->p.stride[1], g->dtype), zeros,
                   scratch);
        const image_block b = {w,
                               scratch,
                               scratch + plan->x_floats,
                               w->weight + group * g->channels * taps,
                               g->bias ? g->bias + group * g->channels * g->bias_channel : NULL,
                               s.level,
                               s.first[0]};
        for (int64_t r = 0; r < plan->rows; r++)
            run_row(&b, r);
        store_block(w, &s, element(g->y, group * g->channels * g->stride[1], g->dtype), b.y);
    }
}

bool fa__lanes_image_run(const fa__lanes_image *g, bool *ok)
{
    fa__lanes_plan plan;
    if (!fa__lanes_plan_image(&plan, g))
        return false;
    image_work w = {.g = g, .plan = &plan};
    if (pack_weights(&w))
        fa__parallel_for(g->groups * plan.blocks, 1, run_image_blocks, &w);
    *ok = w.weight && !atomic_load(&w.failed);
    fa__aligned_free(w.weight);
    return true;
}

/* ---- weights ---- */

typedef struct weight_work {
    const fa__lanes_weight *g;
    const fa__lanes_plan *x, *y;
    fa__patches of_x, of_y;
    int64_t weights, rows; /* of a group; of sums of neighbouring stretches of it */
    _Atomic bool failed;
} weight_work;

/* Some rows of pixels of a block, for all channels and taps. `row` has the rows' first one. */
static void run_products(const weight_work *w, const float *x, const float *y, float *sum, const int64_t *x_tap,
                         int64_t r, int64_t rows)
{
    const fa__convolution *v = w->g->v;
    const int64_t lanes = fa__cpu_lanes->lanes, taps = v->in * v->kernel[0] * v->kernel[1];
    const int64_t down = fa__lanes_tiles(v->out, fa__cpu_lanes->channels),
                  across = fa__lanes_tiles(taps, fa__cpu_lanes->across);
    fa__lanes_products t = {.rows = rows,
                            .columns = v->result[1],
                            .y_channel = w->y->rows * v->result[1] * lanes,
                            .y_row = v->result[1] * lanes,
                            .x = x + r * v->stride[0] * w->x->pitch * lanes,
                            .x_row = v->stride[0] * w->x->pitch * lanes,
                            .x_next = v->stride[1] * lanes,
                            .sum_tap = v->out * lanes};
    for (int64_t i = 0; i < down; i++) {
        const int64_t from = fa__lanes_tile_at(v->out, down, i);
        t.channels = (int)(fa__lanes_tile_at(v->out, down, i + 1) - from);
        t.y = y + from * t.y_channel + r * t.y_row;
        for (int64_t j = 0; j < across; j++) {
            const int64_t tap = fa__lanes_tile_at(taps, across, j);
            t.taps = (int)(fa__lanes_tile_at(taps, across, j + 1) - tap);
            t.x_tap = x_tap + tap;
            t.sum = sum + (tap * v->out + from) * lanes;
            fa__cpu_lanes->products(&t);
        }
    }
}

/* How many rows of pixels at a time: as many as the first-level cache holds. */
static int64_t rows_at_once(const fa__convolution *v)
{
    enum { BYTES = 20000 };
    int64_t row = fa__cpu_lanes->channels * v->result[1] * fa__cpu_lanes->lanes * (int64_t)sizeof(float);
    return most(1, BYTES / row);
}

static void find_taps(const weight_work *w, int64_t *x_tap)
{
    const fa__patches *p = &w->of_x;
    for (int64_t c = 0; c < p->channels; c++)
        for (int64_t t = 0; t < p->taps[0]; t++)
            for (int64_t u = 0; u < p->taps[1]; u++)
                *x_tap++ = c * w->x->block_rows * w->x->pitch * fa__cpu_lanes->lanes + tap_at(p, w->x, t, u);
}

/* Those of block number i of all groups, whose lanes have `count` stretches */
static void store_sums(const weight_work *w, int64_t i, int count, const float *sum)
{
    const int64_t each = fa__cpu_lanes->lanes / FA__CONVOLUTION_ADDED, block = i % w->x->blocks;
    float *row[FA__LANES_MOST];
    for (int64_t k = 0; k < each; k++)
        row[k] = w->g->sums + (i / w->x->blocks * w->rows + block * each + k) * w->weights;
    fa__cpu_lanes->add(row, sum, w->weights, count);
}

/* The memory of a thread: blocks of x and y, sums, zeros, distances of taps. */
typedef struct weight_room {
    float *x, *y, *sum, *zeros;
    int64_t *x_tap, floats, taps;
} weight_room;

static bool weight_room_of(const weight_work *w, weight_room *room)
{
    const fa__convolution *v = w->g->v;
    room->taps = v->in * v->kernel[0] * v->kernel[1];
    room->floats = room->taps * v->out * fa__cpu_lanes->lanes;
    const int64_t zeros = most(w->x->zeros, w->y->zeros);
    const int64_t floats = w->x->x_floats + w->y->x_floats + room->floats + zeros;
    room->x = fa__cpu_scratch((size_t)floats * sizeof(float) + (size_t)room->taps * sizeof(int64_t));
    if (!room->x)
        return false;
    room->y = room->x + w->x->x_floats;
    room->sum = room->y + w->y->x_floats;
    room->zeros = room->sum + room->floats;
    room->x_tap = (int64_t *)(void *)(room->zeros + zeros);
    memset(room->zeros, 0, (size_t)zeros * sizeof(float));
    return true;
}

static void run_weight_blocks(void *context, int64_t begin, int64_t end)
{
    weight_work *w = context;
    const fa__convolution *v = w->g->v;
    const int64_t at_once = rows_at_once(v);
    const fa_dtype dtype = w->g->dtype;
    weight_room room;
    if (!weight_room_of(w, &room)) {
        atomic_store(&w->failed, true);
        return;
    }
    find_taps(w, room.x_tap);
    for (int64_t i = begin; i < end; i++) {
        const int64_t group = i / w->x->blocks;
        share s = share_of(w->x, i % w->x->blocks);
        memset(room.sum, 0, (size_t)room.floats * sizeof(float));
        for (int64_t n = 0; n < w->x->each; n++) {
            const float *x = element(w->g->x, group * v->in * v->x[1] + n * v->x[0], dtype);
            const float *y = element(w->g->y, group * v->out * v->y[1] + n * v->y[0], dtype);
            load_block(&w->of_x, w->x, &s, dtype, x, room.zeros, room.x);
            load_block(&w->of_y, w->y, &s, dtype, y, room.zeros, room.y);
            for (int64_t r = 0; r < w->x->rows; r += at_once)
                run_products(w, room.x, room.y, room.sum, room.x_tap, r, fa__min(at_once, w->x->rows - r));
        }
        store_sums(w, i, s.count, room.sum);
    }
}

bool fa__lanes_weight_run(const fa__lanes_weight *g, bool *ok)
{
    fa__lanes_plan x, y;
    if (!fa__lanes_plan_weight(&x, &y, g->v))
        return false;
    weight_work w = {.g = g,
                     .x = &x,
                     .y = &y,
                     .of_x = fa__convolution_patches(g->v),
                     .weights = g->v->in * g->v->out * g->v->kernel[0] * g->v->kernel[1],
                     .rows = fa__ceil_div(x.images * x.bands, FA__CONVOLUTION_ADDED)};
    w.of_y = fa__lanes_patches_of_y(g->v);
    fa__parallel_for(g->v->groups * x.blocks, 1, run_weight_blocks, &w);
    *ok = !atomic_load(&w.failed);
    return true;
}
