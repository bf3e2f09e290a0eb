/* The walker's `.out =` and in-place calls: into the caller's memory, which lies between sentinels. */
#include "support/conformance.h"
#include "support/guard.h"
#include <stdlib.h>

enum { BORDER = 64 };

/* Memory with sentinels in front, behind and in the gaps, and a tensor over it. */
typedef struct watched {
    unsigned char *whole;
    geometry g;
    size_t bytes, size;
    fa_tensor *t, *there; /* there: the whole, in a device's memory */
} watched;

/* The tensor in memory between sentinels: the memory itself on the CPU, a copy of it elsewhere. */
static void watched_tensor(watched *w, fa_shape s, fa_dtype dtype)
{
    if (conform_place().kind == FA__CPU) {
        w->t = fa_tensor_borrow(w->whole + BORDER + (size_t)w->g.offset * w->size, s, .dtype = dtype,
                                .strides = w->g.stride);
        return;
    }
    w->there = fa_tensor_from(w->whole, FA_SHAPE((int64_t)((w->bytes + 2 * BORDER) / w->size)), .dtype = dtype,
                              .device = conform_place());
    if (w->there)
        w->t = fa__own(fa__tensor_new(w->there->storage, dtype, s.rank, s.dim, w->g.stride,
                                      w->g.offset + (int64_t)(BORDER / w->size)));
}

/* `values` NULL: the elements hold the pattern too. */
static bool watched_make(watched *w, const double *values, fa_dtype dtype, int rank, const int64_t *shape, layout how)
{
    w->g = layout_geometry(how, rank, shape);
    w->size = fa_dtype_size(dtype);
    w->bytes = (size_t)w->g.span * w->size;
    w->whole = malloc(w->bytes + 2 * BORDER);
    if (!w->whole)
        return false;
    guard_fill(w->whole, w->bytes + 2 * BORDER);
    fa_shape s = {.rank = rank};
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= s.dim[i] = shape[i];
    unsigned char *start = w->whole + BORDER;
    for (int64_t i = 0; i < count; i++) {
        void *at = start + (size_t)element_place(&w->g, rank, shape, i) * w->size;
        if (values)
            put_element(at, dtype, values[i]);
        else if (dtype == FA_BOOL)
            memset(at, 1, 1);
    }
    watched_tensor(w, s, dtype);
    return w->t;
}

/* Whether everything but the elements still has the pattern; gives the memory back. */
static bool watched_end(watched *w, int rank, const int64_t *shape)
{
    if (!w->whole || (w->there && !fa_read(w->there, w->whole, fa_tensor_dtype(w->there), fa_numel(w->there))))
        return free(w->whole), false;
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    for (int64_t i = 0; i < count; i++)
        guard_fill(w->whole + BORDER + (size_t)element_place(&w->g, rank, shape, i) * w->size, w->size);
    bool intact = guard_intact(w->whole, w->bytes + 2 * BORDER);
    free(w->whole);
    return intact;
}

/* Whether nothing was written to memory that had the pattern everywhere. */
static bool unwritten(const watched *w)
{
    if (w->there && !fa_read(w->there, w->whole, fa_tensor_dtype(w->there), fa_numel(w->there)))
        return false;
    return guard_intact(w->whole, w->bytes + 2 * BORDER);
}

static void into_out(const inputs *in, const attempt *base, layout how)
{
    FA_SCOPE;
    FA_USE(.device = conform_place());
    const fa_tensor *y = base->result[0];
    watched w = {0};
    attempt a;
    bool ok = watched_make(&w, NULL, fa_tensor_dtype(y), y->rank, y->shape, how)
              && attempt_make(&a, in, NULL, conform_place()) && attempt_run(&a, w.t, false);
    check(ok && a.result[0] == w.t && conform_same(in->s->op, w.t, y), ".out %s %s: differs from the ordinary form",
          fa_dtype_name(fa_tensor_dtype(y)), layout_names[how]);
    check(watched_end(&w, y->rank, y->shape), ".out %s %s: wrote beside its elements",
          fa_dtype_name(fa_tensor_dtype(y)), layout_names[how]);
}

/* A result of another shape is refused, and nothing is written. */
static void wrong_shape(const inputs *in, const attempt *base)
{
    FA_SCOPE;
    FA_USE(.device = conform_place());
    const fa_tensor *y = base->result[0];
    const int64_t other[] = {7, 5};
    watched w = {0};
    attempt a;
    bool ok = watched_make(&w, NULL, fa_tensor_dtype(y), 2, other, LAYOUT_DENSE)
              && attempt_make(&a, in, NULL, conform_place());
    check(ok && !attempt_run(&a, w.t, false) && error_is_clean(in->s->op), ".out of a wrong shape is not refused");
    check(unwritten(&w) || fa_tensor_dtype(y) == FA_BOOL, ".out of a wrong shape: was written");
    watched_end(&w, 2, other);
}

/* The operand that an in-place call writes; -1: it is not a tensor in this sample. */
static int target_of(const sample *s)
{
    for (int i = 0; i < s->operands; i++)
        if (s->operand[i].field == s->op->inplace && s->operand[i].item < 0)
            return i;
    return -1;
}

static void in_place(const inputs *in, const attempt *base, int target, layout how)
{
    FA_SCOPE;
    const operand *o = &in->s->operand[target];
    const fa_tensor *y = base->result[0];
    const char *name = fa_dtype_name(in->dtype[target]);
    watched w = {0};
    attempt a;
    bool made = attempt_make(&a, in, NULL, conform_place())
                && watched_make(&w, in->values[target], in->dtype[target], o->rank, o->shape, how);
    a.tensor[target] = w.t;
    attempt_fill(&a);
    bool ok = made && attempt_run(&a, w.t, true);
    if (tensor_same_form(w.t, y))
        check(ok && conform_equal(w.t, y), "in place %s %s: differs from the ordinary form", name, layout_names[how]);
    else
        check(made && (ok || error_is_clean(in->s->op)), "in place %s: not a clean error", name);
    check(watched_end(&w, o->rank, o->shape), "in place %s %s: wrote beside its elements", name, layout_names[how]);
}

void conform_written(const sample *s)
{
    bool out = s->op->nresults == 1 && !s->op->traits->view;
    int target = s->op->inplace >= 0 ? target_of(s) : -1;
    bool varies = sample_varies(s);
    for (int dtype = varies ? FA_BOOL : FA_F32; dtype < (varies ? FA__DTYPES : FA_F64); dtype++) {
        FA_SCOPE;
        inputs in;
        attempt base;
        if (!conform_has(dtype))
            continue;
        if (!inputs_make(&in, s, (fa_dtype)dtype))
            return;
        bool ok = attempt_all(&base, &in, NULL, FA_CPU);
        fa_error_clear();
        for (int how = LAYOUT_DENSE; ok && out && how < LAYOUT_EXPANDED; how++)
            into_out(&in, &base, (layout)how);
        if (ok && out && dtype == FA_F32)
            wrong_shape(&in, &base);
        for (int how = LAYOUT_DENSE; ok && target >= 0 && how < LAYOUT_EXPANDED; how++)
            in_place(&in, &base, target, (layout)how);
        inputs_free(&in);
    }
}
