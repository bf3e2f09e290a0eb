/* Tensors for the tests: made from doubles in any dtype, layout and place; read back, and compared. */
#ifndef FA__TESTS_TENSORS_H
#define FA__TESTS_TENSORS_H
#include "core/tensor.h"
#include "support/same.h"
#include <facula/facula.h>

/* How a tensor's elements lie in memory. */
typedef enum {
    LAYOUT_DENSE,
    LAYOUT_TRANSPOSED, /* the dimensions in the opposite order */
    LAYOUT_GAPS,       /* every second element, behind an offset */
    LAYOUT_NEGATIVE,   /* negative strides in every dimension */
    LAYOUT_EXPANDED,   /* stride 0 in the first dimension that is larger than 1 */
    LAYOUTS
} layout;
extern const char *const layout_names[LAYOUTS];

/* Strides of a layout, the offset of element (0, ..., 0), and how many elements of memory it takes. */
typedef struct geometry {
    int64_t stride[FA_MAX_DIMS], offset, span;
} geometry;
geometry layout_geometry(layout, int rank, const int64_t *shape);
/* The dimension that LAYOUT_EXPANDED repeats; -1: there is none. */
int expanded_dim(int rank, const int64_t *shape);
/* Makes values the same along the dimension that LAYOUT_EXPANDED repeats. */
void repeat_values(int rank, const int64_t *shape, double *values);
/* Where element i, counted row-major, lies. */
int64_t element_place(const geometry *, int rank, const int64_t *shape, int64_t i);

/* One element from and to a double; the values of the tests are exact in every dtype. */
void put_element(void *at, fa_dtype dtype, double value);
double get_element(const void *at, fa_dtype dtype);

/* A tensor that belongs to the innermost scope. On meta it has no values. NULL and an error. */
fa_tensor *make_tensor(const double *values, fa_dtype dtype, int rank, const int64_t *shape, layout how,
                       fa_device where);

/* The elements as doubles for the caller to free; NULL after an error. */
double *tensor_values(const fa_tensor *t);
/* Same shape, dtype and bits; any NaN is any NaN. */
bool tensor_same_bits(const fa_tensor *a, const fa_tensor *b);
bool tensor_same_form(const fa_tensor *a, const fa_tensor *b);
/* !(|a - b| <= tolerance * (1 + |b|)) for some element: false. NaN is close to NaN alone. */
bool values_close(const double *a, const double *b, int64_t count, double tolerance, double *worst);
/* How close results in a dtype have to be to the truth. */
double dtype_tolerance(fa_dtype dtype);
/* The values of 8-bit floats, and the nearest to a number: a reference, one at a time. */
double quarter_value(uint8_t code, fa_dtype dtype);
uint8_t quarter_bits(double value, fa_dtype dtype);
#endif
