/* Where values belong in sorted lines. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

KERNEL(sorted_places)
{
    const sorted_places_args *a = l->args;
    const fa__operand *y = &l->operand[0], *lines = &l->operand[1], *values = &l->operand[2];
    const int last = lines->rank - 1;
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_PLACES, 0, fa__class_of(lines->dtype));
    places_arguments p = {.count = 1,
                          .length = lines->shape[last],
                          .pace = lines->stride[last],
                          .rank = y->rank,
                          .dtype = lines->dtype,
                          .right = a->right,
                          .narrow = y->dtype == FA_I32};
    for (int d = 0; d < y->rank; d++) {
        p.count *= y->shape[d];
        p.shape[d] = y->shape[d];
        p.line[d] = d < last ? lines->stride[d] : 0;
        p.value[d] = values->stride[d];
        p.to[d] = y->stride[d];
    }
    return FA__GPU_LAUNCH(issue, kernel, p.count, p, y->data, lines->data, values->data);
}
