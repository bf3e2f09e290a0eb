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

/* Gives a new dataset the names of the classes of another one, and, if it has the same samples (`same`), also that they
 * come one by one. Returns the new dataset. */
fa_dataset *fa__dataset_like(fa_dataset *fresh, const fa_dataset *other, bool same);
/* Whether samples come one by one, so that they may have different shapes. */
bool fa__dataset_singles(const fa_dataset *dataset);

/* The stream that a dataset is or is made from (stream.h); NULL: its samples come by number. Setting it returns the
 * dataset. */
fa_object *fa__dataset_stream(const fa_dataset *dataset);
fa_dataset *fa__dataset_set_stream(fa_dataset *dataset, fa_object *stream);
/* Checks that a dataset gives its samples by number; the error begins with `who`. */
bool fa__dataset_by_number(const fa_dataset *dataset, const char *who);

/* Names of classes: `count` strings, one after the other. */
typedef struct fa__names {
    fa_object base;
    int64_t count;
    const char **item; /* into `text` */
    char *text;
} fa__names;

/* Names with room for their texts, in the innermost scope; NULL and an error if memory runs out. */
fa__names *fa__names_new(int64_t count, size_t bytes);
fa__names *fa__names_of(const char *const *name, int64_t count);
/* Gives a dataset names of classes. Returns the dataset; NULL if one of both is NULL. */
fa_dataset *fa__dataset_named(fa_dataset *dataset, fa__names *names);
/* An object that describes a dataset, and those made from it; NULL: none. Setting it returns the dataset. */
fa_dataset *fa__dataset_set_about(fa_dataset *dataset, fa_object *about);
fa_object *fa__dataset_about(const fa_dataset *dataset);

/* Gets the sample index[row] in a row of the batch that is being made: in a loader, with random numbers of its own. Its
 * tensors belong to the innermost scope. `copied`: they will be copied, and so may be views. */
bool fa__dataset_row(fa_dataset *dataset, const int64_t *index, int64_t row, fa_sample *sample, bool copied);
/* In the `get` of a dataset: the sample is copied to a batch next, so that it may be a view. */
bool fa__sample_is_copied(void);
/* Stacks samples to a batch in the innermost scope. Errors name the dataset, and the sample's index. */
bool fa__samples_stack(const fa_dataset *dataset, const int64_t *index, fa_sample *sample, int64_t count,
                       fa_sample *batch);

/* A release callback for datasets whose context is an object. */
void fa__context_release(void *context);

/* An object with a head and `count` items, all zero, in the innermost scope; NULL and an error if memory runs out. */
void *fa__items_new(const fa_object_type *type, size_t head, int64_t count, size_t item);
/* A list of zeros; NULL and an error if memory runs out. */
fa__numbers *fa__numbers_new(int64_t count);
/* Shuffles the items, in an order that depends only on seed and epoch. */
void fa__shuffle(int64_t *item, int64_t count, uint64_t seed, uint64_t epoch);
/* A seed that depends on these numbers. */
uint64_t fa__seed_of(uint64_t seed, uint64_t epoch, uint64_t batch);
/* The next number of a stream of random 64-bit numbers, and one from 0 to bound - 1, where bound is at least 1. */
uint64_t fa__random_next(uint64_t *state);
uint64_t fa__random_below(uint64_t *state, uint64_t bound);
/* The next number of a stream, from 0 to less than 1. */
double fa__random_uniform(uint64_t *state);
/* Item `at` of a permutation of 0 to count - 1, which is computed without the other items. */
int64_t fa__permuted(int64_t at, int64_t count, uint64_t key);

/* Nanoseconds of a monotonic clock, and those that this thread has spent in transforms of datasets. */
int64_t fa__data_clock(void);
extern _Thread_local int64_t fa__transform_time;
#endif
