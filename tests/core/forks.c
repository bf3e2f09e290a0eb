/* Forks while other threads are in the middle of everything: whatever lock they hold then, the child can compute. One
 * that hangs is killed by its alarm, and counts as failed. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <facula/device.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers' own allocators do not take forks among threads: there the children do nothing, and what is checked is the
 * order in which a fork takes the locks, by the thread sanitizer. */
#if defined API_TSAN || defined API_ASAN
enum { FORKS = 20, SANITIZED = 1 };
#else
enum { FORKS = 200, SANITIZED = 0 };
#endif

static _Atomic bool enough;
static FILE *nowhere;

/* ---- what the threads do, each a turn at a time ---- */
static void make_tensors(int turn)
{
    fa_tensor *x = fa_ones(FA_SHAPE(1 + turn % 700), .requires_grad = true);
    fa_backward(fa_sum(fa_mul(x, x)));
    if (turn % 50 == 0)
        fa_empty_cache(FA_CPU);
}

static void fill_ledger(int turn)
{
    fa_tensor *x = fa_to(fa_full(FA_SHAPE(3), turn), FA_LATE(turn % 2));
    (void)fa_item(fa_sum(x));
    (void)fa_transfers_total();
    fa_transfers_report(nowhere);
}

static void parse(int turn)
{
    char text[64];
    snprintf(text, sizeof text, "x * %d + exp(y)", turn);
    fa_pointwise(text, fa_ones(FA_SHAPE(2)), 1);
}

static void print(int turn)
{
    fa_fprint(nowhere, fa_rand(FA_SHAPE(4, 4)));
    fa_free_text(fa_text(fa_full(FA_SHAPE(2), turn)));
}

static void swallow(void *context, fa_log_level level, const char *message)
{
    (void)context, (void)level, (void)message;
}

/* An error that nobody looks at is told to the log when its thread ends. */
static void *live_shortly(void *argument)
{
    fa_zeros(FA_SHAPE(5));
    fa_fail(FA_ERROR_USER, "nobody sees this");
    return argument;
}

static void start_threads(int turn)
{
    pthread_t thread;
    fa_set_log(swallow, NULL);
    if (pthread_create(&thread, NULL, live_shortly, &turn) == 0)
        pthread_join(thread, NULL);
}

/* A fault of a kernel: the index is out of range. */
static void miss(int turn)
{
    fa_index_select(fa_zeros(FA_SHAPE(3)), 0, fa_full(FA_SHAPE(4), 3 + turn % 5, .dtype = FA_I64));
    if (!fa_failed())
        abort();
    fa_error_clear();
}

static void draw(int turn)
{
    fa_manual_seed((uint64_t)turn);
    fa_rand(FA_SHAPE(2));
    (void)fa_random_state();
}

static void (*const work[])(int turn) = {make_tensors, fill_ledger, parse, print, start_threads, miss, draw};
enum { THREADS = sizeof work / sizeof *work };

static void *hammer(void *argument)
{
    void (*const *turn_of)(int) = argument;
    for (int turn = 1; !enough; turn++) {
        FA_SCOPE;
        (*turn_of)(turn);
    }
    if (fa_failed())
        fprintf(stderr, "thread %d: %s\n", (int)(turn_of - work), fa_error_message());
    return fa_failed() ? argument : NULL;
}

/* ---- what a child does ---- */
/* Adds two tensors and goes backward; then all that the parent's threads were at. */
static bool compute(int number)
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(300000), .requires_grad = true), *y = fa_full(FA_SHAPE(300000), 2.0);
    fa_backward(fa_sum(fa_mul(fa_add(x, y), x)));
    bool good = fa_item(fa_sum(fa_grad(x))) == 4 * 300000;
    for (int i = 0; i < THREADS; i++)
        if (work[i] != fill_ledger)
            work[i](1000000 + number);
    fa_transfers_report(nowhere);
    return good && !fa_failed();
}

/* The first children end as programs do, which takes the library apart. */
static void run_child(int number)
{
    if (SANITIZED)
        _exit(0);
    alarm(10);
    bool good = compute(number);
    if (!good)
        fprintf(stderr, "child %d: %s\n", number, fa_error_message());
    if (number < FORKS / 10)
        exit(!good);
    _exit(!good);
}

static void a_child_computes_whatever_other_threads_held(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    fa_set_num_threads(4);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, hammer, (void *)(uintptr_t)&work[i]), 0);
    int bad = 0;
    for (int i = 0; i < FORKS && !bad; i++) {
        int status = -1;
        fflush(stdout);
        usleep(SANITIZED * 20000); /* so that the threads get somewhere */
        pid_t child = fork();
        if (child == 0)
            run_child(i);
        bad += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    enough = true;
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(thread[i], &failed);
        bad += failed != NULL;
    }
    fa_set_num_threads(0);
    fa_set_log(NULL, NULL);
    fclose(nowhere);
    assert_int_equal(bad, 0);
    assert_no_error();
}

/* What was on its way to the host at the fork has arrived in the child, which has the device no more. */
static bool arrived(const fa_tensor *back, fa_device device)
{
    bool good = fa_item(fa_sum(back)) == 2000 && !fa_failed() && !fa_is_available(device);
    good = good && !fa_synchronize(device) && fa_error_code() == FA_ERROR_STATE;
    fa_error_clear();
    good = good && !fa_stream_new(device) && fa_error_code() == FA_ERROR_STATE;
    fa_error_clear();
    good = good && !fa_to(back, device) && fa_error_code() == FA_ERROR_STATE;
    fa_error_clear();
    return good;
}

/* That is the one wait that was counted. */
static bool waited_for_the_fork(const char *device)
{
    char *text = NULL, row[80];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fa_transfers_report(file);
    fclose(file);
    snprintf(row, sizeof row, "\n%-20s %-5s %-20s %9d ", "fork", "wait", device, 1);
    bool good = strstr(text, row) && fa_transfers_total().waits == 1;
    if (!good)
        print_error("%s", text);
    free(text);
    return good;
}

static void a_child_has_what_was_on_its_way_to_the_host(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_add(fa_ones(FA_SHAPE(1000), .device = DEVICE(i)), 1), *back;
        fa_synchronize(DEVICE(i));
        test_devices_delay(-1);
        fa_add(x, 1);
        back = fa_cpu(x);
        fflush(stdout);
        fa_transfers_reset();
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit(!arrived(back, DEVICE(i)));
        }
        int status = -1;
        assert_true(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        assert_true(waited_for_the_fork(DEVICE_NAME(i)));
        test_devices_delay(0);
        assert_true(fa_item(fa_sum(back)) == 2000 && fa_is_available(DEVICE(i)));
    }
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_child_has_what_was_on_its_way_to_the_host),
                                       TEST(a_child_computes_whatever_other_threads_held)};
    return RUN("forks");
}
