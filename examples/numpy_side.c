/* NumPy-style indexing: views, assignment through views, in-place operations. */
#include <facula/facula.h>
#include <stdio.h>

int main(void)
{
    fa_tensor *x = fa_view(fa_arange(0, 24), FA_SHAPE(4, 6));
    fa_print(fa_get(x, "1:3, ..., -1")); /* a view: the last column of rows 1 and 2 */
    fa_print(fa_get(x, "::-2, 0"));      /* every second row from the last on */

    fa_tensor *a = fa_ones(FA_SHAPE(6));
    fa_set(a, "::2", 3);                        /* assigns through a view */
    fa_set(a, "4:", fa_tensor_of(7.0));         /* a tensor broadcasts */
    fa_add_(a, 5);                              /* in place */
    fa_mul(a, 2, .out = a);                     /* into a tensor that is there */
    fa_sub_(fa_get(a, "-2:"), fa_get(a, ":2")); /* in place, through a view */
    fa_print(a);

    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
