/* Between the division of a matrix product (gemm.c) and the loops that compute (simd/gemm*): what such a set of loops
 * is asked to do. Element types are hidden here; strides count elements throughout. */
#ifndef FA__BACKEND_CPU_GEMM_KIND_H
#define FA__BACKEND_CPU_GEMM_KIND_H
#include "backend/cpu/gemm.h"

/* One tile of c: at most kind->rows x kind->cols, and all of a run of k. Columns of b and c are neighbours in memory.
 */
typedef struct fa__gemm_tile {
    int64_t rows, cols, depth;
    const void *a;
    int64_t a_row, a_col;
    const void *b;
    int64_t b_row;
    void *c;
    int64_t c_row;
    const void *bias; /* of these columns, neighbours; or NULL */
    const void *next; /* where the tile after this one has its c: a hint to load it into the cache */
    bool resume;      /* c holds the sums so far */
    bool relu;
} fa__gemm_tile;

/* A rectangle of c. */
typedef struct fa__gemm_block {
    int64_t row, col, rows, cols;
} fa__gemm_block;

typedef struct fa__gemm_kind {
    size_t element, packed, sum; /* bytes of an element, of a packed one, and of a sum */
    int64_t rows, cols;          /* the largest tile */
    int64_t group;               /* k of packed operands is a multiple of this, filled up with zeros */
    bool direct;                 /* operands can be used where they lie: elements are what is packed */
    bool whole;                  /* every tile reads and writes kind->rows x kind->cols elements */
    void (*tile)(const fa__gemm_tile *t);
    /* to[i * to_row + j] = from[i * from_row + j * from_col], for i < rows and j < cols, as packed elements */
    void (*pack)(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t from_col, int64_t rows,
                 int64_t cols);
    /* to[i * to_row + j] = from[offset[i] + j], for i < rows and j < cols, all packed elements */
    void (*gather)(void *to, int64_t to_row, const void *from, const int64_t *offset, int64_t rows, int64_t cols);
    /* Where tiles read pairs of k side by side (element (k, j) of a panel of b, which is `cols` wide, at k / 2 * 2 *
     * cols + 2 * j + k % 2), else NULL: makes that of a packed panel, in place; and of b, as pack() and join() do. */
    void (*join)(void *panel, int64_t depth);
    void (*pack_joined)(void *panel, const void *from, int64_t from_row, int64_t from_col, int64_t depth, int64_t cols);
    /* Called by each thread before its first tile and after its last; NULL: not needed */
    void (*enter)(void);
    void (*leave)(void);
    /* c's block from its sums: adds the bias, applies relu, rounds */
    void (*finish)(const fa__gemm *g, const fa__gemm_block *at, const void *sums, int64_t sums_row);
    /* sums[i] += more[i] */
    void (*add)(void *sums, const void *more, int64_t count);
} fa__gemm_kind;

/* Where a source packs to: panels of so many columns, and the distances of rows and panels in elements. */
typedef struct fa__gemm_place {
    void *data;
    int64_t row, panel, step;
} fa__gemm_place;

/* An operand that lies nowhere as a matrix, and is made while it is packed. */
typedef struct fa__gemm_source {
    /* Element (i, j) of the rectangle `at` to to[j / panel * step + i * to_row + j % panel], as packed elements. room:
     * as many bytes as room() says, aligned to 64; NULL for 0. */
    void (*pack)(const struct fa__gemm_source *, const fa__gemm_kind *, const fa__gemm_place *to,
                 const fa__gemm_block *at, void *room);
    /* Bytes that rectangles of at most rows x cols need; of two operands one asks for some, at most */
    size_t (*room)(const struct fa__gemm_source *, const fa__gemm_kind *, int64_t rows, int64_t cols);
} fa__gemm_source;

/* A result that lies nowhere as a matrix: takes complete sums, where kind->finish takes them otherwise. */
typedef struct fa__gemm_sink {
    void (*put)(const struct fa__gemm_sink *, const fa__gemm_kind *, const fa__gemm *, const fa__gemm_block *at,
                const void *sums, int64_t sums_row);
} fa__gemm_sink;

/* The same product where k is 0: operands have no elements, perhaps no address, which is no start for arithmetic. Any
 * other will do; c has none where there is a sink. */
static inline fa__gemm fa__gemm_empty(const fa__gemm *g)
{
    fa__gemm e = *g;
    e.a = e.b = g;
    e.a_source = e.b_source = NULL;
    e.k = e.a_row = e.a_col = e.b_row = e.b_col = 0;
    return e;
}

/* The product by tiles, on as many threads as pay. */
bool fa__gemm_by_tiles(const fa__gemm *g, const fa__gemm_kind *kind);

/* The number of multiply-adds from which a second thread pays. */
enum { FA__GEMM_PARALLEL = 100000 };
#endif
