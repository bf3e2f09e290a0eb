/* Copies of launches, with all that they point to, for devices that run them late and for graphs. */
#include "backend/device.h"
#include <string.h>

static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

static size_t args_size(const fa__launch *l)
{
    return l->op && l->args ? l->op->args_size : 0;
}

/* Kernels of rows read no lists and strings of their arguments. */
static size_t texts_size(const fa__launch *l)
{
    return args_size(l) && l->op->registered ? fa__op_texts_size(l->op, l->args) : 0;
}

size_t fa__launch_copy_size(const fa__launch *l)
{
    return rounded(fa__launch_size(l)) + rounded(args_size(l)) + rounded(texts_size(l));
}

fa__launch *fa__launch_copy(const fa__launch *l, void *room)
{
    char *args = (char *)room + rounded(fa__launch_size(l));
    size_t size = args_size(l);
    bool texts = texts_size(l) > 0;
    fa__launch *copy = memcpy(room, l, fa__launch_size(l));
    if (size)
        copy->args = memcpy(args, l->args, size);
    if (texts)
        fa__op_texts_copy(l->op, args, args + rounded(size));
    return copy;
}
