/* Lists of tensors returned by calls. */
#include "core/list.h"
#include "base/error.h"
#include "core/context.h"
#include <string.h>

fa_tensor *const fa__no_items[1024];
const char *const fa__no_names[1024];

fa__list *fa__list_new(size_t count)
{
    fa__list *l = NULL;
    if (count > (SIZE_MAX - sizeof *l) / sizeof l->item[0]) {
        fa__fail(FA_ERROR_MEMORY, "a list of %zu tensors is larger than the memory", count);
        return NULL;
    }
    l = fa__object_new(FA__TYPE_LIST, sizeof *l + count * sizeof l->item[0]);
    if (!l)
        return NULL;
    l->count = count;
    memset(l->item, 0, count * sizeof l->item[0]);
    return l;
}

fa_tensors fa__list_own(fa__list *l)
{
    bool good = l && fa__own(l);
    for (size_t k = 0; good && k < l->count; k++)
        good = !l->item[k] || fa__own(fa__ref(l->item[k]));
    return good ? (fa_tensors){l->count, l->item} : FA__NO_TENSORS;
}

static void list_destroy(fa__object *o)
{
    fa__list *l = (fa__list *)o;
    for (size_t k = 0; k < l->count; k++)
        fa__unref(l->item[k]);
    fa__object_free(o);
}

__attribute__((__constructor__)) static void list_type(void)
{
    fa__object_type(FA__TYPE_LIST, "list", list_destroy);
}
