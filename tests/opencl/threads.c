/* Threads that share a queue: each one whose work stands behind a fault is told of it, whoever waits first, and once.
 */
#include "support/opencl.h"
#include <facula/facula.h>
#include <pthread.h>
#include <unistd.h>

enum { STILL = -1 };

static fa_tensor *rows, *good, *bad, *sum; /* of device 0: 2s, (5, 4); indices; 1s */

static int begin(void **state)
{
    test_devices_delay(0);
    return opencl_begin(state);
}

static int end(void **state)
{
    test_devices_delay(0);
    return opencl_end(state);
}

static fa_tensor *indices(double last)
{
    return fa_to(fa_to(fa_tensor_of(0., last), FA_I64), DEVICE(0));
}

static void make_operands(void)
{
    rows = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0));
    good = indices(1);
    bad = indices(9);
    sum = fa_ones(FA_SHAPE(2, 4), .device = DEVICE(0));
    assert_true(fa_item(fa_sum(fa_index_select(rows, 0, good))) == 16);
    fa_synchronize(DEVICE(0));
}

/* ---- another thread, which does one thing after the other when it is told to ---- */
typedef struct helper {
    pthread_t thread;
    pthread_barrier_t step;
    fa_code told[3]; /* what it was told of at each wait */
} helper;

static fa_code told(void)
{
    fa_code code = fa_error_code();
    fa_error_clear();
    return code;
}

/* Selects by the bad index twice; meanwhile the other thread is told of each fault, and the queue is well again. While
 * an error stands, this one cannot be told of the first before it issues the second. */
static void *select_badly_twice(void *context)
{
    helper *h = context;
    FA_SCOPE;
    fa_tensor *wrong[2];
    for (int i = 0; i < 2; i++) {
        if (i)
            fa_fail(FA_ERROR_USER, "stands");
        wrong[i] = fa_index_select(rows, 0, bad);
        if (i)
            fa_error_clear();
        pthread_barrier_wait(&h->step);
        pthread_barrier_wait(&h->step);
    }
    fa_item(fa_sum(wrong[1]));
    h->told[0] = told();
    fa_item(fa_sum(wrong[0]));
    h->told[1] = told();
    return NULL;
}

/* Selects by the bad index, and waits three times: then, once more, and behind more work. */
static void *select_badly(void *context)
{
    helper *h = context;
    FA_SCOPE;
    fa_tensor *wrong = fa_index_select(rows, 0, bad);
    pthread_barrier_wait(&h->step);
    pthread_barrier_wait(&h->step);
    fa_item(fa_sum(wrong));
    h->told[0] = told();
    fa_synchronize(DEVICE(0));
    h->told[1] = told();
    fa_item(fa_sum(fa_index_select(rows, 0, good)));
    h->told[2] = told();
    return NULL;
}

static void start(helper *h)
{
    assert_int_equal(pthread_barrier_init(&h->step, NULL, 2), 0);
    assert_int_equal(pthread_create(&h->thread, NULL, select_badly, h), 0);
    pthread_barrier_wait(&h->step); /* it has selected */
}

static void finish(helper *h)
{
    pthread_join(h->thread, NULL);
    pthread_barrier_destroy(&h->step);
    assert_int_equal(h->told[0], FA_ERROR_INDEX);
    assert_int_equal(h->told[1], FA_OK);
    assert_int_equal(h->told[2], FA_OK);
}

/* Neither a step that changed nothing nor a selection that was not made passes for done. */
static void work_of_two_threads(bool first)
{
    helper h;
    double value = 0;
    FA_SCOPE;
    make_operands();
    test_devices_delay(STILL);
    start(&h);
    fa_add_(sum, 1);
    fa_tensor *selected = fa_index_select(rows, 0, good);
    for (int turn = 0; turn < 2; turn++)
        if ((turn == 0) == first) {
            value = fa_item(fa_sum(selected));
            assert_int_equal(told(), FA_ERROR_INDEX);
        } else {
            pthread_barrier_wait(&h.step);
            finish(&h);
        }
    assert_true(value != value); /* NaN */
    assert_true(fa_item(fa_sum(sum)) == 8);
    fa_add_(sum, 1);
    assert_true(fa_item(fa_sum(sum)) == 16);
    assert_true(fa_item(fa_sum(fa_index_select(rows, 0, good))) == 16);
    assert_int_equal(told(), FA_OK);
}

static void both_are_told_when_the_guilty_one_waits_last(void **state)
{
    (void)state;
    work_of_two_threads(true);
}

static void both_are_told_when_the_guilty_one_waits_first(void **state)
{
    (void)state;
    work_of_two_threads(false);
}

/* What was not computed is taken to the other device when somebody else was told. */
static void who_takes_it_elsewhere_is_told_there(void **state)
{
    (void)state;
    helper h;
    FA_SCOPE;
    make_operands();
    fa_to(fa_sum(rows), DEVICE(1));
    test_devices_delay(STILL);
    start(&h);
    fa_tensor *selected = fa_index_select(rows, 0, good);
    pthread_barrier_wait(&h.step);
    finish(&h); /* it works behind that, too: the queue is well again */
    test_devices_delay(0);
    fa_item(fa_to(fa_sum(selected), DEVICE(1)));
    assert_int_equal(told(), FA_ERROR_INDEX);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

/* So is who comes when the queue has had other faults, which others were told of. */
static void other_faults_hide_nothing(void **state)
{
    (void)state;
    helper h;
    FA_SCOPE;
    make_operands();
    test_devices_delay(STILL);
    start(&h);
    fa_tensor *selected = fa_index_select(rows, 0, good);
    pthread_barrier_wait(&h.step);
    finish(&h);
    for (int i = 0; i < 2 * FA__OPENCL_STAINS; i++) {
        start(&h);
        pthread_barrier_wait(&h.step);
        finish(&h);
    }
    test_devices_delay(0);
    assert_null(fa_to(selected, DEVICE(1)));
    assert_int_equal(told(), FA_ERROR_INDEX);
    fa_item(fa_sum(selected)); /* it knows */
    assert_int_equal(told(), FA_OK);
}

/* A wait that meets two faults tells of one, and the next wait of the other. */
static void two_faults_are_told_one_by_one(void **state)
{
    (void)state;
    FA_SCOPE;
    helper h = {.told = {FA_OK}};
    make_operands();
    assert_int_equal(pthread_barrier_init(&h.step, NULL, 2), 0);
    assert_int_equal(pthread_create(&h.thread, NULL, select_badly_twice, &h), 0);
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&h.step);
        fa_synchronize(DEVICE(0));
        assert_int_equal(told(), FA_ERROR_INDEX);
        assert_true(fa_item(fa_sum(fa_index_select(rows, 0, good))) == 16);
        pthread_barrier_wait(&h.step);
    }
    pthread_join(h.thread, NULL);
    pthread_barrier_destroy(&h.step);
    assert_int_equal(h.told[0], FA_ERROR_INDEX);
    assert_int_equal(h.told[1], FA_ERROR_INDEX);
}

static fa_tensor *acc, *here; /* of device 0 and of the host, (2, 4) */

static fa_tensor *add_to_it(const fa_tensor *wrong)
{
    return fa_add_(acc, wrong);
}

static fa_tensor *copy_it_here(const fa_tensor *wrong)
{
    return fa_copy_(here, wrong);
}

static fa_tensor *multiply_it(const fa_tensor *wrong)
{
    return fa_matmul(wrong, fa_t(wrong));
}

/* Who is still to be told of what another thread was told of is told before it issues more: nothing would keep it from
 * using what the fault spoilt. CLBlast's products are no exception, where it is installed. */
static void who_owes_issues_nothing(void **state)
{
    (void)state;
    static fa_tensor *(*const use[])(const fa_tensor *) = {add_to_it, copy_it_here, multiply_it};
    helper h;
    FA_SCOPE;
    make_operands();
    acc = fa_full(FA_SHAPE(2, 4), 7.0, .device = DEVICE(0));
    here = fa_full(FA_SHAPE(2, 4), 7.0);
    fa__opencl_own(opencl_device(0))->clblast = 1;
    for (int i = 0; i < 3; i++) {
        test_devices_delay(STILL);
        start(&h);
        fa_tensor *wrong = fa_index_select(rows, 0, bad);
        pthread_barrier_wait(&h.step);
        finish(&h);
        test_devices_delay(0);
        assert_null(use[i](fa_narrow(wrong, 0, 0, 2)));
        assert_int_equal(told(), FA_ERROR_INDEX);
        fa_synchronize(DEVICE(0));
        assert_int_equal(told(), FA_OK);
    }
    fa__opencl_product_begin(fa__opencl_own(opencl_device(0)));
    assert_true(fa_item(fa_sum(acc)) == 56 && fa_item(fa_sum(here)) == 56);
}

static _Atomic bool over;

/* Faults one after the other, each of which this thread waits for. From time to time it rests: the other thread would
 * seldom be without one. */
static void *fault_on(void *context)
{
    (void)context;
    for (int i = 1; !over; i++) {
        FA_SCOPE;
        if (i % 16 == 0)
            usleep(2000);
        fa_index_select(rows, 0, bad);
        fa_synchronize(DEVICE(0));
        fa_error_clear();
    }
    return NULL;
}

static void pay_all(void)
{
    do
        fa_synchronize(DEVICE(0));
    while (told() != FA_OK);
}

/* Adds six times. Whether it was told of a fault meanwhile; if not, nothing may be lost. */
static bool add_beside_faults(fa_tensor *total)
{
    enum { TIMES = 6 };
    FA_SCOPE;
    pay_all();
    double before = fa_item(fa_sum(total));
    for (int i = 0; i < TIMES && !fa_failed(); i++)
        fa_add_(total, 1);
    fa_synchronize(DEVICE(0));
    double after = fa_item(fa_sum(total));
    if (told() != FA_OK)
        return true;
    assert_float_equal(after, before + 4 * TIMES, 0);
    return false;
}

/* Work that is issued at the moment when another thread is told is done, or its thread is told. */
static void nothing_is_lost_while_others_are_told(void **state)
{
    (void)state;
    FA_SCOPE;
    pthread_t thread;
    int sound = 0, told_of = 0;
    make_operands();
    fa_tensor *total = fa_zeros(FA_SHAPE(4), .device = DEVICE(0));
    over = false;
    assert_int_equal(pthread_create(&thread, NULL, fault_on, NULL), 0);
    for (int i = 0; i < 20000 && (sound < 100 || told_of < 100); i++)
        *(add_beside_faults(total) ? &told_of : &sound) += 1;
    over = true;
    pthread_join(thread, NULL);
    pay_all();
    assert_true(sound > 0 && told_of > 0);
}

/* What the other thread takes to the other device, and adds there to its sum. */
typedef struct {
    fa_tensor *wrong, *there;
    fa_code told;
} carrier;

static void *take_to_the_other_device(void *context)
{
    carrier *c = context;
    FA_SCOPE;
    fa_add_(c->there, fa_to(c->wrong, DEVICE(1)));
    return NULL;
}

static void *wait_for_the_other_device(void *context)
{
    fa_synchronize(DEVICE(1));
    ((carrier *)context)->told = told();
    return NULL;
}

static void do_in_a_thread(void *(*f)(void *), void *context)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, f, context), 0);
    pthread_join(thread, NULL);
}

/* A thread that was told, and works where another one takes over the same fault after that, is told of what that spoils
 * of its own. */
static void to_know_a_fault_is_not_to_know_what_it_spoils_later(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_stream *side = fa_stream_new(DEVICE(0));
    carrier c = {.there = fa_ones(FA_SHAPE(2, 4), .device = DEVICE(1)), .wrong = fa_index_select(rows, 0, bad)};
    {
        FA_USE(.stream = side);
        fa_mul(c.wrong, 2);
    }
    fa_stream_synchronize(side);
    assert_int_equal(told(), FA_ERROR_INDEX);
    do_in_a_thread(take_to_the_other_device, &c);
    fa_add_(c.there, 1);
    do_in_a_thread(wait_for_the_other_device, &c);
    assert_int_equal(c.told, FA_ERROR_INDEX);
    fa_synchronize(DEVICE(1));
    assert_int_equal(told(), FA_ERROR_INDEX);
    assert_true(fa_item(fa_sum(c.there)) == 8);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

static void *miss_often(void *context)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(1)), *index = fa_to(bad, DEVICE(1));
    int *times = context;
    for (int i = *times; i-- > 0;) {
        fa_item(fa_sum(fa_index_select(x, 0, index)));
        *times -= told() == FA_ERROR_INDEX;
    }
    return NULL;
}

static void *wait_for_the_first_device(void *context)
{
    fa_synchronize(DEVICE(0));
    *(fa_code *)context = told();
    return NULL;
}

/* However many others are told of others meanwhile. */
static void nobody_is_told_twice(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_code other = FA_OK;
    int others = 600;
    make_operands();
    fa_stream *side = fa_stream_new(DEVICE(0));
    fa_tensor *wrong = fa_index_select(rows, 0, bad);
    {
        FA_USE(.stream = side);
        fa_mul(wrong, 2);
    }
    do_in_a_thread(wait_for_the_first_device, &other);
    assert_int_equal(other, FA_ERROR_INDEX);
    fa_stream_synchronize(side);
    assert_int_equal(told(), FA_ERROR_INDEX);
    do_in_a_thread(miss_often, &others);
    assert_int_equal(others, 0);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

/* What a thread knows when it waits is told to the next one all the same. */
static void what_one_knows_is_news_to_others(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_code other = FA_OK;
    make_operands();
    fa_stream *side = fa_stream_new(DEVICE(0));
    fa_tensor *wrong = fa_index_select(rows, 0, bad);
    {
        FA_USE(.stream = side);
        fa_mul(wrong, 2);
    }
    fa_stream_synchronize(side);
    assert_int_equal(told(), FA_ERROR_INDEX);
    assert_true(fa_synchronize(DEVICE(0)));
    do_in_a_thread(wait_for_the_first_device, &other);
    assert_int_equal(other, FA_ERROR_INDEX);
    assert_true(fa_synchronize(DEVICE(0)));
}

static void *miss_and_wait(void *context)
{
    FA_SCOPE;
    fa_item(fa_sum(fa_index_select(rows, 0, bad)));
    *(fa_code *)context = told();
    return NULL;
}

/* Nor is who reads what is sound when another thread was told just before. */
static void who_reads_what_is_sound_is_not_told(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_code other = FA_OK;
    make_operands();
    fa_tensor *one = fa_sum(sum);
    fa_synchronize(DEVICE(0));
    do_in_a_thread(miss_and_wait, &other);
    assert_int_equal(other, FA_ERROR_INDEX);
    assert_true(fa_item(one) == 8);
    assert_int_equal(told(), FA_OK);
    assert_true(fa_synchronize(DEVICE(0)));
}

/* An error that stands hides no fault: that is told when it was cleared. */
static void a_fault_waits_until_an_error_was_cleared(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_stream *side = fa_stream_new(DEVICE(0));
    for (int turn = 0; turn < 2; turn++) {
        fa_index_select(rows, 0, bad);
        if (turn) {
            FA_USE(.stream = side);
            fa_index_select(rows, 0, bad);
        }
        fa_add_(sum, 1);
        fa_fail(FA_ERROR_USER, "something else");
        fa_synchronize(DEVICE(0));
        assert_int_equal(told(), FA_ERROR_USER);
        fa_synchronize(DEVICE(0));
        assert_int_equal(told(), FA_ERROR_INDEX);
        if (turn) { /* which stood when the other queue was waited for */
            fa_synchronize(DEVICE(0));
            assert_int_equal(told(), FA_ERROR_INDEX);
        }
        assert_true(fa_synchronize(DEVICE(0)));
        assert_true(fa_item(fa_sum(sum)) == 8);
    }
}

/* Whoever comes later has nothing to do with it. */
static void who_comes_later_is_not_told(void **state)
{
    (void)state;
    helper h;
    FA_SCOPE;
    make_operands();
    start(&h);
    pthread_barrier_wait(&h.step);
    finish(&h);
    assert_true(fa_item(fa_sum(fa_add(sum, 1))) == 16);
    assert_true(fa_synchronize(DEVICE(0)));
    assert_int_equal(told(), FA_OK);
}

/* More threads than are remembered: one after the other, and nobody is told twice. */
static void many_threads(void **state)
{
    (void)state;
    for (int i = 0; i < FA__OPENCL_DEBTS + 5; i++) {
        helper h;
        FA_SCOPE;
        make_operands();
        start(&h);
        pthread_barrier_wait(&h.step);
        finish(&h);
    }
    assert_true(fa_synchronize(DEVICE(0)));
}

#define OF(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(both_are_told_when_the_guilty_one_waits_last),
        OF(both_are_told_when_the_guilty_one_waits_first),
        OF(who_takes_it_elsewhere_is_told_there),
        OF(other_faults_hide_nothing),
        OF(to_know_a_fault_is_not_to_know_what_it_spoils_later),
        OF(who_comes_later_is_not_told),
        OF(two_faults_are_told_one_by_one),
        OF(who_owes_issues_nothing),
        OF(nothing_is_lost_while_others_are_told),
        OF(many_threads),
        OF(nobody_is_told_twice),
        OF(what_one_knows_is_news_to_others),
        OF(who_reads_what_is_sound_is_not_told),
        OF(a_fault_waits_until_an_error_was_cleared),
    };
    setenv("FACULA_TEST_DEVICES", "opencl:0 opencl:1", 1);
    if (!opencl_there() || !test_devices_there())
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("opencl_threads", tests, NULL, NULL);
}
