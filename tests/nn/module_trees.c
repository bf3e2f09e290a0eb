/* Modules as trees: lists of them, applying functions, freezing, other modules and tensors in their places, hooks, and
 * tables. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/init.h>
#include <facula/nn.h>
#include <facula/optim.h>
#include <math.h>

typedef struct {
    fa_module *fc1, *fc2;
    fa_tensor *scale;
} two;

static fa_tensor *two_forward(fa_module *self, fa_tensor *x)
{
    const two *t = fa_module_data(self);
    return fa_forward(t->fc2, fa_mul(fa_forward(t->fc1, x), t->scale));
}

static fa_module *two_new(void)
{
    fa_module *m = fa_nn_custom("two", sizeof(two), two_forward);
    two *t = fa_module_data(m);
    t->fc1 = fa_module_add(m, "fc1", fa_nn_linear(2, 3, .device = DEVICE(0)));
    t->fc2 = fa_module_add(m, "fc2", fa_nn_linear(3, 1, .device = DEVICE(0)));
    t->scale = fa_module_parameter(m, "scale", fa_ones(FA_SHAPE(1), .device = DEVICE(0)));
    return m;
}

static fa_tensor *input(void)
{
    return fa_to(fa_tensor_from(((const float[]){1, 2, -1, 0.5f}), FA_SHAPE(2, 2), .requires_grad = true), DEVICE(0));
}

/* ---- the tree ---- */

static void modules_are_listed_with_their_paths(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *shared = fa_nn_relu(),
              *net = fa_nn_sequential(two_new(), shared, fa_nn_sequential(shared, fa_nn_tanh()));
    fa_modules m = fa_module_modules(net);
    static const char *const names[] = {"", "0", "0.fc1", "0.fc2", "1", "2", "2.1"};
    assert_int_equal(m.count, 7);
    for (size_t i = 0; i < m.count; i++) {
        assert_string_equal(m.name[i], names[i]);
        assert_ptr_equal(m.item[i], i ? fa_module_child(net, names[i]) : net);
    }
    fa_modules c = fa_module_children(net);
    assert_int_equal(c.count, 3);
    assert_string_equal(c.name[2], "2");
    assert_int_equal(fa_module_children(shared).count, 0);
    assert_non_null(fa_module_children(shared).name);
    assert_no_error();
    assert_null(fa_module_modules(NULL).name[0]);
    assert_error(FA_ERROR_ARGUMENT, "fa_module_modules");
}

static bool note_kind(fa_module *m, void *context)
{
    strcat(context, fa_module_kind(m));
    strcat(context, " ");
    return strcmp(fa_module_kind(m), "tanh") != 0;
}

static void functions_are_applied_to_each_after_what_it_has(void **state)
{
    (void)state;
    FA_SCOPE;
    char order[200] = "";
    fa_module *shared = fa_nn_relu();
    fa_module *net = fa_nn_sequential(two_new(), fa_nn_sequential(shared, fa_nn_flatten()), shared);
    assert_ptr_equal(fa_module_apply(net, note_kind, order), net);
    assert_string_equal(order, "linear linear two relu flatten sequential sequential ");
    assert_no_error();
    order[0] = 0;
    assert_null(fa_module_apply(fa_nn_sequential(fa_nn_tanh(), fa_nn_relu()), note_kind, order));
    assert_string_equal(order, "tanh ");
    assert_error(FA_ERROR_USER, "fa_module_apply", "false for a module tanh");
    assert_null(fa_module_apply(net, NULL, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_apply", "NULL");
    assert_null(fa_module_apply(NULL, note_kind, order));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_modules");
}

static void frozen_parameters_stay(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = two_new(), *body = fa_module_child(net, "fc1");
    fa_module_buffer(net, "steps", fa_zeros(FA_SHAPE(1), .dtype = FA_I64));
    assert_ptr_equal(fa_module_set_requires_grad(body, false), body);
    fa_tensor *frozen = fa_clone(fa_module_tensor(body, "weight")),
              *head = fa_clone(fa_module_tensor(net, "fc2.weight"));
    fa_optim *opt = fa_optim_sgd(net, .lr = 0.5);
    fa_backward(fa_sum(fa_forward(net, input())));
    assert_null(fa_grad(fa_module_tensor(body, "weight")));
    assert_true(fa_optim_step(opt));
    assert_true(same_tensors(fa_module_tensor(body, "weight"), frozen));
    assert_false(same_tensors(fa_module_tensor(net, "fc2.weight"), head));
    fa_module_set_requires_grad(net, true);
    fa_backward(fa_sum(fa_forward(net, input())));
    assert_non_null(fa_grad(fa_module_tensor(body, "weight")));
    fa_module_set_requires_grad(body, false); /* with gradients that the optimizer has not seen */
    assert_true(fa_optim_step(opt));
    assert_true(same_tensors(fa_module_tensor(body, "weight"), frozen));
    assert_false(fa_requires_grad(fa_module_tensor(net, "steps")));
    assert_no_error();
    assert_null(fa_module_set_requires_grad(NULL, true));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_set_requires_grad");
}

/* The module's own pointer follows, so that its forward function takes the new one. */
static void modules_take_the_places_of_others(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(two_new()), *mine = fa_module_child(net, "0");
    fa_module *head = fa_nn_linear(3, 4, .device = DEVICE(0));
    assert_ptr_equal(fa_module_replace(net, "0.fc2", head), head);
    assert_ptr_equal(fa_module_child(net, "0.fc2"), head);
    assert_ptr_equal(((two *)fa_module_data(mine))->fc2, head);
    assert_int_equal(fa_size(fa_forward(net, input()), 1), 4);
    assert_string_equal(fa_module_parameters(net).name[3], "0.fc2.weight"); /* in the same order */
    assert_no_error();
    assert_null(fa_module_replace(net, "0.fc3", head));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_replace", "0.fc3");
    assert_null(fa_module_replace(net, "0.fc1", net));
    assert_error(FA_ERROR_ARGUMENT, "part of itself");
    assert_null(fa_module_replace(net, "0.fc1", NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_replace");
    assert_non_null(fa_forward(net, input()));
    assert_no_error();
}

static void tensors_take_the_places_of_others(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(3, 3), fa_nn_linear(3, 3));
    fa_tensor *weight = fa_module_tensor(net, "0.weight");
    assert_ptr_equal(fa_module_replace_tensor(net, "1.weight", weight), weight);
    assert_int_equal(fa_module_parameters(net).count, 3);
    fa_backward(fa_sum(fa_forward(net, fa_ones(FA_SHAPE(1, 3)))));
    fa_tensor *both = fa_clone(fa_grad(weight));
    fa_module_zero_grad(net);
    fa_tensor *h = fa_forward(fa_module_at(net, 0), fa_ones(FA_SHAPE(1, 3)));
    fa_backward(fa_sum(fa_forward(fa_module_at(net, 1), fa_detach(h))));
    fa_tensor *second = fa_clone(fa_grad(weight));
    assert_false(same_tensors(both, second)); /* both uses of it count */
    fa_tensor *bias = fa_module_replace_tensor(net, "0.bias", fa_zeros(FA_SHAPE(3)));
    assert_ptr_equal(bias, fa_module_tensor(net, "0.bias"));
    assert_true(fa_requires_grad(fa_module_tensor(net, "0.bias")));
    assert_no_error();
    assert_null(fa_module_replace_tensor(net, "0.bias", NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_replace_tensor", "NULL");
    assert_null(fa_module_replace_tensor(net, "0.bias", h));
    assert_error(FA_ERROR_ARGUMENT, "leaf");
    assert_null(fa_module_replace_tensor(net, "0", weight));
    assert_error(FA_ERROR_ARGUMENT, "no parameter or buffer");
}

static void free_nothing(void *data)
{
    (void)data;
}

static void a_clone_is_of_its_own(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = two_new();
    fa_module_add(net, "again", fa_module_child(net, "fc1")); /* shared */
    fa_module_buffer(net, "count", fa_tensor_of(7));
    fa_set_requires_grad(fa_module_tensor(net, "fc2.weight"), false);
    fa_module_train(net, false);
    fa_tensor *x = input(), *y = fa_forward(net, x);
    fa_module *copy = fa_module_clone(net);
    assert_non_null(copy);
    assert_true(same_tensors(fa_forward(copy, x), y));
    assert_false(fa_module_training(copy));
    assert_ptr_equal(fa_module_child(copy, "again"), fa_module_child(copy, "fc1"));
    assert_ptr_not_equal(fa_module_child(copy, "fc1"), fa_module_child(net, "fc1"));
    assert_ptr_equal(((two *)fa_module_data(copy))->fc1, fa_module_child(copy, "fc1"));
    assert_ptr_equal(((two *)fa_module_data(copy))->scale, fa_module_tensor(copy, "scale"));
    assert_true(fa_requires_grad(fa_module_tensor(copy, "fc1.weight")));
    assert_true(fa_is_leaf(fa_module_tensor(copy, "fc1.weight")));
    assert_false(fa_requires_grad(fa_module_tensor(copy, "fc2.weight")));
    assert_int_equal(fa_item_int(fa_module_tensor(copy, "count")), 7);
    assert_int_equal(fa_module_state(copy).count, fa_module_state(net).count);
    {
        FA_USE(.no_grad = true);
        fa_mul_(fa_module_tensor(copy, "scale"), 2);
    }
    assert_true(same_tensors(fa_forward(net, x), y));
    assert_no_error();
    fa_module *holder = fa_nn_sequential(fa_nn_custom("holder", 8, two_forward, .destroy = free_nothing));
    assert_null(fa_module_clone(holder));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_clone: the module holder has a .destroy function");
    assert_null(fa_module_clone(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_clone");
}

/* ---- hooks ---- */

typedef struct diary {
    char text[400];
    int64_t removes; /* a hook of the module that is called, to take away */
    fa_tensor *instead;
} diary;

static void note(diary *d, const char *what, const fa_module *m)
{
    strcat(d->text, what);
    strcat(d->text, fa_module_kind(m));
    strcat(d->text, " ");
}

static void before(fa_module *m, fa_tensor **inputs, size_t count, void *context)
{
    diary *d = context;
    note(d, "<", m);
    assert_int_equal(count, 1);
    if (d->instead)
        inputs[0] = d->instead;
    if (d->removes)
        assert_true(fa_module_unhook(m, d->removes));
    d->removes = 0;
}

static fa_tensor *after(fa_module *m, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)output;
    note(context, ">", m);
    assert_int_equal(inputs.count, 1);
    return ((diary *)context)->instead;
}

static fa_tensor *back_before(fa_module *m, fa_tensor *grad, void *context)
{
    diary *d = context;
    note(d, "[", m);
    assert_non_null(grad);
    return d->instead;
}

static fa_tensor *back_after(fa_module *m, size_t number, fa_tensor *grad_input, fa_tensor *grad_output, void *context)
{
    diary *d = context;
    note(d, grad_input ? "]" : "no]", m);
    assert_int_equal(number, 0);
    assert_non_null(grad_output);
    return d->instead;
}

static void hooks_are_called_in_order(void **state)
{
    (void)state;
    diary d = {.text = ""};
    FA_SCOPE;
    fa_module *relu = fa_nn_relu(), *net = fa_nn_sequential(relu, fa_nn_tanh());
    fa_module_hook_backward(net, back_after, &d);
    fa_module_hook_backward(relu, back_after, &d);
    fa_module_hook_backward_pre(relu, back_before, &d);
    fa_module_hook_forward(net, after, &d);
    fa_module_hook_forward(relu, after, &d);
    fa_module_hook_forward_pre(relu, before, &d);
    int64_t number = fa_module_hook_forward_pre(net, before, &d);
    assert_true(number > 0);
    fa_tensor *x = input();
    fa_tensor *y = fa_forward(net, x);
    assert_string_equal(d.text, "<sequential <relu >relu >sequential ");
    d.text[0] = 0;
    fa_backward(fa_sum(y));
    assert_string_equal(d.text, "[relu ]relu ]sequential ");
    assert_no_error();
    d.text[0] = 0;
    assert_true(fa_module_unhook(net, number));
    {
        FA_USE(.no_grad = true);
        fa_forward(net, x);
    }
    assert_string_equal(d.text, "<relu >relu >sequential ");
    assert_no_error();
    assert_false(fa_module_unhook(net, number));
    assert_error(FA_ERROR_ARGUMENT, "fa_module_unhook", "no hook");
    assert_int_equal(fa_module_hook_forward(net, NULL, NULL), 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_module_hook_forward", "NULL");
    assert_int_equal(fa_module_hook_backward(NULL, back_after, NULL), 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_module_hook_backward", "NULL");
}

static void hooks_change_what_goes_through(void **state)
{
    (void)state;
    diary first = {.text = ""}, second = {.text = ""};
    FA_SCOPE;
    fa_module *m = fa_nn_relu();
    fa_tensor *x = fa_tensor_of(1.0, -2.0), *g;
    fa_set_requires_grad(x, true);
    first.instead = fa_tensor_of(-3.0, 4.0);
    int64_t h = fa_module_hook_forward_pre(m, before, &first);
    assert_true(same_tensors(fa_forward(m, x), fa_tensor_of(0.0, 4.0)));
    fa_module_unhook(m, h);
    h = fa_module_hook_forward(m, after, &first);
    assert_ptr_equal(fa_forward(m, x), first.instead);
    fa_module_unhook(m, h);
    first.instead = fa_tensor_of(10.0, 10.0);
    h = fa_module_hook_backward_pre(m, back_before, &first); /* 10 instead of 1, through relu */
    fa_backward(fa_sum(fa_forward(m, x)));
    assert_true(same_tensors(fa_grad(x), fa_tensor_of(10.0, 0.0)));
    fa_module_unhook(m, h);
    second.instead = fa_tensor_of(7.0, 8.0);
    fa_module_hook_backward(m, back_after, &second);
    fa_set_grad(x, NULL);
    fa_backward(fa_add(fa_sum(fa_forward(m, x)), fa_sum(x))); /* what came another way is not replaced */
    g = fa_grad(x);
    assert_true(same_tensors(g, fa_tensor_of(8.0, 9.0)));
    assert_no_error();
}

static void hooks_may_go_while_they_are_called(void **state)
{
    (void)state;
    diary d = {.text = ""};
    FA_SCOPE;
    fa_module *m = fa_nn_relu();
    int64_t first = fa_module_hook_forward_pre(m, before, &d);
    int64_t other = fa_module_hook_forward_pre(m, before, &d);
    fa_module_hook_forward_pre(m, before, &d);
    d.removes = other;
    fa_forward(m, fa_ones(FA_SHAPE(1)));
    assert_string_equal(d.text, "<relu <relu ");
    d.removes = first;
    fa_forward(m, fa_ones(FA_SHAPE(1)));
    assert_string_equal(d.text, "<relu <relu <relu <relu ");
    fa_forward(m, fa_ones(FA_SHAPE(1)));
    assert_string_equal(d.text, "<relu <relu <relu <relu <relu ");
    assert_no_error();
}

static fa_tensor *fail_after(fa_module *m, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)m, (void)inputs, (void)output, (void)context;
    fa_fail(FA_ERROR_USER, "not this way");
    return NULL;
}

static fa_tensor *fail_back(fa_module *m, fa_tensor *grad, void *context)
{
    (void)m, (void)grad, (void)context;
    fa_fail(FA_ERROR_USER, "not back either");
    return NULL;
}

static fa_tensor *grow_back(fa_module *m, size_t i, fa_tensor *grad_input, fa_tensor *grad_output, void *context)
{
    (void)m, (void)i, (void)grad_input, (void)grad_output, (void)context;
    return fa_ones(FA_SHAPE(7));
}

static void hooks_may_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *relu = fa_nn_relu(), *net = fa_nn_sequential(relu);
    int64_t h = fa_module_hook_forward(relu, fail_after, NULL);
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(1))));
    assert_error(FA_ERROR_USER, "not this way, in relu \"0\" of sequential");
    fa_module_unhook(relu, h);
    h = fa_module_hook_backward_pre(relu, fail_back, NULL);
    fa_tensor *x = input();
    assert_false(fa_backward(fa_sum(fa_forward(net, x))));
    assert_error(FA_ERROR_USER, "not back either, in a backward hook of relu");
    assert_null(fa_grad(x));
    fa_module_unhook(relu, h);
    fa_module_hook_backward(relu, grow_back, NULL);
    assert_false(fa_backward(fa_sum(fa_forward(net, x))));
    assert_error(FA_ERROR_SHAPE, "a gradient (7) was put in the place of one (2, 2), in a backward hook of relu");
}

/* The input needs no gradient: the parameters do. And gradients of gradients pass too. */
static void backward_hooks_of_what_needs_no_input_gradient(void **state)
{
    (void)state;
    diary d = {.text = ""};
    FA_SCOPE;
    fa_module *m = fa_nn_linear(2, 1);
    fa_module_hook_backward(m, back_after, &d);
    fa_backward(fa_sum(fa_forward(m, fa_ones(FA_SHAPE(3, 2)))));
    assert_string_equal(d.text, "no]linear ");
    fa_tensor *x = fa_ones(FA_SHAPE(3, 2), .requires_grad = true);
    fa_module *net = fa_nn_sequential(m, fa_nn_tanh());
    fa_tensor *y = fa_sum(fa_forward(net, x));
    fa_tensor *g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .create_graph = true).item[0];
    assert_non_null(fa_grad_of(FA_TENSORS(fa_sum(fa_mul(g, g))), FA_TENSORS(x)).item[0]);
    assert_no_error();
}

static fa_tensor *product_before(fa_module *m, fa_tensor *grad, void *context)
{
    (void)m, (void)grad;
    const fa_tensor *ones = fa_ones(FA_SHAPE(2, 2));
    *(fa_dtype *)context = fa_tensor_dtype(fa_matmul(ones, ones));
    return NULL;
}

static fa_tensor *product_after(fa_module *m, size_t i, fa_tensor *grad_input, fa_tensor *grad_output, void *context)
{
    (void)i, (void)grad_input;
    return product_before(m, grad_output, context);
}

/* As hooks of tensors. */
static void backward_hooks_run_without_autocast(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dtype before = FA_SAME, after = FA_SAME;
    fa_module *m = fa_nn_linear(2, 1);
    fa_module_hook_backward_pre(m, product_before, &before);
    fa_module_hook_backward(m, product_after, &after);
    fa_tensor *y = NULL;
    {
        FA_USE(.autocast = FA_BF16);
        y = fa_forward(m, fa_ones(FA_SHAPE(3, 2), .requires_grad = true));
    }
    assert_int_equal(fa_tensor_dtype(y), FA_BF16);
    assert_true(fa_backward(fa_sum(y)));
    assert_true(before == FA_F32 && after == FA_F32);
}

static void graphs_hold_modules_with_backward_hooks(void **state)
{
    (void)state;
    diary d = {.text = ""};
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(1), .requires_grad = true), *y;
    {
        FA_SCOPE;
        fa_module *m = fa_nn_tanh();
        fa_module_hook_backward(m, back_after, &d);
        y = fa_escape(fa_forward(m, x));
    }
    assert_true(fa_backward(y));
    assert_string_equal(d.text, "]tanh ");
    assert_no_error();
}

/* ---- tables ---- */

static const char *summary_of(const fa_module *m, fa_shape shape)
{
    static char text[4000];
    FILE *file = tmpfile();
    assert_non_null(file);
    bool written = fa_module_summary(m, file, .input = shape);
    assert_no_error();
    assert_true(written);
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    return text;
}

static fa_module *cnn_new(void)
{
    fa_module *features =
        fa_nn_sequential(fa_nn_conv2d(3, 6, 5), fa_nn_batch_norm2d(6), fa_nn_relu(), fa_nn_max_pool2d(2));
    return fa_nn_sequential(features, fa_nn_flatten(), fa_nn_dropout(), fa_nn_linear(1176, 10));
}

/* 28 * 28 * 6 * 3 * 5 * 5 = 352,800, and 11,760. */
static const char cnn_table[] = "layer                output               parameters    multiply-adds\n"
                                "---------------------------------------------------------------------\n"
                                "sequential           (2, 10)                  12,238          729,120\n"
                                "  0: sequential      (2, 6, 14, 14)              468          705,600\n"
                                "    0: conv2d        (2, 6, 28, 28)              456          705,600\n"
                                "    1: batch_norm2d  (2, 6, 28, 28)               12                -\n"
                                "    2: relu          (2, 6, 28, 28)                -                -\n"
                                "    3: max_pool2d    (2, 6, 14, 14)                -                -\n"
                                "  1: flatten         (2, 1176)                     -                -\n"
                                "  2: dropout         (2, 1176)                     -                -\n"
                                "  3: linear          (2, 10)                  11,770           23,520\n"
                                "---------------------------------------------------------------------\n"
                                "parameters: 12,238, frozen: 11,770; with buffers: 49,008 bytes\n"
                                "multiply-adds: 729,120; input: 24,576 bytes, results of layers: 141,200 bytes\n"
                                "mode: training of 8 modules, inference of 1\n";

static void tables_tell_what_an_input_does(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_device places[] = {FA_CPU, DEVICE(0), FA_META};
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        FA_USE(.device = places[i]);
        fa_module *net = cnn_new();
        fa_module_set_requires_grad(fa_module_child(net, "3"), false);
        fa_module_train(fa_module_child(net, "0.1"), false);
        assert_string_equal(summary_of(net, FA_SHAPE(2, 3, 32, 32)), cnn_table);
        assert_true(fa_module_training(net) && fa_module_training(fa_module_child(net, "2")));
        assert_false(fa_module_training(fa_module_child(net, "0.1")));
        if (i < 2)
            assert_int_equal(fa_item_int(fa_module_tensor(net, "0.1.num_batches_tracked")), 0);
        assert_string_equal(summary_of(net, FA_SHAPE(2, 3, 32, 32)), cnn_table); /* no hooks were left */
    }
}

static void tables_count_what_runs_twice(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *shared = fa_nn_linear(4, 4, .bias = false), *net = fa_nn_sequential(shared, fa_nn_relu(), shared);
    const char *text = summary_of(net, FA_SHAPE(3, 4));
    assert_non_null(strstr(text, "multiply-adds: 96; input: 48 bytes, results of layers: 144 bytes"));
    assert_non_null(strstr(text, "parameters: 16, frozen: 0; with buffers: 64 bytes"));
    text = summary_of(fa_nn_conv_transpose2d(2, 4, 3, .stride = 2, .groups = 2), FA_SHAPE(1, 2, 5, 5));
    assert_non_null(strstr(text, "multiply-adds: 900;")); /* 50 elements, with 2 * 9 each */
}

static void tables_without_an_input_have_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_string_equal(summary_of(fa_nn_sequential(fa_nn_batch_norm1d(3, .dtype = FA_F64)), FA_SCALAR),
                        "layer                    shape         parameters\n"
                        "-------------------------------------------------\n"
                        "sequential               -                      6\n"
                        "  0: batch_norm1d        -                      6\n"
                        "    weight               f64 (3)                3\n"
                        "    bias                 f64 (3)                3\n"
                        "    running_mean         f64 (3)           buffer\n"
                        "    running_var          f64 (3)           buffer\n"
                        "    num_batches_tracked  i64 ()            buffer\n"
                        "-------------------------------------------------\n"
                        "parameters: 6, frozen: 0; with buffers: 104 bytes\n"
                        "mode: training\n");
}

typedef struct half_added {
    fa_module *added, *forgotten;
} half_added;

static fa_tensor *half_added_forward(fa_module *self, fa_tensor *x)
{
    const half_added *n = fa_module_data(self);
    return fa_forward(n->forgotten, fa_forward(n->added, x));
}

static void tables_name_layers_that_were_not_added(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_custom("net", sizeof(half_added), half_added_forward);
    half_added *n = fa_module_data(net);
    n->added = fa_module_add(net, "added", fa_nn_sequential(fa_nn_linear(3, 4), fa_nn_relu()));
    n->forgotten = fa_nn_sequential(fa_nn_linear(4, 2), fa_nn_dropout());
    fa_module_train(net, false);
    const char *text = summary_of(net, FA_SHAPE(1, 3));
    assert_non_null(strstr(text, "\nmode: inference\nno part of it, but run: sequential, parameters: 10\n"));
    assert_null(strstr(strstr(text, "no part of it") + 1, "no part of it"));
    fa_module_add(net, "forgotten", n->forgotten);
    assert_null(strstr(summary_of(net, FA_SHAPE(1, 3)), "no part of it"));
}

/* Makes its layer when it first runs: then it knows the size of the input. */
static fa_tensor *late_forward(fa_module *self, fa_tensor *x)
{
    if (!fa_module_count(self))
        fa_module_add(self, "fc", fa_nn_linear(fa_size(x, -1), 3));
    return fa_forward(fa_module_at(self, 0), x);
}

static void tables_have_what_the_run_adds(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_custom("late", 0, late_forward);
    const char *text = summary_of(net, FA_SHAPE(2, 4));
    assert_non_null(strstr(text, "  fc: linear  -                    15                -\n"));
    text = summary_of(net, FA_SHAPE(2, 4));
    assert_non_null(strstr(text, "  fc: linear  (2, 3)               15               24\n"));
}

static fa_tensor *source_forward(fa_module *self, fa_tensors inputs)
{
    (void)self;
    return inputs.count ? NULL : fa_ones(FA_SHAPE(3));
}

static fa_tensor *drawing_forward(fa_module *self, fa_tensor *x)
{
    return fa_mul(x, fa__forward(fa_module_at(self, 0), (fa_tensors){0, NULL}));
}

static void modules_without_inputs_may_have_hooks(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_custom("drawing", 0, drawing_forward);
    fa_module_append(net, fa_nn_custom("source", 0, source_forward));
    assert_non_null(strstr(summary_of(net, FA_SHAPE(2, 3)), "0: source  (3) "));
    assert_no_error();
}

static void tables_may_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = cnn_new();
    assert_false(fa_module_summary(net, stdout, .input = FA_SHAPE(1, 4, 32, 32)));
    assert_error(FA_ERROR_SHAPE, "fa_conv2d", "in conv2d \"0.0\" of sequential");
    assert_true(fa_module_training(net));
    FILE *none = fopen("/dev/full", "w");
    if (none) {
        setvbuf(none, NULL, _IONBF, 0);
        assert_false(fa_module_summary(net, none));
        assert_error(FA_ERROR_FILE, "fa_module_summary");
        fclose(none);
    }
    assert_non_null(fa_forward(net, fa_ones(FA_SHAPE(1, 3, 32, 32))));
    assert_no_error();
}

/* ---- failures of memory ---- */

typedef struct trial {
    fa_module *net;
    FILE *file;
    diary d;
} trial;

static bool try_lists(trial *t)
{
    t->d.text[0] = 0;
    return fa_module_modules(t->net).count && fa_module_apply(t->net, note_kind, t->d.text);
}

static bool try_hooks(trial *t)
{
    fa_module *each[] = {t->net, fa_module_child(t->net, "fc1")};
    fa_tensor *x = input();
    bool good = x != NULL;
    t->d.text[0] = 0;
    for (int i = 0; i < 2; i++) {
        int64_t a = fa_module_hook_forward_pre(each[i], before, &t->d),
                b = fa_module_hook_backward(each[i], back_after, &t->d);
        good = good && a && b && fa_backward(fa_sum(fa_forward(t->net, x)));
        if (a)
            fa_module_unhook(each[i], a);
        if (b)
            fa_module_unhook(each[i], b);
    }
    return good;
}

static bool try_replacing(trial *t)
{
    fa_module *head = fa_nn_linear(3, 1, .device = DEVICE(0));
    return head && fa_module_replace(t->net, "fc2", head) && fa_module_append(t->net, fa_nn_relu())
           && fa_module_replace_tensor(t->net, "scale", fa_ones(FA_SHAPE(1), .device = DEVICE(0)));
}

static bool try_summary(trial *t)
{
    rewind(t->file);
    return fa_module_summary(t->net, t->file, .input = FA_SHAPE(2, 2)) && fa_module_summary(t->net, t->file);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    bool (*const calls[])(trial *) = {try_lists, try_hooks, try_replacing, try_summary};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        trial t = {.file = tmpfile()};
        FA_SCOPE;
        t.net = two_new();
        int64_t nth = 1;
        for (bool done = false; !done; nth++) {
            FA_SCOPE;
            fa__inject(nth);
            done = calls[i](&t);
            fa__inject(0);
            if (done)
                break;
            assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
            fa_error_clear();
            assert_true(fa_module_training(t.net));
            assert_non_null(fa_forward(t.net, input()));
        }
        assert_no_error();
        assert_true(nth > 1);
        fclose(t.file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(modules_are_listed_with_their_paths),
        TEST(functions_are_applied_to_each_after_what_it_has),
        TEST(frozen_parameters_stay),
        TEST(modules_take_the_places_of_others),
        TEST(tensors_take_the_places_of_others),
        TEST(a_clone_is_of_its_own),
        TEST(hooks_are_called_in_order),
        TEST(hooks_change_what_goes_through),
        TEST(hooks_may_go_while_they_are_called),
        TEST(hooks_may_fail),
        TEST(backward_hooks_of_what_needs_no_input_gradient),
        TEST(backward_hooks_run_without_autocast),
        TEST(graphs_hold_modules_with_backward_hooks),
        TEST(tables_tell_what_an_input_does),
        TEST(tables_count_what_runs_twice),
        TEST(tables_without_an_input_have_tensors),
        TEST(tables_name_layers_that_were_not_added),
        TEST(tables_have_what_the_run_adds),
        TEST(modules_without_inputs_may_have_hooks),
        TEST(tables_may_fail),
        TEST(each_allocation_may_fail),
    };
    return RUN("nn_modules");
}
