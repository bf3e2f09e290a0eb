/* Versions, and what may not be changed in place (semantics, "Views, in-place, autograd"). */
#include "core/tensor.h"
#include "internal.h"
#include "support/autograd_test.h"

/* Every in-place operation bumps the version that views and detached tensors share, also with grad off. */
static void every_change_is_counted(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2, 3)), *v = fa_t(x), *d = fa_detach(v);
    int64_t n = fa_tensor_version(x);
    fa_add_(x, 1);
    assert_int_equal(fa_tensor_version(v), ++n);
    {
        FA_USE(.no_grad = true);
        fa_mul_(d, 2);
    }
    assert_int_equal(fa_tensor_version(x), ++n);
    fa_copy_(v, 3);
    assert_int_equal(fa_tensor_version(d), ++n);
    fa_set(x, "0, 0", 7);
    assert_int_equal(fa_tensor_version(x), ++n);
    fa_add(x, 1, .out = x);
    assert_int_equal(fa_tensor_version(x), ++n);
    fa_scatter_add_(x, 0, fa_to(fa_zeros(FA_SHAPE(1, 3)), FA_I64), fa_ones(FA_SHAPE(1, 3)));
    assert_int_equal(fa_tensor_version(x), ++n);
    assert_int_equal(fa_tensor_version(fa_clone(x)), 0);
}

/* Backward over a saved tensor that changed is an error naming the operation that made it, the one that changed it, and
 * both versions. */
static void a_saved_operand_that_changed(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_exp(x), *z = fa_sum(fa_mul(y, y));
    fa_sub_(y, 1);
    fa_sub_(y, 1);
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "mul", "made by exp", "changed in place by sub", "version 2", "version 0");
    assert_null(fa_grad(x));
}

/* fa_rsqrt and fa_expm1 read their result alone. */
static void an_operand_that_may_change(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(4, 16), *y = fa_mul(x, 1), *z = fa_rsqrt(y);
    fa_mul_(y, 0);
    assert_true(fa_backward(fa_sum(z)));
    HOLD(fa_grad(x), -0.0625, -0.0078125);
    x = LEAF(0, 0), y = fa_mul(x, 3), z = fa_expm1(y);
    fa_copy_(y, 7);
    assert_true(fa_backward(fa_sum(z)));
    HOLD(fa_grad(x), 3, 3);
}

static void a_saved_result_that_changed(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sigmoid(x);
    fa_mul_(y, 2);
    assert_false(fa_backward(fa_sum(y)));
    FAILS(FA_ERROR_GRADIENT, "sigmoid", "changed in place by mul", "version 1", "version 0");
}

/* Of several results each is looked at: the places of the largest elements, too. */
static void a_saved_second_result_that_changed(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 5.0, 3.0, 2.0);
    fa_set_requires_grad(x, true);
    fa_max_result m = fa_max(fa_view(x, FA_SHAPE(2, 2)), 1);
    fa_copy_(m.indices, 0);
    assert_false(fa_backward(fa_sum(m.values)));
    FAILS(FA_ERROR_GRADIENT, "max", "indices", "changed in place by copy", "version 1", "version 0");
    assert_null(fa_grad(x));
}

static fa_tensor *product_forward(void *context, fa_tensors in)
{
    (void)context;
    return fa_mul(in.item[0], in.item[1]);
}

static bool product_backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)context;
    gx[0] = fa_mul(grad, saved.item[1]);
    gx[1] = fa_mul(grad, saved.item[0]);
    return true;
}

/* Items of a list count from where they were when they were saved. */
static void a_saved_item_of_a_list_that_changed(void **state)
{
    (void)state;
    static const fa_function product = {.name = "product", .forward = product_forward, .backward = product_backward};
    fa_tensor *x = LEAF(1, 2), *w = LEAF(3, 4), *y = fa_mul(x, 1);
    fa_add_(y, 1);
    assert_true(fa_backward(fa_sum(fa_apply(&product, NULL, FA_TENSORS(w, y)))));
    HOLD(fa_grad(x), 3, 4);
    HOLD(fa_grad(w), 2, 3);
    y = fa_mul(x, 1);
    fa_add_(y, 1);
    fa_tensor *z = fa_apply(&product, NULL, FA_TENSORS(w, y));
    fa_add_(y, 1);
    assert_false(fa_backward(fa_sum(z)));
    FAILS(FA_ERROR_GRADIENT, "changed in place by add", "version 2", "version 1");
}

/* There is no way round the counter. */
static void through_detach_no_grad_views_and_pieces(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_exp(x), *z = fa_sum(y);
    fa_copy_(fa_detach(y), 0);
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "exp", "changed in place by copy");
    y = fa_exp(x);
    z = fa_sum(y);
    {
        FA_USE(.no_grad = true);
        fa_mul_(fa_get(y, "0:1"), 5);
    }
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "exp", "changed in place by mul");
    y = fa_exp(x);
    z = fa_sum(y);
    fa_add(fa_detach(y), 1, .out = fa_detach(y));
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "exp", "changed in place by add");
}

static void a_leaf_changed_under_no_grad(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(fa_mul(x, x));
    {
        FA_USE(.no_grad = true);
        fa_sub_(x, 0.5);
    }
    assert_true(fa_is_leaf(x) && fa_requires_grad(x));
    assert_false(fa_backward(y));
    FAILS(FA_ERROR_GRADIENT, "mul", "changed in place by sub");
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    HOLD(fa_grad(x), 1, 3);
}

static void what_is_not_saved_may_change(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3), *z = fa_sum(fa_add(y, y));
    fa_mul_(y, 0);
    assert_true(fa_backward(z));
    HOLD(fa_grad(x), 6, 6);
}

/* relu keeps its result, a quotient its operands. */
static void what_relu_and_div_keep(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, -2), *h = fa_mul(x, 3), *r = fa_relu(h), *q = fa_div(x, h);
    fa_add_(h, 0);
    assert_true(fa_backward(fa_sum(r), .retain_graph = true));
    HOLD(fa_grad(x), 3, 0);
    fa_tensor *z = fa_div(x, fa_mul(x, x));
    fa_add_(z, 1);
    assert_true(fa_backward(fa_sum(z)));
    HOLD(fa_grad(x), 2, -0.25);
    assert_false(fa_backward(fa_sum(q)));
    FAILS(FA_ERROR_GRADIENT, "div", "changed in place by add");
}

/* The gradient of one operand of a product needs the other alone; that of what scatter_add adds to needs no index. */
static void what_no_wanted_gradient_needs_may_change(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *w = fa_ones(FA_SHAPE(2, 2), .dtype = FA_F64), *bias = LEAF(0, 0);
    fa_tensor *h = fa_reshape(fa_mul(x, 1), FA_SHAPE(1, 2)), *c = fa_ones(FA_SHAPE(1, 2), .dtype = FA_F64);
    fa_tensor *product = fa_matmul(h, w), *linear = fa_linear(h, w), *biased = fa_linear(c, w, .bias = bias);
    fa_tensor *other = fa_matmul(h, fa_mul(LEAF(1, 1), 2)), *index = fa_tensor_of(1, 1);
    fa_tensor *sum = fa_scatter_add(fa_mul(x, 2), 0, index, fa_ones(FA_SHAPE(2), .dtype = FA_F64));
    fa_add_(h, 1);
    fa_add_(c, 1);
    fa_sub_(index, 1);
    assert_true(fa_backward(fa_sum(product)));
    assert_true(fa_backward(fa_sum(linear)));
    assert_true(fa_backward(fa_sum(sum)));
    HOLD(fa_grad(x), 6, 6);
    fa_add_(w, 1);
    assert_true(fa_backward(fa_sum(biased)));
    HOLD(fa_grad(bias), 1, 1);
    assert_false(fa_backward(fa_sum(other)));
    FAILS(FA_ERROR_GRADIENT, "matmul", "a was changed in place by add");
    linear = fa_linear(h, w);
    fa_add_(w, 1);
    assert_false(fa_backward(fa_sum(linear)));
    FAILS(FA_ERROR_GRADIENT, "linear", "weight was changed in place by add");
}

static void copying_to_itself(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0);
    assert_non_null(fa_copy_(x, x));
    HOLD(x, 1, 2);
    assert_non_null(fa_copy_(x, fa_get(x, "::-1")));
    HOLD(x, 2, 1);
}

/* A view follows its base, also when that becomes a leaf that needs gradients. */
static void a_view_that_was_there_before(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0, 3.0), *v = fa_narrow(x, 0, 0, 2);
    fa_set_requires_grad(x, true);
    assert_true(fa_requires_grad(v));
    assert_true(fa_backward(fa_sum(fa_mul(v, v))));
    HOLD(fa_grad(x), 2, 4, 0);
    fa_set_requires_grad(x, false);
    assert_false(fa_requires_grad(fa_sum(v)));
}

/* Errors: in-place on a leaf that needs grad (allowed under no_grad) */
static void a_leaf_in_place(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_null(fa_add_(x, 1));
    FAILS(FA_ERROR_GRADIENT, "leaf", "no_grad");
    assert_null(fa_add_(fa_select(x, 0, 0), 1));
    FAILS(FA_ERROR_GRADIENT, "view of a leaf");
    assert_null(fa_set(x, "1", 5));
    FAILS(FA_ERROR_GRADIENT, "view of a leaf");
    assert_null(fa_copy_(x, 5));
    FAILS(FA_ERROR_GRADIENT, "leaf");
    HOLD(x, 1, 2);
    FA_USE(.no_grad = true);
    assert_non_null(fa_add_(x, 1));
    assert_non_null(fa_set(x, "1", 5));
    HOLD(x, 2, 5);
}

static void a_view_that_is_a_leaf_in_place(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2)), *v = fa_get(x, ":1");
    assert_true(fa_set_requires_grad(v, true));
    assert_null(fa_mul_(v, 2));
    FAILS(FA_ERROR_GRADIENT, "leaf");
}

/* arithmetic in place on expanded memory */
static void expanded_memory_in_place(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(1, 3)), *e = fa_expand(x, FA_SHAPE(2, 3));
    assert_null(fa_add_(e, 1));
    FAILS(FA_ERROR_ARGUMENT, "share memory");
    assert_null(fa_mul(x, fa_ones(FA_SHAPE(2, 3)), .out = e));
    FAILS(FA_ERROR_ARGUMENT, "share memory");
    assert_null(fa_copy_(e, fa_ones(FA_SHAPE(2, 3))));
    FAILS(FA_ERROR_ARGUMENT, "share memory");
    HOLD(x, 1, 1, 1);
    assert_non_null(fa_add_(fa_expand(x, FA_SHAPE(1, 3)), 1));
    HOLD(x, 2, 2, 2);
}

/* Where an operand shares memory with what is written, a copy of it is used, as in NumPy. */
static void overlapping_operands_in_place(void **state)
{
    (void)state;
    fa_tensor *a = fa_reshape(fa_arange(0, 9), FA_SHAPE(3, 3)), *v = fa_arange(0, 6);
    assert_non_null(fa_add_(a, fa_t(a)));
    HOLD(a, 0, 4, 8, 4, 8, 12, 8, 12, 16);
    assert_non_null(fa_add_(fa_get(v, "1:"), fa_get(v, ":-1")));
    HOLD(v, 0, 1, 3, 5, 7, 9);
    assert_non_null(fa_add(fa_get(v, ":-1"), 1, .out = fa_get(v, "1:")));
    HOLD(v, 0, 1, 2, 4, 6, 8);
    assert_non_null(fa_mul_(v, fa_get(v, "::-1")));
    HOLD(v, 0, 6, 8, 8, 6, 0);
    assert_non_null(fa_mul_(v, fa_select(v, 0, 3)));
    HOLD(v, 0, 48, 64, 64, 48, 0);
    v = fa_arange(0, 6);
    assert_non_null(fa_add_(fa_get(v, ":3"), fa_get(v, "3:")));
    assert_non_null(fa_add_(v, v));
    assert_non_null(fa_mul_(v, fa_view(v, FA_SHAPE(6))));
    HOLD(v, 36, 100, 196, 36, 64, 100);
}

/* but views whose elements lie between one another's share nothing */
static void interleaved_operands_in_place(void **state)
{
    (void)state;
    fa_tensor *a = fa_to(fa_reshape(fa_arange(0, 9), FA_SHAPE(3, 3)), FA_F64), *b = fa_arange(0, 6),
              *c = fa_reshape(fa_arange(0, 8), FA_SHAPE(2, 4)), *d = fa_arange(0, 12);
    assert_non_null(fa_add_(fa_get(a, ":,0"), fa_get(a, ":,1")));
    assert_non_null(fa_copy_(fa_get(a, ":,1"), fa_get(a, ":,2")));
    HOLD(a, 1, 2, 2, 7, 5, 5, 13, 8, 8);
    assert_non_null(fa_add_(fa_get(b, "::2"), fa_get(b, "1::2")));
    HOLD(b, 1, 1, 5, 3, 9, 5);
    assert_non_null(fa_set(b, "::2", fa_get(b, "::-2")));
    HOLD(b, 5, 1, 3, 3, 1, 5);
    assert_non_null(fa_add_(fa_get(c, ":,:2"), fa_get(c, ":,2:")));
    HOLD(c, 2, 4, 2, 3, 10, 12, 6, 7);
    assert_non_null(fa_add_(fa_get(c, ":,:2"), fa_get(c, ":,1:3")));
    HOLD(c, 6, 6, 2, 3, 22, 18, 6, 7);
    assert_non_null(fa_copy_(fa_get(d, "::4"), fa_get(d, "1:10:3"))); /* 0, 4, 8 and 1, 4, 7 */
    HOLD(d, 1, 1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11);
    assert_non_null(fa_copy_(fa_get(d, ":5:2"), fa_get(d, "3:10:3"))); /* 0, 2, 4 and 3, 6, 9 */
    HOLD(d, 3, 1, 6, 3, 9, 5, 6, 7, 7, 9, 10, 11);
    const fa_binding columns[] = {{.name = "p", .tensors = FA_TENSORS(fa_get(a, ":,0"))},
                                  {.name = "g", .tensors = FA_TENSORS(fa_get(a, ":,2"))}};
    assert_true(fa_update("p = p - g; g = 0 * p", 2, columns));
    HOLD(a, -1, 2, 0, 2, 5, 0, 5, 8, 0);
}

/* An arbitrary geometry over 64 elements, from the state of a generator. */
static fa_tensor *any_view(const fa_tensor *memory, uint32_t *state)
{
    fa_shape shape = {.rank = 0}, stride = {.rank = 0};
    int64_t low, high;
    do {
        shape.rank = stride.rank = (int32_t)((*state = *state * 1664525 + 1013904223) >> 30);
        for (int i = 0; i < shape.rank; i++) {
            shape.dim[i] = (*state = *state * 1664525 + 1013904223) >> 29;
            stride.dim[i] = (int64_t)((*state = *state * 1664525 + 1013904223) >> 27) - 16;
        }
        fa__extent(shape.rank, shape.dim, stride.dim, &low, &high);
    } while (high - low > 64);
    *state = *state * 1664525 + 1013904223;
    int64_t offset = high > low ? (int64_t)((*state >> 8) % (uint64_t)(65 - (high - low))) - low : 30;
    fa_shape layout = FA_SHAPE(1);
    return fa__strided_part(memory, layout, shape, stride, offset);
}

/* Which of 64 elements, whose values are their places, a view has. */
static uint64_t places_of(const fa_tensor *t)
{
    int64_t place[512], n = fa_numel(t);
    uint64_t set = 0;
    assert_true(n <= 512 && fa_read(t, place, FA_I64, n));
    for (int64_t i = 0; i < n; i++)
        set |= UINT64_C(1) << place[i];
    return set;
}

/* Whether two views overlap is found out, not guessed from where they begin and end. */
static void overlap_is_exact(void **state)
{
    (void)state;
    fa_tensor *memory = fa_arange(0, 64);
    uint32_t random = 1;
    int met = 0, apart = 0;
    for (int i = 0; i < 20000; i++) {
        FA_SCOPE;
        fa_tensor *a = any_view(memory, &random), *b = any_view(memory, &random);
        bool meet = places_of(a) & places_of(b);
        met += meet;
        apart += !meet && fa_numel(a) && fa_numel(b);
        assert_int_equal(fa__may_share(a, b), meet);
    }
    assert_true(met > 1000 && apart > 1000);
}

/* fa_update writes several tensors at once: each may be read under other names, as a whole, and by nothing else */
static void overlapping_operands_of_update(void **state)
{
    (void)state;
    fa_tensor *t = fa_to(fa_arange(0, 6), FA_F64), *square = fa_to(fa_reshape(fa_arange(0, 4), FA_SHAPE(2, 2)), FA_F64);
    const fa_binding shifted[] = {{.name = "p", .tensors = FA_TENSORS(fa_get(t, "1:"))},
                                  {.name = "g", .tensors = FA_TENSORS(fa_get(t, ":-1"))}},
                     turned[] = {{.name = "g", .tensors = FA_TENSORS(fa_t(square))},
                                 {.name = "p", .tensors = FA_TENSORS(square)}},
                     twice[] = {{.name = "p", .tensors = FA_TENSORS(t)}, {.name = "q", .tensors = FA_TENSORS(t)}},
                     apart[] = {{.name = "p", .tensors = FA_TENSORS(fa_get(t, ":3"), fa_get(t, "1:4"))},
                                {.name = "g", .tensors = FA_TENSORS(fa_get(t, "3:"), fa_get(t, "3:"))}};
    assert_false(fa_update("p = p + g", 2, shifted));
    FAILS(FA_ERROR_ARGUMENT, "fa_update: g[0]: it overlaps a result in memory", "p[0] is (5,)");
    assert_false(fa_update("p = p + g", 2, turned));
    FAILS(FA_ERROR_ARGUMENT, "fa_update: g[0]: it overlaps a result in memory");
    assert_false(fa_update("p = p + 1; q = q + 10", 2, twice));
    FAILS(FA_ERROR_ARGUMENT, "fa_update: q[0]: it overlaps a result in memory");
    assert_false(fa_update("p = p + g", 2, apart));
    FAILS(FA_ERROR_ARGUMENT, "fa_update: g[1]: it overlaps a result in memory");
    HOLD(t, 0, 1, 2, 3, 4, 5);
    HOLD(square, 0, 1, 2, 3);
    const fa_binding same[] = {{.name = "p", .tensors = FA_TENSORS(t)},
                               {.name = "g", .tensors = FA_TENSORS(fa_view(t, FA_SHAPE(6)))},
                               {.name = "q", .tensors = FA_TENSORS(fa_zeros_like(t))}},
                     halves[] = {{.name = "p", .tensors = FA_TENSORS(fa_get(t, ":3"))},
                                 {.name = "q", .tensors = FA_TENSORS(fa_get(t, "3:"))}};
    assert_true(fa_update("p = p + g; q = g", 3, same));
    HOLD(t, 0, 2, 4, 6, 8, 10);
    HOLD(same[2].tensors.item[0], 0, 1, 2, 3, 4, 5);
    assert_true(fa_update("p = p + q; q = -q", 2, halves));
    HOLD(t, 6, 10, 14, -6, -8, -10);
}

static void scatter_add_of_itself(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(3));
    assert_non_null(fa_scatter_add_(x, 0, fa_tensor_of(0, 0, 1), x));
    HOLD(x, 3, 2, 1);
}

static void cat_into_its_own_part(void **state)
{
    (void)state;
    fa_tensor *x = fa_arange(0, 4);
    assert_non_null(fa_cat(FA_TENSORS(fa_get(x, "2:"), fa_get(x, ":2")), .out = x));
    HOLD(x, 2, 3, 0, 1);
}

/* so are operands or out that need gradients, when grad mode is on */
static void out_is_not_recorded(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *out = fa_zeros(FA_SHAPE(2), .dtype = FA_F64);
    assert_null(fa_mul(x, 2, .out = out));
    FAILS(FA_ERROR_GRADIENT, ".out");
    assert_null(fa_mul(fa_detach(x), 2, .out = x));
    FAILS(FA_ERROR_GRADIENT, ".out");
    assert_null(fa_cat(FA_TENSORS(x), .out = out));
    FAILS(FA_ERROR_GRADIENT, ".out");
    FA_USE(.no_grad = true);
    assert_non_null(fa_mul(x, 2, .out = out));
    HOLD(out, 2, 4);
}

/* in place ... on views made under no_grad when grad is on */
static void views_made_under_no_grad(void **state)
{
    (void)state;
    fa_tensor *x = fa_mul(LEAF(1, 2), 1), *v, *u, *w = LEAF(3), *plain = fa_ones(FA_SHAPE(2), .dtype = FA_F64);
    {
        FA_USE(.no_grad = true);
        v = fa_get(x, ":1");
        u = fa_get(plain, ":1");
        assert_non_null(fa_mul_(v, 1));
    }
    assert_null(fa_mul_(v, w));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    assert_null(fa_mul_(fa_get(v, "0"), fa_select(w, 0, 0)));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    assert_null(fa_mul_(u, w));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    assert_null(fa_mul_(v, 2));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    HOLD(x, 1, 2);
    FA_USE(.no_grad = true);
    assert_non_null(fa_mul_(v, w));
}

static void a_detached_tensor_may_gain_a_history(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .dtype = FA_F64), *d = fa_detach(x), *w = LEAF(3, 4);
    assert_non_null(fa_mul_(d, w));
    assert_true(fa_requires_grad(d));
    assert_false(fa_requires_grad(x));
    assert_true(fa_backward(fa_sum(d)));
    HOLD(fa_grad(w), 1, 1);
}

static void integers_gain_no_history(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(2), .dtype = FA_I32), *w = LEAF(3.7, -4.2);
    assert_non_null(fa_copy_(x, w));
    assert_false(fa_requires_grad(x));
    HOLD(x, 3, -4);
    assert_non_null(fa_copy_(fa_get(x, "0"), fa_select(w, 0, 1)));
    assert_false(fa_requires_grad(x));
    HOLD(x, -4, -4);
}

/* What is overwritten is copied before, when backward needs it. */
static void operands_that_are_overwritten(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, 3), *w = LEAF(5, 7), *y = fa_mul(x, 1);
    fa_mul_(y, w);
    fa_mul_(y, y);
    fa_div_(y, w);
    assert_true(fa_backward(fa_sum(y))); /* x^2 w */
    HOLD(fa_grad(x), 20, 42);
    HOLD(fa_grad(w), 4, 9);
    fa_set_grad(x, NULL);
    y = fa_mul(x, 1);
    fa_mul_(fa_get(y, "0"), fa_get(y, "1"));
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 3, 3);
}

static void several_changes_of_one_tensor(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, -3, 0.5), *y = fa_mul(x, 1);
    fa_pow_(y, 2);
    fa_clamp_(y, 0.5, 5);
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 4, 0, 0);
    fa_set_grad(x, NULL);
    y = fa_mul(x, 1);
    fa_mul_(y, y);
    fa_where_(fa_gt(x, 0), y, 7.0);
    fa_log_(y);
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 1, 0, 4);
}

static void a_history_ends_where_it_is_overwritten(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, 3), *y = fa_mul(x, x);
    fa_copy_(y, fa_ones(FA_SHAPE(2)));
    assert_true(fa_requires_grad(y));
    assert_true(fa_backward(fa_sum(fa_mul(y, 5))));
    HOLD(fa_grad(x), 0, 0);
}

static void standing_errors_keep_tensors_as_they_are(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2)), *y = fa_zeros(FA_SHAPE(2));
    fa_fail(FA_ERROR_USER, "stands");
    assert_null(fa_add_(x, 1));
    assert_null(fa_copy_(x, 5));
    assert_null(fa_set(x, "0", 5));
    assert_null(fa_add(x, 1, .out = y));
    FAILS(FA_ERROR_USER, "stands");
    HOLD(x, 1, 1);
    HOLD(y, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_change_is_counted),
        TEST(a_saved_operand_that_changed),
        TEST(an_operand_that_may_change),
        TEST(a_saved_result_that_changed),
        TEST(a_saved_second_result_that_changed),
        TEST(a_saved_item_of_a_list_that_changed),
        TEST(through_detach_no_grad_views_and_pieces),
        TEST(a_leaf_changed_under_no_grad),
        TEST(what_is_not_saved_may_change),
        TEST(what_relu_and_div_keep),
        TEST(what_no_wanted_gradient_needs_may_change),
        TEST(copying_to_itself),
        TEST(a_view_that_was_there_before),
        TEST(a_leaf_in_place),
        TEST(a_view_that_is_a_leaf_in_place),
        TEST(expanded_memory_in_place),
        TEST(overlapping_operands_in_place),
        TEST(interleaved_operands_in_place),
        TEST(overlap_is_exact),
        TEST(overlapping_operands_of_update),
        TEST(scatter_add_of_itself),
        TEST(cat_into_its_own_part),
        TEST(out_is_not_recorded),
        TEST(views_made_under_no_grad),
        TEST(a_detached_tensor_may_gain_a_history),
        TEST(integers_gain_no_history),
        TEST(operands_that_are_overwritten),
        TEST(several_changes_of_one_tensor),
        TEST(a_history_ends_where_it_is_overwritten),
        TEST(standing_errors_keep_tensors_as_they_are),
    };
    return cmocka_run_group_tests_name("autograd_inplace", tests, NULL, NULL);
}
