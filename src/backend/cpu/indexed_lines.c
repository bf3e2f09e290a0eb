/* Elements moved by an index (indexed.h): the loops over a line. */
#include "backend/cpu/indexed.h"

enum { TILE = 256 };

/* ---- copies: by the size of an element ---- */

#define EACH_SIZE(X) X(8) X(16) X(32) X(64)

/* The usual distances are constants: loops without multiplications. */
#define FETCH(bits)                                                                                                    \
    static void fetch_##bits(const fa__indexed_line *l)                                                                \
    {                                                                                                                  \
        const uint##bits##_t *x = (const void *)l->chosen;                                                             \
        uint##bits##_t *restrict y = (void *)l->moved;                                                                 \
        const int64_t *at = l->at, n = l->n, step = l->chosen_step, to = l->moved_step, pace = l->pace;                \
        if (to == 1 && pace == 1 && step == 0)                                                                         \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i] = x[at[i]];                                                                                       \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                y[i * to] = x[i * step + at[i] * pace];                                                                \
    }
EACH_SIZE(FETCH)

#define SET(bits)                                                                                                      \
    static void set_##bits(const fa__indexed_line *l)                                                                  \
    {                                                                                                                  \
        uint##bits##_t *y = (void *)l->chosen;                                                                         \
        const uint##bits##_t *x = (const void *)l->moved;                                                              \
        const int64_t *at = l->at, n = l->n, step = l->chosen_step, from = l->moved_step, pace = l->pace;              \
        for (int64_t i = 0; i < n; i++)                                                                                \
            y[i * step + at[i] * pace] = x[i * from];                                                                  \
    }
EACH_SIZE(SET)

typedef void line_loop(const fa__indexed_line *);

/* by the logarithm of the size */
static line_loop *const fetches[] = {fetch_8, fetch_16, fetch_32, fetch_64};
static line_loop *const sets[] = {set_8, set_16, set_32, set_64};

/* ---- sums, products, extremes: of the classes' own dtypes ---- */

#define ADD(x, y) (x) + (y)
#define MULTIPLY(x, y) (x) * (y)
#define MAXIMUM(x, y) (((x) > (y)) | ((x) != (x))) ? (x) : (y)
#define MINIMUM(x, y) (((x) < (y)) | ((x) != (x))) ? (x) : (y)

/* As the primitives compute it; T is an unsigned type where integers are to wrap. */
#define COMBINE(name, T, OP)                                                                                           \
    static void name(const fa__indexed_line *l)                                                                        \
    {                                                                                                                  \
        T *y = (void *)l->chosen;                                                                                      \
        const T *x = (const void *)l->moved;                                                                           \
        const int64_t *at = l->at, n = l->n, step = l->chosen_step, from = l->moved_step, pace = l->pace;              \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T *to = y + (i * step + at[i] * pace);                                                                     \
            *to = OP(*to, x[i * from]);                                                                                \
        }                                                                                                              \
    }
COMBINE(add_f32, float, ADD)
COMBINE(add_f64, double, ADD)
COMBINE(add_i32, uint32_t, ADD)
COMBINE(add_i64, uint64_t, ADD)
COMBINE(multiply_f32, float, MULTIPLY)
COMBINE(multiply_f64, double, MULTIPLY)
COMBINE(multiply_i32, uint32_t, MULTIPLY)
COMBINE(multiply_i64, uint64_t, MULTIPLY)
COMBINE(raise_f32, float, MAXIMUM)
COMBINE(raise_f64, double, MAXIMUM)
COMBINE(raise_i32, int32_t, MAXIMUM)
COMBINE(raise_i64, int64_t, MAXIMUM)
COMBINE(lower_f32, float, MINIMUM)
COMBINE(lower_f64, double, MINIMUM)
COMBINE(lower_i32, int32_t, MINIMUM)
COMBINE(lower_i64, int64_t, MINIMUM)

/* by FA__INDEXED_... and class */
#define EACH_CLASS(name)                                                                                               \
    {                                                                                                                  \
        [FA__CLASS_F32] = name##_f32, [FA__CLASS_F64] = name##_f64, [FA__CLASS_I32] = name##_i32,                      \
        [FA__CLASS_I64] = name##_i64                                                                                   \
    }
static line_loop *const combining[][FA__CLASSES] = {[FA__INDEXED_ADD] = EACH_CLASS(add),
                                                    [FA__INDEXED_MUL] = EACH_CLASS(multiply),
                                                    [FA__INDEXED_MAX] = EACH_CLASS(raise),
                                                    [FA__INDEXED_MIN] = EACH_CLASS(lower)};
static const uint8_t prims[] = {[FA__INDEXED_ADD] = FA__PRIM_add,
                                [FA__INDEXED_MUL] = FA__PRIM_mul,
                                [FA__INDEXED_MAX] = FA__PRIM_maximum,
                                [FA__INDEXED_MIN] = FA__PRIM_minimum};

static int log_size(unsigned dtype)
{
    return __builtin_ctz((unsigned)fa__dtype_size(dtype));
}

fa__line_loops fa__cpu_line_loops(const fa__by_index *x, int how, bool fetch)
{
    fa__line_loops l = {.chosen_dtype = x->chosen->dtype, .moved_dtype = x->moved->dtype, .how = how};
    l.k = fa__cpu_class(l.moved_dtype);
    if (how == FA__INDEXED_SET)
        l.run = (fetch ? fetches : sets)[log_size(l.moved_dtype)];
    else if (l.chosen_dtype == l.k->dtype)
        l.run = combining[how][fa__class_of(l.moved_dtype)];
    return l;
}

/* ---- lines ---- */

/* Narrow dtypes: one element at a time, in the class of the dtype, as a place may come twice. */
static void combine_each(const fa__line_loops *f, const fa__indexed_line *l)
{
    const int64_t size = (int64_t)fa__dtype_size(f->chosen_dtype), moved_size = (int64_t)fa__dtype_size(f->moved_dtype);
    fa__load_loop *load = f->k->load[f->chosen_dtype], *load_moved = f->k->load[f->moved_dtype];
    for (int64_t i = 0; i < l->n; i++) {
        char *at = l->chosen + (i * l->chosen_step + l->at[i] * l->pace) * size;
        _Alignas(8) char here[8], comes[8];
        load(here, at, 1, 1);
        load_moved(comes, l->moved + i * l->moved_step * moved_size, 1, 1);
        f->k->prim[prims[f->how]](here, here, comes, NULL, 1);
        f->k->store[f->chosen_dtype](at, 1, here, 1);
    }
}

/* What is added is converted to the class first. */
static void combine_converted(const fa__line_loops *f, const fa__indexed_line *l)
{
    _Alignas(64) char tile[TILE * 8];
    const int64_t size = (int64_t)fa__dtype_size(f->chosen_dtype), moved_size = (int64_t)fa__dtype_size(f->moved_dtype);
    for (int64_t i = 0; i < l->n; i += TILE) {
        fa__indexed_line some = *l;
        some.n = l->n - i < TILE ? l->n - i : TILE;
        some.at += i;
        some.chosen += i * l->chosen_step * size;
        some.moved = tile;
        some.moved_step = 1;
        f->k->load[f->moved_dtype](tile, l->moved + i * l->moved_step * moved_size, l->moved_step, some.n);
        f->run(&some);
    }
}

void fa__cpu_indexed_line(const fa__line_loops *f, const fa__indexed_line *l)
{
    if (!f->run)
        combine_each(f, l);
    else if (f->how == FA__INDEXED_SET || f->moved_dtype == f->chosen_dtype)
        f->run(l);
    else
        combine_converted(f, l);
}

static void combine_plain(const fa__line_loops *f, const fa__indexed_line *l)
{
    _Alignas(64) char here[TILE * 8], comes[TILE * 8];
    const fa__simd_class *k = f->k;
    fa__loop *prim = k->prim[prims[f->how]];
    const int64_t size = (int64_t)fa__dtype_size(f->chosen_dtype), moved_size = (int64_t)fa__dtype_size(f->moved_dtype);
    if (f->chosen_dtype == k->dtype && f->moved_dtype == k->dtype && l->chosen_step == 1 && l->moved_step == 1) {
        prim(l->chosen, l->chosen, l->moved, NULL, l->n);
        return;
    }
    for (int64_t i = 0; i < l->n; i += TILE) {
        const int64_t n = l->n - i < TILE ? l->n - i : TILE;
        char *to = l->chosen + i * l->chosen_step * size;
        k->load[f->chosen_dtype](here, to, l->chosen_step, n);
        k->load[f->moved_dtype](comes, l->moved + i * l->moved_step * moved_size, l->moved_step, n);
        prim(here, here, comes, NULL, n);
        k->store[f->chosen_dtype](to, l->chosen_step, here, n);
    }
}

void fa__cpu_plain_line(const fa__line_loops *f, const fa__indexed_line *l, bool fetch)
{
    if (f->how != FA__INDEXED_SET) {
        combine_plain(f, l);
        return;
    }
    fa__copy_loop *copy = fa__cpu_simd->copy[log_size(f->moved_dtype)];
    if (fetch)
        copy(l->moved, 0, l->moved_step, l->chosen, 0, l->chosen_step, 1, l->n);
    else
        copy(l->chosen, 0, l->chosen_step, l->moved, 0, l->moved_step, 1, l->n);
}
