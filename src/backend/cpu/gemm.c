/* How a matrix product is divided: into a rectangle of c for each thread, then into blocks whose operands fit the
 * caches, packed where that pays, then into tiles. None of it changes a result: see fa__gemm_run. */
#include "backend/cpu/gemm.h"
#include "backend/cpu/gemm_kind.h"
#include "backend/cpu/scratch.h"
#include "base/parallel.h"
#include <stdatomic.h>
#include <string.h>

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
    PADDING = 64,             /* bytes between packed rows of a, so that they do not share a cache set */
    SUMS_PADDING = 16         /* the same between rows of sums: elements */
};

typedef struct job {
    const fa__gemm *g;
    const fa__gemm_kind *kind;
    bool pack_a, pack_b;
    bool staged;  /* sums are kept apart until they are complete */
    bool at_once; /* they are complete after one run of k: those of a tile are kept, not those of a block */
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
    const int64_t size = (int64_t)kind->packed, small_a = g->a_col == 1 ? SMALL_OPERAND : SMALL_A;
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
    const int64_t size = (int64_t)j->kind->packed, sum = (int64_t)j->kind->sum, width = j->kind->cols;
    const int64_t height = j->kind->whole ? j->kind->rows : 1;
    int64_t task_rows = ceil_div(g->m, j->row_tasks);
    int64_t task_cols = ceil_div(ceil_div(g->n, width), j->col_tasks) * width;
    if (j->pack_a || j->pack_b)
        j->depth = even_part(g->k, DEPTH * (int64_t)sizeof(float) / size);
    else
        j->depth = g->k > DEPTH_UNPACKED ? 1024 : g->k;
    j->depth = least(round_up(j->depth, j->kind->group), round_up(g->k, j->kind->group));
    j->at_once = j->staged && !g->sink && j->depth >= g->k;
    bool blocks = j->staged && !j->at_once;
    j->rows = round_up(blocks ? even_part(task_rows, STAGED) : task_rows, height);
    j->cols = round_up(even_part(task_cols, blocks ? STAGED : COLS), width);
    if (g->b_source)
        j->cols = least(j->cols, round_up(SOURCE_BYTES / (j->depth * size + 1) + 1, width));
    j->pack_rows = j->pack_a ? round_up(even_part(j->rows, ROWS), height) : j->rows;
    j->a_packed_row = (round_up(j->depth * size, 64) + PADDING) / size;
    j->a_bytes = j->pack_a ? (size_t)(j->pack_rows * j->a_packed_row * size) : 0;
    j->b_bytes = j->pack_b ? (size_t)(j->depth * j->cols * size) : 0;
    j->sum_bytes = j->at_once ? (size_t)(j->kind->rows * width * sum)
                   : blocks   ? (size_t)(round_up(j->rows, height) * (j->cols + SUMS_PADDING) * sum)
                              : 0;
    choose_room(j);
}

/* ---- doing it ---- */

/* The number of k in a packed operand */
static int64_t packed_depth(const job *j, int64_t depth)
{
    return round_up(depth, j->kind->group);
}

/* A panel of b after what was packed of it: zeros behind the last k, and pairs joined where they have to be */
static void end_panel(const fa__gemm_kind *kind, char *panel, int64_t depth, int64_t packed, bool join)
{
    const int64_t row = kind->cols * (int64_t)kind->packed;
    memset(panel + depth * row, 0, (size_t)((packed - depth) * row));
    if (join && kind->join)
        kind->join(panel, packed);
}

/* The columns of b in panels as wide as a tile, each packed depth x kind->cols without gaps */
static matrix pack_b(const job *j, char *to, matrix b, int64_t depth, int64_t cols)
{
    const fa__gemm_kind *kind = j->kind;
    const int64_t width = kind->cols, packed = packed_depth(j, depth);
    for (int64_t col = 0; col < cols; col += width) {
        char *panel = to + col * packed * (int64_t)kind->packed;
        const char *from = b.data + col * b.col * (int64_t)kind->element;
        if (kind->pack_joined)
            kind->pack_joined(panel, from, b.row, b.col, depth, least(width, cols - col));
        else
            kind->pack(panel, width, from, b.row, b.col, depth, least(width, cols - col));
        end_panel(kind, panel, kind->pack_joined ? round_up(depth, 2) : depth, packed, false);
    }
    return (matrix){to, width, packed};
}

/* Zeros behind the last k of each row of a packed a */
static void end_rows(const job *j, char *to, int64_t rows, int64_t depth)
{
    const int64_t size = (int64_t)j->kind->packed, more = packed_depth(j, depth) - depth;
    for (int64_t i = 0; more > 0 && i < rows; i++)
        memset(to + (i * j->a_packed_row + depth) * size, 0, (size_t)(more * size));
}

/* Sums of a tile that were kept apart, complete: to c */
static void finish_tile(const job *j, const fa__gemm_tile *t, int64_t row, int64_t col)
{
    j->kind->finish(j->g, &(fa__gemm_block){row, col, t->rows, t->cols}, t->c, t->c_row);
}

/* All tiles of a rectangle. t holds what they have in common, with c and the bias of the first. */
static void run_tiles(const job *j, fa__gemm_tile t, matrix a, matrix b, const fa__gemm_block *at)
{
    const fa__gemm_kind *kind = j->kind;
    const int64_t packed = (int64_t)kind->packed, sum = (int64_t)kind->sum, tiles = ceil_div(at->rows, kind->rows);
    char *c = t.c;
    const char *bias = t.bias;
    t.a_row = a.row;
    t.a_col = a.col;
    t.b_row = b.row;
    for (int64_t col = 0; col < at->cols; col += kind->cols) {
        t.cols = least(kind->cols, at->cols - col);
        t.b = b.data + col * b.col * packed;
        t.bias = bias ? bias + col * sum : NULL;
        for (int64_t i = 0; i < tiles; i++) {
            int64_t row = kind->whole ? i * kind->rows : at->rows * i / tiles;
            t.rows = (kind->whole ? least(at->rows, row + kind->rows) : at->rows * (i + 1) / tiles) - row;
            t.a = a.data + row * a.row * packed;
            t.c = j->at_once ? c : c + (row * t.c_row + col) * sum;
            kind->tile(&t);
            if (j->at_once)
                finish_tile(j, &t, at->row + row, at->col + col);
        }
    }
}

/* In working memory: packed a, then sums, then packed b, then the room of a source (NULL where it asked for none) */
static char *place_of_b(const job *j, char *scratch)
{
    return scratch + j->a_bytes + j->sum_bytes;
}

static void *room_of(const job *j, char *scratch)
{
    return j->room_bytes ? scratch + round_up((int64_t)(j->a_bytes + j->b_bytes + j->sum_bytes), 64) : NULL;
}

/* b made while it is packed */
static matrix make_b(const job *j, char *to, fa__gemm_block part, void *room)
{
    const fa__gemm_kind *kind = j->kind;
    const int64_t width = kind->cols, packed = packed_depth(j, part.rows), step = width * packed;
    const fa__gemm_place place = {to, width, width, step};
    j->g->b_source->pack(j->g->b_source, kind, &place, &part, room);
    for (int64_t col = 0; col < part.cols; col += width)
        end_panel(kind, to + col * packed * (int64_t)kind->packed, part.rows, packed, true);
    return (matrix){to, width, packed};
}

/* The part of b that a block needs for a run of k */
static matrix part_of_b(const job *j, fa__gemm_block part, char *scratch)
{
    const fa__gemm *g = j->g;
    const int64_t element = (int64_t)j->kind->element;
    if (g->b_source)
        return make_b(j, place_of_b(j, scratch), part, room_of(j, scratch));
    matrix b = {(const char *)g->b + (part.row * g->b_row + part.col * g->b_col) * element, g->b_row, g->b_col};
    return j->pack_b ? pack_b(j, place_of_b(j, scratch), b, part.rows, part.cols) : b;
}

static matrix part_of_a(const job *j, fa__gemm_block part, char *scratch)
{
    const fa__gemm *g = j->g;
    const fa__gemm_place place = {scratch, j->a_packed_row, part.cols, 0};
    if (g->a_source) {
        g->a_source->pack(g->a_source, j->kind, &place, &part, room_of(j, scratch));
    } else {
        const char *a = (const char *)g->a + (part.row * g->a_row + part.col * g->a_col) * (int64_t)j->kind->element;
        if (!j->pack_a)
            return (matrix){a, g->a_row, g->a_col};
        j->kind->pack(scratch, j->a_packed_row, a, g->a_row, g->a_col, part.rows, part.cols);
    }
    end_rows(j, scratch, part.rows, part.cols);
    return (matrix){scratch, j->a_packed_row, 1};
}

/* Where the sums of a block are */
static fa__gemm_tile sums_of(const job *j, const fa__gemm_block *at, char *scratch)
{
    const fa__gemm *g = j->g;
    char *sums = scratch + j->a_bytes;
    if (j->at_once)
        return (fa__gemm_tile){.c = sums, .c_row = j->kind->cols};
    if (j->staged)
        return (fa__gemm_tile){.c = sums, .c_row = j->cols + SUMS_PADDING};
    char *c = (char *)g->c + (at->row * g->c_row + at->col) * (int64_t)j->kind->sum;
    return (fa__gemm_tile){.c = c, .c_row = g->c_row};
}

/* What a run of k from k on starts from, and what follows after the last one */
static void set_run(const job *j, fa__gemm_tile *t, const fa__gemm_block *at, int64_t k, int64_t depth)
{
    const fa__gemm *g = j->g;
    t->depth = packed_depth(j, depth);
    t->resume = k > 0 || g->accumulate;
    if (k + depth < g->k || j->staged)
        return;
    t->bias = g->bias ? (const char *)g->bias + at->col * (int64_t)j->kind->sum : NULL;
    t->relu = g->relu;
}

/* One run of k, from k on, for a block */
static void run_depth(const job *j, const fa__gemm_block *at, fa__gemm_tile t, int64_t k, char *scratch)
{
    int64_t depth = least(j->depth, j->g->k - k);
    matrix b = part_of_b(j, (fa__gemm_block){k, at->col, depth, at->cols}, scratch);
    char *c = t.c;
    set_run(j, &t, at, k, depth);
    for (int64_t row = 0; row < at->rows; row += j->pack_rows) {
        fa__gemm_block part = {at->row + row, at->col, least(j->pack_rows, at->rows - row), at->cols};
        matrix a = part_of_a(j, (fa__gemm_block){part.row, k, part.rows, depth}, scratch);
        t.c = j->at_once ? c : c + row * t.c_row * (int64_t)j->kind->sum;
        run_tiles(j, t, a, b, &part);
    }
}

static void run_block(const job *j, const fa__gemm_block *at, char *scratch)
{
    const fa__gemm *g = j->g;
    fa__gemm_tile t = sums_of(j, at, scratch);
    int64_t k = 0;
    do {
        run_depth(j, at, t, k, scratch);
        k += j->depth;
    } while (k < g->k);
    if (g->sink)
        g->sink->put(g->sink, j->kind, g, at, t.c, t.c_row);
    else if (j->staged && !j->at_once)
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

/* Working memory of a thread; false, with the job failed, when there is none. NULL where none is needed. */
static bool find_scratch(job *j, size_t bytes, char **scratch)
{
    bool needed = j->pack_a || j->pack_b || j->staged;
    *scratch = needed ? fa__cpu_scratch(bytes) : NULL;
    if (*scratch || !needed)
        return true;
    atomic_store_explicit(&j->failed, true, memory_order_relaxed);
    return false;
}

static void run_tasks(void *context, int64_t begin, int64_t end)
{
    job *j = context;
    const int64_t m = j->g->m, n = j->g->n, width = j->kind->cols, panels = ceil_div(n, width);
    char *scratch;
    if (!find_scratch(j, j->a_bytes + j->sum_bytes + j->b_bytes + 64 + j->room_bytes, &scratch))
        return;
    if (j->kind->enter)
        j->kind->enter();
    for (int64_t task = begin; task < end; task++) {
        int64_t down = task / j->col_tasks, across = task % j->col_tasks;
        int64_t row = m * down / j->row_tasks, row_end = m * (down + 1) / j->row_tasks;
        int64_t col = panels * across / j->col_tasks * width;
        int64_t col_end = least(n, panels * (across + 1) / j->col_tasks * width);
        fa__gemm_block all = {row, col, row_end - row, col_end - col};
        run_rectangle(j, &all, scratch);
    }
    if (j->kind->leave)
        j->kind->leave();
}

/* ---- large products: all threads pack a block of b, then each takes rows of a ---- */

/* One block of b */
typedef struct phase {
    job *j;
    fa__gemm_block b;
    char *packed;
} phase;

static bool choose_together(job *j)
{
    const fa__gemm *g = j->g;
    const int64_t threads = j->row_tasks * j->col_tasks, height = j->kind->rows;
    if (threads == 1 || !j->pack_a || !j->pack_b || g->a_source || g->b_source || g->sink
        || g->m < 8 * height * threads)
        return false;
    j->row_tasks = threads * ceil_div(g->m, threads * ROWS);
    j->col_tasks = 1;
    choose_blocks(j);
    return !j->staged || j->at_once;
}

static void pack_panels(void *context, int64_t begin, int64_t end)
{
    const phase *p = context;
    const job *j = p->j;
    const fa__gemm *g = j->g;
    const int64_t width = j->kind->cols, col = begin * width, cols = least(end * width, p->b.cols) - col;
    const int64_t at = p->b.row * g->b_row + (p->b.col + col) * g->b_col;
    const matrix b = {(const char *)g->b + at * (int64_t)j->kind->element, g->b_row, g->b_col};
    pack_b(j, p->packed + col * packed_depth(j, p->b.rows) * (int64_t)j->kind->packed, b, p->b.rows, cols);
}

static void run_chunks(void *context, int64_t begin, int64_t end)
{
    const phase *p = context;
    job *j = p->j;
    const matrix b = {p->packed, j->kind->cols, packed_depth(j, p->b.rows)};
    char *scratch;
    if (!find_scratch(j, j->a_bytes + j->sum_bytes, &scratch))
        return;
    if (j->kind->enter)
        j->kind->enter();
    for (int64_t i = begin; i < end; i++) {
        int64_t row = j->g->m * i / j->row_tasks, rows = j->g->m * (i + 1) / j->row_tasks - row;
        fa__gemm_block part = {row, p->b.col, rows, p->b.cols};
        fa__gemm_tile t = sums_of(j, &part, scratch);
        set_run(j, &t, &part, p->b.row, p->b.rows);
        run_tiles(j, t, part_of_a(j, (fa__gemm_block){row, p->b.row, rows, p->b.rows}, scratch), b, &part);
    }
    if (j->kind->leave)
        j->kind->leave();
}

static void run_together(job *j)
{
    const fa__gemm *g = j->g;
    char *scratch;
    if (!find_scratch(j, j->a_bytes + j->sum_bytes + j->b_bytes, &scratch))
        return;
    for (int64_t col = 0; col < g->n; col += j->cols)
        for (int64_t k = 0; k < g->k; k += j->depth) {
            phase p = {.j = j, .packed = place_of_b(j, scratch)};
            p.b = (fa__gemm_block){k, col, least(j->depth, g->k - k), least(j->cols, g->n - col)};
            fa__parallel_for(ceil_div(p.b.cols, j->kind->cols), 1, pack_panels, &p);
            fa__parallel_for(j->row_tasks, 1, run_chunks, &p);
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
    job together = j;
    if (choose_together(&together)) {
        run_together(&together);
        return !atomic_load_explicit(&together.failed, memory_order_relaxed);
    }
    choose_blocks(&j);
    int64_t tasks = j.row_tasks * j.col_tasks;
    if (tasks == 1)
        run_tasks(&j, 0, 1);
    else
        fa__parallel_for(tasks, 1, run_tasks, &j);
    return !atomic_load_explicit(&j.failed, memory_order_relaxed);
}
