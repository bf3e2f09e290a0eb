/* What kernels are given by value, as structs that the host and the devices lay out alike: i64 first, then i32, in even
 * number; no pointers. All arguments of a kernel are at most 1024 bytes (OpenCL's minimum), of which its fault word
 * takes 8 and each buffer 16. */
#ifndef FA__GPU_ARGUMENTS_H
#define FA__GPU_ARGUMENTS_H
#ifndef DIALECT
#include <stdint.h>
typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;
typedef uint32_t u32;
#endif

#define MOST_DIMS 8 /* FA_MAX_DIMS */

/* ---- lists of programs ---- */
/* How many segments of memory the operands of a list may lie in. */
#define LIST_SEGMENTS 20
typedef struct list_arguments {
    i64 entries; /* of the table */
} list_arguments;

/* ---- reductions, softmax, search ---- */

/* The reductions' tree (cpu/simd/simd.h: FA__BLOCK, FA__CHAINS) */
#define TREE_BLOCK 1024
#define TREE_CHAINS 16

/* One level of a reduction: `results` of `length` elements, each in `blocks` units that `width` items share. Partial
 * results of a result are block_step elements apart. The launch's dimensions from `kept` on are reduced. */
typedef struct reduce_arguments {
    i64 length, results, blocks, block_step;
    i32 kept, width, across, unused; /* across: neighbouring items have neighbouring results */
} reduce_arguments;

/* FA__GPU_REDUCE_FOLD: where partial results are, in elements; dtype[0] and the strides `to` over the shape are those
 * of what is written. */
typedef struct fold_arguments {
    i64 from_result, from_element;
    i64 shape[MOST_DIMS], to[MOST_DIMS];
    i32 rank, dtype[3];
} fold_arguments;

/* FA__GPU_SOFTMAX: rows over a shape, `length` elements each, which are x_step and y_step apart. */
typedef struct softmax_arguments {
    i64 rows, length, x_step, y_step;
    i64 shape[MOST_DIMS], x_stride[MOST_DIMS], y_stride[MOST_DIMS];
    i32 rank, x_dtype, y_dtype, logarithm;
    i32 width, across; /* as reduce_arguments has them; width 0: a group has one row */
} softmax_arguments;

/* FA__GPU_ATTENTION: `queries` and `keys` of `width` elements, values of v_width, for each place of a batch of `shape`.
 * Operands are numbered; a line is a row of one. Softmax's numbers of all rows stand in memory: the largest scores,
 * then, `known` elements behind, 1 / sums, then sums of gradients. A group has a tile of the result; `across` and
 * `down` say how many there are. `scale` by its bits. */
#define ATTENTION_RESULT 0
#define ATTENTION_Q 1
#define ATTENTION_K 2
#define ATTENTION_V 3
#define ATTENTION_GY 4
#define ATTENTION_MASK 5
#define ATTENTION_OPERANDS 6
typedef struct attention_arguments {
    i64 queries, keys, width, v_width;
    i64 across, down, known, scale;
    i64 shape[MOST_DIMS - 2], batch[ATTENTION_OPERANDS][MOST_DIMS - 2];
    i64 line[ATTENTION_OPERANDS], step[ATTENTION_OPERANDS]; /* strides */
    i32 rank, mask, causal, turned;
} attention_arguments;

/* what a mask has */
#define ATTENTION_BOOLS 1
#define ATTENTION_NUMBERS 2

/* FA__GPU_SEARCH: the best of `length` elements for each of `results`: the dimensions before `kept`, and those from it
 * on. Strides are of elements, values and indices. A result is found in `parts` parts of part_length elements, each of
 * which gives the number of its best; then, `listed`, among these. */
typedef struct search_arguments {
    i64 results, length, parts, part_length;
    i64 shape[MOST_DIMS], x_stride[MOST_DIMS], value_stride[MOST_DIMS], index_stride[MOST_DIMS];
    i32 rank, kept, dtype, valued, listed;
    i32 width, across, unused; /* items that share a part; neighbouring items have neighbouring results */
} search_arguments;

/* FA__GPU_SCAN: an item for each run of SCAN_RUN elements (backend/scan.h) of `lines` of `length`, or for each but a
 * line's last one. The elements are those of operands (`first`), or states, [number][line][element], which are results
 * too. Results are written (`write`), or else the ends of runs, [number][line][run]. */
#define SCAN_RUN 32
typedef struct scan_arguments {
    i64 lines, length, runs;
    i64 y_step, x_step, b_step;
    i64 shape[MOST_DIMS], y_stride[MOST_DIMS], x_stride[MOST_DIMS], b_stride[MOST_DIMS];
    i32 rank, y_dtype, x_dtype, b_dtype;
    i32 first, write, across, unused; /* across: neighbouring items have neighbouring lines */
} scan_arguments;

/* ---- selection, permutations, matrix products ---- */
/* FA__GPU_CHECK_INDEX: `count` elements of a list of indices, or as many results of groups before (`again`); a group
 * looks at `each` of them. They have to be from `low` on, and below `size`; or, where `size` is CHECK_ZEROS, not 0.
 */
#define CHECK_ZEROS -1
typedef struct check_arguments {
    i64 count, each, low, size;
    i64 shape[MOST_DIMS], stride[MOST_DIMS];
    i32 rank, dtype, dim, again;
} check_arguments;

/* FA__GPU_FETCH: for each of `count` elements of a shape, where it goes to, where its index stands, and where it comes
 * from but for the index, which counts the places of `lead` dimensions in row-major order. `bytes`: of an element. */
typedef struct fetch_arguments {
    i64 count;
    i64 lead_shape[MOST_DIMS], lead_from[MOST_DIMS];
    i64 shape[MOST_DIMS], to[MOST_DIMS], from[MOST_DIMS], index[MOST_DIMS];
    i32 rank, lead, bytes, index_dtype;
} fetch_arguments;

/* FA__GPU_PLACE_AT: lines of y over the `size` places of `lead` dimensions, each line in `ranges` parts. index, which
 * counts these places in row-major order, and src go on for `n` along it; paces are their strides. The other dimensions
 * have `shape` in y; `inside` is how far index goes there. */
typedef struct place_arguments {
    i64 lines, ranges, size, n;
    i64 index_pace, src_pace;
    i64 lead_shape[MOST_DIMS], lead_y[MOST_DIMS], lead_x[MOST_DIMS];
    i64 shape[MOST_DIMS], inside[MOST_DIMS];
    i64 y[MOST_DIMS], x[MOST_DIMS], index[MOST_DIMS], src[MOST_DIMS];
    i32 rank, lead, dtype, src_dtype, index_dtype, start, how, unused;
} place_arguments;

/* what y has before anything is added */
#define START_ZERO 0
#define START_COPY 1 /* of x */
#define START_KEEP 2 /* it is x */

/* what becomes of what stands at a place, and what comes there */
#define PLACE_SET 0 /* the last one that comes stays */
#define PLACE_ADD 1
#define PLACE_MUL 2
#define PLACE_MAX 3
#define PLACE_MIN 4

/* FA__GPU_TRUE_PLACES: `count` sums, of how many elements of a mask are true up to each; strides. */
typedef struct true_arguments {
    i64 count, step, to_step;
} true_arguments;

/* FA__GPU_RANDPERM: three launches, of an item for each of n places, below 2^31. Buffer 1 has 2 n i32: the lists'
 * first numbers, and what follows each. */
typedef struct randperm_arguments {
    i64 n, stride;
    u64 seed, call;
    i32 dtype, step;
} randperm_arguments;

#define RANDPERM_CLEAR 0  /* all lists are empty */
#define RANDPERM_LINK 1   /* each number into the list of the place that it draws */
#define RANDPERM_FOLLOW 2 /* what stands at each place */

/* FA__GPU_RANDINT: whole numbers from `low` on, of which there are `range`, for `count` elements of a shape. */
typedef struct randint_arguments {
    i64 count, low;
    u64 range, seed, call;
    i64 shape[MOST_DIMS], to[MOST_DIMS];
    i32 rank, dtype;
} randint_arguments;

/* FA__GPU_POISSON: a number for each of `count` rates over a shape. */
typedef struct poisson_arguments {
    i64 count;
    u64 seed, call;
    i64 shape[MOST_DIMS], rate[MOST_DIMS], to[MOST_DIMS];
    i32 rank, dtype;
} poisson_arguments;

/* FA__GPU_SORT_TILE, FA__GPU_SORT_MERGE: lines of `length` elements, x_step apart, whose other dimensions have `shape`;
 * of the sorted ones `count` from `first` on are wanted. Buffers 3 and 4 hold entries between launches, of all lines:
 * keys, then places (i32). What a key is made of is in backend/order.h. */
typedef struct sort_arguments {
    i64 lines, length, first, count;
    i64 parts, run; /* tiles of a line; entries that are in order before a merge */
    i64 x_step, value_step, index_step;
    i64 shape[MOST_DIMS], x[MOST_DIMS], value[MOST_DIMS], index[MOST_DIMS];
    u64 infinity;
    i32 rank, bytes, kind, descending;
    i32 slots, last; /* of a tile: those that one line has, a power of two; whether results are written, or entries */
} sort_arguments;

#define SORT_TILE 1024 /* entries that a group sorts or merges */
#define SORT_SIGNED 1  /* fa__order_kind */
#define SORT_FLOAT 2

/* FA__GPU_PLACES: for each of `count` values of a shape, its place in a sorted line of `length` elements, `pace` apart.
 */
typedef struct places_arguments {
    i64 count, length, pace;
    i64 shape[MOST_DIMS], line[MOST_DIMS], value[MOST_DIMS], to[MOST_DIMS];
    i32 rank, dtype, right, narrow; /* behind equal ones; places are i32 */
} places_arguments;

/* FA__GPU_TRIANGLE: `count` places of a matrix; their rows stand `stride` elements apart, their columns `below` behind.
 */
typedef struct triangle_arguments {
    i64 count, rows, columns, offset, below, stride;
    i32 upper, dtype;
} triangle_arguments;

/* FA__GPU_MATMUL: c (m x n) = a (m x k) b (k x n) + bias, for each place of a batch of `shape`. All are of one dtype,
 * or a and b are f8, of which b may be the other one, and c is f32. A group has one tile of c; `across` and `down` say
 * how many there are. Without local memory (odd variants) a tile has 64 elements, of which 2^wide are in one row. On
 * tensor cores `wide` says (TENSOR_) whether 16 bytes of a and of b can be read at once, two elements of c written, and
 * whether c is f32; with a `depth` the batch are parts of one product of so much in k, k in each but the last. */
#define TENSOR_A_ALIGNED 1
#define TENSOR_B_ALIGNED 2
#define TENSOR_PAIRS 4
#define TENSOR_SUMS 8
typedef struct matmul_arguments {
    i64 m, n, k;
    i64 a_row, a_col, b_row, b_col, c_row, c_col, bias_col;
    i64 across, down;
    i64 shape[MOST_DIMS], a[MOST_DIMS], b[MOST_DIMS], c[MOST_DIMS];
    i32 rank, dtype, b_dtype, bias, wide, depth;
} matmul_arguments;

/* FA__GPU_POOL_MAX and its like: windows of planes (backend/pool.h), along the height and the width. Strides are over
 * (n, c, h, w): of what has an element for each window, of places, and of the planes. `count` items, one for each
 * result of a launch. */
typedef struct pool_arguments {
    i64 count, channels, divisor; /* 0: the number of elements */
    i64 in[2], out[2], size[2], stride[2], padding[2], dilation[2];
    i64 small[4], index[4], large[4];
    i32 small_dtype, large_dtype, index_dtype, adaptive, pad, places; /* padding counts; places are written */
} pool_arguments;

/* FA__GPU_CONVOLVE: one of the three products of backend/convolution.h, of a left operand (m x k) and patches. With
 * `weight` 0 these are (k x n), the taps from `every` on, and a result has a place for each pixel; else pixels are
 * summed: `part` of them in each of `parts`, and results have a place for each tap. Groups of work are numbered by the
 * tile across, the tile down, the class of pixels (`back`), the part, the group of channels. Arrays of two are of rows
 * and columns, of three of images or channels, rows, columns; left[0] and out[0] are strides by m, the others by these
 * three. `wide` is as products have it; FA__GPU_TENSOR_CONVOLVE reads the left operand's 16 bytes at once by it. */
typedef struct convolve_arguments {
    i64 m, across, down;
    i64 pixels[3], taps[3]; /* of the image that is convolved into y; the largest class, `back` */
    i64 size[2], start[2], step[2], tap[2];
    i64 patch[4], left[4], out[4];
    i64 patch_group, left_group, out_group, bias_step;
    i64 part, parts;
    i64 classes[2], x_size[2], filter[2], stride[2], dilation[2], front[2], every[2];
    i32 dtype, bias, weight, partial, back, wide;
} convolve_arguments;

/* What no row or column of an image is, by itself or added to what is one for some tap. */
#define CONVOLVE_NOWHERE (-(1 << 30))

/* FA__GPU_CONVOLVE_ADD: `count` weights of each group from their sums in `parts` parts; of m rows and n taps. */
typedef struct convolve_add_arguments {
    i64 groups, parts, m, n;
    i64 taps[3], out[4], out_group;
    i32 dtype, added;
} convolve_add_arguments;

/* ---- the driver's own ---- */
/* FA__GPU_NOTE: the number of a graph's launch, which stands in a fault's dimension from this bit on. */
#define FAULT_NUMBER 8
typedef struct note_arguments {
    i32 number, unused;
} note_arguments;

/* FA__GPU_PUT: elements of 4 bytes (`words`) or of one. */
typedef struct put_arguments {
    i64 count;
    i32 words, unused;
} put_arguments;
#endif
