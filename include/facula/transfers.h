/** @file
 *  What crossed between devices, and when the host had to wait: counted always, by the function that the program
 *  called (fa_to, fa_item, fa_backward). What the library writes as a program would, layers, optimizers, meters,
 * loaders and files, is counted by the functions that these call: fa_save() by fa_read. Forbidding it is FA_USE(.forbid
 * = FA_SYNC | FA_TRANSFER). All functions may be called by any thread. */
#ifndef FACULA_TRANSFERS_H
#define FACULA_TRANSFERS_H
#include <facula/types.h>

FA__BEGIN

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

FA__END
#endif
