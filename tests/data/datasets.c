/* Data sets in files: MNIST's and CIFAR's formats as they are and damaged, plain and compressed, transforms, splits;
 * and the real ones where they are there. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <errno.h>
#include <facula/data.h>
#include <facula/host.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[128];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(in_folder(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void put_head(unsigned char *to, int rank, const int *size)
{
    to[0] = to[1] = 0, to[2] = 8, to[3] = (unsigned char)rank;
    for (int i = 0; i < rank; i++)
        for (int k = 0; k < 4; k++)
            to[4 + 4 * i + k] = (unsigned char)(size[i] >> (24 - 8 * k));
}

enum { IMAGES = 5, HIGH = 3, WIDE = 4, IMAGE_FILE = 16 + IMAGES * HIGH * WIDE, LABEL_FILE = 8 + IMAGES };

/* Pixel p of image i is 10 i + p; its label is i + 2. */
static void put_mnist(void)
{
    unsigned char image[IMAGE_FILE], label[LABEL_FILE];
    put_head(image, 3, (const int[]){IMAGES, HIGH, WIDE});
    put_head(label, 1, (const int[]){IMAGES});
    for (int i = 0; i < IMAGES; i++) {
        label[8 + i] = (unsigned char)(i + 2);
        for (int p = 0; p < HIGH * WIDE; p++)
            image[16 + i * HIGH * WIDE + p] = (unsigned char)(10 * i + p);
    }
    put_file("train-images-idx3-ubyte", image, sizeof image);
    put_file("train-labels-idx1-ubyte", label, sizeof label);
}

/* Changes a byte of a file (to = -1: cuts it there). */
static void spoil(const char *name, long at, int to)
{
    if (to < 0) {
        assert_int_equal(truncate(in_folder(name), at), 0);
        return;
    }
    FILE *f = fopen(in_folder(name), "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    fputc(to, f);
    fclose(f);
}

static void idx_files(void **state)
{
    (void)state;
    FA_SCOPE;
    put_mnist();
    fa_dataset *d = fa_data_mnist(folder);
    assert_no_error();
    assert_int_equal(fa_dataset_length(d), IMAGES);
    fa_sample s = fa_dataset_get(d, 3);
    assert_int_equal(fa_tensor_dtype(s.input), FA_U8);
    assert_int_equal(fa_dim(s.input), 3);
    assert_int_equal(fa_size(s.input, 0), 1);
    assert_int_equal(fa_size(s.input, 2), WIDE);
    assert_int_equal(fa_item_int(fa_get(s.input, "0, 1, 2")), 30 + WIDE + 2);
    assert_int_equal(fa_tensor_dtype(s.target), FA_I64);
    assert_int_equal(fa_item_int(s.target), 5);
    assert_no_error();
    assert_null(fa_data_mnist(folder, .train = false));
    assert_error(FA_ERROR_FILE, "fa_data_mnist", "t10k-images-idx3-ubyte", folder);
    assert_null(fa_data_mnist(NULL));
    assert_error(FA_ERROR_ARGUMENT, "the folder is NULL");
}

static void idx_files_that_are_damaged(void **state)
{
    (void)state;
    FA_SCOPE;
    const struct {
        const char *name;
        long at;
        int to;
        const char *says;
    } damage[] = {
        {"train-images-idx3-ubyte", 3, 1, "begins with 0x00000801, not with 0x00000803"},
        {"train-images-idx3-ubyte", 2, -1, "has 2 bytes, and the head of an IDX file of images has 16"},
        {"train-images-idx3-ubyte", 15, -1, "has 15 bytes, and the head of an IDX file of images has 16"},
        {"train-labels-idx1-ubyte", 4, -1, "has 4 bytes, and the head of an IDX file of labels has 8"},
        {"train-images-idx3-ubyte", 7, 6, "60 bytes behind its head of 16, and says there it has 72"},
        {"train-images-idx3-ubyte", 4, 255, "60 bytes behind its head of 16, and says"},
        {"train-images-idx3-ubyte", IMAGE_FILE - 1, -1, "59 bytes behind"},
        {"train-labels-idx1-ubyte", 3, 3, "not an IDX file of labels"},
        {"train-labels-idx1-ubyte", LABEL_FILE - 1, -1, "4 bytes behind"},
        {"train-labels-idx1-ubyte", 8, 10, "byte 8: the label of sample 0 is 10, not 0 to 9"},
        {"train-labels-idx1-ubyte", 10, 10, "byte 10: the label of sample 2 is 10, not 0 to 9"},
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        put_mnist();
        spoil(damage[i].name, damage[i].at, damage[i].to);
        assert_null(fa_data_mnist(folder));
        assert_error(FA_ERROR_FILE, "fa_data_mnist", damage[i].name, damage[i].says);
    }
    unsigned char huge[16];
    put_mnist();
    put_head(huge, 3, (const int[]){0, -1, -1});
    put_file("train-images-idx3-ubyte", huge, sizeof huge);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "fa_data_mnist", "train-images-idx3-ubyte", "0 x 4294967295 x 4294967295");
    unsigned char fewer[12];
    put_mnist();
    put_head(fewer, 1, (const int[]){4});
    memset(fewer + 8, 1, 4);
    put_file("train-labels-idx1-ubyte", fewer, sizeof fewer);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "has 5 images", "has 4 labels");
    unlink(in_folder("train-images-idx3-ubyte"));
    assert_int_equal(mkdir(in_folder("train-images-idx3-ubyte"), 0700), 0);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "train-images-idx3-ubyte", "is no regular file");
    rmdir(in_folder("train-images-idx3-ubyte"));
}

/* A pipe into which no process writes, in place of any of the files. */
static void pipes_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const names[] = {"train-labels-idx1-ubyte", "train-images-idx3-ubyte", "data_batch_1.bin"};
    put_mnist();
    for (int i = 0; i < 3; i++) {
        unlink(in_folder(names[i]));
        assert_int_equal(mkfifo(in_folder(names[i]), 0600), 0);
        assert_null(i < 2 ? fa_data_mnist(folder) : fa_data_cifar10(folder));
        assert_error(FA_ERROR_FILE, i < 2 ? "fa_data_mnist" : "fa_data_cifar10", names[i], "is no regular file");
        unlink(path);
    }
}

/* More bytes than the head says are an error, of which no more than one is read. */
static void files_that_are_too_long(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            long size = i ? LABEL_FILE : IMAGE_FILE;
            put_mnist();
            assert_int_equal(truncate(in_folder(names[i]), k ? INT64_C(1) << 40 : size + 1), 0); /* sparse */
            assert_null(fa_data_mnist(folder));
            assert_error(FA_ERROR_FILE, "fa_data_mnist", names[i],
                         i ? "more bytes behind its head of 8 than the 5"
                           : "more bytes behind its head of 16 than the 60");
        }
    put_mnist();
    assert_int_equal(truncate(in_folder(names[0]), INT64_C(1) << 40), 0);
    spoil(names[0], 3, 1);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, names[0], "begins with 0x00000801");
}

/* Larger than what is read before the head is looked at. */
static void larger_files(void **state)
{
    (void)state;
    FA_SCOPE;
    enum { COUNT = 300, PIXELS = 28 * 28 };
    static unsigned char image[16 + COUNT * PIXELS], label[8 + COUNT];
    put_head(image, 3, (const int[]){COUNT, 28, 28});
    put_head(label, 1, (const int[]){COUNT});
    for (int i = 0; i < COUNT * PIXELS; i++)
        image[16 + i] = (unsigned char)(i * 7 + i / 256);
    put_file("train-images-idx3-ubyte", image, sizeof image);
    put_file("train-labels-idx1-ubyte", label, sizeof label);
    fa_dataset *d = fa_data_mnist(folder);
    assert_no_error();
    for (int64_t i = 0; i < COUNT; i += 23) {
        unsigned char got[PIXELS];
        assert_true(fa_read(fa_dataset_get(d, i).input, got, FA_U8, PIXELS));
        assert_memory_equal(got, image + 16 + i * PIXELS, PIXELS);
    }
    spoil("train-images-idx3-ubyte", (long)sizeof image - 1, -1);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "235199 bytes behind its head of 16, and says there it has 235200");
}

/* A small compressed file that unpacks to much more is refused without being read to its end. */
static void compressed_files_that_are_too_long(void **state)
{
    (void)state;
    if (!fa_plugin_available("gzip") || system("command -v gzip >/dev/null")) {
        print_message("skipped: the plugin gzip or the command gzip is not there\n");
        skip();
    }
    FA_SCOPE;
    char command[400];
    put_mnist();
    snprintf(command, sizeof command,
             "cd %s && { cat train-images-idx3-ubyte; head -c 200000000 /dev/zero; } | gzip -1 >x.gz", folder);
    assert_int_equal(system(command), 0);
    unlink(in_folder("train-images-idx3-ubyte"));
    snprintf(command, sizeof command, "mv %s/x.gz %s/train-images-idx3-ubyte.gz", folder, folder);
    assert_int_equal(system(command), 0);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "train-images-idx3-ubyte.gz", "more bytes behind its head of 16 than the 60");
    unlink(in_folder("train-images-idx3-ubyte.gz"));
}

/* Where in the compressed file, as that is what one can look at. */
static void compressed_files_that_are_damaged(void **state)
{
    (void)state;
    static const unsigned char cut[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb},
                               block[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0, 0};
    if (!fa_plugin_available("gzip")) {
        print_message("skipped: the plugin gzip is not there\n");
        skip();
    }
    FA_SCOPE;
    unlink(in_folder("train-images-idx3-ubyte"));
    put_file("train-images-idx3-ubyte.gz", cut, sizeof cut);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "fa_data_mnist", "train-images-idx3-ubyte.gz, byte 11: unexpected end of file");
    put_file("train-images-idx3-ubyte.gz", block, sizeof block);
    assert_null(fa_data_mnist(folder));
    assert_error(FA_ERROR_FILE, "fa_data_mnist", "train-images-idx3-ubyte.gz, byte 11: invalid block type");
    unlink(in_folder("train-images-idx3-ubyte.gz"));
}

/* KMNIST has the format of MNIST; images of EMNIST are turned. */
static void other_idx_files(void **state)
{
    (void)state;
    FA_SCOPE;
    static unsigned char image[16 + 2 * 2 * 3], label[8 + 2];
    put_head(image, 3, (const int[]){2, 2, 3});
    put_head(label, 1, (const int[]){2});
    for (int i = 0; i < 12; i++)
        image[16 + i] = (unsigned char)(10 + i);
    label[8] = 26, label[9] = 1;
    put_file("emnist-letters-test-images-idx3-ubyte", image, sizeof image);
    put_file("emnist-letters-test-labels-idx1-ubyte", label, sizeof label);
    fa_sample s = fa_dataset_get(fa_data_emnist(folder, "letters", .train = false), 0);
    assert_no_error();
    assert_int_equal(fa_item_int(s.target), 26);
    assert_int_equal(fa_size(s.input, 1), 3);
    assert_int_equal(fa_size(s.input, 2), 2);
    assert_int_equal(fa_item_int(fa_get(s.input, "0, 2, 1")), 10 + 5);
    assert_int_equal(fa_item_int(fa_get(s.input, "0, 1, 0")), 10 + 1);
    label[9] = 27;
    put_file("emnist-letters-test-labels-idx1-ubyte", label, sizeof label);
    assert_null(fa_data_emnist(folder, "letters", .train = false));
    assert_error(FA_ERROR_FILE, "the label of sample 1 is 27, not 0 to 26");
    assert_null(fa_data_emnist(folder, "balanced"));
    assert_error(FA_ERROR_FILE, "there is no emnist-balanced-train-images-idx3-ubyte", "EMNIST/raw");
    assert_null(fa_data_emnist(folder, "words"));
    assert_error(FA_ERROR_ARGUMENT, "\"words\" is none of balanced");
    label[8] = 9, label[9] = 0;
    put_file("t10k-images-idx3-ubyte", image, sizeof image);
    put_file("t10k-labels-idx1-ubyte", label, sizeof label);
    assert_int_equal(fa_item_int(fa_dataset_get(fa_data_kmnist(folder, .train = false), 0).target), 9);
    assert_no_error();
    unlink(in_folder("emnist-letters-test-images-idx3-ubyte"));
    unlink(in_folder("emnist-letters-test-labels-idx1-ubyte"));
    unlink(in_folder("t10k-images-idx3-ubyte"));
    unlink(in_folder("t10k-labels-idx1-ubyte"));
}

/* ---- CIFAR ---- */

enum { RECORD = 3073, RECORD100 = 3074 };

/* Records whose label is their number + first, and whose pixel p is (number + first + p) modulo 256. */
static void put_cifar(const char *name, int first, int count)
{
    static unsigned char record[4 * RECORD];
    for (int i = 0; i < count; i++) {
        record[i * RECORD] = (unsigned char)(first + i);
        for (int p = 0; p < RECORD - 1; p++)
            record[i * RECORD + 1 + p] = (unsigned char)(first + i + p);
    }
    put_file(name, record, (size_t)count * RECORD);
}

static void cifar_files(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_data_cifar10(folder));
    assert_error(FA_ERROR_FILE, "fa_data_cifar10: there is no data_batch_1.bin", "cifar-10-batches-bin");
    put_cifar("data_batch_2.bin", 0, 3);
    put_cifar("data_batch_5.bin", 3, 2);
    put_cifar("test_batch.bin", 7, 1);
    fa_dataset *d = fa_data_cifar10(folder);
    assert_no_error();
    assert_int_equal(fa_dataset_length(d), 5);
    assert_int_equal(fa_dataset_length(fa_data_cifar10(folder, .train = false)), 1);
    fa_dataset *floats = fa_data_cifar10(folder, .transform = fa_transform_to_tensor());
    assert_int_equal(fa_dataset_classes(floats), 10);
    assert_string_equal(fa_dataset_class_name(floats, 3), "cat");
    const int64_t order[] = {4, 0};
    fa_sample b = fa_dataset_batch(d, order, 2);
    assert_int_equal(fa_item_int(fa_get(b.target, "0")), 4);
    assert_int_equal(fa_size(b.input, 1), 3);
    assert_int_equal(fa_item_int(fa_get(b.input, "0, 2, 1, 5")), (4 + 2 * 1024 + 32 + 5) % 256);
    assert_int_equal(fa_item_int(fa_get(b.input, "1, 0, 0, 0")), 0);
    assert_no_error();
    spoil("data_batch_5.bin", RECORD, 10);
    assert_null(fa_data_cifar10(folder));
    assert_error(FA_ERROR_FILE, "data_batch_5.bin, byte 3073", "record 1 is 10, not 0 to 9");
    spoil("data_batch_2.bin", 3 * RECORD - 1, -1);
    assert_null(fa_data_cifar10(folder));
    assert_error(FA_ERROR_FILE, "data_batch_2.bin has 9218 bytes", "records of 3073");
    unlink(in_folder("data_batch_2.bin"));
    unlink(in_folder("data_batch_5.bin"));
    unlink(in_folder("test_batch.bin"));
}

static int64_t labels_of(const char *where)
{
    fa_dataset *d = fa_data_cifar10(where);
    assert_no_error();
    int64_t all[] = {0, 1, 2, 3, 4}, label = 0;
    fa_sample s = fa_dataset_batch(d, all, fa_dataset_length(d));
    for (int64_t i = 0; i < fa_size(s.target, 0); i++)
        label = 10 * label + fa_item_int(fa_get(s.target, i));
    return label;
}

/* The files in an archive, which is the folder or in it; and damaged ones. */
static void cifar_archives(void **state)
{
    (void)state;
    FA_SCOPE;
    char command[256], tar[128];
    if (system("tar --version >/dev/null 2>&1") != 0)
        skip();
    snprintf(tar, sizeof tar, "%s/c.tar", folder);
    put_cifar("data_batch_2.bin", 0, 3);
    put_cifar("data_batch_5.bin", 3, 2);
    snprintf(command, sizeof command, "cd '%s' && tar cf c.tar ./data_batch_5.bin data_batch_2.bin", folder);
    assert_int_equal(system(command), 0);
    put_cifar("data_batch_2.bin", 7, 1); /* in the folder: taken before an archive's */
    unlink(in_folder("data_batch_5.bin"));
    assert_int_equal(labels_of(tar), 1234); /* 0, 1, 2, 3, 4 */
    if (fa_plugin_available("gzip")) {
        snprintf(command, sizeof command, "cd '%s' && gzip -c c.tar >cifar-10-binary.tar.gz", folder);
        assert_int_equal(system(command), 0);
        assert_int_equal(labels_of(folder), 7);
        unlink(in_folder("data_batch_2.bin"));
        assert_int_equal(labels_of(folder), 1234);
        assert_int_equal(labels_of(in_folder("cifar-10-binary.tar.gz")), 1234);
    }
    assert_null(fa_data_cifar10(tar, .train = false));
    assert_error(FA_ERROR_FILE, "there is no test_batch.bin in", "c.tar");
    spoil("c.tar", 9000, -1);
    assert_null(fa_data_cifar10(tar));
    assert_error(FA_ERROR_FILE, "c.tar, byte 7292: ", "the archive ends within a member");
    spoil("c.tar", 7200, -1); /* in the header of the second file */
    assert_null(fa_data_cifar10(tar));
    assert_error(FA_ERROR_FILE, "c.tar, byte 7200: ", "ends before its end mark");
    spoil("c.tar", 3, 'x');
    assert_null(fa_data_cifar10(tar));
    assert_error(FA_ERROR_FILE, "c.tar, byte 0: ", "its checksum is wrong");
    unlink(in_folder("data_batch_2.bin"));
    unlink(in_folder("cifar-10-binary.tar.gz"));
    unlink(tar);
}

static void cifar100_files(void **state)
{
    (void)state;
    FA_SCOPE;
    static unsigned char record[2 * RECORD100];
    record[0] = 19, record[1] = 99, record[2] = 7;
    put_file("train.bin", record, sizeof record);
    fa_sample fine = fa_dataset_get(fa_data_cifar100(folder), 0);
    fa_sample coarse = fa_dataset_get(fa_data_cifar100(folder, .coarse = true), 0);
    assert_no_error();
    assert_int_equal(fa_item_int(fine.target), 99);
    assert_int_equal(fa_item_int(coarse.target), 19);
    assert_int_equal(fa_item_int(fa_get(fine.input, "0, 0, 0")), 7);
    spoil("train.bin", RECORD100, 20);
    assert_null(fa_data_cifar100(folder));
    assert_error(FA_ERROR_FILE, "train.bin, byte 3074", "record 1 is 20, not 0 to 19");
    unlink(in_folder("train.bin"));
}

/* ---- transforms ---- */

/* Images (count, channels, 6, 8), each pixel another. */
static fa_tensor *images(int64_t count, int64_t channels)
{
    int64_t n = count * channels * 48;
    return fa_reshape(fa_to(fa_arange(0, (double)n), FA_F32), FA_SHAPE(count, channels, 6, 8));
}

static void values_are_transformed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(images(2, 2), FA_U8);
    fa_transform *t =
        fa_transform_compose(fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.25), FA_LIST(0.5, 2)));
    fa_tensor *y = fa_forward(t, x);
    assert_no_error();
    assert_int_equal(fa_tensor_dtype(y), FA_F32);
    assert_float_equal(fa_item(fa_get(y, "1, 0, 0, 3")), (99.0 / 255 - 0.5) / 0.5, 1e-6);
    assert_float_equal(fa_item(fa_get(y, "1, 1, 0, 3")), (147.0 / 255 - 0.25) / 2, 1e-6);
    assert_null(fa_forward(fa_transform_normalize(FA_LIST(0, 0, 0), FA_LIST(1, 1, 1)), images(1, 2)));
    assert_error(FA_ERROR_SHAPE, "3 means for images of 2 channels");
    assert_null(fa_forward(fa_transform_normalize(FA_LIST(0), FA_LIST(1)), fa_ones(FA_SHAPE(3, 4))));
    assert_error(FA_ERROR_SHAPE, "fa_transform_normalize", "not of 2 dims");
    assert_null(fa_transform_normalize(FA_LIST(0, 1), FA_LIST(1, 0)));
    assert_error(FA_ERROR_ARGUMENT, "deviation 1 is 0");
    assert_null(fa_transform_normalize(FA_LIST(0, 1), FA_LIST(1)));
    assert_error(FA_ERROR_ARGUMENT, "2 means and 1 deviations");
}

/* Its numbers are looked at where they are: the host waits for no device. */
static void normalizing_does_not_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_transform *t = fa_transform_normalize(FA_LIST(0.5), FA_LIST(2));
    fa_tensor *there;
    {
        FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0), .forbid = FA_SYNC);
        there = fa_forward(t, fa_ones(FA_SHAPE(1, 1, 2, 2), .device = FA_CPU));
        assert_no_error();
    }
    assert_true(fa_device_equal(fa_tensor_device(there), DEVICE(0)) && fa_item(fa_sum(there)) == 1);
}

/* As in PyTorch: the numbers are taken in the dtype of the images, in which a deviation may become 0. */
static void normalized_images_keep_their_dtype(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_transform *t = fa_transform_normalize(FA_LIST(0.1), FA_LIST(0.3)),
                 *low = fa_transform_normalize(FA_LIST(0), FA_LIST(1e-60));
    const fa_dtype each[] = {FA_F16, FA_BF16, FA_F32, FA_F64};
    for (int i = 0; i < 4; i++) {
        fa_tensor *x = fa_ones(FA_SHAPE(1, 1, 2, 2), .dtype = each[i]);
        assert_int_equal(fa_tensor_dtype(fa_forward(t, x)), each[i]);
        assert_no_error();
        fa_tensor *y = fa_forward(low, x);
        if (each[i] == FA_F64)
            assert_true(fa_item(fa_get(y, "0, 0, 0, 0")) == 1 / 1e-60);
        else
            assert_error(FA_ERROR_ARGUMENT, "fa_transform_normalize: a deviation is 0 in", fa_dtype_name(each[i]));
    }
    assert_true(fa_item(fa_get(fa_forward(t, fa_ones(FA_SHAPE(1, 1, 2, 2), .dtype = FA_F64)), "0, 0, 0, 0"))
                == (1 - 0.1) / 0.3);
    assert_int_equal(fa_tensor_dtype(fa_forward(t, fa_ones(FA_SHAPE(1, 1, 2, 2), .dtype = FA_I32))), FA_F32);
    assert_no_error();
}

static void flips(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = images(300, 1), *turned = fa_flip(x, .dim = 3);
    assert_true(fa_equal(fa_forward(fa_transform_random_horizontal_flip(.p = 0), x), x));
    assert_true(fa_equal(fa_forward(fa_transform_random_horizontal_flip(.p = 1), x), turned));
    assert_true(fa_equal(fa_forward(fa_transform_random_vertical_flip(.p = 1), x), fa_flip(x, .dim = 2)));
    fa_transform *t = fa_transform_random_horizontal_flip();
    fa_manual_seed(3);
    fa_tensor *y = fa_forward(t, x);
    int flipped = 0;
    for (int64_t i = 0; i < 300; i++) {
        FA_SCOPE;
        bool other = fa_equal(fa_select(y, 0, i), fa_select(turned, 0, i));
        assert_true(other || fa_equal(fa_select(y, 0, i), fa_select(x, 0, i)));
        flipped += other;
    }
    assert_in_range(flipped, 100, 200);
    fa_manual_seed(3);
    assert_true(fa_equal(fa_forward(t, x), y));
    fa_module_train(t, false);
    assert_true(fa_equal(fa_forward(t, x), x));
    assert_null(fa_transform_random_horizontal_flip(.p = 1.5));
    assert_error(FA_ERROR_ARGUMENT, "random_horizontal_flip", "1.5");
    assert_no_error();
}

static void crops(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = images(40, 2);
    fa_transform *t = fa_transform_random_crop(FA_PAIR(4, 3));
    fa_tensor *y = fa_forward(t, x);
    assert_no_error();
    assert_int_equal(fa_size(y, 2), 4);
    assert_int_equal(fa_size(y, 3), 3);
    bool seen[3][6] = {{0}};
    int places = 0;
    for (int64_t i = 0; i < 40; i++) {
        FA_SCOPE;
        int64_t first = (int64_t)fa_item(fa_get(fa_select(y, 0, i), "0, 0, 0")) - i * 96, top = first / 8,
                left = first % 8;
        assert_in_range(top, 0, 2);
        assert_in_range(left, 0, 5);
        fa_tensor *part = fa_narrow(fa_narrow(fa_select(x, 0, i), 1, top, 4), 2, left, 3);
        assert_true(fa_equal(fa_select(y, 0, i), part));
        places += !seen[top][left];
        seen[top][left] = true;
    }
    assert_true(places > 6);
    fa_module_train(t, false);
    assert_true(fa_equal(fa_forward(t, x), fa_narrow(fa_narrow(x, 2, 1, 4), 3, 2, 3)));
    fa_tensor *padded = fa_forward(fa_transform_random_crop(FA_PAIR(8, 12), .padding = FA_PAIR(1, 2), .fill = 9), x);
    assert_true(fa_equal(padded, fa_pad(x, FA_LIST(2, 2, 1, 1), .value = 9)));
    assert_no_error();
    assert_null(fa_forward(fa_transform_random_crop(7), x));
    assert_error(FA_ERROR_SHAPE, "6 x 8", "7 x 7");
    assert_null(fa_transform_random_crop(0));
    assert_error(FA_ERROR_ARGUMENT, "size is 1 or more");
    assert_null(fa_transform_random_crop(2, .padding = -1));
    assert_error(FA_ERROR_ARGUMENT, ".padding is 0 or more");
}

static void datasets_are_transformed(void **state)
{
    (void)state;
    FA_SCOPE;
    put_mnist();
    fa_dataset *d = fa_data_mnist(folder, .transform = fa_transform_to_tensor());
    fa_loader *loader = fa_data_loader(d, .batch_size = 2);
    double sum = 0;
    FA_EACH (batch, loader) {
        assert_int_equal(fa_tensor_dtype(batch.input), FA_F32);
        sum += fa_item(fa_sum(batch.input));
    }
    assert_no_error();
    assert_float_equal(sum, (5 * 66 + 12 * 100) / 255.0, 1e-5);
    assert_int_equal(fa_dim(fa_dataset_get(d, 0).input), 3);
    fa_dataset *bad = fa_data_mnist(folder, .transform = fa_transform_random_crop(9));
    assert_null(fa_dataset_get(bad, 0).input);
    assert_error(FA_ERROR_SHAPE, "dataset transformed", "3 x 4", "9 x 9");
    assert_null(fa_data_transformed(NULL, fa_transform_to_tensor()));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

static void splits_without_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *whole = fa_data_tensors(fa_arange(0, 20));
    for (int64_t n = 1;; n++) {
        fa__inject(n);
        fa_datasets parts = fa_data_split(whole, 0.75);
        fa__inject(0);
        if (parts.first && parts.second)
            break;
        assert_null(parts.first);
        assert_error(FA_ERROR_MEMORY, "fa_data_split: ");
    }
    assert_no_error();
}

static void splits(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *whole = fa_data_tensors(fa_arange(0, 10));
    fa_datasets a = fa_data_split(whole, 0.75), again = fa_data_split(whole, 0.75),
                other = fa_data_split(whole, 0.75, .seed = 1);
    fa_datasets plain = fa_data_split(whole, 0.3, .seed = -1);
    assert_int_equal(fa_dataset_length(a.first), 8);
    assert_int_equal(fa_dataset_length(a.second), 2);
    int seen = 0, differ = 0;
    for (int64_t i = 0; i < 10; i++) {
        int64_t value = fa_item_int(fa_dataset_get(i < 8 ? a.first : a.second, i % 8).input);
        seen |= 1 << value;
        assert_int_equal(value, fa_item_int(fa_dataset_get(i < 8 ? again.first : again.second, i % 8).input));
        differ += value != fa_item_int(fa_dataset_get(i < 8 ? other.first : other.second, i % 8).input);
        assert_int_equal(i, fa_item_int(fa_dataset_get(i < 3 ? plain.first : plain.second, i < 3 ? i : i - 3).input));
    }
    assert_int_equal(seen, 1023);
    assert_true(differ > 0);
    assert_no_error();
    assert_null(fa_data_split(whole, 1.5).first);
    assert_error(FA_ERROR_ARGUMENT, "fa_data_split", "1.5", "fa_data_subset takes the samples");
    assert_null(fa_data_split(whole, 8.0).first);
    assert_error(FA_ERROR_ARGUMENT, "fa_data_split", "not 8; an integer is a count");
    assert_null(fa_data_split(whole, NAN).second);
    assert_error(FA_ERROR_ARGUMENT, "fa_data_split", "fraction");
    assert_null(fa_data_split(NULL, 0.5).first);
    assert_error(FA_ERROR_ARGUMENT, "fa_data_split: the dataset is NULL");
}

static void splits_by_counts(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *whole = fa_data_tensors(fa_arange(0, 10));
    const size_t three = 3;
    fa_datasets a = fa_data_split(whole, three, .seed = -1), one = fa_data_split(whole, 1),
                all = fa_data_split(whole, 10);
    assert_int_equal(fa_dataset_length(a.first), 3);
    assert_int_equal(fa_dataset_length(a.second), 7);
    assert_int_equal(fa_item_int(fa_dataset_get(a.second, 0).input), 3);
    assert_int_equal(fa_dataset_length(one.first), 1);
    assert_int_equal(fa_dataset_length(one.second), 9);
    assert_int_equal(fa_dataset_length(all.second), 0);
    assert_int_equal(fa_dataset_length(fa_data_split(whole, 1.0).first), 10);
    assert_int_equal(fa_dataset_length(fa_data_split(whole, 0.0).first), 0);
    assert_no_error();
    assert_null(fa_data_split(whole, 11).first);
    assert_error(FA_ERROR_ARGUMENT, "fa_data_split: ", "1 to 10 here, not 11");
    assert_null(fa_data_split(whole, -1).first);
    assert_error(FA_ERROR_ARGUMENT, "not -1");
    assert_null(fa_data_split(whole, 4 / 5).second);
    assert_error(FA_ERROR_ARGUMENT, "not 0; ", "4 / 5 of integers is 0");
    assert_null(fa_data_split(whole, true).first);
    assert_error(FA_ERROR_ARGUMENT, "a fraction, such as 0.8, or a count");
    assert_null(fa_data_split(whole, UINT64_MAX).first);
    assert_error(FA_ERROR_ARGUMENT, "fraction, 0 to 1");
}

/* ---- the real ones ---- */

static void fashion_mnist(void **state)
{
    (void)state;
    FA_SCOPE;
    if (access("/usr/share/datasets/fashion-mnist", R_OK) || !fa_plugin_available("gzip")) {
        print_message("skipped: dataset-fashion-mnist or the plugin gzip is not there\n");
        skip();
    }
    fa_dataset *d = fa_data_fashion_mnist(NULL, .train = false);
    assert_no_error();
    assert_int_equal(fa_dataset_length(d), 10000);
    assert_string_equal(fa_dataset_class_name(d, 9), "Ankle boot");
    int64_t first[4];
    const int64_t numbers[] = {0, 1, 2, 3};
    assert_true(fa_read(fa_dataset_batch(d, numbers, 4).target, first, FA_I64, 4));
    assert_memory_equal(first, ((const int64_t[]){9, 2, 1, 1}), sizeof first);
}

static void cifar10(void **state)
{
    (void)state;
    FA_SCOPE;
    const char *real = FA_TEST_DATA "/../../shared/data";
    if (access(FA_TEST_DATA "/../../shared/data/cifar-10-batches-bin", R_OK)) {
        print_message("skipped: shared/data is not there\n");
        skip();
    }
    fa_dataset *train = fa_data_cifar10(real), *test = fa_data_cifar10(real, .train = false);
    assert_no_error();
    assert_int_equal(fa_dataset_length(train), 10000);
    assert_int_equal(fa_dataset_length(test), 1000);
    assert_int_equal(fa_item_int(fa_dataset_get(test, 0).target), 3); /* a cat */
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/facula-datasets-XXXXXX");
    if (!mkdtemp(folder))
        return perror(folder), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idx_files),
        cmocka_unit_test(idx_files_that_are_damaged),
        cmocka_unit_test(pipes_are_refused),
        cmocka_unit_test(files_that_are_too_long),
        cmocka_unit_test(larger_files),
        cmocka_unit_test(compressed_files_that_are_damaged),
        cmocka_unit_test(compressed_files_that_are_too_long),
        cmocka_unit_test(other_idx_files),
        cmocka_unit_test(cifar_files),
        cmocka_unit_test(cifar_archives),
        cmocka_unit_test(cifar100_files),
        cmocka_unit_test(values_are_transformed),
        cmocka_unit_test(normalizing_does_not_wait),
        cmocka_unit_test(normalized_images_keep_their_dtype),
        cmocka_unit_test(flips),
        cmocka_unit_test(crops),
        cmocka_unit_test(datasets_are_transformed),
        cmocka_unit_test(splits),
        cmocka_unit_test(splits_by_counts),
        cmocka_unit_test(splits_without_memory),
        cmocka_unit_test(fashion_mnist),
        cmocka_unit_test(cifar10),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(in_folder("train-images-idx3-ubyte"));
    unlink(in_folder("train-labels-idx1-ubyte"));
    rmdir(folder);
    return status;
}
