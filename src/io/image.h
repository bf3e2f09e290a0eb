/* Shared by the image readers: the bytes of a file, and decoded pixels. */
#ifndef FA__IO_IMAGE_H
#define FA__IO_IMAGE_H
#include "plugins/image.h"
#include <facula/scope.h>

/* Maximum size of a file, and of an uncompressed image. */
#define FA__IMAGE_BYTES (INT64_C(1) << 28)

typedef struct fa__image_file {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} fa__image_file;

/* A decoded image in the innermost scope: row-major, with interleaved channels. */
typedef struct fa__pixels {
    fa_object base;
    fa__image_size size;
    unsigned char *at; /* of the tensor */
    fa_tensor *tensor; /* u8 (height, width, channels) on the CPU, in the innermost scope too */
} fa__pixels;

/* Sets FA_ERROR_FILE with the file's name; returns false. */
bool fa__image_fail(const fa__image_file *file, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

/* Allocates an image; NULL and an error if it is too large or has no pixels. */
fa__pixels *fa__pixels_new(const fa__image_file *file, fa__image_size size);

/* Turns an image upright as the EXIF data of a file say. Returns p, or another image in the innermost scope;
 * NULL and an error if memory runs out. */
const fa__pixels *fa__image_upright(const fa__image_file *file, const fa__pixels *p);

/* Decodes a PGM or PPM file; NULL and an error on failure. */
fa__pixels *fa__image_pnm(const fa__image_file *file);
#endif
