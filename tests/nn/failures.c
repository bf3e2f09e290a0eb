/* Each allocation of layers fails once: forward in training and in inference, backward, clipping and a step. Nothing
 * crashes, and the error is that of the memory. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/layer.h>
#include <facula/ops/nn.h>
#include <facula/optim.h>

static fa_module *net_new(void)
{
    return fa_nn_sequential(
        fa_nn_conv2d(2, 4, FA_PAIR(2, 3), .padding = FA_PADDING_SAME, .groups = 2),
        fa_nn_batch_norm2d(4, .momentum = -1), fa_nn_alpha_dropout(), fa_nn_avg_pool2d(2),
        fa_nn_conv_transpose2d(4, 2, 2, .stride = 2), fa_nn_dropout2d(), fa_nn_batch_norm2d(2, .affine = false),
        fa_nn_adaptive_max_pool2d(3), fa_nn_flatten(.start_dim = 2), fa_nn_group_norm(2, 2),
        fa_nn_conv1d(2, 3, 3, .padding = 1, .padding_mode = "circular"), fa_nn_batch_norm1d(3), fa_nn_max_pool1d(2),
        fa_nn_adaptive_avg_pool1d(4), fa_nn_layer_norm(FA_SHAPE(4)), fa_nn_gelu(), fa_nn_linear(4, 2));
}

/* One step of training and a look at the results of inference. */
static bool train(fa_module *net, fa_tensor *x)
{
    fa_optim *opt = fa_optim_adamw(net, .amsgrad = true);
    bool good = fa_backward(fa_sum(fa_forward(net, x))) && fa_clip_grad_norm(net, 1) && fa_clip_grad_value(net, 0.5);
    return good && fa_optim_step(opt) && fa_module_train(net, false) && fa_backward(fa_sum(fa_forward(net, x)));
}

static bool instances(fa_tensor *x)
{
    fa_tensor *mean = fa_zeros(FA_SHAPE(2)), *var = fa_ones(FA_SHAPE(2)),
              *w = fa_ones(FA_SHAPE(2), .requires_grad = true);
    return mean && var && w && fa_instance_norm(x, .running_mean = mean, .running_var = var)
           && fa_backward(fa_sum(
               fa_instance_norm(x, .running_mean = mean, .running_var = var, .weight = w, .use_input_stats = false)));
}

static bool embeddings(void)
{
    fa_module *m = fa_nn_embedding(4, 3, .padding_idx = 1, .scale_grad_by_freq = true);
    return m && fa_backward(fa_sum(fa_forward(m, fa_zeros(FA_SHAPE(2, 2), .dtype = FA_I64))));
}

static bool all(fa_tensor *x)
{
    fa_module *net = net_new();
    return net && train(net, x) && instances(x) && embeddings();
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int place = 0; place < 2; place++) {
        FA_SCOPE;
        fa_device device = place ? DEVICE(0) : FA_CPU;
        FA_USE(.device = device);
        fa_tensor *x = fa_rand(FA_SHAPE(2, 2, 6, 6));
        assert_true(all(x)); /* fills caches */
        for (int64_t nth = 1, seen = 1; nth <= seen; nth += place ? 5 : 1) {
            FA_SCOPE;
            fa__inject(nth);
            bool good = all(x) && fa_synchronize(device);
            fa__inject(0);
            seen = good ? fa__inject_count() : INT64_MAX; /* what went well may have gone without that memory */
            assert_int_equal(fa_error_code(), good ? FA_OK : FA_ERROR_MEMORY);
            fa_error_clear();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(each_allocation_may_fail)};
    return RUN("nn_failures");
}
