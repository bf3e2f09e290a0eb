/* Moving tensors between devices: every copy is an explicit call. The optional argument is a device such as "opencl:1"
 * or "late:0"; the default is the best available one. */
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
