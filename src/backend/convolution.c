/* The sizes and strides of a convolution from its operands. */
#include "backend/convolution.h"

static void set_image(int64_t stride[4], const fa__operand *t)
{
    int lead = t->rank - 3;
    stride[0] = lead ? t->stride[0] : 0;
    for (int i = 0; i < 3; i++)
        stride[1 + i] = t->stride[lead + i];
}

fa__convolution fa__convolution_of(const fa__operand *x, const fa__operand *weight, const fa__operand *y,
                                   fa_pair stride, fa_pair padding, fa_pair dilation, int64_t groups)
{
    int lead = x->rank - 3;
    fa__convolution v = {
        .images = lead ? x->shape[0] : 1, .groups = groups, .in = weight->shape[1], .out = weight->shape[0] / groups};
    set_image(v.x, x);
    set_image(v.y, y);
    for (int i = 0; i < 4; i++)
        v.weight[i] = weight->stride[i];
    for (int d = 0; d < 2; d++) {
        v.size[d] = x->shape[lead + 1 + d];
        v.result[d] = y->shape[lead + 1 + d];
        v.kernel[d] = weight->shape[2 + d];
        v.stride[d] = fa_pair_at(stride, d);
        v.dilation[d] = fa_pair_at(dilation, d);
        v.front[d] = padding == FA_PADDING_SAME ? v.dilation[d] * (v.kernel[d] - 1) / 2 : fa_pair_at(padding, d);
    }
    return v;
}
