/* The parts of a call: check -> place -> cast -> infer -> outputs -> run -> record, one path for all operations. Each
 * is a file; call.c puts them together. */
#ifndef FA__OPS_CALL_H
#define FA__OPS_CALL_H
#include "core/stream.h"
#include "dispatch/compiled.h"
#include "dispatch/expressions.h"
#include "dispatch/row.h"

/* A launch on the stack, with room for n operands. */
#define FA__LAUNCH_ROOM(n)                                                                                             \
    union {                                                                                                            \
        fa__launch launch;                                                                                             \
        _Alignas(16) char bytes[sizeof(fa__launch) + (n) * sizeof(fa__operand)];                                       \
    }

/* A pointwise call on its way: what infer found and run needs. */
typedef struct fa__elementwise {
    fa__compiled *compiled;
    fa__class compute;
    const fa__program *program;
    uint32_t values; /* bit i: field i is a 0-dim tensor of the CPU that goes as a value */
    bool plain;      /* all tensors have the result's shape and are dense: one run of elements */
} fa__elementwise;

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
/* ---- place.c: operands on several devices, autocast: runs `go` on a call with other operands. */
FA__COLD bool fa__placed(fa__call *c, bool (*go)(fa__call *));
/* Fails: an operand is on another device than the first one. Their names are the fields'. */
FA__COLD bool fa__apart(const fa__call *, const char *first, const fa__device *, const char *odd, const fa__device *);
FA__COLD bool fa__autocasted(fa__call *c, bool (*go)(fa__call *));
/* Runs `go` on operands that were copied to c->device, where they are not there. */
bool fa__moved(fa__call *c, bool (*go)(fa__call *));
/* ---- fallback.c: what a device cannot do: an error, or `go` on the CPU. */
FA__COLD bool fa__no_kernel(const fa__call *c);
FA__COLD bool fa__fall_back(fa__call *c, bool (*go)(fa__call *));
/* FACULA_LOG=fallback */
FA__COLD void fa__tell_fallback(const fa__op *, const fa__device *);
/* ---- out.c: what is given to write into, and new results. */
bool fa__check_given(fa__call *c);
bool fa__make_results(fa__call *c);
/* A new tensor, and how it came to be recorded, is a function's that the program called there. */
void fa__sign(fa_tensor *t, const fa__op *op, const void *site);
/* ---- elementwise.c */
bool fa__infer_elementwise(fa__call *c, fa__elementwise *e);
bool fa__run_elementwise(fa__call *c, const fa__elementwise *e);
/* ---- divisor.c: fails, or the device will, where an integer is divided by 0. l: the launch to be. */
FA__COLD bool fa__check_divisors(fa__call *c, const fa__elementwise *e, const fa__launch *l);
/* ---- record.c */
bool fa__record(fa__call *c);
/* Puts copies, which are recorded, in the place of operands in `args` that backward needs and the call overwrites. */
bool fa__keep_overwritten(const fa__call *c, void *args);
/* ---- gradient.c: the gradient of one operand, by its derivative d, before broadcasting is undone */
fa_tensor *fa__derived(const fa__op *op, const fa__op *d, const void *operands, fa_tensor *gy, fa_tensor *y,
                       const void *site);
/* ---- gradient_steps.c: the gradient of operand i where its derivative is too large for one expression */
FA__COLD fa_tensor *fa__derived_stepwise(const fa__back *b, int i);
/* ---- launch.c: orders, runs and stamps one launch. Operand i is over tensor[i], which may be NULL. */
/* False and no error, but c->unsupported, when with .fallback somebody else has to do it. */
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
/* With where its tensors were made, or without. */
void fa__describe_call(struct fa__text *, const fa__call *c, bool origins);

/* The tensor of field i; NULL when it has none. */
static inline const fa_tensor *fa__field_tensor(const void *args, const fa__field *f)
{
    const void *p = fa__field_at(args, f);
    if (f->kind == FA__TENSOR || f->kind == FA__LIKE)
        return *(const fa_tensor *const *)p;
    const fa_arg *a = p;
    return f->kind == FA__NUMBER && a->kind == FA__ARG_TENSOR ? a->as.t : NULL;
}

static inline bool fa__is_elementwise(const fa__op *op)
{
    return op->compiled || op->traits->expr;
}

static inline bool fa__is_composed(const fa__op *op)
{
    return op->traits->compose || op->traits->compose_list;
}

static inline bool fa__recording(void)
{
    return !fa__ctx()->settings->no_grad;
}

extern void (*fa__call_hook)(const fa__call *, int depth);
#endif
