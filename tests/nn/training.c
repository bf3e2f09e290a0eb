/* Small trainings, ten steps each, held against PyTorch's: losses, gradients and parameters
 * (tests/reference/training.txt, which is in f64): linear regression by hand and by SGD, an MLP by SGD with momentum
 * and by Adam, in f64 and f32, on the CPU, on a device, and with the MLP's second half on another one. */
#include "support/check.h"
#include "support/devices.h"
#include "support/steps.h"

enum { STEPS = 10 };

/* ---- the runs ---- */
static void linear_by_hand(steps *r)
{
    FA_SCOPE;
    fa_tensor *x = steps_made(r, "(20,3)", 0, 1), *y = steps_made(r, "(20,1)", 1, 1), *w = steps_made(r, "(3,1)", 2, 1);
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        fa_tensor *error = fa_sub(fa_matmul(x, w), y);
        fa_tensor *grad = fa_div(fa_matmul(fa_t(x), error), fa_size(x, 0));
        fa_sub_(w, fa_mul(grad, 0.1));
        steps_loss(r, fa_mean(fa_pow(error, 2)));
        steps_tensor(r, "grad", "w", grad);
        steps_tensor(r, "param", "w", w);
    }
}

static void linear_by_sgd(steps *r)
{
    FA_SCOPE;
    fa_tensor *x = steps_made(r, "(20,3)", 0, 1), *y = steps_made(r, "(20,1)", 1, 1), *w = steps_made(r, "(3,1)", 2, 1);
    fa_set_requires_grad(w, true);
    fa_optim *optimizer = fa_optim_sgd(fa_params(w), .lr = 0.1);
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        fa_optim_zero_grad(optimizer);
        fa_tensor *loss = fa_mean(fa_pow(fa_sub(fa_matmul(x, w), y), 2));
        fa_backward(loss);
        fa_optim_step(optimizer);
        steps_loss(r, loss);
        steps_tensor(r, "grad", "w", fa_grad(w));
        steps_tensor(r, "param", "w", w);
    }
}

/* The parameters of the MLP: 64 to 32 to 10. */
static const struct {
    const char *name, *shape;
} layers[] = {{"w1", "(32,64)"}, {"b1", "(32)"}, {"w2", "(10,32)"}, {"b2", "(10)"}};
enum { LAYERS = sizeof layers / sizeof *layers };

static fa_tensor *mlp_loss(const steps *r, fa_tensor *const *p)
{
    fa_tensor *x = steps_made(r, "(16,64)", 100 + r->step, 1),
              *target = steps_made_on(r, r->second, "i(16)<10", 200 + r->step, 1);
    fa_tensor *hidden = fa_to(fa_relu(fa_linear(x, p[0], .bias = p[1])), r->second);
    return fa_cross_entropy(fa_linear(hidden, p[2], .bias = p[3]), target);
}

static void mlp_steps(steps *r, fa_optim *optimizer, fa_tensor *const *p)
{
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        fa_optim_zero_grad(optimizer);
        fa_tensor *loss = mlp_loss(r, p);
        fa_backward(loss);
        fa_optim_step(optimizer);
        steps_loss(r, loss);
        for (int i = 0; i < LAYERS; i++) {
            steps_tensor(r, "grad", layers[i].name, fa_grad(p[i]));
            steps_tensor(r, "param", layers[i].name, p[i]);
        }
    }
}

static void mlp_parameters(const steps *r, fa_tensor **p)
{
    for (int i = 0; i < LAYERS; i++)
        fa_set_requires_grad(p[i] = steps_made_on(r, i < 2 ? r->where : r->second, layers[i].shape, i, 0.125), true);
}

static void mlp_by_sgd(steps *r)
{
    FA_SCOPE;
    fa_tensor *p[LAYERS];
    mlp_parameters(r, p);
    mlp_steps(r, fa_optim_sgd(fa_params(p[0], p[1], p[2], p[3]), .lr = 0.05, .momentum = 0.9), p);
}

static void mlp_by_adam(steps *r)
{
    FA_SCOPE;
    fa_tensor *p[LAYERS];
    mlp_parameters(r, p);
    mlp_steps(r, fa_optim_adam(fa_params(p[0], p[1], p[2], p[3]), .lr = 0.002), p);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(steps *);
    } runs[] = {{"linear_hand", linear_by_hand},
                {"linear_sgd", linear_by_sgd},
                {"mlp_sgd", mlp_by_sgd},
                {"mlp_adam", mlp_by_adam}};
    if (!test_devices_there())
        return TEST_SKIPPED;
    const fa_device places[][2] = {
        {FA_CPU, FA_CPU}, {DEVICE(0), DEVICE(0)}, {DEVICE(0), DEVICE(1)}, {DEVICE(1), FA_CPU}};
    const fa_dtype dtypes[] = {FA_F64, FA_F32};
    if (!steps_load("training.txt"))
        return check_end();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int place = 0; place < 4; place++)
            for (int d = 0; d < 2; d++) {
                steps r = {
                    .name = runs[i].name, .dtype = dtypes[d], .where = places[place][0], .second = places[place][1]};
                check_about("%s %s place %d: %s", r.name, fa_dtype_name(r.dtype), place, fa_device_name(r.where));
                runs[i].run(&r);
            }
    steps_free();
    return check_end();
}
