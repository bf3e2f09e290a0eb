/* Devices: which there are and can be used, what they can do, opening and closing. */
#include "backend/gpu/cuda/cuda.h"
#include "base/error.h"
#include "base/text.h"
#include <string.h>

static fa__cuda_device devices[FA__CUDA_DEVICES];
static int count;
static char why[900]; /* there is none, or others than those that there are cannot be used */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- questions; what is not known is 0 ---- */
static int attribute(const fa__cuda_device *o, CUdevice_attribute what)
{
    int value = 0;
    return fa__cuda.cuDeviceGetAttribute(&value, what, o->id) == CUDA_SUCCESS ? value : 0;
}

static int driver_version(void)
{
    int version = 0;
    return fa__cuda.cuDriverGetVersion(&version) == CUDA_SUCCESS ? version : 0;
}

/* ---- what there is ---- */
#define SAY(...) fa__text_add_clause(why, sizeof why, __VA_ARGS__)

/* The latest architecture that NVRTC compiles for and the device runs; 0: none. */
static int target_for(int capability)
{
    int architectures[128] = {0}, known = 0, best = 0;
    if (fa__nvrtc.nvrtcGetNumSupportedArchs(&known) != NVRTC_SUCCESS || known > 128
        || fa__nvrtc.nvrtcGetSupportedArchs(architectures) != NVRTC_SUCCESS)
        return 0;
    for (int i = 0; i < known; i++)
        if (architectures[i] <= capability && architectures[i] > best)
            best = architectures[i];
    return best;
}

static void learn_identity(fa__cuda_device *o)
{
    int major = 0, minor = 0;
    fa__nvrtc.nvrtcVersion(&major, &minor);
    snprintf(o->gpu.identity, sizeof o->gpu.identity, "cuda|%s|%d|%d|%d|%d.%d", o->name, o->capability, o->target,
             driver_version(), major, minor);
}

static bool is_known(fa__cuda_device *o, int number)
{
    return fa__cuda.cuDeviceGet(&o->id, number) == CUDA_SUCCESS
           && fa__cuda.cuDeviceGetName(o->name, sizeof o->name, o->id) == CUDA_SUCCESS;
}

/* False: the driver does not tell what is needed. */
static bool learn(fa__cuda_device *o)
{
    int units = attribute(o, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    o->capability = 10 * attribute(o, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
                    + attribute(o, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    o->target = target_for(o->capability);
    o->gpu.f64 = o->gpu.bit_equal = o->gpu.pinned = true;
    o->gpu.tensor = o->target >= 80;
    o->gpu.groups = (uint64_t)(units ? units : 1) * 16;
    o->gpu.max_group = (uint64_t)attribute(o, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    o->gpu.max_args = 4096;
    learn_identity(o);
    return o->capability && o->gpu.max_group;
}

/* Where it is not, it is said why. */
static bool is_fit(const fa__cuda_device *o, int number)
{
    int major = 0, minor = 0;
    if (o->target && o->gpu.max_group >= fa__gpu_largest_group())
        return true;
    fa__nvrtc.nvrtcVersion(&major, &minor);
    if (!o->target)
        SAY("GPU %d (%s) has compute capability %d.%d, for which NVRTC %d.%d does not compile", number, o->name,
            o->capability / 10, o->capability % 10, major, minor);
    else
        SAY("GPU %d (%s) has groups of %d threads at most, and kernels have %u", number, o->name, (int)o->gpu.max_group,
            (unsigned)fa__gpu_largest_group());
    return false;
}

static void add_device(int number)
{
    fa__cuda_device o = {.gpu.ranges.lock = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!is_known(&o, number) || !learn(&o))
        SAY("GPU %d does not answer", number);
    else if (count == FA__CUDA_DEVICES)
        SAY("GPU %d is one too many", number);
    else if (is_fit(&o, number))
        devices[count++] = o;
}

static void find(void)
{
    const char *reason = NULL;
    int found = 0;
    if (!fa__cuda_load(&found, &reason)) {
        SAY("%s", reason);
        return;
    }
    for (int i = 0; i < found; i++)
        add_device(i);
}

int fa__cuda_count(void)
{
    pthread_once(&once, find);
    return count;
}

const char *fa__cuda_why(void)
{
    pthread_once(&once, find);
    return why;
}

/* ---- what a device can do ---- */
void fa__cuda_properties(fa__device *d, fa_device_properties *p)
{
    const fa__cuda_device *o = fa__cuda_own(d);
    int version = driver_version();
    fa__text name = fa__text_in(p->name, sizeof p->name), driver = fa__text_in(p->driver, sizeof p->driver);
    fa__text_add(&name, "%s", o->name);
    fa__text_add(&driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    size_t memory = 0;
    p->memory = fa__cuda.cuDeviceTotalMem_v2(&memory, o->id) == CUDA_SUCCESS ? memory : 0;
    p->units = attribute(o, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    p->clock = attribute(o, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    p->bit_equal = o->gpu.bit_equal;
}

/* ---- opening and closing; the registry's lock is held ---- */
/* Copies between two open devices go straight from one memory to the other where the machine can do that. Where it
 * cannot, the driver copies by way of the host: no failure of this is an error. */
static void meet_others(fa__cuda_device *o)
{
    for (int i = 0; i < count; i++) {
        fa__cuda_device *other = &devices[i];
        int can = 0;
        if (other == o || !other->context || fa__cuda.cuDeviceCanAccessPeer(&can, o->id, other->id) || !can)
            continue;
        FA__CUDA(o, cuCtxEnablePeerAccess, other->context, 0);
        FA__CUDA(other, cuCtxEnablePeerAccess, o->context, 0);
        fa__cuda_virtual_share(o, other);
        fa__cuda_virtual_share(other, o);
    }
}

static bool start_clock(fa__device *d)
{
    fa__cuda_device *o = fa__cuda_own(d);
    o->base_ns = 0;
    return FA__CUDA_TRY(d, cuEventCreate, &o->base, 0) && FA__CUDA_TRY(d, cuEventRecord, o->base, NULL)
           && FA__CUDA_TRY(d, cuEventSynchronize, o->base);
}

bool fa__cuda_context_adopt(int index, CUcontext context)
{
    fa__cuda_device *o = &devices[index], there = {.context = context};
    CUdevice of = -1;
    if (o->context && o->context != context)
        return fa__fail(FA_ERROR_STATE, "fa_cuda_context_adopt: cuda:%d is used already, with another context", index);
    if (FA__CUDA(&there, cuCtxGetDevice, &of) || of != o->id)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_cuda_context_adopt: it is no context of cuda:%d", index);
    o->adopted = context;
    return true;
}

bool fa__cuda_open(fa__device *d)
{
    fa__cuda_device *o = &devices[d->id.index];
    d->own = o;
    o->context = o->adopted;
    if (!o->context
        && !fa__cuda_good(d, fa__cuda.cuDevicePrimaryCtxRetain(&o->context, o->id), "cuDevicePrimaryCtxRetain")) {
        o->context = NULL;
        return false;
    }
    if (!start_clock(d)) {
        fa__cuda_close(d);
        return false;
    }
    fa__cuda_virtual_open(o);
    meet_others(o);
    return true;
}

void fa__cuda_close(fa__device *d)
{
    fa__cuda_device *o = fa__cuda_own(d);
    fa__cuda_cublaslt_close(d);
    fa__cuda_cudnn_close(d);
    if (o->base)
        FA__CUDA(o, cuEventDestroy_v2, o->base);
    if (!o->adopted)
        fa__cuda.cuDevicePrimaryCtxRelease_v2(o->id);
    o->base = NULL;
    o->context = NULL;
}
