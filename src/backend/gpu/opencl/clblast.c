/* Matrix products by CLBlast (backend/gpu/library.c decides which ones). */
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/dynamic.h"
#include <stdlib.h>

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 }; /* CLBlast's */

#define GEMM(T)                                                                                                        \
    int (*)(int layout, int a_transposed, int b_transposed, size_t m, size_t n, size_t k, T alpha, cl_mem a,           \
            size_t a_at, size_t a_ld, cl_mem b, size_t b_at, size_t b_ld, T beta, cl_mem c, size_t c_at, size_t c_ld,  \
            cl_command_queue *, cl_event *)

static __typeof__(GEMM(float)) sgemm;
static __typeof__(GEMM(double)) dgemm;
static int (*clear_cache)(void);
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    static const fa__symbol symbols[] = {
        {"CLBlastSgemm", &sgemm, false}, {"CLBlastDgemm", &dgemm, false}, {"CLBlastClearCache", &clear_cache, false}};
    static fa__library library;
    const char *named = getenv("FACULA_CLBLAST_LIBRARY");
    const char *const names[] = {named && *named ? named : "libclblast.so.1", NULL};
    is_open = fa__opencl_usual && fa__library_open(&library, names, symbols, sizeof symbols / sizeof *symbols);
}

static bool there(void)
{
    pthread_once(&once, open_library);
    return is_open;
}

void fa__opencl_clblast_end(void)
{
    if (is_open)
        clear_cache();
}

static int call(fa__gpu_queue *q, const fa__gpu_product *x, const fa__gpu_matrix matrix[3], void *scratch, void **event)
{
    const matmul_arguments *p = &x->p;
    const void *const address[3] = {x->c, x->a, x->b};
    const size_t size = fa__dtype_size((uint8_t)p->dtype), m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    const int a = matrix[1].transposed ? TRANSPOSED : AS_IT_IS, b = matrix[2].transposed ? TRANSPOSED : AS_IT_IS;
    cl_command_queue queue = q->handle;
    cl_event *out = (cl_event *)(void *)event;
    cl_mem buffer[3];
    size_t at[3] = {0};
    (void)scratch;
    for (int i = 0; i < 3; i++) {
        buffer[i] = fa__opencl_find(q->base.device, address[i], &at[i]);
        if (!buffer[i])
            return -1;
        at[i] /= size;
    }
    if (p->dtype == FA_F32)
        return sgemm(ROW_MAJOR, a, b, m, n, k, 1, buffer[1], at[1], matrix[1].ld, buffer[2], at[2], matrix[2].ld,
                     p->bias ? 1 : 0, buffer[0], at[0], matrix[0].ld, &queue, out);
    return dgemm(ROW_MAJOR, a, b, m, n, k, 1, buffer[1], at[1], matrix[1].ld, buffer[2], at[2], matrix[2].ld,
                 p->bias ? 1 : 0, buffer[0], at[0], matrix[0].ld, &queue, out);
}

const fa__gpu_library fa__opencl_clblast = {.name = "CLBlast",
                                            .setting = "FACULA_CLBLAST",
                                            .dtypes = 1u << FA_F32 | 1u << FA_F64,
                                            .there = there,
                                            .product = call,
                                            .end = fa__opencl_clblast_end};

OVERRIDE(opencl, matmul)
{
    return fa__gpu_product_by_library(queue, l, fa__gpu_product_of_matmul(l));
}

OVERRIDE(opencl, linear)
{
    return fa__gpu_product_by_library(queue, l, fa__gpu_product_of_linear(l));
}
