/* Transfer learning: a network is trained on a task with many samples; then its body is frozen and a new head is
 * trained on another task with few samples. The optional argument is a device; the default is the best available one.
 */
#include <facula/facula.h>
#include <stdio.h>

/* Images of a bar: rows 0 to 7 across (number 0 to 7), or columns 0 to 7 down (8 to 15), in noise. */
static fa_tensor *bars(fa_tensor *number)
{
    fa_tensor *line = fa_one_hot(number, .num_classes = 16);
    fa_tensor *rows = fa_unsqueeze(fa_slice(line, 1, .end = 8), 2),
              *columns = fa_unsqueeze(fa_slice(line, 1, .start = 8), 1);
    fa_tensor *images = fa_to(fa_add(fa_expand(rows, FA_SHAPE(-1, 8, 8)), columns), FA_F32);
    return fa_unsqueeze(fa_add(images, fa_mul(fa_rand_like(images), 0.5)), 1);
}

static void learn(fa_module *net, fa_tensor *x, fa_tensor *y, int steps)
{
    fa_optim *opt = fa_optim_adam(net, .lr = 0.01);
    FA_REPEAT (step, steps) {
        fa_optim_zero_grad(opt);
        fa_backward(fa_cross_entropy(fa_forward(net, x), y));
        fa_optim_step(opt);
    }
}

static double accuracy(fa_module *net, fa_tensor *x, fa_tensor *y)
{
    FA_USE(.no_grad = true);
    return fa_item(fa_mean(fa_eq(fa_argmax(fa_forward(net, x), .dim = 1), y), .dtype = FA_F32));
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    FA_USE(.device = device);
    fa_module *body = fa_nn_sequential(fa_nn_conv2d(1, 8, 3, .padding = 1), fa_nn_batch_norm2d(8), fa_nn_relu(),
                                       fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(128, 32), fa_nn_relu());
    fa_module *net = fa_nn_sequential(body, fa_nn_linear(32, 16));

    fa_tensor *number = fa_randint(0, 16, FA_SHAPE(256));
    learn(net, bars(number), number, 100); /* which bar it is */

    fa_module_set_requires_grad(body, false); /* frozen: no gradients */
    fa_module_train(body, false);             /* and statistics that stay */
    fa_module_replace(net, "1", fa_nn_linear(32, 2));
    fa_tensor *weight = fa_clone(fa_module_tensor(net, "0.0.weight"));
    fa_tensor *few = fa_randint(0, 16, FA_SHAPE(48)), *many = fa_randint(0, 16, FA_SHAPE(256));
    learn(net, bars(few), fa_to(fa_ge(few, 8), FA_I64), 200); /* across or down */
    double right = accuracy(net, bars(many), fa_to(fa_ge(many, 8), FA_I64));

    bool stayed = fa_equal(weight, fa_module_tensor(net, "0.0.weight"));
    fa_module_summary(net, stdout, .input = FA_SHAPE(1, 1, 8, 8));
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("across or down: %.0f%% right; the body %s\n", 100 * right, stayed ? "stayed as it was" : "changed");
    return !(right > 0.95 && stayed);
}
