/* Writing PNG files, uncompressed. */
#ifndef PNG_H
#define PNG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An image of 8-bit red, green and blue, pixel[(y * width + x) * 3 + channel], as the bytes of a file. Freed by the
 * caller; NULL and an error of the library without memory. */
uint8_t *png_encode(const uint8_t *pixel, int64_t height, int64_t width, size_t *size);
/* Replaces a file by an image of 8-bit red, green and blue: pixel[(y * width + x) * 3 + channel]. False and an error of
 * the library on failure. */
bool png_write(const char *path, const uint8_t *pixel, int64_t height, int64_t width);
#endif
