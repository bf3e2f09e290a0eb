/* A run: a network in training, which can be saved and goes on where it was saved. */
#ifndef RUN_H
#define RUN_H
#include "chart.h"
#include "evaluate.h"
#include "log.h"

typedef struct run {
    settings s;
    network n;
    fa_device device, devices[MOST_DEVICES]; /* the first device, and all of them */
    size_t device_count;
    fa_group *world;       /* the processes that train together; NULL: this one alone */
    fa_module *net, *runs; /* the network, and what runs it: itself, or its data parallel form */
    fa_optim *optim;
    fa_schedule *schedule; /* NULL: the rate stays */
    fa_scaler *scaler;     /* NULL: gradients are not scaled */
    fa_loader *train, *held_out;
    int64_t done, room; /* epochs that are over, and room for */
    int64_t best;       /* the one with the best held-out accuracy, from 1; 0: none */
    epoch_facts *epoch; /* as many */
    double sum;         /* of the losses of an epoch that is not over, */
    int64_t seen;       /* and of how many samples */
    int64_t skipped;    /* samples of the last epoch that could not be read */
    tally tally;        /* of the last epoch */
    bool evaluated;     /* there is one */
    chart chart;
    double began;                /* when this process began to train */
    double training;             /* seconds of its epochs, without evaluation */
    int64_t steps_before, steps; /* since the run, and since this process began */
} run;

/* Makes all that a run is of. False and an error. */
bool run_new(run *r);
/* Gives a run that goes on for another number of epochs the rate that a cosine of so many has there: its steps go from
 * one rate to the next, and behind the end of a shorter one they would stay at 0. */
bool run_join_wave(run *r);
/* Puts it to where a file left it. */
bool run_load(run *r, const char *path, const fa_saved *file);
bool run_save(run *r, const char *path);
void run_free(run *r);
/* Trains to the end of an epoch, or of what is left of it. False when it was stopped or failed within it. */
bool run_epoch(run *r, double *loss, double *rate, const char *label);
/* Notes an epoch that is over. False without memory. */
bool run_note(run *r, epoch_facts facts);
#endif
