/* Parallel loops: every number once, nesting, errors, several callers, fork, the program's own loop. */
#define _GNU_SOURCE
#include "base/parallel.h"
#include "base/base_test.h"
#include "base/error.h"
#include "support/error_reason.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 100000 };
static _Atomic unsigned char hit[MOST];

static int reset(void **state)
{
    (void)state;
    fa_set_parallel_for(NULL, NULL);
    fa_set_num_threads(4);
    fa_error_clear();
    return 0;
}

static void mark(void *context, int64_t begin, int64_t end)
{
    _Atomic unsigned char *h = (_Atomic unsigned char *)context;
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add_explicit(&h[i], 1, memory_order_relaxed);
}

static void check_once(int64_t count)
{
    for (int64_t i = 0; i < MOST; i++) {
        assert_int_equal(hit[i], i < count);
        hit[i] = 0;
    }
}

static void test_each_once(void **state)
{
    (void)state;
    const int64_t counts[] = {0, 1, 2, 3, 7, 16, 17, 1000, 99999, -5}, grains[] = {-1, 0, 1, 3, 100, 50000};
    for (int threads = 1; threads <= 9; threads += 2) {
        fa_set_num_threads(threads);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
                fa__parallel_for(counts[c], grains[g], mark, hit);
                check_once(counts[c]);
            }
    }
}

static void test_many_regions(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++)
        fa__parallel_for(8, 1, mark, hit);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(hit[i], 20000 % 256);
        hit[i] = 0;
    }
}

static void test_after_sleeping(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        usleep(i % 3 == 0 ? 60 : 2000); /* about when threads go to sleep, and after it */
        fa__parallel_for(1000, 1, mark, hit);
        check_once(1000);
    }
}

static void wait_for_other(void *context, int64_t begin, int64_t end)
{
    atomic_int *inside = (atomic_int *)context;
    (void)begin, (void)end;
    atomic_fetch_add(inside, 1);
    while (atomic_load(inside) < 2)
        sched_yield();
}

static void test_truly_parallel(void **state)
{
    (void)state;
    atomic_int inside = 0;
    fa_set_num_threads(2);
    fa__parallel_for(2, 1, wait_for_other, &inside);
    assert_true(inside >= 2);
}

static void count_threads_here(void *context, int64_t begin, int64_t end)
{
    (void)begin, (void)end;
    assert_true(pthread_equal(*(pthread_t *)context, pthread_self()));
}

static void outer(void *context, int64_t begin, int64_t end)
{
    pthread_t self = pthread_self();
    for (int64_t i = begin; i < end; i++) {
        fa__parallel_for(100, 1, count_threads_here, &self);
        fa__parallel_for(10, 1, mark, (_Atomic unsigned char *)context + i * 10);
    }
}

static void test_nested(void **state)
{
    (void)state;
    fa__parallel_for(100, 1, outer, hit);
    check_once(1000);
}

static void fail_some(void *context, int64_t begin, int64_t end)
{
    (void)context;
    for (int64_t i = begin; i < end; i++)
        if (i >= 500)
            fa__fail(FA_ERROR_INDEX, "number %lld", (long long)i);
}

/* The lowest range that fails is the last one to do so; often others of them are the caller's. */
static void fail_late(void *context, int64_t begin, int64_t end)
{
    if (begin <= 500 && end > 500)
        usleep(1000);
    fail_some(context, begin, end);
}

static void test_errors(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        fa__parallel_for(1000, 1, fail_late, NULL);
        assert_string_equal(error_reason(), "number 500");
        fa_error_clear();
    }
    for (int round = 0; round < 200; round++) {
        fa__parallel_for(1000, 1, fail_some, NULL);
        assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
        assert_string_equal(error_reason(), "number 500");
        fa_error_clear();
        fa__parallel_for(400, 1, fail_some, NULL);
        assert_false(fa_failed());
    }
    fa_error caught = {0};
    fa__error_use(&caught);
    fa__parallel_for(1000, 1, fail_some, NULL);
    fa__error_use(NULL);
    assert_int_equal(caught.code, FA_ERROR_INDEX);
    assert_false(fa_failed());
}

static void *call_often(void *argument)
{
    static _Atomic unsigned char own[4][100];
    _Atomic unsigned char *h = own[(uintptr_t)argument];
    for (int i = 0; i < 2000; i++)
        fa__parallel_for(100, 1, mark, h);
    for (int i = 0; i < 100; i++)
        assert_int_equal(h[i], 2000 % 256);
    return NULL;
}

static void test_several_callers(void **state)
{
    (void)state;
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call_often, (void *)i), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static void in_child(void)
{
    pthread_t self = pthread_self();
    fa__parallel_for(100, 1, count_threads_here, &self);
    fa__parallel_for(1000, 1, mark, hit);
    check_once(1000);
    exit(0);
}

static void test_fork(void **state)
{
    (void)state;
    fa__parallel_for(1000, 1, mark, hit); /* threads are there */
    check_once(1000);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        in_child();
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    fa__parallel_for(1000, 1, mark, hit);
    check_once(1000);
}

static void test_stop_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        fa__parallel_for(1000, 1, mark, hit);
        check_once(1000);
        fa__parallel_stop();
    }
}

static void test_thread_numbers(void **state)
{
    (void)state;
    fa_set_num_threads(3);
    assert_int_equal(fa_num_threads(), 3);
    fa_set_num_threads(100000);
    assert_int_equal(fa_num_threads(), 256);
    fa_set_num_threads(-1);
    assert_int_equal(fa_error_code(), FA_ERROR_ARGUMENT);
    fa_error_clear();
    setenv("FACULA_NUM_THREADS", "7", 1);
    fa_set_num_threads(0);
    assert_int_equal(fa_num_threads(), 7);
    setenv("FACULA_NUM_THREADS", "0", 1);
    fa_set_num_threads(0);
    int cpus = fa_num_threads();
    unsetenv("FACULA_NUM_THREADS");
    fa_set_num_threads(0);
    assert_int_equal(fa_num_threads(), cpus);
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(cpus, CPU_COUNT(&set) < 256 ? CPU_COUNT(&set) : 256);
}

/* A loop of the program's: two threads of its own, one of which has an error standing. */
typedef struct piece {
    void (*body)(void *, int64_t, int64_t);
    void *context;
    int64_t begin, end;
} piece;

static void *run_piece(void *argument)
{
    piece *p = (piece *)argument;
    fa__fail(FA_ERROR_USER, "its own");
    p->body(p->context, p->begin, p->end);
    assert_string_equal(error_reason(), "its own");
    return NULL;
}

/* Another thread that does all pieces, the last one first. */
static void *run_backwards(void *argument)
{
    const piece *p = argument;
    const int64_t step = p->end / 10;
    for (int64_t i = p->end - step; i >= 0; i -= step)
        p->body(p->context, i, i + step);
    return NULL;
}

static void backward_loop(void *context, int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t),
                          void *body_context)
{
    (void)context, (void)grain;
    piece all = {body, body_context, 0, count};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_backwards, &all), 0);
    pthread_join(thread, NULL);
}

/* The caller does the upper half. */
static void crossed_loop(void *context, int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t),
                         void *body_context)
{
    (void)context, (void)grain;
    piece low = {body, body_context, 0, count / 2};
    pthread_t thread;
    body(body_context, count / 2, count);
    assert_int_equal(pthread_create(&thread, NULL, run_piece, &low), 0);
    pthread_join(thread, NULL);
}

static void test_error_of_the_lowest_range(void **state)
{
    (void)state;
    assert_true(fa_set_parallel_for(backward_loop, NULL));
    fa__parallel_for(1000, 1, fail_some, NULL);
    assert_string_equal(error_reason(), "number 500");
    fa_error_clear();
    assert_true(fa_set_parallel_for(crossed_loop, NULL));
    fa__parallel_for(1002, 1, fail_some, NULL);
    assert_string_equal(error_reason(), "number 500");
    fa__parallel_for(1002, 1, fail_some, NULL); /* an error that stands stays */
    assert_string_equal(error_reason(), "number 500");
    fa_error_clear();
    fa__fail(FA_ERROR_USER, "before");
    fa__parallel_for(1002, 1, fail_some, NULL);
    assert_string_equal(error_reason(), "before");
}

static void own_loop(void *context, int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t),
                     void *body_context)
{
    assert_true(grain >= 1 && count > grain);
    ++*(int *)context;
    piece far = {body, body_context, count / 2, count};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_piece, &far), 0);
    body(body_context, 0, count / 2);
    pthread_join(thread, NULL);
}

static void test_own_loop(void **state)
{
    (void)state;
    int called = 0;
    assert_true(fa_set_parallel_for(own_loop, &called));
    fa__parallel_for(1000, 1, mark, hit);
    check_once(1000);
    assert_int_equal(called, 1);
    fa__parallel_for(100, 1, outer, hit);
    check_once(1000);
    assert_int_equal(called, 2);
    fa__parallel_for(1000, 1, fail_some, NULL);
    assert_string_equal(error_reason(), "number 500");
    assert_int_equal(called, 3);
    fa__parallel_for(10, 10, mark, hit);
    assert_int_equal(called, 3);
    check_once(10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_each_once, reset),
        cmocka_unit_test_setup(test_many_regions, reset),
        cmocka_unit_test_setup(test_after_sleeping, reset),
        cmocka_unit_test_setup(test_truly_parallel, reset),
        cmocka_unit_test_setup(test_nested, reset),
        cmocka_unit_test_setup(test_errors, reset),
        cmocka_unit_test_setup(test_several_callers, reset),
        cmocka_unit_test_setup(test_fork, reset),
        cmocka_unit_test_setup(test_stop_and_go, reset),
        cmocka_unit_test_setup(test_thread_numbers, reset),
        cmocka_unit_test_setup(test_own_loop, reset),
        cmocka_unit_test_setup(test_error_of_the_lowest_range, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
