/* Meters that compare logits with targets: accuracy and confusion matrix. Both count in i64. */
#include "train/meter.h"
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/operations.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>

enum { RIGHT, COUNTED, COUNTS, MOST_CLASSES = 46340 /* the largest number whose square is an int */ };

/* The class dimension. */
static int64_t class_dim(const fa_tensor *logits)
{
    return fa_dim(logits) > 1;
}

/* Checks that the target has the shape of the logits without the class dimension. */
static bool shapes_fit(const fa_tensor *logits, const fa_tensor *target)
{
    int64_t dims = fa_dim(logits), c = class_dim(logits);
    bool fit = dims >= 1 && fa_dim(target) == dims - 1;
    for (int64_t i = 0; fit && i < dims - 1; i++)
        fit = fa_size(target, i) == fa_size(logits, i < c ? i : i + 1);
    return fit;
}

/* The target as i64; NULL and an error if the operands are invalid. */
static fa_tensor *target_for(const fa_meter *m, fa_arg value, const fa_tensor *target)
{
    if (value.kind != FA__ARG_TENSOR)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_update: a meter of %s takes a tensor of logits", m->kind->name),
               NULL;
    fa_dtype dtype = fa_tensor_dtype(target);
    if (dtype == FA_SAME || dtype == FA_BOOL || fa_dtype_is_floating(dtype))
        return fa_fail(FA_ERROR_DTYPE, "fa_meter_update: a .target is integers, not %s", fa_dtype_name(dtype)), NULL;
    if (!shapes_fit(fa__tensor_in(value), target))
        return fa_fail(FA_ERROR_SHAPE,
                       "fa_meter_update: the shape of .target is that of the logits without their classes, "
                       "(samples, classes, ...)"),
               NULL;
    int64_t classes = fa_size(fa__tensor_in(value), class_dim(fa__tensor_in(value)));
    if (m->classes && classes != m->classes)
        return fa_fail(FA_ERROR_SHAPE, "fa_meter_update: %" PRId64 " classes, in a confusion of %" PRId64, classes,
                       m->classes),
               NULL;
    return fa_to(target, FA_I64);
}

/* Adds to the sum, which the first value creates on its device. */
static bool add(fa_meter *m, fa_tensor *part, const fa_tensor *value)
{
    if (m->sum)
        return fa_add_(m->sum, part);
    fa_tensor *first = fa_to(part, fa_tensor_device(value));
    if (first)
        fa__meter_holds(m, first);
    return first;
}

/* ---- accuracy ---- */

/* Which targets are counted and correct: among the largest logits. */
static fa_tensor *right_ones(const fa_meter *m, const fa_tensor *logits, fa_tensor *target)
{
    int64_t c = class_dim(logits);
    if (m->top_k == 1)
        return fa_pointwise("x == y && y != z", fa_argmax(logits, .dim = c), target, m->ignore);
    int64_t classes = fa_size(logits, c), k = m->top_k < classes ? m->top_k : classes;
    return fa_pointwise("x == y && y != z", fa_topk(logits, k, .dim = c).indices, fa_unsqueeze(target, c), m->ignore);
}

static bool accuracy_update(fa_meter *m, fa_arg value, const fa_meter_update_options *o)
{
    fa_tensor *target = target_for(m, value, o->target);
    if (!target)
        return false;
    fa_tensor *right = fa_sum(right_ones(m, fa__tensor_in(value), target)), *counted = fa_sum(fa_ne(target, m->ignore));
    return add(m, fa_stack(FA_TENSORS(right, counted)), fa__tensor_in(value));
}

static double accuracy_value(const fa_meter *m)
{
    int64_t count[COUNTS];
    return fa_read(m->sum, count, FA_I64, COUNTS) ? (double)count[RIGHT] / (double)count[COUNTED] : NAN;
}

static fa_tensor *accuracy_tensor(const fa_meter *m)
{
    return fa_div(fa_get(m->sum, "0"), fa_get(m->sum, "1"));
}

static const fa__meter_kind accuracy = {.name = "accuracies",
                                        .classes = true,
                                        .update = accuracy_update,
                                        .value = accuracy_value,
                                        .tensor = accuracy_tensor};

fa_meter *(fa_meter_accuracy)(const fa_meter_accuracy_options *options)
{
    fa_meter_accuracy_options o = FA__DEFAULT_fa_meter_accuracy;
    fa__options_read(&o, o.size, options);
    if (o.top_k < 1)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_accuracy: .top_k is 1 or more, not %" PRId64, o.top_k), NULL;
    fa_meter *m = fa__meter_new(&accuracy);
    if (m) {
        m->top_k = o.top_k;
        m->ignore = o.ignore_index;
    }
    return m;
}

/* ---- confusion matrix ---- */

/* The row of each target in the matrix, 0 if it is ignored. Uses a lookup, so that an invalid class is an index error
 * that shows it, on asynchronous devices too. */
static fa_tensor *rows_of(const fa_meter *m, fa_tensor *target)
{
    fa_tensor *class = fa_flatten(fa_pointwise("x != y ? x : i64(0)", target, m->ignore));
    fa_tensor *rows = fa_arange(0, (double)m->classes, .dtype = FA_I64, .device = fa_tensor_device(class));
    fa_tensor *row = fa_index_select(rows, 0, class);
    if (!row && fa_error_code() == FA_ERROR_INDEX)
        fa_error_append(", in a confusion of %" PRId64 " classes: each target is one of them", m->classes);
    return row;
}

static bool confusion_update(fa_meter *m, fa_arg value, const fa_meter_update_options *o)
{
    fa_tensor *target = target_for(m, value, o->target);
    if (!target)
        return false;
    fa_tensor *taken = fa_argmax(fa__tensor_in(value), .dim = class_dim(fa__tensor_in(value)));
    if (!taken)
        return false;
    fa_tensor *place = fa_pointwise("y * z + x", fa_flatten(taken), rows_of(m, target), m->classes);
    fa_tensor *counted = fa_to(fa_flatten(fa_ne(target, m->ignore)), FA_I64);
    fa_tensor *sum = m->sum;
    if (!sum)
        sum = fa_zeros(FA_SHAPE(m->classes * m->classes), .dtype = FA_I64,
                       .device = fa_tensor_device(fa__tensor_in(value)));
    if (!fa_scatter_add_(sum, 0, place, counted))
        return false;
    if (!m->sum)
        fa__meter_holds(m, sum);
    return true;
}

static fa_tensor *confusion_table(const fa_meter *m)
{
    if (!m->sum)
        return fa_zeros(FA_SHAPE(m->classes, m->classes), .dtype = FA_I64, .device = FA_CPU);
    return fa_view(fa_clone(m->sum), FA_SHAPE(m->classes, m->classes));
}

static fa_tensor *confusion_tensor(const fa_meter *m)
{
    return fa_div(fa_sum(fa_diagonal(confusion_table(m))), fa_sum(m->sum));
}

static double confusion_value(const fa_meter *m)
{
    fa_tensor *right = fa_sum(fa_diagonal(confusion_table(m)));
    int64_t count[COUNTS];
    fa_tensor *both = fa_stack(FA_TENSORS(right, fa_sum(m->sum)));
    return fa_read(both, count, FA_I64, COUNTS) ? (double)count[RIGHT] / (double)count[COUNTED] : NAN;
}

static const fa__meter_kind confusion = {.name = "confusions",
                                         .classes = true,
                                         .update = confusion_update,
                                         .value = confusion_value,
                                         .tensor = confusion_tensor,
                                         .table = confusion_table};

fa_meter *(fa_meter_confusion)(int64_t classes, const fa_meter_confusion_options *options)
{
    fa_meter_confusion_options o = FA__DEFAULT_fa_meter_confusion;
    fa__options_read(&o, o.size, options);
    if (classes < 1 || classes > MOST_CLASSES)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_confusion: 1 to %d classes, not %" PRId64, MOST_CLASSES, classes),
               NULL;
    fa_meter *m = fa__meter_new(&confusion);
    if (m) {
        m->classes = classes;
        m->ignore = o.ignore_index;
    }
    return m;
}
