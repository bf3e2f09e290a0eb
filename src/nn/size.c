/* The size of a module. */
#include "nn/module.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>

/* Adds the elements and bytes of a module's parameters or buffers; NULL: not wanted. False and an error on overflow,
 * which is possible for a model on meta. */
static bool add_up(fa_parameters p, int64_t *numel, size_t *nbytes, const char *who)
{
    for (size_t i = 0; i < p.count; i++)
        if ((numel && __builtin_add_overflow(*numel, fa_numel(p.item[i]), numel))
            || (nbytes && __builtin_add_overflow(*nbytes, fa_nbytes(p.item[i]), nbytes)))
            return fa_fail(FA_ERROR_SHAPE, "%s: the module is larger than 64 bits can count", who);
    return p.name != NULL;
}

int64_t fa_module_numel(const fa_module *module)
{
    static const char who[] = "fa_module_numel";
    int64_t sum = 0;
    FA_SCOPE;
    return fa__module_check(module, who) && add_up(fa_module_parameters(module), &sum, NULL, who) ? sum : 0;
}

size_t fa_module_nbytes(const fa_module *module)
{
    static const char who[] = "fa_module_nbytes";
    size_t sum = 0;
    FA_SCOPE;
    return fa__module_check(module, who) && add_up(fa_module_state(module), NULL, &sum, who) ? sum : 0;
}
