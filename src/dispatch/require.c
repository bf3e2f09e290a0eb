/* The condition that a row puts on its numbers: an expression of the fields, evaluated on the CPU. */
#include "dispatch/call.h"

bool fa__requirement_holds(fa__call *c)
{
    const char *names[FA__MAX_FIELDS];
    const fa__op *op = c->op;
    for (int i = 0; i < op->nfields; i++)
        names[i] = op->fields[i].name;
    const fa__op *test = fa__expression_op("pointwise", op->traits->require, names, op->nfields, NULL, 0);
    if (!test)
        return false;
    FA__LAUNCH_ROOM(FA__MAX_FIELDS + 1) r;
    uint8_t holds = 0;
    fa__launch *l = &r.launch;
    *l = (fa__launch){.kind = FA__LAUNCH_PROGRAM,
                      .compute = FA__CLASS_F64,
                      .outputs = 1,
                      .operands = (uint16_t)(1 + op->nfields),
                      .op = op,
                      .program = &test->compiled->program};
    l->operand[0] = (fa__operand){.data = &holds, .kind = FA__MEMORY, .dtype = FA_BOOL};
    for (int i = 0; i < op->nfields; i++)
        fa__value_of(&l->operand[i + 1], &op->fields[i], fa__field_at(c->args, &op->fields[i]));
    fa__device *device = fa__device_get(FA_CPU);
    if (!device)
        return false;
    const fa__backend *cpu = device->backend;
    if (!cpu->prepare(device, (fa__program *)(uintptr_t)l->program, FA__CLASS_F64) || !cpu->run(NULL, l))
        return false;
    return holds || fa__call_fail(c, FA_ERROR_ARGUMENT, "needs %s", op->traits->require);
}
