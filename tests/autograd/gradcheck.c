/* fa_gradcheck: gradients that agree with finite differences, and what is said of those that do not. */
#include "base/alloc.h"
#include "support/autograd_test.h"
#include <facula/layer.h>
#include <facula/nn.h>

static fa_tensor *smooth(void *context, fa_tensors inputs)
{
    (void)context;
    return fa_mul(fa_tanh(inputs.item[0]), fa_exp(inputs.item[1]));
}

/* The first input as it is, with a gradient that is `factor` times the right one in element 1. */
typedef struct wrong {
    double factor;
    int calls, fails_at;
} wrong;

static fa_tensor *wrong_forward(void *context, fa_tensors inputs)
{
    (void)context;
    return fa_clone(inputs.item[0]);
}

static bool wrong_backward(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    const wrong *w = context;
    (void)saved;
    grad_inputs[0] = fa_mul(grad, fa_tensor_of(1, w->factor, 1));
    return true;
}

static fa_tensor *with_wrong_gradient(void *context, fa_tensors inputs)
{
    static const fa_function function = {.name = "wrong", .forward = wrong_forward, .backward = wrong_backward};
    wrong *w = context;
    if (++w->calls == w->fails_at)
        fa_fail(FA_ERROR_USER, "call %d", w->calls);
    return fa_apply(&function, context, inputs);
}

static fa_tensor *layer(void *context, fa_tensors inputs)
{
    return fa_forward(context, inputs.item[0]);
}

static fa_tensor *nothing(void *context, fa_tensors inputs)
{
    (void)context, (void)inputs;
    return NULL;
}

static void gradients_that_agree(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(3);
    fa_tensor *x = fa_randn(FA_SHAPE(2, 3), .dtype = FA_F64, .requires_grad = true);
    fa_tensor *y = fa_randn(FA_SHAPE(3), .dtype = FA_F64, .requires_grad = true);
    fa_tensor *before = fa_clone(fa_detach(x));
    assert_true(fa_gradcheck(smooth, FA_TENSORS(x, y)));
    assert_true(fa_equal(x, before) && !fa_grad(x) && !fa_grad(y));
    assert_true(fa_gradcheck(smooth, FA_TENSORS(fa_transpose(x, 0, 1), fa_zeros(FA_SCALAR))));
    {
        FA_USE(.no_grad = true);
        assert_true(fa_gradcheck(smooth, FA_TENSORS(x, y), .eps = 1e-5, .rtol = 1e-5));
    }
    /* parameters of the module that the function runs */
    fa_module *net = fa_module_to(fa_nn_linear(3, 2), FA_F64);
    assert_true(fa_gradcheck(layer, FA_TENSORS(x, fa_module_tensor(net, "weight"), fa_module_tensor(net, "bias")),
                             .context = net));
    /* an input that the result does not depend on */
    assert_true(fa_gradcheck(layer, FA_TENSORS(x, y), .context = net));
}

static void gradients_that_differ(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_tensor_of(0.5, 1, 2), *d = fa_to(x, FA_F64);
    wrong w = {.factor = 1};
    fa_set_requires_grad(d, true);
    assert_true(fa_gradcheck(with_wrong_gradient, FA_TENSORS(d), .context = &w));
    w.factor = 3;
    assert_false(fa_gradcheck(with_wrong_gradient, FA_TENSORS(d), .context = &w));
    FAILS(FA_ERROR_GRADIENT, "fa_gradcheck: the gradient of element 1 of the result with respect to element 1 of "
                             "input 0 is 3, and finite differences give 1");
    w.factor = (double)NAN;
    assert_false(fa_gradcheck(with_wrong_gradient, FA_TENSORS(d), .context = &w));
    FAILS(FA_ERROR_GRADIENT, "is nan, and finite differences give 0");
    w.factor = 1.01;
    assert_true(fa_gradcheck(with_wrong_gradient, FA_TENSORS(d), .context = &w, .rtol = 0.1));
}

/* What a call leaves behind in which the function fails: its error, and the inputs as they were. */
static void functions_that_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_tensor_of(0.5, 1, 2), FA_F64);
    fa_set_requires_grad(x, true);
    for (int at = 1; at <= 8; at++) {
        wrong w = {.factor = 1, .fails_at = at};
        assert_false(fa_gradcheck(with_wrong_gradient, FA_TENSORS(x), .context = &w));
        assert_int_equal(w.calls, at);
        char said[20];
        snprintf(said, sizeof said, "call %d", at);
        FAILS(FA_ERROR_USER, said);
        HOLD(x, 0.5, 1, 2);
    }
    assert_false(fa_gradcheck(nothing, FA_TENSORS(x)));
    FAILS(FA_ERROR_USER, "the function returned NULL");
    assert_false(fa_gradcheck(NULL, FA_TENSORS(x)));
    FAILS(FA_ERROR_ARGUMENT, "the function is NULL");
    assert_false(fa_gradcheck(smooth, FA_TENSORS(fa_tensor_of(1, 2), x)));
    FAILS(FA_ERROR_SHAPE, "fa_mul(");
    assert_false(fa_gradcheck(smooth, FA_TENSORS(fa_zeros(FA_SHAPE(2), .requires_grad = true), x)));
    FAILS(FA_ERROR_DTYPE, "input 0 is f32, in which differences are not exact");
    assert_false(fa_gradcheck(smooth, FA_TENSORS(fa_detach(x), fa_detach(x))));
    FAILS(FA_ERROR_GRADIENT, "no input requires a gradient");
    assert_false(fa_gradcheck(smooth, FA_TENSORS(x, NULL)));
    FAILS(FA_ERROR_ARGUMENT, "input 1 is NULL");
    assert_false(fa_gradcheck(smooth, FA_TENSORS(x, x), .eps = 0));
    FAILS(FA_ERROR_ARGUMENT, ".eps is more than 0");
}

static void no_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_tensor_of(0.5, 1), FA_F64);
    fa_set_requires_grad(x, true);
    for (int64_t n = 1;; n++) {
        fa__inject(n);
        const bool good = fa_gradcheck(smooth, FA_TENSORS(x, x));
        fa__inject(0);
        if (good)
            break;
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(gradients_that_agree), TEST(gradients_that_differ),
                                       TEST(functions_that_fail), TEST(no_memory)};
    return RUN("autograd_gradcheck");
}
