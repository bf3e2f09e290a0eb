/* Small trainings, ten steps each, held against PyTorch's: losses, gradients and parameters
 * (tests/reference/training.txt, which is in f64): linear regression by hand and by SGD, an MLP by SGD with momentum
 * and by Adam, in f64 and f32, on the CPU, on a device, and with the MLP's second half on another one. */
#include "support/check.h"
#include "support/devices.h"
#include "support/reference.h"
#include "support/sample.h"
#include "support/tensors.h"
#include <math.h>
#include <stdlib.h>

enum { STEPS = 10, MOST_SHOWN = 16 };
static char *reference;

/* Where a run is, and in which dtype and place. */
typedef struct run {
    const char *name;
    int step;
    fa_dtype dtype;
    fa_device where, second; /* of the MLP's second half */
} run;

/* The tensor that training.py makes of the same text at the same place. */
static fa_tensor *made_on(const run *r, fa_device where, const char *text, int place, double scale)
{
    sample s = {.seed = sample_seed("training", r->name)};
    operand o;
    if (!operand_read(&o, text, place))
        return NULL;
    fa_dtype dtype = operand_dtype(&o, r->dtype);
    double *v = malloc(((size_t)o.count + 1) * sizeof *v);
    if (!v)
        return NULL;
    operand_values(&s, &o, dtype, v);
    for (int64_t i = 0; i < o.count; i++)
        v[i] *= scale;
    fa_tensor *t = make_tensor(v, dtype, o.rank, o.shape, LAYOUT_DENSE, where);
    free(v);
    return t;
}

static fa_tensor *made(const run *r, const char *text, int place, double scale)
{
    return made_on(r, r->where, text, place, scale);
}

/* The numbers of the line "run step what: numbers"; NULL: there is no such line. */
static const char *line_of(const run *r, const char *what)
{
    char head[128];
    snprintf(head, sizeof head, "\n%s %d %s: ", r->name, r->step, what);
    const char *s = strstr(reference, head);
    return s ? s + strlen(head) : NULL;
}

static void hold_number(const run *r, const char *what, double have, double want)
{
    double tolerance = r->dtype == FA_F64 ? 1e-11 : 2e-5;
    bool ok = fabs(have - want) <= tolerance * (1 + fabs(want));
    check(ok, "step %d, %s: %.17g, not %.17g", r->step, what, have, want);
}

static void hold_loss(const run *r, const fa_tensor *loss)
{
    const char *s = line_of(r, "loss");
    if (check(s && loss, "step %d: no loss", r->step))
        hold_number(r, "loss", fa_item(loss), strtod(s, NULL));
}

/* The norm, and every k-th element. */
static void hold_tensor(const run *r, const char *kind, const char *name, const fa_tensor *t)
{
    char what[64];
    snprintf(what, sizeof what, "%s %s", kind, name);
    const char *s = line_of(r, what);
    double *v = t ? tensor_values(t) : NULL, squares = 0;
    if (!check(s && v, "step %d: no %s", r->step, what)) {
        free(v);
        return;
    }
    int64_t count = fa_numel(t), stride = (count + MOST_SHOWN - 1) / MOST_SHOWN;
    for (int64_t i = 0; i < count; i++)
        squares += v[i] * v[i];
    char *at;
    hold_number(r, what, sqrt(squares), strtod(s, &at));
    for (int64_t i = 0; i < count; i += stride)
        hold_number(r, what, v[i], strtod(at, &at));
    free(v);
}

/* ---- the runs ---- */
static void linear_by_hand(run *r)
{
    FA_SCOPE;
    fa_tensor *x = made(r, "(20,3)", 0, 1), *y = made(r, "(20,1)", 1, 1), *w = made(r, "(3,1)", 2, 1);
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        fa_tensor *error = fa_sub(fa_matmul(x, w), y);
        fa_tensor *grad = fa_div(fa_matmul(fa_t(x), error), fa_size(x, 0));
        fa_sub_(w, fa_mul(grad, 0.1));
        hold_loss(r, fa_mean(fa_pow(error, 2)));
        hold_tensor(r, "grad", "w", grad);
        hold_tensor(r, "param", "w", w);
    }
}

static void linear_by_sgd(run *r)
{
    FA_SCOPE;
    fa_tensor *x = made(r, "(20,3)", 0, 1), *y = made(r, "(20,1)", 1, 1), *w = made(r, "(3,1)", 2, 1);
    fa_set_requires_grad(w, true);
    fa_optim *optimizer = fa_optim_sgd(fa_params(w), .lr = 0.1);
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        fa_optim_zero_grad(optimizer);
        fa_tensor *loss = fa_mean(fa_pow(fa_sub(fa_matmul(x, w), y), 2));
        fa_backward(loss);
        fa_optim_step(optimizer);
        hold_loss(r, loss);
        hold_tensor(r, "grad", "w", fa_grad(w));
        hold_tensor(r, "param", "w", w);
    }
}

/* The parameters of the MLP: 64 to 32 to 10. */
static const struct {
    const char *name, *shape;
} layers[] = {{"w1", "(32,64)"}, {"b1", "(32)"}, {"w2", "(10,32)"}, {"b2", "(10)"}};
enum { LAYERS = sizeof layers / sizeof *layers };

static fa_tensor *mlp_loss(const run *r, fa_tensor *const *p)
{
    fa_tensor *x = made(r, "(16,64)", 100 + r->step, 1), *target = made_on(r, r->second, "i(16)<10", 200 + r->step, 1);
    fa_tensor *hidden = fa_to(fa_relu(fa_linear(x, p[0], .bias = p[1])), r->second);
    return fa_cross_entropy(fa_linear(hidden, p[2], .bias = p[3]), target);
}

static void mlp_steps(run *r, fa_optim *optimizer, fa_tensor *const *p)
{
    for (r->step = 0; r->step < STEPS; r->step++) {
        FA_SCOPE;
        fa_optim_zero_grad(optimizer);
        fa_tensor *loss = mlp_loss(r, p);
        fa_backward(loss);
        fa_optim_step(optimizer);
        hold_loss(r, loss);
        for (int i = 0; i < LAYERS; i++) {
            hold_tensor(r, "grad", layers[i].name, fa_grad(p[i]));
            hold_tensor(r, "param", layers[i].name, p[i]);
        }
    }
}

static void mlp_parameters(const run *r, fa_tensor **p)
{
    for (int i = 0; i < LAYERS; i++)
        fa_set_requires_grad(p[i] = made_on(r, i < 2 ? r->where : r->second, layers[i].shape, i, 0.125), true);
}

static void mlp_by_sgd(run *r)
{
    FA_SCOPE;
    fa_tensor *p[LAYERS];
    mlp_parameters(r, p);
    mlp_steps(r, fa_optim_sgd(fa_params(p[0], p[1], p[2], p[3]), .lr = 0.05, .momentum = 0.9), p);
}

static void mlp_by_adam(run *r)
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
        void (*run)(run *);
    } runs[] = {{"linear_hand", linear_by_hand},
                {"linear_sgd", linear_by_sgd},
                {"mlp_sgd", mlp_by_sgd},
                {"mlp_adam", mlp_by_adam}};
    if (!test_devices_there())
        return TEST_SKIPPED;
    const fa_device places[][2] = {
        {FA_CPU, FA_CPU}, {DEVICE(0), DEVICE(0)}, {DEVICE(0), DEVICE(1)}, {DEVICE(1), FA_CPU}};
    const fa_dtype dtypes[] = {FA_F64, FA_F32};
    reference = reference_load("training.txt");
    if (!check(reference != NULL, "tests/reference/training.txt cannot be read"))
        return check_end();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int place = 0; place < 4; place++)
            for (int d = 0; d < 2; d++) {
                run r = {
                    .name = runs[i].name, .dtype = dtypes[d], .where = places[place][0], .second = places[place][1]};
                check_about("%s %s place %d: %s", r.name, fa_dtype_name(r.dtype), place, fa_device_name(r.where));
                runs[i].run(&r);
            }
    free(reference);
    return check_end();
}
