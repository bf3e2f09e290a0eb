/* Shapes and strides: overflow-safe counts, the memory range of a tensor, and tests for overlap. */
#include "base/alloc.h"
#include "core/tensor.h"
#include <stdlib.h>
#include <string.h>

void fa__dense_strides(int rank, const int64_t *shape, int64_t *stride)
{
    uint64_t step = 1; /* of what has no elements, it may go round */
    for (int i = rank; i-- > 0;) {
        stride[i] = (int64_t)step;
        step *= shape[i] > 1 ? (uint64_t)shape[i] : 1;
    }
}

static bool has_zero(int n, const int64_t *shape)
{
    for (int i = 0; i < n; i++)
        if (shape[i] == 0)
            return true;
    return false;
}

FA__HOT bool fa__is_dense(int rank, const int64_t *shape, const int64_t *stride)
{
    uint64_t step = 1;
    for (int i = rank; i-- > 0;) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && (uint64_t)stride[i] != step)
            return has_zero(i, shape); /* a tensor without elements is always contiguous */
        step *= (uint64_t)shape[i];
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
    bool empty = has_zero(rank, shape); /* its strides may be any numbers */
    *low = 0;
    *high = empty ? 0 : 1;
    for (int i = 0; i < rank && !empty; i++)
        *(stride[i] < 0 ? low : high) += (shape[i] - 1) * stride[i];
}

/* Checks dimensions in the order of their strides: each stride has to exceed the range of the smaller ones. This is
 * exact for all views of dense memory; for other strides it may return true although nothing overlaps. */
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

/* ---- whether two tensors overlap ---- */

/* One dimension as a set of offsets: all multiples of `size` from 0 to `most` times it. */
typedef struct step {
    int64_t size, most;
} step;

enum { MOST_STEPS = 2 * FA_MAX_DIMS, MOST_TRIES = 1000 };

/* Inserts a step, largest first; steps of equal size are merged. */
static int add_step(step *s, int n, int64_t size, int64_t most)
{
    int at = 0;
    if (!size || !most)
        return n;
    while (at < n && s[at].size > size)
        at++;
    if (at < n && s[at].size == size) {
        s[at].most += most;
        return n;
    }
    memmove(s + at + 1, s + at, (size_t)(n - at) * sizeof *s);
    s[at] = (step){size, most};
    return n + 1;
}

static int add_steps(step *s, int n, const fa_tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        n = add_step(s, n, llabs(t->stride[i]), t->shape[i] - 1);
    return n;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* True if multiples of the steps add up to exactly `distance`. Few multiples of the largest step need to be tried,
 * because of the range of the smaller ones, and none if all steps have a divisor that the distance lacks. After too
 * many tries: true. */
static bool leads_to(const step *s, int n, int64_t distance, int *tries)
{
    int64_t smaller = 0, divisor = n ? s->size : 1;
    for (int i = 1; i < n; i++) {
        smaller += s[i].size * s[i].most;
        divisor = common_divisor(divisor, s[i].size);
    }
    if (distance < 0 || distance % divisor || !n)
        return distance == 0;
    int64_t low = distance > smaller ? (distance - smaller + s->size - 1) / s->size : 0, high = distance / s->size;
    for (int64_t k = high < s->most ? high : s->most; k >= low; k--)
        if (--*tries < 0 || leads_to(s + 1, n - 1, distance - k * s->size, tries))
            return true;
    return false;
}

/* With steps of a forwards from its first element, and steps of b backwards from its last element: the tensors
 * overlap if these sum up to the distance between the two. */
bool fa__may_share(const fa_tensor *a, const fa_tensor *b)
{
    if (!b || !b->storage || a->storage != b->storage)
        return false;
    int64_t al, ah, bl, bh, as = (int64_t)fa__dtype_size(a->dtype), bs = (int64_t)fa__dtype_size(b->dtype);
    fa__extent(a->rank, a->shape, a->stride, &al, &ah);
    fa__extent(b->rank, b->shape, b->stride, &bl, &bh);
    if (al == ah || bl == bh || (a->offset + al) * as >= (b->offset + bh) * bs
        || (b->offset + bl) * bs >= (a->offset + ah) * as)
        return false;
    step s[MOST_STEPS];
    int n = add_steps(s, add_steps(s, 0, a), b), tries = MOST_TRIES;
    return as != bs || leads_to(s, n, b->offset + bh - 1 - (a->offset + al), &tries);
}
