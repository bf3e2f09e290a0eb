/* Texts for language models: windows of bytes and of characters, of ASCII and of other UTF-8. */
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/dataset.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void put(const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_window(fa_dataset *d, int64_t index, int64_t block, const int64_t *tokens)
{
    int64_t got[16];
    fa_sample s = fa_dataset_get(d, index);
    assert_no_error();
    assert_true(fa_read(s.input, got, FA_I64, block));
    assert_memory_equal(got, tokens, (size_t)block * sizeof *got);
    assert_true(fa_read(s.target, got, FA_I64, block));
    assert_memory_equal(got, tokens + 1, (size_t)block * sizeof *got);
}

static void bytes(void **state)
{
    (void)state;
    FA_SCOPE;
    put("hello\nyou");
    fa_dataset *d = fa_data_text(path, 3);
    assert_int_equal(fa_dataset_length(d), 2);
    assert_window(d, 0, 3, (int64_t[]){'h', 'e', 'l', 'l'});
    assert_window(d, 1, 3, (int64_t[]){'l', 'o', '\n', 'y'});
    d = fa_data_text(path, 3, .stride = 1);
    assert_int_equal(fa_dataset_length(d), 6);
    assert_window(d, 5, 3, (int64_t[]){'\n', 'y', 'o', 'u'});
    assert_int_equal(fa_dataset_classes(d), 256);
    assert_string_equal(fa_dataset_class_name(d, 'h'), "h");
    assert_string_equal(fa_dataset_class_name(d, '\n'), "\\x0a");
    assert_string_equal(fa_dataset_class_name(d, 255), "\\xff");
    assert_int_equal(fa_dataset_length(fa_data_text(path, 8)), 1);
    assert_null(fa_data_text(path, 9));
    assert_error(FA_ERROR_FILE, "has 9 tokens, and a sample needs 10");
}

static void ascii_characters(void **state)
{
    (void)state;
    FA_SCOPE;
    put("abbey beach");
    fa_dataset *d = fa_data_text(path, 4, .token = FA_TOKEN_CHARACTERS, .stride = 2);
    assert_int_equal(fa_dataset_classes(d), 7); /* space a b c e h y */
    assert_string_equal(fa_dataset_class_name(d, 0), " ");
    assert_window(d, 0, 4, (int64_t[]){1, 2, 2, 4, 6});
    assert_window(d, 3, 4, (int64_t[]){2, 4, 1, 3, 5});
}

/* Windows anywhere in a text of characters of one to four bytes, against the characters written. */
static void other_characters(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const alphabet[] = {"a", "\u00e9", "\u20ac", "\U0001F600", "\uffff"};
    enum { COUNT = 1000, BLOCK = 7 };
    static int64_t written[COUNT];
    FILE *f = fopen(path, "wb");
    for (int64_t i = 0, x = 7; i < COUNT; i++) {
        x = x * 48271 % 2147483647;
        written[i] = (int64_t[]){0, 1, 2, 4, 3}[x % 5]; /* U+FFFF is before U+1F600 */
        fputs(alphabet[x % 5], f);
    }
    fclose(f);
    fa_dataset *d = fa_data_text(path, BLOCK, .token = FA_TOKEN_CHARACTERS, .stride = 1);
    assert_int_equal(fa_dataset_length(d), COUNT - BLOCK);
    assert_int_equal(fa_dataset_classes(d), 5);
    assert_string_equal(fa_dataset_class_name(d, 4), "\U0001F600");
    for (int64_t i = 0; i < COUNT - BLOCK; i++)
        assert_window(d, i, BLOCK, written + i);
}

static void refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"abcdefgh\xff",
                                      "abcdefgh\xc3",
                                      "abcdefgh\xc0\x80",
                                      "abcdefgh\xed\xa0\x80",
                                      "abcdefgh\xf4\x90\x80\x80",
                                      "abcdefgh\xe0\x80\x80",
                                      "abcdefgh\xf0\x8f\xbf\xbf",
                                      "abcdefgh\x80"};
    FA_SCOPE;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(bad[i]);
        assert_null(fa_data_text(path, 2, .token = FA_TOKEN_CHARACTERS));
        assert_error(FA_ERROR_FILE, path, "byte 8: no UTF-8");
        assert_true(fa_dataset_length(fa_data_text(path, 2)) > 0);
    }
    put("");
    assert_null(fa_data_text(path, 1));
    assert_error(FA_ERROR_FILE, "has 0 tokens");
    assert_null(fa_data_text(path, 0));
    assert_error(FA_ERROR_ARGUMENT, "block_size");
    assert_null(fa_data_text(path, 1, .stride = -1));
    assert_error(FA_ERROR_ARGUMENT, ".stride");
    assert_null(fa_data_text("/no/such.txt", 1));
    assert_error(FA_ERROR_FILE, "/no/such.txt");
}

int main(void)
{
    strcpy(path, "/tmp/facula-text-XXXXXX");
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const struct CMUnitTest tests[] = {TEST(bytes), TEST(ascii_characters), TEST(other_characters), TEST(refused)};
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return status;
}
