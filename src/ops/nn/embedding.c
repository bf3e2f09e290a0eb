/* Embedding. Looks up rows of a weight matrix by index. */
#include "dispatch/row.h"
#include "ops/index/index.h"

typedef struct {
    const fa_tensor *input;             /* indices: integers of any shape, from 0 to the number of rows - 1 */
    const fa_tensor *weight;            /* (num_embeddings, embedding_dim) */
    int64_t padding_idx OPT(INT64_MIN); /* this row gets no gradient; negative counts from the end; default: none */
    bool scale_grad_by_freq OPT(false); /* true: divide each row's gradient by how often its index occurs in input */
} embedding_args;

/* Sets `row` to padding_idx with a negative one wrapped, or to -1 if there is none; an error if it is out of range. */
static bool find_padding(const fa__call *c, const embedding_args *a, int64_t *row)
{
    int64_t rows = a->weight->shape[0], p = a->padding_idx;
    *row = p == INT64_MIN ? -1 : p < 0 ? p + rows : p;
    return p == INT64_MIN || (*row >= 0 && *row < rows)
           || fa__call_fail(c, FA_ERROR_INDEX, "there is no row %lld: weight has %lld", (long long)p, (long long)rows);
}

static fa_tensor *embedding_compose(fa__call *c)
{
    const embedding_args *a = c->args;
    int64_t padding;
    if (!fa__check_index(c, a->input, "input"))
        return NULL;
    if (a->weight->rank != 2 || a->input->rank == FA_MAX_DIMS) {
        fa__call_fail(c, FA_ERROR_SHAPE, "weight has to be (rows, width), and input needs room for one more dimension");
        return NULL;
    }
    if (!find_padding(c, a, &padding))
        return NULL;
    fa_shape shape = fa_tensor_shape(a->input);
    shape.dim[shape.rank++] = a->weight->shape[1];
    fa_tensor *flat = fa_reshape(a->input, FA_SHAPE(fa__numel(a->input)));
    return fa_reshape(fa__embedding_rows(flat, a->weight, padding, a->scale_grad_by_freq), shape);
}

/** The rows of weight that input selects: shape input.shape + (embedding_dim). An index out of range is an error that
 *  names it. Gradients are added in the order of input, so every device gives the same bits. PyTorch's max_norm, which
 *  changes weight, is missing; fa_norm() finds rows that are too long. */
OP(embedding, embedding_args, (y), .compose = embedding_compose, .index = FIELDS(input),
   TORCH("nn.functional.embedding(input, weight, padding_idx, scale_grad_by_freq=scale_grad_by_freq)"),
   SAMPLES(
       "i(3)<5 (5,4); i(2,3)<5 t(5,4) padding_idx=1; i()<5 (5,4); i(9)<2 t(2,3) padding_idx=-2; i(0)<5 (5,4); i(12)<4 "
       "t(4,2) scale_grad_by_freq=true; i(2,2,2)<4 t(4,2) scale_grad_by_freq=true padding_idx=3; i(70)<3 n(3,9); "
       "i(3)<5 (5,0)"))

typedef struct {
    const fa_tensor *index;  /* (n), integers */
    const fa_tensor *weight; /* (num_embeddings, embedding_dim) */
    int64_t padding;         /* row without a gradient; -1: none */
    bool by_freq;            /* true: divide each row's gradient by how often its index occurs in input */
} embedding_rows_args;

static bool embedding_rows_infer(fa__call *c)
{
    const embedding_rows_args *a = c->args;
    if (a->index->rank != 1 || a->weight->rank != 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "index has to be (n), and weight (rows, width)");
    const int64_t shape[] = {a->index->shape[0], a->weight->shape[1]};
    return fa__check_index(c, a->index, "index") && fa__infer_shape(c, (fa_dtype)a->weight->dtype, 2, shape);
}

/* For each index, how often it occurs in the list: (n, 1). */
static fa_tensor *frequencies(const fa_tensor *index, const fa_tensor *weight)
{
    fa_tensor *zeros = fa_zeros(FA_SHAPE(weight->shape[0]), .dtype = FA_I64, .device = fa_tensor_device(index));
    fa_tensor *ones = fa_full_like(index, 1, .dtype = FA_I64);
    return fa_unsqueeze(fa_index_select(fa_scatter_add(zeros, 0, index, ones), 0, index), -1);
}

static void embedding_rows_grad(fa__back *b)
{
    const embedding_rows_args *a = b->args;
    fa_tensor *g = b->gy[0];
    if (a->by_freq)
        g = fa_div(g, fa_to(frequencies(a->index, a->weight), (fa_dtype)g->dtype));
    g = fa__index_sum(g, 0, a->index, a->weight->shape[0]);
    if (a->padding < 0 || !g || fa_copy_(fa_select(g, 0, a->padding), 0))
        fa__set_input_grad(b, &a->weight, g);
}

/** The rows of weight that index selects. */
OP(embedding_rows, embedding_rows_args, (y), .infer = embedding_rows_infer, .grad = embedding_rows_grad,
   .keep = KEEP(index), .index = FIELDS(index), INTERNAL, TORCH(""),
   SAMPLES("i(3)<5 (5,4) -1 false; i(9)<2 (2,3) -1 false; i(0)<5 (5,4) -1 false"))

#include "embedding.rows"
