/* Helpers shared by the loss functions: see losses.h. */
#include "ops/loss/losses.h"
#include "base/log.h"
#include <string.h>

bool fa__check_reduction(const fa__call *c, fa_reduction reduction)
{
    return (unsigned)reduction <= FA_NONE
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "reduction is %d: it has to be FA_MEAN, FA_SUM or FA_NONE",
                            (int)reduction);
}

bool fa__check_floating(const fa__call *c, const char *name, const fa_tensor *t)
{
    return fa__dtype_is_float(t->dtype)
           || fa__call_fail(c, FA_ERROR_DTYPE, "%s is %s, which is not floating: fa_to converts", name,
                            fa_dtype_name((fa_dtype)t->dtype));
}

/* Whether a tensor has the shape of another, and a last dimension of 1 more. */
static bool is_column_of(const fa_tensor *t, const fa_tensor *other)
{
    return t->rank == other->rank + 1 && t->shape[other->rank] == 1
           && !memcmp(t->shape, other->shape, (size_t)other->rank * sizeof *t->shape);
}

bool fa__check_one_shape(const fa__call *c, const char *name, const fa_tensor *one, const char *other_name,
                         const fa_tensor *other)
{
    const char *column = is_column_of(one, other) ? name : is_column_of(other, one) ? other_name : NULL;
    return fa__same_shape(one, other)
           || fa__call_fail(c, FA_ERROR_SHAPE, "%s and %s have to be of one shape: nothing is broadcast%s%s%s", name,
                            other_name, column ? "; fa_squeeze(" : "", column ? column : "",
                            column ? ", .dim = -1) drops the last size" : "");
}

bool fa__check_weight(const fa__call *c, const char *name, const fa_tensor *weight, const fa_tensor *t)
{
    if (!weight)
        return true;
    int more = t->rank - weight->rank;
    bool fits = more >= 0;
    for (int i = 0; fits && i < weight->rank; i++)
        fits = weight->shape[i] == 1 || weight->shape[i] == t->shape[more + i];
    return fits || fa__call_fail(c, FA_ERROR_SHAPE, "%s does not broadcast to the shape of input", name);
}

bool fa__check_classes(const fa__call *c, const fa_tensor *input, const fa_tensor *target, int dim)
{
    if (fa__dtype_is_float(target->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "target is %s: class numbers are integers",
                             fa_dtype_name((fa_dtype)target->dtype));
    bool fits = target->rank == input->rank - 1;
    for (int i = 0; fits && i < target->rank; i++)
        fits = target->shape[i] == input->shape[i < dim ? i : i + 1];
    const bool column = target->rank > 1 && target->shape[target->rank - 1] == 1;
    return fits
           || fa__call_fail(
               c, FA_ERROR_SHAPE, "target has to be of input's shape without the classes, which are dimension %d%s",
               dim, column ? ": fa_squeeze(target, .dim = -1), or a dataset whose targets have no dimensions" : "");
}

void fa__warn_of_probabilities(const fa__call *c, const fa_tensor *input, int made_by, const char *needed,
                               atomic_flag *warned)
{
    const bool was_made = input->made_by && input->made_by->id == made_by && input->storage
                          && atomic_load(&input->storage->version) == 0; /* not overwritten since */
    if (FA__UNLIKELY(was_made) && !atomic_flag_test_and_set(warned))
        fa__warn("fa_%s: input was made by %s, but it has to be %s", c->op->name, input->made_by->name, needed);
}

bool fa__check_class_weight(const fa__call *c, const fa_tensor *weight, int64_t classes)
{
    return !weight || (weight->rank == 1 && weight->shape[0] == classes)
           || fa__call_fail(c, FA_ERROR_SHAPE, "weight has to be a number for each of the %lld classes",
                            (long long)classes);
}

fa_tensor *fa__reduced_loss(const fa__call *c, fa_tensor *each, fa_reduction reduction)
{
    if (!each || reduction == FA_NONE)
        return each;
    if (reduction == FA_SUM)
        return fa_sum(each);
    if (fa__dtype_is_float(each->dtype))
        return fa_mean(each);
    fa__call_fail(c, FA_ERROR_DTYPE, "the mean of integers is not defined: fa_to makes input floating");
    return NULL;
}

fa_tensor *fa__weighted_loss(const fa__call *c, fa_tensor *each, const fa_tensor *weight, fa_reduction reduction)
{
    return fa__reduced_loss(c, weight ? fa_mul(each, weight) : each, reduction);
}
