/** @file
 *  A bar that shows how far a loop is, how fast it runs, how long it will take, and values such as the loss.
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
 * last value that arrived. A bar belongs to the innermost scope, and is for one thread at a time. */
#ifndef FACULA_PROGRESS_H
#define FACULA_PROGRESS_H
#include <facula/types.h>

FA__BEGIN

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

FA__END
#endif
