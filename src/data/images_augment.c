/* RandAugment and AutoAugment of batches of images on a device, by its operations: what augment.c does for one image.
 * Images with the same operation are taken out of the batch, and put back. */
#include "data/augment.h"
#include "data/data.h"
#include <facula/error.h>
#include <facula/operations.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

/* Some images of a batch, with the steps that they take: `which` of them, by their numbers. */
typedef struct group {
    const fa__images *images;     /* the group's own */
    const fa__augment_step *step; /* of all images of the batch */
    int64_t rounds;
    const int64_t *which;
} group;

static const fa__augment_step *step_of(const group *g, int64_t i)
{
    return &g->step[g->which[i] * g->rounds];
}

static fa_tensor *no_memory(int64_t count)
{
    fa_fail(FA_ERROR_MEMORY, "a transform has no memory for the operations of %lld images", (long long)count);
    return NULL;
}

static fa_tensor *warped(const group *g)
{
    const fa__images *b = g->images;
    fa__warp *w = malloc((size_t)b->count * sizeof *w);
    if (!w)
        return no_memory(b->count);
    for (int64_t i = 0; i < b->count; i++)
        w[i] = fa__step_warp(step_of(g, i), b->height, b->width);
    fa_tensor *y = fa__images_warp(b, w, step_of(g, 0)->interpolation, 0);
    free(w);
    return y;
}

/* Operations with a factor for each image. */
static fa_tensor *mixed(const group *g)
{
    const fa__images *b = g->images;
    double *item = malloc((size_t)b->count * sizeof *item);
    if (!item)
        return no_memory(b->count);
    for (int64_t i = 0; i < b->count; i++)
        item[i] = fa__step_factor(step_of(g, i));
    fa_tensor *t = fa__numbers_of(b, item, 1), *factor = fa__number_of(t, 0);
    fa_tensor *all =
        factor ? fa_full(FA_SHAPE(1, 1, 1, 1), 1, .dtype = FA_BOOL, .device = fa_tensor_device(b->x)) : NULL;
    free(item);
    if (!all)
        return NULL;
    switch (step_of(g, 0)->operation) {
    case FA__BRIGHTNESS:
        return fa__images_brightness(b, factor, all);
    case FA__COLOR:
        return fa__images_saturation(b, factor, all);
    case FA__CONTRAST:
        return fa__images_contrast(b, factor, all);
    default:
        return fa__images_sharpness(b, factor);
    }
}

static fa_tensor *applied(const group *g)
{
    const fa__augment_step *s = step_of(g, 0);
    if (s->operation <= FA__ROTATE)
        return warped(g);
    if (s->operation <= FA__SHARPNESS)
        return mixed(g);
    switch (s->operation) {
    case FA__POSTERIZE:
        return fa__images_posterize(g->images, fa__step_bits(s));
    case FA__AUTOCONTRAST:
        return fa__images_autocontrast(g->images);
    case FA__EQUALIZE:
        return fa__images_equalize(g->images);
    default:
        return fa__images_solarize(g->images, fa__step_threshold(s));
    }
}

/* All maps are one operation; bits and thresholds have to be the same. */
static bool go_together(const fa__augment_step *a, const fa__augment_step *b)
{
    if (a->operation <= FA__ROTATE)
        return b->operation != FA__IDENTITY && b->operation <= FA__ROTATE;
    return a->operation == b->operation && (a->operation <= FA__SHARPNESS || a->part == b->part);
}

/* Moves the images that go together with the first one to the front of `left`; their number. */
static int64_t take_together(const fa__augment_step *step, int64_t rounds, int64_t *left, int64_t count)
{
    int64_t n = 1;
    for (int64_t i = 1; i < count; i++)
        if (go_together(&step[left[0] * rounds], &step[left[i] * rounds])) {
            int64_t other = left[n];
            left[n++] = left[i];
            left[i] = other;
        }
    return n;
}

static fa_tensor *round_of(const fa__images *b, fa_tensor *x, const fa__augment_step *step, int64_t rounds,
                           int64_t *left)
{
    int64_t count = 0, n;
    for (int64_t i = 0; i < b->count; i++)
        if (step[i * rounds].operation != FA__IDENTITY)
            left[count++] = i;
    for (; x && count > 0; left += n, count -= n) {
        n = take_together(step, rounds, left, count);
        fa_tensor *which = fa_tensor_from(left, FA_SHAPE(n), .dtype = FA_I64, .device = fa_tensor_device(x));
        fa__images some = *b;
        some.x = which ? fa_index_select(x, 0, which) : NULL;
        some.count = n;
        const group g = {&some, step, rounds, left};
        fa_tensor *y = some.x ? applied(&g) : NULL;
        x = y ? fa_index_copy(x, 0, which, y) : NULL;
    }
    return x;
}

fa_tensor *fa__images_augment(const fa__images *b, const fa__augment_step *step, int64_t rounds)
{
    int64_t *left = malloc((size_t)b->count * sizeof *left);
    fa_tensor *x = left ? b->x : no_memory(b->count);
    for (int64_t r = 0; x && r < rounds; r++)
        x = round_of(b, x, step + r, rounds, left);
    free(left);
    return x;
}
