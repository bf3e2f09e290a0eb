/* cuBLASLt's functions as far as the library calls them: products of matrices that are stored by columns, made one
 * element after the other in f64, with the checks of sizes and memory that the real one leaves to the program. */
#define _GNU_SOURCE
#include "cudasim.h"
#include "numbers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    INVALID = 7,
    NOT_SUPPORTED = 15,
    COMPUTE_F32 = 68,
    COMPUTE_F64 = 70,
    COMPUTE_TF32 = 77,
    EPILOGUE_NONE = 1,
    EPILOGUE_BIAS = 4,
    EPILOGUE_GELU = 32,
    SCRATCH = 4096 /* bytes that every algorithm says it needs, and fills */
};

/* CUDA's numbers of dtypes */
static int kind_of(int type)
{
    static const int kinds[] = {
        [0] = 1 + F32, [1] = 1 + F64, [2] = 1 + F16, [14] = 1 + BF16, [28] = 1 + E4M3, [29] = 1 + E5M2};
    return type >= 0 && type < 30 && kinds[type] ? kinds[type] - 1 : NONE;
}

typedef struct layout {
    int type, batch;
    uint64_t rows, columns;
    int64_t ld, offset;
} layout;

typedef struct operation {
    int compute, scale, transposed[2], epilogue;
    const void *bias;
} operation;

typedef struct preference {
    uint64_t scratch;
    uint32_t alignment[4];
} preference;

typedef struct answer {
    uint64_t algorithm[8];
    size_t scratch;
    int state;
    float waves;
    int reserved[4];
} answer;

/* What a product is made of, when its turn comes. */
typedef struct product {
    operation how;
    layout of[3]; /* a, b, d */
    const void *a, *b, *c;
    void *d, *scratch;
    double alpha, beta;
} product;
_Static_assert(sizeof(product) <= sizeof((command *)0)->value, "a command has room");

/* ---- descriptions ---- */
/* A copy of what a description begins as, and the failures that tests ask for. */
static int create(const char *call, void **out, const void *begin, size_t size)
{
    if (!cudasim_enter(call))
        return cudasim_entered;
    *out = malloc(size);
    if (*out)
        memcpy(*out, begin, size);
    return cudasim_leave(*out ? 0 : ALLOC_FAILED);
}

static int destroy(const char *call, void *what)
{
    if (!cudasim_enter(call))
        return cudasim_entered;
    free(what);
    return cudasim_leave(0);
}

static int set(const char *call, void *to, size_t room, const void *from, size_t size)
{
    if (!cudasim_enter(call))
        return cudasim_entered;
    bool good = to && size == room;
    if (good)
        memcpy(to, from, size);
    return cudasim_leave(good ? 0 : INVALID);
}

#define LT EXPORT int

LT cublasLtCreate(void **handle)
{
    return create("cublasLtCreate", handle, "cuBLASLt", 8);
}

LT cublasLtDestroy(void *handle)
{
    return destroy("cublasLtDestroy", handle);
}

LT cublasLtMatmulDescCreate(void **out, int compute, int scale)
{
    const operation o = {.compute = compute, .scale = kind_of(scale), .epilogue = EPILOGUE_NONE};
    return create("cublasLtMatmulDescCreate", out, &o, sizeof o);
}

LT cublasLtMatmulDescDestroy(void *o)
{
    return destroy("cublasLtMatmulDescDestroy", o);
}

LT cublasLtMatmulDescSetAttribute(void *what, int attribute, const void *from, size_t size)
{
    operation *o = what;
    void *to = attribute == 3   ? &o->transposed[0]
               : attribute == 4 ? &o->transposed[1]
               : attribute == 7 ? (void *)&o->epilogue
               : attribute == 8 ? (void *)&o->bias
                                : NULL;
    return set("cublasLtMatmulDescSetAttribute", to, attribute == 8 ? sizeof o->bias : sizeof o->epilogue, from, size);
}

LT cublasLtMatrixLayoutCreate(void **out, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    const layout l = {.type = kind_of(type), .batch = 1, .rows = rows, .columns = columns, .ld = ld};
    return create("cublasLtMatrixLayoutCreate", out, &l, sizeof l);
}

LT cublasLtMatrixLayoutDestroy(void *l)
{
    return destroy("cublasLtMatrixLayoutDestroy", l);
}

LT cublasLtMatrixLayoutSetAttribute(void *what, int attribute, const void *from, size_t size)
{
    layout *l = what;
    void *to = attribute == 5 ? (void *)&l->batch : attribute == 6 ? (void *)&l->offset : NULL;
    return set("cublasLtMatrixLayoutSetAttribute", to, attribute == 5 ? sizeof l->batch : sizeof l->offset, from, size);
}

LT cublasLtMatmulPreferenceCreate(void **out)
{
    const preference p = {.scratch = 0, .alignment = {256, 256, 256, 256}};
    return create("cublasLtMatmulPreferenceCreate", out, &p, sizeof p);
}

LT cublasLtMatmulPreferenceDestroy(void *p)
{
    return destroy("cublasLtMatmulPreferenceDestroy", p);
}

LT cublasLtMatmulPreferenceSetAttribute(void *what, int attribute, const void *from, size_t size)
{
    preference *p = what;
    const bool aligned = attribute >= 5 && attribute <= 8;
    void *to = aligned ? (void *)&p->alignment[attribute - 5] : attribute == 1 ? (void *)&p->scratch : NULL;
    return set("cublasLtMatmulPreferenceSetAttribute", to, aligned ? sizeof *p->alignment : sizeof p->scratch, from,
               size);
}

/* ---- products ---- */
static double element(const product *p, int which, int64_t batch, int64_t row, int64_t column)
{
    const layout *l = &p->of[which];
    const bool turned = p->how.transposed[which];
    const int64_t at = batch * l->offset + (turned ? column + row * l->ld : row + column * l->ld);
    const double x = cudasim_load(which ? p->b : p->a, l->type, at);
    return p->how.compute == COMPUTE_TF32 ? cudasim_tf32(x) : x;
}

/* Of a sum in that row of the result */
static double epilogue(const product *p, double sum, int64_t row)
{
    const double x = p->how.epilogue & EPILOGUE_BIAS ? sum + cudasim_load(p->how.bias, p->of[2].type, row) : sum;
    return p->how.epilogue & EPILOGUE_GELU ? x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) : x;
}

static void multiply(const void *what)
{
    const product *p = what;
    const layout *d = &p->of[2];
    const int64_t depth = (int64_t)(p->how.transposed[0] ? p->of[0].rows : p->of[0].columns);
    if (p->scratch)
        memset(p->scratch, 0xff, SCRATCH);
    for (int64_t batch = 0; batch < d->batch; batch++)
        for (int64_t column = 0; column < (int64_t)d->columns; column++)
            for (int64_t row = 0; row < (int64_t)d->rows; row++) {
                const int64_t at = batch * d->offset + row + column * d->ld;
                double sum = 0;
                for (int64_t k = 0; k < depth; k++)
                    sum += element(p, 0, batch, row, k) * element(p, 1, batch, k, column);
                sum = p->alpha * sum + (p->beta != 0 ? p->beta * cudasim_load(p->c, d->type, at) : 0);
                cudasim_store(p->d, d->type, at, epilogue(p, sum, row));
            }
}

static bool is_f8(const layout *l)
{
    return l->type == E4M3 || l->type == E5M2;
}

/* What is multiplied in f8 lies in one order only, in steps of 16. */
static bool fits_f8(const operation *o, const layout *a, const layout *b, const layout *d)
{
    return is_f8(a) && is_f8(b) && (a->type == E4M3 || b->type == E4M3) && d->type == F32 && o->transposed[0]
           && !o->transposed[1] && (a->rows | a->columns | b->columns | (uint64_t)(a->ld | b->ld | d->ld)) % 16 == 0;
}

static bool fits_epilogue(const operation *o)
{
    const int without_bias = o->epilogue & ~EPILOGUE_BIAS;
    return o->epilogue == EPILOGUE_NONE || o->epilogue == EPILOGUE_BIAS || without_bias == EPILOGUE_GELU;
}

/* Whether the shapes and dtypes go together. */
static bool fits(const operation *o, const layout *a, const layout *b, const layout *d)
{
    const layout *const all[3] = {a, b, d};
    const uint64_t rows = o->transposed[0] ? a->columns : a->rows, depth = o->transposed[0] ? a->rows : a->columns;
    const uint64_t columns = o->transposed[1] ? b->rows : b->columns, other = o->transposed[1] ? b->columns : b->rows;
    bool good = fits_epilogue(o) && rows == d->rows && columns == d->columns && depth == other;
    good &= is_f8(a) || is_f8(b) ? fits_f8(o, a, b, d) : a->type == b->type && a->type == d->type;
    for (int i = 0; i < 3; i++)
        good &= cudasim_size_of(all[i]->type) && all[i]->ld >= (int64_t)all[i]->rows && all[i]->batch == d->batch;
    return good
           && (a->type == F64
                   ? o->compute == COMPUTE_F64 && o->scale == F64 && o->epilogue == EPILOGUE_NONE
                   : (o->compute == COMPUTE_F32 || (o->compute == COMPUTE_TF32 && a->type == F32)) && o->scale == F32);
}

/* No algorithm is found for products of one row, so that this can be seen. */
LT cublasLtMatmulAlgoGetHeuristic(void *handle, void *o, void *a, void *b, void *c, void *d, void *preference_,
                                  int most, answer *out, int *count)
{
    const preference *p = preference_;
    const layout *result = d;
    if (!cudasim_enter("cublasLtMatmulAlgoGetHeuristic"))
        return cudasim_entered;
    *count = 0;
    if (!handle || !fits(o, a, b, d) || memcmp(c, d, sizeof(layout)) != 0 || most < 1)
        return cudasim_leave(INVALID);
    if (result->columns == 1 || p->scratch < SCRATCH)
        return cudasim_leave(NOT_SUPPORTED);
    *out = (answer){.algorithm = {1}, .scratch = SCRATCH};
    for (int i = 0; i < 4; i++)
        out->algorithm[i + 1] = p->alignment[i];
    *count = 1;
    return cudasim_leave(0);
}

static bool is_inside(int device, const layout *l, const void *at)
{
    const uint64_t last = (uint64_t)(l->batch - 1) * (uint64_t)l->offset + (l->columns - 1) * (uint64_t)l->ld + l->rows;
    return cudasim_has(device, at, last * cudasim_size_of(l->type));
}

LT cublasLtMatmul(void *handle, void *operation_, const void *alpha, const void *a, void *a_layout, const void *b,
                  void *b_layout, const void *beta, const void *c, void *c_layout, void *d, void *d_layout,
                  const uint64_t *algorithm, void *scratch, size_t size, CUstream stream)
{
    const void *const address[4] = {a, b, c, d};
    const operation *o = operation_;
    CUcontext context = cudasim_enter("cublasLtMatmul");
    if (!context)
        return cudasim_entered;
    product p = {.how = *o, .of = {*(layout *)a_layout, *(layout *)b_layout, *(layout *)d_layout}};
    const bool f64 = o->scale == F64;
    p.a = a, p.b = b, p.c = c, p.d = d, p.scratch = scratch;
    p.alpha = f64 ? *(const double *)alpha : (double)*(const float *)alpha;
    p.beta = f64 ? *(const double *)beta : (double)*(const float *)beta;
    bool good = handle && algorithm[0] == 1 && size >= SCRATCH && stream->context == context
                && cudasim_has(context->device, scratch, size) && c_layout == d_layout
                && fits(o, &p.of[0], &p.of[1], &p.of[2]);
    for (int i = 0; i < 4; i++)
        good = good && (uintptr_t)address[i] % algorithm[i + 1] == 0
               && is_inside(context->device, &p.of[i < 2 ? i : 2], address[i]);
    if (o->epilogue & EPILOGUE_BIAS)
        good = good && cudasim_has(context->device, o->bias, p.of[2].rows * cudasim_size_of(p.of[2].type));
    command work = {.kind = CALL, .call = multiply};
    memcpy(work.value, &p, sizeof p);
    if (!good)
        return cudasim_leave(INVALID);
    return cudasim_leave(cudasim_issue(stream, &work) ? 0 : ALLOC_FAILED);
}
