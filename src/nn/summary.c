/* Modules as tables. */
#include "nn/module.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>

static void write_tensor(FILE *file, int indent, const fa__member *m)
{
    const fa_tensor *t = m->object;
    fprintf(file, "%*s%s: %s (", indent, "", m->name, fa_dtype_name(fa_tensor_dtype(t)));
    for (int i = 0; i < fa_dim(t); i++)
        fprintf(file, "%s%" PRId64, i ? ", " : "", fa_size(t, i));
    fprintf(file, ")%s\n", m->kind == FA__BUFFER ? " buffer" : "");
}

static bool write_one(void *context, const fa__spot *spot, const fa__member *member)
{
    FILE *file = context;
    int indent = 2 * spot->depth;
    if (!member)
        fprintf(file, "%*s%s%s%s\n", indent, "", spot->outer ? spot->name : "", spot->outer ? ": " : "",
                spot->module->kind);
    else if (member->kind != FA__CHILD)
        write_tensor(file, indent + 2, member);
    return !ferror(file);
}

bool(fa_module_summary)(const fa_module *module, FILE *file, const fa_module_summary_options *options)
{
    (void)options;
    static const char who[] = "fa_module_summary";
    if (!fa__module_check(module, who))
        return false;
    if (!file)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the file is NULL", who);
    int64_t numel = fa_module_numel(module);
    size_t nbytes = fa_module_nbytes(module);
    if (!fa__module_walk(module, write_one, file)
        || fprintf(file, "%" PRId64 " parameters, %zu bytes\n", numel, nbytes) < 0)
        return fa_fail(FA_ERROR_FILE, "%s: writing failed", who);
    return true;
}
