/* Checks for zeros in operands that must not have any, such as integer divisors and weights. */
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x; /* integers or bool; floating dtypes are not checked */
    int64_t what;       /* an fa__zero value: what the error says a zero is */
} check_zeros_args;

static bool check_zeros_infer(fa__call *c)
{
    return fa__infer_shape(c, FA_BOOL, 0, NULL);
}

/** Reports an error if an element is 0, at once or when the host next waits for the device. The values of the result
 *  are unspecified. */
OP(check_zeros, check_zeros_args, (y), .infer = check_zeros_infer, .no_grad = "a check", INTERNAL,
   .unspecified_values = true, TORCH(""), SAMPLES("p(3,4) 0; p() 1; (0,2) 2; p(3000) 0"))

#include "check_zeros.rows"
