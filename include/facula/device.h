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

/** @defgroup stream Streams: queues of a device that the program asks for, so that work which does not depend on each
 * other may run side by side; and events, which mark a moment of a stream.
 *
 *      fa_stream *side = fa_stream_new(FA_CUDA(0));
 *      {
 *          FA_USE(.stream = side);
 *          y = fa_matmul(a, b);            // beside what the device's own queue does
 *      }
 *      z = fa_add(y, 1);                   // on the device's own queue, behind the product
 *
 *  - Work on the stream's device is issued to the stream; work on other devices to their own queues. FA_USE(.stream =
 *    NULL) goes back to the device's own queue. One stream is in force at a time, whatever device it is of.
 *  - **Tensors are ordered without the program's help.** A tensor remembers the queue that last wrote it and those that
 *    still read it: work on another stream runs behind them, and so does work on memory that was freed and handed out
 *    again. Events are for what the library does not see: for timing, and for the program's own order.
 *  - A copy between two devices runs on the stream when that is of one of the two, on the target's queue otherwise.
 *  - fa_backward() runs each step on the queue that its forward ran on.
 *  - The CPU and `meta` have no queues: their work is done when a call returns. Streams and events of theirs are
 *    allowed, so that programs need not ask, and have nothing to wait for.
 *
 *  Streams and events belong to the innermost scope, as tensors do (fa_keep, fa_release). A stream may be freed while
 *  work is under way: that work is done all the same, and the host does not wait for it.
 *  @{ */

/** A new stream of a device.
 *  @param device where; FA_CPU and FA_META are allowed. Kind 0: the device of the settings in force
 *  @return the stream, which belongs to the innermost scope. NULL and an error when the device is not there, has no
 * more queues, or tells now of an error in work of a stream that was freed. Any thread. */
FA_API fa_stream *fa_stream_new(fa_device device);

/** The device that a stream is of; kind 0 and an error for what is no stream. Any thread. */
FA_API fa_device fa_stream_device(const fa_stream *stream);

/** Waits until all that was issued to a stream so far, by any thread, is done. Counts as a wait when it is not done
 * yet.
 *  @return false and an error when something went wrong in that work, or where waiting is forbidden (FA_ERROR_SYNC).
 * Any thread. */
FA_API bool fa_stream_synchronize(fa_stream *stream);

/** Whether all that was issued to a stream so far is done. Does not wait, and does not tell of errors in that work.
 * False and an error for what is no stream. Any thread. */
FA_API bool fa_stream_done(const fa_stream *stream);

/** A new event, which marks nothing until fa_event_record().
 *  @return the event, which belongs to the innermost scope; NULL and an error without memory. Any thread. */
FA_API fa_event *fa_event_new(void);

/** Marks the moment when all that was issued to a stream so far will be done. An event that marked another moment
 * forgets that; who waits for it already is not disturbed.
 *  @param event  what is to mark it. Not to be used by another thread meanwhile
 *  @param stream whose work; NULL: the stream in force, or without one the current device's own queue
 *  @return false and an error when one of the two is not there, or the device has no memory for it */
FA_API bool fa_event_record(fa_event *event, const fa_stream *stream);

/** Work that is issued to a stream from now on runs behind the moment of an event, on whatever device that is. The host
 *  goes on at once; only for a stream of the CPU, whose work is the host's, it waits, counted and refused where waiting
 * is forbidden.
 *  @param event  recorded before: else it is an FA_ERROR_STATE
 *  @param stream what waits; NULL: the stream in force, or without one the current device's own queue
 *  @return false and an error on failure. Any thread. */
FA_API bool fa_event_wait(const fa_event *event, const fa_stream *stream);

/** The host waits for the moment of an event. Counts as a wait when it has not come yet.
 *  @return false and an error when something went wrong in the work before it, when the event was not recorded
 *  (FA_ERROR_STATE), or where waiting is forbidden (FA_ERROR_SYNC). Any thread. */
FA_API bool fa_event_synchronize(const fa_event *event);

/** Whether the moment of an event has come. Does not wait. False, with an FA_ERROR_STATE, for an event that was not
 *  recorded. Any thread. */
FA_API bool fa_event_done(const fa_event *event);

/** Milliseconds from the moment of `start` to that of `end`, by the device's clock; on the CPU, whose work is done when
 * a call returns, between the two calls of fa_event_record().
 *  @return NaN and an error when one was not recorded or has not come yet (FA_ERROR_STATE), when they are of two
 * devices (FA_ERROR_DEVICE), or when the device cannot tell (FA_ERROR_UNAVAILABLE). Any thread. */
FA_API double fa_event_ms(const fa_event *start, const fa_event *end);

/** @} */

/** @defgroup memory Memory of a device: what is allocated, what is kept for later, and the peaks.
 *  @{ */

/** One quantity over time, in bytes or blocks. */
typedef struct fa_memory_count {
    size_t current, peak, total; /**< now; the most since the last reset; all that was ever added */
} fa_memory_count;

/** The state of a device's caching allocator. */
typedef struct fa_memory {
    size_t allocated;          /**< bytes in blocks that are in use, now */
    size_t reserved;           /**< bytes taken from the device, now */
    size_t peak;               /**< the most that `allocated` has been */
    fa_memory_count active;    /**< `allocated` with its history */
    fa_memory_count requested; /**< bytes asked for, before rounding */
    fa_memory_count segments;  /**< bytes taken from the device, with their history */
    fa_memory_count blocks;    /**< number of blocks in use */
    size_t largest_free;       /**< the largest block that could be had without asking the device */
    size_t retries;            /**< times the cache was freed because the device had no memory left */
    size_t failures;           /**< allocations that failed all the same */
} fa_memory;

/** The state of a device's memory. An unknown device gives zeros and an error. */
FA_API fa_memory fa_memory_stats(fa_device device);

/** Writes the state of a device's memory to `file` as a table. */
FA_API void fa_memory_summary(fa_device device, FILE *file);

/** Starts the peaks anew from what is there now. */
FA_API void fa_memory_reset_peak(fa_device device);

/** Returns cached memory that nobody uses to the device. Rarely needed: an allocation that finds none does so itself.
 */
FA_API void fa_empty_cache(fa_device device);

/** At most this many bytes are taken from the device from now on; 0: no limit, which is the default. Memory is taken as
 * it is needed, never all of it at once. What is above the limit fails with FA_ERROR_MEMORY, after cached memory went
 * back to the device; what is there already stays. `meta`, which takes none, has no limit to reach.
 *  @return false and an error when the device is not there. Any thread. */
FA_API bool fa_memory_limit(fa_device device, size_t bytes);

/** @} */

/** @defgroup transfers What crossed between devices, and when the host had to wait: counted always, by the function
 * that the program called (fa_to, fa_item, fa_backward). What the library writes as a program would, layers,
 * optimizers, meters, loaders and files, is counted by the functions that these call: fa_save() by fa_read. Forbidding
 * it is FA_USE(.forbid = FA_SYNC | FA_TRANSFER). All functions may be called by any thread.
 *  @{ */

/** Sums over all functions since the program began, or since fa_transfers_reset(). Times are in nanoseconds. */
typedef struct fa_transfers {
    uint64_t to_device, to_host, between;                   /**< copies from the host, to it, and between two devices */
    uint64_t bytes_to_device, bytes_to_host, bytes_between; /**< bytes of these */
    uint64_t copy_ns;               /**< time that devices were busy copying; late ones not counted yet */
    uint64_t waits, wait_ns;        /**< times the host waited for a device, and how long */
    uint64_t implicit, implicit_ns; /**< waits inside a driver, as far as known: loading, allocating */
} fa_transfers;

/** The sums. */
FA_API fa_transfers fa_transfers_total(void);

/** Writes a table: a line for each function and place, with counts, bytes, time and GB/s. */
FA_API void fa_transfers_report(FILE *file);

/** Writes the same as JSON: {"copies": [...], "waits": [...], "total": {...}}. */
FA_API void fa_transfers_json(FILE *file);

/** Starts anew from zero. */
FA_API void fa_transfers_reset(void);

/** @} */

FA__END
#endif
