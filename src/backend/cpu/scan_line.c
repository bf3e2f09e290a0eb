/* Scans whose state is one number, along lines that are neighbours in memory or become so: the runs of a line, the scan
 * of their ends, and the runs once more (backend/scan.h). Where there are fewer lines than threads, the threads share
 * the runs of each line. */
#include "backend/cpu/scan_line.h"
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/integer.h"
#include "base/parallel.h"

enum { PIECE = 1024 * FA__SCAN_RUN }; /* elements of a line that are worth a thread */

typedef struct lines {
    const fa__operand *x, *y;
    const fa__simd_class *k;
    fa__scan_kind kind;
    int64_t n, x_step, y_step, x_size, y_size;
    fa__cpu_walk walk;
    _Atomic bool failed;
} lines;

/* Elements that the ends of a line of n take, and those of the ends and so on. */
static int64_t ends_of(int64_t n)
{
    return n / (FA__SCAN_RUN - 1) + FA__SCAN_RUN;
}

/* `ends` is room for ends_of(n) elements; x may be y. */
static void scan_line(const lines *s, char *y, const char *x, int64_t n, char *ends)
{
    const int64_t size = s->k->size, runs = fa__ceil_div(n, FA__SCAN_RUN);
    s->k->scan_runs[s->kind](y, x, n, FA__SCAN_RUN, ends);
    if (runs == 1)
        return;
    scan_line(s, ends, ends, runs - 1, ends + runs * size);
    s->k->scan_join[s->kind](y + FA__SCAN_RUN * size, ends, n - FA__SCAN_RUN, FA__SCAN_RUN);
}

/* ---- threads share lines ---- */

static void one_line(const lines *s, const int64_t o[3], char *room)
{
    const fa__simd_class *k = s->k;
    const char *x = (const char *)s->x->data + o[0] * s->x_size;
    char *y = (char *)s->y->data + o[1] * s->y_size, *ends = room + s->n * k->size;
    bool x_own = s->x->dtype == k->dtype && (s->x_step == 1 || s->n == 1);
    bool y_own = s->y->dtype == k->dtype && (s->y_step == 1 || s->n == 1);
    char *to = y_own ? y : room;
    if (!x_own)
        k->load[s->x->dtype](to, x, s->x_step, s->n);
    scan_line(s, to, x_own ? x : to, s->n, ends);
    if (!y_own)
        k->store[s->y->dtype](y, s->y_step, to, s->n);
}

static void some_lines(void *context, int64_t begin, int64_t end)
{
    lines *s = context;
    char *room = fa__cpu_scratch((size_t)((s->n + ends_of(s->n)) * s->k->size));
    if (!room)
        atomic_store(&s->failed, true);
    for (int64_t i = begin; room && i < end; i++) {
        int64_t o[3];
        fa__cpu_place(&s->walk, i, o);
        one_line(s, o, room);
    }
}

/* Lines one behind the other, none longer than a run: all are runs of that length. */
static void some_short_lines(void *context, int64_t begin, int64_t end)
{
    const lines *s = context;
    int64_t first = begin * s->n * s->k->size;
    s->k->scan_runs[s->kind]((char *)s->y->data + first, (const char *)s->x->data + first, (end - begin) * s->n, s->n,
                             NULL);
}

static bool are_short(const lines *s, int dim)
{
    const fa__operand *x = s->x, *y = s->y;
    return s->n <= FA__SCAN_RUN && x->dtype == s->k->dtype && y->dtype == s->k->dtype && dim + 1 >= x->rank
           && fa__is_dense(x->rank, x->shape, x->stride) && fa__is_dense(y->rank, y->shape, y->stride);
}

/* ---- threads share a line ---- */

typedef struct long_line {
    const lines *s;
    const char *x;
    char *y, *own, *ends; /* own: y, or where its elements are kept as the class has them */
} long_line;

static void scan_piece(void *context, int64_t begin, int64_t end)
{
    const long_line *g = context;
    const lines *s = g->s;
    int64_t first = begin * PIECE, n = fa__min(end * PIECE, s->n) - first, size = s->k->size;
    s->k->load[s->x->dtype](g->own + first * size, g->x + first * s->x_step * s->x_size, s->x_step, n);
    s->k->scan_runs[s->kind](g->own + first * size, g->own + first * size, n, FA__SCAN_RUN,
                             g->ends + first / FA__SCAN_RUN * size);
}

static void join_piece(void *context, int64_t begin, int64_t end)
{
    const long_line *g = context;
    const lines *s = g->s;
    int64_t size = s->k->size, first = begin * PIECE, n = fa__min(end * PIECE, s->n) - first;
    int64_t skipped = begin ? 0 : FA__SCAN_RUN, from = first + skipped;
    s->k->scan_join[s->kind](g->own + from * size, g->ends + (from / FA__SCAN_RUN - 1) * size, n - skipped,
                             FA__SCAN_RUN);
    if (g->own != g->y)
        s->k->store[s->y->dtype](g->y + first * s->y_step * s->y_size, s->y_step, g->own + first * size, n);
}

static bool scan_long(const lines *s, int64_t i)
{
    bool in_place = s->y->dtype == s->k->dtype && s->y_step == 1;
    int64_t o[3], kept = in_place ? 0 : s->n, pieces = fa__ceil_div(s->n, PIECE);
    char *room = fa__malloc((size_t)((kept + ends_of(s->n)) * s->k->size));
    if (!room)
        return false;
    fa__cpu_place(&s->walk, i, o);
    long_line g = {.s = s,
                   .x = (const char *)s->x->data + o[0] * s->x_size,
                   .y = (char *)s->y->data + o[1] * s->y_size,
                   .ends = room + kept * s->k->size};
    g.own = in_place ? g.y : room;
    int64_t runs = fa__ceil_div(s->n, FA__SCAN_RUN);
    fa__parallel_for(pieces, 1, scan_piece, &g);
    scan_line(s, g.ends, g.ends, runs - 1, g.ends + runs * s->k->size);
    fa__parallel_for(pieces, 1, join_piece, &g);
    fa__free(room);
    return true;
}

bool fa__scan_lines(const fa__operand *y, const fa__operand *x, int dim, fa__scan_kind kind)
{
    lines s = {.x = x,
               .y = y,
               .k = fa__cpu_class(y->dtype),
               .kind = kind,
               .n = x->rank ? x->shape[dim] : 1,
               .x_step = x->rank ? x->stride[dim] : 0,
               .y_step = y->rank ? y->stride[dim] : 0,
               .x_size = (int64_t)fa__dtype_size(x->dtype),
               .y_size = (int64_t)fa__dtype_size(y->dtype)};
    s.walk = fa__cpu_others(x->shape, x->rank, dim, x, y, NULL);
    bool good = true;
    if (are_short(&s, dim))
        fa__parallel_for(s.walk.count, 1 + 16384 / s.n, some_short_lines, &s);
    else if (s.n < 2 * PIECE || s.walk.count >= fa__parallel_threads())
        fa__parallel_for(s.walk.count, 1 + 8192 / s.n, some_lines, &s);
    else
        for (int64_t i = 0; good && i < s.walk.count; i++)
            good = scan_long(&s, i);
    return good && !atomic_load(&s.failed);
}
