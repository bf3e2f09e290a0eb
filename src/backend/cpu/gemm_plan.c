/* How a matrix product is divided (gemm_plan.h): sizes were measured on several machines, those of caches are asked. */
#define _GNU_SOURCE
#include "backend/cpu/gemm_plan.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <stdatomic.h>
#include <unistd.h>

/* Sizes that were fastest on several machines; all but the first two hardly matter. */
enum {
    DEPTH = 512,              /* of k in a packed block, of f32, where the first-level cache holds no panel of b */
    LOWEST_DEPTH = 320,       /* below, a panel that fits it is not worth the more loads and stores of c */
    A_BYTES = 1 << 20,        /* of packed a, at most: the second-level cache keeps it beside b */
    LEAST_ROWS = 48,          /* of packed a */
    COLS = 2048,              /* of packed b */
    SOURCE_BYTES = 256 << 10, /* of packed b that is made while it is packed, where that is more than few columns */
    DEPTH_UNPACKED = 4096,    /* of k at most where nothing is packed; beyond, 1024 at a time */
    STAGED = 1024,            /* rows and columns of sums kept apart from c */
    SMALL_OPERAND = 1200000,  /* bytes up to which an operand is used where it lies */
    SMALL_A = 256 << 10,      /* the same for an a whose neighbours are in columns */
    SMALL_B = 512 << 10,      /* bytes of a b that is packed few columns at a time, which its tiles find in a cache */
    FEW_BYTES = 16 << 10,     /* of those columns, packed */
    PADDING = 64              /* bytes between packed rows of a, so that they do not share a cache set */
};

/* Bytes of the first-level cache for data (0) or of the second-level cache (1) */
static int64_t cache_bytes(int level)
{
    static _Atomic int64_t known[2];
    int64_t bytes = atomic_load_explicit(&known[level], memory_order_relaxed);
    if (bytes)
        return bytes;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    bytes = sysconf(level ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL1_DCACHE_SIZE);
#endif
    const int64_t usual = level ? 512 << 10 : 32 << 10;
    bytes = bytes > 0 ? bytes : usual;
    atomic_store_explicit(&known[level], bytes, memory_order_relaxed);
    return bytes;
}

/* The size of equal parts of `whole`, each at most `most` */
static inline int64_t even_part(int64_t whole, int64_t most)
{
    return whole <= most ? whole : fa__ceil_div(whole, fa__ceil_div(whole, most));
}

/* Rows at such a distance share few sets of the first-level cache, which then cannot hold them together. */
static bool crowded(int64_t row, int64_t size, int64_t distance)
{
    return row * size % distance == 0 && row != 0;
}

static void choose_packing(fa__gemm_plan *j)
{
    const fa__gemm *g = j->g;
    const fa__gemm_kind *kind = j->kind;
    const int64_t size = (int64_t)kind->packed, small_a = g->a_col == 1 ? SMALL_OPERAND : SMALL_A;
    bool low_tiles = kind->rows < 8; /* they read b often */
    const int64_t large = SMALL_OPERAND / 2;
    j->pack_b =
        g->b_source || !kind->direct || g->b_col != 1 || (g->m >= 256 && g->k * g->n * size > SMALL_OPERAND)
        || ((low_tiles || g->k * g->n * size > large) && g->m >= 8 * kind->rows && crowded(g->b_row, size, 1024));
    j->pack_a =
        g->a_source || !kind->direct || (g->n >= 256 && g->m * g->k * size > small_a)
        || (g->a_col == 1 && g->n > kind->cols && crowded(g->a_row, size, g->m * g->k * size > large ? 2048 : 4096));
    j->a_by_tiles = j->pack_a && !g->a_source && kind->group == 1 && (kind->direct || g->a_col != 1);
    j->staged = g->sink || !kind->direct || g->c_col != 1 || (g->bias && (g->bias_col != 1 || g->bias_row != 0));
}

/* The time of a task, in vectors of fused multiply-adds for each k: its part of c, and moving its operands */
static double task_cost(const fa__gemm_plan *j, int64_t row_tasks, int64_t col_tasks)
{
    const int64_t width = j->kind->cols;
    double rows = (double)fa__ceil_div(j->g->m, row_tasks);
    double cols = (double)(fa__ceil_div(fa__ceil_div(j->g->n, width), col_tasks) * width);
    return rows * cols * 2 / (double)width + (j->pack_a ? 1.5 : 0.1) * rows + (j->pack_b ? 1.5 : 0.1) * cols;
}

static void choose_tasks(fa__gemm_plan *j)
{
    const fa__gemm *g = j->g;
    double work = (double)g->m * (double)g->n * (double)g->k;
    int64_t threads = work < FA__GEMM_PARALLEL ? 1 : fa__parallel_threads();
    int64_t tiles_down = fa__ceil_div(g->m, j->kind->rows), tiles_across = fa__ceil_div(g->n, j->kind->cols);
    if ((double)threads > 2 * work / FA__GEMM_PARALLEL)
        threads = (int64_t)(2 * work / FA__GEMM_PARALLEL) + 1;
    j->row_tasks = j->col_tasks = 1;
    double best = task_cost(j, 1, 1);
    for (int64_t down = 1; threads > 1 && down <= fa__min(threads, tiles_down); down++) {
        int64_t across = fa__min(threads / down, tiles_across);
        double cost = task_cost(j, down, across);
        if (cost < best) {
            best = cost;
            j->row_tasks = down;
            j->col_tasks = across;
        }
    }
}

/* Working memory for the sources: one packs after the other. */
static void choose_room(fa__gemm_plan *j)
{
    const fa__gemm_source *a = j->g->a_source, *b = j->g->b_source;
    size_t of_a = a ? a->room(a, j->kind, j->pack_rows, j->depth) : 0;
    size_t of_b = b ? b->room(b, j->kind, j->depth, j->cols) : 0;
    j->room_bytes = of_a > of_b ? of_a : of_b;
}

/* Of k, in packed blocks: as many as leave a panel of b room in the first-level cache, or else far more */
static int64_t most_depth(const fa__gemm_kind *kind)
{
    const int64_t size = (int64_t)kind->packed, fitting = cache_bytes(0) * 2 / 3 / (kind->cols * size);
    return kind->direct && fitting >= LOWEST_DEPTH ? fitting : DEPTH * (int64_t)sizeof(float) / size;
}

/* Of packed a, at a depth */
static int64_t most_rows(const fa__gemm_kind *kind, int64_t depth)
{
    int64_t bytes = fa__min(cache_bytes(1) / 2, A_BYTES), rows = bytes / (depth * (int64_t)kind->packed + 1);
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

static void choose_blocks(fa__gemm_plan *j)
{
    const fa__gemm *g = j->g;
    const int64_t size = (int64_t)j->kind->packed, sum = (int64_t)j->kind->sum, width = j->kind->cols;
    const int64_t height = j->kind->whole ? j->kind->rows : 1;
    int64_t task_rows = fa__ceil_div(g->m, j->row_tasks);
    int64_t task_cols = fa__ceil_div(fa__ceil_div(g->n, width), j->col_tasks) * width;
    if (j->pack_a || j->pack_b)
        j->depth = even_part(g->k, most_depth(j->kind));
    else
        j->depth = g->k > DEPTH_UNPACKED ? 1024 : g->k;
    j->depth = fa__min(fa__gemm_round_up(j->depth, j->kind->group), fa__gemm_round_up(g->k, j->kind->group));
    j->at_once = j->staged && !g->sink && j->depth >= g->k;
    bool blocks = j->staged && !j->at_once;
    j->rows = fa__gemm_round_up(blocks ? even_part(task_rows, STAGED) : task_rows, height);
    j->cols = fa__gemm_round_up(even_part(task_cols, blocks ? STAGED : COLS), width);
    if (g->b_source)
        j->cols = fa__min(j->cols, fa__gemm_round_up(SOURCE_BYTES / (j->depth * size + 1) + 1, width));
    j->pack_rows = j->pack_a ? fa__gemm_round_up(even_part(j->rows, most_rows(j->kind, j->depth)), height) : j->rows;
    j->keeps_a = j->at_once && j->pack_a && j->pack_rows >= j->rows;
    if (j->keeps_a && j->pack_b && g->k * g->n * (int64_t)j->kind->element <= SMALL_B)
        j->cols = fa__min(j->cols, fa__gemm_round_up(FEW_BYTES / (j->depth * size + 1) + 1, width));
    j->a_packed_row = (fa__gemm_round_up(j->depth * size, 64) + PADDING) / size;
    j->a_bytes = j->pack_a ? (size_t)(j->pack_rows * j->a_packed_row * size) : 0;
    j->b_bytes = j->pack_b ? (size_t)(j->depth * j->cols * size) : 0;
    j->sum_bytes = j->at_once ? (size_t)(j->kind->rows * width * sum)
                   : blocks   ? (size_t)(fa__gemm_round_up(j->rows, height) * (j->cols + FA__GEMM_SUMS_PADDING) * sum)
                              : 0;
    choose_room(j);
}

/* Large products: where each thread has rows enough, packing b is shared, and parts are small enough to be exchanged.
 */
static void choose_together(fa__gemm_plan *j)
{
    const fa__gemm *g = j->g;
    const int64_t threads = j->row_tasks * j->col_tasks;
    if (threads == 1 || !j->pack_a || !j->pack_b || g->a_source || g->b_source || g->sink
        || g->m < 8 * j->kind->rows * threads)
        return;
    fa__gemm_plan t = *j;
    t.together = true;
    t.row_tasks = threads * fa__ceil_div(g->m, threads * most_rows(j->kind, fa__min(g->k, most_depth(j->kind))));
    t.col_tasks = 1;
    choose_blocks(&t);
    if (!t.staged || t.at_once)
        *j = t;
}

fa__gemm_plan fa__gemm_plan_of(const fa__gemm *g, const fa__gemm_kind *kind)
{
    fa__gemm_plan j = {.g = g, .kind = kind};
    choose_packing(&j);
    choose_tasks(&j);
    choose_together(&j);
    if (!j.together)
        choose_blocks(&j);
    return j;
}
