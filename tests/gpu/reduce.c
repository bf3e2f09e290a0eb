/* Reductions, softmax and searches on an OpenCL device: the CPU's bits, in every dtype, layout and size. Once through
 * the operations, once through launches of programs with several results, all ways to combine, and elements' numbers.
 * Needs a platform, such as PoCL; without one it is skipped. */
#define _GNU_SOURCE
#include "backend/cpu/level.h"
#include "backend/cpu/program.h"
#include "backend/gpu/gpu.h"
#include "core/storage.h"
#include "core/tensor.h"
#include "support/autograd_test.h"
#include <facula/host.h>
#include <stdio.h>

#define GPU FA_OPENCL(0)

static const fa__gpu_device *own(void)
{
    return fa__device_get(GPU)->own;
}

static bool has_f64(void)
{
    return own()->f64;
}

/* ---- equal bits ---- */

/* Elements as 8 bytes each: floats as f64, with one NaN. */
static uint64_t *elements(const fa_tensor *t)
{
    int64_t n = fa_numel(t);
    bool floating = t->dtype >= FA_F16;
    uint64_t *bits = malloc((size_t)(n ? n : 1) * sizeof *bits);
    assert_non_null(bits);
    if (!fa_read(t, bits, floating ? FA_F64 : FA_I64, n))
        fail_msg("%s", fa_error_message());
    for (int64_t i = 0; i < n && floating; i++) {
        double v;
        memcpy(&v, &bits[i], sizeof v);
        if (v != v)
            bits[i] = UINT64_MAX;
    }
    return bits;
}

static void hold_same(const fa_tensor *have, const fa_tensor *want, const char *what)
{
    if (!have || !want)
        fail_msg("%s: %s", what, fa_error_message());
    assert_true(fa_numel(have) == fa_numel(want) && have->dtype == want->dtype && have->rank == want->rank);
    uint64_t *h = elements(have), *w = elements(want);
    for (int64_t i = 0; i < fa_numel(want); i++)
        if (h[i] != w[i])
            fail_msg("%s: element %lld is %llx, not %llx", what, (long long)i, (unsigned long long)h[i],
                     (unsigned long long)w[i]);
    free(h);
    free(w);
}

/* ---- operations ---- */

static fa_tensor *op_sum(const fa_tensor *x, fa_dims dim)
{
    return fa_sum(x, .dim = dim);
}

static fa_tensor *op_kept_sum(const fa_tensor *x, fa_dims dim)
{
    return fa_sum(x, .dim = dim, .keepdim = true);
}

static fa_tensor *op_mean(const fa_tensor *x, fa_dims dim)
{
    return fa_mean(x, .dim = dim);
}

static fa_tensor *op_var(const fa_tensor *x, fa_dims dim)
{
    return fa_var(x, .dim = dim);
}

static fa_tensor *op_amax(const fa_tensor *x, fa_dims dim)
{
    return fa_amax(x, .dim = dim);
}

static fa_tensor *op_argmax(const fa_tensor *x, fa_dims dim)
{
    return fa_argmax(x, .dim = dim);
}

static fa_tensor *op_softmax(const fa_tensor *x, fa_dims dim)
{
    return fa_softmax(x, dim);
}

static fa_tensor *op_log_softmax(const fa_tensor *x, fa_dims dim)
{
    return fa_log_softmax(x, dim);
}

static fa_tensor *op_max(const fa_tensor *x, fa_dims dim)
{
    return fa_max(x, dim).values;
}

static fa_tensor *op_max_place(const fa_tensor *x, fa_dims dim)
{
    return fa_max(x, dim, .keepdim = true).indices;
}

static const struct operation {
    const char *name;
    fa_tensor *(*run)(const fa_tensor *, fa_dims);
    bool all, several; /* dim may be FA_ALL, FA_DIMS(...) */
    bool empty;        /* there may be no elements to choose from */
    bool floating;     /* floating dtypes only */
} operations[] = {
    {"sum", op_sum, true, true, true, false},          {"sum, kept", op_kept_sum, true, true, true, false},
    {"mean", op_mean, true, true, true, true},         {"var", op_var, true, true, true, true},
    {"amax", op_amax, true, true, false, false},       {"argmax", op_argmax, true, false, false, false},
    {"softmax", op_softmax, false, false, true, true}, {"log_softmax", op_log_softmax, false, false, true, true},
    {"max", op_max, false, false, false, false},       {"max's place", op_max_place, false, false, false, false},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- layouts: the same views on each device ---- */

static fa_tensor *as_it_is(const fa_tensor *x)
{
    return fa_identity(x);
}

static fa_tensor *turned(const fa_tensor *x)
{
    return fa_transpose(x, 0, -1);
}

static fa_tensor *with_gaps(const fa_tensor *x)
{
    return fa_slice(fa_slice(x, 0, .step = 2), -1, .start = 1);
}

static fa_tensor *backwards(const fa_tensor *x)
{
    return fa_slice(fa_slice(x, 0, .step = -1), -1, .step = -2);
}

static fa_tensor *expanded(const fa_tensor *x)
{
    fa_tensor *one = fa_slice(x, -1, .end = 1);
    fa_shape shape = {.rank = x->rank};
    for (int i = 0; i < x->rank; i++)
        shape.dim[i] = i == x->rank - 1 ? 5 : x->shape[i];
    return fa_expand(one, shape);
}

static const struct layout {
    const char *name;
    fa_tensor *(*view)(const fa_tensor *);
} layouts[] = {{"as it is", as_it_is},
               {"transposed", turned},
               {"with gaps", with_gaps},
               {"backwards", backwards},
               {"expanded", expanded}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static void try_operation(const struct operation *o, const fa_tensor *cpu, const fa_tensor *gpu, fa_dims dim,
                          const char *where)
{
    char what[256];
    int64_t searched = 1;
    for (int i = 0; i < cpu->rank; i++)
        if (dim == FA_ALL || dim == i || fa__dims_named(dim))
            searched *= cpu->shape[i];
    if (searched == 0 && !o->empty)
        return;
    snprintf(what, sizeof what, "%s over %lld of %s, %s", o->name, (long long)dim, fa_dtype_name((fa_dtype)cpu->dtype),
             where);
    hold_same(o->run(gpu, dim), o->run(cpu, dim), what);
}

/* All operations over all dimensions of all layouts of x. */
static void try_all(const fa_tensor *x, const char *where)
{
    FA_SCOPE;
    fa_tensor *there = fa_to(x, GPU);
    for (int k = 0; k < LAYOUTS; k++) {
        fa_tensor *cpu = layouts[k].view(x), *gpu = layouts[k].view(there);
        char place[128];
        if (!cpu || !gpu)
            fail_msg("%s, %s: %s", where, layouts[k].name, fa_error_message());
        snprintf(place, sizeof place, "%s, %s", where, layouts[k].name);
        for (int i = 0; i < OPERATIONS; i++) {
            const struct operation *o = &operations[i];
            if (o->floating && x->dtype < FA_F16)
                continue;
            for (int d = 0; d < x->rank; d++)
                try_operation(o, cpu, gpu, d, place);
            if (o->all)
                try_operation(o, cpu, gpu, FA_ALL, place);
            if (o->several && x->rank > 2)
                try_operation(o, cpu, gpu, FA_DIMS(0, -1), place);
        }
    }
}

static fa_tensor *values(fa_shape shape, fa_dtype dtype)
{
    return fa_to(fa_mul(fa_randn(shape), dtype < FA_F16 ? 40.0 : 3.0), dtype);
}

static void every_size_in_f32(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 1023, 1024, 1025, 2049};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        FA_SCOPE;
        char where[32];
        snprintf(where, sizeof where, "%lld elements", (long long)sizes[i]);
        fa_manual_seed(i);
        try_all(values(FA_SHAPE(sizes[i], 3), FA_F32), where);
        try_all(values(FA_SHAPE(2, sizes[i], 33), FA_F32), where);
    }
}

static void every_dtype(void **state)
{
    (void)state;
    for (int dtype = FA_BOOL; dtype <= (has_f64() ? FA_F64 : FA_F32); dtype++) {
        FA_SCOPE;
        fa_manual_seed((uint64_t)dtype);
        try_all(values(FA_SHAPE(37, 3), (fa_dtype)dtype), "37 x 3");
        try_all(values(FA_SHAPE(3, 5, 1030), (fa_dtype)dtype), "3 x 5 x 1030");
        try_all(values(FA_SHAPE(0, 3), (fa_dtype)dtype), "0 x 3");
    }
}

static void a_single_number(void **state)
{
    (void)state;
    fa_tensor *x = fa_full((fa_shape){.rank = 0}, -2.5), *there = fa_to(x, GPU);
    for (int i = 0; i < OPERATIONS; i++)
        hold_same(operations[i].run(there, operations[i].all ? FA_ALL : 0),
                  operations[i].run(x, operations[i].all ? FA_ALL : 0), operations[i].name);
}

/* Partial results of partial results, and rows for a whole group. */
static void a_million_elements(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_BF16, FA_I32, FA_F64};
    for (size_t i = 0; i < (has_f64() ? 4 : 3); i++) {
        FA_SCOPE;
        fa_manual_seed(i);
        fa_tensor *x = values(FA_SHAPE(1000003), dtypes[i]), *back = fa_slice(x, 0, .step = -1);
        fa_tensor *there = fa_to(x, GPU), *back_there = fa_slice(there, 0, .step = -1);
        fa_tensor *wide = fa_reshape(fa_slice(x, 0, .end = 1000000), FA_SHAPE(-1, 4));
        fa_tensor *wide_there = fa_reshape(fa_slice(there, 0, .end = 1000000), FA_SHAPE(-1, 4));
        for (int k = 0; k < OPERATIONS; k++) {
            if (operations[k].floating && dtypes[i] < FA_F16)
                continue;
            try_operation(&operations[k], x, there, 0, "1000003 elements");
            try_operation(&operations[k], back, back_there, 0, "1000003 elements backwards");
            try_operation(&operations[k], wide, wide_there, 0, "250000 x 4");
        }
    }
}

/* More than 1024 * 1024 elements of a result. */
static void three_levels(void **state)
{
    (void)state;
    fa_manual_seed(3);
    fa_tensor *x = fa_randn(FA_SHAPE(1024 * 1024 * 3 + 1027)), *there = fa_to(x, GPU);
    for (int k = 0; k < OPERATIONS; k++)
        try_operation(&operations[k], x, there, 0, "3 M elements");
}

/* NaN is larger than everything, the first one counts, and so does the first of equal elements: wherever items of a
 * group, groups and parts meet. */
static void the_first_of_the_largest(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 40, 300, 5000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t n = sizes[i];
        for (int nan = 0; nan < 2; nan++)
            for (int64_t first = 0; first < n; first += n / 2) {
                FA_SCOPE;
                fa_tensor *x = fa_zeros(FA_SHAPE(2, n));
                for (int64_t at = first; at < n; at += 1 + n / 7)
                    fa_copy_(fa_slice(x, 1, .start = at, .end = at + 1), nan ? (double)NAN : 7.0);
                if (nan && first > 0)
                    fa_copy_(fa_slice(x, 1, .end = 1), INFINITY);
                fa_tensor *there = fa_to(x, GPU), *best = fa_cpu(fa_argmax(there, .dim = 1));
                assert_true(fa_item_int(fa_slice(best, 0, .end = 1)) == first);
                assert_true(fa_item_int(fa_argmax(there)) == first);
                hold_same(fa_max(there, 1).values, fa_max(x, 1).values, "max");
                hold_same(fa_amax(there, .dim = 1), fa_amax(x, .dim = 1), "amax");
            }
    }
}

/* ---- launches ---- */

enum { OPERANDS = 6, ROOM = 1 << 17, TRIALS = 400 };
static uint64_t seed = 88172645463325252u;

static int64_t below(int64_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int64_t)(seed % (uint64_t)n);
}

/* Several results; elements' numbers and draws; a value that is none in memory. */
static fa__ssa_node differences[] = {{.prim = FA__PRIM_input, .a = 0},
                                     {.prim = FA__PRIM_input, .a = 1},
                                     {.prim = FA__PRIM_sub, .a = 0, .b = 1},
                                     {.prim = FA__PRIM_mul, .a = 2, .b = 2},
                                     {.prim = FA__PRIM_maximum, .a = 0, .b = 1}};
static fa__ssa_node numbers[] = {
    {.prim = FA__PRIM_input, .a = 0}, {.prim = FA__PRIM_index}, {.prim = FA__PRIM_add, .a = 0, .b = 1}};
static fa__ssa_node draws[] = {{.prim = FA__PRIM_input, .a = 0},
                               {.prim = FA__PRIM_input, .a = 1},
                               {.prim = FA__PRIM_uniform, .a = 1},
                               {.prim = FA__PRIM_add, .a = 0, .b = 2}};
static const fa__ssa texts[] = {
    {.count = 5, .inputs = 2, .outputs = 4, .output = {3, 0, 4, 1}, .node = differences},
    {.count = 3, .inputs = 1, .outputs = 1, .output = {2}, .node = numbers},
    {.count = 4, .inputs = 2, .outputs = 2, .output = {3, 0}, .node = draws},
};
static fa__program programs[] = {{.ssa = &texts[0], .text = "differences", .hot = -1},
                                 {.ssa = &texts[1], .text = "numbers", .hot = -1},
                                 {.ssa = &texts[2], .text = "draws", .hot = -1}};

typedef union launch_room {
    fa__launch launch;
    char bytes[sizeof(fa__launch) + OPERANDS * sizeof(fa__operand)];
} launch_room;

/* Up to 4 dimensions, of which a few make up 1 to 5000 elements. */
static void draw_shape(fa__launch *l)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 15, 16, 17, 33, 130, 1023, 1024, 1025, 2050, 5000};
    int64_t n = 1;
    l->rank = (uint8_t)below(5);
    for (int d = 0; d < l->rank; d++) {
        do
            l->shape[d] = below(30) ? sizes[below(15)] : 0;
        while (n * l->shape[d] > 5000);
        n *= l->shape[d] ? l->shape[d] : 1;
    }
    l->kept = (uint8_t)below(l->rank + 1);
}

/* Dense in an order of its own half of the time, with gaps now and then, and now and then backwards. */
static void draw_strides(fa__launch *l, fa__operand *o, int dims, bool repeats)
{
    int order[FA_MAX_DIMS];
    bool mixed = below(2);
    int64_t step = below(4) ? 1 : 1 + below(3), offset = 0;
    for (int d = 0; d < dims; d++) {
        int k = mixed ? (int)below(d + 1) : d;
        order[d] = d;
        order[d] = order[k];
        order[k] = d;
    }
    for (int i = dims - 1; i >= 0; i--) {
        int d = order[i];
        o->stride[d] = step;
        step *= l->shape[d] ? l->shape[d] : 1;
        if (repeats && below(6) == 0)
            o->stride[d] = 0;
        else if (below(6) == 0 && l->shape[d]) {
            offset += o->stride[d] * (l->shape[d] - 1);
            o->stride[d] = -o->stride[d];
        }
    }
    o->data = (char *)o->data + offset * (int64_t)fa__dtype_size(o->dtype);
}

/* Small numbers that are not 0, so that nothing becomes NaN; `data` is the host's. */
static void fill(const fa__operand *o, void *data)
{
    int64_t n = ROOM / (int64_t)fa__dtype_size(o->dtype);
    for (int64_t i = 0; i < n; i++) {
        double v = (double)(1 + below(80)) / 64 * (below(2) ? 1 : -1);
        fa__cpu_simd->of[FA__CLASS_F64]->store[o->dtype]((char *)data + i * (int64_t)fa__dtype_size(o->dtype), 1, &v,
                                                         1);
    }
}

static void draw_operand(fa__launch *l, int k, char *memory)
{
    static const uint8_t plain[FA__CLASSES] = {FA_F32, FA_F64, FA_I32, FA_I64};
    bool output = k < l->outputs;
    fa__operand *o = &l->operand[k];
    *o = (fa__operand){.kind = FA__MEMORY, .rank = l->rank};
    o->data = memory + k * ROOM;
    o->dtype = (uint8_t)(below(2) ? plain[l->compute] : FA_BOOL + below((has_f64() ? FA_F64 : FA_F32)));
    fill(o, o->data);
    if (l->program == &programs[2] && k == l->operands - 1)
        *o = (fa__operand){.kind = FA__VALUE_KEY, .dtype = FA_I64, .value.key = {(uint64_t)below(99), 7}};
    else if (!output && below(8) == 0)
        *o = (fa__operand){.kind = FA__VALUE_FLOAT, .dtype = FA_F64, .value.f = 2.75};
    else
        draw_strides(l, o, output ? l->kept : l->rank, !output);
}

static void draw_launch(fa__launch *l, char *memory)
{
    /* few classes, as each is a kernel to compile for each way to combine */
    static const uint8_t others[FA__COMBINES] = {FA__CLASS_F64, FA__CLASS_I32, FA__CLASS_I64, FA__CLASS_I32};
    int program = (int)below(3);
    *l = (fa__launch){.kind = FA__LAUNCH_REDUCE, .compute = FA__CLASS_F32, .program = &programs[program]};
    l->combine = (uint8_t)(program == 0 ? below(4) : program == 1 ? FA__COMBINE_MAX : FA__COMBINE_SUM);
    if (program == 1 || (program == 0 && below(2) && (others[l->combine] != FA__CLASS_F64 || has_f64())))
        l->compute = others[l->combine];
    l->outputs = texts[program].outputs;
    l->operands = (uint16_t)(l->outputs + texts[program].inputs);
    draw_shape(l);
    for (int k = 0; k < l->operands; k++)
        draw_operand(l, k, memory);
}

/* The same launch where the memory is another. */
static void move_launch(fa__launch *l, const char *from, char *to)
{
    for (int k = 0; k < l->operands; k++)
        if (l->operand[k].kind == FA__MEMORY)
            l->operand[k].data = to + ((char *)l->operand[k].data - from);
}

static uint64_t run_on(fa__device *d, const fa__launch *l)
{
    assert_true(d->backend->prepare(d, (fa__program *)(uintptr_t)l->program, (fa__class)l->compute));
    pthread_mutex_lock(&d->lock);
    uint64_t ticket = d->backend->run(d->queue, l);
    pthread_mutex_unlock(&d->lock);
    return ticket;
}

static void try_launch(int trial)
{
    FA_SCOPE;
    static const fa__op op = {.name = "test"};
    launch_room room;
    fa__launch *l = &room.launch;
    fa__device *gpu = fa__device_get(GPU);
    fa_tensor *here = fa_zeros(FA_SHAPE(OPERANDS * ROOM), .dtype = FA_U8);
    char *memory = (char *)fa_ptr_u8(here);
    draw_launch(l, memory);
    l->op = &op;
    fa_tensor *there = fa_to(here, GPU);
    assert_true(fa_synchronize(GPU)); /* what the copy reads is written below, past all order */
    bool good = run_on(&fa__cpu_device, l);
    fa_error_clear();
    move_launch(l, memory, fa__tensor_data(there));
    bool done = run_on(gpu, l);
    if (done != good)
        fail_msg("trial %d: %s", trial, fa_error_message());
    fa_error_clear();
    fa_tensor *back = fa_cpu(there);
    const char *have = (char *)fa_ptr_u8(back);
    for (int64_t i = 0; i < OPERANDS * ROOM; i++)
        if (have[i] != memory[i])
            fail_msg("trial %d: program %s, class %d, combine %d, rank %d, kept %d: byte %lld of operand %lld differs",
                     trial, l->program->text, l->compute, l->combine, l->rank, l->kept, (long long)(i % ROOM),
                     (long long)(i / ROOM));
}

static void launches_of_programs(void **state)
{
    (void)state;
    for (int i = 0; i < TRIALS; i++)
        try_launch(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_single_number), TEST(every_size_in_f32),        TEST(every_dtype),          TEST(a_million_elements),
        TEST(three_levels),    TEST(the_first_of_the_largest), TEST(launches_of_programs),
    };
    setenv("POCL_DEVICES", "pthread pthread", 0);
    const char *why;
    if (fa_device_count("opencl", &why) < 1) {
        printf("skipped: there is no OpenCL device here: %s\n", why);
        return 77;
    }
    if (!own()->bit_equal) {
        printf("skipped: the device rounds in its own way\n");
        return 77;
    }
    return cmocka_run_group_tests_name("gpu_reduce", tests, NULL, NULL);
}
