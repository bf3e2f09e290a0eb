/* Copies of what an operation's arguments point to. */
#include "core/op.h"
#include <string.h>

size_t fa__op_texts_size(const fa__op *op, const void *args)
{
    size_t bytes = 0;
    FA__EACH_BIT (i, op->of[FA__LIST])
        bytes += ((const fa_list *)fa__field_at(args, &op->fields[i]))->count * sizeof(double);
    FA__EACH_BIT (i, op->of[FA__STRING]) {
        const char *s = *(const char *const *)fa__field_at(args, &op->fields[i]);
        bytes += s ? strlen(s) + 1 : 0;
    }
    return bytes;
}

void fa__op_texts_copy(const fa__op *op, void *args, char *room)
{
    FA__EACH_BIT (i, op->of[FA__LIST]) {
        fa_list *l = (fa_list *)(void *)((char *)args + op->fields[i].offset);
        size_t bytes = l->count * sizeof(double);
        l->item = bytes ? memcpy(room, l->item, bytes) : NULL;
        room += bytes;
    }
    FA__EACH_BIT (i, op->of[FA__STRING]) {
        const char **s = (const char **)(void *)((char *)args + op->fields[i].offset);
        size_t bytes = *s ? strlen(*s) + 1 : 0;
        *s = *s ? memcpy(room, *s, bytes) : NULL;
        room += bytes;
    }
}
