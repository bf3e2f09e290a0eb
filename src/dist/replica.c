/* Replicas of a module: made once, and refreshed where the versions of tensors say that something was written. */
#include "dist/replica.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdlib.h>

void fa__replica_free(fa__replica *r)
{
    for (size_t i = 0; i < r->tensors; i++)
        fa__unhold(r->source[i]);
    for (size_t i = 0; i < r->modules; i++)
        fa__unhold(r->source_module[i]);
    fa__unhold(r->net);
    free(r->source);
    free(r->source_module);
    free(r->source_version);
    r->tensors = r->modules = 0;
    r->source = r->copy = NULL;
    r->source_module = r->copy_module = NULL;
    r->source_version = r->copy_version = NULL;
    r->net = NULL;
}

static bool same_tensor(const fa_tensor *a, const fa_tensor *copy)
{
    fa_shape s = fa_tensor_shape(a), c = fa_tensor_shape(copy);
    bool same = s.rank == c.rank && fa_tensor_dtype(a) == fa_tensor_dtype(copy);
    for (int i = 0; same && i < s.rank; i++)
        same = s.dim[i] == c.dim[i];
    return same;
}

/* Whether the replica is still one of these. */
static bool is_of(const fa__replica *r, fa_parameters state, fa_modules modules)
{
    bool same = r->net && r->tensors == state.count && r->modules == modules.count;
    for (size_t i = 0; same && i < r->tensors; i++)
        same = r->source[i] == state.item[i] && same_tensor(r->source[i], r->copy[i]);
    for (size_t i = 0; same && i < r->modules; i++)
        same = r->source_module[i] == modules.item[i];
    return same;
}

static bool make_room(fa__replica *r, size_t tensors, size_t modules)
{
    r->source = calloc(2 * tensors + 1, sizeof *r->source);
    r->source_module = calloc(2 * modules + 1, sizeof(fa_module *));
    r->source_version = calloc(2 * tensors + 1, sizeof *r->source_version);
    if (!r->source || !r->source_module || !r->source_version) {
        fa_fail(FA_ERROR_MEMORY, "fa_data_parallel: out of memory for a replica");
        return false;
    }
    r->copy = r->source + tensors;
    r->copy_module = r->source_module + modules;
    r->copy_version = r->source_version + tensors;
    return true;
}

static bool note_versions(fa__replica *r, size_t i)
{
    r->source_version[i] = fa_tensor_version(r->source[i]);
    r->copy_version[i] = fa_tensor_version(r->copy[i]);
    return true;
}

/* Notes the members of both: they are in the same order. */
static void note(fa__replica *r, fa_parameters state, fa_modules modules)
{
    fa_parameters copies = fa_module_state(r->net);
    fa_modules copied = fa_module_modules(r->net);
    for (; r->tensors < state.count && r->tensors < copies.count; r->tensors++) {
        r->source[r->tensors] = fa__hold(state.item[r->tensors]);
        r->copy[r->tensors] = copies.item[r->tensors];
        note_versions(r, r->tensors);
    }
    for (; r->modules < modules.count && r->modules < copied.count; r->modules++) {
        r->source_module[r->modules] = fa__hold(modules.item[r->modules]);
        r->copy_module[r->modules] = copied.item[r->modules];
    }
}

static bool make(fa__replica *r, const fa_module *source, fa_parameters state, fa_modules modules)
{
    fa__replica_free(r);
    r->net = fa__hold(fa__module_clone_to(source, r->device));
    if (r->net && fa__module_runs_inside(r->net) && make_room(r, state.count, modules.count))
        note(r, state, modules);
    if (!fa_error_stands() && r->tensors == state.count && r->modules == modules.count)
        return true;
    fa__replica_free(r);
    fa_fail(FA_ERROR_INTERNAL, "fa_data_parallel: a copy of the module %s has other tensors than the module",
            fa_module_kind(source));
    return false;
}

/* The program may write memory of the CPU through a pointer, which no version shows. */
static bool is_stale(const fa__replica *r, size_t i)
{
    return fa_device_equal(fa_tensor_device(r->source[i]), FA_CPU)
           || fa_tensor_version(r->source[i]) != r->source_version[i]
           || fa_tensor_version(r->copy[i]) != r->copy_version[i];
}

static bool copy_tensor(fa__replica *r, size_t i)
{
    FA_USE(.no_grad = true);
    return fa_copy_(r->copy[i], r->source[i]) && note_versions(r, i);
}

static bool refresh_tensor(fa__replica *r, size_t i)
{
    return (!is_stale(r, i) || copy_tensor(r, i)) && fa__link(r->copy[i], r->source[i]);
}

bool fa__replica_refresh(fa__replica *r, const fa_module *source)
{
    FA_SCOPE;
    fa_parameters state = fa_module_state(source);
    fa_modules modules = fa_module_modules(source);
    if (fa_error_stands() || (!is_of(r, state, modules) && !make(r, source, state, modules)))
        return false;
    for (size_t i = 0; i < r->tensors; i++)
        if (!refresh_tensor(r, i))
            return false;
    for (size_t i = 0; i < r->modules; i++) {
        bool training = fa_module_training(r->source_module[i]);
        if (fa_module_training(r->copy_module[i]) != training)
            fa_module_train(r->copy_module[i], training);
    }
    return true;
}
