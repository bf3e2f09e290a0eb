/* The plugin image: PNG (libpng) and JPEG (libjpeg) from memory. */
#ifndef FA__PLUGINS_IMAGE_H
#define FA__PLUGINS_IMAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fa__image_size {
    int64_t height, width, channels; /* channels: 1 (gray) or 3 (red, green, blue) */
} fa__image_size;

/* A format. `bytes` stay there until close; reasons have at most `room` bytes. */
typedef struct fa__image_format {
    /* Reads the head; NULL and a reason when it is damaged or of no kind that is known. */
    void *(*open)(const void *bytes, size_t size, fa__image_size *image, char *reason, size_t room);
    /* All pixels, row by row, the channels of a pixel side by side. False and a reason for a damaged file. Once. */
    bool (*read)(void *file, unsigned char *to, char *reason, size_t room);
    void (*close)(void *file);
} fa__image_format;

typedef struct fa__image {
    fa__image_format png, jpeg;
} fa__image;
#endif
