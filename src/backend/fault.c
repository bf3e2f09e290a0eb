/* Faults as errors. */
#include "backend/fault.h"
#include "base/error.h"
#include "base/text.h"
#include "core/tensor.h"
#include <string.h>

/* The operand of a kernel that is called "index"; NULL when there is none. */
static const fa__operand *index_of(const fa__launch *l)
{
    int next = l->outputs;
    for (int i = 0; i < l->op->nfields; i++) {
        const fa__field *f = &l->op->fields[i];
        if (f->kind == FA__TENSOR && !strcmp(f->name, "index"))
            return next < l->operands ? &l->operand[next] : NULL;
        next += f->kind == FA__TENSOR || f->kind == FA__NUMBER;
    }
    return NULL;
}

/* The place among the elements that an index has in memory: without the dimensions that it was expanded along. */
static int64_t place_as_given(const fa__fault *f, const fa__launch *l)
{
    const fa__operand *index = l->kind == FA__LAUNCH_KERNEL ? index_of(l) : NULL;
    int64_t rest = f->position, place = 0, pace = 1;
    if (!index)
        return rest;
    for (int d = index->rank - 1; d >= 0; rest /= index->shape[d--])
        if (index->stride[d] || index->shape[d] == 1) {
            place += rest % index->shape[d] * pace;
            pace *= index->shape[d];
        }
    return place;
}

static const char *const zeros[] = {[FA__ZERO_DIVISOR] = "division by zero",
                                    [FA__ZERO_NEGATIVE] = "a weight that is not 0 or more",
                                    [FA__ZERO_WEIGHTS] = "weights of which the sum is 0"};

/* Whether the indices of an operation are class numbers: those of a loss or of one_hot. */
static bool takes_classes(const fa__op *op)
{
    for (int i = 0; i < op->nfields; i++)
        if (!strcmp(op->fields[i].name, "target") || !strcmp(op->fields[i].name, "num_classes"))
            return true;
    return false;
}

static void add_index(struct fa__text *text, const fa__fault *f, const fa__launch *l, const fa__op *caller)
{
    const bool composed = caller && l && caller->id != l->op->id;
    const long long value = f->value, size = f->size, place = composed ? place_as_given(f, l) : f->position;
    if (composed && takes_classes(caller))
        fa__text_add(text, "class %lld is out of range: there are %lld classes, counted from 0 (element %lld)", value,
                     size, place);
    else
        fa__text_add(text, "index %lld is out of range for dimension %d of size %lld (element %lld of the indices)",
                     value, (int)f->dim, size, place);
}

void fa__fault_describe(struct fa__text *text, const fa__fault *f, const fa__launch *l, const fa__op *caller)
{
    int32_t code = atomic_load_explicit(&f->code, memory_order_acquire);
    if (code == FA_ERROR_INDEX)
        add_index(text, f, l, caller);
    else if (code == FA_ERROR_ARGUMENT && f->dim == FA__ZERO_WEIGHTS) /* their sum has no place */
        fa__text_add(text, "%s", zeros[f->dim]);
    else if (code == FA_ERROR_ARGUMENT)
        fa__text_add(text, "%s, at element %lld", zeros[f->dim], (long long)f->position);
    else
        fa__text_add(text, "a kernel failed at element %lld, with value %lld", (long long)f->position,
                     (long long)f->value);
}

static void add_operand(struct fa__text *text, const fa__operand *o, uint8_t dtype, const fa__device *device)
{
    if (o->kind == FA__VALUE_FLOAT)
        fa__text_add(text, "%g", o->value.f);
    else if (o->kind == FA__VALUE_INT)
        fa__text_add(text, "%lld", (long long)o->value.i);
    else {
        fa__describe_shape(text, o->rank, o->shape);
        fa__text_add(text, " %s %s", fa__dtype_names[dtype], device->name);
    }
}

/* Tensors and numbers of a kernel's launch, which are operands in the order of the fields, and its whole numbers; that
 * of check_zeros, which alone finds bad arguments, is told in words. */
static void add_fields(struct fa__text *text, const fa__launch *l, const fa__device *device, int32_t code)
{
    const char *between = "";
    int next = l->outputs;
    for (int i = 0; i < l->op->nfields; i++) {
        const fa__field *f = &l->op->fields[i];
        bool operand = f->kind == FA__TENSOR || f->kind == FA__NUMBER;
        const fa__operand *o = operand && next < l->operands ? &l->operand[next++] : NULL;
        bool absent = o && o->kind == FA__MEMORY && o->dtype == FA_SAME;
        if (absent || (!o && (f->kind != FA__INT || code == FA_ERROR_ARGUMENT)))
            continue;
        fa__text_add(text, "%s%s=", between, f->name);
        if (o)
            add_operand(text, o, l->error_dtype && i == l->op->inplace ? l->error_dtype : o->dtype, device);
        else
            fa__text_add(text, "%lld", (long long)*(const int64_t *)fa__field_at(l->args, f));
        between = ", ";
    }
}

bool fa__fault_report(const fa__fault *f, const fa__launch *l, const fa__device *device)
{
    char buffer[900];
    struct fa__text text = fa__text_in(buffer, sizeof buffer);
    int32_t code = atomic_load_explicit(&f->code, memory_order_acquire);
    if (code == FA_OK)
        return true;
    const fa__op *caller = l->caller ? l->caller : l->op;
    bool same = caller->id == l->op->id;                         /* or its name in place */
    fa__text_add(&text, same ? "%s(" : "%s, at ", caller->name); /* the operands of its part, whose name says nothing */
    add_fields(&text, l, device, code);
    fa__text_add(&text, same ? "): " : ": ");
    fa__fault_describe(&text, f, l, caller);
    return fa__fail((fa_code)code, "%s%s", fa__op_prefix(caller), buffer);
}
