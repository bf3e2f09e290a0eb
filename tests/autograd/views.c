/* Changes in place of views and bases, held against PyTorch 2.15: 26 programs over a (3, 4) and w (4), their gradients,
 * and the gradients of gradients by finite differences. */
#include "internal.h"
#include "support/autograd_test.h"

typedef struct outcome {
    fa_tensor *extra, *y; /* the loss is extra + 0.5 * sum(y^3) */
} outcome;

static fa_tensor *c_; /* (3, 4): arange * 0.25 - 1 */
static fa_tensor *zeros(void)
{
    return fa_zeros(FA_SHAPE(3, 4), .dtype = FA_F64);
}

/* x is a * a. */
#define PROGRAM(name) static outcome name(fa_tensor *x, fa_tensor *w, fa_tensor *a)
#define UNUSED (void)x, (void)w, (void)a

PROGRAM(slice)
{
    UNUSED;
    fa_mul_(fa_get(x, "1:3"), w);
    return (outcome){NULL, x};
}

PROGRAM(transposed)
{
    UNUSED;
    fa_mul_(fa_t(x), fa_unsqueeze(w, 1));
    return (outcome){NULL, x};
}

PROGRAM(selected)
{
    UNUSED;
    fa_copy_(fa_select(x, 0, 1), w);
    return (outcome){NULL, x};
}

PROGRAM(chained)
{
    UNUSED;
    fa_mul_(fa_t(fa_get(x, ":, 1:3")), fa_get(w, ":2, None"));
    return (outcome){NULL, x};
}

PROGRAM(view_of_view)
{
    UNUSED;
    fa_tensor *v = fa_get(x, "1:"), *u = fa_select(v, 0, 0);
    fa_add_(u, w);
    return (outcome){NULL, v};
}

PROGRAM(several)
{
    UNUSED;
    fa_mul_(fa_get(x, "0"), w);
    fa_add_(fa_get(x, ":, 1"), fa_get(w, ":3"));
    fa_copy_(fa_get(x, "2"), fa_mul(w, w));
    return (outcome){NULL, x};
}

PROGRAM(before_after)
{
    UNUSED;
    fa_tensor *v = fa_get(x, "0"), *s = fa_sum(fa_mul(v, 3));
    fa_mul_(v, w);
    return (outcome){s, v};
}

PROGRAM(old_view)
{
    UNUSED;
    fa_tensor *v = fa_get(x, "1");
    fa_mul_(x, w);
    return (outcome){NULL, v};
}

/* A base whose elements do not lie row-major. */
PROGRAM(laid_base)
{
    UNUSED;
    fa_tensor *y = fa_to(fa_t(a), FA_F64, .copy = true);
    assert_int_equal(fa_stride(y, 0), 1);
    fa_mul_(fa_get(y, "0"), fa_get(w, ":3"));
    fa_add_(fa_get(y, "1:3"), 1);
    return (outcome){NULL, y};
}

PROGRAM(set)
{
    UNUSED;
    fa_tensor *two = fa_get(w, ":2");
    fa_set(x, "1:, ::2", two);
    return (outcome){NULL, x};
}

PROGRAM(constant_base)
{
    UNUSED;
    fa_tensor *z = zeros();
    fa_copy_(fa_get(z, "0"), w);
    fa_copy_(fa_get(z, "1"), fa_mul(w, w));
    return (outcome){NULL, z};
}

PROGRAM(negative)
{
    UNUSED;
    fa_mul_(fa_get(x, "::-1, ::-2"), fa_get(w, ":2"));
    return (outcome){NULL, x};
}

PROGRAM(old_view_after_two)
{
    UNUSED;
    fa_tensor *v = fa_get(x, ":, 0");
    fa_mul_(x, w);
    fa_add_(fa_get(x, "1"), w);
    return (outcome){fa_sum(fa_mul(x, c_)), v};
}

PROGRAM(reshaped)
{
    UNUSED;
    fa_mul_(fa_select(fa_view(x, FA_SHAPE(2, 6)), 0, 1), fa_cat(FA_TENSORS(w, fa_get(w, ":2"))));
    return (outcome){NULL, x};
}

PROGRAM(no_grad)
{
    UNUSED;
    FA_USE(.no_grad = true);
    fa_copy_(fa_get(x, "0"), w);
    return (outcome){NULL, x};
}

PROGRAM(expanded)
{
    UNUSED;
    fa_tensor *z = fa_mul(w, 1), *e = fa_expand(z, FA_SHAPE(3, 4));
    fa_mul_(z, 2);
    return (outcome){fa_sum(fa_mul(e, c_)), z};
}

PROGRAM(permuted)
{
    UNUSED;
    fa_tensor *y = fa_view(x, FA_SHAPE(3, 2, 2)), *p = fa_permute(y, FA_SHAPE(2, 0, 1));
    fa_mul_(fa_select(p, 0, 1), fa_get(w, ":2"));
    return (outcome){NULL, y};
}

PROGRAM(relu)
{
    UNUSED;
    fa_tensor *v = fa_get(x, ":, :2");
    fa_sub_(v, 0.3);
    fa_relu_(v);
    return (outcome){NULL, x};
}

PROGRAM(base_thrice)
{
    UNUSED;
    fa_mul_(x, w);
    fa_add_(x, w);
    fa_mul_(x, fa_mul(w, w));
    return (outcome){NULL, x};
}

PROGRAM(from_itself)
{
    UNUSED;
    fa_copy_(fa_get(x, "0"), fa_get(x, "1"));
    fa_copy_(fa_get(x, "1"), fa_mul(fa_get(x, "2"), 2));
    return (outcome){NULL, x};
}

PROGRAM(by_turns)
{
    UNUSED;
    fa_tensor *v = fa_get(x, "0");
    fa_mul_(v, w);
    fa_add_(x, w);
    fa_mul_(v, w);
    return (outcome){fa_sum(fa_mul(v, fa_get(c_, "0"))), x};
}

PROGRAM(scattered)
{
    UNUSED;
    fa_scatter_add_(fa_get(x, "1"), 0, fa_tensor_of(0, 0, 3, 1), w);
    return (outcome){NULL, x};
}

PROGRAM(two_bases)
{
    UNUSED;
    fa_tensor *z = zeros();
    fa_copy_(fa_get(z, ":, :2"), fa_get(x, ":, 2:"));
    fa_copy_(fa_get(z, ":, 2:"), fa_mul(fa_get(x, ":, :2"), fa_get(w, ":2")));
    return (outcome){NULL, z};
}

PROGRAM(diagonal)
{
    UNUSED;
    fa_tensor *d = fa__strided_part(x, FA_SHAPE(4, 1), FA_SHAPE(3), FA_SHAPE(5), 0);
    fa_mul_(d, fa_get(w, ":3"));
    return (outcome){NULL, x};
}

PROGRAM(overwritten)
{
    UNUSED;
    fa_set(x, ":", 0.5);
    fa_add_(fa_get(x, "2"), w);
    return (outcome){NULL, x};
}

PROGRAM(unsqueezed)
{
    UNUSED;
    fa_tensor *u = fa_unsqueeze(x, 1);
    fa_mul_(fa_select(u, 0, 1), w);
    fa_mul_(fa_squeeze(fa_get(x, "2:3"), .dim = 0), w);
    return (outcome){NULL, u};
}

/* The gradients that PyTorch 2.15 gave for a and w. */
static const struct program {
    const char *name;
    outcome (*run)(fa_tensor *x, fa_tensor *w, fa_tensor *a);
    double a[12], w[4];
} programs[] = {
    {"slice",
     slice,
     {0.00096, 0.00729, 0.03072, 0.09375, 0.02916, 1.70170875, -0.41472, 14.17176, 0.375, 16.30641375, -3.14928,
      89.11032},
     {0.392496, 6.37608375, 2.740608, 32.1495}},
    {"transposed",
     transposed,
     {0.00012, 0.02460375, -0.01296, 0.75, 0.02916, 1.70170875, -0.41472, 14.17176, 0.375, 16.30641375, -3.14928,
      89.11032},
     {0.39252, 6.378544125, 2.744064, 32.24325}},
    {"selected",
     selected,
     {0.00096, 0.00729, 0.03072, 0.09375, 0, 0, 0, 0, 3, 4.83153, 7.46496, 11.13879},
     {0.375, 3.375, 0.84375, 6}},
    {"chained",
     chained,
     {0.00096, 0.00091125, 0.10368, 0.09375, 0.23328, 0.06302625, 3.31776, 1.77147, 3, 0.60394125, 25.19424, 11.13879},
     {0.708727125, 10.976256, 0, 0}},
    {"view of view",
     view_of_view,
     {0, 0, 0, 0, 1.33128, 8.31621, 0.02904, 21.31947, 3, 4.83153, 7.46496, 11.13879},
     {1.1094, 5.94015, 0.01815, 11.84415}},
    {"several",
     several,
     {0.00012, 0.54435375, -0.01296, 0.75, 0.23328, 8.31621, 0.98304, 1.77147, 0, 0, 0, 0},
     {0.6986115, 28.775835375, -0.7084580625, 96.09375}},
    {"before after",
     before_after,
     {1.20012, 1.82460375, 2.38704, 3.75, 0, 0, 0, 0, 0, 0, 0, 0},
     {2.4e-05, 0.002460375, 0.003456, 0.09375}},
    {"old view",
     old_view,
     {0, 0, -0, 0, 0.02916, 1.70170875, -0.41472, 14.17176, 0, 0, -0, 0},
     {0.017496, 0.397065375, 0.221184, 3.188646}},
    {"laid base",
     laid_base,
     {0.0075, 2.535, 2.94, 0.375, 1.8225, 4.335, 4.86, 1.215, -0.6328125, 6.615, 7.26, 2.535},
     {0.003, 0.729, 0.84375, 0}},
    {"set",
     set,
     {0.00096, 0.00729, 0.03072, 0.09375, 0, 0.50421, 0, 1.77147, 0, 4.83153, 0, 11.13879},
     {0.75, 6.75, 0, 0}},
    {"constant base", constant_base, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0.46875, 26.15625, 0.1318359375, 102}},
    {"negative",
     negative,
     {0.00096, 0.02460375, 0.03072, 0.01171875, 0.23328, 1.70170875, 0.98304, 0.22143375, 3, 16.30641375, 7.46496,
      1.39234875},
     {2.015203125, 6.378544125, 0, 0}},
    {"old view after two",
     old_view_after_two,
     {-0.19988, -0.675, 0.3, -0.5, 0.41616, 0.525, -0.6, 2.7, 1.375, 4.125, -2.7, 9.1},
     {2.27832, 1.8175, 2.9, 4.2525}},
    {"reshaped",
     reshaped,
     {0.00096, 0.00729, 0.03072, 0.09375, 0.23328, 0.50421, 0.12288, 5.97871125, -1.265625, 38.65224, 0.93312,
      37.59341625},
     {1.218048, 18.08409375, 0.84375, 10.629366}},
    {"no grad",
     no_grad,
     {0.15, 2.025, 0.675, 6, 0.23328, 0.50421, 0.98304, 1.77147, 3, 4.83153, 7.46496, 11.13879},
     {0, 0, 0, 0}},
    {"expanded", expanded, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 28.5, 9.75, 52.5}},
    {"permuted",
     permuted,
     {0.00096, 0.00091125, 0.03072, 0.31640625, 0.23328, 0.06302625, 0.98304, 5.97871125, 3, 0.60394125, 7.46496,
      37.59341625},
     {0.708727125, 18.136828125, 0, 0}},
    {"relu",
     relu,
     {0, 0, 0.03072, 0.09375, 0.00648, 0.07581, 0.98304, 1.77147, 1.47, 2.73273, 7.46496, 11.13879},
     {0, 0, 0, 0}},
    {"base thrice",
     base_thrice,
     {0.0012675, 41.1070997461, -0.121240744629, 1200, 0.0065025, 179.231014512, -0.48467465332, 4528.88064, 0.0234375,
      619.611998027, -1.60928707764, 14449.04448},
     {0.204615, 1775.71864475, 9.23479651318, 31504.8672}},
    {"from itself",
     from_itself,
     {0, 0, 0, 0, 0.23328, 0.50421, 0.98304, 1.77147, 27, 43.48377, 67.18464, 100.24911},
     {0, 0, 0, 0}},
    {"by turns",
     by_turns,
     {-0.08986, 11.1673814063, 0.06238546875, 149, 1.33128, 8.31621, 0.02904, 21.31947, 6.75, 24.23553, 1.71396,
      53.10279},
     {3.549856, 44.0061794062, 0.4910761875, 218.5183}},
    {"scattered",
     scattered,
     {0.00096, 0.00729, 0.03072, 0.09375, 10.02528, 13.02021, 0.98304, 0.00972, 3, 4.83153, 7.46496, 11.13879},
     {8.3544, 8.3544, 0.0054, 9.30015}},
    {"two bases",
     two_bases,
     {0.00012, 0.02460375, 0.03072, 0.09375, 0.02916, 1.70170875, 0.98304, 1.77147, 0.375, 16.30641375, 7.46496,
      11.13879},
     {0.39252, 6.378544125, 0, 0}},
    {"diagonal",
     diagonal,
     {0.00012, 0.00729, 0.03072, 0.09375, 0.23328, 1.70170875, 0.98304, 1.77147, 3, 4.83153, -3.14928, 11.13879},
     {2.4e-05, 0.397065375, 2.519424, 0}},
    {"overwritten", overwritten, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1.5, 6, 0.09375, 9.375}},
    {"unsqueezed",
     unsqueezed,
     {0.00096, 0.00729, 0.03072, 0.09375, 0.02916, 1.70170875, -0.41472, 14.17176, 0.375, 16.30641375, -3.14928,
      89.11032},
     {0.392496, 6.37608375, 2.740608, 32.1495}},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static fa_tensor *leaf_a(const double *values)
{
    return fa_tensor_from(values, FA_SHAPE(3, 4), .dtype = FA_F64, .requires_grad = true);
}

static void start_values(double *a, double *w)
{
    static const double of_w[] = {0.5, 1.5, -0.75, 2};
    for (int i = 0; i < 12; i++)
        a[i] = 0.1 * i + 0.2;
    memcpy(w, of_w, sizeof of_w);
}

static fa_tensor *loss_of(const struct program *p, fa_tensor *a, fa_tensor *w)
{
    double c[12];
    for (int i = 0; i < 12; i++)
        c[i] = 0.25 * i - 1;
    c_ = fa_tensor_from(c, FA_SHAPE(3, 4), .dtype = FA_F64);
    outcome o = p->run(fa_mul(a, a), w, a);
    fa_tensor *loss = fa_mul(fa_sum(fa_mul(fa_mul(o.y, o.y), o.y)), 0.5);
    return o.extra ? fa_add(loss, o.extra) : loss;
}

static fa_tensor *or_zeros(fa_tensor *g, fa_tensor *like)
{
    return g ? g : fa_zeros_like(like);
}

static void gradients_are_pytorchs(void **state)
{
    const struct program *p = *state;
    double of_a[12], of_w[4];
    FA_SCOPE;
    start_values(of_a, of_w);
    fa_tensor *a = leaf_a(of_a), *w = LEAF(0.5, 1.5, -0.75, 2);
    fa_backward(loss_of(p, a, w));
    hold_values(or_zeros(fa_grad(a), a), p->a, 12, 1e-9, p->name, 1);
    hold_values(or_zeros(fa_grad(w), w), p->w, 4, 1e-9, p->name, 2);
}

/* The gradient of a fixed combination of the first gradients; or only that combination, in *value. */
static void second(const struct program *p, const double *of_a, const double *of_w, double *value, double *g)
{
    FA_SCOPE;
    fa_tensor *a = leaf_a(of_a), *w = fa_tensor_from(of_w, FA_SHAPE(4), .dtype = FA_F64, .requires_grad = true);
    fa_tensors first =
        fa_grad_of(FA_TENSORS(loss_of(p, a, w)), FA_TENSORS(a, w), .create_graph = true, .allow_unused = true);
    assert_int_equal(first.count, 2);
    fa_tensor *sum = fa_full(FA_SCALAR, 0.0, .dtype = FA_F64);
    if (first.item[0])
        sum = fa_add(sum, fa_sum(fa_mul(first.item[0], fa_add(c_, 2))));
    if (first.item[1])
        sum = fa_add(sum, fa_sum(fa_mul(first.item[1], fa_get(c_, "1"))));
    *value = fa_item(sum);
    if (!g || !fa_requires_grad(sum))
        return;
    fa_tensors both = fa_grad_of(FA_TENSORS(sum), FA_TENSORS(a, w), .allow_unused = true);
    assert_int_equal(both.count, 2);
    assert_true(fa_read(or_zeros(both.item[0], a), g, FA_F64, 12));
    assert_true(fa_read(or_zeros(both.item[1], w), g + 12, FA_F64, 4));
}

static void second_order_is_that_of_differences(void **state)
{
    const struct program *p = *state;
    double v[16], g[16] = {0}, low, high;
    start_values(v, v + 12);
    second(p, v, v + 12, &low, g);
    for (int i = 0; i < 16; i++) {
        double at = v[i], step = 1e-5;
        v[i] = at + step;
        second(p, v, v + 12, &high, NULL);
        v[i] = at - step;
        second(p, v, v + 12, &low, NULL);
        v[i] = at;
        double slope = (high - low) / (2 * step);
        if (!(fabs(slope - g[i]) <= 1e-5 * (1 + fabs(slope))))
            fail_msg("%s: input %d: %.10g, by differences %.10g", p->name, i, g[i], slope);
    }
}

int main(void)
{
    static char names[PROGRAMS][2][80];
    struct CMUnitTest tests[2 * PROGRAMS];
    size_t n = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        snprintf(names[i][0], sizeof names[i][0], "in place: %s: gradients", programs[i].name);
        snprintf(names[i][1], sizeof names[i][1], "in place: %s: second order", programs[i].name);
        void *p = (void *)(uintptr_t)&programs[i];
        tests[n++] = (struct CMUnitTest){names[i][0], gradients_are_pytorchs, test_begin, test_end, p};
        if (programs[i].run != no_grad) /* its history does not tell its values */
            tests[n++] = (struct CMUnitTest){names[i][1], second_order_is_that_of_differences, test_begin, test_end, p};
    }
    return _cmocka_run_group_tests("autograd_views", tests, n, NULL, NULL);
}
