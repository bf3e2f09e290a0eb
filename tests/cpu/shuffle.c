/* The shuffle for compilers that have none (simd/shuffle.h), by any gcc: all that kernels shuffle, which are bytes and
 * elements of 4 and 8 bytes, constant or not, to as many elements, to fewer and to more. */
#define FA__OWN_SHUFFLE
#include "backend/cpu/simd/shuffle.h"
#include "support/api_test.h"

/* A vector of the numbers from 0 on, shuffled with the one that follows: the elements are the indices, then. */
#define SHUFFLED(type, from, to, ...)                                                                                  \
    do {                                                                                                               \
        typedef type source __attribute__((__vector_size__(from * sizeof(type))));                                     \
        typedef type result __attribute__((__vector_size__(to * sizeof(type))));                                       \
        const int expected[to] = {__VA_ARGS__};                                                                        \
        source a, b;                                                                                                   \
        for (int i = 0; i < from; i++) {                                                                               \
            a[i] = (type)i;                                                                                            \
            b[i] = (type)(from + i);                                                                                   \
        }                                                                                                              \
        const source constant = a;                                                                                     \
        const result of_constant = __builtin_shufflevector(constant, b, __VA_ARGS__);                                  \
        result of_plain = __builtin_shufflevector(a, b, __VA_ARGS__);                                                  \
        for (int i = 0; i < to; i++) {                                                                                 \
            assert_int_equal((int)of_plain[i], expected[i]);                                                           \
            assert_int_equal((int)of_constant[i], expected[i]);                                                        \
        }                                                                                                              \
    } while (0)

static void test_as_many(void **state)
{
    (void)state;
    SHUFFLED(unsigned char, 16, 16, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 31);
    SHUFFLED(int, 8, 8, 8, 0, 9, 1, 15, 7, 3, 3);
    SHUFFLED(float, 4, 4, 0, 4, 1, 5);
    SHUFFLED(float, 16, 16, 31, 30, 29, 28, 27, 26, 25, 24, 7, 6, 5, 4, 3, 2, 1, 0);
    SHUFFLED(double, 2, 2, 3, 0);
}

static void test_fewer_and_more(void **state)
{
    (void)state;
    SHUFFLED(unsigned char, 16, 8, 1, 31, 2, 30, 3, 29, 4, 28);
    SHUFFLED(int, 8, 4, 0, 2, 12, 14);
    SHUFFLED(float, 4, 8, 0, 1, 2, 3, 4, 5, 6, 7);
    SHUFFLED(double, 2, 4, 0, 1, 2, 3);
    SHUFFLED(double, 8, 2, 9, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_many), cmocka_unit_test(test_fewer_and_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
