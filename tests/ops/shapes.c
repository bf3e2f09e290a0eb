/* Operations on shapes: which of them share memory, in-place changes through them with gradients, gradients where
 * elements coincide, and what they refuse. Values are held against PyTorch in golden.c. */
#include "support/autograd_test.h"

static fa_tensor *count_up(fa_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++)
        n *= shape.dim[i];
    return fa_reshape(fa_arange(0, (double)n, .dtype = FA_F64), shape);
}

/* ---- memory ---- */

#define SHARES(x, y)                                                                                                   \
    do {                                                                                                               \
        fa_tensor *base = x, *seen = y;                                                                                \
        assert_non_null(seen);                                                                                         \
        fa_copy_(seen, -5);                                                                                            \
        assert_true(fa_item(fa_amax(fa_eq(base, -5))) == 1);                                                           \
    } while (0)

static void views(void **state)
{
    (void)state;
    fa_tensor *x = NULL;
    SHARES(x = count_up(FA_SHAPE(6, 2)), fa_unflatten(x, 0, FA_SHAPE(2, -1)));
    SHARES(x = count_up(FA_SHAPE(2, 3, 4)), fa_movedim(x, FA_SHAPE(0), FA_SHAPE(-1)));
    SHARES(x = count_up(FA_SHAPE(6)), fa_unfold(x, 0, 2, 2));
    SHARES(x = count_up(FA_SHAPE(6)), fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(3), .offset = 1));
    SHARES(x = count_up(FA_SHAPE(3, 4)), fa_diagonal(x, .offset = 1));
}

/* An offset counts from the beginning of the memory, not from that of a view. */
static void offsets(void **state)
{
    (void)state;
    fa_tensor *x = fa_slice(count_up(FA_SHAPE(6)), 0, .start = 3);
    HOLD(fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(1)), 3, 4);
    HOLD(fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(1), .offset = 1), 1, 2);
    HOLD(fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(-2), .offset = 5), 5, 3);
}

/* Parts come back from where they were joined: few and many, short and long, empty ones and such as are converted or
 * lie otherwise in memory among them. */
static void joined(void **state)
{
    (void)state;
    enum { MOST = 300 };
    static const int64_t cases[][4] = {{2, 3, 5, 7},     {2, 30, 1, 100}, {MOST, 4, 1, 8},
                                       {MOST, 1, 9, 16}, {5, 700, 3, 90}, {2, 2100, 2, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int other = 0; other < 3; other++)
            for (int dim = 0; dim < 3; dim++) {
                FA_SCOPE;
                const int64_t count = cases[i][0];
                fa_tensor *part[MOST];
                for (int64_t k = 0; k < count; k++) {
                    fa_shape shape = FA_SHAPE(cases[i][1], cases[i][2], cases[i][3]);
                    shape.dim[dim] = k % 3 == 1 && count > 2 ? 0 : shape.dim[dim] + k % 2;
                    part[k] = fa_randn(shape);
                }
                if (other == 1)
                    part[0] = fa_to(part[0], FA_F16);
                if (other == 2)
                    part[0] = fa_transpose(fa_contiguous(fa_transpose(part[0], 0, 2)), 0, 2);
                fa_tensor *y = fa_cat(FA_ARRAY((size_t)count, part), .dim = dim);
                for (int64_t k = 0, at = 0, n; k < count; k++, at += n) {
                    n = fa_size(part[k], dim);
                    assert_true(same_tensors(fa_narrow(y, dim, at, n), fa_to(part[k], FA_F32)));
                }
                assert_int_equal(fa_failed(), 0);
            }
}

/* What makes something new leaves what it is made of alone, also where there is nothing to do. */
static void copies(void **state)
{
    (void)state;
    fa_tensor *x = count_up(FA_SHAPE(2, 2)), *one = fa_ones(FA_SHAPE(1), .dtype = FA_F64);
    fa_tensor *y[] = {fa_repeat(x, FA_SHAPE(1, 1)),
                      fa_repeat(one, FA_SHAPE(4)),
                      fa_tile(x, FA_SHAPE(1)),
                      fa_repeat_interleave(x, 1, .dim = 0),
                      fa_repeat_interleave(one, 3),
                      fa_roll(x, FA_SHAPE(0), .dims = 0),
                      fa_roll(x, FA_SHAPE(2)),
                      fa_pad(x, FA_LIST(0, 0)),
                      fa_tril(x, .diagonal = 9),
                      fa_stack(FA_TENSORS(x)),
                      fa_hstack(FA_TENSORS(x)),
                      fa_diag_embed(one),
                      fa_flip(x),
                      fa_flip(one),
                      fa_fliplr(x),
                      fa_flipud(x),
                      fa_rot90(x, .k = 0),
                      fa_rot90(x),
                      fa_rot90(x, .k = 2),
                      fa_rot90(x, .k = 3),
                      fa_diag(x),
                      fa_diag(one)};
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        assert_non_null(y[i]);
        assert_non_null(fa_copy_(y[i], 7));
        HOLD(x, 0, 1, 2, 3);
        HOLD(one, 1);
    }
}

/* ---- changes in place through views ---- */

/* x = a * a is changed through a view of it; the gradient of sum(x^2 / 2) with respect to a. */
static fa_tensor *after(fa_tensor *a, fa_tensor *x)
{
    return fa_grad_of(FA_TENSORS(fa_mul(fa_sum(fa_mul(x, x)), 0.5)), FA_TENSORS(a)).item[0];
}

static void in_place(void **state)
{
    (void)state;
    fa_tensor *a = fa_reshape(LEAF(1, 2, 3, 4, 5, 6), FA_SHAPE(2, 3)), *x;
    a = fa_detach(a);
    fa_set_requires_grad(a, true);
    x = fa_mul(a, 1);
    fa_mul_(fa_diagonal(x, .offset = 1), 10);
    HOLD(x, 1, 20, 3, 4, 5, 60);
    HOLD(after(a, x), 1, 200, 3, 4, 5, 600);
    x = fa_mul(a, 1);
    fa_copy_(fa_get(x, ":, -1"), fa_tensor_of(7.0, 8.0));
    HOLD(x, 1, 2, 7, 4, 5, 8);
    HOLD(after(a, x), 1, 2, 0, 4, 5, 0);
    x = fa_mul(a, 1);
    fa_mul_(fa_as_strided(x, FA_SHAPE(3), FA_SHAPE(2)), fa_tensor_of(1.0, 2.0, 3.0));
    HOLD(x, 1, 2, 6, 4, 15, 6);
    HOLD(after(a, x), 1, 2, 12, 4, 45, 6);
    x = fa_mul(a, 1);
    fa_mul_(fa_select(fa_unfold(x, 1, 2, 1), 2, 1), 2);
    HOLD(x, 1, 4, 6, 4, 10, 12);
    HOLD(after(a, x), 1, 8, 12, 4, 20, 24);
    x = fa_mul(a, 1);
    fa_tril_(x);
    HOLD(x, 1, 0, 0, 4, 5, 0);
    HOLD(after(a, x), 1, 0, 0, 4, 5, 0);
    assert_null(fa_tril_(a));
    FAILS(FA_ERROR_GRADIENT, "fa_tril_(", "a leaf");
}

/* A view that was there before sees the change, also when it has elements more than once. */
static void older_views(void **state)
{
    (void)state;
    fa_tensor *a = LEAF(1, 2, 3), *x = fa_mul(a, 1);
    fa_tensor *windows = fa_unfold(x, 0, 2, 1), *strided = fa_as_strided(x, FA_SHAPE(2, 2), FA_SHAPE(1, 1));
    fa_mul_(x, x);
    HOLD(windows, 1, 4, 4, 9);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(windows)), FA_TENSORS(a), .retain_graph = true).item[0], 2, 8, 6);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(strided)), FA_TENSORS(a)).item[0], 2, 8, 6);
}

/* Strides of tensors without elements may be any numbers: what is computed with them does not overflow. */
static void strides_of_nothing(void **state)
{
    (void)state;
    const int64_t far = INT64_MAX;
    fa_tensor *a = LEAF(1, 2, 3);
    fa_tensor *y = fa_as_strided(fa_mul(a, 1), FA_SHAPE(15, 0), FA_SHAPE(-far, 1));
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(a)).item[0], 0, 0, 0);
    fa_tensor *b = fa_sum(a), *z = fa_repeat(b, FA_SHAPE(0, far / 2));
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(z)), FA_TENSORS(a)).item[0], 0, 0, 0);
}

/* Elements that share memory are not written to. */
static void overlapping(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(4)), *some[] = {fa_unfold(x, 0, 2, 1), fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(0)),
                                                     fa_as_strided(x, FA_SHAPE(2, 2), FA_SHAPE(1, 1))};
    for (int i = 0; i < 3; i++) {
        assert_null(fa_add_(some[i], 1));
        FAILS(FA_ERROR_ARGUMENT, "fa_add_(", "share memory");
    }
    HOLD(x, 0, 0, 0, 0);
}

/* ---- gradients ---- */

/* PyTorch 2.15: as_strided of a part of its memory, of an expanded tensor, and beyond x. */
static void strided_gradients(void **state)
{
    (void)state;
    fa_tensor *a = LEAF(1, 2, 3, 4, 5, 6), *w = count_up(FA_SHAPE(4, 3));
    fa_tensor *y = fa_as_strided(a, FA_SHAPE(4, 3), FA_SHAPE(1, 1));
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(fa_mul(y, w))), FA_TENSORS(a)).item[0], 0, 1 + 3, 2 + 4 + 6, 5 + 7 + 9, 8 + 10,
         11);
    fa_tensor *even = fa_slice(a, 0, .step = 2);
    y = fa_as_strided(even, FA_SHAPE(3), FA_SHAPE(2), .offset = 1);
    HOLD(y, 2, 4, 6);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(even), .retain_graph = true).item[0], 0, 0, 0);
    y = fa_as_strided(fa_expand(fa_slice(a, 0, .end = 1), FA_SHAPE(2)), FA_SHAPE(3), FA_SHAPE(0));
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(a)).item[0], 3, 0, 0, 0, 0, 0);
}

/* Windows: each entry gets what all of them give, in each dimension, and again for the gradient of the gradient. */
static void window_gradients(void **state)
{
    (void)state;
    fa_tensor *a = LEAF(1, 2, 3, 4), *y = fa_unfold(a, 0, 3, 1);
    fa_tensor *g = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(y, y))), FA_TENSORS(a), .create_graph = true).item[0];
    HOLD(g, 2, 8, 12, 8);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(fa_mul(g, g))), FA_TENSORS(a)).item[0], 8, 64, 96, 32);
}

/* ---- what is refused ---- */

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)

static void errors(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(3, 4)), *v = fa_zeros(FA_SHAPE(3)), *n = fa_zeros(FA_SCALAR);
    REFUSED(fa_unflatten(x, 1, FA_SHAPE(3, 2)), FA_ERROR_SHAPE, "fa_unflatten(x=(3, 4) f32 cpu, dim=1", "make 4");
    REFUSED(fa_unflatten(x, 1, FA_SHAPE(-1, -1)), FA_ERROR_SHAPE, "fa_unflatten(", "one may be -1");
    REFUSED(fa_unflatten(x, 1, FA_SCALAR), FA_ERROR_SHAPE, "fa_unflatten(", "0 sizes");
    REFUSED(fa_unflatten(x, 2, FA_SHAPE(4)), FA_ERROR_INDEX, "fa_unflatten(", "no dimension 2");
    REFUSED(fa_movedim(x, FA_SHAPE(0, 0), FA_SHAPE(0, 1)), FA_ERROR_ARGUMENT, "fa_movedim(", "source", "twice");
    REFUSED(fa_movedim(x, FA_SHAPE(0, 1), FA_SHAPE(1, -1)), FA_ERROR_ARGUMENT, "fa_movedim(", "destination", "twice");
    REFUSED(fa_movedim(x, FA_SHAPE(0), FA_SHAPE(0, 1)), FA_ERROR_ARGUMENT, "fa_movedim(", "1 dimensions move to 2");
    REFUSED(fa_rot90(v), FA_ERROR_SHAPE, "fa_rot90(", "two dimensions");
    REFUSED(fa_rot90(x, .dims = FA_DIMS(1, -1)), FA_ERROR_ARGUMENT, "fa_rot90(", "twice");
    REFUSED(fa_fliplr(v), FA_ERROR_SHAPE, "fa_fliplr(", "no dimension 1");
    REFUSED(fa_flipud(n), FA_ERROR_SHAPE, "fa_flipud(", "no dimension 0");
    REFUSED(fa_unfold(x, 1, 5, 1), FA_ERROR_ARGUMENT, "fa_unfold(", "windows of 5", "4 entries");
    REFUSED(fa_unfold(x, 1, 2, 0), FA_ERROR_ARGUMENT, "fa_unfold(", "step is 0");
    REFUSED(fa_as_strided(x, FA_SHAPE(4), FA_SHAPE(4)), FA_ERROR_SHAPE, "fa_as_strided(", "beyond the memory");
    REFUSED(fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(1, 1)), FA_ERROR_SHAPE, "fa_as_strided(");
    REFUSED(fa_as_strided(x, FA_SHAPE(2), FA_SHAPE(1), .offset = -1), FA_ERROR_ARGUMENT, "fa_as_strided(", "offset");
    REFUSED(fa_diagonal(v), FA_ERROR_INDEX, "fa_diagonal(");
    REFUSED(fa_diagonal(x, .dim1 = 1, .dim2 = -1), FA_ERROR_SHAPE, "fa_diagonal(", "two different");
    REFUSED(fa_diag(fa_zeros(FA_SHAPE(2, 2, 2))), FA_ERROR_SHAPE, "fa_diag(", "vector or a matrix");
    REFUSED(fa_diag_embed(v, .dim1 = 0, .dim2 = -2), FA_ERROR_SHAPE, "fa_diag_embed(", "two different");
    REFUSED(fa_diag_embed(v, .dim1 = 2), FA_ERROR_INDEX, "fa_diag_embed(", "2 dimensions");
    REFUSED(fa_diag_embed(v, .offset = INT64_MIN), FA_ERROR_SHAPE, "fa_diag_embed(");
    REFUSED(fa_tril(v), FA_ERROR_SHAPE, "fa_tril(x=(3,) f32 cpu");
    REFUSED(fa_triu(n), FA_ERROR_SHAPE, "fa_triu(");
    REFUSED(fa_tril_indices(-1, 2), FA_ERROR_ARGUMENT, "fa_tril_indices(", "-1 rows");
    REFUSED(fa_triu_indices(INT64_MAX, 2), FA_ERROR_ARGUMENT, "fa_triu_indices(");
    REFUSED(fa_eye(-1), FA_ERROR_ARGUMENT, "fa_eye(");
    REFUSED(fa_linspace(0, 1, -1), FA_ERROR_ARGUMENT, "fa_linspace(", "negative");
    REFUSED(fa_logspace(0, 1, -2), FA_ERROR_ARGUMENT, "fa_logspace(", "negative");
}

static void errors_of_copies(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(3, 4)), *v = fa_zeros(FA_SHAPE(3)), *counts = fa_tensor_of(1, -2, 1);
    REFUSED(fa_roll(x, FA_SHAPE(1, 2), .dims = 0), FA_ERROR_ARGUMENT, "fa_roll(", "2 shifts for 1");
    REFUSED(fa_roll(x, FA_SHAPE(1), .dims = 2), FA_ERROR_INDEX, "fa_roll(", "no dimension 2");
    REFUSED(fa_repeat(x, FA_SHAPE(2)), FA_ERROR_SHAPE, "fa_repeat(", "1 repeats for 2 dimensions");
    REFUSED(fa_repeat(x, FA_SHAPE(-1, 1)), FA_ERROR_ARGUMENT, "fa_repeat(", "not negative");
    REFUSED(fa_tile(x, FA_SHAPE(INT64_MAX, 2)), FA_ERROR_SHAPE, "fa_tile(", "counted");
    REFUSED(fa_repeat_interleave(v, -1), FA_ERROR_ARGUMENT, "fa_repeat_interleave(", "-1");
    REFUSED(fa_repeat_interleave(v, 1.5), FA_ERROR_DTYPE, "fa_repeat_interleave(", "integers");
    REFUSED(fa_repeat_interleave(v, v), FA_ERROR_DTYPE, "fa_repeat_interleave(", "integers");
    REFUSED(fa_repeat_interleave(v, counts), FA_ERROR_ARGUMENT, "fa_repeat_interleave(", "repeats[1] is -2");
    REFUSED(fa_repeat_interleave(x, counts), FA_ERROR_SHAPE, "fa_repeat_interleave(", "one number, or 12");
    fa_tensor *here = fa_to(v, DEVICE(0)), *there = fa_to(fa_tensor_of(1, 2, 3), DEVICE(1));
    REFUSED(fa_repeat_interleave(here, there), FA_ERROR_DEVICE, "fa_repeat_interleave(", "different devices");
    REFUSED(fa_repeat_interleave(v, fa_to(counts, DEVICE(0))), FA_ERROR_DEVICE, "fa_repeat_interleave(",
            "different devices");
    REFUSED(fa_pad(v, FA_LIST(1)), FA_ERROR_SHAPE, "fa_pad(", "1 pads");
    REFUSED(fa_pad(v, FA_LIST(1, 1, 1, 1)), FA_ERROR_SHAPE, "fa_pad(", "4 pads", "x has 1");
    REFUSED(fa_pad(v, FA_LIST(-2, -2)), FA_ERROR_SHAPE, "fa_pad(", "dimension 0 of 3", "-2");
    REFUSED(fa_pad(v, FA_LIST(0.5, 1)), FA_ERROR_ARGUMENT, "pads[0] is 0.5");
    REFUSED(fa_pad(v, FA_LIST(1, 1), .mode = "edge"), FA_ERROR_ARGUMENT, "mode=\"edge\"", "\"replicate\"");
    REFUSED(fa_pad(v, FA_LIST(3, 0), .mode = "reflect"), FA_ERROR_SHAPE, "fa_pad(", "too few entries, 3");
    REFUSED(fa_pad(v, FA_LIST(0, 4), .mode = "circular"), FA_ERROR_SHAPE, "fa_pad(", "too few entries, 3");
    REFUSED(fa_pad(fa_zeros(FA_SHAPE(0)), FA_LIST(1, 0), .mode = "replicate"), FA_ERROR_SHAPE, "too few entries, 0");
    REFUSED(fa_pad(v, FA_LIST(1, 1), .mode = "reflect", .value = 1), FA_ERROR_ARGUMENT, "takes no value");
    REFUSED(fa_pad(fa_zeros(FA_SHAPE(2), .dtype = FA_U8), FA_LIST(1, 1), .value = 300), FA_ERROR_ARGUMENT, "300", "u8");
    REFUSED(fa_one_hot(v), FA_ERROR_DTYPE, "fa_one_hot(", "integers");
    REFUSED(fa_one_hot(fa_zeros(FA_SHAPE(0), .dtype = FA_I64)), FA_ERROR_ARGUMENT, "fa_one_hot(", "empty");
    REFUSED(fa_one_hot(fa_tensor_of(1, 3), .num_classes = 3), FA_ERROR_INDEX, "fa_one_hot(", "3");
    REFUSED(fa_one_hot(counts), FA_ERROR_INDEX, "fa_one_hot(", "-2");
    REFUSED(fa_stack(FA_TENSORS(x, v)), FA_ERROR_SHAPE, "fa_stack(", "x[1]");
    REFUSED(fa_stack(FA_TENSORS(v, v), .dim = 2), FA_ERROR_INDEX, "fa_stack(", "no place 2");
    REFUSED(fa_hstack(FA_TENSORS(x, v)), FA_ERROR_SHAPE, "fa_hstack(");
    REFUSED(fa_full_like(fa_zeros(FA_SHAPE(2), .dtype = FA_U8), 300), FA_ERROR_ARGUMENT, "fa_full_like(", "u8");
    REFUSED(fa_rand_like(counts), FA_ERROR_DTYPE, "fa_rand_like(", "floating");
    REFUSED(fa_new_zeros(x, FA_SHAPE(-1)), FA_ERROR_SHAPE, "fa_new_zeros(");
    REFUSED(fa_new_full(x, FA_SHAPE(2), v), FA_ERROR_SHAPE, "fa_new_full(", "0-dim");
    REFUSED(fa_empty_like(x, .dtype = FA_I32, .requires_grad = true), FA_ERROR_DTYPE, "fa_empty_like(");
}

/* FA_PAIR and FA_DIMS where one dimension goes, and where a height and a width go: errors say so, and repeat what was
 * written. */
static void numbers_of_another_kind(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(2, 3, 4)), *image = fa_zeros(FA_SHAPE(1, 1, 4, 4));
    static const char pair[] = "FA_PAIR is a height and a width: a dimension is a plain number",
                      list[] = "FA_DIMS is a list of dimensions: one goes here, as a plain number";
    REFUSED(fa_unsqueeze(x, FA_PAIR(1, 2)), FA_ERROR_ARGUMENT, "dim=FA_PAIR(1, 2)", pair);
    REFUSED(fa_unsqueeze(x, FA_DIMS(2, 1)), FA_ERROR_ARGUMENT, "dim=FA_DIMS(2, 1)", list);
    REFUSED(fa_unsqueeze(x, 5), FA_ERROR_INDEX, "dim=5", "there is no place 5");
    REFUSED(fa_stack(FA_TENSORS(x, x), .dim = FA_DIMS(0)), FA_ERROR_ARGUMENT, "dim=FA_DIMS(0)", list);
    REFUSED(fa_softmax(x, FA_PAIR(1, 2)), FA_ERROR_ARGUMENT, "dim=FA_PAIR(1, 2)", pair);
    REFUSED(fa_softmax(x, FA_DIMS(-1, 0)), FA_ERROR_ARGUMENT, "dim=FA_DIMS(-1, 0)", list);
    REFUSED(fa_softmax(x, FA_DIMS(9)), FA_ERROR_ARGUMENT, "dim=FA_DIMS(out of range)", list);
    REFUSED(fa_permute(x, FA_PAIR(1, 2)), FA_ERROR_ARGUMENT, "dims=FA_PAIR(1, 2)", pair);
    REFUSED(fa_max_pool2d(image, FA_DIMS(2, 2)), FA_ERROR_ARGUMENT, "kernel=FA_DIMS(2, 2)", "FA_PAIR(3, 5)");
}

/* More dimensions than can be seen at once. */
static void many_dimensions(void **state)
{
    (void)state;
    fa_tensor *x = fa_reshape(count_up(FA_SHAPE(4)), FA_SHAPE(1, 2, 1, 1, 1, 1, 2, 1));
    fa_tensor *y = fa_repeat(x, FA_SHAPE(2, 2, 1, 1, 1, 1, 2, 2));
    assert_int_equal(fa_numel(y), 64);
    HOLD(fa_get(y, "1, :, 0, 0, 0, 0, :, 1"), 0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3);
    HOLD(fa_get(fa_repeat_interleave(x, 2, .dim = 6), "0, :, 0, 0, 0, 0, :, 0"), 0, 0, 1, 1, 2, 2, 3, 3);
}

/* Random numbers like others are those of the shape, and whole classes are seen as bool, too. */
static void some_values(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(2, 3), .dtype = FA_F64);
    fa_manual_seed(3);
    fa_tensor *a = fa_rand_like(x), *b = fa_randn_like(x);
    fa_manual_seed(3);
    assert_true(same_tensors(a, fa_rand(FA_SHAPE(2, 3), .dtype = FA_F64)));
    assert_true(same_tensors(b, fa_randn(FA_SHAPE(2, 3), .dtype = FA_F64)));
    HOLD(fa_one_hot(fa_tensor_of(2, 0)), 0, 0, 1, 1, 0, 0);
    fa_tensor *there = fa_zeros(FA_SHAPE(2), .dtype = FA_I16, .device = DEVICE(0));
    assert_true(fa_device_equal(fa_tensor_device(fa_new_full(there, FA_SHAPE(1), 3)), DEVICE(0)));
    HOLD(fa_one_hot(there), 1, 1);
}

static fa_tensor *repeated_late(fa_tensor *x, fa_tensor *counts, int64_t size)
{
    FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
    return fa_repeat_interleave(x, counts, .output_size = size);
}

/* With a size nothing is waited for; what does not fit it is told when the device is waited for. */
static void repeats_of_a_known_size(void **state)
{
    (void)state;
    const fa_device where = DEVICE(0);
    fa_tensor *x = fa_to(fa_tensor_of(5, 6, 7), where), *counts = fa_to(fa_tensor_of(2, 0, 3), where);
    HOLD(repeated_late(x, counts, 5), 5, 5, 7, 7, 7);
    {
        FA_USE(.forbid = FA_SYNC);
        assert_null(fa_repeat_interleave(x, counts));
        FAILS(FA_ERROR_SYNC, "fa_repeat_interleave");
    }
    fa_tensor *negative = fa_to(fa_tensor_of(2, -1, 4), where), *none = fa_zeros_like(counts);
    fa_tensor *wrong[] = {counts, counts, counts, negative};
    const int64_t size[] = {4, 6, 0, 5};
    for (int i = 0; i < 4; i++) {
        repeated_late(x, wrong[i], size[i]);
        fa_synchronize(where);
        FAILS(FA_ERROR_INDEX, "fa_repeat_interleave", "out of range");
    }
    assert_int_equal(fa_numel(repeated_late(x, none, 0)), 0);
    fa_synchronize(where);
    assert_false(fa_failed());
    REFUSED(fa_repeat_interleave(x, 2, .output_size = 5), FA_ERROR_ARGUMENT, "2 times 3 entries are not output_size");
    fa_tensor *meta = fa_repeat_interleave(fa_to(x, FA_META), fa_to(counts, FA_META), .output_size = 5);
    assert_int_equal(fa_numel(meta), 5);
}

/* Negative pads crop; more than there is cannot be cropped, as in PyTorch, whatever is added on the other side. */
static void pads_that_crop(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(3.0), *y = fa_tensor_of(1.0, 2.0, 3.0, 4.0);
    HOLD(fa_pad(x, FA_LIST(3, -1), .value = 7), 7, 7, 7);
    HOLD(fa_pad(y, FA_LIST(3, -2), .value = 7), 7, 7, 7, 1, 2);
    HOLD(fa_pad(y, FA_LIST(-3, 2), .value = 7), 4, 7, 7);
    fa_tensor *none = fa_pad(count_up(FA_SHAPE(1, 4)), FA_LIST(-2, -1, 1, -1), .value = 7);
    assert_non_null(none);
    HOLD(none, 7);
    assert_int_equal(fa_numel(fa_pad(y, FA_LIST(-3, -1))), 0);
    REFUSED(fa_pad(y, FA_LIST(-5, 5)), FA_ERROR_SHAPE,
            "dimension 0 has 4 entries, and padding of -5 and 5 would remove more");
    REFUSED(fa_pad(x, FA_LIST(3, -2)), FA_ERROR_SHAPE,
            "dimension 0 has 1 entries, and padding of 3 and -2 would remove more");
    HOLD(fa_pad(y, FA_LIST(-5, 3), .mode = "replicate"), 4, 4); /* as in PyTorch */
}

/* Bool operands of which one runs down the columns where the result runs along the rows. */
static void transposed_bools(void **state)
{
    (void)state;
    enum { ROWS = 37, COLUMNS = 70 };
    fa_manual_seed(5);
    fa_tensor *a = fa_gt(fa_rand(FA_SHAPE(COLUMNS, ROWS)), 0.5), *b = fa_gt(fa_rand(FA_SHAPE(ROWS, COLUMNS)), 0.5);
    fa_tensor *turned = fa_transpose(a, 0, 1), *flat = fa_contiguous(turned);
    assert_true(same_tensors(fa_logical_and(turned, b), fa_logical_and(flat, b)));
    assert_true(same_tensors(fa_logical_xor(turned, b), fa_logical_xor(flat, b)));
    assert_true(same_tensors(fa_to(fa_logical_not(turned), FA_I32), fa_sub(1, fa_to(flat, FA_I32))));
}

/* A size of 0 does not hide sizes that together are more than 64 bits count. */
static void shapes_without_elements_have_limits(void **state)
{
    (void)state;
    const int64_t huge = INT64_C(1) << 53;
    fa_tensor *x = fa_zeros(FA_SHAPE(1, 3)), *none = fa_zeros(FA_SHAPE(0, 3));
    REFUSED(fa_repeat(x, FA_SHAPE(0, huge, 100, huge, 2)), FA_ERROR_SHAPE, "more elements than can be counted");
    REFUSED(fa_repeat(x, FA_SHAPE(0, INT64_MAX)), FA_ERROR_SHAPE, "dimension 1 would be larger");
    REFUSED(fa_reshape(none, FA_SHAPE(0, huge, huge)), FA_ERROR_SHAPE, "more elements than can be addressed");
    REFUSED(fa_unflatten(none, 0, FA_SHAPE(huge, 0, huge)), FA_ERROR_SHAPE, "more elements than can be addressed");
    assert_int_equal(fa_numel(fa_repeat(x, FA_SHAPE(0, huge))), 0);
    assert_int_equal(fa_numel(fa_reshape(none, FA_SHAPE(huge, 0))), 0);
}

/* A view without elements, whose strides would let it overlap itself, adds nothing to the gradient. */
static void gradient_of_an_empty_view(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(3), 1.0, .requires_grad = true);
    fa_tensor *view = fa_as_strided(x, FA_SHAPE(0, 2), FA_SHAPE(0, 2));
    fa_backward(fa_add(fa_sum(view), fa_sum(x)));
    HOLD(fa_grad(x), 1, 1, 1);
    fa_tensor *none = fa_zeros(FA_SHAPE(0), .requires_grad = true);
    fa_backward(fa_sum(fa_as_strided(none, FA_SHAPE(0, 2), FA_SHAPE(0, 2))));
    assert_int_equal(fa_numel(fa_grad(none)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pads_that_crop),
        TEST(numbers_of_another_kind),
        TEST(gradient_of_an_empty_view),
        TEST(shapes_without_elements_have_limits),
        TEST(transposed_bools),
        TEST(repeats_of_a_known_size),
        TEST(views),
        TEST(offsets),
        TEST(joined),
        TEST(copies),
        TEST(in_place),
        TEST(older_views),
        TEST(strides_of_nothing),
        TEST(overlapping),
        TEST(errors),
        TEST(errors_of_copies),
        TEST(many_dimensions),
        TEST(some_values),
        TEST(strided_gradients),
        TEST(window_gradients),
    };
    return RUN("shapes");
}
