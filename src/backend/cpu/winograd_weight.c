/* Gradients of the weights of convolutions by Winograd's filtering (winograd.h). Patches of x and tiles of y are
 * transformed with a channel in each lane; tasks, each of some channels of both, multiply over all tiles of a block,
 * and add what the products become to the weight. */
#include "backend/cpu/gemm_kind.h"
#include "backend/cpu/level.h"
#include "backend/cpu/scratch.h"
#include "backend/cpu/winograd.h"
#include "base/integer.h"
#include "base/log.h"
#include "base/parallel.h"
#include "core/context.h"
#include <string.h>

enum {
    IN = FA__WINOGRAD_IN,
    OUT = FA__WINOGRAD_OUT,
    ROW = FA__WINOGRAD_ROW,
    PRODUCTS = FA__WINOGRAD_PRODUCTS,
    TAPS = 9,
    ROWS = 32,             /* channels of y in a panel: a whole number of vectors */
    TOGETHER = 16,         /* tiles that a thread transforms one after the other */
    LEAST_TILES = 64,      /* in a block, so that transforming products is small beside them */
    BLOCK_BYTES = 8 << 20, /* of transformed patches and tiles */
};

typedef struct work {
    fa__winograd_grid grid;
    const fa__winograd_kernels *k;
    const fa__gemm_kind *kind;
    const float *x, *y; /* of this group */
    float *weight;
    int64_t in, out, step[4];
    int64_t width;              /* channels of x in a panel */
    int64_t x_panels, y_panels; /* of channels */
    int64_t first, count, most; /* tiles of the block */
    fa__winograd_tile *tile;    /* of the block */
    float *images, *tiles;      /* transformed: by products, panels, tiles of the block and channels */
    _Atomic bool failed;
} work;

/* ---- transforms, of as many channels as there are lanes ---- */

static void transform_image(const work *w, int64_t channel, int64_t number)
{
    static const float none[ROW];
    const int64_t there = fa__min(w->k->lanes, w->in - channel), panel = channel / w->width;
    float room[FA__LANES_MOST][FA__WINOGRAD_PATCH];
    fa__winograd_square patch[FA__LANES_MOST];
    for (int64_t j = 0; j < w->k->lanes; j++)
        if (j < there)
            patch[j] = fa__winograd_patch(&w->grid, &w->tile[number], w->x + (channel + j) * w->grid.x[1], room[j]);
        else
            patch[j] = (fa__winograd_square){(float *)(uintptr_t)none, 0};
    float *to = w->images + (panel * w->most + number) * w->width + channel % w->width;
    w->k->image(to, w->x_panels * w->most * w->width, patch);
}

static void transform_tile(const work *w, int64_t channel, int64_t number)
{
    const fa__winograd_tile *t = &w->tile[number];
    const int64_t there = fa__min(w->k->lanes, w->out - channel), panel = channel / ROWS, row = w->grid.y[2];
    float room[FA__LANES_MOST][OUT * OUT];
    fa__winograd_square tile[FA__LANES_MOST];
    for (int64_t j = 0; j < w->k->lanes; j++) {
        const float *y = w->y + (channel + j) * w->grid.y[1] + t->y;
        if (j < there && t->here) {
            tile[j] = (fa__winograd_square){(float *)(uintptr_t)y, row};
            continue;
        }
        memset(room[j], 0, sizeof room[j]);
        for (int64_t i = 0; j < there && i < t->height; i++)
            fa__winograd_copy(room[j] + i * OUT, 1, y + i * row, w->grid.y[3], t->width);
        tile[j] = (fa__winograd_square){room[j], OUT};
    }
    float *to = w->tiles + (panel * w->most + number) * ROWS + channel % ROWS;
    w->k->tiles_back(to, w->y_panels * w->most * ROWS, tile);
}

/* Lanes of channels, those of x and then those of y, each with all tiles, TOGETHER at a time */
static void transform(void *context, int64_t begin, int64_t end)
{
    const work *w = context;
    const int64_t parts = fa__ceil_div(w->count, TOGETHER), of_x = w->x_panels * w->width / w->k->lanes;
    for (int64_t i = begin; i < end; i++) {
        const int64_t group = i / parts, from = i % parts * TOGETHER, to = fa__min(w->count, from + TOGETHER);
        for (int64_t number = from; number < to; number++)
            if (group < of_x)
                transform_image(w, group * w->k->lanes, number);
            else
                transform_tile(w, (group - of_x) * w->k->lanes, number);
    }
}

/* ---- products, and what becomes of them ---- */

static void multiply(const work *w, float *products, int64_t y_panel, int64_t x_panel)
{
    const int64_t rows = fa__min(ROWS, w->out - y_panel * ROWS), tiles = fa__ceil_div(rows, w->kind->rows);
    fa__gemm_tile t = {
        .cols = w->width, .depth = w->count, .a_row = 1, .a_col = ROWS, .b_row = w->width, .c_row = w->width};
    for (int64_t k = 0; k < PRODUCTS; k++) {
        const float *a = w->tiles + (k * w->y_panels + y_panel) * w->most * ROWS;
        t.b = w->images + (k * w->x_panels + x_panel) * w->most * w->width;
        for (int64_t i = 0; i < tiles; i++) {
            const int64_t row = rows * i / tiles;
            t.rows = rows * (i + 1) / tiles - row;
            t.a = a + row;
            t.c = products + (k * ROWS + row) * w->width;
            t.next = (float *)t.c + t.rows * w->width;
            w->kind->tile(&t);
        }
    }
}

/* Weights of one channel of y and some of x: the first block's sums, to which others are added */
static void put(const work *w, const float *taps, int64_t row, int64_t channel)
{
    const int lanes = w->k->lanes;
    const int64_t there = fa__min(lanes, w->in - channel);
    float *to = w->weight + row * w->step[0] + channel * w->step[1];
    for (int64_t j = 0; j < there; j++, to += w->step[1])
        for (int t = 0; t < TAPS; t++) {
            float *weight = to + t / 3 * w->step[2] + t % 3 * w->step[3];
            *weight = (w->first ? *weight : 0) + taps[t * lanes + j];
        }
}

static size_t task_floats(const work *w)
{
    return (size_t)(PRODUCTS * ROWS * w->width);
}

static void run_tasks(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    float *products = fa__cpu_scratch(task_floats(w) * sizeof *products);
    if (!products) {
        atomic_store_explicit(&w->failed, true, memory_order_relaxed);
        return;
    }
    _Alignas(64) float taps[FA__LANES_MOST * TAPS];
    for (int64_t i = begin; i < end; i++) {
        const int64_t y_panel = i / w->x_panels, x_panel = i % w->x_panels, first = y_panel * ROWS;
        multiply(w, products, y_panel, x_panel);
        for (int64_t row = 0; row < fa__min(ROWS, w->out - first); row++)
            for (int64_t at = 0; at < w->width && x_panel * w->width + at < w->in; at += w->k->lanes) {
                w->k->weights_back(taps, products + row * w->width + at, ROWS * w->width);
                put(w, taps, first + row, x_panel * w->width + at);
            }
    }
}

/* ---- the whole ---- */

/* One allocation: scratch belongs to a thread, so the part that this thread's own tasks ask for again is at its start.
 */
static bool find_memory(work *w)
{
    const size_t images = (size_t)(PRODUCTS * w->x_panels * w->width * w->most),
                 tiles = (size_t)(PRODUCTS * w->y_panels * ROWS * w->most);
    float *memory =
        fa__cpu_scratch((task_floats(w) + images + tiles) * sizeof(float) + (size_t)w->most * sizeof *w->tile);
    if (!memory)
        return false;
    w->images = memory + task_floats(w);
    w->tiles = w->images + images;
    w->tile = (fa__winograd_tile *)(void *)(w->tiles + tiles);
    return true;
}

/* Blocks have a number of tiles that depends on the shapes alone, and so do the sums. */
static bool run_group(work *w)
{
    const int64_t tiles = fa__winograd_count(&w->grid), lanes = w->k->lanes;
    const int64_t each = PRODUCTS * (w->in + w->out) * (int64_t)sizeof(float), fit = BLOCK_BYTES / each;
    w->most = fa__min(tiles, fit < LEAST_TILES ? LEAST_TILES : fit);
    if (!find_memory(w))
        return false;
    for (w->first = 0; w->first < tiles; w->first += w->most) {
        w->count = fa__min(w->most, tiles - w->first);
        fa__winograd_find(&w->grid, w->tile, w->first, w->count);
        const int64_t groups = w->x_panels * w->width / lanes + w->y_panels * ROWS / lanes;
        fa__parallel_for(groups * fa__ceil_div(w->count, TOGETHER), 1, transform, w);
        fa__parallel_for(w->x_panels * w->y_panels, 1, run_tasks, w);
    }
    return !atomic_load(&w->failed);
}

static bool fits(const fa__convolution *v)
{
    bool good = v->images && v->groups && v->in && v->out;
    for (int d = 0; d < 2; d++)
        good &= v->kernel[d] == 3 && v->stride[d] == 1 && v->dilation[d] == 1 && v->result[d] > 0 && v->size[d] > 0;
    return good;
}

bool fa__winograd_weight_run(const fa__convolution *v, const float *x, const float *y, float *weight, bool *ok)
{
    if (!fits(v) || fa__ctx()->settings->deterministic)
        return false;
    const int64_t start[2] = {-v->front[0], -v->front[1]};
    work w = {.grid = fa__winograd_grid_of(v->images, v->size, v->result, start, v->x, v->y),
              .k = fa__cpu_winograd,
              .kind = fa__cpu_gemm->kind[FA_F32],
              .in = v->in,
              .out = v->out};
    if (!fa__winograd_pays(w.in, w.out, fa__winograd_count(&w.grid)))
        return false;
    if (fa__log_wants("convolution"))
        fa__log(FA_LOG_INFO, "convolution: weights by Winograd's filtering");
    memcpy(w.step, v->weight, sizeof w.step);
    w.width = w.kind->cols;
    w.x_panels = fa__ceil_div(w.in, w.width);
    w.y_panels = fa__ceil_div(w.out, ROWS);
    *ok = true;
    for (int64_t i = 0; i < v->groups && *ok; i++) {
        w.x = x + i * w.in * v->x[1];
        w.y = y + i * w.out * v->y[1];
        w.weight = weight + i * w.out * v->weight[0];
        *ok = run_group(&w);
    }
    return true;
}
