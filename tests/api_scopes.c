/* Scopes: every way out closes what was opened, once; who owns what lives as long as it should, and no longer. */
#define _GNU_SOURCE
#include "api_test.h"
#include <facula/object.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is alive: objects of the program's own, counted, and tensors by their memory ---- */
static _Atomic int alive;

typedef struct counted {
    fa_object base;
    void (*at_end)(void);
} counted;

static void counted_destroy(void *object)
{
    counted *c = object;
    alive--;
    if (c->at_end)
        c->at_end();
}

static const fa_object_type counted_type = {"counted", counted_destroy};

static counted *make(void)
{
    counted *c = fa_object_new(&counted_type, sizeof *c);
    assert_non_null(c);
    alive++;
    return c;
}

static size_t blocks(void)
{
    return fa_memory_stats(FA_CPU).blocks.current;
}

/* The lines of fa_scope_report: how many scopes are open, and how many objects they own. */
static int open_scopes(size_t *objects)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fa_scope_report(file);
    fclose(file);
    int lines = 0;
    *objects = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        char where[128];
        size_t count;
        assert_int_equal(sscanf(at, "%127[^\n]", where), 1);
        const char *number = strstr(where, " objects");
        assert_non_null(number);
        while (number > where && number[-1] != ' ')
            number--;
        assert_int_equal(sscanf(number, "%zu objects", &count), 1);
        *objects += count;
        lines++;
    }
    free(text);
    return lines;
}

static size_t owned_at_begin;
static int open_at_begin;

static int begin(void **state)
{
    api_begin(state);
    alive = 0;
    open_at_begin = open_scopes(&owned_at_begin); /* 1, unless a case before this one failed */
    return 0;
}

/* After each case: what is open and owned is what was before. */
static int end(void **state)
{
    (void)state;
    size_t owned;
    fa_error_clear();
    int open = open_scopes(&owned);
    if (open != open_at_begin || owned != owned_at_begin || alive != 0)
        print_error("%d scopes are open, %zu objects owned (%zu before), %d alive\n", open, owned, owned_at_begin, alive);
    return open == open_at_begin && owned == owned_at_begin && alive == 0 && !fa__settings().no_grad ? 0 : -1;
}

/* ---- every way out ---- */
enum { BREAK, CONTINUE, RETURN, GOTO, OUTER_CONTINUE, WAYS };

static int leave(int how)
{
    int seen = 0;
    FA_REPEAT(b, 3) {
        {
            FA_SCOPE;
            FA_USE(.no_grad = true);
            make();
            FA_REPEAT(c, 4) {
                make();
                if (how == BREAK && c == 2)
                    break;
                if (how == CONTINUE && c == 2)
                    continue;
                if (how == RETURN && c == 2)
                    return 100 + (int)b;
                if (how == GOTO && c == 2)
                    goto out;
                FA_REPEAT(i, 4) {
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
        FA_REPEAT(2)
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
    FA_REPEAT(i, 2) {
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
    FA_REPEAT(b, 3) {
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
    FA_REPEAT(3)
        k++;
    assert_int_equal(k, 3);
    if (k)
        FA_REPEAT(i, 2)
            k += i;
    else
        k = 0;
    assert_int_equal(k, 4);
    FA_REPEAT(i, 0)
        k = i;
    FA_REPEAT(i, -5)
        k = i;
    FA_REPEAT(i, INT64_MIN)
        k = i;
    assert_int_equal(k, 4);
}

static void a_turn_frees_its_temporaries(void **state)
{
    (void)state;
    size_t before = blocks(), most = 0;
    FA_REPEAT(i, 100) {
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
    FA_REPEAT(i, 1) {
        make();
        make();
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        fa_scope_report(file);
        fclose(file);
        assert_true(strncmp(text, "the root scope ", 15) == 0);
        const char *outer = strstr(text, "api_scopes.c:"), *inner = outer ? strstr(outer + 1, "api_scopes.c:") : NULL;
        assert_non_null(inner);
        assert_non_null(strstr(outer, " 1 objects"));
        assert_non_null(strstr(inner, " 2 objects"));
        free(text);
    }
}

/* ---- owning ---- */

static void a_variable_outlives_the_turns(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        FA_VAR(total, fa_zeros(FA_SHAPE(3)));
        size_t most = 0;
        FA_REPEAT(i, 50) {
            fa_assign(&total, fa_add(total, 1));
            most = blocks() > most ? blocks() : most;
        }
        assert_true(most <= before + 3);
        assert_true(fa_item(fa_select(total, 0, 2)) == 50);
        fa_assign(&total, total);
        assert_true(fa_item(fa_select(total, 0, 0)) == 50);
        fa_assign(&total, NULL);
        assert_null(total);
        fa_assign(&total, NULL);
        fa_assign(&total, fa_ones(FA_SHAPE(1)));
        assert_true(fa_item(total) == 1);
    }
    assert_int_equal(blocks(), before);
}

static void a_variable_may_begin_as_nothing(void **state)
{
    (void)state;
    FA_VAR(best, NULL);
    assert_null(best);
    FA_REPEAT(i, 3)
        fa_assign(&best, fa_full(FA_SCALAR, i));
    assert_int_equal(fa_item_int(best), 2);
}

static fa_tensor *from_two_levels(void)
{
    FA_SCOPE;
    fa_tensor *t = NULL;
    FA_REPEAT(i, 4) {
        {
            FA_SCOPE;
            make();
            t = fa_escape(fa_escape(fa_full(FA_SCALAR, (double)i)));
            make();
            t = fa_escape(t);
        }
        make();
        if (i == 2)
            return fa_escape(fa_escape(t));
    }
    return t;
}

static void escaping_goes_one_level_out(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        counted *kept = NULL, *lost = NULL;
        {
            FA_SCOPE;
            {
                FA_SCOPE;
                lost = make();
                kept = fa_escape(make());
                make();
            }
            assert_int_equal(alive, 1);
            kept = fa_escape(kept);
            assert_ptr_equal(fa_escape(kept), kept); /* not of this scope any more: stays */
        }
        (void)lost;
        assert_int_equal(alive, 1);
        assert_true(fa_object_is(kept, &counted_type));
        assert_ptr_equal(fa_escape((counted *)NULL), NULL);
    }
    assert_int_equal(alive, 0);
    assert_int_equal(blocks(), before);
}

static void escaping_from_a_return_in_a_loop(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = from_two_levels();
    assert_int_equal(alive, 0);
    /* escaped to the loop's turn once, then twice asked for from the turn: it stands in the scope around the loop */
    (void)t;
}

static fa_tensor *mean_square(const fa_tensor *x)
{
    FA_SCOPE;
    return fa_escape(fa_mean(fa_mul(x, x)));
}

static void a_function_hands_its_result_out(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        fa_tensor *x = fa_tensor_of(1.0, 2.0, 3.0), *m = mean_square(x);
        assert_int_equal(blocks(), before + 2);
        assert_true(fa_item(m) > 4.6 && fa_item(m) < 4.7);
    }
    assert_int_equal(blocks(), before);
}

static void escaping_in_the_root_scope_is_nothing(void **state)
{
    (void)state;
    fa_tensor *t = fa_tensor_of(1);
    assert_ptr_equal(fa_escape(t), t);
    assert_int_equal(fa_item_int(t), 1);
    owned_at_begin++;
}

static void kept_objects_live_until_released(void **state)
{
    (void)state;
    counted *c;
    {
        FA_SCOPE;
        c = fa_keep(make());
        assert_ptr_equal(fa_keep(c), c);
    }
    assert_int_equal(alive, 1);
    fa_release(c);
    assert_int_equal(alive, 1);
    fa_release(c);
    assert_int_equal(alive, 0);
    assert_null(fa_keep(NULL));
    fa_release(NULL);
    assert_no_error();
}

static void adopted_objects_belong_to_the_scope(void **state)
{
    (void)state;
    counted *c;
    {
        FA_SCOPE;
        c = fa_keep(make());
    }
    {
        FA_SCOPE;
        assert_ptr_equal(fa_adopt(c), c);
        assert_int_equal(alive, 1);
    }
    assert_int_equal(alive, 0);
    assert_null(fa_adopt((counted *)NULL));
}

static void one_object_may_stand_in_several_scopes(void **state)
{
    (void)state;
    counted *c;
    {
        FA_SCOPE;
        c = make();
        {
            FA_SCOPE;
            fa_adopt((counted *)fa_keep(c));
            fa_adopt((counted *)fa_keep(c));
            fa_escape(c);
        }
        assert_int_equal(alive, 1);
    }
    assert_int_equal(alive, 0);
}

/* ---- ways out that no language provides for ---- */

static jmp_buf far;

static void jump(void)
{
    FA_SCOPE;
    make();
    FA_USE(.no_grad = true, .placement = FA_PLACE_AUTO);
    FA_REPEAT(i, 3) {
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
    FA_REPEAT(i, 5) {
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

/* A variable that holds what a scope left behind on the stack, closed again: the frame may be another's by now. */
static void a_scope_closed_twice_closes_once(void **state)
{
    (void)state;
    fa__scope s = fa__scope_open("here");
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
    FA_REPEAT(i, 10) {
        FA_REPEAT(j, 10) {
            turns++;
            if (i == 1 && j == 2)
                fa_fail(FA_ERROR_USER, "no more");
        }
    }
    assert_int_equal(turns, 13);
    FA_REPEAT(i, 10)
        turns++;
    assert_int_equal(turns, 13);
    assert_error(FA_ERROR_USER, "no more");
}

static void stopping_ends_loops(void **state)
{
    (void)state;
    int turns = 0;
    FA_REPEAT(i, 10) {
        turns++;
        if (i == 3)
            fa_stop();
    }
    assert_int_equal(turns, 4);
    FA_REPEAT(1)
        turns++;
    assert_int_equal(turns, 4);
    assert_true(fa_stopped());
    assert_no_error();
    fa_stop_clear();
}

/* ---- callbacks that use the library while it takes things apart ---- */

static int callbacks;

static void make_more(void)
{
    callbacks++;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *t = fa_add(fa_tensor_of(1.0, 2.0), 1);
    FA_REPEAT(i, 3)
        fa_mul(t, t);
    assert_true(fa_item(fa_sum(t)) == 5);
}

static void make_and_leave(void)
{
    callbacks++;
    fa_tensor_of(1.0, 2.0);
    for (int i = 0; i < 100; i++)
        fa_zeros(FA_SHAPE(2));
}

static void a_destructor_may_use_the_library(void **state)
{
    (void)state;
    callbacks = 0;
    size_t before = blocks();
    {
        FA_SCOPE;
        for (int i = 0; i < 100; i++)
            make()->at_end = i % 2 ? make_more : make_and_leave;
    }
    assert_int_equal(callbacks, 100);
    assert_int_equal(alive, 0);
    assert_int_equal(blocks(), before);
    assert_no_error();
}

static void freed(void *context, void *data)
{
    assert_ptr_equal(((void **)context)[0], data);
    make_more();
    make_and_leave();
}

static void borrowed_memory_may_be_freed_by_a_callback_that_uses_the_library(void **state)
{
    (void)state;
    callbacks = 0;
    float data[4] = {1, 2, 3, 4};
    void *context[1] = {data};
    size_t before = blocks();
    {
        FA_SCOPE;
        fa_tensor *t = fa_tensor_borrow(data, FA_SHAPE(4), .free = freed, .ctx = context);
        fa_mul(fa_get(t, "::-1"), 2);
    }
    assert_int_equal(callbacks, 2);
    FA_REPEAT(i, 3)
        fa_tensor_borrow(data, FA_SHAPE(4), .free = freed, .ctx = context);
    assert_int_equal(callbacks, 8);
    assert_int_equal(blocks(), before);
}

/* ---- threads ---- */

static void *give(void *argument)
{
    (void)argument;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *t = fa_add(fa_ones(FA_SHAPE(1000)), 1);
    make();
    return fa_keep(t);
}

static void objects_are_handed_over_between_threads(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        for (int i = 0; i < 20; i++) {
            FA_SCOPE;
            pthread_t thread;
            void *t;
            assert_int_equal(pthread_create(&thread, NULL, give, NULL), 0);
            pthread_join(thread, &t);
            assert_true(fa_item(fa_sum(fa_adopt((fa_tensor *)t))) == 2000);
        }
    }
    assert_int_equal(alive, 0);
    assert_int_equal(blocks(), before);
}

static void *fill_the_root(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        make();
        fa_zeros(FA_SHAPE(1000));
        fa_zeros(FA_SHAPE(4));
    }
    make()->at_end = make_more;
    make()->at_end = make_and_leave;
    size_t owned;
    assert_int_equal(open_scopes(&owned), 1);
    assert_int_equal(owned, 302);
    return NULL;
}

static void a_thread_frees_its_objects_when_it_ends(void **state)
{
    (void)state;
    size_t before = blocks();
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        callbacks = 0;
        assert_int_equal(pthread_create(&thread, NULL, fill_the_root, NULL), 0);
        pthread_join(thread, NULL);
        assert_int_equal(alive, 0);
        assert_int_equal(callbacks, 2);
    }
    assert_int_equal(blocks(), before);
}

static void *exit_within(void *argument)
{
    (void)argument;
    make();
    FA_SCOPE;
    make();
    FA_USE(.no_grad = true);
    FA_REPEAT(i, 3) {
        make();
        pthread_exit(NULL);
    }
    return NULL;
}

static void a_thread_may_end_within_scopes(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, exit_within, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(alive, 0);
}

/* ---- the log ---- */

static char said[1000];
static int hints;

static void listen(void *context, fa_log_level level, const char *message)
{
    (void)context;
    hints += level == FA_LOG_WARNING;
    snprintf(said, sizeof said, "%s", message);
}

static void *long_loop(void *argument)
{
    for (int64_t i = 0; i < *(int64_t *)argument; i++)
        fa_tensor_of(1);
    return NULL;
}

static void a_root_scope_that_only_grows_is_told_to_the_log(void **state)
{
    (void)state;
    static const struct {
        int64_t objects;
        int hints;
    } rows[] = {{5000, 0}, {50000, 1}};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        hints = 0;
        fa_set_log(listen, NULL);
        int64_t objects = rows[i].objects;
        assert_int_equal(pthread_create(&thread, NULL, long_loop, &objects), 0);
        pthread_join(thread, NULL);
        fa_set_log(NULL, NULL);
        assert_int_equal(hints, rows[i].hints);
    }
    assert_non_null(strstr(said, "the root scope of a thread holds "));
    assert_non_null(strstr(said, "FA_SCOPE or FA_REPEAT"));
}

/* ---- fork ---- */

static int in_child(int (*run)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(run());
    }
    return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

static int use_after_fork(void)
{
    fa_tensor *t = fa_add(fa_ones(FA_SHAPE(300000)), 1);
    double sum = fa_item(fa_sum(t));
    return sum == 600000 && !fa_failed() ? 0 : 1;
}

static fa_tensor *of_the_parent;

/* The device's queue is a thread of the parent's. */
static int late_after_fork(void)
{
    fa_tensor *t = fa_to(fa_ones(FA_SHAPE(10)), FA_LATE(0));
    bool good = !t && fa_error_code() == FA_ERROR_STATE && strstr(fa_error_message(), "forked");
    fa_error_clear();
    good = good && !fa_add(of_the_parent, 1) && fa_error_code() == FA_ERROR_STATE;
    fa_error_clear();
    good = good && fa_item(of_the_parent) != 10 && fa_error_code() == FA_ERROR_STATE;
    fa_error_clear();
    fa_synchronize(FA_LATE(0));
    fa_error_clear();
    return good && use_after_fork() == 0 ? 0 : 1;
}

static void after_fork_calls_work_or_fail_cleanly(void **state)
{
    (void)state;
#ifdef API_TSAN
    skip();
#endif
    FA_SCOPE;
    fa_set_num_threads(4);
    assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(300000)))) == 300000);
    assert_int_equal(in_child(use_after_fork), 0);
    of_the_parent = fa_sum(fa_to(fa_ones(FA_SHAPE(10)), FA_LATE(0)));
    assert_int_equal(in_child(late_after_fork), 0);
    assert_true(fa_item(of_the_parent) == 10);
    assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(300000)))) == 300000);
    fa_set_num_threads(0);
}

/* ---- what was freed, while debugging: this program again, with FACULA_DEBUG=1 ---- */

static fa_tensor *dangling(void)
{
    FA_SCOPE;
    return fa_add(fa_tensor_of(1.0, 2.0), 1);
}

static bool dead(const char *call)
{
    bool good = fa_error_code() == FA_ERROR_STATE && strstr(fa_error_message(), "was freed when its scope ended")
                && strstr(fa_error_message(), "api_scopes.c:");
    if (!good)
        fprintf(stderr, "%s of a freed tensor: %s\n", call, fa_error_message());
    fa_error_clear();
    return good;
}

static int use_what_was_freed(void)
{
    fa_tensor *t = dangling(), *other = fa_tensor_of(1.0, 2.0), *variable = NULL;
    bool good = true;
#define DEAD(call)                                                                                                     \
    (void)(call);                                                                                                      \
    good &= dead(#call)
    DEAD(fa_add(t, 1));
    DEAD(fa_add(other, t));
    DEAD(fa_add_(t, 1));
    DEAD(fa_add(other, 1, .out = t));
    DEAD(fa_sum(t));
    DEAD(fa_matmul(other, t));
    DEAD(fa_t(t));
    DEAD(fa_get(t, "0"));
    DEAD(fa_set(t, "0", 1));
    DEAD(fa_item(t));
    DEAD(fa_size(t, 0));
    DEAD(fa_numel(t));
    DEAD(fa_ptr_f32(t));
    DEAD(fa_to(t, FA_F64));
    DEAD(fa_move_(t, FA_F64));
    DEAD(fa_text(t));
    DEAD(fa_grad(t));
    DEAD(fa_set_requires_grad(t, true));
    DEAD(fa_backward(t));
    DEAD(fa_cat(FA_TENSORS(other, t)));
    DEAD(fa_pointwise("x + y", other, t));
    DEAD(fa_same(other, t));
    DEAD(fa_keep(t));
    DEAD(fa_adopt(t));
    DEAD((fa_release(t), 0));
    DEAD((fa_assign(&variable, t), 0));
    FA_REPEAT(i, 2) {
        fa_assign(&variable, fa_tensor_of(3.0));
    }
    good &= variable != NULL;
    fa_assign(&variable, NULL);
    return good && !fa_failed() ? 0 : 1;
}

static void using_a_freed_tensor_names_its_scope(void **state)
{
    (void)state;
    char self[4096] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        setenv("FACULA_DEBUG", "1", 1);
        execl(self, self, "freed", NULL);
        _exit(1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(every_way_out_closes_what_was_opened),
        TEST(recursion_closes_each_scope),
        TEST(goto_back_opens_again),
        TEST(many_scopes_at_once),
        TEST(a_loop_without_braces),
        TEST(a_turn_frees_its_temporaries),
        TEST(the_report_names_scopes),
        TEST(a_variable_outlives_the_turns),
        TEST(a_variable_may_begin_as_nothing),
        TEST(escaping_goes_one_level_out),
        TEST(escaping_from_a_return_in_a_loop),
        TEST(a_function_hands_its_result_out),
        TEST(escaping_in_the_root_scope_is_nothing),
        TEST(kept_objects_live_until_released),
        TEST(adopted_objects_belong_to_the_scope),
        TEST(one_object_may_stand_in_several_scopes),
        TEST(a_jump_over_scopes_is_caught_by_the_outer_one),
        TEST(a_jump_within_a_loop_is_caught_by_the_next_turn),
        TEST(a_switch_past_a_declaration_closes_nothing),
        TEST(a_scope_closed_twice_closes_once),
        TEST(an_error_ends_loops),
        TEST(stopping_ends_loops),
        TEST(a_destructor_may_use_the_library),
        TEST(borrowed_memory_may_be_freed_by_a_callback_that_uses_the_library),
        TEST(objects_are_handed_over_between_threads),
        TEST(a_thread_frees_its_objects_when_it_ends),
        TEST(a_thread_may_end_within_scopes),
        TEST(a_root_scope_that_only_grows_is_told_to_the_log),
        TEST(after_fork_calls_work_or_fail_cleanly),
        TEST(using_a_freed_tensor_names_its_scope),
    };
    if (count > 1 && strcmp(arguments[1], "freed") == 0)
        return use_what_was_freed();
    return RUN("api_scopes");
}
