/* facula bench: common operations on a device, on the CPU beside what the machine can do at most. */
#include "bench/support/limits.h"
#include "json.h"
#include "network.h"
#include "progress.h"
#include <stdio.h>

enum { SIDE = 1024, LONG = 1 << 24 /* elements */, ROWS = 4096, BATCH = 64, IMAGES = 16, CHANNELS = 64, PIXELS = 56 };
enum { HEADS = 24, TOKENS = 256, WIDTH = 64 };

static const double long_enough = 0.4; /* seconds of each measurement, after a first run that is not counted */

/* The tensors and network used by a measurement; tensors that it does not need are NULL. */
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

static void add(const work *w)
{
    fa_add(w->a, w->b, .out = w->c);
}

static void gelu(const work *w)
{
    fa_gelu_tanh(w->a);
}

static void sum(const work *w)
{
    fa_sum(w->a);
}

static void softmax(const work *w)
{
    fa_softmax(w->a, -1);
}

static void layer_norm(const work *w)
{
    fa_layer_norm(w->a, FA_SHAPE(SIDE));
}

static void transpose(const work *w)
{
    fa_contiguous(fa_t(w->a));
}

static void convolve(const work *w)
{
    fa_conv2d(w->a, w->b, .padding = 1);
}

static void attend(const work *w)
{
    fa_scaled_dot_product_attention(w->a, w->b, w->c);
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

/* ---- rows ---- */

static void make_square(work *w)
{
    w->a = fa_randn(FA_SHAPE(SIDE, SIDE));
    w->b = fa_randn(FA_SHAPE(SIDE, SIDE));
    w->c = fa_empty(FA_SHAPE(SIDE, SIDE));
}

static void make_long(work *w)
{
    w->a = fa_ones(FA_SHAPE(LONG));
    w->b = fa_ones(FA_SHAPE(LONG));
    w->c = fa_empty(FA_SHAPE(LONG));
}

static void make_rows(work *w)
{
    w->a = fa_randn(FA_SHAPE(ROWS, SIDE));
}

static void make_images(work *w)
{
    w->a = fa_randn(FA_SHAPE(IMAGES, CHANNELS, PIXELS, PIXELS));
    w->b = fa_randn(FA_SHAPE(CHANNELS, CHANNELS, 3, 3));
}

static void make_heads(work *w)
{
    w->a = fa_randn(FA_SHAPE(1, HEADS, TOKENS, WIDTH));
    w->b = fa_randn(FA_SHAPE(1, HEADS, TOKENS, WIDTH));
    w->c = fa_randn(FA_SHAPE(1, HEADS, TOKENS, WIDTH));
}

static void make_network(work *w)
{
    network n;
    network_for(&(settings){.model = MODEL_CNN, .data = "fashion-mnist"}, &n);
    w->net = fa_module_to(network_new(&n), w->device);
    w->a = fa_randn(FA_SHAPE(BATCH, n.channels, n.height, n.width));
    w->b = fa_randint(0, n.classes, FA_SHAPE(BATCH));
    w->optim = fa_optim_sgd(w->net, .lr = 1e-3, .momentum = 0.9);
}

#define MATRIX_BYTES (4.0 * ROWS * SIDE)
#define LONG_BYTES (4.0 * LONG)

/* What a run does at least sets its limit; amount: what the figure counts. */
static const struct {
    const char *name, *unit, *doc;
    double amount;
    bench_work least;
    void (*make)(work *);
    void (*step)(const work *);
} rows[] = {
    {"matmul",
     "GFLOP/s",
     "product of f32 matrices, 1024 x 1024",
     2e-9 * SIDE *SIDE *SIDE,
     {.flop = 2.0 * SIDE * SIDE * SIDE},
     make_square,
     multiply},
    {"conv2d",
     "GFLOP/s",
     "64 to 64 channels, 3 x 3, 16 x 56 x 56",
     2e-9 * IMAGES *CHANNELS *CHANNELS * 9 * PIXELS *PIXELS,
     {.flop = 2.0 * IMAGES * CHANNELS * CHANNELS * 9 * PIXELS * PIXELS},
     make_images,
     convolve},
    {"attention",
     "GFLOP/s",
     "24 heads, 256 tokens of 64",
     4e-9 * HEADS *TOKENS *TOKENS *WIDTH,
     {.flop = 4.0 * HEADS * TOKENS * TOKENS * WIDTH},
     make_heads,
     attend},
    {"memory", "GB/s", "sum of two lines of 64 MiB", 3e-9 * LONG_BYTES, {.add = 3 * LONG_BYTES}, make_long, add},
    {"sum", "GB/s", "of a line of 64 MiB", 1e-9 * LONG_BYTES, {.read = LONG_BYTES}, make_long, sum},
    {"gelu", "GB/s", "of a line of 64 MiB", 2e-9 * LONG_BYTES, {.copy = 2 * LONG_BYTES}, make_long, gelu},
    {"softmax", "GB/s", "4096 rows of 1024", 2e-9 * MATRIX_BYTES, {.copy = 2 * MATRIX_BYTES}, make_rows, softmax},
    {"layer_norm", "GB/s", "4096 rows of 1024", 2e-9 * MATRIX_BYTES, {.copy = 2 * MATRIX_BYTES}, make_rows, layer_norm},
    {"transpose",
     "GB/s",
     "copy of 4096 x 1024, transposed",
     2e-9 * MATRIX_BYTES,
     {.copy = 2 * MATRIX_BYTES},
     make_rows,
     transpose},
    {"training", "samples/s", "a step of the cnn for fashion-mnist, 64 images", BATCH, BENCH_NO_LIMIT, make_network,
     train},
};

enum { COUNT = sizeof rows / sizeof *rows };

/* What one run takes, in seconds. */
static double measure(size_t row, fa_device device)
{
    FA_SCOPE;
    FA_USE(.device = device);
    work w = {.device = device};
    rows[row].make(&w);
    if (rows[row].step == train)
        return seconds(&w, train);
    FA_USE(.no_grad = true);
    return seconds(&w, rows[row].step);
}

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

/* On the CPU, what its threads can do at most. */
static void print_limits(json *j, const bench_limits *l)
{
    const struct {
        const char *name;
        double value;
    } figures[] = {{"flop", l->flop}, {"read", l->read}, {"write", l->write}, {"copy", l->copy}, {"add", l->add}};
    if (!j) {
        printf("limits: multiply-add %.0f GFLOP/s; memory: read %.0f, write %.0f, copy %.0f GB/s\n", l->flop * 1e-9,
               l->read * 1e-9, l->write * 1e-9, l->copy * 1e-9);
        return;
    }
    json_open(j, "limits", '{');
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_number(j, figures[i].name, figures[i].value);
    json_close(j, '}');
}

static void print_row(json *j, size_t row, double taken, const bench_limits *limits)
{
    double value = rows[row].amount / taken, least = limits ? bench_least_seconds(limits, &rows[row].least) : 0;
    if (j) {
        json_open(j, rows[row].name, '{');
        json_number(j, "value", value);
        json_text(j, "unit", rows[row].unit);
        if (least > 0)
            json_number(j, "share", least / taken);
        json_close(j, '}');
        return;
    }
    char share[16] = "-";
    if (least > 0)
        snprintf(share, sizeof share, "%.0f%%", 100 * least / taken);
    printf("%-10s %8.1f %-9s", rows[row].name, value, rows[row].unit);
    if (limits)
        printf(" %7s", share);
    printf("  %s\n", rows[row].doc);
    fflush(stdout);
}

static const char bench_doc[] =
    "Measures a device in some seconds. Each figure is the best of about half a second of runs, after a first one. On "
    "the CPU the column \"share\" is the part of what the machine can do: of its multiplications and additions, or of "
    "its memory's bandwidth, whichever would take longer. More than 100% is possible where an algorithm needs fewer "
    "multiplications than the definition, or data stay in a cache.";

int command_bench(int argc, char **argv)
{
    settings s = settings_parse(BENCH, argc, argv, NULL, bench_doc);
    if (s.arguments)
        return command_wrong("\"%s\" is not expected", s.argument[0]);
    fa_device device;
    fa_device_properties p;
    int wrong = command_device(&s, &device);
    if (wrong)
        return wrong;
    if (!fa_device_info(device, &p))
        return command_failed();
    json writer = {.file = stdout}, *j = s.json ? &writer : NULL;
    bench_limits limits;
    bool limited = fa_device_equal(device, FA_CPU) && bench_limits_measure(&limits, fa_num_threads());
    print_device(j, device, &p);
    if (limited)
        print_limits(j, &limits);
    if (!j)
        printf("\n%-20s          %s\n", "operation", limited ? "   share  work" : " work");
    for (size_t i = 0; i < COUNT; i++) {
        double taken = measure(i, device);
        if (fa_failed())
            return command_failed();
        print_row(j, i, taken, limited ? &limits : NULL);
    }
    if (j)
        json_close(j, '}');
    return 0;
}
