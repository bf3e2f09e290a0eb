/* The stages of a call, a file each: dispatch.c puts them together. One path for all operations. */
#ifndef FA__OPS_CALL_H
#define FA__OPS_CALL_H
#include "core/stream.h"
#include "dispatch/compiled.h"
#include "dispatch/expressions.h"
#include "dispatch/row.h"

/* The outermost composed operation that this call is part of, or the call itself. */
static inline const fa__call *fa__outermost(const fa__call *c)
{
    const fa__call *outer = fa__outermost_call();
    return outer ? outer : c;
}

/* The operation that a call is reported as: under its in-place name, add_, where it is in place. */
const fa__op *fa__reported_op(const fa__call *);

/* ---- check.c: operands are there and alive; finds tensors, device, and what holds of any of them. */
bool fa__check_operands(fa__call *c, uint32_t needed);
/* False and an error when the call would compute in a dtype that only holds values. Its results are inferred. */
bool fa__check_storage(const fa__call *c);
/* ---- dispatch.c: the stages, on memory for operands and results; errors are not named, and lists not owned, yet. */
bool fa__dispatch(fa__call *c);
/* ---- device_placement.c */
/* Finds the device of a call with operands, and whether some are to be moved there. */
FA__COLD bool fa__place(fa__call *c, bool automatic);
/* Fails: an operand is on another device than the first one. Their names are the fields'. */
FA__COLD bool fa__apart(const fa__call *, const char *first, const fa__device *, const char *odd, const fa__device *);
/* ---- autocast.c: the dtype that floating operands are cast to; FA_SAME: they stay. */
FA__COLD fa_dtype fa__autocast_dtype(const fa__call *c);
/* Whether it is an operand that may be cast. */
static inline bool fa__autocasts(const fa_tensor *t)
{
    return fa__dtype_is_float(t->dtype) && t->dtype != FA_F64 && !fa__dtype_is_storage(t->dtype);
}
/* ---- out.c: whether operand i (-1: of a list) shares memory with what is written, other than element for element. */
bool fa__overlaps_given(const fa__call *c, int i, const fa_tensor *t);
/* ---- operands.c: goes on as another call, with operands that were moved, cast and copied as the plan says. */
FA__COLD bool fa__go_on_with_operands(fa__call *c);
/* The same on the CPU, writing into new results. */
FA__COLD bool fa__go_on_with_host_operands(fa__call *c);
/* Whether the plan moves the tensor of field i, or -1 for an item of a list. */
bool fa__moves(const fa__call *c, int i, const fa_tensor *t);
/* The list among the arguments; NULL when there is none. */
const fa_tensors *fa__list_operand(const fa__call *c);
/* ---- compose.c: runs the parts of a composed operation. */
bool fa__compose(fa__call *c);
/* ---- fallback.c: what a device cannot do is an error, or done by the CPU. */
FA__COLD bool fa__may_fall_back(const fa__call *c);
FA__COLD bool fa__no_kernel(const fa__call *c);
FA__COLD bool fa__fall_back(fa__call *c);
/* FACULA_LOG=fallback */
FA__COLD void fa__tell_fallback(const fa__op *, const fa__device *);
/* ---- out.c: what is given to write into, and new results. */
bool fa__check_given(fa__call *c);
bool fa__make_results(fa__call *c);
/* A new tensor, and how it came to be recorded, is a function's that the program called there. */
void fa__sign(fa_tensor *t, const fa__op *op, const void *site);
/* ---- elementwise.c */
bool fa__infer_elementwise(fa__call *c);
bool fa__run_elementwise(fa__call *c);
/* ---- divisor.c: fails, or the device will, where an integer is divided by 0. l: the launch to be. */
FA__COLD bool fa__check_divisors(fa__call *c, const fa__launch *l);
/* ---- record.c */
bool fa__record(fa__call *c);
/* In place: copies operands that backward needs and the call overwrites; the record is of the copies. */
FA__COLD bool fa__keep_overwritten(fa__call *c);
/* ---- gradient.c: the gradient of one operand, by its derivative d, before broadcasting is undone */
fa_tensor *fa__derived(const fa__op *op, const fa__op *d, const void *operands, fa_tensor *gy, fa_tensor *y,
                       const void *site);
/* ---- gradient_steps.c: the gradient of operand i where its derivative is too large for one expression */
FA__COLD fa_tensor *fa__derived_stepwise(const fa__back *b, int i);
/* ---- launch.c: orders, runs and stamps one launch. Operand i is over tensor[i], which may be NULL. */
/* False and no error, but c->plan.unsupported, when with .fallback somebody else has to do it. */
bool fa__launch_run(fa__call *c, fa__launch *l, fa_tensor *const *tensor);
/* The same for launches of one program, which was prepared, that do not depend on each other, on a device that takes
 * lists (fa__backend.run_list). */
bool fa__launch_run_list(fa__call *c, fa__launch *const *l, fa_tensor *const *const *tensor, int count);
void fa__operand_of(fa__operand *o, const fa_tensor *t);
/* A number among the arguments. */
void fa__value_of(fa__operand *o, const fa__field *f, const void *p);
/* ---- require.c: the condition that a row puts on its numbers; an error names it */
bool fa__requirement_holds(fa__call *c);
/* ---- describe.c */
/* The function that the program called, when this call comes to copy or wait: that which works for it (fa_item), the
 * outermost composed operation, or the call's own, add_ when it is in place. */
const fa__op *fa__asked_for(const fa__call *);
/* Puts the call in front of an error from below: no memory, or a part of a composed operation. */
FA__COLD void fa__name_failure(const fa__call *);
/* With where its tensors were made, or without. */
void fa__describe_call(struct fa__text *, const fa__call *c, bool origins);

static inline bool fa__is_elementwise(const fa__op *op)
{
    return op->compiled || op->traits->expr;
}

static inline bool fa__is_composed(const fa__op *op)
{
    return op->traits->compose || op->traits->compose_list;
}

/* What autocast does with the operands where the call runs. */
static inline fa__cast fa__autocast_of(const fa__call *c)
{
    const fa__traits *t = c->op->traits;
    if (!c->plan.device->host)
        return t->autocast;
    return FA__UNLIKELY(t->autocast_by) ? t->autocast_by(c) : t->autocast_cpu;
}

/* A 0-dim tensor of the host is passed on as a number, so it goes with operands of any device. */
static inline bool fa__is_host_value(const fa_tensor *t)
{
    return t->rank == 0 && t->storage && t->storage->device->host;
}

static inline bool fa__recording(void)
{
    return !fa__ctx()->settings->no_grad;
}

extern void (*fa__call_hook)(const fa__call *, int depth);
#endif
