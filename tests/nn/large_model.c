/* A language model of 70 billion parameters, built as a program would build it, on the device without memory: how large
 * it is, what it would take, and the shapes of what it computes. Nothing of it fits into this machine. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "support/api_test.h"
#include <facula/nn.h>
#include <sys/resource.h>

enum { LAYERS = 80, WIDTH = 8192, INNER = 28672, WORDS = 128256, TOKENS = 12 };
enum { HEAD = 128, KEYS = 8, QUERIES = WIDTH / HEAD / KEYS }; /* size of a head, heads of keys, queries for each */

/* Two matrices of WIDTH x WIDTH, two of WIDTH x (KEYS * HEAD), three of WIDTH x INNER and two norms in each layer; the
 * embedding, the head and the last norm. */
static const int64_t parameters = INT64_C(70553706496);

/* ---- the model ---- */

typedef struct block {
    fa_module *query, *key, *value, *out, *gate, *up, *down;
    fa_tensor *before, *between;
} block;

static fa_tensor *norm(fa_tensor *x, fa_tensor *weight)
{
    return fa_pointwise("x / sqrt(y + 1e-5) * z", x, fa_mean(fa_mul(x, x), .dim = -1, .keepdim = true), weight);
}

/* (tokens, heads * HEAD) as (keys, queries, tokens, HEAD) */
static fa_tensor *heads(fa_tensor *x, int64_t queries)
{
    return fa_permute(fa_view(x, FA_SHAPE(fa_size(x, 0), KEYS, queries, HEAD)), FA_SHAPE(1, 2, 0, 3));
}

static fa_tensor *attention(const block *b, fa_tensor *x)
{
    fa_tensor *q = heads(fa_forward(b->query, x), QUERIES), *k = heads(fa_forward(b->key, x), 1);
    fa_tensor *score = fa_div(fa_matmul(q, fa_transpose(k, 2, 3)), 11.3137085);
    fa_tensor *mixed = fa_matmul(fa_softmax(score, -1), heads(fa_forward(b->value, x), 1));
    return fa_forward(b->out, fa_reshape(fa_permute(mixed, FA_SHAPE(2, 0, 1, 3)), FA_SHAPE(fa_size(x, 0), WIDTH)));
}

static fa_tensor *block_forward(fa_module *self, fa_tensor *x)
{
    const block *b = fa_module_data(self);
    fa_tensor *middle = fa_add(x, attention(b, norm(x, b->before))), *h = norm(middle, b->between);
    h = fa_mul(fa_silu(fa_forward(b->gate, h)), fa_forward(b->up, h));
    return fa_add(middle, fa_forward(b->down, h));
}

static fa_module *linear(fa_module *owner, const char *name, int64_t in, int64_t out)
{
    return fa_module_add(owner, name, fa_nn_linear(in, out, .bias = false, .device = FA_META));
}

static fa_module *block_new(void)
{
    fa_module *m = fa_nn_custom("block", sizeof(block), block_forward);
    block *b = fa_module_data(m);
    b->query = linear(m, "query", WIDTH, WIDTH);
    b->key = linear(m, "key", WIDTH, KEYS * HEAD);
    b->value = linear(m, "value", WIDTH, KEYS * HEAD);
    b->out = linear(m, "out", WIDTH, WIDTH);
    b->gate = linear(m, "gate", WIDTH, INNER);
    b->up = linear(m, "up", WIDTH, INNER);
    b->down = linear(m, "down", INNER, WIDTH);
    b->before = fa_module_parameter(m, "before", fa_ones(FA_SHAPE(WIDTH), .device = FA_META));
    b->between = fa_module_parameter(m, "between", fa_ones(FA_SHAPE(WIDTH), .device = FA_META));
    return m;
}

static fa_tensor *embedding_forward(fa_module *self, fa_tensor *tokens)
{
    return fa_index_select(fa_module_tensor(self, "weight"), 0, tokens);
}

static fa_module *embedding_new(void)
{
    fa_module *m = fa_nn_custom("embedding", 0, embedding_forward);
    fa_module_parameter(m, "weight", fa_randn(FA_SHAPE(WORDS, WIDTH), .device = FA_META));
    return m;
}

static fa_tensor *norm_forward(fa_module *self, fa_tensor *x)
{
    return norm(x, fa_module_tensor(self, "weight"));
}

static fa_module *norm_new(void)
{
    fa_module *m = fa_nn_custom("norm", 0, norm_forward);
    fa_module_parameter(m, "weight", fa_ones(FA_SHAPE(WIDTH), .device = FA_META));
    return m;
}

static fa_module *model_new(void)
{
    fa_module *layers = fa_nn_sequential(block_new());
    for (int i = 1; i < LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        fa_module_add(layers, name, block_new());
    }
    fa_module *head = fa_nn_linear(WIDTH, WORDS, .bias = false, .device = FA_META);
    return fa_nn_sequential(embedding_new(), layers, norm_new(), head);
}

/* ---- the tests ---- */

static size_t on_meta(void)
{
    return fa_memory_stats(FA_META).allocated;
}

/* The most that this process has had in memory, in KiB. */
static long resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void it_is_built_and_measured(void **state)
{
    (void)state;
    size_t before = on_meta();
    long host = resident();
    {
        FA_SCOPE;
        int64_t start = fa__clock_ns();
        fa_module *net = model_new();
        double built = (double)(fa__clock_ns() - start) / 1e6;
        assert_no_error();
        assert_int_equal(fa_module_numel(net), parameters);
        assert_int_equal(fa_module_nbytes(net), 4 * parameters);
        assert_int_equal(on_meta() - before, 4 * parameters);
        assert_true(fa_module_to(net, FA_BF16) == net);
        assert_int_equal(fa_module_nbytes(net), 2 * parameters);
        assert_int_equal(on_meta() - before, 2 * parameters);
        assert_int_equal(fa_module_numel(net), parameters);
        print_message("%lld parameters, %zu bytes in bf16; built in %.1f ms\n", (long long)fa_module_numel(net),
                      fa_module_nbytes(net), built);
        assert_no_error();
    }
    assert_int_equal(on_meta(), before);
    assert_int_equal(fa_memory_stats(FA_META).reserved, 0);
    assert_true(resident() - host < 64 << 10);
}

static void a_step_of_training_computes_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = FA_META);
    fa_module *net = fa_nn_linear(3, 2);
    fa_optim *optim = fa_optim_adam(net);
    assert_true(fa_backward(fa_sum(fa_forward(net, fa_zeros(FA_SHAPE(4, 3))))));
    assert_true(fa_optim_step(optim));
    assert_no_error();
}

static void its_summary_tells_its_size(void **state)
{
    (void)state;
    FA_SCOPE;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_true(fa_module_summary(model_new(), file));
    fclose(file);
    assert_non_null(strstr(text, " 79: block "));
    assert_non_null(strstr(text, "f32 (28672, 8192)"));
    const char *last = "\nparameters: 70,553,706,496, frozen: 0; with buffers: 282,214,825,984 bytes\nmode: training\n";
    assert_true(size > strlen(last));
    assert_string_equal(text + size - strlen(last), last);
    free(text);
}

static void shapes_go_forward_and_gradients_back(void **state)
{
    (void)state;
    size_t before = on_meta();
    {
        FA_SCOPE;
        fa_module *net = model_new();
        fa_tensor *tokens = fa_zeros(FA_SHAPE(TOKENS), .dtype = FA_I64, .device = FA_META);
        fa_tensor *logits = fa_forward(net, tokens);
        assert_no_error();
        assert_int_equal(fa_dim(logits), 2);
        assert_int_equal(fa_size(logits, 0), TOKENS);
        assert_int_equal(fa_size(logits, 1), WORDS);
        assert_true(fa_device_equal(fa_tensor_device(logits), FA_META));
        fa_tensor *loss = fa_cross_entropy(logits, tokens);
        assert_int_equal(fa_dim(loss), 0);
        assert_true(fa_backward(loss));
        fa_parameters p = fa_module_parameters(net);
        assert_int_equal(p.count, LAYERS * 9 + 3);
        for (size_t i = 0; i < p.count; i++)
            assert_int_equal(fa_nbytes(fa_grad(p.item[i])), fa_nbytes(p.item[i]));
        assert_true(on_meta() - before >= 8 * (size_t)parameters);
        assert_int_equal(fa_module_nbytes(net), 4 * parameters); /* its own, not those of gradients */
        assert_no_error();
        assert_true(fa_item(loss) != 0);
        assert_error(FA_ERROR_DEVICE, "meta");
        assert_null(fa_forward(fa_module_child(net, "3"), fa_zeros(FA_SHAPE(TOKENS, WIDTH))));
        assert_error(FA_ERROR_DEVICE, "meta");
    }
    assert_int_equal(on_meta(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_built_and_measured),
        TEST(a_step_of_training_computes_nothing),
        TEST(its_summary_tells_its_size),
        TEST(shapes_go_forward_and_gradients_back),
    };
    return RUN("large_model");
}
