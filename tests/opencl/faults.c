/* Faults that cross: work of other queues, and copies, behind a launch of which nobody knows yet whether it found
 * something wrong. The host does not wait to know it, and nothing is changed when it did. */
#include "core/stream.h"
#include "core/tensor.h"
#include "support/opencl.h"
#include <unistd.h>

enum { STILL = -1 /* queues stand until somebody waits */ };

static fa__opencl_queue *queue_of(int device)
{
    return (fa__opencl_queue *)opencl_device(device)->queue;
}

static void settle(void)
{
    test_devices_delay(0);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

static bool nothing_is_taken(int device)
{
    const fa__opencl_queue *q = queue_of(device);
    for (int i = 0; i < FA__OPENCL_LOOKS; i++)
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

static bool told(void)
{
    static const char text[] =
        "fa_index_select(x=(5, 4) f32 opencl:0, dim=0, index=(3,) i64 opencl:0): index 9 is out of "
        "range for dimension 0 of size 5 (element 1 of the indices)";
    bool is = fa_error_code() == FA_ERROR_INDEX && strstr(fa_error_message(), text);
    if (!is)
        print_error("told: %s\n", fa_error_message());
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

/* Behind a launch that found nothing, as an earlier one had found something. `known`: that is over. */
static void a_fault_crosses(const way *w, bool known)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index(), *bad = bad_index();
    try_all(w, x, good);
    test_devices_delay(known ? 0 : STILL);
    fa_index_select(x, 0, bad);
    selected = fa_index_select(x, 0, good);
    if (known)
        fa__opencl_wait_quietly(queue_of(0), queue_of(0)->base.issued);
    w->go();
    assert_false(fa_failed());
    test_devices_delay(0);
    wait_for(w);
    assert_true(told());
    if (w->stream || w->device == 1) {
        assert_true(fa_synchronize(DEVICE(0))); /* this thread knows */
    }
    assert_true(fa_stream_synchronize(stream)); /* what went by way of it */
    settle();
    assert_true(sum_of(target) == 8);
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

static void *twice(void *operand)
{
    const fa_tensor *x = operand;
    FA_SCOPE;
    FA_USE(.stream = stream);
    fa_mul(x, 2);
    fa_mul(x, 2);
    return NULL;
}

/* Which costs a piece of work of its own for each thread, until there is another launch that may fault. */
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
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, twice, y), 0);
        pthread_join(thread, NULL);
        assert_int_equal(q->issued - before, 6);
        fa_mul(y, 3); /* this thread has not forgotten */
        assert_int_equal(q->issued - before, 7);
    }
}

/* ---- what the host is told meanwhile ---- */
static void await(int device)
{
    fa__opencl_queue *q = queue_of(device);
    for (int i = 0; i < 10000 && fa__opencl_done(q) < q->base.issued; i++)
        usleep(1000);
    assert_true(fa__opencl_done(q) == q->base.issued);
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
    assert_true(told());
    for (int i = 0; i < 2 * FA__OPENCL_LOOKS; i++) {
        FA_SCOPE;
        fa_index_select(x, 0, good);
        await(0);
    }
    assert_true(fa_synchronize(DEVICE(0)));
    assert_false(fa__order_done(target->storage));
    test_devices_delay(0);
    assert_true(fa_synchronize(DEVICE(1))); /* this thread knows */
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
    while (atomic_load(&other->done) < wrong)
        usleep(1000);
    d->backend->queue_free(other);
    assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
    assert_non_null(
        strstr(fa_error_message(), "opencl:0: kernel check: index 151587081 is out of range for dimension"));
    fa_error_clear();
    assert_true(fa_synchronize(DEVICE(0))); /* this thread knows */
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
static bool mine[FA__OPENCL_LOOKS];

static void take_places(int left)
{
    fa__opencl_queue *q = queue_of(0);
    for (int i = 0; i < FA__OPENCL_LOOKS; i++) {
        mine[i] = !atomic_load(&q->taken[i]) && left-- <= 0;
        if (mine[i])
            atomic_store(&q->taken[i], true);
    }
}

static void give_places(void)
{
    for (int i = 0; i < FA__OPENCL_LOOKS; i++)
        if (mine[i])
            atomic_store(&queue_of(0)->taken[i], false);
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

/* A driver that calls back late: until then, what is done is put away by who waits. */
static struct {
    void (*call)(cl_event, cl_int, void *);
    void *context;
} held[64];
static int calls;

static cl_int hold_callback(cl_event e, cl_int when, void (*call)(cl_event, cl_int, void *), void *context)
{
    (void)e, (void)when;
    assert_true(calls < (int)(sizeof held / sizeof *held));
    held[calls].call = call;
    held[calls++].context = context;
    return CL_SUCCESS;
}

static void call_back(void)
{
    fa__opencl.clSetEventCallback = opencl_real.clSetEventCallback;
    for (int i = 0; i < calls; i++)
        held[i].call(NULL, CL_COMPLETE, held[i].context);
    calls = 0;
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
        fa__opencl.clSetEventCallback = hold_callback;
        fa_index_select(x, 0, good);
        fa_copy_(host, a);
        if (turn)
            assert_true(fa__move_bytes(&op_back, host->storage, 0, b->storage, 0, 4000, false)); /* might be direct */
        fa_tensor *again = turn ? NULL : fa_to(host, DEVICE(0));
        settle();
        call_back();
        assert_true(fa_item(fa_sum(host)) == (turn ? 4000 : 3000));
        assert_true(turn || fa_item(fa_sum(again)) == 3000);
    }
}

/* A copy that was issued well stays, whatever the queue takes over afterwards. */
static void a_copy_stays_when_a_fault_is_taken_over_behind_it(void **state)
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
    fa__opencl_queue *q = (fa__opencl_queue *)stream->queue;
    fa__opencl_wait_quietly(q, q->base.issued);
    test_devices_delay(STILL);
    fa_index_select(x, 0, good);
    fa_copy_(host, a);
    fa_add_(kept, fa_get(wrong, "0,0"));
    assert_true(fa_item(fa_sum(host)) == 3000 && !fa_failed());
    test_devices_delay(0);
    fa_synchronize(DEVICE(0));
    assert_true(told());
    fa_stream_synchronize(stream);
    fa_error_clear();
    assert_true(fa_item(kept) == 1);
}

/* A copy that has not arrived when its fault is told of stays away, whatever the queue takes over meanwhile. */
static void a_copy_behind_an_older_fault_stays_away(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index(), *bad = bad_index();
    fa_tensor *host = full(0, FA_CPU), *a = full(3, DEVICE(0)), *wrong,
              *kept = fa_ones(FA_SHAPE(), .device = DEVICE(0));
    fa_index_select(x, 0, good);
    fa_add_(kept, fa_get(x, "0,0"));
    settle();
    {
        FA_USE(.stream = stream);
        wrong = fa_index_select(x, 0, bad);
    }
    fa__opencl_wait_quietly((fa__opencl_queue *)stream->queue, stream->queue->issued);
    test_devices_delay_one(0);
    test_devices_delay(200000);
    fa_tensor *first = fa_to(fa_index_select(x, 0, bad), FA_CPU);
    usleep(50000); /* what is issued by now is over in time */
    test_devices_delay(900000);
    fa_copy_(host, a);
    fa_item(fa_sum(first));
    assert_true(told());
    fa_add_(kept, fa_get(wrong, "0,0"));
    assert_true(fa_item(fa_sum(host)) == 0);
    fa_error_clear();
    fa_synchronize(DEVICE(0));
    fa_error_clear();
    fa_stream_synchronize(stream);
    fa_error_clear();
    assert_true(fa_item(kept) == 3);
}

/* More than one piece of pinned memory has room for. */
static void large_copies_go_in_pieces(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_shape shape = FA_SHAPE(3 * FA__OPENCL_CHUNK / 8 + 7);
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0)), *good = good_index();
    fa_tensor *from = fa_arange(0, (double)shape.dim[0], .dtype = FA_I32), *host = fa_zeros(shape, .dtype = FA_I32);
    fa_tensor *there = fa_zeros(shape, .dtype = FA_I32, .device = DEVICE(0));
    settle();
    test_devices_delay(STILL);
    fa_index_select(x, 0, good);
    fa_copy_(there, from);
    fa_copy_(host, there);
    test_devices_delay(0);
    assert_true(fa_same(host, from));
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
    assert_true(told());
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
        OF(later_copies_come_behind_one_that_is_put_aside),
        OF(a_copy_stays_when_a_fault_is_taken_over_behind_it),
        OF(a_copy_behind_an_older_fault_stays_away),
        OF(large_copies_go_in_pieces),
        OF(what_came_before_a_fault_is_copied),
    };
    setenv("FACULA_TEST_DEVICES", "opencl:0 opencl:1", 1);
    if (!opencl_there() || !test_devices_there())
        return TEST_SKIPPED;
    stream = fa_stream_new(DEVICE(0));
    return cmocka_run_group_tests_name("opencl_faults", tests, NULL, NULL);
}
