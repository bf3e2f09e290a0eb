/* Gradients of weights by Winograd's filtering along rows (lanes_winograd.h). Each lane has a stretch of the pixels,
 * whose sums are those of convolution.h but for the filtering. x becomes points on its way into a block. y becomes two
 * points at a time, of some rows and channels, which stay in the first-level cache while they are multiplied. */
#include "backend/cpu/lanes_winograd.h"
#include "backend/cpu/scratch.h"
#include "base/parallel.h"
#include <stdatomic.h>
#include <string.h>

enum { POINTS = FA__LANES_POINTS, PAIRS = POINTS / 2 };

static const int pairs[PAIRS][2] = {{0, 7}, {1, 2}, {3, 4}, {5, 6}};

typedef struct work {
    const fa__lanes_weight *g;
    const fa__lanes_plan *x, *y;
    fa__patches of_x, of_y;
    int64_t tiles;         /* of a row */
    int64_t each;          /* sums of a point: by channels of x, rows of the kernel, channels of y */
    int64_t parts, pieces; /* of the channels of y; of channels of x and rows of the kernel */
    int64_t some;          /* rows of pixels at a time */
    int64_t rows;          /* of sums of neighbouring stretches, of a group */
    _Atomic bool failed;
} work;

/* The memory of a thread: blocks of x and y, two points of some of y, sums of lanes, of neighbouring lanes by points,
 * and by columns of the kernel; a row of x; where taps are */
typedef struct room {
    float *x, *y, *pair, *sums, *added, *columns, *row, *zeros;
    int64_t *tap;
} room;

static bool room_of(const work *w, room *r)
{
    const fa__convolution *v = w->g->v;
    const int64_t lanes = fa__cpu_lanes->lanes, zeros = w->x->zeros > w->y->zeros ? w->x->zeros : w->y->zeros,
                  taps = v->in * v->kernel[0];
    const int64_t sizes[] = {POINTS * v->in * w->x->block_rows * w->tiles * lanes,
                             w->y->x_floats,
                             2 * fa__cpu_lanes->channels * w->some * w->tiles * lanes,
                             POINTS * w->each * lanes,
                             lanes / FA__CONVOLUTION_ADDED
                                 * fa__lanes_whole((POINTS - 1) * w->each + fa__lanes_whole(w->each)),
                             v->kernel[1] * fa__lanes_whole(w->each),
                             w->x->pitch * lanes,
                             zeros};
    float **const parts[] = {&r->x, &r->y, &r->pair, &r->sums, &r->added, &r->columns, &r->row, &r->zeros};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    int64_t all = 0;
    for (int i = 0; i < COUNT; i++)
        all += fa__lanes_whole(sizes[i]);
    float *at = fa__cpu_scratch((size_t)all * sizeof *at + (size_t)taps * sizeof *r->tap);
    if (!at)
        return false;
    for (int i = 0; i < COUNT; i++) {
        *parts[i] = at;
        at += fa__lanes_whole(sizes[i]);
    }
    r->tap = (int64_t *)(void *)at;
    memset(r->zeros, 0, (size_t)zeros * sizeof *r->zeros);
    for (int64_t c = 0; c < v->in; c++)
        for (int64_t t = 0; t < v->kernel[0]; t++)
            r->tap[c * v->kernel[0] + t] = (c * w->x->block_rows + t * v->dilation[0]) * w->tiles * lanes;
    return true;
}

/* `rows` rows of pixels from `row` on: the products of two points and some channels of y */
static void multiply(const work *w, const room *r, int pair, int64_t from, int64_t channels, int64_t row, int64_t rows)
{
    const fa__convolution *v = w->g->v;
    const int64_t lanes = fa__cpu_lanes->lanes, line = w->tiles * lanes, taps = v->in * v->kernel[0];
    fa__lanes_products t = {.channels = (int)channels,
                            .rows = rows,
                            .columns = w->tiles,
                            .y_channel = rows * line,
                            .y_row = line,
                            .x_row = v->stride[0] * line,
                            .x_next = lanes,
                            .sum_tap = v->out * lanes};
    for (int i = 0; i < 2; i++) {
        const int64_t point = pairs[pair][i];
        t.x = r->x + (point * v->in * w->x->block_rows + row * v->stride[0]) * line;
        t.y = r->pair + i * channels * rows * line;
        for (int64_t k = 0; k < w->pieces; k++) {
            const int64_t tap = fa__lanes_tile_at(taps, w->pieces, k);
            t.taps = (int)(fa__lanes_tile_at(taps, w->pieces, k + 1) - tap);
            t.x_tap = r->tap + tap;
            t.sum = r->sums + (point * w->each + tap * v->out + from) * lanes;
            fa__cpu_lanes->products(&t);
        }
    }
}

static void run_rows(const work *w, const room *r, int64_t row, int64_t rows)
{
    const fa__convolution *v = w->g->v;
    const int64_t lanes = fa__cpu_lanes->lanes, tile = w->y->tile, width = w->y->columns * lanes;
    for (int pair = 0; pair < PAIRS; pair++)
        for (int64_t i = 0; i < w->parts; i++) {
            const int64_t from = fa__lanes_tile_at(v->out, w->parts, i),
                          channels = fa__lanes_tile_at(v->out, w->parts, i + 1) - from, count = rows * w->tiles;
            fa__lanes_transform(FA__LANES_TILE_BACK + pair * 3 + fa__lanes_of_taps(v->kernel[1]),
                                (fa__lanes_lines){channels, count, r->pair, channels * count * lanes, lanes,
                                                  count * lanes, r->y + (from * w->y->rows + row) * width, lanes,
                                                  tile * lanes, w->y->rows * width, NULL});
            multiply(w, r, pair, from, channels, row, rows);
        }
}

/* The sums of a block's `count` stretches: neighbouring ones are added, and points become columns of the kernel. */
static void store_sums(const work *w, const room *r, int64_t i, int count)
{
    const fa__convolution *v = w->g->v;
    const int64_t lanes = fa__cpu_lanes->lanes, rows = lanes / FA__CONVOLUTION_ADDED,
                  line = fa__lanes_whole((POINTS - 1) * w->each + fa__lanes_whole(w->each)),
                  column = fa__lanes_whole(w->each), first = i / w->x->blocks * w->rows + i % w->x->blocks * rows;
    float *row[FA__LANES_MOST];
    for (int64_t k = 0; k < rows; k++)
        row[k] = r->added + k * line;
    fa__cpu_lanes->add(row, r->sums, POINTS * w->each, count);
    for (int64_t k = 0; k * FA__CONVOLUTION_ADDED < count; k++) {
        float *to = w->g->sums + (first + k) * w->each * v->kernel[1];
        fa__lanes_transform(
            FA__LANES_KERNEL_BACK + fa__lanes_of_taps(v->kernel[1]),
            (fa__lanes_lines){1, column / lanes, r->columns, column, lanes, 0, row[k], w->each, lanes, 0, NULL});
        for (int64_t tap = 0; tap < v->in * v->kernel[0]; tap++)
            for (int64_t u = 0; u < v->kernel[1]; u++, to += v->out)
                memcpy(to, r->columns + u * column + tap * v->out, (size_t)v->out * sizeof *to);
    }
}

static void run_blocks(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    const fa__convolution *v = w->g->v;
    const fa_dtype dtype = w->g->dtype;
    room r;
    if (!room_of(w, &r)) {
        atomic_store(&w->failed, true);
        return;
    }
    const fa__lanes_points points = {v->in, w->x->block_rows, w->tiles, w->y->tile, false, r.row};
    for (int64_t i = begin; i < end; i++) {
        const int64_t group = i / w->x->blocks;
        const fa__lanes_share s = fa__lanes_share_of(w->x, i % w->x->blocks);
        const fa__lanes_rows of_x = fa__lanes_rows_of_x(&w->of_x, w->x, &s, dtype, r.zeros),
                             of_y = fa__lanes_rows_of_x(&w->of_y, w->y, &s, dtype, r.zeros);
        memset(r.sums, 0, (size_t)(POINTS * w->each * fa__cpu_lanes->lanes) * sizeof *r.sums);
        for (int64_t n = 0; n < w->x->each; n++) {
            fa__lanes_load_points(&points, &of_x,
                                  fa__lanes_element(w->g->x, group * v->in * v->x[1] + n * v->x[0], dtype), r.x);
            fa__lanes_load(&of_y, w->y, v->out,
                           fa__lanes_element(w->g->y, group * v->out * v->y[1] + n * v->y[0], dtype), r.y);
            for (int64_t row = 0; row < w->y->rows; row += w->some)
                run_rows(w, &r, row, fa__min(w->some, w->y->rows - row));
        }
        store_sums(w, &r, i, s.count);
    }
}

/* How many rows at a time: so many that two points of them stay in the first-level cache. */
static int64_t rows_at_once(const work *w)
{
    enum { BYTES = 24 << 10 };
    const int64_t row = 2 * fa__cpu_lanes->channels * w->tiles * fa__cpu_lanes->lanes * (int64_t)sizeof(float);
    return fa__min(BYTES / row < 1 ? 1 : BYTES / row, w->y->rows);
}

bool fa__lanes_winograd_weight(const fa__lanes_weight *g, const fa__lanes_plan *x, const fa__lanes_plan *y)
{
    const fa__convolution *v = g->v;
    const int64_t taps = v->in * v->kernel[0];
    work w = {.g = g,
              .x = x,
              .y = y,
              .of_x = fa__convolution_patches(v),
              .of_y = fa__lanes_patches_of_y(v),
              .tiles = y->columns / y->tile,
              .each = taps * v->out,
              .parts = fa__lanes_tiles(v->out, fa__cpu_lanes->channels),
              .pieces = fa__lanes_tiles(taps, fa__cpu_lanes->across),
              .rows = fa__ceil_div(x->images * x->bands, FA__CONVOLUTION_ADDED)};
    w.some = rows_at_once(&w);
    fa__parallel_for(v->groups * x->blocks, 1, run_blocks, &w);
    return !atomic_load(&w.failed);
}
