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
    fa_scaler *scaler; /* NULL: none */
    double scale;      /* of the parameters' noise; weights of norms stay 1 */
    fa_dtype autocast; /* FA_SAME: none; FA_F16 is trained with a scaler */
} bench_network;

/* Sets the parameters, makes the optimizer, and lets the worker compare the loss after five steps. */
void bench_train(bench_network of);
/* The loss after five steps from these parameters, which are set again. */
double bench_last_loss(void);
/* The tour's convolutional network, and the small GPT, as rows of one process train them. */
bench_network bench_cnn_network(int64_t images);
bench_network bench_gpt_network(void);
/* Makes `count` steps: forward, cross entropy, backward, optimizer. For rows' run(). */
void bench_train_steps(int64_t count);
/* The network of the GPT rows, and the tokens of its batch, one after the other; (4, 256) as its input. */
fa_module *bench_gpt_net(void);
fa_tensor *bench_gpt_tokens(int64_t factor);
/* Records a step on the CPU, by a row's run(); bench_replay() replays it `count` times. */
void bench_record(void (*run)(int64_t count));
void bench_replay(int64_t count);
#endif
