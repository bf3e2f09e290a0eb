/* A 64-bit hash function for tables: fast, well distributed, the same in every process; not safe against malicious
 * input. */
#ifndef FA__BASE_HASH_H
#define FA__BASE_HASH_H
#include "base/types.h"
#include <string.h>

/* Mixes the bits of x, bijectively: the finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t fa__hash_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Adds a value to a hash; the order of values matters. Start from any seed, such as 0. */
static inline uint64_t fa__hash_add(uint64_t hash, uint64_t value)
{
    return fa__hash_mix((hash + UINT64_C(0x9e3779b97f4a7c15)) ^ fa__hash_mix(value));
}

static inline uint64_t fa__hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t hash = size;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = fa__hash_add(hash, word);
    }
    uint64_t tail = 0;
    if (size)
        memcpy(&tail, at, size);
    return fa__hash_add(hash, tail);
}

static inline uint64_t fa__hash_text(const char *text)
{
    return fa__hash_bytes(text, strlen(text));
}
#endif
