/* MNIST and similar datasets: images and labels in two IDX files. An IDX file starts with two zero bytes, the element
 * type (8: bytes) and the number of dimensions, followed by the size of each dimension as four bytes, big-endian. */
#include "data/data.h"
#include "data/file.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 8, MOST_RANK = 3 };

static int64_t number_at(const fa__bytes *b, int64_t at)
{
    const unsigned char *p = b->item + at;
    return (int64_t)p[0] << 24 | (int64_t)p[1] << 16 | (int64_t)p[2] << 8 | p[3];
}

/* Checks that a file starts like one with `rank` dimensions. */
static bool begin_is_good(const char *who, const fa__bytes *b, int rank)
{
    const char *what = rank == 1 ? "labels" : "images";
    int64_t head = 4 + 4 * rank, expected = BYTES << 8 | rank;
    if (b->size < head)
        return fa_fail(FA_ERROR_FILE, "%s: %s has %lld bytes, and the head of an IDX file of %s has %lld", who, b->path,
                       (long long)b->size, what, (long long)head);
    return number_at(b, 0) == expected
           || fa_fail(FA_ERROR_FILE,
                      "%s: %s begins with 0x%08llx, not with 0x%08llx and %d sizes: not an IDX file of %s", who,
                      b->path, (unsigned long long)number_at(b, 0), (unsigned long long)expected, rank, what);
}

/* The number of bytes for these sizes; -1 if they are invalid, including a product of the nonzero sizes that
 * overflows. */
static int64_t product(const int64_t *size, int rank)
{
    int64_t count = 1;
    bool empty = false;
    for (int i = 0; i < rank; i++) {
        empty = empty || size[i] == 0;
        if (size[i] && __builtin_mul_overflow(count, size[i], &count))
            return -1;
    }
    return empty ? 0 : count;
}

static bool sizes_are_good(const char *who, const fa__bytes *b, const int64_t size[MOST_RANK], int rank)
{
    int64_t count = product(size, rank), there = b->size - 4 - 4 * rank;
    if (count < 0)
        return fa_fail(FA_ERROR_FILE, "%s: %s says that it has %lld x %lld x %lld bytes", who, b->path,
                       (long long)size[0], (long long)size[1], (long long)size[2]);
    if (there > count)
        return fa_fail(FA_ERROR_FILE, "%s: %s has more bytes behind its head of %d than the %lld that it says there",
                       who, b->path, 4 + 4 * rank, (long long)count);
    return count == there
           || fa_fail(FA_ERROR_FILE, "%s: %s has %lld bytes behind its head of %d, and says there it has %lld", who,
                      b->path, (long long)there, 4 + 4 * rank, (long long)count);
}

/* The size that the head of a file gives for it; that of the head if it is damaged. */
static int64_t size_of(const fa__bytes *b, int rank)
{
    int64_t head = 4 + 4 * rank, size[MOST_RANK];
    if (number_at(b, 0) != (BYTES << 8 | rank))
        return head;
    for (int i = 0; i < rank; i++)
        size[i] = number_at(b, 4 + 4 * i);
    int64_t count = product(size, rank);
    return count < 0 || count > INT64_MAX - head - 1 ? head : head + count;
}

static int64_t size_of_images(const fa__bytes *b)
{
    return size_of(b, 3);
}

static int64_t size_of_labels(const fa__bytes *b)
{
    return size_of(b, 1);
}

/* The data of a file with `rank` dimensions as u8; checks its size. */
static fa_tensor *idx_tensor(const char *who, const fa__bytes *b, int rank)
{
    int64_t head = 4 + 4 * rank, size[MOST_RANK] = {1, 1, 1};
    if (!begin_is_good(who, b, rank))
        return NULL;
    for (int i = 0; i < rank; i++)
        size[i] = number_at(b, 4 + 4 * i);
    if (!sizes_are_good(who, b, size, rank))
        return NULL;
    fa_shape shape = rank == 1 ? FA_SHAPE(size[0]) : FA_SHAPE(size[0], 1, size[1], size[2]);
    return fa_tensor_from(b->item + head, shape, .dtype = FA_U8);
}

static bool labels_are_good(const char *who, const fa__bytes *b, int classes)
{
    for (int64_t i = 8; i < b->size; i++)
        if (b->item[i] >= classes)
            return fa_fail(FA_ERROR_FILE, "%s: %s, byte %lld: the label of sample %lld is %d, not 0 to %d", who,
                           b->path, (long long)i, (long long)(i - 8), b->item[i], classes - 1);
    return true;
}

/* A dataset in two files. */
typedef struct source {
    const char *who, *name, *folder, *below;
    const char *image[3], *label[3]; /* names of the files, ended by NULL */
    int classes;
    const char *const *names; /* of the classes; NULL: the dataset knows none */
    bool columns;             /* rows of the images are columns */
} source;

static fa_dataset *read_files(const source *s, fa_module *transform)
{
    const fa__bytes *image = fa__bytes_read(s->who, s->folder, s->below, s->image, true, size_of_images);
    fa_tensor *x = image ? idx_tensor(s->who, image, 3) : NULL;
    const fa__bytes *label = x ? fa__bytes_read(s->who, s->folder, s->below, s->label, true, size_of_labels) : NULL;
    fa_tensor *y = label ? idx_tensor(s->who, label, 1) : NULL;
    if (!y || !labels_are_good(s->who, label, s->classes))
        return NULL;
    if (fa_size(x, 0) != fa_size(y, 0)) {
        fa_fail(FA_ERROR_FILE, "%s: %s has %lld images, and %s has %lld labels", s->who, image->path,
                (long long)fa_size(x, 0), label->path, (long long)fa_size(y, 0));
        return NULL;
    }
    if (s->columns)
        x = fa_contiguous(fa_transpose(x, 2, 3));
    fa_dataset *d = fa_data_tensors(x, fa_to(y, FA_I64));
    if (s->names)
        d = fa__dataset_named(d, fa__names_of(s->names, s->classes));
    return fa_data_transformed(d, transform);
}

static bool is_missing(const source *s)
{
    fa_error caught = {0};
    FA_SCOPE;
    FA_USE(.catch_errors = &caught);
    return !fa__bytes_read(s->who, s->folder, s->below, s->image, false, size_of_images)
           || !fa__bytes_read(s->who, s->folder, s->below, s->label, false, size_of_labels);
}

static fa_dataset *idx_new(source s, const fa_data_mnist_options *options)
{
    static const char *const images[2][3] = {{"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"},
                                             {"train-images-idx3-ubyte", "train-images.idx3-ubyte"}},
                             *const labels[2][3] = {{"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"},
                                                    {"train-labels-idx1-ubyte", "train-labels.idx1-ubyte"}};
    fa_data_mnist_options o = FA__DEFAULT_fa_data_mnist;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return NULL;
    FA_SCOPE;
    for (int i = 0; i < 2; i++) {
        s.image[i] = images[o.train][i];
        s.label[i] = labels[o.train][i];
    }
    s.classes = 10;
    if (o.download && s.folder && is_missing(&s) && !fa_data_get(s.name, s.folder))
        return NULL;
    return fa_escape(read_files(&s, o.transform));
}

fa_dataset *(fa_data_mnist)(const char *folder, const fa_data_mnist_options *options)
{
    return idx_new((source){.who = "fa_data_mnist", .name = "mnist", .folder = folder, .below = "MNIST/raw"}, options);
}

fa_dataset *(fa_data_fashion_mnist)(const char *folder, const fa_data_fashion_mnist_options *options)
{
    static const char *const classes[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                          "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
    const char *debian = "/usr/share/datasets/fashion-mnist";
    return idx_new((source){.who = "fa_data_fashion_mnist",
                            .name = "fashion-mnist",
                            .folder = folder ? folder : debian,
                            .below = "FashionMNIST/raw",
                            .names = classes},
                   options);
}

fa_dataset *(fa_data_kmnist)(const char *folder, const fa_data_kmnist_options *options)
{
    return idx_new((source){.who = "fa_data_kmnist", .name = "kmnist", .folder = folder, .below = "KMNIST/raw"},
                   options);
}

fa_dataset *(fa_data_emnist)(const char *folder, const char *split, const fa_data_emnist_options *options)
{
    static const struct {
        const char *name;
        int classes;
    } splits[] = {{"balanced", 47}, {"byclass", 62}, {"bymerge", 47}, {"digits", 10}, {"letters", 27}, {"mnist", 10}};
    fa_data_emnist_options o = FA__DEFAULT_fa_data_emnist;
    fa__options_read(&o, o.size, options);
    source s = {.who = "fa_data_emnist", .name = "emnist", .folder = folder, .below = "EMNIST/raw", .columns = true};
    char image[64], label[64];
    for (size_t i = 0; split && i < sizeof splits / sizeof *splits; i++)
        if (!strcmp(split, splits[i].name))
            s.classes = splits[i].classes;
    if (!s.classes)
        fa_fail(FA_ERROR_ARGUMENT,
                "fa_data_emnist: \"%s\" is none of balanced, byclass, bymerge, digits, letters, mnist",
                split ? split : "NULL");
    if (fa_error_stands())
        return NULL;
    snprintf(image, sizeof image, "emnist-%s-%s-images-idx3-ubyte", split, o.train ? "train" : "test");
    snprintf(label, sizeof label, "emnist-%s-%s-labels-idx1-ubyte", split, o.train ? "train" : "test");
    s.image[0] = image;
    s.label[0] = label;
    FA_SCOPE;
    if (o.download && folder && is_missing(&s) && !fa_data_get(s.name, folder))
        return NULL;
    return fa_escape(read_files(&s, o.transform));
}
