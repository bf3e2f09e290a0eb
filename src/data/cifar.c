/* CIFAR-10 and CIFAR-100: each record has one or two label bytes and three planes of 32 x 32 bytes, red, green and
 * blue. */
#include "data/data.h"
#include "data/file.h"
#include <facula/error.h>
#include <facula/ops/index.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIXELS = 3 * 32 * 32, MOST_FILES = 5, MOST_BYTES = 1 << 29 /* of an archive, uncompressed */ };

/* A record format. */
typedef struct format {
    const char *who, *below, *archive;
    int labels;     /* number of label bytes before the pixels */
    int label;      /* which label to use */
    int classes[2]; /* number of classes of each label */
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

/* Where the files are: in a folder, or in an archive. */
typedef struct source {
    const format *format;
    const char *folder;
    const fa__bytes *archive; /* NULL: in the folder */
} source;

/* Reads the records of a file; NULL without an error if there is none, and it need not be there (`must`). */
static fa_tensor *read_file(const source *s, const char *name, bool must)
{
    FA_SCOPE;
    const char *const names[] = {name, NULL};
    const format *f = s->format;
    fa_tensor *t = NULL;
    if (s->archive) {
        fa__span member;
        char path[2 * FA__PATH_ROOM];
        snprintf(path, sizeof path, "%s:%s", s->archive->path, name);
        if (!fa__tar_find(f->who, s->archive, name, &member))
            return NULL;
        if (member.item)
            t = read_records(f, path, member);
        else if (must)
            fa_fail(FA_ERROR_FILE, "%s: there is no %s in %s", f->who, name, s->archive->path);
    } else {
        const fa__bytes *b = fa__bytes_read(f->who, s->folder, f->below, names, must, NULL);
        t = b ? read_records(f, b->path, (fa__span){b->item, b->size}) : NULL;
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
static const fa__bytes *archive_of(const format *f, const char *folder)
{
    char path[FA__PATH_ROOM];
    if (is_archive(folder))
        return fa__bytes_of(f->who, folder, MOST_BYTES);
    int n = snprintf(path, sizeof path, "%s/%s", folder, f->archive);
    return n < FA__PATH_ROOM && access(path, F_OK) == 0 ? fa__bytes_of(f->who, path, MOST_BYTES) : NULL;
}

/* Files in the folder are taken before those in an archive there; if there are none, the error names the first. */
static fa_tensor *read_all(const format *f, const char *folder, const char *const *names)
{
    source s = {f, folder, NULL};
    fa_tensor *all = folder && is_archive(folder) ? NULL : read_files(&s, names);
    if (all || fa_error_stands() || !folder)
        return all;
    s.archive = archive_of(f, folder);
    if (fa_error_stands())
        return NULL;
    all = s.archive ? read_files(&s, names) : NULL;
    return all || fa_error_stands() ? all : read_file(&s, names[0], true);
}

static fa_dataset *cifar_new(const format *f, const char *folder, const char *const *names, fa_module *transform)
{
    if (fa_error_stands())
        return NULL;
    FA_SCOPE;
    fa_tensor *all = read_all(f, folder, names);
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
    static const format records = {"fa_data_cifar10", "cifar-10-batches-bin", "cifar-10-binary.tar.gz", 1, 0, {10}};
    fa_data_cifar10_options o = FA__DEFAULT_fa_data_cifar10;
    fa__options_read(&o, o.size, options);
    return cifar_new(&records, folder, names[o.train], o.transform);
}

fa_dataset *(fa_data_cifar100)(const char *folder, const fa_data_cifar100_options *options)
{
    static const char *const names[2][2] = {{"test.bin"}, {"train.bin"}};
    fa_data_cifar100_options o = FA__DEFAULT_fa_data_cifar100;
    fa__options_read(&o, o.size, options);
    const format records = {"fa_data_cifar100", "cifar-100-binary", "cifar-100-binary.tar.gz", 2, !o.coarse, {20, 100}};
    return cifar_new(&records, folder, names[o.train], o.transform);
}
