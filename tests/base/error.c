/* Errors: the first sticks, threads have their own, slots, hand-over, no memory, and the report of what nobody saw. */
#define FACULA_NO_LINES /* messages are compared in full */
#include "base/error.h"
#include "base/alloc.h"
#include "base/base_test.h"
#include "base/small.h"
#include "base/text.h"
#include <facula/host.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REASON = sizeof((fa_error *)NULL)->message - 128 }; /* the rest is for the line of the call */

static int clear(void **state)
{
    (void)state;
    fa_error_clear();
    return 0;
}

static void test_first_sticks(void **state)
{
    (void)state;
    assert_false(fa_failed());
    assert_string_equal(fa_error_message(), "");
    assert_false(fa__fail(FA_ERROR_SHAPE, "shape %d", 1));
    assert_false(fa__fail(FA_ERROR_INDEX, "index %d", 2));
    assert_true(fa__failed());
    assert_false(fa__self->error->seen);
    assert_true(fa_failed());
    assert_true(fa__self->error->seen);
    assert_int_equal(fa_error_code(), FA_ERROR_SHAPE);
    assert_string_equal(fa_error_message(), "shape 1");
    fa_error_clear();
    assert_false(fa_failed());
    assert_string_equal(fa_error_message(), "");
    assert_int_equal(fa_error_code(), FA_OK);
}

/* Whatever the program's locale says. */
static void test_numbers_have_a_point(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof commas / sizeof *commas; i++)
        if (setlocale(LC_ALL, commas[i]))
            break;
    char program[32], text[32];
    snprintf(program, sizeof program, "%.1f", 0.5);
    fa__text t = fa__text_in(text, sizeof text);
    fa__text_add_number(&t, 1.25);
    fa__fail(FA_ERROR_ARGUMENT, "not %g", 0.5);
    assert_string_equal(fa_error_message(), "not 0.5");
    assert_string_equal(text, "1.25");
    char after[32];
    snprintf(after, sizeof after, "%.1f", 0.5);
    assert_string_equal(after, program); /* and it stays the program's */
    setlocale(LC_ALL, "C");
}

static void test_names(void **state)
{
    (void)state;
    for (int code = FA_OK; code <= FA_ERROR_INTERNAL; code++)
        assert_string_not_equal(fa_code_name((fa_code)code), "unknown");
    assert_string_equal(fa_code_name(FA_ERROR_SYNC), "sync");
    assert_string_equal(fa_code_name((fa_code)99), "unknown");
    assert_string_equal(fa_code_name((fa_code)-1), "unknown");
}

static void test_user_code(void **state)
{
    (void)state;
    assert_false(fa_fail(FA_OK, "mine"));
    assert_int_equal(fa_error_code(), FA_ERROR_USER);
    fa_error_clear();
    assert_false(fa_fail((fa_code)1000, "mine"));
    assert_int_equal(fa_error_code(), FA_ERROR_USER);
    fa_error_clear();
    assert_false(fa_fail(FA_ERROR_FILE, "mine"));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
}

static void test_one_line(void **state)
{
    (void)state;
    fa_fail(FA_ERROR_USER, "a %s", "quoted\ntext\r\n");
    assert_string_equal(fa_error_message(), "a quoted text  ");
    fa_error_append(", in \n");
    fa__error_within("fa_get(x, \"%s\")", "0,\n1");
    assert_string_equal(fa_error_message(), "fa_get(x, \"0, 1\"): a quoted text  , in  ");
}

static void test_within(void **state)
{
    (void)state;
    fa__error_within("nothing stands");
    assert_false(fa__failed());
    fa__fail(FA_ERROR_SHAPE, "bad %d", 7);
    fa__error_within("fa_%s(x)", "add");
    fa__error_within("fa_mean(%d)", 2);
    assert_string_equal(fa_error_message(), "fa_mean(2): fa_add(x): bad 7");
    assert_int_equal(fa_error_code(), FA_ERROR_SHAPE);
    for (int i = 0; i < 1000; i++)
        fa__error_within("outer");
    assert_in_range(strlen(fa_error_message()), 1000, REASON - 1);
    assert_memory_equal(fa_error_message(), "outer: ...", 10);
    assert_string_equal(strstr(fa_error_message(), "fa_mean"), "fa_mean(2): fa_add(x): bad 7");
    char large[2000], umlauts[2000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = 0;
    for (size_t i = 0; i + 2 < sizeof umlauts; i += 2)
        memcpy(umlauts + i, "\303\244", 3);
    fa__error_within("%s", large);
    assert_memory_equal(fa_error_message(), "xxxx", 4);
    assert_non_null(strstr(fa_error_message(), "xxx...: "));
    assert_string_equal(strstr(fa_error_message(), "fa_mean"), "fa_mean(2): fa_add(x): bad 7");
    for (int odd = 0; odd < 2; odd++) { /* no part of a character is left where the message was cut */
        fa_error_clear();
        fa__fail(FA_ERROR_SHAPE, "%s%s", odd ? "x" : "", umlauts);
        fa__error_within("outer");
        const char *after = strstr(fa_error_message(), "..");
        assert_non_null(after);
        assert_memory_equal(after + strspn(after, "."), "\303\244", 2);
    }
}

static void test_append_and_cut(void **state)
{
    (void)state;
    fa_error_append(" nowhere");
    assert_false(fa__failed());
    fa__fail(FA_ERROR_SHAPE, "bad");
    fa_error_append(" in %s", "cross_entropy");
    assert_string_equal(fa_error_message(), "bad in cross_entropy");
    for (int i = 0; i < 1000; i++)
        fa_error_append(" and more");
    assert_int_equal(strlen(fa_error_message()), REASON - 1);
    fa_error_clear();
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    fa__fail(FA_ERROR_SHAPE, "%s", longer);
    assert_int_equal(strlen(fa_error_message()), REASON - 1);
}

static void test_slots(void **state)
{
    (void)state;
    fa_error a = {0}, b = {0};
    assert_null(fa__error_use(&a));
    fa__fail(FA_ERROR_SHAPE, "in a");
    assert_ptr_equal(fa__error_use(&b), &a);
    assert_false(fa_failed());
    fa__fail(FA_ERROR_INDEX, "in b");
    assert_ptr_equal(fa__error_use(&a), &b);
    assert_string_equal(fa_error_message(), "in a");
    assert_ptr_equal(fa__error_use(NULL), &a);
    assert_false(fa_failed());
    assert_int_equal(b.code, FA_ERROR_INDEX);
}

static void *fail_elsewhere(void *error)
{
    assert_false(fa_failed());
    fa__fail(FA_ERROR_DEVICE, "elsewhere");
    *(fa_error *)error = *fa__self->error;
    fa_error_clear();
    return NULL;
}

static void test_hand_over(void **state)
{
    (void)state;
    fa_error other;
    pthread_t thread;
    fa__fail(FA_ERROR_SHAPE, "here");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &other), 0);
        pthread_join(thread, NULL);
        assert_int_equal(other.code, FA_ERROR_DEVICE);
        fa__error_hand_over(&other);
        assert_int_equal(other.code, FA_OK);
        assert_string_equal(fa_error_message(), round ? "elsewhere" : "here");
        fa_error_clear();
    }
    fa__error_hand_over(&other);
    assert_false(fa_failed());
}

static void *without_memory(void *argument)
{
    (void)argument;
    fa__inject(1);
    assert_false(fa__fail(FA_ERROR_SHAPE, "no room for this"));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_non_null(strstr(fa_error_message(), "out of memory"));
    fa_error_append(" no room for this either");
    fa_error_clear();
    assert_false(fa_failed());

    fa__inject(1);
    fa_error slot = {0};
    assert_null(fa__error_use(&slot));
    assert_int_equal(slot.code, FA_ERROR_MEMORY);
    assert_null(fa__error_use(NULL));
    fa_error_clear();

    fa__inject(1);
    assert_null(fa__small_alloc(40));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    fa__inject(0);

    fa__fail(FA_ERROR_SHAPE, "room again");
    assert_string_equal(fa_error_message(), "room again");
    return NULL;
}

static void test_without_memory(void **state)
{
    (void)state;
    fa__fail(FA_ERROR_STATE, "takes the state that is always there");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, without_memory, NULL), 0);
    pthread_join(thread, NULL);
}

static void count_message(void *context, fa_log_level level, const char *message)
{
    assert_int_equal(level, FA_LOG_ERROR);
    assert_non_null(strstr(message, "unseen"));
    ++*(int *)context;
}

static void *leave_unseen(void *argument)
{
    fa__fail(FA_ERROR_SHAPE, "unseen");
    if (argument)
        (void)fa_failed();
    return NULL;
}

static void test_thread_end_reports(void **state)
{
    (void)state;
    int count = 0;
    fa_set_log(count_message, &count);
    for (int look = 0; look < 2; look++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, leave_unseen, look ? &count : NULL), 0);
        pthread_join(thread, NULL);
        assert_int_equal(count, 1);
    }
    fa_set_log(NULL, NULL);
}

/* What a child that does `act` and exits says on standard error. */
static void said_at_exit(void (*act)(void), char *said, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        act();
        exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void act_unseen(void)
{
    fa__fail(FA_ERROR_SHAPE, "nobody looks");
}

static void act_seen(void)
{
    fa__fail(FA_ERROR_SHAPE, "somebody looks");
    (void)fa_failed();
}

static void test_exit_reports(void **state)
{
    (void)state;
    char said[4096];
    said_at_exit(act_unseen, said, sizeof said);
    assert_string_equal(said, "facula: error: nobody looks (an error that the program never looked at)\n");
    said_at_exit(act_seen, said, sizeof said);
    assert_string_equal(said, "");
}

static int ended;

static void end_core(void *core)
{
    ended++;
    if (*(int *)core > 0) { /* comes back while it ends */
        --*(int *)core;
        fa__self->core = core;
    }
}

static void *with_core(void *core)
{
    fa__thread *t = fa__thread_here();
    assert_non_null(t);
    t->core = core;
    t->core_end = end_core;
    return NULL;
}

static void test_core_ends(void **state)
{
    (void)state;
    int again = 2;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, with_core, &again), 0);
    pthread_join(thread, NULL);
    assert_int_equal(ended, 3);
}

static void say_first(void)
{
    fputs("first ", stderr);
}

static void say_second(void)
{
    fputs("second ", stderr);
}

static void act_at_exit(void)
{
    assert_true(fa__at_exit(say_second));
    assert_true(fa__at_exit(say_first));
}

static void act_too_many(void)
{
    for (int i = 0; i < 32; i++)
        assert_true(fa__at_exit(say_first));
    assert_false(fa__at_exit(say_first));
    assert_int_equal(fa_error_code(), FA_ERROR_INTERNAL);
    fputs("refused ", stderr);
}

static void test_at_exit(void **state)
{
    (void)state;
    char said[4096];
    said_at_exit(act_at_exit, said, sizeof said);
    assert_string_equal(said, "first second ");
    said_at_exit(act_too_many, said, sizeof said);
    assert_memory_equal(said, "refused first first ", 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_first_sticks, clear),
        cmocka_unit_test_teardown(test_names, clear),
        cmocka_unit_test_teardown(test_user_code, clear),
        cmocka_unit_test_teardown(test_one_line, clear),
        cmocka_unit_test_teardown(test_within, clear),
        cmocka_unit_test_teardown(test_append_and_cut, clear),
        cmocka_unit_test_teardown(test_slots, clear),
        cmocka_unit_test_teardown(test_hand_over, clear),
        cmocka_unit_test_teardown(test_without_memory, clear),
        cmocka_unit_test_teardown(test_thread_end_reports, clear),
        cmocka_unit_test_teardown(test_exit_reports, clear),
        cmocka_unit_test_teardown(test_core_ends, clear),
        cmocka_unit_test_teardown(test_at_exit, clear),
        cmocka_unit_test_teardown(test_numbers_have_a_point, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
