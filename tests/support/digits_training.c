#include "support/digits_training.h"

training training_new(fa_device device)
{
    training t = {0};
    fa_manual_seed(0);
    t.loader = fa_data_loader(fa_data_digits(.train = true), .batch_size = DIGITS_BATCH, .shuffle = true, .seed = 0,
                              .device = device);
    t.net = fa_module_to(fa_nn_sequential(fa_nn_linear(64, 32), fa_nn_relu(), fa_nn_linear(32, 10)), device);
    t.optim = fa_optim_sgd(t.net, .lr = 0.1, .momentum = 0.9);
    return t;
}

fa_tensor *training_step(training *t, fa_tensor *input, fa_tensor *target)
{
    fa_optim_zero_grad(t->optim);
    fa_tensor *loss = fa_cross_entropy(fa_forward(t->net, input), target);
    fa_backward(loss);
    fa_optim_step(t->optim);
    return loss;
}

void training_read(training *t, fa_tensor *loss)
{
    FA_USE(.forbid = 0);
    t->loss = fa_item(loss);
    t->reads++;
}

void training_epoch(training *t)
{
    FA_EACH (batch, t->loader) {
        fa_tensor *loss = training_step(t, batch.input, batch.target);
        t->samples += batch.size;
        if (batch.index % DIGITS_EVERY == DIGITS_EVERY - 1)
            training_read(t, loss);
    }
}
