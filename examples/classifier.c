/* A multi-layer perceptron as a custom module. It learns to classify which third of its input has the largest sum. The
 * optional argument is a device; the default is the best available one. */
#include <facula/facula.h>
#include <stdio.h>

typedef struct {
    fa_module *fc1, *fc2;
} mlp;

static fa_tensor *mlp_forward(fa_module *self, fa_tensor *x)
{
    mlp *m = fa_module_data(self);
    return fa_forward(m->fc2, fa_relu(fa_forward(m->fc1, x)));
}

static fa_module *mlp_new(void)
{
    fa_module *net = fa_nn_custom("mlp", sizeof(mlp), mlp_forward);
    mlp *m = fa_module_data(net);
    m->fc1 = fa_module_add(net, "fc1", fa_nn_linear(12, 32));
    m->fc2 = fa_module_add(net, "fc2", fa_nn_linear(32, 3));
    return net;
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    fa_tensor *input = fa_to(fa_rand(FA_SHAPE(256, 12)), device);
    fa_tensor *target = fa_argmax(fa_sum(fa_view(input, FA_SHAPE(256, 3, 4)), .dim = 2), .dim = 1);

    fa_module *net = fa_module_to(mlp_new(), device);
    fa_optim *opt = fa_optim_sgd(net, .lr = 0.5);
    FA_VAR(first, NULL);
    FA_VAR(last, NULL);
    FA_REPEAT (step, 200) {
        fa_optim_zero_grad(opt);
        fa_tensor *loss = fa_cross_entropy(fa_forward(net, input), target);
        fa_backward(loss);
        fa_optim_step(opt);
        fa_assign(step ? &last : &first, loss);
    }

    double begin = fa_item(first), end = fa_item(last);
    fa_module_summary(net, stdout);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("loss %.2f, then %.2f\n", begin, end);
    return !(end < 0.5 * begin);
}
