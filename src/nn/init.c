/* Parameter initialization, as in torch.nn.init, without recording. */
#include <facula/error.h>
#include <facula/init.h>
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <string.h>

fa_tensor *(fa_init_uniform_)(fa_tensor *t, const fa_init_uniform__options *options)
{
    fa_init_uniform__options o = FA__DEFAULT_fa_init_uniform_;
    fa__options_read(&o, o.size, options);
    FA_USE(.no_grad = true);
    return fa_uniform_(t, .from = o.a, .to = o.b);
}

fa_tensor *(fa_init_normal_)(fa_tensor *t, const fa_init_normal__options *options)
{
    fa_init_normal__options o = FA__DEFAULT_fa_init_normal_;
    fa__options_read(&o, o.size, options);
    FA_USE(.no_grad = true);
    return fa_normal_(t, .mean = o.mean, .std = o.std);
}

fa_tensor *fa_init_constant_(fa_tensor *t, double value)
{
    FA_USE(.no_grad = true);
    return fa_copy_(t, value);
}

/* The distribution function of the standard normal distribution. */
static double normal_below(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

fa_tensor *(fa_init_trunc_normal_)(fa_tensor *t, const fa_init_trunc_normal__options *options)
{
    fa_init_trunc_normal__options o = FA__DEFAULT_fa_init_trunc_normal_;
    fa__options_read(&o, o.size, options);
    if (!(o.std > 0) || !(o.a < o.b)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_init_trunc_normal_: std is above 0, and a below b: %g, %g, %g", o.std, o.a, o.b);
        return NULL;
    }
    double low = normal_below((o.a - o.mean) / o.std), high = normal_below((o.b - o.mean) / o.std);
    FA_USE(.no_grad = true);
    t = fa_erfinv_(fa_uniform_(t, .from = 2 * low - 1, .to = 2 * high - 1));
    return fa_clamp_(fa_add_(fa_mul_(t, o.std * sqrt(2)), o.mean), o.a, o.b);
}

double fa_init_gain(const char *nonlinearity, double slope)
{
    const struct {
        const char *name;
        double gain;
    } gains[] = {{"linear", 1},           {"conv1d", 1},           {"conv2d", 1},
                 {"conv_transpose1d", 1}, {"conv_transpose2d", 1}, {"sigmoid", 1},
                 {"tanh", 5.0 / 3},       {"relu", sqrt(2)},       {"leaky_relu", sqrt(2 / (1 + slope * slope))},
                 {"selu", 0.75}};
    for (size_t i = 0; nonlinearity && i < sizeof gains / sizeof *gains; i++)
        if (!strcmp(gains[i].name, nonlinearity))
            return gains[i].gain;
    fa_fail(FA_ERROR_ARGUMENT, "fa_init_gain: there is no nonlinearity \"%s\"", nonlinearity ? nonlinearity : "NULL");
    return (double)NAN;
}

typedef struct fans {
    double in, out;
} fans;

/* Computes fan_in and fan_out. */
static bool fans_of(const fa_tensor *t, const char *who, fans *f)
{
    if (!t)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the tensor is NULL", who);
    if (fa_dim(t) < 2)
        return fa_fail(FA_ERROR_SHAPE, "%s: a tensor of %d dimensions has no fans: 2 or more are needed", who,
                       fa_dim(t));
    f->in = (double)fa_size(t, 1), f->out = (double)fa_size(t, 0);
    for (int i = 2; i < fa_dim(t); i++) {
        f->in *= (double)fa_size(t, i);
        f->out *= (double)fa_size(t, i);
    }
    return true;
}

/* Fills t with samples of mean 0 and a standard deviation. */
static fa_tensor *spread(fa_tensor *t, double std, bool normal)
{
    if (!fa_numel(t))
        return t;
    return normal ? fa_init_normal_(t, .std = std) : fa_init_uniform_(t, .a = -sqrt(3) * std, .b = sqrt(3) * std);
}

static fa_tensor *xavier(fa_tensor *t, const fa_init_xavier_uniform__options *options, const char *who, bool normal)
{
    fa_init_xavier_uniform__options o = FA__DEFAULT_fa_init_xavier_uniform_;
    fa__options_read(&o, o.size, options);
    fans f = {1, 1};
    if (!fans_of(t, who, &f))
        return NULL;
    return spread(t, o.gain * sqrt(2 / (f.in + f.out)), normal);
}

fa_tensor *(fa_init_xavier_uniform_)(fa_tensor *t, const fa_init_xavier_uniform__options *options)
{
    return xavier(t, options, "fa_init_xavier_uniform_", false);
}

fa_tensor *(fa_init_xavier_normal_)(fa_tensor *t, const fa_init_xavier_normal__options *options)
{
    return xavier(t, options, "fa_init_xavier_normal_", true);
}

static fa_tensor *kaiming(fa_tensor *t, const fa_init_kaiming_uniform__options *options, const char *who, bool normal)
{
    fa_init_kaiming_uniform__options o = FA__DEFAULT_fa_init_kaiming_uniform_;
    fa__options_read(&o, o.size, options);
    fans f = {1, 1};
    if (!fans_of(t, who, &f))
        return NULL;
    bool in = o.mode && !strcmp(o.mode, "fan_in");
    if (!in && (!o.mode || strcmp(o.mode, "fan_out"))) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the mode is \"fan_in\" or \"fan_out\", not \"%s\"", who,
                o.mode ? o.mode : "NULL");
        return NULL;
    }
    double gain = fa_init_gain(o.nonlinearity, o.a);
    return isnan(gain) ? NULL : spread(t, gain / sqrt(in ? f.in : f.out), normal);
}

fa_tensor *(fa_init_kaiming_uniform_)(fa_tensor *t, const fa_init_kaiming_uniform__options *options)
{
    return kaiming(t, options, "fa_init_kaiming_uniform_", false);
}

fa_tensor *(fa_init_kaiming_normal_)(fa_tensor *t, const fa_init_kaiming_normal__options *options)
{
    return kaiming(t, options, "fa_init_kaiming_normal_", true);
}
