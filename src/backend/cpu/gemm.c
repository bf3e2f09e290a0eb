/* How a matrix product is divided: into a rectangle of c for each thread, then into blocks whose operands fit the
 * caches, packed where that pays, then into tiles. None of it changes a result: see fa__gemm_run. */
#include "backend/cpu/gemm.h"
#include "backend/cpu/gemm_kind.h"
#include "backend/cpu/scratch.h"
#include "base/parallel.h"
#include <stdatomic.h>

/* Sizes that were fastest on several machines; all but the first two hardly matter. */
enum {
    DEPTH = 768,              /* of k in a packed block, of f32 */
    ROWS = 168,               /* of packed a: with DEPTH half a MiB, which the second-level cache keeps beside b */
    COLS = 2048,              /* of packed b */
    SOURCE_BYTES = 256 << 10, /* of packed b that is made while it is packed, where that is more than few columns */
    DEPTH_UNPACKED = 4096,    /* of k at most where nothing is packed; beyond, 1024 at a time */
    STAGED = 1024,            /* rows and columns of sums kept apart from c */
    SMALL_OPERAND = 1200000,  /* bytes up to which an operand is used where it lies */
    SMALL_A = 256 << 10,      /* the same for an a whose neighbours are in columns */
    PADDING = 64              /* bytes between packed rows of a, so that they do not share a cache set */
};

typedef struct job {
    const fa__gemm *g;
    const fa__gemm_kind *kind;
    bool pack_a, pack_b, staged;
    int64_t row_tasks, col_tasks;    /* c is divided into row_tasks x col_tasks */
    int64_t depth, rows, cols;       /* of a block: of k and of c */
    int64_t pack_rows, a_packed_row; /* rows of a packed at a time, and their distance */
    size_t a_bytes, b_bytes, sum_bytes, room_bytes;
    atomic_bool failed;
} job;

/* A matrix in use: packed or as it lies. */
typedef struct matrix {
    const char *data;
    int64_t row, col;
} matrix;

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline int64_t round_up(int64_t a, int64_t b)
{
    return ceil_div(a, b) * b;
}

/* The size of equal parts of `whole`, each at most `most` */
static inline int64_t even_part(int64_t whole, int64_t most)
{
    return whole <= most ? whole : ceil_div(whole, ceil_div(whole, most));
}

/* ---- what to do ---- */

/* Rows at such a distance share few sets of the first-level cache, which then cannot hold them together. */
static bool crowded(int64_t row, int64_t size, int64_t distance)
{
    return row * size % distance == 0 && row != 0;
}

static void choose_packing(job *j)
{
    const fa__gemm *g = j->g;
    const fa__gemm_kind *kind = j->kind;
    const int64_t size = (int64_t)kind->sum, small_a = g->a_col == 1 ? SMALL_OPERAND : SMALL_A;
    bool low_tiles = kind->rows < 8; /* they read b often */
    j->pack_b = g->b_source || !kind->direct || g->b_col != 1 || (g->m >= 256 && g->k * g->n * size > SMALL_OPERAND)
                || (low_tiles && g->m >= 8 * kind->rows && crowded(g->b_row, size, 1024));
    j->pack_a = g->a_source || !kind->direct || (g->n >= 256 && g->m * g->k * size > small_a)
                || (g->a_col == 1 && g->n > kind->cols && crowded(g->a_row, size, 4096));
    j->staged = g->sink || !kind->direct || g->c_col != 1 || (g->bias && (g->bias_col != 1 || g->bias_row != 0));
}

/* The time of a task, in vectors of fused multiply-adds for each k: its part of c, and moving its operands */
static double task_cost(const job *j, int64_t row_tasks, int64_t col_tasks)
{
    const int64_t width = j->kind->cols;
    double rows = (double)ceil_div(j->g->m, row_tasks);
    double cols = (double)(ceil_div(ceil_div(j->g->n, width), col_tasks) * width);
    return rows * cols * 2 / (double)width + (j->pack_a ? 1.5 : 0.1) * rows + (j->pack_b ? 1.5 : 0.1) * cols;
}

static void choose_tasks(job *j)
{
    const fa__gemm *g = j->g;
    double work = (double)g->m * (double)g->n * (double)g->k;
    int64_t threads = work < FA__GEMM_PARALLEL ? 1 : fa__parallel_threads();
    int64_t tiles_down = ceil_div(g->m, j->kind->rows), tiles_across = ceil_div(g->n, j->kind->cols);
    if ((double)threads > 2 * work / FA__GEMM_PARALLEL)
        threads = (int64_t)(2 * work / FA__GEMM_PARALLEL) + 1;
    j->row_tasks = j->col_tasks = 1;
    double best = task_cost(j, 1, 1);
    for (int64_t down = 1; threads > 1 && down <= least(threads, tiles_down); down++) {
        int64_t across = least(threads / down, tiles_across);
        double cost = task_cost(j, down, across);
        if (cost < best) {
            best = cost;
            j->row_tasks = down;
            j->col_tasks = across;
        }
    }
}

/* Working memory for the sources: one packs after the other. */
static void choose_room(job *j)
{
    const fa__gemm_source *a = j->g->a_source, *b = j->g->b_source;
    size_t of_a = a ? a->room(a, j->kind, j->pack_rows, j->depth) : 0;
    size_t of_b = b ? b->room(b, j->kind, j->depth, j->cols) : 0;
    j->room_bytes = of_a > of_b ? of_a : of_b;
}

static void choose_blocks(job *j)
{
    const fa__gemm *g = j->g;
    const int64_t size = (int64_t)j->kind->sum, width = j->kind->cols;
    int64_t task_rows = ceil_div(g->m, j->row_tasks);
    int64_t task_cols = ceil_div(ceil_div(g->n, width), j->col_tasks) * width;
    if (j->pack_a || j->pack_b)
        j->depth = even_part(g->k, DEPTH * (int64_t)sizeof(float) / size);
    else
        j->depth = g->k > DEPTH_UNPACKED ? 1024 : g->k;
    j->rows = j->staged ? even_part(task_rows, STAGED) : task_rows;
    j->cols = round_up(even_part(task_cols, j->staged ? STAGED : COLS), width);
    if (g->b_source)
        j->cols = least(j->cols, round_up(SOURCE_BYTES / (j->depth * size + 1) + 1, width));
    j->pack_rows = j->pack_a ? even_part(j->rows, ROWS) : j->rows;
    j->a_packed_row = (round_up(j->depth * size, 64) + PADDING) / size;
    j->a_bytes = j->pack_a ? (size_t)(j->pack_rows * j->a_packed_row * size) : 0;
    j->b_bytes = j->pack_b ? (size_t)(j->depth * j->cols * size) : 0;
    j->sum_bytes = j->staged ? (size_t)(j->rows * j->cols * size) : 0;
    choose_room(j);
}

/* ---- doing it ---- */

/* The columns of b in panels as wide as a tile, each depth x kind->cols without gaps */
static matrix pack_b(const job *j, char *to, matrix b, int64_t depth, int64_t cols)
{
    const fa__gemm_kind *kind = j->kind;
    const int64_t width = kind->cols;
    for (int64_t col = 0; col < cols; col += width)
        kind->pack(to + col * depth * (int64_t)kind->sum, width, b.data + col * b.col * (int64_t)kind->element, b.row,
                   b.col, depth, least(width, cols - col));
    return (matrix){to, width, depth};
}

static matrix pack_a(const job *j, char *to, matrix a, int64_t rows, int64_t depth)
{
    j->kind->pack(to, j->a_packed_row, a.data, a.row, a.col, rows, depth);
    return (matrix){to, j->a_packed_row, 1};
}

/* All tiles of a rectangle. t holds what they have in common, with c and the bias of the first. */
static void run_tiles(const fa__gemm_kind *kind, fa__gemm_tile t, matrix a, matrix b, int64_t rows, int64_t cols)
{
    const int64_t size = (int64_t)kind->sum, tiles = ceil_div(rows, kind->rows);
    char *c = t.c;
    const char *bias = t.bias;
    t.a_row = a.row;
    t.a_col = a.col;
    t.b_row = b.row;
    for (int64_t col = 0; col < cols; col += kind->cols) {
        t.cols = least(kind->cols, cols - col);
        t.b = b.data + col * b.col * size;
        t.bias = bias ? bias + col * size : NULL;
        for (int64_t i = 0; i < tiles; i++) {
            int64_t row = rows * i / tiles;
            t.rows = rows * (i + 1) / tiles - row;
            t.a = a.data + row * a.row * size;
            t.c = c + (row * t.c_row + col) * size;
            kind->tile(&t);
        }
    }
}

/* Working memory of a source; NULL where it asked for none */
static void *room_of(const job *j, char *scratch)
{
    return j->room_bytes ? scratch + round_up((int64_t)(j->a_bytes + j->b_bytes + j->sum_bytes), 64) : NULL;
}

/* The part of b that a block needs for a run of k */
static matrix part_of_b(const job *j, fa__gemm_block part, char *scratch)
{
    const fa__gemm *g = j->g;
    const int64_t element = (int64_t)j->kind->element, width = j->kind->cols;
    if (g->b_source) {
        char *to = scratch + j->a_bytes;
        g->b_source->pack(g->b_source, j->kind, to, width, width, &part, room_of(j, scratch));
        return (matrix){to, width, part.rows};
    }
    matrix b = {(const char *)g->b + (part.row * g->b_row + part.col * g->b_col) * element, g->b_row, g->b_col};
    return j->pack_b ? pack_b(j, scratch + j->a_bytes, b, part.rows, part.cols) : b;
}

static matrix part_of_a(const job *j, fa__gemm_block part, char *scratch)
{
    const fa__gemm *g = j->g;
    const int64_t element = (int64_t)j->kind->element;
    if (g->a_source) {
        g->a_source->pack(g->a_source, j->kind, scratch, j->a_packed_row, part.cols, &part, room_of(j, scratch));
        return (matrix){scratch, j->a_packed_row, 1};
    }
    matrix a = {(const char *)g->a + (part.row * g->a_row + part.col * g->a_col) * element, g->a_row, g->a_col};
    return j->pack_a ? pack_a(j, scratch, a, part.rows, part.cols) : a;
}

/* One run of k, from k on, for a block; t has c, depth, and what follows the last product. */
static void run_depth(const job *j, const fa__gemm_block *at, fa__gemm_tile t, int64_t k, char *scratch)
{
    matrix b = part_of_b(j, (fa__gemm_block){k, at->col, t.depth, at->cols}, scratch);
    char *c = t.c;
    for (int64_t row = 0; row < at->rows; row += j->pack_rows) {
        int64_t rows = least(j->pack_rows, at->rows - row);
        matrix a = part_of_a(j, (fa__gemm_block){at->row + row, k, rows, t.depth}, scratch);
        t.c = c + row * t.c_row * (int64_t)j->kind->sum;
        run_tiles(j->kind, t, a, b, rows, at->cols);
    }
}

static void run_block(const job *j, const fa__gemm_block *at, char *scratch)
{
    const fa__gemm *g = j->g;
    const int64_t size = (int64_t)j->kind->sum;
    fa__gemm_tile t = {.c_row = j->staged ? at->cols : g->c_row};
    t.c = j->staged ? scratch + j->a_bytes + j->b_bytes : (char *)g->c + (at->row * g->c_row + at->col) * size;
    int64_t k = 0;
    do {
        t.depth = least(j->depth, g->k - k);
        t.resume = k > 0 || g->accumulate;
        if (k + t.depth == g->k && !j->staged) {
            t.bias = g->bias ? (const char *)g->bias + at->col * size : NULL;
            t.relu = g->relu;
        }
        run_depth(j, at, t, k, scratch);
        k += t.depth;
    } while (k < g->k);
    if (g->sink)
        g->sink->put(g->sink, j->kind, g, at, t.c, t.c_row);
    else if (j->staged)
        j->kind->finish(g, at, t.c, t.c_row);
}

/* One task, block by block */
static void run_rectangle(const job *j, const fa__gemm_block *all, char *scratch)
{
    for (int64_t col = 0; col < all->cols; col += j->cols)
        for (int64_t row = 0; row < all->rows; row += j->rows) {
            fa__gemm_block at = {all->row + row, all->col + col, least(j->rows, all->rows - row),
                                 least(j->cols, all->cols - col)};
            run_block(j, &at, scratch);
        }
}

static void run_tasks(void *context, int64_t begin, int64_t end)
{
    job *j = context;
    const int64_t m = j->g->m, n = j->g->n, width = j->kind->cols, panels = ceil_div(n, width);
    size_t bytes = j->a_bytes + j->b_bytes + j->sum_bytes + 64 + j->room_bytes;
    bool packs = j->pack_a || j->pack_b || j->staged;
    char *scratch = packs ? fa__cpu_scratch(bytes) : NULL;
    if (packs && !scratch) {
        atomic_store_explicit(&j->failed, true, memory_order_relaxed);
        return;
    }
    for (int64_t task = begin; task < end; task++) {
        int64_t down = task / j->col_tasks, across = task % j->col_tasks;
        int64_t row = m * down / j->row_tasks, row_end = m * (down + 1) / j->row_tasks;
        int64_t col = panels * across / j->col_tasks * width;
        int64_t col_end = least(n, panels * (across + 1) / j->col_tasks * width);
        fa__gemm_block all = {row, col, row_end - row, col_end - col};
        run_rectangle(j, &all, scratch);
    }
}

bool fa__gemm_by_tiles(const fa__gemm *g, const fa__gemm_kind *kind)
{
    if (g->m <= 0 || g->n <= 0)
        return true;
    fa__gemm empty;
    if (g->k <= 0) {
        empty = fa__gemm_empty(g);
        g = &empty;
    }
    job j = {.g = g, .kind = kind};
    choose_packing(&j);
    choose_tasks(&j);
    choose_blocks(&j);
    int64_t tasks = j.row_tasks * j.col_tasks;
    if (tasks == 1)
        run_tasks(&j, 0, 1);
    else
        fa__parallel_for(tasks, 1, run_tasks, &j);
    return !atomic_load_explicit(&j.failed, memory_order_relaxed);
}
