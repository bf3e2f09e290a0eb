/* Layers and containers: names, shapes, how parameters begin, modes, errors that say where, and failures of memory.
 * What layers compute is held against PyTorch in nn_reference.c. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/init.h>
#include <facula/nn.h>
#include <math.h>

#define ASSERT_SHAPE(t, ...)                                                                                           \
    do {                                                                                                               \
        fa_shape is = fa_tensor_shape(t), wanted = FA_SHAPE(__VA_ARGS__);                                              \
        assert_no_error();                                                                                             \
        assert_memory_equal(&is, &wanted, sizeof is);                                                                  \
    } while (0)

#define ASSERT_NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* ---- names and shapes ---- */

static void assert_names(fa_parameters p, const char *const *names)
{
    assert_no_error();
    for (size_t i = 0; i < p.count; i++)
        assert_string_equal(p.name[i], names[i]);
    assert_null(names[p.count]);
}
#define ASSERT_NAMES(p, ...) assert_names(p, (const char *const[]){__VA_ARGS__, NULL})

static void layers_have_pytorchs_names_and_shapes(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *conv = fa_nn_conv2d(4, 6, FA_PAIR(3, 5), .groups = 2);
    ASSERT_NAMES(fa_module_state(conv), "weight", "bias");
    ASSERT_SHAPE(fa_module_tensor(conv, "weight"), 6, 2, 3, 5);
    ASSERT_SHAPE(fa_module_tensor(conv, "bias"), 6);
    fa_module *back = fa_nn_conv_transpose2d(4, 6, 3, .groups = 2, .bias = false);
    ASSERT_NAMES(fa_module_state(back), "weight");
    ASSERT_SHAPE(fa_module_tensor(back, "weight"), 4, 3, 3, 3);
    ASSERT_SHAPE(fa_module_tensor(fa_nn_conv1d(4, 6, 3), "weight"), 6, 4, 3);
    ASSERT_SHAPE(fa_module_tensor(fa_nn_conv_transpose1d(4, 6, 3), "weight"), 4, 6, 3);
    fa_module *norm = fa_nn_batch_norm2d(3);
    ASSERT_NAMES(fa_module_state(norm), "weight", "bias", "running_mean", "running_var", "num_batches_tracked");
    ASSERT_NAMES(fa_module_parameters(norm), "weight", "bias");
    ASSERT_SHAPE(fa_module_tensor(norm, "running_var"), 3);
    assert_int_equal(fa_dim(fa_module_tensor(norm, "num_batches_tracked")), 0);
    assert_int_equal(fa_tensor_dtype(fa_module_tensor(norm, "num_batches_tracked")), FA_I64);
    assert_int_equal(fa_module_state(fa_nn_batch_norm1d(3, .affine = false, .track_running_stats = false)).count, 0);
    ASSERT_NAMES(fa_module_parameters(fa_nn_prelu(.num_parameters = 3)), "weight");
    fa_module *layer = fa_nn_layer_norm(FA_SHAPE(3, 2));
    ASSERT_NAMES(fa_module_state(layer), "weight", "bias");
    ASSERT_SHAPE(fa_module_tensor(layer, "bias"), 3, 2);
    ASSERT_NAMES(fa_module_state(fa_nn_layer_norm(FA_SHAPE(3), .bias = false)), "weight");
    ASSERT_NAMES(fa_module_state(fa_nn_rms_norm(FA_SHAPE(3))), "weight");
    ASSERT_NAMES(fa_module_state(fa_nn_group_norm(2, 4)), "weight", "bias");
    assert_int_equal(fa_module_state(fa_nn_group_norm(2, 4, .affine = false)).count, 0);
    ASSERT_SHAPE(fa_module_tensor(fa_nn_embedding(5, 3), "weight"), 5, 3);
    assert_string_equal(fa_module_kind(back), "conv_transpose2d");
    fa_module *half = fa_nn_conv2d(1, 1, 1, .dtype = FA_F16, .device = DEVICE(0));
    assert_int_equal(fa_tensor_dtype(fa_module_tensor(half, "bias")), FA_F16);
    assert_true(fa_device_equal(fa_tensor_device(fa_module_tensor(half, "weight")), DEVICE(0)));
    assert_no_error();
}

/* On meta: shapes alone. */
static void results_have_their_shapes(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = FA_META);
    fa_tensor *x = fa_zeros(FA_SHAPE(2, 4, 9, 7)), *line = fa_zeros(FA_SHAPE(2, 4, 9));
    ASSERT_SHAPE(fa_forward(fa_nn_conv2d(4, 6, 3, .stride = 2, .padding = 1), x), 2, 6, 5, 4);
    ASSERT_SHAPE(fa_forward(fa_nn_conv2d(4, 6, FA_PAIR(3, 4), .padding = FA_PADDING_SAME), x), 2, 6, 9, 7);
    ASSERT_SHAPE(
        fa_forward(fa_nn_conv2d(4, 4, 3, .dilation = 2, .padding_mode = "circular", .padding = FA_PAIR(2, 1)), x), 2, 4,
        9, 5);
    ASSERT_SHAPE(fa_forward(fa_nn_conv1d(4, 6, 3, .stride = 2), line), 2, 6, 4);
    ASSERT_SHAPE(fa_forward(fa_nn_conv1d(4, 6, 4, .padding = FA_PADDING_SAME, .padding_mode = "replicate"), line), 2, 6,
                 9);
    ASSERT_SHAPE(fa_forward(fa_nn_conv_transpose2d(4, 6, 3, .stride = 2, .output_padding = 1), x), 2, 6, 20, 16);
    ASSERT_SHAPE(fa_forward(fa_nn_conv_transpose1d(4, 6, 3, .stride = 2, .padding = 1), line), 2, 6, 17);
    ASSERT_SHAPE(fa_forward(fa_nn_max_pool2d(2), x), 2, 4, 4, 3);
    ASSERT_SHAPE(fa_forward(fa_nn_max_pool2d(2, .ceil_mode = true), x), 2, 4, 5, 4);
    ASSERT_SHAPE(fa_forward(fa_nn_avg_pool2d(3, .stride = 2, .padding = 1), x), 2, 4, 5, 4);
    ASSERT_SHAPE(fa_forward(fa_nn_adaptive_avg_pool2d(FA_PAIR(1, -1)), x), 2, 4, 1, 7);
    ASSERT_SHAPE(fa_forward(fa_nn_adaptive_max_pool2d(2), x), 2, 4, 2, 2);
    ASSERT_SHAPE(fa_forward(fa_nn_batch_norm2d(4), x), 2, 4, 9, 7);
    ASSERT_SHAPE(fa_forward(fa_nn_flatten(), x), 2, 252);
    ASSERT_SHAPE(fa_forward(fa_nn_flatten(.start_dim = 2, .end_dim = 3), x), 2, 4, 63);
    ASSERT_SHAPE(fa_forward(fa_nn_unflatten(1, FA_SHAPE(2, -1)), x), 2, 2, 2, 9, 7);
    ASSERT_SHAPE(fa_forward(fa_nn_dropout2d(), x), 2, 4, 9, 7);
    assert_ptr_equal(fa_forward(fa_nn_identity(), x), x);
}

/* ---- containers ---- */

static void lists_count_their_modules(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *list = fa_nn_list(fa_nn_linear(2, 3), fa_nn_relu());
    assert_int_equal(fa_module_count(list), 2);
    fa_module *third = fa_module_append(list, fa_nn_linear(3, 1));
    assert_int_equal(fa_module_count(list), 3);
    assert_ptr_equal(fa_module_at(list, 2), third);
    assert_ptr_equal(fa_module_at(list, -1), third);
    assert_ptr_equal(fa_module_at(list, -3), fa_module_child(list, "0"));
    ASSERT_NAMES(fa_module_parameters(list), "0.weight", "0.bias", "2.weight", "2.bias");
    assert_null(fa_module_at(list, 3));
    assert_error(FA_ERROR_INDEX, "fa_module_at", "list has no child 3: it has 3");
    assert_null(fa_module_at(list, -4));
    assert_error(FA_ERROR_INDEX, "-4");
    assert_null(fa_forward(list, fa_ones(FA_SHAPE(2))));
    assert_error(FA_ERROR_STATE, "a list is not run");
    assert_int_equal(fa_module_count(fa_nn_list()), 0);
    assert_null(fa_nn_list(fa_nn_relu(), (fa_module *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_list: module 1 is NULL");
}

static void dicts_find_modules_by_name(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *dict = fa_nn_dict(), *left = fa_module_add(dict, "left", fa_nn_linear(1, 1));
    fa_module_add(dict, "right", fa_nn_relu());
    assert_ptr_equal(fa_module_child(dict, "left"), left);
    fa_modules m = fa_module_children(dict);
    assert_int_equal(m.count, 2);
    assert_string_equal(m.name[1], "right");
    assert_ptr_equal(m.item[0], left);
    assert_no_error();
    assert_null(fa_forward(dict, fa_ones(FA_SHAPE(1))));
    assert_error(FA_ERROR_STATE, "a dict is not run");
}

/* ---- errors ---- */

static void errors_say_where_they_came_up(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *features = fa_nn_sequential(fa_nn_conv2d(3, 6, 3), fa_nn_relu());
    fa_module *net = fa_nn_sequential(fa_nn_identity(), features, fa_nn_flatten());
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(1, 4, 8, 8))));
    assert_error(FA_ERROR_SHAPE, "fa_conv2d", "(1, 4, 8, 8)", "(6, 3, 3, 3)", ", in conv2d \"1.0\" of sequential");
    assert_null(fa_forward(fa_nn_batch_norm2d(6), fa_ones(FA_SHAPE(1, 4, 8, 8))));
    assert_error(FA_ERROR_SHAPE, "batch_norm2d(6): the input is (1, 4, 8, 8)", "4 dimensions", ", in batch_norm2d");
    assert_null(fa_forward(fa_nn_batch_norm1d(6), fa_ones(FA_SHAPE(6))));
    assert_error(FA_ERROR_SHAPE, "batch_norm1d(6): the input is (6)", "2 or 3 dimensions");
    assert_null(fa_forward(fa_nn_dropout2d(), fa_ones(FA_SHAPE(6))));
    assert_error(FA_ERROR_SHAPE, "fa_feature_dropout", ", in dropout2d");
    fa_fail(FA_ERROR_USER, "before");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(1))));
    assert_string_equal(error_reason(), "before");
    fa_error_clear();
}

static void layers_refuse_what_makes_no_sense(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_nn_conv2d(3, 6, 3, .groups = 2));
    assert_error(FA_ERROR_SHAPE, "fa_nn_conv2d", "multiples of groups", "3, 6, 2");
    assert_null(fa_nn_conv2d(3, 6, 3, .groups = 0));
    assert_error(FA_ERROR_SHAPE, "fa_nn_conv2d");
    assert_null(fa_nn_conv1d(-3, 6, 3));
    assert_error(FA_ERROR_SHAPE, "fa_nn_conv1d", "-3");
    assert_null(fa_nn_conv_transpose2d(3, 6, FA_PAIR(0, 1)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv_transpose2d: the kernel is 1 or more, not 0");
    assert_null(fa_nn_conv2d(3, 6, 3, .stride = FA_PAIR(1, 0)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv2d: .stride is 1 or more, not 0");
    assert_null(fa_nn_conv1d(3, 6, 3, .padding = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv1d: .padding is 0 or more, not -1");
    assert_null(fa_nn_conv2d(3, 6, 3, .dilation = 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv2d: .dilation is 1 or more, not 0");
    assert_null(fa_nn_conv_transpose1d(3, 6, 3, .padding = FA_PADDING_SAME));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv_transpose1d: .padding cannot be FA_PADDING_SAME");
    assert_null(fa_nn_conv_transpose2d(3, 6, 3, .output_padding = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv_transpose2d: .output_padding is 0 or more, not -1");
    assert_null(fa_nn_max_pool2d(0));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_max_pool2d: the kernel is 1 or more, not 0");
    assert_null(fa_nn_max_pool1d(2, .dilation = 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_max_pool1d: .dilation is 1 or more, not 0");
    assert_null(fa_nn_avg_pool2d(2, .stride = -2));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_avg_pool2d: .stride is 1 or more, not -2");
    assert_null(fa_nn_max_pool2d(2, .stride = FA_PAIR(2, 0)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_max_pool2d: .stride is 1 or more, not 0");
    assert_null(fa_nn_adaptive_avg_pool2d(-2));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_adaptive_avg_pool2d: the size is -1 or more, not -2");
    assert_null(fa_nn_adaptive_avg_pool2d(FA_PAIR(2, -2)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_adaptive_avg_pool2d: the size has a number outside the range of FA_PAIR");
    assert_null(fa_nn_conv1d(3, 6, FA_PAIR(2, 2)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv1d: the kernel is one number here, and no FA_PAIR");
    assert_null(fa_nn_conv_transpose1d(3, 6, 3, .stride = FA_PAIR(1, 2)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv_transpose1d: .stride is one number here");
    assert_null(fa_nn_max_pool1d(2, .padding = FA_PAIR(0, 1)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_max_pool1d: .padding is one number here");
    assert_null(fa_nn_adaptive_max_pool1d(FA_PAIR(2, 2)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_adaptive_max_pool1d: the size is one number here");
    assert_null(fa_nn_conv2d(3, 6, FA_DIMS(3, 5)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv2d: the kernel is FA_DIMS: a height and a width are FA_PAIR(3, 5)");
    assert_null(fa_nn_conv2d(3, 6, 3, .padding = (intptr_t) "same"));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv2d: .padding is no size", "the padding \"same\" is FA_PADDING_SAME");
    assert_null(fa_nn_conv1d(3, 6, 3, .padding = FA_DIMS(1)));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv1d: .padding is one number here");
    assert_null(fa_nn_conv2d(3, 6, 3, .padding_mode = "mirror"));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv2d", "mirror");
    assert_null(fa_nn_conv2d(3, 6, 3, .padding = FA_PADDING_SAME, .stride = 2, .padding_mode = "reflect"));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_conv2d", "FA_PADDING_SAME");
    assert_null(fa_nn_batch_norm2d(-1));
    assert_error(FA_ERROR_SHAPE, "fa_nn_batch_norm2d", "-1");
    assert_null(fa_nn_group_norm(3, 4));
    assert_error(FA_ERROR_SHAPE, "fa_nn_group_norm", "4, 3");
    assert_null(fa_nn_embedding(5, 3, .padding_idx = 5));
    assert_error(FA_ERROR_SHAPE, "fa_nn_embedding", "padding_idx");
    assert_null(fa_nn_embedding(5, 3, .padding_idx = -6));
    assert_error(FA_ERROR_SHAPE, "fa_nn_embedding");
    assert_null(fa_nn_embedding(-1, 3));
    assert_error(FA_ERROR_SHAPE, "fa_nn_embedding");
    assert_null(fa_forward(fa_nn_layer_norm(FA_SHAPE(4)), fa_ones(FA_SHAPE(2, 3))));
    assert_error(FA_ERROR_SHAPE, "fa_layer_norm", "(2, 3)", ", in layer_norm");
    assert_null(fa_nn_gelu(.approximate = "erf"));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_gelu", "erf");
    assert_null(fa_nn_dropout2d(.p = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_dropout2d", "-1");
}

/* ---- how parameters begin ---- */

typedef struct moments {
    double mean, deviation, least, most;
} moments;

static moments moments_of(const fa_tensor *t)
{
    fa_tensor *v = fa_to(fa_cpu(fa_flatten(fa_detach(t))), FA_F64);
    double mean = fa_item(fa_mean(v));
    moments m = {mean, sqrt(fa_item(fa_mean(fa_pow(fa_sub(v, mean), 2)))), fa_item(fa_min(v, 0).values),
                 fa_item(fa_max(v, 0).values)};
    assert_no_error();
    return m;
}

/* The mean within 4 of its deviations, the deviation within 4 of its own (of a uniform or normal one). */
static void assert_spread(const fa_tensor *t, double mean, double deviation)
{
    moments m = moments_of(t);
    double n = (double)fa_numel(t);
    assert_true(fabs(m.mean - mean) < 4 * deviation / sqrt(n));
    assert_true(fabs(m.deviation / deviation - 1) < 4 / sqrt(2 * n));
}

static void assert_uniform(const fa_tensor *t, double bound)
{
    moments m = moments_of(t);
    assert_spread(t, 0, bound / sqrt(3));
    double n = (double)fa_numel(t);
    assert_true(m.most <= bound && m.least >= -bound);
    assert_true(m.most > bound * (1 - 20 / n) && m.least < -bound * (1 - 20 / n));
}

static void assert_normal(const fa_tensor *t, double deviation)
{
    moments m = moments_of(t);
    assert_spread(t, 0, deviation);
    assert_true(m.most > 3 * deviation && m.most < 7 * deviation && m.least < -3 * deviation);
}

static void layers_begin_as_pytorchs_do(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = DEVICE(0));
    fa_manual_seed(11);
    fa_module *m = fa_nn_conv2d(32, 64, FA_PAIR(3, 5), .groups = 2);
    assert_uniform(fa_module_tensor(m, "weight"), 1 / sqrt(16 * 15));
    assert_uniform(fa_module_tensor(m, "bias"), 1 / sqrt(16 * 15));
    m = fa_nn_conv_transpose2d(32, 64, 3); /* from the outputs: as PyTorch counts there */
    assert_uniform(fa_module_tensor(m, "weight"), 1 / sqrt(64 * 9));
    assert_uniform(fa_module_tensor(m, "bias"), 1 / sqrt(64 * 9));
    m = fa_nn_conv1d(32, 64, 3);
    assert_uniform(fa_module_tensor(m, "weight"), 1 / sqrt(32 * 3));
    m = fa_nn_batch_norm2d(4);
    assert_true(same_tensors(fa_module_tensor(m, "weight"), fa_ones(FA_SHAPE(4))));
    assert_true(same_tensors(fa_module_tensor(m, "running_var"), fa_ones(FA_SHAPE(4))));
    assert_true(same_tensors(fa_module_tensor(m, "running_mean"), fa_zeros(FA_SHAPE(4))));
    assert_int_equal(fa_item_int(fa_module_tensor(m, "num_batches_tracked")), 0);
    assert_true(fa_item(fa_module_tensor(fa_nn_prelu(), "weight")) == 0.25);
    assert_true(same_tensors(fa_module_tensor(fa_nn_layer_norm(FA_SHAPE(3)), "weight"), fa_ones(FA_SHAPE(3))));
    assert_true(same_tensors(fa_module_tensor(fa_nn_group_norm(1, 3), "bias"), fa_zeros(FA_SHAPE(3))));
    fa_tensor *rows = fa_module_tensor(fa_nn_embedding(300, 200, .padding_idx = -2), "weight");
    assert_true(same_tensors(fa_select(rows, 0, 298), fa_zeros(FA_SHAPE(200))));
    assert_normal(fa_narrow(rows, 0, 0, 298), 1);
    assert_no_error();
}

static void init_has_its_distributions(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = DEVICE(0));
    fa_manual_seed(12);
    fa_tensor *w = fa_zeros(FA_SHAPE(200, 50, 3), .requires_grad = true); /* fans 150 and 600 */
    assert_ptr_equal(fa_init_uniform_(w, .a = -2, .b = 2), w);
    assert_uniform(w, 2);
    assert_normal(fa_init_normal_(w), 1);
    assert_spread(fa_init_normal_(w, .mean = 3, .std = 0.1), 3, 0.1);
    assert_uniform(fa_init_xavier_uniform_(w), sqrt(6.0 / 750));
    assert_uniform(fa_init_xavier_uniform_(w, .gain = 2), 2 * sqrt(6.0 / 750));
    assert_normal(fa_init_xavier_normal_(w), sqrt(2.0 / 750));
    assert_uniform(fa_init_kaiming_uniform_(w), sqrt(6.0 / 150));
    assert_uniform(fa_init_kaiming_uniform_(w, .a = 1, .mode = "fan_out"), sqrt(3.0 / 600));
    assert_normal(fa_init_kaiming_normal_(w, .nonlinearity = "relu"), sqrt(2.0 / 150));
    assert_normal(fa_init_kaiming_normal_(w, .mode = "fan_out", .nonlinearity = "tanh"), 5.0 / 3 / sqrt(600));
    assert_spread(fa_init_trunc_normal_(w), 0, 0.8796256610342398);
    moments m = moments_of(fa_init_trunc_normal_(w, .mean = 1, .std = 2, .a = 0, .b = 1.5));
    assert_true(m.least >= 0 && m.least < 1e-3 && m.most <= 1.5 && m.most > 1.499);
    assert_true(same_tensors(fa_init_constant_(w, 7), fa_full(FA_SHAPE(200, 50, 3), 7.0)));
    assert_true(fa_requires_grad(w) && fa_is_leaf(w));
    assert_non_null(fa_init_kaiming_uniform_(fa_zeros(FA_SHAPE(3, 0))));
    assert_no_error();
}

static void init_refuses_what_makes_no_sense(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *v = fa_zeros(FA_SHAPE(3)), *w = fa_zeros(FA_SHAPE(3, 3));
    assert_null(fa_init_xavier_normal_(v));
    assert_error(FA_ERROR_SHAPE, "fa_init_xavier_normal_", "1 dimensions");
    assert_null(fa_init_kaiming_uniform_(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_init_kaiming_uniform_", "NULL");
    assert_null(fa_init_kaiming_uniform_(w, .mode = "fan"));
    assert_error(FA_ERROR_ARGUMENT, "\"fan\"");
    assert_null(fa_init_kaiming_uniform_(w, .nonlinearity = "reul"));
    assert_error(FA_ERROR_ARGUMENT, "fa_init_gain", "reul");
    assert_null(fa_init_trunc_normal_(w, .a = 2, .b = 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_init_trunc_normal_");
    ASSERT_NEAR(fa_init_gain("leaky_relu", 2), sqrt(0.4), 1e-15);
    ASSERT_NEAR(fa_init_gain("selu", 0), 0.75, 0);
    assert_no_error();
}

/* ---- modes ---- */

static void dropout2d_drops_channels(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = DEVICE(0));
    fa_manual_seed(13);
    fa_module *m = fa_nn_dropout2d(.p = 0.25);
    fa_tensor *y = fa_cpu(fa_forward(m, fa_ones(FA_SHAPE(40, 50, 2, 2))));
    fa_tensor *sums = fa_sum(y, .dim = FA_DIMS(2, 3)); /* 0 or 4 times 4/3 */
    double kept = fa_item(fa_mean(fa_gt(sums, 0), .dtype = FA_F64));
    assert_true(fabs(kept - 0.75) < 0.04);
    ASSERT_NEAR(fa_item(fa_max(fa_flatten(sums), 0).values), 16.0 / 3, 1e-5);
    ASSERT_NEAR(fa_item(fa_sum(sums)) / (16.0 / 3), 2000 * kept, 0.01);
    fa_tensor *x = fa_ones(FA_SHAPE(3, 2, 2));
    assert_int_equal(fa_dim(fa_forward(m, x)), 3);
    fa_module_train(m, false);
    assert_ptr_equal(fa_forward(m, x), x);
    assert_no_error();
}

/* With a negative momentum the running ones are the mean of what the batches had. */
static void batch_norm_can_take_the_mean_over_all_batches(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = DEVICE(0));
    fa_module *m = fa_nn_batch_norm1d(1, .momentum = -1, .affine = false);
    fa_forward(m, fa_tensor_from(((const float[]){1, 3}), FA_SHAPE(2, 1)));
    fa_forward(m, fa_tensor_from(((const float[]){5, 5, 8}), FA_SHAPE(3, 1)));
    fa_forward(m, fa_tensor_from(((const float[]){-2, 2}), FA_SHAPE(2, 1)));
    ASSERT_NEAR(fa_item(fa_module_tensor(m, "running_mean")), (2 + 6 + 0) / 3.0, 1e-6);
    ASSERT_NEAR(fa_item(fa_module_tensor(m, "running_var")), (2 + 3 + 8) / 3.0, 1e-6);
    assert_int_equal(fa_item_int(fa_module_tensor(m, "num_batches_tracked")), 3);
    fa_module_train(m, false);
    fa_forward(m, fa_ones(FA_SHAPE(2, 1)));
    assert_int_equal(fa_item_int(fa_module_tensor(m, "num_batches_tracked")), 3);
    assert_no_error();
}

/* ---- failures of memory ---- */

static fa_module *net_new(void)
{
    return fa_nn_sequential(fa_nn_conv2d(2, 4, 3, .padding = 1, .padding_mode = "reflect"), fa_nn_batch_norm2d(4),
                            fa_nn_prelu(.num_parameters = 4), fa_nn_max_pool2d(2), fa_nn_dropout2d(),
                            fa_nn_conv_transpose2d(4, 2, 2), fa_nn_adaptive_avg_pool2d(2), fa_nn_flatten(),
                            fa_nn_unflatten(1, FA_SHAPE(2, 4)), fa_nn_softplus(), fa_nn_layer_norm(FA_SHAPE(4)),
                            fa_nn_group_norm(1, 2), fa_nn_rms_norm(FA_SHAPE(4)));
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_rand(FA_SHAPE(2, 2, 6, 6));
    fa_forward(net_new(), x); /* fills caches */
    for (int64_t nth = 1;; nth++) {
        FA_SCOPE;
        fa__inject(nth);
        fa_module *net = net_new(), *rows = fa_nn_embedding(3, 2, .padding_idx = 1);
        fa_tensor *y = fa_forward(net, x);
        fa__inject(0);
        if (y && rows) {
            assert_no_error();
            assert_true(nth > 50);
            break;
        }
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(layers_have_pytorchs_names_and_shapes),
        TEST(results_have_their_shapes),
        TEST(lists_count_their_modules),
        TEST(dicts_find_modules_by_name),
        TEST(errors_say_where_they_came_up),
        TEST(layers_refuse_what_makes_no_sense),
        TEST(layers_begin_as_pytorchs_do),
        TEST(init_has_its_distributions),
        TEST(init_refuses_what_makes_no_sense),
        TEST(dropout2d_drops_channels),
        TEST(batch_norm_can_take_the_mean_over_all_batches),
        TEST(each_allocation_may_fail),
    };
    return RUN("nn_layers");
}
