/** @file
 *  Embeddings: rows of a matrix by their numbers.
 *
 *  Written by facula-rows from src/ops/embedding.c: edit there. */
/* clang-format off */
#ifndef FACULA_EMBEDDING_H
#define FACULA_EMBEDDING_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_embedding(). */
typedef struct fa_embedding_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    int64_t padding_idx;     /**< a row that gets no gradient; negative counts from the end; by default none */
    bool scale_grad_by_freq; /**< what comes to a row is divided by how often the row is taken */
    char fa__end;            /**< the end of what this version knows */
} fa_embedding_options;

/** The rows of weight that input names: the shape of input, and width behind it. A number that is out of range is an
 *  error, which names it. Gradients are added in input's order: the same bits on every device. PyTorch's max_norm,
 *  which changes weight, is not there: fa_norm() finds the rows that are longer.
 *
 *      fa_embedding(input, weight, .padding_idx = INT64_MIN, .scale_grad_by_freq = false, .out = NULL)
 *
 *  @param input integers of any shape, each at least 0 and below the number of rows
 *  @param weight (rows, width)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_embedding(const fa_tensor *input, const fa_tensor *weight, const fa_embedding_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_embedding {offsetof(fa_embedding_options, fa__end), NULL, INT64_MIN, false, 0}
#define fa_embedding(...) FA__CALL2(fa_embedding, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
