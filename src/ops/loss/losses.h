/* What losses share: checks of their operands, and how the losses of elements become a result. Nothing is broadcast
 * but weights: input and target have one shape, so that a forgotten dimension is an error and no large matrix. */
#ifndef FA__OPS_LOSSES_H
#define FA__OPS_LOSSES_H
#include "dispatch/row.h"

/* FA_MEAN, FA_SUM or FA_NONE; false and an error for others. */
bool fa__check_reduction(const fa__call *, fa_reduction);
/* Whether t, called `name`, is floating: a loss of integers has no use but to hide a mistake. */
bool fa__check_floating(const fa__call *, const char *name, const fa_tensor *t);
/* Whether `other` has the shape of `one`; an error by their names when not. */
bool fa__check_one_shape(const fa__call *, const char *name, const fa_tensor *one, const char *other_name,
                         const fa_tensor *other);
/* Whether a weight broadcasts to the shape of t; NULL does. */
bool fa__check_weight(const fa__call *, const char *name, const fa_tensor *weight, const fa_tensor *t);
/* Whether class numbers are integers, one for each entry of input: of its shape without dimension `dim`. */
bool fa__check_classes(const fa__call *, const fa_tensor *input, const fa_tensor *target, int dim);
/* Whether `weight` has one number for each of so many classes; NULL has. */
bool fa__check_class_weight(const fa__call *, const fa_tensor *weight, int64_t classes);
/* Losses of elements as they are, their sum or their mean. NULL, and an error, for the mean of integers. */
fa_tensor *fa__reduced_loss(const fa__call *, fa_tensor *each, fa_reduction);
/* The same with a weight for each that broadcasts, or NULL; the mean is of all elements. */
fa_tensor *fa__weighted_loss(const fa__call *, fa_tensor *each, const fa_tensor *weight, fa_reduction);
#endif
