/* Gradients across devices: a is on the CPU, b on another device, and each gradient is on the device of its tensor. The
 * optional argument is a device. */
#include <facula/facula.h>
#include <stdio.h>

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();

    fa_tensor *a = fa_tensor_of(1.0, 2.0, 3.0);
    fa_set_requires_grad(a, true);
    fa_tensor *b = fa_to(fa_tensor_of(4.0, 5.0, 6.0), device);
    fa_set_requires_grad(b, true);
    fa_tensor *r = fa_add(b, fa_to(fa_mul(a, a), device));
    fa_backward(r, .grad = fa_ones_like(r));
    fa_print(fa_grad(a)); /* on the CPU, where a is */
    fa_print(fa_cpu(fa_grad(b)));

    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
