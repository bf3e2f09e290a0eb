/* Programs of many operands that step through many dimensions: more than a kernel's arguments have room for. They are
 * done all the same, with the CPU's bits, on devices that take the fewest arguments and on others. */
#include "gpu/gpu_against_cpu.h"
#include <facula/optim.h>

#define S(...) FA_SHAPE(__VA_ARGS__)
enum { RANK = 8, OPERANDS = 16 };

/* 2 and 3 by turns, the dimensions in the opposite order in memory: none joins with its neighbour. */
static fa_tensor *turned(int rank, fa_device where, double first)
{
    fa_shape s = {.rank = rank}, order = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        s.dim[i] = 2 + i % 2;
        order.dim[i] = rank - 1 - i;
    }
    double n = (double)gpu_count(s);
    return fa_permute(fa_reshape(fa_to(fa_div(fa_arange(first, first + n), n), where), s), order);
}

static fa_shape shape_of(const fa_tensor *t)
{
    return fa_tensor_shape(t);
}

/* Two steps, of which each has a gradient that is dense in the logical order. */
static fa_tensor *trained(int rank, fa_device where, bool amsgrad)
{
    fa_tensor *p = fa_detach(turned(rank, where, 1));
    fa_set_requires_grad(p, true);
    fa_optim *o = fa_optim_adam(fa_params(p), .lr = 0.1, .amsgrad = amsgrad, .weight_decay = 0.01);
    for (int step = 0; step < 2; step++) {
        fa_optim_zero_grad(o);
        fa_tensor *c = fa_reshape(fa_to(fa_arange(0, (double)fa_numel(p), .dtype = FA_F32), where), shape_of(p));
        fa_backward(fa_sum(fa_mul(fa_square(p), c)));
        fa_optim_step(o);
    }
    return p;
}

static void optimizers_take_any_layout(void **state)
{
    (void)state;
    for (int rank = 4; rank <= RANK; rank++)
        for (int amsgrad = 0; amsgrad < 2; amsgrad++) {
            FA_SCOPE;
            SAME("rank %d, amsgrad %d", trained(rank, FA_CPU, amsgrad), trained(rank, GPU, amsgrad), rank, amsgrad);
        }
}

/* The first of sixteen, of which each second one is turned, when all others were added to it. */
static fa_tensor *sum_of_many(const char *begin, int rank, fa_device where, fa_dtype dtype)
{
    char text[200];
    static const char *const names[OPERANDS] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                "i", "j", "k", "l", "m", "n", "o", "p"};
    fa_binding bound[OPERANDS];
    fa_tensor *x[OPERANDS];
    snprintf(text, sizeof text, "a = %s", begin);
    for (int i = 0; i < OPERANDS; i++) {
        fa_tensor *t = fa_to(turned(rank, where, i), dtype);
        x[i] = i % 2 ? fa_contiguous(t) : t;
        bound[i] = (fa_binding){.name = names[i], .tensors = {.count = 1, .item = &x[i]}};
        snprintf(text + strlen(text), sizeof text - strlen(text), " %c %s", i % 3 ? '+' : '-', names[i]);
    }
    return fa_update(text, OPERANDS, bound) ? x[0] : NULL;
}

static void expressions_take_any_layout(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16, FA_F64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int rank = 5; rank <= RANK && gpu_has(dtypes[d]); rank++) {
            FA_SCOPE;
            SAME("%s, rank %d", sum_of_many("1", rank, FA_CPU, dtypes[d]), sum_of_many("1", rank, GPU, dtypes[d]),
                 fa_dtype_name(dtypes[d]), rank);
        }
}

/* Of what they say that they take: the device here takes more than it says. */
static void devices_that_take_more_arguments_copy_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    size_t before = gpu_own()->max_args;
    gpu_own()->max_args = 4096;
    fa_tensor *cpu = sum_of_many("2", RANK, FA_CPU, FA_F32), *gpu = sum_of_many("2", RANK, GPU, FA_F32);
    gpu_own()->max_args = before;
    SAME("%s", cpu, gpu, "all at once");
}

static void what_has_no_elements_is_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    for (int k = 0; k < 2; k++) {
        fa_tensor *p = fa_narrow(turned(RANK, k ? GPU : FA_CPU, 0), 3, 1, 0);
        const fa_binding on[] = {{.name = "p", .tensors = FA_TENSORS(p)}, {.name = "g", .tensors = FA_TENSORS(p)}};
        assert_true(fa_update("p = p - 0.5 * g", 2, on));
        assert_no_error();
    }
}

/* What was there stays behind a fault. */
static void nothing_is_written_behind_a_fault(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = fa_detach(turned(RANK, GPU, 1)), *was = fa_clone(p);
    fa_set_requires_grad(p, true);
    fa_optim *o = fa_optim_adam(fa_params(p), .lr = 0.1, .amsgrad = true);
    fa_backward(fa_sum(fa_mul(fa_square(p), fa_reshape(fa_to(fa_rand(S(1296)), GPU), shape_of(p)))));
    assert_true(fa_synchronize(GPU));
    fa_index_select(fa_ones(S(3), .device = GPU), 0, fa_full(S(1), 7, .device = GPU));
    fa_optim_step(o);
    fa_synchronize(GPU);
    assert_error(FA_ERROR_INDEX, "fa_index_select", "index 7");
    SAME("%s", fa_cpu(was), p, "the parameter");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(optimizers_take_any_layout),
        TEST(expressions_take_any_layout),
        TEST(devices_that_take_more_arguments_copy_nothing),
        TEST(what_has_no_elements_is_nothing),
        TEST(nothing_is_written_behind_a_fault),
    };
    return gpu_there() ? RUN("gpu_dimensions") : GPU_SKIPPED;
}
