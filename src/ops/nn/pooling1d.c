/* Pooling in one dimension. Sequences are (n, c, length) or (c, length); they are pooled as images of one row. */
#include "dispatch/row.h"

/* Sequences as images of one row. */
static fa_tensor *planes(const fa__call *c, const fa_tensor *x)
{
    if (x->rank != 2 && x->rank != 3) {
        fa__call_fail(c, FA_ERROR_SHAPE, "x has %d dimensions: it has to be (n, c, length) or (c, length)", x->rank);
        return NULL;
    }
    return fa_unsqueeze(x, -2);
}

static fa_tensor *lines(const fa_tensor *y)
{
    return y ? fa_squeeze(y, .dim = -2) : NULL;
}

typedef struct {
    const fa_tensor *x;        /* (n, c, length) or (c, length), any dtype but bool */
    int64_t kernel;            /* length of the window */
    int64_t stride OPT(0);     /* step between windows; 0: the kernel size */
    int64_t padding OPT(0);    /* padding on each side; at most half of the dilated window */
    int64_t dilation OPT(1);   /* spacing between elements of a window */
    bool ceil_mode OPT(false); /* true: round the number of windows up */
} max_pool1d_args;

static fa_tensor *max_pool1d_compose(fa__call *c)
{
    const max_pool1d_args *a = c->args;
    fa_tensor *x = planes(c, a->x);
    return x ? lines(fa_max_pool2d(x, FA_PAIR(1, a->kernel), .stride = FA_PAIR(1, a->stride ? a->stride : a->kernel),
                                   .padding = FA_PAIR(0, a->padding), .dilation = FA_PAIR(1, a->dilation),
                                   .ceil_mode = a->ceil_mode))
             : NULL;
}

/** Max pooling of sequences: (n, c, length'). See fa_max_pool2d(). */
OP(max_pool1d, max_pool1d_args, (y), .compose = max_pool1d_compose,
   TORCH("max_pool1d(x, kernel, stride or kernel, padding, dilation, ceil_mode)"),
   SAMPLES("d(2,3,7) 2; d(3,7) 3 stride=2 padding=1; d(1,2,9) 2 dilation=3 ceil_mode=true stride=2; n(1,9) 2 stride=1"))

static fa_tensor *max_pool1d_with_indices_compose(fa__call *c)
{
    const max_pool1d_args *a = c->args;
    fa_tensor *x = planes(c, a->x);
    if (!x)
        return NULL;
    fa_max_pool2d_with_indices_result r = fa_max_pool2d_with_indices(
        x, FA_PAIR(1, a->kernel), .stride = FA_PAIR(1, a->stride ? a->stride : a->kernel),
        .padding = FA_PAIR(0, a->padding), .dilation = FA_PAIR(1, a->dilation), .ceil_mode = a->ceil_mode);
    c->out[1] = lines(r.indices);
    return lines(r.values);
}

/** Max pooling of sequences, with the position of each maximum in its sequence (i64). See fa_max_pool2d(). */
OP(max_pool1d_with_indices, max_pool1d_args, (values, indices), .compose = max_pool1d_with_indices_compose,
   TORCH("max_pool1d_with_indices(x, kernel, stride or kernel, padding, dilation, ceil_mode)"),
   SAMPLES("d(2,3,7) 2; d(3,7) 3 stride=2 padding=1; n(1,9) 2 stride=1"))

typedef struct {
    const fa_tensor *x;               /* (n, c, length) or (c, length), floating */
    int64_t kernel;                   /* length of the window */
    int64_t stride OPT(0);            /* step between windows; 0: the kernel size */
    int64_t padding OPT(0);           /* padding on each side; at most half of the window */
    bool ceil_mode OPT(false);        /* true: round the number of windows up */
    bool count_include_pad OPT(true); /* true: padding counts as zeros in the mean */
} avg_pool1d_args;

static fa_tensor *avg_pool1d_compose(fa__call *c)
{
    const avg_pool1d_args *a = c->args;
    fa_tensor *x = planes(c, a->x);
    return x ? lines(fa_avg_pool2d(x, FA_PAIR(1, a->kernel), .stride = FA_PAIR(1, a->stride ? a->stride : a->kernel),
                                   .padding = FA_PAIR(0, a->padding), .ceil_mode = a->ceil_mode,
                                   .count_include_pad = a->count_include_pad))
             : NULL;
}

/** Average pooling of sequences: (n, c, length'). See fa_avg_pool2d(). */
OP(avg_pool1d, avg_pool1d_args, (y), .compose = avg_pool1d_compose, DIFFERS("i64: as avg_pool2d"),
   TORCH("avg_pool1d(x, kernel, stride or kernel, padding, ceil_mode, count_include_pad)"),
   SAMPLES("(2,3,7) 2; (3,7) 3 stride=2 padding=1 ceil_mode=true; (1,2,9) 4 padding=2 count_include_pad=false"))

typedef struct {
    const fa_tensor *x; /* (n, c, length) or (c, length), floating */
    int64_t size;       /* length of the result */
} adaptive_pool1d_args;

static fa_tensor *adaptive_avg_pool1d_compose(fa__call *c)
{
    const adaptive_pool1d_args *a = c->args;
    fa_tensor *x = planes(c, a->x);
    return x ? lines(fa_adaptive_avg_pool2d(x, FA_PAIR(1, a->size))) : NULL;
}

/** Adaptive average pooling of sequences to a given length. See fa_adaptive_avg_pool2d(). */
OP(adaptive_avg_pool1d, adaptive_pool1d_args, (y), .compose = adaptive_avg_pool1d_compose,
   TORCH("adaptive_avg_pool1d(x, size)"), SAMPLES("(2,3,7) 3; (3,8) 2; (2,3,7) 1"))

static fa_tensor *adaptive_max_pool1d_with_indices_compose(fa__call *c)
{
    const adaptive_pool1d_args *a = c->args;
    fa_tensor *x = planes(c, a->x);
    if (!x)
        return NULL;
    fa_adaptive_max_pool2d_with_indices_result r = fa_adaptive_max_pool2d_with_indices(x, FA_PAIR(1, a->size));
    c->out[1] = lines(r.indices);
    return lines(r.values);
}

/** Adaptive max pooling of sequences to a given length, with the position of each maximum in its sequence (i64). See
 *  fa_adaptive_max_pool2d_with_indices(). */
OP(adaptive_max_pool1d_with_indices, adaptive_pool1d_args, (values, indices),
   .compose = adaptive_max_pool1d_with_indices_compose, TORCH("adaptive_max_pool1d(x, size)"),
   SAMPLES("d(2,3,7) 3; d(3,8) 2; d(2,3,7) 1"))

static fa_tensor *adaptive_max_pool1d_compose(fa__call *c)
{
    const adaptive_pool1d_args *a = c->args;
    fa_tensor *x = planes(c, a->x);
    return x ? lines(fa_adaptive_max_pool2d(x, FA_PAIR(1, a->size))) : NULL;
}

/** Adaptive max pooling of sequences to a given length. See fa_adaptive_max_pool2d(). */
OP(adaptive_max_pool1d, adaptive_pool1d_args, (y), .compose = adaptive_max_pool1d_compose,
   TORCH("nn.functional.adaptive_max_pool1d(x, size)"), SAMPLES("d(2,3,7) 3; d(3,8) 2; n(1,9) 2"))

#include "pooling1d.rows"
