/* Background threads of the upper layers. The functions that these call are declared in facula/host.h. */
#ifndef FA__BASE_CREW_H
#define FA__BASE_CREW_H
#include "base/types.h"
#include <facula/host.h>

/* Stops and joins all crews. Called when the process ends, by the thread that ends it. */
void fa__crews_stop(void);
#endif
