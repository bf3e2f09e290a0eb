/* A training step, as every row of a network makes it. */
#include "network.h"
#include "row.h"
#include <string.h>

static bench_network now;

fa_tensor *bench_noise(fa_shape shape, double scale)
{
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    FA_VAR(x, fa_arange(0, (double)count, .dtype = FA_F64)); /* at most two tensors of f64 at a time */
    fa_assign(&x, fa_mul(x, 12.9898));
    fa_assign(&x, fa_sin(x));
    fa_assign(&x, fa_mul(x, 43758.5453));
    fa_assign(&x, fa_sub(x, fa_floor(x)));
    fa_assign(&x, fa_sub(fa_mul(x, 2), 1));
    fa_assign(&x, fa_mul(x, scale));
    fa_assign(&x, fa_reshape(fa_to(x, FA_F32), shape));
    return fa_escape(x);
}

static fa_shape shape_of(const fa_tensor *t)
{
    fa_shape shape = {fa_dim(t), {0}};
    for (int d = 0; d < shape.rank; d++)
        shape.dim[d] = fa_size(t, d);
    return shape;
}

static bool is_norm_weight(const fa_tensor *t, const char *name)
{
    return fa_dim(t) == 1 && !strstr(name, "bias");
}

static void set_parameters(void)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_parameters p = fa_module_parameters(now.net);
    for (size_t i = 0; i < p.count; i++)
        if (!is_norm_weight(p.item[i], p.name[i]))
            fa_copy_(p.item[i], bench_noise(shape_of(p.item[i]), now.scale));
        else
            fa_init_constant_(p.item[i], 1);
}

static fa_tensor *step_with(fa_optim *optim)
{
    fa_optim_zero_grad(optim);
    fa_tensor *loss = NULL;
    {
        FA_USE(.autocast = now.autocast);
        loss = fa_cross_entropy(fa_forward(now.net, now.x), now.y);
    }
    if (now.scaler) {
        fa_backward(fa_scaler_scale(now.scaler, loss));
        fa_scaler_step(now.scaler, optim);
        fa_scaler_update(now.scaler);
    } else {
        fa_backward(loss);
        fa_optim_step(optim);
    }
    return loss;
}

double bench_last_loss(void)
{
    FA_SCOPE;
    set_parameters();
    fa_optim *fresh = now.optimizer(now.net);
    double loss = 0;
    for (int i = 0; i < 5; i++) {
        FA_SCOPE;
        loss = fa_item(step_with(fresh));
    }
    return loss;
}

void bench_train(bench_network of)
{
    now = of;
    set_parameters();
    now.optim = now.optimizer(now.net);
    now.scaler = now.autocast == FA_F16 ? fa_amp_scaler() : NULL;
    if (now.autocast == FA_SAME) /* low precision differs by more than what is the same */
        bench_check_by(bench_last_loss);
}

void bench_train_steps(int64_t count)
{
    FA_REPEAT (count)
        step_with(now.optim);
}

static fa_graph *graph;

void bench_record(void (*run)(int64_t count))
{
    graph = fa_graph_new(FA_CPU);
    FA_RECORD(graph)
    run(1);
}

void bench_replay(int64_t count)
{
    while (count-- > 0)
        fa_graph_replay(graph);
}
