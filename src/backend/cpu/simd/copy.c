/* Rows of elements copied as they are, whatever they mean: runs of memory, backwards, repeated, with steps. */
#include "dialect.h"
#include "simd.h"
#include <string.h>

/* Calls cost more than so few bytes. */
enum { FEW = 32 };

#define COPY(bits)                                                                                                     \
    FN void row_##bits(u##bits *restrict to, int64_t to_step, const u##bits *restrict from, int64_t from_step,         \
                       int64_t n)                                                                                      \
    {                                                                                                                  \
        if (to_step == 1 && from_step == -1)                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                to[i] = from[-i];                                                                                      \
        else if (to_step == 1 && from_step == 0)                                                                       \
            for (int64_t i = 0; i < n; i++)                                                                            \
                to[i] = *from;                                                                                         \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                to[i * to_step] = from[i * from_step];                                                                 \
    }                                                                                                                  \
    void FA__SIMD(fa__copy_##bits)(void *to, int64_t to_row, int64_t to_step, const void *from, int64_t from_row,      \
                                   int64_t from_step, int64_t rows, int64_t n)                                         \
    {                                                                                                                  \
        const bool run = to_step == 1 && from_step == 1 && n * (bits / 8) > FEW;                                       \
        for (int64_t r = 0; r < rows; r++)                                                                             \
            if (run)                                                                                                   \
                memcpy((u##bits *)to + r * to_row, (const u##bits *)from + r * from_row, (size_t)n * (bits / 8));      \
            else                                                                                                       \
                row_##bits((u##bits *)to + r * to_row, to_step, (const u##bits *)from + r * from_row, from_step, n);   \
    }
COPY(8)
COPY(16)
COPY(32)
COPY(64)
