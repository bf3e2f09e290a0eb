/** @file
 *  One network on several processes: layers of which each process has a part, and stages of which each process has one.
 */
#ifndef FACULA_PARALLEL_H
#define FACULA_PARALLEL_H
#include <facula/dist.h>
#include <facula/layer.h>
#include <facula/nn.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup tensor_parallel Tensor parallel layers
 *
 *  Each rank of a group keeps a part of the weight of a linear or embedding layer, and computes a part of its output
 *  (arXiv:1909.08053; PyTorch: ColwiseParallel, RowwiseParallel). All ranks run the same batch.
 *
 *      fa_module *mlp = fa_nn_sequential(
 *          fa_dist_column_parallel(fa_nn_linear(512, 2048), world),  // (n, 512) to (n, 2048 / ranks)
 *          fa_nn_gelu(),
 *          fa_dist_row_parallel(fa_nn_linear(2048, 512), world));    // back to (n, 512), the sum over the ranks
 *
 *  Outputs and gradients are those of the whole layer. All ranks run these layers in the same order, in forward and in
 *  backward. Parameters outside of such layers have to begin with the same values on all ranks (fa_dist_broadcast()),
 * and get the same gradients.
 *  @{ */

/** Options of fa_dist_column_parallel(). */
typedef struct fa_dist_column_parallel_options {
    size_t size; /**< set by the macro */
    bool gather; /**< the output is the whole one, and not the part of this rank */
    char fa__end;
} fa_dist_column_parallel_options;
#define FA__DEFAULT_fa_dist_column_parallel                                                                            \
    {                                                                                                                  \
        offsetof(fa_dist_column_parallel_options, fa__end), false, 0                                                   \
    }
/** Makes a layer of the part of `layer` that computes this rank's part of the last dimension of the output: of
 *  fa_nn_linear() rows of the weight, and the part of the bias that belongs to them; of fa_nn_embedding() columns of
 * the weight. The input is the whole one, and the same on all ranks.
 *
 *      fa_dist_column_parallel(layer, group, .gather = false)
 *
 *  @param layer   the layer; the weights of rank 0 are taken
 *  @param group   the group, to which the new layer holds a reference; its number of ranks divides the output's
 * features
 *  @param options the options shown above; NULL for the defaults
 *  @return the new layer, with copies of its part of "weight" and "bias"; NULL and an error on failure */
FA_API fa_module *fa_dist_column_parallel(fa_module *layer, fa_group *group,
                                          const fa_dist_column_parallel_options *options);
#define fa_dist_column_parallel(...)                                                                                   \
    FA__CALL2(fa_dist_column_parallel, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/* The options that an embedding layer was made with. */
FA_API const fa_nn_embedding_options *fa__embedding_options(const fa_module *embedding);

/** Options of fa_dist_row_parallel(). */
typedef struct fa_dist_row_parallel_options {
    size_t size; /**< set by the macro */
    bool whole;  /**< the input of a linear layer is the whole one, and not the part of this rank */
    char fa__end;
} fa_dist_row_parallel_options;
#define FA__DEFAULT_fa_dist_row_parallel                                                                               \
    {                                                                                                                  \
        offsetof(fa_dist_row_parallel_options, fa__end), false, 0                                                      \
    }
/** Makes a layer of the part of `layer` that uses this rank's part of the input: of fa_nn_linear() columns of the
 * weight, for the part of the input's last dimension that fa_dist_column_parallel() computes; of fa_nn_embedding() rows
 * of the weight, for the indices among them. The output is the sum over the ranks, and the same on all of them.
 *
 *      fa_dist_row_parallel(layer, group, .whole = false)
 *
 *  @param layer   the layer; the weights of rank 0 are taken
 *  @param group   the group, to which the new layer holds a reference; its number of ranks divides the input's
 * features, or the rows of the embedding
 *  @param options the options shown above; NULL for the defaults
 *  @return the new layer, with a copy of its part of "weight", and of the whole "bias", which is added to the sum; NULL
 *  and an error on failure */
FA_API fa_module *fa_dist_row_parallel(fa_module *layer, fa_group *group, const fa_dist_row_parallel_options *options);
#define fa_dist_row_parallel(...)                                                                                      \
    FA__CALL2(fa_dist_row_parallel, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup pipeline_parallel Pipeline parallel training
 *
 *  Each rank of a group has one stage of a network: some of its layers (PyTorch: torch.distributed.pipelining). A batch
 *  goes through the stages in parts, the micro-batches, so that stages work at the same time.
 *
 *      fa_module *stage = fa_dist_rank(world) == 0 ? first_layers() : last_layers();
 *      fa_optim *optim = fa_optim_adam(stage);
 *      FA_EACH(batch, loader) {
 *          fa_optim_zero_grad(optim);
 *          fa_dist_pipeline_step(stage, batch.input, batch.target, cross_entropy, world, .micro_batches = 8);
 *          fa_optim_step(optim);
 *      }
 *  @{ */

/** A function for fa_dist_pipeline_step(): the loss of a micro-batch, without dimensions, which is the mean over it. */
typedef fa_tensor *fa_dist_loss(fa_tensor *output, fa_tensor *target, void *context);

/** Options of fa_dist_pipeline_step(). */
typedef struct fa_dist_pipeline_step_options {
    size_t size;       /**< set by the macro */
    int micro_batches; /**< number of parts of the batch, which divides its size */
    void *context;     /**< passed to the loss function */
    char fa__end;
} fa_dist_pipeline_step_options;
#define FA__DEFAULT_fa_dist_pipeline_step                                                                              \
    {                                                                                                                  \
        offsetof(fa_dist_pipeline_step_options, fa__end), 4, NULL, 0                                                   \
    }
/** Runs a batch forward and backward through the stages of all ranks of the group. Gradients are those of the loss of
 * the whole batch in one process, and are added to those of the parameters of `stage`, as fa_backward() does.
 *
 *  - **Order.** Each rank runs forward and backward of micro-batches in turn (1F1B, arXiv:1806.03377): rank r of N
 * keeps the intermediate results of N - r micro-batches at most. Of N stages that take equally long, each waits for the
 * share (N - 1) / (N - 1 + micro_batches) of a step.
 *  - **Between stages** goes one floating-point tensor, of any shape. It is on the device of the parameters of the
 * stage that gets it.
 *  - **Modes.** Under FA_USE(.no_grad = true), only the loss is computed. Layers such as batch_norm see micro-batches.
 *
 *      fa_dist_pipeline_step(stage, input, target, loss, group, .micro_batches = 4, .context = NULL)
 *
 *  @param stage   the layers of this rank; the output of rank r is the input of rank r + 1
 *  @param input   the batch, (n, ...); used on rank 0 only, and may be NULL on others
 *  @param target  the targets, (n, ...), which are split as the batch is; used on the last rank only, and may be NULL
 * on others
 *  @param loss    the loss of a micro-batch; called on the last rank only
 *  @param group   the group
 *  @param options the options shown above; NULL for the defaults
 *  @return the mean of the losses, on all ranks; NaN and an error on failure */
FA_API double fa_dist_pipeline_step(fa_module *stage, fa_tensor *input, fa_tensor *target, fa_dist_loss *loss,
                                    fa_group *group, const fa_dist_pipeline_step_options *options);
#define fa_dist_pipeline_step(...)                                                                                     \
    FA__CALL5(fa_dist_pipeline_step, FA__NAMED5(, ##__VA_ARGS__, ., ., ., ., ., .), FA__SAME, FA__SAME, FA__SAME,      \
              FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
