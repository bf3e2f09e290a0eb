/* A custom dataset whose samples are generated on demand: points on two spirals, with the spiral as the class. A
 * network learns to separate them. The optional argument is a device; the default is the best available one. */
#include <facula/facula.h>
#include <math.h>
#include <stdio.h>

typedef struct {
    int64_t samples;
    double turns;
} spirals;

static int64_t spirals_length(void *context)
{
    return ((spirals *)context)->samples;
}

static bool spirals_get(void *context, int64_t index, fa_sample *sample)
{
    const spirals *s = context;
    double radius = (double)(index + 1) / (double)s->samples, angle = 2 * 3.14159265 * s->turns * radius;
    double side = index % 2 ? 1 : -1; /* the second spiral is the first one, turned half round */
    sample->input = fa_tensor_of(side * radius * cos(angle), side * radius * sin(angle));
    sample->target = fa_to(fa_full(FA_SCALAR, (double)(index % 2)), FA_I64);
    return sample->input && sample->target;
}

static double accuracy(fa_module *net, fa_loader *loader)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_meter *right = fa_meter_accuracy();
    FA_EACH (batch, loader)
        fa_meter_update(right, fa_forward(net, batch.input), .target = batch.target);
    return fa_meter_value(right); /* the one wait */
}

int main(int count, char **argument)
{
    static const fa_dataset_type type = {.name = "spirals", .length = spirals_length, .get = spirals_get};
    spirals points = {.samples = 200, .turns = 1};
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    FA_SCOPE; /* what is made from here on goes before the points do */
    fa_dataset *all = fa_dataset_new(&type, &points);
    fa_datasets part = fa_data_split(all, 0.8);
    fa_loader *train = fa_data_loader(part.first, .batch_size = 32, .shuffle = true, .seed = 1, .device = device);
    fa_loader *held_out = fa_data_loader(part.second, .batch_size = 32, .device = device);

    fa_module *net = fa_module_to(
        fa_nn_sequential(fa_nn_linear(2, 64), fa_nn_relu(), fa_nn_linear(64, 64), fa_nn_relu(), fa_nn_linear(64, 2)),
        device);
    fa_optim *opt = fa_optim_adam(net, .lr = 0.01);
    FA_REPEAT (epoch, 40) {
        FA_EACH (batch, train) {
            fa_optim_zero_grad(opt);
            fa_backward(fa_cross_entropy(fa_forward(net, batch.input), batch.target));
            fa_optim_step(opt);
        }
    }
    double right = accuracy(net, held_out);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("of the points held out, %.0f%% are right\n", 100 * right);
    return !(right > 0.9);
}
