/* Two devices of OpenCL, the driver's table, kernels of our own. */
#include "support/opencl.h"
#include "base/alloc.h"

fa__opencl_api opencl_real;
char opencl_said[8192];

static void listen(void *context, fa_log_level level, const char *message)
{
    (void)context, (void)level;
    size_t length = strlen(opencl_said);
    snprintf(opencl_said + length, sizeof opencl_said - length, "%s\n", message);
}

bool opencl_there(void)
{
    const char *why;
    setenv("POCL_DEVICES", "pthread pthread", 0);
    if (fa_device_count("opencl", &why) < 2) {
        printf("skipped: there are no two OpenCL devices here: %s\n", why);
        return false;
    }
    fa_set_log(listen, NULL);
    return true;
}

fa__device *opencl_device(int i)
{
    fa__device *d = fa__device_get(FA_OPENCL(i));
    assert_non_null(d);
    return d;
}

void use_pinned(bool pinned)
{
    for (int i = 0; i < 2; i++)
        fa__gpu_own(opencl_device(i))->pinned = pinned;
}

int opencl_begin(void **state)
{
    (void)state;
    use_pinned(false);
    opencl_real = fa__opencl;
    opencl_said[0] = 0;
    fa_transfers_reset();
    fa_error_clear();
    return 0;
}

int opencl_end(void **state)
{
    (void)state;
    fa__inject(0);
    fa_synchronize(FA_OPENCL(0));
    fa_synchronize(FA_OPENCL(1));
    if (memcmp(&fa__opencl, &opencl_real, sizeof opencl_real)) /* a test that failed left something in there */
        fa__opencl = opencl_real;
    fa__order_reap(true);
    use_pinned(false);
    if (fa_failed())
        print_message("left behind: %s\n", fa_error_message());
    return fa_failed() ? -1 : 0;
}

/* ---- kernels of our own ---- */
const char opencl_source[] =
    KERNEL_HEAD "add" KERNEL_WORDS "int value, long n) {\n"
                "    __global int *x = (__global int *)(b + at);\n"
                "    if (fault[0]) return;\n"
                "    if ((long)get_global_id(0) < n) x[get_global_id(0)] += value;\n"
                "}\n"
    /* 1 after a long time: x is 0 until then */
    KERNEL_HEAD "slow" KERNEL_WORDS "int turns) {\n"
                "    __global volatile int *x = (__global volatile int *)(b + at);\n"
                "    for (int i = 0; i < turns; i++) x[1] = x[1] * 3 + i;\n"
                "    if (get_global_id(0) == 0) x[0] = 1;\n"
                "}\n"
    /* what is beyond `size` is a fault */
    KERNEL_HEAD "check" KERNEL_WORDS "long size) {\n"
                "    __global int *x = (__global int *)(b + at);\n"
                "    if (fault[0]) return;\n"
                "    if (get_global_id(0) == 0 && x[0] >= size) {\n"
                "        fault[1] = 2; ((__global long *)fault)[1] = x[0]; ((__global long *)fault)[2] = size;\n"
                "        ((__global long *)fault)[3] = 7; fault[0] = 5;\n"
                "    }\n"
                "}\n";

fa__gpu_kernel build_kernel(int d, const char *entry)
{
    fa__gpu_kernel k = {.handle = fa__opencl_driver.build(opencl_device(d), opencl_source, entry, NULL, NULL),
                        .group = {GROUP, 1},
                        .name = entry};
    if (!k.handle)
        fail_msg("%s\n%s", fa_error_message(), opencl_said);
    return k;
}

void drop_kernel(int d, fa__gpu_kernel *k)
{
    fa__opencl_driver.kernel_free(opencl_device(d), k->handle);
}

/* As dispatch does: what was reported is cleared first. */
uint64_t launch_for(fa__queue *q, const fa__launch *l, const fa__gpu_kernel *k, uint64_t groups,
                    const fa__gpu_args *args)
{
    pthread_mutex_lock(&q->device->lock);
    fa__gpu_issue issue = fa__gpu_issue_begin(q, l);
    uint64_t ticket = fa__gpu_ready(q) ? fa__gpu_launch_groups(&issue, k, (uint64_t[3]){groups, 1, 1}, args) : 0;
    fa__gpu_issue_end(&issue);
    pthread_mutex_unlock(&q->device->lock);
    return ticket;
}

uint64_t launch_add(fa__queue *q, const fa__gpu_kernel *k, void *data, int value, int64_t n)
{
    const fa__gpu_args args = {.arg = {{data, 0}, {&value, sizeof value}, {&n, sizeof n}}, .count = 3};
    return launch_for(q, NULL, k, (uint64_t)(n + GROUP - 1) / GROUP, &args);
}

uint64_t launch_slow(fa__queue *q, const fa__gpu_kernel *k, void *data, int turns)
{
    const fa__gpu_args args = {.arg = {{data, 0}, {&turns, sizeof turns}}, .count = 2};
    return launch_for(q, NULL, k, 1, &args);
}

uint64_t launch_check(fa__queue *q, const fa__gpu_kernel *k, void *data, int64_t size)
{
    return launch_check_for(q, NULL, k, data, size);
}

uint64_t launch_check_for(fa__queue *q, const fa__launch *l, const fa__gpu_kernel *k, void *data, int64_t size)
{
    const fa__gpu_args args = {.arg = {{data, 0}, {&size, sizeof size}}, .count = 2};
    return launch_for(q, l, k, 1, &args);
}

void wrote(fa__storage *s, uint64_t ticket)
{
    assert_true(ticket != 0);
    assert_true(fa__after_write(s, (fa__sync_point){s->device->queue, ticket}, &op_copy));
}

int first_of(fa__storage *s)
{
    fa__storage *host = new_storage(FA_CPU, s->bytes);
    int first = -1;
    if (copy(&op_back, host, s) && fa__before_read(host, NULL, &op_back))
        first = *(int *)host->data;
    fa__unref(host);
    return first;
}
