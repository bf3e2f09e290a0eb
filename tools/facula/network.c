/* Networks: created for a data set or from a saved file, and described in a file. */
#include "network.h"
#include <inttypes.h>
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

static fa_module *cnn_new(const network *n)
{
    return (n->channels == 1 ? gray_cnn_new : colour_cnn_new)(n);
}

fa_module *network_new(const network *n)
{
    static fa_module *(*const make[])(const network *) = {cnn_new, mlp_new, linear_new};
    return make[n->model](n);
}

fa_module *network_transform(const network *n)
{
    const fa_list mean = {(size_t)n->channels, n->mean}, deviation = {(size_t)n->channels, n->deviation};
    return fa_nn_sequential(fa_transform_to_tensor(), fa_transform_normalize(mean, deviation));
}

/* ---- data sets ---- */

network network_for(const settings *s)
{
    const data_set *d = &data_sets[s->data];
    network n = {.model = s->model,
                 .hidden = s->hidden,
                 .channels = d->channels,
                 .height = d->height,
                 .width = d->width,
                 .data = data_names[s->data]};
    for (int64_t i = 0; i < d->channels; i++)
        n.mean[i] = d->mean, n.deviation[i] = d->deviation;
    for (; d->classes[n.classes]; n.classes++)
        n.class_name[n.classes] = d->classes[n.classes];
    return n;
}

/* An empty data set has neither a loss nor an accuracy. */
static fa_dataset *with_samples(fa_dataset *data, const char *name, bool train)
{
    if (data && fa_dataset_length(data) == 0)
        fa_fail(FA_ERROR_USER, "%s has no samples to %s", name, train ? "learn from" : "be held out");
    return fa_failed() ? NULL : data;
}

fa_dataset *network_data(const network *n, const settings *s, bool train)
{
    const data_set *d = &data_sets[s->data];
    network of = network_for(s);
    if (of.channels == n->channels && of.height == n->height && of.width == n->width && of.classes <= n->classes)
        return with_samples(d->open(s->data_dir, train, network_transform(n)), data_names[s->data], train);
    fa_fail(FA_ERROR_USER,
            "the network takes %" PRId64 " x %" PRId64 " x %" PRId64 " and tells %" PRId64
            " classes, and %s has %" PRId64 " x %" PRId64 " x %" PRId64 " and %" PRId64,
            n->channels, n->height, n->width, n->classes, data_names[s->data], of.channels, of.height, of.width,
            of.classes);
    return NULL;
}

/* ---- metadata of a saved network ---- */

void texts_add(texts *t, const char *name, const char *value)
{
    size_t i = t->count, length = strlen(value) + 1;
    t->name[i] = name;
    t->value[i] = length <= TEXT_ROOM ? memcpy(t->room[i], value, length) : value;
    t->count++;
}

static void add_numbers(texts *t, const char *name, const double *number, int64_t count)
{
    char text[200] = "";
    for (int64_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%.17g", i ? " " : "", number[i]);
    }
    texts_add(t, name, text);
}

void network_tell(const network *n, texts *t)
{
    char classes[TEXT_ROOM] = "";
    const double size[] = {(double)n->channels, (double)n->height, (double)n->width};
    for (int64_t i = 0; i < n->classes; i++) {
        size_t length = strlen(classes);
        snprintf(classes + length, sizeof classes - length, "%s%s", i ? "\n" : "", n->class_name[i]);
    }
    add_numbers(t, "run.input", size, 3);
    add_numbers(t, "run.mean", n->mean, n->channels);
    add_numbers(t, "run.std", n->deviation, n->channels);
    texts_add(t, "run.classes", classes);
}

const char *saved_text(const fa_saved *file, const char *name)
{
    for (size_t i = 0; i < file->metadata.count; i++)
        if (!strcmp(file->metadata.name[i], name))
            return file->metadata.value[i];
    return NULL;
}

/* Parses up to `most` numbers and returns how many; -1 if the text is missing or invalid, or has more. */
static int read_numbers(const fa_saved *file, const char *name, double *to, int most)
{
    const char *text = saved_text(file, name);
    int count = 0;
    for (char *end; text && *text; text = end) {
        double value = strtod(text, &end);
        if (end == text || count == most)
            return -1;
        to[count++] = value;
    }
    return text ? count : -1;
}

/* Reads the names of classes, one per line, into the innermost scope. */
static bool read_classes(const fa_saved *file, network *n)
{
    typedef struct copy {
        fa_object base;
        char at[];
    } copy;
    static const fa_object_type type = {"text", NULL};
    const char *text = saved_text(file, "run.classes");
    copy *c = text ? fa_object_new(&type, sizeof *c + strlen(text) + 1) : NULL;
    if (!c)
        return false;
    strcpy(c->at, text);
    for (char *at = c->at, *end; at; at = end) {
        if (n->classes == MOST_CLASSES)
            return false;
        n->class_name[n->classes++] = at;
        if ((end = strchr(at, '\n')) != NULL)
            *end++ = 0;
    }
    return true;
}

static bool is_size(double v)
{
    return v >= 1 && v <= 4096 && v == (double)(int64_t)v;
}

/* Reads a setting of the run, such as "run.hidden". */
static bool read_setting(const fa_saved *file, settings *s, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "run.%s", name);
    const char *text = saved_text(file, key);
    return text && setting_read(s, setting_named(name), text);
}

static bool read(const fa_saved *file, network *n)
{
    settings s = {0};
    double size[3];
    if (!read_setting(file, &s, "model") || !read_setting(file, &s, "hidden") || !read_setting(file, &s, "data")
        || read_numbers(file, "run.input", size, 3) != 3 || !is_size(size[0]) || !is_size(size[1]) || !is_size(size[2])
        || size[0] > MOST_CHANNELS)
        return false;
    *n = (network){.model = s.model,
                   .hidden = s.hidden,
                   .channels = (int64_t)size[0],
                   .height = (int64_t)size[1],
                   .width = (int64_t)size[2],
                   .data = data_names[s.data],
                   .folder = saved_text(file, "run.data-dir")};
    if (n->folder && !*n->folder)
        n->folder = NULL;
    if (read_numbers(file, "run.mean", n->mean, MOST_CHANNELS) != n->channels
        || read_numbers(file, "run.std", n->deviation, MOST_CHANNELS) != n->channels)
        return false;
    return read_classes(file, n);
}

bool network_read(const fa_saved *file, const char *path, network *n)
{
    return read(file, n)
           || fa_fail(FA_ERROR_FILE, "%s does not tell of a network: it was not saved by `facula train`", path);
}

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
