/* Copies between the host and OpenCL's devices: that they arrive, in order, and what the ledger has of them. They are
 * done twice, the second time through pinned memory. */
#include "core/ledger.h"
#include "support/opencl.h"
#include <unistd.h>

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + (i >> 8) * 3 + 1);
}

/* Host, device 0, device 1, device 1 at another offset, and back; what lies around stays. */
static void go_round(size_t size, size_t offset)
{
    size_t all = size + offset + 100;
    fa__storage *from = filled(0xEE, all), *to = filled(0xEE, all), *a = new_storage(FA_OPENCL(0), all),
                *b = new_storage(FA_OPENCL(1), all), *c = new_storage(FA_OPENCL(1), all);
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)from->data)[offset + i] = pattern(i);
    fa__storage *each[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        fa__storage *other = filled(0xAA, all);
        assert_true(copy(&op_to, each[i], other));
        fa__unref(other);
    }
    assert_true(fa__move_bytes(&op_to, a, offset, from, offset, size, true));
    assert_true(fa__move_bytes(&op_to, b, offset / 2, a, offset, size, true));
    assert_true(fa__move_bytes(&op_copy, c, offset, b, offset / 2, size, true));
    assert_true(copy(&op_back, to, c));
    assert_true(fa__before_read(to, NULL, &op_back));
    const unsigned char *byte = to->data;
    assert_true(all_are(byte, 0xAA, offset) && all_are(byte + offset + size, 0xAA, 100));
    for (size_t i = 0; i < size; i++)
        if (byte[offset + i] != pattern(i))
            fail_msg("byte %zu of %zu at %zu: %d, not %d", i, size, offset, byte[offset + i], pattern(i));
    for (int i = 0; i < 3; i++)
        fa__unref(each[i]);
    fa__unref(from);
    fa__unref(to);
}

static void copies_arrive_whole_and_nowhere_else(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 64, 511, SIZE, 65537, FA__GPU_CHUNK, 5 * FA__GPU_CHUNK + 3};
    static const size_t offsets[] = {0, 1, 63, 4098};
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++)
                go_round(sizes[i], offsets[k]);
    }
    assert_false(fa_failed());
}

static void copies_are_ordered_behind_slow_work(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa__gpu_kernel slow = build_kernel(0, "slow");
        fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE), *c = new_storage(FA_OPENCL(1), SIZE);
        assert_true(copy(&op_to, b, a));
        wrote(b, launch_slow(b->device->queue, &slow, b->data, 3000000));
        assert_true(copy(&op_to, c, b)); /* read after write, by the other device's queue */
        assert_false(fa__order_done(c));
        fa__storage *d = filled(9, SIZE);
        assert_true(copy(&op_copy, b, d)); /* write after read */
        assert_int_equal(first_of(c), 1);
        assert_true(holds(b, 9));
        drop_kernel(0, &slow);
        fa__unref(a);
        fa__unref(b);
        fa__unref(c);
        fa__unref(d);
    }
}

static void copies_at_random_give_the_values_of_the_model(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        assert_true(copy_at_random_in_threads(FA__OPENCL, 400, 4));
    }
}

static void nobody_has_to_wait_for_work_to_be_done(void **state)
{
    (void)state;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    for (int i = 0; i < 5000 && !fa__order_done(b); i++)
        usleep(1000);
    assert_true(fa__order_done(b));
    fa__unref(a);
    fa__unref(b);
}

/* ---- marks of several threads ---- */
static cl_event late; /* a mark, which still runs until it is waited for */

/* What another thread may do between a copy and its commit: it records a mark for the work before. */
static cl_int read_and_mark(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, void *to, cl_uint n,
                            const cl_event *list, cl_event *e)
{
    fa__gpu_queue *queue = (fa__gpu_queue *)opencl_device(0)->queue;
    cl_int status = opencl_real.clEnqueueReadBuffer(q, m, block, at, size, to, n, list, e);
    pthread_mutex_lock(&queue->lock);
    fa__gpu_mark *mark = fa__gpu_mark_behind(queue, queue->base.issued);
    late = mark ? mark->event : NULL;
    pthread_mutex_unlock(&queue->lock);
    return status;
}

static cl_int runs_until_waited_for(cl_event e, cl_uint what, size_t size, void *out, size_t *had)
{
    cl_int status = opencl_real.clGetEventInfo(e, what, size, out, had);
    if (e == late && what == CL_EVENT_COMMAND_EXECUTION_STATUS)
        *(cl_int *)out = 1;
    return status;
}

static cl_int wait_for_late(cl_uint n, const cl_event *list)
{
    cl_int status = opencl_real.clWaitForEvents(n, list);
    if (*list == late)
        late = NULL;
    return status;
}

static void a_copy_may_be_over_before_a_mark_in_front_of_it(void **state)
{
    (void)state;
    fa__gpu_kernel add = build_kernel(0, "add");
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(0), SIZE), *c = filled(0, SIZE);
    assert_true(copy(&op_to, b, a) && fa_synchronize(FA_OPENCL(0)));
    wrote(b, launch_add(b->device->queue, &add, b->data, 1, 1));
    fa__opencl.clEnqueueReadBuffer = read_and_mark;
    fa__opencl.clGetEventInfo = runs_until_waited_for;
    fa__opencl.clWaitForEvents = wait_for_late;
    assert_true(copy(&op_back, c, b));
    assert_non_null(late);
    assert_true(fa_synchronize(FA_OPENCL(0)));
    assert_null(late);
    fa__opencl = opencl_real;
    assert_int_equal(first_of(c), 0x03030303 + 1);
    drop_kernel(0, &add);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

/* ---- what is counted ---- */
static _Atomic int64_t profiled, profiled_events;

static cl_int profile(cl_event e, cl_uint what, size_t size, void *out, size_t *had)
{
    cl_int status = opencl_real.clGetEventProfilingInfo(e, what, size, out, had);
    int64_t time = (int64_t) * (cl_ulong *)out;
    profiled += what == CL_PROFILING_COMMAND_END ? time : -time;
    profiled_events += what == CL_PROFILING_COMMAND_END;
    return status;
}

static _Atomic int64_t transferred; /* bytes that the driver was told to move between places */

static cl_int count_write(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, const void *from,
                          cl_uint n, const cl_event *list, cl_event *e)
{
    transferred += (int64_t)size;
    return opencl_real.clEnqueueWriteBuffer(q, m, block, at, size, from, n, list, e);
}

static cl_int count_read(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, void *to, cl_uint n,
                         const cl_event *list, cl_event *e)
{
    transferred += (int64_t)size;
    return opencl_real.clEnqueueReadBuffer(q, m, block, at, size, to, n, list, e);
}

static void the_ledger_has_the_times_of_the_events(void **state)
{
    (void)state;
    enum { BIG = 3 * FA__GPU_CHUNK };
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa_transfers_reset();
        profiled = profiled_events = transferred = 0;
        fa__opencl.clGetEventProfilingInfo = profile;
        fa__opencl.clEnqueueWriteBuffer = count_write;
        fa__opencl.clEnqueueReadBuffer = count_read;
        fa__storage *a = filled(3, BIG), *b = new_storage(FA_OPENCL(0), BIG), *c = new_storage(FA_OPENCL(1), BIG),
                    *d = new_storage(FA_OPENCL(1), BIG);
        assert_true(copy(&op_to, b, a));
        assert_true(copy(&op_to, c, b));
        assert_true(copy(&op_copy, d, c)); /* within a device: not counted */
        assert_true(holds(d, 3));
        fa_synchronize(FA_OPENCL(0));
        fa_transfers t = fa_transfers_total();
        assert_int_equal(t.to_device, 1);
        assert_int_equal(t.to_host, 1);
        assert_int_equal(t.between, 1);
        assert_int_equal(t.bytes_to_device, BIG);
        assert_int_equal(t.bytes_to_host, BIG);
        assert_int_equal(t.bytes_between, BIG);
        assert_true(t.waits >= 1);
        assert_true(profiled > 0);
        assert_int_equal(t.copy_ns, profiled);
        assert_int_equal(profiled_events, pinned ? 3 + 6 + 3 : 3); /* chunks; between devices each is two */
        assert_int_equal(transferred, pinned ? 4 * BIG : 2 * BIG);
        fa__opencl = opencl_real;
        fa__unref(a);
        fa__unref(b);
        fa__unref(c);
        fa__unref(d);
    }
}

/* What was issued before the ledger began anew is not in it, whenever its time is known. */
static void late_times_of_what_is_forgotten_are_not_counted(void **state)
{
    (void)state;
    fa__gpu_kernel slow = build_kernel(0, "slow");
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE), *c = filled(0, SIZE);
        assert_true(copy(&op_to, b, a));
        wrote(b, launch_slow(b->device->queue, &slow, b->data, 3000000));
        assert_true(copy(&op_back, c, b));
        assert_false(fa__order_done(c));
        fa_transfers_reset();
        assert_true(copy(&op_to, b, a));
        fa_synchronize(FA_OPENCL(0));
        fa_transfers t = fa_transfers_total();
        assert_true(t.to_device == 1 && t.copy_ns > 0);
        fa__ledger_row row[FA__LEDGER_ROWS];
        for (size_t i = fa__ledger_rows(row, FA__LEDGER_ROWS); i-- > 0;)
            assert_true(row[i].wait || row[i].count > 0);
        fa__unref(a);
        fa__unref(b);
        fa__unref(c);
    }
    drop_kernel(0, &slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_arrive_whole_and_nowhere_else),
        TEST(copies_are_ordered_behind_slow_work),
        TEST(copies_at_random_give_the_values_of_the_model),
        TEST(nobody_has_to_wait_for_work_to_be_done),
        TEST(a_copy_may_be_over_before_a_mark_in_front_of_it),
        TEST(the_ledger_has_the_times_of_the_events),
        TEST(late_times_of_what_is_forgotten_are_not_counted),
    };
    return opencl_there() ? cmocka_run_group_tests_name("opencl_copies", tests, NULL, NULL) : TEST_SKIPPED;
}
