/* Functions of the program's that the library calls when a thread or the process ends may use the library. Each case
 * runs in a process of its own, this program with the case's name as its argument: it says on its standard output what
 * was called, and ends with 0. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <facula/facula.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *word)
{
    if (write(STDOUT_FILENO, word, strlen(word)) < 0)
        _exit(3);
}

/* Computes with everything that is taken apart at the end: rows' and users' expressions, memory, gradients, threads. */
static bool compute(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(100, 1000), 2.0, .requires_grad = true);
    fa_tensor *y = fa_sum(fa_pointwise("x * 3 + exp(y)", fa_add(x, x), 0));
    return fa_item(y) == 1300000 && fa_backward(y) && fa_item(fa_get(fa_grad(x), "0, 0")) == 6;
}

static void use(const char *word)
{
    say(word);
    if (!compute())
        _exit(2);
}

static void use_in_free(void *context, void *data)
{
    (void)data;
    use(context);
}

static void use_in_log(void *context, fa_log_level level, const char *message)
{
    (void)context;
    use(level == FA_LOG_ERROR && strstr(message, "nobody asks") ? "log " : "wrong ");
}

/* Goes wrong once itself. */
static void fail_in_log(void *context, fa_log_level level, const char *message)
{
    static int calls;
    use_in_log(context, level, message);
    if (calls++ == 0)
        fa_fail(FA_ERROR_USER, "nobody asks again");
}

static void fail_in_free(void *context, void *data)
{
    use_in_free(context, data);
    fa_fail(FA_ERROR_USER, "nobody asks");
}

static float memory[1000];

static fa_tensor *borrowed(void (*release)(void *, void *), char *word, fa_device device)
{
    return fa_tensor_borrow(memory, FA_SHAPE(1000), .free = release, .ctx = word, .device = device);
}

static void log_at_the_end(void)
{
    fa_set_log(use_in_log, NULL);
    compute();
    fa_fail(FA_ERROR_USER, "nobody asks");
}

static void log_without_work(void)
{
    fa_set_log(use_in_log, NULL);
    fa_fail(FA_ERROR_USER, "nobody asks");
}

static void log_that_fails(void)
{
    fa_set_log(fail_in_log, NULL);
    compute();
    fa_fail(FA_ERROR_USER, "nobody asks");
}

static void free_at_the_end(void)
{
    compute();
    borrowed(use_in_free, "free ", FA_CPU);
}

/* The device still works on it when the scope that owns it ends. */
static void free_after_late_work(void)
{
    setenv("FACULA_LATE_DELAY_US", "50000", 1);
    compute();
    fa_copy_(fa_zeros(FA_SHAPE(1000), .device = FA_LATE(0)), borrowed(use_in_free, "free ", FA_CPU));
}

static void free_that_fails(void)
{
    fa_set_log(use_in_log, NULL);
    compute();
    borrowed(fail_in_free, "free ", FA_CPU);
}

static void *fail_in_thread(void *unused)
{
    (void)unused;
    compute();
    fa_fail(FA_ERROR_USER, "nobody asks");
    return NULL;
}

static void log_in_a_thread(void)
{
    pthread_t thread;
    fa_set_log(use_in_log, NULL);
    if (pthread_create(&thread, NULL, fail_in_thread, NULL) || pthread_join(thread, NULL))
        _exit(1);
    compute();
    fa_fail(FA_ERROR_USER, "nobody asks");
}

/* The slot for errors and the settings are those of a block that is no more. */
static void *leave_thread(void *unused)
{
    (void)unused;
    fa_error caught = {0};
    FA_USE(.catch_errors = &caught, .device = FA_META);
    borrowed(use_in_free, "free ", FA_CPU);
    pthread_exit(NULL);
}

static void free_in_a_thread_that_leaves(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, leave_thread, NULL) || pthread_join(thread, NULL))
        _exit(1);
}

static const struct row {
    const char *name;
    void (*run)(void);
    const char *says;
} rows[] = {
    {"log_at_the_end", log_at_the_end, "log "},
    {"log_without_work", log_without_work, "log "},
    {"log_that_fails", log_that_fails, "log log "},
    {"free_at_the_end", free_at_the_end, "free "},
    {"free_after_late_work", free_after_late_work, "free "},
    {"free_that_fails", free_that_fails, "free log "},
    {"log_in_a_thread", log_in_a_thread, "log log "},
    {"free_in_a_thread_that_leaves", free_in_a_thread_that_leaves, "free "},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void test_row(void **state)
{
    const struct row *row = (const struct row *)*state;
    char self[4096] = "", said[256] = ""; /* by its name: tools that run it see through readlink only */
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        dup2(pipes[1], STDOUT_FILENO);
        execl(self, self, row->name, NULL);
        _exit(1);
    }
    close(pipes[1]);
    for (size_t n = 0; n < sizeof said - 1;) {
        ssize_t more = read(pipes[0], said + n, sizeof said - 1 - n);
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(said, row->says);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[ROWS];
    for (int i = 0; i < ROWS; i++) {
        if (count > 1 && strcmp(arguments[1], rows[i].name) == 0)
            return rows[i].run(), 0;
        tests[i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = test_row, .initial_state = (void *)(uintptr_t)&rows[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
