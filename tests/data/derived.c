/* Datasets made from others: joined, changed, filtered, kept in memory; image folders with images of several sizes; and
 * samples that cannot be read. */
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/dataset.h>
#include <facula/save.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static fa_dataset *numbers(double first, double count)
{
    return fa_data_tensors(fa_reshape(fa_arange(first, first + count), FA_SHAPE((int64_t)count, 1)),
                           fa_to(fa_arange(first, first + count), FA_I64));
}

static double input_of(fa_dataset *d, int64_t index)
{
    fa_sample s = fa_dataset_get(d, index);
    assert_no_error();
    return fa_item(s.input);
}

static void joined(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *d = fa_data_concat(numbers(0, 3), numbers(10, 0), numbers(20, 1), numbers(30, 2));
    const double expected[] = {0, 1, 2, 20, 30, 31};
    assert_int_equal(fa_dataset_length(d), 6);
    for (int i = 0; i < 6; i++)
        assert_float_equal(input_of(d, i), expected[i], 0);
    fa_sample batch = fa_dataset_batch(d, (int64_t[]){5, 0, 3}, 3);
    fa_sample again = fa_dataset_batch(d, (int64_t[]){3, 5}, 2);
    assert_float_equal(fa_item(fa_sum(batch.input)), 51, 0);
    assert_float_equal(fa_item(fa_get(again.input, "0, 0")), 20, 0);
    assert_null(fa_data_concat(numbers(0, 3), NULL));
    assert_error(FA_ERROR_ARGUMENT, "the dataset is NULL");
    fa_dataset *odd = fa_data_concat(numbers(0, 3), fa_data_tensors(fa_ones(FA_SHAPE(2, 2)), fa_zeros(FA_SHAPE(2))));
    fa_dataset_batch(odd, (int64_t[]){0, 4}, 2);
    assert_error(FA_ERROR_SHAPE, "sample 4: its input is");
}

static bool add_index(void *context, int64_t index, fa_sample *sample)
{
    if (index == 2)
        return fa_fail(FA_ERROR_USER, "not this one");
    sample->input = fa_add(sample->input, (double)index * *(const double *)context);
    sample->target = NULL;
    return true;
}

static void changed(void **state)
{
    (void)state;
    double factor = 100;
    FA_SCOPE;
    fa_dataset *d = fa_data_map(numbers(5, 4), add_index, &factor);
    assert_float_equal(input_of(d, 3), 308, 0);
    assert_null(fa_dataset_get(d, 1).target);
    fa_dataset_get(d, 2);
    assert_error(FA_ERROR_USER, "dataset map, sample 2: ", "not this one");
    assert_null(fa_data_map(d, NULL, NULL));
    assert_error(FA_ERROR_ARGUMENT, "the function is NULL");
}

static bool add_one(void *context, int64_t index, fa_sample *sample)
{
    (void)context, (void)index;
    return fa_add_(sample->input, 1) && fa_mul_(sample->target, 2);
}

/* A function that changes tensors in place changes the sample, and nothing that the dataset keeps. */
static void mapped_in_place(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_arange(0, 8), *y = fa_arange(0, 8);
    fa_dataset *below[] = {fa_data_tensors(x, y), fa_data_cached(fa_data_tensors(x, y)), fa_data_cached(numbers(0, 8))};
    for (size_t k = 0; k < 3; k++) {
        fa_dataset *d = fa_data_map(below[k], add_one, NULL);
        for (int turn = 0; turn < 3; turn++) {
            assert_float_equal(input_of(d, 3), 4, 0);
            FA_EACH (batch, fa_data_loader(d, .batch_size = 4))
                assert_true(fa_item(fa_get(batch.input, "3")) == (batch.index ? 8 : 4));
        }
        assert_float_equal(input_of(below[k], 3), 3, 0);
    }
    assert_true(fa_equal(x, fa_arange(0, 8)) && fa_equal(y, x));
    assert_no_error();
}

static bool is_odd(void *context, int64_t index, const fa_sample *sample)
{
    (void)index;
    int64_t target = fa_item_int(sample->target);
    if (context && target == 7)
        return !fa_fail(FA_ERROR_USER, "seven");
    return target % 2;
}

static void filtered(void **state)
{
    (void)state;
    int seven = 1;
    FA_SCOPE;
    fa_dataset *d = fa_data_filter(numbers(4, 6), is_odd, NULL);
    assert_int_equal(fa_dataset_length(d), 3);
    assert_float_equal(input_of(d, 0), 5, 0);
    assert_float_equal(input_of(d, 2), 9, 0);
    assert_null(fa_data_filter(numbers(4, 6), is_odd, &seven));
    assert_error(FA_ERROR_USER, "seven");
}

/* ---- counting reads ---- */

typedef struct counted {
    _Atomic int64_t gets;
    int64_t bad; /* each so many-th sample, from 1 on, fails */
} counted;

static int64_t counted_length(void *context)
{
    (void)context;
    return 20;
}

static bool counted_get(void *context, int64_t index, fa_sample *sample)
{
    counted *c = context;
    atomic_fetch_add(&c->gets, 1);
    if (c->bad && index % c->bad == 1)
        return fa_fail(FA_ERROR_FILE, "photo %d is broken", (int)index);
    sample->input = fa_full(FA_SHAPE(3), (double)index);
    return true;
}

static const fa_dataset_type counted_type = {"counted", counted_length, counted_get, NULL, NULL};

static void kept_in_memory(void **state)
{
    (void)state;
    counted c = {0};
    FA_SCOPE;
    fa_dataset *d = fa_data_cached(fa_dataset_new(&counted_type, &c));
    for (int64_t workers = 0; workers < 4; workers++)
        for (int epoch = 0; epoch < 2; epoch++)
            FA_EACH (batch, fa_data_loader(d, .batch_size = 3, .shuffle = true, .workers = workers))
                for (int64_t i = 0; i < batch.size; i++)
                    assert_float_equal(fa_item(fa_get(fa_get(batch.input, i), 1)), (double)batch.samples[i], 0);
    assert_no_error();
    assert_int_equal(atomic_load(&c.gets), 20);
}

/* The same batches for any number of workers, also from a position; bad samples are counted. */
static void bad_samples_are_left_out(void **state)
{
    (void)state;
    for (int64_t workers = 0; workers < 3; workers++) {
        counted c = {.bad = 5};
        FA_SCOPE;
        fa_dataset *d = fa_data_transformed(fa_data_cached(fa_dataset_new(&counted_type, &c)), fa_nn_identity());
        fa_loader *loader =
            fa_data_loader(d, .batch_size = 4, .skip_bad_samples = true, .workers = workers, .prefetch = 1);
        const int64_t sizes[] = {3, 3, 3, 4, 3};
        FA_EACH (batch, loader) {
            assert_int_equal(batch.size, sizes[batch.index]);
            assert_int_equal(fa_size(batch.input, 0), batch.size);
            for (int64_t i = 0; i < batch.size; i++) {
                assert_true(batch.samples[i] % 5 != 1);
                assert_float_equal(fa_item(fa_get(fa_get(batch.input, i), 1)), (double)batch.samples[i], 0);
            }
            if (batch.index == 4 && !workers)
                assert_int_equal(fa_loader_report(loader).skipped, 4);
        }
        assert_no_error();
        int64_t singles = 0;
        FA_EACH (batch, fa_data_loader(d, .skip_bad_samples = true, .workers = workers)) { /* batches of one */
            assert_int_equal(batch.samples[0], batch.index);
            assert_true(batch.size == 1 && batch.index % 5 != 1);
            singles++;
        }
        assert_int_equal(singles, 16);
        const int64_t bad[] = {1, 6, 16};
        loader =
            fa_data_loader(fa_data_subset(d, bad, 3), .batch_size = 2, .skip_bad_samples = true, .workers = workers);
        FA_EACH (batch, loader)
            fail();
        assert_error(FA_ERROR_FILE, "FA_EACH: no sample of the epoch can be read; 3 were left out");
        assert_int_equal(fa_loader_report(loader).batches, 0);
        FA_EACH (batch, fa_data_loader(d, .batch_size = 4, .workers = workers))
            fail();
        assert_error(FA_ERROR_FILE, "photo 1 is broken");
    }
}

/* ---- image folders ---- */

static char root[64], path[256];

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

/* A gray image of which pixel k is first + k. */
static void put_image(const char *name, int height, int width, int first)
{
    FILE *f = fopen(in_root(name), "wb");
    assert_non_null(f);
    fprintf(f, "P5 %d %d 255\n", width, height);
    for (int k = 0; k < height * width; k++)
        fputc(first + k, f);
    fclose(f);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/facula-folder-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in_root(name), 0777), 0);
}

static void image_folders(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const folders[] = {"b", "b/deep", "a", "c"};
    assert_null(fa_data_image_folder(root));
    assert_null(strstr(fa_error_message(), ", but"));
    assert_error(FA_ERROR_FILE, root, "has no subfolders, which would be the classes");
    put_image("data_batch_1.bin", 2, 3, 0);
    assert_null(fa_data_image_folder(root));
    assert_error(FA_ERROR_FILE, "which would be the classes, but data_batch_1.bin, which fa_data_cifar10() reads");
    unlink(in_root("data_batch_1.bin"));
    for (int i = 0; i < 4; i++)
        make_folder(folders[i]);
    assert_null(fa_data_image_folder(root));
    assert_error(FA_ERROR_FILE, "has no images in its subfolders");
    put_image("b/2.pgm", 2, 3, 20);
    put_image("b/deep/1.PGM", 2, 3, 10);
    put_image("a/x.pgm", 2, 3, 0);
    put_image("c/.hidden.pgm", 1, 1, 0);
    put_image("c/notes.txt", 1, 1, 0);
    put_image("loose.pgm", 1, 1, 0);
    fa_dataset *d = fa_data_image_folder(root, .channels = 1);
    assert_no_error();
    assert_int_equal(fa_dataset_length(d), 3);
    assert_int_equal(fa_dataset_classes(d), 3);
    assert_string_equal(fa_dataset_class_name(d, 0), "a");
    assert_string_equal(fa_dataset_class_name(d, 2), "c");
    fa_sample s = fa_dataset_get(d, 2); /* a/x, b/2, b/deep/1 */
    assert_float_equal(fa_item(fa_get(s.input, "0, 1, 0")), 13, 0);
    assert_int_equal(fa_item_int(s.target), 1);
    assert_int_equal(fa_size(fa_dataset_get(fa_data_image_folder(root), 0).input, 0), 3);
    fa_datasets parts = fa_data_split(fa_data_transformed(d, fa_transform_to_tensor()), 0.5);
    assert_string_equal(fa_dataset_class_name(parts.first, 1), "b");
    assert_null(fa_dataset_class_name(d, 3));
    assert_error(FA_ERROR_INDEX, "knows 3 classes, and no number 3");
    assert_int_equal(fa_dataset_classes(numbers(0, 2)), 0);
    assert_null(fa_data_image_folder("/no/such/folder"));
    assert_error(FA_ERROR_FILE, "/no/such/folder: No such file");
    assert_null(fa_data_image_folder(root, .channels = 2));
    assert_error(FA_ERROR_ARGUMENT, ".channels is 0, 1 or 3");
}

/* Images of several sizes are cropped one by one, with the same random numbers in batches of any size. */
static void images_of_several_sizes(void **state)
{
    (void)state;
    FA_SCOPE;
    static unsigned char first[6][16], again[16];
    make_folder("a");
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "a/%d.pgm", i);
        put_image(name, 5 + i % 3, 6 + i % 2, 30 * i);
    }
    fa_dataset *d = fa_data_image_folder(root, .channels = 1);
    fa_dataset_batch(d, (int64_t[]){0, 1}, 2);
    assert_error(FA_ERROR_SHAPE, "sample 1: its input is u8 (1, 6, 7) on cpu, that of the batch's first is u8 (1, 5, "
                                 "6) on cpu; fa_data_padded() pads "
                                 "samples to one size");
    fa_dataset *half = fa_data_subset(fa_data_concat(d, d), (int64_t[]){0, 1, 2, 3, 4, 5}, 6);
    fa_dataset *crops = fa_data_transformed(half, fa_transform_random_crop(4));
    for (int64_t size = 1; size < 6; size++)
        FA_EACH (batch, fa_data_loader(crops, .batch_size = size, .seed = 1, .workers = size % 3))
            for (int64_t i = 0; i < batch.size; i++) {
                unsigned char *to = size > 1 ? again : first[batch.samples[i]];
                assert_true(fa_read(fa_get(batch.input, i), to, FA_U8, 16));
                assert_memory_equal(to, first[batch.samples[i]], sizeof again);
                assert_int_equal(to[1], to[0] + 1);
                assert_int_equal(to[4], to[0] + 6 + batch.samples[i] % 2);
            }
    assert_no_error();
    put_image("a/9.pgm", 3, 9, 0);
    FA_EACH (batch,
             fa_data_loader(fa_data_image_folder(root, .transform = fa_transform_random_crop(4)), .batch_size = 9))
        fail();
    assert_error(FA_ERROR_SHAPE, "images of 3 x 9 have no part of 4 x 4");
}

/* ---- arrays ---- */

static void numpy_files(void **state)
{
    (void)state;
    FA_SCOPE;
    char x[256], y[256], z[256];
    snprintf(x, sizeof x, "%s/x.npy", root);
    snprintf(y, sizeof y, "%s/y.npy", root);
    snprintf(z, sizeof z, "%s/z.npz", root);
    fa_tensor *input = fa_reshape(fa_arange(0, 12), FA_SHAPE(4, 3)), *target = fa_to(fa_arange(5, 9), FA_I64);
    assert_true(fa_save(FA_NAMED("array", input), x) && fa_save(FA_NAMED("array", target), y));
    assert_true(fa_save(FA_NAMED("a", input, "b", target), z));
    fa_dataset *d[] = {fa_data_npy(x, .target = y), fa_data_npy(z, .target = "b"),
                       fa_data_npy(z, .input = "a", .target = "b"), NULL};
    assert_true(fa_save(FA_NAMED("y", target, "x", input), z));
    d[3] = fa_data_npy(z, .target = "y"); /* the target stands first */
    for (int i = 0; i < 4; i++) {
        fa_sample s = fa_dataset_get(d[i], 2);
        assert_no_error();
        assert_int_equal(fa_dataset_length(d[i]), 4);
        assert_float_equal(fa_item(fa_sum(s.input)), 21, 0);
        assert_int_equal(fa_item_int(s.target), 7);
    }
    assert_null(fa_dataset_get(fa_data_npy(x), 0).target);
    assert_null(fa_data_npy(z, .target = "c"));
    assert_error(FA_ERROR_FILE, "has no array c");
    assert_true(fa_save(FA_NAMED("y", target), z));
    assert_null(fa_data_npy(z, .target = "y"));
    assert_error(FA_ERROR_FILE, "has no other array");
    assert_null(fa_data_npy("/no/such.npy"));
    assert_error(FA_ERROR_FILE, "/no/such.npy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(joined),
        TEST(changed),
        TEST(mapped_in_place),
        TEST(filtered),
        TEST(kept_in_memory),
        TEST(bad_samples_are_left_out),
        cmocka_unit_test_setup_teardown(image_folders, make_root, remove_root),
        cmocka_unit_test_setup_teardown(images_of_several_sizes, make_root, remove_root),
        cmocka_unit_test_setup_teardown(numpy_files, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
