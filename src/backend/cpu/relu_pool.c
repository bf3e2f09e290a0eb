/* relu and max pooling of windows of 2 x 2 in one pass, of f32 without gaps: plane by plane, two rows at a time. */
#include "backend/cpu/kernel.h"
#include "base/parallel.h"
#include <string.h>

typedef struct planes {
    float *large, *small; /* with the elements, and with a number for each window */
    uint8_t *at;
    int64_t h, w; /* of the large planes */
} planes;

static planes planes_of(const fa__operand *large, const fa__operand *small, const fa__operand *at)
{
    return (planes){.large = large->data,
                    .small = small->data,
                    .at = at->data,
                    .h = large->shape[large->rank - 2],
                    .w = large->shape[large->rank - 1]};
}

static int64_t count_of(const fa__operand *x)
{
    return x->shape[x->rank - 3] * (x->rank == 4 ? x->shape[0] : 1);
}

static void run(const fa__operand *x, planes *p, void (*each)(void *, int64_t, int64_t))
{
    fa__parallel_for(count_of(x), 1 + 32768 / (p->h * p->w), each, p);
}

static void forward(void *context, int64_t begin, int64_t end)
{
    const planes *p = context;
    const int64_t rows = p->h / 2, columns = p->w / 2;
    for (int64_t i = begin; i < end; i++)
        for (int64_t r = 0; r < rows; r++) {
            const float *x = p->large + (i * p->h + 2 * r) * p->w;
            const int64_t to = (i * rows + r) * columns;
            fa__cpu_simd->relu_pool_2x2(p->small + to, p->at + to, x, x + p->w, columns);
        }
}

static void backward(void *context, int64_t begin, int64_t end)
{
    const planes *p = context;
    const int64_t rows = p->h / 2, columns = p->w / 2;
    for (int64_t i = begin; i < end; i++) {
        float *x = p->large + i * p->h * p->w;
        for (int64_t r = 0; r < rows; r++, x += 2 * p->w) {
            const int64_t from = (i * rows + r) * columns;
            if (p->w & 1) /* a column that is in no window */
                x[p->w - 1] = x[2 * p->w - 1] = 0;
            fa__cpu_simd->relu_pool_2x2_back(x, x + p->w, p->small + from, p->at + from, columns);
        }
        if (p->h & 1)
            memset(x, 0, (size_t)p->w * sizeof *x);
    }
}

KERNEL(relu_max_pool2d)
{
    const fa__operand *y = &l->operand[0], *at = &l->operand[1], *x = &l->operand[2];
    planes p = planes_of(x, y, at);
    run(x, &p, forward);
    return true;
}

KERNEL(relu_max_pool2d_back)
{
    const fa__operand *x = &l->operand[0], *gy = &l->operand[1], *at = &l->operand[2];
    planes p = planes_of(x, gy, at);
    run(x, &p, backward);
    return true;
}
