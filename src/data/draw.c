/* The random numbers of samples, see draw.h. */
#include "data/draw.h"
#include <facula/ops/create.h>
#include <facula/ops/random.h>
#include <facula/tensor.h>

_Thread_local fa__making *fa__making_now;
_Thread_local fa__rows *fa__rows_now;

uint64_t fa__sample_key(int64_t index, int64_t row)
{
    const fa__making *m = fa__making_now;
    uint64_t key = fa__seed_of(m->seed, m->epoch, (uint64_t)index);
    if (m->repeats)
        key = fa__seed_of(key, 1, (uint64_t)(row < m->count ? m->position[row] : row));
    return m->depth ? fa__seed_of(key, 2, m->depth) : key;
}

/* Whether the current rows are these images. */
static bool has_rows(int64_t count)
{
    return fa__rows_now && fa__rows_now->count == count;
}

uint64_t *fa__streams(int64_t count)
{
    fa__numbers *n = fa__numbers_new(count);
    uint64_t *state = n ? (uint64_t *)n->item : NULL, base = 0, step = has_rows(count) ? fa__rows_now->step++ : 0;
    if (state && !has_rows(count))
        base = (uint64_t)(fa_item(fa_rand(FA_SCALAR, .dtype = FA_F64, .device = FA_CPU)) * 0x1p53);
    for (int64_t i = 0; state && i < count; i++)
        state[i] = has_rows(count) ? fa__seed_of(fa__rows_now->key[i], step, 0) : fa__seed_of(base, (uint64_t)i, 1);
    return fa_error_stands() ? NULL : state;
}

static fa_shape one_each(const fa_tensor *x)
{
    return FA_SHAPE(fa_size(x, 0), 1, 1, 1);
}

fa_tensor *fa__draw_below(const fa_tensor *x, int64_t bound)
{
    if (!has_rows(fa_size(x, 0)))
        return fa_randint(0, bound, one_each(x), .device = fa_tensor_device(x));
    int64_t *item = (int64_t *)fa__streams(fa_size(x, 0));
    for (int64_t i = 0; item && i < fa_size(x, 0); i++)
        item[i] = (int64_t)fa__random_below((uint64_t *)&item[i], (uint64_t)bound);
    return item ? fa_tensor_from(item, one_each(x), .dtype = FA_I64, .device = fa_tensor_device(x)) : NULL;
}

fa_tensor *fa__draw_uniform(const fa_tensor *x)
{
    if (!has_rows(fa_size(x, 0)))
        return fa_rand(one_each(x), .device = fa_tensor_device(x));
    int64_t n = fa_size(x, 0);
    uint64_t *state = fa__streams(n);
    fa_tensor *t = state ? fa_empty(one_each(x), .device = FA_CPU) : NULL;
    float *item = t ? fa_ptr(t, FA_F32) : NULL;
    for (int64_t i = 0; item && i < n; i++)
        item[i] = (float)(fa__random_next(&state[i]) >> 40) * 0x1p-24f;
    return item ? fa_to(t, fa_tensor_device(x)) : NULL;
}
