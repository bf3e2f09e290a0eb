/* Calls without C's macros (facula/plain.h). */
#include "core/options.h"
#include "support/api_test.h"

static void options_have_the_defaults_of_the_macros(void **state)
{
    (void)state;
    fa_norm_options norm;
    assert_true(fa_options_default("fa_norm", &norm, sizeof norm));
    assert_true(norm.p == 2);
    assert_true(norm.dim == FA_ALL && !norm.keepdim && !norm.out);
    fa_optim_adamw_options adam;
    assert_true(fa_options_default("fa_optim_adamw", &adam, sizeof adam));
    assert_true(adam.weight_decay == 1e-2 && adam.beta2 == 0.999);
    fa_nn_conv1d_options conv;
    assert_true(fa_options_default("fa_nn_conv1d", &conv, sizeof conv));
    assert_string_equal(conv.padding_mode, "zeros");
    fa_bernoulli__options fill;
    assert_true(fa_options_default("fa_bernoulli_", &fill, sizeof fill));
    fa_bernoulli_options drawn;
    assert_true(fa_options_default("fa_bernoulli", &drawn, sizeof drawn));
    fa_add_options add;
    assert_true(fa_options_default("fa_add_", &add, sizeof add));
    fa_tensor *x = fa_tensor_of(1.0, 2.0);
    add.alpha = 3;
    assert_ptr_equal((fa_add_)(x, fa_arg_int(2), &add), x);
    assert_true(same_tensors(x, fa_tensor_of(7.0, 8.0)));
}

static void every_struct_of_the_table_is_found(void **state)
{
    (void)state;
    char buffer[1024];
    int count = 0;
    for (const fa__options_of *o = fa__options_table; o->function; o++, count++) {
        assert_true(o->size <= sizeof buffer);
        assert_true(fa_options_default(o->function, buffer, o->size));
        assert_memory_equal(buffer, o->defaults, o->size);
        assert_true(*(size_t *)(void *)buffer <= o->size);
    }
    assert_true(count > 300);
}

static void wrong_options_are_errors(void **state)
{
    (void)state;
    fa_norm_options norm = {.p = 7};
    assert_false(fa_options_default("fa_no_such", &norm, sizeof norm));
    assert_error(FA_ERROR_ARGUMENT, "no struct of options of fa_no_such");
    assert_false(fa_options_default("fa_norm", &norm, sizeof norm - 1));
    assert_error(FA_ERROR_ARGUMENT, "the options of fa_norm have ");
    assert_false(fa_options_default("fa_nor", &norm, sizeof norm));
    assert_error(FA_ERROR_ARGUMENT, "fa_nor");
    assert_true(norm.p == 7);
    assert_false(fa_options_default(NULL, &norm, sizeof norm));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

static void arguments_are_those_of_the_macros(void **state)
{
    (void)state;
    const int64_t dim[] = {0, -1, 3};
    assert_true(fa_dims_of(3, dim) == FA_DIMS(0, -1, 3));
    assert_true(fa_dims_of(1, dim + 1) == FA_DIMS(-1));
    assert_true(fa_pair_of(3, 5) == FA_PAIR(3, 5));
    fa_tensor *x = fa_ones(FA_SHAPE(2, 3, 4));
    const int64_t many[9] = {0};
    fa_sum_options sum;
    assert_true(fa_options_default("fa_sum", &sum, sizeof sum));
    sum.dim = fa_dims_of(9, many);
    assert_null((fa_sum)(x, &sum));
    assert_error(FA_ERROR_INDEX, "a dimension is below");
    sum.dim = fa_dims_of(2, (const int64_t[]){0, 2});
    assert_true(same_tensors((fa_sum)(x, &sum), fa_full(FA_SHAPE(3), 8.0)));
    assert_true(fa_item((fa_mul)(fa_arg_double(1.5), fa_arg_tensor(fa_tensor_of(4.0)), NULL)) == 6);
    assert_int_equal(fa_arg_bool(true).bits, 1);
    const fa_arg two = {.bits = UINT64_C(1) << 62, .kind = 1},
                 minus = {.bits = (uint64_t)-3, .kind = 2}; /* as bindings do */
    assert_true(fa_item((fa_mul)(two, minus, NULL)) == -6);
    assert_int_equal(sizeof(fa_arg), 2 * sizeof(uint64_t));
}

static void what_is_owned_outlives_its_scope(void **state)
{
    (void)state;
    size_t scope = fa_scope_enter("test");
    assert_true(scope > 0);
    fa_tensor *x = fa_own(fa_tensor_of(1.0, 2.0)), *y = fa_tensor_of(3.0);
    assert_non_null(x);
    assert_null(fa_own(x)); /* the scope does not own it any more */
    assert_error(FA_ERROR_STATE, "no scope");
    fa_scope_leave(scope);
    fa_scope_leave(scope); /* nothing */
    assert_true(fa_item(fa_sum(x)) == 3);
    (void)y;
    fa_release(x);
    assert_null(fa_own(NULL));
    scope = fa_scope_enter("around a call");
    y = fa_scope_leave_with(scope, fa_get(fa_ones(FA_SHAPE(2, 3)), "0, 1"));
    assert_true(fa_item(y) == 1);
    fa_release(y);
    assert_null(fa_scope_leave_with(fa_scope_enter("nothing"), NULL));
    assert_no_error();
}

static void settings_end_where_they_are_left(void **state)
{
    (void)state;
    fa_settings s = fa_settings_now();
    assert_false(s.no_grad);
    s.no_grad = true;
    size_t use = fa_use_enter(&s);
    assert_true(fa_settings_now().no_grad);
    assert_false(fa__set_grad_enabled(true));
    assert_false(fa_settings_now().no_grad);
    assert_true(fa__set_grad_enabled(false));
    fa_use_leave(use);
    assert_false(fa_settings_now().no_grad);
    assert_true(fa__set_grad_enabled(false));
    assert_true(fa_settings_now().no_grad);
    assert_false(fa__set_grad_enabled(true));
    assert_int_equal(fa_use_enter(NULL), 0);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

static void a_line_is_named(void **state)
{
    (void)state;
    const char *line = fa_line_of("train.py", 41);
    assert_string_equal(line, "train.py:41");
    assert_ptr_equal(fa_line_of("train.py", 41), line);
    assert_ptr_not_equal(fa_line_of("train.py", 42), line);
    const char *before = fa_line_enter(line);
    assert_null((fa_matmul)(fa_ones(FA_SHAPE(2, 3)), fa_ones(FA_SHAPE(2, 3)), NULL));
    assert_ptr_equal(fa_line_enter(before), line);
    assert_error(FA_ERROR_SHAPE, "train.py:41: ");
    char path[2000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    const char *end = fa_line_of(path, 7);
    assert_true(strlen(end) < 512 && !strcmp(end + strlen(end) - 3, "x:7"));
    assert_string_equal(fa_line_of(NULL, 7), ":7");
}

static void a_loader_is_gone_through(void **state)
{
    (void)state;
    fa_tensor *x = fa_arange(0, 10);
    fa_loader *loader = fa_data_loader(fa_data_tensors(x), .batch_size = 4);
    fa_batch batch;
    double sum = 0;
    int count = 0;
    assert_true(fa_loader_begin(loader, &batch));
    for (; fa_loader_next(&batch); count++)
        sum += fa_item(fa_sum(batch.input));
    fa_loader_end(&batch);
    assert_int_equal(count, 3);
    assert_true(sum == 45);
    assert_false(fa_loader_begin(NULL, &batch));
    assert_false(fa_loader_next(&batch));
    fa_loader_end(&batch);
    assert_error(FA_ERROR_ARGUMENT, "the loader is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_have_the_defaults_of_the_macros),
        TEST(every_struct_of_the_table_is_found),
        TEST(wrong_options_are_errors),
        TEST(arguments_are_those_of_the_macros),
        TEST(what_is_owned_outlives_its_scope),
        TEST(settings_end_where_they_are_left),
        TEST(a_line_is_named),
        TEST(a_loader_is_gone_through),
    };
    return RUN("plain");
}
