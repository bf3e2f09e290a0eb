/* Device memory and transfers: a training step that is checked to make no copies and no synchronizations, and a report
 * of all copies and waits. The optional argument is a device; the default is the best available one. */
#include <facula/facula.h>
#include <stdio.h>

static fa_tensor *step(fa_module *net, fa_optim *opt, fa_tensor *input, fa_tensor *target)
{
    fa_optim_zero_grad(opt);
    fa_tensor *loss = fa_mse_loss(fa_forward(net, input), target);
    fa_backward(loss);
    fa_optim_step(opt);
    return loss;
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    fa_tensor *input = fa_to(fa_rand(FA_SHAPE(64, 100)), device);
    fa_tensor *target = fa_to(fa_rand(FA_SHAPE(64, 1)), device);
    printf("%.1f kB of input\n", (double)fa_nbytes(input) / 1e3); /* fa_element_size, fa_numel */

    fa_module *net = fa_module_to(fa_nn_linear(100, 1), device);
    fa_optim *opt = fa_optim_sgd(net, .lr = 0.01);
    FA_VAR(loss, NULL);
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER); /* a hidden wait or copy is an error */
        FA_REPEAT (10)
            fa_assign(&loss, step(net, opt, input, target));
    }
    printf("loss %.2f\n", fa_item(loss)); /* the one wait */

    fa_memory m = fa_memory_stats(device);
    printf("%s: at most %.1f kB were in use at once\n", fa_device_name(device), (double)m.peak / 1e3);
    fa_memory_summary(device, stdout);
    fa_transfers_report(stdout); /* each copy and wait: by operation, bytes, time, GB/s */
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
