/** @file
 *  Training: what accompanies a loop over batches. */
#ifndef FACULA_TRAIN_H
#define FACULA_TRAIN_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup meter Meters: means, accuracies and tables of confusion over many batches. They add up on the device where
 * the values are, and the host waits only when it reads one.
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
 *  value is kept. The first value tells the device; until fa_meter_reset() all others are to be there, too.
 *  @{ */

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

/** @} */

/** @defgroup progress A bar that shows how far a loop is, how fast it runs, how long it will take, and values such as
 * the loss.
 *
 *      fa_progress *bar = fa_progress_new(fa_loader_length(loader), .label = "train");
 *      FA_EACH(batch, loader) {
 *          ...
 *          fa_progress_tick(bar, "loss", loss);
 *      }
 *
 *      train [##################            ]  62%  98/157  41.3/s  0:01 left  loss 2.281
 *
 *  On a terminal the bar is drawn over itself, some times a second. Elsewhere it is a line every ten seconds, and what
 * is over sooner says nothing. It never waits for a device: tensors are copied now and then, and what is shown is the
 * last value that arrived. A bar belongs to the innermost scope, and is for one thread at a time.
 *  @{ */

/** A bar. */
typedef struct fa_progress fa_progress;

/** Options of fa_progress_new(). */
typedef struct fa_progress_new_options {
    size_t size;       /**< set by the macro */
    const char *label; /**< stands in front; copied, up to 63 bytes; NULL: nothing */
    FILE *file;        /**< where it is drawn, which stays open as long as the bar lives; NULL: standard error */
    bool quiet;        /**< draw nothing */
    double interval;   /**< seconds from one drawing to the next; 0: a tenth on a terminal, ten elsewhere */
    char fa__end;
} fa_progress_new_options;
#define FA__DEFAULT_fa_progress_new                                                                                    \
    {                                                                                                                  \
        offsetof(fa_progress_new_options, fa__end), NULL, NULL, false, 0, 0                                            \
    }

/** A new bar, which is drawn from the first tick on. Time is counted from now.
 *
 *      fa_progress_new(total, .label = NULL, .file = stderr, .quiet = false, .interval = 0)
 *
 *  @param total   how many ticks there will be; 0 or less: nobody knows, and there is a count instead of a bar
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_progress *fa_progress_new(int64_t total, const fa_progress_new_options *options);
#define fa_progress_new(...) FA__CALL1(fa_progress_new, FA__SAME, __VA_ARGS__)

enum { FA_MAX_PROGRESS_VALUES = 6 /**< the most values that a bar shows */ };

/* What stands between the parentheses of fa_progress_tick: the bar, then names and values in turn. */
typedef struct fa__told {
    fa_progress *bar;
    const char *name;
    fa_arg value;
} fa__told;

FA_API bool fa__progress_tick(size_t count, const fa__told *told);

static inline fa__told fa__told_bar(fa_progress *bar)
{
    fa__told t = FA__NONE;
    t.bar = bar;
    return t;
}

static inline fa__told fa__told_name(const char *name)
{
    fa__told t = FA__NONE;
    t.name = name;
    return t;
}

static inline fa__told fa__told_arg(fa_arg value)
{
    fa__told t = FA__NONE;
    t.value = value;
    return t;
}

static inline fa__told fa__told_t(const fa_tensor *t)
{
    return fa__told_arg(fa__arg_t(t));
}

static inline fa__told fa__told_f(double v)
{
    return fa__told_arg(fa__arg_f(v));
}

static inline fa__told fa__told_i(int64_t v)
{
    return fa__told_arg(fa__arg_i(v));
}

static inline fa__told fa__told_u(uint64_t v)
{
    return fa__told_arg(fa__arg_u(v));
}

/** One step is done: fa_progress_tick(bar), or with up to six values of one element, numbers or tensors, each behind
 * its name.
 *
 *      fa_progress_tick(bar, "loss", loss, "lr", fa_optim_lr(opt), "right", fa_meter_tensor(right))
 *
 *  Names are copied, up to 31 bytes. When it is time for another drawing and the last copies have arrived, tensors of
 *  devices are copied, and the host goes on; where copies are forbidden (FA_TRANSFER) they are not, and what was shown
 *  stays. When the last tick is done, or while an error stands, the bar's line is ended.
 *  @return false and an error for what are not names and values, also while an error stood before. A terminal that is
 *  gone is none. */
#ifdef __cplusplus
}
static inline fa__told fa__told_of(fa_progress *bar)
{
    return fa__told_bar(bar);
}
static inline fa__told fa__told_of(const char *name)
{
    return fa__told_name(name);
}
template <class V> static inline fa__told fa__told_of(V value)
{
    return fa__told_arg(fa__arg(value));
}
template <class... V> static inline bool fa_progress_tick(fa_progress *bar, V... v)
{
    const fa__told told[] = {fa__told_bar(bar), fa__told_of(v)...};
    return fa__progress_tick(sizeof...(v) + 1, told);
}
extern "C" {
#else
#define fa_progress_tick(...)                                                                                          \
    fa__progress_tick(FA__COUNT(__VA_ARGS__), (const fa__told[]){FA__MAP(FA__TOLD, __VA_ARGS__)})
#define FA__TOLD(v)                                                                                                    \
    _Generic(v, fa_progress *: fa__told_bar, char *: fa__told_name, const char *: fa__told_name,                                \
             fa_tensor *: fa__told_t, const fa_tensor *: fa__told_t, fa_arg: fa__told_arg, _Bool: fa__told_i,                   \
             FA__NUMBERS(fa__told_i, fa__told_u, fa__told_f))(v)
#endif

/** Takes the bar off the terminal, so that a line can be printed; the next tick draws it again. Nothing happens where
 * it is not drawn, nor for NULL. */
FA_API void fa_progress_clear(fa_progress *bar);

/** @} */

FA__END
#endif
