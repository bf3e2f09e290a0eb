/* Ordering: a storage remembers the work that was issued on it and not waited for, and new work is put behind what it
 * must not overtake. Read after write, write after read and write after write all go through here. */
#ifndef FA__CORE_ORDER_H
#define FA__CORE_ORDER_H
#include "core/storage.h"

/* How waiting is done is the backends' business, and this folder may not include them: they fill these three pointers.
 * All are called for work that is done already, too. Then nobody waits and nothing is counted, but the device learns
 * that somebody has seen that it is done. */
/* The host waits for the work of a stamp, which is counted. False and an error where waiting is forbidden. */
extern bool (*fa__host_waits)(const fa__op *, fa__sync_point);
/* The same for what cannot go on otherwise: it waits whatever is forbidden. */
extern void (*fa__host_must_wait)(const fa__op *, fa__sync_point);
/* What is issued to the queue from now on runs behind the work of the stamp. */
extern bool (*fa__queue_follows)(fa__queue *, fa__sync_point);

/* Notes the work that may still use the block of a new storage. False and an error without memory. */
bool fa__order_take(fa__storage *);
/* Whether all work on a storage is done; does not wait. */
bool fa__order_done(fa__storage *);
/* Whether a storage may be freed: all work on it is done, or what is not is so little that its block, which goes back
 * to the cache, can remember it. Does not wait. */
bool fa__order_may_go(fa__storage *);
/* Gives the block of a storage that may go back to its device's cache, with the work that still uses it. */
void fa__order_release(fa__storage *);
/* Makes room to remember work on a storage, so that this cannot fail later. */
bool fa__order_room(fa__storage *);
/* Puts off a storage that may not be freed yet: `release`, which is the same function each time, is called when it may
 * be. Each call also looks through those that were put off before. */
void fa__order_defer(fa__storage *, void (*release)(fa__storage *));
/* Releases what was put off and may be freed by now; with `wait` it waits for the work on the others, and releases all.
 */
void fa__order_reap(bool wait);
#endif
