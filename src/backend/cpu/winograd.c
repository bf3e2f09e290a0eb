/* Convolutions, and gradients of their inputs, by Winograd's filtering (winograd.h). Blocks of tiles are done in two
 * steps: patches of all channels are transformed; then tasks, each of a few channels of the result, transform their
 * weights, multiply, and transform the products into pixels. */
#include "backend/cpu/winograd.h"
#include "backend/cpu/gemm_kind.h"
#include "backend/cpu/lanes.h"
#include "backend/cpu/level.h"
#include "backend/cpu/scratch.h"
#include "base/integer.h"
#include "base/log.h"
#include "base/parallel.h"
#include "core/context.h"
#include <stdlib.h>
#include <string.h>

enum {
    IN = FA__WINOGRAD_IN,
    OUT = FA__WINOGRAD_OUT,
    ROW = FA__WINOGRAD_ROW,
    PRODUCTS = FA__WINOGRAD_PRODUCTS,
    TAPS = 9,
    ROWS = 36,             /* channels of the result in a task, at most */
    LEAST_TILES = 128,     /* in a block, so that transforming weights is small beside their products */
    BLOCK_BYTES = 4 << 20, /* of transformed patches */
};

typedef struct work {
    fa__winograd_grid grid;
    const fa__winograd_kernels *k;
    const fa__gemm_kind *kind;
    const float *x, *weight, *bias; /* of this group */
    float *y;
    int64_t in, out, step[4], bias_step; /* channels; strides of weight by y's and x's channels, rows, columns */
    int64_t depth;                       /* of a row of transformed weights */
    int64_t width;                       /* of a panel: the tiles whose products are made together */
    int64_t first, count, panels;        /* tiles of the block */
    int64_t chunks, parts;               /* tasks: of channels, and of panels */
    fa__winograd_tile *tile;             /* of the block */
    float *images;                       /* transformed patches, by panels, products and channels */
    _Atomic bool failed;
} work;

/* ---- tiles ---- */

fa__winograd_grid fa__winograd_grid_of(int64_t images, const int64_t size[2], const int64_t result[2],
                                       const int64_t start[2], const int64_t x[4], const int64_t y[4])
{
    fa__winograd_grid g = {.images = images};
    for (int d = 0; d < 2; d++) {
        g.tiles[d] = fa__ceil_div(result[d], OUT);
        g.size[d] = size[d];
        g.result[d] = result[d];
        g.start[d] = start[d];
    }
    memcpy(g.x, x, sizeof g.x);
    memcpy(g.y, y, sizeof g.y);
    return g;
}

/* Which of the IN positions from `start` on are inside of 0 .. size - 1: range[0] .. range[1] - 1. */
static void find_inside(int range[2], int64_t start, int64_t size)
{
    int64_t from = start < 0 ? -start : 0, to = size - start;
    range[0] = (int)fa__min(from, IN);
    range[1] = (int)(to < range[0] ? range[0] : fa__min(to, IN));
}

void fa__winograd_find(const fa__winograd_grid *g, fa__winograd_tile *to, int64_t first, int64_t count)
{
    const int64_t each = g->tiles[0] * g->tiles[1], all = fa__winograd_count(g);
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = first + i, n = number / each, row = number % each / g->tiles[1] * OUT,
                      column = number % g->tiles[1] * OUT, above = row + g->start[0], left = column + g->start[1];
        fa__winograd_tile *t = &to[i];
        *t = (fa__winograd_tile){0};
        if (number >= all)
            continue;
        t->x = n * g->x[0] + above * g->x[2] + left * g->x[3];
        t->y = n * g->y[0] + row * g->y[2] + column * g->y[3];
        find_inside(t->rows, above, g->size[0]);
        find_inside(t->columns, left, g->size[1]);
        t->height = (int)fa__min(OUT, g->result[0] - row);
        t->width = (int)fa__min(OUT, g->result[1] - column);
        t->here = t->height == OUT && t->width == OUT && g->y[3] == 1;
        t->patch_here = above >= 0 && left >= 0 && above + IN <= g->size[0] && left + ROW <= g->size[1] && g->x[3] == 1;
    }
}

fa__winograd_square fa__winograd_patch(const fa__winograd_grid *g, const fa__winograd_tile *t, const float *x,
                                       float *room)
{
    if (t->patch_here)
        return (fa__winograd_square){(float *)(uintptr_t)(x + t->x), g->x[2]};
    const int from = t->columns[0];
    memset(room, 0, FA__WINOGRAD_PATCH * sizeof *room);
    for (int64_t i = t->rows[0]; i < t->rows[1]; i++)
        fa__winograd_copy(room + i * ROW + from, 1, x + (t->x + i * g->x[2] + from * g->x[3]), g->x[3],
                          t->columns[1] - from);
    return (fa__winograd_square){room, ROW};
}

/* ---- patches ---- */

static void transform_images(void *context, int64_t begin, int64_t end)
{
    const work *w = context;
    const int lanes = w->k->lanes;
    float room[FA__LANES_MOST][FA__WINOGRAD_PATCH];
    fa__winograd_square patch[FA__LANES_MOST];
    for (int64_t i = begin; i < end; i++) {
        const int64_t panel = i / w->in, channel = i % w->in;
        const float *x = w->x + channel * w->grid.x[1];
        float *to = w->images + (panel * PRODUCTS * w->in + channel) * w->width;
        for (int64_t at = 0; at < w->width; at += lanes) {
            for (int j = 0; j < lanes; j++)
                patch[j] = fa__winograd_patch(&w->grid, &w->tile[panel * w->width + at + j], x, room[j]);
            w->k->image(to + at, w->in * w->width, patch);
        }
    }
}

/* ---- weights ---- */

/* Those of some channels of the result, as 36 matrices of rows x depth */
static void transform_weights(const work *w, float *to, int64_t first, int64_t rows)
{
    const int lanes = w->k->lanes;
    _Alignas(64) float taps[FA__LANES_MOST * TAPS] = {0};
    int64_t tap[TAPS];
    for (int t = 0; t < TAPS; t++)
        tap[t] = t / 3 * w->step[2] + t % 3 * w->step[3];
    for (int64_t row = 0; row < rows; row++)
        for (int64_t c = 0; c < w->in; c += lanes) {
            const float *from = w->weight + (first + row) * w->step[0] + c * w->step[1];
            const int64_t there = fa__min(lanes, w->in - c);
            for (int64_t j = 0; j < there; j++, from += w->step[1])
                for (int t = 0; t < TAPS; t++)
                    taps[t * lanes + j] = from[tap[t]];
            w->k->weights(to + row * w->depth + c, rows * w->depth, taps);
        }
}

/* ---- products, and what becomes of them ---- */

static void multiply(const work *w, float *products, const float *weights, int64_t rows, int64_t panel)
{
    const int64_t tiles = fa__ceil_div(rows, w->kind->rows), matrix = w->in * w->width;
    const float *images = w->images + panel * PRODUCTS * matrix;
    fa__gemm_tile t = {.cols = fa__min(w->width, w->count - panel * w->width),
                       .depth = w->in,
                       .a_row = w->depth,
                       .a_col = 1,
                       .b_row = w->width,
                       .c_row = w->width};
    for (int64_t k = 0; k < PRODUCTS; k++)
        for (int64_t i = 0; i < tiles; i++) {
            const int64_t row = rows * i / tiles;
            t.rows = rows * (i + 1) / tiles - row;
            t.a = weights + (k * rows + row) * w->depth;
            t.b = images + k * matrix;
            t.c = products + (k * rows + row) * w->width;
            t.next = (float *)t.c + t.rows * w->width;
            w->kind->tile(&t);
        }
}

/* Pixels of one channel and as many tiles as there are lanes: what not all of a tile exists of, by way of `room` */
static void put_tiles(const work *w, const fa__winograd_tile *t, float *y, const float *products, int64_t step,
                      float bias)
{
    const int64_t row = w->grid.y[2], column = w->grid.y[3];
    float room[FA__LANES_MOST][OUT * OUT];
    fa__winograd_square to[FA__LANES_MOST];
    for (int j = 0; j < w->k->lanes; j++)
        to[j] = t[j].here ? (fa__winograd_square){y + t[j].y, row} : (fa__winograd_square){&room[j][0], OUT};
    w->k->tiles(to, products, step, bias);
    for (int j = 0; j < w->k->lanes; j++)
        for (int64_t i = 0; !t[j].here && i < t[j].height; i++)
            fa__winograd_copy(y + (t[j].y + i * row), column, room[j] + i * OUT, 1, t[j].width);
}

static void put(const work *w, const float *products, int64_t first, int64_t rows, int64_t panel)
{
    const fa__winograd_tile *t = w->tile + panel * w->width;
    for (int64_t row = 0; row < rows; row++) {
        const float bias = w->bias ? w->bias[(first + row) * w->bias_step] : 0;
        float *y = w->y + (first + row) * w->grid.y[1];
        for (int64_t at = 0; at < w->width; at += w->k->lanes)
            put_tiles(w, t + at, y, products + row * w->width + at, rows * w->width, bias);
    }
}

static size_t task_floats(const work *w)
{
    const int64_t rows = fa__ceil_div(w->out, w->chunks);
    return (size_t)(PRODUCTS * rows * (w->depth + w->width));
}

static void run_tasks(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    float *weights = fa__cpu_scratch(task_floats(w) * sizeof *weights);
    if (!weights) {
        atomic_store_explicit(&w->failed, true, memory_order_relaxed);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        const int64_t chunk = i % w->chunks, part = i / w->chunks, first = w->out * chunk / w->chunks,
                      rows = w->out * (chunk + 1) / w->chunks - first;
        float *products = weights + PRODUCTS * rows * w->depth;
        transform_weights(w, weights, first, rows);
        for (int64_t p = w->panels * part / w->parts; p < w->panels * (part + 1) / w->parts; p++) {
            multiply(w, products, weights, rows, p);
            put(w, products, first, rows, p);
        }
    }
}

/* ---- the whole ---- */

bool fa__winograd_pays(int64_t in, int64_t out, int64_t tiles)
{
    return in >= 24 && out >= 24 && tiles >= 16 && in < 1 << 20 && out < 1 << 20;
}

/* The tiles of a block, the same for any number of threads. */
static void plan(work *w, int64_t tiles)
{
    const int64_t panel_bytes = PRODUCTS * w->in * w->width * (int64_t)sizeof(float);
    int64_t panels = BLOCK_BYTES / panel_bytes;
    panels = panels * w->width < LEAST_TILES ? fa__ceil_div(LEAST_TILES, w->width) : panels;
    w->panels = fa__min(panels, fa__ceil_div(tiles, w->width));
    w->chunks = fa__ceil_div(w->out, ROWS);
}

/* In how many parts the panels of a block are multiplied. A thread takes the patches that it has transformed itself,
 * as those of others may be in a cache far away, unless there are so few that all the weights would take longer. */
static int64_t parts_of(const work *w)
{
    const int64_t threads = fa__parallel_threads();
    const bool few = w->panels * w->width < LEAST_TILES * threads;
    return few && w->chunks % threads == 0 ? 1 : fa__min(threads, w->panels);
}

/* One allocation: scratch belongs to a thread, so the part that this thread's own tasks ask for again is at its start.
 */
static bool find_memory(work *w)
{
    const size_t task = (task_floats(w) + 15) / 16 * 16, images = (size_t)(w->panels * PRODUCTS * w->in * w->width),
                 tiles = (size_t)(w->panels * w->width);
    float *memory = fa__cpu_scratch((task + images) * sizeof(float) + tiles * sizeof *w->tile);
    if (!memory)
        return false;
    w->images = memory + task;
    w->tile = (fa__winograd_tile *)(void *)(w->images + images);
    return true;
}

static bool run_group(work *w)
{
    const int64_t tiles = fa__winograd_count(&w->grid);
    plan(w, tiles);
    if (!find_memory(w))
        return false;
    const int64_t block = w->panels * w->width;
    for (w->first = 0; w->first < tiles; w->first += block) {
        w->count = fa__min(block, tiles - w->first);
        w->panels = fa__ceil_div(w->count, w->width);
        w->parts = parts_of(w);
        fa__winograd_find(&w->grid, w->tile, w->first, w->panels * w->width);
        fa__parallel_for(w->panels * w->in, 16, transform_images, w);
        fa__parallel_for(w->chunks * w->parts, 1, run_tasks, w);
    }
    return !atomic_load(&w->failed);
}

/* Whether taps are as many and as near as the transforms take them. */
static bool fits(const fa__lanes_image *g)
{
    const fa__patches *p = &g->p;
    bool good = p->images && g->groups && p->channels && g->channels;
    for (int d = 0; d < 2; d++)
        good &= p->taps[d] == 3 && p->step[d] == 1 && llabs(p->tap[d]) == 1 && p->pixels[d] > 0 && p->size[d] > 0;
    return good;
}

bool fa__winograd_image_run(const fa__lanes_image *g, bool *ok)
{
    const fa__patches *p = &g->p;
    if (g->dtype != FA_F32 || !fits(g) || fa__ctx()->settings->deterministic)
        return false;
    const float *weight = g->weight;
    int64_t start[2], step[4] = {g->weight_channel, g->weight_tap[0]};
    for (int d = 0; d < 2; d++) { /* taps that go backwards are those of a kernel that is turned around */
        const bool back = p->tap[d] < 0;
        start[d] = p->start[d] - (back ? 2 : 0);
        weight += back ? 2 * g->weight_tap[d + 1] : 0;
        step[d + 2] = back ? -g->weight_tap[d + 1] : g->weight_tap[d + 1];
    }
    work w = {.grid = fa__winograd_grid_of(p->images, p->size, p->pixels, start, p->stride, g->stride),
              .k = fa__cpu_winograd,
              .kind = fa__cpu_gemm->kind[FA_F32],
              .in = p->channels,
              .out = g->channels,
              .bias_step = g->bias_channel};
    if (!fa__winograd_pays(w.in, w.out, fa__winograd_count(&w.grid)))
        return false;
    memcpy(w.step, step, sizeof w.step);
    w.width = w.kind->cols;
    w.depth = fa__ceil_div(w.in, 16) * 16 + 16; /* not a power of two: rows would share a set of the cache */
    if (fa__log_wants("convolution"))
        fa__log(FA_LOG_INFO, "convolution: an image by Winograd's filtering");
    *ok = true;
    for (int64_t i = 0; i < g->groups && *ok; i++) {
        w.x = g->x + i * w.in * w.grid.x[1];
        w.y = g->y + i * w.out * w.grid.y[1];
        w.weight = weight + i * g->weight_group;
        w.bias = g->bias ? g->bias + i * w.out * w.bias_step : NULL;
        *ok = run_group(&w);
    }
    return true;
}
