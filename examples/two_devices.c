/* Model parallelism: two parts of a network are on two devices; activations and gradients are copied between them
 * explicitly. The optional arguments are the devices; the default for the second part is the CPU. */
#include <facula/facula.h>
#include <stdio.h>

static bool gradients_are_with(fa_module *part, fa_device device)
{
    fa_parameters p = fa_module_parameters(part);
    bool all = p.count > 0;
    for (size_t i = 0; i < p.count; i++) {
        fa_tensor *grad = fa_grad(p.item[i]);
        all = all && grad && fa_device_equal(fa_tensor_device(grad), device);
    }
    return all;
}

int main(int count, char **argument)
{
    fa_device one = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_device two = count > 2 ? fa_device_of(argument[2]) : FA_CPU;
    fa_manual_seed(1);
    fa_tensor *x = fa_rand(FA_SHAPE(256, 12));
    fa_tensor *target = fa_argmax(fa_sum(fa_view(x, FA_SHAPE(256, 3, 4)), .dim = 2), .dim = 1);
    x = fa_to(x, one);
    target = fa_to(target, two);

    fa_module *part1 = fa_module_to(fa_nn_sequential(fa_nn_linear(12, 32), fa_nn_relu()), one);
    fa_module *part2 = fa_module_to(fa_nn_linear(32, 3), two);
    fa_optim *opt1 = fa_optim_sgd(part1, .lr = 0.5), *opt2 = fa_optim_sgd(part2, .lr = 0.5);
    FA_VAR(first, NULL);
    FA_VAR(last, NULL);
    FA_REPEAT (step, 200) {
        fa_optim_zero_grad(opt1);
        fa_optim_zero_grad(opt2);
        fa_tensor *h = fa_forward(part1, x);
        fa_tensor *o = fa_forward(part2, fa_to(h, two));
        fa_tensor *loss = fa_cross_entropy(o, target);
        fa_backward(loss);
        fa_optim_step(opt1);
        fa_optim_step(opt2);
        fa_assign(step ? &last : &first, loss);
    }

    bool there = gradients_are_with(part1, one) && gradients_are_with(part2, two);
    double begin = fa_item(first), end = fa_item(last);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("loss %.2f, then %.2f; gradients %s\n", begin, end, there ? "where their parameters are" : "elsewhere");
    return !(end < 0.5 * begin && there);
}
