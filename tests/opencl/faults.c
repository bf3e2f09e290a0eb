/* Faults that cross: work of other queues, and copies, behind a launch of which nobody knows yet whether it found
 * something wrong. The host does not wait to know it, and nothing is changed when it did. */
#include "core/stream.h"
#include "core/tensor.h"
#include "support/opencl.h"
#include <unistd.h>

enum { STILL = -1 /* queues stand until somebody waits */ };

static fa__gpu_queue *queue_of(int device)
{
    return (fa__gpu_queue *)opencl_device(device)->queue;
}

static void settle(void)
{
    test_devices_delay(0);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

static bool nothing_is_taken(int device)
{
    const fa__gpu_queue *q = queue_of(device);
    for (int i = 0; i < FA__GPU_CHECKS; i++)
        if (atomic_load(&q->taken[i]))
            return false;
    return true;
}

static int begin(void **state)
{
    test_devices_delay_one(-1);
    test_devices_delay(0);
    return opencl_begin(state);
}

/* No copy of a fault word is kept for anybody. */
static int end(void **state)
{
    (void)state;
    settle();
    fa__order_reap(true);
    use_pinned(false);
    if (fa_failed())
        print_message("left behind: %s\n", fa_error_message());
    return !fa_failed() && nothing_is_taken(0) && nothing_is_taken(1) ? 0 : -1;
}

/* ---- ways behind a launch ---- */
static fa_stream *stream;   /* of device 0 */
static fa_tensor *selected; /* 2s, (2, 4), of device 0 */
static fa_tensor *target;   /* 1s before: what is written behind it */

static void add_on_a_stream(void)
{
    FA_USE(.stream = stream);
    fa_add_(target, selected);
}

static void add_on_the_other_device(void)
{
    fa_add_(target, fa_to(selected, DEVICE(1)));
}

static void add_by_way_of_a_stream(void)
{
    fa_tensor *there;
    {
        FA_USE(.stream = stream);
        there = fa_mul(selected, 1);
    }
    fa_add_(target, fa_to(there, DEVICE(1)));
}

static void copy_over(void)
{
    fa_copy_(target, selected);
}

static void copy_over_on_a_stream(void)
{
    FA_USE(.stream = stream);
    fa_copy_(target, selected);
}

static void copy_over_of_the_host(void)
{
    fa_copy_(target, fa_full(FA_SHAPE(2, 4), 2.0));
}

/* One element, which lies where no word begins. */
static void copy_a_byte_over(void)
{
    fa_copy_(fa_get(target, "1,3"), fa_full(FA_SHAPE(), 2, .dtype = FA_U8));
}

typedef struct way {
    void (*go)(void);
    int device; /* of the target, whose fault it is at last; 2: the host */
    bool stream;
    fa_dtype dtype;
    double sum; /* of the target when all is well; it is 8 before */
} way;

static const way ways[] = {
    {add_on_a_stream, 0, true, FA_F32, 24},
    {add_on_the_other_device, 1, false, FA_F32, 24},
    {add_by_way_of_a_stream, 1, false, FA_F32, 24},
    {copy_over, 0, false, FA_F32, 16},
    {copy_over, 1, false, FA_F32, 16},
    {copy_over, 2, false, FA_F32, 16},
    {copy_over_on_a_stream, 1, true, FA_F32, 16},
    {copy_over_on_a_stream, 2, true, FA_F32, 16},
    {copy_over_of_the_host, 0, false, FA_F32, 16},
    {copy_a_byte_over, 0, false, FA_U8, 9},
};
enum { WAYS = sizeof ways / sizeof *ways };

static fa_tensor *target_of(const way *w)
{
    return fa_to(fa_ones(FA_SHAPE(2, 4), .dtype = w->dtype), w->device == 2 ? FA_CPU : DEVICE(w->device), .copy = true);
}

static double sum_of(const fa_tensor *t)
{
    return fa_item(fa_sum(fa_to(t, FA_F32)));
}

/* Selects rows by an index of device 0, and goes that way. */
static void select_and_go(const way *w, const fa_tensor *x, const fa_tensor *index)
{
    selected = fa_index_select(x, 0, index);
    w->go();
}

/* All that is needed is there: kernels are compiled, memory is pinned. */
static void try_all(const way *w, const fa_tensor *x, const fa_tensor *index)
{
    target = target_of(w);
    test_devices_delay(STILL);
    select_and_go(w, x, index);
    settle();
    assert_true(fa_stream_synchronize(stream));
    fa__order_reap(true);
    target = target_of(w);
    settle();
}

static fa_tensor *good_index(void)
{
    return fa_to(fa_to(fa_tensor_of(0., 1.), FA_I64), DEVICE(0));
}

static fa_tensor *bad_index(void)
{
    return fa_to(fa_to(fa_tensor_of(0., 9., 1.), FA_I64), DEVICE(0));
}

static void the_host_does_not_wait(const way *w)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *index = good_index();
    try_all(w, x, index);
    test_devices_delay(STILL);
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        select_and_go(w, x, index);
    }
    fa_transfers total = fa_transfers_total();
    assert_false(fa_failed());
    assert_false(fa__order_done(selected->storage));
    if (total.waits || total.implicit)
        print_error("way %d\n", (int)(w - ways));
    assert_int_equal(total.waits, 0);
    assert_int_equal(total.implicit, 0);
    settle();
    assert_true(sum_of(target) == w->sum);
}

static bool raised(void)
{
    static const char text[] =
        "fa_index_select(x=(5, 4) f32 opencl:0, dim=0, index=(3,) i64 opencl:0): index 9 is out of "
        "range for dimension 0 of size 5 (element 1 of the indices)";
    bool is = fa_error_code() == FA_ERROR_INDEX && strstr(fa_error_message(), text);
    if (!is)
        print_error("raised: %s\n", fa_error_message());
    fa_error_clear();
    return is;
}

/* The host waits for what was written last. */
static void wait_for(const way *w)
{
    if (w->stream)
        fa_stream_synchronize(stream);
    else if (w->device < 2)
        fa_synchronize(DEVICE(w->device));
    else
        sum_of(target);
}

/* Behind a launch that found nothing, as an earlier one had found something. `known`: that is over, and who comes
 * behind it has the error at once. */
static void a_fault_crosses(const way *w, bool known)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index(), *bad = bad_index();
    try_all(w, x, good);
    test_devices_delay(known ? 0 : STILL);
    fa_index_select(x, 0, bad);
    selected = fa_index_select(x, 0, good);
    if (known)
        fa__gpu_wait_quietly(queue_of(0), queue_of(0)->base.issued);
    w->go();
    assert_true(known || !fa_failed());
    test_devices_delay(0);
    if (!fa_failed())
        wait_for(w);
    assert_true(raised());
    fa_synchronize(DEVICE(0));
    fa_error_clear(); /* another one of the same queue's, if any */
    settle();
    assert_true(sum_of(target) == 8);
    assert_null(fa_add(selected, 1));
    assert_true(raised());
    select_and_go(w, x, good);
    assert_true(sum_of(target) == w->sum);
}

static void each_way(bool pinned)
{
    use_pinned(pinned);
    for (int i = 0; i < WAYS; i++) {
        the_host_does_not_wait(&ways[i]);
        a_fault_crosses(&ways[i], false);
        a_fault_crosses(&ways[i], true);
    }
}

static void behind_a_launch_that_may_fault_the_host_does_not_wait(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++)
        each_way(pinned);
}

/* Which costs a piece of work of its own, until there is another launch that may fault. */
static void a_fault_is_looked_for_once(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index();
    const fa__queue *q = stream->queue;
    try_all(&ways[0], x, good);
    test_devices_delay(STILL);
    for (int turn = 0; turn < 2; turn++) {
        fa_tensor *y = fa_index_select(x, 0, good);
        uint64_t before = q->issued;
        FA_USE(.stream = stream);
        fa_mul(y, 2);
        assert_int_equal(q->issued - before, 2);
        fa_mul(y, 3);
        assert_int_equal(q->issued - before, 3);
    }
}

/* ---- what the host learns meanwhile ---- */
static void await(int device)
{
    fa__gpu_queue *q = queue_of(device);
    const fa__sync_point all = {&q->base, q->base.issued};
    for (int i = 0; i < 600000 && !fa__sync_point_done(&all); i++)
        usleep(i < 100 ? 10 : 100);
    assert_true(fa__sync_point_done(&all));
}

/* The first device's queue has work to do for a while; nobody opens gates. */
static void keep_busy(const fa__gpu_kernel *slow, const fa__storage *memory)
{
    assert_true(launch_slow(&queue_of(0)->base, slow, memory->data, 50000000) != 0);
}

/* The first device has its fault forgiven, and works on, before the other one has come to look at it. */
static void who_looks_late_sees_what_was_there(void **state)
{
    (void)state;
    FA_SCOPE;
    const way *w = &ways[1];
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index(), *bad = bad_index();
    fa__gpu_kernel slow = build_kernel(0, "slow");
    fa__storage *memory = new_storage(DEVICE(0), SIZE);
    try_all(w, x, good);
    test_devices_delay_one(1);
    test_devices_delay(STILL);
    keep_busy(&slow, memory);
    fa_index_select(x, 0, bad);
    selected = fa_index_select(x, 0, good);
    w->go();
    assert_false(fa__order_done(selected->storage));
    await(0);
    fa_synchronize(DEVICE(0));
    assert_true(raised());
    for (int i = 0; i < 2 * FA__GPU_CHECKS; i++) {
        FA_SCOPE;
        fa_index_select(x, 0, good);
        await(0);
    }
    assert_true(fa_synchronize(DEVICE(0)));
    assert_false(fa__order_done(target->storage));
    test_devices_delay(0);
    assert_true(fa_synchronize(DEVICE(1))); /* it was reported */
    assert_true(sum_of(target) == 8);
    fa__unref(memory);
    drop_kernel(0, &slow);
}

/* A queue is given back while another one has not looked yet at what it found. */
static void a_queue_may_go_before_others_have_looked(void **state)
{
    (void)state;
    fa__device *d = opencl_device(0);
    fa__gpu_kernel slow = build_kernel(0, "slow"), check = build_kernel(0, "check"), add = build_kernel(0, "add");
    check.faults = true;
    fa__storage *a = filled(9, SIZE), *b = new_storage(DEVICE(0), SIZE), *memory = new_storage(DEVICE(0), SIZE);
    assert_true(copy(&op_to, b, a) && holds(b, 9));
    fa__queue *other = d->backend->queue_new(d);
    test_devices_delay_one(0);
    test_devices_delay(STILL);
    launch_slow(other, &slow, memory->data, 50000000);
    uint64_t wrong = launch_check(other, &check, b->data, 8);
    assert_true(d->backend->after(d->queue, (fa__sync_point){other, wrong}));
    wrote(b, launch_add(d->queue, &add, b->data, 1, 1));
    while (!fa__sync_point_done(&(fa__sync_point){other, wrong}))
        usleep(1000);
    d->backend->queue_free(other);
    assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
    assert_non_null(
        strstr(fa_error_message(), "opencl:0: kernel check: index 151587081 is out of range for dimension"));
    fa_error_clear();
    assert_true(fa_synchronize(DEVICE(0))); /* it was reported */
    assert_true(holds(b, 9));
    fa__unref(a);
    fa__unref(b);
    fa__unref(memory);
    drop_kernel(0, &slow);
    drop_kernel(0, &check);
    drop_kernel(0, &add);
}

/* ---- places ---- */
/* Takes all free places but some, and gives them back. */
static bool mine[FA__GPU_CHECKS];

static void take_places(int left)
{
    fa__gpu_queue *q = queue_of(0);
    for (int i = 0; i < FA__GPU_CHECKS; i++) {
        mine[i] = !atomic_load(&q->taken[i]) && left-- <= 0;
        if (mine[i])
            atomic_store(&q->taken[i], true);
    }
}

static void give_places(void)
{
    for (int i = 0; i < FA__GPU_CHECKS; i++)
        if (mine[i])
            atomic_store(&queue_of(0)->taken[i], false);
}

static int pending_of(fa__gpu_queue *q)
{
    int count = 0;
    fa__gpu_advance(q);
    for (uint64_t i = q->work_first; i < q->work_next; i++)
        count += q->work[i % FA__GPU_OPEN].check != NULL;
    return count;
}

static int taken_of(const fa__gpu_queue *q)
{
    int count = 0;
    for (int i = 0; i < FA__GPU_CHECKS; i++)
        count += atomic_load(&q->taken[i]);
    return count;
}

/* From device to device without end, so that there is always one that has not looked yet: what the others saw is let go
 * of all the same. */
static void looks_that_are_over_take_no_places(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index();
    fa_tensor *t = fa_index_select(x, 0, good);
    fa_to(fa_to(t, DEVICE(1)), DEVICE(0));
    test_devices_delay(3000);
    t = fa_index_select(x, 0, good);
    for (int i = 0; i < 400; i++)
        t = fa_to(fa_to(t, DEVICE(1)), DEVICE(0));
    int pending = pending_of(queue_of(0)) + pending_of(queue_of(1));
    int taken = taken_of(queue_of(0)) + taken_of(queue_of(1));
    if (taken > 2 * pending + 2)
        fail_msg("%d places are taken for %d looks", taken, pending);
    test_devices_delay(0);
    assert_true(fa_item(fa_sum(t)) == 16);
}

/* A device of another kind, for which the host waits, has the error at once. */
static void another_kind_of_device_has_the_error_at_once(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *bad = bad_index();
    fa_device late = FA_LATE(0);
    fa_tensor *sum = fa_zeros(FA_SHAPE(3, 4), .device = late);
    fa_add_(sum, fa_to(fa_index_select(x, 0, bad), late));
    assert_true(raised());
    assert_true(fa_synchronize(late) && fa_synchronize(DEVICE(0)));
    assert_true(fa_item(fa_sum(sum)) == 0);
}

/* Those that other queues look at may be many: then the host waits for them, and that is counted. */
static void when_no_place_is_left_the_host_waits(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index();
    fa_index_select(x, 0, good);
    settle();
    take_places(2);
    test_devices_delay(STILL);
    fa_transfers_reset();
    for (int i = 0; i < 2; i++)
        fa_index_select(x, 0, good);
    assert_int_equal(fa_transfers_total().implicit, 0);
    fa_tensor *y = fa_index_select(x, 0, good);
    assert_int_equal(fa_transfers_total().implicit, 1);
    test_devices_delay(0);
    assert_true(sum_of(y) == 16);
    give_places();
    take_places(0);
    assert_null(fa_index_select(x, 0, good));
    give_places();
    assert_int_equal(fa_error_code(), FA_ERROR_INTERNAL);
    assert_non_null(strstr(fa_error_message(), "opencl:0: no place for a fault"));
    fa_error_clear();
}

/* ---- memory of the host that the host writes at the end ---- */
static fa_tensor *full(double value, fa_device where)
{
    return fa_to(fa_full(FA_SHAPE(1000), value), where);
}

/* A driver that tells late that work is done: until then, it is put away by who waits. */
static cl_int still_running(cl_event e, cl_uint what, size_t size, void *out, size_t *had)
{
    cl_int status = opencl_real.clGetEventInfo(e, what, size, out, had);
    if (what == CL_EVENT_COMMAND_EXECUTION_STATUS)
        *(cl_int *)out = 1;
    return status;
}

/* What comes behind such a copy on the same queue would be done before: to it the driver's order is not enough. */
static void later_copies_come_behind_one_that_is_put_aside(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index();
    fa_tensor *a = full(3, DEVICE(0)), *b = full(4, DEVICE(0)), *host = full(0, FA_CPU);
    fa_index_select(x, 0, good);
    settle();
    for (int turn = 0; turn < 2; turn++) {
        fa__opencl.clGetEventInfo = still_running;
        fa_index_select(x, 0, good);
        fa_copy_(host, a);
        if (turn)
            assert_true(fa__move_bytes(&op_back, host->storage, 0, b->storage, 0, 4000, false)); /* might be direct */
        fa__opencl.clGetEventInfo = opencl_real.clGetEventInfo;
        fa_tensor *again = turn ? NULL : fa_to(host, DEVICE(0));
        settle();
        assert_true(fa_item(fa_sum(host)) == (turn ? 4000 : 3000));
        assert_true(turn || fa_item(fa_sum(again)) == 3000);
    }
}

/* A copy that was issued well stays, whatever is met afterwards. */
static void a_copy_stays_when_a_fault_is_met_behind_it(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index(), *bad = bad_index();
    fa_tensor *host = full(0, FA_CPU), *a = full(3, DEVICE(0)), *wrong,
              *kept = fa_ones(FA_SHAPE(), .device = DEVICE(0));
    fa_index_select(x, 0, good);
    settle();
    {
        FA_USE(.stream = stream);
        wrong = fa_index_select(x, 0, bad);
    }
    fa__gpu_queue *q = (fa__gpu_queue *)stream->queue;
    fa__gpu_wait_quietly(q, q->base.issued);
    test_devices_delay(STILL);
    fa_index_select(x, 0, good);
    fa_copy_(host, a);
    assert_null(fa_add_(kept, fa_get(wrong, "0,0")));
    assert_true(raised());
    assert_true(fa_item(fa_sum(host)) == 3000 && !fa_failed());
    test_devices_delay(0);
    assert_true(fa_synchronize(DEVICE(0)) && fa_stream_synchronize(stream));
    assert_true(fa_item(kept) == 1);
}

/* More than one piece of pinned memory has room for. */
static void large_copies_go_in_pieces(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_shape shape = FA_SHAPE(3 * FA__GPU_CHUNK / 8 + 7);
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index();
    fa_tensor *from = fa_arange(0, (double)shape.dim[0], .dtype = FA_I32), *host = fa_zeros(shape, .dtype = FA_I32);
    fa_tensor *there = fa_zeros(shape, .dtype = FA_I32, .device = DEVICE(0));
    settle();
    test_devices_delay(STILL);
    fa_index_select(x, 0, good);
    fa_copy_(there, from);
    fa_copy_(host, there);
    test_devices_delay(0);
    assert_true(same_tensors(host, from));
}

/* Of two copies, the one in front of the fault is made. */
static void what_came_before_a_fault_is_copied(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index(), *bad = bad_index();
    fa_tensor *host = full(0, FA_CPU), *a = full(3, DEVICE(0)), *b = full(4, DEVICE(0));
    fa_index_select(x, 0, good);
    settle();
    test_devices_delay(STILL);
    fa_index_select(x, 0, good);
    fa_copy_(host, a);
    fa_index_select(x, 0, bad);
    fa_copy_(host, b);
    test_devices_delay(0);
    fa_synchronize(DEVICE(0));
    assert_true(raised());
    assert_true(fa_item(fa_sum(host)) == 3000);
}

#define OF(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(behind_a_launch_that_may_fault_the_host_does_not_wait),
        OF(a_fault_is_looked_for_once),
        OF(who_looks_late_sees_what_was_there),
        OF(a_queue_may_go_before_others_have_looked),
        OF(when_no_place_is_left_the_host_waits),
        OF(looks_that_are_over_take_no_places),
        OF(another_kind_of_device_has_the_error_at_once),
        OF(later_copies_come_behind_one_that_is_put_aside),
        OF(a_copy_stays_when_a_fault_is_met_behind_it),
        OF(large_copies_go_in_pieces),
        OF(what_came_before_a_fault_is_copied),
    };
    setenv("FACULA_TEST_DEVICES", "opencl:0 opencl:1", 1);
    if (!opencl_there() || !test_devices_there())
        return TEST_SKIPPED;
    stream = fa_stream_new(DEVICE(0));
    return cmocka_run_group_tests_name("opencl_faults", tests, NULL, NULL);
}
