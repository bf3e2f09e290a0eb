/* Image resizing: two matrix products, with weights for rows and for columns. */
#include <facula/data.h>
#include <facula/error.h>
#include <facula/ops/linalg.h>
#include <facula/ops/math.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>

static const fa_object_type weights_type = {"weights", NULL};

typedef struct weights {
    fa_object base;
    float at[];
} weights;

/* The weights of `in` input pixels for an output pixel with its center at `middle`: a triangle of half-width `wide`,
 * normalized to sum 1. */
static void put_row(float *row, int64_t in, double middle, double wide)
{
    double sum = 0;
    int64_t first = (int64_t)fmax(floor(middle - wide), 0), last = (int64_t)fmin(ceil(middle + wide), (double)in);
    for (int64_t i = first; i < last; i++)
        sum += fmax(0, 1 - fabs((double)i + 0.5 - middle) / wide);
    for (int64_t i = first; i < last; i++)
        row[i] = (float)(fmax(0, 1 - fabs((double)i + 0.5 - middle) / wide) / sum);
}

/* The weights (out, in), on the device and in the dtype of an image. */
static fa_tensor *weights_of(int64_t out, int64_t in, const fa_tensor *like)
{
    double scale = (double)in / (double)out;
    if (out > INT64_C(1) << 28 || in > (INT64_C(1) << 28) / out) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_image_resize: %" PRId64 " pixels out of %" PRId64 " are too many", out, in);
        return NULL;
    }
    weights *w = fa_object_new(&weights_type, sizeof *w + (size_t)(out * in) * sizeof *w->at);
    if (!w)
        return NULL;
    for (int64_t i = 0; i < out; i++)
        put_row(w->at + i * in, in, ((double)i + 0.5) * scale, fmax(scale, 1));
    fa_tensor *t = fa_tensor_from(w->at, FA_SHAPE(out, in), .dtype = FA_F32, .device = fa_tensor_device(like));
    return fa_to(t, fa_tensor_dtype(like));
}

static bool check(const fa_tensor *image, int64_t height, int64_t width)
{
    if (!image)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_image_resize: the image is NULL");
    fa_dtype dtype = fa_tensor_dtype(image);
    if (dtype != FA_U8 && !fa_dtype_is_floating(dtype))
        return fa_fail(FA_ERROR_DTYPE, "fa_image_resize: an image is of u8 or floating, not %s", fa_dtype_name(dtype));
    if (fa_dim(image) < 2 || fa_size(image, -1) < 1 || fa_size(image, -2) < 1)
        return fa_fail(FA_ERROR_SHAPE, "fa_image_resize: an image is (..., height, width), with at least one pixel");
    return (height >= 1 && width >= 1)
           || fa_fail(FA_ERROR_ARGUMENT, "fa_image_resize: no image is %" PRId64 " x %" PRId64, height, width);
}

fa_tensor *fa_image_resize(const fa_tensor *image, fa_pair size)
{
    int64_t height = fa_pair_at(size, 0), width = fa_pair_at(size, 1);
    if (!check(image, height, width))
        return NULL;
    FA_SCOPE;
    FA_USE(.autocast = FA_SAME);
    bool bytes = fa_tensor_dtype(image) == FA_U8;
    const fa_tensor *x = bytes ? fa_to(image, FA_F32) : image;
    fa_tensor *rows = weights_of(height, fa_size(x, -2), x), *columns = weights_of(width, fa_size(x, -1), x);
    fa_tensor *y = fa_matmul(rows, fa_matmul(x, fa_transpose(columns, 0, 1)));
    return fa_escape(bytes ? fa_to(fa_round(y), FA_U8) : y);
}
