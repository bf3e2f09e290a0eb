/* Mistakes of training programs that no call can refuse: each logs one warning, and programs without it log none. */
#include "support/api_test.h"

typedef struct seen {
    const char *part;
    int count;
} seen;

static void count_warnings(void *context, fa_log_level level, const char *message)
{
    seen *s = context;
    s->count += level == FA_LOG_WARNING && strstr(message, s->part) != NULL;
}

/* How many warnings with this text a function logs. */
static int warnings(const char *part, void (*function)(void))
{
    seen s = {part, 0};
    fa_set_log(count_warnings, &s);
    function();
    fa_set_log(NULL, NULL);
    assert_no_error();
    return s.count;
}

static fa_module *net_with_dropout(void)
{
    return fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_batch_norm1d(4), fa_nn_dropout(.p = 0.5));
}

/* ---- training mode without gradients ---- */

static void modes_that_are_right(void)
{
    FA_SCOPE;
    fa_module *net = net_with_dropout(), *lstm = fa_nn_lstm(4, 3), *plain = fa_nn_linear(4, 4);
    fa_tensor *x = fa_ones(FA_SHAPE(6, 4));
    fa_forward(net, x);
    fa_backward(fa_sum(fa_checkpoint(net, x))); /* runs without recording first */
    fa_module_train(net, false);
    FA_USE(.no_grad = true);
    fa_forward(net, x);
    fa_forward(plain, x); /* its training mode changes nothing */
    fa_forward(lstm, fa_ones(FA_SHAPE(2, 1, 4)));
    fa_forward(fa_nn_dropout(.p = 0), x);
    fa_forward(fa_nn_batch_norm1d(4, .track_running_stats = false), x);
    fa_module_train(net, true); /* meant: statistics or samples without training */
    fa_forward(net, x);
    fa_forward(fa_module_clone(net), x);
    fa_module_train(net, false);
    fa_module_train(net, true);
    fa_forward(net, x);
}

static fa_tensor *runs_a_layer(void *context, fa_tensors inputs)
{
    return fa_forward(context, inputs.item[0]);
}

static bool no_backward(void *context, fa_tensors saved, fa_tensor *gy, fa_tensor **gx)
{
    (void)context;
    (void)saved;
    gx[0] = gy;
    return true;
}

/* Forward functions of fa_apply() run without recording. */
static void applied(void)
{
    FA_SCOPE;
    static const fa_function function = {.name = "layer", .forward = runs_a_layer, .backward = no_backward};
    fa_tensor *x = fa_ones(FA_SHAPE(6, 4), .requires_grad = true);
    assert_non_null(fa_apply(&function, net_with_dropout(), FA_TENSORS(x)));
}

static void forgets_train(void)
{
    FA_SCOPE;
    fa_module *net = net_with_dropout();
    fa_module_train(net, true);
    FA_USE(.no_grad = true);
    for (int i = 0; i < 3; i++)
        fa_forward(net, fa_ones(FA_SHAPE(6, 4)));
}

static void training_mode_in_evaluation(void **state)
{
    (void)state;
    static const char part[] =
        "batch_norm1d runs in training mode while gradients are off: fa_module_train(net, false)";
    assert_int_equal(warnings("in training mode", modes_that_are_right), 0);
    assert_int_equal(warnings("in training mode", applied), 0);
    assert_int_equal(warnings(part, forgets_train), 1);
}

/* ---- probabilities as logits ---- */

static void logits(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_arange(0, 12, .dtype = FA_F32), *classes = fa_zeros(FA_SHAPE(3), .dtype = FA_I64);
    x = fa_reshape(x, FA_SHAPE(3, 4));
    fa_cross_entropy(x, classes);
    fa_cross_entropy(fa_log_softmax(x, 1), classes); /* its log_softmax is itself */
    fa_cross_entropy(fa_sigmoid(x), classes);
    fa_nll_loss(fa_log(fa_softmax(x, 1)), classes);
    fa_cross_entropy(x, fa_softmax(x, 1));
    fa_cross_entropy(fa_log_(fa_softmax(x, 1)), classes); /* no longer what softmax gave */
    fa_cross_entropy(fa_copy_(fa_softmax(x, 1), x), classes);
    fa_binary_cross_entropy(fa_sigmoid(x), fa_zeros_like(x));
    fa_binary_cross_entropy_with_logits(x, fa_sigmoid(x));
}

static void softmax_twice(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 4)), *classes = fa_zeros(FA_SHAPE(3), .dtype = FA_I64);
    fa_cross_entropy(fa_softmax(x, 1), classes);
    fa_cross_entropy(fa_softmax(x, 1), classes);
}

static void probabilities_as_their_logarithms(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 4)), *classes = fa_zeros(FA_SHAPE(3), .dtype = FA_I64);
    fa_nll_loss(fa_log_softmax(x, 1), classes);
    fa_nll_loss(fa_softmax(x, 1), classes);
}

static void logits_as_logarithms(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 4)), *classes = fa_zeros(FA_SHAPE(3), .dtype = FA_I64);
    fa_nll_loss(fa_forward(fa_nn_linear(4, 4), x), classes);
}

static void sigmoid_twice(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 4));
    fa_binary_cross_entropy_with_logits(fa_sigmoid(x), fa_zeros_like(x));
}

static void probabilities_as_logits(void **state)
{
    (void)state;
    assert_int_equal(warnings("logits", logits), 0);
    assert_int_equal(warnings("fa_cross_entropy: input was made by softmax, but it has to be logits", softmax_twice),
                     1);
    assert_int_equal(warnings("input was made by sigmoid", sigmoid_twice), 1);
    assert_int_equal(warnings("fa_nll_loss: input was made by softmax, but it has to be log probabilities",
                              probabilities_as_their_logarithms),
                     1);
    assert_int_equal(
        warnings("fa_nll_loss: input was made by linear, but it has to be log probabilities", logits_as_logarithms), 1);
}

/* ---- steps without gradients ---- */

static fa_tensor *loss_of(fa_module *net)
{
    return fa_sum(fa_forward(net, fa_ones(FA_SHAPE(6, 4))));
}

static void some_gradients(void)
{
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_linear(4, 2));
    fa_module_set_requires_grad(fa_module_at(net, 0), false);
    fa_optim *o = fa_optim_adam(net, .lr = 0.1);
    fa_optim_step(o); /* a branch that ran later only */
    fa_backward(loss_of(net));
    fa_optim_step(o);
    fa_optim_zero_grad(o);
    for (int i = 0; i < 3; i++)
        fa_optim_step(o);
}

static void gradients_removed_before_the_step(void)
{
    FA_SCOPE;
    fa_module *net = fa_nn_linear(4, 4);
    fa_optim *o = fa_optim_sgd(net, .lr = 0.1);
    for (int i = 0; i < 3; i++) {
        fa_backward(loss_of(net));
        fa_optim_zero_grad(o);
        fa_optim_step(o);
    }
}

static void steps_of(fa_module *net, fa_tensor *(*loss)(fa_module *net), int count)
{
    FA_SCOPE;
    fa_optim *o = fa_optim_adam(net, .lr = 0.1);
    for (int i = 0; i < count; i++) {
        fa_optim_zero_grad(o);
        fa_backward(loss(net));
        fa_optim_step(o);
    }
}

static fa_tensor *loss_of_the_rest(fa_module *net)
{
    fa_tensor *h = fa_forward(fa_module_at(net, 0), fa_ones(FA_SHAPE(6, 4)));
    return fa_sum(fa_forward(fa_module_at(net, 1), fa_detach(h)));
}

static fa_module *two_layers(void)
{
    return fa_nn_sequential(fa_nn_linear(4, 3), fa_nn_linear(3, 2));
}

static void all_gradients(void)
{
    FA_SCOPE;
    fa_module *net = two_layers(), *few = two_layers(), *frozen = two_layers();
    steps_of(net, loss_of, 20);
    steps_of(few, loss_of_the_rest, 9); /* the first layer may follow */
    fa_module_set_requires_grad(fa_module_at(frozen, 0), false);
    steps_of(frozen, loss_of_the_rest, 20);
}

static void detaches_in_the_middle(void)
{
    FA_SCOPE;
    steps_of(two_layers(), loss_of_the_rest, 20);
    steps_of(two_layers(), loss_of_the_rest, 20);
}

static void parameters_without_gradients(void **state)
{
    (void)state;
    assert_int_equal(warnings("had no gradient", all_gradients), 0);
    assert_int_equal(warnings("fa_optim_step: 2 of 4 parameters had no gradient in 10 steps, the first of them number "
                              "0, of shape (3, 4): fa_detach or .no_grad cuts them off",
                              detaches_in_the_middle),
                     1);
}

static void steps_without_gradients(void **state)
{
    (void)state;
    assert_int_equal(warnings("had a gradient", some_gradients), 0);
    assert_int_equal(warnings("fa_optim_step: no parameter has ever had a gradient", gradients_removed_before_the_step),
                     1);
}

/* ---- a schedule before the optimizer ---- */

static void schedules_behind_steps(void)
{
    FA_SCOPE;
    fa_module *net = fa_nn_linear(4, 4);
    fa_optim *o = fa_optim_sgd(net, .lr = 0.1), *resumed = fa_optim_sgd(net, .lr = 0.1);
    fa_backward(loss_of(net));
    fa_optim_step(o);
    fa_schedule_step(fa_schedule_step_lr(o, 1));
    const fa_state_dict state = fa_optim_state_dict(o);
    fa_optim_load_state_dict(resumed, &state);
    fa_schedule_step(fa_schedule_step_lr(resumed, 1));
    fa_schedule_step_metric(fa_schedule_reduce_on_plateau(fa_optim_sgd(net, .lr = 0.1)), 1); /* after an epoch */
}

/* A first step that is skipped, because a gradient is not finite, is none that was forgotten. */
static void schedule_behind_a_skipped_step(void)
{
    FA_SCOPE;
    fa_module *net = fa_nn_linear(4, 4);
    fa_optim *o = fa_optim_sgd(net, .lr = 0.1);
    fa_scaler *scaler = fa_amp_scaler();
    fa_backward(fa_mul(fa_scaler_scale(scaler, loss_of(net)), INFINITY));
    fa_scaler_step(scaler, o);
    fa_scaler_update(scaler);
    fa_schedule_step(fa_schedule_step_lr(o, 1));
}

static void schedule_before_the_step(void)
{
    FA_SCOPE;
    fa_module *net = fa_nn_linear(4, 4);
    fa_optim *o = fa_optim_sgd(net, .lr = 0.1);
    fa_schedule *s = fa_schedule_step_lr(o, 1);
    for (int i = 0; i < 3; i++) {
        fa_backward(loss_of(net));
        fa_schedule_step(s);
        fa_optim_step(o);
        fa_optim_zero_grad(o);
    }
}

static void schedules_before_steps(void **state)
{
    (void)state;
    assert_int_equal(warnings("fa_schedule_step", schedules_behind_steps), 0);
    assert_int_equal(warnings("fa_schedule_step", schedule_behind_a_skipped_step), 0);
    assert_int_equal(warnings("fa_optim_step first, then fa_schedule_step", schedule_before_the_step), 1);
}

/* ---- layers that were not added ---- */

typedef struct parts {
    fa_module *added, *other, *list;
    fa_tensor *(*how)(const struct parts *p, fa_tensor *x);
} parts;

static fa_tensor *parts_forward(fa_module *self, fa_tensor *x)
{
    const parts *p = fa_module_data(self);
    return p->how(p, fa_forward(p->added, x));
}

static fa_module *parts_new(fa_tensor *(*how)(const parts *p, fa_tensor *x), fa_module *other)
{
    fa_module *net = fa_nn_custom("parts", sizeof(parts), parts_forward);
    parts *p = fa_module_data(net);
    p->added = fa_module_add(net, "added", fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_dropout()));
    p->other = other;
    p->list = fa_nn_list();
    p->how = how;
    return net;
}

static fa_tensor *runs_other(const parts *p, fa_tensor *x)
{
    return fa_forward(p->other, fa_forward(p->other, x));
}

static fa_tensor *runs_a_teacher(const parts *p, fa_tensor *x)
{
    FA_USE(.no_grad = true);
    return fa_escape(fa_forward(p->other, x));
}

static fa_tensor *runs_the_list(const parts *p, fa_tensor *x)
{
    return fa_forward(fa_module_at(p->list, 0), x);
}

static void run_twice(fa_module *net)
{
    fa_forward(net, fa_ones(FA_SHAPE(2, 4)));
    fa_forward(net, fa_ones(FA_SHAPE(2, 4)));
}

static fa_tensor *probe(fa_module *layer, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)layer, (void)output;
    fa_forward(context, inputs.item[0]);
    return NULL;
}

static void probe_before(fa_module *layer, fa_tensor **inputs, size_t count, void *context)
{
    (void)layer, (void)count;
    fa_forward(context, inputs[0]);
}

static void layers_that_may_run(void)
{
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2, 4));
    fa_module *frozen = fa_module_train(fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_dropout()), false);
    run_twice(fa_nn_linear(4, 4));
    run_twice(fa_nn_transformer_encoder(fa_nn_transformer_encoder_layer(4, 2), 2));
    run_twice(parts_new(runs_a_teacher, fa_nn_linear(4, 4)));
    run_twice(parts_new(runs_other, fa_module_set_requires_grad(frozen, false)));
    run_twice(parts_new(runs_other, fa_nn_relu()));
    fa_module *other_network = fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_relu());
    run_twice(parts_new(runs_other, fa_module_at(other_network, 0))); /* shared */
    fa_module *net = parts_new(runs_the_list, NULL), *list = ((parts *)fa_module_data(net))->list;
    fa_module_add(net, "list", list);
    fa_module_append(list, fa_nn_linear(4, 4)); /* later than the list */
    run_twice(net);
    run_twice(fa_module_clone(net));
    fa_module_replace(net, "list.0", fa_nn_linear(4, 4));
    run_twice(fa_nn_sequential(net));
    fa_module *hooked = fa_nn_sequential(fa_nn_linear(4, 4));
    fa_module_hook_forward(fa_module_at(hooked, 0), probe, fa_nn_linear(4, 1));
    fa_module_hook_forward_pre(fa_module_at(hooked, 0), probe_before, fa_nn_linear(4, 1));
    run_twice(hooked);
    run_twice(fa_data_parallel(fa_nn_sequential(fa_nn_linear(4, 4)), FA_CPU, FA_LATE(1)));
    {
        FA_USE(.no_grad = true);
        fa_forward(parts_new(runs_other, fa_nn_linear(4, 4)), x);
    }
}

static void forgets_a_layer(void)
{
    FA_SCOPE;
    fa_module *other = fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_dropout()), *net = parts_new(runs_other, other);
    {
        FA_USE(.no_grad = true);
        fa_module_train(net, false);
        fa_forward(net, fa_ones(FA_SHAPE(2, 4)));
    }
    run_twice(fa_nn_sequential(net, fa_nn_relu()));
}

static void forgets_layers_without_parameters(void)
{
    FA_SCOPE;
    run_twice(parts_new(runs_other, fa_nn_dropout()));
    run_twice(parts_new(runs_other, fa_nn_sequential(fa_nn_batch_norm1d(4, .affine = false), fa_nn_dropout())));
}

static void forgets_a_list(void)
{
    FA_SCOPE;
    fa_module *net = parts_new(runs_the_list, NULL);
    fa_module_append(((parts *)fa_module_data(net))->list, fa_nn_linear(4, 4));
    run_twice(net);
}

static void layers_that_were_not_added(void **state)
{
    (void)state;
    static const char part[] = "runs inside ";
    assert_int_equal(warnings(part, layers_that_may_run), 0);
    assert_int_equal(warnings(part, forgets_a_layer), 1);
    assert_int_equal(warnings("mistakes.c:", forgets_a_layer), 1); /* its line */
    assert_int_equal(warnings("sequential runs inside parts, but was not added to it, and so neither its optimizer "
                              "nor fa_module_train() knows it: fa_module_add(self, \"name\", layer)",
                              forgets_a_layer),
                     1);
    assert_int_equal(warnings(part, forgets_layers_without_parameters), 2);
    assert_int_equal(warnings("linear runs inside parts", forgets_a_list), 1);
}

/* ---- data that is smaller than the struct ---- */

typedef struct pair {
    fa_module *first, *second;
    int64_t width;
} pair;

static fa_tensor *pair_forward(fa_module *self, fa_tensor *x)
{
    return fa_forward(fa_module_child(self, "first"), x);
}

static void size_of_a_pointer(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_custom("pair", sizeof(pair *), pair_forward);
    pair *p = fa_module_data(net);
    p->first = fa_module_add(net, "first", fa_nn_linear(4, 4));
    assert_no_error();
    p->width = 4;
    assert_null(fa_module_add(net, "second", fa_nn_linear(4, 4)));
    assert_error(FA_ERROR_ARGUMENT, "the data of the module pair has 8 bytes, and the program has written behind them: "
                                    "fa_nn_custom(\"pair\", sizeof(the struct), ...)");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(2, 4))));
    assert_error(FA_ERROR_ARGUMENT, "fa_forward: the data of the module pair has 8 bytes", "in pair");
    p->width = 0;
    assert_non_null(fa_forward(net, fa_ones(FA_SHAPE(2, 4))));
}

/* ---- a result that its scope frees ---- */

static fa_tensor *without_escape(fa_module *self, fa_tensor *x)
{
    (void)self;
    FA_SCOPE;
    return fa_mul(x, 2);
}

static void freed_result(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *m = fa_nn_custom("doubling", 0, without_escape);
    assert_null(fa_forward(m, fa_ones(FA_SHAPE(3))));
    assert_error(FA_ERROR_STATE, "the module doubling returned a tensor that was freed when its scope ended: its "
                                 "forward function has to return fa_escape(y)");
}

static void dropout_between_layers(void)
{
    FA_SCOPE;
    fa_nn_lstm(4, 3, .num_layers = 2, .dropout = 0.5);
    fa_nn_gru(4, 3);
}

static void dropout_of_one_layer(void)
{
    FA_SCOPE;
    fa_nn_gru(4, 3, .dropout = 0.5);
    fa_nn_lstm(4, 3, .dropout = 0.5);
}

static void dropout_without_effect(void **state)
{
    (void)state;
    assert_int_equal(warnings("dropout", dropout_between_layers), 0);
    assert_int_equal(warnings("fa_nn_gru: .dropout = 0.5 has no effect", dropout_of_one_layer), 1);
    assert_int_equal(warnings("dropout", dropout_of_one_layer), 0);
}

static fa_tensor *fails_itself(fa_module *self, fa_tensor *x)
{
    (void)self;
    FA_SCOPE;
    fa_tensor *y = fa_mul(x, 2);
    fa_fail(FA_ERROR_STATE, "the valve is closed");
    return y;
}

static void freed_result_behind_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_forward(fa_nn_custom("valve", 0, fails_itself), fa_ones(FA_SHAPE(3))));
    assert_error(FA_ERROR_STATE, "the valve is closed, in valve");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(training_mode_in_evaluation),
                                       TEST(probabilities_as_logits),
                                       TEST(steps_without_gradients),
                                       TEST(schedules_before_steps),
                                       TEST(parameters_without_gradients),
                                       TEST(dropout_without_effect),
                                       TEST(layers_that_were_not_added),
                                       TEST(size_of_a_pointer),
                                       TEST(freed_result),
                                       TEST(freed_result_behind_an_error)};
    return RUN("mistakes");
}
