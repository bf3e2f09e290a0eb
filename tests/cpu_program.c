/* Scalar programs and reductions on the CPU: random programs over random shapes, strides and dtypes, against an
 * evaluation of one element at a time and a plain reading of the reductions' tree. Every byte of the outputs' memory is
 * compared, so that stray writes are seen. */
#include "backend/cpu/level.h"
#include "backend/cpu/program.h"
#include "base/error.h"
#include "core/tensor.h"
#include <facula/host.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 60000, OPERANDS = 8, GUARD = 64 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int64_t below(int64_t n)
{
    return (int64_t)(draw() % (uint64_t)n);
}

static bool chance(int percent)
{
    return below(100) < percent;
}

/* One operand's memory. */
typedef struct array {
    char *memory, *data;
    size_t bytes;
} array;

typedef struct trial {
    fa__ssa_node node[64];
    fa__ssa ssa;
    fa__program program;
    fa__launch *launch;
    array array[OPERANDS];
    int64_t n;
} trial;

static bool floating(const trial *t)
{
    return t->launch->compute == FA__CLASS_F32 || t->launch->compute == FA__CLASS_F64;
}

static const fa__simd_class *class_of(const trial *t)
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
        fa__prim p = FA__PRIM_neg + (fa__prim)below(FA__PRIM_count - FA__PRIM_neg);
        bool draws = p == FA__PRIM_uniform || p == FA__PRIM_normal;
        if (!floating(t) && fa__prims[p].domain == FA__DOMAIN_FLOAT)
            continue;
        if ((draws || p == FA__PRIM_index) && (!placed || chance(50)))
            continue;
        return p;
    }
}

/* The last input is a key when the program is placed. */
static void draw_program(trial *t, bool placed, int outputs, bool plain)
{
    int inputs = t->launch->operands - t->launch->outputs;
    t->ssa = (fa__ssa){.node = t->node, .inputs = (uint16_t)inputs, .outputs = (uint16_t)outputs};
    t->program = (fa__program){.ssa = &t->ssa, .text = "", .hot = -1};
    for (int i = 0; i < inputs; i++)
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_input, .a = (uint16_t)i});
    uint16_t key = (uint16_t)(inputs - 1);
    int usable = placed ? inputs - 1 : inputs;
    if (usable == 0 || chance(50))
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_constant, .integer = true, .number.i = below(5) - 2});
    if (chance(30))
        add_node(t, (fa__ssa_node){.prim = FA__PRIM_constant, .number.f = floating(t) ? 0.37 : 3.0});
    int steps = plain ? (int)below(2) : 1 + (int)below(chance(20) ? 40 : 6);
    for (int k = 0; k < steps; k++) {
        fa__prim p = draw_prim(t, placed);
        uint16_t o[3] = {0};
        for (int j = 0; j < fa__prims[p].arity; j++)
            do
                o[j] = (uint16_t)(chance(40) ? t->ssa.count - 1 - below(t->ssa.count < 3 ? t->ssa.count : 3)
                                             : below(t->ssa.count));
            while (placed && o[j] == key);
        if (p == FA__PRIM_uniform || p == FA__PRIM_normal)
            o[0] = key;
        add_node(t, (fa__ssa_node){.prim = (uint8_t)p, .a = o[0], .b = o[1], .c = o[2]});
    }
    for (int k = 0; k < outputs; k++)
        do
            t->ssa.output[k] = (uint16_t)(k == 0 || chance(50) ? t->ssa.count - 1 - (k > 0) * below(t->ssa.count)
                                                               : below(t->ssa.count));
        while (placed && t->ssa.output[k] == key);
    if (placed && t->ssa.output[0] == key)
        t->ssa.output[0] = 0;
}

static void draw_shape(fa__launch *l)
{
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 8, 16, 17, 31, 64, 70, 130, 300, 1025, 3000};
    int64_t n;
    do {
        n = 1;
        l->rank = (uint8_t)below(6);
        for (int d = 0; d < l->rank; d++)
            n *= l->shape[d] = sizes[below(sizeof sizes / sizeof sizes[0])];
    } while (n > (chance(10) ? MOST : 6000));
    if (l->rank > 0 && chance(4))
        l->shape[below(l->rank)] = 0;
}

/* Strides over the first `rank` dimensions for an operand whose elements do not overlap, unless `repeats`. */
static void draw_layout(const fa__launch *l, int rank, fa__operand *o, array *a, bool repeats)
{
    int order[FA_MAX_DIMS];
    int64_t stride = chance(70) ? 1 : 1 + below(3), low = 0, high = 0;
    bool empty = false;
    for (int d = 0; d < rank; d++) {
        order[d] = rank - 1 - d;
        empty |= l->shape[d] == 0;
    }
    for (int d = rank - 1; d > 0 && chance(40); d--) {
        int e = (int)below(d + 1), keep = order[d];
        order[d] = order[e];
        order[e] = keep;
    }
    for (int d = 0; d < FA_MAX_DIMS; d++)
        o->stride[d] = 0;
    for (int k = 0; k < rank; k++) {
        int d = order[k];
        int64_t size = l->shape[d];
        if (repeats && chance(20))
            continue;
        o->stride[d] = chance(15) ? -stride : stride;
        stride *= empty ? 1 : size;
        stride += chance(15) ? below(4) : 0;
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
static void draw_elements(const fa__operand *o, array *a)
{
    size_t each = fa__dtype_sizes[o->dtype];
    memset(a->memory, 0x5a, a->bytes);
    for (size_t at = GUARD; at + each <= a->bytes - GUARD; at += each) {
        double v = o->dtype == FA_BOOL ? (double)below(2) : (double)(below(4001) - 2000) / 250;
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
        o->value.key = (fa__key){draw(), draw()};
        return;
    }
    if (!output && chance(15)) {
        bool integer = chance(50);
        o->kind = integer ? FA__VALUE_INT : FA__VALUE_FLOAT;
        o->dtype = integer ? FA_I64 : FA_F64;
        if (integer)
            o->value.i = below(9) - 4;
        else
            o->value.f = (double)below(100) / 16 - 3;
        return;
    }
    o->kind = FA__MEMORY;
    o->rank = l->rank;
    o->dtype = (uint8_t)(chance(60) ? class_of(t)->dtype : FA_BOOL + below(FA__DTYPES - FA_BOOL));
    draw_layout(l, output && l->kind == FA__LAUNCH_REDUCE ? l->kept : l->rank, o, &t->array[i], !output);
    draw_elements(o, &t->array[i]);
}

/* An input at an output's place: the same elements. */
static void draw_alias(trial *t)
{
    fa__launch *l = t->launch;
    int from = (int)below(l->outputs), to = l->outputs + (int)below(l->operands - l->outputs);
    if (l->operand[to].kind != FA__MEMORY || !t->array[to].memory)
        return;
    free(t->array[to].memory);
    t->array[to] = (array){0};
    l->operand[to] = l->operand[from];
}

static void begin_trial(trial *t, int kind, bool plain)
{
    static const uint8_t weights[] = {FA__CLASS_F32, FA__CLASS_F32, FA__CLASS_F64, FA__CLASS_I32, FA__CLASS_I64};
    memset(t, 0, sizeof *t);
    fa__launch *l = t->launch = calloc(1, sizeof *l + OPERANDS * sizeof l->operand[0]);
    assert_non_null(l);
    l->kind = (uint8_t)kind;
    l->compute = weights[below(5)];
    l->outputs = (uint16_t)(chance(75) ? 1 : 1 + below(3));
    l->operands = (uint16_t)(l->outputs + 1 + below(4));
    draw_shape(l);
    l->kept = (uint8_t)(kind == FA__LAUNCH_REDUCE ? below(l->rank + 1) : 0);
    l->combine = (uint8_t)below(4);
    l->program = &t->program;
    bool placed = !plain && floating(t) && chance(15);
    draw_program(t, placed, l->outputs, plain);
    t->n = 1;
    for (int d = 0; d < l->rank; d++)
        t->n *= l->shape[d];
    for (int i = 0; i < l->operands; i++)
        draw_operand(t, i, placed && i == l->operands - 1);
    if (kind == FA__LAUNCH_PROGRAM && chance(25))
        draw_alias(t);
}

static void end_trial(trial *t)
{
    fa__cpu_release_program(&t->program);
    for (int i = 0; i < OPERANDS; i++)
        free(t->array[i].memory);
    free(t->launch);
}

static char *element(const fa__launch *l, const fa__operand *o, int dims, int64_t number)
{
    int64_t offset = 0;
    for (int d = dims - 1; d >= 0; number /= l->shape[d--])
        offset += number % l->shape[d] * o->stride[d];
    return (char *)o->data + offset * (int64_t)fa__dtype_sizes[o->dtype];
}

/* The results of the program for one element, each in 8 bytes. */
static void evaluate(const trial *t, int64_t number, char results[][8])
{
    const fa__simd_class *c = class_of(t);
    const fa__launch *l = t->launch;
    static char value[64][8];
    for (int i = 0; i < t->ssa.count; i++) {
        const fa__ssa_node *n = &t->node[i];
        const fa__operand *o = &l->operand[l->outputs + n->a];
        const fa__operand *key = &l->operand[l->outputs + t->node[n->a].a];
        if (n->prim == FA__PRIM_input && o->kind == FA__MEMORY)
            c->load[o->dtype](value[i], element(l, o, l->rank, number), 1, 1);
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
static void compare(const trial *t, array *want, int dims, int64_t count)
{
    const fa__launch *l = t->launch;
    for (int k = 0; k < l->outputs; k++) {
        const fa__operand *o = &l->operand[k];
        int64_t shift = want[k].memory - t->array[k].memory;
        for (int64_t i = 0; i < count; i++) {
            char *got = element(l, o, dims, i);
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

static void copy_outputs(const trial *t, array *want)
{
    for (int k = 0; k < t->launch->outputs; k++) {
        want[k] = t->array[k];
        want[k].memory = malloc(want[k].bytes);
        assert_non_null(want[k].memory);
        memcpy(want[k].memory, t->array[k].memory, want[k].bytes);
    }
}

static void free_outputs(const trial *t, array *want)
{
    for (int k = 0; k < t->launch->outputs; k++)
        free(want[k].memory);
}

static void try_program(void)
{
    trial t;
    array want[FA__MAX_OUTPUTS];
    begin_trial(&t, FA__LAUNCH_PROGRAM, chance(20));
    copy_outputs(&t, want);
    for (int64_t i = 0; i < t.n; i++) {
        char r[FA__MAX_OUTPUTS][8];
        evaluate(&t, i, r);
        for (int k = 0; k < t.launch->outputs; k++) {
            const fa__operand *o = &t.launch->operand[k];
            char *at = element(t.launch, o, t.launch->rank, i) + (want[k].memory - t.array[k].memory);
            class_of(&t)->store[o->dtype](at, 1, r[k], 1);
        }
    }
    assert_true(fa__cpu_prepare(&t.program, t.launch->compute));
    assert_true(fa__cpu_run_program(t.launch));
    compare(&t, want, t.launch->rank, t.n);
    free_outputs(&t, want);
    end_trial(&t);
}

/* The tree, as it is defined. `x` holds n elements of 8 bytes; the result goes to x[0]. */
static void reduce_plainly(const trial *t, char x[][8], int64_t n)
{
    fa__loop *combine = class_of(t)->combine[t->launch->combine];
    do {
        int64_t blocks = (n + 1023) / 1024;
        for (int64_t b = 0; b < blocks; b++) {
            char chain[16][8];
            int64_t count = n - b * 1024 < 1024 ? n - b * 1024 : 1024;
            for (int64_t k = 0; k < count; k++)
                if (k < 16)
                    memcpy(chain[k], x[b * 1024 + k], 8);
                else
                    combine(chain[k % 16], chain[k % 16], x[b * 1024 + k], NULL, 1);
            for (int half = 8; half > 0; half /= 2)
                for (int j = 0; j < half; j++)
                    if (j + half < count)
                        combine(chain[j], chain[j], chain[j + half], NULL, 1);
            memcpy(x[b], chain[0], 8);
        }
        n = blocks;
    } while (n > 1);
}

static void want_reduced(const trial *t, const array *want, int64_t results, int64_t length)
{
    static char value[FA__MAX_OUTPUTS][MOST][8];
    const fa__launch *l = t->launch;
    for (int64_t r = 0; r < results; r++) {
        for (int64_t i = 0; i < length; i++) {
            char e[FA__MAX_OUTPUTS][8];
            evaluate(t, r * length + i, e);
            for (int k = 0; k < l->outputs; k++)
                memcpy(value[k][i], e[k], 8);
        }
        for (int k = 0; k < l->outputs; k++) {
            const fa__operand *o = &l->operand[k];
            int64_t start = l->combine == FA__COMBINE_PROD;
            if (length == 0)
                class_of(t)->load[FA_I64](value[k][0], &start, 1, 1);
            else
                reduce_plainly(t, value[k], length);
            char *at = element(l, o, l->kept, r) + (want[k].memory - t->array[k].memory);
            class_of(t)->store[o->dtype](at, 1, value[k][0], 1);
        }
    }
}

static void try_reduction(void)
{
    trial t;
    array want[FA__MAX_OUTPUTS];
    begin_trial(&t, FA__LAUNCH_REDUCE, chance(60));
    int64_t results = 1, length = 1;
    for (int d = 0; d < t.launch->rank; d++)
        *(d < t.launch->kept ? &results : &length) *= t.launch->shape[d];
    bool refused = length == 0 && results > 0 && t.launch->combine >= FA__COMBINE_MAX;
    copy_outputs(&t, want);
    if (!refused)
        want_reduced(&t, want, results, length);
    assert_true(fa__cpu_prepare(&t.program, t.launch->compute));
    assert_true(fa__cpu_run_reduce(t.launch) != refused);
    fa_error_clear();
    compare(&t, want, t.launch->kept, refused ? 0 : results);
    free_outputs(&t, want);
    end_trial(&t);
}

static void test_programs(void **test)
{
    (void)test;
    for (int i = 0; i < 4000; i++)
        try_program();
}

static void test_reductions(void **test)
{
    (void)test;
    for (int i = 0; i < 4000; i++)
        try_reduction();
}

/* A program whose values need more slots than a thread's tiles have room for at full length. */
static void test_many_slots(void **test)
{
    (void)test;
    enum { COUNT = 500 };
    static fa__ssa_node node[COUNT];
    static double in[777], out[777];
    node[0] = (fa__ssa_node){.prim = FA__PRIM_input};
    int leaves = COUNT / 2;
    for (int i = 1; i < leaves; i++)
        node[i] = (fa__ssa_node){.prim = FA__PRIM_mul, .a = (uint16_t)(i - 1), .b = 0};
    for (int i = leaves; i < COUNT; i++)
        node[i] = (fa__ssa_node){.prim = FA__PRIM_add, .a = (uint16_t)(i - 1), .b = (uint16_t)(COUNT - 1 - i)};
    fa__ssa ssa = {.count = COUNT, .inputs = 1, .outputs = 1, .output = {COUNT - 1}, .node = node};
    fa__program p = {.ssa = &ssa, .hot = -1};
    fa__launch *l = calloc(1, sizeof *l + 2 * sizeof l->operand[0]);
    assert_non_null(l);
    for (int i = 0; i < 777; i++)
        in[i] = i % 2 ? 1 : 0;
    l->compute = FA__CLASS_F64, l->rank = 1, l->outputs = 1, l->operands = 2, l->program = &p, l->shape[0] = 777;
    for (int i = 0; i < 2; i++)
        l->operand[i] = (fa__operand){.data = i ? in : out, .dtype = FA_F64, .rank = 1, .shape = {777}, .stride = {1}};
    assert_true(fa__cpu_prepare(&p, FA__CLASS_F64));
    assert_true(fa__cpu_run_program(l));
    for (int i = 0; i < 777; i++)
        assert_true(out[i] == (i % 2 ? COUNT - leaves + 1 : 0));
    fa__cpu_release_program(&p);
    free(l);
}

/* A sum of n elements, of one and of several threads, forwards and from memory that runs backwards. */
static void test_threads_do_not_matter(void **test)
{
    (void)test;
    enum { COUNT = 3000001 };
    float *x = malloc(COUNT * sizeof *x), *reversed = malloc(COUNT * sizeof *x), sum[3];
    assert_true(x && reversed);
    for (int i = 0; i < COUNT; i++)
        reversed[COUNT - 1 - i] = x[i] = (float)(draw() % 1000) * 0.001f;
    fa__ssa_node node = {.prim = FA__PRIM_input};
    fa__ssa ssa = {.count = 1, .inputs = 1, .outputs = 1, .node = &node};
    fa__program p = {.ssa = &ssa, .hot = -1};
    fa__launch *l = calloc(1, sizeof *l + 2 * sizeof l->operand[0]);
    assert_non_null(l);
    l->kind = FA__LAUNCH_REDUCE, l->compute = FA__CLASS_F32, l->rank = 1, l->outputs = 1, l->operands = 2;
    l->program = &p, l->shape[0] = COUNT;
    assert_true(fa__cpu_prepare(&p, FA__CLASS_F32));
    for (int r = 0; r < 3; r++) {
        fa_set_num_threads(r == 0 ? 1 : r == 1 ? 3 : 0);
        l->operand[0] = (fa__operand){.data = &sum[r], .dtype = FA_F32};
        l->operand[1] = (fa__operand){.data = r == 2 ? reversed + COUNT - 1 : x,
                                      .dtype = FA_F32,
                                      .rank = 1,
                                      .shape = {COUNT},
                                      .stride = {r == 2 ? -1 : 1}};
        assert_true(fa__cpu_run_reduce(l));
        assert_true(sum[r] == sum[0]);
    }
    fa__cpu_release_program(&p);
    free(l);
    free(x);
    free(reversed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_many_slots),
        cmocka_unit_test(test_threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
