/* Whether two tensors are the same to a test. */
#ifndef FA__TESTS_SAME_H
#define FA__TESTS_SAME_H
#include <facula/types.h>

/* Same dtype, shape and values, read from any device; NaN is NaN, and -0 is 0. False after an error. */
bool same_tensors(const fa_tensor *a, const fa_tensor *b);
#endif
