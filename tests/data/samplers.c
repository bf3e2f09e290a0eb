/* Samplers: what orders have, their statistics, PyTorch's distribution of samples over processes, permutations that are
 * not stored; and loaders with samplers, for any number of workers and from saved positions. */
#include "data/data.h"
#include "support/api_test.h"
#include <facula/data.h>
#include <math.h>

enum { COUNT = 23 };

static int64_t synthetic_length(void *context)
{
    return *(const int64_t *)context;
}

static bool synthetic_get(void *context, int64_t index, fa_sample *sample)
{
    (void)context;
    sample->input = fa_full(FA_SCALAR, (double)index, .dtype = FA_F64);
    return true;
}

static fa_dataset *synthetic(int64_t *length)
{
    return fa_dataset_new(&(fa_dataset_type){"synthetic", synthetic_length, synthetic_get, NULL, NULL}, length);
}

/* The order of an epoch; its length is returned. */
static int64_t order_of(const fa_sampler *s, uint64_t seed, int64_t epoch, int64_t *to, int64_t room)
{
    fa_tensor *t = fa_sampler_order(s, seed, epoch);
    assert_no_error();
    int64_t n = fa_size(t, 0);
    assert_int_equal(n, fa_sampler_length(s));
    assert_true(n <= room);
    assert_true(fa_read(t, to, FA_I64, n));
    return n;
}

/* How often each of n indices is there; all of them have to be of the n. */
static void count_indices(const int64_t *index, int64_t count, int64_t *times, int64_t n)
{
    memset(times, 0, (size_t)n * sizeof *times);
    for (int64_t i = 0; i < count; i++) {
        assert_true(index[i] >= 0 && index[i] < n);
        times[index[i]]++;
    }
}

static void sequential_and_random(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t n = COUNT, order[2][COUNT], times[COUNT];
    fa_dataset *d = synthetic(&n);
    order_of(fa_sampler_sequential(d), 5, 3, order[0], COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(order[0][i], i);
    fa_sampler *s = fa_sampler_random(d);
    for (int64_t epoch = 0; epoch < 20; epoch++) {
        order_of(s, 7, epoch, order[epoch % 2], COUNT);
        count_indices(order[epoch % 2], COUNT, times, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(times[i], 1);
        assert_memory_not_equal(order[0], order[1], sizeof *order);
    }
    order_of(s, 7, 19, order[0], COUNT);
    assert_memory_equal(order[0], order[1], sizeof *order);
    order_of(s, 8, 19, order[0], COUNT); /* another seed of the loader */
    assert_memory_not_equal(order[0], order[1], sizeof *order);
    order_of(fa_sampler_random(d, .seed = 7), 1, 19, order[0], COUNT); /* a seed of its own */
    assert_memory_equal(order[0], order[1], sizeof *order);
    assert_int_equal(order_of(fa_sampler_random(d, .num_samples = 5), 7, 19, order[0], COUNT), 5);
    assert_memory_equal(order[0], order[1], 5 * sizeof **order);
}

/* Pearson's statistic of counts against expected ones, in standard deviations from its mean. */
static double deviation_of(const int64_t *times, const double *expected, int64_t n)
{
    double sum = 0;
    int64_t freedom = -1;
    for (int64_t i = 0; i < n; i++) {
        if (expected[i] > 0) {
            sum += ((double)times[i] - expected[i]) * ((double)times[i] - expected[i]) / expected[i];
            freedom++;
        } else
            assert_int_equal(times[i], 0);
    }
    return (sum - (double)freedom) / sqrt(2 * (double)freedom);
}

enum { MANY = 50000 };

static int64_t drawn[MANY];

static void random_with_replacement(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t n = COUNT, times[COUNT];
    double expected[COUNT];
    fa_sampler *s = fa_sampler_random(synthetic(&n), .replacement = true, .num_samples = MANY);
    assert_int_equal(order_of(s, 1, 0, drawn, MANY), MANY);
    count_indices(drawn, MANY, times, COUNT);
    for (int i = 0; i < COUNT; i++)
        expected[i] = (double)MANY / COUNT;
    assert_true(fabs(deviation_of(times, expected, COUNT)) < 4);
}

static void weighted_with_replacement(void **state)
{
    (void)state;
    FA_SCOPE;
    const double weight[] = {0, 3, 0.5, 0, 1, 0.001, 12, 0};
    enum { N = sizeof weight / sizeof *weight };
    int64_t times[N];
    double expected[N];
    fa_sampler *s = fa_sampler_weighted(fa_tensor_from(weight, FA_SHAPE(N)), .num_samples = MANY);
    assert_int_equal(order_of(s, 1, 0, drawn, MANY), MANY);
    count_indices(drawn, MANY, times, N);
    for (int i = 0; i < N; i++)
        expected[i] = MANY * weight[i] / 16.501;
    assert_true(fabs(deviation_of(times, expected, N)) < 4);
}

/* The pairs that are drawn first and second have the probabilities of drawing one after the other. */
static void weighted_without_replacement(void **state)
{
    (void)state;
    FA_SCOPE;
    const double weight[] = {1, 0, 2, 4};
    enum { N = 4, EPOCHS = 20000 };
    int64_t pair[N * N] = {0}, order[N];
    double expected[N * N] = {0};
    fa_sampler *s = fa_sampler_weighted(fa_tensor_from(weight, FA_SHAPE(N)), .num_samples = 3, .replacement = false);
    for (int64_t epoch = 0; epoch < EPOCHS; epoch++) {
        FA_SCOPE;
        assert_int_equal(order_of(s, 3, epoch, order, N), 3);
        assert_true(order[0] != order[1] && order[1] != order[2] && order[0] != order[2]);
        pair[order[0] * N + order[1]]++;
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            expected[i * N + k] = i == k ? 0 : EPOCHS * weight[i] / 7 * weight[k] / (7 - weight[i]);
    assert_true(fabs(deviation_of(pair, expected, N * N)) < 4);
}

static void subsets_are_shuffled(void **state)
{
    (void)state;
    FA_SCOPE;
    const int64_t index[] = {9, 4, 22, 4, 0, 17};
    int64_t order[2][6], times[COUNT];
    fa_sampler *s = fa_sampler_subset(index, 6);
    for (int64_t epoch = 0; epoch < 2; epoch++) {
        assert_int_equal(order_of(s, 1, epoch, order[epoch], 6), 6);
        count_indices(order[epoch], 6, times, COUNT);
        assert_true(times[9] == 1 && times[4] == 2 && times[22] == 1 && times[0] == 1 && times[17] == 1);
    }
    assert_memory_not_equal(order[0], order[1], sizeof *order);
    assert_int_equal(fa_sampler_length(fa_sampler_subset(NULL, 0)), 0);
}

/* Each batch has the classes in their proportions, and each sample comes once. */
static void classes_are_spread(void **state)
{
    (void)state;
    FA_SCOPE;
    enum { N = 1000, BATCH = 50 };
    static int64_t label[N], order[2][N], times[N];
    const int64_t size[] = {700, 200, 90, 10};
    for (int64_t i = 0, class = 0, left = 0; i < N; i++) {
        for (; left == 0; class ++)
            left = size[class];
        left--;
        label[i * 7 % N] = 10 * class - 20; /* whatever numbers the classes have */
    }
    fa_sampler *s = fa_sampler_stratified(fa_tensor_from(label, FA_SHAPE(N), .dtype = FA_I64));
    for (int64_t epoch = 0; epoch < 20; epoch++) {
        assert_int_equal(order_of(s, 11, epoch, order[epoch % 2], N), N);
        count_indices(order[epoch % 2], N, times, N);
        for (int i = 0; i < N; i++)
            assert_int_equal(times[i], 1);
        for (int64_t begin = 0; begin < N; begin += BATCH) {
            int64_t of[4] = {0};
            for (int64_t i = begin; i < begin + BATCH; i++)
                of[(label[order[epoch % 2][i]] + 10) / 10]++;
            for (int class = 0; class < 4; class ++)
                assert_true(fabs((double)of[class] - (double)size[class] * BATCH / N) <= 2);
        }
        assert_memory_not_equal(order[0], order[1], sizeof *order);
    }
}

/* torch.utils.data.DistributedSampler(range(n), replicas, rank, shuffle=False, drop_last=d) has these. */
static void distributed_like_pytorch(void **state)
{
    (void)state;
    static const struct {
        int64_t n, replicas, rank;
        bool drop_last;
        int64_t length, index[6];
    } rows[] = {
        {10, 4, 0, false, 3, {0, 4, 8}}, {10, 4, 1, false, 3, {1, 5, 9}}, {10, 4, 2, false, 3, {2, 6, 0}},
        {10, 4, 3, false, 3, {3, 7, 1}}, {10, 4, 3, true, 2, {3, 7}},     {2, 5, 4, false, 1, {0}},
        {2, 5, 3, false, 1, {1}},        {2, 5, 3, true, 0, {0}},         {6, 1, 0, false, 6, {0, 1, 2, 3, 4, 5}},
        {8, 2, 1, true, 4, {1, 3, 5, 7}}};
    FA_SCOPE;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int64_t n = rows[r].n, order[6];
        fa_sampler *s = fa_sampler_distributed(synthetic(&n), .num_replicas = rows[r].replicas, .rank = rows[r].rank,
                                               .shuffle = false, .drop_last = rows[r].drop_last);
        assert_int_equal(order_of(s, 0, 0, order, 6), rows[r].length);
        assert_memory_equal(order, rows[r].index, (size_t)rows[r].length * sizeof *order);
    }
}

/* With shuffling, the ranks share one permutation, another one in each epoch, whatever the seeds of their loaders. */
static void distributed_ranks_share_an_order(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t n = COUNT, whole[COUNT], part[COUNT], times[COUNT];
    for (int64_t epoch = 0; epoch < 4; epoch++) {
        order_of(fa_sampler_random(synthetic(&n), .seed = 5), 0, epoch, whole, COUNT);
        for (int64_t rank = 0; rank < 3; rank++) {
            fa_sampler *s = fa_sampler_distributed(synthetic(&n), .num_replicas = 3, .rank = rank, .seed = 5);
            int64_t count = order_of(s, (uint64_t)rank, epoch, part, COUNT);
            assert_int_equal(count, 8);
            for (int64_t i = 0; i < count; i++)
                assert_int_equal(part[i], whole[(rank + 3 * i) % COUNT]);
        }
        count_indices(whole, COUNT, times, COUNT);
    }
}

/* ---- permutations that are not stored ---- */

static void computed_permutations(void **state)
{
    (void)state;
    static int64_t order[5000], times[5000];
    static const int64_t counts[] = {1, 2, 3, 4, 5, 15, 16, 17, 255, 1000, 4095, 4097, 5000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t key = 0; key < 3; key++) {
            for (int64_t i = 0; i < counts[c]; i++)
                order[i] = fa__permuted(i, counts[c], key);
            count_indices(order, counts[c], times, counts[c]);
            for (int64_t i = 0; i < counts[c]; i++)
                assert_int_equal(times[i], 1);
        }
    for (int64_t n = INT64_C(1) << 62; n < INT64_MAX / 2 + 10 && n > 0; n += 7)
        for (int64_t i = n - 3; i < n; i++)
            assert_true(fa__permuted(i, n, 1) >= 0 && fa__permuted(i, n, 1) < n);
    /* Where an item comes from is as good as random, over keys; and so is the distance of neighbours. */
    int64_t first[16] = {0}, apart[16] = {0};
    double expected[16], uniform[16];
    for (uint64_t key = 0; key < 16000; key++) {
        int64_t a = fa__permuted(5, 100, key), b = fa__permuted(6, 100, key);
        first[a * 16 / 100]++;
        apart[(a > b ? a - b - 1 : a - b + 99) * 16 / 99]++;
    }
    for (int i = 0; i < 16; i++) {
        expected[i] = uniform[i] = 0;
        for (int64_t a = 0; a < 100; a++)
            expected[i] += a * 16 / 100 == i ? 160 : 0;
        for (int64_t a = 0; a < 99; a++)
            uniform[i] += a * 16 / 99 == i ? 16000 / 99.0 : 0;
    }
    assert_true(fabs(deviation_of(first, expected, 16)) < 4);
    assert_true(fabs(deviation_of(apart, uniform, 16)) < 4);
}

/* An epoch of a million million samples begins at once, and takes no memory. */
static void huge_datasets(void **state)
{
    (void)state;
    int64_t n = INT64_C(1000000000000), seen[64], count = 0;
    FA_SCOPE; /* ends before n does, and workers with it */
    fa_dataset *d = synthetic(&n);
    for (int64_t workers = 0; workers < 3; workers += 2) {
        fa_loader *loader = fa_data_loader(d, .batch_size = 8, .shuffle = true, .seed = 3, .workers = workers);
        assert_int_equal(fa_loader_length(loader), n / 8);
        count = 0;
        FA_EACH (batch, loader) {
            for (int64_t i = 0; i < batch.size; i++, count++) {
                if (workers)
                    assert_int_equal(batch.samples[i], seen[count]);
                seen[count] = batch.samples[i];
                for (int64_t k = 0; k < count; k++)
                    assert_true(seen[k] != seen[count]);
            }
            if (batch.index == 7)
                break;
        }
        assert_no_error();
        assert_int_equal(count, 64);
    }
    FA_EACH (batch, fa_data_loader(d, .sampler = fa_sampler_random(d, .replacement = true, .num_samples = 3)))
        assert_true(batch.samples[0] >= 0 && batch.samples[0] < n);
    assert_no_error();
}

/* ---- in loaders ---- */

static int64_t own_length(void *context)
{
    (void)context;
    return 6;
}

static bool own_order(void *context, uint64_t seed, int64_t epoch, int64_t *index)
{
    if (epoch == 2)
        return fa_fail(FA_ERROR_USER, "no more");
    for (int64_t i = 0; i < 6; i++)
        index[i] = (i + epoch + (int64_t)(seed % 5)) % 6;
    return context == NULL;
}

static const fa_sampler_type own_type = {"mine", own_length, own_order, NULL};

static void user_samplers(void **state)
{
    (void)state;
    int64_t n = COUNT;
    FA_SCOPE;
    fa_dataset *d = synthetic(&n);
    for (int64_t workers = 0; workers < 3; workers++) {
        fa_loader *loader =
            fa_data_loader(d, .sampler = fa_sampler_new(&own_type, NULL), .seed = 3, .workers = workers);
        for (int64_t epoch = 0; epoch < 2; epoch++)
            FA_EACH (batch, loader)
                assert_int_equal(batch.samples[0], (batch.index + epoch + 3) % 6);
        assert_no_error();
        FA_EACH (batch, loader)
            fail();
        assert_error(FA_ERROR_USER, "sampler mine, epoch 2: ", "no more");
    }
    assert_null(fa_sampler_order(fa_sampler_new(&own_type, &n), 0, 0));
    assert_error(FA_ERROR_USER, "order failed, and raised no error");
    FA_EACH (batch, fa_data_loader(d, .sampler = fa_sampler_subset((int64_t[]){3, COUNT}, 2), .batch_size = 2))
        fail();
    assert_error(FA_ERROR_INDEX, "has no sample 23");
}

static fa_sampler *sampler_number(int k, const fa_dataset *d)
{
    fa_tensor *w = fa_add(fa_remainder(fa_arange(0, COUNT), 3), 1);
    switch (k) {
    case 0:
        return fa_sampler_random(d, .replacement = true);
    case 1:
        return fa_sampler_weighted(w, .num_samples = 30);
    case 2:
        return fa_sampler_weighted(w, .num_samples = 11, .replacement = false);
    case 3:
        return fa_sampler_subset((int64_t[]){3, 1, 4, 1, 5, 9, 2, 6, 5}, 9);
    case 4:
        return fa_sampler_stratified(fa_to(w, FA_I64));
    default:
        return fa_sampler_distributed(d, .num_replicas = 2, .rank = 1);
    }
}

/* The batches of two epochs, for any number of workers, and from a position in the middle. */
static void loaders_with_samplers(void **state)
{
    (void)state;
    int64_t n = COUNT, seen[2][80];
    for (int k = 0; k < 6; k++)
        for (int64_t workers = 0; workers < 4; workers += 1 + workers) {
            FA_SCOPE;
            fa_dataset *d = synthetic(&n);
            fa_loader *loader =
                fa_data_loader(d, .sampler = sampler_number(k, d), .batch_size = 4, .seed = 9, .workers = workers);
            fa_loader *other =
                fa_data_loader(d, .sampler = sampler_number(k, d), .batch_size = 4, .workers = 3 - workers);
            fa_loader *used = loader;
            int64_t count = 0;
            for (int epoch = 0; epoch < 3; epoch++)
                FA_EACH (batch, used) {
                    for (int64_t i = 0; i < batch.size; i++, count++) {
                        assert_float_equal(fa_item(fa_get(batch.input, i)), (double)batch.samples[i], 0);
                        seen[workers > 0][count] = batch.samples[i];
                    }
                    if (epoch == 0 && batch.index == 1) {
                        assert_true(fa_loader_seek(other, fa_loader_position(loader)));
                        used = other;
                        break;
                    }
                }
            assert_no_error();
            assert_int_equal(count, 2 * fa_sampler_length(sampler_number(k, d)));
            if (workers)
                assert_memory_equal(seen[0], seen[1], (size_t)count * sizeof **seen);
        }
}

static void wrong_arguments(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t n = COUNT, none = 0;
    fa_dataset *d = synthetic(&n);
    assert_null(fa_sampler_random(d, .num_samples = 24));
    assert_error(FA_ERROR_ARGUMENT, "fa_sampler_random: .num_samples is 24, of 23 samples without replacement");
    assert_null(fa_sampler_random(synthetic(&none), .replacement = true, .num_samples = 1));
    assert_error(FA_ERROR_ARGUMENT, ".num_samples is 1, of 0 samples");
    assert_null(fa_sampler_random(d, .seed = -2));
    assert_error(FA_ERROR_ARGUMENT, ".seed is -2");
    assert_null(fa_sampler_weighted(fa_tensor_of(1.0, -1.0)));
    assert_error(FA_ERROR_ARGUMENT, "weight 1 is -1");
    assert_null(fa_sampler_weighted(fa_tensor_of(1.0, NAN)));
    assert_error(FA_ERROR_ARGUMENT, "weight 1 is nan");
    assert_null(fa_sampler_weighted(fa_tensor_of(0.0, 0.0)));
    assert_error(FA_ERROR_ARGUMENT, "the sum of the weights is 0");
    assert_null(fa_sampler_weighted(fa_tensor_of(0.0, 1.0, 1.0), .replacement = false));
    assert_error(FA_ERROR_ARGUMENT, ".num_samples is 3, of 2 samples without replacement");
    assert_null(fa_sampler_weighted(fa_ones(FA_SHAPE(2, 2))));
    assert_error(FA_ERROR_SHAPE, "one dimension");
    assert_null(fa_sampler_stratified(fa_tensor_of(0.5)));
    assert_error(FA_ERROR_DTYPE, "whole numbers");
    assert_null(fa_sampler_distributed(d, .num_replicas = 2, .rank = 2));
    assert_error(FA_ERROR_ARGUMENT, "no rank 2 of 2 replicas");
    assert_null(fa_sampler_subset(NULL, 2));
    assert_error(FA_ERROR_ARGUMENT, "the indices are NULL");
    assert_null(fa_sampler_sequential(NULL));
    assert_error(FA_ERROR_ARGUMENT, "the dataset is NULL");
    assert_null(fa_sampler_order(fa_sampler_random(d), 0, -1));
    assert_error(FA_ERROR_ARGUMENT, "there is no epoch -1");
    assert_null(fa_data_loader(d, .shuffle = true, .sampler = fa_sampler_random(d)));
    assert_error(FA_ERROR_ARGUMENT, ".shuffle and .sampler are both set");
    assert_int_equal(fa_sampler_length(NULL), -1);
    assert_error(FA_ERROR_ARGUMENT, "the sampler is NULL");
    assert_null(fa_sampler_new(&(fa_sampler_type){.name = "half"}, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_sampler_new");
    assert_int_equal(fa_sampler_length(fa_sampler_random(synthetic(&none))), 0);
    assert_int_equal(fa_sampler_length(fa_sampler_stratified(fa_zeros(FA_SHAPE(0), .dtype = FA_I64))), 0);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sequential_and_random),
        TEST(random_with_replacement),
        TEST(weighted_with_replacement),
        TEST(weighted_without_replacement),
        TEST(subsets_are_shuffled),
        TEST(classes_are_spread),
        TEST(distributed_like_pytorch),
        TEST(distributed_ranks_share_an_order),
        TEST(computed_permutations),
        TEST(huge_datasets),
        TEST(user_samplers),
        TEST(loaders_with_samplers),
        TEST(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
