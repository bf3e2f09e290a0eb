/* An MLP that learns the digits on a device, for tests of what a training copies, launches and waits for. */
#ifndef DIGITS_TRAINING_H
#define DIGITS_TRAINING_H
#include <facula/facula.h>

enum { DIGITS_BATCH = 32, DIGITS_EVERY = 10 /* batches between two reads of the loss */ };

typedef struct training {
    fa_module *net;
    fa_optim *optim;
    fa_loader *loader;
    int64_t samples;
    int reads;   /* of the loss, */
    double loss; /* which was this in the last one */
} training;

/* A network of 64, 32 and 10, SGD, and a loader of 1,438 samples, all in the open scope. */
training training_new(fa_device device);
/* One step; its loss, on the device. */
fa_tensor *training_step(training *t, fa_tensor *input, fa_tensor *target);
/* Waits for the loss and copies it, also where that is forbidden. */
void training_read(training *t, fa_tensor *loss);
/* One epoch. */
void training_epoch(training *t);
#endif
