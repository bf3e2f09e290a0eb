/* EXIF data of JPEG and PNG files: whether the image has to be turned or mirrored to be upright. See the standard CIPA
 * DC-008, TIFF 6.0 for the directory that they are, and for the chunk eXIf the PNG specification, third edition. */
#include "io/image.h"
#include <string.h>

enum { SOI = 0xd8, SOS = 0xda, APP1 = 0xe1, ORIENTATION = 0x0112, SHORT = 3, ENTRY = 12, TIFF_HEAD = 8, EXIF_HEAD = 6 };
enum { PNG_MARK = 8, CHUNK = 12 /* bytes of a chunk without its data */ };

#define PNG_FIRST 0x89504e47u /* the first bytes of a PNG file, big-endian */

/* Part of a file, with numbers of either byte order. */
typedef struct part {
    const unsigned char *at;
    size_t size;
    bool big;
} part;

/* A number of 2 or 4 bytes; 0 beyond the end. */
static uint32_t number_at(const part *p, size_t at, size_t bytes)
{
    uint32_t n = 0;
    if (at > p->size || p->size - at < bytes)
        return 0;
    for (size_t i = 0; i < bytes; i++)
        n = n << 8 | p->at[p->big ? at + i : at + bytes - 1 - i];
    return n;
}

/* Whether EXIF data begin with the head that they have in JPEG files. */
static bool has_head(const part *p)
{
    return p->size >= EXIF_HEAD && !memcmp(p->at, "Exif\0", EXIF_HEAD);
}

/* The orientation that EXIF data have; 1 (upright) if they have none from 1 to 8. */
static int orientation_in(part p)
{
    size_t head = has_head(&p) ? EXIF_HEAD : 0;
    p.at += head;
    p.size -= head;
    if (p.size < TIFF_HEAD)
        return 1;
    p.big = p.at[0] == 'M';
    size_t directory = number_at(&p, 4, 4), entries = number_at(&p, directory, 2);
    for (size_t i = 0; i < entries && i < p.size / ENTRY; i++) {
        size_t at = directory + 2 + i * ENTRY;
        uint32_t value = number_at(&p, at + 8, 2);
        if (number_at(&p, at, 2) == ORIENTATION && number_at(&p, at + 2, 2) == SHORT)
            return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* That of the first EXIF data in the segments before the pixels of a JPEG file. */
static int orientation_of_jpeg(part p)
{
    for (size_t at = 2; at < p.size && p.at[at] == 0xff;) {
        uint32_t marker = number_at(&p, at, 2) & 0xff, length = number_at(&p, at + 2, 2);
        if (marker == 0xff) { /* padding */
            at++;
            continue;
        }
        if (marker == SOS || length < 2 || length > p.size - at - 2)
            return 1;
        const part data = {p.at + at + 4, length - 2, true};
        if (marker == APP1 && has_head(&data))
            return orientation_in(data);
        at += 2 + length;
    }
    return 1;
}

/* That of the chunk eXIf of a PNG file: its length, its name, the data and a checksum. */
static int orientation_of_png(part p)
{
    for (size_t at = PNG_MARK; at < p.size && p.size - at >= CHUNK;) {
        size_t length = number_at(&p, at, 4);
        if (length > p.size - at - CHUNK)
            return 1;
        if (!memcmp(p.at + at + 4, "eXIf", 4))
            return orientation_in((part){p.at + at + 8, length, true});
        at += CHUNK + length;
    }
    return 1;
}

static int orientation_of(const fa__image_file *file)
{
    const part p = {file->bytes, file->size, true};
    uint32_t first = number_at(&p, 0, 4);
    return first >> 16 == (0xff00 | SOI) ? orientation_of_jpeg(p) : first == PNG_FIRST ? orientation_of_png(p) : 1;
}

const fa__pixels *fa__image_upright(const fa__image_file *file, const fa__pixels *p)
{
    int how = p ? orientation_of(file) : 1;
    if (how == 1)
        return p;
    /* from 5 on, rows are columns; then some are mirrored left to right, or upside down */
    bool turned = how > 4, mirrored = how == 2 || how == 3 || how == 6 || how == 7;
    bool flipped = how == 3 || how == 4 || how == 7 || how == 8;
    fa__image_size size = p->size;
    if (turned)
        size = (fa__image_size){p->size.width, p->size.height, p->size.channels};
    fa__pixels *to = fa__pixels_new(file, size);
    size_t bytes = (size_t)size.channels;
    for (int64_t y = 0; to && y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++) {
            int64_t v = flipped ? size.height - 1 - y : y, u = mirrored ? size.width - 1 - x : x;
            const unsigned char *from =
                p->at + (turned ? u * p->size.width + v : v * p->size.width + u) * size.channels;
            memcpy(to->at + (size_t)(y * size.width + x) * bytes, from, bytes);
        }
    return to;
}
