/** @file
 *  Several devices and processes: groups of processes that exchange tensors, and training one network on several
 *  devices of a process, or on several processes. */
#ifndef FACULA_DIST_H
#define FACULA_DIST_H
#include <facula/amp.h>
#include <facula/nn.h>
#include <facula/save.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup dist Groups of processes
 *
 *  Several processes, or threads, that run the same program on different data: the ranks of a group, numbered from 0.
 *  Collective calls are made by all ranks in the same order, with tensors of the same dtype and shape.
 *
 *      fa_group *world = fa_dist_init();
 *      fa_tensor *sum = fa_full(FA_SCALAR, fa_dist_rank(world));
 *      fa_dist_all_reduce(sum, world);
 *
 *  `facula run -n 4 -- ./program` starts four processes on one machine; `torchrun --no-python` sets the same
 * environment.
 *
 *  Data goes through memory that the ranks of a machine share, and TCP connections or MPI between machines. All sums
 *  are computed in the order of ranks, so all ranks get the same bits, in every run.
 *
 *  **CUDA.** Tensors on CUDA devices go through NCCL, NVIDIA's library, where it is installed and each rank has a
 * device of its own. The first collective call with a tensor on a device finds that out; all ranks make it with CUDA
 * tensors. Calls are issued behind the work on their tensors, and the host does not wait for them. NCCL adds in an
 * order of its own: all ranks get the same bits, but others than on the host, and FA_DIST_MIN and FA_DIST_MAX may drop
 * NaN. Dtypes that NCCL does not add, tensors on other devices, and CUDA without NCCL are copied to the host and back.
 *
 *  Failures: a rank whose process has ended is noticed at once, and one that does not answer after the timeout of the
 *  group. The error names it on all ranks (FA_ERROR_STATE). With NCCL, it is the error of whoever waits for a result,
 * or uses one. So is a rank that calls another collective, or one with another dtype or size. The group cannot be used
 * any more then, and neither can what a failed call should have written.
 *
 *  A group may be used by several threads, but calls are matched with those of other ranks in their order. It belongs
 * to the innermost scope; freeing it closes the connections.
 *  @{ */

/** A group of processes or threads. */
typedef struct fa_group fa_group;

/** Options of fa_dist_init(). */
typedef struct fa_dist_init_options {
    size_t size;         /**< set by the macro */
    int rank;            /**< number of this process, from 0; -1: what the launcher says */
    int ranks;           /**< number of processes; 0: what the launcher says, or 1 without one */
    const char *address; /**< host name or address of rank 0; NULL: MASTER_ADDR, or see fa_dist_init() */
    int port;            /**< port of rank 0; 0: MASTER_PORT, or see fa_dist_init() */
    double timeout;      /**< how long a call waits for another rank, in seconds; 0: FACULA_DIST_TIMEOUT, or 1800 */
    const char *backend; /**< what data goes through; NULL: FACULA_DIST_BACKEND, or "auto"; see fa_dist_init() */
    char fa__end;
} fa_dist_init_options;
#define FA__DEFAULT_fa_dist_init                                                                                       \
    {                                                                                                                  \
        offsetof(fa_dist_init_options, fa__end), -1, 0, NULL, 0, 0, NULL, 0                                            \
    }
/** Joins the group of all processes (PyTorch: init_process_group()): rank 0 waits at its port, the others connect to
 * it, trying again until it is there. Processes may be on several machines of one network: connections are not
 * encrypted, and whoever can reach the port may connect. Without a launcher, it is a group of one.
 *
 *  | launcher | rank and number of ranks | rank 0, if MASTER_ADDR and MASTER_PORT are not set |
 *  |---|---|---|
 *  | `facula run`, torchrun | RANK, WORLD_SIZE | set by both; under torchrun, the port is the next one |
 *  | mpirun of Open MPI | OMPI_COMM_WORLD_RANK, _SIZE | on one machine: a port that follows from mpirun's process |
 *  | mpirun of MPICH | PMI_RANK, PMI_SIZE | as for Open MPI |
 *  | srun of Slurm | SLURM_PROCID, SLURM_STEP_NUM_TASKS | the first node; a port that follows from the job's step |
 *
 *  | .backend | data goes through |
 *  |---|---|
 *  | "auto" | memory that ranks of one machine share, and TCP between machines; NCCL for CUDA |
 *  | "tcp" | TCP, also for CUDA |
 *  | "mpi" | MPI, of the mpirun that started the program |
 *  | "nccl" | as "auto"; tensors on CUDA devices go through NCCL, or the call fails and says why that is not available
 * |
 *
 *  MPI is Open MPI, or else MPICH or another library with its binary interface. It is opened by this call, and
 *  initialized unless the program has done that. Ranks are those of MPI, whatever the other options say.
 *
 *      fa_dist_init(.rank = -1, .ranks = 0, .address = NULL, .port = 0, .timeout = 0, .backend = NULL)
 *
 *  @param options the options shown above; NULL for the defaults
 *  @return the group; NULL and an error: FA_ERROR_ARGUMENT for an impossible rank or an unknown backend,
 *  FA_ERROR_UNAVAILABLE if there is no MPI, FA_ERROR_STATE that names the ranks that did not come within the timeout */
FA_API fa_group *fa_dist_init(const fa_dist_init_options *options);
#define fa_dist_init(...) FA__CALL0(fa_dist_init, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Creates a group of `ranks` threads of this process: stores the group of each rank in `groups`, which has room for
 *  them. They belong to the current scope; a thread uses that of its rank, with fa_keep() if it outlives the scope. A
 * call waits `timeout` seconds for another rank. Returns false and an error on failure. */
FA_API bool fa_dist_threads(int ranks, double timeout, fa_group **groups);

/** Splits a group into several (MPI_Comm_split; PyTorch: new_group() for each): ranks that give the same `color` form
 *  one, numbered by `key`, and by their rank in `group` where keys are equal. All ranks of `group` call it. The new
 * groups have connections, a background thread and a turn of their own, so that groups over several dimensions are used
 * at the same time:
 *
 *      int rank = fa_dist_rank(world);
 *      fa_group *tensor = fa_dist_split(world, rank / 2, 0);   // ranks 0 1, 2 3: parts of the layers
 *      fa_group *data = fa_dist_split(world, rank % 2, 0);     // ranks 0 2, 1 3: parts of the batch
 *
 *  Where two groups are used by several threads at once, their order on each device must be the same on all ranks if
 * they go through NCCL.
 *  @return this rank's group, which belongs to the innermost scope and does not depend on `group`; NULL without an
 * error for a negative color; NULL and an error on failure */
FA_API fa_group *fa_dist_split(fa_group *group, int color, int key);

/** The number of this process or thread in a group, from 0; -1 for NULL. */
FA_API int fa_dist_rank(const fa_group *group);
/** The number of ranks of a group; 0 for NULL. */
FA_API int fa_dist_size(const fa_group *group);

/** The seconds that this rank has waited for another one so far: the time in which a call needed something of it that
 *  had not come. Waits of a few microseconds are not counted. The rank that the others wait for most is the slow
 * one. 0 and an error if there is no such `rank`. Not to be called while another thread makes a call of the group. */
FA_API double fa_dist_waited(const fa_group *group, int rank);

/** How values of several ranks are combined. */
typedef enum fa_dist_op {
    FA_DIST_SUM,     /**< the sum */
    FA_DIST_MEAN,    /**< the sum divided by the number of ranks; floating point only */
    FA_DIST_PRODUCT, /**< the product */
    FA_DIST_MIN,     /**< the minimum; NaN if one value is */
    FA_DIST_MAX      /**< the maximum; NaN if one value is */
} fa_dist_op;

/** Options of the calls that combine values. */
typedef struct fa_dist_all_reduce_options {
    size_t size;   /**< set by the macro */
    fa_dist_op op; /**< how values are combined */
    char fa__end;
} fa_dist_all_reduce_options;
typedef fa_dist_all_reduce_options fa_dist_reduce_options;           /**< those of fa_dist_reduce() */
typedef fa_dist_all_reduce_options fa_dist_reduce_scatter_options;   /**< those of fa_dist_reduce_scatter() */
typedef fa_dist_all_reduce_options fa_dist_all_reduce_start_options; /**< those of fa_dist_all_reduce_start() */
#define FA__DEFAULT_fa_dist_all_reduce                                                                                 \
    {                                                                                                                  \
        offsetof(fa_dist_all_reduce_options, fa__end), FA_DIST_SUM, 0                                                  \
    }
#define FA__DEFAULT_fa_dist_reduce FA__DEFAULT_fa_dist_all_reduce
#define FA__DEFAULT_fa_dist_reduce_scatter FA__DEFAULT_fa_dist_all_reduce
#define FA__DEFAULT_fa_dist_all_reduce_start FA__DEFAULT_fa_dist_all_reduce

/** Replaces t by its combination over all ranks of the group, element by element. Halves are added in
 *  f32, and rounded once.
 *
 *      fa_dist_all_reduce(t, group, .op = FA_DIST_SUM)
 *  @return false and an error on failure: FA_ERROR_DTYPE if the dtype cannot be combined so */
FA_API bool fa_dist_all_reduce(fa_tensor *t, fa_group *group, const fa_dist_all_reduce_options *options);
#define fa_dist_all_reduce(...)                                                                                        \
    FA__CALL2(fa_dist_all_reduce, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** Replaces t on the rank `root` by its combination over all ranks of the group; on the others it is unchanged.
 *
 *      fa_dist_reduce(t, root, group, .op = FA_DIST_SUM) */
FA_API bool fa_dist_reduce(fa_tensor *t, int root, fa_group *group, const fa_dist_reduce_options *options);
#define fa_dist_reduce(...)                                                                                            \
    FA__CALL3(fa_dist_reduce, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
/** The sum of t over all ranks of the group as a new tensor, through which gradients go: that of t is the sum of the
 *  ranks' gradients of the result, which all ranks have to compute (PyTorch:
 * torch.distributed.nn.functional.all_reduce). NULL and an error on failure. */
FA_API fa_tensor *fa_dist_sum(const fa_tensor *t, fa_group *group);
/** Combines t (ranks * n, ...) over all ranks of the group and returns the part of this rank, (n, ...). NULL and an
 * error if dimension 0 is not a multiple of the number of ranks.
 *
 *      fa_dist_reduce_scatter(t, group, .op = FA_DIST_SUM) */
FA_API fa_tensor *fa_dist_reduce_scatter(const fa_tensor *t, fa_group *group,
                                         const fa_dist_reduce_scatter_options *options);
#define fa_dist_reduce_scatter(...)                                                                                    \
    FA__CALL2(fa_dist_reduce_scatter, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** Replaces t on all ranks of the group by that of the rank `root`. */
FA_API bool fa_dist_broadcast(fa_tensor *t, int root, fa_group *group);
/** The tensors t of all ranks of the group, (ranks, ...), in the order of ranks. NULL and an error on failure. */
FA_API fa_tensor *fa_dist_all_gather(const fa_tensor *t, fa_group *group);
/** The same on the rank `root` of the group; the others get t itself. */
FA_API fa_tensor *fa_dist_gather(const fa_tensor *t, int root, fa_group *group);
/** Gives each rank of the group its part of `all` (ranks, ...), which is read on the rank `root` only and may be NULL
 * on the others: t becomes all[rank]. */
FA_API bool fa_dist_scatter(fa_tensor *t, const fa_tensor *all, int root, fa_group *group);
/** Exchanges parts of t (ranks * n, ...): part j of this rank becomes part `rank` of rank j of the group. Returns a new
 *  tensor; NULL and an error on failure. */
FA_API fa_tensor *fa_dist_all_to_all(const fa_tensor *t, fa_group *group);
/** Sends t to the rank `to` of the group, which calls fa_dist_recv(). Returns when t may be modified; large tensors
 * wait for the other rank. Tensors on CUDA devices go through NCCL on both ranks if collective calls of the group with
 * their devices do so before. */
FA_API bool fa_dist_send(const fa_tensor *t, int to, fa_group *group);
/** Receives t, of the same dtype and shape, from the rank `from` of the group. */
FA_API bool fa_dist_recv(fa_tensor *t, int from, fa_group *group);
/** Waits until all ranks of the group have called it. */
FA_API bool fa_dist_barrier(fa_group *group);

/** A call that runs in the background. */
typedef struct fa_work fa_work;
/** Starts fa_dist_all_reduce() of t in the background thread of the group, and returns at once. Calls are made in the
 *  order in which they are started; other calls wait for those before them. t must not be used before fa_work_wait(),
 *  on any device: nothing waits for the call then, and what is read may be part of the sum.
 *
 *      fa_dist_all_reduce_start(t, group, .op = FA_DIST_SUM)
 *  @return the work, which holds a reference to t, but none to the group: freeing the group makes it fail; NULL and an
 *  error if memory runs out */
FA_API fa_work *fa_dist_all_reduce_start(fa_tensor *t, fa_group *group,
                                         const fa_dist_all_reduce_start_options *options);
#define fa_dist_all_reduce_start(...)                                                                                  \
    FA__CALL2(fa_dist_all_reduce_start, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** Waits until a work is complete. Returns false and its error if it failed. */
FA_API bool fa_work_wait(fa_work *work);

/** @} */

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
 *  - **fa_backward()** runs in one thread for each device as well. The gradients of an fa_function in a replica are
 *    computed in the thread of its device; hooks of tensors run in the calling thread.
 *  - **Errors** of a replica name its device, those of forward and those of backward. An error leaves the outputs of
 *    the other devices unused.
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

/** @defgroup dist_data_parallel Distributed data parallel training
 *
 *  Each rank of a group trains the same network on its own part of the data (PyTorch: DistributedDataParallel).
 *
 *      fa_group *world = fa_dist_init();
 *      fa_module *ddp = fa_dist_data_parallel(net, world);
 *      fa_optim *optim = fa_optim_sgd(net, .lr = 0.1);
 *      FA_EACH(batch, loader_of_this_rank) {
 *          fa_optim_zero_grad(optim);
 *          fa_backward(fa_cross_entropy(fa_forward(ddp, batch.input), batch.target)); // averages the gradients
 *          fa_optim_step(optim);
 *      }
 *  @{ */

/** Options of fa_dist_data_parallel(). */
typedef struct fa_dist_data_parallel_options {
    size_t size;             /**< set by the macro */
    int64_t bucket_bytes;    /**< gradients are averaged in buckets of about this size; the first has at most 1 MiB */
    bool broadcast_buffers;  /**< in training, give all ranks the buffers of rank 0 before each forward pass */
    fa_dtype gradient_dtype; /**< dtype in which gradients are exchanged; FA_SAME: their own */
    bool uneven;             /**< ranks may have different numbers of batches, see fa_dist_join() */
    char fa__end;
} fa_dist_data_parallel_options;
#define FA__DEFAULT_fa_dist_data_parallel                                                                              \
    {                                                                                                                  \
        offsetof(fa_dist_data_parallel_options, fa__end), 25 << 20, true, FA_SAME, false, 0                            \
    }
/** Creates a module that runs `module`, and averages its gradients over the ranks of the group in fa_backward(). All
 *  ranks call this, in the same order.
 *
 *  - **State.** Parameters and buffers of rank 0 become those of all ranks. They must have the same names, shapes and
 *    dtypes: otherwise the error names the first one that differs, on all ranks.
 *  - **Gradients** of parameters that require them now are averaged when fa_backward() returns. They are collected in
 *    buckets; each is averaged in the background while the rest of backward runs, which is why hooks of leaves run when
 *    their gradients are complete, and not at the end, as long as such a module exists. If the loss of each rank is the
 *    mean over equally many samples, gradients are those of the mean over all samples.
 *  - **Unused parameters.** One that no rank has used keeps its gradient. One that only some have used gets the
 * average, with zeros for the others.
 *  - **Compression**: with `.gradient_dtype = FA_BF16`, gradients are rounded to bf16 before they are exchanged, which
 *    halves what is sent for f32 (PyTorch: bf16_compress_hook). Their sum is computed in f32.
 *  - **Accumulation**: see fa_dist_set_sync().
 *
 *  An error in backward on one rank leaves the others waiting for it until it frees the group, or ends.
 *
 *      fa_dist_data_parallel(module, group, .bucket_bytes = 25 << 20, .broadcast_buffers = true,
 *          .gradient_dtype = FA_SAME, .uneven = false)
 *
 *  @param module  the module; only one thread may run backward through it at a time
 *  @param group   the group, to which the new module holds a reference
 *  @param options the options shown above; NULL for the defaults
 *  @return the new module, whose only child "module" is `module`; NULL and an error on failure */
FA_API fa_module *fa_dist_data_parallel(fa_module *module, fa_group *group,
                                        const fa_dist_data_parallel_options *options);
#define fa_dist_data_parallel(...)                                                                                     \
    FA__CALL2(fa_dist_data_parallel, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** With `sync` false, fa_backward() through a module of fa_dist_data_parallel() or fa_dist_shard() only accumulates
 * gradients (PyTorch: no_sync()); with true, the next one averages what was accumulated. All ranks must call it alike.
 *
 *      fa_dist_set_sync(ddp, step % 4 == 3); */
FA_API bool fa_dist_set_sync(fa_module *module, bool sync);

/** For ranks with different numbers of batches (PyTorch: Join): each rank of a module of fa_dist_data_parallel(.uneven
 * = true) calls this when it has had its last batch of an epoch. It takes part in the averages of the others, with
 *  gradients of zero, until all ranks have called it; averages are still divided by the number of all ranks. Then the
 *  parameters and buffers of a rank that made the last step become those of all; the state of optimizers stays what it
 *  is on each rank. In training, each forward pass has to be followed by one backward pass.
 *
 *      FA_EACH(batch, loader_of_this_rank)
 *          step(ddp, optim, batch);
 *      fa_dist_join(ddp);
 *  @return false and an error on failure */
FA_API bool fa_dist_join(fa_module *module);

/** Makes all fa_nn_batch_norm1d() and fa_nn_batch_norm2d() layers in a module normalize over the batches of all ranks
 * of the group in training (PyTorch: SyncBatchNorm.convert_sync_batchnorm()). Outputs, gradients and running statistics
 *  are those of one process with the whole batch; ranks may have different numbers of samples. All ranks must run these
 *  layers in the same order. The group must exist as long as they run in training; NULL for the `group` makes them
 *  ordinary layers again. Copies of a layer (fa_module_clone()) are synchronized too.
 *  @return `module`; NULL and an error on failure */
FA_API fa_module *fa_dist_sync_batch_norm(fa_module *module, fa_group *group);

/** @} */

/** @defgroup dist_shard Sharded data parallel training
 *
 *  As distributed data parallel, but each of N ranks keeps a part only of what training needs (ZeRO, arXiv:1910.02054;
 *  PyTorch: FullyShardedDataParallel). The parameters of each layer are laid out one after the other and cut into N
 *  equal parts, the shards. The optimizer gets the shards, which are the parameters of the new module.
 *
 *      fa_module *sharded = fa_dist_shard(net, world, .level = 3);
 *      fa_optim *optim = fa_optim_adam(sharded, .lr = 1e-3);     // not of net
 *      FA_EACH(batch, loader_of_this_rank) {
 *          fa_optim_zero_grad(optim);
 *          fa_backward(fa_cross_entropy(fa_forward(sharded, batch.input), batch.target));
 *          fa_optim_step(optim);
 *      }
 *
 *  | level | each rank has 1/N of | each rank has all of | sent by a rank in a step, of P bytes of parameters |
 *  |---|---|---|---|
 *  | 1 | optimizer state | parameters, gradients | about 2 P |
 *  | 2 | optimizer state, gradients | parameters | about 2 P |
 *  | 3 | optimizer state, gradients, parameters | the parameters of one layer at a time | about 3 P |
 *
 *  Losses are those of one process with the whole batch. All ranks must run the same layers in the same order.
 *  @{ */

/** Options of fa_dist_shard(). */
typedef struct fa_dist_shard_options {
    size_t size;            /**< set by the macro */
    int level;              /**< what is sharded: 1, 2 or 3, see above */
    bool broadcast_buffers; /**< in training, give all ranks the buffers of rank 0 before each forward pass */
    char fa__end;
} fa_dist_shard_options;
#define FA__DEFAULT_fa_dist_shard                                                                                      \
    {                                                                                                                  \
        offsetof(fa_dist_shard_options, fa__end), 3, true, 0                                                           \
    }
/** Creates a module that runs `module`, whose parameters are sharded over the ranks of the group. All ranks call this,
 *  in the same order, with equal modules; parameters and buffers of rank 0 become those of all.
 *
 *  - **Parameters** of the new module are the shards: "shard0", "shard1", ..., with one dimension, of equal size on all
 *    ranks. Optimizers that treat each element by itself, which are all of optim.h, give the results of one process.
 *    For fa_clip_grad_norm() see fa_dist_shard_clip_norm().
 *  - **Layers** are the children of `module`; of those that are sequentials, lists or dicts, their children. At level 3
 *    the parameters of a layer have memory while its forward or backward runs; in between, they are on FA_META, and
 *    using them is an error. Parameters that several layers share, or that belong to no layer, have memory from the
 *    beginning of forward to the end of backward.
 *  - **Gradients** are reduced when those of a layer are complete. Above level 1, gradients of the parameters of
 *    `module` are NULL then.
 *  - **Modes**: forward gives `module` the training mode of the new module.
 *
 *  `module` must not be run by itself, moved or converted any more, except while fa_dist_shard_gather() keeps its
 *  parameters; freeing the new module leaves parameters at level 3 without values.
 *
 *      fa_dist_shard(module, group, .level = 3, .broadcast_buffers = true)
 *
 *  @param module  the module, no descendant of which is sharded already; pointers to the memory of its parameters must
 *  not be held (fa_ptr())
 *  @param group   the group, to which the new module holds a reference
 *  @param options the options shown above; NULL for the defaults
 *  @return the new module, which holds a reference to `module`; NULL and an error on failure */
FA_API fa_module *fa_dist_shard(fa_module *module, fa_group *group, const fa_dist_shard_options *options);
#define fa_dist_shard(...)                                                                                             \
    FA__CALL2(fa_dist_shard, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** With `whole` true, gathers all parameters of a module of fa_dist_shard() on all ranks and keeps them, for saving,
 *  loading or changing the network that was sharded (PyTorch: FSDP.summon_full_params()). With false, what they are
 *  then becomes the shards, and memory is freed again. All ranks must call it alike, and change parameters alike.
 *
 *      fa_dist_shard_gather(sharded, true);
 *      if (fa_dist_rank(world) == 0)
 *          fa_save(net, "net.safetensors");
 *      fa_dist_shard_gather(sharded, false);
 *  @return false and an error on failure */
FA_API bool fa_dist_shard_gather(fa_module *module, bool whole);
/** fa_clip_grad_norm() for a module of fa_dist_shard(): if the 2-norm of the gradients of all shards of all ranks is
 *  above max_norm, they are scaled to it. Returns the norm before, which is the same on all ranks; NaN and an error on
 *  failure. */
FA_API double fa_dist_shard_clip_norm(fa_module *module, double max_norm);

/** Makes all ranks of a group skip a step together: a scaler of fa_amp_scaler() otherwise looks at the gradients of its
 *  rank alone, which are others than those of other ranks with fa_dist_shard(), tensor parallel layers and pipelines
 *  (PyTorch: ShardedGradScaler). The scaler holds a reference to the group; NULL for the `group` ends it.
 *  @return false and an error on failure */
FA_API bool fa_dist_sync_scaler(fa_scaler *scaler, fa_group *group);

/** Options of fa_dist_checkpoint_save(): those of fa_checkpoint_save(). */
typedef fa_checkpoint_options fa_dist_checkpoint_save_options;
/** Options of fa_dist_checkpoint_load(): those of fa_checkpoint_load(). */
typedef fa_checkpoint_options fa_dist_checkpoint_load_options;
#define FA__DEFAULT_fa_dist_checkpoint_save FA__DEFAULT_fa_checkpoint
#define FA__DEFAULT_fa_dist_checkpoint_load FA__DEFAULT_fa_checkpoint
/** fa_checkpoint_save() by all ranks of a group: each writes a file with its objects to `folder`, which all of them
 *  see and which is made if it does not exist. What was saved before stays valid until all files are complete, and is
 *  removed then.
 *
 *      fa_dist_checkpoint_save(folder, group, .module = sharded, .optim = optim, .loader = loader)
 *  @return false and an error on all ranks if one of them failed */
FA_API bool fa_dist_checkpoint_save(const char *folder, fa_group *group,
                                    const fa_dist_checkpoint_save_options *options);
#define fa_dist_checkpoint_save(...)                                                                                   \
    FA__CALL2(fa_dist_checkpoint_save, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** fa_checkpoint_load() by all ranks of a group of what fa_dist_checkpoint_save() wrote, with objects that were created
 *  in the same way. The number of ranks may be another one: shards of a module of fa_dist_shard() and the state that
 * its optimizer keeps for them are cut again then; everything else is that of rank r % N of the N that saved. Call it
 *  before the first step.
 *
 *      fa_dist_checkpoint_load(folder, group, .module = sharded, .optim = optim, .loader = loader)
 *  @return false and an error on all ranks if one of them failed: FA_ERROR_FILE if there is no checkpoint */
FA_API bool fa_dist_checkpoint_load(const char *folder, fa_group *group,
                                    const fa_dist_checkpoint_load_options *options);
#define fa_dist_checkpoint_load(...)                                                                                   \
    FA__CALL2(fa_dist_checkpoint_load, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
