/* The data sets and networks that the command supports, and the description of a saved network. */
#ifndef NETWORK_H
#define NETWORK_H
#include "command.h"
#include <facula/facula.h>

enum { MOST_CLASSES = 100, MOST_CHANNELS = 3 };

/* Everything needed to create a network and preprocess images for it. */
typedef struct network {
    int64_t model, hidden;           /* kind of network, and width of the mlp */
    int64_t channels, height, width; /* size of the images */
    int64_t classes;
    double mean[MOST_CHANNELS], deviation[MOST_CHANNELS]; /* (x - mean) / deviation, for brightness from 0 to 1 */
    const char *class_name[MOST_CLASSES];                 /* constants, or owned by the scope */
    const char *data, *folder; /* name of the data set, and its folder; NULL: no particular folder */
} network;

/* A supported data set. */
typedef struct data_set {
    int64_t channels, height, width;
    double mean, deviation;
    const char *classes[11]; /* terminated by NULL */
    fa_dataset *(*open)(const char *folder, bool train, fa_module *transform);
    bool needs_folder;
    int64_t epochs, batch_size, schedule; /* defaults that work well */
    double cnn_lr, lr;                    /* learning rates of sgd, for cnn and for other networks */
} data_set;

/* In the order of data_names. */
extern const data_set data_sets[];

/* The network for the data set of the settings. */
network network_for(const settings *s);
/* Loads a saved network with its weights, in training mode, on a device. False and an error on failure. */
bool network_load(const char *path, fa_device device, network *n, fa_module **net);
/* The same for the file given as first argument, on the device of the settings. Returns 0, or the exit code on
 * failure. */
int network_open(const settings *s, fa_device *device, network *n, fa_module **net);
/* Reads the description of a network from a file; false and an error if it was not saved by this command. */
bool network_read(const fa_saved *file, const char *path, network *n);
/* Creates the modules, in training mode. */
fa_module *network_new(const network *n);
/* The preprocessing of images: brightness from 0 to 1, normalized. */
fa_module *network_transform(const network *n);
/* The training or test set, if it fits the network; NULL and an error if not. */
fa_dataset *network_data(const network *n, const settings *s, bool train);

/* Metadata for a file. */
enum { MOST_TEXTS = 40, TEXT_ROOM = 4096 /* length of the longest path */ };
typedef struct texts {
    size_t count;
    const char *name[MOST_TEXTS], *value[MOST_TEXTS];
    char room[MOST_TEXTS][TEXT_ROOM];
} texts;
/* Adds a string, which is copied unless it is longer than TEXT_ROOM; it has to stay valid then. */
void texts_add(texts *t, const char *name, const char *value);
void network_tell(const network *n, texts *t);
/* The string with this name in a file; NULL: none. */
const char *saved_text(const fa_saved *file, const char *name);
#endif
