/* One kernel of each family through the library, small, with the CPU's bits: quick everywhere, and small enough to be
 * simulated (tests/checks/oclgrind.sh). With the argument `all` in every dtype, layout and way. In the end each line of
 * families.def has to have been launched. */
#include "backend/cpu/level.h"
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "gpu/gpu_against_cpu.h"
#include "internal.h"

#define S(...) FA_SHAPE(__VA_ARGS__)

static bool all;

/* ---- what was launched ---- */
static fa__gpu_driver watched;
static __typeof__(watched.launch) launch;
static const fa__gpu_form *launched[FA__GPU_FAMILIES + FA__GPU_SHAPES];

static bool was_launched(const fa__gpu_form *form)
{
    int i = 0;
    while (launched[i] && launched[i] != form)
        i++;
    return launched[i] == form;
}

static bool watch(fa__device *d, void *queue, const fa__gpu_kernel *k, const uint64_t groups[3], void *fault,
                  bool careful, const fa__gpu_arg *args, int n)
{
    int i = 0;
    while (launched[i] && launched[i] != k->form)
        i++;
    launched[i] = k->form;
    return launch(d, queue, k, groups, fault, careful, args, n);
}

static int begin(void **state)
{
    (void)state;
    watched = *gpu_own()->driver;
    launch = watched.launch;
    watched.launch = watch;
    gpu_own()->driver = &watched;
    return 0;
}

static void each_line_of_the_list_was_launched(void **state)
{
    (void)state;
    if (!gpu_own()->f64)
        skip(); /* some need it */
    int missing = 0;
/* OpenCL has no tensor cores: tests/cuda/tensor.c has their kernels. */
#define MISSING(name, form)                                                                                            \
    (was_launched(form) || (form)->needs & FA__GPU_NEEDS_TENSOR                                                        \
         ? 0                                                                                                           \
         : (print_error("%s: no kernel was launched\n", #name), 1));
#define FAMILY(name, file, entry, x, y, needs) missing += MISSING(name, fa__gpu_family_form(FA__GPU_##name))
#define SHAPE(name, file, entry, x, y) missing += MISSING(name, fa__gpu_shape_form(FA__GPU_##name))
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE
    assert_int_equal(missing, 0);
}

/* ---- kernels ---- */

/* A few of the layouts and dtypes, or all. */
static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_I64, FA_BF16, FA_F64, FA_I32, FA_U8, FA_I8, FA_I16};
static int dtype_count(void)
{
    return all ? (int)(sizeof dtypes / sizeof *dtypes) : 3;
}

static bool floats(fa_dtype dtype)
{
    return dtype >= FA_F16;
}

static layout layout_count(void)
{
    return all ? LAYOUTS : LAYOUT_TRANSPOSED + 1;
}

/* Calls f for dtypes and layouts. */
static void each(bool floating, void (*f)(fa_dtype, layout))
{
    for (int d = 0; d < dtype_count(); d++)
        for (layout how = 0; how < layout_count(); how++)
            if (gpu_has(dtypes[d]) && (!floating || floats(dtypes[d]))) {
                FA_SCOPE;
                f(dtypes[d], how);
            }
}

static void elementwise(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(5, 7), how, false, 0), b = gpu_random(dtype, S(7), LAYOUT_DENSE, false, 0);
    pair c = gpu_random(dtype, S(67), LAYOUT_DENSE, false, 0);
    SAME("%s %s", fa_add(a.cpu, b.cpu), fa_add(a.gpu, b.gpu), fa_dtype_name(dtype), layout_names[how]);
    SAME("%s dense", fa_mul(c.cpu, c.cpu), fa_mul(c.gpu, c.gpu), fa_dtype_name(dtype));
    if (dtype == FA_F16) /* the dense kernel of bf16 is one of its own */
        SAME("%s dense", fa_mul(fa_to(c.cpu, FA_BF16), 3), fa_mul(fa_to(c.gpu, FA_BF16), 3), "bf16");
    if (floats(dtype))
        SAME("%s exp", fa_exp(c.cpu), fa_exp(c.gpu), fa_dtype_name(dtype));
}

/* Two launches in one: runs, and what lies otherwise. */
static void list(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(5, 7), how, false, 0), b = gpu_random(dtype, S(3, 9), how, false, 0);
    fa_tensor *cpu[] = {a.cpu, b.cpu}, *gpu[] = {a.gpu, b.gpu};
    const fa_binding on_cpu[] = {FA_BIND("x", ((fa_tensors){2, cpu}))};
    const fa_binding on_gpu[] = {FA_BIND("x", ((fa_tensors){2, gpu}))};
    if (how == LAYOUT_EXPANDED)
        return; /* elements that share memory are not written */
    assert_true(fa_update("x = 2 * x + 1", 1, on_cpu) && fa_update("x = 2 * x + 1", 1, on_gpu));
    SAME("%s %s", a.cpu, a.gpu, fa_dtype_name(dtype), layout_names[how]);
    SAME("%s %s", b.cpu, b.gpu, fa_dtype_name(dtype), layout_names[how]);
    if (dtype == FA_F16)
        list(FA_BF16, how);
}

static void reduce(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(3, 37), how, false, 0), b = gpu_random(dtype, S(2500), LAYOUT_DENSE, false, 0);
    for (int dim = 0; dim < 2; dim++)
        SAME("%s %s", fa_sum(a.cpu, .dim = dim), fa_sum(a.gpu, .dim = dim), fa_dtype_name(dtype), layout_names[how]);
    SAME("%s several blocks", fa_sum(b.cpu), fa_sum(b.gpu), fa_dtype_name(dtype));
}

static void softmax(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(3, 37), how, false, 0);
    SAME("%s %s", fa_softmax(a.cpu, 1), fa_softmax(a.gpu, 1), fa_dtype_name(dtype), layout_names[how]);
    SAME("%s %s", fa_log_softmax(a.cpu, 0), fa_log_softmax(a.gpu, 0), fa_dtype_name(dtype), layout_names[how]);
    pair b = gpu_random(dtype, S(2, 1500), LAYOUT_DENSE, false, 0);
    if (all)
        SAME("%s long", fa_softmax(b.cpu, 1), fa_softmax(b.gpu, 1), fa_dtype_name(dtype));
}

static void search(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(3, 37), how, false, 0), b = gpu_random(dtype, S(9000), LAYOUT_DENSE, false, 0);
    SAME("%s %s", fa_argmax(a.cpu, .dim = 1), fa_argmax(a.gpu, .dim = 1), fa_dtype_name(dtype), layout_names[how]);
    if (all)
        SAME("%s in parts", fa_argmax(b.cpu), fa_argmax(b.gpu), fa_dtype_name(dtype));
}

static void select_and_add(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(9, 7), how, false, 0), i = gpu_random(FA_I64, S(5), LAYOUT_DENSE, false, 9);
    pair g = gpu_random(FA_I32, S(4, 7), LAYOUT_DENSE, false, 9), s = gpu_random(dtype, S(4, 7), how, false, 0);
    SAME("%s %s", fa_index_select(a.cpu, 0, i.cpu), fa_index_select(a.gpu, 0, i.gpu), fa_dtype_name(dtype),
         layout_names[how]);
    SAME("%s %s", fa_gather(a.cpu, 0, g.cpu), fa_gather(a.gpu, 0, g.gpu), fa_dtype_name(dtype), layout_names[how]);
    SAME("%s %s", fa_scatter_add(a.cpu, 0, g.cpu, s.cpu), fa_scatter_add(a.gpu, 0, g.gpu, s.gpu), fa_dtype_name(dtype),
         layout_names[how]);
}

/* Tiles, then without. */
static void matmul(fa_dtype dtype, layout how)
{
    uint64_t groups = gpu_own()->groups;
    for (int direct = 0; direct < 2; direct++) {
        gpu_own()->groups = direct ? UINT64_C(1) << 40 : 0;
        pair a = gpu_random(dtype, S(17, 19), how, false, 0), b = gpu_random(dtype, S(19, 18), how, false, 0);
        pair v = gpu_random(dtype, S(18), LAYOUT_DENSE, false, 0);
        SAME("%s %s", fa_matmul(a.cpu, b.cpu), fa_matmul(a.gpu, b.gpu), fa_dtype_name(dtype), layout_names[how]);
        SAME("%s %s", fa_linear(a.cpu, fa_t(b.cpu), .bias = v.cpu), fa_linear(a.gpu, fa_t(b.gpu), .bias = v.gpu),
             fa_dtype_name(dtype), layout_names[how]);
    }
    gpu_own()->groups = groups;
}

/* A convolution, its transpose with classes of pixels, and a weight's gradient in stretches. */
static void convolution(fa_dtype dtype, layout how)
{
    uint64_t groups = gpu_own()->groups;
    for (int direct = 0; direct < 2; direct++) {
        gpu_own()->groups = direct ? UINT64_C(1) << 40 : 0;
        pair x = gpu_random(dtype, S(2, 3, 6, 5), how, false, 0), w = gpu_random(dtype, S(17, 3, 2, 3), how, false, 0);
        pair y = gpu_random(dtype, S(2, 17, 4, 3), how, false, 0), b = gpu_random(dtype, S(17), LAYOUT_DENSE, false, 0);
        pair wide = gpu_random(dtype, S(1, 2, 1, 1030), LAYOUT_DENSE, false, 0);
        SAME("%s %s", fa_conv2d(x.cpu, w.cpu, .bias = b.cpu, .padding = 1),
             fa_conv2d(x.gpu, w.gpu, .bias = b.gpu, .padding = 1), fa_dtype_name(dtype), layout_names[how]);
        SAME("%s %s", fa_conv_transpose2d(y.cpu, w.cpu, .stride = 2), fa_conv_transpose2d(y.gpu, w.gpu, .stride = 2),
             fa_dtype_name(dtype), layout_names[how]);
        SAME("%s %s", fa__conv2d_weight(wide.cpu, wide.cpu, 1, 1, 1, 0, 1, 1),
             fa__conv2d_weight(wide.gpu, wide.gpu, 1, 1, 1, 0, 1, 1), fa_dtype_name(dtype), layout_names[how]);
    }
    gpu_own()->groups = groups;
}

static void elementwise_kernels(void **state)
{
    (void)state;
    each(false, elementwise);
    each(true, list);
}

/* gpu/attention.c has its sizes and masks. */
static void attention_kernels(void **state)
{
    (void)state;
    pair q = gpu_random(FA_F32, S(20, 8), LAYOUT_DENSE, false, 0),
         k = gpu_random(FA_F32, S(70, 8), LAYOUT_DENSE, false, 0);
    SAME("attention, width %d", fa_scaled_dot_product_attention(q.cpu, k.cpu, k.cpu),
         fa_scaled_dot_product_attention(q.gpu, k.gpu, k.gpu), 8);
}

static void reductions(void **state)
{
    (void)state;
    each(false, reduce);
}

static void softmax_kernels(void **state)
{
    (void)state;
    each(true, softmax);
}

static void search_kernels(void **state)
{
    (void)state;
    each(false, search);
}

static void selection_kernels(void **state)
{
    (void)state;
    each(false, select_and_add);
}

static void matrix_products(void **state)
{
    (void)state;
    fa_tensor *a = fa_ones(S(17, 19), .device = GPU);
    assert_true(fa_item(fa_sum(fa_matmul(a, fa_t(a)))) == 17 * 17 * 19);
    if (!strcmp(fa__cpu_level_name(), "base"))
        skip(); /* there the CPU rounds a multiply-add twice */
    each(false, matmul);
}

static void convolutions(void **state)
{
    (void)state;
    /* two channels with each other, a kernel of one place, and pixels in several stretches (backend/convolution.h) */
    fa_tensor *rows = fa_ones(S(1, 2, 10, 103), .device = GPU);
    assert_true(fa_item(fa_sum(fa__conv2d_weight(rows, rows, 1, 1, 1, 0, 1, 1))) == 2 * 2 * 1030);
    if (!strcmp(fa__cpu_level_name(), "base"))
        skip(); /* as in products */
    each(false, convolution);
}

/* Lines of one tile, and of two. */
static void sort(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(5, 9), how, true, 0), b = gpu_random(dtype, S(1, 1100), LAYOUT_DENSE, true, 0);
    SAME("%s %s", fa_argsort(a.cpu, .dim = 0), fa_argsort(a.gpu, .dim = 0), fa_dtype_name(dtype), layout_names[how]);
    SAME("%s %s", fa_searchsorted(fa_sort(a.cpu).values, a.cpu), fa_searchsorted(fa_sort(a.gpu).values, a.gpu),
         fa_dtype_name(dtype), layout_names[how]);
    if (all || how == LAYOUT_DENSE)
        SAME("%s in parts", fa_sort(b.cpu).values, fa_sort(b.gpu).values, fa_dtype_name(dtype));
}

static void scan(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(3, 37), how, false, 0);
    SAME("%s %s", fa_cumsum(a.cpu, 1), fa_cumsum(a.gpu, 1), fa_dtype_name(dtype), layout_names[how]);
    SAME("%s %s", fa_cummax(a.cpu, 0).indices, fa_cummax(a.gpu, 0).indices, fa_dtype_name(dtype), layout_names[how]);
    if (floats(dtype))
        SAME("%s %s", fa_logcumsumexp(a.cpu, 1), fa_logcumsumexp(a.gpu, 1), fa_dtype_name(dtype), layout_names[how]);
}

static void mask(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(3, 37), how, false, 0), m = gpu_random(FA_BOOL, S(3, 37), how, false, 0);
    pair s = gpu_random(dtype, S(111), LAYOUT_DENSE, false, 0);
    SAME("%s %s", fa_masked_select(a.cpu, m.cpu), fa_masked_select(a.gpu, m.gpu), fa_dtype_name(dtype),
         layout_names[how]);
    SAME("%s %s", fa_masked_scatter(a.cpu, m.cpu, s.cpu), fa_masked_scatter(a.gpu, m.gpu, s.gpu), fa_dtype_name(dtype),
         layout_names[how]);
}

/* What a mask chose gives its gradients back. */
static void mask_back(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(3, 37), how, false, 0), m = gpu_random(FA_BOOL, S(3, 37), how, false, 0);
    fa_tensor *x[2] = {fa_detach(a.cpu), fa_detach(a.gpu)};
    for (int k = 0; k < 2; k++) {
        fa_set_requires_grad(x[k], true);
        fa_backward(fa_sum(fa_square(fa_masked_select(x[k], k ? m.gpu : m.cpu))));
    }
    SAME("%s %s", fa_grad(x[0]), fa_grad(x[1]), fa_dtype_name(dtype), layout_names[how]);
}

/* Planes, and their gradients. */
static void pool(fa_dtype dtype, layout how)
{
    pair a = gpu_random(dtype, S(2, 2, 5, 6), how, false, 0);
    fa_tensor *y[2][3];
    for (int k = 0; k < 2; k++) {
        fa_tensor *x = fa_detach(k ? a.gpu : a.cpu);
        fa_set_requires_grad(x, true);
        fa_tensor *max = fa_max_pool2d(x, FA_PAIR(2, 3)), *mean = fa_avg_pool2d(x, FA_PAIR(3, 2));
        fa_backward(fa_add(fa_sum(fa_square(max)), fa_sum(fa_square(mean))));
        fa_tensor *results[] = {max, mean, fa_grad(x)};
        memcpy(y[k], results, sizeof results);
    }
    for (int i = 0; i < 3; i++)
        SAME("%s %s %d", y[0][i], y[1][i], fa_dtype_name(dtype), layout_names[how], i);
}

static void sorting(void **state)
{
    (void)state;
    each(false, sort);
}

static void scans(void **state)
{
    (void)state;
    each(false, scan);
}

static void masks(void **state)
{
    (void)state;
    each(false, mask);
    each(true, mask_back);
}

static void pooling(void **state)
{
    (void)state;
    each(true, pool);
}

/* Several groups look at the indices; the first wrong one is told, and nothing behind it is written. */
static void faults(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *index = fa_arange(0, 5000), *x = fa_to(fa_ones(S(3000)), GPU);
    fa_cpu(fa_index_select(x, 0, fa_to(index, GPU)));
    fa_synchronize(GPU);
    assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
    assert_non_null(strstr(fa_error_message(), "3000"));
    fa_error_clear();
    SAME("%s", fa_ones(S(3)), fa_to(fa_ones(S(3)), GPU), "behind");
}

/* Larger ones than the walker's: each item looks for its row. */
static void places_of_triangles(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{70, 40, 0}, {40, 70, -11}, {33, 65, 20}, {100, 1, -98}, {1, 100, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        FA_SCOPE;
        const int64_t *n = sizes[i];
        for (int upper = 0; upper < 2; upper++) {
            fa_tensor *t[2];
            for (int k = 0; k < 2; k++) {
                fa_device where = k ? GPU : FA_CPU;
                t[k] = upper ? fa_triu_indices(n[0], n[1], .offset = n[2], .device = where)
                             : fa_tril_indices(n[0], n[1], .offset = n[2], .device = where);
            }
            SAME("%d %d", t[0], t[1], (int)i, upper);
        }
    }
}

static void random_numbers(void **state)
{
    (void)state;
    FA_SCOPE;
    pair drawn[5];
    for (int k = 0; k < 2; k++) {
        fa_device where = k ? GPU : FA_CPU;
        FA_USE(.device = where);
        fa_manual_seed(7);
        fa_tensor *t[] = {fa_rand(S(37)), fa_randn(S(5, 7)), gpu_own()->f64 ? fa_randperm(100) : fa_rand(S(1)),
                          fa_randint(-5, 1000, S(50)),
                          gpu_own()->f64 ? fa_poisson(fa_full(S(20), 7.5)) : fa_rand(S(1))};
        for (int i = 0; i < 5; i++)
            *(k ? &drawn[i].gpu : &drawn[i].cpu) = t[i];
    }
    for (int i = 0; i < 5; i++)
        SAME("%d", drawn[i].cpu, drawn[i].gpu, i);
}

/* Of `count` elements, at a byte of each tensor. */
static void put(fa__gpu_issue *issue, const fa_tensor *to, size_t to_byte, const fa_tensor *from, int64_t count,
                bool words)
{
    const fa__gpu_kernel *k = fa__gpu_fixed(issue, FA__GPU_PUT, 0, FA__CLASS_I32);
    const put_arguments p = {.count = count, .words = words};
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, (char *)to->storage->data + to_byte);
    fa__gpu_memory(&args, from->storage->data);
    fa__gpu_value(&args, &p, sizeof p);
    assert_true(k && fa__gpu_launch_items(issue, k, count, &args));
}

/* What the driver launches by itself, behind other queues' work and for copies: here without them. */
static void kernels_of_the_driver(void **state)
{
    (void)state;
    FA_SCOPE;
    fa__device *d = fa__device_get(GPU);
    fa_tensor *to = fa_to(fa_zeros(S(100), .dtype = FA_U8), GPU), *from = fa_to(fa_arange(1, 41, .dtype = FA_U8), GPU);
    assert_true(fa_synchronize(GPU));
    pthread_mutex_lock(&d->lock);
    fa__gpu_issue issue = fa__gpu_issue_begin(d->queue, NULL);
    const fa__gpu_kernel *inherit = fa__gpu_fixed(&issue, FA__GPU_INHERIT, 0, FA__CLASS_I32);
    assert_true(inherit && fa__gpu_launch_groups(&issue, inherit, (uint64_t[3]){1, 1, 1}, &(fa__gpu_args){.count = 0}));
    const fa__gpu_kernel *note = fa__gpu_fixed(&issue, FA__GPU_NOTE, 0, FA__CLASS_I32);
    const note_arguments number = {.number = 3}; /* of no launch: there is no fault */
    fa__gpu_args args = {.count = 0};
    fa__gpu_value(&args, &number, sizeof number);
    assert_true(note && fa__gpu_launch_groups(&issue, note, (uint64_t[3]){1, 1, 1}, &args));
    put(&issue, to, 3, from, 7, false);
    put(&issue, to, 20, from, 10, true);
    pthread_mutex_unlock(&d->lock);
    assert_true(fa_synchronize(GPU));
    fa_tensor *expected = fa_zeros(S(100), .dtype = FA_U8);
    fa_copy_(fa_narrow(expected, 0, 3, 7), fa_arange(1, 8, .dtype = FA_U8));
    fa_copy_(fa_narrow(expected, 0, 20, 40), fa_arange(1, 41, .dtype = FA_U8));
    SAME("%s", expected, to, "put");
}

#define CASE(f) cmocka_unit_test_setup(f, api_begin)

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {CASE(elementwise_kernels),
                                       CASE(reductions),
                                       CASE(softmax_kernels),
                                       CASE(attention_kernels),
                                       CASE(search_kernels),
                                       CASE(selection_kernels),
                                       CASE(matrix_products),
                                       CASE(faults),
                                       CASE(random_numbers),
                                       CASE(kernels_of_the_driver),
                                       CASE(places_of_triangles),
                                       CASE(sorting),
                                       CASE(scans),
                                       CASE(masks),
                                       CASE(pooling),
                                       CASE(convolutions),
                                       CASE(each_line_of_the_list_was_launched)};
    all = count > 1 && !strcmp(words[1], "all");
    if (!gpu_there() || !test_devices_there())
        return GPU_SKIPPED;
    return cmocka_run_group_tests_name("gpu_families", tests, begin, NULL);
}
