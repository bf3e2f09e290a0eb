/* What the files of the registry share: which devices there are, and their names. */
#ifndef FA__BACKEND_REGISTRY_H
#define FA__BACKEND_REGISTRY_H
#include "backend/device.h"

enum { FA__DEVICES_OF_A_KIND = 16 };

/* Kind and index in range; an index of -1 becomes 0. Sets no error. */
static inline bool fa__device_known(fa_device *d)
{
    if (d->index == -1)
        d->index = 0;
    return d->kind >= FA__CPU && d->kind < FA__BACKENDS && d->index >= 0 && d->index < FA__DEVICES_OF_A_KIND;
}

/* ---- names.c ---- */
void fa__device_names_begin(void);
/* Why the devices of a kind are no longer there; NULL: they are. */
const char *fa__backend_gone(int kind);
bool fa__device_is_there(fa_device);
bool fa__device_missing(fa_device); /* raises the error that it is not there; false */

/* ---- registry.c ---- */
void fa__device_finish(fa__device *); /* waits for its work */
#endif
