/* The CUDA backend on the simulator's eight devices: every call of the driver fails once, memory ends, a device is
 * lost, copies between devices, order that is left out, PTX, times. */
#include "backend/gpu/cuda/cuda.h"
#include "base/alloc.h"
#include "base/error.h"
#include "support/cudasim.h"
#include "support/error_reason.h"
#include "support/storages.h"
#include <facula/facula.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES = 8, COUNT = 1000, SUM = COUNT * (COUNT - 1) / 2, LAUNCH_FAILED = 719 };
static const cudasim_functions *sim;

static fa__device *device(int i)
{
    fa__device *d = fa__device_get(FA_CUDA(i));
    assert_non_null(d);
    return d;
}

/* Contexts and devices are well again. */
static void recover(void)
{
    sim->inject(NULL, 0, 0, false);
    sim->delay(0, NULL);
    fa_error_clear();
    for (int i = 0; i < DEVICES; i++) {
        atomic_store(&fa__gpu_own(device(i))->lost, 0);
        fa_synchronize(FA_CUDA(i));
        fa_error_clear();
    }
}

static int begin(void **state)
{
    (void)state;
    recover();
    return 0;
}

static int end(void **state)
{
    (void)state;
    bool failed = fa_failed();
    if (failed)
        print_message("left behind: %s\n", fa_error_message());
    recover();
    return failed ? -1 : 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* Two devices, a stream, copies in both directions and between the devices. False after an error. */
static bool compute(void)
{
    FA_SCOPE;
    fa_stream *aside = fa_stream_new(FA_CUDA(1));
    fa_tensor *x = fa_to(fa_arange(0, COUNT, .dtype = FA_F32), FA_CUDA(0)), *y = fa_to(fa_add(x, 1), FA_CUDA(1));
    FA_USE(.stream = aside);
    double sum = fa_item(fa_sum(fa_mul(y, 2)));
    if (!fa_failed() && sum != 2 * (SUM + COUNT))
        fail_msg("the sum is %g", sum);
    return !fa_failed();
}

/* ---- failures ---- */
static const char *const calls[] = {
#define NAME(name, parameters) #name,
    FA__CUDA_FUNCTIONS(NAME)};

/* A call that fails is an error, or nothing that the results need; afterwards all is well. */
static void fails_once(const char *call, long n)
{
    sim->inject(call, n, LAUNCH_FAILED, false);
    bool good = compute();
    if (!good && fa_error_code() != FA_ERROR_DEVICE && fa_error_code() != FA_ERROR_MEMORY)
        fail_msg("%s, %ld: %s", call, n, fa_error_message());
    recover();
    if (!compute())
        fail_msg("after %s, %ld: %s", call, n, fa_error_message());
}

static void each_call_may_fail(void **state)
{
    (void)state;
    int errors = 0;
    assert_true(compute());
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long before = sim->calls(calls[i]);
        assert_true(compute());
        long made = sim->calls(calls[i]) - before;
        for (long n = 1; n <= made && n <= 12; n++, errors++)
            fails_once(calls[i], n);
    }
    assert_true(errors > 50);
}

static void a_refusal_has_the_call_and_a_name(void **state)
{
    (void)state;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_CUDA(0), SIZE);
    sim->inject("cuMemcpyHtoDAsync_v2", 1, LAUNCH_FAILED, false);
    assert_false(copy(&op_to, b, a));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_string_equal(error_reason(), "cuda:0: cuMemcpyHtoDAsync_v2 failed: CUDA_ERROR_LAUNCH_FAILED (719)");
    fa_error_clear();
    assert_true(copy(&op_to, b, a));
    assert_true(holds(b, 3));
    fa__unref(a);
    fa__unref(b);
}

static void memory_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    size_t before = sim->allocated(2);
    assert_null(fa_zeros(FA_SHAPE(1 << 14, 1 << 15), .device = FA_CUDA(2)));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_non_null(strstr(fa_error_message(), "out of memory on cuda:2: 2147483648 bytes"));
    fa_error_clear();
    assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(64, 64), .device = FA_CUDA(2)))) == 64 * 64);
    fa_empty_cache(FA_CUDA(2));
    assert_true(sim->allocated(2) <= before + (64 << 20));
}

/* A kernel goes wrong: its context is lost, with all that is in it, and others go on. */
static void a_lost_device_fails_its_tensors_and_others_go_on(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_ones(FA_SHAPE(3), .device = FA_CUDA(3)), *other = fa_ones(FA_SHAPE(3), .device = FA_CUDA(4));
    assert_true(fa_synchronize(FA_CUDA(3)));
    sim->inject("kernel", 1, LAUNCH_FAILED, true);
    fa_tensor *u = fa_add(t, 1);
    if (u) /* it may be known before the call returns */
        fa_item(fa_sum(u));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(strstr(fa_error_message(), "CUDA_ERROR_LAUNCH_FAILED"));
    fa_error_clear();
    fa_synchronize(FA_CUDA(3)); /* from now on it is known; an error if the failure had not been reported before */
    for (int turn = 0; turn < 2; turn++) {
        fa_error_clear();
        fa_item(fa_get(t, "0"));
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        assert_non_null(strstr(fa_error_message(), "cuda:3 is lost: CUDA_ERROR_LAUNCH_FAILED"));
    }
    fa_error_clear();
    assert_true(fa_item(fa_sum(fa_add(other, 1))) == 6);
}

static void a_kernel_that_does_not_compile_or_load_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char source[] = "extern \"C\" __global__ void nothing(int *p) { *p = 1; }";
    static const char *const of[] = {"cuModuleLoadData", "cuModuleGetFunction"};
    fa_tensor *x = fa_ones(FA_SHAPE(3), .device = FA_CUDA(0));
    for (int i = 0; i < 2; i++) {
        sim->inject(of[i], 1, LAUNCH_FAILED, false);
        assert_null(fa__cuda_driver.build(device(0), source, "nothing", NULL, NULL));
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        fa_error_clear();
    }
    assert_null(fa__cuda_driver.build(device(0), "this is no kernel", "nothing", NULL, NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(strstr(fa_error_message(), "kernel nothing was not built: NVRTC_ERROR_COMPILATION"));
    assert_non_null(strstr(fa_error_message(), "error:"));
    fa_error_clear();
    assert_null(fa__cuda_driver.load_binary(device(0), "damaged", 8, "add")); /* from disk: it is compiled again */
    assert_false(fa_failed());
    assert_true(fa_item(fa_sum(x)) == 3);
}

/* Each function of NVRTC fails once, while machine code is built and while PTX is built. A failure to read the log of a
 * compilation that went well is no error. */
static void each_call_of_the_compiler_may_fail(void **state)
{
    (void)state;
    static const char source[] = "extern \"C\" __global__ void nothing(int *p) { *p = 1; }";
    static const char *const compiler[] = {FA__NVRTC_FUNCTIONS(NAME)};
    enum { REFUSED = 4 };
    fa__device *d = device(0);
    fa__cuda_device *o = fa__cuda_own(d);
    int errors = 0;
    for (int ptx = 0; ptx < 2; ptx++)
        for (size_t i = 0; i < sizeof compiler / sizeof *compiler; i++) {
            o->target -= ptx;
            sim->inject(compiler[i], 1, REFUSED, false);
            void *kernel = fa__cuda_driver.build(d, source, "nothing", NULL, NULL);
            bool good = kernel != NULL;
            if (!good && (fa_error_code() != FA_ERROR_DEVICE || !strstr(fa_error_message(), "NVRTC")))
                fail_msg("%s: %s", compiler[i], fa_error_message());
            if (good && (fa_failed() || !strcmp(compiler[i], "nvrtcCompileProgram")))
                fail_msg("%s: a kernel, and an error", compiler[i]);
            sim->inject(NULL, 0, 0, false);
            fa_error_clear();
            errors += !good;
            if (good)
                fa__cuda_driver.kernel_free(d, kernel);
            o->target += ptx;
        }
    assert_int_equal(errors, 2 * 4); /* the program, its compilation, the size of the code, the code */
    sim->inject("nvrtcGetProgramLog", 1, REFUSED, false);
    assert_null(fa__cuda_driver.build(d, "this is no kernel", "nothing", NULL, NULL));
    assert_non_null(strstr(fa_error_message(), "kernel nothing was not built: NVRTC_ERROR_COMPILATION"));
    assert_non_null(strstr(fa_error_message(), "the compiler says nothing"));
    fa_error_clear();
}

/* ---- copies and order ---- */
static void copies_at_random(void **state)
{
    (void)state;
    assert_true(copy_at_random(FA__CUDA, 1, 300));
    sim->delay(200, NULL);
    assert_true(copy_at_random(FA__CUDA, 2, 100));
    sim->delay(-1, NULL); /* nothing is done before somebody waits */
    assert_true(copy_at_random(FA__CUDA, 3, 300));
    assert_true(copy_at_random_in_threads(FA__CUDA, 100, 100));
}

static fa_tensor *around(fa_tensor *x)
{
    for (int i = 1; i <= DEVICES; i++)
        x = fa_add(fa_to(x, FA_CUDA(i % DEVICES)), i);
    return x;
}

/* Straight from one device's memory to the next. */
static void a_tensor_goes_around_all_devices(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_arange(0, COUNT, .dtype = FA_F32, .device = FA_CUDA(0));
    long to_host = sim->calls("cuMemcpyDtoHAsync_v2"), peer = sim->calls("cuMemcpyPeerAsync");
    fa_tensor *y = around(x);
    assert_int_equal(sim->calls("cuMemcpyPeerAsync") - peer, DEVICES);
    assert_int_equal(sim->calls("cuMemcpyDtoHAsync_v2"), to_host);
    assert_true(fa_item(fa_sum(y)) == SUM + COUNT * 36);
}

/* What comes from a slow device is waited for by the other one, and would be wrong without. */
static bool order_holds(double value) /* another one each time: memory is used again */
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(COUNT), .device = FA_CUDA(0));
    assert_true(fa_synchronize(FA_CUDA(0)));
    const fa__cuda_queue *slow = ((const fa__gpu_queue *)device(0)->queue)->handle;
    sim->delay(200000, slow->stream);
    double sum = fa_item(fa_sum(fa_to(fa_add(x, value), FA_CUDA(1))));
    sim->delay(0, NULL);
    return sum == (1 + value) * COUNT;
}

static void order_between_devices_is_needed(void **state)
{
    (void)state;
    assert_true(order_holds(1));
    sim->ignore_events(true);
    bool noticed = !order_holds(2);
    fa_synchronize(FA_CUDA(0));
    sim->ignore_events(false);
    assert_true(noticed);
    assert_true(order_holds(3));
}

/* ---- times ---- */
static CUresult (*elapsed)(float *, CUevent, CUevent);

static CUresult elapsed_long(float *ms, CUevent from, CUevent to)
{
    CUresult status = elapsed(ms, from, to);
    *ms *= 20000;
    return status;
}

/* They go on when the event that they are measured from is replaced, which is so after some seconds. */
static void times_go_on(void **state)
{
    (void)state;
    FA_SCOPE;
    fa__cuda_device *o = fa__cuda_own(device(0));
    const int64_t base = o->base_ns;
    fa_event *event[8];
    elapsed = fa__cuda.cuEventElapsedTime;
    fa__cuda.cuEventElapsedTime = elapsed_long;
    for (int i = 0; i < 8; i++) {
        FA_USE(.device = FA_CUDA(0));
        event[i] = fa_event_new();
        assert_true(fa_event_record(event[i], NULL));
        assert_true(fa_synchronize(FA_CUDA(0)));
        usleep(1000);
    }
    fa__cuda.cuEventElapsedTime = elapsed;
    assert_true(o->base_ns > base);
    double sum = 0;
    for (int i = 1; i < 8; i++) {
        double ms = fa_event_ms(event[i - 1], event[i]);
        assert_true(ms > 0);
        sum += ms;
    }
    double all = fa_event_ms(event[0], event[7]);
    assert_true(all > 0.999 * sum && all < 1.001 * sum);
}

int main(void)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* launches are counted where they are issued */
    const struct CMUnitTest tests[] = {
        TEST(each_call_may_fail),
        TEST(a_refusal_has_the_call_and_a_name),
        TEST(memory_that_is_not_there_is_an_error),
        TEST(a_lost_device_fails_its_tensors_and_others_go_on),
        TEST(a_kernel_that_does_not_compile_or_load_is_an_error),
        TEST(each_call_of_the_compiler_may_fail),
        TEST(copies_at_random),
        TEST(a_tensor_goes_around_all_devices),
        TEST(order_between_devices_is_needed),
        TEST(times_go_on),
    };
    setenv("CUDASIM_DEVICES", "8", 1);
    sim = test_cudasim();
    if (!sim) {
        printf("skipped: the simulator of CUDA is not here\n");
        return 77;
    }
    return cmocka_run_group_tests_name("cuda_simulator", tests, NULL, NULL);
}
