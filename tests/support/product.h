/* The reference of matrix products, one element at a time. */
#ifndef FA__TESTS_PRODUCT_H
#define FA__TESTS_PRODUCT_H
#include "backend/cpu/gemm.h"

/* Bytes of an element. */
size_t product_size(fa_dtype d);
/* Elements of a floating dtype: number i of data; and to data, rounded to the nearest. */
double product_at(fa_dtype d, const void *data, int64_t i);
void product_put(fa_dtype d, void *data, double x);
/* Writes c's element i, j to out, by one chain; returns how far a sum that rounds otherwise may be from it. */
double product_element(const fa__gemm *g, fa_dtype d, int64_t i, int64_t j, void *out);
/* The same bits, or both NaN, or floating numbers within the tolerance. */
bool product_same(fa_dtype d, const void *x, const void *y, double tolerance);
#endif
