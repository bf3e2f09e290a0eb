/* What is looked at before it is used: divisors of integers, and weights. */
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x; /* integers or bool; floats may be what they are */
    int64_t what;       /* fa__zero: what an element of 0 is */
} check_zeros_args;

static bool check_zeros_infer(fa__call *c)
{
    return fa__infer_shape(c, FA_BOOL, 0, NULL);
}

/** Fails where an element is 0, at once or when the device is waited for. The result says nothing. */
OP(check_zeros, check_zeros_args, (y), .infer = check_zeros_infer, .no_grad = "a check", INTERNAL,
   .unspecified_values = true, TORCH(""), SAMPLES("p(3,4) 0; p() 1; (0,2) 2; p(3000) 0"))

#include "check_zeros.rows"
