/* How a convolution is divided into lanes and blocks, and whether that is faster than a matrix product of patches. */
#include "backend/cpu/lanes_plan.h"
#include "backend/cpu/lanes_winograd.h"
#include "backend/cpu/level.h"
#include "base/integer.h"
#include "base/log.h"
#include "base/parallel.h"
#include "core/context.h"
#include <math.h>
#include <stdlib.h>

/* Cycles, measured at the levels AVX2 and AVX-512: of a vector's multiply-add, and of copying one into a block or out
 */
static const double multiply = 0.55, copy = 6;
/* Where less of the lanes has something to do, matrix products are faster. */
static const double least_use = 0.7;
enum {
    BLOCK_BYTES = 1 << 20, /* of x and y: both are to stay in the second-level cache */
    IMAGE_CHANNELS = 2048, /* of x times those of y: with more a matrix product does not wait for its patches */
    WEIGHTS = 8192,        /* of a group: sums of more leave the caches between rows of pixels */
    FEW_TAPS = 16,         /* for a gradient of the weight: copying y takes longer than multiplying it */
};

static inline int64_t round_up(int64_t a)
{
    return fa__ceil_div(a, 16) * 16;
}

/* What follows from the rows of a band */
static void set_block(fa__lanes_plan *plan, const fa__patches *p, int64_t channels)
{
    int64_t reach[2];
    for (int d = 0; d < 2; d++) {
        int64_t far = (p->taps[d] - 1) * p->tap[d], last = p->start[d] + (p->pixels[d] - 1) * p->step[d];
        plan->low[d] = p->start[d] + (far < 0 ? far : 0);
        reach[d] = (far < 0 ? -far : far) + 1;
        plan->padded[d] = plan->low[d] < 0 || last + (far > 0 ? far : 0) >= p->size[d];
    }
    const int64_t lanes = fa__cpu_lanes->lanes;
    plan->block_rows = (plan->rows - 1) * p->step[0] + reach[0];
    plan->pitch = (p->pixels[1] - 1) * p->step[1] + reach[1];
    plan->x_floats = p->channels * plan->block_rows * plan->pitch * lanes;
    plan->columns = p->pixels[1];
    plan->y_floats = channels * plan->rows * plan->columns * lanes;
    plan->zeros = round_up(p->size[1] + 16);
    plan->bands = fa__ceil_div(p->pixels[0], plan->rows);
    plan->blocks = fa__ceil_div(plan->images * plan->bands, lanes);
}

/* The transforms of a row of Winograd's filtering, in multiply-adds of a vector: x into points and points into y, for
 * each tile and channel, with what it takes that points leave the first-level cache; the same for y into points; and
 * for a gradient of the weight what each sum of a block takes, beside those of its pixels. */
enum { INTO_POINTS = 50, INTO_PIXELS = 35, Y_INTO_POINTS = 45, OF_SUM = 12 };

/* How long the thread with the most blocks takes. */
static double cost_of(const fa__lanes_plan *plan, const fa__patches *p, int64_t groups, int64_t channels)
{
    const double rows = (double)plan->rows, taps = (double)(p->channels * p->taps[0]), out = (double)channels,
                 columns = (double)plan->columns, lanes = fa__cpu_lanes->lanes;
    double sums = rows * columns * taps * (double)p->taps[1] * out;
    double copies = (double)(plan->x_floats + plan->y_floats) / lanes;
    if (plan->tile) {
        const double tiles = columns / (double)plan->tile, of_x = (double)(p->channels * plan->block_rows);
        sums = tiles * (rows * out * (FA__LANES_POINTS * taps + INTO_PIXELS) + of_x * INTO_POINTS);
        copies = of_x * (double)plan->pitch + rows * columns * out;
    }
    return (double)fa__ceil_div(groups * plan->blocks, fa__parallel_threads()) * (sums * multiply + copies * copy);
}

static bool fits(int64_t floats)
{
    return floats * (int64_t)sizeof(float) <= BLOCK_BYTES;
}

/* The part of the lanes that has something to do */
static double use_of_lanes(const fa__lanes_plan *plan)
{
    return (double)(plan->images * plan->bands) / (double)(plan->blocks * fa__cpu_lanes->lanes);
}

static void note(const char *what, const fa__lanes_plan *plan, bool pays)
{
    const char *way = !pays ? "a matrix product" : plan->tile ? "Winograd's filtering in lanes" : "lanes";
    if (fa__log_wants("convolution"))
        fa__log(FA_LOG_INFO, "convolution: %s by %s; %lld bands of %lld rows, %lld blocks of %lld KiB", what, way,
                (long long)plan->bands, (long long)plan->rows, (long long)plan->blocks,
                (long long)((plan->x_floats + plan->y_floats) / 256));
}

/* ---- taps ---- */

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a / b rounded up; 0 for a negative a */
static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a + b - 1) / b : 0;
}

void fa__lanes_meet(const fa__patches *p, int d, int64_t pixel, int64_t pixels, int64_t taps[2])
{
    int64_t low = p->start[d] + pixel * p->step[d], high = low + (pixels - 1) * p->step[d], end = p->size[d];
    int64_t tap = p->tap[d];
    if (tap > 0) {
        taps[0] = fa__min(quotient_up(-high, tap), p->taps[d]);
        taps[1] = most(fa__min(quotient_up(end - low, tap), p->taps[d]), taps[0]);
    } else {
        taps[0] = fa__min(quotient_up(low - end + 1, -tap), p->taps[d]);
        taps[1] = high < 0 ? taps[0] : most(fa__min(high / -tap + 1, p->taps[d]), taps[0]);
    }
}

/* About the cycles of a row of pixels for one tap and six channels, when tiles have so many pixels: a tile has all taps
 * that one of its pixels needs. */
static double cost_of_width(const fa__patches *p, int64_t width)
{
    const int64_t tiles = fa__lanes_tiles(p->pixels[1], width);
    double cost = 0;
    for (int64_t i = 0; i < tiles; i++) {
        int64_t from = fa__lanes_tile_at(p->pixels[1], tiles, i), taps[2];
        int64_t pixels = fa__lanes_tile_at(p->pixels[1], tiles, i + 1) - from;
        fa__lanes_meet(p, 1, from, pixels, taps);
        cost += (double)(taps[1] - taps[0]) * (3 * (double)pixels + 0.7);
    }
    return cost;
}

static int64_t best_width(const fa__lanes_plan *plan, const fa__patches *p)
{
    int64_t best = fa__cpu_lanes->across;
    for (int64_t i = best - 1; i > 0 && plan->padded[1]; i--)
        if (cost_of_width(p, i) < cost_of_width(p, best))
            best = i;
    return best;
}

/* ---- Winograd's filtering ---- */

/* How many taps that are no padding all pixels of a row (d = 1) or column meet, added. */
static double met(const fa__patches *p, int d)
{
    int64_t all = 0, taps[2];
    for (int64_t i = 0; i < p->pixels[d]; i++) {
        fa__lanes_meet(p, d, i, 1, taps);
        all += taps[1] - taps[0];
    }
    return (double)all;
}

/* The pixels of a tile for these taps; 0: there is none. */
static int64_t tile_of_taps(const fa__patches *p)
{
    const int64_t taps = p->taps[1];
    bool fits = (taps == 3 || taps == 5 || taps == 7) && p->step[1] == 1 && llabs(p->tap[1]) == 1;
    return fits && !fa__ctx()->settings->deterministic ? FA__LANES_POINTS + 1 - taps : 0;
}

/* Whether tiles are faster than chains by a tenth or more. This changes bits, and so must not depend on the number of
 * threads or lanes: two threads of 16 lanes stand for all. Results of one or two channels, and rows of one tile, are
 * too few sums at a time. */
static bool tiles_pay(const fa__patches *p, int64_t tile, int64_t channels)
{
    enum { LANES = 32, LEAST = 1 << 18 };
    const int64_t tiles = fa__ceil_div(p->pixels[1], tile), units = p->images * p->pixels[0];
    if (tiles < 2 || channels < 3 || units < LANES / 2)
        return false;
    const double pairs = (double)(p->channels * channels), rows = met(p, 0), chains = rows * met(p, 1) * pairs;
    const int64_t bands = fa__min(fa__ceil_div(LANES, p->images), p->pixels[0]), band = p->pixels[0] / bands,
                  of_band = fa__min((band - 1) * p->step[0] + (p->taps[0] - 1) * llabs(p->tap[0]) + 1, p->size[0]);
    const double filtered = (double)tiles
                            * (rows * FA__LANES_POINTS * pairs + (double)(p->pixels[0] * channels * INTO_PIXELS)
                               + (double)(bands * of_band * p->channels * INTO_POINTS));
    const double use = band > 1 ? 1 : (double)units / (double)(fa__ceil_div(units, LANES) * LANES);
    return (double)p->images * chains >= LEAST && filtered * 1.1 < chains * use;
}

/* The same for a gradient of the weight, in whose stretches there are so many images and rows. */
static bool weight_tiles_pay(const fa__convolution *v, int64_t tile, int64_t images, int64_t rows)
{
    const int64_t tiles = fa__ceil_div(v->result[1], tile), of_x = (rows - 1) * v->stride[0] + v->kernel[0];
    const double sums = (double)(v->in * v->kernel[0] * v->out), lines = (double)(images * rows),
                 width = (double)v->result[1];
    if (tiles < 2 || v->out < 3)
        return false;
    const double filtered = (double)tiles
                                * (lines * (FA__LANES_POINTS * sums + (double)(Y_INTO_POINTS * v->out))
                                   + (double)(images * of_x * v->in * INTO_POINTS))
                            + FA__LANES_POINTS * sums * OF_SUM;
    const double chains = (double)v->kernel[1] * sums * (lines * width * 1.15 + OF_SUM);
    return filtered * 1.1 < chains;
}

/* ---- images ---- */

static void plan_bands(fa__lanes_plan *plan, const fa__lanes_image *g, int64_t tile, int64_t bands)
{
    fa__patches p = g->p;
    *plan = (fa__lanes_plan){.images = p.images, .each = 1, .rows = fa__ceil_div(p.pixels[0], bands), .tile = tile};
    p.pixels[1] = tile ? fa__ceil_div(p.pixels[1], tile) * tile : p.pixels[1];
    set_block(plan, &p, g->channels);
    if (tile) { /* x in points, and one row of y */
        const int64_t tiles = plan->columns / tile, lanes = fa__cpu_lanes->lanes;
        plan->x_floats = FA__LANES_POINTS * p.channels * plan->block_rows * tiles * lanes;
        plan->y_floats = g->channels * plan->columns * lanes;
    }
    plan->cost = cost_of(plan, &p, g->groups, g->channels);
}

/* The number of bands that takes least, of those whose blocks fit the cache and that use more than this part of the
 * lanes; where there are none, the most bands or others that use less. */
static void find_bands(fa__lanes_plan *best, const fa__lanes_image *g, int64_t tile, double use)
{
    const int64_t rows = g->p.pixels[0];
    plan_bands(best, g, tile, rows);
    for (int64_t bands = 1; bands < rows; bands += 1 + bands / 16) {
        fa__lanes_plan plan;
        plan_bands(&plan, g, tile, bands);
        if (fits(plan.x_floats + plan.y_floats) && use_of_lanes(&plan) > use
            && (plan.cost < best->cost || use_of_lanes(best) <= use))
            *best = plan;
    }
}

/* Whether what the windows reach is small enough to be planned for: no cache holds more. */
static bool is_small(const fa__patches *p)
{
    bool small = true;
    for (int d = 0; d < 2; d++)
        small &= (double)p->pixels[d] * (double)p->step[d] + (double)p->taps[d] * fabs((double)p->tap[d]) < BLOCK_BYTES;
    return small;
}

/* By tiles, if one row of pixels fits the cache at every level. */
static bool plan_tiles(fa__lanes_plan *plan, const fa__lanes_image *g)
{
    const int64_t tile = tile_of_taps(&g->p);
    if (!tile || !tiles_pay(&g->p, tile, g->channels))
        return false;
    plan_bands(plan, g, tile, g->p.pixels[0]);
    if (!fits((plan->x_floats + plan->y_floats) / fa__cpu_lanes->lanes * FA__LANES_MOST))
        return false;
    find_bands(plan, g, tile, 0);
    note("an image", plan, true);
    return true;
}

bool fa__lanes_suit_image(const fa__lanes_image *g)
{
    const fa__patches *p = &g->p;
    const bool empty = !p->images || !g->groups || !p->channels || !g->channels || !p->pixels[0] || !p->pixels[1];
    return !empty && is_small(p) && p->taps[0] * p->taps[1] > 1 && p->channels * g->channels <= IMAGE_CHANNELS;
}

bool fa__lanes_plan_image(fa__lanes_plan *plan, const fa__lanes_image *g)
{
    const fa__patches *p = &g->p;
    if (!fa__lanes_suit_image(g))
        return false;
    if (plan_tiles(plan, g))
        return true;
    if ((p->stride[3] != 1 && p->size[1] != 1) || (g->stride[3] != 1 && p->pixels[1] != 1))
        return false; /* columns are not neighbours */
    find_bands(plan, g, 0, 0);
    if (use_of_lanes(plan) <= least_use && fa__cpu_gemm_of((int)g->dtype) != fa__cpu_gemm)
        find_bands(plan, g, 0, least_use); /* a product by instructions has other bits: no choice by the threads */
    plan->across = best_width(plan, p);
    bool pays = fits(plan->x_floats + plan->y_floats) && use_of_lanes(plan) > least_use;
    note("an image", plan, pays);
    return pays;
}

/* ---- weights ---- */

fa__patches fa__lanes_patches_of_y(const fa__convolution *v)
{
    fa__patches p = {.images = v->images, .channels = v->out, .taps = {1, 1}, .step = {1, 1}, .tap = {1, 1}};
    for (int i = 0; i < 4; i++)
        p.stride[i] = v->y[i];
    for (int d = 0; d < 2; d++)
        p.size[d] = p.pixels[d] = v->result[d];
    return p;
}

/* Whether the stretches are whole images, or bands of rows of one. */
static bool set_stretches(fa__lanes_plan *plan, const fa__convolution *v)
{
    const int64_t part = fa__convolution_part(v), image = v->result[0] * v->result[1], width = v->result[1];
    *plan = (fa__lanes_plan){.each = 1};
    if (!image || !part || (part > image ? part % image : part % width || image % part))
        return false;
    plan->each = part > image ? part / image : 1;
    plan->images = v->images / plan->each;
    plan->rows = part > image ? v->result[0] : part / width;
    return plan->images * plan->each == v->images;
}

/* By tiles, if they are faster and the lanes have enough to do at every level. */
static bool plan_weight_tiles(fa__lanes_plan *x, fa__lanes_plan *y, const fa__convolution *v)
{
    enum { STRETCHES = 16 };
    fa__patches of_x = fa__convolution_patches(v), of_y = fa__lanes_patches_of_y(v);
    const int64_t tile = tile_of_taps(&of_x), sums = FA__LANES_POINTS * v->in * v->kernel[0] * v->out;
    if (!tile || sums > WEIGHTS || x->images * (of_x.pixels[0] / x->rows) < STRETCHES
        || !weight_tiles_pay(v, tile, x->each, x->rows))
        return false;
    x->tile = y->tile = tile;
    of_x.pixels[1] = of_y.pixels[1] = fa__ceil_div(of_x.pixels[1], tile) * tile;
    set_block(x, &of_x, 0);
    set_block(y, &of_y, 0);
    x->x_floats = FA__LANES_POINTS * v->in * x->block_rows * (x->columns / tile) * fa__cpu_lanes->lanes;
    const int64_t floats = (x->x_floats + y->x_floats) / fa__cpu_lanes->lanes * FA__LANES_MOST;
    if (!fits(floats / 2)) {
        x->tile = y->tile = 0;
        return false;
    }
    note("weights", x, true);
    return true;
}

bool fa__lanes_suit_weight(const fa__convolution *v)
{
    const int64_t sums = v->in * v->kernel[0] * v->kernel[1] * v->out;
    fa__lanes_plan x;
    return v->images && sums && sums <= WEIGHTS && set_stretches(&x, v);
}

bool fa__lanes_plan_weight(fa__lanes_plan *x, fa__lanes_plan *y, const fa__convolution *v)
{
    const int64_t taps = v->in * v->kernel[0] * v->kernel[1];
    if (!fa__lanes_suit_weight(v))
        return false;
    set_stretches(x, v);
    *y = *x;
    if (plan_weight_tiles(x, y, v))
        return true;
    if ((v->x[3] != 1 && v->size[1] != 1) || (v->y[3] != 1 && v->result[1] != 1))
        return false; /* columns are not neighbours */
    if (taps < FEW_TAPS && v->out > fa__cpu_lanes->channels)
        return false;
    const fa__patches of_x = fa__convolution_patches(v), of_y = fa__lanes_patches_of_y(v);
    set_block(x, &of_x, 0);
    set_block(y, &of_y, 0);
    bool pays = fits((x->x_floats + y->x_floats) / 2) && use_of_lanes(x) > 0.6;
    note("weights", x, pays);
    return pays;
}
