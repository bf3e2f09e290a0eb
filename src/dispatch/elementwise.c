/* Pointwise calls: shape by broadcasting, dtype by promotion, and the launch of the formula. */
#include "core/capture.h"
#include "core/order.h"
#include "dispatch/call.h"
#include "dispatch/promote.h"
#include <math.h>

/* Widens the result's shape by one operand's; false when they do not go together. */
static bool widen(fa__spec *s, const fa_tensor *t)
{
    int shift = s->rank - t->rank;
    if (shift < 0) {
        for (int i = s->rank; i-- > 0;)
            s->shape[i - shift] = s->shape[i];
        for (int i = 0; i < -shift; i++)
            s->shape[i] = 1;
        s->rank = t->rank;
        shift = 0;
    }
    for (int i = 0; i < t->rank; i++) {
        int64_t *n = &s->shape[i + shift];
        if (*n == t->shape[i] || t->shape[i] == 1)
            continue;
        if (*n != 1)
            return false;
        *n = t->shape[i];
    }
    return true;
}

static inline bool broadcast(fa__spec *s, const fa_tensor *t, bool first, bool *same)
{
    if (first) {
        s->rank = t->rank;
        for (int i = 0; i < t->rank; i++)
            s->shape[i] = t->shape[i];
        return true;
    }
    bool equal = s->rank == t->rank;
    for (int i = 0; equal && i < t->rank; i++)
        equal = s->shape[i] == t->shape[i];
    if (FA__LIKELY(equal))
        return true;
    *same = false;
    return widen(s, t);
}

static inline void promote_tensor(fa__promotion *p, const fa_tensor *t)
{
    uint8_t *side = t->rank ? &p->dims : &p->zero;
    if (*side == FA_SAME)
        *side = t->dtype;
    else if (FA__UNLIKELY(*side != t->dtype))
        *side = (uint8_t)fa__promote((fa_dtype)*side, (fa_dtype)t->dtype);
}

/* A tensor that is not there (the derivative does not mention it) is no number. */
static void promote_number(fa__promotion *p, const fa_arg *a)
{
    if (a->kind == FA__ARG_TENSOR)
        return;
    fa_dtype d = a->kind == FA__ARG_FLOAT ? FA_F32 : a->kind == FA__ARG_INT ? FA_I64 : FA_BOOL;
    p->number = (uint8_t)fa__promote((fa_dtype)p->number, d);
}

/* What bools compute in: integers stand for themselves, and a sign means nothing. */
static FA__COLD bool settle_bools(const fa__call *c, const fa__expression *e, fa_dtype *dtype)
{
    if (*dtype != FA_BOOL)
        return true;
    if (e->integral)
        *dtype = FA_I64;
    return e->integral || e->floating || !e->signs || fa__call_fail(c, FA_ERROR_DTYPE, "'-' is not defined for bools");
}

static bool is_bool(const fa__call *c, int i)
{
    const fa__field *f = &c->op->fields[i];
    if (c->tensor[i])
        return c->tensor[i]->dtype == FA_BOOL;
    return f->kind == FA__NUMBER && ((const fa_arg *)fa__field_at(c->args, f))->kind == FA__ARG_BOOL;
}

/* Whether field i is a number with a fraction, which the expression reads. */
static bool is_fraction(const fa__call *c, const fa__expression *e, int i)
{
    const fa__field *f = &c->op->fields[i];
    if (f->kind != FA__DOUBLE || !(e->used >> i & 1))
        return false;
    double v = *(const double *)fa__field_at(c->args, f);
    return !(v == floor(v));
}

static bool check_values(const fa__call *c, const fa__expression *e, fa_dtype dtype)
{
    bool whole = !e->floating && !fa__dtype_is_float(dtype);
    for (int i = 0; i < c->op->nfields; i++) {
        if (whole && is_fraction(c, e, i))
            return fa__call_fail(c, FA_ERROR_DTYPE, "%s must be an integer when the operands are",
                                 c->op->fields[i].name);
        if (c->op->traits->no_bool && is_bool(c, i))
            return fa__call_fail(c, FA_ERROR_DTYPE, "%s is bool, for which this is not defined", c->op->fields[i].name);
    }
    return true;
}

/* The operands of a typed expression; `numbers` is what all of them promote to. */
static void find_types(const fa__call *c, const fa__elementwise *e, fa_dtype numbers, fa__operand_types *types)
{
    const fa__expression *x = e->compiled->e;
    memset(types, 0, sizeof *types);
    if (numbers == FA_SAME || (numbers == FA_BOOL && x->integral))
        numbers = FA_I64;
    types->numbers = (uint8_t)(x->floating && !fa__dtype_is_float(numbers) ? FA_F32 : numbers);
    for (int i = 0; i < c->op->nfields; i++) {
        const fa_tensor *t = c->tensor[i];
        const fa_arg *a = c->op->fields[i].kind == FA__NUMBER ? fa__field_at(c->args, &c->op->fields[i]) : NULL;
        if (t) {
            types->dtype[i] = t->dtype;
            types->rank[i] = t->rank ? FA__OPERAND_DIMS : FA__OPERAND_ZERO_DIM;
        } else if (a && a->kind != FA__ARG_TENSOR)
            types->dtype[i] = a->kind == FA__ARG_FLOAT ? FA_F32 : a->kind == FA__ARG_INT ? FA_I64 : FA_BOOL;
    }
}

static bool types_fail(const fa__call *c, const fa__type_error *why)
{
    if (why->dtype != FA_SAME)
        return fa__computes_in(c, (fa_dtype)why->dtype);
    return why->code != FA_OK && fa__call_fail(c, why->code, "%s", why->message);
}

static inline void set_dtype(fa__call *c, const fa__elementwise *e, fa_dtype promoted)
{
    c->spec[0].dtype = e->compiled->result != FA_SAME ? (fa_dtype)e->compiled->result : promoted;
}

/* The program of a typed expression, and the result's dtype. */
static FA__NOINLINE bool settle_types(fa__call *c, fa__elementwise *e, fa_dtype promoted)
{
    fa__operand_types types;
    fa__type_error why;
    find_types(c, e, promoted, &types);
    const fa__typed *t = fa__typed_of(e->compiled, &types, &why);
    if (!t)
        return types_fail(c, &why);
    e->program = &t->program;
    e->compute = t->compute;
    set_dtype(c, e, (fa_dtype)t->result);
    return true;
}

/* What is computed where the operands are no plain floats: *dtype is what they promote to. */
static FA__NOINLINE bool settle(const fa__call *c, fa__elementwise *e, fa_dtype *dtype)
{
    const fa__expression *x = e->compiled->e;
    if (!check_values(c, x, *dtype) || !settle_bools(c, x, dtype))
        return false;
    if (*dtype == FA_SAME)
        *dtype = x->floating ? FA_F32 : FA_I64; /* nothing but numbers in the text */
    else if (x->floating && !fa__dtype_is_float(*dtype))
        *dtype = FA_F32;
    if (x->whole && fa__dtype_is_float(*dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "this is of integers and bool, and the operands are %s",
                             fa_dtype_name(*dtype));
    if (fa__dtype_is_storage(*dtype) && !e->compiled->exact)
        return fa__computes_in(c, *dtype);
    e->program = fa__program_of(e->compiled, *dtype);
    return e->program != NULL;
}

FA__HOT bool fa__infer_elementwise(fa__call *c)
{
    fa__elementwise *e = &c->plan.elementwise;
    const fa__expression *x = e->compiled->e;
    fa__spec *s = &c->spec[0];
    fa__promotion p = {.dims = e->compiled->casts};
    uint32_t silent = x->silent;
    bool first = true;
    s->rank = 0;
    e->values = 0;
    e->plain = true;
    FA__EACH_BIT (i, fa__tensor_fields(c->op)) {
        const fa_tensor *t = c->tensor[i];
        if (!t) {
            if (c->op->of[FA__NUMBER] & ~silent & 1U << i)
                promote_number(&p, fa__field_at(c->args, &c->op->fields[i]));
            continue;
        }
        if (FA__UNLIKELY(!broadcast(s, t, first, &e->plain)))
            return fa__call_fail(c, FA_ERROR_SHAPE,
                                 "shapes do not broadcast: sizes have to be equal, or 1, from the last one on");
        first = false;
        e->plain &= t->dense;
        if (!(silent >> i & 1))
            promote_tensor(&p, t);
        if (FA__UNLIKELY(c->plan.several_devices && fa__tensor_device(t) != c->plan.device))
            e->values |= 1U << i;
    }
    fa_dtype d = fa__promoted(p);
    e->program = &e->compiled->program;
    if (FA__UNLIKELY(c->op->traits->no_bool || x->judged || !(FA__REAL_DTYPES >> d & 1))) {
        if (x->typed)
            return settle_types(c, e, d);
        if (!settle(c, e, &d))
            return false;
    }
    e->compute = fa__class_of(d);
    set_dtype(c, e, d);
    return true;
}

/* ---- the launch ---- */

typedef FA__LAUNCH_ROOM(FA__MAX_FIELDS + 1) room;

static inline void stretched(fa__operand *o, const fa_tensor *t, int rank, bool plain)
{
    o->kind = FA__MEMORY;
    o->dtype = t->dtype;
    o->rank = (uint8_t)rank;
    o->data = fa__tensor_data(t);
    if (FA__LIKELY(plain)) {
        o->stride[0] = 1;
        return;
    }
    int shift = rank - t->rank;
    for (int i = 0; i < shift; i++)
        o->stride[i] = 0;
    for (int i = 0; i < t->rank; i++)
        o->stride[i + shift] = t->shape[i] == 1 ? 0 : t->stride[i];
}

FA__HOT void fa__value_of(fa__operand *o, const fa__field *f, const void *p)
{
    o->data = NULL;
    o->rank = 0;
    o->kind = FA__VALUE_INT;
    o->dtype = FA_I64;
    o->value.i = 0;
    if (f->kind == FA__NUMBER) {
        const fa_arg *a = p;
        o->kind = a->kind == FA__ARG_FLOAT ? FA__VALUE_FLOAT : FA__VALUE_INT;
        o->dtype = a->kind == FA__ARG_FLOAT ? FA_F64 : a->kind == FA__ARG_INT ? FA_I64 : FA_BOOL;
        o->value.i = fa__int_in(*a);
    } else if (f->kind == FA__DOUBLE) {
        o->kind = FA__VALUE_FLOAT;
        o->dtype = FA_F64;
        o->value.f = *(const double *)p;
    } else if (f->kind == FA__BOOL) {
        o->value.i = *(const bool *)p;
    } else if (f->kind == FA__KEY) {
        o->kind = FA__VALUE_KEY;
        o->value.key = *(const fa__key *)p;
    } else if (f->kind == FA__INT) {
        o->value.i = *(const int64_t *)p;
    }
}

/* The value of a 0-dim tensor of the CPU, which goes with any device. */
static bool host_value(fa__call *c, fa__operand *o, const fa_tensor *t)
{
    if (!fa__capture_allows(fa__asked_for(c)->name, "a 0-dim tensor on the CPU is read when the operation is called: "
                                                    "fa_to() copies it to the device"))
        return false;
    if (fa__has_pending(t->storage) && !fa__before_read(t->storage, NULL, fa__asked_for(c)))
        return false;
    o->data = NULL;
    o->rank = 0;
    bool real = fa__dtype_is_float(t->dtype);
    o->dtype = real ? FA_F64 : FA_I64;
    o->kind = real ? FA__VALUE_FLOAT : FA__VALUE_INT;
    if (real)
        o->value.f = fa__load_f64(fa__tensor_data(t), (fa_dtype)t->dtype);
    else
        o->value.i = fa__load_i64(fa__tensor_data(t), (fa_dtype)t->dtype);
    return true;
}

/* A number that is only a bound keeps its meaning in 32 bits and fewer: it becomes the nearest value of the dtype,
 * where others wrap. */
static FA__NOINLINE void hold_bounds(const fa__call *c, const fa__elementwise *e, fa__launch *l)
{
    const fa__program *p = e->program;
    FA__EACH_BIT (i, e->compiled->e->bound_only) {
        fa__operand *o = &l->operand[i + 1];
        if (!c->tensor[i] && o->kind == FA__VALUE_INT)
            o->value.i = o->value.i < p->low ? p->low : o->value.i > p->high ? p->high : o->value.i;
    }
}

static FA__COLD bool settle_integers(fa__call *c, const fa__elementwise *e, fa__launch *l)
{
    if (e->compute == FA__CLASS_I32 && !e->compiled->e->typed)
        hold_bounds(c, e, l);
    return fa__check_divisors(c, l);
}

FA__HOT bool fa__run_elementwise(fa__call *c)
{
    const fa__elementwise *e = &c->plan.elementwise;
    room r;
    fa_tensor *tensor[FA__MAX_FIELDS + 1], *out = c->out[0];
    fa__launch *l = &r.launch;
    l->kind = FA__LAUNCH_PROGRAM;
    l->compute = (uint8_t)e->compute;
    l->combine = l->kept = 0;
    l->overwrites = false;
    bool plain = e->plain && out->dense;
    int rank = plain ? 1 : out->rank;
    l->rank = (uint8_t)rank;
    l->outputs = 1;
    l->operands = (uint16_t)(1 + c->op->nfields);
    l->op = c->op;
    l->program = e->program;
    l->args = c->args;
    l->fault = NULL;
    if (FA__LIKELY(plain))
        l->shape[0] = fa__numel(out);
    else
        for (int i = 0; i < rank; i++)
            l->shape[i] = out->shape[i];
    tensor[0] = out;
    stretched(&l->operand[0], out, rank, plain);
    for (int i = 0; i < c->op->nfields; i++) {
        fa__operand *o = &l->operand[i + 1];
        const fa_tensor *t = c->tensor[i];
        bool used = e->compiled->e->used >> i & 1;
        tensor[i + 1] = NULL;
        if (!t || !used)
            fa__value_of(o, &c->op->fields[i], fa__field_at(c->args, &c->op->fields[i]));
        else if (FA__UNLIKELY(e->values >> i & 1)) {
            if (!host_value(c, o, t))
                return false;
        } else {
            tensor[i + 1] = (fa_tensor *)(uintptr_t)t;
            stretched(o, t, rank, plain);
        }
    }
    const fa__expression *x = e->compiled->e;
    if (FA__UNLIKELY(x->bound_only | x->divisors) && (e->compute >= FA__CLASS_I32 || x->typed)
        && !settle_integers(c, e, l))
        return false;
    return fa__launch_run(c, l, tensor);
}
