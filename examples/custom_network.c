/* The network of PyTorch's CIFAR-10 tutorial as a custom module with child layers. It learns to classify which rows of
 * small images are bright. The optional argument is a device; the default is the best available one. */
#include <facula/facula.h>
#include <stdio.h>

typedef struct {
    fa_module *conv1, *pool, *conv2, *fc1, *fc2, *fc3;
} net;

static fa_tensor *net_forward(fa_module *self, fa_tensor *x)
{
    net *n = fa_module_data(self);
    /* Each assignment frees what came before, unless gradients need it: evaluating takes no more memory than with
     * fa_nn_sequential(). */
    FA_VAR(h, fa_forward(n->pool, fa_relu(fa_forward(n->conv1, x))));
    fa_assign(&h, fa_forward(n->pool, fa_relu(fa_forward(n->conv2, h))));
    fa_assign(&h, fa_view(h, FA_SHAPE(-1, 16 * 5 * 5)));
    fa_assign(&h, fa_relu(fa_forward(n->fc1, h)));
    fa_assign(&h, fa_relu(fa_forward(n->fc2, h)));
    fa_assign(&h, fa_forward(n->fc3, h));
    return fa_escape(h);
}

static fa_module *net_new(void)
{
    fa_module *self = fa_nn_custom("net", sizeof(net), net_forward);
    net *n = fa_module_data(self);
    if (!n)
        return NULL;
    n->conv1 = fa_module_add(self, "conv1", fa_nn_conv2d(3, 6, 5));
    n->pool = fa_module_add(self, "pool", fa_nn_max_pool2d(2));
    n->conv2 = fa_module_add(self, "conv2", fa_nn_conv2d(6, 16, 5));
    n->fc1 = fa_module_add(self, "fc1", fa_nn_linear(16 * 5 * 5, 120));
    n->fc2 = fa_module_add(self, "fc2", fa_nn_linear(120, 84));
    n->fc3 = fa_module_add(self, "fc3", fa_nn_linear(84, 10));
    return self;
}

/* Noise, with three bright rows for each class. */
static fa_tensor *images(fa_tensor *target)
{
    int64_t n = fa_numel(target);
    fa_tensor *row = fa_view(fa_arange(0, 32, .device = fa_tensor_device(target)), FA_SHAPE(1, 1, 32, 1));
    fa_tensor *first = fa_mul(fa_view(target, FA_SHAPE(n, 1, 1, 1)), 3);
    fa_tensor *noise = fa_rand(FA_SHAPE(n, 3, 32, 32), .device = fa_tensor_device(target));
    return fa_pointwise("x + (y >= z && y < z + 3 ? 2.0 : 0.0)", noise, row, first);
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    fa_module *network = fa_module_to(net_new(), device);
    fa_optim *opt = fa_optim_adam(network, .lr = 0.003);
    FA_VAR(first, NULL);
    FA_VAR(last, NULL);
    FA_REPEAT (step, 20) {
        fa_tensor *target = fa_randint(0, 10, FA_SHAPE(12), .device = device);
        fa_optim_zero_grad(opt);
        fa_tensor *loss = fa_cross_entropy(fa_forward(network, images(target)), target);
        fa_backward(loss);
        fa_optim_step(opt);
        fa_assign(step ? &last : &first, loss);
    }

    double begin = fa_item(first), end = fa_item(last);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("%d parameters: loss %.2f, then %.2f\n", (int)fa_module_numel(network), begin, end);
    return !(end < 0.7 * begin);
}
