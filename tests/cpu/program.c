/* Scalar programs and reductions on the CPU: random programs over random shapes, strides and dtypes, against an
 * evaluation of one element at a time and a plain reading of the reductions' tree. Every byte of the outputs' memory is
 * compared, so that stray writes are seen. */
#include "base/error.h"
#include "support/trial.h"
#include <facula/host.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void try_program(void)
{
    trial t;
    trial_array want[FA__MAX_OUTPUTS];
    trial_begin(&t, FA__LAUNCH_PROGRAM, trial_chance(20));
    trial_copy_outputs(&t, want);
    for (int64_t i = 0; i < t.n; i++) {
        char r[FA__MAX_OUTPUTS][8];
        trial_evaluate(&t, i, r);
        for (int k = 0; k < t.launch->outputs; k++) {
            const fa__operand *o = &t.launch->operand[k];
            char *at = trial_element(t.launch, o, t.launch->rank, i) + (want[k].memory - t.array[k].memory);
            trial_class(&t)->store[o->dtype](at, 1, r[k], 1);
        }
    }
    assert_true(fa__cpu_prepare(&t.program, t.launch->compute));
    assert_true(fa__cpu_run_program(t.launch));
    trial_compare(&t, want, t.launch->rank, t.n);
    trial_free_outputs(&t, want);
    trial_end(&t);
}

/* The tree, as it is defined. `x` holds n elements of 8 bytes; the result goes to x[0]. */
static void reduce_plainly(const trial *t, char x[][8], int64_t n)
{
    fa__loop *combine = trial_class(t)->combine[t->launch->combine];
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

static void want_reduced(const trial *t, const trial_array *want, int64_t results, int64_t length)
{
    static char value[FA__MAX_OUTPUTS][TRIAL_MOST][8];
    const fa__launch *l = t->launch;
    for (int64_t r = 0; r < results; r++) {
        for (int64_t i = 0; i < length; i++) {
            char e[FA__MAX_OUTPUTS][8];
            trial_evaluate(t, r * length + i, e);
            for (int k = 0; k < l->outputs; k++)
                memcpy(value[k][i], e[k], 8);
        }
        for (int k = 0; k < l->outputs; k++) {
            const fa__operand *o = &l->operand[k];
            int64_t start = l->combine == FA__COMBINE_PROD;
            if (length == 0)
                trial_class(t)->load[FA_I64](value[k][0], &start, 1, 1);
            else
                reduce_plainly(t, value[k], length);
            char *at = trial_element(l, o, l->kept, r) + (want[k].memory - t->array[k].memory);
            trial_class(t)->store[o->dtype](at, 1, value[k][0], 1);
        }
    }
}

static void try_reduction(void)
{
    trial t;
    trial_array want[FA__MAX_OUTPUTS];
    trial_begin(&t, FA__LAUNCH_REDUCE, trial_chance(60));
    int64_t results = 1, length = 1;
    for (int d = 0; d < t.launch->rank; d++)
        *(d < t.launch->kept ? &results : &length) *= t.launch->shape[d];
    bool refused = length == 0 && results > 0 && t.launch->combine >= FA__COMBINE_MAX;
    trial_copy_outputs(&t, want);
    if (!refused)
        want_reduced(&t, want, results, length);
    assert_true(fa__cpu_prepare(&t.program, t.launch->compute));
    assert_true(fa__cpu_run_reduce(t.launch) != refused);
    fa_error_clear();
    trial_compare(&t, want, t.launch->kept, refused ? 0 : results);
    trial_free_outputs(&t, want);
    trial_end(&t);
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
        reversed[COUNT - 1 - i] = x[i] = (float)(trial_draw() % 1000) * 0.001f;
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
