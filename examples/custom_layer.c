/* A custom layer: cosine similarity between the input and learned directions, with a learned scale. It learns the
 * directions that separate classes of random points. The optional argument is a device; the default is the best
 * available one. */
#include <facula/facula.h>
#include <stdio.h>

typedef struct {
    fa_tensor *weight, *sharpness;
} cosine;

static fa_tensor *cosine_forward(fa_module *self, fa_tensor *x)
{
    cosine *c = fa_module_data(self);
    fa_tensor *angles = fa_linear(fa_normalize(x), fa_normalize(c->weight));
    return fa_mul(angles, c->sharpness);
}

/* (n, in) becomes (n, out): "weight" (out, in) begins as Glorot and Bengio say, "sharpness" at 5. */
static fa_module *cosine_new(int64_t in, int64_t out)
{
    fa_module *m = fa_nn_custom("cosine", sizeof(cosine), cosine_forward);
    cosine *c = fa_module_data(m);
    if (!c)
        return NULL;
    c->weight = fa_module_parameter(m, "weight", fa_init_xavier_uniform_(fa_zeros(FA_SHAPE(out, in))));
    c->sharpness = fa_module_parameter(m, "sharpness", fa_full(FA_SHAPE(1), 5.0));
    return m;
}

static double accuracy(fa_module *net, fa_tensor *x, fa_tensor *y)
{
    FA_USE(.no_grad = true);
    return fa_item(fa_mean(fa_eq(fa_argmax(fa_forward(net, x), .dim = 1), y), .dtype = FA_F32));
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(3);
    fa_tensor *directions = fa_normalize(fa_to(fa_randn(FA_SHAPE(4, 8)), device));
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(500, 8)), device);
    fa_tensor *y = fa_argmax(fa_linear(x, directions), .dim = 1);

    fa_module *net = fa_module_to(cosine_new(8, 4), device);
    fa_optim *opt = fa_optim_adam(net, .lr = 0.05);
    double before = accuracy(net, x, y);
    FA_REPEAT (step, 200) {
        fa_optim_zero_grad(opt);
        fa_backward(fa_cross_entropy(fa_forward(net, x), y));
        fa_optim_step(opt);
    }
    double after = accuracy(net, x, y);
    fa_module_summary(net, stdout);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("right: %.0f%%, then %.0f%%\n", 100 * before, 100 * after);
    return !(after > 0.95 && after > before);
}
