/* CIFAR-10 and CIFAR-100: each record has one or two label bytes and three planes of 32 x 32 bytes, red, green and
 * blue. */
#include "data/data.h"
#include "data/file.h"
#include <facula/error.h>
#include <facula/ops/index.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>

enum { PIXELS = 3 * 32 * 32, MOST_FILES = 5 };

/* A record format. */
typedef struct format {
    const char *who, *below;
    int labels;     /* number of label bytes before the pixels */
    int label;      /* which label to use */
    int classes[2]; /* number of classes of each label */
} format;

static bool records_are_good(const format *f, const fa__bytes *b)
{
    int64_t record = f->labels + PIXELS;
    if (b->size == 0 || b->size % record)
        return fa_fail(FA_ERROR_FILE, "%s: %s has %lld bytes, which is no whole number of records of %lld", f->who,
                       b->path, (long long)b->size, (long long)record);
    for (int64_t i = 0; i < b->size / record; i++)
        for (int k = 0; k < f->labels; k++)
            if (b->item[i * record + k] >= f->classes[k])
                return fa_fail(FA_ERROR_FILE, "%s: %s, byte %lld: a label of record %lld is %d, not 0 to %d", f->who,
                               b->path, (long long)(i * record + k), (long long)i, b->item[i * record + k],
                               f->classes[k] - 1);
    return true;
}

/* Reads the records of a file as u8 (records, bytes). *there is set to whether the file exists. */
static fa_tensor *read_file(const format *f, const char *folder, const char *name, bool must, bool *there)
{
    FA_SCOPE;
    const char *const names[] = {name, NULL};
    const fa__bytes *b = fa__bytes_read(f->who, folder, f->below, names, must, NULL);
    *there = b;
    if (!b || !records_are_good(f, b))
        return NULL;
    int64_t record = f->labels + PIXELS;
    return fa_escape(fa_tensor_from(b->item, FA_SHAPE(b->size / record, record), .dtype = FA_U8));
}

/* Reads all of these files that exist; if there is none, the error names the first. */
static fa_tensor *read_files(const format *f, const char *folder, const char *const *names)
{
    fa_tensor *part[MOST_FILES];
    size_t count = 0;
    bool there;
    for (const char *const *name = names; *name; name++) {
        fa_tensor *t = read_file(f, folder, *name, false, &there);
        if (t)
            part[count++] = t;
        if (!t && (there || fa_error_stands()))
            return NULL;
    }
    if (!count)
        return read_file(f, folder, names[0], true, &there);
    const fa_tensors parts = {count, part};
    return count == 1 ? part[0] : fa_cat(parts, .dim = 0);
}

static fa_dataset *cifar_new(const format *f, const char *folder, const char *const *names, fa_module *transform)
{
    if (fa_error_stands())
        return NULL;
    FA_SCOPE;
    fa_tensor *all = read_files(f, folder, names);
    if (!all)
        return NULL;
    fa_tensor *y = fa_to(fa_select(all, 1, f->label), FA_I64);
    fa_tensor *x = fa_unflatten(fa_narrow(all, 1, f->labels, PIXELS), 1, FA_SHAPE(3, 32, 32));
    return fa_escape(fa_data_transformed(fa_data_tensors(x, y), transform));
}

fa_dataset *(fa_data_cifar10)(const char *folder, const fa_data_cifar10_options *options)
{
    static const char *const names[2][MOST_FILES + 1] = {
        {"test_batch.bin"},
        {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}};
    static const format records = {"fa_data_cifar10", "cifar-10-batches-bin", 1, 0, {10}};
    fa_data_cifar10_options o = FA__DEFAULT_fa_data_cifar10;
    fa__options_read(&o, o.size, options);
    return cifar_new(&records, folder, names[o.train], o.transform);
}

fa_dataset *(fa_data_cifar100)(const char *folder, const fa_data_cifar100_options *options)
{
    static const char *const names[2][2] = {{"test.bin"}, {"train.bin"}};
    fa_data_cifar100_options o = FA__DEFAULT_fa_data_cifar100;
    fa__options_read(&o, o.size, options);
    const format records = {"fa_data_cifar100", "cifar-100-binary", 2, !o.coarse, {20, 100}};
    return cifar_new(&records, folder, names[o.train], o.transform);
}
