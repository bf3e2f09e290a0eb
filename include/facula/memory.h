/** @file
 *  Memory of a device: what is allocated, what is kept for later, and the peaks. */
#ifndef FACULA_MEMORY_H
#define FACULA_MEMORY_H
#include <facula/types.h>

FA__BEGIN

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

FA__END
#endif
