/* SHA-256 (FIPS 180-4). */
#ifndef FA__DATA_SHA256_H
#define FA__DATA_SHA256_H
#include <stddef.h>
#include <stdint.h>

typedef struct fa__sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} fa__sha256;

void fa__sha256_begin(fa__sha256 *s);
void fa__sha256_add(fa__sha256 *s, const void *data, size_t size);
/* Writes 64 hexadecimal digits and a zero byte. */
void fa__sha256_end(fa__sha256 *s, char text[static 65]);
#endif
