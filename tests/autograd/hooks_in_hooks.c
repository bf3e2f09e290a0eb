/* Hooks that remove and add hooks while they are called: of leaves, of results, and behind the addition. */
#include "support/autograd_test.h"

typedef struct plan {
    fa_tensor *t;
    int64_t victim; /* the hook to be removed; 0: none */
    int64_t self;
    int calls;
    bool after;
    struct plan *adds; /* what is called by the hook that this one adds */
} plan;

static fa_tensor *act(fa_tensor *g, void *context)
{
    plan *p = context;
    (void)g;
    p->calls++;
    if (p->victim)
        assert_true(fa_unhook(p->t, p->victim));
    if (p->self)
        assert_true(fa_unhook(p->t, p->self));
    p->victim = p->self = 0;
    if (p->adds)
        assert_true((p->after ? fa_hook_after : fa_hook_grad)(p->t, act, p->adds) != 0);
    return NULL;
}

static int64_t hook(plan *p)
{
    return (p->after ? fa_hook_after : fa_hook_grad)(p->t, act, p);
}

/* The first one removes itself and the next: the third is called all the same, the second never. */
static void check_removal(fa_tensor *leaf, fa_tensor *t, bool after)
{
    plan p[3] = {{.t = t, .after = after}, {.t = t, .after = after}, {.t = t, .after = after}};
    int64_t id[3] = {hook(&p[0]), hook(&p[1]), hook(&p[2])};
    p[0].self = id[0];
    p[0].victim = id[1];
    fa_tensor *y = fa_sum(fa_mul(t, t));
    assert_true(fa_backward(y, .retain_graph = true));
    assert_true(fa_backward(y));
    assert_int_equal(p[0].calls, 1);
    assert_int_equal(p[1].calls, 0);
    assert_int_equal(p[2].calls, 2);
    HOLD(fa_grad(leaf), 4 * fa_item(leaf));
}

static void hooks_remove_hooks(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(1), 3, .dtype = FA_F64, .requires_grad = true);
    check_removal(x, x, false);
    x = fa_full(FA_SHAPE(1), 3, .dtype = FA_F64, .requires_grad = true);
    check_removal(x, x, true);
    x = fa_full(FA_SHAPE(1), 3, .dtype = FA_F64, .requires_grad = true);
    check_removal(x, fa_mul(x, 1), false);
}

/* What a hook adds is called from the next gradient on: one that always adds does not keep backward for ever. */
static void hooks_add_hooks(void **state)
{
    (void)state;
    for (int after = 0; after < 2; after++) {
        fa_tensor *x = fa_full(FA_SHAPE(1), 3, .dtype = FA_F64, .requires_grad = true);
        plan p = {.t = x, .after = after}, added = p;
        p.adds = &added;
        hook(&p);
        hook(&p);
        assert_true(fa_backward(fa_sum(fa_mul(x, x))));
        assert_int_equal(p.calls, 2);
        assert_int_equal(added.calls, 0);
        assert_true(fa_backward(fa_sum(fa_mul(x, x))));
        assert_int_equal(p.calls, 4);
        assert_int_equal(added.calls, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(hooks_remove_hooks), TEST(hooks_add_hooks)};
    return RUN("hooks_change");
}
