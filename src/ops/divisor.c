/* What is looked at before integers are divided. */
#include "ops/row.h"

typedef struct {
    const fa_tensor *x; /* integers or bool; floats may divide whatever they are */
} check_divisor_args;

static bool check_divisor_infer(fa__call *c)
{
    return fa__infer_shape(c, FA_BOOL, 0, NULL);
}

/** Fails where an element is 0, at once or when the device is waited for. The result says nothing. */
OP(check_divisor, check_divisor_args, (y), .infer = check_divisor_infer, .no_grad = "a check", INTERNAL, .untold = true,
   TORCH(""), SAMPLES("p(3,4); p(); (0,2); p(3000)"))

#include "divisor.rows"
