/* Matrix products by CLBlast, where it is there and was measured to be faster on the device. Its sums are made in
 * another order, so their last bits differ from those of our kernel and of the CPU: never under FA_USE(.deterministic =
 * true).
 *
 * A product is a candidate when its matrices are large and lie as CLBlast has them. With the MANY-th candidate of a
 * size in a process both ways are timed, once: a program of a few products never waits for CLBlast to compile its
 * kernels, which takes seconds. What came out is kept beside the compiled kernels, for later processes.
 * FACULA_CLBLAST=0 turns it off, FACULA_CLBLAST=1 has all products that lie right, of any size, done by CLBlast. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "base/log.h"
#include "core/context.h"
#include "core/ledger.h"
#include <stdlib.h>
#include <string.h>

typedef fa__opencl_device device;

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 }; /* CLBlast's */
enum {
    SMALLEST = 64,   /* rows, columns and depth of a candidate, */
    LEAST_WORK = 24, /* and the logarithm of its multiplications */
    WORK_STEP = 3,   /* a size is this much wide */
    MANY = 16,
    TURNS = 4 /* of a measurement; the first one does not count */
};

#define GEMM(T)                                                                                                        \
    int (*)(int layout, int a_transposed, int b_transposed, size_t m, size_t n, size_t k, T alpha, cl_mem a,           \
            size_t a_at, size_t a_ld, cl_mem b, size_t b_at, size_t b_ld, T beta, cl_mem c, size_t c_at, size_t c_ld,  \
            cl_command_queue *, cl_event *)

/* ---- the library ---- */
static __typeof__(GEMM(float)) sgemm;
static __typeof__(GEMM(double)) dgemm;
static int (*clear_cache)(void);
static bool there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    static const fa__symbol symbols[] = {
        {"CLBlastSgemm", &sgemm, false}, {"CLBlastDgemm", &dgemm, false}, {"CLBlastClearCache", &clear_cache, false}};
    static fa__library library;
    const char *named = getenv("FACULA_CLBLAST_LIBRARY");
    const char *const names[] = {named && *named ? named : "libclblast.so.1", NULL};
    there = fa__opencl_usual && fa__library_open(&library, names, symbols, sizeof symbols / sizeof *symbols);
}

void fa__opencl_product_begin(device *o)
{
    const char *says = getenv("FACULA_CLBLAST");
    o->clblast = says && !strcmp(says, "0") ? 0 : says && !strcmp(says, "1") ? 1 : -1;
}

void fa__opencl_product_end(void)
{
    if (there)
        clear_cache();
}

/* ---- what it can do ---- */
typedef struct matrix {
    int transposed;
    size_t ld;
} matrix;

/* One of the two steps has to be 1, and the other one no less than what it leaps over. */
static bool lies_right(int64_t rows, int64_t columns, int64_t row_step, int64_t column_step, matrix *out)
{
    bool as_it_is = (column_step == 1 || columns == 1) && (row_step >= columns || rows == 1);
    bool turned = (row_step == 1 || rows == 1) && (column_step >= rows || columns == 1);
    if (as_it_is)
        *out = (matrix){AS_IT_IS, (size_t)(rows == 1 ? columns : row_step)};
    else if (turned)
        *out = (matrix){TRANSPOSED, (size_t)(columns == 1 ? rows : column_step)};
    return as_it_is || turned;
}

typedef struct job {
    fa__opencl_queue *queue;
    const fa__launch *launch;
    fa__gpu_product product;
    matrix a, b, c;
} job;

/* What overwrites existing data has to look for faults first, which CLBlast does not. */
static bool can(job *j)
{
    const matmul_arguments *p = &j->product.p;
    const fa__opencl_queue *q = j->queue;
    const bool careful = j->launch->overwrites;
    return (p->dtype == FA_F32 || (p->dtype == FA_F64 && q->device->gpu.f64)) && !careful && p->rank == 0 && p->m > 0
           && p->n > 0 && p->k > 0 && lies_right(p->m, p->k, p->a_row, p->a_col, &j->a)
           && lies_right(p->k, p->n, p->b_row, p->b_col, &j->b) && lies_right(p->m, p->n, p->c_row, p->c_col, &j->c)
           && j->c.transposed == AS_IT_IS && !fa__ctx()->settings->deterministic;
}

/* ---- a product ---- */
/* A buffer, and elements from its beginning. */
static cl_mem find(const fa__opencl_queue *q, const void *address, size_t *at, size_t size)
{
    size_t bytes = 0;
    cl_mem buffer = fa__opencl_find(q->base.device, address, &bytes);
    *at = bytes / size;
    return buffer;
}

/* c has its bias first, to which the product is added: our kernel makes it of no products at all. */
static bool put_bias(const job *j)
{
    fa__gpu_product none = j->product;
    none.p.k = 0;
    return !none.p.bias || fa__gpu_run_product(&j->queue->base, &none);
}

static int call(const job *j, cl_event *event)
{
    const fa__gpu_product *x = &j->product;
    const matmul_arguments *p = &x->p;
    fa__opencl_queue *q = j->queue;
    size_t size = fa__dtype_size((uint8_t)p->dtype), m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    size_t a_at, b_at, c_at;
    cl_mem a = find(q, x->a, &a_at, size), b = find(q, x->b, &b_at, size), c = find(q, x->c, &c_at, size);
    if (!a || !b || !c)
        return -1;
    if (p->dtype == FA_F32)
        return sgemm(ROW_MAJOR, j->a.transposed, j->b.transposed, m, n, k, 1, a, a_at, j->a.ld, b, b_at, j->b.ld,
                     p->bias ? 1 : 0, c, c_at, j->c.ld, &q->queue, event);
    return dgemm(ROW_MAJOR, j->a.transposed, j->b.transposed, m, n, k, 1, a, a_at, j->a.ld, b, b_at, j->b.ld,
                 p->bias ? 1 : 0, c, c_at, j->c.ld, &q->queue, event);
}

/* 0, and no error, when CLBlast does not do it: it is not asked again. What it waits for while it compiles is counted.
 */
static uint64_t by_library(const job *j)
{
    fa__opencl_queue *q = j->queue;
    const fa__op *op = j->launch->op;
    cl_event event = NULL;
    fa__opencl_work *w = put_bias(j) && fa__opencl_forgive(q) ? fa__opencl_begin(q, op) : NULL;
    if (!w)
        return 0;
    int64_t start = fa__clock_ns();
    int status = call(j, &event);
    int64_t taken = fa__clock_ns() - start;
    if (taken > 10000000)
        fa__ledger_implicit(op, q->base.device, taken);
    if (!status && event) {
        q->device->products++;
        return fa__opencl_commit(w, event, "CLBlast's product");
    }
    if (!fa__failed())
        fa__log(FA_LOG_WARNING, "%s: CLBlast fails with status %d: it is not used any more", q->base.device->name,
                status);
    q->device->clblast = 0;
    return 0;
}

/* ---- whose is faster ---- */
static uint64_t by_kernel(const job *j)
{
    return fa__gpu_run_product(&j->queue->base, &j->product);
}

/* The least time of some turns; INT64_MAX after an error. */
static int64_t time_of(const job *j, uint64_t (*how)(const job *))
{
    int64_t least = INT64_MAX;
    for (int turn = 0; turn < TURNS; turn++) {
        fa__opencl.clFinish(j->queue->queue);
        int64_t start = fa__clock_ns();
        if (!how(j))
            return INT64_MAX;
        fa__opencl.clFinish(j->queue->queue);
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

static bool recall(const job *j, fa__opencl_verdict *v, const char *name)
{
    size_t size = 0;
    unsigned char *kept = fa__gpu_disk_read(j->queue->device->identity, "CLBlast", name, &size);
    if (kept && size == 1 && (*kept == FA__OPENCL_OURS || *kept == FA__OPENCL_CLBLAST))
        v->whose = *kept;
    fa__free(kept);
    return v->whose != FA__OPENCL_UNKNOWN;
}

/* The last turn of the faster one is not what is kept: the product is made once more, as later ones are. */
static void measure(const job *j, fa__opencl_verdict *v, const char *name)
{
    const fa__device *d = j->queue->base.device;
    int64_t start = fa__clock_ns(), ours = time_of(j, by_kernel), theirs = time_of(j, by_library);
    fa__ledger_implicit(j->launch->op, d, fa__clock_ns() - start);
    if (fa__failed() || ours == INT64_MAX)
        return;
    v->whose = theirs < ours ? FA__OPENCL_CLBLAST : FA__OPENCL_OURS;
    unsigned char kept = (unsigned char)v->whose;
    fa__gpu_disk_write(j->queue->device->identity, "CLBlast", name, &kept, 1);
    fa__log(FA_LOG_INFO, "%s: %s by %s: it takes %.3f ms, the other one %.3f ms", d->name, name,
            theirs < ours ? "CLBlast" : "our kernel", (double)(theirs < ours ? theirs : ours) / 1e6,
            (double)(theirs < ours ? ours : theirs) / 1e6);
}

/* The size of a candidate; -1: it is too small to be one. */
static int size_of(const matmul_arguments *p)
{
    if (p->m < SMALLEST || p->n < SMALLEST || p->k < SMALLEST)
        return -1;
    double work = (double)p->m * (double)p->n * (double)p->k;
    int size = -1;
    double least = 1 << LEAST_WORK;
    while (work >= least && size < FA__OPENCL_PRODUCTS - 1) {
        least *= 1 << WORK_STEP;
        size++;
    }
    return size;
}

static bool is_faster(const job *j)
{
    const matmul_arguments *p = &j->product.p;
    int size = size_of(p);
    if (size < 0)
        return false;
    fa__opencl_verdict *v = &j->queue->device->verdict[p->dtype == FA_F64][size];
    char name[40];
    if (FA__LIKELY(v->whose != FA__OPENCL_UNKNOWN))
        return v->whose == FA__OPENCL_CLBLAST;
    name_for(j, size, name);
    if (v->seen++ == 0 && recall(j, v, name))
        return v->whose == FA__OPENCL_CLBLAST;
    if (v->seen >= MANY)
        measure(j, v, name);
    return v->whose == FA__OPENCL_CLBLAST;
}

/* By CLBlast where that may be done and is faster. */
static uint64_t product(fa__queue *base, const fa__launch *l, fa__gpu_product x)
{
    job j = {.queue = (fa__opencl_queue *)base, .launch = l, .product = x};
    const device *o = j.queue->device;
    bool forced = o->clblast == 1, stood = fa__failed();
    if (!o->clblast || (!forced && size_of(&j.product.p) < 0) || !can(&j))
        return FA__DECLINED;
    pthread_once(&once, open_library);
    uint64_t ticket = there && (forced || is_faster(&j)) && o->clblast ? by_library(&j) : 0;
    return ticket || (!stood && fa__failed()) ? ticket : FA__DECLINED;
}

OVERRIDE(opencl, matmul)
{
    return product(queue, l, fa__gpu_product_of_matmul(l));
}

OVERRIDE(opencl, linear)
{
    return product(queue, l, fa__gpu_product_of_linear(l));
}
