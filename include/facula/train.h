/** @file
 *  Tools for training loops: meters, which average losses and accuracies over batches, and progress bars. */
#ifndef FACULA_TRAIN_H
#define FACULA_TRAIN_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup meter Meters
 *
 *  A meter computes a mean, an accuracy or a confusion matrix over many batches. It accumulates on the device of the
 *  values; the host waits only when it reads the result.
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
 *  A meter belongs to the innermost scope and must not be used by several threads at the same time. It records
 *  nothing for backward and holds no references to the values. The first value sets the device of the meter; all
 *  later values must be on the same device, until fa_meter_reset().
 *  @{ */

/** A statistic accumulated over batches. */
typedef struct fa_meter fa_meter;

/** Creates a meter for the weighted mean of values; see `.count` of fa_meter_update(). The sum is kept in f64, or in
 *  two f32 (48 bits together) on a device without f64, where the elements of one value are summed in f32 first. */
FA_API fa_meter *fa_meter_mean(void);

/** Options of fa_meter_accuracy(). */
typedef struct fa_meter_accuracy_options {
    size_t size;          /**< set by the macro */
    int64_t top_k;        /**< a target counts as correct if it is among the top_k classes with the largest logits */
    int64_t ignore_index; /**< targets of this class are not counted */
    char fa__end;
} fa_meter_accuracy_options;
#define FA__DEFAULT_fa_meter_accuracy                                                                                  \
    {                                                                                                                  \
        offsetof(fa_meter_accuracy_options, fa__end), 1, -100, 0                                                       \
    }

/** Creates a meter for the accuracy: the fraction of targets that are predicted correctly, 0 to 1. If logits are
 *  equal, the first one is the prediction; NaN is larger than all numbers, as for fa_argmax() and fa_topk().
 *
 *      fa_meter_accuracy(.top_k = 1, .ignore_index = -100) */
FA_API fa_meter *fa_meter_accuracy(const fa_meter_accuracy_options *options);
#define fa_meter_accuracy(...) FA__CALL0(fa_meter_accuracy, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

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

/** Creates a meter for a confusion matrix, with a row for each actual class (target) and a column for each predicted
 *  class (largest logit). Its value is the accuracy.
 *
 *      fa_meter_confusion(10, .ignore_index = -100)
 *
 *  @param classes number of classes, 1 to 46340; each sample has as many logits. A target that is not a valid class
 *  is an FA_ERROR_INDEX, which an asynchronous device reports when the meter is read
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_meter *fa_meter_confusion(int64_t classes, const fa_meter_confusion_options *options);
#define fa_meter_confusion(...) FA__CALL1(fa_meter_confusion, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_meter_update(). */
typedef struct fa_meter_update_options {
    size_t size;             /**< set by the macro */
    const fa_tensor *target; /**< targets, for accuracy and confusion matrix: integers, (samples, ...) */
    double count;            /**< weight of each element of the value, for means; 0 or more */
    char fa__end;
} fa_meter_update_options;
#define FA__DEFAULT_fa_meter_update                                                                                    \
    {                                                                                                                  \
        offsetof(fa_meter_update_options, fa__end), NULL, 1, 0                                                         \
    }

/** Adds a batch to a meter. The host does not wait. If an error inside a kernel (such as an index out of range) has
 *  not been reported yet, batches issued after it are not added.
 *
 *      fa_meter_update(mean, loss, .count = batch.size)
 *      fa_meter_update(accuracy, logits, .target = batch.target)
 *
 *  @param meter   the meter
 *  @param value   for means: the number to average, or a tensor whose elements are averaged; for the mean loss of a
 *  batch, set .count to the number of its samples. For the others: logits (samples, classes, ...), or (classes) for
 *  one sample
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error, with the meter unchanged; also if an error was set before */
FA_API bool fa_meter_update(fa_meter *meter, fa_arg value, const fa_meter_update_options *options);
#define fa_meter_update(...)                                                                                           \
    FA__CALL2(fa_meter_update, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)

/** The mean or accuracy over all batches so far. Waits for it. NaN if there are none, and after an error. */
FA_API double fa_meter_value(const fa_meter *meter);
/** The value of the meter as a tensor without dimensions, on the meter's device; does not wait. Useful for
 *  fa_progress_tick(). Later updates of the meter do not change the tensor. */
FA_API fa_tensor *fa_meter_tensor(const fa_meter *meter);
/** The confusion matrix, i64 (classes, classes), on the meter's device; does not wait. Element (i, j) is the number
 *  of samples of class i that were predicted as class j. Later updates of the meter do not change the tensor. */
FA_API fa_tensor *fa_meter_table(const fa_meter *meter);

/** Resets a meter to its initial state. */
FA_API bool fa_meter_reset(fa_meter *meter);

/** @} */

/** @defgroup progress Progress bars
 *
 *  A progress bar shows how much of a loop is done, its speed, the estimated remaining time, and values such as the
 *  loss.
 *
 *      fa_progress *bar = fa_progress_new(fa_loader_length(loader), .label = "train");
 *      FA_EACH(batch, loader) {
 *          ...
 *          fa_progress_tick(bar, "loss", loss);
 *      }
 *
 *      train [##################            ]  62%  98/157  41.3/s  0:01 left  loss 2.281
 *
 *  On a terminal, the bar is redrawn in place several times a second. Otherwise a line is printed every ten seconds,
 *  and nothing for loops that finish earlier. The bar never waits for a device: tensors are copied asynchronously now
 *  and then, and the last values that have arrived are shown. A bar belongs to the innermost scope and must not be
 *  used by several threads at the same time.
 *  @{ */

/** A progress bar. */
typedef struct fa_progress fa_progress;

/** Options of fa_progress_new(). */
typedef struct fa_progress_new_options {
    size_t size;       /**< set by the macro */
    const char *label; /**< text before the bar; copied, up to 63 bytes; NULL: none */
    FILE *file;        /**< output file, which must stay open as long as the bar exists; NULL: standard error */
    bool quiet;        /**< print nothing */
    double interval;   /**< seconds between updates; 0: 0.1 on a terminal, 10 otherwise */
    char fa__end;
} fa_progress_new_options;
#define FA__DEFAULT_fa_progress_new                                                                                    \
    {                                                                                                                  \
        offsetof(fa_progress_new_options, fa__end), NULL, NULL, false, 0, 0                                            \
    }

/** Creates a progress bar. It is first drawn at the first tick; the time is measured from this call.
 *
 *      fa_progress_new(total, .label = NULL, .file = stderr, .quiet = false, .interval = 0)
 *
 *  @param total   number of ticks to expect; 0 or less: unknown, and a count is shown instead of a bar
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_progress *fa_progress_new(int64_t total, const fa_progress_new_options *options);
#define fa_progress_new(...) FA__CALL1(fa_progress_new, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

enum { FA_MAX_PROGRESS_VALUES = 6 /**< maximum number of values that a bar shows */ };

/* The arguments of fa_progress_tick(): the bar, then alternately names and values. */
typedef struct fa__tick {
    fa_progress *bar;
    const char *name;
    fa_arg value;
} fa__tick;

FA_API bool fa__progress_tick(size_t count, const fa__tick *args);

static inline fa__tick fa__tick_bar(fa_progress *bar)
{
    fa__tick t = FA__NONE;
    t.bar = bar;
    return t;
}

static inline fa__tick fa__tick_name(const char *name)
{
    fa__tick t = FA__NONE;
    t.name = name;
    return t;
}

static inline fa__tick fa__tick_arg(fa_arg value)
{
    fa__tick t = FA__NONE;
    t.value = value;
    return t;
}

static inline fa__tick fa__tick_t(const fa_tensor *t)
{
    return fa__tick_arg(fa__arg_t(t));
}

static inline fa__tick fa__tick_f(double v)
{
    return fa__tick_arg(fa__arg_f(v));
}

static inline fa__tick fa__tick_i(int64_t v)
{
    return fa__tick_arg(fa__arg_i(v));
}

static inline fa__tick fa__tick_u(uint64_t v)
{
    return fa__tick_arg(fa__arg_u(v));
}

/** Reports that one step is done: fa_progress_tick(bar), or with up to six values, each a number or a tensor with one
 *  element, after its name.
 *
 *      fa_progress_tick(bar, "loss", loss, "lr", fa_optim_lr(opt), "right", fa_meter_tensor(right))
 *
 *  Names are copied, up to 31 bytes. When an update is due and earlier copies have arrived, tensors on a device are
 *  copied asynchronously. If copies are forbidden (FA_TRANSFER), the displayed values stay as they were. The line of
 *  the bar is ended after the last tick, and if an error is set.
 *  @return false and an error if the arguments are not names and values; also if an error was set before. Failure to
 *  write to a terminal that was closed is ignored */
#ifdef __cplusplus
}
static inline fa__tick fa__tick_of(fa_progress *bar)
{
    return fa__tick_bar(bar);
}
static inline fa__tick fa__tick_of(const char *name)
{
    return fa__tick_name(name);
}
template <class V> static inline fa__tick fa__tick_of(V value)
{
    return fa__tick_arg(fa__arg(value));
}
template <class... V> static inline bool fa_progress_tick(fa_progress *bar, V... v)
{
    const fa__tick args[] = {fa__tick_bar(bar), fa__tick_of(v)...};
    return fa__progress_tick(sizeof...(v) + 1, args);
}
#define fa_progress_tick(...) FA__CALLED(fa_progress_tick(__VA_ARGS__))
extern "C" {
#else
#define fa_progress_tick(...)                                                                                          \
    FA__CALLED(fa__progress_tick(FA__COUNT(__VA_ARGS__), (const fa__tick[]){FA__MAP(FA__TICK, __VA_ARGS__)}))
#define FA__TICK(v)                                                                                                    \
    _Generic(v, fa_progress *: fa__tick_bar, char *: fa__tick_name, const char *: fa__tick_name,                                \
             fa_tensor *: fa__tick_t, const fa_tensor *: fa__tick_t, fa_arg: fa__tick_arg, _Bool: fa__tick_i,                   \
             FA__NUMBERS(fa__tick_i, fa__tick_u, fa__tick_f))(v)
#endif

/** Erases the bar from the terminal, so that the program can print a line; the next tick draws it again. Does nothing
 *  if the bar is not visible or NULL. */
FA_API void fa_progress_clear(fa_progress *bar);

/** @} */

FA__END
#endif
