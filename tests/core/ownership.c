/* Who owns what is made: it lives as long as it should and no longer, through callbacks, threads and forks. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "support/alive.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- owning ---- */

static void a_variable_outlives_the_turns(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        FA_VAR(total, fa_zeros(FA_SHAPE(3)));
        size_t most = 0;
        FA_REPEAT (i, 50) {
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

static void only_variables_are_assigned(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_linear(2, 2);
    fa_tensor *none = NULL, *plain = fa_zeros(FA_SHAPE(3)), *first = plain, *weight = fa_module_tensor(net, "weight");
    FA_VAR(owning, fa_ones(FA_SHAPE(2)));
    fa_tensor *same = owning, *product = fa_mul(weight, 2);
    fa_tensor **variables[] = {&none, &plain, &weight, &same, &product}; /* also what others hold as well */
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        fa_tensor *before = *variables[i];
        fa_assign(variables[i], fa_ones(FA_SHAPE(2, 2)));
        assert_error(FA_ERROR_STATE, "ownership.c:", "fa_assign: the variable was not declared with FA_VAR");
        assert_ptr_equal(*variables[i], before);
    }
    fa_assign(&same, NULL);
    assert_error(FA_ERROR_STATE, "fa_assign");
    assert_true(fa_item(fa_sum(first)) == 0 && fa_item(fa_sum(owning)) == 2);
    assert_ptr_equal(fa_module_tensor(net, "weight"), weight);
    assert_no_error();
}

/* `variable = x` in place of fa_assign(): said at the end of its block, or by the next fa_assign(); and what either
 * holds is freed once. */
static void a_variable_changed_by_hand_is_an_error(void **state)
{
    (void)state;
    size_t before = blocks();
    {
        FA_SCOPE;
        {
            FA_VAR(sum, fa_zeros(FA_SHAPE(2)));
            sum = fa_add(sum, 1);
        }
        assert_error(FA_ERROR_STATE, "the FA_VAR declared at", "ownership.c:", "was changed by =: fa_assign(");
        {
            FA_VAR(sum, fa_zeros(FA_SHAPE(2)));
            sum = fa_add(sum, 1);
            fa_tensor *other = sum;
            fa_assign(&sum, fa_ones(FA_SHAPE(2)));
            assert_error(FA_ERROR_STATE, "ownership.c:", "was changed by =: fa_assign(");
            assert_ptr_equal(sum, other);
        }
        assert_error(FA_ERROR_STATE, "was changed by =");
    }
    assert_int_equal(blocks(), before);
}

static void a_variable_may_begin_as_nothing(void **state)
{
    (void)state;
    FA_VAR(best, NULL);
    assert_null(best);
    FA_REPEAT (i, 3)
        fa_assign(&best, fa_full(FA_SCALAR, i));
    assert_int_equal(fa_item_int(best), 2);
}

static fa_tensor *from_two_levels(void)
{
    FA_SCOPE;
    fa_tensor *t = NULL;
    FA_REPEAT (i, 4) {
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

/* ---- callbacks that use the library while it takes things apart ---- */

static int callbacks;

static void make_more(void)
{
    callbacks++;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *t = fa_add(fa_tensor_of(1.0, 2.0), 1);
    FA_REPEAT (i, 3)
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
    FA_REPEAT (i, 3)
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
    FA_REPEAT (i, 3) {
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
    assert_non_null(strstr(said, " tensors made at "));
    assert_non_null(strstr(said, "ownership.c:"));
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
    const char *why;
    fa_device_count("opencl", &why); /* messages list devices; drivers start threads when they are first asked, and in
                                        the child these may wait for the address sanitizer's own locks for good */
    fa_set_num_threads(4);
    assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(300000)))) == 300000);
    assert_int_equal(in_child(use_after_fork), 0);
    of_the_parent = fa_sum(fa_to(fa_ones(FA_SHAPE(10)), FA_LATE(0)));
    assert_int_equal(in_child(late_after_fork), 0);
    assert_true(fa_item(of_the_parent) == 10);
    assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(300000)))) == 300000);
    fa_set_num_threads(0);
}

/* ---- what was freed: this program again, with FACULA_DEBUG=1 and without ---- */

static fa_tensor *dangling(void)
{
    FA_SCOPE;
    return fa_add(fa_tensor_of(1.0, 2.0), 1);
}

static bool dead(const char *call)
{
    bool good = fa_error_code() == FA_ERROR_STATE && strstr(fa_error_message(), "was freed when its scope ended")
                && strstr(fa_error_message(), "ownership.c:");
    if (!good)
        fprintf(stderr, "%s of a freed tensor: %s\n", call, fa_error_message());
    fa_error_clear();
    return good;
}

static int use_what_was_freed(void)
{
    fa_tensor *t = dangling(), *other = fa_tensor_of(1.0, 2.0);
    FA_VAR(variable, NULL);
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
    DEAD(fa_equal(other, t));
    DEAD(fa_allclose(t, other));
    DEAD(fa_keep(t));
    DEAD(fa_adopt(t));
    DEAD((fa_release(t), 0));
    DEAD((fa_drop(t), 0));
    DEAD(fa_escape(t));
    DEAD((fa_assign(&variable, t), 0));
    FA_REPEAT (i, 2) {
        fa_assign(&variable, fa_tensor_of(3.0));
    }
    good &= variable != NULL;
    fa_assign(&variable, NULL);
    {
        FA_SCOPE;
        fa_release(fa_tensor_of(1.0)); /* which the scope still owns */
    }
    good &= fa_error_code() == FA_ERROR_STATE && strstr(fa_error_message(), "the tensor was not kept");
    fa_error_clear();
    fa_sum((const fa_tensor *)(const void *)fa_nn_linear(1, 1)); /* the advice is given where it is not followed */
    const char *debug = getenv("FACULA_DEBUG");
    good &= fa_error_code() == FA_ERROR_ARGUMENT
            && (strstr(fa_error_message(), "FACULA_DEBUG=1") == NULL) == (debug && !strcmp(debug, "1"));
    good &= strstr(fa_error_message(), "fa_sum(x=no tensor): x is a module") != NULL;
    fa_error_clear();
    {
        FA_SCOPE;
        fa_escape(t);
    }
    good &= strstr(fa_error_message(), "ownership.c:") != NULL;
    fa_error_clear();
    return good && !fa_failed() ? 0 : 1;
}

/* References that the library's own objects hold are not the program's to release. */
static void what_others_hold_was_not_kept(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *layer = fa_nn_linear(2, 2), *net = fa_nn_sequential(layer);
    fa_tensor *weight = fa_module_tensor(layer, "weight"), *x = fa_ones(FA_SHAPE(3, 2));
    fa_optim *optim = fa_optim_sgd(net, .lr = 1);
    fa_dataset *data = fa_data_tensors(x), *part = fa_data_subset(data, (int64_t[]){0}, 1);
    const void *held[] = {layer, weight, x, data, optim};
    fa_schedule_step_lr(optim, 1);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        fa_release(held[i]);
        assert_error(FA_ERROR_STATE, "was not kept");
    }
    assert_non_null(fa_forward(net, x));
    assert_int_equal(fa_dataset_length(part), 1);
    assert_no_error();
}

/* In all modes, as long as the memory was not used again. */
static void a_freed_tensor_is_recognized(void **state)
{
    (void)state;
#ifdef API_ASAN
    skip(); /* its memory is poisoned */
#endif
    if (fa__pools_off())
        skip();
    FA_SCOPE;
    fa_tensor *other = fa_tensor_of(1.0, 2.0), *t = dangling(), *kept;
    assert_null(fa_add(other, t));
    assert_error(FA_ERROR_STATE, ": y was freed");
    assert_int_equal(fa_numel(t), -1);
    assert_error(FA_ERROR_STATE, "the tensor was freed");
    assert_null(fa_keep(t));
    assert_error(FA_ERROR_STATE, "was freed");
    {
        FA_SCOPE;
        kept = fa_keep(fa_tensor_of(3.0));
    }
    fa_release(kept);
    assert_false(fa_failed());
    fa_release(kept);
    assert_error(FA_ERROR_STATE, "fa_release: the object was freed");
    t = dangling();
    assert_null(fa_set(other, 0, t)); /* before its view takes that memory */
    assert_error(FA_ERROR_STATE, "was freed");
    t = dangling();
    assert_false(fa_save(FA_NAMED("t", t), "/dev/null"));
    assert_error(FA_ERROR_STATE, "was freed", "tensor 0 of fa_save");
    assert_true(fa_item(fa_sum(other)) == 3); /* the free list is whole */
    for (int i = 0; i < 1000; i++)
        assert_true(fa_item(fa_add(fa_tensor_of(1.0), i)) == i + 1);
}

static int use_what_was_freed_with(const char *debug)
{
    char self[4096] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        setenv("FACULA_DEBUG", debug, 1);
        execl(self, self, "freed", NULL);
        _exit(1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void using_a_freed_tensor_names_its_scope(void **state)
{
    (void)state;
    assert_int_equal(use_what_was_freed_with("1"), 0);
    assert_int_equal(use_what_was_freed_with("0"), 0);
}

/* A tensor that was kept from the last turn of a loop without FA_VAR is not one of this turn. */
static void a_tensor_of_the_last_turn_is_recognized(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *last = NULL;
    int refused = 0;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_tensor *now = fa_full(FA_SHAPE(2), i);
        if (last) {
            assert_null(fa_add(now, last));
            assert_error(FA_ERROR_STATE, ": y was freed when its scope ended", "ownership.c:");
            refused++;
        }
        last = now;
    }
    assert_int_equal(refused, 2);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(a_variable_outlives_the_turns),
        TEST(only_variables_are_assigned),
        TEST(a_variable_changed_by_hand_is_an_error),
        TEST(a_variable_may_begin_as_nothing),
        TEST(escaping_goes_one_level_out),
        TEST(escaping_from_a_return_in_a_loop),
        TEST(a_function_hands_its_result_out),
        TEST(escaping_in_the_root_scope_is_nothing),
        TEST(kept_objects_live_until_released),
        TEST(what_others_hold_was_not_kept),
        TEST(adopted_objects_belong_to_the_scope),
        TEST(one_object_may_stand_in_several_scopes),
        TEST(a_destructor_may_use_the_library),
        TEST(borrowed_memory_may_be_freed_by_a_callback_that_uses_the_library),
        TEST(objects_are_handed_over_between_threads),
        TEST(a_thread_frees_its_objects_when_it_ends),
        TEST(a_thread_may_end_within_scopes),
        TEST(a_root_scope_that_only_grows_is_told_to_the_log),
        TEST(after_fork_calls_work_or_fail_cleanly),
        TEST(a_freed_tensor_is_recognized),
        TEST(a_tensor_of_the_last_turn_is_recognized),
        TEST(using_a_freed_tensor_names_its_scope),
    };
    if (count > 1 && strcmp(arguments[1], "freed") == 0)
        return use_what_was_freed();
    return RUN("api_scope_owns");
}
