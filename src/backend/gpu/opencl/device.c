/* Platforms and devices: which there are, what they can do, opening and closing. GPUs come first, otherwise devices are
 * numbered as the platforms name them. */
#include "backend/gpu/opencl/opencl.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 16 };

static fa__opencl_platform platforms[PLATFORMS];
static fa__opencl_device devices[FA__OPENCL_DEVICES];
static int count, gpus;
static char why[640]; /* there is none, or others than those that there are cannot be used */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- questions; what is not known is 0 or "" ---- */
static cl_ulong device_number(cl_device_id d, cl_uint what, size_t size)
{
    union {
        cl_uint u32;
        cl_ulong u64;
    } value = {.u64 = 0};
    size_t had = 0;
    if (fa__opencl.clGetDeviceInfo(d, what, size, &value, &had) != CL_SUCCESS || had != size)
        return 0;
    return size == sizeof value.u32 ? value.u32 : value.u64;
}

static cl_ulong number32(cl_device_id d, cl_uint what)
{
    return device_number(d, what, sizeof(cl_uint));
}

static cl_ulong number64(cl_device_id d, cl_uint what)
{
    return device_number(d, what, sizeof(cl_ulong));
}

enum { MOST_TEXT = 1024 };

/* Puts a text of the driver's into `out`, without the blanks around it, and cut to the room there is. */
static void put_text(char *out, size_t size, const char text[MOST_TEXT], cl_int status)
{
    fa__text to = fa__text_in(out, size);
    text += status == CL_SUCCESS ? strspn(text, " ") : strlen(text);
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        length--;
    fa__text_add(&to, "%.*s", (int)length, text);
}

static void device_text(cl_device_id d, cl_uint what, char *out, size_t size)
{
    char text[MOST_TEXT] = "";
    put_text(out, size, text, fa__opencl.clGetDeviceInfo(d, what, sizeof text - 1, text, NULL));
}

static void platform_text(cl_platform_id p, cl_uint what, char *out, size_t size)
{
    char text[MOST_TEXT] = "";
    put_text(out, size, text, fa__opencl.clGetPlatformInfo(p, what, sizeof text - 1, text, NULL));
}

/* ---- what there is ---- */
#define SAY(...) fa__text_add_clause(why, sizeof why, __VA_ARGS__)

/* "OpenCL 1.2 ..." or later */
static bool is_new_enough(cl_device_id d)
{
    char version[96];
    device_text(d, CL_DEVICE_VERSION, version, sizeof version);
    int major = 0, minor = 0;
    return sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 && (major > 1 || minor >= 2);
}

static const char *unfit(cl_device_id d)
{
    cl_ulong type = number64(d, CL_DEVICE_TYPE);
    char profile[32];
    device_text(d, CL_DEVICE_PROFILE, profile, sizeof profile);
    return count == FA__OPENCL_DEVICES                  ? "is one too many"
           : type & CL_DEVICE_TYPE_CUSTOM               ? "runs no kernels"
           : !number32(d, CL_DEVICE_AVAILABLE)          ? "is not available"
           : !strcmp(profile, "EMBEDDED_PROFILE")       ? "has OpenCL's embedded profile, not the full one"
           : !is_new_enough(d)                          ? "has no OpenCL 1.2"
           : !number32(d, CL_DEVICE_COMPILER_AVAILABLE) ? "has no compiler"
           : !number32(d, CL_DEVICE_ENDIAN_LITTLE)      ? "is big-endian"
                                                        : NULL;
}

static void learn_sizes(fa__opencl_device *o)
{
    cl_ulong units = number32(o->id, CL_DEVICE_MAX_COMPUTE_UNITS);
    o->gpu.groups = (units ? units : 1) * (o->is_gpu ? 16 : 2);
    o->gpu.max_group = device_number(o->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    o->gpu.max_args = (size_t)device_number(o->id, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t));
}

/* Where it is not, it is said why. */
static bool is_fit(unsigned number, const fa__opencl_device *o)
{
    const char *reason = unfit(o->id), *of = o->platform->name;
    unsigned largest = fa__gpu_largest_group();
    bool groups = o->gpu.max_group >= largest, arguments = o->gpu.max_args >= FA__GPU_LEAST_ARGS;
    if (reason)
        SAY("device %u of %s %s", number, of, reason);
    else if (!groups)
        SAY("device %u of %s has groups of %llu work-items at most, and kernels have %u", number, of,
            (unsigned long long)o->gpu.max_group, largest);
    else if (!arguments)
        SAY("device %u of %s takes %llu bytes of arguments at most, and kernels have %d", number, of,
            (unsigned long long)o->gpu.max_args, (int)FA__GPU_LEAST_ARGS);
    return !reason && groups && arguments;
}

static void add_devices(fa__opencl_platform *p)
{
    cl_device_id ids[FA__OPENCL_DEVICES];
    cl_uint found = 0;
    cl_int status = fa__opencl.clGetDeviceIDs(p->id, CL_DEVICE_TYPE_ALL, FA__OPENCL_DEVICES, ids, &found);
    if (status != CL_SUCCESS) {
        SAY("%s: %s", p->name, fa__opencl_error_name(status));
        return;
    }
    for (cl_uint i = 0; i < found && i < FA__OPENCL_DEVICES; i++) {
        fa__opencl_device o = {
            .id = ids[i], .platform = p, .is_gpu = number64(ids[i], CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU};
        learn_sizes(&o);
        if (!is_fit((unsigned)i, &o))
            continue;
        p->device[p->devices++] = ids[i];
        devices[count++] = o;
    }
    if (found > FA__OPENCL_DEVICES)
        SAY("%s has more than %d devices", p->name, FA__OPENCL_DEVICES);
}

/* The order among GPUs, and among the others, stays. */
static void put_gpus_first(void)
{
    for (int i = 0; i < count; i++) {
        fa__opencl_device d = devices[i];
        if (!d.is_gpu)
            continue;
        memmove(&devices[gpus + 1], &devices[gpus], (size_t)(i - gpus) * sizeof d);
        devices[gpus++] = d;
    }
}

static void find(void)
{
    const char *reason = NULL;
    if (!fa__opencl_load(&reason)) {
        SAY("%s", reason);
        return;
    }
    cl_platform_id ids[PLATFORMS];
    cl_uint found = 0;
    cl_int status = fa__opencl.clGetPlatformIDs(PLATFORMS, ids, &found);
    if (status != CL_SUCCESS || !found)
        SAY("no OpenCL driver is installed (clGetPlatformIDs: %s)", fa__opencl_error_name(status));
    for (cl_uint i = 0; status == CL_SUCCESS && i < found && i < PLATFORMS; i++) {
        fa__opencl_platform *p = &platforms[i];
        p->id = ids[i];
        platform_text(p->id, CL_PLATFORM_NAME, p->name, sizeof p->name);
        platform_text(p->id, CL_PLATFORM_VERSION, p->version, sizeof p->version);
        add_devices(p);
    }
    if (status == CL_SUCCESS && found > PLATFORMS)
        SAY("there are more than %d platforms", PLATFORMS);
    if (!count)
        SAY("no device can be used");
    put_gpus_first();
}

int fa__opencl_count(void)
{
    pthread_once(&once, find);
    return count;
}

int fa__opencl_gpus(void)
{
    pthread_once(&once, find);
    return gpus;
}

const char *fa__opencl_why(void)
{
    pthread_once(&once, find);
    return why;
}

/* ---- what a device can do ---- */
static void learn_arithmetic(fa__opencl_device *o)
{
    cl_ulong single = number64(o->id, CL_DEVICE_SINGLE_FP_CONFIG);
    cl_ulong exact = CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    o->correct = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    o->gpu.bit_equal = (single & exact) == exact;
    o->gpu.f64 = number64(o->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
}

static void learn_identity(fa__opencl_device *o)
{
    char name[96], vendor[96], version[128], driver[64];
    device_text(o->id, CL_DEVICE_NAME, name, sizeof name);
    device_text(o->id, CL_DEVICE_VENDOR, vendor, sizeof vendor);
    device_text(o->id, CL_DEVICE_VERSION, version, sizeof version);
    device_text(o->id, CL_DRIVER_VERSION, driver, sizeof driver);
    snprintf(o->gpu.identity, sizeof o->gpu.identity, "opencl|%s|%s|%s|%s|%s|%s|%d", o->platform->name,
             o->platform->version, name, vendor, version, driver, o->correct);
}

/* Pinned memory is for devices with memory of their own; FACULA_OPENCL_PINNED=1 has all use it, for tests. */
static bool wants_pinned(const fa__opencl_device *o)
{
    const char *forced = getenv("FACULA_OPENCL_PINNED");
    return (forced && !strcmp(forced, "1")) || !number32(o->id, CL_DEVICE_HOST_UNIFIED_MEMORY);
}

void fa__opencl_properties(fa__device *d, fa_device_properties *p)
{
    const fa__opencl_device *o = fa__opencl_own(d);
    device_text(o->id, CL_DEVICE_NAME, p->name, sizeof p->name);
    device_text(o->id, CL_DRIVER_VERSION, p->driver, sizeof p->driver);
    p->memory = (size_t)number64(o->id, CL_DEVICE_GLOBAL_MEM_SIZE);
    p->units = (int)number32(o->id, CL_DEVICE_MAX_COMPUTE_UNITS);
    p->clock = (int)number32(o->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    p->bit_equal = o->gpu.bit_equal;
}

/* ---- opening and closing; the registry's lock is held ---- */
bool fa__opencl_open(fa__device *d)
{
    fa__opencl_device *o = &devices[d->id.index];
    fa__opencl_platform *p = o->platform;
    cl_int status = CL_SUCCESS;
    learn_arithmetic(o);
    learn_identity(o);
    o->gpu.pinned = wants_pinned(o);
    o->gpu.platform = p;
    o->gpu.serial = !strcmp(p->name, "Oclgrind");
    o->gpu.caches = !strcmp(p->name, "Portable Computing Language");
    d->own = o;
    if (!p->context)
        p->context = fa__opencl.clCreateContext(NULL, p->devices, p->device, NULL, NULL, &status);
    p->open += status == CL_SUCCESS;
    return fa__opencl_good(d, status, "clCreateContext");
}

void fa__opencl_close(fa__device *d)
{
    fa__opencl_platform *p = fa__opencl_own(d)->platform;
    if (--p->open > 0)
        return;
    fa__opencl_clblast_end();
    fa__opencl.clReleaseContext(p->context);
    p->context = NULL;
}
