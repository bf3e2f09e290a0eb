/* facula predict: classifies images with a saved network. */
#include "json.h"
#include "network.h"
#include <stdio.h>
#include <string.h>

/* Computes the probabilities of all classes for an image file. False and an error on failure. */
static bool probabilities(const settings *s, const network *n, fa_module *net, fa_module *transform, const char *path,
                          double *to)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *image = fa_image_read(path, .channels = n->channels);
    if (!image)
        return false;
    if (fa_size(image, 1) != n->height || fa_size(image, 2) != n->width)
        image = fa_image_resize(image, FA_PAIR(n->height, n->width));
    if (s->invert)
        image = fa_sub(255, image);
    fa_tensor *x = fa_forward(transform, fa_unsqueeze(image, 0));
    fa_device device = fa_tensor_device(fa_module_parameters(net).item[0]);
    fa_tensor *p = fa_softmax(fa_forward(net, fa_to(x, device)), 1);
    return fa_read(p, to, FA_F64, n->classes);
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

/* Classifies all images; errors are reported for those that cannot be read, and the others are still shown. */
static int show(const settings *s, const network *n, fa_module *net)
{
    fa_module *transform = fa_module_train(network_transform(n), false);
    json j = {.file = stdout};
    int status = 0, wide = 0;
    for (int64_t i = 1; i < s->arguments; i++)
        wide = (int)strlen(s->argument[i]) > wide ? (int)strlen(s->argument[i]) : wide;
    if (s->json)
        json_open(&j, NULL, '[');
    for (int64_t i = 1; i < s->arguments; i++) {
        double p[MOST_CLASSES];
        if (!probabilities(s, n, net, transform, s->argument[i], p))
            status = command_failed();
        else if (s->json)
            json_image(&j, s, n, s->argument[i], p);
        else
            print_image(s, n, s->argument[i], wide, p);
    }
    if (s->json)
        json_close(&j, ']');
    return status;
}

int command_predict(int argc, char **argv)
{
    settings s = settings_parse(PREDICT, argc, argv, "FILE IMAGE...",
                                "Classifies images with a network saved by `facula train`, and prints probabilities.\v"
                                "Images are PNG, JPEG, PGM or PPM of any size; they are resized to the network's "
                                "input, and converted to grayscale if it has one channel.");
    network n;
    fa_module *net;
    if (s.arguments < 2)
        return command_wrong(s.arguments ? "an image is missing"
                                         : "a file is missing: a network that `facula train --save` wrote");
    fa_device device;
    int wrong = network_open(&s, &device, &n, &net);
    if (wrong)
        return wrong;
    fa_module_train(net, false);
    return show(&s, &n, net);
}
