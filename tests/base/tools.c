/* The floor's small tools: text, hash, clock, log, libraries, the stop flag. */
#include "base/base_test.h"
#include "base/clock.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_text(void **state)
{
    (void)state;
    char buffer[8];
    fa__text t = fa__text_in(buffer, sizeof buffer);
    assert_true(fa__text_add(&t, "%d,", 12));
    assert_true(fa__text_add(&t, "%s", "abcd"));
    assert_string_equal(buffer, "12,abcd");
    assert_int_equal(t.left, 1);
    assert_true(fa__text_add(&t, "%s", ""));
    assert_false(fa__text_add(&t, "e"));
    assert_string_equal(buffer, "12,abcd");
    buffer[3] = 0;
    t = fa__text_after(buffer, sizeof buffer);
    assert_false(fa__text_add(&t, "12345"));
    assert_string_equal(buffer, "12,1234");
    assert_false(fa__text_add(&t, "%s", "")); /* stays cut */
    char one[1];
    t = fa__text_in(one, 1);
    assert_false(fa__text_add(&t, "x"));
    assert_int_equal(one[0], 0);
}

static void test_text_clauses(void **state)
{
    (void)state;
    char clauses[16] = "";
    fa__text_add_clause(clauses, sizeof clauses, "GPU %d", 1);
    fa__text_add_clause(clauses, sizeof clauses, "no");
    assert_string_equal(clauses, "GPU 1; no");
    fa__text_add_clause(clauses, sizeof clauses, "and more");
    assert_string_equal(clauses, "GPU 1; no; and ");
}

static void test_text_whole_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text, *cut; /* into 6 bytes: 5 and the 0 */
    } rows[] = {
        {"abcd\xc3\xa9", "abcd"},
        {"abc\xc3\xa9", "abc\xc3\xa9"},
        {"abc\xc3\xa9z", "abc\xc3\xa9"},
        {"abc\xe2\x82\xac", "abc"},
        {"ab\xe2\x82\xaczz", "ab\xe2\x82\xac"},
        {"ab\xf0\x9f\x98\x80", "ab"},
        {"a\xf0\x9f\x98\x80z", "a\xf0\x9f\x98\x80"},
        {"\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80"},
        {"abcde\xc3\xa9", "abcde"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buffer[6];
        fa__text t = fa__text_in(buffer, sizeof buffer);
        fa__text_add(&t, "%s", rows[i].text);
        assert_string_equal(buffer, rows[i].cut);
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_hash(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static uint64_t hash[COUNT];
    int64_t ones = 0;
    for (int i = 0; i < COUNT; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "row %d", i);
        hash[i] = fa__hash_text(text);
        assert_true(hash[i] == fa__hash_bytes(text, (size_t)length));
        ones += __builtin_popcountll(hash[i]);
    }
    qsort(hash, COUNT, sizeof *hash, compare);
    for (int i = 1; i < COUNT; i++)
        assert_true(hash[i] != hash[i - 1]);
    assert_true(llabs(ones - 32 * COUNT) < COUNT / 4);
    assert_true(fa__hash_add(fa__hash_add(0, 1), 2) != fa__hash_add(fa__hash_add(0, 2), 1));
    assert_true(fa__hash_bytes("\0", 1) != fa__hash_bytes("\0\0", 2));
    assert_true(fa__hash_add(0, 0) != 0);
}

static void test_clock(void **state)
{
    (void)state;
    int64_t begin = fa__clock_ns();
    usleep(2000);
    assert_true(fa__clock_ns() - begin >= 2000000);
}

typedef struct heard {
    int count;
    fa_log_level level;
    char text[6000];
} heard;

static void hear(void *context, fa_log_level level, const char *message)
{
    heard *h = (heard *)context;
    h->count++;
    h->level = level;
    strcpy(h->text, message);
    if (level == FA_LOG_DEBUG)
        fa__log(FA_LOG_INFO, "from inside");
}

static void test_log(void **state)
{
    (void)state;
    heard h = {0};
    fa_set_log(hear, &h);
    fa__log(FA_LOG_WARNING, "x is %d", 3);
    assert_int_equal(h.level, FA_LOG_WARNING);
    assert_string_equal(h.text, "x is 3");
    fa__log(FA_LOG_DEBUG, "goes round");
    assert_int_equal(h.count, 3);
    fa__log(FA_LOG_ERROR, "%*d", 5000, 1);
    assert_int_equal(strlen(h.text), 5000);
    fa__warn("%*d", 1200, 1);
    assert_int_equal(strlen(h.text), 1200);
    fa_set_log(NULL, NULL);
}

static void test_log_kept(void **state)
{
    (void)state;
    fa_log_level level = FA_LOG_DEBUG;
    char text[8];
    int logged = 0;
    fa_set_log(fa_log_keep, &logged);
    assert_int_equal(logged, 0);
    fa__log(FA_LOG_WARNING, "long: 345678");
    assert_int_equal(logged, 1);
    for (int i = 0; i < 40; i++)
        fa__log(FA_LOG_INFO, "%d", i);
    fa_set_log(NULL, NULL);
    fa_log_keep(NULL, FA_LOG_INFO, NULL);
    assert_false(fa_log_take(NULL, text, sizeof text) || fa_log_take(&level, NULL, 1));
    assert_true(fa_log_take(&level, text, sizeof text));
    assert_int_equal(level, FA_LOG_WARNING);
    assert_string_equal(text, "long: 3");
    for (int i = 0; i < 31; i++) {
        assert_true(fa_log_take(&level, text, sizeof text));
        assert_int_equal(atoi(text), i);
    }
    assert_int_equal(level, FA_LOG_INFO);
    assert_false(fa_log_take(&level, text, sizeof text));
}

/* What a child says on standard error, with FACULA_LOG set to `topics`. */
static void said(const char *topics, char *text, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 2);
        setenv("FACULA_LOG", topics, 1);
        fa__log(FA_LOG_INFO, "I");
        fa__log(FA_LOG_WARNING, "W");
        for (const char *topic[] = {"memory", "placement", "place"}, **t = topic; t < topic + 3; t++)
            fprintf(stderr, "%d", fa__log_wants(*t));
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
}

static void test_log_topics(void **state)
{
    (void)state;
    static const struct {
        const char *topics, *text;
    } rows[] = {
        {"", "facula: warning: W\n000"},
        {"placement", "facula: info: I\nfacula: warning: W\n010"},
        {"memory,place", "facula: info: I\nfacula: warning: W\n101"},
        {"all", "facula: info: I\nfacula: warning: W\n111"},
        {",,memory", "facula: info: I\nfacula: warning: W\n100"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        said(rows[i].topics, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_library(void **state)
{
    (void)state;
    double (*cosine)(double) = NULL;
    void (*missing)(void) = NULL;
    fa__symbol symbols[] = {{"cos", &cosine, false}, {"no_such_function", &missing, true}};
    const char *const names[] = {"libno-such.so.9", "libm.so.6", NULL};
    fa__library library;
    assert_true(fa__library_open(&library, names, symbols, 2));
    assert_string_equal(library.name, "libm.so.6");
    assert_string_equal(library.reason, "");
    assert_true(cosine(0) == 1);
    assert_null((void *)(uintptr_t)missing);
    fa__library_close(&library);
    fa__library_close(&library);
    symbols[1].optional = false;
    assert_false(fa__library_open(&library, names, symbols, 2));
    assert_non_null(strstr(library.reason, "libno-such.so.9"));
    assert_non_null(strstr(library.reason, "; libm.so.6 has no no_such_function"));
    assert_null((void *)(uintptr_t)cosine);
    assert_null(library.handle);
    fa__library_close(&library);
    assert_false(fa_failed());
}

static void on_signal(int number)
{
    (void)number;
    fa_stop();
}

static void test_stop(void **state)
{
    (void)state;
    assert_false(fa_stopped());
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    assert_true(fa_stopped());
    fa_stop_clear();
    assert_false(fa_stopped());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_clauses),
        cmocka_unit_test(test_text_whole_characters),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_topics),
        cmocka_unit_test(test_log_kept),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
