/* The options of all subcommands: a row for each, from which they are read, shown, saved and restored. */
#include "arguments.h"
#include "command.h"
#include "style.h"
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const model_names[] = {"cnn", "mlp", "linear", NULL}, *const optimizer_names[] = {"sgd",     "adam",
                                                                                              "adamw",   "rmsprop",
                                                                                              "adagrad", NULL},
                  *const schedule_names[] = {"constant", "step", "cosine", "one-cycle", "plateau", NULL},
                  *const amp_names[] = {"off", "bf16", "f16", NULL};
const char data_names[] = "digits, fashion-mnist, mnist, kmnist, cifar10";

#define AT(member) offsetof(settings, member)
#define MANY INT64_C(1000000000)

const setting setting_rows[SETTINGS] = {
    /* the network is the first argument of `train`, and no option */
    {"model", 0, CHOICE, AT(model), 0, 0, model_names, 0, true, NULL, NULL},
    {"data", 'd', TEXT, AT(data), 0, 0, NULL, TRAIN | EVAL, true, "DATA",
     "digits, fashion-mnist, mnist, kmnist, cifar10, a folder with a subfolder of images for each class, or a CSV file "
     "(default: "
     "digits; eval: what was used in training)"},
    {"target", 'T', TEXT, AT(target), 0, 0, NULL, TRAIN, true, "COLUMN",
     "Column of a CSV file with the classes (default: the last one)"},
    {"size", 'z', WHOLE, AT(size), 0, 1024, NULL, TRAIN, true, "N",
     "Resize the images of a folder to N x N, 8 or more (default 0: their own size up to 128, or 64 if they differ)"},
    {"data-dir", 'f', TEXT, AT(data_dir), 0, 0, NULL, TRAIN | EVAL | DATA, true, "FOLDER",
     "Folder of the dataset's files (fashion-mnist: default is Debian's package)"},
    {"epochs", 'e', WHOLE, AT(epochs), 0, MANY, NULL, TRAIN, true, "N", "Number of passes over the training set"},
    {"batch-size", 'b', WHOLE, AT(batch_size), 1, MANY, NULL, TRAIN, true, "N", "Samples per step"},
    {"optimizer", 'o', CHOICE, AT(optimizer), 0, 0, optimizer_names, TRAIN, true, "NAME",
     "sgd, adam, adamw, rmsprop or adagrad (default: sgd)"},
    {"lr", 'l', NUMBER, AT(lr), 0, 1000000, NULL, TRAIN, true, "X", "Learning rate"},
    {"momentum", 'm', NUMBER, AT(momentum), 0, 1, NULL, TRAIN, true, "X",
     "Momentum of sgd (default 0.9) and rmsprop (0)"},
    {"weight-decay", 'w', NUMBER, AT(weight_decay), 0, 1000000, NULL, TRAIN, true, "X",
     "Weight decay (default 0; adamw 0.01)"},
    {"schedule", 'S', CHOICE, AT(schedule), 0, 0, schedule_names, TRAIN, true, "NAME",
     "Learning rate schedule: constant, step, cosine, one-cycle or plateau"},
    {"warm-up", 'W', NUMBER, AT(warm_up), 0, MANY, NULL, TRAIN, true, "EPOCHS",
     "Linear warm-up (default 0); with constant, step and cosine"},
    {"step-size", 'P', WHOLE, AT(step_size), 1, MANY, NULL, TRAIN, true, "EPOCHS",
     "Epochs between decays of --schedule=step (default: a third of all epochs)"},
    {"patience", 'p', WHOLE, AT(patience), 0, MANY, NULL, TRAIN, true, "EPOCHS",
     "Epochs without improvement before --schedule=plateau lowers the rate (default 2)"},
    {"gamma", 'g', NUMBER, AT(gamma), 0, 1, NULL, TRAIN, true, "X", "Decay factor of step and plateau (default 0.1)"},
    {"amp", 'a', CHOICE, AT(amp), 0, 0, amp_names, TRAIN, true, "DTYPE",
     "Mixed precision: off, bf16, or f16 with gradient scaling (default: off)"},
    {"hidden", 'H', WHOLE, AT(hidden), 1, 1000000, NULL, TRAIN, true, "N", "Hidden units of mlp (default 128)"},
    {"seed", 's', WHOLE, AT(seed), 0, INT64_MAX, NULL, TRAIN, true, "N", "Random seed (default 0)"},
    {"stop-early", 'x', WHOLE, AT(stop_early), 0, MANY, NULL, TRAIN, true, "EPOCHS",
     "Stop when the held-out accuracy has not improved for so many epochs (default 0: never)"},
    {"save", 0, TEXT, AT(save), 0, 0, NULL, TRAIN, false, "FILE",
     "Save a checkpoint to FILE after each epoch and on Ctrl-C"},
    {"best", 'B', TEXT, AT(best), 0, 0, NULL, TRAIN, false, "FILE",
     "Save a checkpoint to FILE after each epoch with the best held-out accuracy so far"},
    {"force", 'F', FLAG, AT(force), 0, 0, NULL, TRAIN, false, NULL, "Let --save and --best overwrite files"},
    {"resume", 'r', TEXT, AT(resume), 0, 0, NULL, TRAIN, false, "FILE",
     "Resume training from the checkpoint FILE, and save to it"},
    {"log", 'L', TEXT, AT(log), 0, 0, NULL, TRAIN, false, "FILE", "Write one line per epoch to FILE.csv or FILE.jsonl"},
    {"tensorboard", 0, TEXT, AT(tensorboard), 0, 0, NULL, TRAIN, false, "FOLDER",
     "Write the results of each epoch to an event file for TensorBoard"},
    {"report", 'R', TEXT, AT(report), 0, 0, NULL, TRAIN, false, "FILE",
     "Write a page with curves, confusion matrix and the worst samples to FILE.html"},
    {"config", 'C', TEXT, AT(config), 0, 0, NULL, TRAIN, false, "FILE",
     "Read options from lines of FILE, such as `epochs = 5`; those of the command line come first"},
    {"curve", 'c', FLAG, AT(curve), 0, 0, NULL, TRAIN, false, NULL,
     "Plot the loss, even if the output is not a terminal"},
    {"top", 'k', WHOLE, AT(top), 1, 1000, NULL, PREDICT, false, "N", "Number of classes to show per image (default 1)"},
    {"invert", 'i', FLAG, AT(invert), 0, 0, NULL, PREDICT, false, NULL,
     "Invert images: dark on light becomes light on dark, as in digits and fashion-mnist"},
    {"as-is", 0, FLAG, AT(as_is), 0, 0, NULL, PREDICT, false, NULL,
     "Do not invert images that look inverted beside those of the training"},
    {"out", 'O', TEXT, AT(out), 0, 0, NULL, DATA, false, "FILE", "The PNG file that preview writes"},
    {"augment", 'A', FLAG, AT(augment), 0, 0, NULL, TRAIN | DATA, true, NULL,
     "Train with randomly shifted and mirrored images; preview: with random crops, flips and RandAugment"},
    {"threads", 't', WHOLE, AT(threads), 1, 256, NULL, TRAIN | EVAL | PREDICT | BENCH, false, "N",
     "Number of threads (default: all CPUs)"},
    {"workers", 'n', WHOLE, AT(workers), 0, 256, NULL, TRAIN | EVAL, false, "N",
     "Threads that prepare batches ahead of the training step (default 0: it prepares them itself)"},
    {"skip-broken", 0, FLAG, AT(skip_broken), 0, 0, NULL, TRAIN | EVAL, false, NULL,
     "Leave out images of a folder that cannot be read, and count them"},
    {"device", 'D', TEXT, AT(device), 0, 0, NULL, TRAIN | EVAL | PREDICT | BENCH, false, "NAME",
     "Device: cpu, opencl:0, ... (default: the best available)"},
    {"devices", 0, TEXT, AT(devices), 0, 0, NULL, TRAIN, false, "NAMES",
     "Devices that train together, each on a part of every batch: cuda:0,cuda:1"},
    {"quiet", 'q', FLAG, AT(quiet), 0, 0, NULL, TRAIN | EVAL | PREDICT, false, NULL,
     "Print only the accuracy, or only the classes"},
    {"json", 'j', FLAG, AT(json), 0, 0, NULL, TRAIN | EVAL | PREDICT | INFO | BENCH, false, NULL,
     "Print a single JSON document"},
    {0},
};

/* ---- values ---- */

static int64_t *whole_at(settings *s, const setting *row)
{
    return (int64_t *)(void *)((char *)s + row->at);
}

static double *number_at(settings *s, const setting *row)
{
    return (double *)(void *)((char *)s + row->at);
}

static const char **text_at(settings *s, const setting *row)
{
    return (const char **)(void *)((char *)s + row->at);
}

static bool read_whole(settings *s, const setting *row, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *whole_at(s, row) = value;
    return end != text && !*end && !errno && value >= row->least && value <= row->most;
}

static bool read_number(settings *s, const setting *row, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    *number_at(s, row) = value;
    return end != text && !*end && value >= (double)row->least && value <= (double)row->most;
}

static bool read_choice(settings *s, const setting *row, const char *text)
{
    for (int i = 0; row->choices[i]; i++)
        if (!strcmp(row->choices[i], text)) {
            *whole_at(s, row) = i;
            return true;
        }
    return false;
}

bool setting_read(settings *s, const setting *row, const char *text)
{
    switch (row->kind) {
    case WHOLE:
        return read_whole(s, row, text);
    case NUMBER:
        return read_number(s, row, text);
    case CHOICE:
        return read_choice(s, row, text);
    case TEXT:
        *text_at(s, row) = *text ? text : NULL;
        return true;
    default: /* given, or saved */
        *whole_at(s, row) = !text || strcmp(text, "0") != 0;
        return true;
    }
}

/* In the fewest digits that give the same number. */
static void write_number(double value, char *text, size_t room)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

void setting_write(const settings *s, const setting *row, char *text, size_t room)
{
    const void *at = (const char *)s + row->at;
    const char *const *string = at;
    switch (row->kind) {
    case NUMBER:
        write_number(*(const double *)at, text, room);
        break;
    case CHOICE:
        snprintf(text, room, "%s", row->choices[*(const int64_t *)at]);
        break;
    case TEXT:
        snprintf(text, room, "%s", *string ? *string : "");
        break;
    default:
        snprintf(text, room, "%" PRId64, *(const int64_t *)at);
    }
}

const setting *setting_named(const char *name)
{
    const setting *row = setting_rows;
    while (row->name && strcmp(row->name, name))
        row++;
    return row;
}

bool setting_given(const settings *s, const char *name)
{
    return s->given >> (setting_named(name) - setting_rows) & 1;
}

/* ---- arguments ---- */

/* What a value has to be, for a message. */
static void describe(const setting *row, char *text, size_t room)
{
    if (row->kind != CHOICE) {
        snprintf(text, room, "no%s number from %" PRId64 " to %" PRId64, row->kind == WHOLE ? " whole" : "", row->least,
                 row->most);
        return;
    }
    snprintf(text, room, "none of ");
    for (int i = 0; row->choices[i]; i++) {
        size_t length = strlen(text);
        snprintf(text + length, room - length, "%s%s", i ? ", " : "", row->choices[i]);
    }
}

/* The key of an option: its letter, or a number above all letters. */
static int key_of(const setting *row)
{
    return row->letter ? row->letter : 256 + (int)(row - setting_rows);
}

/* What is read, and by which program. */
typedef struct reading {
    settings *s;
    const char *program;
} reading;

static void take(void *context, const arguments_option *option, const char *text)
{
    const reading *r = context;
    const setting *row = setting_named(option->name);
    r->s->given |= UINT64_C(1) << (row - setting_rows);
    if (row->kind == TEXT && !*text) /* of a variable that is not set, most likely */
        arguments_wrong(r->program, "--%s: \"\" is no name", row->name);
    if (!setting_read(r->s, row, text)) {
        char what[200], hint[100] = "";
        describe(row, what, sizeof what);
        if (row->kind == CHOICE)
            style_hint(text, row->choices, hint, sizeof hint);
        arguments_wrong(r->program, "--%s: \"%s\" is %s%s", row->name, text, what, hint);
    }
}

settings settings_parse(int command, int argc, char **argv, const char *words, const char *doc)
{
    settings s = {.data = "digits", .top = 1, .hidden = 128, .gamma = 0.1, .patience = 2};
    reading r = {&s, argv[0]};
    arguments_option options[SETTINGS + 1] = {0};
    for (int i = 0, n = 0; setting_rows[i].name; i++)
        if (setting_rows[i].commands & command)
            options[n++] = (arguments_option){.name = setting_rows[i].name,
                                              .key = key_of(&setting_rows[i]),
                                              .argument = setting_rows[i].argument,
                                              .doc = setting_rows[i].doc};
    const arguments a = {.options = options, .words = words, .doc = doc, .take = take, .context = &r};
    int first = arguments_read(argc, argv, &a);
    s.argument = argv + first;
    s.arguments = argc - first;
    return s;
}
