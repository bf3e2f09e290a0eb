/* The convolutional network of PyTorch's CIFAR-10 tutorial. Arguments: the folder that contains cifar-10-batches-bin
 * (default "data"), and a device (default: the best available one). Writes cnn.safetensors. */
#include <facula/facula.h>
#include <stdio.h>

int main(int count, char **argument)
{
    const char *folder = count > 1 ? argument[1] : "data";
    fa_device dev = count > 2 ? fa_device_of(argument[2]) : fa_device_best();
    fa_transform *to_input = fa_transform_compose(
        fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.5, 0.5), FA_LIST(0.5, 0.5, 0.5)));
    fa_dataset *train = fa_data_cifar10(folder, .train = true, .transform = to_input);
    fa_loader *loader = fa_data_loader(train, .batch_size = 64, .shuffle = true, .workers = 2, .device = dev);

    fa_module *net = fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 5),
                                      fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(16 * 5 * 5, 120),
                                      fa_nn_relu(), fa_nn_linear(120, 84), fa_nn_relu(), fa_nn_linear(84, 10));
    fa_module_to(net, dev);
    fa_optim *opt = fa_optim_sgd(net, .lr = 0.001, .momentum = 0.9);

    FA_REPEAT (2) {
        fa_progress *bar = fa_progress_new(fa_loader_length(loader), .label = "train");
        FA_EACH (batch, loader) {
            fa_optim_zero_grad(opt);
            fa_tensor *loss = fa_cross_entropy(fa_forward(net, batch.input), batch.target);
            fa_backward(loss);
            fa_optim_step(opt);
            fa_progress_tick(bar, "loss", loss); /* reads the device now and then, not every step */
        }
    }
    fa_save(net, "cnn.safetensors");
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
