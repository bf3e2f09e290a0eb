/* Convolutions with one image in each lane (lanes.h), as chains of sums: how results are divided into tiles. None of it
 * changes a sum: backend/convolution.h says what it is. */
#include "backend/cpu/lanes.h"
#include "backend/cpu/lanes_block.h"
#include "backend/cpu/lanes_plan.h"
#include "backend/cpu/lanes_winograd.h"
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
        const fa__lanes_share s = fa__lanes_share_of(plan, i % plan->blocks);
        const fa__lanes_rows x = fa__lanes_rows_of_x(&g->p, plan, &s, g->dtype, zeros), y = fa__lanes_rows_of_y(g, &s);
        fa__lanes_load(&x, plan, g->p.channels,
                       fa__lanes_element(g->x, group * g->p.channels * g->p.stride[1], g->dtype), scratch);
        const image_block b = {w,
                               scratch,
                               scratch + plan->x_floats,
                               w->weight + group * g->channels * taps,
                               g->bias ? g->bias + group * g->channels * g->bias_channel : NULL,
                               s.level,
                               s.first[0]};
        for (int64_t r = 0; r < plan->rows; r++)
            run_row(&b, r);
        fa__lanes_store(&y, plan, g->channels, fa__lanes_element(g->y, group * g->channels * g->stride[1], g->dtype),
                        b.y);
    }
}

bool fa__lanes_image_run(const fa__lanes_image *g, bool *ok)
{
    fa__lanes_plan plan;
    if (!fa__lanes_plan_image(&plan, g))
        return false;
    if (plan.tile) {
        *ok = fa__lanes_winograd_image(g, &plan);
        return true;
    }
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
        const fa__lanes_share s = fa__lanes_share_of(w->x, i % w->x->blocks);
        const fa__lanes_rows of_x = fa__lanes_rows_of_x(&w->of_x, w->x, &s, dtype, room.zeros),
                             of_y = fa__lanes_rows_of_x(&w->of_y, w->y, &s, dtype, room.zeros);
        memset(room.sum, 0, (size_t)room.floats * sizeof(float));
        for (int64_t n = 0; n < w->x->each; n++) {
            fa__lanes_load(&of_x, w->x, v->in, fa__lanes_element(w->g->x, group * v->in * v->x[1] + n * v->x[0], dtype),
                           room.x);
            fa__lanes_load(&of_y, w->y, v->out,
                           fa__lanes_element(w->g->y, group * v->out * v->y[1] + n * v->y[0], dtype), room.y);
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
    if (x.tile) {
        *ok = fa__lanes_winograd_weight(g, &x, &y);
        return true;
    }
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
