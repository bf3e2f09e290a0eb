/* The CPU's vectorised loops as tables, one for each level of instructions. Every file of this folder is compiled once
 * for each level, with FA__LEVEL its name; ../level.c picks the table when the library loads. All levels give the same
 * bits. Loops over tiles take n >= 0, may write over an input that has the same address and type, and nothing else. */
#ifndef FA__CPU_SIMD_H
#define FA__CPU_SIMD_H
#include "core/op.h"
#include "core/ssa.h"
#include "hot.h"
#include <facula/types.h>

#define FA__SIMD_PASTE2(a, b) a##_##b
#define FA__SIMD_PASTE(a, b) FA__SIMD_PASTE2(a, b)
/* The name of something that exists once for each level: FA__SIMD(fa__simd) is fa__simd_avx2. */
#define FA__SIMD(name) FA__SIMD_PASTE(name, FA__LEVEL)

/* In the order of fa__combine. */
enum { FA__COMBINES = 4 };
/* Elements of one block of a reduction, and the chains within it. */
enum { FA__BLOCK = 1024, FA__CHAINS = 16 };

/* out[i] = primitive(a[i], b[i], c[i]); operands that it has not got are not read. */
typedef void fa__loop(void *out, const void *a, const void *b, const void *c, int64_t n);
/* out[i] = expression(in[0][i], in[1][i], ...) */
typedef void fa__hot_loop(void *const *out, const void *const *in, int64_t n);
/* tile[i] = source[i * stride], converted; strides are in elements. */
typedef void fa__load_loop(void *tile, const void *source, int64_t stride, int64_t n);
/* target[i * stride] = tile[i], converted. */
typedef void fa__store_loop(void *target, int64_t stride, const void *tile, int64_t n);
/* out[b] = the combination of the b-th FA__BLOCK elements of x, the last block may be shorter: one level of the tree.
 */
typedef void fa__blocks_loop(void *out, const void *x, int64_t n);
/* out[r] = the combination of the `columns` <= FA__BLOCK elements from x[r * columns] on. */
typedef void fa__short_rows_loop(void *out, const void *x, int64_t rows, int64_t columns);
/* Down columns: out[c] = the combination of x[k * stride + c] over k < rows <= FA__BLOCK, for c < columns. `chains` is
 * room for FA__CHAINS * columns elements. */
typedef void fa__columns_loop(void *out, const void *x, int64_t stride, int64_t rows, int64_t columns, void *chains);
/* Of a scan (backend/scan.h): each run of `run` elements, of which the last may be shorter, combined from its first
 * element on; ends[r] = the last element of run r, unless ends is NULL. out may be x. */
typedef void fa__scan_runs_loop(void *out, const void *x, int64_t n, int64_t run, void *ends);
/* out[i] = before[i / run] combined with out[i] */
typedef void fa__scan_join_loop(void *out, const void *before, int64_t n, int64_t run);
/* The best element of each lane, and its number: in top and at, from elements first to first + count, of which element
 * first + i of lane l is x[i * pace + l]. Where first is 0 these are the first ones. lanes <= FA__BEST_LANES, and count
 * is below 2^31. */
enum { FA__BEST_LANES = 256 };
typedef void fa__best_loop(void *top, int64_t *at, const void *x, int64_t pace, int64_t first, int64_t count,
                           int64_t lanes);
/* The same of each element and those before it: the value to y and its number to at, which of equal ones is the last;
 * from a NaN on it is the last NaN. `top` and `at` are those of the elements before `first`. Element first + i of lane
 * l is x[i * x_pace + l], and so on. */
typedef struct fa__running {
    const void *x;
    void *y;
    int64_t *at, x_pace, y_pace, at_pace;
} fa__running;
typedef void fa__running_loop(const fa__running *, void *top, int64_t *at, int64_t first, int64_t count, int64_t lanes);
/* The elements from number `first` on of what the key draws. */
typedef void fa__random_loop(void *tile, fa__key key, int64_t first, int64_t n);
/* target[r * target_stride + c] = source[c * source_stride + r] for r < rows and c < columns; strides in elements. */
typedef void fa__transpose_loop(void *target, int64_t target_stride, const void *source, int64_t source_stride,
                                int64_t rows, int64_t columns);

/* to[r * to_row + i * to_step] = from[r * from_row + i * from_step] for r < rows and i < n; in elements. */
typedef void fa__copy_loop(void *to, int64_t to_row, int64_t to_step, const void *from, int64_t from_row,
                           int64_t from_step, int64_t rows, int64_t n);

/* Windows of pooling along a row: result i is made of the elements from + i * stride + k * step of some rows, for k <
 * columns. In the plane, element `from` of the first row has number `first`; that of the row below is `down` further.
 */
typedef struct fa__pool_row {
    int64_t rows, columns, step, stride, n, from, first, down;
} fa__pool_row;

/* Windows of 2 x 2 side by side, in two rows of n pairs, of which the first element has number `first` in its plane and
 * those of the second row are `down` further. Forward: the largest elements, and their numbers unless `at` is NULL.
 * Back: writes all of both rows. */
typedef void fa__pool_2x2(float *y, int64_t *at, const float *a, const float *b, int64_t n, int64_t first,
                          int64_t down);
typedef void fa__pool_2x2_back(float *a, float *b, const float *g, const int64_t *at, int64_t n, int64_t first,
                               int64_t down);

/* The same with relu before, for pairs of rows of w elements without gaps: `at` has 0 to 3 for each window, row by row,
 * or 255 where no element is above 0. */
typedef void fa__relu_pool_2x2(float *y, uint8_t *at, const float *x, int64_t pairs, int64_t w);
typedef void fa__relu_pool_2x2_back(float *x, const float *g, const uint8_t *at, int64_t pairs, int64_t w);
/* The same of f16 or bf16, whose infinity has the bits `inf`. Forward is false where there is a NaN: what it wrote is
 * not the result then. */
typedef bool fa__relu_pool_halves(uint16_t *y, uint8_t *at, const uint16_t *x, int64_t pairs, int64_t w, uint16_t inf);
typedef void fa__relu_pool_halves_back(uint16_t *x, const uint16_t *g, const uint8_t *at, int64_t pairs, int64_t w,
                                       uint16_t inf);

/* What is there for one class of computation. */
typedef struct fa__simd_class {
    fa__loop *prim[FA__PRIM_count];    /* NULL: not in this class, or not a loop (input, constant, index, ...) */
    fa__loop *copy;                    /* of a */
    fa__load_loop *load[FA__DTYPES];   /* by the dtype of the source */
    fa__store_loop *store[FA__DTYPES]; /* by the dtype of the target */
    fa__hot_loop *const *hot;          /* by FA__HOT_name; NULL in integer classes and when there are none */
    void (*fill)(void *tile, const void *value, int64_t n);
    void (*index)(void *tile, int64_t first, int64_t n); /* first, first + 1, ... */
    fa__random_loop *uniform, *normal;                   /* NULL in integer classes */
    fa__blocks_loop *blocks[FA__COMBINES];
    fa__short_rows_loop *short_rows[FA__COMBINES];
    fa__columns_loop *columns[FA__COMBINES];
    fa__scan_runs_loop *scan_runs[FA__COMBINES];
    fa__scan_join_loop *scan_join[FA__COMBINES];
    fa__best_loop *best[2]; /* the smallest, the largest; the first of equal ones, the first NaN before all others */
    fa__running_loop *running[2];
    int64_t (*best_place[2])(const void *x, int64_t n); /* the number of that one of n >= 1 elements */
    fa__loop *combine[FA__COMBINES];                    /* of a and b */
    fa__transpose_loop *transpose;
    /* The largest elements, and their numbers in the plane unless `at` is NULL. */
    void (*pool_max)(void *y, int64_t *at, const void *const *rows, const fa__pool_row *);
    /* NULL in integer classes: the sums; and y added to each element of one row that it is made of. */
    void (*pool_sum)(void *y, const void *const *rows, const fa__pool_row *);
    void (*pool_spread)(void *row, const void *y, const fa__pool_row *);
    /* Of rows of n elements, for softmax and norms (rows.inc); NULL in integer classes. Numbers of a row are elements
     * too. */
    bool (*range)(void *most, void *least, const void *x, int64_t n);
    void (*powers)(void *out, const void *x, const void *most, const void *least, int64_t n);
    void (*scale_row)(void *out, const void *x, const void *factor, int64_t n);
    void (*shift_row)(void *out, const void *x, const void *first, const void *second, int64_t n);
    void (*squares)(void *sum, void *square, const void *x, const void *mean, int64_t rows, int64_t n);
    void (*standardize_row)(void *out, const void *x, const void *mean, const void *factor, const void *weight,
                            const void *bias, int64_t n);
    void (*products)(void *sum, void *product, const void *g, const void *x, const void *mean, const void *factor,
                     const void *weight, int64_t n);
    void (*mean)(void *mean, const void *sum, int64_t n, int64_t count);
    void (*variance)(void *variance, void *mean, const void *distance, const void *square, int64_t n, int64_t count);
    void (*deviation)(void *out, const void *variance, double eps, int64_t count);
    /* numbers: mean, 1 / deviation, and the two sums of `products` */
    void (*standardize_back)(void *out, const void *g, const void *x, const void *const *numbers, const void *weight,
                             bool even, int64_t n, int64_t count);
    void (*standardize_gradients)(void *out, const void *g, const void *x, const void *const *numbers,
                                  const void *weight, void *products, void *sums, bool first, int64_t n, int64_t count);
    uint8_t size;  /* bytes of an element */
    uint8_t dtype; /* fa_dtype of an element */
} fa__simd_class;

typedef struct fa__simd {
    const char *name;
    const fa__simd_class *of[FA__CLASSES];
    const fa__simd_class *truth; /* of bytes that are true or false (logic.c); only what those programs call is there */
    /* Copies past the caches: for results that do not fit them. `to` is aligned to 64 bytes for speed, not by need. */
    void (*stream)(void *to, const void *from, int64_t bytes);
    void (*stream_end)(void); /* orders streamed stores before later ones; once, when a thread has finished */
    fa__random_loop *bits;    /* 64 of them for each element */
    fa__random_loop *poisson; /* f64: the tile has the rates before */
    fa__pool_2x2 *pool_2x2;
    fa__pool_2x2_back *pool_2x2_back;
    fa__relu_pool_2x2 *relu_pool_2x2;
    fa__relu_pool_2x2_back *relu_pool_2x2_back;
    fa__relu_pool_halves *relu_pool_halves;
    fa__relu_pool_halves_back *relu_pool_halves_back;
    /* Of elements of 1, 2, 4 and 8 bytes: by the logarithm of their size */
    fa__transpose_loop *transpose[4];
    fa__transpose_loop *transpose_past[4]; /* past the caches, to rows aligned to 64 bytes; NULL: there is none */
    fa__copy_loop *copy[4];
} fa__simd;

#ifdef FA__LEVEL
extern const fa__simd FA__SIMD(fa__simd);
extern const fa__simd_class FA__SIMD(fa__simd_f32), FA__SIMD(fa__simd_f64), FA__SIMD(fa__simd_i32),
    FA__SIMD(fa__simd_i64), FA__SIMD(fa__simd_truth);
extern fa__random_loop FA__SIMD(fa__uniform_f32), FA__SIMD(fa__uniform_f64), FA__SIMD(fa__normal_f32),
    FA__SIMD(fa__normal_f64), FA__SIMD(fa__bits_u64), FA__SIMD(fa__poisson);
extern fa__pool_2x2 FA__SIMD(fa__pool_2x2);
extern fa__pool_2x2_back FA__SIMD(fa__pool_2x2_back);
extern fa__relu_pool_2x2 FA__SIMD(fa__relu_pool_2x2);
extern fa__relu_pool_2x2_back FA__SIMD(fa__relu_pool_2x2_back);
extern fa__relu_pool_halves FA__SIMD(fa__relu_pool_halves);
extern fa__relu_pool_halves_back FA__SIMD(fa__relu_pool_halves_back);
extern fa__transpose_loop FA__SIMD(fa__transpose_8), FA__SIMD(fa__transpose_16), FA__SIMD(fa__transpose_32),
    FA__SIMD(fa__transpose_64), FA__SIMD(fa__transpose_past_32), FA__SIMD(fa__transpose_past_64);
extern fa__copy_loop FA__SIMD(fa__copy_8), FA__SIMD(fa__copy_16), FA__SIMD(fa__copy_32), FA__SIMD(fa__copy_64);
#endif

#endif
