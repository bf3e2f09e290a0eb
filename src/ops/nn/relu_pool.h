/* When relu and max pooling of 2 x 2 are one pass. */
#ifndef FA__OPS_NN_RELU_POOL_H
#define FA__OPS_NN_RELU_POOL_H
#include <facula/tensor.h>

/* Whether fa__relu_max_pool2d() takes x, by a kernel of x's device. */
bool fa__relu_pool_fits(const fa_tensor *x);
#endif
