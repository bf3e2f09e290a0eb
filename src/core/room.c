/* Holding storages against being moved, and the lock of those who move them. */
#include "core/room.h"
#include "base/fork.h"

const fa__room_mover *fa__room_mover_used; /* set by backend/movement.c, as this layer must not include backends */
_Atomic int fa__spilling;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth; /* how often this thread has it */

FA__LOCKED_AT_FORK(MOVES, &lock)

void fa__moves_lock(void)
{
    if (!depth++)
        pthread_mutex_lock(&lock);
}

void fa__moves_unlock(void)
{
    if (!--depth)
        pthread_mutex_unlock(&lock);
}

bool fa__room_make(void *device, size_t bytes)
{
    fa__moves_lock();
    bool made = fa__room_mover_used->make(device, bytes);
    fa__moves_unlock();
    return made;
}

/* Two threads may count one call: the order is approximate. */
void fa__storage_touch(fa__storage *s)
{
    static _Atomic uint64_t calls;
    uint64_t now = atomic_load_explicit(&calls, memory_order_relaxed) + 1;
    atomic_store_explicit(&calls, now, memory_order_relaxed);
    __atomic_store_n(&s->touched, now, __ATOMIC_RELAXED);
}

bool fa__storage_return(fa__storage *s)
{
    fa__moves_lock();
    bool good = !__atomic_load_n(&s->away, __ATOMIC_SEQ_CST) || fa__room_mover_used->come_back(s);
    fa__moves_unlock();
    if (!good)
        fa__storage_let_go(s);
    return good;
}
