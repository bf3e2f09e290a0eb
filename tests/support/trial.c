/* Random programs over random operands (trial.h). */
#include "support/trial.h"
#include "backend/cpu/program.h"
#include "core/tensor.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD = 64 };

static uint64_t state = 88172645463325252u;

uint64_t trial_draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int64_t trial_below(int64_t n)
{
    return (int64_t)(trial_draw() % (uint64_t)n);
}

bool trial_chance(int percent)
{
    return trial_below(100) < percent;
}

static bool floating(const trial *t)
{
    return t->launch->compute == FA__CLASS_F32 || t->launch->compute == FA__CLASS_F64;
}

const fa__simd_class *trial_class(const trial *t)
{
    return fa__cpu_simd->of[t->launch->compute];
}

static uint16_t add_node(trial *t, fa__ssa_node n)
{
    t->node[t->ssa.count] = n;
    return t->ssa.count++;
}

/* A primitive of the class, or a draw when `placed`. */
static fa__prim draw_prim(const trial *t, bool placed)
{
    for (;;) {
        fa__prim p = FA__PRIM_neg + (fa__prim)trial_below(FA__PRIM_count - FA__PRIM_neg);
        bool draws = p == FA__PRIM_uniform || p == FA__PRIM_normal;
        if (fa__prims[p].domain == (floating(t) ? FA__DOMAIN_WHOLE : FA__DOMAIN_FLOAT))
            continue;
        if ((draws || p == FA__PRIM_index) && (!placed || trial_chance(50)))
            continue;
        return p;
    }
}

enum { NO_KEY = UINT16_MAX };

/* A node that a step or an output may take: any but `key`, often one of the newest. */
static uint16_t draw_node(const trial *t, uint16_t key)
{
    int64_t count = t->ssa.count, newest = count < 3 ? count : 3, i;
    do
        i = trial_chance(40) ? count - 1 - trial_below(newest) : trial_below(count);
    while (i == key);
    return (uint16_t)i;
}

static void draw_step(trial *t, uint16_t key)
{
    fa__prim p = draw_prim(t, key != NO_KEY);
    uint16_t o[3] = {0};
    for (int j = 0; j < fa__prims[p].arity; j++)
        o[j] = draw_node(t, key);
    if (p == FA__PRIM_uniform || p == FA__PRIM_normal)
        o[0] = key;
    add_node(t, (fa__ssa_node){.prim = (uint8_t)p, .a = o[0], .b = o[1], .c = o[2]});
}

/* The first output is the last node; the others are any, but not the key. */
static void draw_outputs(trial *t, uint16_t key)
{
    int64_t count = t->ssa.count;
    t->ssa.output[0] = (uint16_t)(count - 1 == key ? 0 : count - 1);
    for (int k = 1; k < t->ssa.outputs; k++)
        do
            t->ssa.output[k] = (uint16_t)trial_below(count);
        while (t->ssa.output[k] == key);
}

/* The last input is a key when the program is placed. */
static void draw_program(trial *t, bool placed, int outputs, bool plain)
{
    int inputs = t->launch->operands - t->launch->outputs;
    t->ssa = (fa__ssa){.node = t->node, .inputs = (uint16_t)inputs, .outputs = (uint16_t)outputs};
    t->program = (fa__program){.ssa = &t->ssa, .text = "", .hot = -1};
    for (int i = 0; i < inputs; i++)
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_input, .a = (uint16_t)i});
    uint16_t key = placed ? (uint16_t)(inputs - 1) : NO_KEY;
    int usable = placed ? inputs - 1 : inputs;
    if (usable == 0 || trial_chance(50))
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_constant, .integer = true, .number.i = trial_below(5) - 2});
    if (trial_chance(30))
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_constant, .number.f = floating(t) ? 0.37 : 3.0});
    int steps = plain ? (int)trial_below(2) : 1 + (int)trial_below(trial_chance(20) ? 40 : 6);
    for (int k = 0; k < steps; k++)
        draw_step(t, key);
    draw_outputs(t, key);
}

static void draw_shape(fa__launch *l)
{
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 8, 16, 17, 31, 64, 70, 130, 300, 1025, 3000};
    int64_t n;
    do {
        n = 1;
        l->rank = (uint8_t)trial_below(6);
        for (int d = 0; d < l->rank; d++)
            n *= l->shape[d] = sizes[trial_below(sizeof sizes / sizeof sizes[0])];
    } while (n > (trial_chance(10) ? TRIAL_MOST : 6000));
    if (l->rank > 0 && trial_chance(4))
        l->shape[trial_below(l->rank)] = 0;
}

/* Strides over the first `rank` dimensions for an operand whose elements do not overlap, unless `repeats`. */
static void draw_layout(const fa__launch *l, int rank, fa__operand *o, trial_array *a, bool repeats)
{
    int order[FA_MAX_DIMS];
    int64_t stride = trial_chance(70) ? 1 : 1 + trial_below(3), low = 0, high = 0;
    bool empty = false;
    for (int d = 0; d < rank; d++) {
        order[d] = rank - 1 - d;
        empty |= l->shape[d] == 0;
    }
    for (int d = rank - 1; d > 0 && trial_chance(40); d--) {
        int e = (int)trial_below(d + 1), keep = order[d];
        order[d] = order[e];
        order[e] = keep;
    }
    for (int d = 0; d < FA_MAX_DIMS; d++)
        o->stride[d] = 0;
    for (int k = 0; k < rank; k++) {
        int d = order[k];
        int64_t size = l->shape[d];
        if (repeats && trial_chance(20))
            continue;
        o->stride[d] = trial_chance(15) ? -stride : stride;
        stride *= empty ? 1 : size;
        stride += trial_chance(15) ? trial_below(4) : 0;
        if (!empty)
            *(o->stride[d] < 0 ? &low : &high) += o->stride[d] * (size - 1);
    }
    size_t each = fa__dtype_sizes[o->dtype];
    a->bytes = (size_t)(high - low + 1) * each + 2 * GUARD;
    a->memory = malloc(a->bytes);
    assert_non_null(a->memory);
    o->data = a->data = a->memory + GUARD - low * (int64_t)each;
}

/* Numbers that every dtype has. */
static void draw_elements(const fa__operand *o, trial_array *a)
{
    size_t each = fa__dtype_sizes[o->dtype];
    memset(a->memory, 0x5a, a->bytes);
    for (size_t at = GUARD; at + each <= a->bytes - GUARD; at += each) {
        double v = o->dtype == FA_BOOL ? (double)trial_below(2) : (double)(trial_below(4001) - 2000) / 250;
        fa__cpu_simd->of[FA__CLASS_F64]->store[o->dtype](a->memory + at, 1, &v, 1);
    }
}

static void draw_operand(trial *t, int i, bool key)
{
    fa__launch *l = t->launch;
    fa__operand *o = &l->operand[i];
    bool output = i < l->outputs;
    memset(o, 0, sizeof *o);
    if (key) {
        o->kind = FA__VALUE_KEY;
        o->value.key = (fa__key){trial_draw(), trial_draw()};
        return;
    }
    if (!output && trial_chance(15)) {
        bool integer = trial_chance(50);
        o->kind = integer ? FA__VALUE_INT : FA__VALUE_FLOAT;
        o->dtype = integer ? FA_I64 : FA_F64;
        if (integer)
            o->value.i = trial_below(9) - 4;
        else
            o->value.f = (double)trial_below(100) / 16 - 3;
        return;
    }
    o->kind = FA__MEMORY;
    o->rank = l->rank;
    o->dtype = (uint8_t)(trial_chance(60) ? trial_class(t)->dtype : FA_BOOL + trial_below(FA__DTYPES - FA_BOOL));
    draw_layout(l, output && l->kind == FA__LAUNCH_REDUCE ? l->kept : l->rank, o, &t->array[i], !output);
    draw_elements(o, &t->array[i]);
}

/* An input at an output's place: the same elements. */
static void draw_alias(trial *t)
{
    fa__launch *l = t->launch;
    int from = (int)trial_below(l->outputs), to = l->outputs + (int)trial_below(l->operands - l->outputs);
    if (l->operand[to].kind != FA__MEMORY || !t->array[to].memory)
        return;
    free(t->array[to].memory);
    t->array[to] = (trial_array){0};
    l->operand[to] = l->operand[from];
}

/* Shape and operands for the program there is. */
static void draw_operands(trial *t)
{
    fa__launch *l = t->launch;
    draw_shape(l);
    if (l->kind == FA__LAUNCH_REDUCE)
        l->kept = (uint8_t)trial_below(l->rank + 1);
    t->n = 1;
    for (int d = 0; d < l->rank; d++)
        t->n *= l->shape[d];
    for (int i = 0; i < l->operands; i++)
        draw_operand(t, i, t->placed && i == l->operands - 1);
    if (l->kind == FA__LAUNCH_PROGRAM && trial_chance(25))
        draw_alias(t);
}

static void free_arrays(trial *t)
{
    for (int i = 0; i < TRIAL_OPERANDS; i++) {
        free(t->array[i].memory);
        t->array[i] = (trial_array){0};
    }
}

void trial_again(trial *t)
{
    free_arrays(t);
    draw_operands(t);
}

void trial_begin(trial *t, int kind, bool plain)
{
    static const uint8_t weights[] = {FA__CLASS_F32, FA__CLASS_F32, FA__CLASS_F64, FA__CLASS_I32, FA__CLASS_I64};
    memset(t, 0, sizeof *t);
    fa__launch *l = t->launch = calloc(1, sizeof *l + TRIAL_OPERANDS * sizeof l->operand[0]);
    assert_non_null(l);
    l->kind = (uint8_t)kind;
    l->compute = weights[trial_below(5)];
    l->outputs = (uint16_t)(trial_chance(75) ? 1 : 1 + trial_below(3));
    l->operands = (uint16_t)(l->outputs + 1 + trial_below(4));
    l->combine = (uint8_t)trial_below(4);
    l->program = &t->program;
    t->placed = !plain && floating(t) && trial_chance(15);
    draw_program(t, t->placed, l->outputs, plain);
    draw_operands(t);
}

void trial_begin_with(trial *t, fa__class class, fa__prim prim)
{
    memset(t, 0, sizeof *t);
    fa__launch *l = t->launch = calloc(1, sizeof *l + TRIAL_OPERANDS * sizeof l->operand[0]);
    assert_non_null(l);
    l->kind = FA__LAUNCH_PROGRAM;
    l->compute = (uint8_t) class;
    l->outputs = 1;
    l->operands = (uint16_t)(1 + (fa__prims[prim].arity ? fa__prims[prim].arity : 1));
    l->program = &t->program;
    t->placed = prim == FA__PRIM_uniform || prim == FA__PRIM_normal;
    t->ssa = (fa__ssa){.node = t->node, .inputs = (uint16_t)(l->operands - 1), .outputs = 1};
    t->program = (fa__program){.ssa = &t->ssa, .text = fa__prims[prim].name, .hot = -1};
    for (int i = 0; i < t->ssa.inputs; i++)
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_input, .a = (uint16_t)i});
    t->ssa.output[0] = add_node(t, (fa__ssa_node){.prim = (uint8_t)prim, .a = 0, .b = 1, .c = 2});
    draw_operands(t);
}

void trial_end(trial *t)
{
    fa__cpu_release_program(&t->program);
    free_arrays(t);
    free(t->launch);
}

char *trial_element(const fa__launch *l, const fa__operand *o, int dims, int64_t number)
{
    int64_t offset = 0;
    for (int d = dims - 1; d >= 0; number /= l->shape[d--])
        offset += number % l->shape[d] * o->stride[d];
    return (char *)o->data + offset * (int64_t)fa__dtype_sizes[o->dtype];
}

/* The results of the program for one element, each in 8 bytes. */
void trial_evaluate(const trial *t, int64_t number, char results[][8])
{
    const fa__simd_class *c = trial_class(t);
    const fa__launch *l = t->launch;
    static char value[64][8];
    for (int i = 0; i < t->ssa.count; i++) {
        const fa__ssa_node *n = &t->node[i];
        const fa__operand *o = &l->operand[l->outputs + n->a];
        const fa__operand *key = &l->operand[l->outputs + t->node[n->a].a];
        if (n->prim == FA__PRIM_input && o->kind == FA__MEMORY)
            c->load[o->dtype](value[i], trial_element(l, o, l->rank, number), 1, 1);
        else if (n->prim == FA__PRIM_input && o->kind != FA__VALUE_KEY)
            c->load[o->dtype](value[i], &o->value, 1, 1);
        else if (n->prim == FA__PRIM_constant)
            c->load[n->integer ? FA_I64 : FA_F64](value[i], &n->number, 1, 1);
        else if (n->prim == FA__PRIM_index)
            c->index(value[i], number, 1);
        else if (n->prim == FA__PRIM_uniform)
            c->uniform(value[i], key->value.key, number, 1);
        else if (n->prim == FA__PRIM_normal)
            c->normal(value[i], key->value.key, number, 1);
        else if (n->prim != FA__PRIM_input)
            c->prim[n->prim](value[i], value[n->a], value[n->b], value[n->c], 1);
    }
    for (int k = 0; k < t->ssa.outputs; k++)
        memcpy(results[k], value[t->ssa.output[k]], 8);
}

/* Elements are compared as values, since NaN may differ in payload; the gaps between them as bytes. */
static bool equal_elements(int dtype, const char *a, const char *b)
{
    double x, y;
    if (memcmp(a, b, fa__dtype_sizes[dtype]) == 0)
        return true;
    fa__cpu_simd->of[FA__CLASS_F64]->load[dtype](&x, a, 1, 1);
    fa__cpu_simd->of[FA__CLASS_F64]->load[dtype](&y, b, 1, 1);
    return dtype >= FA_F16 && x != x && y != y;
}

static void describe(const trial *t)
{
    const fa__launch *l = t->launch;
    print_message("class %d, kept %d, combine %d, shape", l->compute, l->kept, l->combine);
    for (int d = 0; d < l->rank; d++)
        print_message(" %d", (int)l->shape[d]);
    for (int i = 0; i < l->operands; i++) {
        print_message("\n  operand %d kind %d dtype %d at %p:", i, l->operand[i].kind, l->operand[i].dtype,
                      l->operand[i].data);
        for (int d = 0; d < l->rank; d++)
            print_message(" %d", (int)l->operand[i].stride[d]);
    }
    for (int i = 0; i < t->ssa.count; i++)
        print_message("\n  %d: %s %d %d %d", i, fa__prims[t->node[i].prim].name, t->node[i].a, t->node[i].b,
                      t->node[i].c);
    print_message("\n  outputs");
    for (int k = 0; k < t->ssa.outputs; k++)
        print_message(" %d", t->ssa.output[k]);
    print_message("\n");
}

/* The outputs' memory after the run is `want`, but for payloads of NaN. */
void trial_compare(const trial *t, trial_array *want, int dims, int64_t count)
{
    const fa__launch *l = t->launch;
    for (int k = 0; k < l->outputs; k++) {
        const fa__operand *o = &l->operand[k];
        int64_t shift = want[k].memory - t->array[k].memory;
        for (int64_t i = 0; i < count; i++) {
            char *got = trial_element(l, o, dims, i);
            if (!equal_elements(o->dtype, got, got + shift)) {
                describe(t);
                fail_msg("output %d, element %d is wrong", k, (int)i);
            }
            memcpy(got + shift, got, fa__dtype_sizes[o->dtype]);
        }
        if (memcmp(t->array[k].memory, want[k].memory, want[k].bytes) != 0) {
            describe(t);
            fail_msg("output %d: a stray write", k);
        }
    }
}

void trial_copy_outputs(const trial *t, trial_array *want)
{
    for (int k = 0; k < t->launch->outputs; k++) {
        want[k] = t->array[k];
        want[k].memory = malloc(want[k].bytes);
        assert_non_null(want[k].memory);
        memcpy(want[k].memory, t->array[k].memory, want[k].bytes);
    }
}

void trial_free_outputs(const trial *t, trial_array *want)
{
    for (int k = 0; k < t->launch->outputs; k++)
        free(want[k].memory);
}
