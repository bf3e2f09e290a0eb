/* Whole files: contents, errors, atomic replacement, links, modes, devices, injected failures. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/files.h"
#include "base_test.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int enter(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/facula-XXXXXX", base ? base : P_tmpdir);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* How many files are here; removes them if asked to. */
static int files_here(bool and_remove)
{
    int count = 0;
    DIR *here = opendir(".");
    for (struct dirent *entry; (entry = readdir(here));)
        if (entry->d_name[0] != '.') {
            count++;
            if (and_remove)
                remove(entry->d_name);
        }
    closedir(here);
    return count;
}

static int leave(void **state)
{
    (void)state;
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static int clear(void **state)
{
    (void)state;
    files_here(true);
    fa__inject(0);
    fa_error_clear();
    return 0;
}

static void expect(const char *path, const void *data, size_t size)
{
    char *read;
    size_t length;
    assert_true(fa__file_read(path, &read, &length));
    assert_int_equal(length, size);
    assert_memory_equal(read, data, size);
    assert_int_equal(read[size], 0);
    fa__free(read);
}

static void test_there_and_back(void **state)
{
    (void)state;
    assert_true(fa__file_write("a", "hello", 5));
    expect("a", "hello", 5);
    assert_true(fa__file_write("a", "", 0));
    expect("a", "", 0);
    size_t size = 3 << 20;
    char *big = (char *)fa__malloc(size);
    for (size_t i = 0; i < size; i++)
        big[i] = (char)(i * 7);
    assert_true(fa__file_write("a", big, size));
    expect("a", big, size);
    fa__free(big);
    assert_int_equal(files_here(false), 1);
}

static void test_pipe(void **state)
{
    (void)state;
    FILE *in = popen("seq 1 20000 > p; mkfifo f; cat p > f &", "r");
    assert_non_null(in);
    pclose(in);
    char *a, *b;
    size_t as, bs;
    assert_true(fa__file_read("f", &a, &as));
    assert_true(fa__file_read("p", &b, &bs));
    assert_int_equal(as, bs);
    assert_memory_equal(a, b, as);
    fa__free(a);
    fa__free(b);
}

static void test_errors(void **state)
{
    (void)state;
    char *data = folder;
    size_t size = 77;
    assert_false(fa__file_read("nothing", &data, &size));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
    assert_non_null(strstr(fa_error_message(), "nothing: cannot open: No such file"));
    assert_true(data == folder && size == 77);
    fa_error_clear();
    assert_false(fa__file_read(".", &data, &size));
    assert_non_null(strstr(fa_error_message(), ".: cannot read: Is a directory"));
    fa_error_clear();
    assert_false(fa__file_write("no/such/folder", "x", 1));
    assert_non_null(strstr(fa_error_message(), "no/such/folder: cannot write"));
    fa_error_clear();
    assert_false(fa__file_write(".", "x", 1));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
}

static void test_abandoned(void **state)
{
    (void)state;
    assert_true(fa__file_write("a", "old", 3));
    fa__file_out out;
    assert_true(fa__file_begin(&out, "a"));
    assert_true(fa__file_put(&out, "new ", 4));
    expect("a", "old", 3);
    fa__file_abandon(&out);
    fa__file_abandon(&out);
    expect("a", "old", 3);
    assert_int_equal(files_here(false), 1);
    assert_true(fa__file_begin(&out, "a"));
    assert_true(fa__file_put(&out, "new", 3));
    assert_true(fa__file_put(&out, "er", 2));
    assert_true(fa__file_commit(&out));
    fa__file_abandon(&out);
    expect("a", "newer", 5);
}

static void test_link_and_mode(void **state)
{
    (void)state;
    assert_true(fa__file_write("real", "x", 1));
    assert_int_equal(chmod("real", 0640), 0);
    assert_int_equal(symlink("real", "link"), 0);
    assert_true(fa__file_write("link", "through", 7));
    struct stat status;
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("real", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    expect("real", "through", 7);
}

static void test_device(void **state)
{
    (void)state;
    assert_true(fa__file_write("/dev/null", "gone", 4));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    if (access("/dev/full", W_OK) == 0) {
        assert_false(fa__file_write("/dev/full", "x", 1));
        assert_non_null(strstr(fa_error_message(), "/dev/full: cannot write: No space left"));
    }
}

static void test_injected(void **state)
{
    (void)state;
    assert_true(fa__file_write("a", "old", 3));
    for (int64_t n = 1;; n++) {
        char *data;
        size_t size;
        fa__inject(n);
        if (fa__file_write("a", "old", 3) && fa__file_read("a", &data, &size)) {
            fa__inject(0);
            fa__free(data);
            assert_true(n > 3);
            break;
        }
        fa__inject(0);
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        expect("a", "old", 3);
        assert_int_equal(files_here(false), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_there_and_back, clear), cmocka_unit_test_teardown(test_pipe, clear),
        cmocka_unit_test_teardown(test_errors, clear),         cmocka_unit_test_teardown(test_abandoned, clear),
        cmocka_unit_test_teardown(test_link_and_mode, clear),  cmocka_unit_test_teardown(test_device, clear),
        cmocka_unit_test_teardown(test_injected, clear),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
