/* Scopes: every way out closes what was opened, once. */
#define _GNU_SOURCE
#include "support/alive.h"

/* ---- every way out ---- */
enum { BREAK, CONTINUE, RETURN, GOTO, OUTER_CONTINUE, WAYS };

static int leave(int how)
{
    int seen = 0;
    FA_REPEAT (b, 3) {
        {
            FA_SCOPE;
            FA_USE(.no_grad = true);
            make();
            FA_REPEAT (c, 4) {
                make();
                if (how == BREAK && c == 2)
                    break;
                if (how == CONTINUE && c == 2)
                    continue;
                if (how == RETURN && c == 2)
                    return 100 + (int)b;
                if (how == GOTO && c == 2)
                    goto out;
                FA_REPEAT (i, 4) {
                    FA_USE(.no_grad = true);
                    make();
                    if (i == 1)
                        continue;
                    if (i == 3)
                        break;
                    seen++;
                }
            }
            if (how == OUTER_CONTINUE)
                continue;
            seen += 1000;
        }
        FA_REPEAT (2)
            seen++;
    }
out:
    return seen;
}

static void every_way_out_closes_what_was_opened(void **state)
{
    (void)state;
    static const int seen[WAYS] = {3 * (1000 + 2 * 2 + 2), 3 * (1000 + 3 * 2 + 2), 100, 4, 3 * 4 * 2};
    for (int how = 0; how < WAYS; how++) {
        size_t owned;
        assert_int_equal(leave(how), seen[how]);
        assert_int_equal(alive, 0);
        assert_int_equal(open_scopes(&owned), 1);
        assert_false(fa__settings().no_grad);
    }
}

static int recurse(int depth)
{
    FA_SCOPE;
    make();
    FA_REPEAT (i, 2) {
        make();
        if (depth > 0 && i == 1)
            return recurse(depth - 1) + 1;
    }
    return 0;
}

static void recursion_closes_each_scope(void **state)
{
    (void)state;
    assert_int_equal(recurse(100), 100);
    assert_int_equal(alive, 0);
}

static void goto_back_opens_again(void **state)
{
    (void)state;
    int tries = 0;
again : {
    FA_USE(.autocast = FA_F16);
    FA_REPEAT (b, 3) {
        FA_USE(.no_grad = true);
        make();
        if (b == 1 && ++tries < 3)
            goto again;
    }
}
    assert_int_equal(tries, 3);
    assert_int_equal(fa__settings().autocast, FA_SAME);
}

static void many_scopes_at_once(void **state)
{
    (void)state;
    assert_int_equal(recurse(5000), 5000);
}

static void a_loop_without_braces(void **state)
{
    (void)state;
    int64_t k = 0;
    FA_REPEAT (3)
        k++;
    assert_int_equal(k, 3);
    if (k)
        FA_REPEAT (i, 2)
            k += i;
    else
        k = 0;
    assert_int_equal(k, 4);
    FA_REPEAT (i, 0)
        k = i;
    FA_REPEAT (i, -5)
        k = i;
    FA_REPEAT (i, INT64_MIN)
        k = i;
    assert_int_equal(k, 4);
}

static void a_turn_frees_its_temporaries(void **state)
{
    (void)state;
    size_t before = blocks(), most = 0;
    FA_REPEAT (i, 100) {
        fa_tensor *t = fa_zeros(FA_SHAPE(100));
        for (int k = 0; k < 10; k++)
            t = fa_add(t, 1);
        most = blocks() > most ? blocks() : most;
        assert_int_equal(alive, 0);
        make();
    }
    assert_int_equal(alive, 0);
    assert_int_equal(blocks(), before);
    assert_true(most <= before + 11);
}

static void the_report_names_scopes(void **state)
{
    (void)state;
    FA_SCOPE;
    make();
    FA_REPEAT (i, 1) {
        make();
        make();
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        fa_scope_report(file);
        fclose(file);
        assert_true(strncmp(text, "the root scope ", 15) == 0);
        const char *outer = strstr(text, "scopes.c:"), *inner = outer ? strstr(outer + 1, "scopes.c:") : NULL;
        assert_non_null(inner);
        assert_non_null(strstr(outer, " 1 objects"));
        assert_non_null(strstr(inner, " 2 objects"));
        free(text);
    }
}

/* ---- ways out that no language provides for ---- */

static jmp_buf far;

static void jump(void)
{
    FA_SCOPE;
    make();
    FA_USE(.no_grad = true, .placement = FA_PLACE_AUTO);
    FA_REPEAT (i, 3) {
        FA_SCOPE;
        make();
        if (i == 1)
            longjmp(far, 1);
    }
}

static void a_jump_over_scopes_is_caught_by_the_outer_one(void **state)
{
    (void)state;
    {
        FA_SCOPE;
        if (setjmp(far) == 0)
            jump();
    }
    assert_int_equal(alive, 0);
    assert_false(fa__settings().no_grad);
    assert_int_equal(fa__settings().placement, FA_PLACE_DEFAULT);
    size_t owned;
    assert_int_equal(open_scopes(&owned), 1);
}

static void a_jump_within_a_loop_is_caught_by_the_next_turn(void **state)
{
    (void)state;
    volatile int turns = 0;
    FA_REPEAT (i, 5) {
        size_t owned;
        assert_int_equal(alive, 0);
        assert_int_equal(open_scopes(&owned), 2);
        assert_false(fa__settings().no_grad);
        if (setjmp(far) == 0)
            jump();
        turns++;
    }
    assert_int_equal(turns, 5);
}

/* A hook that jumps within itself leaves scopes open; the next node of backward does not see them. */
static int open_in_hook[2];

static fa_tensor *count_and_jump(fa_tensor *grad, void *context)
{
    size_t owned;
    open_in_hook[*(int *)context] = open_scopes(&owned);
    if (setjmp(far) == 0)
        jump();
    return grad;
}

static void a_jump_in_a_hook_is_caught_by_the_next_node(void **state)
{
    (void)state;
    FA_SCOPE;
    int number[2] = {0, 1};
    fa_tensor *x = fa_ones(FA_SHAPE(3), .requires_grad = true), *y = fa_mul(x, 2), *z = fa_exp(fa_neg(y));
    assert_true(fa_hook_grad(z, count_and_jump, &number[0]) && fa_hook_grad(y, count_and_jump, &number[1]));
    assert_true(fa_backward(fa_sum(z)));
    assert_true(open_in_hook[0] > 0);
    assert_int_equal(open_in_hook[1], open_in_hook[0]);
    assert_int_equal(alive, 0);
}

#ifndef __clang__ /* to which it is an error */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wswitch-unreachable"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
static int jump_past(int where)
{
    switch (where) {
        FA_SCOPE; /* never opened: nothing may be closed at the end of the block */
        FA_USE(.no_grad = true);
    case 0:
        return 10;
    case 1:
        make();
        break;
    default:
        return 20;
    }
    return 30;
}
#pragma GCC diagnostic pop

/* Fills the stack with something, so that what a jump skips does not happen to be zero. */
static __attribute__((__noinline__)) int dirty(int value)
{
    volatile unsigned char stack[2000];
    for (size_t i = 0; i < sizeof stack; i++)
        stack[i] = (unsigned char)value;
    return stack[1000];
}

static void a_switch_past_a_declaration_closes_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    make();
    size_t owned;
    for (int value = 0; value < 256; value += 5)
        for (int where = 0; where < 3; where++) {
            FA_SCOPE;
            dirty(value);
            assert_int_equal(jump_past(where), where == 0 ? 10 : where == 1 ? 30 : 20);
            assert_int_equal(open_scopes(&owned), 3);
            assert_true(fa__settings().no_grad);
        }
    assert_int_equal(alive, 1);
}
#endif

/* A variable that holds what a scope left behind on the stack, closed again: the frame may be another's by now. */
static void a_scope_closed_twice_closes_once(void **state)
{
    (void)state;
    fa__scope s = fa__scope_open("here", 0);
    fa__scope again = s;
    fa__scope_close(&s);
    fa__scope_close(&s);
    size_t owned;
    assert_int_equal(open_scopes(&owned), 1);
    fa__scope_close(&again);
    assert_int_equal(open_scopes(&owned), 1);
}

/* ---- loops end ---- */

static void an_error_ends_loops(void **state)
{
    (void)state;
    int turns = 0;
    FA_REPEAT (i, 10) {
        FA_REPEAT (j, 10) {
            turns++;
            if (i == 1 && j == 2)
                fa_fail(FA_ERROR_USER, "no more");
        }
    }
    assert_int_equal(turns, 13);
    FA_REPEAT (i, 10)
        turns++;
    assert_int_equal(turns, 13);
    assert_error(FA_ERROR_USER, "no more");
}

static void stopping_ends_loops(void **state)
{
    (void)state;
    int turns = 0;
    FA_REPEAT (i, 10) {
        turns++;
        if (i == 3)
            fa_stop();
    }
    assert_int_equal(turns, 4);
    FA_REPEAT (1)
        turns++;
    assert_int_equal(turns, 4);
    assert_true(fa_stopped());
    assert_no_error();
    fa_stop_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_way_out_closes_what_was_opened),
        TEST(recursion_closes_each_scope),
        TEST(goto_back_opens_again),
        TEST(many_scopes_at_once),
        TEST(a_loop_without_braces),
        TEST(a_turn_frees_its_temporaries),
        TEST(the_report_names_scopes),
        TEST(a_jump_over_scopes_is_caught_by_the_outer_one),
        TEST(a_jump_within_a_loop_is_caught_by_the_next_turn),
        TEST(a_jump_in_a_hook_is_caught_by_the_next_node),
#ifndef __clang__
        TEST(a_switch_past_a_declaration_closes_nothing),
#endif
        TEST(a_scope_closed_twice_closes_once),
        TEST(an_error_ends_loops),
        TEST(stopping_ends_loops),
    };
    return RUN("api_scopes");
}
