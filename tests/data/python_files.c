/* CIFAR in Python's files (tests/reference/pickles): in folders and archives; damaged ones, and ones of other kinds. */
#include "support/api_test.h"
#include <facula/data.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIXELS = 3072, ROOM = 4000 };

static char root[64], path[200];
static unsigned char file[ROOM];

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static size_t get_file(const char *name)
{
    char from[300];
    snprintf(from, sizeof from, FA_TEST_DATA "/reference/pickles/%s", name);
    FILE *f = fopen(from, "rb");
    assert_non_null(f);
    size_t size = fread(file, 1, sizeof file, f);
    fclose(f);
    return size;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(in_root(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static int begin(void **state)
{
    (void)state;
    strcpy(root, "/tmp/facula-python-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void assert_record(fa_dataset *d, int64_t label)
{
    assert_no_error();
    assert_int_equal(fa_dataset_length(d), 1);
    fa_sample s = fa_dataset_get(d, 0);
    uint8_t pixel[PIXELS];
    assert_int_equal(fa_item_int(s.target), label);
    assert_true(fa_read(s.input, pixel, FA_U8, PIXELS));
    for (int i = 0; i < PIXELS; i++)
        assert_int_equal(pixel[i], i * 7 % 256);
}

static void every_protocol(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const names[] = {"cifar10_2", "cifar10_3", "cifar10_4", "cifar10_5"};
    for (int k = 0; k < 4; k++) {
        put_file("data_batch_3", file, get_file(names[k]));
        assert_record(fa_data_cifar10(root), 6);
    }
    put_file("data_batch_1.bin", (unsigned char[PIXELS + 1]){4}, PIXELS + 1); /* binary files are taken first */
    assert_int_equal(fa_item_int(fa_dataset_get(fa_data_cifar10(root), 0).target), 4);
    unlink(in_root("data_batch_1.bin"));
    mkdir(in_root("cifar-100-python"), 0777);
    mkdir(in_root("test"), 0777); /* a folder of this name is no file of Python's */
    put_file("cifar-100-python/test", file, get_file("cifar100_4"));
    assert_record(fa_data_cifar100(root, .train = false), 77);
    assert_record(fa_data_cifar100(root, .train = false, .coarse = true), 12);
    assert_record(fa_data_cifar100(in_root("cifar-100-python"), .train = false), 77);
    unlink(in_root("data_batch_3"));
}

static void archives(void **state)
{
    (void)state;
    FA_SCOPE;
    char command[300];
    if (system("tar --version >/dev/null 2>&1") != 0 || !fa_plugin_available("gzip"))
        skip();
    mkdir(in_root("cifar-10-batches-py"), 0777);
    put_file("cifar-10-batches-py/test_batch", file, get_file("cifar10_2"));
    snprintf(command, sizeof command, "cd '%s' && tar czf cifar-10-python.tar.gz cifar-10-batches-py", root);
    assert_int_equal(system(command), 0);
    assert_record(fa_data_cifar10(root, .train = false), 6);
    unlink(in_root("cifar-10-batches-py/test_batch"));
    assert_record(fa_data_cifar10(root, .train = false), 6);
    assert_record(fa_data_cifar10(in_root("cifar-10-python.tar.gz"), .train = false), 6);
    assert_null(fa_data_cifar10(in_root("cifar-10-python.tar.gz")));
    assert_error(FA_ERROR_FILE, "there is no data_batch_1.bin in", "cifar-10-python.tar.gz");
    unlink(in_root("cifar-10-python.tar.gz"));
}

/* A file cut at every byte outside of the pixels is refused; one with a byte changed is refused or read. */
static void damaged_files(void **state)
{
    (void)state;
    static const char *const names[] = {"cifar10_2", "cifar10_4", "cifar10_5"};
    for (int k = 0; k < 3; k++) {
        size_t size = get_file(names[k]);
        for (size_t cut = 0; cut<size; cut += cut> 700 && cut + 200 < size ? 97 : 1) {
            FA_SCOPE;
            put_file("test_batch", file, cut);
            assert_null(fa_data_cifar10(root, .train = false));
            assert_error(FA_ERROR_FILE, "test_batch, byte ");
        }
        for (size_t at = 0; at<size; at += at> 700 && at + 200 < size ? 97 : 1) {
            FA_SCOPE;
            unsigned char before = file[at];
            file[at] ^= (unsigned char)(1 + at % 255);
            put_file("test_batch", file, size);
            fa_dataset *d = fa_data_cifar10(root, .train = false);
            assert_true(d ? !fa_failed() : fa_failed());
            if (!d)
                assert_non_null(strstr(fa_error_message(), "test_batch"));
            fa_error_clear();
            file[at] = before;
        }
    }
}

static void refused(const void *pickle, size_t size, const char *what)
{
    FA_SCOPE;
    put_file("test_batch", pickle, size);
    assert_null(fa_data_cifar10(root, .train = false));
    assert_error(FA_ERROR_FILE, "test_batch", what);
}

#define REFUSED(text, what) refused(text, sizeof text - 1, what)

static void others_are_refused(void **state)
{
    (void)state;
    REFUSED("\x80\x02]q\0.", "what is pickled is no dict");
    REFUSED("\x80\x07}.", "protocol 7 of pickles is not known");
    REFUSED("\x80\x02}.", "has no \"data\"");
    REFUSED("\x80\x02}(U\x04"
            "dataK\1u.",
            "\"data\" is no array of bytes with 3072 columns");
    REFUSED("\x80\x02}(U\x04"
            "datau.",
            "a key without a value");
    REFUSED("\x80\x02}u.", "a mark that is not there");
    REFUSED("\x80\x02"
            "a.",
            "there is nothing to append");
    REFUSED("\x80\x02}Na.", "one of another kind");
    REFUSED("\x80\x02"
            "cos\nsystem\nU\x02ls\x85R.",
            "what is pickled is no dict"); /* and nothing was executed */
    REFUSED("\x80\x02}I1\n.", "0x49 is no instruction of a pickle");
    REFUSED("(dp0\nVdata\np1\n", "no pickle of protocol 2 to 5: Python 3 writes one by pickle.dump(");
    REFUSED("\x80\x02T\xff\xff\xff\xff", "the file ends within 4294967295 bytes of text");
    REFUSED("\x80\x02}r\xff\xff\xff\xff.", "the pickle keeps value 4294967295 of 0");
    REFUSED("\x80\x02h\1.", "the pickle has kept no value 1");
    REFUSED("\x80\x02\x86.", "takes values that are not there");
    static unsigned char many[5 << 20];
    memset(many, 'N', sizeof many);
    many[0] = 0x80, many[1] = 2;
    refused(many, sizeof many, "the pickle has more than 4194304 values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_protocol), TEST(archives), TEST(damaged_files),
                                       TEST(others_are_refused)};
    return cmocka_run_group_tests(tests, begin, end);
}
