/* MNIST and similar datasets: images and labels in two IDX files. An IDX file starts with two zero bytes, the element
 * type (8: bytes) and the number of dimensions, followed by the size of each dimension as four bytes, big-endian. */
#include "data/data.h"
#include "data/file.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>

enum { BYTES = 8, CLASSES = 10, MOST_RANK = 3 };

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

static bool labels_are_good(const char *who, const fa__bytes *b)
{
    for (int64_t i = 8; i < b->size; i++)
        if (b->item[i] >= CLASSES)
            return fa_fail(FA_ERROR_FILE, "%s: %s, byte %lld: the label of sample %lld is %d, not 0 to 9", who, b->path,
                           (long long)i, (long long)(i - 8), b->item[i]);
    return true;
}

static fa_dataset *read_part(const char *who, const char *folder, const char *below, const fa_data_mnist_options *o)
{
    static const char *const images[2][3] = {{"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"},
                                             {"train-images-idx3-ubyte", "train-images.idx3-ubyte"}},
                             *const labels[2][3] = {{"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"},
                                                    {"train-labels-idx1-ubyte", "train-labels.idx1-ubyte"}};
    const fa__bytes *image = fa__bytes_read(who, folder, below, images[o->train], true, size_of_images);
    fa_tensor *x = image ? idx_tensor(who, image, 3) : NULL;
    const fa__bytes *label = x ? fa__bytes_read(who, folder, below, labels[o->train], true, size_of_labels) : NULL;
    fa_tensor *y = label ? idx_tensor(who, label, 1) : NULL;
    if (!y || !labels_are_good(who, label))
        return NULL;
    if (fa_size(x, 0) != fa_size(y, 0)) {
        fa_fail(FA_ERROR_FILE, "%s: %s has %lld images, and %s has %lld labels", who, image->path,
                (long long)fa_size(x, 0), label->path, (long long)fa_size(y, 0));
        return NULL;
    }
    return fa_data_transformed(fa_data_tensors(x, fa_to(y, FA_I64)), o->transform);
}

static fa_dataset *idx_new(const char *who, const char *folder, const char *below, const fa_data_mnist_options *options)
{
    fa_data_mnist_options o = FA__DEFAULT_fa_data_mnist;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return NULL;
    FA_SCOPE;
    return fa_escape(read_part(who, folder, below, &o));
}

fa_dataset *(fa_data_mnist)(const char *folder, const fa_data_mnist_options *options)
{
    return idx_new("fa_data_mnist", folder, "MNIST/raw", options);
}

fa_dataset *(fa_data_fashion_mnist)(const char *folder, const fa_data_fashion_mnist_options *options)
{
    const char *debian = "/usr/share/datasets/fashion-mnist";
    return idx_new("fa_data_fashion_mnist", folder ? folder : debian, "FashionMNIST/raw", options);
}
