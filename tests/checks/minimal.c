/* minimal FILE [save]: classifies a vector by a network from a file, as a small device would; scripts/cross.sh links it
 * with a minimal build (FACULA_OPS). The output is the same with every build: all bits of the chances. */
#include <facula/facula.h>
#include <stdio.h>

enum { IN = 64, HIDDEN = 128, OUT = 10 };

static fa_tensor *image(void)
{
    float pixel[IN];
    for (int i = 0; i < IN; i++)
        pixel[i] = (float)(i * 37 % IN) / IN;
    return fa_tensor_from(pixel, FA_SHAPE(1, IN));
}

/* What a minimal build leaves out is an error that says so. */
static void ask_for_more(void)
{
    fa_lgamma(image());
    fprintf(stderr, "%s\n", fa_error_message());
    fa_error_clear();
    fa_to(image(), "cuda");
    fprintf(stderr, "%s\n", fa_error_message());
    fa_error_clear();
}

int main(int count, char **argument)
{
    if (count < 2)
        return fprintf(stderr, "usage: minimal FILE [save]\n"), 2;
    FA_USE(.no_grad = true);
    fa_module *net = fa_nn_sequential(fa_nn_linear(IN, HIDDEN), fa_nn_relu(), fa_nn_linear(HIDDEN, OUT));
    if (count > 2)
        fa_save(net, argument[1]);
    else
        fa_load(net, argument[1]);
    float chance[OUT];
    if (!fa_read(fa_softmax(fa_forward(net, image()), 1), chance, FA_F32, OUT))
        return fprintf(stderr, "%s\n", fa_error_message()), 1;
    for (int i = 0; i < OUT; i++)
        printf("%d %a\n", i, (double)chance[i]);
    ask_for_more();
    return 0;
}
