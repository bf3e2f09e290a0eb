/* A launch as the kernels of registered operations see it: the public structs, without tensors. */
#include "backend/registered.h"
#include "base/alloc.h"
#include <string.h>

/* Tensors among the arguments may be gone when the kernel runs. */
static void remove_tensors(const fa__op *op, char *args)
{
    FA__EACH_BIT (i, (uint32_t)(op->of[FA__TENSOR] | op->of[FA__LIKE]))
        *(const fa_tensor **)(void *)(args + op->fields[i].offset) = NULL;
    FA__EACH_BIT (i, op->of[FA__TENSORS])
        ((fa_tensors *)(void *)(args + op->fields[i].offset))->item = NULL;
    FA__EACH_BIT (i, op->of[FA__NUMBER]) {
        fa_arg *a = (fa_arg *)(void *)(args + op->fields[i].offset);
        if (a->kind == FA__ARG_TENSOR)
            *a = fa__arg_t(NULL);
    }
}

static void show(fa_operand *to, const fa__operand *o)
{
    *to = (fa_operand){.data = o->data, .dtype = (fa_dtype)o->dtype, .rank = o->rank};
    memcpy(to->shape, o->shape, sizeof o->shape[0] * o->rank);
    memcpy(to->stride, o->stride, sizeof o->stride[0] * o->rank);
    if (o->kind == FA__VALUE_FLOAT)
        to->number = fa__arg_f(o->value.f);
    else if (o->kind == FA__VALUE_INT)
        to->number = o->dtype == FA_BOOL ? fa__arg_b(o->value.i != 0) : fa__arg_i(o->value.i);
}

bool fa__launch_view_begin(fa__launch_view *v, const fa__launch *l)
{
    v->many = NULL;
    if (l->operands > FA__VIEW_FEW && !(v->many = fa__malloc(l->operands * sizeof *v->many)))
        return false;
    fa_operand *operand = v->many ? v->many : v->few;
    for (int i = 0; i < l->operands; i++)
        show(&operand[i], &l->operand[i]);
    memcpy(v->args, l->args, l->op->args_size);
    remove_tensors(l->op, v->args);
    v->launch = (fa_op_launch){.args = v->args,
                               .context = l->op->registered->given.context,
                               .results = l->outputs,
                               .operands = l->operands - l->outputs,
                               .result = operand,
                               .operand = operand + l->outputs};
    return true;
}

void fa__launch_view_end(fa__launch_view *v)
{
    fa__free(v->many);
}
