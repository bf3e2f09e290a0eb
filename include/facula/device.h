/** @file
 *  Devices: finding them and their properties, streams and events, memory statistics, and transfer statistics. */
#ifndef FACULA_DEVICE_H
#define FACULA_DEVICE_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup device Devices
 *  @{ */

/** Properties of a device. */
typedef struct fa_device_properties {
    char name[96];   /**< name given by the vendor */
    char driver[64]; /**< driver version or CPU instruction set */
    size_t memory;   /**< total bytes; 0: unknown */
    int units;       /**< number of cores, multiprocessors or compute units */
    int clock;       /**< clock rate in MHz; 0: unknown */
    bool bit_equal;  /**< pointwise operations, reductions and random numbers are bit-identical to the CPU's */
} fa_device_properties;

/** The device with the given name: "cpu", "cuda", "cuda:1", "opencl:0", "late:1", "meta". Options take a literal name
 * as it is, with the same errors: fa_zeros(FA_SHAPE(3), .device = "cuda:1").
 *  @return the device; kind -1 and an error that lists the available devices: FA_ERROR_UNAVAILABLE if there are none
 *  of that kind, FA_ERROR_DEVICE for an invalid name or number */
FA_API fa_device fa_device_of(const char *text);

/** The first available of: a CUDA device, an OpenCL GPU, the CPU. The environment variable FACULA_DEVICE overrides
 *  the choice. Never fails. */
FA_API fa_device fa_device_best(void);

/** Returns true if the device, or the device with this name ("cuda:1"), can be used. Sets no error. */
FA_API bool fa_is_available(fa_device device);
FA_API bool fa__is_available_named(const char *name);
#ifdef __cplusplus
}
static inline bool fa__is_available(fa_device device)
{
    return fa_is_available(device);
}
static inline bool fa__is_available(const char *name)
{
    return fa__is_available_named(name);
}
#define fa_is_available(device) FA__CALLED(fa__is_available(device))
extern "C" {
#else
#define fa_is_available(device)                                                                                        \
    FA__CALLED(_Generic((device), fa_device: fa_is_available, char *: fa__is_available_named,                          \
                        const char *: fa__is_available_named)(device))
#endif

/** The name of a device, such as "cuda:1"; "unknown" if it is invalid. The string is static. */
FA_API const char *fa_device_name(fa_device device);

/** The number of usable devices of a kind: "cpu", "cuda", "opencl", "late", "meta". `*why` is set to a static string:
 *  why there are none, or which further devices of this kind are unusable and why; "" if there is nothing to report.
 *  `why` may be NULL. Sets no error. */
FA_API int fa_device_count(const char *kind, const char **why);

/** Fills `properties`. Returns false, zeros and an error if the device is not available. */
FA_API bool fa_device_info(fa_device device, fa_device_properties *properties);

/** The device on which new tensors are created: that of this thread's settings, or FA_CPU. With FA_USE(.placement =
 *  FA_PLACE_AUTO, .fallback = true), an unavailable device is replaced by the first available one of its kind, or
 *  else by fa_device_best(); FACULA_LOG=placement logs this. Otherwise it is returned as it is, and creating a tensor
 *  there fails with a list of the available devices. Sets no error. */
FA_API fa_device fa_device_current(void);

/** Returns true if `a` and `b` are the same device. The index -1 equals only -1. */
static inline bool fa_device_equal(fa_device a, fa_device b)
{
    return a.kind == b.kind && a.index == b.index;
}

/** Waits until a device has completed all work issued so far by any thread. Counted as a wait.
 *  @return false and an error if that work failed, if the device is not available, or if waiting is forbidden
 *  (FA_ERROR_SYNC) */
FA_API bool fa_synchronize(fa_device device);

/** @} */

/** @defgroup stream Streams and events
 *
 *  A stream is an additional queue of a device, so that independent work may run concurrently. An event marks a point
 *  in the work of a stream.
 *
 *      fa_stream *side = fa_stream_new(FA_CUDA(0));
 *      {
 *          FA_USE(.stream = side);
 *          y = fa_matmul(a, b);            // may overlap with work on the default queue
 *      }
 *      z = fa_add(y, 1);                   // on the default queue, after the product
 *
 *  - Work on the stream's device is issued to the stream, work on other devices to their default queues.
 *    FA_USE(.stream = NULL) returns to the default queue. Only one stream is active at a time, for all devices
 *    together.
 *  - **Tensors need no explicit synchronization.** A tensor records the queue that last wrote it and the queues that
 *    still read it; work on another stream is ordered after them. The same holds for memory that is freed and reused.
 *    Events are needed only for timing, and for dependencies that the library does not see.
 *  - A copy between two devices runs on the active stream if that belongs to one of them, otherwise on the default
 *    queue of the target.
 *  - fa_backward() runs each gradient function on the stream of its forward call.
 *  - The CPU and `meta` have no queues: their work is complete when a call returns. Streams and events of these
 *    devices exist, so that programs need no special case, but there is never anything to wait for.
 *
 *  Streams and events belong to the innermost scope, as tensors do (fa_keep(), fa_release()). A stream may be freed
 *  while its work is pending: the work still completes, and the host does not wait for it.
 *  @{ */

/** Creates a stream of a device. May be called from any thread.
 *  @param device the device; FA_CPU and FA_META are allowed. Kind 0: the device of the current settings
 *  @return the stream, owned by the innermost scope. NULL and an error if the device is not available or has no more
 *  queues, or if this call reports an error in the work of a stream that was freed */
FA_API fa_stream *fa_stream_new(fa_device device);

/** The device of a stream; kind 0 and an error if the argument is not a stream. May be called from any thread. */
FA_API fa_device fa_stream_device(const fa_stream *stream);

/** Waits until all work issued to a stream so far, by any thread, is complete. Counted as a wait if it is not
 *  complete yet. May be called from any thread.
 *  @return false and an error if that work failed, or if waiting is forbidden (FA_ERROR_SYNC) */
FA_API bool fa_stream_synchronize(fa_stream *stream);

/** Returns true if all work issued to a stream so far is complete. Does not wait, and does not report errors of that
 *  work. False and an error if the argument is not a stream. May be called from any thread. */
FA_API bool fa_stream_done(const fa_stream *stream);

/** Creates an event, which marks nothing until fa_event_record(). May be called from any thread.
 *  @return the event, owned by the innermost scope; NULL and an error if memory runs out */
FA_API fa_event *fa_event_new(void);

/** Makes an event mark the point at which all work issued to a stream so far is complete. An event may be recorded
 *  again; waits for its previous point are not affected.
 *  @param event  the event; no other thread may use it during the call
 *  @param stream the stream; NULL: the active stream, or the default queue of the current device
 *  @return false and an error if an argument is invalid, or if the device runs out of memory */
FA_API bool fa_event_record(fa_event *event, const fa_stream *stream);

/** Makes a stream wait for an event: work issued to the stream after this call starts only when the point that the
 *  event marks has been reached. The event may be of another device. The host does not wait, unless the stream is of
 *  the CPU; that wait is counted, and is an error if waiting is forbidden. May be called from any thread.
 *  @param event  an event that was recorded; otherwise FA_ERROR_STATE
 *  @param stream the stream that waits; NULL: the active stream, or the default queue of the current device
 *  @return false and an error on failure */
FA_API bool fa_event_wait(const fa_event *event, const fa_stream *stream);

/** Waits on the host for the point that an event marks. Counted as a wait if the point has not been reached yet. May
 *  be called from any thread.
 *  @return false and an error if the work before the point failed, if the event was not recorded (FA_ERROR_STATE), or
 *  if waiting is forbidden (FA_ERROR_SYNC) */
FA_API bool fa_event_synchronize(const fa_event *event);

/** Returns true if the point that an event marks has been reached. Does not wait. False and FA_ERROR_STATE if the
 *  event was not recorded. May be called from any thread. */
FA_API bool fa_event_done(const fa_event *event);

/** The time in milliseconds between the points that `start` and `end` mark, by the clock of the device. On the CPU,
 *  it is the time between the two calls of fa_event_record(). May be called from any thread.
 *  @return NaN and an error if an event was not recorded or not reached yet (FA_ERROR_STATE), if they are of
 *  different devices (FA_ERROR_DEVICE), or if the device cannot measure time (FA_ERROR_UNAVAILABLE) */
FA_API double fa_event_ms(const fa_event *start, const fa_event *end);

/** @} */

/** @defgroup memory Device memory
 *
 *  Statistics of a device's caching allocator, and a limit for it.
 *  @{ */

/** One statistic, in bytes or blocks. */
typedef struct fa_memory_count {
    size_t current, peak, total; /**< the present value; its maximum since the last reset; the sum of all increases */
} fa_memory_count;

/** Statistics of a device's caching allocator. */
typedef struct fa_memory {
    size_t allocated;          /**< bytes in blocks that are in use */
    size_t reserved;           /**< bytes allocated from the device, in use or cached */
    size_t peak;               /**< maximum of `allocated` since the last reset */
    fa_memory_count active;    /**< `allocated` with its peak and total */
    fa_memory_count requested; /**< bytes requested, before rounding up to block sizes */
    fa_memory_count segments;  /**< `reserved` with its peak and total */
    fa_memory_count blocks;    /**< number of blocks in use */
    size_t largest_free;       /**< bytes of the largest cached block */
    size_t retries;            /**< how often the cache was emptied because the device was out of memory */
    size_t failures;           /**< allocations that failed even after that */
    size_t limit;              /**< the limit that fa_memory_limit() set; 0: none */
    size_t spill;              /**< bytes of its tensors that may be in the host's memory (fa_memory_limit()) */
    fa_memory_count spilled;   /**< bytes of its tensors that are in the host's memory; total: that went there */
    size_t moved;              /**< bytes of tensors that were moved within the device to join free memory */
} fa_memory;

/** Returns the memory statistics of a device. For an unknown device: zeros and an error. */
FA_API fa_memory fa_memory_stats(fa_device device);

/** Writes the memory statistics of a device to `file` as a table, and the five largest tensors with the operation and
 *  line that made them. Tensors of up to 512 bytes in the host's memory are counted, but not listed. */
FA_API void fa_memory_summary(fa_device device, FILE *file);

/** Writes what a device's memory holds to `file`, as JSON: all segments that were allocated from the device with their
 *  blocks, and for each block in use the operation, line, dtype and shape of the tensor that it was allocated for.
 *
 *      {"device": "cpu", "allocated": 1048576, ..., "segments": [
 *        {"address": "0x7f...", "size": 20971520, "blocks": [
 *          {"offset": 0, "size": 1048576, "state": "used", "requested": 1048576, "operation": "matmul",
 *           "dtype": "f32", "shape": [512, 512], "line": "train.c:41"},
 *          {"offset": 1048576, "size": 19922944, "state": "free"}]}]}
 *
 *  A block without an operation is working memory. "pending" is a freed block that work of the device still uses. The
 *  page tools/memory.html draws the file. Memory of recorded graphs is part of the segments only once it is given back.
 *  Allocations of other threads wait until it is written.
 *  @param device the device; `meta` has no segments
 *  @param file   an open file, which stays open
 *  @return false and an error if the device is not available or writing failed */
FA_API bool fa_memory_snapshot(fa_device device, FILE *file);

/** Resets the peaks to the present values. */
FA_API void fa_memory_reset_peak(fa_device device);

/** Returns cached memory that is not in use to the device. Rarely needed, since an allocation that fails does this
 *  and tries again. */
FA_API void fa_empty_cache(fa_device device);

/** Options of fa_memory_limit(). */
typedef struct fa_memory_limit_options {
    size_t size;  /**< set by the macro */
    size_t spill; /**< bytes of the device's tensors that may be in the host's memory */
    char fa__end;
} fa_memory_limit_options;
#define FA__DEFAULT_fa_memory_limit                                                                                    \
    {                                                                                                                  \
        offsetof(fa_memory_limit_options, fa__end), 0, 0                                                               \
    }
/** Limits the memory that the library allocates from a device to `bytes`; 0, the default, means no limit. Memory is
 *  always allocated on demand, not in advance. Memory already allocated is kept. The limit has no effect on `meta`,
 *  which uses no memory. May be called from any thread.
 *
 *  An allocation that would exceed the limit, or for which the device has no memory, does what is needed of the
 *  following, and fails with FA_ERROR_MEMORY if that is not enough:
 *
 *  1. The cache is emptied (fa_empty_cache()).
 *  2. On devices other than the CPU: tensors are moved within the device, so that free memory between them comes
 *     together (fa_memory.moved).
 *  3. With `.spill`: the tensors that were used least recently go to the host's memory, up to that many bytes in all
 *     (fa_memory.spilled). They come back when an operation uses them. So a model larger than the device can be
 *     trained; what one operation uses has to fit. The copies are counted in fa_transfers_report() under
 *     `fa_memory_limit(.spill)`, and are an error where `.forbid = FA_TRANSFER` is set.
 *
 *  Values, versions and gradients are not affected, and the host does not wait for these copies. Memory that is
 *  borrowed, exported by fa_to_dlpack(), or used by a recorded graph (graph.h) stays where it is. While a device may
 *  spill, threads issue their work one at a time.
 *
 *      fa_memory_limit(device, bytes, .spill = 0)
 *      fa_memory_limit(FA_CUDA(0), 0, .spill = 64LL << 30) // what does not fit on the GPU goes to 64 GiB of the host's
 *
 *  @param device  the device
 *  @param bytes   the limit; 0: none
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error if the device is not available, or for `.spill` on the CPU or on `meta` */
FA_API bool fa_memory_limit(fa_device device, size_t bytes, const fa_memory_limit_options *options);
#define fa_memory_limit(...)                                                                                           \
    FA__CALL2(fa_memory_limit, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup transfers Transfer statistics
 *
 *  Counts of copies between devices and of waits of the host for a device. They are always on. Each is counted under
 *  the function that the program called, such as fa_to(), fa_item() or fa_backward(). Layers, optimizers, meters,
 *  loaders and files call other public functions, and their transfers are counted under these: fa_save() copies with
 *  fa_read(), for example. FA_USE(.forbid = FA_SYNC | FA_TRANSFER) makes transfers an error. All functions may be
 *  called from any thread.
 *  @{ */

/** Sums over all functions since the program started, or since fa_transfers_reset(). Times are in nanoseconds. */
typedef struct fa_transfers {
    uint64_t to_device, to_host,
        between; /**< number of copies from the host to a device, from a device to the host, and between devices */
    uint64_t bytes_to_device, bytes_to_host, bytes_between; /**< bytes of these copies */
    uint64_t copy_ns;        /**< time that devices spent on copies; pending copies are not included yet */
    uint64_t waits, wait_ns; /**< how often the host waited for a device, and for how long */
    uint64_t implicit,
        implicit_ns; /**< waits inside a driver, as far as known, such as for loading kernels or allocating */
} fa_transfers;

/** Returns the sums. */
FA_API fa_transfers fa_transfers_total(void);

/** Writes a table to `file`, with one line for each function and pair of devices: counts, bytes, time and GB/s. */
FA_API void fa_transfers_report(FILE *file);

/** Writes the table as JSON: {"copies": [...], "waits": [...], "total": {...}}. */
FA_API void fa_transfers_json(FILE *file);

/** Resets all counts to zero. */
FA_API void fa_transfers_reset(void);

/** @} */

FA__END
#endif
