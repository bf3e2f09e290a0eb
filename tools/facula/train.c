/* facula train: makes a network, trains it on a data set, and shows its accuracy on the part that is held out. */
#include "command.h"
#include "progress.h"
#include <facula/facula.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

typedef struct settings {
    int64_t epochs, batch_size, seed, hidden;
    double lr, momentum; /* lr below 0: the optimizer's default here */
    int model, data, optimizer, threads;
    const char *device;
    bool quiet;
} settings;

/* ---- the choices ---- */

enum { INPUTS = 64, CLASSES = 10 };

static fa_module *linear_new(const settings *s)
{
    (void)s;
    return fa_nn_linear(INPUTS, CLASSES);
}

static fa_module *mlp_new(const settings *s)
{
    return fa_nn_sequential(fa_nn_linear(INPUTS, s->hidden), fa_nn_relu(), fa_nn_linear(s->hidden, CLASSES));
}

static fa_dataset *digits(bool train)
{
    return fa_data_digits(.train = train);
}

static fa_optim *sgd(fa_module *net, const settings *s)
{
    return fa_optim_sgd(net, .lr = s->lr < 0 ? 0.1 : s->lr, .momentum = s->momentum);
}

static fa_optim *adam(fa_module *net, const settings *s)
{
    return fa_optim_adam(net, .lr = s->lr < 0 ? 0.01 : s->lr);
}

static const char *const model_names[] = {"mlp", "linear", NULL}, *const data_names[] = {"digits", NULL},
                         *const optimizer_names[] = {"sgd", "adam", NULL};
static fa_module *(*const models[])(const settings *) = {mlp_new, linear_new};
static fa_dataset *(*const datasets[])(bool train) = {digits};
static fa_optim *(*const optimizers[])(fa_module *, const settings *) = {sgd, adam};

/* ---- arguments ---- */

static const struct argp_option options[] = {
    {"data", 'd', "NAME", 0, "What to learn: digits", 0},
    {"epochs", 'e', "N", 0, "How often each sample is seen (30)", 0},
    {"batch-size", 'b', "N", 0, "Samples a step (32)", 0},
    {"optimizer", 'o', "NAME", 0, "sgd or adam (sgd)", 0},
    {"lr", 'l', "X", 0, "The learning rate (sgd 0.1, adam 0.01)", 0},
    {"momentum", 'm', "X", 0, "Of sgd (0.9)", 0},
    {"hidden", 'H', "N", 0, "Units of mlp's hidden layer (128)", 0},
    {"seed", 's', "N", 0, "Of all random numbers (0)", 0},
    {"threads", 't', "N", 0, "How many work (all CPUs)", 0},
    {"device", 'D', "NAME", 0, "Where to compute: cpu, cuda:0, ... (the best there is)", 0},
    {"quiet", 'q', NULL, 0, "Print the accuracy only", 0},
    {0},
};

static error_t option(int key, char *text, struct argp_state *state)
{
    settings *s = state->input;
    switch (key) {
    case 'd':
        s->data = command_choice(state, "--data", text, data_names);
        break;
    case 'e':
        s->epochs = command_integer(state, "--epochs", text, 0, 1000000);
        break;
    case 'b':
        s->batch_size = command_integer(state, "--batch-size", text, 1, 1000000);
        break;
    case 'o':
        s->optimizer = command_choice(state, "--optimizer", text, optimizer_names);
        break;
    case 'l':
        s->lr = command_number(state, "--lr", text, 0, 1e6);
        break;
    case 'm':
        s->momentum = command_number(state, "--momentum", text, 0, 1);
        break;
    case 'H':
        s->hidden = command_integer(state, "--hidden", text, 1, 1000000);
        break;
    case 's':
        s->seed = command_integer(state, "--seed", text, 0, INT64_MAX);
        break;
    case 't':
        s->threads = (int)command_integer(state, "--threads", text, 1, 256);
        break;
    case 'D':
        s->device = text;
        break;
    case 'q':
        s->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            argp_error(state, "\"%s\" is not expected", text);
        s->model = command_choice(state, "MODEL", text, model_names);
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a model is missing: mlp, linear");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ---- training ---- */

static void stop(int signal)
{
    (void)signal;
    fa_stop();
}

static double accuracy(fa_module *net, fa_loader *loader)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    int64_t right = 0;
    fa_module_train(net, false);
    FA_EACH (batch, loader)
        right += fa_item_int(fa_sum(fa_eq(fa_argmax(fa_forward(net, batch.input), .dim = 1), batch.target)));
    fa_module_train(net, true);
    return 100 * (double)right / (double)fa_dataset_length(fa_loader_dataset(loader));
}

/* Trains for an epoch, with a bar on a terminal. The mean loss, which is read once. */
static double epoch(fa_module *net, fa_optim *optim, fa_loader *loader, const char *label, bool quiet)
{
    FA_SCOPE;
    progress bar = progress_begin(fa_loader_length(loader), label, quiet);
    FA_VAR(total, NULL);
    FA_EACH (batch, loader) {
        fa_optim_zero_grad(optim);
        fa_tensor *loss = fa_cross_entropy(fa_forward(net, batch.input), batch.target);
        fa_backward(loss);
        fa_optim_step(optim);
        FA_USE(.no_grad = true);
        fa_tensor *part = fa_mul(loss, batch.size);
        fa_assign(&total, total ? fa_add(total, part) : part);
        progress_tick(&bar);
    }
    progress_clear(&bar);
    return fa_item(total) / (double)fa_dataset_length(fa_loader_dataset(loader));
}

/* The accuracy in percent after training; NaN while an error stands or after fa_stop(). */
static double train(const settings *s, fa_device device)
{
    fa_manual_seed((uint64_t)s->seed);
    fa_loader *loader = fa_data_loader(datasets[s->data](true), .batch_size = s->batch_size, .shuffle = true,
                                       .seed = s->seed, .device = device);
    fa_loader *held_out = fa_data_loader(datasets[s->data](false), .batch_size = 256, .device = device);
    fa_module *net = fa_module_to(models[s->model](s), device);
    fa_optim *optim = optimizers[s->optimizer](net, s);
    if (!s->quiet && !fa_failed())
        printf("%s on %s, %" PRId64 " samples and %" PRId64 " held out, on %s\n", model_names[s->model],
               data_names[s->data], fa_dataset_length(fa_loader_dataset(loader)),
               fa_dataset_length(fa_loader_dataset(held_out)), fa_device_name(device));
    FA_REPEAT (i, s->epochs) {
        char label[64];
        snprintf(label, sizeof label, "epoch %*" PRId64 "/%" PRId64, s->epochs > 9 ? 2 : 1, i + 1, s->epochs);
        double loss = epoch(net, optim, loader, label, s->quiet), right = accuracy(net, held_out);
        if (!s->quiet && !fa_failed() && !fa_stopped())
            printf("%s  loss %.4f  held out %.1f%%\n", label, loss, right);
    }
    return accuracy(net, held_out);
}

int command_train(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = option,
        .args_doc = "MODEL",
        .doc = "Trains a network, and shows its accuracy on the fifth of the samples that is held out.\v"
               "MODEL is mlp (one hidden layer) or linear. The same seed gives the same network."};
    settings s = {.epochs = 30, .batch_size = 32, .hidden = 128, .lr = -1, .momentum = 0.9};
    if (argp_parse(&parser, argc, argv, 0, NULL, &s))
        return EXIT_USAGE;
    fa_set_num_threads(s.threads);
    fa_device device = s.device ? fa_device_of(s.device) : fa_device_best();
    if (fa_failed()) /* there is none of that name */
        return command_failed(), EXIT_USAGE;
    const int once = (int)(SA_RESETHAND | SA_RESTART); /* what is being written goes on; a second one ends it all */
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop, .sa_flags = once}, NULL);
    double right = train(&s, device);
    if (fa_failed())
        return command_failed();
    if (fa_stopped())
        return fprintf(stderr, "facula: stopped\n"), EXIT_FAILED;
    printf("test accuracy: %.1f%%\n", right);
    return 0;
}
