/* The data sets that have names, and suitable training settings for each; what a path stands for. */
#include "network.h"
#include "style.h"
#include <string.h>
#include <sys/stat.h>

/* The dataset has rows of 64 numbers; here they are images, as in the other data sets. */
static fa_dataset *digits(const char *folder, bool train, fa_module *transform)
{
    (void)folder;
    fa_module *image = fa_nn_unflatten(1, FA_SHAPE(1, 8, 8));
    return fa_data_transformed(fa_data_digits(.train = train), fa_nn_sequential(image, transform));
}

static fa_dataset *fashion(const char *folder, bool train, fa_module *transform)
{
    return fa_data_fashion_mnist(folder, .train = train, .transform = transform);
}

static fa_dataset *mnist(const char *folder, bool train, fa_module *transform)
{
    return fa_data_mnist(folder, .train = train, .transform = transform);
}

static fa_dataset *kmnist(const char *folder, bool train, fa_module *transform)
{
    return fa_data_kmnist(folder, .train = train, .transform = transform);
}

static fa_dataset *cifar10(const char *folder, bool train, fa_module *transform)
{
    return fa_data_cifar10(folder, .train = train, .transform = transform);
}

#define DIGITS                                                                                                         \
    {                                                                                                                  \
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"                                                               \
    }

static const data_set sets[] = {
    {"digits", 1, 8, 8, 0, 1, DIGITS, digits, false, 15, 32, SCHEDULE_ONE_CYCLE, 0.05, 0.2},
    {"fashion-mnist",
     1,
     28,
     28,
     0.286,
     0.353,
     {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"},
     fashion,
     false,
     5,
     64,
     SCHEDULE_ONE_CYCLE,
     0.05,
     0.1},
    {"mnist", 1, 28, 28, 0.1307, 0.3081, DIGITS, mnist, true, 5, 64, SCHEDULE_ONE_CYCLE, 0.05, 0.1},
    {"kmnist",
     1,
     28,
     28,
     0.1918,
     0.3483,
     {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"},
     kmnist,
     true,
     5,
     64,
     SCHEDULE_ONE_CYCLE,
     0.05,
     0.1},
    {"cifar10",
     3,
     32,
     32,
     0.5,
     0.5,
     {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"},
     cifar10,
     true,
     2,
     4,
     SCHEDULE_COSINE,
     0.01,
     0.01},
};

enum { SETS = sizeof sets / sizeof *sets };

static const data_set folders = {.epochs = 15,
                                 .batch_size = 32,
                                 .schedule = SCHEDULE_ONE_CYCLE,
                                 .cnn_lr = 0.05,
                                 .lr = 0.02},
                      tables = {.epochs = 40, .batch_size = 32, .schedule = SCHEDULE_ONE_CYCLE, .lr = 0.1};

const data_set *data_set_named(const char *name)
{
    for (int i = 0; i < SETS; i++)
        if (!strcmp(sets[i].name, name))
            return &sets[i];
    return NULL;
}

const data_set *data_set_like(const char *data)
{
    const data_set *set = data_set_named(data);
    return set ? set : data_is_table(data) ? &tables : &folders;
}

bool data_is_table(const char *path)
{
    static const char *const endings[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(path), of = strlen(endings[i]);
        if (length > of && !strcmp(path + length - of, endings[i]))
            return true;
    }
    return false;
}

int data_failed(const settings *s)
{
    bool folder = !data_set_named(s->data) && !data_is_table(s->data);
    if (folder && !s->skip_broken && strstr(fa_error_message(), "fa_image_read: "))
        fa_error_append(": --skip-broken leaves out what cannot be read");
    return command_failed();
}

int data_check(const settings *s)
{
    struct stat status;
    const data_set *set = data_set_named(s->data);
    bool there = !stat(s->data, &status);
    if (s->skip_broken && (set || data_is_table(s->data)))
        return command_wrong("--skip-broken: %s is no folder of images", s->data);
    if (set)
        return set->needs_folder && !s->data_dir ? command_wrong("--data-dir is missing: the folder of %s, which "
                                                                 "`facula data get` downloads",
                                                                 s->data)
                                                 : 0;
    if (there && S_ISDIR(status.st_mode))
        return 0;
    if (there)
        return data_is_table(s->data) ? 0
                                      : command_wrong("--data: \"%s\" is neither a folder nor a .csv file", s->data);
    const char *names[SETS + 1] = {NULL};
    char hint[100];
    for (int i = 0; i < SETS; i++)
        names[i] = sets[i].name;
    return command_wrong("--data: \"%s\" is none of %s, and there is no such folder or file%s", s->data, data_names,
                         style_hint(s->data, names, hint, sizeof hint));
}
