/* facula predict: classifies images, or rows of tables, with a saved network. */
#include "json.h"
#include "network.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What is computed of a network, and where. */
typedef struct predictor {
    const settings *s;
    const network *n;
    fa_module *net, *transform;
    fa_device device;
} predictor;

static bool softmax_of(const predictor *p, fa_tensor *x, double *to)
{
    fa_tensor *chances = fa_softmax(fa_forward(p->net, fa_to(x, p->device)), 1);
    return fa_read(chances, to, FA_F64, chances ? fa_numel(chances) : 0);
}

/* Whether a gray image has the background of the training images' negative: theirs is much alike in all of them, and
 * the image's edges are far from it, unless it is inverted. */
static bool looks_inverted(const network *n, fa_tensor *image)
{
    const double alike = 0.2, far = 0.5, near = 0.3;
    int64_t count = fa_numel(image);
    float *pixel = scratch((size_t)count * sizeof *pixel);
    if (n->channels > 1 || !(n->edge_spread < alike) || !pixel || !fa_read(image, pixel, FA_F32, count))
        return false;
    double edge = image_edge(pixel, n->channels, n->height, n->width) / 255;
    return fabs(edge - n->edge) > far && fabs(1 - edge - n->edge) < near;
}

/* Computes the probabilities of all classes for an image file. False and an error on failure. */
static bool probabilities(const predictor *p, const char *path, double *to)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    const network *n = p->n;
    struct stat status;
    if (!stat(path, &status) && S_ISDIR(status.st_mode))
        return fa_fail(FA_ERROR_FILE, "%s is a folder: name the images in it, such as %s/*", path, path);
    fa_tensor *image = fa_image_read(path, .channels = n->channels);
    if (!image)
        return false;
    if (fa_size(image, 1) != n->height || fa_size(image, 2) != n->width)
        image = fa_image_resize(image, FA_PAIR(n->height, n->width));
    bool notice = !p->s->invert && !p->s->as_is && image && looks_inverted(n, image);
    if (notice)
        fprintf(stderr, "facula: %s: inverted, as it is %s beside the training images (--as-is leaves it)\n", path,
                n->edge < 0.5 ? "dark on light" : "light on dark");
    if (p->s->invert || notice)
        image = fa_sub(255, image);
    return softmax_of(p, fa_forward(p->transform, fa_unsqueeze(image, 0)), to);
}

/* The class with the next lower probability after those already shown; -1: none. */
static int64_t next(const double *p, int64_t classes, bool *told)
{
    int64_t best = -1;
    for (int64_t i = 0; i < classes; i++)
        if (!told[i] && (best < 0 || p[i] > p[best]))
            best = i;
    if (best >= 0)
        told[best] = true;
    return best;
}

static void print_image(const settings *s, const network *n, const char *path, int wide, const double *p)
{
    bool told[MOST_CLASSES] = {false};
    for (int64_t k = 0, c; k < s->top && (c = next(p, n->classes, told)) >= 0; k++)
        if (s->quiet)
            printf("%s\n", n->class_name[c]);
        else
            printf("%-*s  %-12s %5.1f%%\n", wide, k ? "" : path, n->class_name[c], 100 * p[c]);
}

static void json_image(json *j, const settings *s, const network *n, const char *path, const double *p)
{
    bool told[MOST_CLASSES] = {false};
    json_open(j, NULL, '{');
    json_text(j, "file", path);
    json_open(j, "classes", '[');
    for (int64_t k = 0, c; k < s->top && (c = next(p, n->classes, told)) >= 0; k++) {
        json_open(j, NULL, '{');
        json_text(j, "name", n->class_name[c]);
        json_number(j, "probability", p[c]);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void print_one(const predictor *p, json *j, const char *label, int wide, const double *chance)
{
    if (p->s->json)
        json_image(j, p->s, p->n, label, chance);
    else
        print_image(p->s, p->n, label, wide, chance);
}

/* Classifies all images; errors are reported for those that cannot be read, and the others are still shown. */
static int show_images(const predictor *p, json *j)
{
    int status = 0, wide = 0;
    for (int64_t i = 1; i < p->s->arguments; i++)
        wide = (int)strlen(p->s->argument[i]) > wide ? (int)strlen(p->s->argument[i]) : wide;
    for (int64_t i = 1; i < p->s->arguments; i++) {
        double chance[MOST_CLASSES];
        if (probabilities(p, p->s->argument[i], chance))
            print_one(p, j, p->s->argument[i], wide, chance);
        else
            status = command_failed();
    }
    return status;
}

/* The probabilities of all rows of a file, which belong to the scope; NULL and an error on failure. */
static double *row_probabilities(const predictor *p, const char *path, int64_t *rows)
{
    enum { PART = 1024 };
    fa_tensor *x = NULL;
    FA_USE(.no_grad = true);
    if (!table_read(p->n, path, &x, NULL))
        return NULL;
    *rows = fa_size(x, 0);
    double *chance = scratch((size_t)(*rows * p->n->classes) * sizeof *chance);
    for (int64_t i = 0; chance && i < *rows; i += PART) {
        FA_SCOPE;
        fa_tensor *part = fa_narrow(x, 0, i, *rows - i < PART ? *rows - i : PART);
        if (!softmax_of(p, fa_view(part, FA_SHAPE(-1, 1, 1, p->n->width)), chance + i * p->n->classes))
            return NULL;
    }
    return chance;
}

/* Classifies the rows of all files. */
static int show_tables(const predictor *p, json *j)
{
    int status = 0;
    for (int64_t i = 1; i < p->s->arguments; i++) {
        FA_SCOPE;
        int64_t rows = 0;
        const char *path = p->s->argument[i];
        const double *chance = row_probabilities(p, path, &rows);
        int wide = snprintf(NULL, 0, "%s:%" PRId64, path, rows);
        char *label = scratch((size_t)wide + 1);
        for (int64_t k = 0; chance && label && k < rows; k++) {
            snprintf(label, (size_t)wide + 1, "%s:%" PRId64, path, k + 1);
            print_one(p, j, label, wide, chance + k * p->n->classes);
        }
        if (fa_failed())
            status = command_failed();
    }
    return status;
}

static int show(const predictor *p)
{
    json j = {.file = stdout};
    if (p->s->json)
        json_open(&j, NULL, '[');
    int status = (p->n->columns ? show_tables : show_images)(p, &j);
    if (p->s->json)
        json_close(&j, ']');
    return status;
}

int command_predict(int argc, char **argv)
{
    settings s = settings_parse(PREDICT, argc, argv, "FILE IMAGE...|TABLE.csv...",
                                "Classifies images, or rows of CSV files, with a network saved by `facula train`, and "
                                "prints probabilities.\v"
                                "Images are PNG, JPEG, PGM or PPM of any size; they are resized to the network's "
                                "input, and converted to grayscale if it has one channel. Columns of tables are found "
                                "by their names.\n"
                                "\n"
                                "Examples:\n"
                                "  facula predict digits.safetensors three.png --top 2\n"
                                "  facula predict iris.safetensors unknown.csv --quiet");
    network n;
    fa_module *net;
    if (s.arguments < 2)
        return command_wrong(s.arguments ? "an image is missing"
                                         : "a file is missing: a network that `facula train --save` wrote");
    predictor p = {.s = &s, .n = &n};
    int wrong = network_open(&s, &p.device, &n, &net);
    if (wrong)
        return wrong;
    if (n.columns && (s.invert || s.as_is))
        return command_wrong("--invert and --as-is are for images, and the network takes rows of tables");
    p.net = fa_module_train(net, false);
    p.transform = n.columns ? NULL : fa_module_train(network_transform(&n, false), false);
    return show(&p);
}
