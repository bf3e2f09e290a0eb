/* facula bench: three figures for a device: matrix products, memory bandwidth, and training. */
#include "json.h"
#include "network.h"
#include "progress.h"
#include <stdio.h>

enum { SIDE = 1024, MEMORY = 1 << 24 /* elements */, BATCH = 64 };

static const double long_enough = 0.5; /* seconds of each measurement, after a first run that is not counted */

/* The tensors and network used by the measurements. */
typedef struct work {
    fa_device device;
    fa_tensor *a, *b, *c;
    fa_module *net;
    fa_optim *optim;
} work;

static void multiply(const work *w)
{
    fa_matmul(w->a, w->b, .out = w->c);
}

static void move(const work *w)
{
    fa_add(w->a, w->b, .out = w->c);
}

static void train(const work *w)
{
    fa_optim_zero_grad(w->optim);
    fa_backward(fa_cross_entropy(fa_forward(w->net, w->a), w->b));
    fa_optim_step(w->optim);
}

/* Seconds of one run: the minimum of several. */
static double seconds(const work *w, void (*step)(const work *))
{
    double best = 1e9, until = 0;
    for (int i = 0; !fa_failed() && (i < 4 || progress_now() < until); i++) {
        FA_SCOPE;
        double began = progress_now();
        step(w);
        fa_synchronize(w->device);
        double now = progress_now();
        if (i == 0)
            until = now + long_enough;
        else if (now - began < best)
            best = now - began;
    }
    return best;
}

static double measure_matmul(fa_device device)
{
    FA_SCOPE;
    FA_USE(.device = device);
    const fa_shape square = FA_SHAPE(SIDE, SIDE);
    work w = {device, fa_randn(square), fa_randn(square), fa_empty(square), NULL, NULL};
    return 2.0 * SIDE * SIDE * SIDE / seconds(&w, multiply) / 1e9;
}

static double measure_memory(fa_device device)
{
    FA_SCOPE;
    FA_USE(.device = device);
    const fa_shape line = FA_SHAPE(MEMORY);
    work w = {device, fa_ones(line), fa_ones(line), fa_empty(line), NULL, NULL};
    return 3.0 * MEMORY * sizeof(float) / seconds(&w, move) / 1e9;
}

static double measure_training(fa_device device)
{
    FA_SCOPE;
    network n;
    network_for(&(settings){.model = MODEL_CNN, .data = "fashion-mnist"}, &n);
    fa_module *net = fa_module_to(network_new(&n), device);
    FA_USE(.device = device);
    work w = {device,
              fa_randn(FA_SHAPE(BATCH, n.channels, n.height, n.width)),
              fa_randint(0, n.classes, FA_SHAPE(BATCH)),
              NULL,
              net,
              fa_optim_sgd(net, .lr = 1e-3, .momentum = 0.9)};
    return BATCH / seconds(&w, train);
}

static const struct {
    const char *name, *unit, *doc;
    double (*measure)(fa_device device);
} rows[] = {
    {"matmul", "GFLOP/s", "the product of two f32 matrices of 1024 x 1024", measure_matmul},
    {"memory", "GB/s", "the sum of two lines of 64 MiB, read and written", measure_memory},
    {"training", "samples/s", "a step of the cnn for fashion-mnist, 64 images", measure_training},
};

/* Prints as text if j is NULL. */
static void print_device(json *j, fa_device device, const fa_device_properties *p)
{
    if (!j) {
        printf("%s: %s, %s, %d threads\n", fa_device_name(device), p->name, p->driver, fa_num_threads());
        return;
    }
    json_open(j, NULL, '{');
    json_text(j, "device", fa_device_name(device));
    json_text(j, "name", p->name);
    json_text(j, "driver", p->driver);
    json_whole(j, "threads", fa_num_threads());
}

int command_bench(int argc, char **argv)
{
    settings s = settings_parse(BENCH, argc, argv, NULL,
                                "Measures a device in a few seconds. Each figure is the best of about half a second "
                                "of runs, after a warm-up run.");
    if (s.arguments)
        return command_wrong("\"%s\" is not expected", s.argument[0]);
    fa_device device;
    fa_device_properties p;
    int wrong = command_device(&s, &device);
    if (wrong)
        return wrong;
    if (!fa_device_info(device, &p))
        return command_failed();
    json j = {.file = stdout};
    print_device(s.json ? &j : NULL, device, &p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = rows[i].measure(device);
        if (fa_failed())
            return command_failed();
        if (s.json)
            json_number(&j, rows[i].name, value);
        else
            printf("%-9s %9.1f %-10s %s\n", rows[i].name, value, rows[i].unit, rows[i].doc);
    }
    if (s.json)
        json_close(&j, '}');
    return 0;
}
