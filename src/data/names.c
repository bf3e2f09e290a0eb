/* Names of the classes of a dataset. */
#include "data/data.h"
#include <facula/error.h>
#include <stdlib.h>
#include <string.h>

static void names_destroy(void *object)
{
    free(((fa__names *)object)->item);
    free(((fa__names *)object)->text);
}

static const fa_object_type names_type = {"names", names_destroy};

fa__names *fa__names_new(int64_t count, size_t bytes)
{
    fa__names *n = fa_object_new(&names_type, sizeof *n);
    if (!n)
        return NULL;
    n->item = calloc((size_t)count + 1, sizeof *n->item);
    n->text = malloc(bytes + 1);
    n->count = count;
    if (n->item && n->text)
        return n;
    fa_fail(FA_ERROR_MEMORY, "out of memory for the names of %lld classes", (long long)count);
    return NULL;
}

fa__names *fa__names_of(const char *const *name, int64_t count)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += strlen(name[i]) + 1;
    fa__names *n = fa__names_new(count, bytes);
    char *at = n ? n->text : NULL;
    for (int64_t i = 0; at && i < count; i++) {
        size_t length = strlen(name[i]) + 1;
        n->item[i] = memcpy(at, name[i], length);
        at += length;
    }
    return n;
}
