/* Shared by the files of this folder. */
#ifndef FA__DATA_DATA_H
#define FA__DATA_DATA_H
#include <facula/data.h>
#include <facula/scope.h>

enum { FA__ITEMS = 2 + FA_MAX_EXTRA };

/* Item 0 is the input, item 1 the target, the others are extra. */
static inline fa_tensor **fa__sample_item(fa_sample *sample, int item)
{
    return item == 0 ? &sample->input : item == 1 ? &sample->target : &sample->extra[item - 2];
}

/* A list of integers, as an object. */
typedef struct fa__numbers {
    fa_object base;
    int64_t count, item[];
} fa__numbers;

/* Checks that a dataset is one; the error begins with `who`. */
bool fa__dataset_check(const fa_dataset *dataset, const char *who);

/* A release callback for datasets whose context is an object. */
void fa__context_release(void *context);

/* A list of zeros; NULL and an error if memory runs out. */
fa__numbers *fa__numbers_new(int64_t count);
/* Shuffles the items, in an order that depends only on seed and epoch. */
void fa__shuffle(int64_t *item, int64_t count, uint64_t seed, uint64_t epoch);
/* A seed that depends on these numbers. */
uint64_t fa__seed_of(uint64_t seed, uint64_t epoch, uint64_t batch);

/* Nanoseconds of a monotonic clock, and those that this thread has spent in transforms of datasets. */
int64_t fa__data_clock(void);
extern _Thread_local int64_t fa__transform_time;
#endif
