/* The plugin gzip: files that may be compressed, read as what they hold, and memory that is compressed (zlib). */
#ifndef FA__PLUGINS_GZIP_H
#define FA__PLUGINS_GZIP_H
#include <stdbool.h>
#include <stddef.h>

typedef struct fa__gzip {
    /* Reads the file of a descriptor, compressed or not, and closes it at the end; NULL, and errno says why. */
    void *(*open)(int descriptor);
    /* Reads up to `size` bytes, fewer only at the end; -1 when the file is damaged or cannot be read. */
    ptrdiff_t (*read)(void *file, void *to, size_t size);
    /* Where in the file, as it is compressed, reading failed, and why: "byte 20: unexpected end of file"; good until
     * the next call. */
    const char *(*reason)(void *file);
    void (*close)(void *file);
    /* Decompresses the first `size` bytes of a deflate stream without a head, as in zip archives; false if the stream
     * is damaged or has fewer. */
    bool (*inflate)(const void *packed, size_t packed_size, void *to, size_t size);
} fa__gzip;
#endif
