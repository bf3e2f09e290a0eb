/* A device that does not compute in f64: it still copies such elements, says by name what it cannot do, and with
 * .fallback the CPU does it, by copies that are counted. Needs OpenCL, such as PoCL; without a platform it is skipped.
 */
#include "core/ledger.h"
#include "gpu/gpu_against_cpu.h"
#include "internal.h"
#include <facula/nn.h>
#include <facula/optim.h>

#define S(...) FA_SHAPE(__VA_ARGS__)

static int begin(void **state)
{
    gpu_without_f64(state);
    fa_synchronize(GPU);
    fa_transfers_reset();
    return 0;
}

static bool there(const fa_tensor *t)
{
    return t && fa_device_equal(fa_tensor_device(t), GPU);
}

static int copies(void)
{
    fa_transfers t = fa_transfers_total();
    return (int)(t.to_host + t.to_device + t.between);
}

static void says_what_it_lacks(void **state)
{
    (void)state;
    FA_SCOPE;
    pair x = gpu_random(FA_F64, S(3, 4), LAYOUT_DENSE, false, 0),
         f = gpu_random(FA_F32, S(3, 4), LAYOUT_DENSE, false, 0);
    pair index = gpu_random(FA_I64, S(3, 4), LAYOUT_DENSE, false, 3);
    const char *lacks = "opencl:0 does not compute in f64", *hint = "FA_USE(.fallback = true)";
    fa_transfers_reset();
    assert_null(fa_add(x.gpu, 1));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_add(x=(3, 4) f64 opencl:0", lacks, hint);
    assert_null(fa_sum(x.gpu, .dim = 1));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_sum(", lacks, hint);
    assert_null(fa_softmax(x.gpu, 1));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_softmax(", lacks, hint);
    assert_null(fa_matmul(x.gpu, fa_t(x.gpu)));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_matmul(", lacks, hint);
    assert_null(fa_scatter_add(x.gpu, 0, index.gpu, x.gpu));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_scatter_add(", lacks, hint);
    assert_null(fa_randperm(5, .device = GPU));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_randperm(", lacks, hint);
    assert_null(fa_sin(f.gpu)); /* its range is reduced in f64 */
    assert_error(FA_ERROR_UNAVAILABLE, "fa_sin(", lacks, hint);
    assert_null(fa_where(x.gpu, f.gpu, f.gpu)); /* computed in f32, but the condition is f64 */
    assert_error(FA_ERROR_UNAVAILABLE, "fa_where(", lacks, hint);
    assert_null(fa_to(x.gpu, FA_F32));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_to", lacks, hint);
    /* computed in integers or f32, but read or stored as f64 */
    assert_null(fa_cumsum(x.gpu, 0, .dtype = FA_I64));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_cumsum(", lacks, hint);
    assert_null(fa_cumprod(x.gpu, 0, .dtype = FA_F32));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_cumprod(", lacks, hint);
    assert_null(fa_random_(x.gpu, .to = 9));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_random_(", lacks, hint);
    assert_null(fa_randint(0, 9, S(3), .dtype = FA_F64, .device = GPU));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_randint(", lacks, hint);
    assert_null(fa_randint_like(x.gpu, 0, 9));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_randint_like(", lacks, hint);
    assert_int_equal(copies(), 0);
    fa_synchronize(GPU);
    assert_no_error();
}

/* What training takes of functions is computed in f32 alone. */
static void functions_of_f32(void **state)
{
    (void)state;
    FA_SCOPE;
    pair x = gpu_random(FA_F32, S(3, 70), LAYOUT_DENSE, false, 0),
         y = gpu_random(FA_F32, S(3, 70), LAYOUT_DENSE, false, 0);
    SAME("%s", fa_log1p(fa_abs(x.cpu)), fa_log1p(fa_abs(x.gpu)), "log1p");
    SAME("%s", fa_expm1(x.cpu), fa_expm1(x.gpu), "expm1");
    SAME("%s", fa_elu(x.cpu), fa_elu(x.gpu), "elu");
    SAME("%s", fa_softplus(x.cpu), fa_softplus(x.gpu), "softplus");
    SAME("%s", fa_logaddexp(x.cpu, y.cpu), fa_logaddexp(x.gpu, y.gpu), "logaddexp");
    SAME("%s", fa_exp2(x.cpu), fa_exp2(x.gpu), "exp2");
    SAME("%s", fa_log2(fa_abs(x.cpu)), fa_log2(fa_abs(x.gpu)), "log2");
    SAME("%s", fa_log10(fa_abs(x.cpu)), fa_log10(fa_abs(x.gpu)), "log10");
    SAME("%s", fa_atan2(x.cpu, y.cpu), fa_atan2(x.gpu, y.gpu), "atan2");
    SAME("%s", fa_atan(x.cpu), fa_atan(x.gpu), "atan");
    SAME("%s", fa_hypot(x.cpu, y.cpu), fa_hypot(x.gpu, y.gpu), "hypot");
    assert_no_error();
}

static void copies_are_no_arithmetic(void **state)
{
    (void)state;
    FA_SCOPE;
    pair x = gpu_random(FA_F64, S(3, 4), LAYOUT_DENSE, true, 0),
         list = gpu_random(FA_I64, S(5), LAYOUT_DENSE, false, 3);
    pair index = gpu_random(FA_I64, S(2, 4), LAYOUT_DENSE, false, 3),
         y = {fa_full(S(4, 3), 2.5, .dtype = FA_F64), NULL};
    fa_tensor *tall = fa_contiguous(fa_t(x.cpu));
    FA_USE(.fallback = true); /* which nobody needs */
    fa_transfers_reset();
    y.gpu = fa_full(S(4, 3), 2.5, .dtype = FA_F64, .device = GPU);
    fa_tensor *seven = fa_full(S(2), 7, .dtype = FA_F64, .device = GPU);
    fa_tensor *made[] = {fa_clone(x.gpu),
                         fa_contiguous(fa_t(x.gpu)),
                         fa_cat(FA_TENSORS(x.gpu, x.gpu), .dim = 1),
                         fa_index_select(x.gpu, 0, list.gpu),
                         fa_gather(x.gpu, 0, index.gpu),
                         fa_copy_(fa_t(y.gpu), x.gpu)};
    assert_int_equal(copies(), 0);
    fa_tensor *wanted[] = {x.cpu,
                           tall,
                           fa_cat(FA_TENSORS(x.cpu, x.cpu), .dim = 1),
                           fa_index_select(x.cpu, 0, list.cpu),
                           fa_gather(x.cpu, 0, index.cpu),
                           x.cpu};
    for (int i = 0; i < 6; i++)
        SAME("copy %d", wanted[i], made[i], i);
    SAME("into a transposed one %d", tall, y.gpu, 0);
    assert_true(fa_item(fa_sum(fa_cpu(seven))) == 14);
}

static void the_cpu_does_it_by_counted_copies(void **state)
{
    (void)state;
    FA_SCOPE;
    pair x = gpu_random(FA_F64, S(3, 4), LAYOUT_TRANSPOSED, true, 0),
         row = gpu_random(FA_F64, S(4), LAYOUT_DENSE, false, 0);
    FA_USE(.fallback = true);
    fa_transfers_reset();
    fa_tensor *sum = fa_add(x.gpu, row.gpu);
    assert_true(there(sum));
    fa_transfers t = fa_transfers_total();
    assert_int_equal(t.to_host, 2);
    assert_int_equal(t.bytes_to_host, 8 * (12 + 4));
    assert_int_equal(t.to_device, 1);
    assert_int_equal(t.bytes_to_device, 8 * 12);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fa_transfers_report(file);
    fclose(file);
    assert_non_null(strstr(text, "fa_add               copy  opencl:0 -> cpu              2"));
    assert_non_null(strstr(text, "fa_add               copy  cpu -> opencl:0              1"));
    assert_null(strstr(text, "fa_to"));
    free(text);
    SAME("%s", fa_add(x.cpu, row.cpu), sum, "sum");
    FA_USE(.forbid = FA_TRANSFER);
    assert_null(fa_add(x.gpu, row.gpu));
    assert_error(FA_ERROR_SYNC, "fa_add: a copy from opencl:0 to cpu, which .forbid = FA_TRANSFER forbids here");
    assert_null(fa_add(x.gpu, fa_reshape(row.gpu, S(2, 2)))); /* mistakes are told as ever */
    assert_error(FA_ERROR_SHAPE, "fa_add(x=(3, 4) f64 opencl:0, y=(2, 2) f64 opencl:0)");
}

static void all_kinds_of_work(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    pair x = gpu_random(FA_F64, S(3, 4), LAYOUT_DENSE, true, 0),
         f = gpu_random(FA_F32, S(3, 4), LAYOUT_DENSE, false, 0);
    pair index = gpu_random(FA_I64, S(3, 4), LAYOUT_DENSE, false, 3),
         list = gpu_random(FA_I64, S(3), LAYOUT_DENSE, false, 5);
    pair long_one = gpu_random(FA_F64, S(2500), LAYOUT_DENSE, false, 0);
    SAME("%s", fa_sum(x.cpu, .dim = 1), fa_sum(x.gpu, .dim = 1), "sum");
    SAME("%s", fa_sum(long_one.cpu), fa_sum(long_one.gpu), "sum of several blocks");
    SAME("%s", fa_var(x.cpu, .dim = 0), fa_var(x.gpu, .dim = 0), "var");
    SAME("%s", fa_sum(f.cpu, .dtype = FA_F64), fa_sum(f.gpu, .dtype = FA_F64), "sum in f64");
    SAME("%s", fa_softmax(x.cpu, 1), fa_softmax(x.gpu, 1), "softmax");
    SAME("%s", fa_max(x.cpu, 1).indices, fa_max(x.gpu, 1).indices, "max");
    SAME("%s", fa_matmul(x.cpu, fa_t(x.cpu)), fa_matmul(x.gpu, fa_t(x.gpu)), "matmul");
    SAME("%s", fa_scatter_add(x.cpu, 0, index.cpu, x.cpu), fa_scatter_add(x.gpu, 0, index.gpu, x.gpu), "scatter_add");
    SAME("%s", fa__index_sum(x.cpu, 0, list.cpu, 5), fa__index_sum(x.gpu, 0, list.gpu, 5), "index_sum");
    SAME("%s", fa_sin(f.cpu), fa_sin(f.gpu), "sin of f32");
    SAME("%s", fa_where(fa_gt(x.cpu, 0), f.cpu, x.cpu), fa_where(fa_gt(x.gpu, 0), f.gpu, x.gpu), "where");
    SAME("%s", fa_where(x.cpu, f.cpu, 1.0), fa_where(x.gpu, f.gpu, 1.0), "a condition of f64");
    SAME("%s", fa_pointwise("x * y + 1", x.cpu, f.cpu), fa_pointwise("x * y + 1", x.gpu, f.gpu), "an expression");
    SAME("%s", fa_zeros(S(0, 3), .dtype = FA_F64), fa_zeros(S(0, 3), .dtype = FA_F64, .device = GPU), "nothing");
    SAME("%s", fa_ones(S(3), .dtype = FA_F64), fa_ones(S(3), .dtype = FA_F64, .device = GPU), "ones");
    SAME("%s", fa_arange(0, 9, .dtype = FA_F64), fa_arange(0, 9, .dtype = FA_F64, .device = GPU), "arange");
    for (int draw = 0; draw < 2; draw++) {
        fa_manual_seed(9);
        fa_tensor *cpu = draw ? fa_randperm(30) : fa_rand(S(7), .dtype = FA_F64, .requires_grad = true);
        fa_manual_seed(9);
        fa_tensor *gpu = draw ? fa_randperm(30, .device = GPU)
                              : fa_rand(S(7), .dtype = FA_F64, .requires_grad = true, .device = GPU);
        assert_true(there(gpu) && fa_requires_grad(gpu) == !draw && fa_is_leaf(gpu));
        SAME("draw %d", fa_detach(cpu), fa_detach(gpu), draw);
    }
}

/* Also to and from this device, where the conversion belongs to whoever can. */
/* Of what is composed all copies and waits are under its name, those of the casts inside it, too. */
static void counted_by_what_was_called(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    pair x = gpu_random(FA_F64, S(12), LAYOUT_DENSE, false, 0), i = gpu_random(FA_I64, S(12), LAYOUT_DENSE, false, 5);
    fa_transfers_reset();
    SAME("%s", fa_quantile(x.cpu, 0.3), fa_quantile(x.gpu, 0.3), "quantile");
    SAME("%s", fa_isin(x.cpu, i.cpu), fa_isin(x.gpu, i.gpu), "isin");
    SAME("%s", fa_index_fill(x.cpu, 0, i.cpu, 2.5), fa_index_fill(x.gpu, 0, i.gpu, 2.5), "index_fill");
    assert_no_error();
    static fa__ledger_row row[FA__LEDGER_ROWS];
    size_t count = fa__ledger_rows(row, FA__LEDGER_ROWS);
    assert_true(count > 3);
    for (size_t k = 0; k < count; k++)
        assert_true(row[k].op && strcmp(row[k].op->name, "to") != 0);
}

static void conversions(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    pair x = gpu_random(FA_F64, S(3, 4), LAYOUT_TRANSPOSED, false, 0),
         f = gpu_random(FA_F32, S(3, 4), LAYOUT_TRANSPOSED, false, 0);
    SAME("%s", fa_to(x.cpu, FA_F32), fa_to(x.gpu, FA_F32), "f64 to f32");
    SAME("%s", fa_to(f.cpu, FA_F64), fa_to(f.gpu, FA_F64), "f32 to f64");
    SAME("%s", fa_to(f.cpu, FA_F64), fa_move(f.gpu, .device = GPU, .dtype = FA_F64), "f32 to f64 there");
    SAME("%s", fa_to(f.cpu, FA_F64), fa_move(f.cpu, .device = GPU, .dtype = FA_F64), "f32 to f64 on the way there");
    SAME("%s", fa_to(x.cpu, FA_F32), fa_move(x.cpu, .device = GPU, .dtype = FA_F32), "f64 to f32 on the way there");
    assert_true(same_tensors(fa_to(x.cpu, FA_F32), fa_move(x.gpu, .device = FA_CPU, .dtype = FA_F32)));
    assert_true(same_tensors(fa_to(f.cpu, FA_F64), fa_move(f.gpu, .device = FA_CPU, .dtype = FA_F64)));
    fa_device other = FA_OPENCL(1);
    if (fa_device_count("opencl", NULL) > 1)
        SAME("%s", fa_to(f.cpu, FA_F64), fa_to(fa_move(f.cpu, .device = other, .dtype = FA_F64), GPU),
             "by another device");
    pair into = gpu_random(FA_F64, S(4, 3), LAYOUT_DENSE, false, 0);
    assert_ptr_equal(fa_copy_(into.gpu, fa_t(f.gpu)), into.gpu);
    SAME("%s", fa_to(fa_contiguous(fa_t(f.cpu)), FA_F64), into.gpu, "f32 into f64");
    assert_non_null(fa_copy_(fa_t(into.gpu), x.cpu));
    assert_non_null(fa_copy_(f.gpu, x.gpu));
    SAME("%s", fa_to(x.cpu, FA_F32), f.gpu, "f64 into f32");
    /* halfway between two numbers of bf16, and beside it: what is cut off on the way decides */
    const int64_t half = (1LL << 40) + (1LL << 32);
    fa_tensor *whole = fa_tensor_of(half, half + 1, -half - 1, half - 1, 3 * half, INT64_MAX, INT64_MIN);
    fa_tensor *there = fa_to(whole, GPU),
              *out[] = {fa_empty(S(7), .dtype = FA_BF16), fa_empty_like(there, .dtype = FA_BF16)};
    SAME("%s", fa_mul(whole, 1, .out = out[0]), fa_mul(there, 1, .out = out[1]), "i64 to bf16");
    assert_true(fa_item(fa_to(fa_select(out[0], 0, 1), FA_F64)) == (double)(1LL << 40 | 1LL << 33));
    SAME("%s", fa_to(whole, FA_F16), fa_to(there, FA_F16), "i64 to f16");
    assert_non_null(fa_copy_(into.gpu, fa_get(f.cpu, "0, :3"))); /* a row into each */
    SAME("%s", fa_to(fa_contiguous(fa_expand(fa_get(f.cpu, "0, :3"), S(4, 3))), FA_F64), into.gpu, "a row");
}

static void in_place_and_given(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    pair x = gpu_random(FA_F64, S(3, 4), LAYOUT_DENSE, false, 0),
         y = gpu_random(FA_F64, S(3, 4), LAYOUT_DENSE, false, 0);
    int64_t version = fa_tensor_version(x.gpu);
    assert_ptr_equal(fa_add_(x.gpu, y.gpu), x.gpu);
    assert_int_equal(fa_tensor_version(x.gpu), version + 1);
    SAME("%s", fa_add_(x.cpu, y.cpu), x.gpu, "add_");
    assert_non_null(fa_mul_(fa_get(x.gpu, "1"), 2));
    fa_mul_(fa_get(x.cpu, "1"), 2);
    SAME("%s", x.cpu, x.gpu, "a row of it");
    assert_ptr_equal(fa_exp(x.gpu, .out = y.gpu), y.gpu);
    SAME("%s", fa_exp(x.cpu), y.gpu, ".out");
    const fa_binding on[2][2] = {
        {{.name = "p", .tensors = FA_TENSORS(x.cpu)}, {.name = "g", .tensors = FA_TENSORS(y.cpu)}},
        {{.name = "p", .tensors = FA_TENSORS(x.gpu)}, {.name = "g", .tensors = FA_TENSORS(y.gpu)}}};
    fa_copy_(y.cpu, y.gpu);
    version = fa_tensor_version(x.gpu);
    assert_true(fa_update("p = p - 0.5 * g", 2, on[0]) && fa_update("p = p - 0.5 * g", 2, on[1]));
    assert_int_equal(fa_tensor_version(x.gpu), version + 1);
    SAME("%s", x.cpu, x.gpu, "update");
}

static double trained(fa_device device)
{
    FA_SCOPE;
    FA_USE(.fallback = true);
    fa_manual_seed(3);
    fa_module *net = fa_nn_sequential(fa_nn_linear(4, 8), fa_nn_tanh(), fa_nn_linear(8, 3));
    fa_module_to(net, FA_F64);
    fa_module_to(net, device);
    fa_optim *optim = fa_optim_adam(net, .lr = 0.01);
    fa_tensor *x = fa_to(fa_reshape(fa_arange(0, 12, .dtype = FA_F64), S(3, 4)), device);
    fa_tensor *target = fa_to(fa_tensor_of(0, 2, 1), device);
    double loss = NAN;
    FA_REPEAT (i, 5) {
        fa_optim_zero_grad(optim);
        fa_tensor *l = fa_cross_entropy(fa_forward(net, x), target);
        fa_backward(l);
        fa_optim_step(optim);
        loss = fa_item(l);
    }
    return loss;
}

static void training_has_the_same_bits(void **state)
{
    (void)state;
    double cpu = trained(FA_CPU), gpu = trained(GPU);
    assert_no_error();
    assert_true(isfinite(cpu) && cpu == gpu);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, gpu_as_it_was)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(says_what_it_lacks),
                                       TEST(functions_of_f32),
                                       TEST(copies_are_no_arithmetic),
                                       TEST(the_cpu_does_it_by_counted_copies),
                                       TEST(all_kinds_of_work),
                                       TEST(counted_by_what_was_called),
                                       TEST(conversions),
                                       TEST(in_place_and_given),
                                       TEST(training_has_the_same_bits)};
    return gpu_there() ? RUN("gpu_without_f64") : GPU_SKIPPED;
}
