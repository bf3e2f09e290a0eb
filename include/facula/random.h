/** @file
 *  Random numbers: Philox4x32-10 (Salmon et al. 2011), keyed by a seed and counted by calls: the same values on every
 *  device and for any number of threads, and randn of 15 is the beginning of randn of 16. */
#ifndef FACULA_RANDOM_H
#define FACULA_RANDOM_H
#include <facula/types.h>

FA__BEGIN

/** Where a generator stands. */
typedef struct fa_generator_state {
    uint64_t seed; /**< the key of all its numbers */
    uint64_t call; /**< how many operations have drawn from it */
} fa_generator_state;

/** Starts the default generator of the process anew, for every device and every thread. */
FA_API void fa_manual_seed(uint64_t seed);
/** The state of the default generator. */
FA_API fa_generator_state fa_random_state(void);
/** Puts the default generator back to a state. */
FA_API void fa_set_random_state(fa_generator_state state);

/** A generator of its own, at the beginning of a seed's numbers. */
FA_API fa_generator *fa_generator_new(uint64_t seed);
/** Where it stands. */
FA_API fa_generator_state fa_generator_get(const fa_generator *generator);
/** Puts it back to a state. */
FA_API bool fa_generator_set(fa_generator *generator, fa_generator_state state);
/** From now on random operations of this thread draw from it, which is kept as long; NULL: from the default again. */
FA_API void fa_generator_use(fa_generator *generator);

FA__END
#endif
