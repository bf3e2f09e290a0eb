/* Recurrent layers and cells: LSTM, GRU and Elman's network. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/host.h>
#include <facula/init.h>
#include <facula/ops/create.h>
#include <facula/ops/nn.h>
#include <facula/scope.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef enum { RNN_TANH, RNN_RELU, GRU, LSTM } kind;

static const struct {
    const char *layer, *cell;
    int gates, states;
} kinds[] = {[RNN_TANH] = {"rnn", "rnn_cell", 1, 1},
             [RNN_RELU] = {"rnn", "rnn_cell", 1, 1},
             [GRU] = {"gru", "gru_cell", 3, 1},
             [LSTM] = {"lstm", "lstm_cell", 4, 2}};

/* The data of a layer, or of a cell, for which most options are not there. */
typedef struct recurrent {
    kind kind;
    bool cell;
    int64_t input, hidden;
    fa_nn_lstm_options o;
    size_t count;
    fa_tensor *params[]; /* as fa_lstm() takes them */
} recurrent;

/* ---- forward ---- */

/* What fa_forward_recurrent() of this thread asks for besides the output. */
static _Thread_local struct asked {
    const fa_module *module;
    fa_tensor *h_n, *c_n; /* references */
} asked;

static fa_tensor *result(const fa_module *self, fa_tensor *output, fa_tensor *h_n, fa_tensor *c_n)
{
    if (!output || asked.module != self)
        return output;
    fa__unhold(asked.h_n), fa__unhold(asked.c_n);
    asked.h_n = fa__hold(h_n);
    asked.c_n = fa__hold(c_n);
    return output;
}

static bool check_inputs(const recurrent *r, fa_tensors in)
{
    const size_t states = (size_t)kinds[r->kind].states;
    return in.count == 1 || in.count == 1 + states
           || fa_fail(FA_ERROR_ARGUMENT, "it takes x, or x, h_0%s", states == 2 ? " and c_0" : "");
}

static fa_tensor *layer_forward(fa_module *self, fa_tensors in)
{
    const recurrent *r = fa_module_data(self);
    const fa_tensors p = {r->count, (fa_tensor **)(uintptr_t)r->params};
    const double dropout = r->o.dropout > 0 && fa__layer_trains(self) ? r->o.dropout : 0;
    if (!check_inputs(r, in))
        return NULL;
    fa_tensor *x = in.item[0], *h = in.count > 1 ? in.item[1] : NULL, *c = in.count > 2 ? in.item[2] : NULL;
    const bool both = r->o.bidirectional, first = r->o.batch_first;
#define RUN(f) f(x, p, .h_0 = h, .dropout = dropout, .bidirectional = both, .batch_first = first)
    if (r->kind == LSTM) {
        fa_lstm_result y =
            fa_lstm(x, p, .h_0 = h, .c_0 = c, .dropout = dropout, .bidirectional = both, .batch_first = first);
        return result(self, y.output, y.h_n, y.c_n);
    }
    if (r->kind == GRU) {
        fa_gru_result y = RUN(fa_gru);
        return result(self, y.output, y.h_n, NULL);
    }
    if (r->kind == RNN_TANH) {
        fa_rnn_tanh_result y = RUN(fa_rnn_tanh);
        return result(self, y.output, y.h_n, NULL);
    }
    fa_rnn_relu_result y = RUN(fa_rnn_relu);
    return result(self, y.output, y.h_n, NULL);
#undef RUN
}

/* (n, hidden) for x (n, in), (hidden) for (in). */
static fa_tensor *zero_state(const recurrent *r, const fa_tensor *x)
{
    fa_shape shape = fa_tensor_shape(x);
    if (shape.rank)
        shape.dim[shape.rank - 1] = r->hidden;
    return fa_zeros(shape, .dtype = fa_tensor_dtype(r->params[0]), .device = fa_tensor_device(x));
}

static fa_tensor *cell_forward(fa_module *self, fa_tensors in)
{
    const recurrent *r = fa_module_data(self);
    if (!check_inputs(r, in))
        return NULL;
    fa_tensor *const *p = r->params, *bias_ih = r->o.bias ? p[2] : NULL, *bias_hh = r->o.bias ? p[3] : NULL,
                     *x = in.item[0];
    fa_tensor *zeros =
        in.count < (r->kind == LSTM ? 3 : 2) ? zero_state(r, x) : NULL; /* one for both: it is cast once */
    fa_tensor *h = in.count > 1 ? in.item[1] : zeros;
    if (r->kind == LSTM) {
        fa_tensor *c = in.count > 2 ? in.item[2] : zeros;
        fa_lstm_cell_result y = fa_lstm_cell(x, h, c, p[0], p[1], .bias_ih = bias_ih, .bias_hh = bias_hh);
        return result(self, y.h_1, y.h_1, y.c_1);
    }
    fa_tensor *y = r->kind == GRU        ? fa_gru_cell(x, h, p[0], p[1], .bias_ih = bias_ih, .bias_hh = bias_hh)
                   : r->kind == RNN_TANH ? fa_rnn_tanh_cell(x, h, p[0], p[1], .bias_ih = bias_ih, .bias_hh = bias_hh)
                                         : fa_rnn_relu_cell(x, h, p[0], p[1], .bias_ih = bias_ih, .bias_hh = bias_hh);
    return result(self, y, y, NULL);
}

bool fa__is_recurrent(const fa_module *module)
{
    return module->forward.many == layer_forward || module->forward.many == cell_forward;
}

/* x, or x and the states. */
static size_t put_inputs(fa_tensor **item, fa_tensor *x, const fa_forward_recurrent_options *o)
{
    size_t n = 0;
    item[n++] = x;
    if (o->h_0 || o->c_0)
        item[n++] = (fa_tensor *)(uintptr_t)o->h_0;
    if (o->c_0)
        item[n++] = (fa_tensor *)(uintptr_t)o->c_0;
    return n;
}

fa_recurrent(fa_forward_recurrent)(fa_module *module, fa_tensor *x, const fa_forward_recurrent_options *options)
{
    fa_recurrent y = {NULL, NULL, NULL};
    fa_forward_recurrent_options o = FA__DEFAULT_fa_forward_recurrent;
    fa__options_read(&o, o.size, options);
    if (!fa__module_check(module, "fa_forward_recurrent"))
        return y;
    if (!fa__is_recurrent(module)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_forward_recurrent: the module %s is no recurrent layer", fa_module_kind(module));
        return y;
    }
    fa_tensor *item[3];
    const struct asked outer = asked;
    asked = (struct asked){.module = module};
    y.output = fa__forward(module, (fa_tensors){put_inputs(item, x, &o), item});
    if (y.output) {
        y.h_n = fa__own_held(asked.h_n);
        y.c_n = fa__own_held(asked.c_n);
    } else {
        fa__unhold(asked.h_n), fa__unhold(asked.c_n);
    }
    asked = outer;
    return y;
}

/* ---- parameters ---- */

static bool add_parameter(fa_module *m, recurrent *r, const char *name, const char *end, fa_shape shape)
{
    char text[48];
    const double bound = 1 / sqrt((double)r->hidden);
    snprintf(text, sizeof text, "%s%s", name, end);
    fa_tensor *t = fa_empty(shape, .dtype = r->o.dtype, .device = r->o.device);
    r->params[r->count] = fa_module_parameter(m, text, fa_init_uniform_(t, .a = -bound, .b = bound));
    return r->params[r->count++];
}

static bool add_direction(fa_module *m, recurrent *r, const char *end, int64_t in)
{
    const int64_t rows = kinds[r->kind].gates * r->hidden, out = r->o.proj_size ? r->o.proj_size : r->hidden;
    return add_parameter(m, r, "weight_ih", end, FA_SHAPE(rows, in))
           && add_parameter(m, r, "weight_hh", end, FA_SHAPE(rows, out))
           && (!r->o.bias || add_parameter(m, r, "bias_ih", end, FA_SHAPE(rows)))
           && (!r->o.bias || add_parameter(m, r, "bias_hh", end, FA_SHAPE(rows)))
           && (!r->o.proj_size || add_parameter(m, r, "weight_hr", end, FA_SHAPE(out, r->hidden)));
}

static bool add_layers(fa_module *m, recurrent *r)
{
    const int directions = r->o.bidirectional ? 2 : 1;
    const int64_t out = directions * (r->o.proj_size ? r->o.proj_size : r->hidden);
    for (int64_t layer = 0; layer < r->o.num_layers; layer++)
        for (int k = 0; k < directions; k++) {
            char end[40];
            snprintf(end, sizeof end, "_l%" PRId64 "%s", layer, k ? "_reverse" : "");
            if (!add_direction(m, r, end, layer ? out : r->input))
                return false;
        }
    return true;
}

/* ---- constructors ---- */

static bool check_sizes(const char *name, const recurrent *r)
{
    enum { MOST_LAYERS = 1 << 20 };
    if (r->input < 0 || r->hidden < 1)
        return fa_fail(FA_ERROR_SHAPE,
                       "fa_nn_%s: input_size is 0 or more and hidden_size 1 or more: %" PRId64 ", %" PRId64, name,
                       r->input, r->hidden);
    if (r->hidden > INT64_MAX / 4)
        return fa_fail(FA_ERROR_SHAPE, "fa_nn_%s: 4 times a hidden_size of %" PRId64 " is more than 64 bits hold", name,
                       r->hidden);
    if (r->o.num_layers < 1 || r->o.num_layers > MOST_LAYERS)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: num_layers is 1 or more, not %" PRId64, name, r->o.num_layers);
    if (r->o.proj_size < 0 || r->o.proj_size >= r->hidden)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "fa_nn_%s: proj_size is 0 or more, and smaller than hidden_size, not %" PRId64, name,
                       r->o.proj_size);
    return (r->o.dropout >= 0 && r->o.dropout <= 1)
           || fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: dropout is a probability, not %g", name, r->o.dropout);
}

static void warn_of_dropout(const char *name, double dropout)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fa__warn(
            "fa_nn_%s: .dropout = %g has no effect: it is between layers, and this is one. .num_layers = 2 has two, "
            "and fa_nn_dropout() can stand behind it",
            name, dropout);
}

static fa_module *make(recurrent r)
{
    const char *name = r.cell ? kinds[r.kind].cell : kinds[r.kind].layer;
    if (!check_sizes(name, &r))
        return NULL;
    if (r.o.dropout > 0 && r.o.num_layers == 1)
        warn_of_dropout(name, r.o.dropout);
    size_t count =
        (size_t)r.o.num_layers * (r.o.bidirectional ? 2 : 1) * (size_t)(2 + 2 * r.o.bias + (r.o.proj_size > 0));
    FA_SCOPE;
    fa_module *m = (fa_nn_custom)(name, sizeof r + count * sizeof *r.params,
                                  fa__forward_many(r.cell ? cell_forward : layer_forward), NULL);
    recurrent *data = m ? fa_module_data(m) : NULL;
    if (!data)
        return NULL;
    *data = r;
    return (r.cell ? add_direction(m, data, "", r.input) : add_layers(m, data)) ? fa_escape(m) : NULL;
}

fa_module *(fa_nn_lstm)(int64_t input_size, int64_t hidden_size, const fa_nn_lstm_options *options)
{
    recurrent r = {.kind = LSTM, .input = input_size, .hidden = hidden_size, .o = FA__DEFAULT_fa_nn_lstm};
    fa__options_read(&r.o, r.o.size, options);
    return make(r);
}

fa_module *(fa_nn_gru)(int64_t input_size, int64_t hidden_size, const fa_nn_gru_options *options)
{
    recurrent r = {.kind = GRU, .input = input_size, .hidden = hidden_size, .o = FA__DEFAULT_fa_nn_lstm};
    fa_nn_gru_options o = FA__DEFAULT_fa_nn_gru;
    fa__options_read(&o, o.size, options);
    r.o.num_layers = o.num_layers, r.o.bias = o.bias, r.o.batch_first = o.batch_first;
    r.o.dropout = o.dropout, r.o.bidirectional = o.bidirectional, r.o.dtype = o.dtype, r.o.device = o.device;
    return make(r);
}

/* RNN_TANH or RNN_RELU; -1 after an error. */
static int kind_of(const char *name, const char *nonlinearity)
{
    if (nonlinearity && !strcmp(nonlinearity, "tanh"))
        return RNN_TANH;
    if (nonlinearity && !strcmp(nonlinearity, "relu"))
        return RNN_RELU;
    fa_fail(FA_ERROR_ARGUMENT, "fa_nn_%s: nonlinearity is \"tanh\" or \"relu\", not \"%s\"", name,
            nonlinearity ? nonlinearity : "NULL");
    return -1;
}

fa_module *(fa_nn_rnn)(int64_t input_size, int64_t hidden_size, const fa_nn_rnn_options *options)
{
    recurrent r = {.input = input_size, .hidden = hidden_size, .o = FA__DEFAULT_fa_nn_lstm};
    fa_nn_rnn_options o = FA__DEFAULT_fa_nn_rnn;
    fa__options_read(&o, o.size, options);
    int found = kind_of("rnn", o.nonlinearity);
    if (found < 0)
        return NULL;
    r.kind = (kind)found;
    r.o.num_layers = o.num_layers, r.o.bias = o.bias, r.o.batch_first = o.batch_first;
    r.o.dropout = o.dropout, r.o.bidirectional = o.bidirectional, r.o.dtype = o.dtype, r.o.device = o.device;
    return make(r);
}

static fa_module *make_cell(kind of, int64_t input, int64_t hidden, const fa_nn_lstm_cell_options *o)
{
    recurrent r = {.kind = of, .cell = true, .input = input, .hidden = hidden, .o = FA__DEFAULT_fa_nn_lstm};
    r.o.bias = o->bias, r.o.dtype = o->dtype, r.o.device = o->device;
    return make(r);
}

fa_module *(fa_nn_lstm_cell)(int64_t input_size, int64_t hidden_size, const fa_nn_lstm_cell_options *options)
{
    fa_nn_lstm_cell_options o = FA__DEFAULT_fa_nn_lstm_cell;
    fa__options_read(&o, o.size, options);
    return make_cell(LSTM, input_size, hidden_size, &o);
}

fa_module *(fa_nn_gru_cell)(int64_t input_size, int64_t hidden_size, const fa_nn_gru_cell_options *options)
{
    fa_nn_gru_cell_options o = FA__DEFAULT_fa_nn_gru_cell;
    fa__options_read(&o, o.size, options);
    return make_cell(GRU, input_size, hidden_size, &o);
}

fa_module *(fa_nn_rnn_cell)(int64_t input_size, int64_t hidden_size, const fa_nn_rnn_cell_options *options)
{
    fa_nn_rnn_cell_options o = FA__DEFAULT_fa_nn_rnn_cell;
    fa__options_read(&o, o.size, options);
    int found = kind_of("rnn_cell", o.nonlinearity);
    fa_nn_lstm_cell_options same = {.bias = o.bias, .dtype = o.dtype, .device = o.device};
    return found < 0 ? NULL : make_cell((kind)found, input_size, hidden_size, &same);
}
