/* Rows on the first OpenCL device; where there is none they say so. The limits are those of the host's memory, which is
 * what drivers for CPUs, such as PoCL, have; a GPU's own memory is faster, and its bus slower. */
#include "row.h"
#include <facula/facula.h>

#define MILLION INT64_C(1048576)
#define MEBI 1048576.0

enum { AT_ONCE = 256 /* calls that are issued before the device is waited for: less than a queue holds */ };

static fa_tensor *x, *y, *out;

/* ---- four elements: what a call costs the host, while the device works on earlier ones ---- */
static void open_tiny(void)
{
    fa_device device = fa_device_of("opencl:0");
    x = fa_to(fa_tensor_of(1.0, 2.0, 3.0, 4.0), device);
    y = fa_to(fa_tensor_of(10.0, 20.0, 30.0, 40.0), device);
}

static void issue(int64_t count)
{
    for (; count > 0 && !fa_failed(); count -= AT_ONCE) {
        FA_REPEAT (count < AT_ONCE ? count : AT_ONCE)
            fa_add(x, y);
        bench_pause();
        fa_synchronize(FA_OPENCL(0));
        bench_resume();
    }
}

/* ---- many elements ---- */
static void open_host(void)
{
    out = fa_zeros(FA_SHAPE(16 * MILLION), .device = fa_device_of("opencl:0"));
    x = fa_rand(FA_SHAPE(16 * MILLION));
}

static void open_device(void)
{
    open_host();
    x = fa_to(x, FA_OPENCL(0));
    y = fa_clone(x);
}

static void open_back(void)
{
    open_device();
    out = fa_zeros(FA_SHAPE(16 * MILLION));
}

static void copy(int64_t count)
{
    FA_REPEAT (count) {
        fa_copy_(out, x);
        fa_synchronize(FA_OPENCL(0));
    }
}

static void add(int64_t count)
{
    FA_REPEAT (count)
        fa_add(x, y, .out = out);
    fa_synchronize(FA_OPENCL(0));
}

const bench_row bench_opencl[] = {
    {"opencl_tiny_add", BENCH_MICROSECONDS, 0, BENCH_NO_LIMIT, open_tiny, issue},
    {"opencl_to_device", BENCH_GIGABYTES, 0, {.copy = 128 * MEBI}, open_host, copy},
    {"opencl_to_host", BENCH_GIGABYTES, 0, {.copy = 128 * MEBI}, open_back, copy},
    {"opencl_add_16m", BENCH_GIGABYTES, 0, {.add = 192 * MEBI}, open_device, add},
    {0},
};
