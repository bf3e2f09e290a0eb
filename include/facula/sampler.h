/** @file
 *  Samplers: which samples of a dataset an epoch has, and in which order.
 *
 *      fa_loader *loader = fa_data_loader(d, .batch_size = 32, .sampler = fa_sampler_weighted(weights));
 *
 *  A sampler is a function of a seed and the number of the epoch, without a state of its own: the order of an epoch is
 *  the same for any number of workers, and a loader that continues from a saved position continues the same order. The
 *  seed is that of the loader, unless the sampler has one. Samplers belong to the innermost scope; a loader holds a
 *  reference to its sampler. Several threads and loaders may use a sampler at the same time. */
#ifndef FACULA_SAMPLER_H
#define FACULA_SAMPLER_H
#include <facula/macros.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup sampler Samplers
 *  @{ */

/** A sequence of sample indices for each epoch. */
typedef struct fa_sampler fa_sampler;

/** The callbacks of a user-defined sampler. They may be called from any thread, and by several at the same time. */
typedef struct fa_sampler_type {
    const char *name;                 /**< name for messages; must live as long as the sampler */
    int64_t (*length)(void *context); /**< returns the number of indices in an epoch; called once */
    /** Stores the indices of an epoch in index[0] to index[length - 1]. They must depend on nothing but these
     *  arguments. Returns false after fa_fail(). */
    bool (*order)(void *context, uint64_t seed, int64_t epoch, int64_t *index);
    void (*release)(void *context); /**< called once when the last reference to the sampler is dropped; may be NULL */
} fa_sampler_type;

/** Creates a user-defined sampler.
 *  @param type    the callbacks; the struct is copied
 *  @param context passed to the callbacks; released with the sampler, or at once after an error. It must outlive the
 *  sampler and all loaders with it */
FA_API fa_sampler *fa_sampler_new(const fa_sampler_type *type, void *context);
/** The number of indices in an epoch. -1 and an error for NULL. */
FA_API int64_t fa_sampler_length(const fa_sampler *sampler);
/** The indices of an epoch, as a loader with this seed would use them: i64 (length), on the CPU.
 *  @param sampler the sampler
 *  @param seed    the seed of the loader; unused if the sampler has a seed of its own
 *  @param epoch   the number of the epoch, from 0
 *  @return the indices; NULL and an error on failure */
FA_API fa_tensor *fa_sampler_order(const fa_sampler *sampler, uint64_t seed, int64_t epoch);

/** All samples of a dataset in their order, which is what loaders do by default. */
FA_API fa_sampler *fa_sampler_sequential(const fa_dataset *dataset);

/** Options of fa_sampler_random(). */
typedef struct fa_sampler_random_options {
    size_t size;         /**< set by the macro */
    bool replacement;    /**< each index is drawn from all samples, so that some come more than once and others never */
    int64_t num_samples; /**< number of indices in an epoch; -1: as many as the dataset has samples. More are possible
                            only with `replacement` */
    int64_t seed;        /**< seed of the order, at least 0; -1: that of the loader */
    char fa__end;
} fa_sampler_random_options;
#define FA__DEFAULT_fa_sampler_random                                                                                  \
    {                                                                                                                  \
        offsetof(fa_sampler_random_options, fa__end), false, -1, -1, 0                                                 \
    }

/** Samples in a random order, another one in each epoch. Orders of more than 2^24 samples are not stored: each index is
 *  computed when it is needed, by a Feistel network of 8 rounds (Black and Rogaway 2002), whose permutations are
 *  fewer than all possible ones.
 *
 *      fa_sampler_random(dataset, .replacement = false, .num_samples = -1, .seed = -1)
 *
 *  @param dataset the dataset, of which only the length is used
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_sampler *fa_sampler_random(const fa_dataset *dataset, const fa_sampler_random_options *options);
#define fa_sampler_random(...) FA__CALL1(fa_sampler_random, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_sampler_weighted(). */
typedef struct fa_sampler_weighted_options {
    size_t size;         /**< set by the macro */
    int64_t num_samples; /**< number of indices in an epoch; -1: as many as there are weights */
    bool replacement;    /**< false: each index at most once, which needs as many weights above 0 */
    int64_t seed;        /**< seed of the order, at least 0; -1: that of the loader */
    char fa__end;
} fa_sampler_weighted_options;
#define FA__DEFAULT_fa_sampler_weighted                                                                                \
    {                                                                                                                  \
        offsetof(fa_sampler_weighted_options, fa__end), -1, true, -1, 0                                                \
    }

/** Samples drawn with probabilities in proportion to their weights: 1 / (size of the class) for each sample makes
 *  classes equally frequent. Without replacement, the probabilities are those of the samples that are left (Efraimidis
 *  and Spirakis 2006).
 *
 *      fa_sampler_weighted(weights, .num_samples = -1, .replacement = true, .seed = -1)
 *
 *  @param weights the weight of each sample of the dataset: (samples), finite numbers of at least 0, not all 0. They
 *                 are copied
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_sampler *fa_sampler_weighted(const fa_tensor *weights, const fa_sampler_weighted_options *options);
#define fa_sampler_weighted(...)                                                                                       \
    FA__CALL1(fa_sampler_weighted, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** The given samples in a random order, another one in each epoch; torch.utils.data.SubsetRandomSampler. In contrast
 *  to a loader of fa_data_subset(), the indices in batches are those of the whole dataset.
 *  @param index `count` indices, copied
 *  @param count number of indices, 0 or more */
FA_API fa_sampler *fa_sampler_subset(const int64_t *index, int64_t count);

/** Samples in an order in which each class is spread evenly over the epoch: every batch has the classes in about the
 *  proportions of the whole. Within classes, and between classes of equal size, the order is random, another one in
 *  each epoch.
 *  @param labels the class of each sample of the dataset: (samples), an integer dtype; copied */
FA_API fa_sampler *fa_sampler_stratified(const fa_tensor *labels);

/** Options of fa_sampler_bucketed(). */
typedef struct fa_sampler_bucketed_options {
    size_t size;  /**< set by the macro */
    int64_t pool; /**< number of batches whose samples are sorted by length together, at least 1 */
    int64_t seed; /**< seed of the order, at least 0; -1: that of the loader */
    char fa__end;
} fa_sampler_bucketed_options;
#define FA__DEFAULT_fa_sampler_bucketed                                                                                \
    {                                                                                                                  \
        offsetof(fa_sampler_bucketed_options, fa__end), 100, -1, 0                                                     \
    }

/** Samples in a random order, another one in each epoch, in which the samples of a batch have similar lengths, so that
 *  little is padded (fa_data_padded()): samples are shuffled, `pool` batches at a time are sorted by length, and the
 *  batches are shuffled. An incomplete batch is the last one.
 *
 *      fa_sampler_bucketed(lengths, 32, .pool = 100, .seed = -1)
 *
 *  @param lengths    the length of each sample of the dataset: (samples); copied
 *  @param batch_size that of the loader
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_sampler *fa_sampler_bucketed(const fa_tensor *lengths, int64_t batch_size,
                                       const fa_sampler_bucketed_options *options);
#define fa_sampler_bucketed(...)                                                                                       \
    FA__CALL2(fa_sampler_bucketed, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_sampler_distributed(). */
typedef struct fa_sampler_distributed_options {
    size_t size;          /**< set by the macro */
    int64_t num_replicas; /**< number of processes, at least 1 */
    int64_t rank;         /**< number of this process, from 0 to num_replicas - 1 */
    bool shuffle;         /**< use a new random order in each epoch, the same in all processes */
    int64_t seed;         /**< seed of the order, at least 0, the same in all processes; -1: that of the loader */
    bool drop_last;       /**< leave out the last samples if they are too few for all processes; otherwise the first
                             samples of the order come a second time, so that all processes have as many */
    char fa__end;
} fa_sampler_distributed_options;
#define FA__DEFAULT_fa_sampler_distributed                                                                             \
    {                                                                                                                  \
        offsetof(fa_sampler_distributed_options, fa__end), 1, 0, true, 0, false, 0                                     \
    }

/** The part of the samples for one of several processes: those at positions rank, rank + num_replicas, ... of an order
 *  that all processes share. The parts have equal lengths, and change with each epoch of the loader.
 *
 *      fa_sampler_distributed(dataset, .num_replicas = 1, .rank = 0, .shuffle = true, .seed = 0, .drop_last = false)
 *
 *  @param dataset the dataset, of which only the length is used
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_sampler *fa_sampler_distributed(const fa_dataset *dataset, const fa_sampler_distributed_options *options);
#define fa_sampler_distributed(...)                                                                                    \
    FA__CALL1(fa_sampler_distributed, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
