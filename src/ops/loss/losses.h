/* Helpers shared by the loss functions: argument checks and reductions. Only weights broadcast: input and target must
 * have the same shape, so that a forgotten dimension is an error instead of a large matrix. */
#ifndef FA__OPS_LOSSES_H
#define FA__OPS_LOSSES_H
#include "dispatch/row.h"
#include <stdatomic.h>

/* Whether it is FA_MEAN, FA_SUM or FA_NONE; an error if not. */
bool fa__check_reduction(const fa__call *, fa_reduction);
/* Whether t, the argument `name`, is floating; an error if not: an integer loss is almost always a mistake. */
bool fa__check_floating(const fa__call *, const char *name, const fa_tensor *t);
/* Whether `other` has the shape of `one`; an error that names both if not. */
bool fa__check_one_shape(const fa__call *, const char *name, const fa_tensor *one, const char *other_name,
                         const fa_tensor *other);
/* Whether a weight broadcasts to the shape of t (NULL does); an error if not. */
bool fa__check_weight(const fa__call *, const char *name, const fa_tensor *weight, const fa_tensor *t);
/* Whether class numbers are integers in input's shape without dimension `dim`; an error if not. */
bool fa__check_classes(const fa__call *, const fa_tensor *input, const fa_tensor *target, int dim);
/* Logs a warning, unless `warned`, if the input of a loss was made by `made_by`, such as FA__OP_softmax, where it has
 * to be what `needed` says. */
void fa__warn_of_probabilities(const fa__call *, const fa_tensor *input, int made_by, const char *needed,
                               atomic_flag *warned);
/* Whether `weight` has one number for each class (NULL does); an error if not. */
bool fa__check_class_weight(const fa__call *, const fa_tensor *weight, int64_t classes);
/* Applies the reduction to elementwise losses. NULL and an error for the mean of integers. */
fa_tensor *fa__reduced_loss(const fa__call *, fa_tensor *each, fa_reduction);
/* The same with weights that broadcast, or NULL; the mean divides by the number of elements. */
fa_tensor *fa__weighted_loss(const fa__call *, fa_tensor *each, const fa_tensor *weight, fa_reduction);
#endif
