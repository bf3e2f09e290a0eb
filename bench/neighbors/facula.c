/* Facula in run.py, called from C. */
#include "program.h"
#include <facula/facula.h>

static fa_module *network;
static int images_of_batch;

static const char *version(void)
{
    return fa_version();
}

static fa_module *new_network(const char *net)
{
    if (!strcmp(net, "mlp"))
        return fa_nn_sequential(fa_nn_linear(PIXELS, 256), fa_nn_relu(), fa_nn_linear(256, CLASSES));
    return fa_nn_sequential(fa_nn_conv2d(1, 16, 3, .padding = 1), fa_nn_relu(), fa_nn_max_pool2d(2),
                            fa_nn_conv2d(16, 32, 3, .padding = 1), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(),
                            fa_nn_linear(32 * 7 * 7, CLASSES));
}

static bool open_network(const char *net, int rows)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_set_num_threads(THREADS);
    fa_module *made = new_network(net);
    fa_parameters parameters = fa_module_parameters(made);
    for (size_t i = 0; i < parameters.count; i++) {
        fa_tensor *p = parameters.item[i];
        float *values = load_floats(net, parameters.name[i], (size_t)fa_numel(p));
        fa_copy_(p, fa_tensor_from(values, fa_tensor_shape(p)));
        free(values);
    }
    fa_module_train(made, false);
    images_of_batch = rows;
    network = fa_keep(made);
    return !fa_failed();
}

static void compute(const float *images, float *results)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    bool image = fa_dim(fa_module_parameters(network).item[0]) == 4;
    fa_tensor *x =
        fa_tensor_from(images, image ? FA_SHAPE(images_of_batch, 1, 28, 28) : FA_SHAPE(images_of_batch, PIXELS));
    if (!fa_read(fa_forward(network, x), results, FA_F32, (int64_t)images_of_batch * CLASSES))
        fprintf(stderr, "%s\n", fa_error_message());
}

int main(int count, char **arguments)
{
    return program_main(count, arguments);
}
