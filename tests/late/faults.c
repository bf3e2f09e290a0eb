/* Errors inside kernels, on devices of any kind that run late. A value that was computed behind an error is an error to
 * read, to copy and to use: for every thread, every time, also after fa_error_clear(). What existed before is
 * unchanged, and what is computed after the error was reported is fine. */
#include "support/api_test.h"
#include <facula/device.h>
#include <math.h>
#include <pthread.h>

enum { STILL = -1 /* nothing is done before somebody waits */ };

static fa_tensor *rows, *sum, *there; /* (5, 4) of 2s; (2, 4) of 1s, of each of the devices */
static fa_stream *side;               /* of the first one */

static fa_tensor *index_of(double last)
{
    return fa_to(fa_to(fa_tensor_of(0., last), FA_I64), DEVICE(0));
}

static fa_tensor *select_rows(double last)
{
    return fa_index_select(rows, 0, index_of(last));
}

static void make_operands(void)
{
    rows = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0));
    sum = fa_ones(FA_SHAPE(2, 4), .device = DEVICE(0));
    there = fa_ones(FA_SHAPE(2, 4), .device = DEVICE(1));
    side = fa_stream_new(DEVICE(0));
    fa_add_(sum, fa_mul(select_rows(1), 0)); /* and all that is needed is compiled */
    fa_add_(there, fa_mul(fa_to(select_rows(1), DEVICE(1)), 0));
    assert_true(fa_item(fa_sum(sum)) == 8 && fa_item(fa_sum(there)) == 8);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

#define RAISED(index)                                                                                                  \
    assert_error(FA_ERROR_INDEX, "fa_index_select(x=(5, 4) f32 late:0", "index " #index " is out of range")

static int end(void **state)
{
    (void)state;
    test_devices_delay(0);
    fa_error_clear();
    fa_synchronize(DEVICE(0));
    fa_error_clear();
    fa_synchronize(DEVICE(1));
    fa_error_clear();
    return fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)) ? 0 : -1;
}

/* ---- ways to use a value; each is an error where it was computed behind one ---- */
static bool read_it(fa_tensor *t)
{
    return !isnan(fa_item(fa_get(t, "0,0"))) && !fa_failed();
}

static bool copy_it_to_the_host(fa_tensor *t)
{
    fa_tensor *host = fa_cpu(t);
    return host && read_it(host);
}

static bool copy_it_to_the_other_device(fa_tensor *t)
{
    fa_tensor *copy = fa_to(t, DEVICE(1));
    return copy && read_it(copy);
}

static bool compute_with_it(fa_tensor *t)
{
    fa_tensor *y = fa_add(t, 1);
    return y && read_it(y);
}

static bool compute_with_it_aside(fa_tensor *t)
{
    FA_USE(.stream = side);
    fa_tensor *y = fa_add(t, 1);
    return y && read_it(y);
}

static bool write_into_it(fa_tensor *t)
{
    return fa_add_(t, 1) && read_it(t);
}

static bool add_it_to_another(fa_tensor *t)
{
    return fa_add_(sum, t) && read_it(sum);
}

static bool print_it(fa_tensor *t)
{
    float data[8];
    return fa_read(t, data, FA_F32, 8);
}

static bool (*const ways[])(fa_tensor *) = {
    read_it,
    copy_it_to_the_host,
    copy_it_to_the_other_device,
    compute_with_it,
    compute_with_it_aside,
    write_into_it,
    add_it_to_another,
    print_it,
};
enum { WAYS = sizeof ways / sizeof *ways };

/* In no way, and the error is always the first one. */
static void fails_in_all_ways(fa_tensor *t)
{
    for (int i = 0; i < WAYS; i++) {
        if (ways[i](t))
            fail_msg("way %d is no error", i);
        RAISED(9);
        assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)) && fa_stream_synchronize(side));
    }
    assert_true(fa_item(fa_sum(sum)) == 8 && fa_item(fa_sum(there)) == 8);
}

/* ---- tests ---- */
static void a_value_behind_an_error_is_an_error_each_time(void **state)
{
    (void)state;
    for (int still = 0; still < 2; still++) {
        FA_SCOPE;
        make_operands();
        test_devices_delay(still ? STILL : 0);
        fa_tensor *wrong = select_rows(9), *later = fa_mul(rows, 3);
        fa_tensor *last = fa_mul(later, 2); /* which a fast device refuses */
        fa_synchronize(DEVICE(0));
        RAISED(9);
        test_devices_delay(0);
        for (int turn = 0; turn < 2; turn++) {
            fails_in_all_ways(wrong);
            assert_false(read_it(later) || compute_with_it(later));
            RAISED(9);
            assert_false(read_it(last ? last : later));
            RAISED(9);
            assert_true(read_it(select_rows(1))); /* what is computed now is fine */
        }
    }
}

static void the_first_to_read_is_who_reports_it(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        FA_SCOPE;
        make_operands();
        test_devices_delay(STILL);
        fa_tensor *wrong = select_rows(9);
        if (ways[i](wrong))
            fail_msg("way %d is no error", i);
        test_devices_delay(0);
        if (!fa_failed()) /* a way that only issues */
            fa_synchronize(DEVICE(0));
        RAISED(9);
        assert_true(fa_item(fa_sum(sum)) == 8);
        fails_in_all_ways(wrong);
    }
}

/* Bit for bit, though work behind the error was to write over it, here, there and on the host. */
static void what_existed_before_is_unchanged(void **state)
{
    (void)state;
    for (int still = 0; still < 2; still++) {
        FA_SCOPE;
        make_operands();
        fa_tensor *x = fa_randn(FA_SHAPE(2, 4)), *here = fa_to(x, DEVICE(0)), *other = fa_to(x, DEVICE(1));
        fa_tensor *host = fa_clone(x), *byte = fa_to(fa_ones(FA_SHAPE(9), .dtype = FA_U8), DEVICE(0));
        assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
        test_devices_delay(still ? STILL : 0);
        fa_tensor *wrong = select_rows(9);
        fa_add_(here, 1);
        fa_copy_(here, wrong);
        fa_copy_(other, wrong);
        fa_copy_(host, wrong);
        fa_copy_(fa_get(byte, "3"), fa_full(FA_SHAPE(), 7, .dtype = FA_U8));
        const fa_binding p = FA_BIND("p", FA_TENSORS(here));
        fa_update("p = p * 0", 1, &p);
        fa_error_clear(); /* where the devices are fast, some of it was refused */
        fa_synchronize(DEVICE(0));
        fa_error_clear();
        fa_synchronize(DEVICE(1));
        fa_error_clear();
        test_devices_delay(0);
        assert_true(same_tensors(here, fa_to(x, DEVICE(0))) && same_tensors(other, fa_to(x, DEVICE(1)))
                    && same_tensors(host, x));
        assert_true(fa_item(fa_sum(fa_to(byte, FA_I32))) == 9);
        fa_copy_(here, fa_to(fa_zeros(FA_SHAPE(2, 4)), DEVICE(0)));
        assert_true(fa_item(fa_sum(here)) == 0);
        assert_no_error();
    }
}

/* Also when the host had the error before the work came to it. */
static void what_was_issued_before_the_report_changes_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    test_devices_delay(STILL);
    fa_tensor *wrong = select_rows(9), *back = fa_cpu(wrong);
    fa_add_(sum, 1);
    fa_add_(there, fa_to(wrong, DEVICE(1)));
    fa_error_clear();
    fa_item(fa_get(back, "0, 0"));
    RAISED(9);
    fa_add_(sum, 2);
    fa_add_(there, 2);
    test_devices_delay(0);
    assert_true(fa_item(fa_sum(sum)) == 24 && fa_item(fa_sum(there)) == 24);
    assert_no_error();
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(fa_item(fa_get(back, "0, 0")))); /* memory of the host by now */
        RAISED(9);
        assert_null(fa_add(back, 1));
        RAISED(9);
    }
}

static void an_error_comes_along_to_streams_and_devices(void **state)
{
    (void)state;
    for (int still = 0; still < 2; still++) {
        FA_SCOPE;
        make_operands();
        test_devices_delay(still ? STILL : 0);
        fa_tensor *wrong = select_rows(9), *aside, *over, *back = NULL;
        {
            FA_USE(.stream = side);
            aside = fa_mul(wrong, 2);
        }
        over = aside ? fa_mul(fa_to(aside, DEVICE(1)), 2) : NULL;
        back = over ? fa_to(over, DEVICE(0)) : NULL;
        fa_add_(there, 1); /* behind it, if it was issued at all */
        double before = over ? 8 : 16;
        fa_error_clear();
        fa_synchronize(DEVICE(1));
        fa_error_clear();
        fa_synchronize(DEVICE(0));
        fa_error_clear();
        test_devices_delay(0);
        fa_tensor *const spoilt[] = {wrong, aside, over, back};
        for (int i = 0; i < 4; i++)
            for (int turn = 0; spoilt[i] && turn < 2; turn++) {
                assert_false(read_it(spoilt[i]));
                RAISED(9);
            }
        assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)) && fa_stream_synchronize(side));
        assert_true(before == 8 || before == 16);
        double after = fa_item(fa_sum(there));
        assert_true(after == 8 || after == 16);
        fa_add_(there, 1);
        assert_true(fa_item(fa_sum(there)) == after + 8);
    }
}

/* Streams and devices that have nothing to do with it go on. */
static void others_do_not_notice(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    test_devices_delay(STILL);
    fa_tensor *own = fa_full(FA_SHAPE(3), 2.0, .device = DEVICE(1)), *aside;
    select_rows(9);
    {
        FA_USE(.stream = side);
        aside = fa_full(FA_SHAPE(3), 5.0, .device = DEVICE(0));
    }
    assert_true(fa_stream_synchronize(side));
    assert_true(DEVICE(1).kind == DEVICE(0).kind || fa_item(fa_sum(own)) == 6);
    fa_synchronize(DEVICE(0));
    RAISED(9);
    assert_true(fa_item(fa_sum(aside)) == 15 && fa_item(fa_sum(own)) == 6);
}

static void each_error_is_reported_by_a_wait_once(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    select_rows(9);
    {
        FA_USE(.stream = side);
        select_rows(7);
    }
    fa_add_(sum, 1);
    fa_synchronize(DEVICE(0));
    RAISED(9);
    fa_synchronize(DEVICE(0));
    RAISED(7);
    assert_true(fa_synchronize(DEVICE(0)));
    assert_true(fa_item(fa_sum(sum)) == 8);
    fa_tensor *wrong = select_rows(8);
    fa_stream_synchronize(side);
    fa_synchronize(DEVICE(0));
    RAISED(8);
    fa_add_(sum, 1);
    assert_false(read_it(wrong));
    RAISED(8);
    assert_true(fa_item(fa_sum(sum)) == 16);
}

/* Of errors that follow each other in a queue before one is reported, the first one. */
static void the_first_error_stands_for_its_consequences(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    test_devices_delay(STILL);
    fa_tensor *first = select_rows(9), *second = select_rows(7);
    fa_synchronize(DEVICE(0));
    RAISED(9);
    assert_true(fa_synchronize(DEVICE(0)));
    assert_false(read_it(second));
    RAISED(9);
    assert_false(read_it(first));
    RAISED(9);
}

static void an_error_that_stands_is_not_replaced(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_tensor *wrong = select_rows(9);
    fa_fail(FA_ERROR_USER, "something else");
    fa_synchronize(DEVICE(0));
    read_it(wrong);
    assert_error(FA_ERROR_USER, "something else");
    fa_synchronize(DEVICE(0));
    RAISED(9);
    assert_true(fa_synchronize(DEVICE(0)));
}

static fa_tensor *scatter_it(fa_tensor *index)
{
    return fa_scatter_add(rows, 0, fa_reshape(index, FA_SHAPE(2, 1)), fa_ones(FA_SHAPE(2, 1), .device = DEVICE(0)));
}

static fa_tensor *gather_it(fa_tensor *index)
{
    return fa_gather(rows, 0, fa_reshape(index, FA_SHAPE(2, 1)));
}

static fa_tensor *embed_it(fa_tensor *index)
{
    return fa_embedding(index, rows);
}

static fa_tensor *index_put_it(fa_tensor *index)
{
    return fa_index_add(rows, 0, index, fa_ones(FA_SHAPE(2, 4), .device = DEVICE(0)));
}

/* Operations of several steps, of which the first one finds the error. */
static void results_of_several_steps_are_errors_each_time(void **state)
{
    (void)state;
    static fa_tensor *(*const operations[])(fa_tensor *) = {scatter_it, gather_it, embed_it, index_put_it};
    FA_SCOPE;
    make_operands();
    fa_tensor *index = index_of(9);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        fa_tensor *y = operations[i](index);
        fa_synchronize(DEVICE(0));
        for (int turn = 0; turn < 3; turn++) {
            if (fa_error_code() != FA_ERROR_INDEX)
                fail_msg("operation %zu, turn %d: %s", i, turn, fa_error_message());
            fa_error_clear();
            assert_non_null(y);
            assert_false(read_it(y));
        }
        fa_error_clear();
    }
}

/* Many errors, each of which is remembered as long as values of it are there. */
static void many_errors_are_kept_apart(void **state)
{
    (void)state;
    enum { MANY = 40 };
    FA_SCOPE;
    make_operands();
    fa_tensor *wrong[MANY], *good[MANY];
    for (int i = 0; i < MANY; i++) {
        wrong[i] = select_rows(100 + i);
        fa_synchronize(DEVICE(0));
        assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
        fa_error_clear();
        good[i] = select_rows(1);
    }
    for (int i = 0; i < MANY; i++) {
        char says[40];
        snprintf(says, sizeof says, "index %d is out of range", 100 + i);
        assert_false(read_it(wrong[i]));
        assert_non_null(strstr(fa_error_message(), says));
        fa_error_clear();
        assert_true(read_it(good[i]));
    }
}

/* ---- threads ---- */
typedef struct reader {
    fa_tensor *wrong, *fine;
    int errors, others;
    char other[400]; /* the last of the others */
} reader;

static void *read_often(void *context)
{
    reader *r = context;
    FA_SCOPE;
    for (int i = 0; i < 20; i++) {
        bool good = ways[i % WAYS == 5 || i % WAYS == 6 ? 0 : i % WAYS](r->wrong);
        r->errors +=
            !good && fa_error_code() == FA_ERROR_INDEX && strstr(fa_error_message(), "index 9 is out of range") != NULL;
        fa_error_clear();
        double two = fa_item(fa_get(r->fine, "0,0"));
        if (two != 2 || fa_failed())
            snprintf(r->other, sizeof r->other, "turn %d: %g: %s", i, two, fa_error_message());
        r->others += two != 2 || fa_failed();
        fa_error_clear();
    }
    return NULL;
}

/* Those that had nothing to do with it, too, whether they come before it is reported or afterwards. */
static void every_thread_has_the_error(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    for (int reported = 0; reported < 2; reported++) {
        FA_SCOPE;
        make_operands();
        pthread_t thread[THREADS];
        reader r[THREADS];
        fa_tensor *wrong = select_rows(9), *fine = rows;
        if (reported) {
            fa_synchronize(DEVICE(0));
            RAISED(9);
            fine = select_rows(1);
        }
        for (int i = 0; i < THREADS; i++) {
            r[i] = (reader){.wrong = wrong, .fine = fine};
            assert_int_equal(pthread_create(&thread[i], NULL, read_often, &r[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(r[i].errors, 20);
            if (r[i].others > (reported ? 0 : THREADS))
                fail_msg("reported: %d; %d others; %s", reported, r[i].others, r[i].other);
        }
    }
}

static _Atomic bool over;

static void *fail_on(void *context)
{
    (void)context;
    while (!over) {
        FA_SCOPE;
        select_rows(9);
        fa_synchronize(DEVICE(0));
        fa_error_clear();
    }
    return NULL;
}

/* While another thread's errors come and go on the same queue, a value is either right or an error, never wrong. */
static void no_value_is_wrong_while_errors_come_and_go(void **state)
{
    (void)state;
    FA_SCOPE;
    pthread_t thread;
    int right = 0, errors = 0;
    make_operands();
    fa_tensor *one = fa_ones(FA_SHAPE(4), .device = DEVICE(0));
    assert_true(fa_item(fa_sum(one)) == 4);
    over = false;
    assert_int_equal(pthread_create(&thread, NULL, fail_on, NULL), 0);
    for (int i = 0; i < 400; i++) {
        FA_SCOPE;
        fa_tensor *y = fa_add(fa_index_select(rows, 0, index_of(1)), 1);
        for (int k = 0; k < 5 && y; k++)
            y = fa_add(y, 1);
        double value = y ? fa_item(fa_sum(y)) : NAN;
        bool failed = fa_failed();
        fa_error_clear();
        if (!failed && value != 64)
            fail_msg("turn %d: %g", i, value);
        right += !failed;
        errors += failed;
    }
    over = true;
    pthread_join(thread, NULL);
    fa_synchronize(DEVICE(0));
    fa_error_clear();
    assert_int_equal(right + errors, 400);
    double four = fa_item(fa_sum(one));
    if (four != 4)
        fail_msg("%g: %s", four, fa_error_message());
}

/* What fa_empty made has no values: its first ones are those that are written into it. */
static void the_first_values_of_empty_ones_may_be_behind_it(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    float read[8];
    fa_tensor *out = fa_empty(FA_SHAPE(2, 4), .device = DEVICE(0)), *late = fa_empty_like(out);
    fa_index_select(rows, 0, index_of(1), .out = late);
    assert_true(fa_synchronize(DEVICE(0)));
    fa_index_select(rows, 0, index_of(5), .out = out);
    fa_index_select(rows, 0, index_of(6), .out = late);
    assert_true(fa_failed() || !fa_synchronize(DEVICE(0)));
    fa_error_clear();
    assert_true(fa_tensor_is_faulty(out));
    assert_false(fa_read(out, read, FA_F32, 8));
    RAISED(5);
    assert_true(fa_read(late, read, FA_F32, 8) && read[7] == 2); /* these were there before */
}

static void the_first_values_may_come_from_another_device(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    float read[8];
    fa_tensor *out = fa_empty(FA_SHAPE(2, 4), .device = DEVICE(1));
    if (!fa_copy_(out, select_rows(5))) { /* devices of different kinds: the copy waits and fails */
        RAISED(5);
        return;
    }
    assert_true(fa_failed() || !fa_synchronize(DEVICE(1)));
    fa_error_clear();
    assert_false(fa_read(out, read, FA_F32, 8));
    RAISED(5);
    assert_true(fa_tensor_is_faulty(out));
}

static void it_names_the_line_of_the_call_that_failed(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    char line[64];
    snprintf(line, sizeof line, "faults.c:%d: fa_index_select(", __LINE__ + 1);
    fa_tensor *bad = fa_index_select(rows, 0, index_of(5));
    fa_synchronize(DEVICE(0));
    assert_error(FA_ERROR_INDEX, line);
    assert_null(fa_sum(bad));
    assert_error(FA_ERROR_INDEX, line);
}

#define OF(f) cmocka_unit_test_setup_teardown(f, api_begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(a_value_behind_an_error_is_an_error_each_time),
        OF(the_first_to_read_is_who_reports_it),
        OF(what_existed_before_is_unchanged),
        OF(what_was_issued_before_the_report_changes_nothing),
        OF(an_error_comes_along_to_streams_and_devices),
        OF(others_do_not_notice),
        OF(each_error_is_reported_by_a_wait_once),
        OF(the_first_error_stands_for_its_consequences),
        OF(an_error_that_stands_is_not_replaced),
        OF(results_of_several_steps_are_errors_each_time),
        OF(many_errors_are_kept_apart),
        OF(every_thread_has_the_error),
        OF(the_first_values_of_empty_ones_may_be_behind_it),
        OF(the_first_values_may_come_from_another_device),
        OF(it_names_the_line_of_the_call_that_failed),
        OF(no_value_is_wrong_while_errors_come_and_go),
    };
    return RUN("faults");
}
