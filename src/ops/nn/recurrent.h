/* What the recurrent operations share: their kinds, and one step. */
#ifndef FA__OPS_NN_RECURRENT_H
#define FA__OPS_NN_RECURRENT_H
#include "dispatch/row.h"

typedef enum { FA__RNN_TANH, FA__RNN_RELU, FA__GRU, FA__LSTM, FA__RECURRENT_KINDS } fa__recurrent_kind;

/* The number of blocks of `hidden` rows that the weights have. */
int64_t fa__recurrent_gates(int64_t kind);
/* One step: replaces *h, and the cell of an LSTM *c, given the parts of the gates that come from the input and from
 * *h. Made of differentiable operations. False after an error. */
bool fa__recurrent_step(int64_t kind, const fa_tensor *of_input, const fa_tensor *of_state, const fa_tensor **h,
                        const fa_tensor **c);

/* The steps of a layer in a direction, and the gradients gy and gc (steps, n, hidden) of its states and cells; gc may
 * be NULL. of_input (steps, n, gates * hidden) is the inputs' part of the gates. */
typedef struct fa__recurrent_steps {
    int64_t kind;
    bool reverse;
    const fa_tensor *of_input, *weight_hh, *bias_hh, *h, *cell, *gy, *gc;
} fa__recurrent_steps;
/* y: the states. gates: the gradient of the gates before their functions, (steps, n, blocks * hidden). A GRU's has four
 * blocks, new, reset, update, and that of the state's part of new: the first three are the gradient of the inputs'
 * part, the last three that of the state's. h: of the state before the first step, from the product; other: of the
 * cell, or the rest of h. Both are zeros before the walk. */
typedef struct fa__steps_back {
    const fa_tensor *y;
    fa_tensor *gates, *h, *other;
} fa__steps_back;
/* Fills it by differentiable operations. */
bool fa__recurrence_recorded(const fa__recurrent_steps *, fa__steps_back *);
#endif
