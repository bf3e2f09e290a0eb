/* What the rows that train a network share: parameters that the peer has too, a step, and the check of its loss. */
#ifndef BENCH_NETWORK_H
#define BENCH_NETWORK_H
#include <facula/facula.h>

/* Noise from -scale to scale as f32, the same as in peer.py: for element i, 2 frac(43758.5453 sin(12.9898 i)) - 1. */
fa_tensor *bench_noise(fa_shape shape, double scale);

/* A network in training, with its batch. */
typedef struct bench_network {
    fa_tensor *x, *y;
    fa_module *net;
    fa_optim *(*optimizer)(fa_module *); /* makes a fresh one */
    fa_optim *optim;
    double scale;      /* of the parameters' noise; weights of norms stay 1 */
    fa_dtype autocast; /* FA_SAME: none */
} bench_network;

/* Sets the parameters, makes the optimizer, and lets the worker compare the loss after five steps. */
void bench_train(bench_network of);
/* Makes `count` steps: forward, cross entropy, backward, optimizer. For rows' run(). */
void bench_train_steps(int64_t count);
/* Records a step on the CPU, by a row's run(); bench_replay() replays it `count` times. */
void bench_record(void (*run)(int64_t count));
void bench_replay(int64_t count);
#endif
