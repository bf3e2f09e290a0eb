/* PGM and PPM files: gray or color, as text (P2, P3) or binary (P5, P6), with up to 16 bits per channel. See
 * https://netpbm.sourceforge.net/doc/pgm.html and ppm.html. */
#include "io/image.h"
#include <inttypes.h>

typedef struct reader {
    const fa__image_file *file;
    size_t at;
    int64_t most; /* the maximum value, which is white */
    bool text;
} reader;

static int next(const reader *r)
{
    return r->at < r->file->size ? r->file->bytes[r->at] : -1;
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips white space and comments, which extend to the end of the line. */
static void skip(reader *r)
{
    while (is_space(next(r)) || next(r) == '#')
        if (r->file->bytes[r->at++] == '#')
            while (next(r) >= 0 && next(r) != '\n')
                r->at++;
}

/* Reads a decimal integer from `least` to `most`; false and an error if there is none. */
static bool number(reader *r, const char *what, int64_t least, int64_t most, int64_t *to)
{
    int64_t value = 0;
    bool good = false;
    skip(r);
    for (int c; (c = next(r)) >= '0' && c <= '9' && value <= most; r->at++, good = true)
        value = 10 * value + (c - '0');
    *to = value;
    return (good && value >= least && value <= most)
           || fa__image_fail(r->file, "at byte %zu there is no %s from %" PRId64 " to %" PRId64, r->at, what, least,
                             most);
}

/* Reads one channel of a pixel, unscaled. */
static bool sample(reader *r, int64_t *to)
{
    if (r->text)
        return number(r, "brightness", 0, r->most, to);
    int bytes = r->most > 255 ? 2 : 1;
    if (r->file->size - r->at < (size_t)bytes)
        return fa__image_fail(r->file, "it ends at byte %zu, within its pixels", r->file->size);
    for (*to = 0; bytes; bytes--)
        *to = *to << 8 | r->file->bytes[r->at++];
    return *to <= r->most
           || fa__image_fail(r->file, "at byte %zu there is the brightness %" PRId64 ", and white is %" PRId64, r->at,
                             *to, r->most);
}

fa__pixels *fa__image_pnm(const fa__image_file *file)
{
    enum { LARGEST = 1 << 28, WHITEST = 65535 };
    reader r = {.file = file, .at = 2, .text = file->bytes[1] < '5'};
    fa__image_size size = {.channels = file->bytes[1] == '3' || file->bytes[1] == '6' ? 3 : 1};
    if (!number(&r, "width", 1, LARGEST, &size.width) || !number(&r, "height", 1, LARGEST, &size.height)
        || !number(&r, "value of white", 1, WHITEST, &r.most))
        return NULL;
    if (!is_space(next(&r)))
        return fa__image_fail(file, "at byte %zu there is no blank behind the head", r.at), NULL;
    r.at++;
    fa__pixels *p = fa__pixels_new(file, size);
    int64_t count = p ? size.height * size.width * size.channels : 0, value;
    for (int64_t i = 0; i < count; i++) {
        if (!sample(&r, &value))
            return NULL;
        p->at[i] = (unsigned char)((value * 255 + r.most / 2) / r.most);
    }
    return p;
}
