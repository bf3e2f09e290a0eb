/* Reads image files into tensors. */
#include "io/image.h"
#include <errno.h>
#include <facula/data.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

typedef struct bytes {
    fa_object base;
    size_t size;
    unsigned char at[];
} bytes;

static const fa_object_type bytes_type = {"bytes", NULL}, pixels_type = {"pixels", NULL};

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
    fa__pixels *p = fa_object_new(&pixels_type, sizeof *p + (size_t)(size.height * size.width * size.channels));
    if (p)
        p->size = size;
    return p;
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

/* Reads to the end, doubling the buffer as needed; NULL and an error on failure. */
static const bytes *read_all(FILE *from, const fa__image_file *file)
{
    bytes *b = NULL;
    for (size_t room = FIRST_ROOM, done = 0; room <= (size_t)FA__IMAGE_BYTES; room *= 2) {
        bytes *larger = fa_object_new(&bytes_type, sizeof *b + room);
        if (!larger)
            return NULL;
        if (b)
            memcpy(larger->at, b->at, done);
        b = larger;
        errno = 0;
        done += fread(b->at + done, 1, room - done, from);
        if (ferror(from))
            return fa__image_fail(file, "%s", strerror(errno)), NULL;
        b->size = done;
        if (done < room)
            return b;
    }
    return fa__image_fail(file, "it has more than %" PRId64 " bytes", FA__IMAGE_BYTES), NULL;
}

static const fa__pixels *read_pixels(const char *path)
{
    fa__image_file file = {.path = path};
    int64_t size;
    int descriptor = fa__file_open("fa_image_read", path, &size);
    if (descriptor < 0)
        return NULL;
    FILE *from = fdopen(descriptor, "rb");
    const bytes *b = from ? read_all(from, &file) : NULL;
    if (from)
        fclose(from);
    else
        fa__image_fail(&file, "%s", strerror(errno)), close(descriptor);
    if (!b)
        return NULL;
    file.bytes = b->at;
    file.size = b->size;
    return pixels_of(&file);
}

/* ---- tensors ---- */

/* Luma of ITU-R BT.601, with weights in units of 1/65536. */
static unsigned char gray_of(const unsigned char *pixel)
{
    return (unsigned char)((19595u * pixel[0] + 38470u * pixel[1] + 7471u * pixel[2] + 32768u) >> 16);
}

/* Writes three planes, four pixels at a time: these are three words, whose bytes are gathered in registers. */
static void split_colors(const unsigned char *from, int64_t count, uint8_t *to)
{
    uint8_t *red = to, *green = to + count, *blue = to + 2 * count;
    int64_t i = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; i + 4 <= count; i += 4) {
        uint32_t w[3], r, g, b;
        memcpy(w, from + 3 * i, sizeof w);
        r = (w[0] & 0xff) | (w[0] >> 24) << 8 | (w[1] & 0xff0000) | (w[2] & 0xff00) << 16;
        g = (w[0] >> 8 & 0xff) | (w[1] & 0xff) << 8 | (w[1] >> 24) << 16 | (w[2] & 0xff0000) << 8;
        b = (w[0] >> 16 & 0xff) | (w[1] & 0xff00) | (w[2] & 0xff) << 16 | (w[2] & 0xff000000);
        memcpy(red + i, &r, sizeof r);
        memcpy(green + i, &g, sizeof g);
        memcpy(blue + i, &b, sizeof b);
    }
#endif
    for (; i < count; i++) {
        red[i] = from[3 * i];
        green[i] = from[3 * i + 1];
        blue[i] = from[3 * i + 2];
    }
}

/* Writes one plane for each channel. */
static void put_planes(const fa__pixels *p, int64_t channels, uint8_t *to)
{
    if (channels == 3 && p->size.channels == 3) {
        split_colors(p->at, p->size.height * p->size.width, to);
        return;
    }
    int64_t count = p->size.height * p->size.width, step = p->size.channels;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < count; i++) {
            const unsigned char *pixel = p->at + i * step;
            to[c * count + i] = channels < step ? gray_of(pixel) : pixel[step > 1 ? c : 0];
        }
}

/* The image as a tensor that the innermost scope keeps. */
static fa_tensor *tensor_of(const fa__pixels *p, int64_t channels)
{
    channels = channels ? channels : p->size.channels;
    fa_tensor *t = fa_empty(FA_SHAPE(channels, p->size.height, p->size.width), .dtype = FA_U8, .device = FA_CPU);
    uint8_t *to = t ? fa_ptr_u8(t) : NULL;
    if (!to)
        return NULL;
    put_planes(p, channels, to);
    return t;
}

fa_tensor *fa__image_decode(const char *path, const void *content, size_t size, int64_t channels)
{
    const fa__image_file file = {.path = path, .bytes = content, .size = size};
    FA_SCOPE;
    const fa__pixels *p = pixels_of(&file);
    fa_tensor *t = p ? tensor_of(p, channels) : NULL;
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
    FA_SCOPE;
    const fa__pixels *p = read_pixels(path);
    fa_tensor *t = p ? tensor_of(p, o.channels) : NULL;
    return t ? fa_escape(t) : NULL;
}
