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
#endif
