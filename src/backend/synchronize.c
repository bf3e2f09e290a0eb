/* Questions to a device: its properties, and waiting for its work. */
#include "backend/registry.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/ledger.h"
#include "core/order.h"
#include <string.h>

bool fa_device_info(fa_device device, fa_device_properties *properties)
{
    if (!properties)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_device_info: there is no place for the properties");
    fa__device *d = fa__device_get(device);
    memset(properties, 0, sizeof *properties);
    if (d)
        d->backend->properties(d, properties);
    return d != NULL;
}

bool fa_synchronize(fa_device device)
{
    static const fa__op synchronize = {.name = "synchronize", .id = -1};
    bool stood = fa__failed();
    fa__device *d = fa__device_get(device);
    if (!d && !stood)
        fa__error_named(synchronize.name);
    if (!d || !d->queue)
        return d != NULL;
    if (!fa__allow_sync(&synchronize, d))
        return false;
    int64_t start = fa__clock_ns();
    fa__device_finish(d);
    fa__ledger_wait(&synchronize, d, fa__clock_ns() - start);
    fa__order_reap(false); /* what waited for this work is freed */
    return stood || !fa__failed();
}
