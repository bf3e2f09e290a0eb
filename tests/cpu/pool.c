/* Maxima of windows of 2 x 2: the loop for rows that lie in memory as they are counted gives what the general one gives
 * for other layouts, forward and backward, for every width up to some vectors. */
#include "internal.h"
#include "support/autograd_test.h"
#include "support/tensors.h"

static fa_tensor *channels_last(const fa_tensor *x)
{
    const fa_shape last = {4, {0, 2, 3, 1}}, first = {4, {0, 3, 1, 2}};
    return fa_permute(fa_contiguous(fa_permute(x, last)), first);
}

/* Numbers of which many are equal, with zeros of both signs, infinities and NaN. */
static fa_tensor *made(int64_t planes, int64_t h, int64_t w)
{
    static const float some[] = {0, -0.0F, 1, 2, 2, -1, 0.5F, INFINITY, -INFINITY, NAN, 3};
    fa_tensor *x = fa_zeros(FA_SHAPE(1, planes, h, w));
    float *p = fa_ptr(x, FA_F32);
    uint64_t seed = (uint64_t)(h * 100 + w);
    for (int64_t i = 0; i < planes * h * w; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = some[(seed >> 40) % (sizeof some / sizeof *some)];
    }
    return x;
}

static void hold(int64_t h, int64_t w)
{
    FA_SCOPE;
    fa_tensor *x = made(3, h, w);
    const fa_max_pool2d_with_indices_result have = fa_max_pool2d_with_indices(x, 2);
    const fa_max_pool2d_with_indices_result want = fa_max_pool2d_with_indices(channels_last(x), 2);
    fa_tensor *y = have.values, *at = have.indices;
    assert_true(tensor_same_bits(y, want.values));
    assert_true(tensor_same_bits(at, want.indices));
    assert_true(tensor_same_bits(y, fa_max_pool2d(x, 2)));
    fa_tensor *g = fa_randn_like(y);
    fa_tensor *back = fa__max_pool2d_back(g, at, x, 2, 2, 0, 1);
    assert_true(tensor_same_bits(back, fa__max_pool2d_back(channels_last(g), at, x, 2, 2, 0, 1)));
    assert_true(tensor_same_bits(
        fa_reshape(g, FA_SHAPE(-1)),
        fa_reshape(fa_gather(fa_flatten(back, .start_dim = -2), -1, fa_flatten(at, .start_dim = -2)), FA_SHAPE(-1))));
}

static void widths(void **state)
{
    (void)state;
    for (int64_t w = 2; w < 80; w++)
        hold(2 + w % 5, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(widths)};
    return RUN("pool");
}
