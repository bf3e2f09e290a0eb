/* Mixed precision: a classifier of digits, trained with matrix products in f16 and scaled gradients. The optional
 * argument is a device; the default is the best available one. */
#include <facula/facula.h>
#include <stdio.h>

static void train(fa_module *net, fa_loader *loader, fa_optim *opt, fa_scaler *scaler, fa_device device)
{
    FA_EACH (batch, loader) {
        fa_tensor *loss;
        fa_optim_zero_grad(opt);
        {
            FA_USE(.autocast = FA_F16);
            loss = fa_cross_entropy(fa_forward(net, fa_to(batch.input, device)), fa_to(batch.target, device));
        }
        fa_backward(fa_scaler_scale(scaler, loss));
        fa_scaler_step(scaler, opt);
        fa_scaler_update(scaler);
    }
}

int main(int count, char **argument)
{
    FA_SCOPE;
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    FA_USE(.device = device);
    fa_manual_seed(0);
    fa_module *net = fa_nn_sequential(fa_nn_flatten(), fa_nn_linear(64, 64), fa_nn_relu(), fa_nn_linear(64, 10));
    fa_optim *opt = fa_optim_adam(net, .lr = 0.003);
    fa_scaler *scaler = fa_amp_scaler();
    fa_loader *loader = fa_data_loader(fa_data_digits(.train = true), .batch_size = 64, .shuffle = true);
    FA_REPEAT (10)
        train(net, loader, opt, scaler, device);

    fa_meter *accuracy = fa_meter_accuracy();
    FA_EACH (batch, fa_data_loader(fa_data_digits(.train = false), .batch_size = 64)) {
        FA_USE(.no_grad = true, .autocast = FA_F16);
        fa_meter_update(accuracy, fa_forward(net, fa_to(batch.input, device)), .target = fa_to(batch.target, device));
    }
    const double right = fa_meter_value(accuracy), scale = fa_scaler_get_scale(scaler);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("accuracy %.1f%%, scale %g\n", 100 * right, scale);
    return 0;
}
