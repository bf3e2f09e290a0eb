/* fa_stop(): the flag with which a signal handler ends loops. */
#include <facula/host.h>
#include <stdatomic.h>

static atomic_bool stop;
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may only touch what is lock-free");

void fa_stop(void)
{
    atomic_store_explicit(&stop, true, memory_order_relaxed);
}

bool fa_stopped(void)
{
    return atomic_load_explicit(&stop, memory_order_relaxed);
}

void fa_stop_clear(void)
{
    atomic_store_explicit(&stop, false, memory_order_relaxed);
}
