/* The data sets and networks that the command supports, and the description of a saved network. */
#ifndef NETWORK_H
#define NETWORK_H
#include "command.h"
#include <facula/facula.h>

enum { MOST_CLASSES = 1000, MOST_CHANNELS = 3 };

/* An input column of a table, as the network takes it: a number minus its mean, divided by its deviation, 0 if it is
 * missing; or for a column of text a 1 for its category among zeros, all zeros if it is missing or not known. */
typedef struct column {
    const char *name;
    int64_t categories; /* 0: a column of numbers */
    const char **category;
    double mean, deviation;
} column;

/* Everything needed to create a network and to prepare its inputs. Strings and arrays belong to the scope. */
typedef struct network {
    int64_t model, hidden;           /* kind of network, and width of the mlp */
    int64_t channels, height, width; /* size of the images; of a table: 1, 1, and the number of features */
    int64_t classes, columns;        /* columns: inputs of a table; 0: the network takes images */
    double mean[MOST_CHANNELS], deviation[MOST_CHANNELS]; /* (x - mean) / deviation, for brightness from 0 to 1 */
    double edge, edge_spread; /* brightness of the images' edges, mean and standard deviation; NaN: not known */
    const char *class_name[MOST_CLASSES];
    const char *data, *folder; /* what it was trained on: --data and --data-dir; folder may be NULL */
    const char *target;        /* of a table: the column with the classes */
    column *column;
    int64_t seed; /* that of the run, which chooses the samples that are held out */
} network;

/* A supported data set. */
typedef struct data_set {
    const char *name;
    int64_t channels, height, width;
    double mean, deviation;
    const char *classes[11]; /* terminated by NULL */
    fa_dataset *(*open)(const char *folder, bool train, fa_module *transform);
    bool needs_folder;
    int64_t epochs, batch_size, schedule; /* defaults that work well */
    double cnn_lr, lr;                    /* learning rates of sgd, for cnn and for other networks */
} data_set;

/* The data set with this name; NULL: it is not one of those, but a path. */
const data_set *data_set_named(const char *name);
/* The same, but of a path, what stands for all folders or tables: its defaults. */
const data_set *data_set_like(const char *data);
/* Whether a path is that of a table: a .csv or .tsv file, or one that ends with .gz behind that. */
bool data_is_table(const char *path);
/* Checks --data and --data-dir: 0, or the exit code after a message. */
int data_check(const settings *s);
/* command_failed(), with a word about --skip-broken if the error is an image of a folder. */
int data_failed(const settings *s);

/* Describes a network for the data of the settings. False and an error if they cannot be read. */
bool network_for(const settings *s, network *n);
/* Loads a saved network with its weights, in training mode, on a device. False and an error on failure. */
bool network_load(const char *path, fa_device device, network *n, fa_module **net);
/* The same for the file given as first argument, on the device of the settings. Returns 0, or the exit code on
 * failure. */
int network_open(const settings *s, fa_device *device, network *n, fa_module **net);
/* Reads the description of a network from a file; false and an error if it was not saved by this command. */
bool network_read(const fa_saved *file, const char *path, network *n);
/* Creates the modules, in training mode. */
fa_module *network_new(const network *n);
/* The preprocessing of images: brightness from 0 to 1, normalized; behind random crops and flips, if `augment` is set.
 */
fa_module *network_transform(const network *n, bool augment);
/* Opens the data of the settings: the training samples, unless `train` is NULL, and those that are held out. False and
 * an error on failure, also if they do not fit the network. */
bool network_data(const network *n, const settings *s, fa_dataset **train, fa_dataset **held_out);
/* The sample of a dataset; with --skip-broken, no input and no error if it cannot be read. */
fa_sample sample_of(fa_dataset *data, int64_t index, const settings *s);
/* Measures the edges of up to 256 images of the held-out samples, for a network that has none yet. */
bool network_look(network *n, const settings *s, fa_dataset *held_out);
/* The mean brightness of the pixels at the edges of an image (channels, height, width). */
double image_edge(const float *pixel, int64_t channels, int64_t height, int64_t width);

/* The number of a class with this name; -1: none. */
int64_t network_class(const network *n, const char *name);

/* Folders of images. The parts are the subfolders train, and test, val or valid; where they are not, a fifth is held
 * out. */
bool folder_describe(const settings *s, network *n);
/* part: 1 training samples, 0 held-out ones, -1 all of them. */
fa_dataset *folder_data(const network *n, const settings *s, int part);

/* Tables in CSV files. */
bool table_describe(const settings *s, network *n);
fa_dataset *table_data(const network *n, const settings *s, int part);
/* The features of all rows of a file, f32 (rows, features), and their classes, unless `target` is NULL. */
bool table_read(const network *n, const char *path, fa_tensor **features, fa_tensor **target);

/* Memory in the innermost scope; NULL and an error if there is none. */
void *scratch(size_t size);

/* Metadata for a file. */
enum { MOST_TEXTS = 48, TEXT_ROOM = 4096 /* length of the longest path */ };
typedef struct texts {
    size_t count;
    const char *name[MOST_TEXTS], *value[MOST_TEXTS];
    char room[MOST_TEXTS][TEXT_ROOM];
} texts;
/* Adds a string, which is copied unless it is longer than TEXT_ROOM; it has to stay valid then. */
void texts_add(texts *t, const char *name, const char *value);
/* Adds the description of a network; longer strings belong to the innermost scope. False and an error without memory.
 */
bool network_tell(const network *n, texts *t);
/* The string with this name in a file; NULL: none. */
const char *saved_text(const fa_saved *file, const char *name);
#endif
