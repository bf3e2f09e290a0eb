/* Rows of elements copied as they are, whatever they mean: runs of memory, backwards, repeated, with steps. */
#include "dialect.h"
#include "shuffle.h"
#include "simd.h"
#include <string.h>

/* Calls cost more than so few bytes. */
enum { FEW = 32 };

/* Elements of each row that are copied at a time where rows are interleaved, as the colors of pixels are: they come
 * from the same cache lines. */
enum { INTERLEAVED = 2048 };

/* Every third byte, as of the colors of pixels: 16 at a time out of 48. */
typedef u8 bytes_16 __attribute__((__vector_size__(16)));

FN bytes_16 bytes_at(const u8 *p)
{
    bytes_16 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

/* Not inline: compilers make worse loops of it then. */
__attribute__((noinline)) static void row_of_thirds(u8 *restrict to, const u8 *restrict from, int64_t n)
{
    int64_t i = 0;
    for (; i + 17 <= n; i += 16) { /* the two bytes behind the last one are read, too */
        const bytes_16 a = bytes_at(from + 3 * i), b = bytes_at(from + 3 * i + 16), c = bytes_at(from + 3 * i + 32);
        const bytes_16 ab = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
        const bytes_16 all = __builtin_shufflevector(ab, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
        __builtin_memcpy(to + i, &all, sizeof all);
    }
    for (; i < n; i++)
        to[i] = from[3 * i];
}

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
        else if (bits == 8 && to_step == 1 && from_step == 3)                                                          \
            row_of_thirds((u8 *)to, (const u8 *)from, n);                                                              \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++)                                                                            \
                to[i * to_step] = from[i * from_step];                                                                 \
    }                                                                                                                  \
    void FA__SIMD(fa__copy_##bits)(void *to, int64_t to_row, int64_t to_step, const void *from, int64_t from_row,      \
                                   int64_t from_step, int64_t rows, int64_t n)                                         \
    {                                                                                                                  \
        const bool run = to_step == 1 && from_step == 1 && n * (bits / 8) > FEW;                                       \
        const int64_t part = !run && rows > 1 && from_row < from_step ? INTERLEAVED : n;                               \
        for (int64_t i = 0; i < n; i += part)                                                                          \
            for (int64_t r = 0; r < rows; r++) {                                                                       \
                u##bits *y = (u##bits *)to + r * to_row + i * to_step;                                                 \
                const u##bits *x = (const u##bits *)from + r * from_row + i * from_step;                               \
                const int64_t count = n - i < part ? n - i : part;                                                     \
                if (run)                                                                                               \
                    memcpy(y, x, (size_t)count *(bits / 8));                                                           \
                else                                                                                                   \
                    row_##bits(y, to_step, x, from_step, count);                                                       \
            }                                                                                                          \
    }
COPY(8)
COPY(16)
COPY(32)
COPY(64)
