/* Any safetensors, npy or npz file: its header is refused with a message that names the file, or all that it says about
 * its tensors is sound, and those of known dtypes can be read. */
#include "io/safetensors.h"
#include <facula/error.h>
#include <facula/tensor.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool is_utf8(const char *text)
{
    int length = 1;
    while (*text && (length = fa__utf8_length(text)))
        text += length;
    return length;
}

static void check_entry(const fa__stored *a, const fa_saved_entry *e)
{
    int64_t elements = 1;
    require(e->begin >= 0 && e->begin <= e->end && e->end <= a->size - a->head && e->rank >= 0);
    require(a->layout || (is_utf8(e->name) && is_utf8(e->dtype_name)));
    require(e->shape.rank == (e->rank < FA_MAX_DIMS ? e->rank : FA_MAX_DIMS));
    for (int i = 0; i < e->shape.rank; i++) {
        require(e->shape.dim[i] >= 0);
        if (__builtin_mul_overflow(elements, e->shape.dim[i], &elements))
            elements = 0;
    }
    if (e->dtype == FA_SAME)
        return;
    require(e->end - e->begin == e->elements * (int64_t)fa_dtype_size(e->dtype));
    require(e->rank > FA_MAX_DIMS || elements == e->elements || !e->elements);
}

static void check_file(fa__stored *a)
{
    int64_t at = 0;
    for (size_t i = 0; i < a->count; at = a->entry[i++].end) {
        check_entry(a, &a->entry[i]);
        require(a->layout || a->entry[i].begin == at);
        const fa_tensor *t = fa__stored_read(a, i, FA_CPU);
        require(!t == fa_failed() && (!t || fa_numel(t) == a->entry[i].elements));
        require(t || strstr(fa_error_message(), "the-file"));
        fa_error_clear();
    }
    require(a->layout || at == a->size - a->head);
    for (size_t i = 0; i < a->texts; i++)
        require(is_utf8(a->name[i]) && is_utf8(a->value[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FA_SCOPE;
    char *copy = malloc(size + 1); /* what lies behind it is not the file's */
    memcpy(copy, data, size);
    FILE *file = size ? fmemopen(copy, size, "rb") : NULL;
    if (file) {
        fa__stored *a = fa__stored_from("fuzz", "the-file", file, (int64_t)size);
        require(!a == fa_failed());
        if (a)
            check_file(a);
        else
            require((fa_error_code() == FA_ERROR_FILE || fa_error_code() == FA_ERROR_UNAVAILABLE)
                    && strstr(fa_error_message(), "fuzz: the-file"));
        fa_error_clear();
    }
    free(copy);
    return 0;
}
