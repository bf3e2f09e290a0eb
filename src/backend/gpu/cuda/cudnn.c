/* Convolutions and their gradients by cuDNN, NVIDIA's library, where it is there and they are large. Its sums are made
 * in another order than the chains of backend/convolution.h: never under FA_USE(.deterministic = true). Of its
 * algorithms only those are used that give the same bits in every run.
 *
 * What the library is asked, and the algorithm that it answered, is kept for the sizes that came last. Names and values
 * are those of NVIDIA's documentation. FACULA_CUDNN=0 in the environment turns it off; 1 uses it for any size. */
#include "backend/gpu/cuda/cudnn.h"
#include "backend/convolution.h"
#include "base/error.h"
#include "base/log.h"
#include "core/context.h"
#include "ids.h"
#include <stdlib.h>
#include <string.h>

enum {
    CUDNN_TENSOR_NCHW = 0,
    CUDNN_CROSS_CORRELATION = 1,
    CUDNN_DEFAULT_MATH = 0, /* for f32: TF32 where the GPU has it */
    CUDNN_TENSOR_OP_MATH = 1,
    CUDNN_FMA_MATH = 3,
    CUDNN_DETERMINISTIC = 1,
    /* of versions 8 and 9; the latter has more of these, which follow */
    CUDNN_STATUS_NOT_SUPPORTED_8 = 9,
    CUDNN_STATUS_NOT_SUPPORTED = 3000,
    CUDNN_STATUS_NOT_SUPPORTED_END = 4000,

    ALGORITHMS = 10,
    MOST_SCRATCH = 256 << 20, /* bytes that an algorithm may need */
    LEAST_WORK = 1 << 22,     /* multiplications of a convolution that is worth it */
};

typedef struct algorithm { /* cudnnConvolutionFwdAlgoPerf_t, and the same of the other two */
    int algorithm, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
} algorithm;

#define DESCRIPTORS(FUNCTION, kind)                                                                                    \
    FUNCTION(cudnnCreate##kind##Descriptor, (void **))                                                                 \
    FUNCTION(cudnnDestroy##kind##Descriptor, (void *))
#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(cudnnCreate, (void **handle))                                                                             \
    FUNCTION(cudnnDestroy, (void *handle))                                                                             \
    FUNCTION(cudnnSetStream, (void *handle, CUstream))                                                                 \
    DESCRIPTORS(FUNCTION, Tensor)                                                                                      \
    DESCRIPTORS(FUNCTION, Filter)                                                                                      \
    DESCRIPTORS(FUNCTION, Convolution)                                                                                 \
    FUNCTION(cudnnSetTensor4dDescriptorEx, (void *, int type, int n, int c, int h, int w, int, int, int, int))         \
    FUNCTION(cudnnSetFilter4dDescriptor, (void *, int type, int format, int out, int in, int h, int w))                \
    FUNCTION(cudnnSetConvolution2dDescriptor, (void *, int pad_h, int pad_w, int stride_h, int stride_w,               \
                                               int dilation_h, int dilation_w, int mode, int type))                    \
    FUNCTION(cudnnSetConvolutionGroupCount, (void *, int))                                                             \
    FUNCTION(cudnnSetConvolutionMathType, (void *, int))                                                               \
    FUNCTION(cudnnGetConvolutionForwardAlgorithm_v7,                                                                   \
             (void *handle, void *x, void *w, void *how, void *y, int most, int *count, algorithm *))                  \
    FUNCTION(cudnnGetConvolutionBackwardDataAlgorithm_v7,                                                              \
             (void *handle, void *w, void *y, void *how, void *x, int most, int *count, algorithm *))                  \
    FUNCTION(cudnnGetConvolutionBackwardFilterAlgorithm_v7,                                                            \
             (void *handle, void *x, void *y, void *how, void *w, int most, int *count, algorithm *))                  \
    FUNCTION(cudnnConvolutionForward, CONVOLVE)                                                                        \
    FUNCTION(cudnnConvolutionBackwardData, CONVOLVE)                                                                   \
    FUNCTION(cudnnConvolutionBackwardFilter, CONVOLVE)                                                                 \
    FUNCTION(cudnnAddTensor,                                                                                           \
             (void *handle, const void *alpha, void *a, const void *, const void *beta, void *c, void *))
/* The two operands, and the result, each with its description */
#define CONVOLVE                                                                                                       \
    (void *handle, const void *alpha, void *a, const void *, void *b, const void *, void *how, int algorithm,          \
     void *scratch, size_t, const void *beta, void *c, void *)

static struct {
#define MEMBER(name, parameters) int(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} dnn;

/* ---- finding it ---- */
static bool is_open, any_size;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
#define SYMBOL(name, parameters) {#name, &dnn.name, false},
    static const fa__symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    static fa__library library;
    const char *setting = getenv("FACULA_CUDNN");
    any_size = setting && !strcmp(setting, "1");
    is_open = (!setting || strcmp(setting, "0") != 0)
              && fa__cuda_open_library(&library, "FACULA_CUDNN_LIBRARY", "libcudnn", 9, symbols,
                                       sizeof symbols / sizeof *symbols);
}

static bool there(void)
{
    pthread_once(&once, open_library);
    return is_open;
}

bool fa__cudnn_there(bool *any)
{
    const bool open = there();
    *any = any_size;
    return open;
}

/* ---- what is asked ---- */
/* Which of the three is computed from the other two. */
typedef enum result { Y, X, WEIGHT } result;

/* Everything that the library's choice depends on; without padding, as it is compared by its bytes. */
typedef struct question {
    fa__convolution v;
    int64_t bias_step;
    int32_t result, dtype, tf32, biased;
} question;

typedef struct job {
    fa__gpu_queue *queue;
    const fa__launch *launch;
    question q;
    void *x, *weight, *y; /* two of them are read */
    const void *bias;
} job;

typedef struct plan {
    question question;
    bool possible;
    void *x, *weight, *y, *bias, *how; /* descriptions */
    algorithm best;
} plan;

static void *handles[FA__CUDA_DEVICES];

static bool is_packed(const fa__convolution *v)
{
    const int64_t plane = v->kernel[0] * v->kernel[1];
    return v->weight[0] == v->in * plane && v->weight[1] == plane && v->weight[2] == v->kernel[1] && v->weight[3] == 1;
}

/* Sizes and strides of images that the library takes: all above 0, and of its type. */
static bool is_plain(const int64_t size[4], const int64_t stride[4])
{
    int64_t last = 0;
    for (int i = 0; i < 4; i++) {
        if (size[i] < 1 || size[i] > INT32_MAX || stride[i] < 1 || stride[i] > INT32_MAX / size[i])
            return false;
        last += (size[i] - 1) * stride[i];
    }
    return last < INT32_MAX;
}

static void sizes_of(const fa__convolution *v, int64_t x[4], int64_t y[4])
{
    const int64_t sizes[2][4] = {{v->images, v->groups * v->in, v->size[0], v->size[1]},
                                 {v->images, v->groups * v->out, v->result[0], v->result[1]}};
    memcpy(x, sizes[0], sizeof sizes[0]);
    memcpy(y, sizes[1], sizeof sizes[1]);
}

/* The result's size has to be what the padding on both sides gives. */
static bool fits(const fa__convolution *v)
{
    bool good = v->groups > 0 && v->in > 0 && v->out > 0;
    for (int d = 0; d < 2; d++) {
        const int64_t span = v->size[d] + 2 * v->front[d] - v->dilation[d] * (v->kernel[d] - 1) - 1;
        good = good && v->kernel[d] > 0 && v->front[d] >= 0 && span >= 0 && span / v->stride[d] + 1 == v->result[d];
    }
    return good;
}

static bool is_large(const fa__convolution *v)
{
    const double work = (double)v->images * (double)v->groups * (double)v->in * (double)v->out * (double)v->result[0]
                        * (double)v->result[1] * (double)v->kernel[0] * (double)v->kernel[1];
    return any_size || work >= LEAST_WORK;
}

/* What overwrites existing data has to look for faults first, which the library does not. */
static bool can(const job *j)
{
    const fa__convolution *v = &j->q.v;
    const uint32_t dtypes = 1u << FA_F32 | 1u << FA_F64 | 1u << FA_F16 | 1u << FA_BF16;
    int64_t x[4], y[4];
    sizes_of(v, x, y);
    return dtypes >> j->q.dtype & 1 && !j->launch->overwrites && fits(v) && is_large(v) && is_packed(v)
           && is_plain(x, v->x) && is_plain(y, v->y) && !fa__ctx()->settings->deterministic;
}

/* ---- the answer ---- */
static void forget(void *plan_)
{
    const plan *p = plan_;
    void *const tensors[] = {p->x, p->y, p->bias};
    for (int i = 0; i < 3; i++)
        if (tensors[i])
            dnn.cudnnDestroyTensorDescriptor(tensors[i]);
    if (p->weight)
        dnn.cudnnDestroyFilterDescriptor(p->weight);
    if (p->how)
        dnn.cudnnDestroyConvolutionDescriptor(p->how);
}

static int type_of(int32_t dtype)
{
    return dtype == FA_F64    ? FA__CUDNN_F64
           : dtype == FA_F16  ? FA__CUDNN_F16
           : dtype == FA_BF16 ? FA__CUDNN_BF16
                              : FA__CUDNN_F32;
}

static int describe_tensor(void **out, int32_t dtype, const int64_t n[4], const int64_t stride[4])
{
    int status = dnn.cudnnCreateTensorDescriptor(out);
    return status ? status
                  : dnn.cudnnSetTensor4dDescriptorEx(*out, type_of(dtype), (int)n[0], (int)n[1], (int)n[2], (int)n[3],
                                                     (int)stride[0], (int)stride[1], (int)stride[2], (int)stride[3]);
}

static int describe_tensors(plan *p)
{
    const question *q = &p->question;
    int64_t x[4], y[4];
    sizes_of(&q->v, x, y);
    const int64_t channels = q->result == X ? x[1] : y[1], bias[4] = {1, channels, 1, 1};
    const int64_t step[4] = {channels * q->bias_step, q->bias_step, 1, 1};
    int status = describe_tensor(&p->x, q->dtype, x, q->v.x);
    status = status ? status : describe_tensor(&p->y, q->dtype, y, q->v.y);
    return status || !q->biased ? status : describe_tensor(&p->bias, q->dtype, bias, step);
}

static int describe_weight(plan *p)
{
    const fa__convolution *v = &p->question.v;
    int status = dnn.cudnnCreateFilterDescriptor(&p->weight);
    return status ? status
                  : dnn.cudnnSetFilter4dDescriptor(p->weight, type_of(p->question.dtype), CUDNN_TENSOR_NCHW,
                                                   (int)(v->groups * v->out), (int)v->in, (int)v->kernel[0],
                                                   (int)v->kernel[1]);
}

static int describe_how(plan *p)
{
    const question *q = &p->question;
    const fa__convolution *v = &q->v;
    const int type = q->dtype == FA_F64 ? FA__CUDNN_F64 : FA__CUDNN_F32;
    const int math = q->dtype == FA_F16 || q->dtype == FA_BF16 ? CUDNN_TENSOR_OP_MATH
                     : q->tf32                                 ? CUDNN_DEFAULT_MATH
                                                               : CUDNN_FMA_MATH;
    int status = dnn.cudnnCreateConvolutionDescriptor(&p->how);
    status = status ? status
                    : dnn.cudnnSetConvolution2dDescriptor(p->how, (int)v->front[0], (int)v->front[1], (int)v->stride[0],
                                                          (int)v->stride[1], (int)v->dilation[0], (int)v->dilation[1],
                                                          CUDNN_CROSS_CORRELATION, type);
    status = status ? status : dnn.cudnnSetConvolutionGroupCount(p->how, (int)v->groups);
    return status ? status : dnn.cudnnSetConvolutionMathType(p->how, math);
}

bool fa__cudnn_is_unsupported(int status)
{
    return status == CUDNN_STATUS_NOT_SUPPORTED_8
           || (status >= CUDNN_STATUS_NOT_SUPPORTED && status < CUDNN_STATUS_NOT_SUPPORTED_END);
}

/* The fastest one that is reproducible, and does with the scratch memory. They are in order. */
static int search(void *handle, plan *p)
{
    algorithm found[ALGORITHMS];
    int count = 0;
    int status = p->question.result == Y ? dnn.cudnnGetConvolutionForwardAlgorithm_v7(handle, p->x, p->weight, p->how,
                                                                                      p->y, ALGORITHMS, &count, found)
                 : p->question.result == X
                     ? dnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, p->weight, p->y, p->how, p->x,
                                                                       ALGORITHMS, &count, found)
                     : dnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, p->x, p->y, p->how, p->weight,
                                                                         ALGORITHMS, &count, found);
    for (int i = 0; i < count && !status && !p->possible; i++) {
        p->possible =
            !found[i].status && found[i].determinism == CUDNN_DETERMINISTIC && found[i].memory <= MOST_SCRATCH;
        p->best = found[i];
    }
    return fa__cudnn_is_unsupported(status) ? 0 : status;
}

static int make_plan(void *plan_, void *handle)
{
    plan *p = plan_;
    int status = describe_tensors(p);
    status = status ? status : describe_weight(p);
    status = status ? status : describe_how(p);
    status = status ? status : search(handle, p);
    return fa__cudnn_is_unsupported(status) ? 0 : status;
}

static fa__cudnn_work own = {
    .name = "cuDNN",
    .planning = {.question = sizeof(question), .plan = sizeof(plan), .make = make_plan, .forget = forget}};

int fa__cudnn_handle(const fa__gpu_queue *q, void **out)
{
    void **handle = &handles[q->base.device->id.index];
    int status = *handle ? 0 : dnn.cudnnCreate(handle);
    *out = *handle;
    return status ? status : dnn.cudnnSetStream(*handle, ((const fa__cuda_queue *)q->handle)->stream);
}

static int find_plan(const job *j, plan **out)
{
    void *handle;
    int status = fa__cudnn_handle(j->queue, &handle);
    if (!status)
        *out = fa__gpu_plan(&own.on[j->queue->base.device->id.index].plans, &own.planning, &j->q, handle, &status);
    return status;
}

/* ---- convolutions ---- */
static int convolve(const job *j, const plan *p, void *scratch)
{
    static const double f64[2] = {1, 0};
    static const float f32[2] = {1, 0};
    const bool wide = j->q.dtype == FA_F64;
    const void *one = wide ? (const void *)f64 : f32, *zero = wide ? (const void *)(f64 + 1) : f32 + 1;
    const size_t size = p->best.memory;
    const int how = p->best.algorithm;
    void *handle;
    int status = fa__cudnn_handle(j->queue, &handle);
    if (status)
        return status;
    if (j->q.result == Y)
        status = dnn.cudnnConvolutionForward(handle, one, p->x, j->x, p->weight, j->weight, p->how, how, scratch, size,
                                             zero, p->y, j->y);
    else if (j->q.result == X)
        status = dnn.cudnnConvolutionBackwardData(handle, one, p->weight, j->weight, p->y, j->y, p->how, how, scratch,
                                                  size, zero, p->x, j->x);
    else
        status = dnn.cudnnConvolutionBackwardFilter(handle, one, p->x, j->x, p->y, j->y, p->how, how, scratch, size,
                                                    zero, p->weight, j->weight);
    return status || !p->bias ? status
                              : dnn.cudnnAddTensor(handle, one, p->bias, j->bias, one, j->q.result == X ? p->x : p->y,
                                                   j->q.result == X ? j->x : j->y);
}

uint64_t fa__cudnn_declined(fa__cudnn_work *w, const fa__device *d, int status)
{
    if (fa__failed())
        return 0;
    if (status && !fa__cudnn_is_unsupported(status)) {
        w->on[d->id.index].failed = true;
        fa__log(FA_LOG_WARNING, "%s: %s fails with status %d: it is not used any more", d->name, w->name, status);
    }
    return FA__DECLINED;
}

static uint64_t issue(const job *j, plan *p, void *scratch)
{
    fa__gpu_queue *q = j->queue;
    fa__cuda_device *o = fa__cuda_own(q->base.device);
    if (!fa__gpu_begin(q, j->launch->op))
        return 0;
    fa__gpu_catch_up(q);
    fa__cuda_enter(o);
    int status = fa__cuda_leave(convolve(j, p, scratch));
    if (status) {
        p->possible = false;
        return fa__cudnn_declined(&own, q->base.device, status);
    }
    o->convolutions++;
    return fa__gpu_commit(q, NULL, NULL, NULL);
}

static uint64_t run(const job *j)
{
    const fa__device *d = j->queue->base.device;
    plan *p = NULL;
    if (!there() || own.on[d->id.index].failed || !can(j))
        return FA__DECLINED;
    fa__cuda_enter(fa__cuda_own(d));
    int status = fa__cuda_leave(find_plan(j, &p));
    if (!p || !p->possible)
        return fa__cudnn_declined(&own, d, status);
    fa__gpu_issue own_issue = fa__gpu_issue_begin(&j->queue->base, j->launch);
    void *scratch = p->best.memory ? fa__gpu_scratch(&own_issue, p->best.memory) : NULL;
    uint64_t ticket = !p->best.memory || scratch ? issue(j, p, scratch) : 0;
    fa__gpu_issue_end(&own_issue);
    return ticket;
}

/* The device's lock is held, which guards its plans. */
static uint64_t by_cudnn(fa__queue *queue, const fa__launch *l, result which, const fa__convolution *v,
                         const fa__operand *x, const fa__operand *weight, const fa__operand *y, const fa__operand *bias)
{
    const bool biased = bias && bias->data;
    const job j = {.queue = (fa__gpu_queue *)queue,
                   .launch = l,
                   .q = {.v = *v,
                         .bias_step = biased ? bias->stride[0] : 0,
                         .result = (int32_t)which,
                         .dtype = x->dtype,
                         .tf32 = x->dtype == FA_F32 && fa__ctx()->settings->tf32,
                         .biased = biased},
                   .x = x->data,
                   .weight = weight->data,
                   .y = y->data,
                   .bias = biased ? bias->data : NULL};
    return biased && bias->stride[0] < 1 ? FA__DECLINED : run(&j);
}

OVERRIDE(cuda, conv2d)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *weight = &l->operand[2];
    const conv2d_args *o = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, o->stride, o->padding, o->dilation, o->groups);
    return by_cudnn(queue, l, Y, &v, x, weight, y, &l->operand[3]);
}

OVERRIDE(cuda, conv_transpose2d)
{
    const fa__operand *x = &l->operand[0], *y = &l->operand[1], *weight = &l->operand[2];
    const conv_transpose2d_args *o = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, o->stride, o->padding, o->dilation, o->groups);
    return by_cudnn(queue, l, X, &v, x, weight, y, &l->operand[3]);
}

OVERRIDE(cuda, conv2d_weight)
{
    const fa__operand *weight = &l->operand[0], *x = &l->operand[1], *y = &l->operand[2];
    const conv2d_weight_args *o = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, o->stride, o->padding, o->dilation, o->groups);
    return by_cudnn(queue, l, WEIGHT, &v, x, weight, y, NULL);
}

void fa__cuda_cudnn_close(const fa__device *d)
{
    const int i = d->id.index;
    if (!handles[i])
        return;
    fa__cuda_enter(fa__cuda_own(d));
    fa__cudnn_attention_close(d);
    fa__gpu_plans_free(&own.on[i].plans, &own.planning);
    dnn.cudnnDestroy(handles[i]);
    handles[i] = NULL;
    fa__cuda_leave(CUDA_SUCCESS);
}
