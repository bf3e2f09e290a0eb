/* Looking up and adding by indices, and permutations, on a GPU: the CPU's bits over dtypes, layouts and dtypes of
 * indices, and what an index out of range does. Needs OpenCL, such as PoCL; without a platform it is skipped. */
#include "core/random.h"
#include "gpu/gpu_against_cpu.h"
#include "internal.h"
#include "support/error_reason.h"

static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16, FA_F64, FA_BOOL, FA_U8, FA_I8, FA_I16, FA_I32, FA_I64};
static const fa_dtype index_dtypes[] = {FA_I64, FA_I32, FA_I16, FA_I8, FA_U8};
enum { DTYPES = sizeof dtypes / sizeof *dtypes, INDEX_DTYPES = sizeof index_dtypes / sizeof *index_dtypes };

#define S(...) FA_SHAPE(__VA_ARGS__)

static fa_shape resized(fa_shape s, int dim, int64_t size)
{
    if (s.rank)
        s.dim[dim] = size;
    return s;
}

/* ---- one case ---- */

typedef struct look {
    fa_dtype dtype, index;
    layout how, index_how;
} look;

#define TOLD fa_dtype_name(k.dtype), fa_dtype_name(k.index), layout_names[k.how], layout_names[k.index_how], x.rank, dim
#define LOOK "%s by %s, %s, %s, rank %d, dimension %d"

/* A list of `count` indices over the first dimensions, more and more of them. */
static void check_lead(look k, fa_shape x, int64_t count)
{
    int64_t size = 1;
    int dim = 0;
    pair t = gpu_random(k.dtype, x, k.how, true, 0);
    for (int lead = 0; lead <= x.rank; size *= x.dim[lead++]) {
        fa_shape s = {.rank = 1, .dim = {count}};
        if (!size)
            return;
        for (int d = dim = lead; d < x.rank; d++)
            s.dim[s.rank++] = x.dim[d];
        pair list = gpu_random(k.index, S(count), k.index_how, false, size < 100 ? size : 100);
        pair src = gpu_random(k.dtype, s, k.how, false, 0);
        SAME("fetch_at " LOOK, fa__fetch_at(t.cpu, lead, list.cpu, false), fa__fetch_at(t.gpu, lead, list.gpu, false),
             TOLD);
        for (int add = 0; add < 2; add++)
            SAME("place_at " LOOK, fa__place_at(t.cpu, lead, list.cpu, src.cpu, add, false),
                 fa__place_at(t.gpu, lead, list.gpu, src.gpu, add, false), TOLD);
    }
}

/* Lists that name each place once at most. */
static void check_distinct(look k, fa_shape x)
{
    FA_SCOPE;
    int dim = 0;
    int64_t size = x.dim[0] * (x.rank > 1 ? x.dim[1] : 1);
    int lead = x.rank > 1 ? 2 : 1;
    fa_shape s = {.rank = 1, .dim = {size - 1}};
    for (int d = lead; d < x.rank; d++)
        s.dim[s.rank++] = x.dim[d];
    fa_tensor *order = fa_narrow(fa_randperm(size, .dtype = FA_I64), 0, 0, size - 1);
    pair t = gpu_random(k.dtype, x, k.how, false, 0), src = gpu_random(k.dtype, s, k.how, false, 0);
    for (int add = 0; add < 2; add++)
        SAME("place_at, distinct, " LOOK, fa__place_at(t.cpu, lead, order, src.cpu, add, true),
             fa__place_at(t.gpu, lead, fa_to(order, GPU), src.gpu, add, true), TOLD);
}

/* A list of `count` indices. */
static void check_list(look k, fa_shape x, int dim, int64_t count)
{
    FA_SCOPE;
    int64_t size = x.rank ? x.dim[dim] : 1;
    pair t = gpu_random(k.dtype, x, k.how, true, 0), list = gpu_random(k.index, S(count), k.index_how, false, size);
    SAME("index_select " LOOK, fa_index_select(t.cpu, dim, list.cpu), fa_index_select(t.gpu, dim, list.gpu), TOLD);
    pair slices = gpu_random(k.dtype, resized(x, dim, count), k.how, false, 0);
    check_lead(k, x, count);
    for (int64_t to = size; to < size + 10 && x.rank; to += 9)
        SAME("index_sum " LOOK, fa__index_sum(slices.cpu, dim, list.cpu, to),
             fa__index_sum(slices.gpu, dim, list.gpu, to), TOLD);
}

/* An index for each element, `less` shorter than x in the other dimensions. */
static void check_each(look k, fa_shape x, int dim, int64_t count, int64_t less)
{
    FA_SCOPE;
    fa_shape i = resized(x, dim, count), s = i;
    for (int d = 0; d < x.rank; d++) {
        i.dim[d] -= d != dim && i.dim[d] > less ? less : 0;
        s.dim[d] += d == dim && d % 2; /* src may be longer */
    }
    int64_t size = x.rank ? x.dim[dim] : 1;
    pair t = gpu_random(k.dtype, x, k.how, false, 0), index = gpu_random(k.index, i, k.index_how, false, size);
    pair src = gpu_random(k.dtype, s, k.how, false, 0);
    SAME("gather " LOOK, fa_gather(t.cpu, dim, index.cpu), fa_gather(t.gpu, dim, index.gpu), TOLD);
    SAME("scatter_add " LOOK, fa_scatter_add(t.cpu, dim, index.cpu, src.cpu),
         fa_scatter_add(t.gpu, dim, index.gpu, src.gpu), TOLD);
    SAME("scatter_set " LOOK, fa__scatter_set(t.cpu, dim, index.cpu, src.cpu),
         fa__scatter_set(t.gpu, dim, index.gpu, src.gpu), TOLD);
    for (int how = 2; how <= 4; how++)
        SAME("scatter_by " LOOK, fa__scatter_by(t.cpu, dim, index.cpu, src.cpu, how),
             fa__scatter_by(t.gpu, dim, index.gpu, src.gpu, how), TOLD);
    if (k.how == LAYOUT_EXPANDED)
        return;
    SAME("scatter_add_ " LOOK, fa_scatter_add_(t.cpu, dim, index.cpu, src.cpu),
         fa_scatter_add_(t.gpu, dim, index.gpu, src.gpu), TOLD);
}

static const fa_shape shapes[] = {{1, {9}}, {2, {3, 70}}, {2, {70, 3}}, {3, {4, 1, 5}}, {4, {2, 3, 4, 5}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void check_shapes(look k)
{
    for (int s = 0; s < SHAPES; s++) {
        check_distinct(k, shapes[s]);
        for (int dim = 0; dim < shapes[s].rank; dim++) {
            check_list(k, shapes[s], dim, 1 + gpu_below(40));
            check_each(k, shapes[s], dim, 1 + gpu_below(12), s % 2);
        }
    }
}

static void all_dtypes(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPES; d++)
        if (gpu_has(dtypes[d]))
            check_shapes((look){dtypes[d], index_dtypes[d % 2], LAYOUT_DENSE, LAYOUT_DENSE});
}

static void all_dtypes_of_indices(void **state)
{
    (void)state;
    for (int i = 0; i < INDEX_DTYPES; i++)
        check_shapes((look){FA_F32, index_dtypes[i], LAYOUT_DENSE, LAYOUT_DENSE});
}

static void all_layouts(void **state)
{
    (void)state;
    for (layout how = 0; how < LAYOUTS; how++)
        for (layout index = 0; index < LAYOUTS; index++) {
            check_shapes((look){FA_F32, FA_I64, how, index});
            check_shapes((look){FA_BF16, FA_I16, how, index});
        }
}

/* Many sums at one place: the order is the index's, whether one item has a line or several share it. */
static void duplicates(void **state)
{
    (void)state;
    uint64_t groups = gpu_own()->groups;
    for (int busy = 0; busy < 2; busy++) {
        gpu_own()->groups = busy ? 1000 : 0;
        for (int d = 0; d < 4; d++) {
            look k = {dtypes[d], FA_I64, LAYOUT_DENSE, LAYOUT_DENSE};
            if (!gpu_has(dtypes[d]))
                continue;
            check_list(k, S(5), 0, 3000);
            check_list(k, S(40, 7), 0, 3000);
            check_list(k, S(7, 40), 1, 500);
            check_each(k, S(50), 0, 3000, 0);
            check_each(k, S(3, 2), 1, 3000, 0);
        }
    }
    gpu_own()->groups = groups;
}

static void nothing_to_do(void **state)
{
    (void)state;
    look k = {FA_F32, FA_I64, LAYOUT_DENSE, LAYOUT_DENSE};
    check_list(k, S(3, 4), 1, 0);
    check_list(k, S(3, 4), 0, 0);
    check_list(k, S(0, 4), 1, 3);
    check_list(k, FA_SCALAR, 0, 1);
    check_each(k, S(3, 4), 1, 0, 0);
    check_each(k, S(0, 4), 1, 5, 0);
    check_each(k, FA_SCALAR, 0, 1, 0);
}

/* An index of no dimensions. */
static void one_index(void **state)
{
    (void)state;
    pair x = gpu_random(FA_F32, S(5, 3), LAYOUT_TRANSPOSED, false, 0),
         i = gpu_random(FA_I32, FA_SCALAR, LAYOUT_DENSE, false, 5);
    SAME("%d", fa_index_select(x.cpu, 0, i.cpu), fa_index_select(x.gpu, 0, i.gpu), 0);
    SAME("%d", fa__index_sum(fa_narrow(x.cpu, 0, 1, 1), 0, i.cpu, 5),
         fa__index_sum(fa_narrow(x.gpu, 0, 1, 1), 0, i.gpu, 5), 0);
}

/* ---- out of range ---- */

/* The GPU's error is the CPU's, but for the device. */
static void same_error(const char *cpu)
{
    char gpu[1024];
    assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
    const char *what = strstr(cpu, "): index"), *from = error_reason();
    snprintf(gpu, sizeof gpu, "%s", from);
    fa_error_clear();
    const char *also = strstr(gpu, "): index");
    if (!what || !also || strcmp(what, also) != 0)
        fail_msg("\"%s\", not \"%s\"", gpu, cpu);
    assert_memory_equal(gpu, cpu, strcspn(cpu, "(")); /* the operation */
    assert_non_null(strstr(gpu, "opencl:0"));
}

#define FAILS_ALIKE(on_cpu, on_gpu)                                                                                    \
    do {                                                                                                               \
        char message[1024];                                                                                            \
        assert_null(on_cpu);                                                                                           \
        assert_int_equal(fa_error_code(), FA_ERROR_INDEX);                                                             \
        snprintf(message, sizeof message, "%s", error_reason());                                                       \
        fa_error_clear();                                                                                              \
        (void)(on_gpu);                                                                                                \
        fa_synchronize(GPU);                                                                                           \
        same_error(message);                                                                                           \
        assert_true(fa_item(fa_get(fa_ones(S(3), .device = GPU), "1")) == 1); /* others go on */                       \
        assert_no_error();                                                                                             \
    } while (0)

static void out_of_range(void **state)
{
    (void)state;
    static const fa_dtype signed_ones[] = {FA_I64, FA_I32, FA_I16, FA_I8};
    pair x = gpu_random(FA_F32, S(3, 4), LAYOUT_DENSE, false, 0);
    for (int d = 0; d < 4; d++) {
        pair low = pair_of((double[]){0, 2, -1, 7}, signed_ones[d], S(4), LAYOUT_DENSE);
        FAILS_ALIKE(fa_index_select(x.cpu, 1, low.cpu), fa_index_select(x.gpu, 1, low.gpu));
        FAILS_ALIKE(fa__index_sum(x.cpu, 1, low.cpu, 4), fa__index_sum(x.gpu, 1, low.gpu, 4));
    }
    pair high = pair_of((double[]){0, 2, 1, 2, 3, 5}, FA_I64, S(3, 2), LAYOUT_TRANSPOSED);
    FAILS_ALIKE(fa_gather(x.cpu, 0, high.cpu), fa_gather(x.gpu, 0, high.gpu));
    FAILS_ALIKE(fa_scatter_add(x.cpu, 1, high.cpu, x.cpu), fa_scatter_add(x.gpu, 1, high.gpu, x.gpu));
    FAILS_ALIKE(fa__scatter_set(x.cpu, 1, high.cpu, x.cpu), fa__scatter_set(x.gpu, 1, high.gpu, x.gpu));
    FAILS_ALIKE(fa__scatter_by(x.cpu, 1, high.cpu, x.cpu, 3), fa__scatter_by(x.gpu, 1, high.gpu, x.gpu, 3));
    pair far = pair_of((double[]){0, 12, -13}, FA_I64, S(3), LAYOUT_DENSE),
         flat = gpu_random(FA_F32, S(3), 0, false, 0);
    FAILS_ALIKE(fa__fetch_at(x.cpu, 2, far.cpu, false), fa__fetch_at(x.gpu, 2, far.gpu, false));
    FAILS_ALIKE(fa__place_at(x.cpu, 2, far.cpu, flat.cpu, true, false),
                fa__place_at(x.gpu, 2, far.gpu, flat.gpu, true, false));
    FAILS_ALIKE(fa__place_at(x.cpu, 2, far.cpu, flat.cpu, true, true),
                fa__place_at(x.gpu, 2, far.gpu, flat.gpu, true, true));
    FAILS_ALIKE(fa__index_at(far.cpu, 1, 12), fa__index_at(far.gpu, 1, 12));
    pair list = pair_of((double[]){0, 3}, FA_U8, S(2), LAYOUT_DENSE); /* without any element to look up */
    FAILS_ALIKE(fa_index_select(fa_zeros(S(0, 3)), 1, list.cpu),
                fa_index_select(fa_zeros(S(0, 3), .device = GPU), 1, list.gpu));
}

/* There are many: the first one is told, whichever group of items found it first. */
static void the_first_of_many(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static double values[COUNT];
    pair x = gpu_random(FA_F32, S(300, 2), LAYOUT_DENSE, false, 0);
    for (int first = 1; first < COUNT; first = first * 5 + 3) {
        for (int i = 0; i < COUNT; i++)
            values[i] = (double)(i < first ? gpu_below(300) : 300 + i % 7);
        pair list = pair_of(values, FA_I64, S(COUNT), first % 2 ? LAYOUT_DENSE : LAYOUT_NEGATIVE);
        FAILS_ALIKE(fa_index_select(x.cpu, 0, list.cpu), fa_index_select(x.gpu, 0, list.gpu));
    }
}

/* Behind a fault nothing is written, by whatever operation. */
static void nothing_is_written(void **state)
{
    (void)state;
    fa_tensor *y = fa_full(S(3, 2), 5.0, .device = GPU), *sum = fa_full(S(3, 4), 6.0, .device = GPU);
    fa_tensor *product = fa_full(S(3, 3), 7.0, .device = GPU),
              *order = fa_full(S(9), 8, .dtype = FA_I64, .device = GPU);
    pair x = gpu_random(FA_F32, S(3, 4), LAYOUT_DENSE, false, 0);
    pair good = pair_of((double[]){0, 1}, FA_I64, S(2), LAYOUT_DENSE),
         bad = pair_of((double[]){0, 4}, FA_I64, S(2), LAYOUT_DENSE);
    pair wide = gpu_random(FA_F32, S(20, 4), LAYOUT_DENSE, false, 0);
    uint64_t groups = gpu_own()->groups;
    fa_tensor *tiles = fa_full(S(20, 20), 9.0, .device = GPU);
    fa_synchronize(GPU);
    gpu_own()->groups = 0;
    fa_index_select(x.gpu, 1, bad.gpu, .out = y);
    fa_index_select(x.gpu, 1, good.gpu, .out = y);
    fa_scatter_add_(sum, 1, fa_unsqueeze(good.gpu, 0), x.gpu);
    fa_matmul(x.gpu, fa_t(x.gpu), .out = product);
    fa_matmul(wide.gpu, fa_t(wide.gpu), .out = tiles);
    fa_randperm(9, .out = order, .device = GPU);
    gpu_own()->groups = groups;
    fa_synchronize(GPU);
    assert_error(FA_ERROR_INDEX, "fa_index_select", "index 4", "size 4", "element 1");
    assert_true(fa_item(fa_get(y, "0, 0")) == 5);
    assert_true(fa_item(fa_get(sum, "0, 0")) == 6);
    assert_true(fa_item(fa_get(product, "0, 0")) == 7);
    assert_true(fa_item(fa_get(order, "0")) == 8);
    assert_true(fa_item(fa_get(tiles, "0, 0")) == 9);
    assert_no_error();
}

/* ---- permutations ---- */

static void permutations(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 5, 63, 64, 65, 127, 1000, 5000, 70000};
    if (!gpu_own()->f64) /* the draws need it */
        return;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int d = 0; d < DTYPES; d++) {
            FA_SCOPE;
            fa_dtype t = dtypes[d];
            int64_t n = sizes[i];
            if (!gpu_has(t) || (t == FA_BOOL && n > 2) || (t == FA_I16 && n > 32768) || (t == FA_I8 && n > 128)
                || (t == FA_U8 && n > 256) || (t == FA_BF16 && n > 257) || (t == FA_F16 && n > 2049))
                continue;
            fa_manual_seed(77 + i);
            fa_tensor *cpu = fa_randperm(n, .dtype = t);
            fa_manual_seed(77 + i);
            SAME("%s %d", cpu, fa_randperm(n, .dtype = t, .device = GPU), fa_dtype_name(t), (int)n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(all_dtypes),   TEST(all_dtypes_of_indices), TEST(all_layouts),
                                       TEST(duplicates),   TEST(nothing_to_do),         TEST(one_index),
                                       TEST(out_of_range), TEST(the_first_of_many),     TEST(nothing_is_written),
                                       TEST(permutations)};
    return gpu_there() ? RUN("gpu_select") : GPU_SKIPPED;
}
