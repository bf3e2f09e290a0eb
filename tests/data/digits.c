/* The embedded digits and their split, and a network trained on them. */
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/nn.h>
#include <facula/optim.h>
#include <facula/transform.h>

enum { ALL = 1797, HELD_OUT = 359, PIXELS = 64, CLASSES = 10, FILE_SUM = 561718, FILE_WEIGHTED = 2525954 };

/* All of a dataset as one batch. */
static fa_batch whole(fa_dataset *d)
{
    fa_batch b = {0};
    FA_EACH (batch, fa_data_loader(d, .batch_size = ALL)) {
        b.input = fa_keep(batch.input);
        b.target = fa_keep(batch.target);
        b.size = batch.size;
    }
    b.input = fa_adopt(b.input);
    b.target = fa_adopt(b.target);
    return b;
}

static void count_classes(fa_dataset *d, int count[CLASSES])
{
    FA_SCOPE;
    int64_t label[ALL];
    fa_batch b = whole(d);
    assert_true(fa_read(b.target, label, FA_I64, b.size));
    for (int64_t i = 0; i < b.size; i++) {
        assert_true(label[i] >= 0 && label[i] < CLASSES);
        count[label[i]]++;
    }
}

static void there_are_1797(void **state)
{
    (void)state;
    FA_SCOPE;
    static const int classes[CLASSES] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    int train[CLASSES] = {0}, test[CLASSES] = {0};
    count_classes(fa_data_digits(), train);
    count_classes(fa_data_digits(.train = false), test);
    assert_int_equal(fa_dataset_length(fa_data_digits(.train = true)), ALL - HELD_OUT);
    assert_int_equal(fa_dataset_length(fa_data_digits(.train = false)), HELD_OUT);
    for (int c = 0; c < CLASSES; c++) {
        assert_int_equal(train[c] + test[c], classes[c]);
        assert_int_equal(test[c], (classes[c] + 2) / 5); /* to the nearest */
    }
    assert_no_error();
}

/* Sums over both parts, computed from the file that they were made of. */
static void pixels_are_those_of_the_file(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_batch train = whole(fa_data_digits()), test = whole(fa_data_digits(.train = false));
    assert_int_equal(fa_tensor_dtype(train.input), FA_F32);
    assert_int_equal(fa_tensor_dtype(train.target), FA_I64);
    assert_int_equal(fa_size(test.input, 1), PIXELS);
    fa_tensor *x = fa_cat(FA_TENSORS(train.input, test.input)), *y = fa_cat(FA_TENSORS(train.target, test.target));
    double sum = 16 * fa_item(fa_sum(x, .dtype = FA_F64));
    double weighted = 16 * fa_item(fa_sum(fa_mul(fa_to(x, FA_F64), fa_unsqueeze(y, 1))));
    double most = fa_item(fa_max(fa_flatten(x), 0).values), least = -fa_item(fa_max(fa_neg(fa_flatten(x)), 0).values);
    assert_no_error();
    assert_true(sum == FILE_SUM);
    assert_true(weighted == FILE_WEIGHTED);
    assert_true(most == 1 && least == 0);
}

/* Samples are told apart by a sum of their pixels with weights. */
static void fingerprints(fa_dataset *d, double *of)
{
    FA_SCOPE;
    fa_batch b = whole(d);
    fa_tensor *weights = fa_to(fa_arange(1, PIXELS + 1), FA_F64), *x = fa_to(b.input, FA_F64);
    fa_tensor *sum = fa_matmul(fa_mul(x, x), fa_sqrt(weights));
    assert_true(fa_read(sum, of, FA_F64, b.size));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void parts_share_nothing(void **state)
{
    (void)state;
    double first[ALL], second[ALL];
    for (int64_t seed = 0; seed < 2; seed++) {
        FA_SCOPE;
        double *of = seed ? second : first;
        fingerprints(fa_data_digits(.train = false, .seed = seed), of);
        fingerprints(fa_data_digits(.train = true, .seed = seed), of + HELD_OUT);
        assert_no_error();
    }
    assert_memory_not_equal(first, second, HELD_OUT * sizeof *first); /* seeds split differently */
    qsort(first, ALL, sizeof *first, compare);
    qsort(second, ALL, sizeof *second, compare);
    assert_memory_equal(first, second, sizeof first); /* into parts of the same whole */
    int equal = 0;
    for (int i = 1; i < ALL; i++)
        equal += first[i] == first[i - 1];
    assert_int_equal(equal, 0);
}

static double accuracy(fa_module *net, fa_device device)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_batch b = whole(fa_data_digits(.train = false));
    fa_tensor *guess = fa_argmax(fa_forward(net, fa_to(b.input, device)), .dim = 1);
    return fa_item(fa_sum(fa_eq(guess, fa_to(b.target, device)))) / HELD_OUT;
}

static void a_network_learns_them(void **state)
{
    (void)state;
    double reached[2];
    const fa_device where[] = {FA_CPU, DEVICE(0)};
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        fa_manual_seed(0);
        fa_module *net = fa_nn_sequential(fa_nn_linear(PIXELS, 64), fa_nn_relu(), fa_nn_linear(64, CLASSES));
        fa_optim *optim = fa_optim_sgd(fa_module_to(net, where[k]), .lr = 0.1, .momentum = 0.9);
        fa_loader *loader =
            fa_data_loader(fa_data_digits(), .batch_size = 32, .shuffle = true, .seed = 0, .device = where[k]);
        for (int epoch = 0; epoch < 20; epoch++)
            FA_EACH (batch, loader) {
                fa_optim_zero_grad(optim);
                fa_backward(fa_cross_entropy(fa_forward(net, batch.input), batch.target));
                fa_optim_step(optim);
            }
        reached[k] = accuracy(net, where[k]);
        assert_no_error();
    }
    print_message("accuracy %.4f\n", reached[0]);
    assert_true(reached[0] >= 0.97);
    assert_true(reached[0] == reached[1]);
}

static void inputs_are_transformed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_transform *crop = fa_transform_compose(fa_nn_unflatten(1, FA_SHAPE(1, 8, 8)), fa_transform_center_crop(4));
    fa_tensor *plain = fa_dataset_get(fa_data_digits(.train = false), 5).input;
    fa_sample sample = fa_dataset_get(fa_data_digits(.train = false, .transform = crop), 5);
    assert_true(fa_equal(sample.input, fa_get(fa_reshape(plain, FA_SHAPE(1, 8, 8)), ":, 2:6, 2:6")));
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(there_are_1797),         TEST(pixels_are_those_of_the_file), TEST(parts_share_nothing),
        TEST(inputs_are_transformed), TEST(a_network_learns_them),
    };
    return RUN("digits");
}
