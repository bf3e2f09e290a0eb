/* Pooling in two dimensions. Maximum and mean over windows of the last two dimensions of (n, c, h, w) or (c, h, w).
 * Gradients are added in the order of the windows: the same bits on every device. */
#include "dispatch/row.h"

/* ---- sizes ---- */

/* The geometry of windows along one dimension. */
typedef struct windows {
    int64_t size, stride, padding, dilation;
    bool ceil_mode;
} windows;

static windows windows_of(fa_pair kernel, fa_pair stride, fa_pair padding, fa_pair dilation, bool ceil_mode, int which)
{
    return (windows){.size = fa_pair_at(kernel, which),
                     .stride = fa_pair_at(stride ? stride : kernel, which),
                     .padding = fa_pair_at(padding, which),
                     .dilation = fa_pair_at(dilation, which),
                     .ceil_mode = ceil_mode};
}

static bool check_planes(const fa__call *c, const fa_tensor *x)
{
    if (x->rank != 3 && x->rank != 4)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has %d dimensions: it has to be (n, c, h, w) or (c, h, w)", x->rank);
    if (!x->shape[x->rank - 2] || !x->shape[x->rank - 1])
        return fa__call_fail(c, FA_ERROR_SHAPE, "the planes of x are empty");
    return x->dtype != FA_BOOL || fa__call_fail(c, FA_ERROR_DTYPE, "x is bool");
}

static bool check_floating(const fa__call *c, const fa_tensor *x)
{
    return fa__dtype_is_float(x->dtype)
           || fa__call_fail(c, FA_ERROR_DTYPE, "the mean of %s is not defined: fa_to converts",
                            fa_dtype_name((fa_dtype)x->dtype));
}

/* The extent of a dilated window; 0 if it overflows or is empty. */
static int64_t reach(const windows *w)
{
    int64_t n;
    return w->size >= 1 && w->dilation >= 1 && fa__mul_i64(w->size - 1, w->dilation, &n) && n < INT64_MAX ? n + 1 : 0;
}

/* Whether every window has an element: one that lies only in the padding has none. */
static bool all_have_some(const windows *w, int64_t in, int64_t out)
{
    for (int64_t o = 0; o < out && w->dilation > 1; o++) {
        int64_t start = o * w->stride - w->padding;
        if (start >= 0)
            return true;
        if (start + (w->dilation - 1 - start) / w->dilation * w->dilation >= in)
            return false;
    }
    return true;
}

/* The number of windows; 0 and an error. With ceil_mode the last window may extend past the padding, but must start
 * before its end. */
static int64_t count_windows(const fa__call *c, const windows *w, int64_t in, const char *which)
{
    int64_t all, spare, most = reach(w);
    if (!most || w->stride < 1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "kernel, stride and dilation have to be at least 1 along the %s",
                             which);
    if (w->padding < 0 || w->padding > most / 2)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "padding along the %s has to be 0 to half of the window's %lld",
                             which, (long long)most);
    if (!fa__add_i64(in, 2 * w->padding, &all) || !fa__add_i64(all - most, w->ceil_mode ? w->stride - 1 : 0, &spare)
        || spare < 0)
        return fa__call_fail(c, FA_ERROR_SHAPE, "a window of %lld is larger than the %s, %lld, with its padding",
                             (long long)most, which, (long long)in);
    int64_t out = spare / w->stride + 1;
    if (w->ceil_mode && (out - 1) * w->stride >= in + w->padding)
        out--;
    if (!all_have_some(w, in, out))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "a window has only padding along the %s", which);
    return out;
}

/* Sets the result to x's shape with another height and width. */
static bool infer_planes(fa__call *c, const fa_tensor *x, fa_dtype dtype, int64_t height, int64_t width)
{
    int64_t shape[FA_MAX_DIMS];
    memcpy(shape, x->shape, sizeof shape[0] * x->rank);
    shape[x->rank - 2] = height;
    shape[x->rank - 1] = width;
    return fa__infer_shape(c, dtype, x->rank, shape);
}

static bool infer_windows(fa__call *c, const fa_tensor *x, const windows *h, const windows *w)
{
    if (!check_planes(c, x))
        return false;
    int64_t height = count_windows(c, h, x->shape[x->rank - 2], "height");
    int64_t width = height ? count_windows(c, w, x->shape[x->rank - 1], "width") : 0;
    return width && infer_planes(c, x, (fa_dtype)x->dtype, height, width);
}

/* Checks that t has x's shape except for height and width. */
static bool check_beside(const fa__call *c, const fa_tensor *x, const fa_tensor *t)
{
    bool fits = x->rank == t->rank && (x->rank == 3 || x->rank == 4);
    for (int i = 0; fits && i < x->rank - 2; i++)
        fits = x->shape[i] == t->shape[i];
    return fits || fa__call_fail(c, FA_ERROR_SHAPE, "gy and x are of different shapes");
}

/* ---- maximum ---- */

typedef struct {
    const fa_tensor *x;        /* (n, c, h, w) or (c, h, w), any dtype but bool */
    fa_pair kernel;            /* height and width of the window */
    fa_pair stride OPT(0);     /* step between windows; 0: the kernel size */
    fa_pair padding OPT(0);    /* padding on each side; at most half of the dilated window */
    fa_pair dilation OPT(1);   /* spacing between elements of a window */
    bool ceil_mode OPT(false); /* true: round the number of windows up */
} max_pool2d_args;

static bool max_pool2d_infer(fa__call *c)
{
    const max_pool2d_args *a = c->args;
    const windows h = windows_of(a->kernel, a->stride, a->padding, a->dilation, a->ceil_mode, 0);
    const windows w = windows_of(a->kernel, a->stride, a->padding, a->dilation, a->ceil_mode, 1);
    return infer_windows(c, a->x, &h, &w);
}

static bool max_pool2d_with_indices_infer(fa__call *c)
{
    if (!max_pool2d_infer(c))
        return false;
    c->spec[1] = c->spec[0];
    c->spec[1].dtype = FA_I64;
    return true;
}

static void give_placed(fa__back *b, const fa_tensor *indices)
{
    const max_pool2d_args *a = b->args;
    fa__set_input_grad(b, &a->x,
                       fa__max_pool2d_back(b->gy[0], indices, a->x, a->kernel, a->stride ? a->stride : a->kernel,
                                           a->padding, a->dilation));
}

/* The positions of the maxima are searched again, which is cheaper than storing them. */
static void max_pool2d_grad(fa__back *b)
{
    const max_pool2d_args *a = b->args;
    fa_tensor *indices;
    {
        FA_USE(.no_grad = true);
        indices = fa_max_pool2d_with_indices(a->x, a->kernel, .stride = a->stride, .padding = a->padding,
                                             .dilation = a->dilation, .ceil_mode = a->ceil_mode)
                      .indices;
    }
    give_placed(b, indices);
}

static void max_pool2d_with_indices_grad(fa__back *b)
{
    give_placed(b, b->y[1]);
}

/** Max pooling: the largest element of each window, (n, c, h', w') with h' = floor((h + 2 * padding - dilation *
 *  (kernel - 1) - 1) / stride) + 1. With ceil_mode the division rounds up, as long as the last window starts before the
 *  padding at the end. Padding is never selected. NaN counts as the largest. Of equal elements the first, and of
 *  several NaN the last, is selected and gets the gradient. Unlike in PyTorch, a window that lies only in the padding
 *  is an error. */
OP(max_pool2d, max_pool2d_args, (y), .infer = max_pool2d_infer, .grad = max_pool2d_grad, .keep = KEEP(x),
   TORCH("nn.functional.max_pool2d(x, kernel, stride or kernel, padding, dilation, ceil_mode)"),
   SAMPLES("d(2,3,4,6) 2; d(2,5,7) {3,2} stride={2,1} padding=1; d(1,2,6,5) 3 stride=2 padding=1 ceil_mode=true; "
           "d(1,2,9,8) 2 dilation={2,3} stride=1; d(1,1,5,5) 2 ceil_mode=true; t(1,2,6,6) 3 stride=1 padding=1; "
           "n(1,1,3,9) 2 stride=1; (0,3,4,4) 2; d(1,2,3,40) {2,3} stride={1,3}; d(2,3,3) 3; t(1,1,300) {1,2}"))

/** fa_max_pool2d() and the position of each maximum: i64, row-major within the h x w plane. */
OP(max_pool2d_with_indices, max_pool2d_args, (values, indices), .infer = max_pool2d_with_indices_infer,
   .grad = max_pool2d_with_indices_grad, .keep = KEEP(indices),
   TORCH("nn.functional.max_pool2d_with_indices(x, kernel, stride or kernel, padding, dilation, ceil_mode)"),
   SAMPLES("d(2,3,4,6) 2; d(2,5,7) {3,2} stride={2,1} padding=1; d(1,2,6,5) 3 stride=2 padding=1 ceil_mode=true; "
           "d(1,2,9,8) 2 dilation={2,3} stride=1; d(1,1,5,5) 2 ceil_mode=true; t(1,2,6,6) 3 stride=1 padding=1; "
           "t(1,2,6,40) 2; n(1,1,3,9) 2 stride=1; (0,3,4,4) 2; d(1,2,3,40) {2,3} stride={1,3}; t(1,1,300) {1,2}"))

typedef struct {
    const fa_tensor *gy;      /* (n, c, h', w') or (c, h', w') */
    const fa_tensor *indices; /* gy's shape, integers: row-major positions within a plane of x */
    fa_like x;                /* (n, c, h, w) or (c, h, w) */
    fa_pair kernel;           /* as for max_pool2d; kernel 0: adaptive windows */
    fa_pair stride;           /* not 0, unless kernel is 0 */
    fa_pair padding;          /* padding before the first element */
    fa_pair dilation;         /* spacing between elements of a window */
} max_pool2d_back_args;

static bool max_pool2d_back_infer(fa__call *c)
{
    const max_pool2d_back_args *a = c->args;
    if (fa__dtype_is_float(a->indices->dtype) || !fa__same_shape(a->gy, a->indices))
        return fa__call_fail(c, FA_ERROR_SHAPE, "indices have to be integers, of gy's shape");
    return check_beside(c, a->x, a->gy) && check_floating(c, a->gy) && fa__infer_like(c, a->x, (fa_dtype)a->gy->dtype);
}

static fa_tensor *flat_planes(const fa_tensor *x)
{
    return fa_flatten(x, .start_dim = -2);
}

static void max_pool2d_back_grad(fa__back *b)
{
    const max_pool2d_back_args *a = b->args;
    fa_tensor *chosen = fa_gather(flat_planes(b->gy[0]), -1, flat_planes(a->indices));
    fa__set_input_grad(b, &a->gy, fa_reshape(chosen, fa_tensor_shape(a->indices)));
}

/** Zeros in x's shape, with each element of gy added at its index: the gradient of max_pool2d. */
OP(max_pool2d_back, max_pool2d_back_args, (y), .infer = max_pool2d_back_infer, .grad = max_pool2d_back_grad,
   .keep = KEEP(indices), INTERNAL, TORCH(""),
   SAMPLES("(2,1,1) i(2,1,1)<12 (2,3,4) {3,4} {3,4} 0 1; (2,2,2,2) i(2,2,2,2)<4 (2,2,2,2) 3 1 1 1; (0,2,1,1) "
           "i(0,2,1,1)<4 (0,2,2,2) 2 2 0 1; (3,1,1) i(3,1,1)<35 (3,5,7) 0 0 0 0"))

/* ---- mean ---- */

typedef struct {
    const fa_tensor *x;               /* (n, c, h, w) or (c, h, w), floating */
    fa_pair kernel;                   /* height and width of the window */
    fa_pair stride OPT(0);            /* step between windows; 0: the kernel size */
    fa_pair padding OPT(0);           /* padding on each side; at most half of the window */
    bool ceil_mode OPT(false);        /* true: round the number of windows up */
    bool count_include_pad OPT(true); /* true: padding counts as zeros in the mean */
    int64_t divisor_override OPT(0);  /* the divisor of the sums; 0: the number of elements */
} avg_pool2d_args;

static bool avg_pool2d_infer(fa__call *c)
{
    const avg_pool2d_args *a = c->args;
    const windows h = windows_of(a->kernel, a->stride, a->padding, 1, a->ceil_mode, 0);
    const windows w = windows_of(a->kernel, a->stride, a->padding, 1, a->ceil_mode, 1);
    return check_floating(c, a->x) && infer_windows(c, a->x, &h, &w);
}

static void avg_pool2d_grad(fa__back *b)
{
    const avg_pool2d_args *a = b->args;
    fa__set_input_grad(b, &a->x,
                       fa__avg_pool2d_back(b->gy[0], a->x, a->kernel, a->stride, a->padding, a->ceil_mode,
                                           a->count_include_pad, a->divisor_override));
}

/** Average pooling: the mean of each window, in the shape of fa_max_pool2d()'s result. Sums are accumulated in f32 or
 *  f64, row by row. Elements past the padding (from ceil_mode) are never counted. Integers are an error. */
OP(avg_pool2d, avg_pool2d_args, (y), .infer = avg_pool2d_infer, .grad = avg_pool2d_grad,
   DIFFERS("i64: means of integers are refused"),
   TORCH(
       "nn.functional.avg_pool2d(x, kernel, stride or kernel, padding, ceil_mode, count_include_pad, divisor_override "
       "or None)"),
   SAMPLES(
       "(2,3,4,6) 2; (2,5,7) {3,2} stride={2,1} padding=1; (1,2,6,5) 3 stride=2 padding=1 ceil_mode=true; (1,2,6,5) 3 "
       "stride=2 padding=1 ceil_mode=true count_include_pad=false; (1,1,5,5) 2 ceil_mode=true divisor_override=3; "
       "(1,2,6,6) 3 stride=1 padding=1; n(1,1,3,9) 2 stride=1; (0,3,4,4) 2; (1,2,3,40) {2,3} stride={1,3}; (1,1,300) "
       "{1,2}"))

typedef struct {
    const fa_tensor *gy;      /* gradient of avg_pool2d's result */
    fa_like x;                /* the input of avg_pool2d */
    fa_pair kernel;           /* this and the others: as for avg_pool2d */
    fa_pair stride;           /* 0: the kernel size */
    fa_pair padding;          /* padding on each side */
    bool ceil_mode;           /* the number of windows was rounded up */
    bool count_include_pad;   /* padding counts */
    int64_t divisor_override; /* 0: the number of elements */
} avg_pool2d_back_args;

static bool avg_pool2d_back_infer(fa__call *c)
{
    const avg_pool2d_back_args *a = c->args;
    const windows h = windows_of(a->kernel, a->stride, a->padding, 1, a->ceil_mode, 0);
    const windows w = windows_of(a->kernel, a->stride, a->padding, 1, a->ceil_mode, 1);
    if (!check_beside(c, a->x, a->gy) || !check_floating(c, a->gy) || !infer_windows(c, a->x, &h, &w))
        return false;
    for (int i = 0; i < a->gy->rank; i++)
        if (a->gy->shape[i] != c->spec[0].shape[i])
            return fa__call_fail(c, FA_ERROR_SHAPE, "gy has not an element for each window");
    return fa__infer_like(c, a->x, (fa_dtype)a->gy->dtype);
}

static void avg_pool2d_back_grad(fa__back *b)
{
    const avg_pool2d_back_args *a = b->args;
    fa__set_input_grad(b, &a->gy,
                       fa_avg_pool2d(b->gy[0], a->kernel, .stride = a->stride, .padding = a->padding,
                                     .ceil_mode = a->ceil_mode, .count_include_pad = a->count_include_pad,
                                     .divisor_override = a->divisor_override));
}

/** The gradient of avg_pool2d: each element's share of gy, summed over its windows. */
OP(avg_pool2d_back, avg_pool2d_back_args, (y), .infer = avg_pool2d_back_infer, .grad = avg_pool2d_back_grad, INTERNAL,
   TORCH(""),
   SAMPLES(
       "(2,3,2,3) (2,3,4,6) 2 0 0 false true 0; (2,3,8) (2,5,7) {3,2} {2,1} 1 false true 0; (1,2,4,3) (1,2,6,5) 3 2 1 "
       "true false 0; (1,1,3,3) (1,1,5,5) 2 2 0 true true 3; (0,3,2,2) (0,3,4,4) 2 2 0 false true 0; (1,2,3,40) "
       "(1,2,3,40) 3 1 1 false true 0"))

/* ---- adaptive pooling ---- */

typedef struct {
    const fa_tensor *x; /* (n, c, h, w) or (c, h, w), floating */
    fa_pair size;       /* height and width of the result; -1 keeps x's */
} adaptive_avg_pool2d_args;

/* The size of the result along one dimension; -1 and an error. */
static int64_t adapted(const fa__call *c, const fa_tensor *x, fa_pair size, int which)
{
    int64_t n = fa_pair_at(size, which);
    if (n < -1)
        fa__call_fail(c, FA_ERROR_ARGUMENT, "sizes are 0 or more, or -1, which keeps that of x");
    return n == -1 ? x->shape[x->rank - 2 + which] : n < -1 ? -1 : n;
}

static bool adaptive_infer(fa__call *c)
{
    const adaptive_avg_pool2d_args *a = c->args;
    if (!check_planes(c, a->x) || !check_floating(c, a->x))
        return false;
    int64_t height = adapted(c, a->x, a->size, 0), width = height < 0 ? -1 : adapted(c, a->x, a->size, 1);
    return width >= 0 && infer_planes(c, a->x, (fa_dtype)a->x->dtype, height, width);
}

static void adaptive_mean_grad(fa__back *b)
{
    const adaptive_avg_pool2d_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__adaptive_mean_back(b->gy[0], a->x));
}

/** adaptive_avg_pool2d computed window by window. */
OP(adaptive_mean, adaptive_avg_pool2d_args, (y), .infer = adaptive_infer, .grad = adaptive_mean_grad, INTERNAL,
   DIFFERS("i64 i32 u8 bool: as avg_pool2d, empty ones too"), TORCH("nn.functional.adaptive_avg_pool2d(x, size)"),
   SAMPLES("(2,3,5,7) {2,3}; (2,4,6) 2; (1,2,3,4) {5,2}; (0,2,3,3) 2; n(1,3,9) {2,4}; (1,3,100) {2,33}; "
           "(2,5,4) 1"))

typedef struct {
    const fa_tensor *gy; /* gradient of adaptive_avg_pool2d's result */
    fa_like x;           /* the input of adaptive_avg_pool2d */
} adaptive_mean_back_args;

static bool adaptive_mean_back_infer(fa__call *c)
{
    const adaptive_mean_back_args *a = c->args;
    return check_beside(c, a->x, a->gy) && check_floating(c, a->gy) && fa__infer_like(c, a->x, (fa_dtype)a->gy->dtype);
}

static void adaptive_mean_back_grad(fa__back *b)
{
    const adaptive_mean_back_args *a = b->args;
    int64_t height = a->gy->shape[a->gy->rank - 2], width = a->gy->shape[a->gy->rank - 1];
    fa__set_input_grad(b, &a->gy, fa__adaptive_mean(b->gy[0], FA_PAIR(height, width)));
}

/** The gradient of adaptive_avg_pool2d: each element's share of gy, summed over its windows. */
OP(adaptive_mean_back, adaptive_mean_back_args, (y), .infer = adaptive_mean_back_infer, .grad = adaptive_mean_back_grad,
   INTERNAL, TORCH(""), SAMPLES("(2,3,2,3) (2,3,5,7); (2,2,2) (2,4,6); (1,2,5,2) (1,2,3,4); (0,2,2,2) (0,2,3,3)"))

/* The mean of a whole plane is a reduction, which uses all of the device. */
static fa_tensor *adaptive_avg_pool2d_compose(fa__call *c)
{
    const adaptive_avg_pool2d_args *a = c->args;
    if (!check_planes(c, a->x) || !check_floating(c, a->x))
        return NULL;
    return a->size == 1 || a->size == FA_PAIR(1, 1) ? fa_mean(a->x, .dim = FA_DIMS(-2, -1), .keepdim = true)
                                                    : fa__adaptive_mean(a->x, a->size);
}

/** Adaptive average pooling to a given height and width: result row i is the mean over input rows floor(i * h / h') up
 *  to, but not including, ceil((i + 1) * h / h'), and likewise for columns. Integers are an error. */
OP(adaptive_avg_pool2d, adaptive_avg_pool2d_args, (y), .compose = adaptive_avg_pool2d_compose,
   DIFFERS("i64 i32 u8 bool: as adaptive_mean"),
   TORCH(
       "nn.functional.adaptive_avg_pool2d(x, tuple(None if n < 0 else n for n in size) if isinstance(size, tuple) else "
       "size)"),
   SAMPLES(
       "(2,3,4,6) 2; (2,3,5,7) 1; (2,3,5,7) {2,3}; (2,4,6) {-1,2}; (1,2,3,4) {5,2}; (0,2,3,3) 2; (0,2,3,3) 1; n(1,3,9) "
       "{2,4}"))

typedef struct {
    const fa_tensor *x; /* (n, c, h, w) or (c, h, w), floating */
    fa_pair size;       /* height and width of the result; -1 keeps x's */
} adaptive_max_pool2d_args;

static bool adaptive_max_infer(fa__call *c)
{
    if (!adaptive_infer(c))
        return false;
    c->spec[1] = c->spec[0];
    c->spec[1].dtype = FA_I64;
    return true;
}

static void adaptive_max_grad(fa__back *b)
{
    const adaptive_max_pool2d_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__max_pool2d_back(b->gy[0], b->y[1], a->x, 0, 0, 0, 0));
}

/** Adaptive max pooling to a given height and width, with the windows of fa_adaptive_avg_pool2d(), and the position of
 *  each maximum: i64, row-major within the plane. NaN and equal elements as for fa_max_pool2d(). */
OP(adaptive_max_pool2d_with_indices, adaptive_max_pool2d_args, (values, indices), .infer = adaptive_max_infer,
   .grad = adaptive_max_grad, .keep = KEEP(indices),
   TORCH("nn.functional.adaptive_max_pool2d_with_indices(x, tuple(None if n < 0 else n for n in size) if "
         "isinstance(size, tuple) else size)"),
   SAMPLES(
       "d(2,3,4,6) 2; d(2,3,5,7) 1; d(2,3,5,7) {2,3}; d(2,4,6) {-1,2}; t(1,2,3,4) {5,2}; (0,2,3,3) 2; n(1,3,9) {2,4}; "
       "t(1,3,100) {2,33}"))

static fa_tensor *adaptive_max_pool2d_compose(fa__call *c)
{
    const adaptive_max_pool2d_args *a = c->args;
    return fa_adaptive_max_pool2d_with_indices(a->x, a->size).values;
}

/** Adaptive max pooling: the values of fa_adaptive_max_pool2d_with_indices(). */
OP(adaptive_max_pool2d, adaptive_max_pool2d_args, (y), .compose = adaptive_max_pool2d_compose,
   TORCH(
       "nn.functional.adaptive_max_pool2d(x, tuple(None if n < 0 else n for n in size) if isinstance(size, tuple) else "
       "size)"),
   SAMPLES("d(2,3,5,7) {2,3}; d(2,4,6) {-1,2}; n(1,3,9) {2,4}"))

#include "pooling.rows"
