/* Ordering of asynchronous work: a storage records the work that was issued on it and not waited for, and new work is
 * ordered after it where necessary. All dependencies (read after write, write after read, write after write) are
 * handled here. */
#ifndef FA__CORE_ORDER_H
#define FA__CORE_ORDER_H
#include "core/storage.h"

/* How to wait is implemented by the backends, which this layer must not include: they set these three pointers. They
 * are also called for work that is already complete. Then nothing waits and nothing is counted, but the device is
 * informed that the completion was observed. */
/* Waits on the host for a piece of work; the wait is counted. False and an error if waiting is forbidden. */
extern bool (*fa__host_waits)(const fa__op *, fa__sync_point);
/* The same if there is no alternative: waits even if that is forbidden. */
extern void (*fa__host_must_wait)(const fa__op *, fa__sync_point);
/* Orders everything issued to the queue from now on after a piece of work. */
extern bool (*fa__queue_follows)(fa__queue *, fa__sync_point);

/* Records the work that may still use the block of a new storage. False and an error if memory runs out. */
bool fa__order_take(fa__storage *);
/* True if all work on a storage is complete; does not wait. */
bool fa__order_done(fa__storage *);
/* True if a storage may be freed: all work on it is complete, or the rest is so little that its block can record it
 * when it returns to the cache. Does not wait. */
bool fa__order_may_go(fa__storage *);
/* Returns the block of a storage that may be freed to the cache of its device, with the work that still uses it. */
void fa__order_release(fa__storage *);
/* Exchanges the work recorded by two storages. */
void fa__order_exchange(fa__storage *, fa__storage *);
/* Reserves room for recording work on a storage, so that this cannot fail later. */
bool fa__order_room(fa__storage *);
/* Defers the release of a storage that may not be freed yet: `release`, the same function in all calls, is called
 * when it may. Each call also checks the storages deferred earlier. */
void fa__order_defer(fa__storage *, void (*release)(fa__storage *));
/* Releases deferred storages that may be freed now; with `wait`, waits for the work on the others and releases all. */
void fa__order_reap(bool wait);
#endif
