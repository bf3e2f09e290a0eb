/** @file
 *  Devices: which there are, what they can do, and moving between them. */
#ifndef FACULA_DEVICE_H
#define FACULA_DEVICE_H
#include <facula/types.h>

FA__BEGIN

/** What is known of a device. */
typedef struct fa_device_properties {
    char name[96];   /**< as its maker calls it */
    char driver[64]; /**< driver or instruction set */
    size_t memory;   /**< bytes in all; 0: not known */
    int units;       /**< cores, multiprocessors, compute units */
    int clock;       /**< MHz; 0: not known */
    bool bit_equal;  /**< pointwise operations, reductions and random numbers have the CPU's bits */
} fa_device_properties;

/** The device that a text names: "cpu", "cuda", "cuda:1", "opencl:0", "late:1", "meta".
 *  @return kind -1 and an error, which names what there is: FA_ERROR_UNAVAILABLE when there are none of that kind,
 *  FA_ERROR_DEVICE for another text or number */
FA_API fa_device fa_device_of(const char *text);

/** The first of CUDA, OpenCL GPU and CPU that is there; FACULA_DEVICE overrides. Never fails. */
FA_API fa_device fa_device_best(void);

/** Whether the device can be used. Raises no error. */
FA_API bool fa_is_available(fa_device device);

/** "cuda:1": a text that lives forever. "unknown" for what is no device. */
FA_API const char *fa_device_name(fa_device device);

/** How many devices of a kind there are: "cpu", "cuda", "opencl", "late", "meta". Raises no error: why there are none,
 * or which others there are that cannot be used, and why, is in *why, a text that lives forever; "" where there are no
 * others. `why` may be NULL. */
FA_API int fa_device_count(const char *kind, const char **why);

/** Fills `properties`; false, zeros and an error when the device is not there. */
FA_API bool fa_device_info(fa_device device, fa_device_properties *properties);

/** The device that new tensors are made on: that of this thread's settings in force, FA_CPU when they name none. With
 *  FA_USE(.placement = FA_PLACE_AUTO, .fallback = true) a device that is not there is replaced by the first one of its
 * kind that is, or by fa_device_best(): soft placement, which FACULA_LOG=placement tells of. Without, it stays, and
 * what is placed there fails with the list of what there is. Raises no error. */
FA_API fa_device fa_device_current(void);

/** Whether a and b are the same device. The index -1 is equal to itself only. */
static inline bool fa_device_equal(fa_device a, fa_device b)
{
    return a.kind == b.kind && a.index == b.index;
}

/** Waits until a device has done all work issued so far, by any thread. Counts as a wait.
 *  @return false and an error when something went wrong in that work, when the device is not there, or where waiting is
 *  forbidden (FA_ERROR_SYNC) */
FA_API bool fa_synchronize(fa_device device);

FA__END
#endif
