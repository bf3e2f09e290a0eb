/* Matrix products by cuBLASLt, NVIDIA's library (backend/gpu/library.c decides which ones). Its matrices are stored by
 * columns: instead of c = a b it makes the transposed product c' = b' a', whose matrices lie in memory as ours do.
 *
 * What the library is asked, and its answer which of its kernels is best, is kept for the sizes that came last: asking
 * takes longer than issuing. Names and values are those of NVIDIA's documentation. */
#include "backend/gpu/cuda/cuda.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/plans.h"
#include "core/context.h"
#include <string.h>

enum {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_16BF = 14,
    CUDA_R_8F_E4M3 = 28,
    CUDA_R_8F_E5M2 = 29,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    /* attributes of an operation */
    DESC_TRANSA = 3,
    DESC_TRANSB = 4,
    DESC_EPILOGUE = 7,
    DESC_BIAS_POINTER = 8,
    EPILOGUE_DEFAULT = 1,
    EPILOGUE_BIAS = 4,  /* added to */
    EPILOGUE_GELU = 32, /* this one; alone it is its own */
    /* of a matrix */
    LAYOUT_BATCH_COUNT = 5,
    LAYOUT_STRIDED_BATCH_OFFSET = 6,
    /* of a search */
    PREF_MAX_WORKSPACE_BYTES = 1,
    PREF_MIN_ALIGNMENT_A_BYTES = 5, /* then B's, C's and D's */

    SCRATCH = 32 << 20,
    ALIGNMENT = 256, /* of memory, as far as it matters to the library */
};

typedef struct found { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algorithm[8];
    size_t scratch;
    int state;
    float waves;
    int reserved[4];
} found;

#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(cublasLtCreate, (void **handle))                                                                          \
    FUNCTION(cublasLtDestroy, (void *handle))                                                                          \
    FUNCTION(cublasLtMatmulDescCreate, (void **operation, int compute, int scale))                                     \
    FUNCTION(cublasLtMatmulDescDestroy, (void *operation))                                                             \
    FUNCTION(cublasLtMatmulDescSetAttribute, (void *operation, int attribute, const void *, size_t))                   \
    FUNCTION(cublasLtMatrixLayoutCreate, (void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld))       \
    FUNCTION(cublasLtMatrixLayoutDestroy, (void *layout))                                                              \
    FUNCTION(cublasLtMatrixLayoutSetAttribute, (void *layout, int attribute, const void *, size_t))                    \
    FUNCTION(cublasLtMatmulPreferenceCreate, (void **preference))                                                      \
    FUNCTION(cublasLtMatmulPreferenceDestroy, (void *preference))                                                      \
    FUNCTION(cublasLtMatmulPreferenceSetAttribute, (void *preference, int attribute, const void *, size_t))            \
    FUNCTION(cublasLtMatmulAlgoGetHeuristic, (void *handle, void *operation, void *a, void *b, void *c, void *d,       \
                                              void *preference, int most, found *, int *count))                        \
    FUNCTION(cublasLtMatmul, (void *handle, void *operation, const void *alpha, const void *a, void *a_layout,         \
                              const void *b, void *b_layout, const void *beta, const void *c, void *c_layout, void *d, \
                              void *d_layout, const uint64_t *algorithm, void *scratch, size_t, CUstream))

static struct {
#define MEMBER(name, parameters) int(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} lt;

/* ---- finding it ---- */
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
#define SYMBOL(name, parameters) {#name, &lt.name, false},
    static const fa__symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    static fa__library library;
    is_open = fa__cuda_open_library(&library, "FACULA_CUBLASLT_LIBRARY", "libcublasLt", 13, symbols,
                                    sizeof symbols / sizeof *symbols);
}

static bool there(void)
{
    pthread_once(&once, open_library);
    return is_open;
}

/* ---- what is asked ---- */
/* Everything that the library's choice depends on; without padding, as it is compared by its bytes. */
typedef struct question {
    int64_t m, n, k, batch;
    int64_t ld[3], step[3]; /* of c, a, b: elements between rows, and between the matrices of a batch */
    int32_t dtype[3], tf32, epilogue, transposed[2], alignment[3];
} question;

typedef struct plan {
    question question;
    bool possible;
    void *operation, *layout[3]; /* of c, a, b */
    found best;
} plan;

static struct {
    void *handle;
    fa__gpu_plans plans;
} own[FA__CUDA_DEVICES];

static bool adds_bias(const fa__gpu_product *x)
{
    return x->p.bias && !x->p.rank && x->p.bias_col == 1 && x->p.dtype != FA_F64;
}

static int32_t alignment_of(const void *address)
{
    const uintptr_t bits = (uintptr_t)address | ALIGNMENT;
    return (int32_t)(bits & -bits);
}

static question question_of(const fa__gpu_product *x, const fa__gpu_matrix matrix[3])
{
    const matmul_arguments *p = &x->p;
    const void *const address[3] = {x->c, x->a, x->b};
    question q = {.m = p->m,
                  .n = p->n,
                  .k = p->k,
                  .batch = 1,
                  .dtype = {fa__dtype_is_storage((unsigned)p->dtype) ? FA_F32 : p->dtype, p->dtype, p->b_dtype}};
    if (p->rank) {
        q.batch = p->shape[0];
        q.step[0] = p->c[0];
        q.step[1] = p->a[0];
        q.step[2] = p->b[0];
    }
    for (int i = 0; i < 3; i++) {
        q.ld[i] = (int64_t)matrix[i].ld;
        q.alignment[i] = alignment_of(address[i]);
    }
    q.transposed[0] = matrix[1].transposed;
    q.transposed[1] = matrix[2].transposed;
    q.tf32 = p->dtype == FA_F32 && fa__ctx()->settings->tf32;
    q.epilogue = (adds_bias(x) ? EPILOGUE_BIAS : 0) + (x->gelu ? EPILOGUE_GELU : 0);
    return q;
}

/* ---- the answer ---- */
static void forget(void *plan_)
{
    plan *p = plan_;
    for (int i = 0; i < 3; i++)
        if (p->layout[i])
            lt.cublasLtMatrixLayoutDestroy(p->layout[i]);
    if (p->operation)
        lt.cublasLtMatmulDescDestroy(p->operation);
}

static int describe_operation(plan *p)
{
    const question *q = &p->question;
    const bool f64 = q->dtype[0] == FA_F64;
    const int32_t epilogue = q->epilogue ? q->epilogue : EPILOGUE_DEFAULT;
    int status = lt.cublasLtMatmulDescCreate(&p->operation,
                                             f64       ? CUBLAS_COMPUTE_64F
                                             : q->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                       : CUBLAS_COMPUTE_32F,
                                             f64 ? CUDA_R_64F : CUDA_R_32F);
    const struct {
        int attribute;
        int32_t value;
    } set[] = {{DESC_TRANSA, q->transposed[1]}, {DESC_TRANSB, q->transposed[0]}, {DESC_EPILOGUE, epilogue}};
    for (size_t i = 0; i < sizeof set / sizeof *set && !status; i++)
        status = lt.cublasLtMatmulDescSetAttribute(p->operation, set[i].attribute, &set[i].value, sizeof(int32_t));
    return status;
}

/* Matrix i as the library sees it: the rows of ours are its columns. */
static int describe_matrix(plan *p, int i, int64_t rows, int64_t columns, bool transposed)
{
    static const int types[] = {
        [FA_F32] = CUDA_R_32F,   [FA_F64] = CUDA_R_64F,           [FA_F16] = CUDA_R_16F,
        [FA_BF16] = CUDA_R_16BF, [FA_F8_E4M3FN] = CUDA_R_8F_E4M3, [FA_F8_E5M2] = CUDA_R_8F_E5M2};
    const question *q = &p->question;
    const int32_t batch = (int32_t)q->batch;
    int status =
        lt.cublasLtMatrixLayoutCreate(&p->layout[i], types[q->dtype[i]], (uint64_t)(transposed ? rows : columns),
                                      (uint64_t)(transposed ? columns : rows), q->ld[i]);
    if (!status && batch > 1)
        status = lt.cublasLtMatrixLayoutSetAttribute(p->layout[i], LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    if (!status && batch > 1)
        status = lt.cublasLtMatrixLayoutSetAttribute(p->layout[i], LAYOUT_STRIDED_BATCH_OFFSET, &q->step[i],
                                                     sizeof q->step[i]);
    return status;
}

static int search_with(void *handle, plan *p, void *preference)
{
    static const int of[4] = {2, 1, 0, 0}; /* the library's a, b, c and d are these of ours */
    const uint64_t scratch = SCRATCH;
    int count = 0;
    int status =
        lt.cublasLtMatmulPreferenceSetAttribute(preference, PREF_MAX_WORKSPACE_BYTES, &scratch, sizeof scratch);
    for (int i = 0; i < 4 && !status; i++) {
        const uint32_t bytes = (uint32_t)p->question.alignment[of[i]];
        status =
            lt.cublasLtMatmulPreferenceSetAttribute(preference, PREF_MIN_ALIGNMENT_A_BYTES + i, &bytes, sizeof bytes);
    }
    if (status)
        return status;
    status = lt.cublasLtMatmulAlgoGetHeuristic(handle, p->operation, p->layout[2], p->layout[1], p->layout[0],
                                               p->layout[0], preference, 1, &p->best, &count);
    p->possible = !status && count > 0 && !p->best.state;
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? 0 : status;
}

static int search(void *handle, plan *p)
{
    void *preference = NULL;
    int status = lt.cublasLtMatmulPreferenceCreate(&preference);
    if (!status)
        status = search_with(handle, p, preference);
    if (preference)
        lt.cublasLtMatmulPreferenceDestroy(preference);
    return status;
}

static int make_plan(void *plan_, void *handle)
{
    plan *p = plan_;
    const question *q = &p->question;
    int status = describe_operation(p);
    status = status ? status : describe_matrix(p, 0, q->m, q->n, false);
    status = status ? status : describe_matrix(p, 1, q->m, q->k, q->transposed[0]);
    status = status ? status : describe_matrix(p, 2, q->k, q->n, q->transposed[1]);
    return status ? status : search(handle, p);
}

static const fa__gpu_planning planning = {
    .question = sizeof(question), .plan = sizeof(plan), .make = make_plan, .forget = forget};

/* ---- products ---- */
static int multiply(void *handle, plan *p, const fa__gpu_product *x, void *scratch, CUstream stream)
{
    const double one[2] = {1, 0};
    const float one_f32[2] = {1, 0};
    const bool in_epilogue = adds_bias(x), in_result = x->p.bias && !in_epilogue, f64 = x->p.dtype == FA_F64;
    const void *alpha = f64 ? (const void *)one : one_f32, *zero = f64 ? (const void *)(one + 1) : one_f32 + 1;
    if (in_epilogue) {
        int status = lt.cublasLtMatmulDescSetAttribute(p->operation, DESC_BIAS_POINTER, &x->bias, sizeof x->bias);
        if (status)
            return status;
    }
    return lt.cublasLtMatmul(handle, p->operation, alpha, x->b, p->layout[2], x->a, p->layout[1],
                             in_result ? alpha : zero, x->c, p->layout[0], x->c, p->layout[0], p->best.algorithm,
                             scratch, p->best.scratch, stream);
}

static int run(int device, const fa__gpu_product *x, const fa__gpu_matrix matrix[3], void *scratch, CUstream stream)
{
    void **handle = &own[device].handle;
    const question q = question_of(x, matrix);
    int status = *handle ? 0 : lt.cublasLtCreate(handle);
    if (status)
        return status;
    plan *p = fa__gpu_plan(&own[device].plans, &planning, &q, *handle, &status);
    if (status)
        return status;
    return p && p->possible ? multiply(*handle, p, x, scratch, stream) : FA__GPU_NO_PRODUCT;
}

/* The device's lock is held, which guards its plans. */
static int call(fa__gpu_queue *q, const fa__gpu_product *x, const fa__gpu_matrix matrix[3], void *scratch, void **event)
{
    const fa__cuda_queue *queue = q->handle;
    (void)event; /* the queue's own will do */
    fa__cuda_enter(queue->device);
    return fa__cuda_leave(run(q->base.device->id.index, x, matrix, scratch, queue->stream));
}

void fa__cuda_cublaslt_close(const fa__device *d)
{
    const int i = d->id.index;
    if (!own[i].handle)
        return;
    fa__cuda_enter(fa__cuda_own(d));
    fa__gpu_plans_free(&own[i].plans, &planning);
    lt.cublasLtDestroy(own[i].handle);
    own[i].handle = NULL;
    fa__cuda_leave(CUDA_SUCCESS);
}

const fa__gpu_library fa__cuda_cublaslt = {.name = "cuBLASLt",
                                           .setting = "FACULA_CUBLASLT",
                                           .dtypes = 1u << FA_F32 | 1u << FA_F64 | 1u << FA_F16 | 1u << FA_BF16
                                                     | 1u << FA_F8_E4M3FN | 1u << FA_F8_E5M2,
                                           .batches = true,
                                           .faster = true,
                                           .scratch = SCRATCH,
                                           .there = there,
                                           .adds_bias = adds_bias,
                                           .product = call};

OVERRIDE(cuda, matmul)
{
    return fa__gpu_product_by_library(queue, l, fa__gpu_product_of_matmul(l));
}

/* The library multiplies f8 in this order only, in steps of 16 numbers, and never twice e5m2. */
static bool lies_for_f8(const matmul_arguments *p)
{
    return p->a_col == 1 && p->b_row == 1 && (p->m | p->n | p->k | p->a_row | p->b_col) % 16 == 0
           && (p->dtype == FA_F8_E4M3FN || p->b_dtype == FA_F8_E4M3FN);
}

OVERRIDE(cuda, mm_f8)
{
    const fa__gpu_product x = fa__gpu_product_of_mm_f8(l);
    return fa__dtype_is_storage((unsigned)x.p.dtype) && !lies_for_f8(&x.p) ? FA__DECLINED
                                                                           : fa__gpu_product_by_library(queue, l, x);
}

OVERRIDE(cuda, linear)
{
    return fa__gpu_product_by_library(queue, l, fa__gpu_product_of_linear(l));
}

/* The library's gelu is the form by tanh. How exactly it computes tanh is not documented, and GPUs have an instruction
 * for it with 11 bits: that is enough for halves, and for f32 where the program allows tf32. Its relu is not used, as
 * it may make 0 of NaN. */
OVERRIDE(cuda, linear_gelu)
{
    fa__gpu_product x = fa__gpu_product_of_linear(l);
    const bool half = x.p.dtype == FA_F16 || x.p.dtype == FA_BF16;
    x.gelu = true;
    return half || (x.p.dtype == FA_F32 && fa__ctx()->settings->tf32) ? fa__gpu_product_by_library(queue, l, x)
                                                                      : FA__DECLINED;
}
