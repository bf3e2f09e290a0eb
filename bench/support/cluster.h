/* A training step on many ranks, simulated from costs that were measured on few: how long it takes, and which share of
 * ideal speed that is (ideal: communication costs nothing, and no rank waits for a slower one). */
#ifndef BENCH_CLUSTER_H
#define BENCH_CLUSTER_H
#include <stdbool.h>
#include <stddef.h>

/* Parameters of which the gradients become complete at one time. Seconds are those of one rank. */
typedef struct cluster_layer {
    double forward, backward;
    double bytes; /* of the parameters, and of their gradients */
} cluster_layer;

typedef struct cluster_model {
    const cluster_layer *layer; /* in the order of forward */
    int layers;
    double optimizer;   /* seconds of the optimizer's step for all parameters */
    const double *step; /* measured steps of one rank in seconds: what ranks differ by */
    int steps;
} cluster_model;

/* Every rank sends and receives at once; a message of b bytes takes latency + b / bandwidth. */
typedef struct cluster_link {
    double latency;   /* seconds */
    double bandwidth; /* bytes a second */
} cluster_link;

typedef struct cluster_plan {
    int ranks;
    int level;     /* 0: gradients are averaged in buckets during backward; 1 to 3: as fa_dist_shard() */
    double bucket; /* bytes of a bucket at level 0; the first has at most 1 MiB */
    bool overlap;  /* at levels 1 to 3: communication and computation at once, one layer ahead */
} cluster_plan;

/* Seconds that each of n ranks takes to get 1/n of the sum of b bytes of each, or, the other way round, to get all of b
 * bytes of which each rank has 1/n: in log2 n steps, with half as much in each (recursive halving, and doubling). */
double cluster_scatter(const cluster_link *link, int ranks, double bytes);

/* Seconds of a step of equally fast ranks. */
double cluster_step(const cluster_model *model, const cluster_link *link, const cluster_plan *plan);

/* The mean of the slowest of n ranks, each of which takes one of the measured steps, divided by the mean of these. */
double cluster_slowest(const cluster_model *model, int ranks);

/* The share of ideal speed, 0 to 1. */
double cluster_share(const cluster_model *model, const cluster_link *link, const cluster_plan *plan);

/* The bucket size in bytes, a power of two from 1 MiB to 1 GiB, with which a step takes least time; of equally good
 * ones the smallest. */
double cluster_best_bucket(const cluster_model *model, const cluster_link *link, int ranks);
#endif
