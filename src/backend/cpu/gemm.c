/* Matrix products by tiles: packs blocks of the operands as the plan (gemm_plan.h) says, and runs all tiles. */
#include "backend/cpu/gemm_plan.h"
#include "backend/cpu/scratch.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <stdatomic.h>
#include <string.h>

enum { PACKED_ROWS = 16 }; /* of b at a time: read in long runs, which are few enough for the caches of addresses */

typedef struct job {
    fa__gemm_plan plan;
    atomic_bool failed;
} job;

/* A matrix in use: packed or as it lies. */
typedef struct matrix {
    const char *data;
    int64_t row, col;
} matrix;

/* The number of k in a packed operand */
static int64_t packed_depth(const fa__gemm_plan *j, int64_t depth)
{
    return fa__gemm_round_up(depth, j->kind->group);
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
static matrix pack_b(const fa__gemm_plan *j, char *to, matrix b, int64_t depth, int64_t cols)
{
    const fa__gemm_kind *kind = j->kind;
    const int64_t width = kind->cols, packed = packed_depth(j, depth);
    const int64_t part = b.col == 1 ? PACKED_ROWS : depth;
    for (int64_t k = 0; k < depth; k += part)
        for (int64_t col = 0; col < cols; col += width) {
            char *panel = to + (col * packed + k * width) * (int64_t)kind->packed;
            const char *from = b.data + (k * b.row + col * b.col) * (int64_t)kind->element;
            if (kind->pack_joined)
                kind->pack_joined(panel, from, b.row, b.col, fa__min(part, depth - k), fa__min(width, cols - col));
            else
                kind->pack(panel, width, from, b.row, b.col, fa__min(part, depth - k), fa__min(width, cols - col));
        }
    for (int64_t col = 0; packed > depth && col < cols; col += width)
        end_panel(kind, to + col * packed * (int64_t)kind->packed,
                  kind->pack_joined ? fa__gemm_round_up(depth, 2) : depth, packed, false);
    return (matrix){to, width, packed};
}

/* Zeros behind the last k of each row of a packed a */
static void end_rows(const fa__gemm_plan *j, char *to, int64_t rows, int64_t depth)
{
    const int64_t size = (int64_t)j->kind->packed, more = packed_depth(j, depth) - depth;
    for (int64_t i = 0; more > 0 && i < rows; i++)
        memset(to + (i * j->a_packed_row + depth) * size, 0, (size_t)(more * size));
}

/* Sums of a tile that were kept apart, complete: to c */
static void finish_tile(const fa__gemm_plan *j, const fa__gemm_tile *t, int64_t row, int64_t col)
{
    j->kind->finish(j->g, &(fa__gemm_block){row, col, t->rows, t->cols}, t->c, t->c_row);
}

/* The rows of c where a tile's sums will go: they come while it is summed. */
static void fetch_rows(const fa__gemm *g, const fa__gemm_kind *kind, int64_t row, int64_t col, int64_t rows)
{
    enum { LINE = 64 };
    const int64_t size = (int64_t)(g->wide ? kind->sum : kind->element);
    const char *c = (const char *)g->c + (row * g->c_row + col * g->c_col) * size;
    for (int64_t i = 0; i < rows; i++, c += g->c_row * size) {
        __builtin_prefetch(c, 1);
        if (g->wide)
            __builtin_prefetch(c + LINE, 1);
    }
}

/* The first row of a tile, of so many that divide `rows` */
static int64_t tile_row(const fa__gemm_kind *kind, int64_t rows, int64_t tiles, int64_t tile)
{
    return kind->whole ? fa__min(rows, tile * kind->rows) : rows * tile / tiles;
}

/* All tiles of a rectangle. t holds what they have in common, with c and the bias of the first. */
static void run_tiles(const fa__gemm_plan *j, fa__gemm_tile t, matrix a, matrix b, const fa__gemm_block *at)
{
    const fa__gemm_kind *kind = j->kind;
    const int64_t packed = (int64_t)kind->packed, sum = (int64_t)kind->sum, tiles = fa__ceil_div(at->rows, kind->rows);
    char *c = t.c;
    const char *bias = t.bias;
    t.b_row = b.row;
    for (int64_t col = 0; col < at->cols; col += kind->cols) {
        t.cols = fa__min(kind->cols, at->cols - col);
        t.b = b.data + col * b.col * packed;
        t.bias = bias ? bias + col * sum : NULL;
        for (int64_t i = 0; i < tiles; i++) {
            const int64_t row = tile_row(kind, at->rows, tiles, i);
            t.rows = tile_row(kind, at->rows, tiles, i + 1) - row;
            t.a = a.data + row * a.row * packed;
            t.a_row = j->a_by_tiles ? 1 : a.row;
            t.a_col = j->a_by_tiles ? t.rows : a.col;
            t.c = j->at_once ? c : c + (row * t.c_row + col) * sum;
            t.next = j->at_once      ? c
                     : i + 1 < tiles ? (char *)t.c + t.rows * t.c_row * sum
                                     : c + (col + kind->cols) * sum;
            if (j->at_once)
                fetch_rows(j->g, kind, at->row + row, at->col + col, t.rows);
            kind->tile(&t);
            if (j->at_once)
                finish_tile(j, &t, at->row + row, at->col + col);
        }
    }
}

/* In working memory: packed a, then sums, then packed b, then the room of a source (NULL where it asked for none) */
static char *place_of_b(const fa__gemm_plan *j, char *scratch)
{
    return scratch + j->a_bytes + j->sum_bytes;
}

static void *room_of(const fa__gemm_plan *j, char *scratch)
{
    return j->room_bytes ? scratch + fa__gemm_round_up((int64_t)(j->a_bytes + j->b_bytes + j->sum_bytes), 64) : NULL;
}

/* b made while it is packed */
static matrix make_b(const fa__gemm_plan *j, char *to, fa__gemm_block part, void *room)
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
static matrix part_of_b(const fa__gemm_plan *j, fa__gemm_block part, char *scratch)
{
    const fa__gemm *g = j->g;
    const int64_t element = (int64_t)j->kind->element;
    if (g->b_source)
        return make_b(j, place_of_b(j, scratch), part, room_of(j, scratch));
    matrix b = {(const char *)g->b + (part.row * g->b_row + part.col * g->b_col) * element, g->b_row, g->b_col};
    return j->pack_b ? pack_b(j, place_of_b(j, scratch), b, part.rows, part.cols) : b;
}

/* The rows of each tile side by side, so that what it reads of a is one run of memory */
static matrix pack_tiles(const fa__gemm_plan *j, char *to, const char *a, int64_t rows, int64_t depth)
{
    const fa__gemm *g = j->g;
    const fa__gemm_kind *kind = j->kind;
    const int64_t tiles = fa__ceil_div(rows, kind->rows);
    for (int64_t i = 0; i < tiles; i++) {
        const int64_t row = tile_row(kind, rows, tiles, i), height = tile_row(kind, rows, tiles, i + 1) - row;
        kind->pack(to + row * depth * (int64_t)kind->packed, height, a + row * g->a_row * (int64_t)kind->element,
                   g->a_col, g->a_row, depth, height);
    }
    return (matrix){to, depth, 0};
}

static matrix part_of_a(const fa__gemm_plan *j, fa__gemm_block part, char *scratch)
{
    const fa__gemm *g = j->g;
    const fa__gemm_place place = {scratch, j->a_packed_row, part.cols, 0};
    if (g->a_source) {
        g->a_source->pack(g->a_source, j->kind, &place, &part, room_of(j, scratch));
    } else {
        const char *a = (const char *)g->a + (part.row * g->a_row + part.col * g->a_col) * (int64_t)j->kind->element;
        if (!j->pack_a)
            return (matrix){a, g->a_row, g->a_col};
        if (j->a_by_tiles)
            return pack_tiles(j, scratch, a, part.rows, part.cols);
        j->kind->pack(scratch, j->a_packed_row, a, g->a_row, g->a_col, part.rows, part.cols);
    }
    end_rows(j, scratch, part.rows, part.cols);
    return (matrix){scratch, j->a_packed_row, 1};
}

/* Where the sums of a block are */
static fa__gemm_tile sums_of(const fa__gemm_plan *j, const fa__gemm_block *at, char *scratch)
{
    const fa__gemm *g = j->g;
    char *sums = scratch + j->a_bytes;
    if (j->at_once)
        return (fa__gemm_tile){.c = sums, .c_row = j->kind->cols};
    if (j->staged)
        return (fa__gemm_tile){.c = sums, .c_row = j->cols + FA__GEMM_SUMS_PADDING};
    char *c = (char *)g->c + (at->row * g->c_row + at->col) * (int64_t)j->kind->sum;
    return (fa__gemm_tile){.c = c, .c_row = g->c_row};
}

/* What a run of k from k on starts from, and what follows after the last one */
static void set_run(const fa__gemm_plan *j, fa__gemm_tile *t, const fa__gemm_block *at, int64_t k, int64_t depth)
{
    const fa__gemm *g = j->g;
    t->depth = packed_depth(j, depth);
    t->resume = k > 0 || g->accumulate;
    if (k + depth < g->k || j->staged)
        return;
    t->bias = g->bias ? (const char *)g->bias + at->col * (int64_t)j->kind->sum : NULL;
    t->relu = g->relu;
}

/* One run of k, from k on, for a block. kept: its a, if that is packed already */
static void run_depth(const fa__gemm_plan *j, const fa__gemm_block *at, fa__gemm_tile t, int64_t k, const matrix *kept,
                      char *scratch)
{
    int64_t depth = fa__min(j->depth, j->g->k - k);
    matrix b = part_of_b(j, (fa__gemm_block){k, at->col, depth, at->cols}, scratch);
    char *c = t.c;
    set_run(j, &t, at, k, depth);
    for (int64_t row = 0; row < at->rows; row += j->pack_rows) {
        fa__gemm_block part = {at->row + row, at->col, fa__min(j->pack_rows, at->rows - row), at->cols};
        matrix a = kept ? *kept : part_of_a(j, (fa__gemm_block){part.row, k, part.rows, depth}, scratch);
        t.c = j->at_once ? c : c + row * t.c_row * (int64_t)j->kind->sum;
        run_tiles(j, t, a, b, &part);
    }
}

static void run_block(const fa__gemm_plan *j, const fa__gemm_block *at, const matrix *kept, char *scratch)
{
    const fa__gemm *g = j->g;
    fa__gemm_tile t = sums_of(j, at, scratch);
    int64_t k = 0;
    do {
        run_depth(j, at, t, k, kept, scratch);
        k += j->depth;
    } while (k < g->k);
    if (g->sink)
        g->sink->put(g->sink, j->kind, g, at, t.c, t.c_row);
    else if (j->staged && !j->at_once)
        j->kind->finish(g, at, t.c, t.c_row);
}

/* One task, block by block */
static void run_rectangle(const fa__gemm_plan *j, const fa__gemm_block *all, char *scratch)
{
    matrix a = {0};
    if (j->keeps_a)
        a = part_of_a(j, (fa__gemm_block){all->row, 0, all->rows, j->g->k}, scratch);
    for (int64_t col = 0; col < all->cols; col += j->cols)
        for (int64_t row = 0; row < all->rows; row += j->rows) {
            fa__gemm_block at = {all->row + row, all->col + col, fa__min(j->rows, all->rows - row),
                                 fa__min(j->cols, all->cols - col)};
            run_block(j, &at, j->keeps_a ? &a : NULL, scratch);
        }
}

/* Working memory of a thread: something that is not used where none is needed. False, with the job failed, when memory
 * runs out. */
static bool find_scratch(job *work, size_t bytes, char **scratch)
{
    const fa__gemm_plan *j = &work->plan;
    *scratch = j->pack_a || j->pack_b || j->staged ? fa__cpu_scratch(bytes) : (char *)work;
    if (!*scratch)
        atomic_store_explicit(&work->failed, true, memory_order_relaxed);
    return *scratch;
}

static void run_tasks(void *context, int64_t begin, int64_t end)
{
    job *work = context;
    const fa__gemm_plan *j = &work->plan;
    const int64_t m = j->g->m, n = j->g->n, width = j->kind->cols, panels = fa__ceil_div(n, width);
    char *scratch;
    if (!find_scratch(work, j->a_bytes + j->sum_bytes + j->b_bytes + 64 + j->room_bytes, &scratch))
        return;
    if (j->kind->enter)
        j->kind->enter();
    for (int64_t task = begin; task < end; task++) {
        int64_t down = task / j->col_tasks, across = task % j->col_tasks;
        int64_t row = m * down / j->row_tasks, row_end = m * (down + 1) / j->row_tasks;
        int64_t col = panels * across / j->col_tasks * width;
        int64_t col_end = fa__min(n, panels * (across + 1) / j->col_tasks * width);
        fa__gemm_block all = {row, col, row_end - row, col_end - col};
        run_rectangle(j, &all, scratch);
    }
    if (j->kind->leave)
        j->kind->leave();
}

/* ---- large products: all threads pack a block of b, then each takes rows of a ---- */

/* One block of b */
typedef struct phase {
    job *work;
    fa__gemm_block b;
    char *packed;
} phase;

static void pack_panels(void *context, int64_t begin, int64_t end)
{
    const phase *p = context;
    const fa__gemm_plan *j = &p->work->plan;
    const fa__gemm *g = j->g;
    const int64_t width = j->kind->cols, col = begin * width, cols = fa__min(end * width, p->b.cols) - col;
    const int64_t at = p->b.row * g->b_row + (p->b.col + col) * g->b_col;
    const matrix b = {(const char *)g->b + at * (int64_t)j->kind->element, g->b_row, g->b_col};
    pack_b(j, p->packed + col * packed_depth(j, p->b.rows) * (int64_t)j->kind->packed, b, p->b.rows, cols);
}

static void run_chunks(void *context, int64_t begin, int64_t end)
{
    const phase *p = context;
    job *work = p->work;
    const fa__gemm_plan *j = &work->plan;
    const matrix b = {p->packed, j->kind->cols, packed_depth(j, p->b.rows)};
    char *scratch;
    if (!find_scratch(work, j->a_bytes + j->sum_bytes, &scratch))
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

static void run_together(job *work)
{
    const fa__gemm_plan *j = &work->plan;
    const fa__gemm *g = j->g;
    char *scratch;
    if (!find_scratch(work, j->a_bytes + j->sum_bytes + j->b_bytes, &scratch))
        return;
    for (int64_t col = 0; col < g->n; col += j->cols)
        for (int64_t k = 0; k < g->k; k += j->depth) {
            phase p = {.work = work, .packed = place_of_b(j, scratch)};
            p.b = (fa__gemm_block){k, col, fa__min(j->depth, g->k - k), fa__min(j->cols, g->n - col)};
            fa__parallel_for(fa__ceil_div(p.b.cols, j->kind->cols), 1, pack_panels, &p);
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
    job work = {.plan = fa__gemm_plan_of(g, kind)};
    int64_t tasks = work.plan.row_tasks * work.plan.col_tasks;
    if (work.plan.together)
        run_together(&work);
    else if (tasks == 1)
        run_tasks(&work, 0, 1);
    else
        fa__parallel_for(tasks, 1, run_tasks, &work);
    return !atomic_load_explicit(&work.failed, memory_order_relaxed);
}
