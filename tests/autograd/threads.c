/* Several threads run backward at once on graphs that share leaves, and one module's weights serve several threads. For
 * the thread sanitizer too. */
#include "support/autograd_test.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 50 };

typedef struct job {
    fa_tensor *w, *b;
    int number;
    bool good;
} job;

static void *trains(void *argument)
{
    job *j = argument;
    FA_REPEAT (i, TURNS) {
        fa_tensor *x = fa_full(FA_SHAPE(3), (double)(j->number + 1), .dtype = FA_F64);
        fa_tensor *y = fa_add(fa_mul(j->w, x), j->b);
        fa_backward(fa_sum(y));
    }
    j->good = !fa_failed();
    return NULL;
}

static void run_all(job *jobs, void *(*work)(void *))
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_true(jobs[i].good);
}

static void threads_add_to_shared_leaves(void **state)
{
    (void)state;
    int calls = 0, after = 0;
    fa_tensor *w = LEAF(1, 2, 3), *b = LEAF(4, 5, 6);
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (job){w, b, i, false};
    run_all(jobs, trains);
    HOLD(fa_grad(w), 10 * TURNS, 10 * TURNS, 10 * TURNS);
    HOLD(fa_grad(b), THREADS * TURNS, THREADS * TURNS, THREADS * TURNS);
    fa_set_grad(w, NULL);
    fa_hook_grad(w, counts, &calls);
    fa_hook_after(w, counts, &after);
    run_all(jobs, trains);
    HOLD(fa_grad(w), 10 * TURNS, 10 * TURNS, 10 * TURNS);
    assert_int_equal(calls, THREADS * TURNS);
    assert_int_equal(after, THREADS * TURNS);
}

/* The first gradient of a leaf, asked for by all at once. */
static void threads_meet_at_fresh_leaves(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        FA_SCOPE;
        fa_tensor *w = LEAF(1, 2, 3), *b = LEAF(4, 5, 6);
        job jobs[THREADS];
        for (int i = 0; i < THREADS; i++)
            jobs[i] = (job){w, b, i, false};
        run_all(jobs, trains);
        HOLD(fa_grad(w), 10 * TURNS, 10 * TURNS, 10 * TURNS);
    }
}

static void *infers(void *argument)
{
    job *j = argument;
    FA_USE(.no_grad = true);
    double last = 0;
    FA_REPEAT (i, TURNS)
        last = fa_item(fa_sum(fa_sigmoid(fa_add(fa_mul(j->w, j->number), j->b))));
    j->good = !fa_failed() && last > 0;
    return NULL;
}

static void threads_infer_with_shared_weights(void **state)
{
    (void)state;
    fa_tensor *w = LEAF(1, 2, 3), *b = LEAF(4, 5, 6);
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (job){w, b, i, false};
    run_all(jobs, infers);
}

/* A graph is built in one thread, and run by another. */
static void *runs(void *argument)
{
    job *j = argument;
    fa_tensor *y = fa_adopt(j->w);
    j->good = fa_backward(y);
    return NULL;
}

static void a_graph_is_handed_to_another_thread(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, 3);
    job j = {.w = fa_keep(fa_sum(fa_mul(x, x)))};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, runs, &j), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(j.good);
    HOLD(fa_grad(x), 4, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_add_to_shared_leaves),
        TEST(threads_meet_at_fresh_leaves),
        TEST(threads_infer_with_shared_weights),
        TEST(a_graph_is_handed_to_another_thread),
    };
    return cmocka_run_group_tests_name("autograd_threads", tests, NULL, NULL);
}
