/* A language model of characters: an LSTM that reads a sentence again and again, learns what comes next, and writes.
 * The optional argument is a device; the default is the best available one. */
#include <facula/facula.h>
#include <stdio.h>
#include <string.h>

static const char sentence[] = "the quick brown fox jumps over the lazy dog. ";
enum { LETTERS = 28, PERIOD = sizeof sentence - 1, STEPS = 60 };

typedef struct {
    fa_module *embedding, *lstm, *head;
} model;

static fa_module *model_new(void)
{
    fa_module *net = fa_nn_dict();
    fa_module_add(net, "embedding", fa_nn_embedding(LETTERS, 16));
    fa_module_add(net, "lstm", fa_nn_lstm(16, 64, .batch_first = true));
    fa_module_add(net, "head", fa_nn_linear(64, LETTERS));
    return net;
}

static model parts_of(fa_module *net)
{
    return (model){fa_module_child(net, "embedding"), fa_module_child(net, "lstm"), fa_module_child(net, "head")};
}

static int64_t number_of(char c)
{
    return c == ' ' ? 26 : c == '.' ? 27 : c - 'a';
}

static char letter_of(int64_t number)
{
    return number == 26 ? ' ' : number == 27 ? '.' : (char)('a' + number);
}

/* The numbers of some letters of the text, from a place on. */
static fa_tensor *letters(int64_t from, int64_t count)
{
    int64_t number[STEPS + 1];
    for (int64_t i = 0; i < count; i++)
        number[i] = number_of(sentence[(from + i) % PERIOD]);
    return fa_tensor_from(number, FA_SHAPE(count));
}

/* 16 pieces of the text: (16, STEPS + 1) */
static fa_tensor *batch(void)
{
    fa_tensor *piece[16];
    for (int i = 0; i < 16; i++)
        piece[i] = letters((int64_t)(fa_item(fa_rand(FA_SCALAR)) * PERIOD), STEPS + 1);
    return fa_stack(FA_ARRAY(16, piece));
}

static fa_tensor *loss_of(model m, fa_tensor *text)
{
    fa_tensor *x = fa_narrow(text, 1, 0, STEPS), *next = fa_narrow(text, 1, 1, STEPS);
    fa_tensor *logits = fa_forward(m.head, fa_forward(m.lstm, fa_forward(m.embedding, x)));
    return fa_cross_entropy(fa_flatten(logits, .start_dim = 0, .end_dim = 1), fa_flatten(next));
}

/* Writes the likeliest letter behind those before, 44 times: the state goes from step to step. */
static void write_text(model m, char first)
{
    FA_USE(.no_grad = true);
    FA_VAR(letter, fa_tensor_of(number_of(first)));
    FA_VAR(h, NULL);
    FA_VAR(c, NULL);
    putchar(first);
    FA_REPEAT (i, PERIOD - 1) {
        fa_recurrent y = fa_forward_recurrent(m.lstm, fa_forward(m.embedding, letter), .h_0 = h, .c_0 = c);
        fa_assign(&letter, fa_argmax(fa_forward(m.head, y.output), .dim = 1));
        fa_assign(&h, y.h_n);
        fa_assign(&c, y.c_n);
        putchar(letter_of((int64_t)fa_item(letter)));
    }
    putchar('\n');
}

int main(int count, char **argument)
{
    FA_USE(.device = count > 1 ? fa_device_of(argument[1]) : fa_device_best());
    fa_manual_seed(1);
    fa_module *net = model_new();
    const model m = parts_of(net);
    fa_optim *optim = fa_optim_adamw(net, .lr = 0.01);
    FA_REPEAT (step, 121) {
        fa_tensor *loss = loss_of(m, batch());
        fa_optim_zero_grad(optim);
        fa_backward(loss);
        fa_clip_grad_norm(net, 1.0);
        fa_optim_step(optim);
        if (step % 40 == 0 && !fa_failed())
            printf("step %3d  loss %.2f\n", (int)step, fa_item(loss));
    }
    write_text(m, 't');
    return fa_failed() ? fprintf(stderr, "%s\n", fa_error_message()), 1 : 0;
}
