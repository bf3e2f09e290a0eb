/* The ledger: sums, rows, what is written of them, counting from several threads, and a table that is full. */
#include "core/ledger.h"
#include "base/error.h"
#include "support/error_reason.h"
#include "support/text.h"
#include <facula/scope.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const fa__op op_to = {.name = "to"}, op_item = {.name = "item"};
static fa__device cpu = {.name = "cpu", .host = true}, one = {.name = "late:0"}, two = {.name = "late:1"};

static int begin(void **state)
{
    (void)state;
    fa_transfers_reset();
    fa_error_clear();
    return 0;
}

static void count_some(void)
{
    fa__ledger_copy(&op_to, &cpu, &one, 4000000000);
    fa__ledger_copy(&op_to, NULL, &one, 1000000000); /* NULL is the host, too */
    fa__ledger_copy_time(fa__ledger_age(), &op_to, &cpu, &one, 1000000000);
    fa__ledger_copy(&op_item, &one, &cpu, 8);
    fa__ledger_copy(&op_to, &one, &two, 100);
    fa__ledger_copy(&op_to, &cpu, &cpu, 100);
    fa__ledger_wait(&op_item, &one, 2000000);
    fa__ledger_wait(NULL, &two, 500000);
    fa__ledger_implicit(&op_to, &one, 250000);
}

static void sums_add_up(void **state)
{
    (void)state;
    count_some();
    fa_transfers t = fa_transfers_total();
    assert_int_equal(t.to_device, 2);
    assert_int_equal(t.bytes_to_device, 5000000000);
    assert_int_equal(t.to_host, 1);
    assert_int_equal(t.bytes_to_host, 8);
    assert_int_equal(t.between, 1);
    assert_int_equal(t.bytes_between, 100);
    assert_int_equal(t.copy_ns, 1000000000);
    assert_int_equal(t.waits, 2);
    assert_int_equal(t.wait_ns, 2500000);
    assert_int_equal(t.implicit, 1);
    assert_int_equal(t.implicit_ns, 250000);
    fa_transfers_reset();
    t = fa_transfers_total();
    assert_memory_equal(&t, &(fa_transfers){0}, sizeof t);
}

/* Devices tell a copy's time when it is done, which may be after the ledger began anew. */
static void times_of_what_is_forgotten_are_not_counted(void **state)
{
    (void)state;
    uint32_t before = fa__ledger_age();
    fa__ledger_row row[FA__LEDGER_ROWS];
    fa__ledger_copy(&op_to, &cpu, &one, 8);
    fa_transfers_reset();
    fa__ledger_copy_time(before, &op_to, &cpu, &one, 1000);
    assert_int_equal(fa__ledger_rows(row, FA__LEDGER_ROWS), 0);
    fa__ledger_copy_time(fa__ledger_age(), &op_to, &cpu, &one, 30); /* before it is counted: that may be */
    fa__ledger_copy(&op_to, &cpu, &one, 8);
    fa__ledger_copy_time(before, &op_to, &cpu, &one, 1000);
    assert_int_equal(fa_transfers_total().copy_ns, 30);
}

static void the_table_has_a_line_for_each_operation_and_place(void **state)
{
    (void)state;
    count_some();
    char *text = written(fa_transfers_report);
    assert_string_equal(text,
                        "operation            what  place                    count          bytes         ms    GB/s  "
                        "implicit         ms\n"
                        "fa_to                copy  cpu -> late:0                2     5000000000   1000.000    5.00\n"
                        "fa_to                copy  late:0 -> late:1             1            100      0.000    0.00\n"
                        "fa_item              copy  late:0 -> cpu                1              8      0.000    0.00\n"
                        "fa_item              wait  late:0                       1              0      2.000           "
                        "      0      0.000\n"
                        "-                    wait  late:1                       1              0      0.500           "
                        "      0      0.000\n"
                        "fa_to                wait  late:0                       0              0      0.000           "
                        "      1      0.250\n"
                        "in all: 4 copies of 5000000108 bytes, 2 waits of 2.500 ms, 1 implicit waits of 0.250 ms\n");
    free(text);
}

static void json_has_the_same(void **state)
{
    (void)state;
    char *text = written(fa_transfers_json);
    assert_non_null(strstr(text, "{\"copies\": [],\n \"waits\": [],\n \"total\": {\"to_device\": 0, "));
    free(text);
    count_some();
    text = written(fa_transfers_json);
    assert_non_null(
        strstr(text, "{\"copies\": [{\"operation\": \"fa_to\", \"from\": \"cpu\", \"to\": \"late:0\", \"count\": 2, "
                     "\"bytes\": 5000000000, \"ns\": 1000000000, \"implicit\": 0, \"implicit_ns\": 0},\n"));
    assert_non_null(
        strstr(text, "\"waits\": [{\"operation\": \"fa_item\", \"from\": \"late:0\", \"to\": \"late:0\", "));
    assert_non_null(strstr(text, "\"implicit\": 1, \"implicit_ns\": 250000}}\n"));
    free(text);
}

static void a_full_table_still_counts(void **state)
{
    (void)state;
    static fa__op op[1500];
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 1500; i++) {
            op[i].name = "some";
            fa__ledger_copy(&op[i], &cpu, &one, 10);
            fa__ledger_wait(&op[i], &two, 1);
        }
    fa_transfers t = fa_transfers_total();
    assert_int_equal(t.to_device, 3000);
    assert_int_equal(t.bytes_to_device, 30000);
    assert_int_equal(t.waits, 3000);
}

static void *count_in_thread(void *context)
{
    for (int i = 0; i < 10000; i++) {
        fa__ledger_copy(context, &cpu, i % 2 ? &one : &two, 1);
        fa__ledger_wait(context, &one, 1);
    }
    return NULL;
}

static void threads_may_count(void **state)
{
    (void)state;
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, count_in_thread, (void *)(uintptr_t)(i % 2 ? &op_to : &op_item));
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    fa_transfers t = fa_transfers_total();
    assert_int_equal(t.to_device, 40000);
    assert_int_equal(t.bytes_to_device, 40000);
    assert_int_equal(t.waits, 40000);
}

static void forbidding_names_operation_and_places(void **state)
{
    (void)state;
    assert_true(fa__allow_sync(&op_item, &one));
    assert_true(fa__allow_transfer(&op_to, &cpu, &one));
    FA_USE(.forbid = FA_SYNC);
    assert_true(fa__allow_transfer(&op_to, &cpu, &one));
    assert_false(fa__allow_sync(&op_item, &one));
    assert_int_equal(fa_error_code(), FA_ERROR_SYNC);
    assert_string_equal(error_reason(),
                        "fa_item: the host would wait for late:0, which .forbid = FA_SYNC forbids here");
    fa_error_clear();
    FA_USE(.forbid = FA_TRANSFER);
    assert_true(fa__allow_sync(&op_item, &one));
    assert_false(fa__allow_transfer(NULL, &one, NULL));
    assert_string_equal(error_reason(),
                        "the program: a copy from late:0 to cpu, which .forbid = FA_TRANSFER forbids here");
    fa_error_clear();
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_add_up),
        TEST(the_table_has_a_line_for_each_operation_and_place),
        TEST(json_has_the_same),
        TEST(a_full_table_still_counts),
        TEST(threads_may_count),
        TEST(forbidding_names_operation_and_places),
        TEST(times_of_what_is_forgotten_are_not_counted),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
