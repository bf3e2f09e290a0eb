/* Keys of random numbers: what a random operation passes to the device. */
#ifndef FA__CORE_RANDOM_H
#define FA__CORE_RANDOM_H
#include "base/error.h"
#include "core/op.h"
#include <facula/random.h>

/* The key of the next call of this thread's generator, or of the default one. */
fa__key fa__draw_key(void);
/* The key of the next call of a generator (NULL: the default one), which goes on by `count` calls. */
fa__key fa__draw_keys(void *generator, uint64_t count);
#endif
