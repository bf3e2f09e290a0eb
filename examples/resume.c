/* Training that is interrupted and resumed from a checkpoint ends with bit-identical weights. The optional argument is
 * a device; the default is the best available one. Writes run.safetensors. */
#include <facula/facula.h>
#include <stdio.h>

enum { EPOCHS = 4, STOP_EPOCH = 1, STOP_BATCH = 20 };

typedef struct {
    fa_module *net;
    fa_optim *opt;
    fa_schedule *schedule;
    fa_loader *loader;
} training;

static training training_new(fa_device device)
{
    training t;
    t.net = fa_module_to(
        fa_nn_sequential(fa_nn_linear(64, 32), fa_nn_relu(), fa_nn_dropout(.p = 0.2), fa_nn_linear(32, 10)), device);
    t.opt = fa_optim_adam(t.net, .lr = 0.01);
    t.schedule = fa_schedule_exponential(t.opt, 0.7);
    t.loader = fa_data_loader(fa_data_digits(), .batch_size = 32, .shuffle = true, .device = device);
    return t;
}

/* Trains to the end, or, if it is to stop, to the middle of an epoch. */
static void train(const training *t, bool stop)
{
    while (!fa_failed() && fa_loader_position(t->loader).epoch < EPOCHS) {
        FA_EACH (batch, t->loader) {
            fa_optim_zero_grad(t->opt);
            fa_backward(fa_cross_entropy(fa_forward(t->net, batch.input), batch.target));
            fa_optim_step(t->opt);
            if (stop && fa_loader_position(t->loader).epoch == STOP_EPOCH && batch.index == STOP_BATCH) {
                fa_checkpoint_save("run.safetensors", .module = t->net, .optim = t->opt, .schedule = t->schedule,
                                   .loader = t->loader);
                return;
            }
        }
        fa_schedule_step(t->schedule);
    }
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(1);
    training whole = training_new(device);
    train(&whole, false);

    fa_manual_seed(1);
    training begun = training_new(device);
    train(&begun, true);

    fa_manual_seed(2); /* in another process, say */
    training resumed = training_new(device);
    fa_checkpoint_load("run.safetensors", .module = resumed.net, .optim = resumed.opt, .schedule = resumed.schedule,
                       .loader = resumed.loader);
    printf("going on in epoch %d, behind batch %d\n", (int)fa_loader_position(resumed.loader).epoch, STOP_BATCH);
    train(&resumed, false);

    fa_parameters p = fa_module_parameters(whole.net), q = fa_module_parameters(resumed.net);
    bool same = true;
    for (size_t i = 0; i < p.count; i++)
        same = same && fa_equal(p.item[i], q.item[i]);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    printf("the weights are %s\n", same ? "the same" : "others");
    return !same;
}
