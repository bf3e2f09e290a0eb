/* Small matrices turned over: blocks of four by four (two by two for 64 bits) in registers, what is left by element. */
#include "dialect.h"
#include "simd.h"

#define BY_ELEMENT(T, row_begin, row_end, column_begin, column_end)                                                    \
    for (int64_t c = column_begin; c < column_end; c++)                                                                \
        for (int64_t r = row_begin; r < row_end; r++)                                                                  \
            ((T *)target)[r * target_stride + c] = ((const T *)source)[c * source_stride + r];

#define PLAIN(bits)                                                                                                    \
    void FA__SIMD(fa__transpose_##bits)(void *target, int64_t target_stride, const void *source,                       \
                                        int64_t source_stride, int64_t rows, int64_t columns)                          \
    {                                                                                                                  \
        BY_ELEMENT(u##bits, 0, rows, 0, columns)                                                                       \
    }
PLAIN(8)
PLAIN(16)

typedef u32 four __attribute__((__vector_size__(16)));
typedef u64 two __attribute__((__vector_size__(16)));
typedef u32 four_in_memory __attribute__((__vector_size__(16), __aligned__(4), __may_alias__));
typedef u64 two_in_memory __attribute__((__vector_size__(16), __aligned__(8), __may_alias__));

FN void four_by_four(u32 *t, int64_t ts, const u32 *s, int64_t ss)
{
    four a = *(const four_in_memory *)s, b = *(const four_in_memory *)(s + ss);
    four c = *(const four_in_memory *)(s + 2 * ss), d = *(const four_in_memory *)(s + 3 * ss);
    four ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    four bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    *(four_in_memory *)t = __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5);
    *(four_in_memory *)(t + ts) = __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7);
    *(four_in_memory *)(t + 2 * ts) = __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5);
    *(four_in_memory *)(t + 3 * ts) = __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7);
}

FN void two_by_two(u64 *t, int64_t ts, const u64 *s, int64_t ss)
{
    two a = *(const two_in_memory *)s, b = *(const two_in_memory *)(s + ss);
    *(two_in_memory *)t = __builtin_shufflevector(a, b, 0, 2);
    *(two_in_memory *)(t + ts) = __builtin_shufflevector(a, b, 1, 3);
}

#define BLOCKED(bits, size, block)                                                                                     \
    void FA__SIMD(fa__transpose_##bits)(void *target, int64_t target_stride, const void *source,                       \
                                        int64_t source_stride, int64_t rows, int64_t columns)                          \
    {                                                                                                                  \
        int64_t whole_rows = rows - rows % size, whole_columns = columns - columns % size;                             \
        for (int64_t c = 0; c < whole_columns; c += size)                                                              \
            for (int64_t r = 0; r < whole_rows; r += size)                                                             \
                block((u##bits *)target + r * target_stride + c, target_stride,                                        \
                      (const u##bits *)source + c * source_stride + r, source_stride);                                 \
        BY_ELEMENT(u##bits, whole_rows, rows, 0, whole_columns)                                                        \
        BY_ELEMENT(u##bits, 0, rows, whole_columns, columns)                                                           \
    }
BLOCKED(32, 4, four_by_four)
BLOCKED(64, 2, two_by_two)
