/* The first run of a network with gradients: layers that it runs, but that were added to no network, are logged as
 * warnings. Neither its optimizer nor fa_module_train() would know them, and no call would fail. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/host.h>
#include <facula/scope.h>
#include <facula/tensor.h>

static _Thread_local fa__first_run now;

fa__first_run fa__first_run_pause(void)
{
    const fa__first_run before = now;
    now.looks = false;
    now.stranger = NULL;
    return before;
}

void fa__first_run_end(fa__first_run before)
{
    now = before;
}

void fa__first_run_report(void)
{
    if (now.stranger && !fa__settings().no_grad
        && !atomic_exchange_explicit(&now.stranger->reported, true, memory_order_relaxed))
        fa__warn("%s runs inside %s, but was not added to it, and so neither its optimizer nor fa_module_train() knows "
                 "it: fa_module_add(self, \"name\", layer)",
                 now.stranger->kind, now.around->kind);
}

/* Stops, with false, at a parameter that is trained. */
static bool is_frozen(void *context, const fa__spot *spot, const fa__member *member)
{
    (void)context, (void)spot;
    return !member || member->kind != FA__PARAMETER || !fa_requires_grad(member->object);
}

static bool is_first(fa_module *network)
{
    return !atomic_load_explicit(&network->ran, memory_order_relaxed) && !fa__settings().no_grad
           && !atomic_exchange_explicit(&network->ran, true, memory_order_relaxed);
}

/* One without parameters that are trained matters only if a layer in it runs in training mode: fa__layer_trains(). */
static void meet(fa_module *stranger)
{
    now.stranger = stranger;
    now.around = now.module;
    if (!fa__module_walk(stranger, is_frozen, NULL))
        fa__first_run_report();
}

fa__first_run fa__first_run_begin(fa_module *module)
{
    const fa__first_run before = now;
    if (!before.module)
        now.looks = is_first(module);
    else if (now.looks && !module->in_network && !now.stranger)
        meet(module);
    now.module = module;
    return before;
}

static bool mark(void *context, const fa__spot *spot, const fa__member *member)
{
    (void)context, (void)member;
    ((fa_module *)(uintptr_t)spot->module)->in_network = true;
    return true;
}

bool fa__module_runs_inside(const fa_module *module)
{
    return fa__module_walk(module, mark, NULL);
}

void fa__mark_in_network(const fa_module *module, fa_module *child)
{
    if (module->in_network || !fa__is_list(module))
        fa__module_walk(child, mark, NULL);
}
