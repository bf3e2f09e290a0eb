/* Threads: each with tensors, settings, scopes and errors of its own; what is only read may be shared; and the hooks of
 * a program that Facula is part of. To be run under the thread sanitizer. */
#define _GNU_SOURCE
#include "core/random.h"
#include "support/api_test.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 30 };

/* Runs `run` in some threads at once, each given its number; how many did not return true. */
typedef bool worker(int number);
typedef struct job {
    worker *run;
    int number;
    bool good;
} job;

static void *work(void *argument)
{
    job *j = argument;
    j->good = j->run(j->number);
    if (fa_failed())
        fprintf(stderr, "thread %d: %s\n", j->number, fa_error_message());
    fa_error_clear();
    return NULL;
}

static int in_threads(worker *run, int count)
{
    pthread_t thread[32];
    job jobs[32];
    int failed = 0;
    for (int i = 0; i < count; i++) {
        jobs[i] = (job){run, i, false};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(thread[i], NULL);
        failed += !jobs[i].good;
    }
    return failed;
}

/* ---- own tensors ---- */

static bool train(int number)
{
    const fa_device where = number % 2 ? DEVICE(number / 2 % 2) : FA_CPU;
    FA_USE(.device = where);
    fa_tensor *x = fa_expand(fa_tensor_of(1.0, 2.0, 3.0), FA_SHAPE(5, 3)),
              *w = fa_zeros(FA_SHAPE(2, 3), .requires_grad = true);
    fa_tensor *target = fa_tensor_of(0, 1, 0, 1, 1);
    double first = 0, last = 0;
    FA_REPEAT (i, TURNS) {
        fa_set_grad(w, NULL);
        fa_tensor *loss = fa_cross_entropy(fa_linear(x, w), target);
        fa_backward(loss);
        const fa_binding b[] = {{.name = "p", .tensors = FA_TENSORS(w)},
                                {.name = "g", .tensors = FA_TENSORS(fa_grad(w))},
                                {.name = "lr", .number = fa__arg_f(0.05)}};
        fa_update("p = p - lr * g", 3, b);
        last = fa_item(loss);
        first = i ? first : last;
    }
    return !fa_failed() && first > 0.693 && last < first;
}

static void threads_train_on_their_own(void **state)
{
    (void)state;
    assert_int_equal(in_threads(train, THREADS), 0);
}

static bool large(int number)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(300, 1000), (double)number);
    double sum = 0;
    FA_REPEAT (i, 5)
        sum = fa_item(fa_sum(fa_add(fa_mul(x, 2), fa_t(fa_ones(FA_SHAPE(1000, 300))))));
    return sum == 300000.0 * (2 * number + 1) && !fa_failed();
}

static void large_operations_at_once_share_the_pool(void **state)
{
    (void)state;
    fa_set_num_threads(3);
    assert_int_equal(in_threads(large, THREADS), 0);
    fa_set_num_threads(0);
}

/* ---- shared tensors, only read ---- */

static fa_tensor *shared, *shared_late, *shared_weight;

static bool read_shared(int number)
{
    FA_SCOPE;
    bool good = true;
    FA_REPEAT (i, TURNS) {
        FA_USE(.no_grad = number % 2 == 0);
        fa_tensor *y = fa_linear(shared, shared_weight), *part = fa_get(shared, "::-1, 1");
        good = good && fa_item(fa_sum(y)) == 3.0 * 4 * 5 && fa_item(fa_sum(part)) == 3;
        fa_tensor *kept = fa_keep(fa_t(shared));
        fa_release(kept);
        good = good && fa_item(fa_sum(fa_mul(shared_late, 2))) == 2000;
        good = good && fa_item(fa_sum(fa_to(shared, DEVICE(number % 2)))) == 15;
        char *text = fa_text(shared);
        good = good && text;
        fa_free_text(text);
    }
    return good && !fa_failed();
}

static void what_is_read_may_be_shared(void **state)
{
    (void)state;
    FA_SCOPE;
    shared = fa_ones(FA_SHAPE(3, 5));
    shared_weight = fa_ones(FA_SHAPE(4, 5), .requires_grad = true);
    shared_late = fa_to(fa_ones(FA_SHAPE(1000)), DEVICE(0));
    assert_int_equal(in_threads(read_shared, THREADS), 0);
    assert_null(fa_grad(shared_weight));
}

static bool add_to_shared_gradient(int number)
{
    (void)number;
    FA_REPEAT (i, TURNS)
        fa_backward(fa_sum(fa_linear(shared, shared_weight)));
    return !fa_failed();
}

static void gradients_of_a_shared_leaf_add_up(void **state)
{
    (void)state;
    FA_SCOPE;
    shared = fa_ones(FA_SHAPE(3, 5));
    shared_weight = fa_ones(FA_SHAPE(4, 5), .requires_grad = true);
    assert_int_equal(in_threads(add_to_shared_gradient, THREADS), 0);
    assert_true(fa_item(fa_sum(fa_grad(shared_weight))) == 20.0 * 3 * THREADS * TURNS);
}

/* ---- a value through many hands ---- */

static _Atomic(fa_tensor *) mailbox;

static bool send(int number)
{
    for (int i = 0; i < TURNS; i++) {
        FA_SCOPE;
        fa_tensor *t = fa_keep(fa_full(FA_SHAPE(i % 2 ? 7 : 2000), 1.0));
        fa_tensor *none = NULL;
        while (!atomic_compare_exchange_weak(&mailbox, &none, t))
            none = NULL;
    }
    (void)number;
    return !fa_failed();
}

static bool receive(void)
{
    for (int i = 0; i < TURNS;) {
        fa_tensor *t = atomic_exchange(&mailbox, NULL);
        if (!t)
            continue;
        FA_SCOPE;
        fa_adopt(t);
        if (fa_item(fa_mean(t)) != 1)
            return false;
        i++;
    }
    return !fa_failed();
}

static bool send_or_receive(int number)
{
    return number % 2 ? receive() : send(number);
}

static void what_one_allocates_another_may_free(void **state)
{
    (void)state;
    size_t before = fa_memory_stats(FA_CPU).blocks.current;
    assert_int_equal(in_threads(send_or_receive, THREADS), 0);
    assert_int_equal(fa_memory_stats(FA_CPU).blocks.current, before);
}

/* ---- errors, expressions, statistics ---- */

static bool fail_alone(int number)
{
    char text[40];
    snprintf(text, sizeof text, "thread %d", number);
    for (int i = 0; i < TURNS; i++) {
        if (number % 2) {
            fa_fail(FA_ERROR_USER, "%s", text);
            fa_add(fa_zeros(FA_SHAPE(2)), fa_zeros(FA_SHAPE(3)));
            if (!fa_failed() || strcmp(error_reason(), text) != 0)
                return false;
            fa_error_clear();
        } else if (!fa_add(fa_zeros(FA_SHAPE(2)), 1) || fa_failed())
            return false;
    }
    return true;
}

static void errors_belong_to_their_thread(void **state)
{
    (void)state;
    assert_int_equal(in_threads(fail_alone, THREADS), 0);
    assert_no_error();
}

static bool parse_and_look(int number)
{
    FA_SCOPE;
    for (int i = 0; i < TURNS; i++) {
        char text[64];
        snprintf(text, sizeof text, "x * %d + y * %d", i % 7, number % 2);
        if (fa_item(fa_pointwise(text, 2.0, fa_ones(FA_SCALAR))) != 2 * (i % 7) + number % 2)
            return false;
        fa_memory_stats(FA_CPU);
        fa_memory_stats(DEVICE(0));
        fa_transfers_total();
        if (i % 10 == 0)
            fa_empty_cache(FA_CPU);
        fa_device_best();
        fa_rand(FA_SHAPE(3));
        fa_set_num_threads(1 + i % 3);
    }
    return !fa_failed();
}

static void caches_and_counts_are_shared_safely(void **state)
{
    (void)state;
    assert_int_equal(in_threads(parse_and_look, THREADS), 0);
    fa_set_num_threads(0);
}

static bool begin_and_end(int number)
{
    (void)number;
    fa_tensor_of(1.0, 2.0);
    return !fa_failed();
}

static void many_threads_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        assert_int_equal(in_threads(begin_and_end, 16), 0);
}

/* ---- hooks ---- */

static _Atomic int loops, ranges;
static int hook_context;

typedef struct piece {
    void (*body)(void *, int64_t, int64_t);
    void *context;
    int64_t begin, end;
} piece;

static void *run_piece(void *argument)
{
    piece *p = argument;
    p->body(p->context, p->begin, p->end);
    ranges++;
    return NULL;
}

/* Two threads that are new each time, and ranges out of order. */
static void own_parallel_for(void *context, int64_t count, int64_t grain, void (*body)(void *, int64_t, int64_t),
                             void *body_context)
{
    pthread_t thread;
    int64_t half = count / 2 / grain * grain;
    piece low = {body, body_context, 0, half}, high = {body, body_context, half, count};
    if (context == &hook_context)
        loops++;
    if (half && pthread_create(&thread, NULL, run_piece, &low) == 0) {
        run_piece(&high);
        pthread_join(thread, NULL);
    } else
        body(body_context, 0, count);
}

static void loops_may_run_on_the_programs_threads(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_set_num_threads(4);
    fa_tensor *x = fa_rand(FA_SHAPE(500, 700)), *a = fa_matmul(x, fa_t(x)), *s = fa_sum(fa_mul(x, x)),
              *m = fa_softmax(x, 1);
    assert_true(fa_set_parallel_for(own_parallel_for, &hook_context));
    assert_true(same_tensors(fa_matmul(x, fa_t(x)), a)); /* the same bits */
    assert_true(same_tensors(fa_sum(fa_mul(x, x)), s));
    assert_true(same_tensors(fa_softmax(x, 1), m));
    assert_true(loops > 0 && ranges > 0);
    /* errors of their threads come back */
    assert_null(fa_index_select(x, 0, fa_full(FA_SHAPE(100000), 500)));
    assert_error(FA_ERROR_INDEX, "500");
    assert_true(fa_set_parallel_for(NULL, NULL));
    int before = loops;
    assert_true(same_tensors(fa_softmax(x, 1), m));
    assert_int_equal(loops, before);
    fa_set_num_threads(0);
    assert_no_error();
}

static _Atomic int lines;
static char last_line[200];
static pthread_mutex_t line_lock = PTHREAD_MUTEX_INITIALIZER;

static void listen(void *context, fa_log_level level, const char *message)
{
    pthread_mutex_lock(&line_lock);
    if (context == &hook_context && level == FA_LOG_ERROR && !strchr(message, '\n'))
        snprintf(last_line, sizeof last_line, "%s", message);
    pthread_mutex_unlock(&line_lock);
    lines++;
}

static void *leave_an_error(void *argument)
{
    (void)argument;
    fa_fail(FA_ERROR_USER, "left behind");
    return NULL;
}

static void errors_that_threads_leave_are_told_to_the_log(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    lines = 0;
    fa_set_log(listen, &hook_context);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, leave_an_error, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    fa_set_log(NULL, NULL);
    assert_int_equal(lines, THREADS);
    assert_non_null(strstr(last_line, "left behind (an error that the program never looked at)"));
}

/* ---- an allocator: a program of its own, because it has to be set first ---- */

static _Atomic int64_t given, taken, wrong;

static void *give(void *context, size_t size, size_t alignment)
{
    if (context != &hook_context || size == 0 || alignment < 16 || alignment & (alignment - 1))
        wrong++;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, size))
        return NULL;
    memset(memory, 0xEE, size);
    given += (int64_t)size;
    return memory;
}

static void take(void *context, void *memory, size_t size)
{
    if (context != &hook_context || !memory)
        wrong++;
    memset(memory, 0xDD, size);
    taken += (int64_t)size;
    free(memory);
}

static void check_taken(void)
{
    if (taken > given || wrong)
        _exit(3);
}

/* Tensors with elements of their own and with memory of the device's, in lots, from a thread that makes them to one
 * that only frees them. */
enum { LOT = 64, LOTS = 300 };
static fa_tensor *lot[LOT];
static _Atomic bool lot_is_full;

static void wait_until(bool full)
{
    while (atomic_load(&lot_is_full) != full)
        sched_yield();
}

static bool produce(int lots)
{
    for (int k = 0; k < lots; k++) {
        FA_SCOPE;
        wait_until(false);
        for (int i = 0; i < LOT; i++)
            lot[i] = fa_keep(fa_full(FA_SHAPE(i % 2 ? 4 : 2000), 1.0));
        atomic_store(&lot_is_full, true);
    }
    return !fa_failed();
}

static void consume(int lots)
{
    for (int k = 0; k < lots; k++) {
        wait_until(true);
        for (int i = 0; i < LOT; i++)
            fa_release(lot[i]);
        atomic_store(&lot_is_full, false);
    }
}

static void *produce_all(void *good)
{
    *(bool *)good = produce(LOTS + LOTS / 10);
    return NULL;
}

/* What the consumer has freed goes back to the producer: after a while no more memory is taken. */
static bool memory_goes_round(void)
{
    pthread_t thread;
    bool good = false;
    if (pthread_create(&thread, NULL, produce_all, &good))
        return false;
    consume(LOTS / 10);
    int64_t held = given - taken;
    size_t reserved = fa_memory_stats(FA_CPU).reserved;
    consume(LOTS);
    int64_t more = given - taken - held;
    bool same = fa_memory_stats(FA_CPU).reserved <= reserved + LOT * 8192;
    pthread_join(thread, NULL);
    if (more > 400000 || !same)
        fprintf(stderr, "%lld bytes more after %d tensors\n", (long long)more, LOTS * LOT);
    return good && more <= 400000 && same;
}

static int with_own_allocator(void)
{
    const fa_allocator a = {give, take, &hook_context};
    atexit(check_taken);
    if (!fa_set_allocator(&a))
        return 1;
    if (in_threads(train, THREADS) || in_threads(large, 2))
        return 2;
    fa_tensor *t = fa_add(fa_zeros(FA_SHAPE(1000)), 1);
    if (fa_item(fa_sum(t)) != 1000 || !given || wrong)
        return 4;
    if (!memory_goes_round())
        return 7;
    if (fa_set_allocator(NULL) || fa_error_code() != FA_ERROR_STATE) /* too late */
        return 5;
    fa_error_clear();
    return fa_failed() ? 6 : 0;
}

static void memory_may_come_from_the_program(void **state)
{
    (void)state;
    char self[4096] = "";
    int status = -1;
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        execl(self, self, "allocator", NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- generators ---- */

enum { DRAWS = 300000 };
static fa_generator *shared_generator; /* NULL: that of the process */

static bool draw(int number)
{
    (void)number;
    for (int i = 0; i < DRAWS; i++)
        fa__draw_keys(shared_generator, 1);
    return true;
}

static void no_two_threads_draw_the_same_numbers(void **state)
{
    (void)state;
    FA_SCOPE;
    shared_generator = fa_generator_new(7);
    assert_int_equal(in_threads(draw, THREADS), 0);
    assert_int_equal(fa_generator_get(shared_generator).call, THREADS * DRAWS);
    shared_generator = NULL;
    uint64_t before = fa__draw_keys(NULL, 1).call;
    assert_int_equal(in_threads(draw, THREADS), 0);
    assert_int_equal(fa__draw_keys(NULL, 1).call - before, THREADS * DRAWS + 1);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_train_on_their_own),
        TEST(large_operations_at_once_share_the_pool),
        TEST(what_is_read_may_be_shared),
        TEST(gradients_of_a_shared_leaf_add_up),
        TEST(what_one_allocates_another_may_free),
        TEST(errors_belong_to_their_thread),
        TEST(caches_and_counts_are_shared_safely),
        TEST(many_threads_come_and_go),
        TEST(loops_may_run_on_the_programs_threads),
        TEST(errors_that_threads_leave_are_told_to_the_log),
        TEST(memory_may_come_from_the_program),
        TEST(no_two_threads_draw_the_same_numbers),
    };
    if (count > 1 && strcmp(arguments[1], "allocator") == 0)
        return with_own_allocator();
    return RUN("api_threads");
}
