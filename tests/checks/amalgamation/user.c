/* user.c [DEVICE]: a short training, whose weights and files are to be the same whatever the library was built as. */
#include <facula.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    fa_manual_seed(1);
    fa_device device = argc > 1 ? fa_device_of(argv[1]) : FA_CPU;
    fa_module *net = fa_nn_sequential(fa_nn_conv2d(1, 4, 3), fa_nn_relu(), fa_nn_flatten(), fa_nn_linear(144, 10));
    fa_module_to(net, device);
    fa_optim *optim = fa_optim_adam(net, .lr = 0.01);
    fa_loader *train = fa_data_loader(fa_data_digits(.train = true), .batch_size = 64, .device = device);
    FA_EACH (batch, train) {
        fa_optim_zero_grad(optim);
        fa_tensor *images = fa_view(batch.input, FA_SHAPE(-1, 1, 8, 8));
        fa_backward(fa_cross_entropy(fa_forward(net, images), batch.target));
        fa_optim_step(optim);
    }
    fa_save(net, "user.safetensors");
    fa_saved saved = fa_load_file("user.safetensors");
    fa_tensor *z = fa_pointwise("x * sigmoid(1.702 * x)", saved.tensors.item[0]);
    printf("%d tensors, %.17g, %.17g\n", (int)saved.tensors.count, fa_item(fa_sum(fa_abs(saved.tensors.item[2]))),
           fa_item(fa_sum(z, .dtype = FA_F64)));
    return fa_failed() ? fprintf(stderr, "%s\n", fa_error_message()), 1 : 0;
}
