/* CIFAR-10 and CIFAR-100: each record has one or two label bytes and three planes of 32 x 32 bytes, red, green and
 * blue. In Python's files, pixels are an array, and labels are lists. */
#include "data/data.h"
#include "data/file.h"
#include "data/pickle.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIXELS = 3 * 32 * 32, MOST_FILES = 5, MOST_BYTES = 1 << 29 /* of an archive, uncompressed */ };

/* A record format. */
typedef struct format {
    const char *who, *name;
    const char *below[2], *archive[2]; /* of binary files, and of Python's */
    const char *key[2];                /* of the labels, in Python's files */
    int labels;                        /* number of label bytes before the pixels */
    int label;                         /* which label to use */
    int classes[2];                    /* number of classes of each label */
    const char *const *names;          /* of the classes; NULL: the dataset knows none */
} format;

static bool records_are_good(const format *f, const char *path, fa__span b)
{
    int64_t record = f->labels + PIXELS;
    if (b.size == 0 || b.size % record)
        return fa_fail(FA_ERROR_FILE, "%s: %s has %lld bytes, which is no whole number of records of %lld", f->who,
                       path, (long long)b.size, (long long)record);
    for (int64_t i = 0; i < b.size / record; i++)
        for (int k = 0; k < f->labels; k++)
            if (b.item[i * record + k] >= f->classes[k])
                return fa_fail(FA_ERROR_FILE, "%s: %s, byte %lld: a label of record %lld is %d, not 0 to %d", f->who,
                               path, (long long)(i * record + k), (long long)i, b.item[i * record + k],
                               f->classes[k] - 1);
    return true;
}

/* Records as u8 (records, bytes); NULL and an error if they are damaged. */
static fa_tensor *read_records(const format *f, const char *path, fa__span b)
{
    int64_t record = f->labels + PIXELS;
    if (!records_are_good(f, path, b))
        return NULL;
    return fa_tensor_from(b.item, FA_SHAPE(b.size / record, record), .dtype = FA_U8);
}

/* Puts one byte of each record to `at`, from a list. */
static bool put_labels(const format *f, const char *path, fa__pickle *p, int k, fa_tensor *records)
{
    uint8_t *to = fa_ptr_u8(records);
    int64_t rows = fa_size(records, 0), record = f->labels + PIXELS;
    const fa__numbers *label = to ? fa__pickle_numbers(p, f->key[k]) : NULL;
    if (!label)
        return false;
    if (label->count != rows)
        return fa_fail(FA_ERROR_FILE, "%s: %s has %lld images, and %lld labels", f->who, path, (long long)rows,
                       (long long)label->count);
    for (int64_t i = 0; i < rows; i++) {
        if (label->item[i] < 0 || label->item[i] >= f->classes[k])
            return fa_fail(FA_ERROR_FILE, "%s: %s: label %lld is %lld, not 0 to %d", f->who, path, (long long)i,
                           (long long)label->item[i], f->classes[k] - 1);
        to[i * record + k] = (uint8_t)label->item[i];
    }
    return true;
}

/* The same of a file of Python's. */
static fa_tensor *read_pickled(const format *f, const char *path, fa__span b)
{
    fa__span data;
    int64_t rows, record = f->labels + PIXELS;
    fa__pickle *p = fa__pickle_read(f->who, path, b);
    if (!p || !fa__pickle_array(p, "data", &rows, PIXELS, &data))
        return NULL;
    fa_tensor *t = fa_empty(FA_SHAPE(rows, record), .dtype = FA_U8, .device = FA_CPU);
    uint8_t *to = t ? fa_ptr_u8(t) : NULL;
    for (int64_t i = 0; to && i < rows; i++)
        memcpy(to + i * record + f->labels, data.item + i * PIXELS, PIXELS);
    for (int k = 0; t && k < f->labels; k++)
        if (!put_labels(f, path, p, k, t))
            return NULL;
    return t;
}

/* Where the files are: in a folder, or in an archive. */
typedef struct source {
    const format *format;
    const char *folder;
    const fa__bytes *archive; /* NULL: in the folder */
    bool pickled;
} source;

/* A file of Python's in the folder or below it; NULL, perhaps without an error, if there is none. Their names are those
 * of folders, too. */
static const fa__bytes *find_pickled(const source *s, const char *name)
{
    char path[FA__PATH_ROOM];
    struct stat status;
    for (int k = 0; k < 2; k++) {
        const char *below = k ? s->format->below[1] : ".";
        int n = snprintf(path, sizeof path, "%s/%s/%s", s->folder, below, name);
        if (n < FA__PATH_ROOM && !stat(path, &status) && S_ISREG(status.st_mode))
            return fa__bytes_of(s->format->who, path, MOST_BYTES);
    }
    return NULL;
}

/* Reads the records of a file; NULL without an error if there is none, and it need not be there (`must`). */
static fa_tensor *read_file(const source *s, const char *name, bool must)
{
    FA_SCOPE;
    const char *const names[] = {name, NULL};
    const format *f = s->format;
    fa_tensor *(*records)(const format *, const char *, fa__span) = s->pickled ? read_pickled : read_records;
    fa_tensor *t = NULL;
    if (s->archive) {
        fa__span member;
        char path[2 * FA__PATH_ROOM];
        snprintf(path, sizeof path, "%s:%s", s->archive->path, name);
        if (!fa__tar_find(f->who, s->archive, name, &member))
            return NULL;
        if (member.item)
            t = records(f, path, member);
        else if (must)
            fa_fail(FA_ERROR_FILE, "%s: there is no %s in %s", f->who, name, s->archive->path);
    } else {
        const fa__bytes *b =
            s->pickled ? find_pickled(s, name) : fa__bytes_read(f->who, s->folder, f->below[0], names, must, NULL);
        t = b ? records(f, b->path, (fa__span){b->item, b->size}) : NULL;
    }
    return t ? fa_escape(t) : NULL;
}

/* Reads all of these files that exist; NULL if there is none. */
static fa_tensor *read_files(const source *s, const char *const *names)
{
    fa_tensor *part[MOST_FILES];
    size_t count = 0;
    for (const char *const *name = names; *name && !fa_error_stands(); name++) {
        fa_tensor *t = read_file(s, *name, false);
        if (t)
            part[count++] = t;
    }
    const fa_tensors parts = {count, part};
    return fa_error_stands() || !count ? NULL : count == 1 ? part[0] : fa_cat(parts, .dim = 0);
}

static bool is_archive(const char *path)
{
    size_t n = strlen(path);
    return (n > 4 && !strcmp(path + n - 4, ".tar")) || (n > 7 && !strcmp(path + n - 7, ".tar.gz"));
}

/* The archive that the folder is, or has; NULL if there is none. */
static const fa__bytes *archive_of(const format *f, const char *folder, bool pickled)
{
    char path[FA__PATH_ROOM];
    if (is_archive(folder))
        return fa__bytes_of(f->who, folder, MOST_BYTES);
    int n = snprintf(path, sizeof path, "%s/%s", folder, f->archive[pickled]);
    return n < FA__PATH_ROOM && access(path, F_OK) == 0 ? fa__bytes_of(f->who, path, MOST_BYTES) : NULL;
}

/* Files in the folder are taken before those in an archive there, and binary files before Python's. NULL without an
 * error if there are none. */
static fa_tensor *read_any(const format *f, const char *folder, const char *const *const names[2])
{
    fa_tensor *all = NULL;
    for (int k = 0; k < 4 && !all && !fa_error_stands(); k++) {
        source s = {f, folder, NULL, k / 2};
        if (k % 2)
            s.archive = archive_of(f, folder, s.pickled);
        if (k % 2 ? (const void *)s.archive : is_archive(folder) ? NULL : (const void *)folder)
            all = read_files(&s, names[s.pickled]);
    }
    return all;
}

/* If there are no files, they are downloaded if that is wanted; else the error names the first. */
static fa_tensor *read_all(const format *f, const char *folder, const char *const *const names[2], bool download)
{
    if (!folder) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the folder is NULL", f->who);
        return NULL;
    }
    fa_tensor *all = read_any(f, folder, names);
    if (!all && !fa_error_stands() && download && fa_data_get(f->name, folder))
        all = read_any(f, folder, names);
    if (all || fa_error_stands())
        return all;
    source s = {f, folder, is_archive(folder) ? archive_of(f, folder, false) : NULL, false};
    return fa_error_stands() ? NULL : read_file(&s, names[0][0], true);
}

static fa_dataset *cifar_new(const format *f, const char *folder, const char *const *const names[2],
                             fa_module *transform, bool download)
{
    if (fa_error_stands())
        return NULL;
    FA_SCOPE;
    fa_tensor *all = read_all(f, folder, names, download);
    if (!all)
        return NULL;
    fa_tensor *y = fa_to(fa_select(all, 1, f->label), FA_I64);
    fa_tensor *x = fa_unflatten(fa_narrow(all, 1, f->labels, PIXELS), 1, FA_SHAPE(3, 32, 32));
    fa_dataset *d = fa_data_tensors(x, y);
    if (f->names)
        d = fa__dataset_named(d, fa__names_of(f->names, f->classes[f->label]));
    return fa_escape(fa_data_transformed(d, transform));
}

fa_dataset *(fa_data_cifar10)(const char *folder, const fa_data_cifar10_options *options)
{
    static const char *const train[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                        "data_batch_4.bin", "data_batch_5.bin", NULL},
                             *const train_py[] = {"data_batch_1", "data_batch_2", "data_batch_3",
                                                  "data_batch_4", "data_batch_5", NULL},
                             *const test[] = {"test_batch.bin", NULL}, *const test_py[] = {"test_batch", NULL};
    static const char *const *const names[2][2] = {{test, test_py}, {train, train_py}};
    static const char *const classes[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                          "dog",      "frog",       "horse", "ship", "truck"};
    static const format records = {"fa_data_cifar10",
                                   "cifar10",
                                   {"cifar-10-batches-bin", "cifar-10-batches-py"},
                                   {"cifar-10-binary.tar.gz", "cifar-10-python.tar.gz"},
                                   {"labels"},
                                   1,
                                   0,
                                   {10},
                                   classes};
    fa_data_cifar10_options o = FA__DEFAULT_fa_data_cifar10;
    fa__options_read(&o, o.size, options);
    return cifar_new(&records, folder, names[o.train], o.transform, o.download);
}

fa_dataset *(fa_data_cifar100)(const char *folder, const fa_data_cifar100_options *options)
{
    static const char *const train[] = {"train.bin", NULL}, *const train_py[] = {"train", NULL},
                             *const test[] = {"test.bin", NULL}, *const test_py[] = {"test", NULL};
    static const char *const *const names[2][2] = {{test, test_py}, {train, train_py}};
    fa_data_cifar100_options o = FA__DEFAULT_fa_data_cifar100;
    fa__options_read(&o, o.size, options);
    const format records = {"fa_data_cifar100",
                            "cifar100",
                            {"cifar-100-binary", "cifar-100-python"},
                            {"cifar-100-binary.tar.gz", "cifar-100-python.tar.gz"},
                            {"coarse_labels", "fine_labels"},
                            2,
                            !o.coarse,
                            {20, 100},
                            NULL};
    return cifar_new(&records, folder, names[o.train], o.transform, o.download);
}
