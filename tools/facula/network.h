/* Data sets and networks that the command knows, and what a saved network tells of itself. */
#ifndef NETWORK_H
#define NETWORK_H
#include "command.h"
#include <facula/facula.h>

enum { MOST_CLASSES = 100, MOST_CHANNELS = 3 };

/* What has to be known to make a network, and to hand images to it. */
typedef struct network {
    int64_t model, hidden;           /* which kind, and how wide mlp is */
    int64_t channels, height, width; /* of images */
    int64_t classes;
    double mean[MOST_CHANNELS], deviation[MOST_CHANNELS]; /* (x - mean) / deviation of brightness from 0 to 1 */
    const char *class_name[MOST_CLASSES];                 /* constants, or the scope's */
    const char *data, *folder; /* the data set's name, and where it was; NULL: nowhere in particular */
} network;

/* What a data set brings along. */
typedef struct data_set {
    int64_t channels, height, width;
    double mean, deviation;
    const char *classes[11]; /* ended by NULL */
    fa_dataset *(*open)(const char *folder, bool train, fa_module *transform);
    bool needs_folder;
    int64_t epochs, batch_size, schedule; /* defaults: what does well */
    double cnn_lr, lr;                    /* of sgd, for cnn and for the others */
} data_set;

/* In the order of data_names. */
extern const data_set data_sets[];

/* The network for a data set. */
network network_for(const settings *s);
/* The network in a file that was saved, and its weights, in training mode, on a device. False and an error. */
bool network_load(const char *path, fa_device device, network *n, fa_module **net);
/* The same for the file that is the first argument, on the device that the settings ask for. What the process exits
 * with when it cannot be used; 0: it can. */
int network_open(const settings *s, fa_device *device, network *n, fa_module **net);
/* What a file tells of its network; false and an error when it is none of ours. */
bool network_read(const fa_saved *file, const char *path, network *n);
/* The modules; in training mode. */
fa_module *network_new(const network *n);
/* What images go through before the network: brightness from 0 to 1, normalised. */
fa_module *network_transform(const network *n);
/* One part of a data set that the network can be given; NULL and an error. */
fa_dataset *network_data(const network *n, const settings *s, bool train);

/* Names and texts for a file. */
enum { MOST_TEXTS = 40, TEXT_ROOM = 4096 /* of the longest path */ };
typedef struct texts {
    size_t count;
    const char *name[MOST_TEXTS], *value[MOST_TEXTS];
    char room[MOST_TEXTS][TEXT_ROOM];
} texts;
/* Adds a text, which is copied unless it is longer than TEXT_ROOM: then it has to live as long. */
void texts_add(texts *t, const char *name, const char *value);
void network_tell(const network *n, texts *t);
/* The text of a name in a file; NULL: there is none. */
const char *saved_text(const fa_saved *file, const char *name);
#endif
