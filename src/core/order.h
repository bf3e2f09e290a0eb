/* Ordering: a storage remembers the work that was issued on it and not waited for, and new work is put behind what it
 * must not overtake. Read after write, write after read and write after write all go through here. */
#ifndef FA__CORE_ORDER_H
#define FA__CORE_ORDER_H
#include "core/storage.h"

/* Filled by the backend floor: the host waits for a stamp (counted, may be forbidden: then false), waits whatever is
 * forbidden, and a queue goes behind a stamp. They are asked about work that is done, too: then nobody waits and
 * nothing is counted, but the device learns that it was seen to be done. */
extern bool (*fa__host_waits)(const fa__op *, fa__stamp);
extern void (*fa__host_must_wait)(const fa__op *, fa__stamp);
extern bool (*fa__queue_follows)(fa__queue *, fa__stamp);

/* Notes the work that may still use the block of a new storage. False and an error without memory. */
bool fa__order_take(fa__storage *);
/* Whether all work on a storage is done; does not wait. */
bool fa__order_done(fa__storage *);
/* Whether a storage may go: all work on it is done, or so little of it open that its block can remember it. Does not
 * wait. */
bool fa__order_may_go(fa__storage *);
/* Gives the block of a storage that may go back to its device's cache, with the work that still uses it. */
void fa__order_release(fa__storage *);
/* Makes room to remember work on a storage, so that this cannot fail later. */
bool fa__order_room(fa__storage *);
/* Calls `release`, always the same function, when the storage may go: at a later call of this kind, or when the process
 * ends. */
void fa__order_defer(fa__storage *, void (*release)(fa__storage *));
/* Releases what is done among the deferred; `wait` waits for all of it. */
void fa__order_reap(bool wait);
#endif
