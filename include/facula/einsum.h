/** @file
 *  Einstein's summation: any sum of products of tensors, written down as "ij,jk->ik".
 *
 *  Written by facula-rows from src/ops/einsum.c: edit there. */
/* clang-format off */
#ifndef FACULA_EINSUM_H
#define FACULA_EINSUM_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_einsum(). */
typedef struct fa_einsum_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_einsum_options;

/** A sum of products: dimensions that have one label, a letter, go together, and what is not in the result is summed.
 *  "ij,jk->ik" is the matrix product, "bij,bjk->bik" that of batches, "ii" a trace, "ii->i" a diagonal, "i,j->ij" an
 *  outer product, "ij->ji" a transpose. "..." stands for the dimensions without labels, which broadcast and are summed
 *  when they are not in the result; a dimension of size 1 broadcasts, too. Without an arrow the result has what "..."
 *  covers, and then the labels that stand there once, A to Z before a to z. Blanks do not count.
 *
 *  Several tensors are multiplied two at a time, by matrix products: in the order that takes the fewest multiplications
 *  for up to 8 of them, in one that is found step by step for more. The result may be a view, under automatic placement
 *  one of a copy. Sums of integers keep the dtype of the operands.
 *
 *      fa_einsum(equation, x, .out = NULL)
 *
 *  @param equation the labels of each tensor's dimensions, and of the result's: "ij,jk->ik"
 *  @param x as many as it has terms in front of the arrow, of one dtype, not bool
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_einsum(const char *equation, fa_tensors x, const fa_einsum_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_einsum {offsetof(fa_einsum_options, fa__end), NULL, 0}
#define fa_einsum(...) FA__CALL2(fa_einsum, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
