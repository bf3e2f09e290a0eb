/* What the files of this folder share. */
#ifndef FA__DATA_DATA_H
#define FA__DATA_DATA_H
#include <facula/data.h>
#include <facula/scope.h>

enum { FA__ITEMS = 2 + FA_MAX_EXTRA };

/* Item 0 is the input, 1 the target, the rest is extra. */
static inline fa_tensor **fa__sample_item(fa_sample *sample, int item)
{
    return item == 0 ? &sample->input : item == 1 ? &sample->target : &sample->extra[item - 2];
}

/* Numbers in the innermost scope, or kept. */
typedef struct fa__numbers {
    fa_object base;
    int64_t count, item[];
} fa__numbers;

/* For datasets whose context is an object that they hold. */
void fa__context_release(void *context);

/* Zeros; NULL and an error without memory. */
fa__numbers *fa__numbers_new(int64_t count);
/* Puts them into a random order, which depends on seed and epoch and on nothing else. */
void fa__shuffle(int64_t *item, int64_t count, uint64_t seed, uint64_t epoch);
#endif
