/* The parameters and buffers of a module that several ranks have: compared, and made those of rank 0. */
#include "dist/state.h"
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

/* ---- state ---- */

/* Whether all ranks say so. */
static bool all_agree(fa_group *group, bool good, const char *who, const char *what)
{
    int64_t wrong = good ? 0 : fa_dist_rank(group) + 1;
    fa_tensor *worst = fa_tensor_from(&wrong, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
    fa_error error = {0};
    {
        FA_USE(.catch_errors = &error); /* also after an error of this rank */
        if (worst && fa_dist_all_reduce(worst, group, .op = FA_DIST_MAX))
            wrong = fa_item_int(worst);
    }
    if (error.code)
        fa__error_hand_over(&error);
    if (good && wrong)
        fa_fail(FA_ERROR_STATE, "%s: %s on rank %d, which has the reason", who, what, (int)wrong - 1);
    return good && !wrong && !error.code;
}

/* A line for each tensor: its name, dtype and shape. The caller frees it. */
static char *describe(fa_parameters state, const char *who)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < state.count; i++) {
        fa_shape s = fa_tensor_shape(state.item[i]);
        fprintf(out, "%s: %s (", state.name[i], fa_dtype_name(fa_tensor_dtype(state.item[i])));
        for (int k = 0; k < s.rank; k++)
            fprintf(out, k ? ", %lld" : "%lld", (long long)s.dim[k]);
        fprintf(out, ")\n");
    }
    if (out)
        fclose(out);
    if (!text)
        fa_fail(FA_ERROR_MEMORY, "%s: out of memory", who);
    return text;
}

/* The first line in which they differ becomes an error. */
static bool same_lines(const char *mine, const char *first, const char *who)
{
    while (*mine || *first) {
        size_t m = strcspn(mine, "\n"), f = strcspn(first, "\n");
        if (m != f || memcmp(mine, first, m))
            return fa_fail(FA_ERROR_SHAPE, "%s: the module has %.*s, that of rank 0 has %.*s", who, m ? (int)m : 8,
                           m ? mine : "no more.", f ? (int)f : 8, f ? first : "no more.");
        mine += m + (mine[m] != 0);
        first += f + (first[f] != 0);
    }
    return true;
}

static bool compare(fa_group *group, const char *mine, const char *who)
{
    int64_t length = (int64_t)strlen(mine);
    fa_tensor *size = fa_tensor_from(&length, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
    if (!size || !fa_dist_broadcast(size, 0, group))
        return false;
    int64_t theirs = fa_item_int(size);
    fa_tensor *text = fa_zeros(FA_SHAPE(theirs), .dtype = FA_U8, .device = FA_CPU);
    if (text && fa_dist_rank(group) == 0)
        text = fa_tensor_from(mine, FA_SHAPE(length), .dtype = FA_U8, .device = FA_CPU);
    char *first = calloc(1, (size_t)theirs + 1);
    bool good = first && text && fa_dist_broadcast(text, 0, group) && fa_read(text, first, FA_U8, theirs)
                && same_lines(mine, first, who);
    free(first);
    return good;
}

bool fa__dist_share_state(fa_module *net, fa_group *group, const char *who)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_parameters state = fa_module_state(net);
    char *mine = describe(state, who);
    bool good = mine && compare(group, mine, who);
    free(mine);
    good = all_agree(group, good, who, "the module has other tensors than that of rank 0");
    for (size_t i = 0; good && i < state.count; i++)
        good = fa_dist_broadcast(state.item[i], 0, group);
    return good;
}

/* ---- buffers ---- */

/* The buffers of one dtype as one tensor; `with` counts them. */
static fa_tensor *join(fa_parameters buffers, fa_dtype dtype, size_t *with)
{
    fa_tensor **part = calloc(buffers.count + 1, sizeof *part), *all = NULL;
    *with = 0;
    for (size_t i = 0; part && i < buffers.count; i++)
        if (fa_tensor_dtype(buffers.item[i]) == dtype)
            part[(*with)++] = fa_reshape(fa_cpu(buffers.item[i]), FA_SHAPE(-1));
    if (part && *with)
        all = fa_cat(((fa_tensors){*with, part}));
    free(part);
    return all;
}

static bool part_again(fa_parameters buffers, fa_dtype dtype, const fa_tensor *all)
{
    int64_t at = 0;
    for (size_t i = 0; i < buffers.count; i++) {
        fa_tensor *b = buffers.item[i];
        if (fa_tensor_dtype(b) != dtype)
            continue;
        if (!fa_copy_(b, fa_reshape(fa_narrow(all, 0, at, fa_numel(b)), fa_tensor_shape(b))))
            return false;
        at += fa_numel(b);
    }
    return true;
}

bool fa__dist_share_buffers(const fa_module *net, fa_group *group, int from)
{
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    fa_parameters buffers = fa_module_buffers(net);
    for (int dtype = 0; dtype < 64; dtype++) {
        size_t with;
        fa_tensor *all = join(buffers, (fa_dtype)dtype, &with);
        if (with
            && (!all || !fa_dist_broadcast(all, from, group)
                || (fa_dist_rank(group) != from && !part_again(buffers, (fa_dtype)dtype, all))))
            return false;
    }
    return !fa_error_stands();
}
