/* Random numbers: the same everywhere, for any number of threads, in any order of asking; generators; and whether they
 * look random. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <math.h>
#include <pthread.h>

enum { MANY = 200000 };
static double values[MANY];

static void read_values(const fa_tensor *t)
{
    assert_true(fa_numel(t) <= MANY);
    assert_true(fa_read(t, values, FA_F64, fa_numel(t)));
}

typedef fa_tensor *drawer(int64_t n, fa_dtype dtype);

static fa_tensor *uniform(int64_t n, fa_dtype dtype)
{
    return fa_rand(FA_SHAPE(n), .dtype = dtype);
}

static fa_tensor *normal(int64_t n, fa_dtype dtype)
{
    return fa_randn(FA_SHAPE(n), .dtype = dtype);
}

static fa_tensor *order(int64_t n, fa_dtype dtype)
{
    (void)dtype;
    return fa_randperm(n);
}

static fa_tensor *dropped(int64_t n, fa_dtype dtype)
{
    return fa_dropout(fa_ones(FA_SHAPE(n), .dtype = dtype), .p = 0.5);
}

static drawer *const drawers[] = {uniform, normal, order, dropped};
static const fa_dtype floats[] = {FA_F32, FA_F64, FA_F16, FA_BF16};

static void the_same_for_any_threads_and_device(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 7, 1000, 100003};
    for (size_t d = 0; d < 4; d++)
        for (size_t f = 0; f < 4; f++)
            for (size_t n = 0; n < 4; n++) {
                FA_SCOPE;
                fa_manual_seed(42);
                fa_set_num_threads(1);
                fa_tensor *one = drawers[d](sizes[n], floats[f]), *two = drawers[d](sizes[n], floats[f]);
                fa_set_num_threads(4);
                fa_manual_seed(42);
                assert_true(same_tensors(drawers[d](sizes[n], floats[f]), one));
                FA_USE(.device = DEVICE(1));
                assert_true(
                    same_tensors(drawers[d](sizes[n], floats[f]), two)); /* the next call, whatever the device */
                fa_set_num_threads(0);
                assert_no_error();
            }
}

static void shorter_draws_are_the_beginning_of_longer_ones(void **state)
{
    (void)state;
    for (size_t d = 0; d < 2; d++)
        for (size_t f = 0; f < 4; f++) {
            FA_SCOPE;
            fa_manual_seed(5);
            fa_tensor *all = drawers[d](67, floats[f]);
            for (int64_t n = 1; n < 67; n++) {
                fa_manual_seed(5);
                assert_true(same_tensors(drawers[d](n, floats[f]), fa_narrow(all, 0, 0, n)));
            }
        }
    /* the shape and what the memory looks like do not matter */
    FA_SCOPE;
    fa_manual_seed(5);
    fa_tensor *flat = fa_randn(FA_SHAPE(24)), *out = fa_t(fa_zeros(FA_SHAPE(6, 4)));
    fa_manual_seed(5);
    assert_true(same_tensors(fa_reshape(fa_randn(FA_SHAPE(2, 3, 4)), FA_SHAPE(24)), flat));
    fa_manual_seed(5);
    fa_randn(FA_SHAPE(4, 6), .out = out);
    assert_true(same_tensors(fa_reshape(out, FA_SHAPE(24)), flat));
    assert_no_error();
}

static void states_are_saved_and_restored(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(9);
    fa_rand(FA_SHAPE(3));
    fa_generator_state here = fa_random_state();
    assert_true(here.seed == 9 && here.call == 1);
    fa_tensor *a = fa_rand(FA_SHAPE(5)), *b = fa_rand(FA_SHAPE(5));
    assert_false(same_tensors(a, b));
    fa_set_random_state(here);
    assert_true(same_tensors(fa_rand(FA_SHAPE(5)), a));
    assert_true(same_tensors(fa_rand(FA_SHAPE(5)), b));
    fa_manual_seed(10);
    assert_false(same_tensors(fa_rand(FA_SHAPE(5)), a));
    fa_manual_seed(UINT64_MAX);
    fa_tensor *c = fa_rand(FA_SHAPE(5));
    fa_set_random_state((fa_generator_state){UINT64_MAX, UINT64_MAX});
    assert_false(same_tensors(fa_rand(FA_SHAPE(5)), c));
    assert_true(fa_random_state().call == 0);
}

static void generators_are_independent(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(3);
    fa_tensor *a = fa_rand(FA_SHAPE(4)), *b = fa_rand(FA_SHAPE(4));
    fa_manual_seed(3);
    {
        FA_SCOPE;
        fa_generator *g = fa_generator_new(3);
        assert_true(fa_generator_get(g).seed == 3);
        fa_generator_use(g);
        assert_true(same_tensors(fa_rand(FA_SHAPE(4)), a));
        assert_true(fa_random_state().call == 0);
        fa_generator_state at = fa_generator_get(g);
        assert_true(at.call == 1);
        assert_true(same_tensors(fa_rand(FA_SHAPE(4)), b));
        assert_true(fa_generator_set(g, at));
        assert_true(same_tensors(fa_rand(FA_SHAPE(4)), b));
        fa_generator_use(g); /* the same again */
    }
    fa_rand(FA_SHAPE(2)); /* in use: it lives on */
    assert_true(fa_random_state().call == 0);
    fa_generator_use(NULL);
    assert_true(same_tensors(fa_rand(FA_SHAPE(4)), a));
    assert_no_error();
    fa_generator_get(NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_generator_get");
    assert_false(fa_generator_set(NULL, fa_random_state()));
    assert_error(FA_ERROR_ARGUMENT, "fa_generator_set");
    fa_generator_use((fa_generator *)(void *)a);
    assert_error(FA_ERROR_ARGUMENT, "fa_generator_use");
}

static void *draw_in_thread(void *argument)
{
    double *sum = argument;
    fa_generator_use(fa_generator_new(11)); /* this thread's alone */
    *sum = fa_item(fa_sum(fa_rand(FA_SHAPE(1000))));
    return NULL;
}

static void a_generator_belongs_to_its_thread(void **state)
{
    (void)state;
    FA_SCOPE;
    pthread_t thread[4];
    double sum[4];
    fa_manual_seed(11);
    double want = fa_item(fa_sum(fa_rand(FA_SHAPE(1000))));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, draw_in_thread, &sum[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_true(sum[i] == want);
    }
    assert_true(fa_random_state().call == 1);
}

enum { DRAWS = 2000 };

static void *draw_often(void *generator)
{
    fa_generator_use(generator);
    for (int i = 0; i < DRAWS; i++) {
        FA_SCOPE;
        fa_rand(FA_SHAPE(3));
    }
    return NULL;
}

/* The thread sanitizer sees whether it is read beside a change. */
static void a_generator_tells_where_it_stands_while_others_draw(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_generator *g = fa_generator_new(5);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, draw_often, g), 0);
    for (uint64_t before = 0, now; before < DRAWS; before = now) {
        now = fa_generator_get(g).call;
        assert_true(now >= before);
    }
    pthread_join(thread, NULL);
    assert_true(fa_generator_get(g).seed == 5 && fa_generator_get(g).call == DRAWS);
}

static double moment(int64_t n, double about, int power)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += pow(values[i] - about, power);
    return sum / (double)n;
}

static void uniform_numbers_are_uniform(void **state)
{
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        FA_SCOPE;
        fa_manual_seed(1);
        read_values(fa_rand(FA_SHAPE(MANY), .dtype = floats[f]));
        int bin[100] = {0};
        double square = 0;
        for (int i = 0; i < MANY; i++) {
            assert_true(values[i] >= 0 && values[i] < 1);
            bin[(int)(values[i] * 100)]++;
        }
        for (int i = 0; i < 100; i++)
            square += (bin[i] - MANY / 100.0) * (bin[i] - MANY / 100.0) / (MANY / 100.0);
        assert_true(square > 60 && square < 150); /* chi squared, 99 degrees: outside by chance once in 1,000 */
        assert_true(fabs(moment(MANY, 0, 1) - 0.5) < 0.003);
        assert_true(fabs(moment(MANY, 0.5, 2) - 1.0 / 12) < 0.001);
        double neighbours = 0;
        for (int i = 1; i < MANY; i++)
            neighbours += (values[i] - 0.5) * (values[i - 1] - 0.5);
        assert_true(fabs(neighbours / MANY) < 0.001);
    }
    for (size_t f = 2; f < 4; f++) { /* rounded to few bits, they still stay below 1 */
        FA_SCOPE;
        read_values(fa_rand(FA_SHAPE(MANY), .dtype = floats[f]));
        for (int i = 0; i < MANY; i++)
            assert_true(values[i] >= 0 && values[i] < 1);
    }
}

static void normal_numbers_are_normal(void **state)
{
    (void)state;
    for (size_t f = 0; f < 4; f++) {
        FA_SCOPE;
        fa_manual_seed(2);
        read_values(fa_randn(FA_SHAPE(MANY), .dtype = floats[f]));
        int beyond[5] = {0};
        for (int i = 0; i < MANY; i++) {
            assert_true(isfinite(values[i]));
            for (int s = 0; s < 5; s++)
                beyond[s] += fabs(values[i]) > s;
        }
        assert_true(fabs(moment(MANY, 0, 1)) < 0.01);
        assert_true(fabs(moment(MANY, 0, 2) - 1) < 0.02);
        assert_true(fabs(moment(MANY, 0, 3)) < 0.05);
        assert_true(fabs(moment(MANY, 0, 4) - 3) < 0.1);
        assert_true(fabs(beyond[1] / (double)MANY - 0.3173) < 0.006);
        assert_true(fabs(beyond[2] / (double)MANY - 0.0455) < 0.004);
        assert_true(fabs(beyond[3] / (double)MANY - 0.0027) < 0.001);
        assert_true(beyond[4] > 0 && beyond[4] < 60);
    }
}

static void permutations_are_permutations(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 100, 4096, 100000};
    static bool seen[100000];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        FA_SCOPE;
        fa_tensor *p = fa_randperm(sizes[i]);
        assert_int_equal(fa_tensor_dtype(p), FA_I64);
        read_values(p);
        memset(seen, 0, sizeof seen);
        for (int64_t k = 0; k < sizes[i]; k++) {
            int64_t v = (int64_t)values[k];
            assert_true(v >= 0 && v < sizes[i] && !seen[v]);
            seen[v] = true;
        }
    }
    /* each of the six orders of three is as likely */
    int count[27] = {0};
    fa_manual_seed(77);
    FA_REPEAT (i, 6000) {
        read_values(fa_randperm(3));
        count[(int)values[0] * 9 + (int)values[1] * 3 + (int)values[2]]++;
    }
    double square = 0;
    int kinds = 0;
    for (int i = 0; i < 27; i++)
        if (count[i]) {
            kinds++;
            square += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000.0;
        }
    assert_int_equal(kinds, 6);
    assert_true(square < 20.5); /* 5 degrees: once in 1,000 */
}

static void dropping_keeps_the_mean(void **state)
{
    (void)state;
    FA_SCOPE;
    static const double p[] = {0.1, 0.5, 0.9};
    for (int k = 0; k < 3; k++) {
        read_values(fa_dropout(fa_ones(FA_SHAPE(MANY)), .p = p[k]));
        int zeros = 0;
        for (int i = 0; i < MANY; i++) {
            zeros += values[i] == 0;
            assert_true(values[i] == 0 || fabs(values[i] - 1 / (1 - p[k])) < 1e-5);
        }
        assert_true(fabs(zeros / (double)MANY - p[k]) < 0.005);
    }
    fa_tensor *x = fa_ones(FA_SHAPE(100));
    assert_true(same_tensors(fa_dropout(x, .p = 0), x));
    assert_true(same_tensors(fa_dropout(x, .training = false), x));
    assert_true(fa_item(fa_sum(fa_dropout(x, .p = 1))) == 0);
    assert_no_error();
    assert_null(fa_dropout(x, .p = 1.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_dropout(");
    assert_null(fa_dropout(x, .p = NAN));
    assert_error(FA_ERROR_ARGUMENT, "fa_dropout(");
}

/* The first numbers of a seed are part of what programs rely on. */
static void the_numbers_of_a_seed_stay(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(0);
    float first[4];
    assert_true(fa_read(fa_rand(FA_SHAPE(4)), first, FA_F32, 4));
    /* Philox4x32-10 of counter 0 and key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123's known answers) */
    static const uint32_t known[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)first[i] - known[i] / 4294967296.0) < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_for_any_threads_and_device), TEST(shorter_draws_are_the_beginning_of_longer_ones),
        TEST(states_are_saved_and_restored),       TEST(generators_are_independent),
        TEST(a_generator_belongs_to_its_thread),   TEST(a_generator_tells_where_it_stands_while_others_draw),
        TEST(uniform_numbers_are_uniform),         TEST(normal_numbers_are_normal),
        TEST(permutations_are_permutations),       TEST(dropping_keeps_the_mean),
        TEST(the_numbers_of_a_seed_stay),
    };
    return RUN("api_random");
}
