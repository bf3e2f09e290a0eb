/* Loses tensors: a reference to each is kept, and the pointer forgotten. run.sh makes sure that this is seen. */
#include <facula/facula.h>

int main(void)
{
    FA_REPEAT (i, 10)
        (void)fa_keep(fa_mul(fa_tensor_of(1.0, 2.0, 3.0), i));
    return fa_failed();
}
