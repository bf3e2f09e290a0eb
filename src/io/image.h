/* What the files of images share: bytes of a file, and of an image that is being read. */
#ifndef FA__IO_IMAGE_H
#define FA__IO_IMAGE_H
#include "plugins/image.h"
#include <facula/scope.h>

/* The most bytes of a file, and of an unpacked image. */
#define FA__IMAGE_BYTES (INT64_C(1) << 28)

typedef struct fa__image_file {
    const char *path;
    const unsigned char *bytes;
    size_t size;
} fa__image_file;

/* An image, row by row, the channels of a pixel side by side; in the innermost scope. */
typedef struct fa__pixels {
    fa_object base;
    fa__image_size size;
    unsigned char at[];
} fa__pixels;

/* Raises FA_ERROR_FILE with the file's name; false. */
bool fa__image_fail(const fa__image_file *file, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

/* Room for an image; NULL and an error when it is too large, or of no pixels. */
fa__pixels *fa__pixels_new(const fa__image_file *file, fa__image_size size);

/* A PGM or PPM file; NULL and an error. */
fa__pixels *fa__image_pnm(const fa__image_file *file);
#endif
