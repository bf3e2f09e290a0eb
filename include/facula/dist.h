/** @file
 *  Several devices: training one network on more than one device of a process. */
#ifndef FACULA_DIST_H
#define FACULA_DIST_H
#include <facula/nn.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup data_parallel Data parallel training
 *
 *  One process, several devices: each runs the same network on a part of the batch (PyTorch: nn.DataParallel).
 *
 *      fa_module *wide = fa_data_parallel(net, FA_CUDA(0), FA_CUDA(1));
 *      fa_optim *optim = fa_optim_sgd(net, .lr = 0.1);
 *      FA_EACH(batch, loader) {
 *          fa_tensor *loss = fa_cross_entropy(fa_forward(wide, batch.input), fa_to(batch.target, FA_CUDA(0)));
 *          fa_optim_zero_grad(optim);
 *          fa_backward(loss);
 *          fa_optim_step(optim);
 *      }
 *  @{ */

/** Creates a module that runs `module` on several devices at once: fa_data_parallel(net, FA_CUDA(0), FA_CUDA(1)).
 *
 *  - **Inputs** may be on any device. Those with dimensions are split on dimension 0 as by fa_chunk(), so that small
 *    batches use fewer devices; their first dimensions must be equal. Inputs without dimensions go to all devices.
 *  - **The output** is on the first device, with the parts one after the other on dimension 0. If the module returns
 *    tensors without dimensions, such as losses, the output has one of them for each device used.
 *  - **Parameters, buffers and gradients** are those of `module`, which is moved to the first device and runs there.
 *    The other devices have replicas, which are made in the first call and kept: a later call copies the tensors that
 *    were modified since then. Gradients of the replicas are copied to the first device and added in a fixed order, so
 *    results have the same bits in each run. Optimizers, hooks of parameters and fa_grad_of() see the parameters of
 *    `module` only.
 *  - **Buffers** of replicas are copies of those of `module`, and what a replica writes to them is lost: running
 *    statistics of batch_norm are those of the first device's part of the batch, as in PyTorch.
 *  - **Forward functions** run in one thread for each device, under the settings of the calling thread; the setting
 *    `device` is that of the replica if it is the first device in the calling thread. Modules must not use other data
 *    than their own without a lock. Hooks of `module` and its descendants run on the first device only. Random numbers
 *    of replicas are drawn from generators that are seeded by that of the calling thread, so they are the same in each
 *    run.
 *  - **Errors** of a replica name its device. An error leaves the outputs of the other devices unused.
 *
 *  The child "module" of the new module is `module`, so state names begin with "module.", as in PyTorch; save `module`
 *  itself for names without it. Several threads that run the new module take turns. A recorded graph (graph.h) cannot
 *  contain it.
 *
 *  @param module  the module to run; it must not have a .destroy function (fa_nn_custom()), nor descendants that do
 *  @return the new module, whose only child is `module`; NULL and an error if a device is not available or named
 *  twice, or if `module` cannot move to the first one */
#define fa_data_parallel(module, ...)                                                                                  \
    FA__CALLED(fa_data_parallel_on(module, FA__COUNT(__VA_ARGS__), FA__DEVICES(__VA_ARGS__)))
/** fa_data_parallel() of `module` for a list of `count` devices, 1 to 64. The array `devices` is copied. */
FA_API fa_module *fa_data_parallel_on(fa_module *module, size_t count, const fa_device *devices);
#ifdef __cplusplus
}
template <size_t N> struct fa__device_list {
    fa_device item[N];
    operator const fa_device *() const
    {
        return item;
    }
};
template <class... T> static inline fa__device_list<sizeof...(T)> fa__devices_of(T... device)
{
    return {{device...}};
}
#define FA__DEVICES(...) fa__devices_of(__VA_ARGS__)
extern "C" {
#else
#define FA__DEVICES(...) ((const fa_device[]){__VA_ARGS__})
#endif

/** @} */

FA__END
#endif
