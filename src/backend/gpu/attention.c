/* Attention: what softmax needs to know of each row first, then sums of rows with weights (dialect/attention.inc). */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "base/integer.h"
#include <string.h>

enum { ROW_BYTES = 128, BLOCK = 64 }; /* of a group: a number for each row, and columns of the result */

/* variants, of each kind */
enum { KIND = 4 };
enum { ROWS_KNOWN = 0, SUMS = 1, GRADIENTS_KNOWN = 2, SUMS_OF_GRADIENTS = 3 };

/* An attention with the operands that the kernels number; `memory` is where the numbers of rows are. */
typedef struct attention {
    fa__gpu_issue *issue;
    const fa__operand *operand[ATTENTION_OPERANDS];
    attention_arguments a;
    bool back;
    const fa__gpu_kernel *variant[4]; /* of dialect/attention.inc */
    char *memory;
} attention;

/* What it is computed in */
static unsigned dtype_of(const attention *s)
{
    const unsigned dtype = s->operand[ATTENTION_Q]->dtype;
    return fa__dtype_is_half(dtype) ? FA_F32 : dtype;
}

static int kind_of(const attention *s)
{
    const unsigned dtype = s->operand[ATTENTION_Q]->dtype;
    return dtype == FA_F16 ? 1 : dtype == FA_BF16 ? 2 : 0;
}

static int64_t bits_of(double scale, unsigned dtype)
{
    float narrow = (float)scale;
    int64_t bits = 0;
    memcpy(&bits, dtype == FA_F64 ? (const void *)&scale : (const void *)&narrow, fa__dtype_size(dtype));
    return bits;
}

/* The strides of an operand; one that is none in memory has none. */
static void add_operand(attention *s, int k, const fa__operand *x)
{
    const fa__operand *q = s->operand[ATTENTION_Q];
    int rank = 0, last = q->rank - 1;
    s->operand[k] = x;
    if (!x || x->kind != FA__MEMORY)
        return;
    for (int d = 0; d < last - 1; d++)
        if (q->shape[d] != 1)
            s->a.batch[k][rank++] = x->stride[d];
    s->a.line[k] = x->stride[last - 1];
    s->a.step[k] = x->stride[last];
}

static int64_t places(const attention_arguments *a)
{
    int64_t count = 1;
    for (int d = 0; d < a->rank; d++)
        count *= a->shape[d];
    return count;
}

/* gy: NULL in forward */
static void describe(attention *s, const fa__operand *q, const fa__operand *k, const fa__operand *v,
                     const fa__operand *gy, const fa__operand *mask, bool causal, double scale)
{
    int last = q->rank - 1;
    attention_arguments *a = &s->a;
    a->queries = q->shape[last - 1];
    a->keys = k->shape[last - 1];
    a->width = q->shape[last];
    a->v_width = v->shape[last];
    a->scale = bits_of(scale, dtype_of(s));
    a->causal = causal;
    a->mask = mask->kind != FA__MEMORY ? 0 : mask->dtype == FA_BOOL ? ATTENTION_BOOLS : ATTENTION_NUMBERS;
    for (int d = 0; d < last - 1; d++)
        if (q->shape[d] != 1)
            a->shape[a->rank++] = q->shape[d];
    a->known = places(a) * a->queries;
    s->back = gy != NULL;
    add_operand(s, ATTENTION_Q, q);
    s->operand[ATTENTION_Q] = q;
    add_operand(s, ATTENTION_K, k);
    add_operand(s, ATTENTION_V, v);
    add_operand(s, ATTENTION_GY, gy);
    add_operand(s, ATTENTION_MASK, mask);
}

static const void *memory_of(const attention *s, int k)
{
    const fa__operand *x = s->operand[k];
    return x && x->kind == FA__MEMORY ? x->data : NULL;
}

static int64_t rows_of_group(const attention *s)
{
    return ROW_BYTES / (int64_t)fa__dtype_size(dtype_of(s));
}

static uint64_t launch(const attention *s, int variant, attention_arguments a, int64_t groups)
{
    const fa__gpu_kernel *kernel = s->variant[variant];
    if (groups == 0) { /* one that finds nothing to do */
        a.queries = a.keys = a.rank = 0;
        a.across = a.down = groups = 1;
    }
    return FA__GPU_LAUNCH(s->issue, kernel, groups * kernel->group[0], a, memory_of(s, ATTENTION_RESULT), s->memory,
                          memory_of(s, ATTENTION_Q), memory_of(s, ATTENTION_K), memory_of(s, ATTENTION_V),
                          memory_of(s, ATTENTION_GY), memory_of(s, ATTENTION_MASK));
}

/* What is known of rows: two numbers for each, three for gradients. All that may be lacking is there before the first
 * launch. */
static bool find_known(attention *s)
{
    attention_arguments a = s->a;
    unsigned dtype = dtype_of(s);
    a.across = 1;
    a.down = fa__ceil_div(a.queries, rows_of_group(s));
    for (int i = 0; i < (s->back ? 4 : 2); i++)
        if (!(s->variant[i] = fa__gpu_fixed(s->issue, FA__GPU_ATTENTION, KIND * kind_of(s) + i, fa__class_of(dtype))))
            return false;
    s->memory = fa__gpu_scratch(s->issue, (size_t)(a.known * (s->back ? 3 : 2) + 1) * fa__dtype_size(dtype));
    return s->memory && launch(s, ROWS_KNOWN, a, a.down * places(&a))
           && (!s->back || launch(s, GRADIENTS_KNOWN, a, a.down * places(&a)));
}

/* The rows of a result, those of keys when `turned`. */
static uint64_t sum(attention *s, int variant, const fa__operand *result, bool turned)
{
    const int64_t rows = turned ? s->a.keys : s->a.queries, columns = result->shape[result->rank - 1];
    add_operand(s, ATTENTION_RESULT, result);
    attention_arguments a = s->a;
    a.turned = turned;
    a.across = fa__ceil_div(columns, BLOCK);
    a.down = fa__ceil_div(rows, rows_of_group(s));
    return launch(s, variant, a, a.across * a.down * places(&a));
}

KERNEL(attention)
{
    const attention_args *a = l->args;
    const fa__operand *o = l->operand;
    attention s = {.issue = issue, .operand = {[ATTENTION_Q] = &o[1]}};
    describe(&s, &o[1], &o[2], &o[3], NULL, &o[4], a->causal, a->scale);
    return find_known(&s) ? sum(&s, SUMS, &o[0], false) : 0;
}

KERNEL(attention_back)
{
    const attention_back_args *a = l->args;
    const fa__operand *o = l->operand;
    attention s = {.issue = issue, .operand = {[ATTENTION_Q] = &o[4]}};
    describe(&s, &o[4], &o[5], &o[6], &o[3], &o[7], a->causal, a->scale);
    return find_known(&s) && sum(&s, SUMS_OF_GRADIENTS, &o[0], false) && sum(&s, SUMS_OF_GRADIENTS, &o[1], true)
               ? sum(&s, SUMS, &o[2], true)
               : 0;
}
