/* Shapes and strides: counts that cannot overflow, what a geometry touches, whether it touches something twice. */
#include "base/alloc.h"
#include "core/tensor.h"
#include <stdlib.h>

void fa__dense_strides(int rank, const int64_t *shape, int64_t *stride)
{
    int64_t step = 1;
    for (int i = rank; i-- > 0;) {
        stride[i] = step;
        step *= shape[i] > 1 ? shape[i] : 1;
    }
}

FA__HOT bool fa__is_dense(int rank, const int64_t *shape, const int64_t *stride)
{
    int64_t step = 1;
    for (int i = rank; i-- > 0;) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && stride[i] != step)
            return false;
        step *= shape[i];
    }
    return true;
}

FA__HOT bool fa__checked_numel(int rank, const int64_t *shape, int64_t *count)
{
    int64_t n = 1, without_zeros = 1;
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 0 || (shape[i] && !fa__mul_i64(without_zeros, shape[i], &without_zeros)))
            return false;
        n = n && shape[i] ? without_zeros : 0;
    }
    *count = n;
    return true;
}

void fa__extent(int rank, const int64_t *shape, const int64_t *stride, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = 1;
    for (int i = 0; i < rank; i++) {
        if (shape[i] == 0) {
            *low = *high = 0;
            return;
        }
        *(stride[i] < 0 ? low : high) += (shape[i] - 1) * stride[i];
    }
}

/* Dimensions in the order of their strides: each has to step over all that the smaller ones reach. That is exact for
 * what views of dense memory can be; for other geometries it may say yes where the answer is no. */
bool fa__overlaps_itself(int rank, const int64_t *shape, const int64_t *stride)
{
    bool used[FA_MAX_DIMS] = {false};
    int64_t reach = 0;
    for (int k = 0; k < rank; k++) {
        int best = -1;
        for (int i = 0; i < rank; i++) {
            if (shape[i] == 0)
                return false;
            if (!used[i] && shape[i] > 1 && (best < 0 || llabs(stride[i]) < llabs(stride[best])))
                best = i;
        }
        if (best < 0)
            return false;
        used[best] = true;
        if (llabs(stride[best]) <= reach)
            return true;
        reach += (shape[best] - 1) * llabs(stride[best]);
    }
    return false;
}
