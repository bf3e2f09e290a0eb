/* The process ends while its other threads compute: what they use stays until they are no more. Each case runs in a
 * process of its own, this program with the device's name as its argument. */
#define _GNU_SOURCE
#include "api_test.h"
#include <facula/facula.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
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

static void test_end(void **state)
{
    const char *name = *state;
    char self[4096] = ""; /* by its name: tools that run it see through readlink only */
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    if (!strncmp(name, "opencl", 6) && !fa_device_count("opencl", NULL))
        skip();
    for (int i = 0; i < TIMES; i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60);
            execl(self, self, name, NULL);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(int count, char **arguments)
{
    if (count > 1)
        return end_while_others_compute(arguments[1]);
    const struct CMUnitTest tests[] = {
        {"cpu", test_end, NULL, NULL, "cpu"},
        {"late", test_end, NULL, NULL, "late:0"},
        {"opencl", test_end, NULL, NULL, "opencl:0"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
