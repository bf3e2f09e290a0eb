/* What the OpenCL driver alone takes to issue a small launch: clEnqueueNDRangeKernel of an addition of 4 floats, with
 * the arguments of the kernel behind fa_add, on one in-order queue of the first device. It is the floor of the row
 * opencl_tiny_add. "opencl_floor 3" also sets three arguments before each launch. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAUNCHES = 256 /* before the device is waited for, as in the row */, ROUNDS = 400 };

static struct {
    int32_t (*clGetPlatformIDs)(uint32_t, void **, uint32_t *);
    int32_t (*clGetDeviceIDs)(void *, uint64_t, uint32_t, void **, uint32_t *);
    void *(*clCreateContext)(const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *);
    void *(*clCreateCommandQueue)(void *, void *, uint64_t, int32_t *);
    void *(*clCreateProgramWithSource)(void *, uint32_t, const char **, const size_t *, int32_t *);
    int32_t (*clBuildProgram)(void *, uint32_t, void *const *, const char *, void *, void *);
    void *(*clCreateKernel)(void *, const char *, int32_t *);
    void *(*clCreateBuffer)(void *, uint64_t, size_t, void *, int32_t *);
    int32_t (*clSetKernelArg)(void *, uint32_t, size_t, const void *);
    int32_t (*clEnqueueNDRangeKernel)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *,
                                      uint32_t, void *, void *);
    int32_t (*clFinish)(void *);
} cl;

static const char *const names[] = {
    "clGetPlatformIDs", "clGetDeviceIDs", "clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
    "clBuildProgram",   "clCreateKernel", "clCreateBuffer",  "clSetKernelArg",       "clEnqueueNDRangeKernel",
    "clFinish"};
_Static_assert(sizeof names / sizeof *names == sizeof cl / sizeof(void (*)(void)), "a name for each function");

typedef struct words {
    int64_t word[14];
} words;

static const char *source =
    "typedef struct { long word[14]; } words;\n"
    "__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void add(__global uchar *fault, int careful,\n"
    "    __global uchar *y, long y_at, __global uchar *a, long a_at, __global uchar *b, long b_at, words p)\n"
    "{\n"
    "    long i = get_global_id(0);\n"
    "    if (i < p.word[0])\n"
    "        ((__global float4 *)(y + y_at))[i] =\n"
    "            ((__global float4 *)(a + a_at))[i] + ((__global float4 *)(b + b_at))[i];\n"
    "}\n";

static void *queue, *kernel, *buffer;

static void fail(const char *what)
{
    fprintf(stderr, "opencl_floor: %s\n", what);
    exit(1);
}

static void load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function)
            fail("there is no OpenCL");
        memcpy((char *)&cl + i * sizeof function, &function, sizeof function);
    }
}

static void set_arguments(uint32_t from, uint32_t to)
{
    static const int32_t careful = 0;
    static const int64_t offset = 0;
    static const words p = {{1}};
    for (uint32_t i = from; i < to; i++)
        if (i == 1)
            cl.clSetKernelArg(kernel, i, sizeof careful, &careful);
        else if (i == 8)
            cl.clSetKernelArg(kernel, i, sizeof p, &p);
        else if (i == 0 || i % 2 == 0)
            cl.clSetKernelArg(kernel, i, sizeof buffer, &buffer);
        else
            cl.clSetKernelArg(kernel, i, sizeof offset, &offset);
}

static void open_device(void)
{
    enum { ALL = -1, PROFILED = 1 << 1, READ_WRITE = 1 };
    void *platform = NULL, *device = NULL;
    int32_t status = 0;
    if (cl.clGetPlatformIDs(1, &platform, NULL) || cl.clGetDeviceIDs(platform, (uint32_t)ALL, 1, &device, NULL))
        fail("there is no device");
    void *context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    void *program = cl.clCreateProgramWithSource(context, 1, &source, NULL, &status);
    if (cl.clBuildProgram(program, 1, &device, "", NULL, NULL))
        fail("the kernel was not built");
    queue = cl.clCreateCommandQueue(context, device, PROFILED, &status);
    kernel = cl.clCreateKernel(program, "add", &status);
    buffer = cl.clCreateBuffer(context, READ_WRITE, 1 << 20, NULL, &status);
    set_arguments(0, 9);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **text)
{
    const uint32_t set = count > 1 ? (uint32_t)strtoul(text[1], NULL, 10) : 0;
    const size_t size[3] = {256, 1, 1};
    static double taken[ROUNDS];
    load();
    open_device();
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < LAUNCHES; i++) {
            set_arguments(9 - (set < 9 ? set : 9), 9);
            if (cl.clEnqueueNDRangeKernel(queue, kernel, 3, NULL, size, size, 0, NULL, NULL))
                fail("a launch failed");
        }
        taken[round] = (now() - start) / LAUNCHES;
        cl.clFinish(queue);
    }
    qsort(taken, ROUNDS, sizeof *taken, by_value);
    printf("one launch, %u arguments set: %.2f us at least, median %.2f us\n", (unsigned)set, taken[0],
           taken[ROUNDS / 2]);
    return 0;
}
