/* Geometry of views. */
#include "dispatch/views.h"
#include "base/alloc.h"
#include "base/text.h"
#include "dispatch/call.h"

fa__spec *fa__view_same(fa__call *c, const fa_tensor *x)
{
    fa__spec *s = &c->spec[0];
    s->dtype = (fa_dtype)x->dtype;
    s->rank = x->rank;
    s->offset = x->offset;
    for (int i = 0; i < x->rank; i++) {
        s->shape[i] = x->shape[i];
        s->stride[i] = x->stride[i];
    }
    return s;
}

void fa__spec_swap(fa__spec *s, int i, int j)
{
    int64_t shape = s->shape[i], stride = s->stride[i];
    s->shape[i] = s->shape[j];
    s->stride[i] = s->stride[j];
    s->shape[j] = shape;
    s->stride[j] = stride;
}

void fa__spec_insert(fa__spec *s, int dim)
{
    int64_t stride = dim < s->rank ? s->shape[dim] * s->stride[dim] : 1;
    for (int i = s->rank++; i > dim; i--) {
        s->shape[i] = s->shape[i - 1];
        s->stride[i] = s->stride[i - 1];
    }
    s->shape[dim] = 1;
    s->stride[dim] = stride;
}

void fa__spec_remove(fa__spec *s, int dim)
{
    s->rank--;
    for (int i = dim; i < s->rank; i++) {
        s->shape[i] = s->shape[i + 1];
        s->stride[i] = s->stride[i + 1];
    }
}

static bool shape_fails(const fa__call *c, const char *text)
{
    return fa__call_fail(c, FA_ERROR_SHAPE, "%s", text);
}

bool fa__complete_shape(const fa__call *c, const fa_tensor *x, fa_shape given, fa_shape *shape)
{
    int64_t known, count = fa__numel(x);
    int open = -1;
    *shape = given;
    if (given.rank < 0 || given.rank > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "%d dimensions: a tensor has at most %d", given.rank, FA_MAX_DIMS);
    for (int i = 0; i < given.rank; i++) {
        if (given.dim[i] < -1 || (given.dim[i] == -1 && open >= 0))
            return shape_fails(c, "sizes are not negative, but one may be -1");
        if (given.dim[i] == -1)
            shape->dim[open = i] = 1;
    }
    if (!fa__checked_numel(shape->rank, shape->dim, &known))
        return shape_fails(c, "the shape has more elements than can be addressed");
    if (open >= 0) {
        if (!known || count % known)
            return fa__call_fail(c, FA_ERROR_SHAPE, "no size in the place of -1 gives %lld elements", (long long)count);
        shape->dim[open] = count / known;
        return true;
    }
    return known == count
           || fa__call_fail(c, FA_ERROR_SHAPE, "the shape has %lld elements and not %lld", (long long)known,
                            (long long)count);
}

/* Dimensions of x that lie one behind the other are seen as one; each has to be filled by whole new dimensions. */
bool fa__view_as(fa__call *c, const fa_tensor *x, fa_shape shape)
{
    fa__spec *s = fa__view_same(c, x);
    s->rank = shape.rank;
    for (int i = 0; i < shape.rank; i++)
        s->shape[i] = shape.dim[i];
    if (fa__is_dense(x->rank, x->shape, x->stride) || !fa__numel(x)) {
        fa__dense_strides(s->rank, s->shape, s->stride);
        return true;
    }
    int to = shape.rank - 1;
    int64_t chunk = 1, filled = 1, step = x->stride[x->rank - 1];
    for (int i = x->rank - 1; i >= 0; i--) {
        chunk *= x->shape[i];
        if (i && (x->shape[i - 1] == 1 || x->stride[i - 1] == chunk * step))
            continue;
        for (; to >= 0 && (filled < chunk || shape.dim[to] == 1); to--) {
            s->stride[to] = filled * step;
            filled *= shape.dim[to];
        }
        if (filled != chunk)
            return false;
        if (i) {
            step = x->stride[i - 1];
            chunk = filled = 1;
        }
    }
    return to < 0;
}

bool fa__view_expand(fa__call *c, const fa_tensor *x, fa_shape shape)
{
    fa__spec *s = fa__view_same(c, x);
    if (shape.rank < x->rank || shape.rank > FA_MAX_DIMS)
        return shape_fails(c, "the shape needs as many dimensions as x, or more, and at most 8");
    int more = shape.rank - x->rank;
    s->rank = shape.rank;
    for (int i = 0; i < shape.rank; i++) {
        int64_t n = shape.dim[i], old = i < more ? 1 : x->shape[i - more];
        if (n == -1 && i >= more)
            n = old;
        if (n < 0 || (n != old && old != 1))
            return fa__call_fail(c, FA_ERROR_SHAPE,
                                 "size %lld of dimension %d cannot become %lld: only 1 can be repeated", (long long)old,
                                 i, (long long)n);
        s->shape[i] = n;
        s->stride[i] = i < more || (old == 1 && n != 1) ? 0 : x->stride[i - more];
    }
    int64_t count, bytes;
    return (fa__checked_numel(s->rank, s->shape, &count) && fa__mul_i64(count, 8, &bytes))
           || shape_fails(c, "there would be more elements than can be counted");
}

/* Where nothing is recorded the view needs no call. */
FA__HOT fa_tensor *fa__expanded(fa_tensor *g, const fa_tensor *x)
{
    if (!g || fa__recording())
        return fa_expand_as(g, x);
    int64_t stride[FA_MAX_DIMS];
    int more = x->rank - g->rank;
    for (int i = 0; i < x->rank; i++)
        stride[i] = i < more || g->shape[i - more] != x->shape[i] ? 0 : g->stride[i - more];
    return fa__own(fa__tensor_new(g->storage, (fa_dtype)g->dtype, x->rank, x->shape, stride, g->offset));
}

bool fa__part_within(const fa__call *c, fa_shape shape, fa_shape strides, int64_t offset, int64_t low, int64_t high)
{
    int64_t count, first = offset, last = offset, reach;
    bool good = shape.rank == strides.rank && shape.rank >= 0 && shape.rank <= FA_MAX_DIMS
                && fa__checked_numel(shape.rank, shape.dim, &count);
    if (good && !count)
        return true;
    for (int i = 0; good && i < shape.rank; i++)
        good = fa__mul_i64(shape.dim[i] - 1, strides.dim[i], &reach)
               && (reach < 0 ? fa__add_i64(first, reach, &first) : fa__add_i64(last, reach, &last));
    return (good && first >= low && last < high)
           || shape_fails(c, "the strides do not fit the shape, or reach beyond the memory of x");
}

bool fa__list_whole(const fa__call *c, const char *name, fa_list list, size_t k, int64_t *whole)
{
    if (!list.item)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s is NULL", name);
    double v = list.item[k];
    if (!(fabs(v) <= 0x1p53) || v != (double)(int64_t)v)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s[%zu] is %g, which is no whole number of at most 2^53", name, k,
                             v);
    *whole = (int64_t)v;
    return true;
}

fa__range fa__slice_range(int64_t size, int64_t start, int64_t end, int64_t step)
{
    int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    if (start == INT64_MIN)
        start = step > 0 ? lowest : highest;
    else if (start < 0)
        start = start + size < lowest ? lowest : start + size;
    else if (start > highest)
        start = highest;
    if (end == INT64_MAX)
        end = step > 0 ? highest : lowest;
    else if (end < 0)
        end = end < -size ? lowest : end + size < lowest ? lowest : end + size;
    else if (end > highest)
        end = highest;
    uint64_t span = step > 0      ? (end > start ? (uint64_t)end - (uint64_t)start : 0)
                    : start > end ? (uint64_t)start - (uint64_t)end
                                  : 0;
    uint64_t pace = step > 0 ? (uint64_t)step : (uint64_t) - (step + 1) + 1;
    return (fa__range){start, (int64_t)((span + pace - 1) / pace)};
}

static bool has_layout(const fa_tensor *t, const fa_shape *layout)
{
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] > 1 && t->stride[i] != layout->dim[i])
            return false;
    return true;
}

fa_tensor *fa__part_of(const fa_tensor *t, fa_shape shape, fa_shape strides, int64_t offset)
{
    for (int i = 0; i < shape.rank; i++)
        if (!shape.dim[i]) /* it is nowhere: fa__part_within leaves any offset */
            offset = 0;
    return fa__own(
        fa__tensor_new(t->storage, (fa_dtype)t->dtype, shape.rank, shape.dim, strides.dim, t->offset + offset));
}

fa_tensor *fa__laid_out(fa__call *c, fa_tensor *t, fa_shape layout)
{
    int64_t low, high;
    if (has_layout(t, &layout))
        return t;
    fa__extent(t->rank, t->shape, layout.dim, &low, &high);
    int64_t span = high - low;
    fa_tensor *memory = fa__own(fa__tensor_empty(c->plan.device, (fa_dtype)t->dtype, 1, &span, c->plan.queue));
    fa_shape shape = {.rank = t->rank};
    memcpy(shape.dim, t->shape, sizeof shape.dim);
    return memory ? fa__part_of(memory, shape, layout, -low) : NULL;
}

const fa_tensor *fa__summed_for(fa__call *c, fa_tensor *part, const fa_tensor *value)
{
    unsigned set = 0;
    for (int i = 0; i < part->rank; i++)
        if (part->stride[i] == 0 && part->shape[i] != 1)
            set |= 1U << i;
    if (!set)
        return value;
    for (int i = 0; i < part->rank; i++)
        part->shape[i] = set >> i & 1 ? 1 : part->shape[i];
    fa_tensor *sum =
        fa__own(fa__tensor_empty(c->plan.device, (fa_dtype)value->dtype, part->rank, part->shape, c->plan.queue));
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(value)}};
    return sum && fa__run_reduce(c, sum, FA__COMBINE_SUM, "x", set, 1, bound) ? sum : NULL;
}
