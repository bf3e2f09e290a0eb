/* A custom optimizer: Lion (Chen et al. 2023, arXiv:2302.06675), which steps in the direction of the sign of a
 * momentum. A step is one fused expression over all parameters, on their device. The optional argument is a device; the
 * default is the best available one. */
#include <facula/facula.h>
#include <stdio.h>

enum { MOST = 16 };

typedef struct {
    fa_parameters parameters;
    fa_tensor *mean[MOST]; /* of the gradients of each parameter */
    double lr, beta1, beta2, weight_decay;
} lion;

/* In the innermost scope, as the module is. */
static lion lion_of(fa_module *net, double lr)
{
    lion l = {fa_module_parameters(net), {NULL}, lr, 0.9, 0.99, 0.01};
    if (l.parameters.count > MOST)
        fa_fail(FA_ERROR_ARGUMENT, "lion: at most %d parameters", MOST);
    for (size_t i = 0; i < l.parameters.count && i < MOST; i++)
        l.mean[i] = fa_zeros_like(l.parameters.item[i]);
    return l;
}

static bool lion_step(const lion *l)
{
    fa_tensor *grad[MOST];
    size_t n = l->parameters.count;
    for (size_t i = 0; i < n && i < MOST; i++)
        grad[i] = fa_grad(l->parameters.item[i]);
    const fa_tensors parameters = {n, l->parameters.item}, grads = {n, grad}, means = {n, l->mean};
    const fa_binding names[] = {FA_BIND("p", parameters),
                                FA_BIND("g", grads),
                                FA_BIND("m", means),
                                FA_BIND("lr", l->lr),
                                FA_BIND("b1", l->beta1),
                                FA_BIND("b2", l->beta2),
                                FA_BIND("decay", l->weight_decay)};
    return fa_update("p = p - lr * (sign(b1 * m + (1 - b1) * g) + decay * p); m = b2 * m + (1 - b2) * g", 7, names);
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    fa_tensor *x = fa_to(fa_rand(FA_SHAPE(256, 12)), device);
    fa_tensor *target = fa_argmax(fa_sum(fa_view(x, FA_SHAPE(256, 3, 4)), .dim = 2), .dim = 1);
    fa_module *net = fa_module_to(fa_nn_sequential(fa_nn_linear(12, 32), fa_nn_relu(), fa_nn_linear(32, 3)), device);
    lion opt = lion_of(net, 0.003);
    FA_VAR(first, NULL);
    FA_VAR(last, NULL);
    FA_REPEAT (step, 200) {
        fa_module_zero_grad(net);
        fa_tensor *loss = fa_cross_entropy(fa_forward(net, x), target);
        fa_backward(loss);
        lion_step(&opt);
        fa_assign(step ? &last : &first, loss);
    }

    double begin = fa_item(first), end = fa_item(last);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("loss %.2f, then %.2f\n", begin, end);
    return !(end < 0.5 * begin);
}
