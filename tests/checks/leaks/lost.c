/* Loses tensors, on the CPU or on the device that the command line names: a reference to each is kept, and the pointer
 * forgotten. run.sh makes sure that this is seen. */
#include <facula/facula.h>

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : FA_CPU;
    FA_REPEAT (i, 10)
        (void)fa_keep(fa_mul(fa_to(fa_tensor_of(1.0, 2.0, 3.0), device), i));
    return fa_failed();
}
