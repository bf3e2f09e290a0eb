/* A training step that is recorded once and replayed: with dropout, Adam and a learning rate that changes. The same
 * training by calls gives the same network, bit for bit. The optional argument is a device. */
#include <facula/facula.h>
#include <stdio.h>

enum { EPOCHS = 3, BATCH = 64 };

static fa_tensor *step(fa_module *net, fa_optim *opt, fa_tensor *x, fa_tensor *y)
{
    fa_optim_zero_grad(opt);
    fa_tensor *loss = fa_cross_entropy(fa_forward(net, x), y);
    fa_backward(loss);
    fa_optim_step(opt);
    return loss;
}

static fa_module *train(fa_device device, bool by_graph)
{
    FA_SCOPE;
    fa_manual_seed(1);
    fa_module *net =
        fa_nn_sequential(fa_nn_linear(64, 64), fa_nn_relu(), fa_nn_dropout(.p = 0.2), fa_nn_linear(64, 10));
    fa_module_to(net, device);
    fa_optim *opt = fa_optim_adam(net, .lr = 0.01);
    fa_optim_set_capturable(opt, true); /* step counts on the device: a recorded step has them there anyway */
    fa_schedule *schedule = fa_schedule_cosine(opt, 100);
    fa_loader *loader = fa_data_loader(fa_data_digits(.train = true), .batch_size = BATCH, .drop_last = true);
    fa_tensor *x = fa_empty(FA_SHAPE(BATCH, 64), .device = device);
    fa_tensor *y = fa_empty(FA_SHAPE(BATCH), .dtype = FA_I64, .device = device);
    fa_graph *graph = fa_graph_new(device);
    FA_VAR(loss, NULL);
    FA_REPEAT (EPOCHS)
        FA_EACH (batch, loader) {
            fa_copy_(x, batch.input); /* a graph reads the same tensors each time */
            fa_copy_(y, batch.target);
            if (!by_graph) {
                fa_assign(&loss, step(net, opt, x, y));
            } else if (fa_graph_launches(graph)) {
                fa_graph_replay(graph);
            } else {
                FA_RECORD(graph)
                fa_assign(&loss, step(net, opt, x, y));
            }
            fa_schedule_step(schedule);
        }
    printf("%s: loss %.3f\n", by_graph ? "replayed" : "by calls", fa_item(loss));
    return fa_escape(net);
}

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_parameters p = fa_module_parameters(train(device, false)), q = fa_module_parameters(train(device, true));
    bool same = p.count == q.count && p.count > 0;
    for (size_t i = 0; i < p.count && same; i++)
        same = fa_equal(p.item[i], q.item[i]);
    printf("the networks are %s\n", same ? "the same" : "not the same");
    if (fa_failed())
        fprintf(stderr, "%s\n", fa_error_message());
    return !same || fa_failed();
}
