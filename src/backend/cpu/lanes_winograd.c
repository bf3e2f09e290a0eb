/* Winograd's filtering along rows, with one image in each lane (lanes_winograd.h): rows of x are transformed on their
 * way into a block. Of each row of the result the products of all points are made, for a few channels at a time, and
 * become pixels at once. */
#include "backend/cpu/lanes_winograd.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include <stdatomic.h>
#include <string.h>

enum { POINTS = FA__LANES_POINTS };

void fa__lanes_load_points(const fa__lanes_points *l, const fa__lanes_rows *rows, const float *x, float *block)
{
    const int64_t lanes = fa__cpu_lanes->lanes, line = l->tiles * lanes, first = rows->first[0];
    const int64_t from = l->skip && first < 0 ? -first : 0,
                  end = l->skip ? fa__min(l->block_rows, rows->rows - first) : l->block_rows;
    for (int64_t c = 0; c < l->channels; c++)
        for (int64_t i = from; i < end; i++) {
            fa__lanes_load_row(rows, fa__lanes_element(x, c * rows->channel, rows->dtype), i, l->row);
            fa__lanes_transform(FA__LANES_IMAGE, (fa__lanes_lines){1, l->tiles, block + (c * l->block_rows + i) * line,
                                                                   l->channels * l->block_rows * line, lanes, 0, l->row,
                                                                   lanes, l->tile * lanes, 0, NULL});
        }
}

/* ---- weights ---- */

typedef struct image_work {
    const fa__lanes_image *g;
    const fa__lanes_plan *plan;
    fa__patches p;
    int64_t tiles; /* of a row, and the pieces in which they are multiplied: how many, of how many tiles, and how many
                    * pieces have one more */
    int64_t pieces, piece, wider;
    int64_t parts; /* of the channels of y */
    float *bias;   /* of all groups; NULL: none */
    float *weight; /* transformed: of each group by points, parts, channels of x, rows of the kernel, channels of the
                      part */
    bool finite;   /* no transformed weight is infinite or not a number: what is multiplied by zero adds nothing */
    _Atomic bool failed;
} image_work;

/* Those of a group, by columns and in the order above: `each` for a column. A row that goes backwards is turned around.
 */
static void gather_weights(const image_work *w, int64_t group, float *to, int64_t each)
{
    const fa__lanes_image *g = w->g;
    const int64_t columns = g->p.taps[1], *step = g->weight_tap;
    for (int64_t u = 0; u < columns; u++) {
        const float *from = g->weight + group * g->weight_group + (g->p.tap[1] < 0 ? columns - 1 - u : u) * step[2];
        float *next = to + u * each;
        for (int64_t i = 0; i < w->parts; i++)
            for (int64_t c = 0; c < g->p.channels; c++)
                for (int64_t t = 0; t < g->p.taps[0]; t++)
                    for (int64_t k = fa__lanes_tile_at(g->channels, w->parts, i);
                         k < fa__lanes_tile_at(g->channels, w->parts, i + 1); k++)
                        *next++ = from[k * g->weight_channel + c * step[0] + t * step[1]];
    }
}

/* Of whole vectors */
static bool all_finite(const float *x, int64_t n)
{
    float sum[FA__LANES_MOST] = {0}; /* stay 0 as long as everything is finite */
    for (int64_t i = 0; i < n; i += FA__LANES_MOST)
        for (int j = 0; j < FA__LANES_MOST; j++)
            sum[j] += x[i + j] * 0;
    bool all = true;
    for (int j = 0; j < FA__LANES_MOST; j++)
        all &= sum[j] == 0;
    return all;
}

static bool transform_weights(image_work *w)
{
    const fa__lanes_image *g = w->g;
    const int64_t columns = g->p.taps[1], each = fa__lanes_whole(g->p.channels * g->p.taps[0] * g->channels),
                  lanes = fa__cpu_lanes->lanes, weights = g->groups * POINTS * each, biases = g->groups * g->channels;
    w->weight = fa__aligned(64, (size_t)(weights + columns * each + biases) * sizeof *w->weight);
    if (!w->weight)
        return false;
    float *const plain = w->weight + weights;
    memset(plain, 0, (size_t)(columns * each) * sizeof *plain);
    for (int64_t group = 0; group < g->groups; group++) {
        gather_weights(w, group, plain, each);
        fa__lanes_transform(FA__LANES_KERNEL + fa__lanes_of_taps(columns),
                            (fa__lanes_lines){1, each / lanes, w->weight + group * POINTS * each, each, lanes, 0, plain,
                                              each, lanes, 0, NULL});
    }
    w->finite = all_finite(w->weight, weights);
    w->bias = g->bias ? plain + columns * each : NULL;
    for (int64_t k = 0; g->bias && k < biases; k++)
        w->bias[k] = g->bias[k * g->bias_channel];
    return true;
}

/* ---- images ---- */

/* The memory of a thread: the block of x, by points, channels, rows and tiles; products of a part of the channels, by
 * points, channels and tiles; a row of pixels of y, by channels; a row of x */
typedef struct room {
    float *x, *products, *y, *row, *zeros;
} room;

static bool room_of(const image_work *w, room *r)
{
    const int64_t lanes = fa__cpu_lanes->lanes, products = POINTS * fa__cpu_lanes->channels * w->tiles * lanes,
                  row = w->plan->pitch * lanes;
    r->x = fa__cpu_scratch((size_t)(w->plan->x_floats + products + w->plan->y_floats + row + w->plan->zeros)
                           * sizeof *r->x);
    if (!r->x)
        return false;
    r->products = r->x + w->plan->x_floats;
    r->y = r->products + products;
    r->row = r->y + w->plan->y_floats;
    r->zeros = r->row + row;
    memset(r->zeros, 0, (size_t)w->plan->zeros * sizeof *r->zeros);
    return true;
}

/* The products of a row of tiles for one point and some channels: of equal pieces of tiles, which differ by one at most
 */
static void multiply(const image_work *w, fa__lanes_sums *s)
{
    const int64_t lanes = fa__cpu_lanes->lanes;
    for (int i = 0; i < 2; i++) {
        s->pixels = (int)(i ? w->piece + 1 : w->piece);
        s->tiles = i ? w->wider : w->pieces - w->wider;
        if (s->tiles)
            fa__cpu_lanes->sums(s);
        s->x += s->tiles * s->pixels * lanes;
        s->y += s->tiles * s->pixels * lanes;
    }
}

/* A row of pixels, for the rows of the kernel from rows[0] to before rows[1] */
static void run_row(const image_work *w, const room *r, int64_t group, int64_t row, const int64_t rows[2])
{
    const fa__lanes_image *g = w->g;
    const fa__lanes_plan *plan = w->plan;
    const fa__patches *p = &w->p;
    const int64_t lanes = fa__cpu_lanes->lanes, in = p->channels, out = g->channels, line = w->tiles * lanes,
                  depth = in * p->taps[0], each = fa__lanes_whole(depth * out), width = plan->columns * lanes,
                  above = p->tap[0] < 0 ? p->taps[0] - 1 : 0; /* the lowest row of a kernel that goes backwards */
    const float *x = r->x + (row * p->step[0] + (rows[0] - above) * p->tap[0]) * line;
    for (int64_t i = 0; i < w->parts; i++) {
        const int64_t from = fa__lanes_tile_at(out, w->parts, i),
                      channels = fa__lanes_tile_at(out, w->parts, i + 1) - from;
        fa__lanes_sums s = {.channels = (int)channels,
                            .taps = {in, rows[1] - rows[0], 1},
                            .x_tap = {plan->block_rows * line, p->tap[0] * line, lanes},
                            .x_next = lanes,
                            .weight_tap = {p->taps[0] * channels, channels},
                            .y_channel = line};
        const float *weight = w->weight + group * POINTS * each + from * depth + rows[0] * channels;
        for (int64_t j = 0; j < POINTS; j++) {
            s.x = x + j * in * plan->block_rows * line;
            s.weight = weight + j * each;
            s.y = r->products + j * channels * line;
            multiply(w, &s);
        }
        fa__lanes_transform(FA__LANES_TILE + fa__lanes_of_taps(p->taps[1]),
                            (fa__lanes_lines){channels, w->tiles, r->y + from * width, lanes, plan->tile * lanes, width,
                                              r->products, channels * line, lanes, line,
                                              w->bias ? w->bias + group * out + from : NULL});
    }
}

static void run_image_blocks(void *context, int64_t begin, int64_t end)
{
    image_work *w = context;
    const fa__lanes_image *g = w->g;
    const int64_t width = w->plan->columns * fa__cpu_lanes->lanes;
    room r;
    if (!room_of(w, &r)) {
        atomic_store(&w->failed, true);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t group = i / w->plan->blocks;
        const fa__lanes_share s = fa__lanes_share_of(w->plan, i % w->plan->blocks);
        const fa__lanes_rows x = fa__lanes_rows_of_x(&w->p, w->plan, &s, g->dtype, r.zeros),
                             y = fa__lanes_rows_of_y(g, &s);
        const fa__lanes_points points = {g->p.channels, w->plan->block_rows,  w->tiles,
                                         w->plan->tile, w->finite && s.level, r.row};
        fa__lanes_load_points(&points, &x, fa__lanes_element(g->x, group * g->p.channels * x.channel, g->dtype), r.x);
        for (int64_t row = 0; row < w->plan->rows; row++) {
            int64_t rows[2] = {0, w->p.taps[0]};
            if (w->finite && s.level && w->plan->padded[0])
                fa__lanes_meet(&w->p, 0, s.first[0] + row, 1, rows);
            run_row(w, &r, group, row, rows);
            for (int64_t k = 0; k < g->channels; k++)
                fa__lanes_store_row(&y, fa__lanes_element(g->y, (group * g->channels + k) * y.channel, g->dtype), row,
                                    1, r.y + k * width);
        }
    }
}

/* In so many parts of channels and pieces of tiles; the result is about the time that the products take. Tiles of less
 * than eight sums wait for each other. */
static int64_t divide(image_work *w, int channels, int across)
{
    enum { LEAST = 8 };
    w->parts = fa__lanes_tiles(w->g->channels, channels);
    w->pieces = fa__lanes_tiles(w->tiles, across);
    w->piece = w->tiles / w->pieces;
    w->wider = w->tiles % w->pieces;
    int64_t time = 0;
    for (int64_t i = 0; i < w->parts; i++) {
        const int64_t count =
            fa__lanes_tile_at(w->g->channels, w->parts, i + 1) - fa__lanes_tile_at(w->g->channels, w->parts, i);
        const int64_t narrow = count * w->piece, wide = count * (w->piece + 1);
        time += (w->pieces - w->wider) * (narrow < LEAST ? LEAST : narrow) + w->wider * (wide < LEAST ? LEAST : wide);
    }
    return time;
}

bool fa__lanes_winograd_image(const fa__lanes_image *g, const fa__lanes_plan *plan)
{
    image_work w = {.g = g, .plan = plan, .p = g->p, .tiles = plan->columns / plan->tile};
    const fa__lanes_kernels *k = fa__cpu_lanes;
    const int64_t time = divide(&w, k->channels, k->across);
    if (k->fewer && divide(&w, k->fewer, k->wider) > time)
        divide(&w, k->channels, k->across);
    const bool ok = transform_weights(&w);
    if (ok)
        fa__parallel_for(g->groups * plan->blocks, 1, run_image_blocks, &w);
    fa__aligned_free(w.weight);
    return ok && !atomic_load(&w.failed);
}
