/* Networks: their modules, and the data that they are trained and evaluated on. */
#include "network.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the modules ---- */

static int64_t inputs(const network *n)
{
    return n->channels * n->height * n->width;
}

static fa_module *linear_new(const network *n)
{
    return fa_nn_sequential(fa_nn_flatten(), fa_nn_linear(inputs(n), n->classes));
}

static fa_module *mlp_new(const network *n)
{
    return fa_nn_sequential(fa_nn_flatten(), fa_nn_linear(inputs(n), n->hidden), fa_nn_relu(),
                            fa_nn_linear(n->hidden, n->classes));
}

/* For gray images: convolutions with padding, and batch normalization. Small images are not reduced before the second
 * convolution. */
static fa_module *gray_cnn_new(const network *n)
{
    enum { SMALL = 14, FIRST = 16, SECOND = 32 };
    bool small = n->height < SMALL || n->width < SMALL;
    int64_t pooled = small ? 2 : 4, hidden = small ? 64 : 128,
            rest = SECOND * (n->height / pooled) * (n->width / pooled);
    return fa_nn_sequential(fa_nn_conv2d(n->channels, FIRST, 3, .padding = 1), fa_nn_batch_norm2d(FIRST), fa_nn_relu(),
                            small ? fa_nn_identity() : fa_nn_max_pool2d(2),
                            fa_nn_conv2d(FIRST, SECOND, 3, .padding = 1), fa_nn_batch_norm2d(SECOND), fa_nn_relu(),
                            fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(rest, hidden), fa_nn_relu(),
                            fa_nn_linear(hidden, n->classes));
}

/* The size after a 5 x 5 convolution and pooling by 2. */
static int64_t halved(int64_t side)
{
    return (side - 4) / 2;
}

/* For color photographs: the network of PyTorch's tutorial, after LeNet-5 (LeCun et al. 1998). */
static fa_module *colour_cnn_new(const network *n)
{
    int64_t rest = 16 * halved(halved(n->height)) * halved(halved(n->width));
    return fa_nn_sequential(fa_nn_conv2d(n->channels, 6, 5), fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_conv2d(6, 16, 5),
                            fa_nn_relu(), fa_nn_max_pool2d(2), fa_nn_flatten(), fa_nn_linear(rest, 120), fa_nn_relu(),
                            fa_nn_linear(120, 84), fa_nn_relu(), fa_nn_linear(84, n->classes));
}

/* A convolution that keeps the size, behind which it is halved, or pooled to 2 x 2 at the end. */
static fa_module *block(int64_t from, int64_t to, bool last)
{
    return fa_nn_sequential(fa_nn_conv2d(from, to, 3, .padding = 1, .bias = false), fa_nn_batch_norm2d(to),
                            fa_nn_relu(), last ? fa_nn_adaptive_avg_pool2d(2) : fa_nn_max_pool2d(2));
}

/* For folders of images, of any size from 8 x 8 on. */
static fa_module *folder_cnn_new(const network *n)
{
    return fa_nn_sequential(block(n->channels, 16, false), block(16, 32, false), block(32, 64, false),
                            block(64, 64, true), fa_nn_flatten(), fa_nn_linear(64 * 2 * 2, n->classes));
}

static fa_module *cnn_new(const network *n)
{
    return (!data_set_named(n->data) ? folder_cnn_new : n->channels == 1 ? gray_cnn_new : colour_cnn_new)(n);
}

fa_module *network_new(const network *n)
{
    static fa_module *(*const make[])(const network *) = {cnn_new, mlp_new, linear_new};
    return make[n->model](n);
}

fa_module *network_transform(const network *n, bool augment)
{
    const fa_list mean = {(size_t)n->channels, n->mean}, deviation = {(size_t)n->channels, n->deviation};
    fa_module *last = fa_nn_sequential(fa_transform_to_tensor(), fa_transform_normalize(mean, deviation));
    if (!augment)
        return last;
    return fa_nn_sequential(
        fa_transform_random_crop(FA_PAIR(n->height, n->width), .padding = FA_PAIR(n->height / 8, n->width / 8)),
        fa_transform_random_horizontal_flip(), last);
}

int64_t network_class(const network *n, const char *name)
{
    int64_t i = 0;
    while (i < n->classes && strcmp(n->class_name[i], name))
        i++;
    return i < n->classes ? i : -1;
}

/* ---- data ---- */

static void describe_set(const data_set *d, network *n)
{
    n->channels = d->channels;
    n->height = d->height;
    n->width = d->width;
    for (int64_t i = 0; i < d->channels; i++)
        n->mean[i] = d->mean, n->deviation[i] = d->deviation;
    for (; d->classes[n->classes]; n->classes++)
        n->class_name[n->classes] = d->classes[n->classes];
}

bool network_for(const settings *s, network *n)
{
    const data_set *d = data_set_named(s->data);
    *n = (network){.model = s->model,
                   .hidden = s->hidden,
                   .data = s->data,
                   .folder = s->data_dir,
                   .seed = s->seed,
                   .edge = NAN,
                   .edge_spread = NAN};
    if (!d)
        return (data_is_table(s->data) ? table_describe : folder_describe)(s, n);
    describe_set(d, n);
    return true;
}

/* An empty data set has neither a loss nor an accuracy. */
static fa_dataset *with_samples(fa_dataset *data, const char *name, bool train)
{
    if (data && fa_dataset_length(data) == 0)
        fa_fail(FA_ERROR_USER, "%s has no samples to %s", name, train ? "learn from" : "be held out");
    return fa_failed() ? NULL : data;
}

static bool fits(const network *n, const char *name, const network *of)
{
    if (of->channels == n->channels && of->height == n->height && of->width == n->width && of->classes <= n->classes)
        return true;
    return fa_fail(FA_ERROR_USER,
                   "the network takes %" PRId64 " x %" PRId64 " x %" PRId64 " and tells %" PRId64
                   " classes, and %s has %" PRId64 " x %" PRId64 " x %" PRId64 " and %" PRId64,
                   n->channels, n->height, n->width, n->classes, name, of->channels, of->height, of->width,
                   of->classes);
}

/* The held-out samples of the data that the network was trained on; of another folder or table, all samples. */
static int part_of(const network *n, const settings *s, bool train)
{
    char *there = realpath(s->data, NULL), *trained = realpath(n->data, NULL);
    bool same = there && trained && !strcmp(there, trained);
    free(there);
    free(trained);
    return train ? 1 : same ? 0 : -1;
}

static fa_dataset *open_part(const network *n, const settings *s, bool train)
{
    const data_set *d = data_set_named(s->data);
    bool table = !d && data_is_table(s->data);
    if (table != (n->columns > 0)) {
        fa_fail(FA_ERROR_USER, "the network takes %s, and %s has %s", n->columns ? "rows of a table" : "images",
                s->data, table ? "rows of a table" : "images");
        return NULL;
    }
    if (!d)
        return (table ? table_data : folder_data)(n, s, part_of(n, s, train));
    network of = {0};
    describe_set(d, &of);
    if (!fits(n, s->data, &of))
        return NULL;
    return d->open(s->data_dir, train, network_transform(n, train && s->augment));
}

bool network_data(const network *n, const settings *s, fa_dataset **train, fa_dataset **held_out)
{
    if (train)
        *train = with_samples(open_part(n, s, true), s->data, true);
    *held_out = fa_failed() ? NULL : with_samples(open_part(n, s, false), s->data, false);
    return *held_out;
}

/* ---- the edges of images ---- */

double image_edge(const float *pixel, int64_t channels, int64_t height, int64_t width)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t y = 0; y < channels * height; y++)
        for (int64_t x = 0; x < width; x++)
            if (y % height == 0 || y % height == height - 1 || x == 0 || x == width - 1) {
                sum += (double)pixel[y * width + x];
                count++;
            }
    return sum / (double)count;
}

fa_sample sample_of(fa_dataset *data, int64_t index, const settings *s)
{
    fa_error caught = {0};
    if (!s->skip_broken)
        return fa_dataset_get(data, index);
    FA_USE(.catch_errors = &caught);
    return fa_dataset_get(data, index);
}

/* The edge of a sample, whose pixels are normalized; NaN if it cannot be read. */
static double sample_edge(const network *n, const settings *s, fa_dataset *data, int64_t index)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *x = sample_of(data, index, s).input;
    int64_t plane = n->height * n->width, count = n->channels * plane;
    float *pixel = x ? scratch((size_t)count * sizeof *pixel) : NULL;
    if (!pixel || !fa_read(x, pixel, FA_F32, count))
        return NAN;
    for (int64_t i = 0; i < count; i++)
        pixel[i] = (float)((double)pixel[i] * n->deviation[i / plane] + n->mean[i / plane]);
    return image_edge(pixel, n->channels, n->height, n->width);
}

bool network_look(network *n, const settings *s, fa_dataset *held_out)
{
    enum { MOST = 256 };
    int64_t all = fa_dataset_length(held_out), count = all < MOST ? all : MOST, seen = 0;
    double sum = 0, squares = 0;
    if (n->columns || !isnan(n->edge))
        return true;
    for (int64_t i = 0; i < count && !fa_failed(); i++) {
        double edge = sample_edge(n, s, held_out, i * all / count);
        if (isnan(edge))
            continue;
        sum += edge;
        squares += edge * edge;
        seen++;
    }
    n->edge = sum / (double)seen;
    n->edge_spread = sqrt(fmax(0, squares / (double)seen - n->edge * n->edge));
    return !fa_failed();
}

/* ---- saved networks ---- */

bool network_load(const char *path, fa_device device, network *n, fa_module **net)
{
    fa_saved file = fa_load_file(path, .device = FA_META);
    if (fa_failed() || !network_read(&file, path, n))
        return false;
    *net = fa_module_to(network_new(n), device);
    return *net && fa_checkpoint_load(path, .module = *net);
}

int network_open(const settings *s, fa_device *device, network *n, fa_module **net)
{
    if (s->quiet && s->json)
        return command_wrong("--quiet does not go with --json");
    int wrong = command_device(s, device);
    if (wrong)
        return wrong;
    return network_load(s->argument[0], *device, n, net) ? 0 : command_failed();
}
