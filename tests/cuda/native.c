/* A program's own streams and contexts of CUDA, and addresses for its own work, on the simulator, which looks for
 * races: the program's work and the library's are in order on the stream, and neither destroys what is the other's. */
#include "backend/gpu/cuda/cuda.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include <dlfcn.h>
#include <facula/cuda.h>
#include <facula/graph.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, BYTES = COUNT * (int)sizeof(float) };
static const cudasim_functions *sim;

/* The program: its calls of the driver, with the library's context or its own. */
typedef struct program {
    CUcontext context;
    CUstream stream;
    float *host; /* pinned */
} program;

static program begin(CUcontext context)
{
    program p = {.context = context};
    void *host;
    assert_int_equal(fa__cuda.cuCtxPushCurrent_v2(context), 0);
    assert_int_equal(fa__cuda.cuStreamCreate(&p.stream, CU_STREAM_NON_BLOCKING), 0);
    assert_int_equal(fa__cuda.cuMemHostAlloc(&host, BYTES, 0), 0);
    p.host = host;
    return p;
}

static void end(const program *p)
{
    CUcontext context;
    assert_int_equal(fa__cuda.cuStreamSynchronize(p->stream), 0); /* it is there */
    assert_int_equal(fa__cuda.cuStreamDestroy_v2(p->stream), 0);
    assert_int_equal(fa__cuda.cuMemFreeHost(p->host), 0);
    assert_int_equal(fa__cuda.cuCtxPopCurrent_v2(&context), 0);
    assert_ptr_equal(context, p->context); /* the library left it as it was */
}

static void assert_no_race(void)
{
    char text[600];
    if (sim->races(text, sizeof text))
        fail_msg("%s", text);
}

static CUcontext primary(int device)
{
    return fa__cuda_own(fa__device_get(FA_CUDA(device)))->context;
}

/* The program copies numbers into a tensor between two operations, and reads the second one's result. */
static void write_and_read(const program *p, fa_device device, fa_stream *stream, float first)
{
    FA_SCOPE;
    FA_USE(.stream = stream);
    fa_tensor *x = fa_mul(fa_ones(FA_SHAPE(COUNT), .device = device), 7);
    for (int i = 0; i < COUNT; i++)
        p->host[i] = first + (float)i;
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)fa_cuda_pointer(x);
    assert_int_equal(fa__cuda.cuMemcpyHtoDAsync_v2(at, p->host, BYTES, p->stream), 0);
    fa_tensor *y = fa_add(x, 1);
    at = (CUdeviceptr)(uintptr_t)fa_cuda_pointer(y);
    assert_int_equal(fa__cuda.cuMemcpyDtoHAsync_v2(p->host, at, BYTES, p->stream), 0);
    assert_int_equal(fa__cuda.cuStreamSynchronize(p->stream), 0);
    for (int i = 0; i < COUNT; i++)
        assert_true(p->host[i] == first + (float)i + 1);
    assert_no_error();
}

static void work_of_both_is_in_order_on_the_programs_stream(void **state)
{
    (void)state;
    FA_SCOPE;
    const program p = begin(primary(0));
    for (int turn = 0; turn < 3; turn++) {
        FA_SCOPE;
        sim->delay(turn == 1 ? -1 : turn == 2 ? 300 : 0, NULL);
        fa_stream *s = fa_cuda_stream_adopt(FA_CUDA(0), p.stream);
        assert_ptr_equal(fa_cuda_stream(s), p.stream);
        write_and_read(&p, FA_CUDA(0), s, (float)turn);
    }
    sim->delay(0, NULL);
    fa_stream *next = fa_stream_new(FA_CUDA(0)); /* has the queue, and no stream of the program's */
    assert_true(fa_cuda_stream(next) && fa_cuda_stream(next) != p.stream);
    end(&p);
    FA_USE(.stream = next);
    assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(COUNT), .device = FA_CUDA(0)))) == COUNT);
    assert_no_race();
}

/* What was computed on another stream comes first. */
static void an_address_is_behind_the_work_of_other_streams(void **state)
{
    (void)state;
    FA_SCOPE;
    const program p = begin(primary(0));
    fa_tensor *x = fa_full(FA_SHAPE(COUNT), 3.0, .device = FA_CUDA(0));
    sim->delay(-1, NULL);
    fa_add_(x, 1);
    {
        FA_SCOPE;
        FA_USE(.stream = fa_cuda_stream_adopt(FA_CUDA(0), p.stream));
        CUdeviceptr at = (CUdeviceptr)(uintptr_t)fa_cuda_pointer(x);
        assert_int_equal(fa__cuda.cuMemcpyDtoHAsync_v2(p.host, at, BYTES, p.stream), 0);
        assert_int_equal(fa__cuda.cuStreamSynchronize(p.stream), 0);
        assert_true(p.host[0] == 4 && p.host[COUNT - 1] == 4);
    }
    sim->delay(0, NULL);
    end(&p);
    assert_no_race();
}

static void the_default_stream_and_graphs(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *s = fa_cuda_stream_adopt(FA_CUDA(0), NULL);
    assert_non_null(s);
    assert_null(fa_cuda_stream(s));
    assert_no_error();
    FA_USE(.stream = s);
    fa_tensor *x = fa_zeros(FA_SHAPE(COUNT), .device = FA_CUDA(0));
    fa_graph *g = fa_graph_new(FA_CUDA(0));
    FA_RECORD(g)
    {
        fa_add_(x, 1);
        fa_mul_(x, 2);
    }
    long before = sim->calls("cuGraphLaunch");
    assert_true(fa_graph_replay(g) && fa_graph_replay(g));
    assert_int_equal(sim->calls("cuGraphLaunch"), before + 2);
    assert_true(fa_item(fa_get(x, 0)) == 14);
    assert_no_race();
}

/* The device is used for the first time with a context of the program's. */
static void a_context_of_the_programs(void **state)
{
    (void)state;
    FA_SCOPE;
    CUresult (*make)(CUcontext *, unsigned, CUdevice);
    void *library = dlopen(getenv("FACULA_CUDA_LIBRARY"), RTLD_NOW);
    *(void **)&make = dlsym(library, "cuCtxCreate_v2");
    CUcontext own, other;
    assert_int_equal(fa_device_count("cuda", NULL), 2); /* none is used yet */
    assert_int_equal(make(&own, 0, 1), 0);
    assert_int_equal(make(&other, 0, 0), 0);
    assert_false(fa_cuda_context_adopt(FA_CUDA(1), other));
    assert_error(FA_ERROR_ARGUMENT, "it is no context of cuda:1");
    long before = sim->calls("cuDevicePrimaryCtxRetain");
    assert_true(fa_cuda_context_adopt(FA_CUDA(1), own));
    const program p = begin(own);
    assert_ptr_equal(primary(1), own);
    assert_int_equal(sim->calls("cuDevicePrimaryCtxRetain"), before);
    write_and_read(&p, FA_CUDA(1), fa_cuda_stream_adopt(FA_CUDA(1), p.stream), 5);
    fa_tensor *x = fa_to(fa_arange(0, COUNT, .dtype = FA_F32, .device = FA_CUDA(0)), FA_CUDA(1));
    assert_true(fa_item(fa_sum(x)) == COUNT * (COUNT - 1) / 2);
    assert_false(fa_cuda_context_adopt(FA_CUDA(1), other));
    assert_error(FA_ERROR_STATE, "cuda:1 is used already");
    assert_null(fa_cuda_stream_adopt(FA_CUDA(0), p.stream));
    assert_error(FA_ERROR_DEVICE, "cuEventRecord failed: CUDA_ERROR_INVALID_HANDLE");
    end(&p);
    assert_no_race();
}

static void misuse_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_cuda_stream(fa_stream_new(FA_CPU)));
    assert_error(FA_ERROR_DEVICE, "fa_cuda_stream: cpu is no CUDA device");
    assert_null(fa_cuda_stream_adopt(FA_CPU, NULL));
    assert_error(FA_ERROR_DEVICE, "fa_cuda_stream_adopt: cpu is no CUDA device");
    assert_null(fa_cuda_pointer(fa_ones(FA_SHAPE(3))));
    assert_error(FA_ERROR_DEVICE, "fa_cuda_pointer: cpu is no CUDA device");
    assert_false(fa_cuda_context_adopt(FA_CPU, NULL));
    assert_error(FA_ERROR_DEVICE, "fa_cuda_context_adopt");
    assert_false(fa_cuda_context_adopt(FA_CUDA(7), NULL));
    assert_error(FA_ERROR_DEVICE, "there is no cuda:7");
    fa_tensor *x = fa_ones(FA_SHAPE(3), .device = FA_CUDA(0));
    fa_graph *g = fa_graph_new(FA_CUDA(0));
    FA_RECORD(g)
    fa_cuda_pointer(x);
    assert_error(FA_ERROR_STATE, "fa_cuda_pointer: this cannot be recorded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_context_of_the_programs),
        TEST(work_of_both_is_in_order_on_the_programs_stream),
        TEST(an_address_is_behind_the_work_of_other_streams),
        TEST(the_default_stream_and_graphs),
        TEST(misuse_is_an_error),
    };
    setenv("CUDASIM_RACES", "1", 1);
    sim = test_cudasim();
    if (!sim) {
        printf("skipped: the simulator of CUDA is not here\n");
        return 77;
    }
    return cmocka_run_group_tests_name("cuda_native", tests, NULL, NULL);
}
