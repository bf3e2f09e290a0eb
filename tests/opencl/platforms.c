/* Devices of two platforms, whose drivers know nothing of each other: they share no context, and no events. The second
 * device is given a platform of its own. */
#include "support/opencl.h"
#include <facula/facula.h>

enum { COUNT = 1000, SUM = COUNT * (COUNT - 1) / 2 };

static fa__opencl_platform own_platform;

static void part(void)
{
    fa__device *d = opencl_device(1);
    fa__opencl_device *o = fa__opencl_own(d);
    fa__cache_trim(&d->cache);
    d->backend->close(d);
    own_platform = *o->platform;
    own_platform.context = NULL;
    own_platform.open = 0;
    own_platform.devices = 1;
    own_platform.device[0] = o->id;
    o->platform = &own_platform;
    assert_true(d->backend->open(d));
}

typedef struct way {
    int from;
    bool of_target, aside; /* the stream in force: of the target's device, or of the source's; none without `aside` */
    bool pinned;
} way;

static const way ways[] = {
    {0, false, false, false}, {0, false, true, false}, {0, true, true, false}, {1, false, false, false},
    {1, false, true, false},  {1, true, true, false},  {0, false, true, true}, {1, true, true, true},
};

static fa_tensor *copied(const way *w, const fa_tensor *x, fa_tensor *over)
{
    fa_stream *s = w->aside ? fa_stream_new(DEVICE(w->of_target ? !w->from : w->from)) : NULL;
    FA_USE(.stream = s);
    fa_tensor *y = over ? fa_copy_(over, x) : fa_to(x, DEVICE(!w->from));
    return y ? fa_add(y, 1) : NULL;
}

static void copies_come_over(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        FA_SCOPE;
        const way *w = &ways[i];
        use_pinned(w->pinned);
        fa_tensor *x = fa_arange(0, COUNT, .dtype = FA_F32, .device = DEVICE(w->from));
        fa_tensor *over = fa_zeros(FA_SHAPE(COUNT), .device = DEVICE(!w->from));
        fa_transfers_reset();
        for (int turn = 0; turn < 2; turn++) {
            fa_tensor *y = copied(w, x, turn ? over : NULL);
            if (!y || fa_item(fa_sum(y)) != SUM + COUNT)
                fail_msg("way %zu, turn %d: %s", i, turn, fa_error_message());
        }
        assert_int_equal(fa_transfers_total().between, 2);
        assert_int_equal(fa_transfers_total().bytes_between, 2 * COUNT * 4);
        assert_true(fa_transfers_total().copy_ns > 0);
    }
}

static void large_copies_come_over_in_pieces(void **state)
{
    (void)state;
    FA_SCOPE;
    const way w = {.from = 0, .aside = true};
    fa_tensor *x = fa_arange(0, 2 * FA__GPU_CHUNK / 4 + 7, .dtype = FA_I32), *there = fa_to(x, DEVICE(0));
    assert_true(same_tensors(copied(&w, there, NULL), fa_add(x, 1)));
}

/* Nothing is changed behind a fault, and what comes later is. */
static void a_fault_keeps_copies_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        FA_SCOPE;
        const way *w = &ways[i];
        use_pinned(w->pinned);
        fa_device from = DEVICE(w->from);
        fa_tensor *rows = fa_full(FA_SHAPE(5, 4), 2.0, .device = from), *over = fa_ones(FA_SHAPE(2, 4));
        over = fa_to(over, DEVICE(!w->from));
        for (int bad = 1; bad >= 0; bad--) {
            fa_tensor *index = fa_to(fa_to(fa_tensor_of(0., bad ? 9. : 1.), FA_I64), from);
            copied(w, fa_index_select(rows, 0, index), over);
            double sum = fa_item(fa_sum(over));
            if (bad)
                assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
            for (int d = 0; d < 2; d++)
                fa_synchronize(DEVICE(d));
            fa_error_clear();
            if (bad)
                sum = fa_item(fa_sum(over));
            if (sum != (bad ? 8 : 16))
                fail_msg("way %zu, bad %d: %g", i, bad, sum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_come_over),
        TEST(large_copies_come_over_in_pieces),
        TEST(a_fault_keeps_copies_back),
    };
    setenv("FACULA_TEST_DEVICES", "opencl:0 opencl:1", 1);
    if (!opencl_there() || !test_devices_there())
        return TEST_SKIPPED;
    part();
    return cmocka_run_group_tests_name("opencl_platforms", tests, NULL, NULL);
}
