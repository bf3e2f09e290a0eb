/* Lists of launches: what an optimizer or fa_update does with many tensors takes a few launches, with the bits that it
 * has one by one, on the CPU too. */
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "gpu/gpu_against_cpu.h"
#include <facula/optim.h>

#define S(...) FA_SHAPE(__VA_ARGS__)
enum { MANY = 60, STEPS = 3 };

/* ---- what is launched ---- */
static fa__gpu_driver watched;
static const fa__gpu_driver *real;
static int launches, uploads;

static bool count_launch(fa__device *d, void *queue, const fa__gpu_kernel *k, const uint64_t groups[3], void *fault,
                         bool careful, const fa__gpu_arg *args, int n)
{
    launches++;
    return real->launch(d, queue, k, groups, fault, careful, args, n);
}

static bool is_upload(const fa__gpu_copy *c)
{
    return c->to_device && !c->from_device;
}

static bool count_upload(fa__device *d, void *queue, const fa__gpu_copy *c, void **event)
{
    uploads += is_upload(c);
    return real->copy(d, queue, c, event);
}

/* The device has no memory for tables. */
static bool no_upload(fa__device *d, void *queue, const fa__gpu_copy *c, void **event)
{
    uploads += is_upload(c);
    return is_upload(c) ? fa__fail(FA_ERROR_MEMORY, "%s: no %zu bytes", d->name, c->bytes)
                        : real->copy(d, queue, c, event);
}

static int begin(void **state)
{
    real = gpu_own()->driver;
    watched = *real;
    watched.launch = count_launch;
    watched.copy = count_upload;
    gpu_own()->driver = &watched;
    return api_begin(state);
}

static int end(void **state)
{
    gpu_own()->driver = real;
    (void)state;
    fa_error_clear();
    return 0;
}

/* ---- parameters of different shapes ---- */

/* Sizes around the four elements of an item and the 512 of a group, ranks from 0 on, some dimensions of 0 and 1. */
static fa_shape shape_of(int i)
{
    const int64_t n = i + 1;
    const fa_shape shapes[] = {S(n), S(n, 3), S(4, n * 9), S(2, n, 1, 5), S(n * 37), S(3, 0, n)};
    return i == 0 ? FA_SCALAR : shapes[i % 6];
}

typedef struct model {
    fa_tensor *parameter[MANY], *grad[MANY];
    fa_optim *optim;
} model;

/* Elements that are the same on both devices; every fifth gradient lies in another order than its parameter. */
static fa_tensor *numbers(fa_shape shape, fa_dtype dtype, fa_device where, double first, bool turned)
{
    const double n = (double)gpu_count(shape);
    if (turned && shape.rank == 2) {
        const int64_t rows = shape.dim[0];
        shape.dim[0] = shape.dim[1];
        shape.dim[1] = rows;
    }
    fa_tensor *x = fa_reshape(fa_sin(fa_arange(first, first + n, .dtype = FA_F32)), shape);
    x = fa_to(fa_to(x, dtype), where);
    return turned && shape.rank == 2 ? fa_t(x) : x;
}

static void make_model(model *m, fa_dtype dtype, fa_device where)
{
    for (int i = 0; i < MANY; i++) {
        m->parameter[i] = numbers(shape_of(i), dtype, where, i, false);
        fa_set_requires_grad(m->parameter[i], true);
        fa_set_grad(m->parameter[i], numbers(shape_of(i), dtype, where, 100 + i, i % 5 == 1));
    }
    const fa_parameters all = {.count = MANY, .item = m->parameter};
    m->optim = fa_optim_adam(all, .lr = 0.01, .weight_decay = 0.1, .amsgrad = true);
}

static void same_parameters(const model *cpu, const model *gpu)
{
    for (int i = 0; i < MANY; i++)
        SAME("parameter %d", cpu->parameter[i], gpu->parameter[i], i);
}

/* The most launches that a step takes behind the first, which makes the states. */
static int steps(model *m, int count)
{
    int most = 0;
    assert_true(fa_optim_step(m->optim));
    for (int i = 1; i < count; i++) {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        launches = uploads = 0;
        assert_true(fa_optim_step(m->optim));
        most = launches > most ? launches : most;
    }
    return most;
}

static void a_step_is_a_few_launches(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16, FA_F64};
    for (int d = 0; d < 4; d++) {
        FA_SCOPE;
        model cpu, gpu;
        if (!gpu_has(dtypes[d]))
            continue;
        make_model(&cpu, dtypes[d], FA_CPU);
        make_model(&gpu, dtypes[d], GPU);
        steps(&cpu, STEPS);
        const int most = steps(&gpu, STEPS);
        assert_in_range(most, 2, 4); /* runs, and the others */
        assert_int_equal(uploads, most);
        same_parameters(&cpu, &gpu);
    }
}

static void groups_of_one_program_go_together(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p[2][4];
    for (int k = 0; k < 2; k++) {
        fa_optim *o = NULL;
        for (int i = 0; i < 4; i++) {
            p[k][i] = numbers(S(70 + i), FA_F32, k ? GPU : FA_CPU, i, false);
            fa_set_requires_grad(p[k][i], true);
            fa_set_grad(p[k][i], numbers(S(70 + i), FA_F32, k ? GPU : FA_CPU, 9 + i, false));
        }
        o = fa_optim_sgd(fa_params(p[k][0], p[k][1]), .lr = 0.5);
        fa_optim_add_group(o, fa_params(p[k][2], p[k][3]), .lr = 0.25);
        launches = 0;
        assert_true(fa_optim_step(o));
    }
    assert_int_equal(launches, 1);
    for (int i = 0; i < 4; i++)
        SAME("parameter %d", p[0][i], p[1][i], i);
}

/* ---- what depends on another place ---- */

static fa_tensor *last_of_chain(fa_device where, int *most)
{
    fa_tensor *x[4], *y[4];
    fa_tensor *all = numbers(S(40), FA_F32, where, 1, false);
    for (int i = 0; i < 4; i++) {
        x[i] = fa_narrow(all, 0, 10 * i, 10);
        y[i] = fa_narrow(all, 0, i ? 10 * i - 10 : 30, 10); /* what the place before writes */
    }
    const fa_binding names[] = {{.name = "x", .tensors = {4, x}}, {.name = "y", .tensors = {4, y}}};
    launches = 0;
    assert_true(fa_update("x = 2 * x + y", 2, names));
    *most = launches;
    return all;
}

static void what_reads_anothers_result_keeps_its_order(void **state)
{
    (void)state;
    FA_SCOPE;
    int on_cpu, on_gpu;
    fa_tensor *cpu = last_of_chain(FA_CPU, &on_cpu), *gpu = last_of_chain(GPU, &on_gpu);
    assert_int_equal(on_gpu, 4);
    SAME("%s", cpu, gpu, "a chain");
}

static fa_tensor *parts_of_one(fa_device where, bool twice)
{
    fa_tensor *x[4];
    fa_tensor *all = numbers(S(40), FA_F32, where, 1, false);
    for (int i = 0; i < 4; i++)
        x[i] = fa_narrow(all, 0, twice ? 5 : 10 * i, 10);
    const fa_binding names[] = {{.name = "x", .tensors = {4, x}}};
    launches = 0;
    assert_true(fa_update("x = 3 * x - 1", 1, names));
    return all;
}

static void parts_of_one_memory_go_together_unless_they_meet(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *cpu = parts_of_one(FA_CPU, false), *gpu = parts_of_one(GPU, false);
    assert_int_equal(launches, 2); /* some begin where four elements do */
    SAME("%s", cpu, gpu, "parts");
    cpu = parts_of_one(FA_CPU, true);
    gpu = parts_of_one(GPU, true);
    assert_int_equal(launches, 4);
    SAME("%s", cpu, gpu, "the same part, four times");
}

/* One program after the other, as they are written, each in one launch. */
static void programs_that_meet_keep_their_order(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x[2][2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++)
            x[k][i] = numbers(S(30), FA_F32, k ? GPU : FA_CPU, i, false);
        const fa_binding names[] = {{.name = "x", .tensors = {2, x[k]}}};
        const fa_program programs[] = {{"x = x + 1", 1, names}, {"x = x * x", 1, names}, {"x = x + 1", 1, names}};
        launches = 0;
        assert_true(fa_update_all(3, programs));
    }
    assert_int_equal(launches, 3);
    for (int i = 0; i < 2; i++)
        SAME("tensor %d", x[0][i], x[1][i], i);
}

/* ---- tables ---- */

static void without_memory_for_a_table_they_run_by_themselves(void **state)
{
    (void)state;
    FA_SCOPE;
    model cpu, gpu;
    make_model(&cpu, FA_F32, FA_CPU);
    make_model(&gpu, FA_F32, GPU);
    watched.copy = no_upload;
    steps(&cpu, 2);
    const int most = steps(&gpu, 2);
    assert_int_equal(most, MANY);
    assert_true(uploads > 0);
    assert_no_error();
    same_parameters(&cpu, &gpu);
}

/* Each tensor in memory of its own: a kernel is given twenty of them. */
static void many_segments_take_more_launches(void **state)
{
    (void)state;
    FA_SCOPE;
    model cpu, gpu;
    fa__device *d = fa__device_get(GPU);
    const bool before = d->cache.direct;
    make_model(&cpu, FA_F32, FA_CPU);
    steps(&cpu, 2);
    d->cache.direct = true;
    make_model(&gpu, FA_F32, GPU);
    const int most = steps(&gpu, 2);
    d->cache.direct = before;
    assert_in_range(most, 10, MANY / 2);
    same_parameters(&cpu, &gpu);
}

static void nothing_is_written_behind_a_fault(void **state)
{
    (void)state;
    FA_SCOPE;
    model m;
    fa_tensor *was[MANY];
    make_model(&m, FA_F32, GPU);
    steps(&m, 1);
    for (int i = 0; i < MANY; i++)
        was[i] = fa_cpu(m.parameter[i]);
    fa_index_select(fa_ones(S(3), .device = GPU), 0, fa_full(S(1), 7, .device = GPU));
    fa_optim_step(m.optim);
    fa_synchronize(GPU);
    assert_error(FA_ERROR_INDEX, "fa_index_select", "index 7");
    for (int i = 0; i < MANY; i++)
        SAME("parameter %d", was[i], m.parameter[i], i);
}

#define LISTED(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* launches are counted where they are issued */
    const struct CMUnitTest tests[] = {
        LISTED(a_step_is_a_few_launches),
        LISTED(groups_of_one_program_go_together),
        LISTED(what_reads_anothers_result_keeps_its_order),
        LISTED(parts_of_one_memory_go_together_unless_they_meet),
        LISTED(programs_that_meet_keep_their_order),
        LISTED(without_memory_for_a_table_they_run_by_themselves),
        LISTED(many_segments_take_more_launches),
        LISTED(nothing_is_written_behind_a_fault),
    };
    return gpu_there() ? RUN("gpu_lists") : GPU_SKIPPED;
}
