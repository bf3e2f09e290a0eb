/* Sorting on a GPU: the CPU's bits over dtypes, layouts and lengths, which are one tile, several, or many lines in one.
 * Needs OpenCL, such as PoCL; without a platform it is skipped. */
#include "gpu/gpu_against_cpu.h"

static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16, FA_F64, FA_BOOL, FA_U8, FA_I8, FA_I16, FA_I32, FA_I64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

#define S(...) FA_SHAPE(__VA_ARGS__)
#define TOLD fa_dtype_name(dtype), layout_names[how], (long long)fa_size(x.cpu, dim), dim

/* Sorting copies bits, also of f64 where the device does not compute in it. */
static void hold_alike(fa_dtype dtype, fa_shape s, layout how, int dim, bool descending)
{
    FA_SCOPE;
    pair x = gpu_random(dtype, s, how, true, 0);
    fa_sort_result cpu = fa_sort(x.cpu, .dim = dim, .descending = descending);
    fa_sort_result gpu = fa_sort(x.gpu, .dim = dim, .descending = descending);
    SAME("sort %s %s of %lld along %d: values", cpu.values, gpu.values, TOLD);
    SAME("sort %s %s of %lld along %d: indices", cpu.indices, gpu.indices, TOLD);
    int64_t n = fa_size(x.cpu, dim), k = n - n / 3;
    fa_topk_result most = fa_topk(x.cpu, k, .dim = dim, .largest = descending);
    fa_topk_result gpu_most = fa_topk(x.gpu, k, .dim = dim, .largest = descending);
    SAME("topk %s %s of %lld along %d: values", most.values, gpu_most.values, TOLD);
    SAME("topk %s %s of %lld along %d: indices", most.indices, gpu_most.indices, TOLD);
    if (n == 0)
        return;
    fa_kthvalue_result kth = fa_kthvalue(x.cpu, 1 + n / 3, .dim = dim);
    fa_kthvalue_result gpu_kth = fa_kthvalue(x.gpu, 1 + n / 3, .dim = dim);
    SAME("kthvalue %s %s of %lld along %d: values", kth.values, gpu_kth.values, TOLD);
    SAME("kthvalue %s %s of %lld along %d: indices", kth.indices, gpu_kth.indices, TOLD);
}

static void all_dtypes(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPES; d++)
        for (int dim = 0; dim < 3; dim++) {
            hold_alike(dtypes[d], S(3, 1500, 2), LAYOUT_DENSE, dim, d % 2);
            hold_alike(dtypes[d], S(3, 1500, 2), LAYOUT_DENSE, dim, (d + 1) % 2);
        }
}

static void all_layouts(void **state)
{
    (void)state;
    for (int how = 0; how < LAYOUTS; how++)
        for (int dim = 0; dim < 4; dim++)
            hold_alike(dim % 2 ? FA_F32 : FA_I64, S(4, 3, 1100, 2), (layout)how, dim, how % 2);
}

static void all_lengths(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0,    1,    2,    3,    7,    8,    511,  512,   513,  1023,
                                    1024, 1025, 2047, 2048, 2049, 4096, 4097, 70001, 9999, 131072};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hold_alike(FA_F32, S(sizes[i]), LAYOUT_DENSE, 0, i % 2);
        hold_alike(FA_I64, S(sizes[i]), LAYOUT_NEGATIVE, 0, (i + 1) % 2);
        hold_alike(FA_F16, S(sizes[i] % 5000, 5), LAYOUT_DENSE, 0, i % 2);
        hold_alike(FA_U8, S(2000 / (sizes[i] + 1) + 1, sizes[i]), LAYOUT_DENSE, 1, i % 2);
    }
}

/* Behind a fault nothing that was there is written over. */
static void behind_a_fault(void **state)
{
    (void)state;
    fa_tensor *order = fa_full(S(3000), 8, .dtype = FA_I64, .device = GPU), *x = fa_rand(S(3000), .device = GPU);
    fa_synchronize(GPU);
    fa_index_select(x, 0, fa_full(S(1), 3000, .device = GPU));
    fa_argsort(x, .out = order);
    fa_synchronize(GPU);
    assert_error(FA_ERROR_INDEX, "fa_index_select", "index 3000");
    assert_true(fa_item(fa_get(order, "0")) == 8 && fa_item(fa_get(order, "-1")) == 8);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(all_dtypes), TEST(all_layouts), TEST(all_lengths), TEST(behind_a_fault)};
    return gpu_there() ? RUN("gpu_sort") : GPU_SKIPPED;
}
