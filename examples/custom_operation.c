/* An operation of one's own: the entropy of the distribution that the softmax of each row is, registered with a kernel
 * for the CPU, one for GPUs, and a gradient made of operations. A network learns to be undecided: the entropy of its
 * answers is made as large as it can be. Takes the device from the command line; without one it is the best there is.
 */
#include <facula/facula.h>
#include <math.h>
#include <stdio.h>

/* ---- the operation ---- */

typedef struct {
    const fa_tensor *x;
    double temperature;
} entropy_args;

/* (rows, n) becomes (rows). */
static bool entropy_infer(const void *args, fa_op_spec *result, void *context)
{
    const entropy_args *a = args;
    (void)context;
    if (fa_dim(a->x) != 2 || fa_size(a->x, 1) == 0)
        return fa_fail(FA_ERROR_SHAPE, "x has to be a matrix with columns");
    result[0].shape = FA_SHAPE(fa_size(a->x, 0));
    return true;
}

/* log(sum(exp(z))) - sum(z * exp(z)) / sum(exp(z)), with the largest z taken from each first. */
static bool entropy_cpu(const fa_op_launch *l)
{
    const double temperature = ((const entropy_args *)l->args)->temperature;
    const fa_operand *x = &l->operand[0], *y = &l->result[0];
    const int64_t rows = x->shape[0], n = x->shape[1];
    for (int64_t row = 0; row < rows; row++) {
        double most = -INFINITY, sum = 0, weighted = 0;
        for (int64_t i = 0; i < n; i++)
            most = fmax(most, fa_operand_get(x, row * n + i) / temperature);
        for (int64_t i = 0; i < n; i++) {
            double z = fa_operand_get(x, row * n + i) / temperature - most;
            sum += exp(z);
            weighted += z * exp(z);
        }
        fa_operand_set(y, row, log(sum) - weighted / sum);
    }
    return true;
}

/* The same for one row an item: there are as many items as the result has elements. */
static const char entropy_gpu[] = "OP_KERNEL\n"
                                  "{\n"
                                  "    i64 row = GID(0), n = SIZE(x, 1);\n"
                                  "    if (row >= ITEMS || FAULTED(fault))\n"
                                  "        return;\n"
                                  "    T most = READ(x, row * n) / ARG(temperature), sum = C(0), weighted = C(0);\n"
                                  "    for (i64 i = 1; i < n; i++)\n"
                                  "        most = prim_maximum(most, READ(x, row * n + i) / ARG(temperature));\n"
                                  "    for (i64 i = 0; i < n; i++) {\n"
                                  "        T z = READ(x, row * n + i) / ARG(temperature) - most, e = prim_exp(z);\n"
                                  "        sum += e;\n"
                                  "        weighted += z * e;\n"
                                  "    }\n"
                                  "    WRITE(y, row, prim_log(sum) - weighted / sum);\n"
                                  "}\n";

/* Of y by x: p * (-log(p) - y) / temperature, where p is the softmax. It is made of operations, so that it has
 * gradients of its own. */
static bool entropy_gradient(const fa_op_backward *b)
{
    const entropy_args *a = b->args;
    fa_tensor *logp = fa_log_softmax(fa_div(a->x, a->temperature), 1);
    fa_tensor *y = fa_unsqueeze(b->result[0], 1), *gy = fa_unsqueeze(b->grad[0], 1);
    fa_tensor *g = fa_mul(fa_exp(logp), fa_div(fa_sub(fa_neg(logp), y), a->temperature));
    return fa_op_set_grad(b, &a->x, fa_mul(gy, g));
}

static const fa_op *entropy_register(void)
{
    const fa_op_field fields[] = {
        FA_FIELD(entropy_args, x, FA_KIND_TENSOR, "a row of scores for each distribution"),
        FA_OPTION(entropy_args, temperature, FA_KIND_DOUBLE, 1.0, "scores are divided by it"),
    };
    return fa_register_op("demo::softmax_entropy", 2, fields, .doc = "The entropy of each row's softmax.",
                          .infer = entropy_infer, .gradient = entropy_gradient, .saved = "x, y", .cpu = entropy_cpu,
                          .gpu = entropy_gpu, .autocast = FA_AUTOCAST_F32);
}

/* ---- its use ---- */

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();
    fa_manual_seed(3);
    const fa_op *entropy = entropy_register();
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(64, 8)), device);
    fa_module *net = fa_module_to(fa_nn_linear(8, 4), device);
    fa_optim *opt = fa_optim_sgd(net, .lr = 0.5);
    fa_tensor *first = fa_mean(fa_call(entropy, fa_forward(net, x), FA_ARGUMENT("temperature", 0.5)));
    FA_REPEAT (step, 100) {
        fa_optim_zero_grad(opt);
        fa_tensor *y = fa_call(entropy, fa_forward(net, x), FA_ARGUMENT("temperature", 0.5));
        fa_backward(fa_neg(fa_mean(y)));
        fa_optim_step(opt);
    }
    fa_tensor *last = fa_mean(fa_call(entropy, fa_forward(net, x), FA_ARGUMENT("temperature", 0.5)));
    printf("entropy: %.2f, then %.2f; at most it is %.2f\n", fa_item(first), fa_item(last), log(4));

    /* What every operation has: an error that names the call, and reflection. */
    fa_call(entropy, fa_zeros(FA_SHAPE(3), .device = device));
    printf("%s\n", fa_error_code() == FA_ERROR_SHAPE ? "a vector is refused" : fa_error_message());
    fa_error_clear();
    fa_op_info about = fa_op_describe(entropy);
    printf("%s(", about.name);
    for (int i = 0; i < about.fields; i++)
        printf("%s%s", i ? ", " : "", fa_op_field_at(entropy, i).name);
    printf("): %s\n", about.doc);
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
