/* Transforms that are applied to some images of a batch: at random, or one of several. */
#include "data/data.h"
#include "data/draw.h"
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/tensor.h>
#include <facula/transform.h>
#include <inttypes.h>

/* Transforms behind this one draw other numbers, whatever it has drawn, as it may have been applied to other images. */
enum { MOST_DRAWS = 256 };

typedef struct random_apply {
    fa_module *transform;
    double p;
} random_apply;

/* The numbers of the images that are drawn. */
static fa__numbers *draw_images(const random_apply *r, int64_t count)
{
    uint64_t *state = fa__streams(count);
    fa__numbers *chosen = state ? fa__numbers_new(count) : NULL;
    int64_t n = 0;
    for (int64_t i = 0; chosen && i < count; i++)
        if (fa__random_uniform(&state[i]) < r->p)
            chosen->item[n++] = i;
    if (chosen)
        chosen->count = n;
    return chosen;
}

/* Applies a transform to these images of a `whole` batch, with their random numbers. */
static fa_tensor *apply_to(fa_module *transform, const fa__numbers *chosen, fa_tensor *x, int64_t whole)
{
    fa__rows *outer = fa__rows_now, rows;
    bool keyed = outer && outer->count == whole;
    fa__numbers *key = fa__numbers_new(chosen->count);
    for (int64_t i = 0; key && keyed && i < chosen->count; i++)
        key->item[i] = (int64_t)outer->key[chosen->item[i]];
    if (!key)
        return NULL;
    rows = (fa__rows){(const uint64_t *)key->item, chosen->count, keyed ? outer->step - MOST_DRAWS : 0};
    fa__rows_now = keyed ? &rows : NULL;
    x = fa_forward(transform, x);
    fa__rows_now = outer;
    return x;
}

/* The batch x, but for these images, which are transformed. */
static fa_tensor *with_some(fa_module *transform, const fa__numbers *chosen, fa_tensor *x)
{
    if (!chosen || !chosen->count)
        return chosen ? x : NULL;
    fa_tensor *which =
        fa_tensor_from(chosen->item, FA_SHAPE(chosen->count), .dtype = FA_I64, .device = fa_tensor_device(x));
    fa_tensor *some = apply_to(transform, chosen, fa_index_select(x, 0, which), fa_size(x, 0));
    return some ? fa_index_copy(x, 0, which, some) : NULL;
}

static void skip_draws(void)
{
    if (fa__rows_now)
        fa__rows_now->step += MOST_DRAWS;
}

static fa_tensor *random_apply_forward(fa_module *self, fa_tensor *x)
{
    const random_apply *r = fa_module_data(self);
    if (!x || fa_dim(x) < 1 || !fa_module_training(self))
        return x;
    const fa__numbers *chosen = draw_images(r, fa_size(x, 0));
    skip_draws();
    return with_some(r->transform, chosen, x);
}

fa_transform *fa_transform_random_apply(fa_transform *transform, double p)
{
    if (!transform || !(p >= 0 && p <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_random_apply: %s",
                transform ? "p is 0 to 1" : "the transform is NULL");
        return NULL;
    }
    fa_module *m = fa_nn_custom("random_apply", sizeof(random_apply), random_apply_forward);
    if (!m)
        return NULL;
    random_apply *r = fa_module_data(m);
    r->transform = fa_module_add(m, "transform", transform);
    r->p = p;
    return r->transform ? m : NULL;
}

/* ---- one of several ---- */

/* For each image, the number of its transform. */
static fa__numbers *draw_choices(int64_t count, int64_t choices)
{
    uint64_t *state = fa__streams(count);
    fa__numbers *choice = state ? fa__numbers_new(count) : NULL;
    for (int64_t i = 0; choice && i < count; i++)
        choice->item[i] = (int64_t)fa__random_below(&state[i], (uint64_t)choices);
    return choice;
}

/* The numbers of the images with this choice. */
static fa__numbers *images_with(const fa__numbers *choice, int64_t which)
{
    fa__numbers *image = fa__numbers_new(choice->count);
    int64_t n = 0;
    for (int64_t i = 0; image && i < choice->count; i++)
        if (choice->item[i] == which)
            image->item[n++] = i;
    if (image)
        image->count = n;
    return image;
}

static fa_tensor *random_choice_forward(fa_module *self, fa_tensor *x)
{
    fa_modules choices = fa_module_children(*(fa_module **)fa_module_data(self));
    if (!x || fa_dim(x) < 1 || !fa_module_training(self))
        return x;
    const fa__numbers *choice = draw_choices(fa_size(x, 0), (int64_t)choices.count);
    skip_draws();
    for (size_t k = 0; choice && x && k < choices.count; k++)
        x = with_some(choices.item[k], images_with(choice, (int64_t)k), x);
    return choice ? x : NULL;
}

fa_transform *fa_transform_random_choice(fa_module *transforms)
{
    if (!transforms || fa_module_children(transforms).count == 0) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_random_choice: %s",
                transforms ? "the list has no transforms" : "the list is NULL");
        return NULL;
    }
    fa_module *m = fa_nn_custom("random_choice", sizeof(fa_module *), random_choice_forward);
    if (!m)
        return NULL;
    fa_module *list = fa_module_add(m, "transforms", transforms);
    *(fa_module **)fa_module_data(m) = list;
    return list ? m : NULL;
}
