/* The built-in digits: parsed from text, and split so that a fifth of each class forms the test set. See
 * embed/digits.txt and NOTICE.md for their source. */
#include "data/data.h"
#include <facula/error.h>
#include <facula/tensor.h>
#include <string.h>

enum { CLASSES = 10, PIXELS = 64, LINE = 1 + PIXELS + 1, HELD_OUT = 5 };

extern const char fa__embed_digits_txt[];
extern const size_t fa__embed_digits_txt_size;

/* The lines of the samples: each has a digit, and a letter for each pixel. */
static const char *samples(int64_t *count)
{
    const char *at = fa__embed_digits_txt, *end = at + fa__embed_digits_txt_size;
    while (at < end && *at == '#')
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    *count = (end - at) / LINE;
    return at;
}

/* The lines of a class, in the order given by the seed; the first fifth is the test set. Returns their number. */
static int64_t class_order(const char *lines, int64_t count, int class, uint64_t seed, int64_t *order)
{
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++)
        if (lines[i * LINE] == '0' + class)
            order[n++] = i;
    fa__shuffle(order, n, seed, (uint64_t) class);
    return n;
}

/* The lines of the training or test set, in the order of the file. */
static fa__numbers *part(const char *lines, int64_t count, bool train, uint64_t seed)
{
    fa__numbers *chosen = fa__numbers_new(count), *order = fa__numbers_new(count), *held = fa__numbers_new(count);
    if (!chosen || !order || !held)
        return NULL;
    for (int class = 0; class < CLASSES; class ++) {
        int64_t n = class_order(lines, count, class, seed, order->item);
        for (int64_t i = 0; i < (n + HELD_OUT / 2) / HELD_OUT; i++)
            held->item[order->item[i]] = 1;
    }
    chosen->count = 0;
    for (int64_t i = 0; i < count; i++)
        if (held->item[i] != train)
            chosen->item[chosen->count++] = i;
    return chosen;
}

/* Pixels in the innermost scope. */
typedef struct pixels {
    fa_object base;
    float item[];
} pixels;

static const fa_object_type pixels_type = {"pixels", NULL};

static fa_dataset *read_lines(const char *lines, const fa__numbers *chosen)
{
    int64_t n = chosen->count;
    pixels *p = fa_object_new(&pixels_type, sizeof *p + (size_t)(n * PIXELS) * sizeof *p->item);
    fa__numbers *label = fa__numbers_new(n);
    if (!p || !label)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        const char *line = lines + chosen->item[i] * LINE;
        label->item[i] = line[0] - '0';
        for (int64_t k = 0; k < PIXELS; k++)
            p->item[i * PIXELS + k] = (float)(line[1 + k] - 'a') / 16;
    }
    fa_tensor *x = fa_tensor_from(p->item, FA_SHAPE(n, PIXELS));
    fa_tensor *y = fa_tensor_from(label->item, FA_SHAPE(n), .dtype = FA_I64);
    return fa_data_tensors(x, y);
}

fa_dataset *(fa_data_digits)(const fa_data_digits_options *options)
{
    fa_data_digits_options o = FA__DEFAULT_fa_data_digits;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    int64_t count;
    const char *lines = samples(&count);
    const fa__numbers *chosen = part(lines, count, o.train, (uint64_t)o.seed);
    return chosen ? fa_escape(fa_data_transformed(read_lines(lines, chosen), o.transform)) : NULL;
}
