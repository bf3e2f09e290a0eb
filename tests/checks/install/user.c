/* An outside program: arithmetic, a gradient, and the error check that every program ends with. */
#include <facula/facula.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    fa_tensor *x = fa_tensor_of(1.0, 2.0, 3.0);
    fa_set_requires_grad(x, true);
    fa_tensor *y = fa_sum(fa_mul(x, fa_add(x, 1)));
    fa_backward(y);
    double sum = fa_item(y), slope = fa_item(fa_sum(fa_grad(x)));
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    if (sum != 20 || slope != 15 || strcmp(fa_version(), FA_VERSION))
        return fprintf(stderr, "sum %g, slope %g, version %s\n", sum, slope, fa_version()), 1;
    return 0;
}
