/* What one thread does with a tile: loads, steps, stores (walk.h). */
#include "backend/cpu/walk.h"
#include <string.h>

/* Each slot has a tile, whether it comes to be used or not. */
static void place_slots(fa__worker *k)
{
    const fa__code *c = k->walk->code;
    size_t pitch = (size_t)(c->tile * c->size + FA__TILE_GAP);
    for (int s = 0; s < c->slots; s++)
        k->slot[s] = k->memory + (size_t)s * pitch;
}

void fa__worker_begin(fa__worker *k, const fa__walk *w, int64_t n)
{
    const fa__code *c = w->code;
    k->walk = w;
    place_slots(k);
    for (int i = 0; i < c->constants; i++)
        fa__cpu_simd->of[c->constant[i].type]->fill(k->slot[c->constant[i].slot], &c->constant[i].bits, n);
    for (int i = 0; i < w->lanes; i++) {
        const fa__lane *a = &w->lane[i];
        k->filled[i] = NULL;
        if (!a->memory && i < c->inputs && c->read[i] && a->operand->kind != FA__VALUE_KEY)
            a->simd->load[a->operand->dtype](k->slot[i], &a->operand->value, 0, n);
    }
}

void fa__worker_seek(fa__worker *k, int64_t position)
{
    const fa__walk *w = k->walk;
    fa__cursor *at = &k->at;
    at->position = position;
    at->column = position % w->inner;
    int64_t line = position / w->inner;
    for (int d = w->rank - 2; d >= 0; line /= w->shape[d--])
        at->coordinate[d] = line % w->shape[d];
    for (int i = 0; i < w->lanes; i++) {
        const fa__lane *a = &w->lane[i];
        if (!a->memory)
            continue;
        int64_t offset = 0;
        for (int d = 0; d < w->rank - 1; d++)
            offset += at->coordinate[d] * a->stride[d];
        at->line[i] = a->data + offset;
    }
}

/* The next line of one lane, whose coordinates are given. */
static char *next_line(const fa__walk *w, const fa__lane *a, int64_t *coordinate, char *line)
{
    for (int d = w->rank - 2; d >= 0; d--) {
        line += a->stride[d];
        if (++coordinate[d] < w->shape[d])
            break;
        line -= a->stride[d] * w->shape[d];
        coordinate[d] = 0;
    }
    return line;
}

void fa__worker_next_line(fa__worker *k)
{
    const fa__walk *w = k->walk;
    fa__cursor *at = &k->at;
    int64_t before[FA_MAX_DIMS], after[FA_MAX_DIMS];
    for (int d = 0; d < w->rank - 1; d++)
        before[d] = after[d] = at->coordinate[d];
    for (int i = 0; i < w->lanes; i++)
        if (w->lane[i].memory) {
            for (int d = 0; d < w->rank - 1; d++)
                after[d] = before[d];
            at->line[i] = next_line(w, &w->lane[i], after, at->line[i]);
        }
    for (int d = 0; d < w->rank - 1; d++)
        at->coordinate[d] = after[d];
    at->position += w->inner;
}

void fa__worker_advance(fa__worker *k, int64_t n)
{
    const fa__walk *w = k->walk;
    fa__cursor *at = &k->at;
    if (w->spans) {
        if (at->position + n < w->n)
            fa__worker_seek(k, at->position + n);
        return;
    }
    at->position += n;
    at->column += n;
    if (at->column == w->inner) {
        at->column = 0;
        at->position -= w->inner;
        fa__worker_next_line(k);
    }
}

/* Copies n elements of lane i, from the cursor on and line by line: into the tile by `load`, or where that is NULL out
 * of the tile by `store`. */
static inline void copy_lines(const fa__worker *k, int i, char *tile, int64_t n, fa__load_loop *load,
                              fa__store_loop *store)
{
    const fa__walk *w = k->walk;
    const fa__lane *a = &w->lane[i];
    int64_t inner = a->stride[w->rank - 1], column = k->at.column, coordinate[FA_MAX_DIMS];
    char *line = k->at.line[i];
    memcpy(coordinate, k->at.coordinate, sizeof coordinate);
    while (n > 0) {
        int64_t count = fa__min(n, w->inner - column);
        if (load)
            load(tile, line + column * inner, inner / a->size, count);
        else
            store(line + column * inner, inner / a->size, tile, count);
        tile += count * a->simd->size;
        n -= count;
        column = 0;
        line = n > 0 ? next_line(w, a, coordinate, line) : line;
    }
}

static void gather(const fa__worker *k, int i, char *tile, int64_t n)
{
    const fa__lane *a = &k->walk->lane[i];
    copy_lines(k, i, tile, n, a->simd->load[a->operand->dtype], NULL);
}

static void scatter(const fa__worker *k, int i, char *tile, int64_t n)
{
    const fa__lane *a = &k->walk->lane[i];
    copy_lines(k, i, tile, n, NULL, a->simd->store[a->operand->dtype]);
}

static char *tile_of(fa__worker *k, int slot)
{
    const fa__walk *w = k->walk;
    return k->memory + (size_t)slot * (size_t)(w->code->tile * w->code->size + FA__TILE_GAP);
}

/* The elements in memory, where they lie as a tile would; NULL elsewhere. */
static char *in_place(const fa__worker *k, const fa__lane *a, int i, int64_t n)
{
    const fa__walk *w = k->walk;
    if (a->own && a->linear)
        return a->data + k->at.position * a->size;
    return a->line && k->at.column + n <= w->inner ? k->at.line[i] + k->at.column * a->size : NULL;
}

static void load_lane(fa__worker *k, int i, int64_t n)
{
    const fa__lane *a = &k->walk->lane[i];
    char *there = in_place(k, a, i, n);
    if (there) {
        k->slot[i] = there;
        return;
    }
    char *tile = k->slot[i] = tile_of(k, i);
    const char *first = k->at.line[i] + k->at.column * a->stride[k->walk->rank - 1];
    if (a->linear) {
        a->simd->load[a->operand->dtype](tile, a->data + k->at.position * a->size, 1, n);
    } else if (!a->repeats) {
        gather(k, i, tile, n);
    } else if (k->filled[i] != first || k->filled_count[i] < n) {
        gather(k, i, tile, n);
        k->filled[i] = first;
        k->filled_count[i] = n;
    }
}

void fa__worker_load(fa__worker *k, int64_t n)
{
    for (int i = 0; i < k->walk->code->inputs; i++)
        if (k->walk->lane[i].memory && !k->walk->lane[i].turned)
            load_lane(k, i, n);
}

void fa__worker_aim(fa__worker *k, int64_t n)
{
    const fa__walk *w = k->walk;
    for (int i = w->code->inputs; i < w->lanes; i++) {
        const fa__lane *a = &w->lane[i];
        char *there = a->apart || a->stream ? NULL : in_place(k, a, i, n);
        k->slot[i] = there ? there : tile_of(k, i);
    }
}

static void special_step(fa__worker *k, const fa__step *s, int64_t n)
{
    const fa__simd_class *c = fa__cpu_simd->of[s->type];
    if (s->kind == FA__STEP_HOT)
        k->walk->simd->hot[k->walk->code->hot](k->slot + s->o, (const void *const *)k->slot, n);
    else if (s->kind == FA__STEP_COPY)
        c->copy(k->slot[s->o], k->slot[s->a], NULL, NULL, n);
    else if (s->kind == FA__STEP_CONVERT)
        c->load[s->from](k->slot[s->o], k->slot[s->a], 1, n);
    else if (s->kind == FA__STEP_INDEX)
        c->index(k->slot[s->o], k->at.position, n);
    else
        (s->kind == FA__STEP_UNIFORM ? c->uniform : c->normal)(k->slot[s->o], k->walk->lane[s->a].operand->value.key,
                                                               k->at.position, n);
}

/* Steps of several types. */
static void typed_steps(fa__worker *k, int64_t n)
{
    const fa__code *c = k->walk->code;
    for (const fa__step *s = c->step, *end = s + c->steps; s < end; s++) {
        if (s->kind == FA__STEP_LOOP)
            fa__cpu_simd->of[s->type]->prim[s->prim](k->slot[s->o], k->slot[s->a], k->slot[s->b], k->slot[s->c], n);
        else
            special_step(k, s, n);
    }
}

void fa__worker_steps(fa__worker *k, int64_t n)
{
    const fa__code *c = k->walk->code;
    if (FA__UNLIKELY(c->typed)) {
        typed_steps(k, n);
        return;
    }
    fa__loop *const *prim = k->walk->simd->prim;
    for (const fa__step *s = c->step, *end = s + c->steps; s < end; s++) {
        if (FA__LIKELY(s->kind == FA__STEP_LOOP))
            prim[s->prim](k->slot[s->o], k->slot[s->a], k->slot[s->b], k->slot[s->c], n);
        else
            special_step(k, s, n);
    }
}

void fa__worker_store(fa__worker *k, int64_t n)
{
    const fa__walk *w = k->walk;
    for (int i = w->code->inputs; i < w->lanes; i++) {
        const fa__lane *a = &w->lane[i];
        char *tile = tile_of(k, i);
        if (k->slot[i] != tile)
            continue;
        char *there = a->stream ? in_place(k, a, i, n) : NULL;
        if (there)
            fa__cpu_simd->stream(there, tile, n * a->size);
        else if (a->linear)
            a->simd->store[a->operand->dtype](a->data + k->at.position * a->size, 1, tile, n);
        else
            scatter(k, i, tile, n);
    }
}
