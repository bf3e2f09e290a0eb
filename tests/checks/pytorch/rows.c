/* Runs each piece of C in the tables of docs/from-pytorch.md, which run.sh puts into rows.inc, with variables that the
 * document names. Each runs in a scope of its own and must set no error. */
#include <facula/facula.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct variables {
    fa_tensor *x, *y, *w, *b, *v, *images, *mask, *rows, *index, *target, *logits, *loss, *a8, *b8, *h_0, *c_0, *hidden,
        *x64, *y64;
    double scale_a, scale_b;
    fa_module *net, *other, *lstm, *attention, *encoder, *decoder, *transformer;
    fa_optim *opt;
    fa_scaler *scaler;
    fa_schedule *s;
    fa_dataset *d;
} variables;

static const char path[] = "net.safetensors";
static float data[6] = {1, 2, 3, 4, 5, 6};
static float numbers[24];

static fa_tensor *hook(fa_tensor *grad, void *context)
{
    (void)context;
    return fa_mul(grad, 2);
}

static fa_tensor *seen(fa_module *m, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)m, (void)inputs, (void)output, (void)context;
    return NULL;
}

static fa_tensor *f(void *context, fa_tensors in)
{
    (void)context;
    return fa_mul(in.item[0], in.item[1]);
}

static double warm(int64_t epoch, int group, void *context)
{
    (void)group, (void)context;
    return epoch < 5 ? 0.2 * (double)(epoch + 1) : 1;
}

static variables make(void)
{
    variables r;
    r.x = fa_rand(FA_SHAPE(4, 6)), r.y = fa_rand(FA_SHAPE(4, 6));
    r.w = fa_rand(FA_SHAPE(6, 3), .requires_grad = true);
    r.b = fa_rand(FA_SHAPE(3)), r.v = fa_rand(FA_SHAPE(6)), r.images = fa_rand(FA_SHAPE(2, 3, 8, 8));
    r.mask = fa_gt(r.x, 0.5), r.rows = fa_tensor_of(2, 0),
    r.index = fa_tensor_parse("[[0, 1], [2, 3], [4, 5], [1, 0]]");
    r.target = fa_tensor_of(0, 2, 1, 2), r.logits = fa_matmul(r.x, r.w);
    r.loss = fa_cross_entropy(r.logits, r.target);
    r.net = fa_nn_sequential(fa_nn_linear(6, 3));
    r.other = fa_module_clone(r.net);
    r.lstm = fa_nn_lstm(6, 3), r.h_0 = fa_rand(FA_SHAPE(1, 3)), r.c_0 = fa_rand(FA_SHAPE(1, 3));
    r.attention = fa_nn_multihead_attention(6, 2), r.hidden = fa_zeros(FA_SHAPE(4, 4), .dtype = FA_BOOL);
    r.encoder = fa_nn_transformer_encoder(fa_nn_transformer_encoder_layer(6, 2), 1);
    r.decoder = fa_nn_transformer_decoder(fa_nn_transformer_decoder_layer(6, 2), 1);
    r.transformer = fa_nn_transformer(6, 2, .num_encoder_layers = 1, .num_decoder_layers = 1);
    r.opt = fa_optim_adam(r.net, .lr = 0.01);
    r.scaler = fa_amp_scaler();
    fa_backward(fa_scaler_scale(r.scaler, fa_sum(fa_forward(r.net, r.x))));
    r.a8 = fa_to(r.x, FA_F8_E4M3FN), r.b8 = fa_to(fa_detach(r.w), FA_F8_E4M3FN), r.scale_a = 2, r.scale_b = 0.5;
    r.x64 = fa_rand(FA_SHAPE(2, 3), .dtype = FA_F64, .requires_grad = true);
    r.y64 = fa_rand(FA_SHAPE(2, 3), .dtype = FA_F64, .requires_grad = true);
    r.s = fa_schedule_step_lr(r.opt, 30);
    r.d = fa_data_tensors(r.x, r.target);
    return r;
}

#define VARIABLES                                                                                                      \
    variables all = make();                                                                                            \
    fa_tensor *x = all.x, *y = all.y, *w = all.w, *b = all.b, *v = all.v, *images = all.images, *mask = all.mask,      \
              *rows = all.rows, *index = all.index, *target = all.target, *logits = all.logits, *loss = all.loss,      \
              *a8 = all.a8, *b8 = all.b8, *h_0 = all.h_0, *c_0 = all.c_0, *hidden = all.hidden, *x64 = all.x64,        \
              *y64 = all.y64;                                                                                          \
    double scale_a = all.scale_a, scale_b = all.scale_b;                                                               \
    fa_scaler *scaler = all.scaler;                                                                                    \
    fa_module *net = all.net, *other = all.other, *lstm = all.lstm, *attention = all.attention,                        \
              *encoder = all.encoder, *decoder = all.decoder, *transformer = all.transformer;                          \
    fa_optim *opt = all.opt;                                                                                           \
    fa_schedule *s = all.s;                                                                                            \
    fa_dataset *d = all.d;                                                                                             \
    (void)x, (void)y, (void)w, (void)b, (void)v, (void)images, (void)mask, (void)rows, (void)index, (void)target,      \
        (void)logits, (void)loss, (void)net, (void)opt, (void)s, (void)d, (void)a8, (void)b8, (void)scale_a,           \
        (void)scale_b, (void)scaler, (void)lstm, (void)h_0, (void)c_0, (void)hidden, (void)attention, (void)encoder,   \
        (void)decoder, (void)transformer, (void)other, (void)x64, (void)y64;

#define ROW(line, code)                                                                                                \
    static void row_##line(void)                                                                                       \
    {                                                                                                                  \
        FA_SCOPE;                                                                                                      \
        VARIABLES                                                                                                      \
        code                                                                                                           \
    }
/* What the document names of a program's own. */
static void *numbers_open(void *context, uint64_t seed, int64_t epoch)
{
    (void)seed, (void)epoch;
    return context;
}

static bool numbers_next(void *context, void *state, fa_sample *sample)
{
    (void)context, (void)state, (void)sample;
    return true;
}

static const fa_dataset_stream_type numbers_type = {"numbers", numbers_open, numbers_next, NULL, NULL};

static bool join(void *context, const fa_sample *samples, int64_t count, fa_sample *batch)
{
    (void)context, (void)count;
    *batch = samples[0];
    return true;
}

#include "rows.inc"
#undef ROW

#define ROW(line, code) {line, row_##line, #code},
static const struct {
    int line;
    void (*run)(void);
    const char *code;
} all_rows[] = {
#include "rows.inc"
};

static void put(const char *name, const char *text)
{
    fa_file_write(name, text, strlen(text));
}

/* The files that the document names. */
static void make_files(void)
{
    fa_save(fa_nn_sequential(fa_nn_linear(6, 3)), path);
    fa_save(FA_NAMED("array", fa_ones(FA_SHAPE(4, 3))), "x.npy");
    fa_save(FA_NAMED("array", fa_zeros(FA_SHAPE(4))), "y.npy");
    put("iris.csv", "petal,species\n1.5,setosa\n4,virginica\n");
    mkdir("photos", 0777);
    mkdir("photos/cat", 0777);
    put("photos/cat/1.pgm", "P2 1 1 255 7\n");
    put("part-00.tar", "");
    put("part-01.tar", "");
}

int main(void)
{
    int failed = 0;
    make_files();
    for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++) {
        all_rows[i].run();
        if (!fa_failed()) {
            printf("[       OK ] %s\n", all_rows[i].code);
            continue;
        }
        fprintf(stderr, "docs/from-pytorch.md:%d: %s: %s\n", all_rows[i].line, all_rows[i].code, fa_error_message());
        fa_error_clear();
        failed = 1;
    }
    return failed;
}
