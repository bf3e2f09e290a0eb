/* Modules: what they own and its names, forward as a scope, modes, places, the layers and how they begin. */
#include "support/api_test.h"
#include <facula/nn.h>
#include <facula/optim.h>
#include <facula/scope.h>
#include <math.h>

/* ---- modules for the tests ---- */

typedef struct {
    fa_module *fc1, *fc2;
} mlp;

static fa_tensor *mlp_forward(fa_module *self, fa_tensor *x)
{
    const mlp *m = fa_module_data(self);
    return fa_forward(m->fc2, fa_relu(fa_forward(m->fc1, x)));
}

static fa_module *mlp_new(int64_t in, int64_t hidden, int64_t out)
{
    fa_module *net = fa_nn_custom("mlp", sizeof(mlp), mlp_forward);
    mlp *m = fa_module_data(net);
    m->fc1 = fa_module_add(net, "fc1", fa_nn_linear(in, hidden));
    m->fc2 = fa_module_add(net, "fc2", fa_nn_linear(hidden, out));
    return net;
}

static fa_tensor *sum_of_all(fa_module *self, fa_tensors x)
{
    (void)self;
    fa_tensor *sum = x.item[0];
    for (size_t i = 1; i < x.count; i++)
        sum = fa_add(sum, x.item[i]);
    return sum;
}

static fa_tensor *nothing(fa_module *self, fa_tensor *x)
{
    (void)self, (void)x;
    return NULL;
}

static fa_tensor *same(fa_module *self, fa_tensor *x)
{
    (void)self;
    return x;
}

static void assert_names(fa_parameters p, size_t count, const char *const *names)
{
    assert_no_error();
    assert_int_equal(p.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(p.name[i], names[i]);
}

#define ASSERT_NAMES(p, ...)                                                                                           \
    assert_names(p, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

/* ---- names and ownership ---- */

static void parameters_have_names_in_order(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(mlp_new(4, 3, 2), fa_nn_relu(), fa_nn_linear(2, 1, .bias = false));
    fa_module_parameter(net, "scale", fa_ones(FA_SHAPE(1)));
    ASSERT_NAMES(fa_module_parameters(net), "scale", "0.fc1.weight", "0.fc1.bias", "0.fc2.weight", "0.fc2.bias",
                 "2.weight");
    fa_parameters p = fa_module_parameters(net);
    assert_int_equal(fa_size(p.item[1], 0), 3);
    assert_int_equal(fa_size(p.item[1], 1), 4);
    for (size_t i = 0; i < p.count; i++)
        assert_true(fa_requires_grad(p.item[i]) && fa_is_leaf(p.item[i]));
    assert_int_equal(fa_module_parameters(fa_nn_relu()).count, 0);
    assert_no_error();
}

static void shared_parameters_are_listed_once(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *shared = fa_nn_linear(2, 2), *net = fa_nn_sequential(shared, fa_nn_tanh(), shared);
    ASSERT_NAMES(fa_module_parameters(net), "0.weight", "0.bias");
    fa_module_parameter(net, "tied", fa_module_tensor(shared, "weight"));
    ASSERT_NAMES(fa_module_parameters(net), "tied", "0.bias");
    assert_ptr_equal(fa_module_tensor(net, "tied"), fa_module_tensor(net, "2.weight"));
}

static void buffers_are_apart(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(2, 2));
    fa_tensor *mean = fa_module_buffer(fa_module_child(net, "0"), "mean", fa_zeros(FA_SHAPE(2)));
    ASSERT_NAMES(fa_module_buffers(net), "0.mean");
    ASSERT_NAMES(fa_module_parameters(net), "0.weight", "0.bias");
    assert_false(fa_requires_grad(mean));
    assert_ptr_equal(fa_module_tensor(net, "0.mean"), mean);
    fa_tensor *count = fa_module_parameter(net, "count", fa_arange(0, 3));
    assert_false(fa_requires_grad(count)); /* integers */
    assert_no_error();
}

static void members_are_found_by_name(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(mlp_new(4, 3, 2));
    const mlp *m = fa_module_data(fa_module_child(net, "0"));
    assert_ptr_equal(fa_module_child(net, "0.fc2"), m->fc2);
    assert_ptr_equal(fa_module_tensor(net, "0.fc1.bias"), fa_module_tensor(m->fc1, "bias"));
    assert_string_equal(fa_module_kind(m->fc1), "linear");
    static const char *const missing[] = {"1", "0.fc", "0.fc11", "0.fc1.bias", "", "0."};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        assert_null(fa_module_child(net, missing[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_module_child", missing[i]);
    }
    assert_null(fa_module_tensor(net, "0.fc1"));
    assert_error(FA_ERROR_ARGUMENT, "no parameter or buffer", "0.fc1");
    assert_null(fa_module_tensor(net, "0.fc1.weight.x"));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_tensor");
    assert_null(fa_module_tensor(net, "0.fc1.wieght"));
    assert_error(FA_ERROR_ARGUMENT, "has no parameter or buffer \"0.fc1.wieght\": linear has weight, bias");
    assert_null(fa_module_child(net, "1"));
    assert_error(FA_ERROR_ARGUMENT, "the module sequential has no child \"1\": it has 0");
    assert_null(fa_module_child(fa_nn_relu(), "0"));
    assert_error(FA_ERROR_ARGUMENT, "it has nothing");
    fa_module *long_list = fa_nn_list();
    for (int i = 0; i < 100; i++)
        fa_module_append(long_list, fa_nn_relu());
    assert_null(fa_module_child(long_list, "100"));
    assert_error(FA_ERROR_ARGUMENT, "it has 0, 1, 2, 3,", "40, ...");
}

static void names_are_checked(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_relu());
    assert_null(fa_module_add(net, "0", fa_nn_relu()));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_add", "\"0\" already");
    assert_null(fa_module_add(net, "a.b", fa_nn_relu()));
    assert_error(FA_ERROR_ARGUMENT, "dot");
    assert_null(fa_module_parameter(net, "", fa_ones(FA_SHAPE(1))));
    assert_error(FA_ERROR_ARGUMENT, "one character");
    assert_null(fa_module_buffer(net, NULL, fa_ones(FA_SHAPE(1))));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_buffer");
    assert_null(fa_module_parameter(net, "w", NULL));
    assert_error(FA_ERROR_ARGUMENT, "\"w\" is NULL");
    fa_tensor *leaf = fa_tensor_of(1.0);
    fa_set_requires_grad(leaf, true);
    assert_null(fa_module_parameter(net, "w", fa_mul(leaf, 2)));
    assert_error(FA_ERROR_ARGUMENT, "leaf");
    ASSERT_NAMES(fa_module_parameters(fa_nn_sequential(fa_nn_linear(1, 1, .bias = false))), "0.weight");
}

static void a_module_is_no_part_of_itself(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *inner = fa_nn_sequential(fa_nn_relu()), *net = fa_nn_sequential(inner);
    assert_null(fa_module_add(inner, "outer", net));
    assert_error(FA_ERROR_ARGUMENT, "part of itself");
    assert_null(fa_module_add(net, "self", net));
    assert_error(FA_ERROR_ARGUMENT, "part of itself");
}

static void null_is_an_error_once(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_forward(NULL, fa_ones(FA_SHAPE(1))));
    assert_error(FA_ERROR_ARGUMENT, "fa_forward", "NULL");
    fa_module *net = fa_nn_linear(1, 1);
    assert_null(fa_forward(net, fa_add((fa_tensor *)NULL, 1)));
    assert_error(FA_ERROR_ARGUMENT, "fa_add"); /* the first failure stands */
    assert_null(fa_forward(net, (fa_tensor *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "linear is NULL");
    assert_null(fa_module_data(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_data");
    assert_int_equal(fa_module_parameters(NULL).count, 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_module_parameters");
    assert_null(fa_nn_sequential(fa_nn_relu(), (fa_module *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_null(fa_module_to(NULL, FA_CPU));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_to");
    assert_null(fa_module_data(fa_nn_relu()));
    assert_no_error();
}

static int destroyed;

static void count_destroyed(void *data)
{
    destroyed += *(const int *)data;
}

static void modules_own_what_is_below(void **state)
{
    (void)state;
    fa_module *kept;
    destroyed = 0;
    {
        FA_SCOPE;
        fa_module *net = fa_nn_sequential(fa_nn_linear(3, 2));
        fa_module *own = fa_nn_custom("own", sizeof(int), same, .destroy = count_destroyed);
        *(int *)fa_module_data(own) = 7;
        fa_module_add(net, "own", own);
        kept = fa_keep(net);
    }
    assert_int_equal(destroyed, 0);
    {
        FA_SCOPE;
        fa_tensor *y = fa_forward(kept, fa_ones(FA_SHAPE(1, 3)));
        assert_int_equal(fa_size(y, 1), 2);
        assert_no_error();
    }
    fa_release(kept);
    assert_int_equal(destroyed, 7);
}

static void lists_outlive_the_module(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_keep(fa_nn_linear(2, 1));
    fa_parameters p = fa_module_parameters(net);
    fa_release(net);
    assert_int_equal(fa_numel(p.item[0]), 2);
    assert_string_equal(p.name[1], "bias");
    assert_no_error();
}

/* ---- forward ---- */

static fa_tensor *no_tensor(fa_module *m, fa_tensor *x)
{
    (void)x;
    return (fa_tensor *)(void *)m;
}

static void forward_takes_one_or_many(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *one = fa_ones(FA_SHAPE(2));
    fa_module *many = fa_nn_custom("sum", 0, sum_of_all);
    assert_float_equal(fa_item(fa_sum(fa_forward(many, one, one, one))), 6, 0);
    assert_ptr_equal(fa_forward(fa_nn_custom("same", 0, same), one), one);
    assert_no_error();
    assert_null(fa_forward(fa_nn_relu(), one, one));
    assert_error(FA_ERROR_ARGUMENT, "relu takes 1 input, not 2");
    assert_null(fa_forward(fa_nn_custom("mine", 0, nothing), one));
    assert_error(FA_ERROR_USER, "mine returned NULL");
    assert_null(fa_forward(fa_nn_custom("mine", 0, no_tensor), one));
    assert_error(FA_ERROR_ARGUMENT, "not a tensor", ", in mine");
}

static size_t allocated(void)
{
    return fa_memory_stats(FA_CPU).allocated;
}

/* A hundred layers without gradients hold at most 3 activations, of 1 MiB each. */
static void forward_frees_what_it_made(void **state)
{
    (void)state;
    enum { LAYERS = 100, MIB = 1 << 20 };
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_relu());
    for (int i = 1; i < LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        fa_module_add(net, name, fa_nn_tanh());
    }
    fa_tensor *x = fa_rand(FA_SHAPE(MIB / 4));
    size_t before = allocated();
    fa_memory_reset_peak(FA_CPU);
    fa_tensor *y = fa_forward(net, x);
    assert_no_error();
    assert_true(fa_memory_stats(FA_CPU).peak - before <= 3 * (size_t)MIB + MIB / 8);
    assert_true(allocated() - before <= MIB + MIB / 8);
    assert_true(fa_item(fa_sum(y)) > 0);
}

static void forward_keeps_what_backward_needs(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(4);
    fa_module *net = mlp_new(5, 4, 3);
    fa_tensor *x = fa_rand(FA_SHAPE(2, 5));
    fa_backward(fa_sum(fa_forward(net, x)));
    assert_no_error();
    fa_parameters p = fa_module_parameters(net);
    for (size_t i = 0; i < p.count; i++)
        assert_non_null(fa_grad(p.item[i]));
    fa_tensor *bias = fa_grad(fa_module_tensor(net, "fc2.bias"));
    assert_true(same_tensors(bias, fa_full(FA_SHAPE(3), 2.0)));
    assert_true(fa_module_zero_grad(net));
    for (size_t i = 0; i < p.count; i++)
        assert_null(fa_grad(p.item[i]));
    assert_no_error();
}

/* ---- layers ---- */

static void linear_is_what_it_says(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(1);
    fa_module *l = fa_nn_linear(3, 2);
    float w[6], b[2], y[4];
    const float x[6] = {1, 2, 3, -1, 0.5f, 4};
    assert_true(fa_read(fa_module_tensor(l, "weight"), w, FA_F32, 6));
    assert_true(fa_read(fa_module_tensor(l, "bias"), b, FA_F32, 2));
    assert_true(fa_read(fa_forward(l, fa_tensor_from(x, FA_SHAPE(2, 3))), y, FA_F32, 4));
    assert_no_error();
    for (int i = 0; i < 2; i++)
        for (int o = 0; o < 2; o++) {
            float want = b[o];
            for (int k = 0; k < 3; k++)
                want += x[i * 3 + k] * w[o * 3 + k];
            assert_float_equal(y[i * 2 + o], want, 1e-5);
        }
}

/* Uniform in ±1/sqrt(in): the moments of 40,000 draws, and the ends. */
static void nothing_in_sequence_passes_on(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential();
    fa_tensor *x = fa_ones(FA_SHAPE(2));
    assert_non_null(net);
    assert_true(fa_forward(net, x) == x);
    assert_false(fa_failed());
}

static void linear_begins_uniform(void **state)
{
    (void)state;
    enum { IN = 400, OUT = 100 };
    FA_SCOPE;
    fa_manual_seed(2);
    fa_module *l = fa_nn_linear(IN, OUT, .dtype = FA_F64);
    fa_tensor *w = fa_module_tensor(l, "weight"), *flat = fa_view(w, FA_SHAPE(IN * OUT));
    double bound = 1 / sqrt(IN), mean = fa_item(fa_mean(w)), square = fa_item(fa_mean(fa_mul(w, w)));
    double most = fa_item(fa_max(fa_abs(flat), 0).values);
    assert_no_error();
    assert_int_equal(fa_tensor_dtype(w), FA_F64);
    assert_true(most <= bound && most > 0.999 * bound);
    assert_true(fabs(mean) < 4 * bound / sqrt(3.0 * IN * OUT));
    assert_true(fabs(square / (bound * bound / 3) - 1) < 0.03);
    double bias = fa_item(fa_max(fa_abs(fa_module_tensor(l, "bias")), 0).values);
    assert_true(bias <= bound && bias > 0.8 * bound);
    assert_int_equal(fa_numel(fa_module_tensor(l, "bias")), OUT);
}

static void seeds_decide_the_beginning(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(3);
    fa_module *a = fa_nn_linear(7, 5), *other = fa_nn_linear(7, 5);
    fa_manual_seed(3);
    fa_module *b = fa_nn_linear(7, 5, .device = DEVICE(0));
    assert_true(same_tensors(fa_module_tensor(a, "weight"), fa_cpu(fa_module_tensor(b, "weight"))));
    assert_false(same_tensors(fa_module_tensor(a, "weight"), fa_module_tensor(other, "weight")));
    assert_no_error();
}

static void layers_refuse_what_makes_no_sense(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_nn_linear(-1, 2));
    assert_error(FA_ERROR_SHAPE, "fa_nn_linear", "-1");
    assert_null(fa_nn_linear(1, 2, .dtype = FA_I64));
    fa_error_clear();
    assert_null(fa_nn_dropout(.p = 1.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_dropout", "1.5");
    assert_null(fa_nn_dropout(.p = (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_dropout");
    assert_null(fa_nn_custom(NULL, 0, same));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_custom");
    assert_int_equal(fa_size(fa_forward(fa_nn_linear(0, 2), fa_zeros(FA_SHAPE(3, 0))), 1), 2);
    assert_no_error();
}

static void activations_are_their_functions(void **state)
{
    (void)state;
    FA_SCOPE;
    float silu[5];
    const float in[5] = {-2, -0.5f, 0, 0.5f, 3};
    fa_tensor *x = fa_tensor_from(in, FA_SHAPE(5));
    assert_true(same_tensors(fa_forward(fa_nn_relu(), x), fa_relu(x)));
    assert_true(same_tensors(fa_forward(fa_nn_sigmoid(), x), fa_sigmoid(x)));
    assert_true(same_tensors(fa_forward(fa_nn_tanh(), x), fa_tanh(x)));
    assert_true(same_tensors(fa_forward(fa_nn_gelu(), x), fa_gelu(x)));
    assert_true(fa_read(fa_forward(fa_nn_silu(), x), silu, FA_F32, 5));
    for (int i = 0; i < 5; i++)
        assert_float_equal(silu[i], in[i] / (1 + expf(-in[i])), 1e-6);
    fa_tensor *flat = fa_forward(fa_nn_flatten(), fa_zeros(FA_SHAPE(2, 3, 4)));
    assert_int_equal(fa_dim(flat), 2);
    assert_int_equal(fa_size(flat, 1), 12);
    assert_no_error();
}

static void dropout_knows_its_mode(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(5);
    fa_module *net = fa_nn_sequential(fa_nn_sequential(fa_nn_dropout(.p = 0.25)));
    fa_tensor *x = fa_ones(FA_SHAPE(10000));
    assert_true(fa_module_training(net));
    fa_tensor *y = fa_forward(net, x);
    double zeros = fa_item(fa_mean(fa_eq(y, 0), .dtype = FA_F64));
    assert_true(fabs(zeros - 0.25) < 0.02);
    assert_true(fabs(fa_item(fa_mean(y)) - 1) < 0.03);
    assert_ptr_equal(fa_module_train(net, false), net);
    assert_false(fa_module_training(fa_module_child(net, "0.0")));
    assert_true(same_tensors(fa_forward(net, x), x));
    fa_module_train(net, true);
    assert_false(same_tensors(fa_forward(net, x), x));
    assert_no_error();
}

/* ---- places ---- */

static void modules_move_in_place(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(3, 2));
    fa_tensor *w = fa_module_tensor(net, "0.weight"), *was = fa_clone(w);
    fa_tensor *steps = fa_module_buffer(net, "steps", fa_zeros(FA_SHAPE(1), .dtype = FA_I64));
    fa_backward(fa_sum(fa_forward(net, fa_ones(FA_SHAPE(1, 3)))));
    assert_ptr_equal(fa_module_to(net, DEVICE(0)), net);
    assert_no_error();
    assert_ptr_equal(fa_module_tensor(net, "0.weight"), w);
    assert_true(fa_device_equal(fa_tensor_device(w), DEVICE(0)));
    assert_true(fa_device_equal(fa_tensor_device(steps), DEVICE(0)));
    assert_true(fa_device_equal(fa_tensor_device(fa_grad(w)), DEVICE(0)));
    assert_true(same_tensors(fa_cpu(w), was));
    assert_true(fa_is_leaf(w) && fa_requires_grad(w));
    fa_module_zero_grad(net);
    fa_backward(fa_sum(fa_forward(net, fa_ones(FA_SHAPE(1, 3), .device = DEVICE(0)))));
    assert_true(fa_device_equal(fa_tensor_device(fa_grad(w)), DEVICE(0)));
    fa_module_to(net, FA_CPU);
    assert_true(same_tensors(w, was));
    assert_no_error();
}

static void modules_change_dtype(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(3, 2));
    fa_tensor *w = fa_module_tensor(net, "0.weight");
    fa_tensor *steps = fa_module_buffer(net, "steps", fa_zeros(FA_SHAPE(1), .dtype = FA_I64));
    fa_tensor *as_half = fa_to(w, FA_F16);
    fa_module_to(net, FA_F16);
    assert_no_error();
    assert_int_equal(fa_tensor_dtype(w), FA_F16);
    assert_int_equal(fa_tensor_dtype(steps), FA_I64);
    assert_true(same_tensors(w, as_half));
    assert_int_equal(fa_tensor_dtype(fa_forward(net, fa_ones(FA_SHAPE(1, 3), .dtype = FA_F16))), FA_F16);
    assert_no_error();
    assert_null(fa_module_to(net, FA_I32));
    assert_error(FA_ERROR_DTYPE, "i32");
}

static void summary_counts(void **state)
{
    (void)state;
    FA_SCOPE;
    char text[1000] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(fa_module_summary(mlp_new(4, 3, 2), file));
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    assert_string_equal(text, "layer          shape            parameters\n"
                              "------------------------------------------\n"
                              "mlp            -                        23\n"
                              "  fc1: linear  -                        15\n"
                              "    weight     f32 (3, 4)               12\n"
                              "    bias       f32 (3)                   3\n"
                              "  fc2: linear  -                         8\n"
                              "    weight     f32 (2, 3)                6\n"
                              "    bias       f32 (2)                   2\n"
                              "------------------------------------------\n"
                              "parameters: 23, frozen: 0; with buffers: 92 bytes\n"
                              "mode: training\n");
}

static void sizes_count_each_tensor_once(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *shared = fa_nn_linear(4, 3), *net = fa_nn_sequential(shared, fa_nn_relu(), shared);
    assert_int_equal(fa_module_numel(net), 15);
    assert_int_equal(fa_module_nbytes(net), 60);
    fa_module_parameter(net, "scale", fa_ones(FA_SHAPE(2), .dtype = FA_F64));
    assert_int_equal(fa_module_numel(net), 17);
    assert_int_equal(fa_module_nbytes(net), 76);
    fa_module_buffer(net, "mean", fa_zeros(FA_SHAPE(5), .dtype = FA_F16)); /* no parameter, but it takes memory */
    assert_int_equal(fa_module_numel(net), 17);
    assert_int_equal(fa_module_nbytes(net), 86);
    assert_int_equal(fa_module_numel(fa_nn_relu()), 0);
    assert_int_equal(fa_module_nbytes(fa_nn_relu()), 0);
    assert_no_error();
    assert_int_equal(fa_module_numel(NULL), 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_module_numel");
    assert_int_equal(fa_module_nbytes(NULL), 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_module_nbytes");
    fa_module *words = fa_nn_embedding(5, 2);
    assert_false(fa_module_summary(words, stdout, .input = FA_SHAPE(1, 3)));
    assert_error(FA_ERROR_DTYPE, "indices are integers", ".dtype = FA_I64 gives the summary an input of integers");
    assert_false(fa_module_summary(words, stdout, .input = FA_SHAPE(1, 3), .dtype = FA_F64));
    assert_null(strstr(fa_error_message(), "FA_I64"));
    fa_error_clear();
    assert_false(fa_module_summary(NULL, stdout));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_summary");
    assert_false(fa_module_summary(net, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_summary", "file");
}

/* Matrices of 2^60 elements, 2^62 bytes: four are more bytes, eight more elements than can be counted. */
static void sizes_beyond_64_bits_are_errors(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_relu());
    for (int i = 1; i <= 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        fa_module_add(net, name, fa_nn_linear(1 << 30, 1 << 30, .bias = false, .device = FA_META));
        assert_no_error();
        int64_t numel = fa_module_numel(net);
        assert_int_equal(numel, i < 8 ? (INT64_C(1) << 60) * i : 0);
        if (i == 8)
            assert_error(FA_ERROR_SHAPE, "fa_module_numel", "64 bits");
        size_t nbytes = fa_module_nbytes(net);
        assert_int_equal(nbytes, i < 4 ? (size_t)i << 62 : 0);
        if (i >= 4)
            assert_error(FA_ERROR_SHAPE, "fa_module_nbytes", "64 bits");
    }
}

/* ---- objects of the program's own ---- */

typedef struct counter {
    fa_object base;
    int *count;
} counter;

static void counter_destroy(void *object)
{
    ++*((counter *)object)->count;
}

static void objects_belong_to_scopes(void **state)
{
    (void)state;
    static const fa_object_type type = {"counter", counter_destroy}, other = {"counter", NULL};
    int gone = 0;
    counter *kept;
    {
        FA_SCOPE;
        counter *c = fa_object_new(&type, sizeof *c), *escaped;
        c->count = &gone;
        kept = fa_keep(c);
        {
            FA_SCOPE;
            escaped = fa_object_new(&type, sizeof *c);
            escaped->count = &gone;
            ((counter *)fa_object_new(&type, sizeof *c))->count = &gone;
            fa_escape(escaped);
        }
        assert_int_equal(gone, 1);
        assert_true(fa_object_is(escaped, &type));
        assert_false(fa_object_is(escaped, &other));
        assert_false(fa_object_is(fa_ones(FA_SHAPE(1)), &type));
        assert_false(fa_object_is(NULL, &type));
    }
    assert_int_equal(gone, 2);
    fa_release(kept);
    assert_int_equal(gone, 3);
    assert_null(fa_object_new(NULL, sizeof(fa_object)));
    assert_error(FA_ERROR_ARGUMENT, "fa_object_new");
    assert_null(fa_object_new(&type, 4));
    assert_error(FA_ERROR_ARGUMENT, "fa_object_new");
}

static void errors_stand_without_being_looked_at(void **state)
{
    (void)state;
    fa_error e = {0};
    {
        FA_USE(.catch_errors = &e);
        assert_false(fa_error_stands());
        fa_fail(FA_ERROR_USER, "an error");
        assert_true(fa_error_stands());
    }
    assert_int_equal(e.code, FA_ERROR_USER);
    assert_false(e.seen);
    assert_false(fa_error_stands());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parameters_have_names_in_order),
        TEST(shared_parameters_are_listed_once),
        TEST(buffers_are_apart),
        TEST(members_are_found_by_name),
        TEST(names_are_checked),
        TEST(a_module_is_no_part_of_itself),
        TEST(null_is_an_error_once),
        TEST(modules_own_what_is_below),
        TEST(lists_outlive_the_module),
        TEST(forward_takes_one_or_many),
        TEST(forward_frees_what_it_made),
        TEST(forward_keeps_what_backward_needs),
        TEST(linear_is_what_it_says),
        TEST(nothing_in_sequence_passes_on),
        TEST(linear_begins_uniform),
        TEST(seeds_decide_the_beginning),
        TEST(layers_refuse_what_makes_no_sense),
        TEST(activations_are_their_functions),
        TEST(dropout_knows_its_mode),
        TEST(modules_move_in_place),
        TEST(modules_change_dtype),
        TEST(summary_counts),
        TEST(sizes_count_each_tensor_once),
        TEST(sizes_beyond_64_bits_are_errors),
        TEST(objects_belong_to_scopes),
        TEST(errors_stand_without_being_looked_at),
    };
    return RUN("nn");
}
