/* What happens when something is not there: an operation without a kernel on its device (an error, or by .fallback the
 * CPU's work), a device that is not there (an error, or by soft placement another one), memory above a limit. And what
 * the log says of it. The program runs itself again with FACULA_LOG, which is read once. */
#define _GNU_SOURCE
#include "backend/late/late.h"
#include "base/alloc.h"
#include "base/log.h"
#include "base/text.h"
#include "core/tensor.h"
#include "support/api_test.h"
#include "support/text.h"
#include <facula/device.h>
#include <facula/nn.h>
#include <facula/ops/loss.h>
#include <facula/optim.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

/* ---- what the log says, also from the threads of a backward pass ---- */
static char said[20000];
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

static void note(void *context, fa_log_level level, const char *message)
{
    (void)context;
    pthread_mutex_lock(&saying);
    size_t length = strlen(said);
    if (level <= FA_LOG_WARNING)
        snprintf(said + length, sizeof said - length, "%s\n", message);
    pthread_mutex_unlock(&saying);
}

static int times(const char *line)
{
    int count = 0;
    char text[200];
    snprintf(text, sizeof text, "%s\n", line);
    for (const char *at = said; (at = strstr(at, text)); at++)
        count += at == said || at[-1] == '\n';
    return count;
}

static int begin(void **state)
{
    (void)state;
    fa__late_lacks(NULL);
    fa__late_reports_clear();
    fa_error_clear();
    fa_synchronize(FA_LATE(0));
    fa_transfers_reset();
    said[0] = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    const fa__late_report *r;
    bool good = !fa_failed() && !fa__late_reports(&r);
    if (!good)
        print_error("left behind: %s\n", fa_error_message());
    fa_error_clear();
    fa__late_lacks(NULL);
    return good ? 0 : -1;
}

static fa_tensor *counted(int64_t rows, int64_t columns, fa_device device)
{
    return fa_to(
        fa_reshape(fa_mul(fa_arange(0, (double)(rows * columns), .dtype = FA_F32), 0.25), FA_SHAPE(rows, columns)),
        device);
}

static bool on(const fa_tensor *t, fa_device d)
{
    return t && fa_device_equal(fa_tensor_device(t), d);
}

static void what_is_not_there_is_an_error_that_says_what_to_do(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(3, 4, FA_LATE(0)), *w = counted(4, 2, FA_LATE(0));
    fa__late_lacks("matmul");
    fa_transfers_reset();
    assert_null(fa_matmul(x, w));
    assert_error(FA_ERROR_UNAVAILABLE,
                 "fa_matmul(a=(3, 4) f32 late:0, b=(4, 2) f32 late:0): ", "late:0 has no kernel for this operation",
                 "FA_USE(.fallback = true)", "fa_to");
    assert_int_equal(fa_transfers_total().to_host, 0);
    assert_non_null(fa_softmax(x, 1));                                /* others are there */
    assert_non_null(fa_matmul(fa_cpu(x), fa_cpu(w)));                 /* so is it elsewhere */
    assert_non_null(fa_matmul(fa_to(x, FA_META), fa_to(w, FA_META))); /* shapes need no kernel */
    fa__late_lacks("log_softmax");                                    /* what a composed operation is made of */
    assert_null(fa_cross_entropy(x, fa_to(fa_tensor_of(0, 1, 2), FA_LATE(0))));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_cross_entropy(", "fa_log_softmax(", "no kernel");
}

static void the_cpu_does_it_and_the_result_comes_back(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(3, 4, FA_LATE(1)), *w = counted(4, 2, FA_LATE(1));
    fa_tensor *wanted = fa_matmul(fa_cpu(x), fa_cpu(w));
    fa_synchronize(FA_LATE(1));
    fa__late_lacks("matmul");
    fa_transfers_reset();
    FA_USE(.fallback = true);
    fa__late_delay(-1);
    fa_tensor *y = fa_matmul(x, w);
    fa__late_delay(20);
    fa_transfers t = fa_transfers_total();
    assert_true(on(y, FA_LATE(1)));
    assert_int_equal(t.to_host, 2);
    assert_int_equal(t.bytes_to_host, 4 * (12 + 8));
    assert_int_equal(t.to_device, 1);
    assert_int_equal(t.bytes_to_device, 4 * 6);
    char *text = written(fa_transfers_report);
    assert_non_null(strstr(text, "fa_matmul            copy  late:1 -> cpu                2"));
    assert_non_null(strstr(text, "fa_matmul            copy  cpu -> late:1                1"));
    assert_non_null(strstr(text, "fa_matmul            wait  late:1"));
    assert_null(strstr(text, "fa_to"));
    free(text);
    assert_true(same_tensors(y, wanted));
    assert_int_equal(times("fallback: matmul has no kernel on late:1: it runs on the CPU"), 1);
    assert_int_equal(times("placement: matmul on cpu"), 2); /* the first one was for the wanted values */
    char described[200];
    fa__text out = fa__text_in(described, sizeof described);
    fa__describe_tensor(&out, y, true);
    assert_non_null(strstr(described, "made by matmul")); /* and not by fa_to */
    /* of operations that have a kernel nothing changes */
    fa_transfers_reset();
    assert_true(on(fa_softmax(x, 1), FA_LATE(1)));
    assert_int_equal(fa_transfers_total().to_host + fa_transfers_total().to_device, 0);
    assert_int_equal(times("placement: softmax on late:1"), 1);
    /* mistakes are told as ever */
    assert_null(fa_matmul(x, x));
    assert_error(FA_ERROR_SHAPE, "fa_matmul(a=(3, 4) f32 late:1, b=(3, 4) f32 late:1): ");
    assert_null(fa_matmul(x, fa_cpu(w)));
    assert_error(FA_ERROR_DEVICE, "operands are on different devices");
}

static void copies_and_waits_of_it_can_be_forbidden(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(4, 4, FA_LATE(0));
    fa_synchronize(FA_LATE(0));
    fa__late_lacks("matmul");
    FA_USE(.fallback = true);
    {
        FA_USE(.forbid = FA_TRANSFER);
        assert_null(fa_matmul(x, x));
        assert_error(FA_ERROR_SYNC, "fa_matmul: a copy from late:0 to cpu, which .forbid = FA_TRANSFER forbids here",
                     "(4, 4) f32 late:0");
    }
    fa__late_delay(-1);
    {
        FA_USE(.forbid = FA_SYNC);
        assert_null(fa_matmul(x, x));
        assert_error(FA_ERROR_SYNC, "fa_matmul: the host would wait for late:0", "(4, 4) f32 late:0");
    }
    fa__late_delay(20);
}

/* Every operation that is a kernel of its own, with everything that backward needs, to second order. */
static fa_tensor *by_matmul(fa_tensor *w)
{
    return fa_matmul(w, fa_t(w));
}

static fa_tensor *by_linear(fa_tensor *w)
{
    return fa_linear(w, fa_mul(w, 2));
}

static fa_tensor *by_softmax(fa_tensor *w)
{
    return fa_softmax(w, 0);
}

static fa_tensor *by_log_softmax(fa_tensor *w)
{
    return fa_log_softmax(w, 1);
}

static fa_tensor *by_max(fa_tensor *w)
{
    return fa_max(w, 1).values;
}

static fa_tensor *by_select(fa_tensor *w)
{
    return fa_index_select(w, 1, fa_to(fa_tensor_of(3, 0, 0), fa_tensor_device(w)));
}

static fa_tensor *by_gather(fa_tensor *w)
{
    fa_tensor *index = fa_to(fa_reshape(fa_tensor_of(3, 0, 0), FA_SHAPE(3, 1)), fa_tensor_device(w));
    return fa_gather(w, 1, index);
}

static fa_tensor *by_scatter(fa_tensor *w)
{
    fa_tensor *index = fa_to(fa_reshape(fa_tensor_of(3, 0, 0), FA_SHAPE(3, 1)), fa_tensor_device(w));
    return fa_scatter_add(w, 1, index, fa_mul(w, w));
}

/* Where gradients come together from several sides, copies on the way change the order. */
static bool close_to(const fa_tensor *x, const fa_tensor *y)
{
    float a[12], b[12];
    bool good = fa_read(x, a, FA_F32, 12) && fa_read(y, b, FA_F32, 12);
    for (int i = 0; good && i < 12; i++)
        good = fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(a[i]));
    return good;
}

/* Whether w's gradient, and that of its gradient, are the CPU's when late lacks an operation. */
static bool same_gradients(fa_tensor *(*f)(fa_tensor *), const char *lacking)
{
    fa_tensor *first[2], *second[2], *value[2];
    for (int i = 0; i < 2; i++) {
        fa_tensor *w = fa_detach(counted(3, 4, i ? FA_LATE(0) : FA_CPU));
        fa_set_requires_grad(w, true);
        fa__late_lacks(lacking);
        FA_USE(.fallback = true);
        fa_tensor *y = f(w);
        value[i] = y;
        fa_tensor *loss = fa_sum(fa_mul(y, y));
        fa_tensors g = fa_grad_of(FA_TENSORS(loss), FA_TENSORS(w), .create_graph = true);
        first[i] = g.count ? g.item[0] : NULL;
        g = first[i] ? fa_grad_of(FA_TENSORS(fa_sum(fa_mul(first[i], first[i]))), FA_TENSORS(w)) : (fa_tensors){0};
        second[i] = g.count ? g.item[0] : NULL;
        fa__late_lacks(NULL);
    }
    if (fa_failed())
        print_error("%s: %s\n", lacking, fa_error_message());
    return !fa_failed() && on(value[1], FA_LATE(0)) && on(first[1], FA_LATE(0)) && on(second[1], FA_LATE(0))
           && same_tensors(value[0], value[1]) && close_to(first[0], first[1]) && close_to(second[0], second[1]);
}

static void gradients_work_through_it(void **state)
{
    (void)state;
    static const struct {
        const char *lacking;
        fa_tensor *(*f)(fa_tensor *);
    } rows[] = {
        {"matmul", by_matmul},           {"linear", by_linear},    {"softmax", by_softmax},
        {"log_softmax", by_log_softmax}, {"max", by_max},          {"gather", by_gather},
        {"scatter_add", by_gather},      {"index_sum", by_select}, {"index_select", by_select},
        {"scatter_add", by_scatter},     {"gather", by_scatter},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FA_SCOPE;
        char line[100];
        said[0] = 0;
        assert_true(same_gradients(rows[i].f, rows[i].lacking));
        snprintf(line, sizeof line, "fallback: %s has no kernel on late:0: it runs on the CPU", rows[i].lacking);
        assert_true(times(line) >= 1);
    }
}

/* The gradient's own operation is the one that lacks. */
static void backward_needs_the_setting_too(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_ones(FA_SHAPE(3, 4), .device = FA_LATE(0), .requires_grad = true);
    fa_tensor *loss = fa_sum(by_gather(w));
    fa__late_lacks("scatter_add");
    assert_false(fa_backward(loss, .retain_graph = true));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_scatter_add(", "late:0 has no kernel", "in the backward of fa_gather");
    FA_USE(.fallback = true);
    assert_true(fa_backward(loss));
    assert_true(on(fa_grad(w), FA_LATE(0)));
    assert_true(fa_item(fa_sum(fa_grad(w))) == 3);
}

static void several_results_and_composed_operations(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    fa_tensor *x = counted(3, 4, FA_LATE(0)), *target = fa_to(fa_tensor_of(0, 3, 1), FA_LATE(0));
    fa__late_lacks("max");
    fa_max_result m = fa_max(x, 1);
    assert_true(on(m.values, FA_LATE(0)) && on(m.indices, FA_LATE(0)));
    assert_true(same_tensors(m.values, fa_max(fa_cpu(x), 1).values)
                && same_tensors(m.indices, fa_max(fa_cpu(x), 1).indices));
    fa__late_lacks("argmax");
    assert_true(same_tensors(fa_argmax(x, .dim = 1), fa_argmax(fa_cpu(x), .dim = 1)));
    fa__late_lacks("log_softmax");
    assert_true(same_tensors(fa_cross_entropy(x, target), fa_cross_entropy(fa_cpu(x), fa_cpu(target))));
    fa__late_lacks("randperm");
    fa_manual_seed(5);
    fa_tensor *order = fa_randperm(10, .device = FA_LATE(0));
    fa_manual_seed(5);
    assert_true(on(order, FA_LATE(0)) && same_tensors(order, fa_randperm(10)));
    /* an index may be on the CPU already, and an optional operand missing */
    fa__late_lacks("index_select");
    assert_true(
        same_tensors(fa_index_select(x, 1, fa_tensor_of(1, 2)), fa_index_select(fa_cpu(x), 1, fa_tensor_of(1, 2))));
    fa__late_lacks("linear");
    fa_tensor *w = counted(2, 4, FA_LATE(0));
    assert_true(same_tensors(fa_linear(x, w), fa_linear(fa_cpu(x), fa_cpu(w))));
    /* empty ones */
    fa__late_lacks("matmul");
    fa_tensor *none = fa_zeros(FA_SHAPE(0, 4), .device = FA_LATE(0));
    assert_true(on(fa_matmul(none, fa_t(w)), FA_LATE(0)));
    /* in low precision: autocast comes before */
    FA_USE(.autocast = FA_BF16);
    fa_tensor *low = fa_matmul(x, fa_t(w));
    assert_int_equal(fa_tensor_dtype(low), FA_BF16);
    assert_true(same_tensors(low, fa_matmul(fa_cpu(x), fa_cpu(fa_t(w)))));
}

static void results_that_are_given(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    fa_tensor *x = counted(3, 4, FA_LATE(0)), *w = counted(4, 2, FA_LATE(0));
    fa_tensor *out = fa_zeros(FA_SHAPE(3, 2), .device = FA_LATE(0)), *wanted = fa_matmul(fa_cpu(x), fa_cpu(w));
    fa__late_lacks("matmul");
    int64_t version = fa_tensor_version(out);
    assert_ptr_equal(fa_matmul(x, w, .out = out), out);
    assert_true(same_tensors(out, wanted));
    assert_int_equal(fa_tensor_version(out), version + 1);
    fa_tensor *wide = fa_zeros(FA_SHAPE(2, 3), .device = FA_LATE(0));
    assert_non_null(fa_matmul(x, w, .out = fa_t(wide))); /* through a view */
    assert_true(same_tensors(fa_t(wide), wanted));
    fa_tensor *empty = fa_zeros(FA_SHAPE(0), .device = FA_LATE(0));
    assert_ptr_equal(fa_matmul(x, w, .out = empty), empty); /* takes the result's shape */
    assert_true(same_tensors(empty, wanted));
    /* what is not allowed there is not allowed here */
    assert_null(fa_matmul(x, w, .out = fa_zeros(FA_SHAPE(3, 3), .device = FA_LATE(0))));
    assert_error(FA_ERROR_SHAPE, "fa_matmul(", "does not fit");
    assert_null(fa_matmul(x, w, .out = fa_zeros(FA_SHAPE(3, 2), .device = FA_LATE(1))));
    assert_error(FA_ERROR_DEVICE, "fa_matmul(", "the result is on another device");
    assert_null(fa_matmul(x, w, .out = fa_zeros(FA_SHAPE(3, 2), .device = FA_LATE(0), .dtype = FA_F64)));
    assert_error(FA_ERROR_DTYPE, "fa_matmul(");
    fa_tensor *both = fa_clone(w), *square = counted(4, 4, FA_LATE(0)); /* a copy of the operand is used */
    assert_ptr_equal(fa_matmul(square, both, .out = both), both);
    assert_true(same_tensors(both, fa_matmul(square, w)));
    fa_tensor *p = fa_ones(FA_SHAPE(3, 4), .device = FA_LATE(0), .requires_grad = true);
    assert_null(fa_matmul(p, w, .out = out));
    assert_error(FA_ERROR_GRADIENT, "fa_matmul(", "writes into .out are not recorded");
    assert_true(same_tensors(out, wanted));
}

/* x += by index, in place, with the gradients of both, and of what x was made of. */
static void added_in_place(fa_device device, fa_tensor **value, fa_tensor **gw, fa_tensor **gs)
{
    fa_tensor *w = fa_detach(counted(3, 4, device)), *s = fa_detach(counted(3, 1, device));
    fa_set_requires_grad(w, true);
    fa_set_requires_grad(s, true);
    fa_tensor *index = fa_to(fa_reshape(fa_tensor_of(3, 0, 0), FA_SHAPE(3, 1)), device);
    fa_tensor *x = fa_mul(w, w);
    int64_t version = fa_tensor_version(x);
    assert_ptr_equal(fa_scatter_add_(x, 1, index, fa_mul(s, 3)), x);
    assert_int_equal(fa_tensor_version(x), version + 1);
    assert_true(fa_requires_grad(x));
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    *value = x;
    *gw = fa_grad(w);
    *gs = fa_grad(s);
}

static void changes_in_place(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    fa__late_lacks("scatter_add");
    fa_tensor *value[2], *gw[2], *gs[2];
    added_in_place(FA_CPU, &value[0], &gw[0], &gs[0]);
    added_in_place(FA_LATE(0), &value[1], &gw[1], &gs[1]);
    assert_true(on(value[1], FA_LATE(0)) && on(gw[1], FA_LATE(0)) && on(gs[1], FA_LATE(0)));
    assert_true(same_tensors(value[0], value[1]) && same_tensors(gw[0], gw[1]) && same_tensors(gs[0], gs[1]));
    /* a row of a larger tensor */
    fa_tensor *x = fa_zeros(FA_SHAPE(2, 4), .device = FA_LATE(0)), *index = fa_to(fa_tensor_of(1, 1, 2), FA_LATE(0));
    fa_tensor *one = fa_ones(FA_SHAPE(3), .device = FA_LATE(0));
    assert_non_null(fa_scatter_add_(fa_select(x, 0, 1), 0, index, one));
    float have[8];
    assert_true(fa_read(x, have, FA_F32, 8));
    assert_memory_equal(have, ((const float[]){0, 0, 0, 0, 0, 2, 1, 0}), sizeof have);
    fa_synchronize(FA_LATE(0));
    fa_transfers_reset();
    fa__late_delay(-1); /* its work stays undone until somebody waits */
    assert_non_null(fa_scatter_add_(x, 1, fa_expand(fa_unsqueeze(index, 0), FA_SHAPE(2, 3)),
                                    fa_ones(FA_SHAPE(2, 3), .device = FA_LATE(0))));
    fa__late_delay(20);
    char *text = written(fa_transfers_report);
    assert_non_null(strstr(text, "fa_scatter_add_      copy  late:0 -> cpu                3"));
    assert_non_null(strstr(text, "fa_scatter_add_      copy  cpu -> late:0                1"));
    assert_non_null(strstr(text, "fa_scatter_add_      wait  late:0"));
    assert_null(strstr(text, "fa_scatter_add "));
    assert_true(!strstr(text, "fa_to") && !strstr(text, "fa_copy_"));
    free(text);
    /* a leaf may not; under no_grad it may */
    fa_tensor *leaf = fa_zeros(FA_SHAPE(4), .device = FA_LATE(0), .requires_grad = true);
    assert_null(fa_scatter_add_(leaf, 0, index, one));
    assert_error(FA_ERROR_GRADIENT, "fa_scatter_add_(", "a leaf that needs a gradient is changed in place");
    {
        FA_USE(.no_grad = true);
        assert_non_null(fa_scatter_add_(leaf, 0, index, one));
        assert_true(fa_item(fa_sum(leaf)) == 3);
    }
    /* backward names what changed a tensor that it needs */
    fa_tensor *p = fa_ones(FA_SHAPE(4), .device = FA_LATE(0), .requires_grad = true);
    fa_tensor *kept = fa_mul(p, 2), *square = fa_mul(kept, kept);
    assert_non_null(fa_scatter_add_(kept, 0, index, one));
    assert_false(fa_backward(fa_sum(square)));
    assert_error(FA_ERROR_GRADIENT, "was changed in place by scatter_add after it was recorded");
}

static void nothing_is_changed_when_it_fails(void **state)
{
    (void)state;
    fa__late_lacks("scatter_add");
    for (int64_t n = 1, done = 0; !done && n < 200; n++) {
        FA_SCOPE;
        FA_USE(.fallback = true);
        fa_tensor *x = fa_ones(FA_SHAPE(4), .device = FA_LATE(0)), *one = fa_ones(FA_SHAPE(3), .device = FA_LATE(0));
        fa_tensor *index = fa_to(fa_tensor_of(1, 1, 2), FA_LATE(0));
        fa__inject(n);
        done = fa_scatter_add_(x, 0, index, one) != NULL;
        fa__inject(0);
        if (!done)
            assert_error(FA_ERROR_MEMORY, "fa_scatter_add");
        assert_true(fa_item(fa_sum(x)) == (done ? 7 : 4));
    }
    fa__late_lacks("matmul");
    for (int64_t n = 1, done = 0; !done && n < 200; n++) {
        FA_SCOPE;
        FA_USE(.fallback = true);
        fa_tensor *x = counted(2, 2, FA_LATE(0));
        fa_set_requires_grad(fa_detach(x), true);
        fa__inject(n);
        fa_tensor *y = fa_matmul(x, x);
        fa__inject(0);
        done = y != NULL;
        if (!done)
            assert_error(FA_ERROR_MEMORY, "fa_matmul");
        assert_true(!done || same_tensors(y, fa_matmul(fa_cpu(x), fa_cpu(x))));
    }
}

static double trained(fa_device device)
{
    FA_SCOPE;
    fa_manual_seed(3);
    FA_USE(.fallback = true);
    fa_module *net = fa_nn_sequential(fa_nn_linear(4, 8), fa_nn_relu(), fa_nn_linear(8, 3));
    fa_module_to(net, device);
    fa_optim *optim = fa_optim_adam(net, .lr = 0.01);
    fa_tensor *x = counted(3, 4, device), *target = fa_to(fa_tensor_of(0, 2, 1), device);
    double loss = NAN;
    FA_REPEAT (i, 20) {
        fa_optim_zero_grad(optim);
        fa_tensor *l = fa_cross_entropy(fa_forward(net, x), target);
        fa_backward(l);
        fa_optim_step(optim);
        loss = fa_item(l);
    }
    return loss;
}

static void training_by_it_has_the_same_bits(void **state)
{
    (void)state;
    double cpu = trained(FA_CPU);
    assert_true(isfinite(cpu));
    static const char *const lacking[] = {"linear", "matmul", "log_softmax", "gather"};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        fa__late_lacks(lacking[i]);
        assert_true(trained(FA_LATE(0)) == cpu);
    }
}

static void the_copies_go_by_the_stream_in_force(void **state)
{
    (void)state;
    FA_SCOPE;
    fa__late_lacks("matmul");
    fa_stream *s = fa_stream_new(FA_LATE(0));
    fa_tensor *x = counted(3, 3, FA_LATE(0));
    FA_USE(.fallback = true, .stream = s);
    fa__queue *own = fa__device_get(FA_LATE(0))->queue;
    fa_synchronize(FA_LATE(0));
    uint64_t before = atomic_load(&own->issued);
    fa_tensor *y = fa_matmul(x, x);
    assert_int_equal(atomic_load(&own->issued), before);
    assert_true(same_tensors(y, fa_matmul(fa_cpu(x), fa_cpu(x))));
}

/* ---- placement ---- */

static void a_device_that_is_not_there(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char all[] = "meta, late:0, late:1"; /* and OpenCL devices, where there are any */
    fa_tensor *x = fa_ones(FA_SHAPE(3)), *there = fa_to(x, FA_LATE(1));
    FA_USE(.device = FA_CUDA(0), .placement = FA_PLACE_AUTO);
    assert_null(fa_add(x, 1));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_add(", "cuda: there is no CUDA driver: ", all);
    assert_null(fa_zeros(FA_SHAPE(3)));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_zeros(", all);
    assert_null(fa_identity(x));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_identity", all);
    assert_null(fa_tensor_of(1.0, 2.0));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_tensor_of", all);
    {
        FA_USE(.device = FA_LATE(7));
        assert_null(fa_add(x, 1));
        assert_error(FA_ERROR_DEVICE, "late:7: there is no device of that number", all);
        FA_USE(.device = ((fa_device){77, 0}));
        assert_null(fa_add(x, 1));
        assert_error(FA_ERROR_DEVICE, "there is no device of that kind", all);
    }
    assert_int_equal(times("placement: cuda:0 is not there: cpu takes its place"), 0);
    {
        FA_USE(.fallback = true); /* soft: on what there is */
        assert_true(fa_device_equal(fa_device_current(), FA_CPU));
        assert_true(on(fa_add(x, 1), FA_CPU));
        assert_true(on(fa_add(there, x), FA_CPU));
        assert_true(on(fa_zeros(FA_SHAPE(3)), FA_CPU));
        assert_true(on(fa_identity(there), FA_CPU));
        assert_true(on(fa_tensor_of(1.0, 2.0), FA_CPU));
        assert_true(times("placement: cuda:0 is not there: cpu takes its place") >= 5);
        /* one of its kind, if there is one */
        FA_USE(.device = FA_LATE(7));
        assert_true(on(fa_add(x, 1), FA_LATE(0)));
        assert_true(times("placement: late:7 is not there: late:0 takes its place") >= 1);
        FA_USE(.device = FA_LATE(1));
        assert_true(on(fa_add(x, 1), FA_LATE(1)));
        /* a place that is asked for by name is no setting */
        assert_null(fa_to(x, FA_CUDA(0)));
        assert_error(FA_ERROR_UNAVAILABLE, all);
        assert_null(fa_zeros(FA_SHAPE(3), .device = FA_CUDA(0)));
        assert_error(FA_ERROR_UNAVAILABLE, all);
        FA_USE(.device = FA_CUDA(0), .placement = FA_PLACE_STRICT);
        assert_null(fa_zeros(FA_SHAPE(3)));
        assert_error(FA_ERROR_UNAVAILABLE, all);
    }
    assert_null(fa_zeros(FA_SHAPE(3)));
    assert_error(FA_ERROR_UNAVAILABLE, all);
    setenv("FACULA_DEVICE", "late:1", 1);
    {
        FA_USE(.fallback = true);
        assert_true(on(fa_add(x, 1), FA_LATE(1)));
    }
    unsetenv("FACULA_DEVICE");
}

static void the_best_device_is_what_the_environment_says(void **state)
{
    (void)state;
    const struct {
        const char *text;
        fa_device device;
        bool warns;
    } rows[] = {
        {"late:1", FA_LATE(1), false}, {"late", FA_LATE(0), false}, {"cpu", FA_CPU, false}, {"cuda", FA_CPU, true},
        {"late:7", FA_CPU, true},      {"gpu", FA_CPU, true},       {"", FA_CPU, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        said[0] = 0;
        setenv("FACULA_DEVICE", rows[i].text, 1);
        assert_true(fa_device_equal(fa_device_best(), rows[i].device));
        assert_int_equal(strstr(said, " is not there; there are: cpu, ") != NULL, rows[i].warns);
        unsetenv("FACULA_DEVICE");
    }
    assert_no_error();
}

static void identity_copies_to_the_device_of_the_settings(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_tensor_of(1.0, 2.0, 3.0);
    fa_set_requires_grad(a, true);
    FA_USE(.placement = FA_PLACE_AUTO, .device = FA_CPU);
    fa_tensor *c;
    {
        FA_USE(.device = FA_LATE(0));
        fa_transfers_reset();
        fa_tensor *b = fa_identity(a);
        assert_true(on(b, FA_LATE(0)));
        assert_int_equal(fa_transfers_total().to_device, 1);
        assert_ptr_equal(fa_identity(b), b); /* there already */
        said[0] = 0;
        c = fa_add(a, b);
        assert_true(on(c, FA_LATE(0)));
        assert_int_equal(fa_transfers_total().to_device, 2);
        assert_int_equal(times("placement: add: x copied from cpu to late:0"), 1);
        assert_int_equal(times("placement: add on late:0"), 1);
    }
    said[0] = 0;
    assert_true(on(fa_neg(c), FA_CPU)); /* the settings' device again */
    assert_int_equal(times("placement: neg: x copied from late:0 to cpu"), 1);
    assert_int_equal(times("placement: neg on cpu"), 1);
    assert_true(fa_backward(fa_sum(c)));
    assert_true(on(fa_grad(a), FA_CPU) && fa_item(fa_sum(fa_grad(a))) == 6);
}

/* ---- memory ---- */

static void memory_is_taken_as_needed_up_to_the_limit(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    const fa_device devices[] = {FA_LATE(0), FA_LATE(1), FA_CPU};
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_device d = devices[i];
        fa_synchronize(d);
        fa_empty_cache(d);
        size_t before = fa_memory_stats(d).reserved, mib = 1 << 20;
        fa_tensor *small = fa_zeros(FA_SHAPE(1000), .device = d);
        assert_non_null(small);
        assert_true(fa_memory_stats(d).reserved <= before + 2 * mib); /* not all that there is */
        fa_tensor *large = fa_zeros(FA_SHAPE(4 << 20), .device = d);
        assert_true(fa_memory_stats(d).reserved >= before + 16 * mib);
        assert_true(fa_memory_limit(d, fa_memory_stats(d).reserved + 8 * mib));
        assert_null(fa_zeros(FA_SHAPE(4 << 20), .device = d));
        assert_error(FA_ERROR_MEMORY, "fa_zeros(", "out of memory on ", fa_device_name(d), "limit ");
        assert_non_null(fa_zeros(FA_SHAPE(1 << 20), .device = d)); /* below it */
        assert_true(fa_item(fa_sum(large)) == 0);                  /* what is there stays */
        fa_memory m = fa_memory_stats(d);
        assert_true(m.failures >= 1 && m.retries >= 1);
        assert_true(fa_memory_limit(d, 1)); /* less than there is */
        assert_null(fa_zeros(FA_SHAPE(4 << 20), .device = d));
        assert_error(FA_ERROR_MEMORY, "limit 1 ");
        assert_true(fa_memory_limit(d, 0));
        assert_non_null(fa_zeros(FA_SHAPE(4 << 20), .device = d));
    }
    /* what was freed is handed out again before the limit counts: the cache makes room */
    FA_SCOPE;
    fa_synchronize(FA_LATE(0));
    fa_empty_cache(FA_LATE(0));
    assert_true(fa_memory_limit(FA_LATE(0), fa_memory_stats(FA_LATE(0)).reserved + (24 << 20)));
    FA_REPEAT (i, 10)
        assert_non_null(fa_zeros(FA_SHAPE((4 << 20) + (i << 16)), .device = FA_LATE(0)));
    assert_true(fa_memory_limit(FA_LATE(0), 0));
    assert_false(fa_memory_limit(FA_CUDA(0), 0));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_memory_limit: cuda");
    assert_true(fa_memory_limit(FA_META, 1)); /* which takes none */
    assert_non_null(fa_zeros(FA_SHAPE(4 << 20), .device = FA_META));
    assert_true(fa_memory_limit(FA_META, 0));
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int count, char **arguments)
{
    (void)count;
    if (!getenv("FACULA_LOG")) {
        setenv("FACULA_LOG", "fallback,placement", 1);
        execv(arguments[0], arguments);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_there_is_an_error_that_says_what_to_do),
        TEST(the_cpu_does_it_and_the_result_comes_back),
        TEST(copies_and_waits_of_it_can_be_forbidden),
        TEST(gradients_work_through_it),
        TEST(backward_needs_the_setting_too),
        TEST(several_results_and_composed_operations),
        TEST(results_that_are_given),
        TEST(changes_in_place),
        TEST(nothing_is_changed_when_it_fails),
        TEST(training_by_it_has_the_same_bits),
        TEST(the_copies_go_by_the_stream_in_force),
        TEST(a_device_that_is_not_there),
        TEST(the_best_device_is_what_the_environment_says),
        TEST(identity_copies_to_the_device_of_the_settings),
        TEST(memory_is_taken_as_needed_up_to_the_limit),
    };
    fa_set_log(note, NULL);
    return RUN("fallback");
}
