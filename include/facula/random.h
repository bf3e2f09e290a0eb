/** @file
 *  Random number generators. The algorithm is Philox4x32-10 (Salmon et al. 2011): numbers are a function of a seed, a
 *  call counter and the element's index. They are identical on all devices and for any number of threads, and randn
 *  of 15 elements gives the first 15 of randn of 16. */
#ifndef FACULA_RANDOM_H
#define FACULA_RANDOM_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup random Random number generators
 *  @{ */

/** The state of a generator. */
typedef struct fa_generator_state {
    uint64_t seed; /**< the seed */
    uint64_t call; /**< number of operations that have drawn from the generator */
} fa_generator_state;

/** Seeds the default generator, which all devices and threads of the process share. A program that does not call this
 *  draws the same numbers in each run, those of seed 0; fa_manual_seed((uint64_t)time(NULL)) gives others each time. */
FA_API void fa_manual_seed(uint64_t seed);
/** The state of the default generator. */
FA_API fa_generator_state fa_random_state(void);
/** Sets the state of the default generator. */
FA_API void fa_set_random_state(fa_generator_state state);

/** Creates a generator with the given seed. */
FA_API fa_generator *fa_generator_new(uint64_t seed);
/** The state of a generator. */
FA_API fa_generator_state fa_generator_get(const fa_generator *generator);
/** Sets the state of a generator. Returns false and an error on failure. */
FA_API bool fa_generator_set(fa_generator *generator, fa_generator_state state);
/** Makes random operations of the current thread draw from `generator`, to which the thread holds a reference; NULL
 *  restores the default generator. */
FA_API void fa_generator_use(fa_generator *generator);
/* The generator of the current thread; NULL: the default one. */
FA_API fa_generator *fa__generator_used(void);

/** @} */

FA__END
#endif
