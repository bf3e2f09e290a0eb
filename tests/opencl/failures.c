/* What fails under OpenCL: what the driver refuses, memory that is not there, a device that is lost. */
#include "base/alloc.h"
#include "support/error_reason.h"
#include "support/opencl.h"
#include <math.h>
#include <unistd.h>

static cl_int refuse_write(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, const void *from,
                           cl_uint n, const cl_event *list, cl_event *e)
{
    (void)q, (void)m, (void)block, (void)at, (void)size, (void)from, (void)n, (void)list, (void)e;
    return CL_OUT_OF_RESOURCES;
}

static cl_mem no_buffer(cl_context c, cl_bitfield flags, size_t size, void *host, cl_int *status)
{
    (void)c, (void)flags, (void)size, (void)host;
    *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int no_migration(cl_command_queue q, cl_uint n, const cl_mem *m, cl_bitfield flags, cl_uint events,
                           const cl_event *list, cl_event *e)
{
    (void)q, (void)n, (void)m, (void)flags, (void)events, (void)list, (void)e;
    return CL_OUT_OF_RESOURCES;
}

static cl_int no_marker(cl_command_queue q, cl_uint n, const cl_event *list, cl_event *e)
{
    (void)q, (void)n, (void)list, (void)e;
    return CL_OUT_OF_HOST_MEMORY;
}

static void what_the_driver_refuses_has_a_name(void **state)
{
    (void)state;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa__opencl.clEnqueueWriteBuffer = refuse_write;
        assert_false(copy(&op_to, b, a));
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        assert_string_equal(error_reason(), "opencl:0: clEnqueueWriteBuffer failed: CL_OUT_OF_RESOURCES (-5)");
        fa_error_clear();
        fa__opencl = opencl_real;
        assert_true(copy(&op_to, b, a));
        assert_true(holds(b, 3));
    }
    fa__opencl.clEnqueueMarkerWithWaitList = no_marker; /* without events the queue as a whole is waited for */
    fa__gpu_kernel add = build_kernel(0, "add");
    wrote(b, launch_add(b->device->queue, &add, b->data, 1, 1));
    assert_false(fa__order_done(b));
    assert_true(fa_synchronize(FA_OPENCL(0)));
    assert_true(fa__order_done(b));
    fa__opencl = opencl_real;
    assert_int_equal(first_of(b), 0x03030303 + 1);
    drop_kernel(0, &add);
    fa__unref(a);
    fa__unref(b);
}

static void a_device_without_memory_says_so(void **state)
{
    (void)state;
    size_t most = 64 << 20;
    fa__opencl.clCreateBuffer = no_buffer;
    assert_null(fa__storage_new(opencl_device(0), most, opencl_device(0)->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    fa__opencl = opencl_real;
    fa__opencl.clEnqueueMigrateMemObjects = no_migration;
    assert_null(fa__storage_new(opencl_device(0), most, opencl_device(0)->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    fa__opencl = opencl_real;
    fa__unref(new_storage(FA_OPENCL(0), most));
    fa_empty_cache(FA_OPENCL(0));
    assert_null(
        fa__storage_new(opencl_device(0), (size_t)1 << 45, opencl_device(0)->queue)); /* the real driver refuses that */
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
}

/* Each step of something like a program's; false after an error. */
static bool use_everything(void)
{
    fa__device *d = opencl_device(0);
    fa__queue *q = d->backend->queue_new(d);
    bool good = q != NULL;
    fa__storage *a = good ? fa__storage_new(fa__device_get(FA_CPU), SIZE, NULL) : NULL;
    fa__storage *b = a ? fa__storage_new(d, SIZE, q) : NULL,
                *c = b ? fa__storage_new(opencl_device(1), SIZE, NULL) : NULL;
    fa__gpu_kernel k = {.group = {GROUP, 1}, .faults = true, .name = "check"};
    if (c) {
        memset(a->data, 0, SIZE);
        good = copy(&op_to, b, a) && copy(&op_to, c, b) && copy(&op_back, a, c)
               && (k.handle = fa__opencl_driver.build(d, opencl_source, "check", NULL, NULL));
    }
    good = good && c && d->backend->after(q, (fa__sync_point){d->queue, d->queue->issued});
    fa__gpu_issue issue = q ? fa__gpu_issue_begin(q, NULL) : (fa__gpu_issue){.queue = NULL};
    void *scratch = good ? fa__gpu_scratch(&issue, 100000) : NULL;
    good = scratch && launch_check(q, &k, b->data, 8) && launch_check(q, &k, scratch, INT64_MAX);
    if (q)
        fa__gpu_issue_end(&issue);
    if (q)
        d->backend->queue_free(q);
    if (k.handle)
        fa__opencl_driver.kernel_free(d, k.handle);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
    return good;
}

static void without_memory_of_the_host_there_are_errors(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        assert_true(use_everything());
        uint64_t before = fa_memory_stats(FA_OPENCL(0)).allocated;
        int failures = 0;
        for (int64_t nth = 1;; nth++, failures++) {
            fa_empty_cache(FA_OPENCL(0));
            fa__inject(nth);
            bool good = use_everything();
            bool reached = fa__inject_count() >= nth;
            fa__inject(0);
            fa_synchronize(FA_OPENCL(0));
            fa_synchronize(FA_OPENCL(1));
            fa__order_reap(true);
            assert_int_equal(fa_memory_stats(FA_OPENCL(0)).allocated, before);
            if (!reached) {
                assert_true(good);
                break;
            }
            if (!good)
                assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
            fa_error_clear();
        }
        assert_true(failures > 10);
    }
}

/* A driver that tells of a failure when it is asked how far an event is. */
static cl_int failing_status;

static cl_int failed_event(cl_event e, cl_uint what, size_t size, void *out, size_t *had)
{
    cl_int status = opencl_real.clGetEventInfo(e, what, size, out, had);
    if (what == CL_EVENT_COMMAND_EXECUTION_STATUS)
        *(cl_int *)out = failing_status;
    return status;
}

static void find_again(int device) /* for the tests that follow */
{
    atomic_store(&fa__gpu_own(opencl_device(device))->lost, 0);
}

static bool says_that_it_is_lost(bool done, const char *function)
{
    char says[80];
    snprintf(says, sizeof says, "%s: opencl:1 is lost: ", function);
    bool good = !done && !strncmp(error_reason(), says, strlen(says));
    if (!good)
        print_error("%s: \"%s\"\n", function, fa_error_message());
    fa_error_clear();
    return good;
}

static void a_lost_device_fails_its_tensors_and_others_go_on(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_ones(FA_SHAPE(3), .device = FA_OPENCL(1));
    fa_stream *s = fa_stream_new(FA_OPENCL(1));
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(1), SIZE), *c = new_storage(FA_OPENCL(0), SIZE);
    assert_true(fa_synchronize(FA_OPENCL(1)));
    failing_status = CL_OUT_OF_RESOURCES;
    fa__opencl.clGetEventInfo = failed_event;
    assert_true(copy(&op_to, b, a));
    for (int i = 0; i < 5000 && !fa__order_done(b); i++)
        usleep(1000);
    fa__opencl = opencl_real;
    for (int turn = 0; turn < 2; turn++) {
        assert_false(holds(b, 3));
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        assert_string_equal(error_reason(), "opencl:1 is lost: CL_OUT_OF_RESOURCES (-5)");
        fa_error_clear();
    }
    fa_synchronize(FA_OPENCL(1));
    assert_string_equal(error_reason(), "opencl:1: work of a copy failed: CL_OUT_OF_RESOURCES (-5)");
    fa_error_clear();
    assert_true(isnan(fa_item(fa_get(t, "0"))));
    assert_non_null(strstr(fa_error_message(), "fa_item(x=() f32 opencl:1, made by "));
    assert_non_null(strstr(fa_error_message(), "): opencl:1 is lost: CL_OUT_OF_RESOURCES (-5)"));
    fa_error_clear();
    const fa_binding p = FA_BIND("p", FA_TENSORS(t));
    assert_true(says_that_it_is_lost(fa_move_(t, FA_CPU), "fa_move_"));
    assert_true(says_that_it_is_lost(fa_update("p = p + 1", 1, &p), "fa_update"));
    assert_true(says_that_it_is_lost(fa_event_record(fa_event_new(), s), "fa_event_record"));
    assert_true(copy(&op_to, c, a));
    for (int pinned = 0; pinned < 2; pinned++) { /* nor does another device take them over */
        use_pinned(pinned);
        for (int back = 0; back < 2; back++) {
            assert_false(copy(&op_to, back ? b : c, back ? c : b));
            assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
            assert_string_equal(error_reason(), "opencl:1 is lost: CL_OUT_OF_RESOURCES (-5)");
            fa_error_clear();
        }
    }
    assert_true(holds(c, 3));
    find_again(1);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

static cl_int refuse_read(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, void *to, cl_uint n,
                          const cl_event *list, cl_event *e)
{
    (void)q, (void)m, (void)block, (void)at, (void)size, (void)to, (void)n, (void)list, (void)e;
    return CL_OUT_OF_RESOURCES;
}

/* The driver launches a kernel that finds something wrong, and refuses to tell: the launch fails, and later work is
 * done. */
static void of_a_launch_that_failed_no_fault_stays(void **state)
{
    (void)state;
    fa__queue *q = opencl_device(0)->queue;
    fa__gpu_kernel check = build_kernel(0, "check"), add = build_kernel(0, "add");
    check.faults = true;
    fa__storage *a = filled(9, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a) && holds(b, 9));
    fa__opencl.clEnqueueReadBuffer = refuse_read;
    assert_int_equal(launch_check(q, &check, b->data, 8), 0);
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    fa_error_clear();
    fa__opencl = opencl_real;
    wrote(b, launch_add(q, &add, b->data, 1, 1));
    assert_int_equal(first_of(b), 0x09090909 + 1);
    fa__unref(a);
    fa__unref(b);
    drop_kernel(0, &check);
    drop_kernel(0, &add);
}

static cl_event read_of_other;

static cl_int remember_read(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, void *to, cl_uint n,
                            const cl_event *list, cl_event *e)
{
    cl_int status = opencl_real.clEnqueueReadBuffer(q, m, block, at, size, to, n, list, e);
    read_of_other = *e;
    return status;
}

/* And what comes behind it is stopped. */
static cl_int read_fails(cl_event e, cl_uint what, size_t size, void *out, size_t *had)
{
    cl_int status = opencl_real.clGetEventInfo(e, what, size, out, had);
    if (read_of_other && what == CL_EVENT_COMMAND_EXECUTION_STATUS)
        *(cl_int *)out = e == read_of_other ? CL_OUT_OF_RESOURCES : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return status;
}

/* A copy between two devices is in the target's queue, and the source's device reads for it. */
static void of_two_devices_the_one_that_failed_is_blamed(void **state)
{
    (void)state;
    use_pinned(true);
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(1), SIZE), *c = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    fa__opencl.clEnqueueReadBuffer = refuse_read;
    assert_false(copy(&op_to, c, b));
    assert_string_equal(error_reason(), "opencl:1: clEnqueueReadBuffer failed: CL_OUT_OF_RESOURCES (-5)");
    fa_error_clear();
    fa__opencl.clEnqueueReadBuffer = remember_read;
    assert_true(fa_synchronize(FA_OPENCL(0)) && fa_synchronize(FA_OPENCL(1)));
    fa__opencl.clGetEventInfo = read_fails;
    assert_true(copy(&op_to, c, b));
    fa_synchronize(FA_OPENCL(0));
    assert_true(fa_failed());
    fa_error_clear();
    fa__opencl = opencl_real;
    assert_int_equal(fa__gpu_own(opencl_device(0))->lost, 0);
    assert_int_equal(fa__gpu_own(opencl_device(1))->lost, CL_OUT_OF_RESOURCES);
    find_again(0);
    find_again(1);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

/* Work that a failure elsewhere has stopped is an error to read, each time, and the device goes on. */
static void what_a_failure_stopped_is_an_error_to_read(void **state)
{
    (void)state;
    FA_SCOPE;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(0), SIZE), *c = new_storage(FA_OPENCL(0), SIZE);
    assert_true(fa_synchronize(FA_OPENCL(0)));
    failing_status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    fa__opencl.clGetEventInfo = failed_event;
    assert_true(fa__move_bytes(&op_to, b, 0, a, 0, SIZE, false));
    fa_synchronize(FA_OPENCL(0));
    fa__opencl = opencl_real;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        assert_non_null(strstr(fa_error_message(), "opencl:0: work of a copy failed: "));
        fa_error_clear();
        assert_false(holds(b, 3));
    }
    fa_error_clear();
    assert_true(copy(&op_to, c, a) && holds(c, 3));
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_the_driver_refuses_has_a_name),           TEST(a_device_without_memory_says_so),
        TEST(without_memory_of_the_host_there_are_errors),  TEST(a_lost_device_fails_its_tensors_and_others_go_on),
        TEST(of_two_devices_the_one_that_failed_is_blamed), TEST(of_a_launch_that_failed_no_fault_stays),
        TEST(what_a_failure_stopped_is_an_error_to_read),
    };
    return opencl_there() ? cmocka_run_group_tests_name("opencl_failures", tests, NULL, NULL) : TEST_SKIPPED;
}
