/* Tensor parallel layers and pipelines: outputs and gradients are those of one process, in f64. */
#include "dist/ranks.h"
#include <math.h>

enum { ROWS = 8 };

#define close_to(a, b) fa_allclose(a, b, .rtol = 0, .atol = 1e-12)

static fa_tensor *noise(uint64_t seed, fa_shape shape)
{
    fa_generator_use(fa_generator_new(seed));
    return fa_randn(shape, .dtype = FA_F64);
}

static fa_tensor *part_of(const fa_tensor *t, int64_t dim, int r, int ranks)
{
    int64_t part = fa_size(t, dim) / ranks;
    return fa_narrow(t, dim, part * r, part);
}

static fa_tensor *grad_of(const fa_module *m, const char *name)
{
    return fa_grad(fa_module_tensor(m, name));
}

/* ---- tensor parallel ---- */

static fa_module *linear(uint64_t seed, int64_t in, int64_t out)
{
    fa_generator_use(fa_generator_new(seed));
    return fa_nn_linear(in, out, .dtype = FA_F64);
}

/* Each rank begins with other weights: those of rank 0 are taken. */
static bool linear_layers(fa_group *g, int r, int ranks)
{
    fa_module *whole = fa_nn_sequential(linear(1, 6, 16), fa_nn_tanh(), linear(2, 16, 5));
    uint64_t seed = (uint64_t)r * 10;
    fa_module *cut = fa_nn_sequential(fa_dist_column_parallel(linear(1 + seed, 6, 16), g), fa_nn_tanh(),
                                      fa_dist_row_parallel(linear(2 + seed, 16, 5), g));
    fa_tensor *x = noise(3, FA_SHAPE(ROWS, 6)), *own = fa_clone(x);
    fa_set_requires_grad(x, true);
    fa_set_requires_grad(own, true);
    fa_tensor *y = fa_forward(whole, x), *z = fa_forward(cut, own);
    WANT(close_to(z, y));
    WANT(fa_backward(fa_sum(fa_pow(y, 3))) && fa_backward(fa_sum(fa_pow(z, 3))));
    WANT(close_to(fa_grad(own), fa_grad(x)));
    WANT(close_to(grad_of(cut, "0.weight"), part_of(grad_of(whole, "0.weight"), 0, r, ranks)));
    WANT(close_to(grad_of(cut, "0.bias"), part_of(grad_of(whole, "0.bias"), 0, r, ranks)));
    WANT(close_to(grad_of(cut, "2.weight"), part_of(grad_of(whole, "2.weight"), 1, r, ranks)));
    WANT(close_to(grad_of(cut, "2.bias"), grad_of(whole, "2.bias")));
    WANT(fa_numel(fa_module_tensor(cut, "0.weight")) == 6 * 16 / ranks);
    return true;
}

/* Two dimensions: pairs of ranks share the layers, and the pairs share the batch. */
static bool layers_in_parts_of_batches(fa_group *world, int r, int ranks)
{
    fa_group *tensor = fa_dist_split(world, r / 2, 0), *data = fa_dist_split(world, r % 2, 0);
    WANT(fa_dist_size(tensor) == 2 && fa_dist_size(data) == ranks / 2);
    uint64_t seed = (uint64_t)r * 10;
    fa_module *whole = fa_nn_sequential(linear(1, 6, 16), fa_nn_tanh(), linear(2, 16, 5));
    fa_module *cut = fa_nn_sequential(fa_dist_column_parallel(linear(1 + seed, 6, 16), tensor), fa_nn_tanh(),
                                      fa_dist_row_parallel(linear(2 + seed, 16, 5), tensor));
    fa_module *ddp = fa_dist_data_parallel(cut, data, .bucket_bytes = 200);
    fa_optim *one = fa_optim_adam(whole, .lr = 0.05), *all = fa_optim_adam(cut, .lr = 0.05);
    for (int step = 0; step < 5; step++) {
        FA_SCOPE;
        fa_tensor *x = noise(20 + (uint64_t)step, FA_SHAPE(ROWS, 6)), *target = fa_narrow(x, 1, 0, 5);
        fa_tensor *loss = fa_mse_loss(fa_forward(whole, x), target),
                  *part = fa_mse_loss(fa_forward(ddp, part_of(x, 0, r / 2, ranks / 2)),
                                      part_of(target, 0, r / 2, ranks / 2)),
                  *mean = fa_clone(fa_detach(part));
        fa_optim_zero_grad(one);
        fa_optim_zero_grad(all);
        WANT(fa_backward(loss) && fa_backward(part));
        WANT(fa_dist_all_reduce(mean, world, .op = FA_DIST_MEAN) && close_to(mean, fa_detach(loss)));
        fa_optim_step(one);
        fa_optim_step(all);
    }
    WANT(close_to(fa_module_tensor(cut, "0.weight"), part_of(fa_module_tensor(whole, "0.weight"), 0, r % 2, 2)));
    WANT(close_to(fa_module_tensor(cut, "2.weight"), part_of(fa_module_tensor(whole, "2.weight"), 1, r % 2, 2)));
    return true;
}

/* Whole tensors in between. */
static bool whole_outputs_and_inputs(fa_group *g, int r, int ranks)
{
    fa_module *first = linear(1, 4, 8), *second = linear(2, 8, 4);
    fa_module *a = fa_dist_column_parallel(first, g, .gather = true),
              *b = fa_dist_row_parallel(second, g, .whole = true);
    fa_tensor *x = noise(3, FA_SHAPE(2, 3, 4)), *own = fa_clone(x);
    fa_set_requires_grad(x, true);
    fa_set_requires_grad(own, true);
    fa_tensor *h = fa_forward(first, x), *k = fa_forward(a, own);
    WANT(close_to(k, h));
    fa_tensor *y = fa_forward(second, fa_sin(h)), *z = fa_forward(b, fa_sin(k));
    WANT(close_to(z, y) && fa_backward(fa_sum(fa_pow(y, 3))) && fa_backward(fa_sum(fa_pow(z, 3))));
    WANT(close_to(fa_grad(own), fa_grad(x)));
    WANT(close_to(grad_of(a, "weight"), part_of(grad_of(first, "weight"), 0, r, ranks)));
    WANT(close_to(grad_of(b, "weight"), part_of(grad_of(second, "weight"), 1, r, ranks)));
    return true;
}

static bool embeddings(fa_group *g, int r, int ranks)
{
    const int64_t ids[] = {0, 7, 3, 4, 3, 2, 0, 5};
    fa_tensor *x = fa_tensor_from(ids, FA_SHAPE(2, 4));
    for (int64_t padding = 0; padding < 8; padding += 3) {
        fa_generator_use(fa_generator_new(1));
        fa_module *whole = fa_nn_embedding(8, 12, .padding_idx = padding - 8, .dtype = FA_F64);
        fa_module *columns = fa_dist_column_parallel(whole, g, .gather = true), *rows = fa_dist_row_parallel(whole, g);
        fa_module *each[] = {whole, columns, rows};
        fa_tensor *y[3];
        for (int i = 0; i < 3; i++) {
            y[i] = fa_forward(each[i], x);
            WANT(close_to(y[i], y[0]) && fa_backward(fa_sum(fa_pow(fa_add(y[i], 1), 3))));
        }
        WANT(close_to(grad_of(columns, "weight"), part_of(grad_of(whole, "weight"), 1, r, ranks)));
        WANT(close_to(grad_of(rows, "weight"), part_of(grad_of(whole, "weight"), 0, r, ranks)));
    }
    fa_module *rows = fa_dist_row_parallel(fa_nn_embedding(8, 2), g);
    WANT(!fa_forward(rows, fa_full(FA_SHAPE(1), 8, .dtype = FA_I64)) && fa_error_stands());
    fa_error_clear();
    return true;
}

static bool wrong_layers(fa_group *g, int r, int ranks)
{
    (void)r;
    WANT(!fa_dist_column_parallel(fa_nn_relu(), g) && says("fa_nn_linear() or fa_nn_embedding(), not relu"));
    WANT(!fa_dist_column_parallel(fa_nn_linear(4, ranks + 1), g) && says("features or rows for"));
    WANT(!fa_dist_row_parallel(fa_nn_linear(ranks + 1, 4), g) && says("features or rows for"));
    WANT(!fa_dist_row_parallel(fa_nn_embedding(ranks, 4, .scale_grad_by_freq = true), g) && says("scale_grad_by_freq"));
    WANT(!fa_dist_row_parallel(fa_nn_linear(4, 4), NULL) && says("the group is NULL"));
    return true;
}

static void layers_in_parts_compute_the_same(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks *= 2)
        assert_true(run_threads(ranks, linear_layers) && run_threads(ranks, whole_outputs_and_inputs)
                    && run_threads(ranks, embeddings));
    assert_true(run_threads(4, layers_in_parts_of_batches));
    assert_true(run_threads(2, wrong_layers));
}

/* ---- pipelines ---- */

enum { LAYERS = 6 };

/* Layers `from` to `to` of the network. Their outputs have other sizes, and those of layer 2 another dimension. */
static fa_module *layers(int from, int to)
{
    static const int64_t width[LAYERS + 1] = {3, 8, 6, 10, 4, 7, 2};
    fa_module *net = fa_nn_sequential();
    for (int i = from; i < to; i++) {
        fa_module_append(net, linear((uint64_t)i, width[i], width[i + 1]));
        fa_module_append(net, fa_nn_tanh());
    }
    return net;
}

static fa_tensor *loss_of(fa_tensor *y, fa_tensor *target, void *context)
{
    ++*(int *)context;
    return fa_mse_loss(y, target);
}

static bool pipeline(fa_group *g, int r, int ranks)
{
    fa_tensor *x = noise(50, FA_SHAPE(ROWS, 5, 3)), *target = noise(51, FA_SHAPE(ROWS, 5, 2));
    fa_module *whole = layers(0, LAYERS);
    fa_tensor *loss = fa_mse_loss(fa_forward(whole, x), target);
    WANT(fa_backward(loss));
    int from = LAYERS * r / ranks, to = LAYERS * (r + 1) / ranks;
    for (int parts = 1; parts <= ROWS; parts *= 2) {
        FA_SCOPE;
        fa_module *stage = layers(from, to);
        int calls = 0;
        double mean = fa_dist_pipeline_step(stage, r ? NULL : x, r == ranks - 1 ? target : NULL, loss_of, g,
                                            .micro_batches = parts, .context = &calls);
        WANT(fabs(mean - fa_item(loss)) < 1e-12 && calls == (r == ranks - 1 ? parts : 0));
        fa_parameters p = fa_module_parameters(stage), q = fa_module_parameters(whole);
        for (size_t i = 0; i < p.count; i++)
            WANT(close_to(fa_grad(p.item[i]), fa_grad(q.item[2 * from + (int)i])));
        FA_USE(.no_grad = true);
        fa_module_zero_grad(stage);
        WANT(fabs(fa_dist_pipeline_step(stage, x, target, loss_of, g, .micro_batches = parts, .context = &calls) - mean)
             < 1e-12);
        WANT(!p.count || !fa_grad(p.item[0]) || fa_item(fa_amax(fa_abs(fa_grad(p.item[0])))) == 0);
    }
    return true;
}

/* What goes between the stages is larger than the memory that two ranks share. */
static bool large(fa_group *g, int r, int ranks)
{
    (void)ranks;
    enum { WIDE = 400000 };
    fa_module *stage = r ? fa_nn_relu() : fa_nn_embedding(4, WIDE);
    if (!r)
        fa_init_constant_(fa_module_tensor(stage, "weight"), 1);
    int calls = 0;
    fa_tensor *ids = fa_zeros(FA_SHAPE(4, 1), .dtype = FA_I64), *zeros = fa_zeros(FA_SHAPE(4, 1, WIDE));
    WANT(fa_dist_pipeline_step(stage, ids, zeros, loss_of, g, .context = &calls) == 1);
    WANT(r || fabs(fa_item(fa_sum(grad_of(stage, "weight"))) - 2) < 1e-4);
    return true;
}

static bool cannot_be_split(fa_group *g, int r, int ranks)
{
    (void)r;
    (void)ranks;
    int calls = 0;
    fa_tensor *x = fa_ones(FA_SHAPE(6, 2));
    WANT(isnan(fa_dist_pipeline_step(fa_nn_relu(), x, x, loss_of, g, .context = &calls)));
    return says("cannot be split into 4 micro-batches");
}

static void pipelines_compute_the_same(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks++)
        assert_true(run_threads(ranks, pipeline));
    assert_true(run_threads(2, large) && run_threads(2, cannot_be_split));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(layers_in_parts_compute_the_same), TEST(pipelines_compute_the_same)};
    return RUN("parallel");
}
