/* Writes images.npy: what tests/reference/nn.py gave the network of cnn.safetensors, whose results are in nn.txt. */
#include <facula/facula.h>
#include <stdio.h>

int main(void)
{
    fa_tensor *images = fa_empty(FA_SHAPE(2, 3, 8, 8));
    float *to = fa_ptr_f32(images);
    for (int i = 0; to && i < 2 * 3 * 8 * 8; i++)
        to[i] = (float)(((i * 7 + 3 * 5) % 23 - 11.5) / 8);
    const char *name = "images";
    const fa_parameters list = {1, &images, &name};
    if (!fa_save(list, "images.npy"))
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    return 0;
}
