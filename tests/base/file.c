/* Files replaced as a whole: contents, errors, links, modes, devices, injected failures; what killed processes left. */
#include "base/alloc.h"
#include "base/base_test.h"
#include "base/error.h"
#include <dirent.h>
#include <facula/host.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* A link to what is not there yet, also in another folder and through a second link: the target is made. */
static void test_dangling_link(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(mkdir("below", 0700), 0);
    assert_int_equal(symlink("below/second", "link"), 0);
    assert_int_equal(symlink("../target", "below/second"), 0);
    assert_true(fa_file_write("link", "through", 7));
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect("target", "through", 7);
    unlink("below/second");
    assert_int_equal(symlink("link", "below/second"), 0);
    assert_int_equal(symlink("round", "round"), 0);
    assert_false(fa_file_write("round", "x", 1));
    assert_non_null(strstr(fa_error_message(), "round: cannot write: Too many levels"));
    fa_error_clear();
    unlink("below/second");
    assert_int_equal(rmdir("below"), 0);
}

/* The name of the only file here that ends with ".part". */
static const char *part(char name[static 300])
{
    DIR *here = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && !strcmp(entry->d_name + length - 5, ".part")) {
            snprintf(name, 300, "%s", entry->d_name);
            count++;
        }
    }
    closedir(here);
    assert_int_equal(count, 1);
    return name;
}

/* Names may have 255 bytes, and the temporary file's is longer than the file's own. */
static void test_long_names(void **state)
{
    (void)state;
    for (size_t length = 225; length <= 255; length++) {
        char name[300] = {0};
        memset(name, 'n', length);
        assert_true(fa_file_write(name, "long", 4));
        expect(name, "long", 4);
        assert_int_equal(files_here(true), 1);
    }
    char name[300] = {0};
    memset(name, 'n', 256);
    assert_false(fa_file_write(name, "long", 4));
    assert_non_null(strstr(fa_error_message(), "File name too long"));
    assert_int_equal(files_here(false), 0);
}

/* A rename that fails is an error, leaves what is there, and no temporary file. */
static void test_failed_rename(void **state)
{
    (void)state;
    fa_file out;
    char name[300];
    assert_true(fa_file_begin(&out, "a"));
    assert_true(fa_file_put(&out, "new", 3));
    assert_int_equal(mkdir("a", 0700), 0);
    assert_false(fa_file_commit(&out));
    assert_non_null(strstr(fa_error_message(), "a: cannot write: Is a directory"));
    fa_error_clear();
    assert_int_equal(files_here(false), 1);
    assert_int_equal(rmdir("a"), 0);
    assert_true(fa_file_write("a", "old", 3));
    assert_true(fa_file_begin(&out, "a"));
    assert_true(fa_file_put(&out, "new", 3));
    assert_int_equal(unlink(part(name)), 0);
    assert_false(fa_file_commit(&out));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
    fa_error_clear();
    expect("a", "old", 3);
}

/* A process that begins a file and is killed. */
static void die_while_writing(const char *path)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        fa_file out;
        if (fa_file_begin(&out, path) && fa_file_put(&out, "half", 4))
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void test_left_by_the_dead(void **state)
{
    (void)state;
    char name[300];
    for (int i = 0; i < 3; i++)
        die_while_writing("a"); /* each cleans up after the one before it */
    assert_int_equal(files_here(false), 1);
    part(name);
    assert_true(fa_file_write("b", "other", 5)); /* not its business */
    assert_int_equal(access(name, F_OK), 0);
    assert_true(fa_file_write("a", "whole", 5));
    expect("a", "whole", 5);
    assert_int_equal(files_here(false), 2);
}

/* What somebody is still writing stays, and what only looks alike. */
static void test_not_left(void **state)
{
    (void)state;
    static const char *const others[] = {"a.part",
                                         "a.0123456789abcdef.parts",
                                         "a.0123456789abcdeg.part",
                                         "a.0123456789abcdef0.part",
                                         "b.0123456789abcdef.part",
                                         "aa.1.part"};
    fa_file first, second;
    assert_true(fa_file_begin(&first, "a"));
    assert_true(fa_file_put(&first, "first", 5));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fclose(fopen(others[i], "w"));
    assert_int_equal(symlink("b.0123456789abcdef.part", "a.fedcba9876543210.part"), 0);
    assert_true(fa_file_begin(&second, "a"));
    assert_true(fa_file_put(&second, "second", 6));
    assert_true(fa_file_commit(&first));
    expect("a", "first", 5);
    assert_true(fa_file_commit(&second));
    expect("a", "second", 6);
    assert_int_equal(files_here(false), 2 + sizeof others / sizeof *others);
}

/* A file for reading: what is no regular file is refused at once, also a pipe into which no process writes. */
static void test_open(void **state)
{
    (void)state;
    int64_t size;
    assert_true(fa_file_write("a", "hello", 5));
    int file = fa__file_open("this", "a", &size);
    char read_back[8];
    assert_true(file >= 0);
    assert_int_equal(size, 5);
    assert_int_equal(read(file, read_back, sizeof read_back), 5);
    close(file);
    assert_int_equal(fa__file_open("this", "none", &size), -1);
    assert_string_equal(fa_error_message(), "this: none: cannot open: No such file or directory");
    fa_error_clear();
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const char *const others[] = {"pipe", ".", "/dev/null"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fa__file_open("this", others[i], &size), -1);
        assert_non_null(strstr(fa_error_message(), others[i]));
        assert_non_null(strstr(fa_error_message(), "is no regular file"));
        fa_error_clear();
    }
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
        cmocka_unit_test_teardown(test_dangling_link, clear),  cmocka_unit_test_teardown(test_long_names, clear),
        cmocka_unit_test_teardown(test_failed_rename, clear),  cmocka_unit_test_teardown(test_left_by_the_dead, clear),
        cmocka_unit_test_teardown(test_not_left, clear),       cmocka_unit_test_teardown(test_open, clear),
        cmocka_unit_test_teardown(test_device, clear),         cmocka_unit_test_teardown(test_injected, clear),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
