/* PNG files (ISO/IEC 15948) whose deflate stream (RFC 1951) has only stored blocks. */
#include "png.h"
#include <facula/facula.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 65535 };

/* A file in memory; `at` stays NULL once memory ran out. */
typedef struct writer {
    uint8_t *at;
    size_t size;
} writer;

static void put(writer *w, const void *bytes, size_t size)
{
    memcpy(w->at + w->size, bytes, size);
    w->size += size;
}

static void put32(writer *w, uint32_t x)
{
    put(w, (uint8_t[]){(uint8_t)(x >> 24), (uint8_t)(x >> 16), (uint8_t)(x >> 8), (uint8_t)x}, 4);
}

static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static uint32_t adler_of(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Begins a chunk, whose length is written by end_chunk(); returns where it begins. */
static size_t begin_chunk(writer *w, const char *type)
{
    size_t begin = w->size;
    put32(w, 0);
    put(w, type, 4);
    return begin;
}

static void end_chunk(writer *w, size_t begin)
{
    size_t length = w->size - begin - 8;
    writer head = {w->at, begin};
    put32(&head, (uint32_t)length);
    put32(w, crc_of(w->at + begin + 4, length + 4));
}

/* The rows, each behind a zero byte: no filter. */
static void put_data(writer *w, const uint8_t *rows, size_t size)
{
    size_t begin = begin_chunk(w, "IDAT");
    put(w, (uint8_t[]){0x78, 0x01}, 2);
    for (size_t at = 0; at < size; at += BLOCK) {
        uint32_t n = size - at < BLOCK ? (uint32_t)(size - at) : BLOCK;
        put(w, (uint8_t[]){at + n == size, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)}, 5);
        put(w, rows + at, n);
    }
    put32(w, adler_of(rows, size));
    end_chunk(w, begin);
}

static void put_image(writer *w, uint8_t *rows, const uint8_t *pixel, int64_t height, int64_t width)
{
    size_t step = (size_t)width * 3;
    for (int64_t y = 0; y < height; y++) {
        rows[(size_t)y * (step + 1)] = 0;
        memcpy(rows + (size_t)y * (step + 1) + 1, pixel + (size_t)y * step, step);
    }
    put(w, "\211PNG\r\n\032\n", 8);
    size_t begin = begin_chunk(w, "IHDR");
    put32(w, (uint32_t)width);
    put32(w, (uint32_t)height);
    put(w, (uint8_t[]){8, 2, 0, 0, 0}, 5);
    end_chunk(w, begin);
    put_data(w, rows, (size_t)height * (step + 1));
    end_chunk(w, begin_chunk(w, "IEND"));
}

uint8_t *png_encode(const uint8_t *pixel, int64_t height, int64_t width, size_t *size)
{
    size_t bytes = (size_t)height * ((size_t)width * 3 + 1);
    uint8_t *rows = calloc(1, bytes);
    writer w = {malloc(bytes + 5 * (bytes / BLOCK + 1) + 128), 0};
    if (rows && w.at)
        put_image(&w, rows, pixel, height, width);
    else
        fa_fail(FA_ERROR_MEMORY, "out of memory for an image");
    if (!rows) {
        free(w.at);
        w.at = NULL;
    }
    free(rows);
    *size = w.size;
    return w.at;
}

bool png_write(const char *path, const uint8_t *pixel, int64_t height, int64_t width)
{
    size_t size;
    uint8_t *png = png_encode(pixel, height, width, &size);
    bool good = png && fa_file_write(path, png, size);
    free(png);
    return good;
}
