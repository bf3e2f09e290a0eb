/* facula data: what a dataset has, and what its images look like. */
#include "network.h"
#include "png.h"
#include "style.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- which dataset ---- */

/* Whether a name stands for a dataset that is shown and not trained on: cifar100, emnist-letters and so on. */
static bool is_only_shown(const char *what)
{
    return strcmp(what, "cifar100") == 0 || strncmp(what, "emnist-", 7) == 0;
}

static fa_dataset *open_data(const settings *s, const char *what)
{
    const data_set *set = data_set_named(what);
    if (is_only_shown(what))
        return *what == 'c' ? fa_data_cifar100(s->data_dir) : fa_data_emnist(s->data_dir, what + 7);
    if (set)
        return set->open(s->data_dir, true, fa_nn_identity());
    return data_is_table(what) ? fa_data_csv(what, .missing = FA_MISSING_NAN)
                               : fa_data_image_folder(what, .channels = 3);
}

/* Names come from files: control characters become question marks. */
static const char *plain(const char *name, char to[static 64])
{
    snprintf(to, 64, "%s", name);
    for (char *c = to; *c; c++)
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
    return to;
}

/* ---- show ---- */

enum { MOST_SHOWN = 10, LEAST_CLASS = -100, CLASSES = 1100 };

/* What all samples have. */
typedef struct summary {
    int64_t samples, broken, class_count[CLASSES]; /* from LEAST_CLASS on */
    int64_t least[2], most[2];                     /* height and width */
    int64_t channels;                              /* of images; 0: samples are no images */
    double sum[3], squares[3], pixels;
} summary;

static void add_pixels(summary *m, const fa_tensor *x)
{
    bool bytes = fa_tensor_dtype(x) == FA_U8;
    int64_t channels = fa_size(x, 0), plane = fa_size(x, 1) * fa_size(x, 2);
    const fa_tensor *f = fa_contiguous(fa_to(x, FA_F32));
    float *value = malloc((size_t)(channels * plane) * sizeof *value);
    bool good = value && fa_read(f, value, FA_F32, channels * plane);
    for (int64_t i = 0; good && i < channels * plane; i++) {
        double v = (double)value[i] / (bytes ? 255 : 1);
        m->sum[i / plane] += v;
        m->squares[i / plane] += v * v;
    }
    m->channels = channels;
    m->pixels += good ? (double)plane : 0;
    free(value);
}

static void add_sample(summary *m, const fa_sample *s)
{
    int64_t class = s->target && fa_tensor_dtype(s->target) == FA_I64 ? fa_item_int(s->target) : INT64_MIN;
    if (class >= LEAST_CLASS && class < LEAST_CLASS + CLASSES)
        m->class_count[class - LEAST_CLASS]++;
    if (fa_dim(s->input) != 3 || fa_size(s->input, 0) > 3)
        return;
    for (int k = 0; k < 2; k++) {
        int64_t size = fa_size(s->input, k + 1);
        m->least[k] = !m->channels || size < m->least[k] ? size : m->least[k];
        m->most[k] = size > m->most[k] ? size : m->most[k];
    }
    add_pixels(m, s->input);
}

/* Reads all samples; those that cannot be read are reported. */
static void summarize(summary *m, fa_dataset *d)
{
    int64_t n = fa_dataset_length(d);
    for (int64_t i = 0; i < n && !fa_stopped(); i++) {
        FA_SCOPE;
        fa_error caught = {0};
        {
            FA_USE(.catch_errors = &caught);
            fa_sample s = fa_dataset_get(d, i);
            if (s.input)
                add_sample(m, &s);
        }
        m->samples++;
        if (!caught.code)
            continue;
        if (m->broken++ < MOST_SHOWN)
            printf("broken: %s\n", caught.message);
        else if (m->broken == MOST_SHOWN + 1)
            printf("broken: and more\n");
    }
}

static void print_classes(const summary *m, const fa_dataset *d)
{
    int64_t names = fa_dataset_classes(d);
    for (int64_t i = LEAST_CLASS; i < LEAST_CLASS + CLASSES; i++) {
        const int64_t count = m->class_count[i - LEAST_CLASS];
        char name[64];
        if (i >= 0 && i < names)
            printf("  %-24s %8" PRId64 "\n", plain(fa_dataset_class_name(d, i), name), count);
        else if (count)
            printf("  %-24" PRId64 " %8" PRId64 "\n", i, count);
    }
}

static void print_images(const summary *m)
{
    printf("sizes:  %" PRId64 " x %" PRId64, m->least[0], m->least[1]);
    if (m->least[0] != m->most[0] || m->least[1] != m->most[1])
        printf(" to %" PRId64 " x %" PRId64, m->most[0], m->most[1]);
    printf(" (height x width)\nmean:  ");
    for (int64_t c = 0; c < m->channels; c++)
        printf(" %.4f", m->sum[c] / m->pixels);
    printf("\nstd:   ");
    for (int64_t c = 0; c < m->channels; c++)
        printf(" %.4f", sqrt(fmax(0, m->squares[c] / m->pixels - pow(m->sum[c] / m->pixels, 2))));
    printf("\n");
}

/* A line, or two on a narrow terminal. */
static void print_column(const fa_column *c, bool narrow)
{
    char name[64];
    printf(narrow ? "%s%s\n    " : "%-24s ", plain(c->name, name), narrow && c->target ? " (target)" : "");
    if (c->categories)
        printf("text:%-5" PRId64 " %8" PRId64, c->categories, c->missing);
    else
        printf("%-10s %8" PRId64, "number", c->missing);
    if (!c->categories && narrow)
        printf(" missing\n    %.6g to %.6g, mean %.6g, std %.6g", c->least, c->most, c->mean, c->std);
    else if (narrow)
        printf(" missing");
    else if (!c->categories)
        printf(" %12.6g %12.6g %12.6g %12.6g", c->least, c->mean, c->std, c->most);
    printf(c->target && !narrow ? "  (target)\n" : "\n");
}

static void print_columns(const fa_dataset *d)
{
    enum { WIDE = 106 };
    bool narrow = style_narrow(WIDE);
    fa_column c;
    if (!narrow)
        printf("%-24s %-10s %8s %12s %12s %12s %12s\n", "column", "type", "missing", "least", "mean", "std", "most");
    for (int64_t i = 0; fa_data_csv_column(d, i, &c); i++)
        print_column(&c, narrow);
}

static int show(fa_dataset *d, const char *what)
{
    static summary m;
    summarize(&m, d);
    if (fa_failed())
        return command_failed();
    printf("%s: %" PRId64 " samples", what, m.samples);
    if (m.broken)
        printf(", of which %" PRId64 " cannot be read", m.broken);
    printf("\n");
    if (m.channels)
        print_images(&m);
    if (data_is_table(what))
        print_columns(d);
    print_classes(&m, d);
    return 0;
}

/* ---- preview ---- */

enum { CELL = 96, GAP = 4, COLUMNS = 8, ROWS = 8, SHEET = COLUMNS * (CELL + GAP) + GAP };

static fa_transform *look(bool augment)
{
    if (!augment)
        return fa_transform_compose(fa_transform_resize(CELL), fa_transform_center_crop(CELL));
    return fa_transform_compose(fa_transform_random_resized_crop(CELL, .scale = FA_LIST(0.25, 1)),
                                fa_transform_random_horizontal_flip(), fa_transform_rand_augment());
}

/* Copies an image (channels, CELL, CELL) to its place. */
static bool put_cell(uint8_t *sheet, int64_t cell, const fa_tensor *x)
{
    bool bytes = fa_tensor_dtype(x) == FA_U8;
    int64_t channels = fa_size(x, 0), plane = (int64_t)CELL * CELL;
    float value[3 * CELL * CELL];
    if (channels > 3 || !fa_read(x, value, FA_F32, channels * plane))
        return fa_fail(FA_ERROR_SHAPE, "the samples are no images of 1 or 3 channels");
    int64_t top = GAP + cell / COLUMNS * (CELL + GAP), left = GAP + cell % COLUMNS * (CELL + GAP);
    for (int64_t i = 0; i < plane; i++)
        for (int64_t c = 0; c < 3; c++) {
            float v = value[(c < channels ? c : 0) * plane + i] * (bytes ? 1 : 255);
            sheet[((top + i / CELL) * SHEET + left + i % CELL) * 3 + c] = (uint8_t)(v < 0     ? 0
                                                                                    : v > 255 ? 255
                                                                                              : v + 0.5F);
        }
    return true;
}

/* Draws a sample; false if it cannot be read: then its cell stays white. */
static bool draw_cell(uint8_t *sheet, fa_dataset *d, int64_t index)
{
    FA_SCOPE;
    fa_error caught = {0};
    fa_tensor *x;
    {
        FA_USE(.catch_errors = &caught);
        x = fa_dataset_get(d, index).input;
    }
    return caught.code == FA_ERROR_FILE ? false
           : caught.code                ? fa_fail(caught.code, "%s", caught.message)
                                        : put_cell(sheet, index, x);
}

static int preview(fa_dataset *d, const settings *s)
{
    static uint8_t sheet[SHEET * SHEET * 3];
    int64_t n = fa_dataset_length(d), count = n < COLUMNS * ROWS ? n : COLUMNS * ROWS, index[COLUMNS * ROWS];
    if (!s->out)
        return command_wrong("--out is missing: the PNG file to write");
    memset(sheet, 255, sizeof sheet);
    for (int64_t i = 0; i < count; i++)
        index[i] = i * n / count;
    fa_dataset *some = fa_data_transformed(fa_data_subset(d, index, count), look(s->augment));
    int64_t broken = 0;
    for (int64_t i = 0; i < count && !fa_failed(); i++)
        broken += !draw_cell(sheet, some, i);
    int64_t rows = (count + COLUMNS - 1) / COLUMNS;
    if (fa_failed() || !png_write(s->out, sheet, rows * (CELL + GAP) + GAP, SHEET))
        return command_failed();
    printf("%s: %" PRId64 " of %" PRId64 " images\n", s->out, count - broken, n);
    return 0;
}

/* ---- get ---- */

/* Shows how much has come, on a terminal. */
static bool show_bytes(void *context, int64_t bytes, int64_t whole)
{
    int64_t *shown = context, megabytes = bytes >> 20;
    if (megabytes != *shown && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%" PRId64 " MiB", megabytes);
        if (whole > 0)
            fprintf(stderr, " of %" PRId64 " ", whole >> 20);
        *shown = megabytes;
    }
    return true;
}

static int get(const char *name, const settings *s)
{
    const char *folder = s->data_dir ? s->data_dir : "data";
    int64_t shown = -1;
    bool good = fa_data_get(name, folder, .progress = show_bytes, .context = &shown);
    if (shown >= 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\n");
    if (!good)
        return command_failed();
    printf("%s: its files are in %s\n", name, folder);
    return 0;
}

int command_data(int argc, char **argv)
{
    settings s = settings_parse(
        DATA, argc, argv, "show|preview|get FOLDER|NAME|FILE.csv",
        "Shows what a dataset has: a folder with a subfolder of images for each class, a CSV file, or "
        "digits, fashion-mnist, mnist, kmnist, emnist-letters and so on, cifar10, cifar100; or downloads it.\v"
        "show: samples, classes, sizes, mean and standard deviation, files that cannot be read.\n"
        "preview: writes 64 images to a PNG file.\n"
        "get: downloads mnist, fashion-mnist, kmnist, emnist, cifar10 or cifar100 to --data-dir, or data.\n"
        "\n"
        "Examples:\n"
        "  facula data show photos\n"
        "  facula data preview photos --augment --out sheet.png\n"
        "  facula data get cifar10 --data-dir data");
    const char *verb = s.arguments > 0 ? s.argument[0] : NULL, *what = s.arguments > 1 ? s.argument[1] : NULL;
    if (!verb || (strcmp(verb, "show") != 0 && strcmp(verb, "preview") != 0 && strcmp(verb, "get") != 0))
        return command_wrong(
            verb ? "data: \"%s\" is neither show nor preview nor get" : "data: show, preview or get is missing", verb);
    if (!what || s.arguments > 2)
        return what ? command_wrong("\"%s\" is not expected", s.argument[2])
                    : command_wrong("the dataset is missing: a name such as mnist or cifar10%s",
                                    strcmp(verb, "get") == 0 ? "" : ", a folder of images, or a CSV file");
    if (strcmp(verb, "get") == 0)
        return get(what, &s);
    const data_set *set = data_set_named(what);
    if ((is_only_shown(what) || (set && set->needs_folder)) && !s.data_dir)
        return command_wrong("--data-dir is missing: the folder of %s, which `facula data get` downloads", what);
    if (!set && data_is_table(what) && strcmp(verb, "preview") == 0)
        return command_wrong("preview shows images, and \"%s\" is a table", what);
    FA_SCOPE;
    fa_dataset *d = open_data(&s, what);
    if (!d)
        return command_failed();
    return strcmp(verb, "show") == 0 ? show(d, what) : preview(d, &s);
}
