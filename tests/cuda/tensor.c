/* Matrix products on tensor cores by our kernel, on the simulator's or on a real GPU: against products in f64 on the
 * CPU, within the bounds of docs/math.md, by which products it makes. */
#include "support/cudasim.h"
#include "support/tensor_cores.h"
#include "support/tensors.h"
#include <stdio.h>

#define S(...) FA_SHAPE(__VA_ARGS__)
/* A matrix, or a batch of them, in memory as it is, transposed, with room between its rows, or at an odd address. */
typedef enum order { ROWS, COLUMNS, WIDE, WIDE_COLUMNS, ODD, ORDERS } order;
static const char *const order_names[] = {"rows", "columns", "wide rows", "wide columns", "an odd address"};

static fa_tensor *random_matrix(fa_dtype dtype, fa_shape shape, order how)
{
    const int r = shape.rank - 1, c = shape.rank - 2;
    const bool turned = how == COLUMNS || how == WIDE_COLUMNS, wide = how == WIDE || how == WIDE_COLUMNS || how == ODD;
    const int64_t last = turned ? shape.dim[c] : shape.dim[r], room = how == ODD ? 3 : wide ? 16 : 0;
    fa_shape made_of = shape;
    made_of.dim[c] = turned ? shape.dim[r] : shape.dim[c];
    made_of.dim[r] = last + room;
    fa_tensor *x = fa_to(fa_to(fa_randn(made_of), dtype), GPU);
    x = wide ? fa_narrow(x, r, how == ODD ? 1 : 8, last) : x;
    return turned ? fa_transpose(x, -1, -2) : x;
}

static void check(const char *what, const fa_tensor *have, const fa_tensor *a, const fa_tensor *b,
                  const fa_tensor *bias, int64_t on_tensor_cores)
{
    FA_SCOPE;
    fa_tensor *x = in_f64(a), *y = in_f64(b), *want = fa_matmul(x, y), *sums = fa_matmul(fa_abs(x), fa_abs(y));
    if (bias)
        want = fa_add(want, in_f64(bias)), sums = fa_add(sums, fa_abs(in_f64(bias)));
    check_result(what, fa_tensor_dtype(a), have, want, sums, fa_tensor_shape(x).dim[fa_dim(x) - 1], on_tensor_cores);
}

static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16};

static void check_product(fa_dtype dtype, const int64_t size[3], order a_how, order b_how)
{
    FA_SCOPE;
    char what[120];
    snprintf(what, sizeof what, "%d x %d x %d, %s and %s", (int)size[0], (int)size[1], (int)size[2], order_names[a_how],
             order_names[b_how]);
    fa_tensor *a = random_matrix(dtype, S(size[0], size[2]), a_how),
              *b = random_matrix(dtype, S(size[2], size[1]), b_how);
    check(what, fa_matmul(a, b), a, b, NULL, 1);
}

/* Sizes around those of tiles and of steps, each order of both operands. */
static void orders_and_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{64, 64, 32}, {65, 63, 33}, {1, 1, 1}, {5, 70, 31}, {130, 8, 16}, {16, 129, 97}};
    FA_USE(.tf32 = true);
    for (int large = 0; large < 2; large++) {
        use_large_tiles(large);
        for (int d = 0; d < 3; d++)
            for (int how = 0; how < ORDERS * ORDERS; how++)
                for (size_t i = (size_t)how % 3; i < sizeof sizes / sizeof *sizes; i += 3)
                    if (sizes[i][0] > 1 || how == 0)
                        check_product(dtypes[d], sizes[i], (order)(how / ORDERS), (order)(how % ORDERS));
    }
}

/* Every size from one to two steps, and each edge of a tile */
static void edges(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++)
        for (int64_t k = 1; k <= 70; k += k < 36 ? 1 : 7)
            check_product(dtypes[d], (int64_t[]){9, 10, k}, k % 2 ? ROWS : WIDE, k % 3 ? COLUMNS : ROWS);
    for (int large = 0; large < 2; large++) {
        use_large_tiles(large);
        const int64_t tile = large ? 128 : 64;
        for (int64_t m = tile - 1; m <= tile + 1; m++)
            for (int64_t n = tile - 1; n <= tile + 1; n++)
                check_product(dtypes[(m + n) % 3], (int64_t[]){m, n, 40}, (order)(m % 3), (order)(n % 3));
    }
}

/* NaN and infinities stay in their rows and columns: what is outside of a matrix is 0, and nothing is multiplied by it.
 */
static void special_numbers(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++) {
        FA_SCOPE;
        fa_tensor *a = fa_ones(S(9, 35), .dtype = dtypes[d]), *b = fa_ones(S(35, 11), .dtype = dtypes[d]);
        fa_set(a, "3, 34", INFINITY);
        fa_set(b, "34, 7", -INFINITY);
        fa_set(a, "5, 0", NAN);
        const fa_tensor *have = in_f64(fa_matmul(fa_to(a, GPU), fa_to(b, GPU)));
        const fa_tensor *want = in_f64(fa_matmul(a, b));
        assert_int_equal(made(), 1);
        assert_true(fa_item(fa_all(fa_logical_or(fa_eq(have, want), fa_logical_and(fa_isnan(have), fa_isnan(want))))));
    }
}

static void batches(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++) {
        FA_SCOPE;
        fa_tensor *a = random_matrix(dtypes[d], S(3, 20, 24), COLUMNS),
                  *b = random_matrix(dtypes[d], S(3, 24, 72), WIDE);
        check("a batch", fa_matmul(a, b), a, b, NULL, 1);
        fa_tensor *one = fa_select(a, 0, 2);
        check("one a", fa_matmul(one, b), one, b, NULL, 1);
        fa_tensor *c = fa_transpose(random_matrix(dtypes[d], S(4, 3, 6, 8), ROWS), 0, 1);
        fa_tensor *e = random_matrix(dtypes[d], S(1, 4, 8, 70), ROWS);
        check("two dimensions", fa_matmul(c, e), c, e, NULL, 1);
        fa_tensor *odd = random_matrix(dtypes[d], S(3, 5, 7), ROWS),
                  *other = random_matrix(dtypes[d], S(3, 7, 3), ROWS);
        check("odd matrices", fa_matmul(odd, other), odd, other, NULL, 1);
    }
}

/* A product of few tiles is made in parts, which are added in order; one with a bias is not. */
static void parts_of_a_depth(void **state)
{
    (void)state;
    static const int64_t depths[] = {511, 512, 513, 1000, 2113};
    const cudasim_functions *sim = test_cudasim();
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++)
        for (int how = 0; how < ORDERS; how++) {
            FA_SCOPE;
            const int64_t k = depths[how];
            own()->groups = how % 2 ? 16 * 9 : 16 * 2;
            fa_tensor *a = random_matrix(dtypes[d], S(how % 2 ? 64 : 37, k), (order)how),
                      *b = random_matrix(dtypes[d], S(k, how % 2 ? 70 : 5), (order)((how + d) % ORDERS));
            fa_tensor *first = fa_matmul(a, b);
            check("parts", first, a, b, NULL, 1);
            fa_synchronize(GPU);
            const long before = sim ? sim->calls("cuLaunchKernel") : 0;
            fa_tensor *again = fa_matmul(a, b);
            if (sim)
                assert_int_equal(sim->calls("cuLaunchKernel") - before, k < 512 ? 1 : 2);
            assert_true(same_tensors(fa_cpu(first), fa_cpu(again)));
            fa_tensor *x = fa_contiguous(a), *w = fa_contiguous(fa_t(b)), *bias = fa_select(w, 1, 0);
            made();
            check("linear", fa_linear(x, w, .bias = bias), x, fa_t(w), bias, 1);
        }
}

static void biases(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++)
        for (int how = 0; how < 3; how++) {
            FA_SCOPE;
            fa_tensor *x = random_matrix(dtypes[d], S(30, 24), ROWS), *w = random_matrix(dtypes[d], S(33, 24), ROWS);
            fa_tensor *all = fa_to(fa_to(fa_randn(S(33, 2)), dtypes[d]), GPU);
            fa_tensor *bias = how == 0   ? fa_contiguous(fa_select(all, 1, 0))
                              : how == 1 ? fa_select(all, 1, 1)
                                         : fa_expand(fa_narrow(fa_select(all, 1, 0), 0, 7, 1), S(33));
            check("linear", fa_linear(x, w, .bias = bias), x, fa_t(w), bias, 1);
        }
}

/* Results that lie otherwise, or are overwritten */
static void results(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    for (int d = 0; d < 3; d++)
        for (order how = 0; how < ORDERS; how++) {
            FA_SCOPE;
            fa_tensor *a = random_matrix(dtypes[d], S(20, 40), ROWS), *b = random_matrix(dtypes[d], S(40, 70), ROWS);
            fa_tensor *c = random_matrix(dtypes[d], S(20, 70), how);
            check(order_names[how], fa_matmul(a, b, .out = c), a, b, NULL, 1);
        }
}

/* A result that exists stays as it is behind an error. */
static void behind_an_error(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    fa_tensor *a = random_matrix(FA_F32, S(20, 40), ROWS), *b = random_matrix(FA_F32, S(40, 70), ROWS);
    fa_tensor *c = fa_full(S(20, 70), 7, .dtype = FA_F32, .device = GPU),
              *far = fa_to(fa_full(S(2), 99, .dtype = FA_I64), GPU);
    fa_tensor *wrong = fa_index_select(b, 0, far);
    fa_matmul(a, b, .out = c);
    (void)wrong;
    assert_false(fa_synchronize(GPU));
    fa_error_clear();
    assert_true(fa_item(fa_all(fa_eq(c, 7))));
}

/* Empty matrices are the scalar kernel's, and so are those without a stride of 1, and other dtypes. */
static void others(void **state)
{
    (void)state;
    fa_tensor *a = random_matrix(FA_F16, S(20, 0), ROWS), *b = random_matrix(FA_F16, S(0, 30), ROWS);
    check("k of 0", fa_matmul(a, b), a, b, NULL, 0);
    fa_tensor *empty = fa_matmul(random_matrix(FA_F16, S(0, 8), ROWS), random_matrix(FA_F16, S(8, 3), ROWS));
    assert_true(empty && fa_numel(empty) == 0 && !made());
    fa_tensor *all = random_matrix(FA_F16, S(20, 24, 2), ROWS), *c = random_matrix(FA_F16, S(24, 30), ROWS);
    fa_tensor *apart = fa_select(all, 2, 0);
    check("steps of 2", fa_matmul(apart, c), apart, c, NULL, 0);
    fa_tensor *x = random_matrix(FA_F32, S(20, 24), ROWS), *y = random_matrix(FA_F32, S(24, 30), ROWS);
    check("f32", fa_matmul(x, y), x, y, NULL, 0);
    FA_USE(.tf32 = true);
    check("tf32", fa_matmul(x, y), x, y, NULL, 1);
    FA_USE(.deterministic = true);
    check("a deterministic product", fa_matmul(x, y), x, y, NULL, 0);
    check("a deterministic product", fa_matmul(fa_to(x, FA_F16), c), fa_to(x, FA_F16), c, NULL, 0);
}

/* Where nothing is asked for, those that are large enough. */
static void large_ones(void **state)
{
    (void)state;
    own()->tensor_use = FA__GPU_FASTER;
    fa_tensor *narrow = random_matrix(FA_F16, S(60, 256), ROWS), *large = random_matrix(FA_F16, S(256, 256), ROWS);
    check("a small product", fa_matmul(narrow, large), narrow, large, NULL, 0);
    check("a large product", fa_matmul(large, large), large, large, NULL, 1);
    own()->tensor_use = FA__GPU_NEVER;
    check("it is turned off", fa_matmul(large, large), large, large, NULL, 0);
}

static void gradients(void **state)
{
    (void)state;
    FA_USE(.tf32 = true);
    fa_tensor *w = fa_randn(S(30, 20), .requires_grad = true), *x = fa_randn(S(10, 20));
    fa_tensor *on_gpu = fa_detach(fa_to(w, GPU));
    fa_set_requires_grad(on_gpu, true);
    assert_true(fa_backward(fa_sum(fa_square(fa_linear(x, w)))));
    assert_true(fa_backward(fa_sum(fa_square(fa_linear(fa_to(x, GPU), on_gpu)))));
    assert_int_equal(made(), 2);
    const fa_tensor *have = in_f64(fa_grad(on_gpu)), *want = in_f64(fa_grad(w));
    assert_true(fa_item(fa_amax(fa_abs(fa_sub(have, want)))) < 4e-3 * fa_item(fa_amax(fa_abs(want))));
}

/* Each run has the same bits. */
static void the_same_bits(void **state)
{
    (void)state;
    fa_tensor *a = random_matrix(FA_F16, S(70, 200), ROWS), *b = random_matrix(FA_F16, S(200, 66), ROWS);
    fa_tensor *first = fa_cpu(fa_matmul(a, b));
    assert_true(tensor_same_bits(first, fa_cpu(fa_matmul(a, b))));
    fa_tensor *turned = fa_t(fa_contiguous(fa_t(a)));
    assert_true(tensor_same_bits(first, fa_cpu(fa_matmul(turned, b))));
    use_large_tiles(true);
    assert_true(tensor_same_bits(first, fa_cpu(fa_matmul(a, b))));
}

/* The simulator counts where ldmatrix meets a bank of shared memory twice. */
static void no_bank_conflicts(void **state)
{
    (void)state;
    const cudasim_functions *sim = test_cudasim();
    if (!sim)
        skip();
    assert_int_equal(sim->conflicts(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(orders_and_sizes), CASE(edges),         CASE(special_numbers),   CASE(batches), CASE(parts_of_a_depth),
        CASE(biases),           CASE(results),       CASE(behind_an_error),   CASE(others),  CASE(large_ones),
        CASE(gradients),        CASE(the_same_bits), CASE(no_bank_conflicts),
    };
    setenv("FACULA_CUBLASLT", "0", 1);
    if (!tensor_cores_there())
        return 77;
    return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
