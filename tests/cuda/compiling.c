/* Kernels that are compiled by other threads, while launches wait for them: several at a time, in the order of the
 * program, whatever comes behind them; kernels that the compiler refuses; memory that ends. On the simulator. */
#include "backend/gpu/cuda/cuda.h"
#include "base/clock.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include <facula/facula.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REFUSED = 4, NO_MEMORY = 1, COUNT = 6 };
#define GPU FA_CUDA(0)
static const cudasim_functions *sim;

/* ---- a compiler that is watched ---- */
static nvrtcResult (*compile)(nvrtcProgram, int, const char *const *);
static _Atomic int running, most, together, status, refusals, finished;
static _Atomic bool closed; /* none is compiled as long as it is */

static bool wait_until(const _Atomic int *what, int least)
{
    const int64_t end = fa__clock_ns() + 20 * INT64_C(1000000000);
    while (atomic_load(what) < least && fa__clock_ns() < end)
        usleep(1000);
    return atomic_load(what) >= least;
}

/* Waits for as many as are to run at a time, and while the door is closed. */
static nvrtcResult watched(nvrtcProgram p, int count, const char *const *options)
{
    const bool refused = atomic_fetch_sub(&refusals, 1) > 0;
    const int now = atomic_fetch_add(&running, 1) + 1;
    if (now > atomic_load(&most))
        atomic_store(&most, now);
    wait_until(&most, atomic_load(&together));
    while (atomic_load(&closed))
        usleep(1000);
    const nvrtcResult result = refused ? atomic_load(&status) : compile(p, count, options);
    atomic_fetch_sub(&running, 1);
    atomic_fetch_add(&finished, 1);
    return result;
}

/* The next ones that come to the compiler will be refused, once the door is open. */
static void refuse(int why, int count)
{
    assert_true(fa_synchronize(GPU));
    atomic_store(&closed, true);
    atomic_store(&status, why);
    atomic_store(&refusals, count);
}

static int begin(void **state)
{
    (void)state;
    fa_error_clear();
    if (!fa_synchronize(GPU)) /* the compiler is open */
        return -1;
    compile = fa__nvrtc.nvrtcCompileProgram;
    fa__nvrtc.nvrtcCompileProgram = watched;
    running = most = status = refusals = finished = 0;
    together = 1;
    closed = false;
    return 0;
}

static int end(void **state)
{
    (void)state;
    closed = false;
    const bool good = !fa_failed() && fa_synchronize(GPU);
    fa__nvrtc.nvrtcCompileProgram = compile;
    return good ? 0 : -1;
}

/* An expression that no other one is, so that its kernel is compiled: x + n. */
static fa_tensor *new_sum(const fa_tensor *x, int *n)
{
    static int last = 1000;
    char text[40];
    *n = ++last;
    snprintf(text, sizeof text, "x + %d.0", last);
    return fa_pointwise(text, x);
}

static fa_tensor *vector(float value)
{
    fa_tensor *x = fa_full(FA_SHAPE(COUNT), value, .device = GPU);
    assert_true(fa_synchronize(GPU));
    return x;
}

static double first(const fa_tensor *x)
{
    return fa_item(fa_get(x, 0));
}

/* ---- tests ---- */
static void several_are_compiled_at_a_time(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1), *y = x;
    int want = 1, n;
    atomic_store(&together, 3);
    for (int i = 0; i < COUNT; i++) {
        y = new_sum(y, &n);
        want += n;
    }
    assert_true(first(y) == want);
    assert_true(atomic_load(&most) >= 3);
}

static void calls_return_before_their_kernels_are_there(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1);
    first(x); /* its kernel is there */
    int n, k;
    fa_stream *stream = fa_stream_new(GPU);
    FA_USE(.stream = stream);
    atomic_store(&closed, true);
    const fa_tensor *y = new_sum(x, &n), *z = fa_add(new_sum(y, &k), x);
    fa_copy_(x, fa_full(FA_SHAPE(COUNT), 50)); /* behind the reading of x */
    assert_no_error();
    assert_false(fa_stream_done(stream));
    atomic_store(&closed, false);
    assert_true(first(y) == 1 + n);
    assert_true(first(z) == 1 + n + k + 1);
    assert_true(first(x) == 50);
}

static void other_streams_and_devices_come_behind(void **state)
{
    (void)state;
    FA_SCOPE;
    int n, k;
    fa_tensor *x = vector(1);
    fa_stream *stream = fa_stream_new(GPU);
    const fa_tensor *y = new_sum(x, &n), *z;
    {
        FA_USE(.stream = stream);
        z = new_sum(y, &k);
    }
    const fa_tensor *there = fa_to(z, FA_CUDA(1));
    assert_true(first(there) == 1 + n + k);
    assert_true(first(fa_to(fa_add(there, 1), GPU)) == 2 + n + k);
}

/* The call succeeds; what reads its result says why there is none, in its name. What is behind it leaves values. */
static void a_refused_kernel_is_an_error_of_its_result(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1), *kept = vector(7);
    fa_add_(kept, vector(0)); /* its kernel is there, and that of the sum */
    assert_true(fa_item(fa_sum(kept)) == 7 * COUNT);
    int n;
    refuse(REFUSED, 1);
    const fa_tensor *y = new_sum(x, &n);
    fa_add_(kept, y);
    assert_no_error();
    atomic_store(&closed, false);
    fa_item(fa_sum(y));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(strstr(fa_error_message(), "compiling.c:"));
    assert_non_null(strstr(fa_error_message(), "fa_pointwise"));
    assert_non_null(strstr(fa_error_message(), "compiling 'x + "));
    assert_non_null(strstr(fa_error_message(), "was not built"));
    fa_error_clear();
    assert_true(first(kept) == 7);
    assert_true(first(fa_add(x, 1)) == 2); /* others go on */
}

static void copies_behind_a_refused_kernel_leave_values(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1), *kept = vector(7), *too = vector(8);
    const fa_tensor *host = fa_full(FA_SHAPE(COUNT), 50), *there = vector(51);
    int n;
    refuse(REFUSED, 1);
    const fa_tensor *y = new_sum(x, &n);
    assert_true(wait_until(&running, 1));
    fa_copy_(kept, host);
    fa_copy_(too, there);
    assert_no_error();
    atomic_store(&closed, false);
    fa_item(fa_sum(y));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    fa_error_clear();
    assert_true(first(kept) == 7);
    assert_true(first(too) == 8);
}

/* One that is refused behind what was reported, and cleared, is reported, too. */
static void each_refusal_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1);
    int n;
    fa_stream *stream = fa_stream_new(GPU);
    FA_USE(.stream = stream);
    first(fa_add(x, 1));
    fa_event *event = fa_event_new();
    refuse(REFUSED, 3);
    const int before = atomic_load(&finished);
    new_sum(x, &n);
    atomic_store(&closed, false);
    assert_true(wait_until(&finished, before + 1) && fa_event_record(event, stream));
    atomic_store(&closed, true);
    const fa_tensor *second = new_sum(x, &n);
    assert_false(fa_event_synchronize(event));
    fa_error_clear();
    const fa_tensor *good = fa_add(x, 1);
    atomic_store(&closed, false);
    assert_true(wait_until(&finished, before + 2));
    const fa_tensor *third = new_sum(x, &n);
    fa_error_clear(); /* it may be known already */
    if (third) {
        first(third);
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        fa_error_clear();
    }
    first(second);
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    fa_error_clear();
    first(good); /* behind the second, which is no fault of its */
    fa_error_clear();
    assert_true(first(fa_add(x, 1)) == 2);
}

static void another_queue_gets_the_error(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1);
    int n;
    fa_stream *stream = fa_stream_new(GPU);
    refuse(REFUSED, 1);
    const fa_tensor *y = new_sum(x, &n), *z;
    atomic_store(&closed, false);
    {
        FA_USE(.stream = stream);
        z = fa_add(y, 1);
    }
    if (z)
        fa_item(fa_sum(z));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    fa_error_clear();
    assert_true(first(fa_add(x, 1)) == 2);
}

/* The same expression once more: without memory it goes well the second time. */
static void without_memory_it_is_tried_again(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1);
    for (int turn = 0; turn < 2; turn++) {
        if (!turn)
            refuse(NO_MEMORY, 1);
        const fa_tensor *y = fa_pointwise("x * 3.125 + 77", x);
        assert_no_error();
        atomic_store(&closed, false);
        const double value = first(y);
        assert_int_equal(fa_error_code(), turn ? FA_OK : FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(!turn || value == 80.125);
    }
}

/* What refers to a kernel that is not there yet may be freed. */
static void programs_may_go_before_their_kernels(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = vector(1);
    int n[COUNT];
    FA_VAR(y, x);
    for (int i = 0; i < COUNT; i++) {
        FA_SCOPE;
        fa_assign(&y, new_sum(y, &n[i]));
    }
    int want = 1;
    for (int i = 0; i < COUNT; i++)
        want += n[i];
    assert_true(first(y) == want);
}

static void a_step_may_be_recorded_and_replayed_meanwhile(void **state)
{
    (void)state;
    FA_SCOPE;
    int n;
    fa_tensor *x = vector(1);
    fa_graph *g = fa_graph_new(GPU);
    FA_VAR(y, NULL);
    FA_RECORD(g)
    fa_assign(&y, new_sum(x, &n));
    fa_copy_(x, fa_full(FA_SHAPE(COUNT), 5));
    assert_true(fa_graph_replay(g));
    assert_true(first(y) == 5 + n);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(several_are_compiled_at_a_time),
        CASE(calls_return_before_their_kernels_are_there),
        CASE(other_streams_and_devices_come_behind),
        CASE(a_refused_kernel_is_an_error_of_its_result),
        CASE(copies_behind_a_refused_kernel_leave_values),
        CASE(each_refusal_is_an_error),
        CASE(another_queue_gets_the_error),
        CASE(without_memory_it_is_tried_again),
        CASE(programs_may_go_before_their_kernels),
        CASE(a_step_may_be_recorded_and_replayed_meanwhile),
    };
    setenv("FACULA_COMPILE_THREADS", "3", 1);
    setenv("FACULA_CACHE_DIR", "off", 1);
    setenv("CUDASIM_DEVICES", "2", 1);
    sim = test_cudasim();
    if (!sim) {
        printf("skipped: the simulator of CUDA is not here\n");
        return 77;
    }
    return cmocka_run_group_tests_name("cuda_compiling", tests, NULL, NULL);
}
