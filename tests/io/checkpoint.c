/* Checkpoints: training that was stopped anywhere goes on bit for bit; what does not fit changes nothing. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/facula.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static char path[64];

/* All that a training has. */
typedef struct training {
    fa_module *net;
    fa_optim *optim;
    fa_schedule *schedule;
    fa_loader *loader;
} training;

typedef fa_optim *optim_maker(fa_module *net);

static fa_optim *sgd(fa_module *net)
{
    return fa_optim_sgd(net, .lr = 0.1, .momentum = 0.9, .weight_decay = 1e-3);
}

static fa_optim *adamw(fa_module *net)
{
    fa_optim *o = fa_optim_adamw(fa_nn_linear(1, 1), .lr = 0.01, .amsgrad = true);
    fa_optim_add_group(o, net, .lr = 0.02);
    return o;
}

static fa_optim *rmsprop(fa_module *net)
{
    return fa_optim_rmsprop(net, .lr = 1e-3, .momentum = 0.5, .centered = true);
}

static fa_optim *adagrad(fa_module *net)
{
    return fa_optim_adagrad(net, .lr_decay = 0.1);
}

static training start(optim_maker *make, fa_device device, uint64_t seed)
{
    training t;
    fa_manual_seed(seed);
    t.net = fa_nn_sequential(fa_nn_linear(64, 24), fa_nn_relu(), fa_nn_dropout(.p = 0.3), fa_nn_linear(24, 10));
    fa_module_to(t.net, device);
    t.optim = make(t.net);
    t.schedule = fa_schedule_cosine(t.optim, 40);
    t.loader = fa_data_loader(fa_data_digits(.train = false), .batch_size = 50, .shuffle = true, .device = device);
    return t;
}

/* Steps of the epochs that are left, `most` at most; a schedule's step each. */
static void go_on(training t, int64_t epochs, int64_t most)
{
    while (most > 0 && fa_loader_position(t.loader).epoch < epochs)
        FA_EACH (batch, t.loader) {
            fa_optim_zero_grad(t.optim);
            fa_backward(fa_cross_entropy(fa_forward(t.net, batch.input), batch.target));
            fa_optim_step(t.optim);
            fa_schedule_step(t.schedule);
            if (--most == 0)
                break;
        }
}

static bool same_state(fa_module *a, fa_module *b)
{
    fa_parameters p = fa_module_state(a), q = fa_module_state(b);
    bool same = p.count == q.count;
    for (size_t i = 0; same && i < p.count; i++)
        same = same_tensors(fa_cpu(fa_detach(p.item[i])), fa_cpu(fa_detach(q.item[i])));
    return same;
}

static bool save(training t)
{
    return fa_checkpoint_save(path, .module = t.net, .optim = t.optim, .schedule = t.schedule, .loader = t.loader);
}

static bool load(training t)
{
    return fa_checkpoint_load(path, .module = t.net, .optim = t.optim, .schedule = t.schedule, .loader = t.loader);
}

static void stopped_at(optim_maker *make, fa_device device, int64_t steps)
{
    FA_SCOPE;
    training whole = start(make, device, 7);
    go_on(whole, 3, INT64_MAX);
    training first = start(make, device, 7);
    go_on(first, 3, steps);
    assert_true(save(first));
    training second = start(make, device, 99);
    go_on(second, 1, 2); /* it need not be new */
    assert_true(load(second));
    go_on(second, 3, INT64_MAX);
    assert_no_error();
    assert_true(same_state(whole.net, second.net));
    assert_false(same_state(whole.net, first.net));
    assert_int_equal(fa_schedule_epoch(second.schedule), fa_schedule_epoch(whole.schedule));
    assert_float_equal(fa_optim_lr(second.optim), fa_optim_lr(whole.optim), 0);
    assert_int_equal(fa_loader_position(second.loader).epoch, 3);
}

/* What comes behind the loop is not done yet, and is done by the program that is resumed. */
static void saved_in_the_last_turn(void **state)
{
    (void)state;
    FA_SCOPE;
    training first = start(sgd, FA_CPU, 7), second = start(sgd, FA_CPU, 99);
    FA_EACH (batch, first.loader) {
        fa_optim_zero_grad(first.optim);
        fa_backward(fa_cross_entropy(fa_forward(first.net, batch.input), batch.target));
        fa_optim_step(first.optim);
        if (batch.index == fa_loader_length(first.loader) - 1)
            assert_true(save(first));
    }
    fa_schedule_step(first.schedule);
    assert_true(load(second));
    assert_int_equal(fa_loader_position(second.loader).epoch, 0);
    FA_EACH (batch, second.loader)
        fail();
    fa_schedule_step(second.schedule);
    assert_no_error();
    assert_int_equal(fa_loader_position(second.loader).epoch, 1);
    assert_true(same_state(first.net, second.net));
    assert_int_equal(fa_schedule_epoch(second.schedule), fa_schedule_epoch(first.schedule));
}

static void training_goes_on(void **state)
{
    (void)state;
    optim_maker *const makers[] = {sgd, adamw, rmsprop, adagrad};
    for (int i = 0; i < 4; i++)
        stopped_at(makers[i], FA_CPU, 3 + 2 * i); /* 7 or 8 steps are an epoch */
    stopped_at(sgd, FA_CPU, 0);
    for (int d = 0; d < 2; d++) {
        stopped_at(sgd, DEVICE(d), 8);
        stopped_at(adamw, DEVICE(d), 11);
    }
}

/* From one device to another: the same where they compute the same bits. */
static void on_another_device(void **state)
{
    (void)state;
    FA_SCOPE;
    training first = start(adamw, DEVICE(0), 7), second = start(adamw, FA_CPU, 8);
    go_on(first, 3, 5);
    assert_true(save(first));
    assert_true(load(second));
    assert_no_error();
    assert_true(same_state(first.net, second.net));
    go_on(second, 3, 2);
    assert_no_error();
}

static void programs_put_texts_in(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_linear(2, 1);
    assert_true(fa_checkpoint_save(path, .module = net, .metadata = FA_METADATA("by", "me", "run", "of \"today\"\n")));
    fa_saved saved = fa_load_file(path);
    assert_no_error();
    int there = 0;
    for (size_t i = 0; i < saved.metadata.count; i++) {
        there += !strcmp(saved.metadata.name[i], "run") && !strcmp(saved.metadata.value[i], "of \"today\"\n");
        there += !strcmp(saved.metadata.name[i], "by") && !strcmp(saved.metadata.value[i], "me");
    }
    assert_int_equal(there, 2);
    assert_true(FA_METADATA().count == 0);
    assert_int_equal(saved.tensors.count, 3); /* weight, bias, random */
    assert_false(fa_checkpoint_save(path, .module = net, .metadata = FA_METADATA("facula.checkpoint", "")));
    assert_error(FA_ERROR_ARGUMENT, "fa_checkpoint_save", "two called \"facula.checkpoint\"");
}

static void what_does_not_fit(void **state)
{
    (void)state;
    FA_SCOPE;
    training t = start(sgd, FA_CPU, 7), other = start(adamw, FA_CPU, 8);
    go_on(t, 1, 3);
    assert_true(save(t));
    fa_tensor *before = fa_clone(fa_detach(fa_module_tensor(other.net, "0.weight")));
    fa_module *old = other.net, *less = fa_nn_linear(64, 10);
    fa_generator_state random = fa_random_state();
    assert_false(load(other));
    assert_error(FA_ERROR_ARGUMENT, "fa_checkpoint_load", path, "optimizer \"sgd\", and this is \"adamw\"");
    other.optim = NULL;
    other.net = less;
    assert_false(load(other));
    assert_error(FA_ERROR_ARGUMENT, "missing: weight, bias", "unexpected:", "0.weight");
    assert_true(same_tensors(fa_detach(fa_module_tensor(old, "0.weight")), before));
    assert_int_equal(fa_random_state().call, random.call);
    assert_int_equal(fa_loader_position(other.loader).batch, 0);
    assert_true(fa_save(t.net, path));
    assert_false(load(t));
    assert_error(FA_ERROR_FILE, "no checkpoint of version 1: fa_load() reads");
    assert_true(fa_checkpoint_save(path, .module = t.net));
    assert_false(load(t));
    assert_error(FA_ERROR_ARGUMENT, "has no optimizer");
    assert_false(fa_checkpoint_load(path, .loader = t.loader));
    assert_error(FA_ERROR_ARGUMENT, "has no \"loader\" of 3 whole numbers");
    assert_true(fa_checkpoint_load(path, .module = t.net));
    assert_no_error();
}

/* What the optimizer or the loader refuses leaves the schedule and the loader where they were. */
static void refused_late(void **state)
{
    (void)state;
    FA_SCOPE;
    training t = start(sgd, FA_CPU, 7), other = start(sgd, FA_CPU, 8);
    go_on(t, 1, 3);
    assert_true(save(t));
    other.optim = sgd(fa_nn_linear(3, 3));
    assert_false(load(other));
    assert_error(FA_ERROR_ARGUMENT, "fa_checkpoint_load", path, "fa_optim_load_state_dict");
    assert_int_equal(fa_schedule_epoch(other.schedule), 0);
    assert_int_equal(fa_loader_position(other.loader).batch, 0);
    assert_false(same_state(t.net, other.net));
    other = start(sgd, FA_CPU, 8);
    other.loader = fa_data_loader(fa_data_digits(.train = false), .batch_size = 150);
    assert_false(load(other));
    assert_error(FA_ERROR_ARGUMENT, "fa_checkpoint_load", path, "saved in an epoch of ", "and the loader has 3: ");
    assert_int_equal(fa_schedule_epoch(other.schedule), 0);
    assert_int_equal(fa_loader_position(other.loader).batch, 0);
    assert_false(same_state(t.net, other.net));
}

/* Each tensor of a checkpoint in another shape or dtype: it is refused, by a message with the call and the path, or the
 * tensor is none that matters. */
static void tensors_that_are_damaged(void **state)
{
    (void)state;
    FA_SCOPE;
    training t = start(adamw, FA_CPU, 7);
    go_on(t, 1, 2);
    assert_true(save(t));
    fa_saved saved = fa_load_file(path);
    size_t refused = 0;
    for (size_t i = 0; i < saved.tensors.count; i++)
        for (int k = 0; k < 3; k++) {
            fa_tensor *item[100];
            assert_true(saved.tensors.count <= 100);
            memcpy(item, saved.tensors.item, saved.tensors.count * sizeof *item);
            item[i] = k == 0   ? fa_zeros(FA_SHAPE(2, 3, 1))
                      : k == 1 ? fa_zeros(FA_SHAPE(0))
                               : fa_full(FA_SCALAR, (double)NAN);
            fa_parameters changed = {saved.tensors.count, item, saved.tensors.name};
            assert_true(fa_save(changed, path, .metadata = saved.metadata));
            if (load(t))
                continue;
            refused++;
            assert_true(strstr(error_reason(), "fa_checkpoint_load: ") == error_reason());
            assert_non_null(strstr(fa_error_message(), path));
            fa_error_clear();
        }
    assert_true(refused > 2 * saved.tensors.count);
}

static void no_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    training t = start(sgd, FA_CPU, 7);
    go_on(t, 1, 2);
    assert_true(save(t));
    for (int64_t n = 1;; n += 1 + n / 20) {
        fa__inject(n);
        bool done = save(t) && load(t);
        fa__inject(0);
        if (done)
            break;
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(load(t));
        assert_no_error();
    }
}

int main(void)
{
    if (!test_devices_there())
        return TEST_SKIPPED;
    snprintf(path, sizeof path, "/tmp/facula-checkpoint-%ld", (long)getpid());
    const struct CMUnitTest tests[] = {TEST(training_goes_on),         TEST(saved_in_the_last_turn),
                                       TEST(on_another_device),        TEST(programs_put_texts_in),
                                       TEST(what_does_not_fit),        TEST(refused_late),
                                       TEST(tensors_that_are_damaged), TEST(no_memory)};
    int status = RUN("checkpoint");
    unlink(path);
    return status;
}
