/* Reductions: one kernel makes a partial result of each block of a result's elements, others fold these, a thousand at
 * a time, until one is left. With a single block the partial result is the result. */
#include "backend/cpu/level.h"
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "base/integer.h"
#include <string.h>

_Static_assert(TREE_BLOCK == FA__BLOCK && TREE_CHAINS == FA__CHAINS, "the CPU's tree");

/* A copy of a launch. */
typedef union room {
    fa__launch launch;
    _Alignas(16) char bytes[sizeof(fa__launch) + (FA__MAX_INPUTS + FA__MAX_OUTPUTS) * sizeof(fa__operand)];
} room;

typedef struct reduction {
    fa__gpu_issue *issue;
    const fa__launch *launch;
    int64_t results, length, blocks;
    bool across; /* neighbours in memory belong to different results; partial results then lie [block][result] */
    uint8_t dtype, size; /* of partial results */
    const fa__gpu_kernel *fold;
    char *partial[2]; /* partial results of all outputs, as many as the blocks, and what they are folded to */
} reduction;

/* How many work-items share one unit of work. */
static int32_t width_for(int64_t length)
{
    int32_t width = 1;
    while (width < TREE_CHAINS && width < length)
        width *= 2;
    return width;
}

/* The arguments of one level: `length` elements of each result give `blocks`. */
static reduce_arguments level(const reduction *r, int64_t length, int64_t blocks, int kept)
{
    return (reduce_arguments){.length = length,
                              .results = r->results,
                              .blocks = blocks,
                              .block_step = r->across ? r->results : 1,
                              .kept = kept,
                              .width = width_for(length),
                              .across = r->across};
}

/* A level's items, of which each result has `width` for each of its blocks. */
static uint64_t run_level(const reduction *r, const fa__gpu_kernel *kernel, const fa__gpu_args *args,
                          const reduce_arguments *a)
{
    return fa__gpu_launch_items(r->issue, kernel, a->results * a->blocks * a->width, args);
}

/* ---- partial results to fewer ---- */

/* Where a level's results go when they are the last: to an output of any dtype and strides. */
static void to_output(const fa__launch *l, const fa__operand *out, fold_arguments *f)
{
    f->dtype[0] = out->dtype;
    for (int d = 0; d < l->kept; d++)
        if (l->shape[d] != 1) {
            f->shape[f->rank] = l->shape[d];
            f->to[f->rank++] = out->stride[d];
        }
}

/* Where they go when they are partial results: into memory, for the next level. */
static void to_partial(const reduction *r, int64_t blocks, fold_arguments *f)
{
    f->dtype[0] = r->dtype;
    f->rank = 1;
    f->shape[0] = r->results;
    f->to[0] = r->across ? 1 : blocks;
}

/* `length` partial results of each result become `blocks`; one is the result. */
static uint64_t fold_level(const reduction *r, int output, const char *from, char *to, int64_t length, int64_t blocks)
{
    const fa__operand *out = &r->launch->operand[output];
    reduce_arguments a = level(r, length, blocks, 0);
    fold_arguments f = {.from_result = r->across ? 1 : length, .from_element = r->across ? r->results : 1};
    fa__gpu_args args = {.count = 0};
    if (blocks > 1)
        to_partial(r, blocks, &f);
    else if (r->results > 0)
        to_output(r->launch, out, &f);
    fa__gpu_memory(&args, blocks > 1 ? to : out->data);
    fa__gpu_memory(&args, from);
    fa__gpu_value(&args, &f, sizeof f);
    fa__gpu_value(&args, &a, sizeof a);
    return run_level(r, r->fold, &args, &a);
}

static uint64_t fold_output(const reduction *r, int output)
{
    int64_t level_bytes[2] = {r->results * r->blocks * r->size,
                              r->results * fa__ceil_div(r->blocks, TREE_BLOCK) * r->size};
    uint64_t ticket = 1;
    int side = 0;
    for (int64_t n = r->blocks; n > 1 && ticket; n = fa__ceil_div(n, TREE_BLOCK), side = 1 - side)
        ticket = fold_level(r, output, r->partial[side] + output * level_bytes[side],
                            r->partial[1 - side] + output * level_bytes[1 - side], n, fa__ceil_div(n, TREE_BLOCK));
    return ticket;
}

/* What no elements give, for each result: the value that combining begins with. */
static uint64_t run_nothing(const reduction *r)
{
    uint64_t ticket = 1;
    if (r->results > 0 && r->launch->combine >= FA__COMBINE_MAX)
        return fa__fail(FA_ERROR_INTERNAL, "the largest or smallest of no elements");
    for (int o = 0; o < r->launch->outputs && ticket; o++)
        ticket = fold_level(r, o, NULL, NULL, 0, 1);
    return ticket;
}

/* ---- the program's values to partial results ---- */

/* Whether neighbours in memory belong to different results, for most of what is read. */
static bool is_across(const fa__gpu_operands *o)
{
    int votes = 0;
    if (o->kept == 0 || o->kept == o->rank)
        return false;
    FA__EACH_BIT (k, o->memory)
        if ((int)k >= o->launch->outputs)
            votes += (o->stride[k][o->kept - 1] == 1) - (o->stride[k][o->rank - 1] == 1);
    return votes > 0;
}

/* The launch with outputs that are its partial results. */
static void aim_at_partial(const reduction *r, fa__launch *l)
{
    for (int k = 0; k < l->outputs; k++) {
        fa__operand *out = &l->operand[k];
        int64_t step = r->across ? 1 : r->blocks;
        out->data = r->partial[0] + k * r->results * r->blocks * r->size;
        out->dtype = r->dtype;
        for (int d = l->kept - 1; d >= 0; step *= l->shape[d--])
            out->stride[d] = step;
    }
}

static uint64_t run_elements(const reduction *r, const fa__launch *l)
{
    fa__gpu_shape shape = (fa__gpu_shape)(FA__GPU_ROWS + l->combine);
    const fa__gpu_kernel *kernel = fa__gpu_program(r->issue, l->program, (fa__class)l->compute, shape);
    fa__gpu_operands o;
    fa__gpu_program_arguments p;
    fa__gpu_args args = {.count = 0};
    fa__gpu_operands_begin(&o, r->issue->device, l, true);
    fa__gpu_operands_join(&o, o.kept, o.rank);
    o.kept -= fa__gpu_operands_join(&o, 0, o.kept);
    if (!kernel || !fa__gpu_add_program(&args, &p, &o))
        return 0;
    reduce_arguments a = level(r, r->length, r->blocks, o.kept);
    fa__gpu_value(&args, &a, sizeof a);
    return run_level(r, kernel, &args, &a);
}

static bool make_room(reduction *r)
{
    int64_t first = r->launch->outputs * r->results * r->blocks * r->size;
    int64_t second = r->launch->outputs * r->results * fa__ceil_div(r->blocks, TREE_BLOCK) * r->size;
    r->partial[0] = fa__gpu_scratch(r->issue, (size_t)(first + second));
    r->partial[1] = r->partial[0] ? r->partial[0] + first : NULL;
    return r->partial[0] != NULL;
}

/* Several blocks: everything that may be lacking is there before the first launch. */
static uint64_t run_blocks(reduction *r)
{
    const fa__launch *l = r->launch;
    room copy;
    r->fold = fa__gpu_fixed(r->issue, FA__GPU_REDUCE_FOLD, l->combine, (fa__class)l->compute);
    if (!r->fold || !make_room(r))
        return 0;
    memcpy(&copy, l, fa__launch_size(l));
    aim_at_partial(r, &copy.launch);
    uint64_t ticket = run_elements(r, &copy.launch);
    for (int k = 0; k < l->outputs && ticket; k++)
        ticket = fold_output(r, k);
    return ticket;
}

uint64_t fa__gpu_run_reduce(fa__gpu_issue *issue, const fa__launch *l)
{
    static const uint8_t dtype[FA__CLASSES] = {
        [FA__CLASS_F32] = FA_F32, [FA__CLASS_F64] = FA_F64, [FA__CLASS_I32] = FA_I32, [FA__CLASS_I64] = FA_I64};
    reduction r = {.issue = issue, .launch = l, .results = 1, .length = 1, .dtype = dtype[l->compute]};
    r.size = (uint8_t)fa__dtype_size(r.dtype);
    for (int d = 0; d < l->rank; d++)
        *(d < l->kept ? &r.results : &r.length) *= l->shape[d];
    r.blocks = r.length > TREE_BLOCK ? fa__ceil_div(r.length, TREE_BLOCK) : 1;
    if (r.results == 0 || r.length == 0) {
        r.fold = fa__gpu_fixed(issue, FA__GPU_REDUCE_FOLD, l->combine, (fa__class)l->compute);
        return r.fold ? run_nothing(&r) : 0;
    }
    fa__gpu_operands o;
    fa__gpu_operands_begin(&o, issue->device, l, false);
    fa__gpu_operands_join(&o, o.kept, o.rank);
    r.across = is_across(&o);
    return r.blocks > 1 ? run_blocks(&r) : run_elements(&r, l);
}
