/* Scalar programs and reductions on OpenCL devices: random ones over random shapes, strides and dtypes give the CPU's
 * bits, and nothing is written beside the outputs. Without a device the test is skipped. */
#include "backend/device.h"
#include "base/error.h"
#include "support/trial.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fa__device *device;
static const fa__op op = {.name = "trial", .id = -1};

static void expect(bool good)
{
    if (!good)
        print_error("%s\n", fa_error_message());
    assert_true(good);
}

/* ---- the device's copies of a trial's memory ---- */

typedef struct mirror {
    char *memory[TRIAL_OPERANDS];
} mirror;

static void copy(void *to, const void *from, size_t bytes, bool to_device)
{
    fa__copy c = {.op = &op,
                  .to = to,
                  .from = from,
                  .bytes = bytes,
                  .to_device = to_device ? device : NULL,
                  .from_device = to_device ? NULL : device};
    pthread_mutex_lock(&device->lock);
    uint64_t ticket = device->backend->copy(device->queue, &c);
    pthread_mutex_unlock(&device->lock);
    expect(ticket != 0);
    device->backend->wait(device->queue, ticket);
    expect(!fa_failed());
}

static void mirror_begin(mirror *m, const trial *t)
{
    for (int i = 0; i < TRIAL_OPERANDS; i++) {
        const trial_array *a = &t->array[i];
        m->memory[i] = a->memory ? device->backend->allocate(device, a->bytes) : NULL;
        assert_true(!a->memory || m->memory[i]);
        if (a->memory)
            copy(m->memory[i], a->memory, a->bytes, true);
    }
}

static void mirror_end(mirror *m, const trial *t)
{
    for (int i = 0; i < TRIAL_OPERANDS; i++)
        if (m->memory[i])
            device->backend->release(device, m->memory[i], t->array[i].bytes);
}

/* Where an operand's data are on the device: it may be another one's memory. */
static void *mirrored(const mirror *m, const trial *t, const char *data)
{
    for (int i = 0; i < TRIAL_OPERANDS; i++) {
        const trial_array *a = &t->array[i];
        if (a->memory && data >= a->memory && data < a->memory + a->bytes)
            return m->memory[i] + (data - a->memory);
    }
    return NULL;
}

/* ---- trials ---- */

static bool run(const trial *t, const mirror *m)
{
    size_t size = fa__launch_size(t->launch);
    fa__launch *l = malloc(size);
    assert_non_null(l);
    memcpy(l, t->launch, size);
    l->op = &op;
    for (int i = 0; i < l->operands; i++)
        if (l->operand[i].kind == FA__MEMORY)
            l->operand[i].data = mirrored(m, t, t->launch->operand[i].data);
    expect(device->backend->prepare(device, (fa__program *)(uintptr_t)l->program, (fa__class)l->compute));
    pthread_mutex_lock(&device->lock);
    uint64_t ticket = device->backend->run(device->queue, l);
    pthread_mutex_unlock(&device->lock);
    if (ticket)
        device->backend->wait(device->queue, ticket);
    free(l);
    return ticket != 0;
}

/* No elements have no largest one. */
static bool refused(const trial *t, int64_t *results)
{
    const fa__launch *l = t->launch;
    int64_t length = 1;
    *results = 1;
    for (int d = 0; d < l->rank; d++)
        *(d < l->kept ? results : &length) *= l->shape[d];
    return length == 0 && *results > 0 && l->combine >= FA__COMBINE_MAX;
}

/* The device's results to `want`, then the CPU's to the operands: they are the same. */
static void compare_devices(const trial *t)
{
    mirror m;
    trial_array want[FA__MAX_OUTPUTS];
    bool reduces = t->launch->kind == FA__LAUNCH_REDUCE;
    int64_t results = t->n;
    if (reduces && refused(t, &results))
        return;
    trial_copy_outputs(t, want);
    mirror_begin(&m, t);
    expect(run(t, &m));
    expect(!fa_failed());
    for (int k = 0; k < t->launch->outputs; k++)
        copy(want[k].memory, m.memory[k], want[k].bytes, false);
    mirror_end(&m, t);
    assert_true(reduces ? fa__cpu_run_reduce(t->launch) : fa__cpu_run_program(t->launch));
    trial_compare(t, want, reduces ? t->launch->kept : t->launch->rank, results);
    trial_free_outputs(t, want);
}

/* Kernels take long to compile: each program has several sets of operands. */
static void try_and_end(trial *t, int sets)
{
    assert_true(fa__cpu_prepare(&t->program, (fa__class)t->launch->compute));
    for (int k = 0; k < sets; k++) {
        compare_devices(t);
        trial_again(t);
    }
    for (int c = 0; c < FA__CLASSES; c++) {
        void *compiled = atomic_exchange(&t->program.compiled[device->id.kind][c], NULL);
        if (compiled)
            device->backend->discard(compiled);
    }
    trial_end(t);
}

static void run_trials(int kind, int programs, int sets)
{
    for (int i = 0; i < programs; i++) {
        trial t;
        trial_begin(&t, kind, trial_chance(kind == FA__LAUNCH_REDUCE ? 60 : 20));
        try_and_end(&t, sets);
    }
}

/* Each primitive alone, in each class that has it. */
static void test_primitives(void **state)
{
    (void)state;
    for (int p = FA__PRIM_constant + 1; p < FA__PRIM_count; p++)
        for (int class = 0; class < FA__CLASSES; class ++) {
            trial t;
            if (fa__prims[p].domain == (class >= FA__CLASS_I32 ? FA__DOMAIN_FLOAT : FA__DOMAIN_WHOLE))
                continue;
            trial_begin_with(&t, (fa__class) class, (fa__prim)p);
            try_and_end(&t, 8);
        }
}

static void test_programs(void **state)
{
    (void)state;
    run_trials(FA__LAUNCH_PROGRAM, 20, 30);
}

static void test_reductions(void **state)
{
    (void)state;
    run_trials(FA__LAUNCH_REDUCE, 10, 30);
}

int main(void)
{
    setenv("POCL_DEVICES", "pthread pthread", 0);
    device = fa__device_get((fa_device){FA__OPENCL, 0});
    if (!device) {
        printf("skipped: %s\n", fa_error_message());
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
