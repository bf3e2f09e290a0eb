/* The CRC-32 of zip archives (ISO 3309). */
#ifndef FA__IO_CRC_H
#define FA__IO_CRC_H
#include <stddef.h>
#include <stdint.h>

/* The checksum of what has the checksum `crc` (0: nothing), followed by these bytes. */
uint32_t fa__crc(uint32_t crc, const void *bytes, size_t size);
#endif
