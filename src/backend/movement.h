/* The choke point: every copy between devices and every wait of the host goes through these functions. They count,
 * refuse what `.forbid` forbids, and order by what the storages remember. */
#ifndef FA__BACKEND_MOVEMENT_H
#define FA__BACKEND_MOVEMENT_H
#include "core/op.h"
#include "core/storage.h"

/* Copies bytes between two storages, wherever they are; between two hosts it is done at once, else it is only issued:
 * both storages remember it. Memory that the program may touch (borrowed, or pinned by a pointer) is no longer used
 * when this returns: bytes from there were put aside, or the host has waited. They must not overlap. `changes`:
 * the bytes replace values, which stay if the work that was to make the new ones went wrong. `op`: on whose behalf. */
bool fa__move_bytes(const fa__op *op, fa__storage *to, size_t to_byte, fa__storage *from, size_t from_byte,
                    size_t bytes, bool changes);

/* The same for storages that cannot be moved meanwhile: they are held, or this thread is the one that moves them. */
bool fa__move_held_bytes(const fa__op *op, fa__storage *to, size_t to_byte, fa__storage *from, size_t from_byte,
                         size_t bytes, bool changes);

/* The queue that a copy between two devices is issued to now: that of the stream in force if it is of one of them; else
 * the target's, or the only one. NULL between hosts. */
fa__queue *fa__queue_between(fa__device *to, const fa__device *from);

/* The host waits for work. False when that is forbidden. Work that is done is neither counted nor forbidden. Errors
 * that the device found meanwhile stand afterwards. */
bool fa__wait_stamp(const fa__op *op, fa__sync_point);

/* The host waits for work that a queue of another kind of device is to come behind, as no driver knows of both. Where
 * that work went wrong, nothing may be issued behind it: false, and the error. */
bool fa__wait_for_kind(fa__sync_point);

/* Waits for all work of all devices, whatever is forbidden: before what that work uses is freed. */
void fa__devices_finish(void);

/* Closes all devices: waits for their work and frees what they hold. The process ends; root scopes are gone. */
void fa__devices_close(void);
#endif
