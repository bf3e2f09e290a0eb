/* CRC-32 in steps of eight bytes, with a table for each. */
#include "io/crc.h"
#include <pthread.h>

static uint32_t table[8][256];

static void fill(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        table[0][i] = crc;
    }
    for (int t = 1; t < 8; t++)
        for (int i = 0; i < 256; i++)
            table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 0xff];
}

uint32_t fa__crc(uint32_t crc, const void *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *b = bytes;
    pthread_once(&once, fill);
    crc = ~crc;
    for (; size >= 8; size -= 8, b += 8) {
        uint32_t low = crc ^ ((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24]
              ^ table[3][b[4]] ^ table[2][b[5]] ^ table[1][b[6]] ^ table[0][b[7]];
    }
    for (; size; size--, b++)
        crc = crc >> 8 ^ table[0][(crc ^ *b) & 0xff];
    return ~crc;
}
