/* When sharded parameters are gathered and released, and their gradients reduced: in hooks of layers and parameters. */
#include "dist/shard.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/scope.h>

/* ---- a backward pass ---- */

static bool has_gradient(const fa__flat *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (fa_grad(f->piece[i].tensor))
            return true;
    return false;
}

bool fa__shard_release(const fa__sharded *s, fa__flat *f)
{
    return s->whole || fa__flat_release(f);
}

/* Parameters that were not used, or used in part, and those that the whole network needs. */
static bool end_pass(void *context, bool good)
{
    FA_SCOPE;
    fa__sharded *s = context;
    s->in_pass = false;
    for (size_t i = 0; i < s->count; i++) {
        fa__flat *f = &s->flat[i];
        if (good && s->sync && f->trains && !f->reduced && has_gradient(f))
            good = fa__flat_reduce(f);
        good = fa__shard_release(s, f) && good;
    }
    return good;
}

static bool begin_pass(fa__sharded *s)
{
    s->in_pass = true;
    for (size_t i = 0; i < s->count; i++) {
        fa__flat *f = &s->flat[i];
        f->left = f->count;
        f->reduced = false;
        for (size_t k = 0; k < f->count; k++)
            f->piece[k].ready = false;
    }
    return fa__after_backward(end_pass, s);
}

/* Called when all gradients of a flat are complete, so that nothing else in backward needs its parameters. */
static bool complete(const fa__sharded *s, fa__flat *f)
{
    return (!s->sync || fa__flat_reduce(f)) && (!f->module || fa__shard_release(s, f));
}

static fa_tensor *gradient_is_complete(fa_tensor *grad, void *context)
{
    (void)grad;
    fa__piece *p = context;
    fa__flat *f = p->flat;
    fa__sharded *s = f->owner;
    if (!s->in_pass && !begin_pass(s))
        return NULL;
    if (p->ready)
        fa_fail(FA_ERROR_STATE, "fa_dist_shard: a parameter gets its gradient twice in one backward pass: its layer "
                                "runs in several checkpointed parts");
    p->ready = true;
    if (!fa_error_stands() && --f->left == 0)
        complete(s, f);
    return NULL;
}

/* ---- layers: level 3 ---- */

static void gather_before(fa_module *module, fa_tensor **inputs, size_t count, void *context)
{
    (void)module, (void)inputs, (void)count;
    fa__flat_gather(context);
}

static fa_tensor *release_after(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)module, (void)inputs, (void)output;
    fa__flat *f = context;
    fa__shard_release(f->owner, f);
    return NULL;
}

static fa_tensor *gather_again(fa_module *module, fa_tensor *grad_output, void *context)
{
    (void)module, (void)grad_output;
    fa__flat_gather(context);
    return NULL;
}

bool fa__shard_watch(fa__flat *f)
{
    for (size_t i = 0; f->trains && i < f->count; i++)
        if (!(f->piece[i].hook = fa_hook_after(f->piece[i].tensor, gradient_is_complete, &f->piece[i])))
            return false;
    if (f->level < 3 || !f->module)
        return true;
    f->hook[0] = fa_module_hook_forward_pre(f->module, gather_before, f);
    f->hook[1] = fa_module_hook_forward(f->module, release_after, f);
    f->hook[2] = fa_module_hook_backward_pre(f->module, gather_again, f);
    return f->hook[0] && f->hook[1] && f->hook[2];
}

void fa__shard_unwatch(const fa__flat *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->piece[i].hook)
            fa_unhook(f->piece[i].tensor, f->piece[i].hook);
        fa__unhold(f->piece[i].tensor);
    }
    for (int i = 0; i < 3; i++)
        if (f->hook[i])
            fa_module_unhook(f->module, f->hook[i]);
    fa__unhold(f->module);
}
