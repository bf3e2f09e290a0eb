/* Automatic placement, as in TensorFlow: the settings choose the device, and operands on other devices are copied and
 * counted. The optional argument is a device; the default is the best available one. FACULA_LOG=placement prints the
 * device of each operation. */
#include <facula/facula.h>
#include <stdio.h>

int main(int count, char **argument)
{
    fa_device device = count > 1 ? fa_device_of(argument[1]) : fa_device_best();

    FA_USE(.device = FA_CPU, .placement = FA_PLACE_AUTO);
    fa_tensor *a = fa_tensor_of(1.0, 2.0, 3.0);
    {
        FA_USE(.device = device);
        fa_tensor *b = fa_identity(a); /* an explicit copy to the scope's device */
        fa_tensor *c = fa_add(a, b);   /* a is copied, and the copy is counted */
        fa_print(fa_cpu(c));
    }

    uint64_t copies = fa_transfers_total().to_device;
    if (fa_failed())
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return copies != (fa_device_equal(device, FA_CPU) ? 0 : 2);
}
