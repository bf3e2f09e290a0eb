/* Attention on a GPU: the CPU's bits, forward and backward, at the edges of its tiles, and without memory for all
 * scores. Needs OpenCL, such as PoCL; without a platform it is skipped. */
#include "gpu/gpu_against_cpu.h"

#define S(...) FA_SHAPE(__VA_ARGS__)

typedef enum { PLAIN, CAUSAL, BOOLS, NUMBERS, KINDS } kind;

typedef struct sizes {
    int64_t queries, keys, width, v_width;
} sizes;

static pair mask_of(kind which, fa_dtype dtype, sizes n)
{
    if (which == BOOLS)
        return gpu_random(FA_BOOL, S(3, n.queries, n.keys), LAYOUT_DENSE, false, 0);
    return which == NUMBERS ? gpu_random(dtype, S(n.queries, n.keys), LAYOUT_TRANSPOSED, false, 0) : (pair){0};
}

static void check(kind which, fa_dtype dtype, sizes n, layout how)
{
    FA_SCOPE;
    pair q = gpu_random(dtype, S(2, 3, n.queries, n.width), how, false, 0);
    pair k = gpu_random(dtype, S(2, 3, n.keys, n.width), LAYOUT_DENSE, false, 0);
    pair v = gpu_random(dtype, S(2, 3, n.keys, n.v_width), how, false, 0);
    pair gy = gpu_random(dtype, S(2, 3, n.queries, n.v_width), LAYOUT_DENSE, false, 0);
    const pair mask = mask_of(which, dtype, n), *leaf[] = {&q, &k, &v};
    for (int i = 0; i < 3; i++) {
        fa_set_requires_grad(leaf[i]->cpu, true);
        fa_set_requires_grad(leaf[i]->gpu, true);
    }
    fa_tensor *y = fa_scaled_dot_product_attention(q.cpu, k.cpu, v.cpu, .mask = mask.cpu, .causal = which == CAUSAL);
    fa_tensor *z = fa_scaled_dot_product_attention(q.gpu, k.gpu, v.gpu, .mask = mask.gpu, .causal = which == CAUSAL);
    SAME("attention %d, %d queries, %d keys", y, z, which, (int)n.queries, (int)n.keys);
    fa_tensors want = fa_grad_of(FA_TENSORS(y), FA_TENSORS(q.cpu, k.cpu, v.cpu), .grad_outputs = FA_TENSORS(gy.cpu));
    fa_tensors have = fa_grad_of(FA_TENSORS(z), FA_TENSORS(q.gpu, k.gpu, v.gpu), .grad_outputs = FA_TENSORS(gy.gpu));
    for (int i = 0; i < 3; i++)
        SAME("attention %d, %d queries, %d keys, gradient %d", want.item[i], have.item[i], which, (int)n.queries,
             (int)n.keys, i);
}

static void edges(void **state)
{
    (void)state;
    static const sizes n[] = {{1, 5, 4, 4},      {8, 1, 1, 1},      {9, 10, 4, 3},     {32, 64, 16, 64},
                              {33, 65, 17, 130}, {84, 200, 64, 65}, {40, 1025, 16, 3}, {15, 2100, 5, 17}};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (kind which = PLAIN; which < KINDS; which++) {
            check(which, FA_F32, n[i], which == CAUSAL ? LAYOUT_TRANSPOSED : LAYOUT_DENSE);
            if (gpu_has(FA_F64) && n[i].keys < 300)
                check(which, FA_F64, n[i], LAYOUT_DENSE);
        }
}

/* No queries, no keys, no elements: nothing, or zeros. */
static void empty(void **state)
{
    (void)state;
    static const sizes n[] = {{0, 5, 4, 4}, {9, 0, 4, 4}, {9, 5, 0, 4}, {9, 5, 4, 0}};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (kind which = PLAIN; which < KINDS; which++)
            check(which, FA_F32, n[i], LAYOUT_DENSE);
}

/* Queries that see no key give 0, and pass no gradient on. */
static void nothing_seen(void **state)
{
    (void)state;
    FA_SCOPE;
    pair q = gpu_random(FA_F32, S(10, 4), LAYOUT_DENSE, false, 0),
         k = gpu_random(FA_F32, S(70, 4), LAYOUT_DENSE, false, 0);
    fa_tensor *mask = fa_ones(S(10, 70), .dtype = FA_BOOL, .device = GPU);
    fa_copy_(fa_select(mask, 0, 3), false);
    fa_set_requires_grad(q.gpu, true);
    fa_tensor *y = fa_scaled_dot_product_attention(q.gpu, k.gpu, k.gpu, .mask = mask);
    assert_true(fa_backward(fa_sum(y)));
    assert_true(fa_item(fa_amax(fa_abs(fa_select(y, 0, 3)))) == 0);
    assert_true(fa_item(fa_amax(fa_abs(fa_select(fa_grad(q.gpu), 0, 3)))) == 0);
    assert_true(fa_item(fa_amin(fa_abs(fa_select(fa_grad(q.gpu), 0, 4)))) > 0);
}

/* 16 MiB of scores; what is taken beside results is less than a sixteenth of them. */
static void memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_randn(S(1, 4, 1024, 8), .device = GPU, .requires_grad = true);
    fa_synchronize(GPU);
    const int64_t before = (int64_t)fa_memory_stats(GPU).allocated;
    fa_memory_reset_peak(GPU);
    assert_true(fa_backward(fa_sum(fa_scaled_dot_product_attention(x, x, x, .causal = true))));
    fa_synchronize(GPU);
    assert_true((int64_t)fa_memory_stats(GPU).peak - before < 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(edges), TEST(empty), TEST(nothing_seen), TEST(memory)};
    if (!strcmp(fa__cpu_level_name(), "base")) {
        printf("skipped: at this level the CPU rounds a multiply-add twice\n");
        return GPU_SKIPPED;
    }
    return gpu_there() ? cmocka_run_group_tests_name("gpu_attention", tests, NULL, NULL) : GPU_SKIPPED;
}
