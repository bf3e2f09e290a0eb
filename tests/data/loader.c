/* Datasets and loaders: samples, batches, orders, failures of a program's own dataset, and FA_EACH as a scope. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/nn.h>
#include <math.h>

enum { COUNT = 23 };

/* Sample i is the vector (i, -i) with the target i. */
static fa_dataset *numbers(int64_t count)
{
    fa_tensor *i = fa_arange(0, (double)count), *x = fa_unsqueeze(fa_to(i, FA_F32), 1);
    return fa_data_tensors(fa_cat(FA_TENSORS(x, fa_neg(x)), .dim = 1), i);
}

/* ---- datasets ---- */

static void tensors_are_samples(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *d = numbers(COUNT);
    assert_int_equal(fa_dataset_length(d), COUNT);
    fa_sample s = fa_dataset_get(d, 7);
    assert_no_error();
    assert_int_equal(fa_dim(s.input), 1);
    assert_float_equal(fa_item(fa_select(s.input, 0, 1)), -7, 0);
    assert_int_equal(fa_dim(s.target), 0);
    assert_int_equal(fa_item_int(s.target), 7);
    assert_null(s.extra[0]);
    const int64_t index[] = {3, 20, 3};
    fa_sample b = fa_dataset_batch(d, index, 3);
    int64_t target[3];
    assert_true(fa_read(b.target, target, FA_I64, 3));
    assert_memory_equal(target, index, sizeof index);
    assert_int_equal(fa_size(b.input, 1), 2);
    fa_mul_(b.input, 0); /* a copy */
    assert_float_equal(fa_item(fa_select(fa_dataset_get(d, 3).input, 0, 0)), 3, 0);
    assert_no_error();
}

static void samples_that_are_not_there(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *d = numbers(COUNT);
    assert_null(fa_dataset_get(d, COUNT).input);
    assert_error(FA_ERROR_INDEX, "dataset tensors", "no sample 23", "0 to 22");
    const int64_t index[] = {1, -1};
    assert_null(fa_dataset_batch(d, index, 2).input);
    assert_error(FA_ERROR_INDEX, "no sample -1");
    assert_null(fa_dataset_batch(d, index, 0).input);
    assert_error(FA_ERROR_ARGUMENT, "one sample");
    assert_int_equal(fa_dataset_length(NULL), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_dataset_length");
    assert_null(fa_data_tensors(fa_ones(FA_SHAPE(3)), fa_ones(FA_SHAPE(4))));
    assert_error(FA_ERROR_SHAPE, "tensor 1 has 4 samples, the first 3");
    assert_null(fa_data_tensors(fa_ones(FA_SCALAR)));
    assert_error(FA_ERROR_SHAPE, "no dimension");
    assert_null(fa_data_loader((fa_dataset *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

static void subsets_are_datasets(void **state)
{
    (void)state;
    FA_SCOPE;
    const int64_t some[] = {5, 2, 9}, twice[] = {2, 0}, wrong[] = {0, 3};
    fa_dataset *part = fa_data_subset(numbers(COUNT), some, 3), *small = fa_data_subset(part, twice, 2);
    assert_int_equal(fa_dataset_length(small), 2);
    assert_int_equal(fa_item_int(fa_dataset_get(small, 0).target), 9);
    assert_int_equal(fa_item_int(fa_dataset_get(small, 1).target), 5);
    assert_no_error();
    assert_null(fa_data_subset(part, wrong, 2));
    assert_error(FA_ERROR_INDEX, "fa_data_subset", "no sample 3");
    assert_null(fa_data_subset(part, some, -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_data_subset: count is -1, which is less than 0");
    assert_null(fa_data_subset(part, NULL, 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_data_subset: the numbers of the samples are NULL");
    assert_int_equal(fa_dataset_length(fa_data_subset(part, NULL, 0)), 0);
    assert_no_error();
}

/* ---- a dataset of the program's own ---- */

typedef struct own {
    int64_t length, fails_at, says_at, ragged_at;
    int released;
} own;

static int64_t own_length(void *context)
{
    return ((own *)context)->length;
}

static bool own_get(void *context, int64_t index, fa_sample *sample)
{
    const own *o = context;
    if (index == o->says_at)
        return fa_fail(FA_ERROR_FILE, "the disk is full of holes");
    if (index == o->fails_at)
        return false;
    sample->input = fa_full(FA_SHAPE(index == o->ragged_at ? 3 : 2), (double)index);
    sample->target = fa_full(FA_SCALAR, index);
    sample->extra[0] = fa_mul(sample->input, 2);
    return true;
}

static void own_release(void *context)
{
    ((own *)context)->released++;
}

static fa_dataset *own_dataset(own *o)
{
    const fa_dataset_type type = {"mine", own_length, own_get, NULL, own_release};
    return fa_dataset_new(&type, o);
}

static void own_samples_are_stacked(void **state)
{
    (void)state;
    own o = {10, -1, -1, -1, 0};
    {
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(own_dataset(&o), .batch_size = 4);
        int64_t seen = 0;
        FA_EACH (batch, loader) {
            assert_int_equal(batch.size, batch.index < 2 ? 4 : 2);
            assert_int_equal(fa_size(batch.input, 0), batch.size);
            assert_int_equal(fa_size(batch.extra[0], 1), 2);
            for (int64_t i = 0; i < batch.size; i++, seen++) {
                assert_int_equal(fa_item_int(fa_select(batch.target, 0, i)), seen);
                assert_float_equal(fa_item(fa_get(fa_select(batch.extra[0], 0, i), "1")), (float)(2 * seen), 0);
                assert_int_equal(batch.samples[i], seen);
            }
        }
        assert_int_equal(seen, 10);
        assert_no_error();
        assert_int_equal(o.released, 0);
    }
    assert_int_equal(o.released, 1);
}

static int64_t turns_of(fa_loader *loader)
{
    int64_t turns = 0;
    FA_EACH (batch, loader)
        turns++;
    return turns;
}

static void failures_name_the_sample(void **state)
{
    (void)state;
    own silent = {10, 6, -1, -1, 0}, loud = {10, -1, 7, -1, 0}, ragged = {10, -1, -1, 5, 0};
    FA_SCOPE;
    assert_int_equal(turns_of(fa_data_loader(own_dataset(&silent), .batch_size = 4)), 1);
    assert_error(FA_ERROR_USER, "dataset mine, sample 6", "get failed");
    assert_int_equal(turns_of(fa_data_loader(own_dataset(&loud), .batch_size = 4)), 1);
    assert_error(FA_ERROR_FILE, "dataset mine, sample 7: ", "loader.c:", "the disk is full of holes");
    assert_int_equal(turns_of(fa_data_loader(own_dataset(&ragged), .batch_size = 4)), 1);
    assert_error(FA_ERROR_SHAPE, "sample 5", "input is f32 (3)", "first is f32 (2)");
    const int64_t part[] = {0, 7};
    assert_int_equal(turns_of(fa_data_loader(fa_data_subset(own_dataset(&loud), part, 2))), 1);
    assert_error(FA_ERROR_FILE, "dataset subset", "dataset mine, sample 7");
}

/* Within the last turn the epoch is not over: a loader that goes on there has no more turns in it. */
static void the_last_turn_is_of_its_epoch(void **state)
{
    (void)state;
    for (int workers = 0; workers < 2; workers++) {
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(numbers(COUNT), .batch_size = 4, .workers = workers);
        fa_loader *other = fa_data_loader(numbers(COUNT), .batch_size = 4, .workers = workers);
        int64_t turns = 0;
        FA_EACH (batch, loader) {
            const fa_loader_place at = fa_loader_position(loader);
            assert_int_equal(at.epoch, 0);
            assert_int_equal(at.batch, batch.index + 1);
            turns++;
            if (batch.index == fa_loader_length(loader) - 1)
                assert_true(fa_loader_seek(other, at));
        }
        assert_int_equal(turns, fa_loader_length(loader));
        assert_int_equal(fa_loader_position(loader).epoch, 1);
        assert_int_equal(fa_loader_position(loader).batch, 0);
        assert_int_equal(turns_of(other), 0);
        assert_int_equal(fa_loader_position(other).epoch, 1);
        assert_int_equal(turns_of(other), turns);
        assert_no_error();
    }
}

/* A batch that could not be loaded was not handed out: who goes on where the loader stands asks for it again. */
static void failures_leave_the_place(void **state)
{
    (void)state;
    for (int64_t at = 6; at < 10; at += 3) {
        own o = {10, at, -1, -1, 0};
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(own_dataset(&o), .batch_size = 4);
        assert_int_equal(turns_of(loader), at / 4);
        assert_error(FA_ERROR_USER, "get failed");
        assert_int_equal(fa_loader_position(loader).epoch, 0);
        assert_int_equal(fa_loader_position(loader).batch, at / 4);
        o.fails_at = -1;
        assert_true(fa_loader_seek(loader, fa_loader_position(loader)));
        assert_int_equal(turns_of(loader), 3 - at / 4);
        assert_no_error();
    }
}

static bool no_input(void *context, int64_t index, fa_sample *sample)
{
    (void)context, (void)index, (void)sample;
    return true;
}

static bool short_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    (void)context, (void)index;
    batch->input = fa_zeros(FA_SHAPE(count > 1 ? count - 1 : 1));
    return true;
}

static void broken_datasets_are_found(void **state)
{
    (void)state;
    own o = {10, -1, -1, -1, 0}, negative = {-3, -1, -1, -1, 0};
    FA_SCOPE;
    const fa_dataset_type empty = {.name = "empty", .length = own_length, .get = no_input},
                          few = {.name = "few", .length = own_length, .batch = short_batch},
                          none = {.name = "none", .length = own_length, .release = own_release};
    assert_null(fa_dataset_get(fa_dataset_new(&empty, &o), 3).input);
    assert_error(FA_ERROR_USER, "dataset empty, sample 3: it has no input");
    assert_int_equal(turns_of(fa_data_loader(fa_dataset_new(&few, &o), .batch_size = 4)), 0);
    assert_error(FA_ERROR_SHAPE, "dataset few: the input of a batch of 4 samples is f32 (3) on cpu: its first size");
    assert_non_null(fa_dataset_get(fa_dataset_new(&few, &o), 3).input);
    assert_no_error();
    assert_null(fa_dataset_new(&none, &o));
    assert_error(FA_ERROR_ARGUMENT, "fa_dataset_new");
    assert_int_equal(o.released, 1);
    assert_int_equal(fa_dataset_length(own_dataset(&negative)), -1);
    assert_error(FA_ERROR_USER, "dataset mine", "-3");
}

static void nothing_is_recorded_while_loading(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(4, 2), .requires_grad = true);
    FA_EACH (batch, fa_data_loader(fa_data_tensors(x), .batch_size = 2)) {
        assert_false(fa_requires_grad(batch.input));
        assert_null(batch.target);
        assert_true(fa_requires_grad(fa_mul(x, 2)));
    }
    assert_no_error();
}

/* ---- orders ---- */

static void order_of(fa_loader *loader, int64_t order[COUNT])
{
    int64_t at = 0;
    FA_EACH (batch, loader) {
        int64_t target[COUNT];
        assert_true(fa_read(batch.target, target, FA_I64, batch.size));
        for (int64_t i = 0; i < batch.size; i++) {
            assert_int_equal(target[i], batch.samples[i]);
            order[at++] = target[i];
        }
    }
    assert_no_error();
    assert_int_equal(at, COUNT);
}

static void assert_permutation(const int64_t order[COUNT])
{
    int seen[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        assert_true(order[i] >= 0 && order[i] < COUNT);
        seen[order[i]]++;
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 1);
}

static void every_sample_comes_once(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= COUNT + 2; size++) {
        FA_SCOPE;
        int64_t plain[COUNT], shuffled[COUNT];
        order_of(fa_data_loader(numbers(COUNT), .batch_size = size), plain);
        order_of(fa_data_loader(numbers(COUNT), .batch_size = size, .shuffle = true), shuffled);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(plain[i], i);
        assert_permutation(shuffled);
    }
}

/* A seed that cannot be drawn is an error, not the number that NaN converts to. */
static void seeds_without_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *data = numbers(COUNT);
    for (int64_t n = 1;; n++) {
        fa__inject(n);
        const fa_loader *l = fa_data_loader(data, .shuffle = true);
        fa__inject(0);
        if (l)
            break;
        assert_error(FA_ERROR_MEMORY, "out of memory");
    }
    assert_no_error();
    fa_fail(FA_ERROR_USER, "stands");
    assert_null(fa_data_loader(data, .shuffle = true));
    assert_error(FA_ERROR_USER, "stands");
}

static void seeds_decide_the_order(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t a[2][COUNT], b[2][COUNT], c[COUNT], d[COUNT], e[COUNT];
    fa_loader *first = fa_data_loader(numbers(COUNT), .shuffle = true, .seed = 5, .batch_size = 3);
    fa_loader *second = fa_data_loader(numbers(COUNT), .shuffle = true, .seed = 5, .batch_size = 7);
    for (int epoch = 0; epoch < 2; epoch++) {
        order_of(first, a[epoch]);
        fa_manual_seed((uint64_t)epoch); /* nothing to do with it */
        order_of(second, b[epoch]);
    }
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a[0], a[1], sizeof a[0]); /* another order in each epoch */
    order_of(fa_data_loader(numbers(COUNT), .shuffle = true, .seed = 6), c);
    assert_memory_not_equal(a[0], c, sizeof c);
    fa_manual_seed(9);
    fa_loader *drawn = fa_data_loader(numbers(COUNT), .shuffle = true);
    fa_manual_seed(9);
    order_of(fa_data_loader(numbers(COUNT), .shuffle = true), d);
    order_of(drawn, e);
    assert_memory_equal(d, e, sizeof d);
    order_of(fa_data_loader(numbers(COUNT), .shuffle = true), e);
    assert_memory_not_equal(d, e, sizeof d);
}

/* Where each of 5 samples comes to stand, over many epochs: all places as likely. */
static void orders_are_fair(void **state)
{
    (void)state;
    enum { SAMPLES = 5, EPOCHS = 4000 };
    FA_SCOPE;
    int count[SAMPLES][SAMPLES] = {{0}};
    fa_loader *loader = fa_data_loader(numbers(SAMPLES), .shuffle = true, .seed = 1, .batch_size = SAMPLES);
    for (int epoch = 0; epoch < EPOCHS; epoch++)
        FA_EACH (batch, loader)
            for (int i = 0; i < SAMPLES; i++)
                count[batch.samples[i]][i]++;
    double expected = (double)EPOCHS / SAMPLES, limit = 5 * sqrt(expected);
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < SAMPLES; k++)
            assert_true(fabs(count[i][k] - expected) < limit);
}

static int64_t plenty(void *context)
{
    (void)context;
    return INT64_C(1) << 50;
}

static bool number_itself(void *context, int64_t index, fa_sample *sample)
{
    (void)context;
    sample->input = fa_full(FA_SCALAR, index);
    return true;
}

/* An order that is no other than that of the dataset takes no memory. */
static void plain_orders_are_not_written_down(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t at = 0;
    fa_dataset *endless =
        fa_dataset_new(&(fa_dataset_type){.name = "endless", .length = plenty, .get = number_itself}, NULL);
    FA_EACH (batch, fa_data_loader(endless, .batch_size = 3)) {
        for (int64_t i = 0; i < batch.size; i++)
            assert_int_equal(batch.samples[i], at++);
        if (at == 30)
            break;
    }
    assert_no_error();
    assert_int_equal(at, 30);
}

static void lengths_count_batches(void **state)
{
    (void)state;
    static const struct {
        int64_t samples, size, all, full;
    } rows[] = {{23, 5, 5, 4}, {20, 5, 4, 4}, {3, 5, 1, 0}, {0, 5, 0, 0}, {23, 1, 23, 23}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FA_SCOPE;
        fa_loader *all = fa_data_loader(numbers(rows[i].samples), .batch_size = rows[i].size);
        fa_loader *full = fa_data_loader(numbers(rows[i].samples), .batch_size = rows[i].size, .drop_last = true);
        assert_int_equal(fa_loader_length(all), rows[i].all);
        assert_int_equal(fa_loader_length(full), rows[i].full);
        assert_int_equal(turns_of(all), rows[i].all);
        assert_int_equal(turns_of(full), rows[i].full);
        FA_EACH (batch, full)
            assert_int_equal(batch.size, rows[i].size);
        assert_no_error();
    }
    FA_SCOPE;
    assert_null(fa_data_loader(numbers(3), .batch_size = 0));
    assert_error(FA_ERROR_ARGUMENT, ".batch_size is 0");
    assert_int_equal(fa_loader_length(NULL), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_loader_length");
}

/* ---- FA_EACH ---- */

static size_t allocated(void)
{
    return fa_memory_stats(FA_CPU).allocated;
}

static void turns_are_scopes(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(fa_data_tensors(fa_ones(FA_SHAPE(64, 1024))), .batch_size = 8);
    size_t before = 0;
    for (int epoch = 0; epoch < 3; epoch++) {
        FA_EACH (batch, loader) {
            fa_add(batch.input, 1);
            if (batch.index == 5)
                break;
            if (batch.index == 2)
                continue;
        }
        if (epoch == 0)
            before = allocated();
    }
    assert_int_equal(allocated(), before);
    assert_no_error();
}

static int64_t return_from_within(fa_loader *loader)
{
    FA_EACH (outer, loader) {
        FA_EACH (inner, loader) {
            if (inner.index == 1)
                return 10 * outer.index + inner.index;
        }
    }
    return -1;
}

static void loops_may_be_nested_and_left(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(numbers(6), .batch_size = 2);
    assert_int_equal(return_from_within(loader), 1);
    int turns = 0;
    FA_EACH (outer, loader) {
        FA_EACH (inner, loader)
            turns++;
        assert_int_equal(fa_item_int(fa_get(outer.target, "0")), 2 * outer.index);
    }
    assert_int_equal(turns, 9);
    fa_tensor *after = fa_ones(FA_SHAPE(2)); /* belongs to this scope */
    assert_float_equal(fa_item(fa_sum(after)), 2, 0);
    assert_no_error();
}

static void errors_and_stops_end_loops(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(numbers(6), .batch_size = 2);
    int turns = 0;
    FA_EACH (batch, loader) {
        turns++;
        fa_add(batch.input, fa_ones(FA_SHAPE(7)));
    }
    assert_int_equal(turns, 1);
    assert_error(FA_ERROR_SHAPE, "fa_add");
    turns = 0;
    FA_EACH (batch, loader) {
        turns++;
        fa_stop();
    }
    assert_int_equal(turns, 1);
    fa_stop_clear();
    assert_int_equal(turns_of(loader), 3);
    assert_int_equal(turns_of(NULL), 0);
    assert_error(FA_ERROR_ARGUMENT, "loader.c:", "FA_EACH: the loader is NULL");
    fa_dataset *dataset = fa_data_tensors(fa_ones(FA_SHAPE(2)));
    assert_int_equal(turns_of((fa_loader *)(void *)dataset), 0);
    assert_error(FA_ERROR_ARGUMENT, "loader.c:", "FA_EACH: the loader is an object of another kind");
    fa_drop(dataset);
#ifndef API_ASAN /* which poisons what is freed */
    assert_null(fa_data_loader(dataset));
    assert_error(FA_ERROR_ARGUMENT, "fa_data_loader: the dataset was freed: fa_escape or fa_keep let it live on");
#endif
}

static void batches_come_to_a_device(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_EACH (batch, fa_data_loader(numbers(6), .batch_size = 4, .device = DEVICE(0))) {
        assert_true(fa_device_equal(fa_tensor_device(batch.input), DEVICE(0)));
        assert_true(fa_device_equal(fa_tensor_device(batch.target), DEVICE(0)));
        assert_int_equal(fa_item_int(fa_cpu(fa_get(batch.target, "0"))), 4 * batch.index);
    }
    fa_dataset *there = fa_data_tensors(fa_to(fa_arange(0, 6), DEVICE(1)));
    FA_EACH (batch, fa_data_loader(there, .batch_size = 4, .shuffle = true, .seed = 3))
        assert_true(fa_device_equal(fa_tensor_device(batch.input), DEVICE(1)));
    assert_no_error();
}

static void loaders_know_their_device(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_device none = {77, 0};
    assert_null(fa_data_loader(numbers(6), .device = FA_CUDA(90)));
    assert_error(fa_device_count("cuda", NULL) ? FA_ERROR_DEVICE : FA_ERROR_UNAVAILABLE, "fa_data_loader: cuda",
                 "there are: cpu");
    assert_null(fa_data_loader(numbers(6), .device = FA_LATE(9)));
    assert_error(FA_ERROR_DEVICE, "fa_data_loader: late:9: there is no device of that number", "there are: cpu");
    assert_null(fa_data_loader(numbers(6), .device = none));
    assert_error(FA_ERROR_DEVICE, "fa_data_loader: device: there is no device of that kind");
    assert_non_null(fa_data_loader(numbers(6), .device = FA_LATE(1)));
    assert_no_error();
}

/* The targets of the batches of an epoch, from wherever it begins; at most `most` batches, or all. */
static int64_t gather(fa_loader *loader, int64_t *to, int64_t most)
{
    int64_t n = 0;
    FA_EACH (batch, loader) {
        assert_true(fa_read(batch.target, to + n, FA_I64, batch.size));
        n += batch.size;
        if (!--most)
            break;
    }
    return n;
}

static void loaders_go_on_where_they_were(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *d = numbers(COUNT);
    fa_loader *one = fa_data_loader(d, .batch_size = 4, .shuffle = true, .seed = 5);
    fa_loader *other = fa_data_loader(d, .batch_size = 4, .shuffle = true, .seed = 6);
    int64_t whole[3][COUNT], rest[COUNT];
    assert_int_equal(fa_loader_position(one).epoch, 0);
    for (int epoch = 0; epoch < 3; epoch++)
        assert_int_equal(gather(one, whole[epoch], 0), COUNT);
    fa_loader_place place = fa_loader_position(one);
    assert_int_equal(place.epoch, 3);
    assert_int_equal(place.batch, 0);
    fa_loader *again = fa_data_loader(d, .batch_size = 4, .shuffle = true, .seed = 5);
    gather(again, rest, 0);
    assert_int_equal(gather(again, rest, 2), 8);
    place = fa_loader_position(again);
    assert_int_equal(place.epoch, 1);
    assert_int_equal(place.batch, 2);
    assert_true(fa_loader_seek(other, place));
    assert_int_equal(gather(other, rest, 0), COUNT - 8);
    assert_memory_equal(rest, whole[1] + 8, sizeof *rest * (COUNT - 8));
    assert_int_equal(gather(other, rest, 0), COUNT);
    assert_memory_equal(rest, whole[2], sizeof rest);
    assert_no_error();
    place.batch = 7;
    assert_false(fa_loader_seek(other, place));
    assert_error(FA_ERROR_INDEX, "fa_loader_seek", "batch 7 of a loader of 6 batches");
    fa_loader_position(NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_loader_position");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tensors_are_samples),
        TEST(samples_that_are_not_there),
        TEST(subsets_are_datasets),
        TEST(own_samples_are_stacked),
        TEST(failures_name_the_sample),
        TEST(failures_leave_the_place),
        TEST(broken_datasets_are_found),
        TEST(nothing_is_recorded_while_loading),
        TEST(every_sample_comes_once),
        TEST(seeds_without_memory),
        cmocka_unit_test(seeds_decide_the_order),
        TEST(orders_are_fair),
        TEST(plain_orders_are_not_written_down),
        TEST(lengths_count_batches),
        TEST(turns_are_scopes),
        TEST(loops_may_be_nested_and_left),
        TEST(errors_and_stops_end_loops),
        TEST(batches_come_to_a_device),
        TEST(loaders_know_their_device),
        TEST(loaders_go_on_where_they_were),
        TEST(the_last_turn_is_of_its_epoch),
    };
    return RUN("data");
}
