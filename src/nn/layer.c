/* Code shared by layers: creating parameters, and checking sizes. */
#include "nn/layer.h"
#include <facula/init.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* He et al. 2015 with a = sqrt(5): standard deviation 1/sqrt(3 fan_in). */
fa_module *fa__weights_add(fa_module *module, const fa__begin *how)
{
    fa__weights *w = module ? fa_module_data(module) : NULL;
    if (!w)
        return NULL;
    fa_tensor *weight = fa_empty(how->weight, .dtype = how->dtype, .device = how->device);
    w->weight = fa_module_parameter(module, "weight", fa_init_kaiming_uniform_(weight, .a = sqrt(5)));
    if (!w->weight)
        return NULL;
    if (how->bias < 0)
        return module;
    int64_t fan_in = 1;
    for (int i = 1; i < how->weight.rank; i++)
        fan_in *= how->weight.dim[i];
    double bound = fan_in ? 1 / sqrt((double)fan_in) : 0;
    fa_tensor *bias = fa_empty(FA_SHAPE(how->bias), .dtype = how->dtype, .device = how->device);
    w->bias = fa_module_parameter(module, "bias", fa_init_uniform_(bias, .a = -bound, .b = bound));
    return w->bias ? module : NULL;
}

fa_tensor *fa__constant(fa_shape shape, double value, fa_dtype dtype, fa_device device)
{
    return fa_init_constant_(fa_empty(shape, .dtype = dtype, .device = device), value);
}

bool fa__channels_check(const char *who, int64_t in, int64_t out, int64_t groups)
{
    if (in < 0 || out < 0)
        return fa_fail(FA_ERROR_SHAPE, "%s: in and out are 0 or more: %" PRId64 ", %" PRId64, who, in, out);
    return (groups > 0 && !(in % groups) && !(out % groups))
           || fa_fail(FA_ERROR_SHAPE,
                      "%s: in and out are multiples of groups, which are 1 or more: %" PRId64 ", %" PRId64 ", %" PRId64,
                      who, in, out, groups);
}

bool fa__pair_check(const char *who, const char *option, fa_pair pair, int64_t least)
{
    int64_t height = fa_pair_at(pair, 0), width = fa_pair_at(pair, 1);
    const char *mistake = fa__pair_mistake(pair);
    if ((mistake || height != pair) && strstr(who, "1d"))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s is one number here, and no FA_PAIR", who, option);
    if (mistake)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s %s", who, option, mistake);
    if (pair == FA_PADDING_SAME)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s cannot be FA_PADDING_SAME here", who, option);
    if (pair == FA__PAIR_INVALID)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s has a number outside the range of FA_PAIR, -1 to 2147483646", who,
                       option);
    return (height >= least && width >= least)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is %" PRId64 " or more, not %" PRId64, who, option, least,
                      height < least ? height : width);
}

bool fa__input_check(const char *kind, const fa_tensor *x, int64_t channels, int dims, int or_dims)
{
    fa_shape s = fa_tensor_shape(x);
    if ((s.rank == dims || s.rank == or_dims) && s.dim[1] == channels)
        return true;
    return fa_fail(FA_ERROR_SHAPE,
                   "%s(%" PRId64 "): the input is %s: it has %d%s dimensions, of which the second is "
                   "the %" PRId64 " channels",
                   kind, channels, fa__shape_write(s).text, dims,
                   or_dims == dims ? ""
                   : or_dims == 2  ? " or 2"
                                   : " or 3",
                   channels);
}
