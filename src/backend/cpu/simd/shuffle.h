/* __builtin_shufflevector(a, b, i, j, ...) for gcc before version 12, which does not have it: a vector of the elements
 * numbered i, j, ... of a and b, counted through both; it may be longer or shorter than they are. Elements are bytes,
 * or 4 or 8 bytes wide. FA__OWN_SHUFFLE: for later ones, too (tests/cpu/shuffle.c). */
#ifndef FA__SIMD_SHUFFLE_H
#define FA__SIMD_SHUFFLE_H
#if defined __GNUC__ && !defined __clang__ && (__GNUC__ < 12 || defined FA__OWN_SHUFFLE)
#pragma GCC diagnostic ignored "-Wshadow" /* calls within the arguments of a call */

/* Written as a vector's elements, which gcc makes one instruction of where there is one. */
#define FA__AT(i) ((int)(i) < fa__half ? fa__x[(int)(i) % fa__half] : fa__y[(int)(i) % fa__half])
#define FA__AT_2(i, j) FA__AT(i), FA__AT(j)
#define FA__AT_4(i, j, k, l) FA__AT_2(i, j), FA__AT_2(k, l)
#define FA__AT_8(i, j, k, l, ...) FA__AT_4(i, j, k, l), FA__AT_4(__VA_ARGS__)
#define FA__AT_16(i, j, k, l, m, n, o, p, ...) FA__AT_8(i, j, k, l, m, n, o, p), FA__AT_8(__VA_ARGS__)

#define FA__INDICES(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
#define FA__COUNT_INDICES(...) FA__INDICES(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FA__PASTE_INDICES(a, b) a##b
#define FA__AT_COUNT(count) FA__PASTE_INDICES(FA__AT_, count)

/* An element that is not const; a sum of bytes would be an int. */
#define FA__PLAIN(x) __builtin_choose_expr(sizeof(x) == 1, (unsigned char)0, (x) + 0)

#define __builtin_shufflevector(a, b, ...)                                                                             \
    __extension__({                                                                                                    \
        const __typeof__(a) fa__x = (a);                                                                               \
        const __typeof__(b) fa__y = (b);                                                                               \
        enum { fa__half = sizeof fa__x / sizeof fa__x[0] };                                                            \
        typedef __typeof__(FA__PLAIN(fa__x[0])) fa__element;                                                           \
        typedef fa__element fa__shuffled                                                                               \
            __attribute__((__vector_size__(FA__COUNT_INDICES(__VA_ARGS__) * sizeof fa__x[0])));                        \
        (fa__shuffled){FA__AT_COUNT(FA__COUNT_INDICES(__VA_ARGS__))(__VA_ARGS__)};                                     \
    })
#endif
#endif
