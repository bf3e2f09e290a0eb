/* Reads image files into tensors. */
#include "io/image.h"
#include <errno.h>
#include <facula/data.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* The content of a file, in the memory of a tensor of the innermost scope. */
typedef struct bytes {
    size_t size;
    unsigned char *at; /* NULL: it could not be read */
} bytes;

static const fa_object_type pixels_type = {"pixels", NULL};

enum { FIRST_ROOM = 1 << 16, REASON = 300 };

bool fa__image_fail(const fa__image_file *file, const char *format, ...)
{
    char reason[REASON];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    return fa_fail(FA_ERROR_FILE, "fa_image_read: %s: %s", file->path, reason);
}

fa__pixels *fa__pixels_new(const fa__image_file *file, fa__image_size size)
{
    int64_t most = FA__IMAGE_BYTES / size.channels;
    if (size.height < 1 || size.width < 1 || size.height > most / size.width)
        return fa__image_fail(file, "it has %" PRId64 " x %" PRId64 " pixels; there may be %" PRId64, size.height,
                              size.width, most),
               NULL;
    fa__pixels *p = fa_object_new(&pixels_type, sizeof *p);
    if (!p)
        return NULL;
    p->size = size;
    p->tensor = fa_empty(FA_SHAPE(size.height, size.width, size.channels), .dtype = FA_U8, .device = FA_CPU);
    p->at = p->tensor ? fa_ptr_u8(p->tensor) : NULL;
    return p->at ? p : NULL;
}

/* ---- formats ---- */

static fa__pixels *packed(const fa__image_file *file, size_t format)
{
    char reason[REASON];
    fa__image_size size;
    snprintf(reason, sizeof reason, "to read %s", file->path);
    const char *table = fa__plugin("image", reason);
    if (!table)
        return NULL;
    const fa__image_format *f = (const void *)(table + format);
    void *open = f->open(file->bytes, file->size, &size, reason, sizeof reason);
    if (!open)
        return fa__image_fail(file, "%s", reason), NULL;
    fa__pixels *p = fa__pixels_new(file, size);
    if (p && !f->read(open, p->at, reason, sizeof reason))
        p = NULL, fa__image_fail(file, "%s", reason);
    f->close(open);
    return p;
}

static fa__pixels *png(const fa__image_file *file)
{
    return packed(file, offsetof(fa__image, png));
}

static fa__pixels *jpeg(const fa__image_file *file)
{
    return packed(file, offsetof(fa__image, jpeg));
}

/* The first bytes of each format. */
static const struct {
    const char *first;
    fa__pixels *(*read)(const fa__image_file *file);
} formats[] = {{"\211PNG", png},      {"\377\330\377", jpeg}, {"P2", fa__image_pnm},
               {"P3", fa__image_pnm}, {"P5", fa__image_pnm},  {"P6", fa__image_pnm}};

static const fa__pixels *pixels_of(const fa__image_file *file)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t length = strlen(formats[i].first);
        if (file->size >= length && !memcmp(file->bytes, formats[i].first, length))
            return fa__image_upright(file, formats[i].read(file));
    }
    return fa__image_fail(file, "it is no PNG, JPEG, PGM or PPM"), NULL;
}

/* ---- files ---- */

static unsigned char *room_for(size_t size)
{
    fa_tensor *t = fa_empty(FA_SHAPE((int64_t)size), .dtype = FA_U8, .device = FA_CPU);
    return t ? fa_ptr_u8(t) : NULL;
}

/* Reads to the end, which should be at `size`, doubling the buffer as needed. */
static bytes read_all(FILE *from, const fa__image_file *file, int64_t size)
{
    const bytes none = {0, NULL};
    bytes b = none;
    size_t first = size >= FIRST_ROOM && size < FA__IMAGE_BYTES ? (size_t)size + 1 : FIRST_ROOM;
    for (size_t room = first; room <= (size_t)FA__IMAGE_BYTES; room *= 2) {
        unsigned char *larger = room_for(room);
        if (!larger)
            return none;
        if (b.at)
            memcpy(larger, b.at, b.size);
        b.at = larger;
        errno = 0;
        b.size += fread(b.at + b.size, 1, room - b.size, from);
        if (ferror(from))
            return fa__image_fail(file, "%s", strerror(errno)), none;
        if (b.size < room)
            return b;
    }
    return fa__image_fail(file, "it has more than %" PRId64 " bytes", FA__IMAGE_BYTES), none;
}

static const fa__pixels *read_pixels(const char *path)
{
    fa__image_file file = {.path = path};
    int64_t size;
    int descriptor = fa__file_open("fa_image_read", path, &size);
    if (descriptor < 0)
        return NULL;
    FILE *from = fdopen(descriptor, "rb");
    const bytes b = from ? read_all(from, &file, size) : (bytes){0, NULL};
    if (from)
        fclose(from);
    else
        fa__image_fail(&file, "%s", strerror(errno)), close(descriptor);
    if (!b.at)
        return NULL;
    file.bytes = b.at;
    file.size = b.size;
    return pixels_of(&file);
}

/* ---- tensors ---- */

/* Luma of ITU-R BT.601, with weights in units of 1/65536. */
static unsigned char gray_of(const unsigned char *pixel)
{
    return (unsigned char)((19595u * pixel[0] + 38470u * pixel[1] + 7471u * pixel[2] + 32768u) >> 16);
}

/* The image as a tensor that the innermost scope keeps: (channels, height, width); `view`: it may be one of interleaved
 * pixels. */
static fa_tensor *tensor_of(const fa__pixels *p, int64_t channels, bool view)
{
    const int64_t step = p->size.channels, height = p->size.height, width = p->size.width;
    FA_USE(.device = FA_CPU, .no_grad = true);
    if (!channels || channels == step) {
        fa_tensor *t = fa_permute(p->tensor, FA_DIMS(2, 0, 1));
        return view ? t : fa_contiguous(t);
    }
    fa_tensor *t = fa_empty(FA_SHAPE(channels, height, width), .dtype = FA_U8, .device = FA_CPU);
    uint8_t *to = t ? fa_ptr_u8(t) : NULL;
    for (int64_t c = 0; to && c < channels; c++)
        for (int64_t i = 0; i < height * width; i++) {
            const unsigned char *pixel = p->at + i * step;
            *to++ = channels < step ? gray_of(pixel) : *pixel;
        }
    return fa_failed() ? NULL : t;
}

fa_tensor *fa__image_decode(const char *path, const void *content, size_t size, int64_t channels)
{
    const fa__image_file file = {.path = path, .bytes = content, .size = size};
    FA_SCOPE;
    const fa__pixels *p = pixels_of(&file);
    fa_tensor *t = p ? tensor_of(p, channels, false) : NULL;
    return t ? fa_escape(t) : NULL;
}

fa_tensor *fa__image_read(const char *path, int64_t channels, bool view)
{
    FA_SCOPE;
    const fa__pixels *p = read_pixels(path);
    fa_tensor *t = p ? tensor_of(p, channels, view) : NULL;
    return t ? fa_escape(t) : NULL;
}

fa_tensor *(fa_image_read)(const char *path, const fa_image_read_options *options)
{
    fa_image_read_options o = FA__DEFAULT_fa_image_read;
    fa__options_read(&o, o.size, options);
    if (!path || (o.channels != 0 && o.channels != 1 && o.channels != 3)) {
        fa_fail(FA_ERROR_ARGUMENT,
                path ? "fa_image_read: .channels is %" PRId64 ", and can be 0, 1 or 3"
                     : "fa_image_read: the path is NULL",
                o.channels);
        return NULL;
    }
    return fa__image_read(path, o.channels, false);
}
