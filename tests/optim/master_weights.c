/* Master weights: parameters in f16 and bf16 whose optimizer keeps them in f32, on the CPU and on other devices. The
 * master weight is compared, bit for bit, with an f32 parameter that gets the same gradients. */
#include "base/alloc.h"
#include "optim/optim_test.h"
#include <facula/amp.h>
#include <facula/graph.h>
#include <facula/operations.h>
#include <facula/save.h>
#include <unistd.h>

enum { KINDS = 5, STEPS = 12 };

static fa_optim *optimizer(int kind, fa_parameters p, bool master)
{
    switch (kind) {
    case 0:
        return fa_optim_sgd(p, .lr = 0.01, .momentum = 0.9, .dampening = 0.25, .master_weights = master);
    case 1:
        return fa_optim_adam(p, .lr = 0.01, .amsgrad = true, .weight_decay = 0.1, .master_weights = master);
    case 2:
        return fa_optim_adamw(p, .lr = 0.01, .beta1 = 0.25, .master_weights = master);
    case 3:
        return fa_optim_rmsprop(p, .momentum = 0.5, .centered = true, .weight_decay = 0.1, .master_weights = master);
    default:
        return fa_optim_adagrad(p, .lr_decay = 0.1, .master_weights = master);
    }
}

/* Three parameters in one group, the same three in f32, and an optimizer of each. */
typedef struct twins {
    fa_tensor *p[3], *f32[3];
    fa_optim *optim, *reference;
} twins;

static twins twins_new(int kind, fa_device device)
{
    static const fa_dtype dtypes[3] = {FA_BF16, FA_F32, FA_F16};
    twins t;
    for (int k = 0; k < 3; k++) {
        t.p[k] = parameter(k, device, dtypes[k]);
        t.f32[k] = parameter(k, device, FA_F32);
    }
    t.optim = optimizer(kind, fa_params(t.p[0], t.p[1], t.p[2]), true);
    t.reference = optimizer(kind, fa_params(t.f32[0], t.f32[1], t.f32[2]), false);
    return t;
}

/* One step; the last parameter misses some. */
static void twins_step(const twins *t, int step)
{
    FA_SCOPE;
    fa_optim_zero_grad(t->optim);
    fa_optim_zero_grad(t->reference);
    for (int k = 0; k < 2 + (step % 3 != 0); k++) {
        give_grad(t->p[k], step, k);
        give_grad(t->f32[k], step, k);
    }
    assert_true(fa_optim_step(t->optim));
    assert_true(fa_optim_step(t->reference));
    assert_no_error();
}

static void assert_twins(const twins *t)
{
    for (int k = 0; k < 3; k++) {
        FA_SCOPE;
        fa_tensor *master =
            fa_dtype_size(fa_tensor_dtype(t->p[k])) == 2 ? fa_optim_state(t->optim, t->p[k], "master_weight") : t->p[k];
        assert_non_null(master);
        assert_int_equal(fa_tensor_dtype(master), FA_F32);
        assert_true(same_tensors(fa_cpu(master), fa_cpu(t->f32[k])));
        assert_true(same_tensors(fa_cpu(t->p[k]), fa_to(fa_cpu(t->f32[k]), fa_tensor_dtype(t->p[k]))));
    }
    assert_no_error();
}

static fa_device device_at(int i)
{
    return i ? DEVICE(i - 1) : FA_CPU;
}

static void masters_are_f32_parameters(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int where = 0; where < 2; where++)
            for (int capturable = 0; capturable < 2; capturable++) {
                FA_SCOPE;
                twins t = twins_new(kind, device_at(where));
                assert_true(fa_optim_set_capturable(t.optim, capturable));
                assert_true(fa_optim_set_capturable(t.reference, capturable));
                for (int step = 1; step <= STEPS; step++) {
                    twins_step(&t, step);
                    assert_twins(&t);
                }
            }
}

static void states_are_f32(void **state)
{
    (void)state;
    FA_SCOPE;
    twins t = twins_new(1, DEVICE(0));
    assert_null(fa_optim_state(t.optim, t.p[0], "master_weight"));
    assert_no_error();
    twins_step(&t, 1);
    assert_int_equal(fa_tensor_dtype(fa_optim_state(t.optim, t.p[0], "exp_avg")), FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_optim_state(t.optim, t.p[2], "max_exp_avg_sq")), FA_F32);
    assert_null(fa_optim_state(t.optim, t.p[1], "master_weight"));
    assert_error(FA_ERROR_ARGUMENT, "no \"master_weight\" is kept for this tensor");
    assert_true(fa_optim_option(t.optim, 0, "master_weights") == 1);
    assert_true(fa_optim_option(t.reference, 0, "master_weights") == 0);
    assert_no_error();
}

/* 256 steps of 1/1024 of half a unit in the last place, each of which bf16 alone loses. */
static void small_steps_are_not_lost(void **state)
{
    (void)state;
    for (int master = 0; master < 2; master++) {
        FA_SCOPE;
        fa_tensor *p = fa_ones(FA_SHAPE(1), .dtype = FA_BF16, .device = DEVICE(0), .requires_grad = true);
        fa_optim *o = fa_optim_sgd(fa_params(p), .lr = 0x1p-12, .master_weights = master);
        FA_REPEAT (256) {
            fa_set_grad(p, fa_full_like(p, -1.0));
            fa_optim_step(o);
        }
        assert_true(fa_item(p) == (master ? 1.0625 : 1.0));
        assert_no_error();
    }
}

/* ---- saving ---- */

static void assert_same_state(const twins *a, const twins *b)
{
    fa_state_dict x = fa_optim_state_dict(a->optim), y = fa_optim_state_dict(b->optim);
    assert_int_equal(x.tensors.count, y.tensors.count);
    for (size_t i = 0; i < x.tensors.count; i++) {
        assert_string_equal(x.tensors.name[i], y.tensors.name[i]);
        assert_int_equal(fa_tensor_dtype(x.tensors.item[i]), fa_tensor_dtype(y.tensors.item[i]));
        assert_true(same_tensors(fa_cpu(x.tensors.item[i]), fa_cpu(y.tensors.item[i])));
    }
    for (int k = 0; k < 3; k++)
        assert_true(same_tensors(fa_cpu(a->p[k]), fa_cpu(b->p[k])));
}

static void copy_parameters(const twins *to, const twins *from)
{
    FA_USE(.no_grad = true);
    for (int k = 0; k < 3; k++)
        assert_non_null(fa_copy_(to->p[k], fa_to(from->p[k], fa_tensor_device(to->p[k]))));
}

/* In either order: parameters first, or the optimizer's state first. */
static void restored_training_goes_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int last = 0; last < 2; last++) {
            FA_SCOPE;
            saved s;
            twins t = twins_new(kind, DEVICE(0)), u = twins_new(kind, FA_CPU);
            for (int step = 1; step <= 5; step++)
                twins_step(&t, step);
            twins_step(&u, 3);
            save(&s, fa_optim_state_dict(t.optim));
            if (last)
                copy_parameters(&u, &t);
            assert_true(fa_optim_load_state_dict(u.optim, &s.dict));
            if (!last)
                copy_parameters(&u, &t);
            assert_same_state(&t, &u);
            for (int step = 6; step <= 9; step++) {
                twins_step(&t, step);
                twins_step(&u, step);
            }
            assert_same_state(&t, &u);
            assert_twins(&t);
        }
}

/* A state from before there were master weights: the optimizer has none from then on. */
static void states_without_the_option_are_read(void **state)
{
    (void)state;
    FA_SCOPE;
    saved s;
    twins t = twins_new(1, FA_CPU), u = twins_new(1, FA_CPU);
    twins_step(&t, 1);
    assert_true(fa_optim_set_option(t.optim, 0, "master_weights", 0));
    twins_step(&t, 2);
    assert_int_equal(fa_tensor_dtype(fa_optim_state(t.optim, t.p[0], "exp_avg")), FA_BF16);
    save(&s, fa_optim_state_dict(t.optim));
    size_t at = number_of(&s, "group.0.master_weights"), last = s.dict.numbers.count - 1;
    assert_true(s.number[at] == 0);
    s.number[at] = s.number[last];
    memcpy(s.name[at], s.name[last], sizeof s.name[at]);
    memmove(s.names + last, s.names + last + 1, (s.dict.tensors.count) * sizeof *s.names);
    s.dict.numbers.count--;
    s.dict.tensors.name = s.names + last;
    assert_true(fa_optim_load_state_dict(u.optim, &s.dict));
    assert_true(fa_optim_option(u.optim, 0, "master_weights") == 0);
    assert_int_equal(fa_tensor_dtype(fa_optim_state(u.optim, u.p[0], "exp_avg")), FA_BF16);
    assert_no_error();
}

/* A state with master weights fits parameters in f32, which have none. */
static void states_fit_parameters_in_f32(void **state)
{
    (void)state;
    FA_SCOPE;
    saved s;
    twins t = twins_new(1, FA_CPU);
    twins_step(&t, 1);
    save(&s, fa_optim_state_dict(t.optim));
    assert_true(fa_optim_load_state_dict(t.reference, &s.dict));
    assert_null(fa_optim_state(t.reference, t.f32[0], "master_weight"));
    assert_error(FA_ERROR_ARGUMENT, "no \"master_weight\"");
    twins_step(&t, 2);
    assert_twins(&t);
}

static void checkpoints_have_master_weights(void **state)
{
    (void)state;
    FA_SCOPE;
    char path[] = "/tmp/facula-masters-XXXXXX";
    close(mkstemp(path));
    fa_module *net = fa_nn_linear(3, 2), *other = fa_nn_linear(3, 2);
    fa_module_to(net, FA_BF16);
    fa_module_to(other, FA_BF16);
    fa_optim *o = fa_optim_adamw(net, .master_weights = true), *p = fa_optim_adamw(other);
    for (int i = 0; i < 6; i++) {
        FA_SCOPE;
        if (i == 3) {
            assert_true(fa_checkpoint_save(path, .module = net, .optim = o));
            assert_true(fa_checkpoint_load(path, .module = other, .optim = p));
        }
        for (int k = 0; k < (i < 3 ? 1 : 2); k++) {
            fa_optim *one = k ? p : o;
            fa_optim_zero_grad(one);
            fa_tensor *x = fa_full(FA_SHAPE(4, 3), 0.25 * i, .dtype = FA_BF16);
            fa_backward(fa_sum(fa_square(fa_forward(k ? other : net, x))));
            assert_true(fa_optim_step(one));
        }
    }
    assert_true(fa_optim_option(p, 0, "master_weights") == 1);
    fa_tensor *w = fa_module_parameters(net).item[0], *v = fa_module_parameters(other).item[0];
    assert_true(same_tensors(w, v));
    assert_true(same_tensors(fa_optim_state(o, w, "master_weight"), fa_optim_state(p, v, "master_weight")));
    unlink(path);
    assert_no_error();
}

/* ---- parameters that others touch ---- */

static void modified_parameters_replace_their_masters(void **state)
{
    (void)state;
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        twins t = twins_new(0, device_at(where));
        twins_step(&t, 1);
        twins_step(&t, 2);
        {
            FA_USE(.no_grad = true);
            fa_tensor *news[] = {t.p[0], t.f32[0]};
            for (int i = 0; i < 2; i++)
                assert_non_null(fa_copy_(news[i], 3.0));
        }
        twins_step(&t, 3);
        twins_step(&t, 4);
        assert_twins(&t);
    }
}

static void masters_move_with_their_parameters(void **state)
{
    (void)state;
    FA_SCOPE;
    twins t = twins_new(1, FA_CPU);
    twins_step(&t, 1);
    for (int k = 0; k < 3; k++)
        assert_true(fa_move_(t.p[k], DEVICE(0)) && fa_move_(t.f32[k], DEVICE(0)));
    assert_true(fa_device_equal(fa_tensor_device(fa_optim_state(t.optim, t.p[0], "master_weight")), DEVICE(0)));
    assert_int_equal(fa_tensor_dtype(fa_optim_state(t.optim, t.p[0], "exp_avg")), FA_F32);
    assert_twins(&t);
    twins_step(&t, 2);
    assert_twins(&t);
    assert_true(fa_move_(t.p[0], FA_F32)); /* it needs no master any more, and has the values of a bf16 */
    twins_step(&t, 3);
    assert_null(fa_optim_state(t.optim, t.p[0], "master_weight"));
    assert_error(FA_ERROR_ARGUMENT, "no \"master_weight\"");
    assert_true(fa_move_(t.p[0], FA_BF16));
    twins_step(&t, 4);
    assert_int_equal(fa_tensor_dtype(fa_optim_state(t.optim, t.p[0], "exp_avg")), FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_optim_state(t.optim, t.p[0], "master_weight")), FA_F32);
    assert_no_error();
}

/* ---- steps that are skipped, recorded, or fail ---- */

static void skipped_steps_change_nothing(void **state)
{
    (void)state;
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        fa_tensor *p = parameter(1, device_at(where), FA_BF16);
        fa_optim *o = fa_optim_adam(fa_params(p), .lr = 0.01, .amsgrad = true, .master_weights = true);
        fa_scaler *scaler = fa_amp_scaler(.init_scale = 4);
        fa_tensor *before = NULL, *master = NULL;
        for (int step = 1; step < 4; step++) {
            assert_non_null(fa_scaler_scale(scaler, fa_ones(FA_SCALAR, .device = device_at(where))));
            give_grad(p, step, 0);
            if (step == 3)
                fa_set_grad(p, fa_full_like(p, INFINITY));
            before = fa_clone(fa_detach(fa_cpu(p)));
            if (step == 3)
                master = fa_clone(fa_cpu(fa_optim_state(o, p, "master_weight")));
            assert_true(fa_scaler_step(scaler, o));
            assert_true(fa_scaler_update(scaler));
            assert_true(same_tensors(before, fa_cpu(p)) == (step == 3));
        }
        assert_true(same_tensors(master, fa_cpu(fa_optim_state(o, p, "master_weight"))));
        assert_no_error();
    }
}

static void forward_backward_step(fa_tensor *p, fa_tensor *x, fa_optim *o)
{
    fa_optim_zero_grad(o);
    fa_backward(fa_sum(fa_square(fa_sub(fa_mul(p, x), 1.0))));
    fa_optim_step(o);
}

/* Replays, and then calls again: the master weights are those of calls alone. */
static void recorded_steps_go_on(void **state)
{
    (void)state;
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        fa_device device = device_at(where);
        fa_tensor *p[2], *x = fa_full(FA_SHAPE(COUNT), 0.75, .dtype = FA_BF16, .device = device);
        fa_optim *o[2];
        for (int i = 0; i < 2; i++) {
            p[i] = parameter(1, device, FA_BF16);
            o[i] = fa_optim_adam(fa_params(p[i]), .lr = 0.01, .master_weights = true);
            assert_true(fa_optim_set_capturable(o[i], true));
        }
        fa_graph *graph = fa_graph_new(device);
        FA_RECORD(graph)
        forward_backward_step(p[0], x, o[0]);
        for (int i = 1; i < 5; i++)
            assert_true(fa_graph_replay(graph));
        forward_backward_step(p[0], x, o[0]);
        for (int i = 0; i < 6; i++) {
            FA_SCOPE;
            forward_backward_step(p[1], x, o[1]);
        }
        assert_true(same_tensors(fa_cpu(p[0]), fa_cpu(p[1])));
        assert_true(same_tensors(fa_cpu(fa_optim_state(o[0], p[0], "master_weight")),
                                 fa_cpu(fa_optim_state(o[1], p[1], "master_weight"))));
        assert_no_error();
    }
}

static void steps_without_memory_change_nothing(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        FA_SCOPE;
        twins t = twins_new(1, FA_CPU);
        if (!first)
            twins_step(&t, 1);
        for (int nth = 1;; nth++) {
            FA_SCOPE;
            fa_tensor *before = fa_clone(fa_detach(t.p[0]));
            give_grad(t.p[0], 2, 0);
            give_grad(t.p[2], 2, 2);
            fa__inject(nth);
            bool good = fa_optim_step(t.optim);
            fa__inject(0);
            if (good)
                break;
            assert_error(FA_ERROR_MEMORY, "");
            assert_true(same_tensors(before, t.p[0]));
        }
        assert_no_error();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(masters_are_f32_parameters),
        TEST(states_are_f32),
        TEST(small_steps_are_not_lost),
        TEST(restored_training_goes_on),
        TEST(states_without_the_option_are_read),
        TEST(states_fit_parameters_in_f32),
        TEST(checkpoints_have_master_weights),
        TEST(modified_parameters_replace_their_masters),
        TEST(masters_move_with_their_parameters),
        TEST(skipped_steps_change_nothing),
        TEST(recorded_steps_go_on),
        TEST(steps_without_memory_change_nothing),
    };
    return RUN("optim_master_weights");
}
