/* The embedding layer: looks up rows of a matrix. */
#include "nn/layer.h"
#include <facula/init.h>
#include <facula/ops/create.h>
#include <facula/ops/nn.h>
#include <facula/ops/shape.h>
#include <facula/parallel.h>
#include <facula/scope.h>
#include <inttypes.h>

typedef struct embedding {
    fa__weights w;
    fa_nn_embedding_options o;
} embedding;

static fa_tensor *embedding_forward(fa_module *self, fa_tensor *x)
{
    const embedding *e = fa_module_data(self);
    return fa_embedding(x, e->w.weight, .padding_idx = e->o.padding_idx, .scale_grad_by_freq = e->o.scale_grad_by_freq);
}

const fa_nn_embedding_options *fa__embedding_options(const fa_module *embedding_layer)
{
    const embedding *e = fa_module_data(embedding_layer);
    return &e->o;
}

fa_module *(fa_nn_embedding)(int64_t rows, int64_t width, const fa_nn_embedding_options *options)
{
    embedding made = {.o = FA__DEFAULT_fa_nn_embedding};
    fa_nn_embedding_options *o = &made.o;
    fa__options_read(o, o->size, options);
    bool pads = o->padding_idx != INT64_MIN;
    if (rows < 0 || width < 0 || (pads && (o->padding_idx < -rows || o->padding_idx >= rows))) {
        fa_fail(FA_ERROR_SHAPE, "fa_nn_embedding: rows and width are 0 or more, and padding_idx is one of the rows");
        return NULL;
    }
    FA_SCOPE;
    fa_module *m = fa_nn_custom("embedding", sizeof made, embedding_forward, .data = &made);
    embedding *e = m ? fa_module_data(m) : NULL;
    fa_tensor *w = fa_init_normal_(fa_empty(FA_SHAPE(rows, width), .dtype = o->dtype, .device = o->device));
    if (!e || !w || (pads && !fa_init_constant_(fa_select(w, 0, o->padding_idx), 0)))
        return NULL;
    e->w.weight = fa_module_parameter(m, "weight", w);
    return e->w.weight ? fa_escape(m) : NULL;
}
