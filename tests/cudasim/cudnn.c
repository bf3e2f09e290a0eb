/* cuDNN's functions as far as the library calls them: convolutions and their gradients by their definition, in f64,
 * with the checks of sizes and memory that the real one leaves to the program. */
#define _GNU_SOURCE
#include "cudasim.h"
#include "numbers.h"
#include <stdlib.h>

enum {
    ALLOC_FAILED = 1002,
    INVALID = 2000,
    NOT_SUPPORTED = 3000,
    SCRATCH = 2048 /* bytes that the algorithm which is to be chosen needs, and fills */
};

typedef struct tensor {
    int type, n[4], stride[4];
} tensor;

typedef struct filter {
    int type, n[4];
} filter;

typedef struct convolution {
    int pad[2], stride[2], dilation[2], mode, type, groups, math;
} convolution;

typedef struct answer {
    int algorithm, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
} answer;

/* Which of the three is computed, when its turn comes; or the bias is added to the tensor `c`. */
typedef struct work {
    enum { FORWARD, DATA, FILTER, ADD } kind;
    tensor x, y;
    filter w;
    convolution how;
    const void *a, *b;
    void *c, *scratch;
} work;
_Static_assert(sizeof(work) <= sizeof((command *)0)->value, "a command has room");

/* ---- descriptions ---- */
static int kind_of(int type)
{
    return type == 0 ? F32 : type == 1 ? F64 : type == 2 ? F16 : type == 9 ? BF16 : NONE;
}

static int create(const char *call, void **out, size_t size)
{
    if (!cudasim_enter(call))
        return cudasim_entered;
    *out = calloc(1, size);
    return cudasim_leave(*out ? 0 : ALLOC_FAILED);
}

static int destroy(const char *call, void *what)
{
    if (!cudasim_enter(call))
        return cudasim_entered;
    free(what);
    return cudasim_leave(0);
}

static int set(const char *call, void *to, const void *from, size_t size)
{
    if (!cudasim_enter(call))
        return cudasim_entered;
    memcpy(to, from, size);
    return cudasim_leave(0);
}

#define DNN EXPORT int
#define DESCRIPTOR(Name, type)                                                                                         \
    DNN cudnnCreate##Name##Descriptor(void **out)                                                                      \
    {                                                                                                                  \
        return create("cudnnCreate" #Name "Descriptor", out, sizeof(type));                                            \
    }                                                                                                                  \
    DNN cudnnDestroy##Name##Descriptor(void *what)                                                                     \
    {                                                                                                                  \
        return destroy("cudnnDestroy" #Name "Descriptor", what);                                                       \
    }
DESCRIPTOR(Tensor, tensor)
DESCRIPTOR(Filter, filter)
DESCRIPTOR(Convolution, convolution)

DNN cudnnCreate(void **handle)
{
    return create("cudnnCreate", handle, sizeof(CUstream));
}

DNN cudnnDestroy(void *handle)
{
    return destroy("cudnnDestroy", handle);
}

DNN cudnnSetStream(void *handle, CUstream stream)
{
    return set("cudnnSetStream", handle, &stream, sizeof stream);
}

DNN cudnnSetTensor4dDescriptorEx(void *t, int type, int n, int c, int h, int w, int sn, int sc, int sh, int sw)
{
    const tensor made = {kind_of(type), {n, c, h, w}, {sn, sc, sh, sw}};
    return set("cudnnSetTensor4dDescriptorEx", t, &made, sizeof made);
}

DNN cudnnSetFilter4dDescriptor(void *f, int type, int format, int out, int in, int h, int w)
{
    const filter made = {format ? NONE : kind_of(type), {out, in, h, w}};
    return set("cudnnSetFilter4dDescriptor", f, &made, sizeof made);
}

DNN cudnnSetConvolution2dDescriptor(void *c, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
                                    int dilation_w, int mode, int type)
{
    const convolution made = {
        {pad_h, pad_w}, {stride_h, stride_w}, {dilation_h, dilation_w}, mode, kind_of(type), 1, 0};
    return set("cudnnSetConvolution2dDescriptor", c, &made, sizeof made);
}

DNN cudnnSetConvolutionGroupCount(void *c, int groups)
{
    return set("cudnnSetConvolutionGroupCount", &((convolution *)c)->groups, &groups, sizeof groups);
}

DNN cudnnSetConvolutionMathType(void *c, int math)
{
    return set("cudnnSetConvolutionMathType", &((convolution *)c)->math, &math, sizeof math);
}

/* ---- what goes together ---- */
static bool fits(const work *k)
{
    const convolution *h = &k->how;
    const int type = k->x.type;
    bool good = type != NONE && k->y.type == type && k->w.type == type && h->type == (type == F64 ? F64 : F32)
                && h->mode == 1 && h->groups > 0 && k->w.n[0] % h->groups == 0
                && h->math
                       == (type == F16 || type == BF16 ? 1
                           : h->math                   ? 3
                                                       : 0);
    good = good && k->x.n[0] == k->y.n[0] && k->x.n[1] == k->w.n[1] * h->groups && k->y.n[1] == k->w.n[0];
    for (int d = 0; d < 2 && good; d++) {
        const int span = k->x.n[2 + d] + 2 * h->pad[d] - h->dilation[d] * (k->w.n[2 + d] - 1) - 1;
        good = span >= 0 && span / h->stride[d] + 1 == k->y.n[2 + d];
    }
    return good;
}

/* Of the answers only the third one will do: it is reproducible, and needs no more memory than it may. Convolutions
 * with kernels of one row and 7 columns have no algorithm, so that this can be seen. */
static int ask(const char *call, const work *k, int most, int *count, answer *out)
{
    static const answer all[3] = {{.algorithm = 5, .memory = 0, .determinism = 0},
                                  {.algorithm = 6, .memory = (size_t)1 << 33, .determinism = 1},
                                  {.algorithm = 7, .memory = SCRATCH, .determinism = 1}};
    if (!cudasim_enter(call))
        return cudasim_entered;
    if (!fits(k) || most < 3)
        return cudasim_leave(INVALID);
    if (k->w.n[2] == 1 && k->w.n[3] == 7)
        return cudasim_leave(NOT_SUPPORTED);
    memcpy(out, all, sizeof all);
    *count = 3;
    return cudasim_leave(0);
}

#define WORK(kind, x, y, w, how)                                                                                       \
    {                                                                                                                  \
        kind, *(const tensor *)(x), *(const tensor *)(y), *(const filter *)(w), *(const convolution *)(how), NULL,     \
            NULL, NULL, NULL                                                                                           \
    }

DNN cudnnGetConvolutionForwardAlgorithm_v7(void *handle, void *x, void *w, void *how, void *y, int most, int *count,
                                           answer *out)
{
    (void)handle;
    const work k = WORK(FORWARD, x, y, w, how);
    return ask("cudnnGetConvolutionForwardAlgorithm_v7", &k, most, count, out);
}

DNN cudnnGetConvolutionBackwardDataAlgorithm_v7(void *handle, void *w, void *y, void *how, void *x, int most,
                                                int *count, answer *out)
{
    (void)handle;
    const work k = WORK(DATA, x, y, w, how);
    return ask("cudnnGetConvolutionBackwardDataAlgorithm_v7", &k, most, count, out);
}

DNN cudnnGetConvolutionBackwardFilterAlgorithm_v7(void *handle, void *x, void *y, void *how, void *w, int most,
                                                  int *count, answer *out)
{
    (void)handle;
    const work k = WORK(FILTER, x, y, w, how);
    return ask("cudnnGetConvolutionBackwardFilterAlgorithm_v7", &k, most, count, out);
}

/* ---- convolutions ---- */
static int64_t where(const tensor *t, int n, int c, int i, int j)
{
    return (int64_t)n * t->stride[0] + (int64_t)c * t->stride[1] + (int64_t)i * t->stride[2]
           + (int64_t)j * t->stride[3];
}

static int64_t elements_of(const tensor *t)
{
    return where(t, t->n[0] - 1, t->n[1] - 1, t->n[2] - 1, t->n[3] - 1) + 1;
}

static int64_t weights_of(const filter *w)
{
    return (int64_t)w->n[0] * w->n[1] * w->n[2] * w->n[3];
}

static double value(const work *k, const void *from, int64_t at)
{
    const double x = cudasim_load(from, k->x.type, at);
    return k->x.type == F32 && k->how.math == 0 ? cudasim_tf32(x) : x;
}

/* For each pixel of y and each tap: adds the product to where it belongs. */
static void add_products(const work *k, double *sums)
{
    const convolution *h = &k->how;
    const int in = k->w.n[1], out = k->w.n[0] / h->groups, taps = k->w.n[2] * k->w.n[3];
    for (int64_t at = 0; at < (int64_t)k->y.n[0] * k->y.n[1] * k->y.n[2] * k->y.n[3]; at++) {
        const int j = (int)(at % k->y.n[3]), i = (int)(at / k->y.n[3] % k->y.n[2]);
        const int o = (int)(at / k->y.n[3] / k->y.n[2] % k->y.n[1]), n = (int)(at / k->y.n[3] / k->y.n[2] / k->y.n[1]);
        for (int t = 0; t < in * taps; t++) {
            const int c = t / taps, row = i * h->stride[0] + t % taps / k->w.n[3] * h->dilation[0] - h->pad[0];
            const int column = j * h->stride[1] + t % k->w.n[3] * h->dilation[1] - h->pad[1];
            if (row < 0 || row >= k->x.n[2] || column < 0 || column >= k->x.n[3])
                continue;
            const int64_t x = where(&k->x, n, o / out * in + c, row, column), y = where(&k->y, n, o, i, j);
            const int64_t w = (int64_t)o * in * taps + t;
            if (k->kind == FORWARD)
                sums[y] += value(k, k->a, x) * value(k, k->b, w);
            else if (k->kind == DATA)
                sums[x] += value(k, k->a, w) * value(k, k->b, y);
            else
                sums[w] += value(k, k->a, x) * value(k, k->b, y);
        }
    }
}

/* Puts the sums where the result has elements. */
static void put(const work *k, const double *sums)
{
    const tensor *t = k->kind == FORWARD ? &k->y : &k->x;
    if (k->kind == FILTER)
        for (int64_t i = 0; i < weights_of(&k->w); i++)
            cudasim_store(k->c, k->x.type, i, sums[i]);
    for (int n = 0; k->kind != FILTER && n < t->n[0]; n++)
        for (int c = 0; c < t->n[1]; c++)
            for (int i = 0; i < t->n[2]; i++)
                for (int j = 0; j < t->n[3]; j++)
                    cudasim_store(k->c, t->type, where(t, n, c, i, j), sums[where(t, n, c, i, j)]);
}

static void convolve(const void *what)
{
    const work *k = what;
    const int64_t count = k->kind == FILTER ? weights_of(&k->w) : elements_of(k->kind == DATA ? &k->x : &k->y);
    double *sums = calloc((size_t)count, sizeof *sums);
    memset(k->scratch, 0xff, SCRATCH);
    if (sums) {
        add_products(k, sums);
        put(k, sums);
    }
    free(sums);
}

/* a (1, c, 1, 1) is added to c. */
static void add(const void *what)
{
    const work *k = what;
    const tensor *a = &k->x, *t = &k->y;
    for (int n = 0; n < t->n[0]; n++)
        for (int c = 0; c < t->n[1]; c++)
            for (int i = 0; i < t->n[2]; i++)
                for (int j = 0; j < t->n[3]; j++) {
                    const int64_t at = where(t, n, c, i, j);
                    cudasim_store(k->c, t->type, at,
                                  cudasim_load(k->c, t->type, at) + cudasim_load(k->a, a->type, where(a, 0, c, 0, 0)));
                }
}

static bool has_tensor(CUcontext c, const tensor *t, const void *at)
{
    return cudasim_has(c->device, at, (size_t)elements_of(t) * cudasim_size_of(t->type));
}

static bool has_filter(CUcontext c, const filter *w, const void *at)
{
    return cudasim_has(c->device, at, (size_t)weights_of(w) * cudasim_size_of(w->type));
}

static bool is_one(const void *number, int type, double expected)
{
    return (type == F64 ? *(const double *)number : (double)*(const float *)number) == expected;
}

static int issue(CUcontext c, void *handle, void (*call)(const void *), const work *k, bool good)
{
    CUstream stream = *(CUstream *)handle;
    command next = {.kind = CALL, .call = call};
    memcpy(next.value, k, sizeof *k);
    if (!good || stream->context != c)
        return cudasim_leave(INVALID);
    return cudasim_leave(cudasim_issue(stream, &next) ? 0 : ALLOC_FAILED);
}

static int run(const char *call, void *handle, work *k, const void *alpha, const void *beta, int algorithm,
               void *scratch, size_t size)
{
    CUcontext c = cudasim_enter(call);
    if (!c)
        return cudasim_entered;
    bool good = fits(k) && algorithm == 7 && size >= SCRATCH && cudasim_has(c->device, scratch, size)
                && is_one(alpha, k->how.type, 1) && is_one(beta, k->how.type, 0);
    k->scratch = scratch;
    const void *x = k->kind == DATA ? k->c : k->a, *w = k->kind == FORWARD ? k->b : k->kind == DATA ? k->a : k->c;
    const void *y = k->kind == FORWARD ? k->c : k->b;
    good = good && has_tensor(c, &k->x, x) && has_tensor(c, &k->y, y) && has_filter(c, &k->w, w);
    return issue(c, handle, convolve, k, good);
}

DNN cudnnConvolutionForward(void *handle, const void *alpha, void *x, const void *x_at, void *w, const void *w_at,
                            void *how, int algorithm, void *scratch, size_t size, const void *beta, void *y, void *y_at)
{
    work k = WORK(FORWARD, x, y, w, how);
    k.a = x_at, k.b = w_at, k.c = y_at;
    return run("cudnnConvolutionForward", handle, &k, alpha, beta, algorithm, scratch, size);
}

DNN cudnnConvolutionBackwardData(void *handle, const void *alpha, void *w, const void *w_at, void *y, const void *y_at,
                                 void *how, int algorithm, void *scratch, size_t size, const void *beta, void *x,
                                 void *x_at)
{
    work k = WORK(DATA, x, y, w, how);
    k.a = w_at, k.b = y_at, k.c = x_at;
    return run("cudnnConvolutionBackwardData", handle, &k, alpha, beta, algorithm, scratch, size);
}

DNN cudnnConvolutionBackwardFilter(void *handle, const void *alpha, void *x, const void *x_at, void *y,
                                   const void *y_at, void *how, int algorithm, void *scratch, size_t size,
                                   const void *beta, void *w, void *w_at)
{
    work k = WORK(FILTER, x, y, w, how);
    k.a = x_at, k.b = y_at, k.c = w_at;
    return run("cudnnConvolutionBackwardFilter", handle, &k, alpha, beta, algorithm, scratch, size);
}

DNN cudnnAddTensor(void *handle, const void *alpha, void *a, const void *a_at, const void *beta, void *c, void *c_at)
{
    work k = {.kind = ADD, .x = *(const tensor *)a, .y = *(const tensor *)c, .a = a_at, .c = c_at};
    const int type = k.y.type == F64 ? F64 : F32;
    CUcontext context = cudasim_enter("cudnnAddTensor");
    if (!context)
        return cudasim_entered;
    bool good = is_one(alpha, type, 1) && is_one(beta, type, 1) && k.x.n[0] == 1 && k.x.n[1] == k.y.n[1]
                && k.x.n[2] == 1 && k.x.n[3] == 1 && k.x.type == k.y.type && has_tensor(context, &k.x, a_at)
                && has_tensor(context, &k.y, c_at);
    return issue(context, handle, add, &k, good);
}
