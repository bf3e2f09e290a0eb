/* The dtypes of a program's values, from its operands on: each primitive promotes those that it has (typing.h). */
#include "core/dtype.h"
#include "dispatch/compiled.h"
#include <stdio.h>

typedef struct search {
    const fa__ssa *from;
    const fa__operand_types *operands;
    fa__value_type *of;
    fa__type_error *why;
} search;

static bool fails(search *w, const char *format, const char *what)
{
    w->why->code = FA_ERROR_DTYPE;
    snprintf(w->why->message, sizeof w->why->message, format, what);
    return false;
}

static int arity(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_input || n->prim == FA__PRIM_constant ? 0 : fa__prims[n->prim].arity;
}

static void promote(fa__promotion *p, fa__value_type of)
{
    uint8_t *side = of.rank == FA__OPERAND_DIMS ? &p->dims : of.rank == FA__OPERAND_ZERO_DIM ? &p->zero : &p->number;
    *side = (uint8_t)fa__promote((fa_dtype)*side, (fa_dtype)of.dtype);
}

/* What the operands from number `first` on promote to. */
static fa__value_type promoted(const search *w, const fa__ssa_node *n, int first)
{
    fa__promotion p = {FA_SAME, FA_SAME, FA_SAME};
    fa__value_type all = {.rank = FA__OPERAND_NUMBER};
    for (int k = first; k < arity(n); k++) {
        fa__value_type of = w->of[fa__ssa_operand(n, k)];
        promote(&p, of);
        all.rank = of.rank > all.rank ? of.rank : all.rank;
    }
    all.dtype = (uint8_t)fa__promoted(p);
    return all;
}

/* What a primitive gives; of a test it is what its operands are compared in that counts. */
static bool check_dtype(search *w, const fa__ssa_node *n, fa__value_type of)
{
    if (fa__prims[n->prim].domain == FA__DOMAIN_WHOLE && fa__dtype_is_float(of.dtype))
        return fails(w, "this is of integers and bool, and the operands are %s", fa_dtype_name((fa_dtype)of.dtype));
    bool typed = of.rank != FA__OPERAND_NUMBER;
    if (typed && of.dtype == FA_BOOL && (n->prim == FA__PRIM_neg || n->prim == FA__PRIM_sub))
        return fails(w, "%s is not defined for bools", "'-'");
    if (typed && fa__dtype_is_storage(of.dtype) && !fa__prim_is_exact((fa__prim)n->prim)) {
        w->why->code = FA_ERROR_DTYPE;
        w->why->dtype = of.dtype;
        return false;
    }
    return true;
}

static bool find_computed(search *w, const fa__ssa_node *n, fa__value_type *of)
{
    *of = promoted(w, n, n->prim == FA__PRIM_select);
    if (fa__prims[n->prim].domain == FA__DOMAIN_TEST) {
        uint8_t tests = of->rank == FA__OPERAND_NUMBER ? fa__numbers_dtype(w->operands, of->dtype) : of->dtype;
        *of = (fa__value_type){.dtype = FA_BOOL, .rank = FA__OPERAND_NUMBER, .test = true, .tests = tests};
        return true;
    }
    if (fa__prims[n->prim].domain == FA__DOMAIN_FLOAT && !fa__dtype_is_float(of->dtype))
        of->dtype = FA_F32;
    bool rounds = fa__dtype_is_storage(of->dtype) && !fa__prim_is_exact((fa__prim)n->prim);
    if (rounds && fa__dtype_is_float(w->operands->numbers)) /* all operands together may promote to more */
        of->dtype = w->operands->numbers;
    return check_dtype(w, n, *of);
}

static bool find_dtype(search *w, uint16_t i)
{
    const fa__ssa_node *n = &w->from->node[i];
    fa__value_type *of = &w->of[i];
    if (n->prim == FA__PRIM_input)
        *of = (fa__value_type){.dtype = w->operands->dtype[n->a], .rank = w->operands->rank[n->a]};
    else if (n->prim == FA__PRIM_constant)
        *of = (fa__value_type){.dtype = n->integer ? FA_I64 : FA_F32, .rank = FA__OPERAND_NUMBER};
    else if (n->prim == FA__PRIM_index)
        *of = (fa__value_type){.dtype = FA_I64, .rank = FA__OPERAND_NUMBER};
    else if (n->prim == FA__PRIM_uniform || n->prim == FA__PRIM_normal)
        return fails(w, "%s() and operands of several dtypes do not go together", fa__prims[n->prim].name);
    else if (fa__is_cast(n->prim))
        *of = (fa__value_type){.dtype = fa__prims[n->prim].dtype, .rank = FA__OPERAND_DIMS};
    else
        return find_computed(w, n, of);
    return true;
}

bool fa__find_value_types(const fa__ssa *ssa, const fa__operand_types *operands, fa__value_type of[FA__MAX_NODES],
                          fa__type_error *why)
{
    search w = {.from = ssa, .operands = operands, .of = of, .why = why};
    for (uint16_t i = 0; i < ssa->count; i++)
        if (!find_dtype(&w, i))
            return false;
    return true;
}
