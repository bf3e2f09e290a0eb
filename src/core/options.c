/* fa_options_default: options structs for languages without the macros that fill them. */
#include "core/options.h"
#include "base/error.h"
#include <facula/plain.h>
#include <string.h>

/* The row of a function; its last one, without a name, where there is none. An in-place form may have that of the other
 * form. */
static const fa__options_of *find(const char *function)
{
    size_t n = strlen(function);
    const fa__options_of *o = fa__options_table, *other = NULL;
    for (; o->function && strcmp(o->function, function) != 0; o++)
        if (n && function[n - 1] == '_' && strlen(o->function) == n - 1 && !strncmp(o->function, function, n - 1))
            other = o;
    return o->function || !other ? o : other;
}

bool fa_options_default(const char *function, void *options, size_t size)
{
    const fa__options_of *o = find(function ? function : "");
    if (!o->function || !options)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_options_default: there is no struct of options of %s",
                        function ? function : "NULL");
    if (size != o->size)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_options_default: the options of %s have %zu bytes, not %zu", function,
                        o->size, size);
    memcpy(options, o->defaults, size);
    return true;
}
