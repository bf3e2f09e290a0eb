/* Convolution. One and two dimensions, and transposed convolutions. The order of summation is described in
 * backend/convolution.h. */
#include "dispatch/row.h"

/* The geometry of a convolution. In arrays of two, [0] is for the height and [1] for the width. */
typedef struct window {
    int64_t stride[2], dilation[2], padding[2], span[2]; /* span: extent of the dilated kernel */
} window;

static bool read_pair(const fa__call *c, const char *name, fa_pair pair, int64_t least, int64_t out[2])
{
    for (int d = 0; d < 2; d++) {
        out[d] = fa_pair_at(pair, d);
        if (out[d] < least || out[d] > INT32_MAX)
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s has to be from %lld to %d", name, (long long)least,
                                 INT32_MAX);
    }
    return true;
}

static bool check_same(const fa__call *c, const window *w)
{
    return (w->stride[0] == 1 && w->stride[1] == 1)
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "padding \"same\" goes with a stride of 1 only");
}

/* Reads and checks the options; kernel holds its height and width. */
static bool read_window(const fa__call *c, fa_pair stride, fa_pair padding, fa_pair dilation, const int64_t kernel[2],
                        window *w)
{
    bool same = padding == FA_PADDING_SAME;
    if (!read_pair(c, "stride", stride, 1, w->stride) || !read_pair(c, "dilation", dilation, 1, w->dilation)
        || !read_pair(c, "padding", same ? 0 : padding, 0, w->padding) || (same && !check_same(c, w)))
        return false;
    for (int d = 0; d < 2; d++) {
        if (kernel[d] < 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "the kernel has %lld x %lld entries: one at least is needed",
                                 (long long)kernel[0], (long long)kernel[1]);
        if (!fa__mul_i64(kernel[d] - 1, w->dilation[d], &w->span[d]) || w->span[d] > INT64_MAX / 4)
            return fa__call_fail(c, FA_ERROR_SHAPE, "a kernel that is dilated so far is too large");
        w->padding[d] = same ? w->span[d] : 2 * w->padding[d];
        w->span[d]++;
    }
    return true;
}

/* The height and width of the result, from those of x. */
static bool result_size(const fa__call *c, const window *w, const int64_t size[2], int64_t result[2])
{
    int64_t padded[2];
    for (int d = 0; d < 2; d++)
        if (size[d] > INT64_MAX / 4 || !fa__add_i64(size[d], w->padding[d], &padded[d]))
            return fa__call_fail(c, FA_ERROR_SHAPE, "the padded input is too large");
    if (w->span[0] > padded[0] || w->span[1] > padded[1])
        return fa__call_fail(c, FA_ERROR_SHAPE, "the kernel, %lld x %lld, is larger than the padded input, %lld x %lld",
                             (long long)w->span[0], (long long)w->span[1], (long long)padded[0], (long long)padded[1]);
    for (int d = 0; d < 2; d++)
        result[d] = (padded[d] - w->span[d]) / w->stride[d] + 1;
    return true;
}

static bool check_dtypes(const fa__call *c, const fa_tensor *x, const fa_tensor *weight, const fa_tensor *bias)
{
    const fa_tensor *other = x->dtype != weight->dtype ? weight : bias && bias->dtype != x->dtype ? bias : NULL;
    if (other)
        return fa__call_fail(c, FA_ERROR_DTYPE,
                             "%s and %s: convolutions do not promote, all have to be of one dtype, fa_to converts%s",
                             fa_dtype_name((fa_dtype)x->dtype), fa_dtype_name((fa_dtype)other->dtype),
                             x->dtype == FA_U8 ? " (images also fa_transform_to_tensor(), to 0 to 1)" : "");
    return x->dtype != FA_BOOL || fa__call_fail(c, FA_ERROR_DTYPE, "there is no convolution of bool");
}

/* Checks the ranks: `spatial` dimensions after the channels, with or without a batch dimension. */
static bool check_ranks(const fa__call *c, const fa_tensor *x, const fa_tensor *weight, int spatial)
{
    if ((x->rank != spatial + 1 && x->rank != spatial + 2) || weight->rank != spatial + 2)
        return fa__call_fail(
            c, FA_ERROR_SHAPE,
            "x has to have %d or %d dimensions, (batch, channels, %s) or without batch, and weight %d%s", spatial + 1,
            spatial + 2, spatial == 1 ? "length" : "height, width", spatial + 2,
            x->rank == 2 && spatial == 2 ? ": fa_view and fa_nn_unflatten divide the rows of x" : "");
    for (int i = 1; i <= spatial; i++)
        if (!x->shape[x->rank - i])
            return fa__call_fail(c, FA_ERROR_SHAPE, "x is empty: only its batch and its channels may be");
    return true;
}

static bool check_bias(const fa__call *c, const fa_tensor *bias, int64_t channels)
{
    return !bias || (bias->rank == 1 && bias->shape[0] == channels)
           || fa__call_fail(c, FA_ERROR_SHAPE, "bias has to be (%lld), a value for each channel of the result",
                            (long long)channels);
}

/* Checks x's channels against weight and groups; the number of output channels is weight's first dimension. */
static bool check_groups(const fa__call *c, int64_t groups, const fa_tensor *weight)
{
    if (groups < 1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "groups has to be 1 at least");
    return weight->shape[0] % groups == 0
           || fa__call_fail(c, FA_ERROR_SHAPE, "weight's first dimension, %lld, is not divisible by %lld groups",
                            (long long)weight->shape[0], (long long)groups);
}

#define CHANNELS_LAST ", as many as x's last: fa_permute(x, FA_DIMS(0, 3, 1, 2)) has channels before rows and columns"

static bool check_channels(const fa__call *c, const fa_tensor *x, int lead, int64_t groups, const fa_tensor *weight)
{
    int64_t each = weight->shape[1], all;
    if (!check_groups(c, groups, weight))
        return false;
    if (!weight->shape[0])
        return fa__call_fail(c, FA_ERROR_SHAPE, "weight's first dimension has to be 1 at least");
    if (fa__mul_i64(each, groups, &all) && x->shape[lead] == all)
        return true;
    return groups == 1
               ? fa__call_fail(c, FA_ERROR_SHAPE, "x has %lld channels, and weight takes %lld, its second size%s",
                               (long long)x->shape[lead], (long long)each,
                               lead == 1 && x->rank == 4 && x->shape[3] == each ? CHANNELS_LAST : "")
               : fa__call_fail(c, FA_ERROR_SHAPE, "x has %lld channels, and weight takes %lld in each of %lld groups",
                               (long long)x->shape[lead], (long long)each, (long long)groups);
}

/* Sets spec[0] to x's shape with other channels, height and width. */
static bool infer_image(fa__call *c, const fa_tensor *x, int64_t channels, const int64_t size[2])
{
    fa__infer_like(c, x, (fa_dtype)x->dtype);
    int64_t *shape = c->spec[0].shape + x->rank - 3;
    shape[0] = channels;
    shape[1] = size[0];
    shape[2] = size[1];
    return true;
}

/* The sum over all dimensions but the channels: the gradient of the bias. */
static fa_tensor *sum_to_channels(const fa_tensor *y)
{
    return y->rank == 4 ? fa_sum(y, .dim = FA_DIMS(0, 2, 3)) : fa_sum(y, .dim = FA_DIMS(1, 2));
}

/* The leading rows and columns of y, up to the height and width of `like`. */
static fa_tensor *first_of(fa_tensor *y, const fa_tensor *like)
{
    for (int i = 1; y && i <= 2; i++)
        if (y->shape[y->rank - i] != like->shape[like->rank - i])
            y = fa_narrow(y, -i, 0, like->shape[like->rank - i]);
    return y;
}

/* ---- conv2d, conv_transpose2d and the gradient of the weight ---- */

typedef struct {
    const fa_tensor *x;              /* input: (n, channels, height, width) or (channels, height, width) */
    const fa_tensor *weight;         /* (out_channels, channels / groups, kernel_height, kernel_width) */
    const fa_tensor *bias OPT(NULL); /* (out); NULL: none */
    fa_pair stride OPT(1);           /* step of the kernel over the input */
    fa_pair padding OPT(0);          /* zeros added on each side; FA_PADDING_SAME keeps the input's size */
    fa_pair dilation OPT(1);         /* spacing between kernel elements */
    int64_t groups OPT(1);           /* number of groups the channels are split into */
} conv2d_args;

static bool conv2d_infer(fa__call *c)
{
    const conv2d_args *a = c->args;
    const fa_tensor *x = a->x, *weight = a->weight;
    window w;
    int64_t result[2];
    return check_ranks(c, x, weight, 2) && check_dtypes(c, x, weight, a->bias)
           && check_channels(c, x, x->rank - 3, a->groups, weight) && check_bias(c, a->bias, weight->shape[0])
           && read_window(c, a->stride, a->padding, a->dilation, weight->shape + 2, &w)
           && result_size(c, &w, x->shape + x->rank - 2, result) && infer_image(c, x, weight->shape[0], result);
}

/* The gradient with respect to the input: a transposed convolution, with its last row or column dropped if
 * FA_PADDING_SAME padded more at the end than at the start. */
static fa_tensor *images_back(const fa_tensor *gy, const fa_tensor *weight, const fa_tensor *x, fa_pair stride,
                              fa_pair padding, fa_pair dilation, int64_t groups)
{
    int64_t front[2], more[2];
    for (int d = 0; d < 2; d++) {
        int64_t span = (weight->shape[2 + d] - 1) * fa_pair_at(dilation, d) + 1;
        front[d] = padding == FA_PADDING_SAME ? (span - 1) / 2 : fa_pair_at(padding, d);
        more[d] =
            x->shape[x->rank - 2 + d] + 2 * front[d] - span - (gy->shape[gy->rank - 2 + d] - 1) * fa_pair_at(stride, d);
        more[d] = more[d] < 0 ? 0 : more[d];
    }
    return first_of(fa_conv_transpose2d(gy, weight, .stride = stride, .padding = FA_PAIR(front[0], front[1]),
                                        .output_padding = FA_PAIR(more[0], more[1]), .groups = groups,
                                        .dilation = dilation),
                    x);
}

static void conv2d_grad(fa__back *b)
{
    const conv2d_args *a = b->args;
    const int64_t *kernel = a->weight->shape + 2;
    fa_tensor *g = b->gy[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, images_back(g, a->weight, a->x, a->stride, a->padding, a->dilation, a->groups));
    if (fa__wants(b, &a->weight))
        fa__set_input_grad(
            b, &a->weight,
            fa__conv2d_weight(a->x, g, kernel[0], kernel[1], a->stride, a->padding, a->dilation, a->groups));
    if (a->bias && fa__wants(b, &a->bias))
        fa__set_input_grad(b, &a->bias, sum_to_channels(g));
}

/** 2-dimensional convolution of images (cross-correlation: the kernel is not flipped). The result is (n, out_channels,
 *  height, width), where each size is floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1. Pairs are
 *  a height and a width, or one number for both. FA_PADDING_SAME requires stride 1; an odd amount of padding has the
 *  extra zeros at the end. All operands have one dtype, not bool. Integers wrap around; f16 and bf16 are accumulated in
 *  f32. */
OP(conv2d, conv2d_args, (y), .infer = conv2d_infer, .grad = conv2d_grad, .keep = KEEP(weight for x, x for weight),
   .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"), TORCH("nn.functional.conv2d(x, weight, bias, stride, padding, dilation, groups)"), ALSO("`convolution`"),
   SAMPLES("(1,2,4,5) (3,2,3,3); (2,2,4,4) (3,2,3,2) bias=(3); (4,4,4) (2,2,3,3) stride=2 padding=1 groups=2; "
           "(2,5,4) (3,2,2,3) bias=(3) stride={1,2} padding={1,0}; (1,1,6,7) (2,1,2,3) stride={2,1} padding={0,2} "
           "dilation={2,3}; (1,3,3,4) (6,1,2,2) bias=(6) groups=3 padding=1; (2,1,4,3) (1,1,3,3) bias=(1) "
           "padding=same; (1,2,3,4) (2,2,2,4) padding=same dilation={2,1}; (1,2,3,3) (2,2,1,1) bias=(2); (1,2,5,5) "
           "(3,2,1,1) stride=2; (0,2,3,3) (2,2,2,2) bias=(2); (1,1,2,2) (1,1,1,2) "
           "stride=3 padding=2; (1,1,3,3) (1,1,2,2) dilation=9 padding=5; i(1,2,3,3) "
           "i(2,2,2,2) bias=i(2) padding=1; (1,4,4,3) (4,2,3,2) bias=(4) stride=2 padding=1 groups=2"))

typedef struct {
    const fa_tensor *x;              /* input: (n, channels, height, width) or (channels, height, width) */
    const fa_tensor *weight;         /* (channels, out_channels / groups, kernel_height, kernel_width) */
    const fa_tensor *bias OPT(NULL); /* (out); NULL: none */
    fa_pair stride OPT(1);           /* step of the kernel over the result */
    fa_pair padding OPT(0);          /* rows and columns removed from the result on each side */
    fa_pair output_padding OPT(0);   /* rows and columns added at the end of the result; less than stride or dilation */
    int64_t groups OPT(1);           /* number of groups the channels are split into */
    fa_pair dilation OPT(1);         /* spacing between kernel elements */
} conv_transpose2d_args;

/* The height and width of the result of a transposed convolution. */
static bool transposed_size(const fa__call *c, const conv_transpose2d_args *a, const window *w, int64_t size[2])
{
    int64_t more[2];
    if (!read_pair(c, "output_padding", a->output_padding, 0, more))
        return false;
    for (int d = 0; d < 2; d++) {
        if (more[d] >= w->stride[d] && more[d] >= w->dilation[d])
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "output_padding has to be below stride or dilation");
        if (!fa__mul_i64(a->x->shape[a->x->rank - 2 + d] - 1, w->stride[d], &size[d]) || size[d] > INT64_MAX / 4)
            return fa__call_fail(c, FA_ERROR_SHAPE, "the result is too large");
        size[d] += w->span[d] + more[d] - w->padding[d];
        if (size[d] < 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "the padding takes all of the result away");
    }
    return true;
}

static bool conv_transpose2d_infer(fa__call *c)
{
    const conv_transpose2d_args *a = c->args;
    const fa_tensor *x = a->x, *weight = a->weight;
    window w;
    int64_t size[2], out;
    if (!check_ranks(c, x, weight, 2) || !check_dtypes(c, x, weight, a->bias) || !check_groups(c, a->groups, weight))
        return false;
    if (x->shape[x->rank - 3] != weight->shape[0] || !fa__mul_i64(weight->shape[1], a->groups, &out))
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has %lld channels, and weight takes %lld, its first size",
                             (long long)x->shape[x->rank - 3], (long long)weight->shape[0]);
    if (a->padding == FA_PADDING_SAME)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there is no padding \"same\" of a transposed convolution");
    return check_bias(c, a->bias, out) && read_window(c, a->stride, a->padding, a->dilation, weight->shape + 2, &w)
           && transposed_size(c, a, &w, size) && infer_image(c, x, out, size);
}

static void conv_transpose2d_grad(fa__back *b)
{
    const conv_transpose2d_args *a = b->args;
    const int64_t *kernel = a->weight->shape + 2;
    fa_tensor *g = b->gy[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x,
                           first_of(fa_conv2d(g, a->weight, .stride = a->stride, .padding = a->padding,
                                              .dilation = a->dilation, .groups = a->groups),
                                    a->x));
    if (fa__wants(b, &a->weight))
        fa__set_input_grad(
            b, &a->weight,
            fa__conv2d_weight(g, a->x, kernel[0], kernel[1], a->stride, a->padding, a->dilation, a->groups));
    if (a->bias && fa__wants(b, &a->bias))
        fa__set_input_grad(b, &a->bias, sum_to_channels(g));
}

/** Transposed convolution: the gradient of conv2d with respect to its input, also called deconvolution. Each element of
 *  x, times the kernel, is added to the result at steps of `stride`. The result is (n, out_channels, height, width),
 *  where each size is (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1. Dtypes as for
 *  fa_conv2d().
 *
 *  It is computed as a convolution of x with zeros inserted between and around its elements. These zeros are multiplied
 *  with all weights, so an infinite or NaN weight makes results NaN that are finite in PyTorch. */
OP(conv_transpose2d, conv_transpose2d_args, (y), .infer = conv_transpose2d_infer, .grad = conv_transpose2d_grad,
   .keep = KEEP(weight for x, x for weight), .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"), TORCH("nn.functional.conv_transpose2d(x, weight, bias, stride, padding, output_padding, groups, dilation)"),
   SAMPLES("(1,3,2,3) (3,2,3,3); (2,2,3,2) (2,1,3,2) bias=(1) stride=2 padding=1 output_padding=1; (2,3,2) (2,2,2,2) "
           "bias=(4) groups=2 stride={1,3} output_padding={0,2}; (1,1,3,2) (1,2,2,3) dilation={2,1} padding={1,0}; "
           "(1,1,2,2) (1,1,2,2) dilation=3 output_padding=2 padding=1; (0,2,3,3) (2,1,2,2); (1,2,2,2) (2,1,1,1) "
           "stride=3 bias=(1); (1,3,2,2) (3,1,3,3) groups=3 stride=2"))

typedef struct {
    const fa_tensor *x;  /* input: (n, channels, height, width) or (channels, height, width) */
    const fa_tensor *gy; /* gradient of the result: (n, out_channels, height, width), or without n */
    int64_t height;      /* kernel height */
    int64_t width;       /* kernel width */
    fa_pair stride;      /* of the convolution */
    fa_pair padding;     /* of the convolution */
    fa_pair dilation;    /* of the convolution */
    int64_t groups;      /* of the convolution */
} conv2d_weight_args;

/* gy may have fewer rows and columns than the full result of the convolution: then it is the leading part. */
static bool check_result(const fa__call *c, const window *w, const int64_t size[2], const fa_tensor *gy)
{
    int64_t result[2];
    const int64_t *has = gy->shape + gy->rank - 2;
    return result_size(c, w, size, result)
           && ((has[0] <= result[0] && has[1] <= result[1])
               || fa__call_fail(c, FA_ERROR_SHAPE, "a convolution of this size has %lld x %lld results",
                                (long long)result[0], (long long)result[1]));
}

static bool conv2d_weight_infer(fa__call *c)
{
    const conv2d_weight_args *a = c->args;
    const fa_tensor *x = a->x, *gy = a->gy;
    const int64_t kernel[2] = {a->height, a->width};
    window w;
    if ((x->rank != 3 && x->rank != 4) || gy->rank != x->rank || (x->rank == 4 && x->shape[0] != gy->shape[0]))
        return fa__call_fail(c, FA_ERROR_SHAPE, "x and gy have to be as many images");
    int64_t channels = x->shape[x->rank - 3], out = gy->shape[gy->rank - 3];
    if (a->groups < 1 || channels % a->groups || out % a->groups)
        return fa__call_fail(c, FA_ERROR_SHAPE, "the channels are not divisible by %lld groups", (long long)a->groups);
    return check_dtypes(c, x, gy, NULL) && read_window(c, a->stride, a->padding, a->dilation, kernel, &w)
           && check_result(c, &w, x->shape + x->rank - 2, gy)
           && fa__infer_shape(c, (fa_dtype)x->dtype, 4, (int64_t[]){out, channels / a->groups, kernel[0], kernel[1]});
}

static void conv2d_weight_grad(fa__back *b)
{
    const conv2d_weight_args *a = b->args;
    fa_tensor *g = b->gy[0];
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, images_back(a->gy, g, a->x, a->stride, a->padding, a->dilation, a->groups));
    if (fa__wants(b, &a->gy))
        fa__set_input_grad(b, &a->gy,
                           first_of(fa_conv2d(a->x, g, .stride = a->stride, .padding = a->padding,
                                              .dilation = a->dilation, .groups = a->groups),
                                    a->gy));
}

/** The gradient of a convolution with respect to its weight: the sum over all images and positions of x times gy. */
OP(conv2d_weight, conv2d_weight_args, (weight), .infer = conv2d_weight_infer, .grad = conv2d_weight_grad,
   .keep = KEEP(gy for x, x for gy), INTERNAL, TORCH(""),
   SAMPLES("(1,2,4,5) (1,3,2,3) 3 3 1 0 1 1; (2,4,4) (4,2,2) 3 3 2 1 1 2; (2,2,3,4) (2,2,3,4) 2 4 1 same 1 1; "
           "(1,1,6,7) (1,2,4,3) 2 3 {1,2} {0,2} {2,3} 1; (0,2,3,3) (0,2,2,2) 2 2 1 0 1 1; (1,2,5,5) (1,3,3,3) 1 1 2 0 "
           "1 1; (1,1,6,6) (1,1,2,2) 2 2 1 0 3 1; (1,0,3,3) (1,2,2,2) 2 2 1 0 1 1"))

/* ---- one dimension ---- */

typedef struct {
    const fa_tensor *x;              /* input: (n, channels, length) or (channels, length) */
    const fa_tensor *weight;         /* (out_channels, channels / groups, kernel_length) */
    const fa_tensor *bias OPT(NULL); /* (out); NULL: none */
    int64_t stride OPT(1);           /* step of the kernel over the input */
    int64_t padding OPT(0);          /* zeros added on each side; FA_PADDING_SAME keeps the input's size */
    int64_t dilation OPT(1);         /* spacing between kernel elements */
    int64_t groups OPT(1);           /* number of groups the channels are split into */
} conv1d_args;

/* A 1-dimensional option as the pair for an image of one row; a number out of range stays out of range. */
static fa_pair of_line(int64_t row, int64_t n)
{
    return n == FA_PADDING_SAME ? FA_PADDING_SAME : FA_PAIR(row, n);
}

static fa_tensor *as_line(fa_tensor *y)
{
    return y ? fa_squeeze(y, .dim = -2) : NULL;
}

static fa_tensor *conv1d_compose(fa__call *c)
{
    const conv1d_args *a = c->args;
    if (!check_ranks(c, a->x, a->weight, 1))
        return NULL;
    return as_line(fa_conv2d(fa_unsqueeze(a->x, -2), fa_unsqueeze(a->weight, -2), .bias = a->bias,
                             .stride = of_line(1, a->stride), .padding = of_line(0, a->padding),
                             .dilation = of_line(1, a->dilation), .groups = a->groups));
}

/** 1-dimensional convolution (cross-correlation) of sequences: (n, out_channels, length), with the length computed as
 *  for fa_conv2d(). */
OP(conv1d, conv1d_args, (y), .compose = conv1d_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"), TORCH("nn.functional.conv1d(x, weight, bias, stride, padding, dilation, groups)"),
   SAMPLES("(2,2,5) (3,2,3); (2,6) (2,1,2) bias=(2) stride=2 padding=1 groups=2; (1,2,5) (2,2,4) padding=3; "
           "(1,1,7) (2,1,3) dilation=2 padding=2 bias=(2); (0,2,4) (2,2,2)"))

typedef struct {
    const fa_tensor *x;              /* input: (n, channels, length) or (channels, length) */
    const fa_tensor *weight;         /* (channels, out_channels / groups, kernel_length) */
    const fa_tensor *bias OPT(NULL); /* (out); NULL: none */
    int64_t stride OPT(1);           /* step of the kernel over the result */
    int64_t padding OPT(0);          /* elements removed from the result on each side */
    int64_t output_padding OPT(0);   /* elements added at the end of the result; less than stride or dilation */
    int64_t groups OPT(1);           /* number of groups the channels are split into */
    int64_t dilation OPT(1);         /* spacing between kernel elements */
} conv_transpose1d_args;

static fa_tensor *conv_transpose1d_compose(fa__call *c)
{
    const conv_transpose1d_args *a = c->args;
    if (!check_ranks(c, a->x, a->weight, 1))
        return NULL;
    return as_line(fa_conv_transpose2d(fa_unsqueeze(a->x, -2), fa_unsqueeze(a->weight, -2), .bias = a->bias,
                                       .stride = of_line(1, a->stride), .padding = of_line(0, a->padding),
                                       .output_padding = of_line(0, a->output_padding), .groups = a->groups,
                                       .dilation = of_line(1, a->dilation)));
}

/** 1-dimensional transposed convolution: (n, out_channels, length), with the length computed as for
 *  fa_conv_transpose2d(). */
OP(conv_transpose1d, conv_transpose1d_args, (y), .compose = conv_transpose1d_compose, .autocast = FA__CAST_LOW,
   .autocast_cpu = FA__CAST_LOW, DIFFERS("bool: as matmul"),
   TORCH("nn.functional.conv_transpose1d(x, weight, bias, stride, padding, output_padding, groups, dilation)"),
   SAMPLES("(2,2,3) (2,3,3); (4,3) (4,1,2) bias=(2) stride=2 padding=1 output_padding=1 groups=2; (1,1,4) (1,1,2) "
           "dilation=2"))

#include "convolution.rows"
