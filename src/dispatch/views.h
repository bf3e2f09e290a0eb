/* What view rows share: geometry of results, and parts of laid-out memory. */
#ifndef FA__OPS_VIEWS_H
#define FA__OPS_VIEWS_H
#include "dispatch/row.h"

/* spec[0] as x itself is: the start for most views. */
fa__spec *fa__view_same(fa__call *, const fa_tensor *x);
void fa__spec_swap(fa__spec *, int i, int j);
void fa__spec_insert(fa__spec *, int dim); /* a dimension of size 1 */
void fa__spec_remove(fa__spec *, int dim);
/* The shape with its -1 found from x's number of elements; an error when they do not go together. */
bool fa__complete_shape(const fa__call *, const fa_tensor *x, fa_shape given, fa_shape *shape);
/* Whether x can be seen in that shape without a copy: then spec[0] is that. Sets no error. */
bool fa__view_as(fa__call *, const fa_tensor *x, fa_shape shape);
bool fa__view_expand(fa__call *, const fa_tensor *x, fa_shape shape);
/* A gradient with dimensions of size 1 repeated, and new ones in front, to the shape of x. */
fa_tensor *fa__expanded(fa_tensor *g, const fa_tensor *x);
/* Whether a part with these strides lies within elements low to below high; an error when not. */
bool fa__part_within(const fa__call *, fa_shape shape, fa_shape strides, int64_t offset, int64_t low, int64_t high);

/* Entry k of a list among the arguments, called `name`, which has to be a whole number; an error when it is none. */
bool fa__list_whole(const fa__call *, const char *name, fa_list, size_t k, int64_t *whole);

/* Entries of a dimension, as Python finds them. */
typedef struct fa__range {
    int64_t first, count;
} fa__range;
fa__range fa__slice_range(int64_t size, int64_t start, int64_t end, int64_t step);

/* t if its strides are those of `layout`, else uninitialised memory that has them, with t's shape. */
fa_tensor *fa__laid_out(fa__call *, fa_tensor *t, fa_shape layout);
/* t if its strides are those of `layout`, else a copy that has them; differentiable. */
fa_tensor *fa__with_layout(fa_tensor *t, fa_shape layout);
/* A copy, row-major; differentiable. */
fa_tensor *fa__row_major(const fa_tensor *);
/* A view of t's memory, without history. */
fa_tensor *fa__part_of(const fa_tensor *t, fa_shape shape, fa_shape strides, int64_t offset);
/* `value` summed over those of its dimensions whose stride in *part is 0; *part then has size 1 there. */
const fa_tensor *fa__summed_for(fa__call *, fa_tensor *part, const fa_tensor *value);
#endif
