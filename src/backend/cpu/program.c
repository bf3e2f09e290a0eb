/* Runs scalar programs over the elements of a launch: the smallest at once, all others tile by tile. */
#include "backend/cpu/program.h"
#include "backend/cpu/indexed.h"
#include "backend/cpu/walk.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include <string.h>
#include <unistd.h>

FA__HOT bool fa__cpu_prepare(fa__program *program, fa__class class)
{
    _Atomic(void *) *place = &program->compiled[FA__CPU][class];
    if (atomic_load_explicit(place, memory_order_acquire))
        return true;
    fa__code *code = fa__cpu_lower(program, class);
    void *none = NULL;
    if (code && !atomic_compare_exchange_strong(place, &none, code))
        fa__free(code); /* another thread was first */
    return code != NULL;
}

void fa__cpu_release_program(fa__program *program)
{
    for (int c = 0; c < FA__CLASSES; c++)
        fa__free(atomic_exchange(&program->compiled[FA__CPU][c], NULL));
}

/* Small launches of one step over contiguous operands: most of what a program with small tensors does. */
enum { SMALL = 256 };

static bool contiguous(const fa__operand *o, const fa__launch *l)
{
    int64_t expected = 1;
    for (int d = l->rank - 1; d >= 0; d--) {
        if (o->stride[d] != expected && l->shape[d] != 1)
            return false;
        expected *= l->shape[d];
    }
    return true;
}

/* Whether one element of the operand stands for all of the launch. */
static bool repeated(const fa__operand *o, const fa__launch *l)
{
    for (int d = 0; d < l->rank; d++)
        if (o->stride[d] != 0 && l->shape[d] != 1)
            return false;
    return true;
}

/* Where the operand's elements are as the class has them: in memory, or filled into *tile when it is a value. */
static FA__HOT const void *at_once(const fa__operand *o, const fa__launch *l, const fa__simd_class *c, int64_t n,
                                   void *tile)
{
    bool memory = o->kind == FA__MEMORY;
    if (memory && o->dtype == c->dtype && contiguous(o, l))
        return o->data;
    if (!tile || n > SMALL || o->kind == FA__VALUE_KEY || (memory && !repeated(o, l)))
        return NULL;
    c->load[o->dtype](tile, memory ? o->data : &o->value, 0, n);
    return tile;
}

/* False when the launch is not of the kind. */
static bool run_at_once(const fa__launch *l, const fa__code *code, const fa__simd_class *c, int64_t n)
{
    enum { MOST = 6 };
    _Alignas(64) double tile[MOST][SMALL];
    const void *in[MOST];
    void *out = (void *)at_once(&l->operand[0], l, c, n, NULL);
    if (!out || code->inputs > MOST)
        return false;
    for (int i = 0; i < code->inputs; i++) {
        in[i] = code->read[i] ? at_once(&l->operand[1 + i], l, c, n, tile[i]) : NULL;
        if (code->read[i] && !in[i])
            return false;
    }
    const fa__step *s = code->step;
    if (s->kind == FA__STEP_HOT)
        c->hot[code->hot](&out, in, n);
    else
        c->prim[s->prim](out, in[s->a], in[s->b], in[s->c], n);
    return true;
}

/* Elements begin to end of the walk, by tiles. */
static void run_range(const fa__walk *w, int64_t begin, int64_t end)
{
    fa__worker k;
    fa__worker_begin(&k, w, fa__min(w->tile, end - begin));
    fa__worker_seek(&k, begin);
    for (int64_t left = end - begin; left > 0;) {
        int64_t n = fa__worker_next(&k, left);
        fa__worker_load(&k, n);
        fa__worker_aim(&k, n);
        fa__worker_steps(&k, n);
        fa__worker_store(&k, n);
        fa__worker_advance(&k, n);
        left -= n;
    }
}

/* One step from memory to memory needs no tiles: its loop may as well be long. */
static void lengthen_tiles(fa__walk *w)
{
    enum { LONG = 4096 };
    bool direct = w->code->single;
    for (int i = 0; i < w->lanes; i++) {
        const fa__lane *a = &w->lane[i];
        bool needed = i >= w->code->inputs || w->code->read[i];
        direct &= !needed || (a->own && a->linear && !a->stream);
    }
    if (direct && w->rank == 1)
        w->tile = LONG;
}

static void run_units(void *context, int64_t begin, int64_t end)
{
    const fa__walk *w = context;
    run_range(w, begin * w->tile, fa__min(end * w->tile, w->n));
    fa__cpu_simd->stream_end();
}

/* An output in the place of an input that is still read after it is written has to wait until the tile is done. */
static void keep_apart(fa__walk *w)
{
    const fa__code *c = w->code;
    for (int o = 0; o < c->outputs; o++)
        for (int i = 0; i < c->inputs; i++) {
            fa__lane *out = &w->lane[c->inputs + o];
            if (w->lane[i].memory && w->lane[i].data == out->data && c->last_read[i] > c->written[o])
                out->apart = true;
        }
}

/* Results that are larger than this go past the caches: the size of the last-level cache, but no more than a process
 * can hope to keep there. Servers share theirs among many cores, and virtual machines report all of it. */
int64_t fa__cpu_cache_bytes(void)
{
    enum { MOST = 32 << 20 };
    static _Atomic int64_t known;
    int64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
#ifdef _SC_LEVEL3_CACHE_SIZE
        bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
        bytes = bytes > 0 && bytes < MOST ? bytes : MOST;
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

/* Tiles are short then, so that the processor reads the next one while it still writes this one. */
static void stream_large(fa__walk *w)
{
    const fa__code *c = w->code;
    for (int o = 0; o < c->outputs; o++) {
        fa__lane *out = &w->lane[c->inputs + o];
        out->stream = out->line && w->n * out->size > fa__cpu_cache_bytes();
        for (int i = 0; i < c->inputs; i++)
            out->stream &= !w->lane[i].memory || w->lane[i].data != out->data;
        if (out->stream && !w->spans)
            w->tile = fa__min(w->tile, FA__TILE);
    }
}

/* Logical programs over bool in memory compute in bytes. */
static void compute_in_bytes(fa__walk *w)
{
    for (int i = 0; i < w->lanes; i++)
        if (!w->lane[i].memory || w->lane[i].operand->dtype != FA_BOOL)
            return;
    w->simd = fa__cpu_simd->truth;
    for (int i = 0; i < w->lanes; i++) {
        w->lane[i].simd = w->simd;
        w->lane[i].own = true;
    }
}

/* Where a conversion is one of whole tensors: between memory and memory, without tiles. */
typedef struct conversion {
    const fa__lane *to, *from;
    int64_t n;
} conversion;

enum { PIECE = 4096 };

static void convert_pieces(void *context, int64_t begin, int64_t end)
{
    const conversion *c = context;
    const int64_t first = begin * PIECE, n = fa__min(end * PIECE, c->n) - first;
    char *to = c->to->data + first * c->to->size;
    const char *from = c->from->data + first * c->from->size;
    if (c->to->own)
        c->to->simd->load[c->from->operand->dtype](to, from, 1, n);
    else
        c->to->simd->store[c->to->operand->dtype](to, 1, from, n);
}

/* A program whose result is an input in another dtype, of which one is the type it computes in. */
static bool convert_at_once(const fa__walk *w)
{
    const fa__code *code = w->code;
    const int input = code->outputs == 1 && !code->typed ? code->same_as[0] : -1;
    const fa__lane *to = &w->lane[code->inputs], *from = &w->lane[input < 0 ? 0 : input];
    if (input < 0 || !to->linear || !from->linear || to->stream || !(to->own || from->own) || to->data == from->data)
        return false;
    conversion c = {to, from, w->n};
    fa__parallel_for((w->n + PIECE - 1) / PIECE, FA__SERIAL / PIECE, convert_pieces, &c);
    return true;
}

/* A program whose result is an input, in the same dtype: bytes are moved as they are. */
static bool copy_at_once(const fa__walk *w)
{
    const fa__launch *l = w->launch;
    const int input = w->code->outputs == 1 ? w->code->same_as[0] : -1;
    if (input < 0 || l->operand[1 + input].kind != FA__MEMORY || l->operand[1 + input].dtype != l->operand[0].dtype)
        return false;
    if (w->n <= FA__SERIAL && w->lane[input].linear && w->lane[w->code->inputs].linear) {
        memcpy(l->operand[0].data, l->operand[1 + input].data, (size_t)w->n * fa__dtype_size(l->operand[0].dtype));
        return true;
    }
    fa__operand y = l->operand[0], x = l->operand[1 + input];
    y.rank = x.rank = l->rank;
    memcpy(y.shape, l->shape, sizeof y.shape);
    fa__cpu_copy(&y, &x);
    return true;
}

FA__HOT bool fa__cpu_run_program(const fa__launch *l)
{
    const fa__code *code = atomic_load_explicit(&l->program->compiled[FA__CPU][l->compute], memory_order_acquire);
    int64_t n = 1;
    for (int d = 0; d < l->rank; d++)
        n *= l->shape[d];
    if (code->single && n <= FA__SERIAL && run_at_once(l, code, fa__cpu_simd->of[l->compute], n))
        return true;
    if (n == 0)
        return true;
    fa__walk w;
    fa__walk_begin(&w, l, code, true);
    if (code->logical)
        compute_in_bytes(&w);
    if (!code->placed)
        fa__walk_sort(&w, 0, w.rank);
    fa__walk_join(&w, 0, w.rank);
    fa__walk_classify(&w);
    keep_apart(&w);
    stream_large(&w);
    lengthen_tiles(&w);
    if (!code->placed && fa__walk_turn(&w))
        fa__parallel_for(fa__turned_units(&w), n / fa__turned_units(&w) > FA__SERIAL ? 1 : 8, fa__turned_run, &w);
    else if (copy_at_once(&w) || convert_at_once(&w))
        return true;
    else if (n <= FA__SERIAL)
        run_range(&w, 0, n);
    else
        fa__parallel_for((n + w.tile - 1) / w.tile, FA__SERIAL / w.tile, run_units, &w);
    return true;
}
