/* Compiled kernels on disk: where they are, what they are kept for, what is wrong with files (then there is none, and
 * no error), several processes at once, the room they take. What needs a device is skipped without one. */
#define _GNU_SOURCE
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "support/process.h"
#include <dirent.h>
#include <facula/facula.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char *self; /* this program */
static char folder[64];

/* ---- a folder of our own ---- */
static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inner[512];
        snprintf(inner, sizeof inner, "%s/%.200s", path, e->d_name);
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (remove(inner))
            remove_all(inner);
    }
    if (d)
        closedir(d);
    remove(path);
}

static int begin(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/facula-XXXXXX", base ? base : P_tmpdir);
    if (!mkdtemp(folder))
        return -1;
    setenv("FACULA_CACHE_DIR", folder, 1);
    fa_error_clear();
    return 0;
}

static int end(void **state)
{
    (void)state;
    remove_all(folder);
    return fa_failed() ? -1 : 0;
}

/* How many files there are; `name`: the path of the last one. */
static int files(char name[512])
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            count++;
            if (name)
                snprintf(name, 512, "%s/%.200s", folder, e->d_name);
        }
    if (d)
        closedir(d);
    return count;
}

/* ---- kernels that are none ---- */
enum { SIZE = 300 };

static void put(const char *source, size_t size)
{
    unsigned char bytes[SIZE];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + size);
    fa__gpu_disk_write("device", "options", source, bytes, size);
    assert_false(fa_failed());
}

/* Whether the kernel is there, with the right bytes. Never an error. */
static bool has(const char *source, size_t size)
{
    size_t got = 0;
    unsigned char *bytes = fa__gpu_disk_read("device", "options", source, &got);
    assert_false(fa_failed());
    if (!bytes)
        return false;
    assert_int_equal(got, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], (unsigned char)(i * 7 + size));
    fa__free(bytes);
    return true;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    char path[512];
    struct stat s;
    assert_false(has("a", SIZE));
    put("a", SIZE);
    put("b", 1);
    assert_true(has("a", SIZE) && has("b", 1));
    put("a", 7);
    assert_true(has("a", 7));
    assert_int_equal(files(path), 2);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0600);
    put("nothing", 0);
    assert_int_equal(files(NULL), 2);
}

static void the_key_is_all_that_matters(void **state)
{
    (void)state;
    static const char *const keys[][3] = {{"device 1.0", "-O", "source"},
                                          {"device 1.1", "-O", "source"},
                                          {"device 1.0", "-O2", "source"},
                                          {"device 1.0", "-O", "source "},
                                          {"device 1.0-", "O", "source"},
                                          {"", "", ""},
                                          {"a", "", ""},
                                          {"", "a", ""},
                                          {"", "", "a"}};
    enum { KEYS = sizeof keys / sizeof *keys };
    for (int i = 0; i < KEYS; i++) {
        size_t size = 0;
        assert_null(fa__gpu_disk_read(keys[i][0], keys[i][1], keys[i][2], &size));
        fa__gpu_disk_write(keys[i][0], keys[i][1], keys[i][2], keys[i], (size_t)i + 1);
        for (int k = 0; k <= i; k++) {
            void *bytes = fa__gpu_disk_read(keys[k][0], keys[k][1], keys[k][2], &size);
            assert_non_null(bytes);
            assert_int_equal(size, k + 1);
            fa__free(bytes);
        }
    }
}

/* ---- where ---- */
static bool is_in(const char *path)
{
    char all[200];
    snprintf(all, sizeof all, "%s/%s", folder, path);
    remove_all(all);
    put("a", SIZE);
    DIR *d = opendir(all);
    if (d)
        closedir(d);
    assert_int_equal(d != NULL, has("a", SIZE));
    return d != NULL;
}

static void folders_are_found_and_made(void **state)
{
    (void)state;
    char path[200], *home = getenv("HOME");
    snprintf(path, sizeof path, "%s/deep/er", folder);
    setenv("FACULA_CACHE_DIR", path, 1);
    assert_true(is_in("deep/er"));
    unsetenv("FACULA_CACHE_DIR");
    home = home ? strdup(home) : NULL;
    snprintf(path, sizeof path, "%s/xdg", folder);
    setenv("XDG_CACHE_HOME", path, 1);
    assert_true(is_in("xdg/facula"));
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(is_in(".cache/facula"));
    unsetenv("XDG_CACHE_HOME");
    assert_true(is_in(".cache/facula"));
    unsetenv("HOME");
    assert_false(is_in(".cache/facula"));
    setenv("HOME", home ? home : "/", 1);
    free(home);
}

static void it_can_be_turned_off(void **state)
{
    (void)state;
    put("a", SIZE);
    for (int i = 0; i < 2; i++) {
        setenv("FACULA_CACHE_DIR", i ? "off" : "", 1);
        assert_false(has("a", SIZE));
        put("b", SIZE);
        assert_false(has("b", SIZE));
    }
    char *long_name = test_malloc(5000);
    memset(long_name, 'x', 4999);
    long_name[0] = '/';
    long_name[4999] = 0;
    setenv("FACULA_CACHE_DIR", long_name, 1);
    put("a", SIZE);
    assert_false(has("a", SIZE));
    test_free(long_name);
    assert_int_equal(files(NULL), 1);
}

/* ---- files that are wrong ---- */
static void change_byte(const char *path, long at)
{
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 0x10, f);
    fclose(f);
}

static long size_of(const char *path)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return (long)s.st_size;
}

static void no_byte_may_be_another(void **state)
{
    (void)state;
    char path[512];
    put("a", SIZE);
    files(path);
    for (long i = 0; i < size_of(path); i++) {
        change_byte(path, i);
        if (has("a", SIZE))
            fail_msg("byte %ld", i);
        change_byte(path, i);
    }
    assert_true(has("a", SIZE));
}

static void files_are_whole(void **state)
{
    (void)state;
    char path[512];
    put("a", SIZE);
    files(path);
    for (long size = size_of(path) - 1; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(has("a", SIZE));
    }
    put("a", SIZE);
    FILE *f = fopen(path, "a");
    fputc('x', f);
    fclose(f);
    assert_false(has("a", SIZE));
    put("a", SIZE);
    assert_true(has("a", SIZE));
}

/* Another kernel under this one's name. */
static void names_are_not_believed(void **state)
{
    (void)state;
    char a[512], b[512], kept[512];
    put("a", SIZE);
    files(a);
    snprintf(kept, sizeof kept, "%s.kept", folder);
    assert_int_equal(rename(a, kept), 0);
    put("b", SIZE);
    files(b);
    assert_int_equal(rename(kept, b), 0);
    assert_false(has("b", SIZE));
    put("b", SIZE);
    assert_true(has("b", SIZE));
}

/* What others may have written is not run. */
static void only_own_files_are_trusted(void **state)
{
    (void)state;
    char path[512], other[512];
    put("a", SIZE);
    files(path);
    for (mode_t mode = 0602; mode <= 0620; mode += 016) { /* 0602, 0620 */
        assert_int_equal(chmod(path, mode), 0);
        assert_false(has("a", SIZE));
    }
    chmod(path, 0644);
    assert_true(has("a", SIZE));
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
        assert_false(has("a", SIZE));
        assert_int_equal(chown(path, 0, (gid_t)-1), 0);
        assert_true(has("a", SIZE));
    }
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(has("a", SIZE));
    put("a", SIZE);
    assert_true(has("a", SIZE));
}

static void what_is_no_file_is_no_kernel(void **state)
{
    (void)state;
    char path[512];
    put("a", SIZE);
    files(path);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(has("a", SIZE));
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(has("a", SIZE));
    put("a", SIZE);
    assert_int_equal(files(NULL), 1); /* nothing is left beside it */
    setenv("FACULA_CACHE_DIR", "/dev/null", 1);
    put("a", SIZE);
    assert_false(has("a", SIZE));
    setenv("FACULA_CACHE_DIR", "/proc/facula", 1);
    put("a", SIZE);
    assert_false(has("a", SIZE));
}

/* Nobody's process: permissions mean nothing to root. */
static pid_t fork_as_nobody(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0 && geteuid() == 0 && setuid(65534))
        _exit(98);
    return child;
}

static void what_may_not_be_read_or_written_is_not_there(void **state)
{
    (void)state;
    char path[512];
    assert_int_equal(chmod(folder, 0777), 0);
    pid_t child = fork_as_nobody();
    if (child == 0) {
        put("a", SIZE);
        files(path);
        bool good = has("a", SIZE) && !chmod(path, 0000) && !has("a", SIZE) && !chmod(path, 0600);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(status_of(child), 0);
    chmod(folder, 0555);
    child = fork_as_nobody();
    if (child == 0) {
        bool good = has("a", SIZE);
        put("b", SIZE);
        _exit(good && !has("b", SIZE) && files(NULL) == 1 ? 0 : 1);
    }
    assert_int_equal(status_of(child), 0);
    chmod(folder, 0000);
    child = fork_as_nobody();
    if (child == 0) {
        put("b", SIZE);
        fa__gpu_disk_trim(0);
        _exit(!has("a", SIZE) && !fa_failed() ? 0 : 1);
    }
    assert_int_equal(status_of(child), 0);
    chmod(folder, 0700);
    assert_int_equal(files(NULL), 1);
}

/* A limit on the size of files stands for a disk that is full after some bytes. */
static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    static const rlim_t room[] = {0, 10, 40, 100, SIZE};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){room[i], room[i]});
            put("a", SIZE);
            _exit(!has("a", SIZE) && files(NULL) == 0 ? 0 : 1);
        }
        assert_int_equal(status_of(child), 0);
    }
}

static void without_memory_there_is_none(void **state)
{
    (void)state;
    put("a", SIZE);
    fa__inject(1);
    bool found = has("a", SIZE);
    fa__inject(0);
    assert_false(found);
    assert_true(has("a", SIZE));
    fa__inject(1);
    fa__gpu_disk_trim(0); /* what it cannot list stays */
    fa__inject(0);
    assert_true(has("a", SIZE));
}

/* ---- room ---- */
static void make_old(const char *path, time_t seconds)
{
    struct timespec then[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void make_file(const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static void what_is_not_used_goes_first(void **state)
{
    (void)state;
    enum { KERNELS = 10, DAY = 24 * 3600 };
    static const char *const sources[KERNELS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    char path[512];
    long size = 0;
    for (int i = 0; i < KERNELS; i++) { /* "9" is the oldest */
        char before[512], own[512];
        snprintf(before, sizeof before, "%s.before", folder);
        assert_int_equal(rename(folder, before), 0); /* its file is the only one */
        put(sources[i], SIZE);
        files(path);
        size = size_of(path);
        make_old(path, (i + 2) * DAY);
        snprintf(own, sizeof own, "%s%s", before, path + strlen(folder));
        assert_int_equal(rename(path, own), 0);
        remove_all(folder);
        assert_int_equal(rename(before, folder), 0);
    }
    char notes[512], young[512], old[512];
    make_file("notes.txt", notes);
    make_file("0123.kernel.abc", young);
    make_file("0123.kernel.def", old);
    make_old(old, 2 * 3600);
    make_old(notes, 99 * DAY);
    assert_true(has("9", SIZE)); /* used: the youngest now */
    fa__gpu_disk_trim((uint64_t)size * KERNELS);
    assert_int_equal(files(NULL), KERNELS + 2);
    assert_int_equal(access(old, F_OK), -1);
    fa__gpu_disk_trim((uint64_t)size * 8); /* six stay */
    assert_int_equal(files(NULL), 6 + 2);
    for (int i = 0; i < KERNELS; i++)
        assert_int_equal(has(sources[i], SIZE), i < 5 || i == 9);
    assert_true(!access(notes, F_OK) && !access(young, F_OK));
}

/* ---- a device's kernels ---- */
static int builds;
static fa__opencl_api real;

static cl_program counted(cl_context c, cl_uint n, const char **texts, const size_t *sizes, cl_int *status)
{
    builds++;
    return real.clCreateProgramWithSource(c, n, texts, sizes, status);
}

/* What the processes do: some kernels, and whether their results are right. Prints how many were built. */
static int compute(void)
{
    if (!fa__device_get(FA_OPENCL(0)))
        return 1;
    real = fa__opencl;
    fa__opencl.clCreateProgramWithSource = counted;
    float sum = 0;
    {
        FA_SCOPE;
        fa_tensor *x = fa_to(fa_full(FA_SHAPE(40, 50), 3.0), FA_OPENCL(0));
        fa_tensor *y = fa_softmax(fa_matmul(fa_add(x, x), fa_t(x)), 1);
        sum = (float)fa_item(fa_sum(fa_exp(fa_sub(y, y))));
    }
    printf("%d\n", builds);
    return sum == 1600 && !fa_failed() ? 0 : 2;
}

typedef struct process {
    pid_t child;
    FILE *out;
} process;

static process start(void)
{
    int ends[2];
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    process p = {.child = fork()};
    if (p.child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        execl(self, self, "compute", (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    p.out = fdopen(ends[0], "r");
    return p;
}

/* How many kernels it built. */
static int finish(process p)
{
    int count = -1;
    assert_non_null(p.out);
    assert_int_equal(fscanf(p.out, "%d", &count), 1);
    fclose(p.out);
    assert_int_equal(status_of(p.child), 0);
    return count;
}

static int first_time; /* kernels of one process */

static void need_device(void)
{
    const char *why;
    fflush(NULL);
    pid_t child = fork(); /* the driver stays out of this process, which forks */
    if (child == 0)
        _exit(fa_device_count("opencl", &why) > 0 ? 0 : 1);
    if (status_of(child) != 0)
        skip();
}

static void a_second_process_compiles_nothing(void **state)
{
    (void)state;
    need_device();
    first_time = finish(start());
    assert_true(first_time >= 5);
    assert_int_equal(files(NULL), first_time);
    assert_int_equal(finish(start()), 0);
    setenv("FACULA_CACHE_DIR", "off", 1);
    assert_int_equal(finish(start()), first_time);
}

static void processes_at_once_need_not_know_of_each_other(void **state)
{
    (void)state;
    enum { PROCESSES = 6 };
    process p[PROCESSES];
    need_device();
    for (int i = 0; i < PROCESSES; i++)
        p[i] = start();
    for (int i = 0; i < PROCESSES; i++)
        finish(p[i]);
    assert_int_equal(files(NULL), first_time);
    assert_int_equal(finish(start()), 0);
}

/* Damaged in the middle of the payload, where the driver would find it late or never. */
static void damaged_kernels_are_compiled_again(void **state)
{
    (void)state;
    need_device();
    assert_int_equal(finish(start()), first_time);
    DIR *d = opendir(folder);
    assert_non_null(d);
    int damaged = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        if (e->d_name[0] == '.')
            continue;
        if (damaged++ % 2)
            assert_int_equal(truncate(path, size_of(path) / 2), 0);
        else
            change_byte(path, size_of(path) / 2);
    }
    closedir(d);
    assert_int_equal(finish(start()), first_time);
    assert_int_equal(finish(start()), 0);
}

/* The key has what a compiled kernel depends on. */
static int check_identity(void)
{
    fa_device_properties p;
    fa__device *d = fa__device_get(FA_OPENCL(0));
    const char *identity = d ? fa__gpu_own(d)->identity : "";
    return fa_device_info(FA_OPENCL(0), &p) && strstr(identity, p.name) && strstr(identity, p.driver)
                   && strstr(identity, fa__opencl_own(d)->platform->version)
               ? 0
               : 1;
}

static void the_device_and_its_driver_are_in_the_key(void **state)
{
    (void)state;
    need_device();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, "identity", (char *)NULL);
        _exit(99);
    }
    assert_int_equal(status_of(child), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(the_key_is_all_that_matters),
        TEST(folders_are_found_and_made),
        TEST(it_can_be_turned_off),
        TEST(no_byte_may_be_another),
        TEST(files_are_whole),
        TEST(names_are_not_believed),
        TEST(only_own_files_are_trusted),
        TEST(what_is_no_file_is_no_kernel),
        TEST(what_may_not_be_read_or_written_is_not_there),
        TEST(a_full_disk_leaves_nothing),
        TEST(without_memory_there_is_none),
        TEST(what_is_not_used_goes_first),
        TEST(a_second_process_compiles_nothing),
        TEST(processes_at_once_need_not_know_of_each_other),
        TEST(damaged_kernels_are_compiled_again),
        TEST(the_device_and_its_driver_are_in_the_key),
    };
    self = words[0];
    setenv("POCL_DEVICES", "pthread pthread", 0);
    if (count > 1)
        return !strcmp(words[1], "compute") ? compute() : check_identity();
    return cmocka_run_group_tests_name("gpu_cache", tests, NULL, NULL);
}
