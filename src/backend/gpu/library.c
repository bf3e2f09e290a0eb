/* Matrix products by a library for the kind of GPU (cuBLASLt, CLBlast), where it is there and faster. Its sums are made
 * in another order, so their last bits differ from those of our kernel and of the CPU: never under
 * FA_USE(.deterministic = true).
 *
 * A product is a candidate when its matrices are large and lie as libraries have them. cuBLASLt makes all candidates.
 * With CLBlast, both ways are timed once, with the MANY-th candidate of a size in a process: a program of a few
 * products never waits for a library to compile its kernels, which takes seconds. The result is kept beside the
 * compiled kernels, for later processes. The environment's variable of the library's name (FACULA_CLBLAST,
 * FACULA_CUBLASLT) turns it off with 0; with 1 it makes all products that lie right, of any size. */
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "core/context.h"
#include "core/ledger.h"
#include <stdlib.h>
#include <string.h>

enum {
    SMALLEST = 64,   /* rows, columns and depth of a candidate, */
    LEAST_WORK = 24, /* and the logarithm of its multiplications */
    WORK_STEP = 3,   /* a size is this much wide */
    MANY = 16,
    TURNS = 4 /* of a measurement; the first one does not count */
};

typedef fa__gpu_verdict verdict;

static fa__gpu_use use_of(const char *variable)
{
    const char *setting = getenv(variable);
    return setting && !strcmp(setting, "0")   ? FA__GPU_NEVER
           : setting && !strcmp(setting, "1") ? FA__GPU_ALWAYS
                                              : FA__GPU_FASTER;
}

void fa__gpu_library_begin(fa__gpu_device *g)
{
    g->library_use = g->driver->library ? use_of(g->driver->library->setting) : FA__GPU_NEVER;
    g->tensor_use = g->tensor ? use_of("FACULA_TENSOR_CORES") : FA__GPU_NEVER;
}

/* ---- what it can do ---- */
typedef fa__gpu_matrix matrix;

/* One of the two steps has to be 1, and the other one no less than what it leaps over. */
static bool lies_right(int64_t rows, int64_t columns, int64_t row_step, int64_t column_step, matrix *out)
{
    bool as_it_is = (column_step == 1 || columns == 1) && (row_step >= columns || rows == 1);
    bool turned = (row_step == 1 || rows == 1) && (column_step >= rows || columns == 1);
    if (as_it_is)
        *out = (matrix){false, (size_t)(rows == 1 ? columns : row_step)};
    else if (turned)
        *out = (matrix){true, (size_t)(columns == 1 ? rows : column_step)};
    return as_it_is || turned;
}

typedef struct job {
    fa__gpu_queue *queue;
    const fa__launch *launch;
    fa__gpu_product product;
    matrix matrix[3]; /* c, a, b */
} job;

static fa__gpu_device *own(const job *j)
{
    return j->queue->gpu;
}

static const fa__gpu_library *library_of(const job *j)
{
    return own(j)->driver->library;
}

/* What overwrites existing data has to look for faults first, which libraries do not. */
static bool can(job *j)
{
    const matmul_arguments *p = &j->product.p;
    const fa__gpu_queue *q = j->queue;
    const bool careful = j->launch->overwrites;
    return library_of(j)->dtypes >> p->dtype & 1 && (p->dtype != FA_F64 || q->gpu->f64) && !careful
           && p->rank <= library_of(j)->batches && p->m > 0 && p->n > 0 && p->k > 0 && fa__gpu_batch(p) > 0
           && lies_right(p->m, p->k, p->a_row, p->a_col, &j->matrix[1])
           && lies_right(p->k, p->n, p->b_row, p->b_col, &j->matrix[2])
           && lies_right(p->m, p->n, p->c_row, p->c_col, &j->matrix[0]) && !j->matrix[0].transposed
           && !fa__ctx()->settings->deterministic;
}

/* ---- a product ---- */
/* c has its bias first, to which the product is added: our kernel makes it of no products at all. */
static bool put_bias(const job *j)
{
    fa__gpu_product none = j->product;
    none.p.k = 0;
    return !none.p.bias || fa__gpu_run_product(&j->queue->base, j->launch, &none);
}

/* FA__GPU_NO_PRODUCT, or the library's status. The time that it compiles is counted as a wait. */
static int call(const job *j, void *scratch, void **event)
{
    const fa__op *op = j->launch->op;
    fa__gpu_catch_up(j->queue);
    int64_t start = fa__clock_ns();
    int status = library_of(j)->product(j->queue, &j->product, j->matrix, scratch, event);
    int64_t taken = fa__clock_ns() - start;
    if (taken > 10000000)
        fa__ledger_implicit(op, j->queue->base.device, taken);
    return status;
}

static uint64_t issue(const job *j, void *scratch)
{
    fa__gpu_queue *q = j->queue;
    const fa__gpu_library *library = library_of(j);
    void *event = NULL;
    if ((!(library->adds_bias && library->adds_bias(&j->product)) && !put_bias(j)) || !fa__gpu_begin(q, j->launch->op))
        return 0;
    int status = call(j, scratch, &event);
    if (!status) {
        own(j)->library_products++;
        return fa__gpu_commit(q, NULL, event, "a library's product");
    }
    if (status == FA__GPU_NO_PRODUCT || fa__failed())
        return 0;
    fa__log(FA_LOG_WARNING, "%s: %s fails with status %d: it is not used any more", q->base.device->name, library->name,
            status);
    own(j)->library_use = FA__GPU_NEVER;
    return 0;
}

/* 0, and no error, when the library has no such product, or fails: then it is not used any more. */
static uint64_t by_library(const job *j)
{
    const size_t size = library_of(j)->scratch;
    fa__gpu_issue own_issue = fa__gpu_issue_begin(&j->queue->base, j->launch);
    void *scratch = size ? fa__gpu_scratch(&own_issue, size) : NULL;
    uint64_t ticket = !size || scratch ? issue(j, scratch) : 0;
    fa__gpu_issue_end(&own_issue);
    return ticket;
}

/* ---- whose is faster ---- */
static uint64_t by_kernel(const job *j)
{
    return fa__gpu_run_product(&j->queue->base, j->launch, &j->product);
}

/* The least time of some turns; INT64_MAX after an error. */
static int64_t time_of(const job *j, uint64_t (*how)(const job *))
{
    int64_t least = INT64_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        fa__gpu_catch_up(j->queue);
        own(j)->driver->finish(j->queue->handle);
        int64_t start = fa__clock_ns();
        if (!how(j))
            return INT64_MAX;
        fa__gpu_catch_up(j->queue);
        own(j)->driver->finish(j->queue->handle);
        int64_t taken = fa__clock_ns() - start;
        if (turn > 0 && taken < least)
            least = taken;
    }
    return least;
}

static void name_for(const job *j, int size, char name[40])
{
    snprintf(name, 40, "%s products of 2^%d", fa_dtype_name((fa_dtype)j->product.p.dtype),
             LEAST_WORK + size * WORK_STEP);
}

static bool recall(const job *j, verdict *v, const char *name)
{
    size_t size = 0;
    unsigned char *kept = fa__gpu_disk_read(own(j)->identity, library_of(j)->name, name, &size);
    if (kept && size == 1 && (*kept == FA__GPU_OURS || *kept == FA__GPU_LIBRARYS))
        v->whose = *kept;
    fa__free(kept);
    return v->whose != FA__GPU_UNKNOWN;
}

/* The last turn of the faster one is not what is kept: the product is made once more, as later ones are. */
static void measure(const job *j, verdict *v, const char *name)
{
    const fa__device *d = j->queue->base.device;
    int64_t start = fa__clock_ns(), ours = time_of(j, by_kernel), theirs = time_of(j, by_library);
    fa__ledger_implicit(j->launch->op, d, fa__clock_ns() - start);
    if (fa__failed() || ours == INT64_MAX)
        return;
    v->whose = theirs < ours ? FA__GPU_LIBRARYS : FA__GPU_OURS;
    unsigned char kept = (unsigned char)v->whose;
    fa__gpu_disk_write(own(j)->identity, library_of(j)->name, name, &kept, 1);
    fa__log(FA_LOG_INFO, "%s: %s by %s: it takes %.3f ms, the other one %.3f ms", d->name, name,
            theirs < ours ? library_of(j)->name : "our kernel", (double)(theirs < ours ? theirs : ours) / 1e6,
            (double)(theirs < ours ? ours : theirs) / 1e6);
}

/* The size of a candidate; -1: it is too small to be one. */
static int size_of(const matmul_arguments *p)
{
    if (p->m < SMALLEST || p->n < SMALLEST || p->k < SMALLEST)
        return -1;
    double work = (double)p->m * (double)p->n * (double)p->k * (double)(p->rank ? p->shape[0] : 1);
    int size = -1;
    double least = 1 << LEAST_WORK;
    while (work >= least && size < FA__GPU_PRODUCT_SIZES - 1) {
        least *= 1 << WORK_STEP;
        size++;
    }
    return size;
}

static bool is_faster(const job *j)
{
    const matmul_arguments *p = &j->product.p;
    int size = size_of(p);
    if (size < 0 || library_of(j)->faster)
        return size >= 0;
    verdict *v = &own(j)->verdict[p->dtype == FA_F64][size];
    char name[40];
    if (FA__LIKELY(v->whose != FA__GPU_UNKNOWN))
        return v->whose == FA__GPU_LIBRARYS;
    name_for(j, size, name);
    if (v->seen++ == 0 && recall(j, v, name))
        return v->whose == FA__GPU_LIBRARYS;
    if (v->seen >= MANY)
        measure(j, v, name);
    return v->whose == FA__GPU_LIBRARYS;
}

uint64_t fa__gpu_product_by_library(fa__queue *base, const fa__launch *l, fa__gpu_product x)
{
    job j = {.queue = (fa__gpu_queue *)base, .launch = l, .product = x};
    const fa__gpu_device *g = own(&j);
    bool forced = g->library_use == FA__GPU_ALWAYS, stood = fa__failed();
    if (g->library_use == FA__GPU_NEVER || (!forced && size_of(&x.p) < 0) || !can(&j) || !library_of(&j)->there())
        return FA__DECLINED;
    bool use = (forced || is_faster(&j)) && g->library_use != FA__GPU_NEVER;
    uint64_t ticket = use ? by_library(&j) : 0;
    return ticket || (!stood && fa__failed()) ? ticket : FA__DECLINED;
}
