/* ggml in run.py, called from C. Sizes are in ggml's order, the innermost dimension first. Convolutions are those that
 * compute in f32: ggml_conv_2d rounds its operands to f16. */
#include "program.h"
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

enum { MOST_WEIGHTS = 8, NODES = 64 };

static struct {
    ggml_backend_t backend;
    struct ggml_context *weights, *nodes;
    ggml_backend_buffer_t memory;
    ggml_gallocr_t results;
    struct ggml_cgraph *graph;
    struct ggml_tensor *x, *y, *weight[MOST_WEIGHTS];
    int count;
} n;

static const char *version(void)
{
    return ggml_version();
}

static struct ggml_context *new_context(void)
{
    size_t room = NODES * ggml_tensor_overhead() + ggml_graph_overhead();
    return ggml_init((struct ggml_init_params){.mem_size = room, .mem_buffer = NULL, .no_alloc = true});
}

static struct ggml_tensor *add_weight(const char *name, int64_t a, int64_t b, int64_t c, int64_t d)
{
    struct ggml_tensor *t = ggml_new_tensor_4d(n.weights, GGML_TYPE_F32, a, b, c, d);
    ggml_set_name(t, name);
    return n.weight[n.count++] = t;
}

static struct ggml_tensor *linear(struct ggml_tensor *x, const char *weight, const char *bias, int64_t in, int64_t out)
{
    x = ggml_mul_mat(n.nodes, add_weight(weight, in, out, 1, 1), x);
    return ggml_add(n.nodes, x, add_weight(bias, out, 1, 1, 1));
}

static struct ggml_tensor *block(struct ggml_tensor *x, const char *weight, const char *bias, int64_t in, int64_t out)
{
    x = ggml_conv_2d_direct(n.nodes, add_weight(weight, 3, 3, in, out), x, 1, 1, 1, 1, 1, 1);
    x = ggml_relu(n.nodes, ggml_add(n.nodes, x, add_weight(bias, 1, 1, out, 1)));
    return ggml_pool_2d(n.nodes, x, GGML_OP_POOL_MAX, 2, 2, 2, 2, 0, 0);
}

static void build_mlp(int rows)
{
    n.x = ggml_new_tensor_2d(n.nodes, GGML_TYPE_F32, PIXELS, rows);
    n.y =
        linear(ggml_relu(n.nodes, linear(n.x, "0.weight", "0.bias", PIXELS, 256)), "2.weight", "2.bias", 256, CLASSES);
}

static void build_cnn(int rows)
{
    n.x = ggml_new_tensor_4d(n.nodes, GGML_TYPE_F32, 28, 28, 1, rows);
    struct ggml_tensor *h = block(block(n.x, "0.weight", "0.bias", 1, 16), "3.weight", "3.bias", 16, 32);
    n.y = linear(ggml_reshape_2d(n.nodes, h, 32 * 7 * 7, rows), "7.weight", "7.bias", 32 * 7 * 7, CLASSES);
}

static void close_network(void)
{
    ggml_gallocr_free(n.results);
    ggml_backend_buffer_free(n.memory);
    ggml_free(n.nodes);
    ggml_free(n.weights);
    n.count = 0;
}

static bool load_weights(const char *net)
{
    n.memory = ggml_backend_alloc_ctx_tensors(n.weights, n.backend);
    for (int i = 0; n.memory && i < n.count; i++) {
        float *values = load_floats(net, ggml_get_name(n.weight[i]), (size_t)ggml_nelements(n.weight[i]));
        ggml_backend_tensor_set(n.weight[i], values, 0, ggml_nbytes(n.weight[i]));
        free(values);
    }
    return n.memory;
}

/* With threads that are kept from one computation to the next. */
static bool open_backend(void)
{
    struct ggml_threadpool_params threads = ggml_threadpool_params_default(THREADS);
    n.backend = ggml_backend_cpu_init();
    if (!n.backend)
        return false;
    ggml_backend_cpu_set_n_threads(n.backend, THREADS);
    ggml_backend_cpu_set_threadpool(n.backend, ggml_threadpool_new(&threads));
    return true;
}

static bool open_network(const char *net, int rows)
{
    if (n.backend)
        close_network();
    else if (!open_backend())
        return false;
    n.weights = new_context();
    n.nodes = new_context();
    (strcmp(net, "mlp") ? build_cnn : build_mlp)(rows);
    ggml_set_input(n.x);
    n.graph = ggml_new_graph(n.nodes);
    ggml_build_forward_expand(n.graph, n.y);
    n.results = ggml_gallocr_new(ggml_backend_get_default_buffer_type(n.backend));
    return load_weights(net) && ggml_gallocr_alloc_graph(n.results, n.graph);
}

static void compute(const float *images, float *results)
{
    ggml_backend_tensor_set(n.x, images, 0, ggml_nbytes(n.x));
    ggml_backend_graph_compute(n.backend, n.graph);
    ggml_backend_tensor_get(n.y, results, 0, ggml_nbytes(n.y));
}

int main(int count, char **arguments)
{
    return program_main(count, arguments);
}
