/* Recurrent layers and cells: names, states, gradients of gradients, modes, memory, files, and errors that say where.
 * What they compute is held against PyTorch in nn_reference.c. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <math.h>

static const char *names_of(fa_parameters p)
{
    static char text[1000];
    *text = 0;
    for (size_t i = 0; i < p.count; i++)
        strcat(strcat(text, p.name[i]), i + 1 < p.count ? " " : "");
    return text;
}

/* The largest distance between two tensors of one shape. */
static double apart(const fa_tensor *a, const fa_tensor *b)
{
    return fa_item(fa_amax(fa_abs(fa_sub(fa_detach(a), fa_detach(b)))));
}

static void parameters_have_pytorchs_names(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_lstm(5, 4, .num_layers = 2, .bidirectional = true, .proj_size = 3);
    assert_string_equal(names_of(fa_module_state(m)),
                        "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_hr_l0 weight_ih_l0_reverse "
                        "weight_hh_l0_reverse bias_ih_l0_reverse bias_hh_l0_reverse weight_hr_l0_reverse weight_ih_l1 "
                        "weight_hh_l1 bias_ih_l1 bias_hh_l1 weight_hr_l1 weight_ih_l1_reverse weight_hh_l1_reverse "
                        "bias_ih_l1_reverse bias_hh_l1_reverse weight_hr_l1_reverse");
    assert_int_equal(fa_size(fa_module_tensor(m, "weight_ih_l1"), 0), 16);
    assert_int_equal(fa_size(fa_module_tensor(m, "weight_ih_l1"), 1), 6);
    assert_int_equal(fa_size(fa_module_tensor(m, "weight_hr_l0"), 1), 4);
    assert_string_equal(names_of(fa_module_state(fa_nn_gru(5, 4, .bias = false))), "weight_ih_l0 weight_hh_l0");
    assert_string_equal(names_of(fa_module_state(fa_nn_rnn_cell(5, 4))), "weight_ih weight_hh bias_ih bias_hh");
    fa_module *half = fa_nn_rnn(2, 3, .dtype = FA_F16, .device = DEVICE(0));
    assert_int_equal(fa_tensor_dtype(fa_module_tensor(half, "bias_hh_l0")), FA_F16);
    assert_string_equal(fa_module_kind(half), "rnn");
    assert_string_equal(fa_module_kind(fa_nn_lstm_cell(2, 3)), "lstm_cell");
}

/* ---- states ---- */

static fa_module *layer_of(int kind, int64_t in, int64_t hidden)
{
    return kind == 0   ? fa_nn_lstm(in, hidden, .num_layers = 2)
           : kind == 1 ? fa_nn_gru(in, hidden, .num_layers = 2)
                       : fa_nn_rnn(in, hidden, .num_layers = 2);
}

static void a_sequence_may_be_read_in_pieces(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0)};
    for (int i = 0; i < 6; i++) {
        FA_SCOPE;
        FA_USE(.device = places[i / 3]);
        fa_module *m = layer_of(i % 3, 4, 3);
        fa_tensor *x = fa_randn(FA_SHAPE(7, 2, 4));
        fa_recurrent whole = fa_forward_recurrent(m, x), first = fa_forward_recurrent(m, fa_narrow(x, 0, 0, 3));
        fa_recurrent rest = fa_forward_recurrent(m, fa_narrow(x, 0, 3, 4), .h_0 = first.h_n, .c_0 = first.c_n);
        assert_no_error();
        assert_true(apart(whole.output, fa_cat(FA_TENSORS(first.output, rest.output))) < 1e-6);
        assert_true(apart(whole.h_n, rest.h_n) < 1e-6);
        assert_true(i % 3 ? !whole.c_n && !rest.c_n : apart(whole.c_n, rest.c_n) < 1e-6);
        assert_true(apart(fa_select(whole.h_n, 0, 1), fa_select(whole.output, 0, 6)) == 0);
        fa_tensor *again = i % 3 ? fa_forward(m, fa_narrow(x, 0, 3, 4), first.h_n)
                                 : fa_forward(m, fa_narrow(x, 0, 3, 4), first.h_n, first.c_n);
        assert_true(apart(again, rest.output) == 0);
    }
}

static void cells_do_the_steps_of_a_layer(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        FA_SCOPE;
        fa_module *m = kind == 0 ? fa_nn_lstm(4, 3) : kind == 1 ? fa_nn_gru(4, 3) : fa_nn_rnn(4, 3);
        fa_module *cell = kind == 0 ? fa_nn_lstm_cell(4, 3) : kind == 1 ? fa_nn_gru_cell(4, 3) : fa_nn_rnn_cell(4, 3);
        fa_parameters from = fa_module_parameters(m), to = fa_module_parameters(cell);
        for (size_t i = 0; i < from.count; i++)
            fa_copy_(fa_detach(to.item[i]), fa_detach(from.item[i]));
        fa_tensor *x = fa_randn(FA_SHAPE(5, 2, 4));
        fa_recurrent whole = fa_forward_recurrent(m, x), y = fa_forward_recurrent(cell, fa_select(x, 0, 0));
        for (int64_t t = 1; t < 5; t++)
            y = fa_forward_recurrent(cell, fa_select(x, 0, t), .h_0 = y.h_n, .c_0 = y.c_n);
        assert_no_error();
        assert_true(apart(y.output, fa_select(whole.output, 0, 4)) < 1e-6);
        assert_true(kind ? !y.c_n : apart(y.c_n, fa_select(whole.c_n, 0, 0)) < 1e-6);
    }
}

static void batches_may_be_empty_and_shapes_alone(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        FA_SCOPE;
        fa_module *m = kind == 3 ? fa_nn_lstm(4, 3, .proj_size = 2) : layer_of(kind, 4, 3);
        fa_tensor *y = fa_forward(m, fa_zeros(FA_SHAPE(5, 0, 4)));
        assert_int_equal(fa_size(y, 1), 0);
        assert_true(fa_backward(fa_sum(y)));
        assert_true(fa_item(fa_amax(fa_abs(fa_grad(fa_module_tensor(m, "weight_hh_l0"))))) == 0);
        FA_USE(.device = FA_META);
        m = kind == 3 ? fa_nn_lstm(4, 3, .proj_size = 2) : layer_of(kind, 4, 3);
        y = fa_forward(m, fa_zeros(FA_SHAPE(5, 2, 4)));
        assert_int_equal(fa_size(y, 2), kind == 3 ? 2 : 3);
        assert_true(fa_backward(fa_sum(y)));
        assert_no_error();
    }
}

/* ---- gradients ---- */

/* The gradients of a sum of everything that a layer gives, for its input and parameters. */
static fa_tensors gradients(fa_module *m, fa_tensor *x, bool create)
{
    fa_parameters p = fa_module_parameters(m);
    fa_tensor *of[1 + 16] = {x};
    memcpy(of + 1, p.item, p.count * sizeof *p.item);
    fa_recurrent y = fa_forward_recurrent(m, x);
    fa_tensor *sum = fa_add(fa_sum(fa_square(y.output)), fa_sum(fa_sin(y.h_n)));
    if (y.c_n)
        sum = fa_add(sum, fa_sum(fa_square(y.c_n)));
    return fa_grad_of(FA_TENSORS(sum), ((fa_tensors){1 + p.count, of}), .create_graph = create);
}

static double sum_of_squares(fa_tensors g)
{
    double sum = 0;
    for (size_t i = 0; i < g.count; i++)
        sum += fa_item(fa_sum(fa_square(fa_detach(g.item[i]))));
    return sum;
}

/* Backward that is recorded computes the steps again by other operations, which give the same gradients; the gradients
 * of these are held against differences. */
static void gradients_have_gradients(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0)};
    for (int i = 0; i < 8; i++) {
        FA_SCOPE;
        FA_USE(.device = places[i / 4]);
        fa_module *m = i % 4 == 3 ? fa_nn_lstm(3, 2, .bidirectional = true, .proj_size = 1) : layer_of(i % 4, 3, 2);
        fa_module_to(m, FA_F64);
        fa_tensor *x = fa_randn(FA_SHAPE(4, 2, 3), .dtype = FA_F64, .requires_grad = true);
        fa_tensors plain = gradients(m, x, false), graph = gradients(m, x, true);
        assert_no_error();
        for (size_t k = 0; k < plain.count; k++)
            assert_true(apart(plain.item[k], graph.item[k]) < 1e-12);
        FA_VAR(total, fa_sum(fa_square(graph.item[0])));
        for (size_t k = 1; k < graph.count; k++)
            fa_assign(&total, fa_add(total, fa_sum(fa_square(graph.item[k]))));
        fa_tensor *w = fa_module_tensor(m, "weight_hh_l0"), *d = fa_randn_like(fa_detach(w));
        fa_tensors second = fa_grad_of(FA_TENSORS(total), FA_TENSORS(x, w));
        assert_no_error();
        double want = fa_item(fa_sum(fa_mul(second.item[1], d))), h = 1e-6;
        fa_add_(fa_detach(w), fa_mul(d, h));
        double up = sum_of_squares(gradients(m, x, false));
        fa_sub_(fa_detach(w), fa_mul(d, 2 * h));
        double down = sum_of_squares(gradients(m, x, false));
        assert_true(fabs((up - down) / (2 * h) - want) < 1e-5 * (1 + fabs(want)));
    }
}

static void the_graph_may_be_used_twice(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        FA_SCOPE;
        fa_module *m = layer_of(kind, 3, 2);
        fa_tensor *loss = fa_sum(fa_forward(m, fa_randn(FA_SHAPE(4, 2, 3)))), *w = fa_module_tensor(m, "weight_hh_l0");
        assert_true(fa_backward(loss, .retain_graph = true));
        fa_tensor *once = fa_clone(fa_grad(w));
        assert_true(fa_backward(loss));
        assert_true(apart(fa_grad(w), fa_mul(once, 2)) < 1e-6);
    }
}

static void frozen_parameters_and_states_of_a_leaf(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_gru(3, 2);
    fa_module_set_requires_grad(m, false);
    fa_tensor *x = fa_randn(FA_SHAPE(4, 2, 3)), *h = fa_randn(FA_SHAPE(1, 2, 2), .requires_grad = true);
    assert_true(fa_backward(fa_sum(fa_forward(m, x, h))));
    assert_non_null(fa_grad(h));
    assert_null(fa_grad(fa_module_tensor(m, "weight_hh_l0")));
    assert_false(fa_requires_grad(fa_forward(m, x)));
    assert_no_error();
}

/* ---- modes and memory ---- */

static void dropout_is_between_layers(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_gru(3, 4, .num_layers = 2, .dropout = 1), *one = fa_nn_rnn(3, 4, .dropout = 1);
    fa_tensor *x = fa_randn(FA_SHAPE(5, 2, 3));
    fa_recurrent y = fa_forward_recurrent(m, x), z = fa_forward_recurrent(m, fa_mul(x, 2));
    assert_true(apart(y.output, z.output) == 0); /* nothing of the first layer reaches the second */
    assert_true(apart(y.h_n, z.h_n) > 0);
    assert_true(apart(fa_forward(one, x), fa_forward(one, fa_mul(x, 2))) > 0);
    fa_module_train(m, false);
    assert_true(apart(fa_forward(m, x), fa_forward(m, fa_mul(x, 2))) > 0);
    assert_no_error();
}

static size_t peak_of(fa_module *m, const fa_tensor *x, bool no_grad)
{
    FA_SCOPE;
    FA_USE(.no_grad = no_grad);
    size_t before = fa_memory_stats(FA_CPU).allocated;
    fa_memory_reset_peak(FA_CPU);
    fa_tensor *y = fa_forward(m, (fa_tensor *)(uintptr_t)x);
    assert_non_null(y);
    size_t held = fa_memory_stats(FA_CPU).allocated - before;
    assert_true(!no_grad || held < 2 * fa_nbytes(y));
    return held;
}

static void without_gradients_only_the_output_stays(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_lstm(16, 32, .num_layers = 3);
    fa_tensor *x = fa_randn(FA_SHAPE(50, 8, 16));
    assert_true(peak_of(m, x, false) > 4 * peak_of(m, x, true));
    assert_no_error();
}

/* GRU promotes on the CPU, as PyTorch's does. */
static void autocast_computes_in_halves(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        FA_SCOPE;
        fa_module *m = layer_of(kind, 4, 3);
        fa_tensor *x = fa_randn(FA_SHAPE(5, 2, 4)), *y = fa_forward(m, x), *low;
        {
            FA_USE(.autocast = FA_BF16);
            low = fa_forward(m, x);
        }
        assert_int_equal(fa_tensor_dtype(low), kind == 1 ? FA_F32 : FA_BF16);
        assert_true(apart(fa_to(low, FA_F32), y) < 0.05);
        assert_true(fa_backward(fa_sum(fa_to(low, FA_F32))));
        assert_int_equal(fa_tensor_dtype(fa_grad(fa_module_tensor(m, "weight_ih_l0"))), FA_F32);
        fa_module_to(m, FA_F16);
        assert_true(apart(fa_to(fa_forward(m, fa_to(x, FA_F16)), FA_F32), y) < 0.01);
        assert_no_error();
    }
}

/* ---- modules ---- */

static void clones_and_files_have_all(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_lstm(3, 4, .num_layers = 2, .bidirectional = true), *copy = fa_module_clone(m);
    fa_module *other = fa_nn_lstm(3, 4, .num_layers = 2, .bidirectional = true);
    fa_tensor *x = fa_randn(FA_SHAPE(5, 2, 3)), *y = fa_forward(m, x);
    assert_true(fa_save(m, "recurrent.safetensors") && fa_load(other, "recurrent.safetensors"));
    assert_true(apart(fa_forward(other, x), y) == 0);
    fa_init_constant_(fa_module_tensor(m, "weight_hh_l1_reverse"), 0);
    assert_true(apart(fa_forward(m, x), y) > 0);
    assert_true(apart(fa_forward(copy, x), y) == 0);
    fa_module_replace_tensor(copy, "weight_ih_l0", fa_zeros(FA_SHAPE(16, 3)));
    assert_true(apart(fa_forward(copy, x), y) > 0);
    remove("recurrent.safetensors");
    assert_no_error();
}

static void summaries_count_the_steps(void **state)
{
    (void)state;
    FA_SCOPE;
    char text[2000] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    fa_module *net = fa_nn_sequential(fa_nn_lstm(3, 4, .bidirectional = true), fa_nn_linear(8, 2, .bias = false));
    assert_true(fa_module_summary(net, file, .input = FA_SHAPE(5, 2, 3)));
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(
        strstr(text, "  0: lstm    (5, 2, 8)              288            2,240\n")); /* 10 * 2 * 16 * (3 + 4) */
    assert_non_null(strstr(text, "multiply-adds: 2,400;"));
}

static fa_tensor *twice(fa_module *m, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)m, (void)context;
    assert_int_equal(inputs.count, 2);
    return fa_mul(output, 2);
}

static void hooks_see_the_output(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_gru(3, 4);
    fa_tensor *x = fa_randn(FA_SHAPE(5, 2, 3)), *h = fa_randn(FA_SHAPE(1, 2, 4));
    fa_recurrent y = fa_forward_recurrent(m, x, .h_0 = h);
    int64_t hook = fa_module_hook_forward(m, twice, NULL);
    fa_recurrent z = fa_forward_recurrent(m, x, .h_0 = h);
    assert_true(apart(z.output, fa_mul(y.output, 2)) == 0 && apart(z.h_n, y.h_n) == 0);
    assert_true(fa_module_unhook(m, hook));
    assert_true(apart(fa_checkpoint(m, x, h), y.output) == 0);
    assert_no_error();
}

/* ---- errors ---- */

static void errors_say_where_they_came_up(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *lstm = fa_nn_lstm(4, 3), *net = fa_nn_sequential(fa_nn_relu(), lstm);
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(5, 2, 6))));
    assert_error(FA_ERROR_SHAPE, "fa_lstm(x=(5, 2, 6)", "x has 6 features, its last size, and weight_ih takes 4",
                 ", in lstm \"1\" of sequential");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(0, 2, 4))));
    assert_error(FA_ERROR_SHAPE, "fa_lstm", "the sequence is empty");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(4))));
    assert_error(FA_ERROR_SHAPE, "fa_lstm", "x has to be (t, n, in)");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(5, 2, 4), .dtype = FA_I64)));
    assert_error(FA_ERROR_DTYPE, "x is i64, which is not floating");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(5, 2, 4), .dtype = FA_F64)));
    assert_error(FA_ERROR_DTYPE, "weight_ih of layer 0 is f32 and x f64");
    assert_null(fa_forward(lstm, fa_ones(FA_SHAPE(5, 2, 4)), fa_ones(FA_SHAPE(1, 2, 3))));
    assert_error(FA_ERROR_ARGUMENT, "it takes x, or x, h_0 and c_0 (called with 2 inputs), in lstm");
    fa_recurrent y = fa_forward_recurrent(lstm, fa_ones(FA_SHAPE(5, 2, 4)), .h_0 = fa_ones(FA_SHAPE(1, 3, 3)),
                                          .c_0 = fa_ones(FA_SHAPE(1, 2, 3)));
    assert_true(!y.output && !y.h_n && !y.c_n);
    assert_error(FA_ERROR_SHAPE, "fa_lstm", "h_0 has to be (1, 2, 3)", ", in lstm");
    assert_null(fa_forward(lstm, fa_ones(FA_SHAPE(5, 4)), fa_ones(FA_SHAPE(1, 2, 3)), fa_ones(FA_SHAPE(1, 3))));
    assert_error(FA_ERROR_SHAPE, "h_0 has to be (1, 3)");
    assert_null(fa_forward_recurrent(net, fa_ones(FA_SHAPE(5, 2, 4))).output);
    assert_error(FA_ERROR_ARGUMENT, "fa_forward_recurrent: the module sequential is no recurrent layer");
    assert_null(fa_forward_recurrent(lstm, NULL).output);
    assert_error(FA_ERROR_ARGUMENT, "input 0 of the module lstm is NULL");
    assert_null(fa_forward_recurrent(NULL, fa_ones(FA_SHAPE(5, 2, 4))).output);
    assert_error(FA_ERROR_ARGUMENT, "fa_forward_recurrent");
    assert_null(fa_forward(fa_nn_gru_cell(4, 3), fa_ones(FA_SHAPE(2, 4)), fa_ones(FA_SHAPE(2, 5))));
    assert_error(FA_ERROR_SHAPE, "fa_gru_cell", "h_0 has to be (n, hidden)", ", in gru_cell");
    assert_null(fa_forward(fa_nn_gru_cell(4, 3), fa_ones(FA_SHAPE(2, 5))));
    assert_error(FA_ERROR_SHAPE, "x has 5 features");
    assert_null(fa_forward(fa_nn_rnn_cell(4, 3), fa_ones(FA_SHAPE(2, 2, 4))));
    assert_error(FA_ERROR_SHAPE, "x has to be (n, in) or (in)");
}

static void operations_check_their_parameters(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 2, 4)), *w = fa_ones(FA_SHAPE(8, 4)), *u = fa_ones(FA_SHAPE(8, 2));
    fa_tensor *b = fa_ones(FA_SHAPE(8));
    assert_null(fa_lstm(x, FA_TENSORS(w, u, b)).output);
    assert_error(FA_ERROR_SHAPE, "there are 3 params, which is no multiple of the 4 of a layer");
    assert_null(fa_lstm(x, FA_TENSORS(w)).output);
    assert_error(FA_ERROR_SHAPE, "params begin with weight_ih (4 * hidden, in) and weight_hh");
    assert_null(fa_lstm(x, FA_TENSORS(w, u, b, fa_ones(FA_SHAPE(7)))).output);
    assert_error(FA_ERROR_SHAPE, "bias_hh of layer 0 has to be (8)");
    assert_null(fa_lstm(x, FA_TENSORS(w, u, w, u)).output);
    assert_error(FA_ERROR_SHAPE, "weight_ih of layer 1 has to be (8, 2)");
    assert_null(fa_gru(x, FA_TENSORS(fa_ones(FA_SHAPE(9, 4)), fa_ones(FA_SHAPE(9, 2)))).output);
    assert_error(FA_ERROR_SHAPE, "weight_hh of layer 0 has to be (9, 3)");
    assert_null(fa_rnn_tanh(x, FA_TENSORS(fa_ones(FA_SHAPE(2, 4)), fa_ones(FA_SHAPE(2, 2))), .dropout = 2).output);
    assert_error(FA_ERROR_ARGUMENT, "fa_rnn_tanh", "dropout");
    assert_null(fa_lstm_cell(fa_ones(FA_SHAPE(2, 4)), fa_ones(FA_SHAPE(2, 2)), fa_ones(FA_SHAPE(2, 3)), w, u).h_1);
    assert_error(FA_ERROR_SHAPE, "c_0 has to be (n, hidden)");
    assert_null(fa_gru_cell(fa_ones(FA_SHAPE(2, 4)), fa_ones(FA_SHAPE(2, 2)), w, u));
    assert_error(FA_ERROR_SHAPE, "weight_ih has to be (6, in) and weight_hh (6, 2)");
}

static void layers_refuse_what_makes_no_sense(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_nn_lstm(4, 0));
    assert_error(FA_ERROR_SHAPE, "fa_nn_lstm: input_size is 0 or more and hidden_size 1 or more: 4, 0");
    assert_null(fa_nn_lstm(4, INT64_MAX));
    assert_error(FA_ERROR_SHAPE, "fa_nn_lstm: 4 times a hidden_size of 9223372036854775807");
    assert_null(fa_nn_gru(-1, 2));
    assert_error(FA_ERROR_SHAPE, "fa_nn_gru", "-1, 2");
    assert_null(fa_nn_gru(4, 2, .num_layers = 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_gru: num_layers is 1 or more, not 0");
    assert_null(fa_nn_lstm(4, 2, .proj_size = 2));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_lstm: proj_size is 0 or more, and smaller than hidden_size, not 2");
    assert_null(fa_nn_rnn(4, 2, .dropout = 1.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_rnn: dropout is a probability, not 1.5");
    assert_null(fa_nn_rnn(4, 2, .nonlinearity = "sin"));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_rnn: nonlinearity is \"tanh\" or \"relu\", not \"sin\"");
    assert_null(fa_nn_rnn_cell(4, 2, .nonlinearity = NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_nn_rnn_cell: nonlinearity is", "\"NULL\"");
    assert_null(fa_nn_lstm_cell(4, 0));
    assert_error(FA_ERROR_SHAPE, "fa_nn_lstm_cell");
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        FA_SCOPE;
        fa_tensor *x = fa_rand(FA_SHAPE(2, 2, 3));
        fa_backward(fa_sum(fa_forward(layer_of(kind, 3, 2), x))); /* fills caches */
        for (int64_t nth = 1;; nth++) {
            FA_SCOPE;
            fa__inject(nth);
            fa_module *m = kind == 3 ? fa_nn_lstm(3, 2, .proj_size = 1) : layer_of(kind, 3, 2);
            fa_recurrent y = fa_forward_recurrent(m, x);
            bool good = y.output && fa_backward(fa_add(fa_sum(y.output), fa_sum(y.h_n)));
            fa__inject(0);
            if (good) {
                assert_no_error();
                assert_true(nth > 50);
                break;
            }
            assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
            fa_error_clear();
        }
    }
}

/* Learns to say, at the end of a sequence, what its first number was. */
static void networks_learn(void **state)
{
    (void)state;
    fa_manual_seed(2);
    for (int kind = 0; kind < 3; kind++) {
        FA_SCOPE;
        fa_module *net = fa_nn_dict(), *m = fa_module_add(net, "layer", layer_of(kind, 1, 12));
        fa_module *out = fa_module_add(net, "out", fa_nn_linear(12, 1));
        fa_optim *optim = fa_optim_adam(net, .lr = 0.02);
        double first = 0, last = 0;
        FA_REPEAT (step, 120) {
            fa_tensor *x = fa_rand(FA_SHAPE(6, 32, 1));
            fa_tensor *said = fa_forward(out, fa_select(fa_forward(m, x), 0, -1));
            fa_tensor *loss = fa_mse_loss(said, fa_select(x, 0, 0));
            fa_optim_zero_grad(optim);
            fa_backward(loss);
            fa_optim_step(optim);
            last = fa_item(loss);
            first = step ? first : last;
        }
        assert_no_error();
        assert_true(last < 0.2 * first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parameters_have_pytorchs_names),
        TEST(a_sequence_may_be_read_in_pieces),
        TEST(cells_do_the_steps_of_a_layer),
        TEST(batches_may_be_empty_and_shapes_alone),
        TEST(gradients_have_gradients),
        TEST(the_graph_may_be_used_twice),
        TEST(frozen_parameters_and_states_of_a_leaf),
        TEST(dropout_is_between_layers),
        TEST(without_gradients_only_the_output_stays),
        TEST(autocast_computes_in_halves),
        TEST(clones_and_files_have_all),
        TEST(summaries_count_the_steps),
        TEST(hooks_see_the_output),
        TEST(errors_say_where_they_came_up),
        TEST(operations_check_their_parameters),
        TEST(layers_refuse_what_makes_no_sense),
        TEST(each_allocation_may_fail),
        TEST(networks_learn),
    };
    return RUN("nn_recurrent");
}
