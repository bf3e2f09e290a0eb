/* Names and metadata of files are UTF-8: what is not is refused, and the old file stays. */
#include "support/api_test.h"
#include <facula/facula.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/facula-XXXXXX";

static bool save_named(const char *name)
{
    fa_tensor *item = fa_ones(FA_SHAPE(2));
    return fa_save(((fa_parameters){1, &item, &name}), path);
}

static bool save_with(const char *name, const char *value)
{
    fa_metadata m = {1, &name, &value};
    return fa_save(fa_nn_linear(1, 1), path, .metadata = m);
}

static long size_of_file(void)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fclose(f);
    return size;
}

/* The first and the last character of each length, and those beside the halves of pairs. */
static void characters_of_each_length_are_taken(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const good[] = {"",
                                       "\x01\x7f",
                                       "\xc2\x80\xdf\xbf",
                                       "\xe0\xa0\x80\xef\xbf\xbf",
                                       "\xed\x9f\xbf\xee\x80\x80",
                                       "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(save_named(good[i]));
        assert_true(save_with(good[i], good[i]));
        assert_string_equal(fa_load_file(path).metadata.value[0], good[i]);
        assert_no_error();
    }
    unlink(path);
}

static void others_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    /* a byte alone, none behind, one too few, too long spellings, halves of pairs, beyond the last */
    static const char *const bad[] = {"ab\x80",
                                      "ab\xff",
                                      "ab\xc3",
                                      "ab\xc3(",
                                      "ab\xe2\x82",
                                      "ab\xf0\x9f\x98",
                                      "ab\xc0\x80",
                                      "ab\xc1\xbf",
                                      "ab\xe0\x9f\xbf",
                                      "ab\xf0\x8f\xbf\xbf",
                                      "ab\xed\xa0\x80",
                                      "ab\xed\xbf\xbf",
                                      "ab\xf4\x90\x80\x80",
                                      "ab\xf5\x80\x80\x80",
                                      "ab\xe2(\x82",
                                      "ab\xe2\x82("};
    assert_true(save_named("good"));
    long size = size_of_file();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(save_named(bad[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_save: the name of tensor 0 is not UTF-8: byte 2");
        assert_false(save_with(bad[i], "good"));
        assert_error(FA_ERROR_ARGUMENT, "fa_save: the name of metadata 0 is not UTF-8: byte 2");
        assert_false(save_with("good", bad[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_save: the value of metadata 0 is not UTF-8: byte 2");
        assert_int_equal(size_of_file(), size);
    }
    const char *name = "good", *value = bad[0];
    fa_metadata m = {1, &name, &value};
    assert_false(fa_checkpoint_save(path, .module = fa_nn_linear(1, 1), .metadata = m));
    assert_error(FA_ERROR_ARGUMENT, "fa_checkpoint_save: the value of metadata", "is not UTF-8");
    assert_int_equal(size_of_file(), size);
    unlink(path);
}

int main(void)
{
    close(mkstemp(path));
    const struct CMUnitTest tests[] = {TEST(characters_of_each_length_are_taken), TEST(others_are_refused)};
    return RUN("save_text");
}
