/** @file
 *  Meters: means, accuracies and tables of confusion over many batches. They add up on the device where the values
 *  are, and the host waits only when it reads one.
 *
 *      fa_meter *loss_of = fa_meter_mean(), *right = fa_meter_accuracy();
 *      FA_EACH(batch, loader) {
 *          fa_tensor *logits = fa_forward(net, batch.input), *loss = fa_cross_entropy(logits, batch.target);
 *          ...
 *          fa_meter_update(loss_of, loss, .count = batch.size);
 *          fa_meter_update(right, logits, .target = batch.target);
 *          if (batch.index % 200 == 199) {
 *              printf("loss %.3f, %.1f%% right\n", fa_meter_value(loss_of), 100 * fa_meter_value(right));
 *              fa_meter_reset(loss_of);
 *          }
 *      }
 *
 *  A meter belongs to the innermost scope, and is for one thread at a time. Nothing is recorded for gradients, and no
 *  value is kept. The first value tells the device; until fa_meter_reset() all others are to be there, too. */
#ifndef FACULA_METER_H
#define FACULA_METER_H
#include <facula/types.h>

FA__BEGIN

/** What was added up over batches. */
typedef struct fa_meter fa_meter;

/** The mean of values, each counted as often as fa_meter_update() says. Sums are kept in f64, and in two f32, which
 * have 48 bits together, on a device that does not compute in f64; there, values of more than one element are added up
 * in f32 first. */
FA_API fa_meter *fa_meter_mean(void);

/** Options of fa_meter_accuracy(). */
typedef struct fa_meter_accuracy_options {
    size_t size;          /**< set by the macro */
    int64_t top_k;        /**< right is a target that is among the so many classes of the largest logits */
    int64_t ignore_index; /**< targets of this class are not counted */
    char fa__end;
} fa_meter_accuracy_options;
#define FA__DEFAULT_fa_meter_accuracy                                                                                  \
    {                                                                                                                  \
        offsetof(fa_meter_accuracy_options, fa__end), 1, -100, 0                                                       \
    }

/** How many of the targets are right, from 0 to 1. Of equal logits the first is the larger one, and NaN is the largest
 *  of all, as for fa_argmax() and fa_topk().
 *
 *      fa_meter_accuracy(.top_k = 1, .ignore_index = -100) */
FA_API fa_meter *fa_meter_accuracy(const fa_meter_accuracy_options *options);
#define fa_meter_accuracy(...) FA__CALL0(fa_meter_accuracy, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_meter_confusion(). */
typedef struct fa_meter_confusion_options {
    size_t size;          /**< set by the macro */
    int64_t ignore_index; /**< targets of this class are not counted */
    char fa__end;
} fa_meter_confusion_options;
#define FA__DEFAULT_fa_meter_confusion                                                                                 \
    {                                                                                                                  \
        offsetof(fa_meter_confusion_options, fa__end), -100, 0                                                         \
    }

/** How often a target of each class was taken for each class: a table with a row for each target, a column for each
 *  class of the largest logit. Its value is the accuracy.
 *
 *      fa_meter_confusion(10, .ignore_index = -100)
 *
 *  @param classes how many there are, 1 to 46340: as many logits has each sample. A target of none of them is an
 *  FA_ERROR_INDEX, which a device that runs late tells when the meter is read
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_meter *fa_meter_confusion(int64_t classes, const fa_meter_confusion_options *options);
#define fa_meter_confusion(...) FA__CALL1(fa_meter_confusion, FA__SAME, __VA_ARGS__)

/** Options of fa_meter_update(). */
typedef struct fa_meter_update_options {
    size_t size;             /**< set by the macro */
    const fa_tensor *target; /**< of accuracies and confusions: integers, (samples, ...) */
    double count;            /**< of means: how often each element of the value counts, 0 or more */
    char fa__end;
} fa_meter_update_options;
#define FA__DEFAULT_fa_meter_update                                                                                    \
    {                                                                                                                  \
        offsetof(fa_meter_update_options, fa__end), NULL, 1, 0                                                         \
    }

/** Adds a batch to a meter. The host does not wait. What comes behind a fault (an index out of range in a kernel) that
 * was not told of yet is neither added nor counted.
 *
 *      fa_meter_update(mean, loss, .count = batch.size)
 *      fa_meter_update(accuracy, logits, .target = batch.target)
 *
 *  @param meter   which one
 *  @param value   of means: a number or a tensor, each element of which is a value, such as a loss over a batch of
 *                 .count samples; of the others: logits (samples, classes, ...), or (classes) of one sample
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return false and an error with the meter unchanged, also while an error stood before */
FA_API bool fa_meter_update(fa_meter *meter, fa_arg value, const fa_meter_update_options *options);
#define fa_meter_update(...) FA__CALL2(fa_meter_update, FA__SAME, FA__ARG, __VA_ARGS__)

/** The mean or the accuracy of all batches so far, which this waits for. NaN while there are none, and with an error.
 */
FA_API double fa_meter_value(const fa_meter *meter);
/** The same as a tensor of no dimension on the meter's device, without a wait: for fa_progress_tick(). It does not
 *  change with the meter. */
FA_API fa_tensor *fa_meter_tensor(const fa_meter *meter);
/** The table of a confusion: (classes, classes) of i64 on the meter's device, without a wait. Element (i, j) is how
 *  often target i was taken for class j. It does not change with the meter. */
FA_API fa_tensor *fa_meter_table(const fa_meter *meter);

/** Begins anew, as the meter was made. */
FA_API bool fa_meter_reset(fa_meter *meter);

FA__END
#endif
