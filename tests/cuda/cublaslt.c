/* Matrix products by cuBLASLt, on the simulator's or on a real GPU: against products in f64 on the CPU, by which
 * products it makes, and with failures. */
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include "support/same.h"
#include "support/tensors.h"
#include <stdio.h>
#include <stdlib.h>

#define S(...) FA_SHAPE(__VA_ARGS__)
#define GPU FA_CUDA(0)

static const cudasim_functions *sim; /* NULL: the GPU is a real one */

static fa__gpu_device *own(void)
{
    fa__device *d = fa__device_get(GPU);
    assert_non_null(d);
    return d->own;
}

/* How many products were cuBLASLt's since this was last asked */
static int64_t made(void)
{
    static int64_t before;
    int64_t now = own()->library_products, count = now - before;
    before = now;
    return count;
}

static int begin(void **state)
{
    own()->library_use = FA__GPU_ALWAYS; /* small ones, too */
    made();
    return api_begin(state);
}

#define CASE(f) cmocka_unit_test_setup(f, begin)

static double precision(fa_dtype dtype)
{
    return dtype == FA_F64 ? 1e-13 : dtype == FA_F32 ? 1e-5 : dtype == FA_F16 ? 1e-3 : 8e-3;
}

/* A matrix, or a batch of them, of numbers that the dtype has; in memory as it is, transposed, or with room between its
 * rows. */
typedef enum order { ROWS, COLUMNS, WIDE, ORDERS } order;

static fa_tensor *random_matrix(fa_dtype dtype, fa_shape shape, order how)
{
    const int r = shape.rank - 1, c = shape.rank - 2;
    fa_shape made_of = shape;
    made_of.dim[r] = how == COLUMNS ? shape.dim[c] : how == WIDE ? 3 * shape.dim[r] : shape.dim[r];
    made_of.dim[c] = how == COLUMNS ? shape.dim[r] : shape.dim[c];
    fa_tensor *x = fa_to(fa_to(fa_randn(made_of), dtype), GPU);
    return how == COLUMNS ? fa_transpose(x, -1, -2) : how == WIDE ? fa_narrow(x, r, shape.dim[r] / 2, shape.dim[r]) : x;
}

static fa_tensor *in_f64(const fa_tensor *x)
{
    return fa_to(fa_cpu(x), FA_F64);
}

static double error_of(const fa_tensor *have, const fa_tensor *want)
{
    if (!have || !want)
        fail_msg("%s", fa_error_message());
    const fa_tensor *off = fa_abs(fa_sub(in_f64(have), want));
    return fa_item(fa_amax(off)) / fa_item(fa_amax(fa_abs(want)));
}

static void check(const char *what, fa_dtype dtype, const fa_tensor *have, const fa_tensor *want, int64_t by_library)
{
    const double off = error_of(have, want);
    if (!(off <= precision(dtype)))
        fail_msg("%s of %s: off by %g", what, fa_dtype_name(dtype), off);
    if (made() != by_library)
        fail_msg("%s of %s: not by the library, or by it", what, fa_dtype_name(dtype));
}

static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16};

static void products(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{64, 64, 64}, {8, 70, 33}, {70, 8, 33}, {33, 65, 2}, {40, 24, 67}};
    for (int d = 0; d < 4; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int how = 0; how < ORDERS * ORDERS; how++) {
                FA_SCOPE;
                fa_tensor *a = random_matrix(dtypes[d], S(sizes[i][0], sizes[i][2]), (order)(how / ORDERS));
                fa_tensor *b = random_matrix(dtypes[d], S(sizes[i][2], sizes[i][1]), (order)(how % ORDERS));
                check("matmul", dtypes[d], fa_matmul(a, b), fa_matmul(in_f64(a), in_f64(b)), 1);
            }
}

static const fa_dtype f8s[] = {FA_F8_E4M3FN, FA_F8_E5M2};

/* The library multiplies f8 where a has rows and b columns, in steps of 16, and one of them is e4m3. */
static void products_of_f8(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{32, 48, 64}, {32, 48, 60}, {20, 48, 64}, {32, 40, 64}};
    for (int d = 0; d < 4; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int how = 0; how < ORDERS * ORDERS; how++) {
                FA_SCOPE;
                fa_tensor *a = random_matrix(f8s[d & 1], S(sizes[i][0], sizes[i][2]), (order)(how / ORDERS));
                fa_tensor *b = random_matrix(f8s[d >> 1], S(sizes[i][2], sizes[i][1]), (order)(how % ORDERS));
                const fa_tensor *want = fa_mul(fa_matmul(in_f64(a), in_f64(b)), 0.75);
                bool by_library = d < 3 && i == 0 && how / ORDERS != COLUMNS && how % ORDERS == COLUMNS;
                check("scaled_mm", FA_F32, fa_scaled_mm(a, b, 3.0, 0.25, .dtype = FA_F32), want, by_library);
            }
}

/* The bias is added by the library, where it is a vector in memory that it reads; else it stands in the result before.
 */
static void biases(void **state)
{
    (void)state;
    for (int d = 0; d < 4; d++)
        for (int how = 0; how < 3; how++) {
            FA_SCOPE;
            fa_tensor *x = random_matrix(dtypes[d], S(3, 10, 20), ROWS), *w = random_matrix(dtypes[d], S(30, 20), ROWS);
            fa_tensor *all = fa_to(fa_to(fa_randn(S(30, 2)), dtypes[d]), GPU);
            fa_tensor *bias = how == 0   ? fa_contiguous(fa_select(all, 1, 0))
                              : how == 1 ? fa_select(all, 1, 1)
                                         : fa_expand(fa_narrow(fa_select(all, 1, 0), 0, 7, 1), S(30));
            fa_tensor *want = fa_linear(in_f64(x), in_f64(w), .bias = in_f64(bias));
            check("linear", dtypes[d], fa_linear(x, w, .bias = bias), want, 1);
        }
}

/* A linear layer with a bias is one call of the library, and no kernel: the bias is in its epilogue. f64, which has no
 * epilogue, has a kernel of ours that writes the bias first. */
static void one_launch_with_a_bias(void **state)
{
    (void)state;
    for (int d = 0; sim && d < 4; d++) {
        FA_SCOPE;
        fa_tensor *x = random_matrix(dtypes[d], S(10, 20), ROWS), *w = random_matrix(dtypes[d], S(30, 20), ROWS);
        fa_tensor *bias = fa_to(fa_to(fa_randn(S(30)), dtypes[d]), GPU);
        const long kernels = sim->calls("cuLaunchKernel"), products = sim->calls("cublasLtMatmul");
        fa_tensor *y = fa_linear(x, w, .bias = bias);
        assert_int_equal(sim->calls("cublasLtMatmul") - products, 1);
        assert_int_equal(sim->calls("cuLaunchKernel") - kernels, dtypes[d] == FA_F64);
        check("linear", dtypes[d], y, fa_linear(in_f64(x), in_f64(w), .bias = in_f64(bias)), 1);
    }
}

static fa_module *layer_and_gelu(fa_dtype dtype, bool bias)
{
    fa_module *layer = fa_nn_linear(20, 30, .bias = bias, .dtype = dtype, .device = GPU);
    return fa_nn_sequential(layer, fa_nn_gelu(.approximate = "tanh"));
}

/* A linear layer and gelu are one call of the library, and no kernel, where products are not those of f32 and f64: for
 * these a kernel follows the product. */
static void one_launch_with_gelu(void **state)
{
    (void)state;
    FA_USE(.no_grad = true);
    for (int d = 0; d < 5; d++)
        for (int bias = 0; bias < 2; bias++) {
            FA_SCOPE;
            FA_USE(.tf32 = d == 4);
            const fa_dtype dtype = dtypes[d % 4];
            const bool fused = d >= 2, writes_bias = dtype == FA_F64 && bias;
            fa_module *net = layer_and_gelu(dtype, bias), *layer = fa_module_at(net, 0);
            const fa_tensor *weight = fa_module_tensor(layer, "weight");
            const fa_tensor *b = bias ? in_f64(fa_module_tensor(layer, "bias")) : NULL;
            fa_tensor *x = fa_mul(random_matrix(dtype, S(3, 10, 20), ROWS), 3);
            const fa_tensor *want = fa_gelu_tanh(fa_linear(in_f64(x), in_f64(weight), .bias = b));
            const long kernels = sim ? sim->calls("cuLaunchKernel") : 0;
            const fa_tensor *have = fa_forward(net, x);
            const long launched = sim ? sim->calls("cuLaunchKernel") - kernels : 0;
            assert_true(!sim || launched == !fused + writes_bias);
            check("gelu", d == 4 ? FA_F16 : dtype, have, want, 1);
        }
}

/* With gradients, under .deterministic and without the library it is made of two steps, with the bits of these. */
static void gelu_by_two_steps(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = layer_and_gelu(FA_F16, true), *layer = fa_module_at(net, 0);
    fa_tensor *x = random_matrix(FA_F16, S(10, 20), ROWS);
    const fa_tensor *with_gradients = fa_forward(net, x);
    assert_true(fa_requires_grad(with_gradients));
    FA_USE(.no_grad = true);
    assert_true(same_tensors(with_gradients, fa_gelu_tanh(fa_forward(layer, x))));
    assert_int_equal(made(), 2);
    FA_USE(.deterministic = true);
    assert_true(same_tensors(fa_forward(net, x), fa_gelu_tanh(fa_forward(layer, x))));
    assert_int_equal(made(), 0);
}

/* Even distances between matrices are the library's, also none; two dimensions of a batch are not. */
static void batches(void **state)
{
    (void)state;
    for (int d = 0; d < 4; d++) {
        FA_SCOPE;
        fa_tensor *a = random_matrix(dtypes[d], S(5, 9, 7), COLUMNS), *b = random_matrix(dtypes[d], S(5, 7, 12), WIDE);
        check("a batch", dtypes[d], fa_matmul(a, b), fa_matmul(in_f64(a), in_f64(b)), 1);
        fa_tensor *one = fa_select(a, 0, 2);
        check("one a", dtypes[d], fa_matmul(one, b), fa_matmul(in_f64(one), in_f64(b)), 1);
        fa_tensor *c = fa_transpose(random_matrix(dtypes[d], S(4, 3, 6, 8), ROWS), 0, 1);
        fa_tensor *e = random_matrix(dtypes[d], S(3, 4, 8, 5), ROWS);
        check("two dimensions", dtypes[d], fa_matmul(c, e), fa_matmul(in_f64(c), in_f64(e)), 0);
    }
}

/* Addresses that are not aligned to 16 bytes: the search for an algorithm has to take this into account. */
static void alignments(void **state)
{
    (void)state;
    for (int64_t offset = 0; offset < 5; offset++) {
        FA_SCOPE;
        fa_tensor *all = fa_to(fa_randn(S(1000)), GPU);
        fa_tensor *a = fa_view(fa_narrow(all, 0, offset, 20 * 18), S(20, 18));
        fa_tensor *b = fa_view(fa_narrow(all, 0, 400 - offset, 18 * 22), S(18, 22));
        check("an offset", FA_F32, fa_matmul(a, b), fa_matmul(in_f64(a), in_f64(b)), 1);
    }
}

static void gradients(void **state)
{
    (void)state;
    fa_tensor *w = fa_randn(S(30, 20), .requires_grad = true), *x = fa_randn(S(10, 20));
    fa_tensor *on_gpu = fa_detach(fa_to(w, GPU));
    fa_set_requires_grad(on_gpu, true);
    assert_true(fa_backward(fa_sum(fa_square(fa_linear(x, w)))));
    assert_true(fa_backward(fa_sum(fa_square(fa_linear(fa_to(x, GPU), on_gpu)))));
    check("gradients", FA_F32, fa_grad(on_gpu), in_f64(fa_grad(w)), 2);
}

/* TF32 has 10 bits of fraction: the error is larger, and as large as they say. */
static void tf32(void **state)
{
    (void)state;
    fa_tensor *a = random_matrix(FA_F32, S(64, 64), ROWS), *b = random_matrix(FA_F32, S(64, 64), ROWS);
    fa_tensor *want = fa_matmul(in_f64(a), in_f64(b));
    assert_true(error_of(fa_matmul(a, b), want) < 1e-5);
    FA_USE(.tf32 = true);
    const double off = error_of(fa_matmul(a, b), want);
    assert_true(off > 1e-5 && off < 2e-3);
    FA_USE(.deterministic = true);
    assert_int_equal(made(), 2);
    check("a deterministic product", FA_F32, fa_matmul(a, b), want, 0);
}

/* Where it stands, only large products are the library's, which need not be asked for. */
static void large_ones(void **state)
{
    (void)state;
    own()->library_use = FA__GPU_FASTER;
    fa_tensor *small = random_matrix(FA_F16, S(60, 512), ROWS), *large = random_matrix(FA_F16, S(512, 512), ROWS);
    check("a small product", FA_F16, fa_matmul(small, large), fa_matmul(in_f64(small), in_f64(large)), 0);
    if (!sim) /* it takes long there */
        check("a large product", FA_F16, fa_matmul(large, large), fa_matmul(in_f64(large), in_f64(large)), 1);
    fa_tensor *i = fa_to(fa_ones(S(70, 70), .dtype = FA_I32), GPU);
    own()->library_use = FA__GPU_ALWAYS;
    check("integers", FA_F64, fa_matmul(i, i), fa_full(S(70, 70), 70, .dtype = FA_F64), 0);
}

/* For products of one row the simulator has no algorithm: they are our kernel's, and later ones the library's. */
static void a_product_that_it_has_not(void **state)
{
    (void)state;
    if (!sim)
        return;
    for (int turn = 0; turn < 2; turn++) {
        fa_tensor *a = random_matrix(FA_F32, S(1, 20), ROWS), *b = random_matrix(FA_F32, S(20, 30), ROWS);
        check("one row", FA_F32, fa_matmul(a, b), fa_matmul(in_f64(a), in_f64(b)), 0);
        fa_tensor *c = random_matrix(FA_F32, S(2, 20), ROWS);
        check("two rows", FA_F32, fa_matmul(c, b), fa_matmul(in_f64(c), in_f64(b)), 1);
    }
}

/* Whichever call fails, the product is our kernel's, and right. */
static void each_call_may_fail(void **state)
{
    (void)state;
    static const char *const calls[] = {"cublasLtMatmulDescCreate",       "cublasLtMatmulDescSetAttribute",
                                        "cublasLtMatrixLayoutCreate",     "cublasLtMatrixLayoutSetAttribute",
                                        "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute",
                                        "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"};
    for (size_t i = 0; sim && i < sizeof calls / sizeof *calls; i++)
        for (long n = 1; n <= 3; n++) {
            FA_SCOPE;
            const int64_t size = 100 + (int64_t)i * 3 + n; /* none that is known */
            fa_tensor *x = random_matrix(FA_F32, S(2, 3, 10), ROWS), *w = random_matrix(FA_F32, S(2, 10, size), ROWS);
            const long before = sim->calls(calls[i]);
            own()->library_use = FA__GPU_ALWAYS;
            sim->inject(calls[i], n, 13, false);
            const fa_tensor *have = fa_matmul(x, w);
            const bool reached = sim->calls(calls[i]) >= before + n;
            sim->inject(NULL, 0, 0, false);
            check(calls[i], FA_F32, have, fa_matmul(in_f64(x), in_f64(w)), !reached);
            assert_int_equal(own()->library_use, reached ? FA__GPU_NEVER : FA__GPU_ALWAYS);
            assert_true(reached || n > 1);
        }
}

int main(void)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* launches are counted where they are issued */
    const struct CMUnitTest tests[] = {
        CASE(products),
        CASE(products_of_f8),
        CASE(biases),
        CASE(one_launch_with_a_bias),
        CASE(one_launch_with_gelu),
        CASE(gelu_by_two_steps),
        CASE(batches),
        CASE(alignments),
        CASE(gradients),
        CASE(tf32),
        CASE(large_ones),
        CASE(a_product_that_it_has_not),
        CASE(each_call_may_fail),
    };
    sim = test_cudasim();
    if (sim)
        setenv("FACULA_CUBLASLT_LIBRARY", getenv("FACULA_CUDA_LIBRARY"), 1);
    else
        unsetenv("FACULA_CUBLASLT_LIBRARY");
    const char *why = "";
    if (!fa_device_count("cuda", &why) || !own()->driver->library->there()) {
        printf("skipped: there is no cuBLASLt here: %s\n", why);
        return 77;
    }
    return cmocka_run_group_tests_name("cublaslt", tests, NULL, NULL);
}
