/* Transforms, for the pass that computes several at once. */
#ifndef FA__DATA_TRANSFORM_H
#define FA__DATA_TRANSFORM_H
#include <facula/data.h>

typedef struct fa__crop {
    int64_t size[2], padding[2];
    double fill;
} fa__crop;

typedef struct fa__flip {
    double p;
    int dim;
} fa__flip;

/* Their forward functions, by which they are recognized. */
fa_tensor *fa__to_tensor_forward(fa_module *self, fa_tensor *x);
fa_tensor *fa__normalize_forward(fa_module *self, fa_tensor *x);
fa_tensor *fa__crop_forward(fa_module *self, fa_tensor *x);
fa_tensor *fa__flip_forward(fa_module *self, fa_tensor *x);

/* What they draw. The first row or column of the crop of each image, 0 to `room`: i64 (batch, 1, 1, 1). */
fa_tensor *fa__crop_begins(const fa_module *self, const fa_tensor *x, int64_t room);
/* Whether each image is flipped: bool (batch, 1, 1, 1). */
fa_tensor *fa__flip_drawn(const fa_module *self, const fa_tensor *x);

/* Applies a transform to a batch. Crops and flips of u8 images on the CPU that to_tensor, and perhaps normalize,
 * follow, are one pass, with the same result. */
fa_tensor *fa__transform_apply(fa_module *transform, fa_tensor *x);
#endif
