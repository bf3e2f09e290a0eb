/* Registered operations on GPUs: the kernel that the program gave as text of the dialect, and its arguments. */
#include "backend/registered.h"
#include "backend/cpu/level.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "base/error.h"
#include <string.h>

/* What the kernel computes in: the widest of all tensors. */
static fa__class class_of_all(const fa__launch *l)
{
    bool floating = false, wide = false;
    for (int i = 0; i < l->operands; i++) {
        const fa__operand *o = &l->operand[i];
        if (o->kind != FA__MEMORY || o->dtype == FA_SAME)
            continue;
        bool real = fa__dtype_is_float(o->dtype), eight = fa__dtype_size(o->dtype) == 8;
        wide = real == floating ? wide || eight : real ? eight : wide;
        floating |= real;
    }
    return floating ? wide ? FA__CLASS_F64 : FA__CLASS_F32 : wide ? FA__CLASS_I64 : FA__CLASS_I32;
}

static int largest_rank(const fa__launch *l)
{
    int rank = 1;
    for (int i = 0; i < l->operands; i++)
        rank = l->operand[i].rank > rank ? l->operand[i].rank : rank;
    return rank;
}

static int64_t elements(const fa__operand *o)
{
    int64_t n = 1;
    for (int d = 0; d < o->rank; d++)
        n *= o->shape[d];
    return n;
}

static bool is_dense(const fa__operand *o)
{
    int64_t pace = 1;
    for (int d = o->rank - 1; d >= 0; d--) {
        if (o->shape[d] != 1 && o->stride[d] != pace)
            return false;
        pace *= o->shape[d];
    }
    return true;
}

/* ---- arguments: struct op_arguments of fa__gpu_put_registered ---- */

enum { MOST = FA__MAX_FIELDS + FA__MAX_RESULTS };

typedef struct arguments {
    int64_t word[1 + MOST * 2 * FA_MAX_DIMS + FA__MAX_FIELDS + 2 * MOST];
    size_t size;
} arguments;

static int64_t *put_operand(int64_t *word, const fa__operand *o, int rank)
{
    memset(word, 0, 2 * (size_t)rank * sizeof *word);
    memcpy(word, o->shape, o->rank * sizeof *word);
    memcpy(word + rank, o->stride, o->rank * sizeof *word);
    return word + 2 * rank;
}

/* A number as the class's type, or as it is where kernels read integers. */
static void put_number(int64_t *word, const fa__field *f, const void *p, fa__class class)
{
    fa__load_loop *const *load = fa__cpu_simd->of[class]->load;
    const fa_arg *number = f->kind == FA__NUMBER ? p : NULL;
    *word = 0;
    if (f->kind == FA__DOUBLE)
        load[FA_F64](word, p, 0, 1);
    else if (number && number->kind != FA__ARG_TENSOR)
        load[number->kind == FA__ARG_FLOAT ? FA_F64 : FA_I64](word, &number->bits, 0, 1);
    else if (f->kind == FA__BOOL)
        *word = *(const bool *)p;
    else if (f->kind == FA__DTYPE || f->kind == FA__ENUM)
        *word = *(const int *)p;
    else if (f->kind == FA__INT || f->kind == FA__DIMS || f->kind == FA__PAIR_)
        *word = *(const int64_t *)p;
}

static void set_arguments(arguments *a, const fa__launch *l, int rank, fa__class class, int64_t items)
{
    int64_t *word = a->word;
    *word++ = items;
    for (int i = 0; i < l->operands; i++)
        word = put_operand(word, &l->operand[i], rank);
    for (int i = 0; i < l->op->nfields; i++)
        put_number(word++, &l->op->fields[i], fa__field_at(l->args, &l->op->fields[i]), class);
    int32_t *number = (int32_t *)(void *)word;
    for (int i = 0; i < l->operands; i++) {
        const fa__operand *o = &l->operand[i];
        *number++ = o->kind == FA__MEMORY ? o->dtype : 0;
        *number++ = o->rank;
        *number++ = is_dense(o);
        *number++ = 0;
    }
    a->size = (size_t)((char *)number - (char *)a->word);
}

/* ---- the launch ---- */

static int64_t items_of(const fa__launch *l)
{
    fa__launch_view v;
    if (!l->op->registered->given.gpu_items)
        return elements(&l->operand[0]);
    if (!fa__launch_view_begin(&v, l))
        return -1;
    int64_t items = l->op->registered->given.gpu_items(&v.launch);
    fa__launch_view_end(&v);
    if (items < 0)
        fa__fail(FA_ERROR_USER, "%s: its gpu_items function failed and gives no reason", l->op->name);
    return items;
}

static bool fits(const fa__device *d, const fa__launch *l, const arguments *a)
{
    const fa__gpu_device *g = d->own;
    return a->size + 8 + 16 * (size_t)l->operands <= g->max_args
           || fa__fail(FA_ERROR_UNAVAILABLE,
                       "%s: %d operands of that many dimensions are more than a kernel of %s takes: FA_USE(.fallback = "
                       "true) runs it on the CPU by counted copies",
                       l->op->name, (int)l->operands, d->name);
}

KERNEL(expression)
{
    fa__gpu_args args = {.count = 0};
    arguments a;
    const fa__class class = class_of_all(l);
    const int rank = largest_rank(l);
    const int64_t items = items_of(l);
    if (items < 0)
        return 0;
    set_arguments(&a, l, rank, class, items);
    const fa__gpu_kernel *kernel = fits(issue->device, l, &a) ? fa__gpu_registered(issue, l->op, rank, class) : NULL;
    if (!kernel)
        return 0;
    for (int i = 0; i < l->operands; i++)
        fa__gpu_memory(&args, l->operand[i].kind == FA__MEMORY ? l->operand[i].data : NULL);
    fa__gpu_value(&args, a.word, a.size);
    return fa__gpu_launch_items(issue, kernel, items, &args);
}

/* ---- the source ---- */

/* The names by which the text finds operand k. */
static void put_operand_names(fa__gpu_text *t, const char *name, int k, int field)
{
    fa__gpu_put(t, "#define OPERAND_%s %d\n#define FIELD_%s %d\n#define DATA_%s (buffer%d + at%d)\n", name, k, name,
                field, name, k, k);
}

static void put_names(fa__gpu_text *t, const fa__op *op)
{
    int k = 0;
    for (int i = 0; i < op->nresults; i++, k++)
        put_operand_names(t, op->results[i], k, -1);
    for (int i = 0; i < op->nfields; i++) {
        const fa__field *f = &op->fields[i];
        if (f->kind == FA__TENSOR || f->kind == FA__NUMBER)
            put_operand_names(t, f->name, k++, i);
        bool real = f->kind == FA__DOUBLE || f->kind == FA__NUMBER;
        if (f->kind != FA__TENSOR && f->kind != FA__LIKE)
            fa__gpu_put(
                t, real ? "#define ARG_%s T_OF_BITS((u64)op_args.number[%d])\n" : "#define ARG_%s op_args.number[%d]\n",
                f->name, i);
    }
}

static int operands_of(const fa__op *op)
{
    int k = op->nresults;
    for (int i = 0; i < op->nfields; i++)
        k += op->fields[i].kind == FA__TENSOR || op->fields[i].kind == FA__NUMBER;
    return k;
}

void fa__gpu_put_registered(fa__gpu_text *t, const fa__op *op, int rank)
{
    int k = operands_of(op);
    fa__gpu_put(t,
                "typedef struct op_arguments {\n    i64 items;\n    struct { i64 shape[%d], stride[%d]; } of[%d];\n"
                "    i64 number[%d];\n    struct { i32 dtype, rank, dense, unused; } is[%d];\n} op_arguments;\n",
                rank, rank, k, op->nfields, k);
    put_names(t, op);
    fa__gpu_put(t, "#define OP_KERNEL KERNEL(op_kernel, GROUP_X, GROUP_Y)(FAULT");
    for (int i = 0; i < k; i++)
        fa__gpu_put(t, ", BUFFER(%d)", i);
    fa__gpu_put(t, ", BYVAL(op_arguments) op_args)\n");
}
