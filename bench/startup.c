/* The smallest program: adds two tensors and exits. The benchmark takes its time and its memory. */
#include <facula/facula.h>

int main(void)
{
    return fa_item(fa_sum(fa_add(fa_tensor_of(1.0, 2.0, 3.0, 4.0), 1.0))) != 14;
}
