/* The places of triangles. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"

static uint64_t write_places(fa__gpu_issue *issue, const fa__launch *l, bool upper)
{
    const triangle_indices_args *a = l->args;
    const fa__operand *y = &l->operand[0];
    const int64_t low = -a->row - 1, high = a->col + 1;
    const triangle_arguments p = {.count = y->shape[1],
                                  .rows = a->row,
                                  .columns = a->col,
                                  .offset = a->offset < low    ? low
                                            : a->offset > high ? high
                                                               : a->offset,
                                  .below = y->stride[0],
                                  .stride = y->stride[1],
                                  .upper = upper,
                                  .dtype = y->dtype};
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_TRIANGLE, 0, FA__CLASS_I64);
    return FA__GPU_LAUNCH(issue, kernel, p.count, p, y->data);
}

KERNEL(tril_indices)
{
    return write_places(issue, l, false);
}

KERNEL(triu_indices)
{
    return write_places(issue, l, true);
}
