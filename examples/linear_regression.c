/* Linear regression, once with a gradient written by hand, as in NumPy, and once with autograd and an optimizer, as in
 * PyTorch. Both arrive at the same weights. */
#include <facula/facula.h>
#include <stdio.h>

/* NumPy's way: no gradients */
static void by_hand(fa_tensor *X, fa_tensor *y, fa_tensor *W)
{
    FA_REPEAT (i, 1000) {
        fa_tensor *error = fa_sub(fa_matmul(X, W), y);
        fa_tensor *grad = fa_div(fa_matmul(fa_t(X), error), fa_size(X, 0));
        fa_sub_(W, fa_mul(grad, 0.02));
    }
}

/* PyTorch's way: this loss's gradient is twice the one above */
static void by_optimizer(fa_tensor *X, fa_tensor *y, fa_tensor *W)
{
    fa_set_requires_grad(W, true);
    fa_optim *opt = fa_optim_sgd(fa_params(W), .lr = 0.01);
    FA_REPEAT (i, 1000) {
        fa_optim_zero_grad(opt);
        fa_tensor *loss = fa_mean(fa_pow(fa_sub(fa_matmul(X, W), y), 2));
        fa_backward(loss);
        fa_optim_step(opt);
    }
}

int main(void)
{
    fa_manual_seed(1);
    fa_tensor *X = fa_rand(FA_SHAPE(100, 10)), *y = fa_rand(FA_SHAPE(100, 1));
    fa_tensor *W = fa_rand(FA_SHAPE(10, 1)), *V = fa_clone(W);
    by_hand(X, y, W);
    by_optimizer(X, y, V);

    double first = fa_item(fa_mse_loss(fa_matmul(X, W), y)), second = fa_item(fa_mse_loss(fa_matmul(X, V), y));
    double apart = fa_item(fa_max(fa_flatten(fa_abs(fa_sub(W, V))), 0).values);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("loss by hand %.4f, with an optimizer %.4f; weights at most %.0e apart\n", first, second, apart);
    return !(apart < 1e-4 && first < 0.15);
}
