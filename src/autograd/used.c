/* Notices a training loop that does not remove gradients: the gradient of a step then contains that of the step before.
 * Backward alone cannot tell, since it may add to gradients that the program removes before their next step, as in
 * adversarial training; so it counts such additions, and the next step of the same optimizer looks at the count. */
#include "autograd/engine.h"
#include "base/log.h"

static FA__COLD void warn_of_old_gradient(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fa__warn("fa_optim_step: gradients contain those of the step before: backward adds to what is there; "
                 "fa_optim_zero_grad(optimizer) before fa_backward removes them (fa_set_grad(t, fa_grad(t)) says that "
                 "the sum is meant)");
}

void fa__grad_was_used(fa_tensor *t, fa__grad_use *use)
{
    fa__autograd *a = fa__autograd_if(t);
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    const bool old = use->stepped && use->life == a->life && use->sums != a->sums;
    a->used = a->grad ? fa_tensor_version(a->grad) : -1;
    *use = (fa__grad_use){.stepped = true, .life = a->life, .sums = a->sums};
    pthread_mutex_unlock(&a->lock);
    if (FA__UNLIKELY(old))
        warn_of_old_gradient();
}
