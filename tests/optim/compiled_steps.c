/* Steps of which the C compiler makes loops (core/hot.def): they are what optimizers run with usual options, and have
 * the bits of the same program run operation by operation. */
#include "dispatch/compiled.h"
#include "dispatch/expressions.h"
#include "dispatch/row.h"
#include "optim/optim.h"
#include "support/api_test.h"
#include <stdio.h>

enum { ROWS = 37, COLUMNS = 95, MOST_LISTS = 4 };

static size_t bound(const fa__group *g)
{
    size_t n = 0;
    while (g->binding[0][n].name)
        n++;
    return n;
}

/* States are assigned to before the parameter is. */
static bool has_a_loop(const fa__group *g)
{
    const char *name[FA__MAX_INPUTS], *result[FA__MAX_INPUTS];
    const size_t n = bound(g);
    int results = 0;
    for (size_t i = 0; i < n; i++) {
        name[i] = g->binding[0][i].name;
        if (i && g->binding[0][i].tensors.count && strcmp(name[i], "g") != 0)
            result[results++] = name[i];
    }
    result[results++] = "p";
    const fa__op *op = fa__expression_take("update", g->text, name, (int)n, result, results);
    assert_non_null(op);
    bool has = op->compiled->program.hot >= 0;
    fa__expression_drop(op);
    return has;
}

static fa_tensor *numbers(fa_dtype dtype, bool turned)
{
    fa_tensor *x = turned ? fa_t(fa_randn(FA_SHAPE(COLUMNS, ROWS))) : fa_randn(FA_SHAPE(ROWS, COLUMNS));
    return fa_to(x, dtype);
}

/* The second step of an optimizer beside its program in another spelling, which no loop is made of. */
static void check(fa_optim *(*make)(fa_tensor *p), fa_dtype dtype, bool turned, bool loop)
{
    FA_SCOPE;
    fa_tensor *p = numbers(dtype, turned), *copy[MOST_LISTS];
    fa_set_requires_grad(p, true);
    fa_optim *o = make(p);
    fa_set_grad(p, numbers(dtype, false));
    assert_true(fa_optim_step(o));
    FA_USE(.no_grad = true);
    fa__group *g = o->group;
    fa_binding other[FA__MAX_INPUTS];
    const size_t n = bound(g);
    fa_set_grad(p, numbers(dtype, turned));
    for (size_t i = 0; i < MOST_LISTS; i++)
        copy[i] = i < n && g->binding[0][i].tensors.count ? fa_clone(g->binding[0][i].tensors.item[0]) : NULL;
    assert_true(fa_optim_step(o));
    assert_int_equal(has_a_loop(g), loop);
    for (size_t i = 0; i < n; i++) {
        other[i] = g->binding[0][i];
        if (other[i].tensors.count && strcmp(other[i].name, "g") != 0)
            other[i].tensors.item = &copy[i];
    }
    char text[400];
    snprintf(text, sizeof text, " %s", g->text);
    assert_true(fa_update(text, n, other));
    for (size_t i = 0; i < n; i++)
        if (other[i].tensors.count)
            assert_true(same_tensors(other[i].tensors.item[0], g->binding[0][i].tensors.item[0]));
}

#define MAKE(name, kind, ...)                                                                                          \
    static fa_optim *name(fa_tensor *p)                                                                                \
    {                                                                                                                  \
        return fa_optim_##kind(fa_params(p), __VA_ARGS__);                                                             \
    }
MAKE(momentum, sgd, .momentum = 0.9)
MAKE(momentum_decay, sgd, .momentum = 0.9, .weight_decay = 0.01)
MAKE(adam, adam, .lr = 0.01)
MAKE(adam_decay, adam, .lr = 0.01, .weight_decay = 0.01)
MAKE(adamw, adamw, .lr = 0.01)
MAKE(amsgrad, adam, .lr = 0.01, .amsgrad = true)

static void loops(void **state)
{
    (void)state;
    static fa_optim *(*const make[])(fa_tensor *) = {momentum, momentum_decay, adam, adam_decay, adamw, amsgrad};
    for (size_t i = 0; i < sizeof make / sizeof *make; i++)
        for (int turned = 0; turned < 2; turned++) {
            check(make[i], FA_F32, turned, make[i] != amsgrad);
            check(make[i], FA_F64, turned, make[i] != amsgrad);
            check(make[i], FA_BF16, turned, make[i] != amsgrad);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(loops),
    };
    return RUN("compiled steps");
}
