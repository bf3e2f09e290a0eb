/* Keys of draws: what a random operation hands to the device. */
#ifndef FA__CORE_RANDOM_H
#define FA__CORE_RANDOM_H
#include "base/error.h"
#include "core/op.h"
#include <facula/random.h>

/* The next call of the thread's generator, or of the process's. */
fa__key fa__draw_key(void);
#endif
