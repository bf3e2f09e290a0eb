/* Tensors on a device and back: each copy is written, none happens by itself. Takes the device from the command line
 * ("cuda:1", "late:0"); without one it is the best there is. */
#include <facula/facula.h>
#include <stdio.h>

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();

    fa_tensor *cpu = fa_tensor_of(1.0, 2.0, 3.0);        /* f32, on the CPU */
    fa_tensor *there = fa_to(cpu, device);               /* an explicit copy */
    fa_tensor *y = fa_sqrt(fa_add(fa_mul(there, 2), 1)); /* stays there */
    fa_print(fa_cpu(y));

    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
