/* Files replaced as a whole: contents, errors, links, modes, devices, injected failures. */
#include "base/alloc.h"
#include "base/base_test.h"
#include "base/error.h"
#include <dirent.h>
#include <facula/host.h>
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
    FILE *f = fopen(path, "rb");
    char *read = malloc(size + 1);
    assert_non_null(f);
    assert_non_null(read);
    assert_int_equal(fread(read, 1, size + 1, f), size);
    assert_memory_equal(read, data, size);
    free(read);
    fclose(f);
}

static void test_there_and_back(void **state)
{
    (void)state;
    assert_true(fa_file_write("a", "hello", 5));
    expect("a", "hello", 5);
    assert_true(fa_file_write("a", "", 0));
    expect("a", "", 0);
    size_t size = 3 << 20;
    char *big = (char *)fa__malloc(size);
    for (size_t i = 0; i < size; i++)
        big[i] = (char)(i * 7);
    assert_true(fa_file_write("a", big, size));
    expect("a", big, size);
    fa__free(big);
    assert_int_equal(files_here(false), 1);
}

static void test_errors(void **state)
{
    (void)state;
    assert_false(fa_file_write("no/such/folder", "x", 1));
    assert_non_null(strstr(fa_error_message(), "no/such/folder: cannot write"));
    fa_error_clear();
    assert_false(fa_file_write(".", "x", 1));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
}

static void test_abandoned(void **state)
{
    (void)state;
    assert_true(fa_file_write("a", "old", 3));
    fa_file out;
    assert_true(fa_file_begin(&out, "a"));
    assert_true(fa_file_put(&out, "new ", 4));
    expect("a", "old", 3);
    fa_file_abandon(&out);
    fa_file_abandon(&out);
    expect("a", "old", 3);
    assert_int_equal(files_here(false), 1);
    assert_true(fa_file_begin(&out, "a"));
    assert_true(fa_file_put(&out, "new", 3));
    assert_true(fa_file_put(&out, "er", 2));
    assert_true(fa_file_commit(&out));
    fa_file_abandon(&out);
    expect("a", "newer", 5);
}

static void test_link_and_mode(void **state)
{
    (void)state;
    assert_true(fa_file_write("real", "x", 1));
    assert_int_equal(chmod("real", 0640), 0);
    assert_int_equal(symlink("real", "link"), 0);
    assert_true(fa_file_write("link", "through", 7));
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
    assert_true(fa_file_write("/dev/null", "gone", 4));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    if (access("/dev/full", W_OK) == 0) {
        assert_false(fa_file_write("/dev/full", "x", 1));
        assert_non_null(strstr(fa_error_message(), "/dev/full: cannot write: No space left"));
    }
}

static void test_injected(void **state)
{
    (void)state;
    assert_true(fa_file_write("a", "old", 3));
    for (int64_t n = 1;; n++) {
        fa__inject(n);
        if (fa_file_write("a", "old", 3)) {
            fa__inject(0);
            assert_true(n > 2);
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
        cmocka_unit_test_teardown(test_there_and_back, clear), cmocka_unit_test_teardown(test_errors, clear),
        cmocka_unit_test_teardown(test_abandoned, clear),      cmocka_unit_test_teardown(test_link_and_mode, clear),
        cmocka_unit_test_teardown(test_device, clear),         cmocka_unit_test_teardown(test_injected, clear),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
