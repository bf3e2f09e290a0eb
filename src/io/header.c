/* The header of a safetensors file: a JSON object that has the dtype, shape and byte range of each tensor, and strings
 * under "__metadata__". */
#include "io/json.h"
#include "io/safetensors.h"
#include <facula/dtype.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 8 }; /* bytes in front of the header */

/* Makes room for one more item of `size` bytes in an array of `count` items, which doubles whenever it is full. */
static void *grown(fa_object **owner, void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    FA_SCOPE;
    fa__memory *m = fa__memory_new((count ? 2 * count : 1) * size);
    if (!m)
        return NULL;
    if (count)
        memcpy(m->bytes, items, count * size);
    fa__unhold(*owner);
    *owner = fa__hold(&m->base);
    return m->bytes;
}

/* ---- the entry of a tensor ---- */

static bool read_dtype(fa__json *j, fa_saved_entry *e)
{
    e->dtype_name = fa__json_string(j, "the dtype");
    if (!e->dtype_name)
        return false;
    const fa_dtype_info *info;
    for (int d = FA_SAME + 1; (info = fa_dtype_describe((fa_dtype)d)); d++)
        if (!strcmp(info->safetensors, e->dtype_name))
            e->dtype = (fa_dtype)d;
    return true;
}

static bool read_shape(fa__json *j, fa_saved_entry *e)
{
    bool fits = true, empty = false;
    size_t n = 0;
    e->elements = 1;
    if (!fa__json_open(j, '[', "the shape"))
        return false;
    for (int64_t size; fa__json_next(j, ']', n) && fa__json_whole(j, &size, "a size of the shape"); n++) {
        if (n < FA_MAX_DIMS)
            e->shape.dim[n] = size;
        empty |= size == 0;
        fits = fits && !__builtin_mul_overflow(e->elements, size, &e->elements);
    }
    e->rank = (int64_t)n;
    e->shape.rank = n < FA_MAX_DIMS ? (int32_t)n : FA_MAX_DIMS;
    e->elements = empty ? 0 : e->elements;
    if (!fits && !empty)
        return fa__json_fail(j, j->at, "the shape has more elements than 64 bits can count");
    return !j->why[0];
}

static bool read_offsets(fa__json *j, fa_saved_entry *e)
{
    static const char what[] = "one of data_offsets";
    int64_t *to[] = {&e->begin, &e->end}, more;
    size_t n = 0;
    if (!fa__json_open(j, '[', "data_offsets"))
        return false;
    while (fa__json_next(j, ']', n) && fa__json_whole(j, n < 2 ? to[n] : &more, what))
        n++;
    return n == 2 || fa__json_fail(j, j->at, "data_offsets has %zu numbers, not 2", n);
}

/* The members of an entry. */
static const struct {
    const char *name;
    bool (*read)(fa__json *json, fa_saved_entry *entry);
} members[] = {{"dtype", read_dtype}, {"shape", read_shape}, {"data_offsets", read_offsets}};

enum { MEMBERS = sizeof members / sizeof *members };

/* Reads one member; others than the known ones are skipped. */
static bool read_member(fa__json *j, fa_saved_entry *e, bool seen[MEMBERS])
{
    const char *name = fa__json_name(j);
    int i = 0;
    while (name && i < MEMBERS && strcmp(name, members[i].name))
        i++;
    if (!name || i == MEMBERS)
        return name && fa__json_skip(j);
    if (seen[i])
        return fa__json_fail(j, (size_t)(name - j->text), "\"%s\" has %s twice", e->name, name);
    seen[i] = true;
    return members[i].read(j, e);
}

/* Checks what the members say together. `room` is the size of all tensors. */
static bool entry_is_good(fa__json *j, const fa_saved_entry *e, int64_t room)
{
    int64_t bytes;
    if (__builtin_mul_overflow(e->elements, (int64_t)fa_dtype_size(e->dtype), &bytes))
        return fa__json_fail(j, j->at, "the shape of \"%s\" has more bytes than 64 bits can count", e->name);
    if (e->begin > e->end || e->end > room)
        return fa__json_fail(j, j->at, "\"%s\" is at bytes %" PRId64 " to %" PRId64 " of %" PRId64, e->name, e->begin,
                             e->end, room);
    return e->dtype == FA_SAME || e->end - e->begin == bytes
           || fa__json_fail(j, j->at, "\"%s\" has %" PRId64 " bytes, and its shape takes %" PRId64, e->name,
                            e->end - e->begin, bytes);
}

static bool read_entry(fa__json *j, fa_saved_entry *e, int64_t room)
{
    bool seen[MEMBERS] = {false};
    if (!fa__json_open(j, '{', "the entry of a tensor"))
        return false;
    for (size_t n = 0; fa__json_next(j, '}', n) && read_member(j, e, seen); n++)
        ;
    for (int i = 0; i < MEMBERS; i++)
        if (!seen[i])
            return fa__json_fail(j, j->at, "\"%s\" has no %s", e->name, members[i].name);
    return !j->why[0] && entry_is_good(j, e, room);
}

/* ---- metadata ---- */

static bool read_text(fa__stored *a, fa__json *j)
{
    const char **names = grown(&a->names, a->name, a->texts, sizeof *names),
               **values = names ? grown(&a->values, a->value, a->texts, sizeof *values) : NULL;
    if (!values)
        return false;
    a->name = names;
    a->value = values;
    const char *name = fa__json_name(j), *value = name ? fa__json_string(j, "a value of __metadata__") : NULL;
    if (!value)
        return false;
    a->name[a->texts] = name;
    a->value[a->texts++] = value;
    return true;
}

static bool read_texts(fa__stored *a, fa__json *j)
{
    if (!fa__json_open(j, '{', "__metadata__"))
        return false;
    for (size_t n = 0; fa__json_next(j, '}', n); n++)
        if (!read_text(a, j))
            return false;
    return !j->why[0];
}

/* ---- the whole header ---- */

static bool read_item(fa__stored *a, fa__json *j, bool *texts)
{
    static const char texts_name[] = "__metadata__";
    const char *name = fa__json_name(j);
    if (!name)
        return false;
    if (!strcmp(name, texts_name)) {
        if (*texts)
            return fa__json_fail(j, (size_t)(name - j->text), "%s is there twice", texts_name);
        *texts = true;
        return read_texts(a, j);
    }
    fa_saved_entry *entries = grown(&a->entries, a->entry, a->count, sizeof *entries);
    if (!entries)
        return false;
    a->entry = entries;
    a->entry[a->count] = (fa_saved_entry){.name = name};
    return read_entry(j, &a->entry[a->count++], a->size - a->head);
}

static int by_text(const void *one, const void *other)
{
    const char *const *a = one, *const *b = other;
    int order = strcmp(*a, *b);
    return order ? order : (*a > *b) - (*a < *b);
}

const char *fa__twice(const void *first, size_t count, size_t step)
{
    FA_SCOPE;
    fa__memory *m = fa__memory_new(count * sizeof(char *));
    const char **name = m ? (const char **)(void *)m->bytes : NULL;
    for (size_t i = 0; m && i < count; i++)
        name[i] = *(const char *const *)(const void *)((const char *)first + i * step);
    if (m && count)
        qsort(name, count, sizeof *name, by_text);
    for (size_t i = 1; m && i < count; i++)
        if (!strcmp(name[i - 1], name[i]))
            return name[i];
    return NULL;
}

static bool names_differ(fa__json *j, const void *first, size_t count, size_t step)
{
    const char *twice = fa__twice(first, count, step);
    if (twice)
        return fa__json_fail(j, (size_t)(twice - j->text), "there are two called \"%s\"", twice);
    return !fa_error_stands();
}

static bool read_all(fa__stored *a, fa__json *j)
{
    bool texts = false;
    if (j->text[0] != '{')
        return fa__json_fail(j, 0, "the header does not begin with {");
    j->at = 1;
    for (size_t n = 0; fa__json_next(j, '}', n); n++)
        if (!read_item(a, j, &texts))
            return false;
    return !j->why[0] && fa__json_end(j) && (!a->count || names_differ(j, &a->entry->name, a->count, sizeof *a->entry))
           && (!a->texts || names_differ(j, a->name, a->texts, sizeof *a->name));
}

static int by_place(const void *one, const void *other)
{
    const fa_saved_entry *a = one, *b = other;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin) : (a->end > b->end) - (a->end < b->end);
}

/* Sorts the tensors by their position, and checks that they fill the file without gaps. */
static bool places_are_good(const fa__stored *a)
{
    int64_t at = 0;
    if (a->count)
        qsort(a->entry, a->count, sizeof *a->entry, by_place);
    for (size_t i = 0; i < a->count; at = a->entry[i++].end)
        if (a->entry[i].begin != at)
            return fa__stored_damaged(a,
                                      "\"%s\" begins at byte %" PRId64 " of the tensors, where %" PRId64 " comes next",
                                      a->entry[i].name, a->entry[i].begin, at);
    return at == a->size - a->head
           || fa__stored_damaged(a, "its tensors end at byte %" PRId64 " of %" PRId64, at, a->size - a->head);
}

bool fa__stored_header(fa__stored *a, fa__memory *text, size_t size)
{
    fa__json j = {.text = text->bytes, .size = size};
    a->text = fa__hold(&text->base);
    if (read_all(a, &j))
        return places_are_good(a);
    return j.why[0] ? fa__stored_damaged(a, "at byte %zu: %s", j.wrong + LENGTH, j.why) : false;
}
