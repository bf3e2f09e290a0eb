/* The process ends while its other threads compute: what they use stays until they are no more. Each case runs in a
 * process of its own, this program with its number as the argument. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <facula/facula.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, TIMES = 3 };
static fa_device device;
static fa_tensor *ones; /* the first thread's, which is the one that ends the process */
static atomic_int running;

/* Errors are what may be had: a device's driver may be gone. */
static void *compute(void *unused)
{
    (void)unused;
    for (bool first = true;; first = false) {
        FA_SCOPE;
        fa_tensor *x = fa_to(fa_full(FA_SHAPE(50, 50), 2.0), device);
        fa_tensor *y = fa_pointwise("x * 3 + exp(y)", fa_add(x, x), fa_neg(ones));
        fa_item(fa_sum(fa_matmul(y, fa_add(fa_t(x), ones))));
        fa_error_clear();
        running += first;
    }
    return NULL;
}

/* The C library empties its streams last of all, so that this is when the threads meet what was freed. */
static ssize_t linger(void *unused, const char *text, size_t size)
{
    (void)unused, (void)text;
    usleep(100000);
    return (ssize_t)size;
}

static int end_while_others_compute(const char *name)
{
    device = fa_device_of(name);
    ones = fa_ones(FA_SHAPE(50, 50), .device = device);
    FILE *last = fopencookie(NULL, "w", (cookie_io_functions_t){.write = linger});
    pthread_t thread;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, compute, NULL))
            return 1;
    while (running < THREADS)
        usleep(1000);
    return !last || fputs("the end", last) < 0 || fa_failed();
}

/* Kernels that no driver has compiled yet, which nobody waits for. */
static void *issue(void *name)
{
    char expression[100];
    FA_SCOPE;
    for (int i = 0; i < THREADS; i++) {
        snprintf(expression, sizeof expression, "exp(x) + %d.%d", (int)getpid(), i);
        fa_sum(fa_pointwise(expression, fa_ones(FA_SHAPE(10), .device = fa_device_of(name))));
    }
    return NULL;
}

static int end_behind_a_thread(const char *name)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, issue, (void *)(uintptr_t)name) || pthread_join(thread, NULL);
}

static void *issue_and_exit(void *name)
{
    issue(name);
    exit(0);
}

/* The main thread lives on, and has used the device. */
static int end_in_a_thread(const char *name)
{
    pthread_t thread;
    ones = fa_ones(FA_SHAPE(50, 50), .device = fa_device_of(name));
    if (!pthread_create(&thread, NULL, issue_and_exit, (void *)(uintptr_t)name))
        pause();
    return 1;
}

/* A device's name, and how the process ends. */
typedef struct ending {
    const char *device, *number;
    int (*how)(const char *);
} ending;

static ending endings[] = {{"cpu", "0", end_while_others_compute},
                           {"late:0", "1", end_while_others_compute},
                           {"opencl:0", "2", end_while_others_compute},
                           {"opencl:0", "3", end_behind_a_thread},
                           {"opencl:0", "4", end_in_a_thread}};

/* The thread sanitizer does not see what OpenCL's drivers do before they say that work has ended. */
static bool can_run(const char *name)
{
#ifdef API_TSAN
    return strncmp(name, "opencl", 6) != 0;
#else
    return strncmp(name, "opencl", 6) != 0 || fa_device_count("opencl", NULL);
#endif
}

static void test_end(void **state)
{
    const ending *e = *state;
    char self[4096] = ""; /* by its name: tools that run it see through readlink only */
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    if (!can_run(e->device))
        skip();
    for (int i = 0; i < TIMES; i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60);
            execl(self, self, e->number, NULL);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(int count, char **arguments)
{
    if (count > 1) {
        const ending *e = &endings[atoi(arguments[1])];
        return e->how(e->device);
    }
    const struct CMUnitTest tests[] = {
        {"cpu", test_end, NULL, NULL, &endings[0]},
        {"late", test_end, NULL, NULL, &endings[1]},
        {"opencl", test_end, NULL, NULL, &endings[2]},
        {"opencl_behind_a_thread", test_end, NULL, NULL, &endings[3]},
        {"opencl_in_a_thread", test_end, NULL, NULL, &endings[4]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
