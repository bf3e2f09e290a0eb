/* How processes end: each case runs in a process of its own, this program with the case's name as its argument. */
#define _GNU_SOURCE
#include "base/base_test.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/small.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined FA__ASAN || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static void count(void *context, int64_t begin, int64_t end)
{
    atomic_fetch_add((_Atomic int64_t *)context, end - begin);
    fa__small_free(fa__small_alloc(100), 100);
}

static int check(int64_t (*numbers)(void))
{
    return numbers() == 1000 ? 0 : 1;
}

static int64_t one_loop(void)
{
    _Atomic int64_t all = 0;
    fa_set_num_threads(4);
    fa__parallel_for(1000, 1, count, &all);
    return all;
}

static int after_loop(void)
{
    return check(one_loop);
}

static void leave(void *context, int64_t begin, int64_t end)
{
    static atomic_int left;
    (void)context, (void)begin, (void)end;
    if (atomic_fetch_add(&left, 1) == 1)
        exit(0);
    usleep(1000);
}

static int inside_loop(void)
{
    fa_set_num_threads(2);
    fa__parallel_for(2, 1, leave, NULL);
    pause();
    return 1;
}

static void *keep_looping(void *going)
{
    for (;; atomic_store((atomic_bool *)going, true))
        one_loop();
    return NULL;
}

static int while_another_loops(void)
{
    static atomic_bool going;
    pthread_t thread;
    if (pthread_create(&thread, NULL, keep_looping, &going))
        return 1;
    while (!going)
        usleep(100);
    exit(0);
}

/* Not even one more stack fits. */
static int without_threads(void)
{
    struct rlimit none = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &none))
        return 1;
    return check(one_loop);
}

static void *end_last(void *argument)
{
    (void)argument;
    usleep(2000);
    exit(check(one_loop));
}

static int main_thread_first(void)
{
    pthread_t thread;
    one_loop();
    if (pthread_create(&thread, NULL, end_last, NULL))
        return 1;
    pthread_exit(NULL);
}

static void late(void)
{
    if (check(one_loop))
        _exit(1);
}

static int in_atexit(void)
{
    atexit(late);
    return 0;
}

static bool use_in_destructor;

__attribute__((__destructor__)) static void use(void)
{
    if (use_in_destructor)
        late();
}

static int in_destructor(void)
{
    use_in_destructor = true;
    return check(one_loop);
}

static int in_exit_function(void)
{
    return fa__at_exit(late) ? check(one_loop) : 1;
}

static int with_object_out(void)
{
    static void *volatile out;
    out = fa__small_alloc(50);
    return out ? 0 : 1;
}

static const struct row {
    const char *name;
    int (*run)(void);
    bool not_sanitized; /* sanitizers need memory, or call what is reachable a leak */
} rows[] = {
    {"after_loop", after_loop, false},
    {"inside_loop", inside_loop, false},
    {"while_another_loops", while_another_loops, true},
    {"without_threads", without_threads, true},
    {"main_thread_first", main_thread_first, false},
    {"in_atexit", in_atexit, false},
    {"in_destructor", in_destructor, false},
    {"in_exit_function", in_exit_function, false},
    {"with_object_out", with_object_out, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void test_row(void **state)
{
    const struct row *row = (const struct row *)*state;
    char self[4096] = ""; /* by its name: tools that run it see through readlink only */
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
#ifdef SANITIZED
    if (row->not_sanitized)
        skip();
#endif
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        execl(self, self, row->name, NULL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(int count_of_arguments, char **arguments)
{
    struct CMUnitTest tests[ROWS];
    for (int i = 0; i < ROWS; i++) {
        if (count_of_arguments > 1 && strcmp(arguments[1], rows[i].name) == 0)
            return rows[i].run();
        tests[i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = test_row, .initial_state = (void *)(uintptr_t)&rows[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
