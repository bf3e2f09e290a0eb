/* NumPy's npy format: the bytes "\x93NUMPY", a version, the length of a header, the header (a Python dict with dtype,
 * order and shape), and the elements. See https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. */
#include "io/npy.h"
#include <facula/dtype.h>
#include <facula/error.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

enum { MAGIC = 6, PREFIX = 10, LONG_PREFIX = 12, ALIGNED = 64 };

bool fa__npy_begins(const char *bytes, size_t size)
{
    return size >= MAGIC && !memcmp(bytes, magic, MAGIC);
}

/* ---- reading the dict ---- */

typedef struct reader {
    const char *at, *end;
    fa__npy *npy;
} reader;

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n'))
        r->at++;
}

/* Reads a character behind white space. */
static bool take(reader *r, char c)
{
    skip_space(r);
    bool there = r->at < r->end && *r->at == c;
    r->at += there;
    return there;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_space(r);
    bool there = (size_t)(r->end - r->at) >= length && !memcmp(r->at, word, length);
    r->at += there ? length : 0;
    return there;
}

/* Reads a string in either quotes, without escapes; "" if it does not fit. */
static bool take_string(reader *r, char *to, size_t room)
{
    skip_space(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
        return false;
    const char *begin = r->at + 1, *close = memchr(begin, *r->at, (size_t)(r->end - begin));
    if (!close)
        return false;
    size_t length = (size_t)(close - begin);
    memcpy(to, begin, length < room ? length : 0);
    to[length < room ? length : 0] = 0;
    r->at = close + 1;
    return !memchr(begin, '\\', length);
}

/* Reads the brackets of a structured dtype, which only has to be named. */
static bool skip_list(reader *r)
{
    char text[8];
    int depth = 0;
    do {
        skip_space(r);
        if (r->at == r->end)
            return false;
        if (*r->at == '\'' || *r->at == '"') {
            if (!take_string(r, text, sizeof text))
                return false;
            continue;
        }
        depth += (*r->at == '[' || *r->at == '(') - (*r->at == ']' || *r->at == ')');
        r->at++;
    } while (depth > 0);
    return true;
}

/* Finds the dtype of a type string such as "<f4": the byte order, then the type. */
static void find_dtype(fa__npy *n)
{
    const char *text = n->dtype_name;
    const fa_dtype_info *info;
    for (int d = FA_SAME + 1; *text && strchr("<>=|", *text) && (info = fa_dtype_describe((fa_dtype)d)); d++)
        if (info->npy && !strcmp(info->npy + 1, text + 1)) {
            n->dtype = (fa_dtype)d;
            n->swapped = *text == '>' && info->size > 1;
        }
}

static bool read_dtype(reader *r)
{
    fa__npy *n = r->npy;
    skip_space(r);
    if (r->at < r->end && *r->at == '[') {
        strcpy(n->dtype_name, "a structured dtype");
        return skip_list(r);
    }
    bool good = take_string(r, n->dtype_name, sizeof n->dtype_name);
    find_dtype(n);
    return good;
}

static bool read_order(reader *r)
{
    r->npy->fortran = take_word(r, "True");
    return r->npy->fortran || take_word(r, "False");
}

static bool read_size(reader *r, int64_t *to)
{
    skip_space(r);
    const char *begin = r->at;
    for (*to = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(*to, 10, to) || __builtin_add_overflow(*to, *r->at - '0', to))
            return false;
    bool good = r->at > begin;
    take(r, 'L'); /* Python 2 */
    return good;
}

static bool read_shape(reader *r)
{
    fa__npy *n = r->npy;
    bool comma = true;
    if (!take(r, '('))
        return false;
    for (n->rank = 0; !take(r, ')'); n->rank++) {
        int64_t size;
        if (!comma || !read_size(r, &size))
            return false;
        if (n->rank < FA_MAX_DIMS)
            n->shape.dim[n->rank] = size;
        n->empty |= size == 0;
        n->fits = !__builtin_mul_overflow(n->elements, size, &n->elements) && n->fits;
        comma = take(r, ',');
    }
    n->shape.rank = n->rank < FA_MAX_DIMS ? (int32_t)n->rank : FA_MAX_DIMS;
    n->elements = n->empty ? 0 : n->elements;
    return n->fits || n->empty;
}

static const struct {
    const char *name;
    bool (*read)(reader *r);
} keys[] = {{"descr", read_dtype}, {"fortran_order", read_order}, {"shape", read_shape}};

enum { KEYS = sizeof keys / sizeof *keys };

/* Reads the dict; on failure r->at is near the mistake. */
static bool read_dict(reader *r)
{
    bool seen[KEYS] = {false};
    if (!take(r, '{'))
        return false;
    for (int n = 0; n < KEYS; n++) {
        char name[16];
        int i = 0;
        if ((n && !take(r, ',')) || !take_string(r, name, sizeof name) || !take(r, ':'))
            return false;
        while (i < KEYS && strcmp(name, keys[i].name))
            i++;
        if (i == KEYS || seen[i] || !keys[i].read(r))
            return false;
        seen[i] = true;
    }
    take(r, ',');
    if (!take(r, '}'))
        return false;
    skip_space(r);
    return r->at == r->end;
}

const char *fa__npy_read(const char *bytes, size_t size, fa__npy *n, size_t *at)
{
    const unsigned char *b = (const unsigned char *)bytes;
    *n = (fa__npy){.elements = 1, .fits = true};
    *at = 0;
    if (size < PREFIX || memcmp(bytes, magic, MAGIC))
        return "it does not begin as an npy file does";
    if (b[MAGIC] < 1 || b[MAGIC] > 3)
        return "its version is not 1 to 3";
    size_t prefix = b[MAGIC] == 1 ? PREFIX : LONG_PREFIX;
    size_t length = (size_t)b[8] | (size_t)b[9] << 8;
    if (prefix == LONG_PREFIX && size >= LONG_PREFIX)
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (size < prefix || length > size - prefix)
        return length > FA__NPY_HEADER ? "its header is longer than a megabyte" : "it ends within its header";
    n->begin = (int64_t)(prefix + length);
    reader r = {bytes + prefix, bytes + n->begin, n};
    if (read_dict(&r))
        return NULL;
    *at = (size_t)(r.at - bytes);
    return n->fits || n->empty ? "its header is no dict with descr, fortran_order and shape"
                               : "its shape has more elements than 64 bits can count";
}

/* ---- writing ---- */

bool fa__npy_supports(const char *who, const fa_tensor *t)
{
    fa_dtype dtype = fa_tensor_dtype(t);
    return fa_dtype_describe(dtype)->npy
           || fa_fail(FA_ERROR_DTYPE, "%s: NumPy has no %s, and npy files have none", who, fa_dtype_name(dtype));
}

size_t fa__npy_head(const fa_tensor *t, char to[static FA__NPY_HEAD])
{
    int length = snprintf(to + PREFIX, FA__NPY_HEAD - PREFIX, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          fa_dtype_describe(fa_tensor_dtype(t))->npy);
    size_t size = PREFIX + (size_t)length;
    for (int i = 0; i < fa_dim(t); i++)
        size += (size_t)snprintf(to + size, FA__NPY_HEAD - size, fa_dim(t) > 1 && i ? ", %" PRId64 : "%" PRId64,
                                 fa_size(t, i));
    size += (size_t)snprintf(to + size, FA__NPY_HEAD - size, fa_dim(t) == 1 ? ",), }" : "), }");
    while ((size + 1) % ALIGNED)
        to[size++] = ' ';
    to[size++] = '\n';
    memcpy(to, magic, MAGIC);
    to[6] = 1, to[7] = 0;
    to[8] = (char)(size - PREFIX), to[9] = (char)((size - PREFIX) >> 8);
    return size;
}

/* ---- as entries of an open file ---- */

/* Reads the start of an array, with the whole header. NULL and an error on failure. */
static const char *read_start(const fa__stored *a, int64_t at, int64_t size, size_t *have)
{
    size_t room = 1 << 12;
    for (int turn = 0;; turn++) {
        *have = size < (int64_t)room ? (size_t)size : room;
        fa__memory *m = fa__memory_new(*have);
        if (!m || !fa__stored_bytes(a, &a->layout[a->count], at, m->bytes, *have))
            return NULL;
        fa__npy n;
        size_t wrong;
        if (turn || *have < room || (!fa__npy_read(m->bytes, *have, &n, &wrong)))
            return m->bytes;
        room = FA__NPY_HEADER; /* longer, or damaged */
    }
}

bool fa__npy_add(fa__stored *a, const char *name, int64_t at, int64_t size)
{
    FA_SCOPE;
    fa__npy n;
    size_t have, wrong;
    int64_t bytes;
    const char *start = read_start(a, at, size, &have);
    if (!start)
        return false;
    const char *why = fa__npy_read(start, have, &n, &wrong);
    if (why)
        return fa__stored_damaged(a, "\"%s\", byte %" PRId64 ": %s", name, at + (int64_t)wrong, why);
    if (__builtin_mul_overflow(n.elements, (int64_t)fa_dtype_size(n.dtype), &bytes)
        || (n.dtype != FA_SAME && bytes != size - n.begin))
        return fa__stored_damaged(a, "\"%s\" has %" PRId64 " bytes behind its header, and %" PRId64 " elements of %s",
                                  name, size - n.begin, n.elements, n.dtype_name);
    fa__layout *l = &a->layout[a->count];
    l->at = at;
    l->swapped = n.swapped;
    l->fortran = n.fortran && n.rank > 1;
    memcpy(l->dtype_name, n.dtype_name, sizeof l->dtype_name);
    a->entry[a->count++] = (fa_saved_entry){.name = name,
                                            .dtype_name = l->dtype_name,
                                            .dtype = n.dtype,
                                            .shape = n.shape,
                                            .rank = n.rank,
                                            .elements = n.elements,
                                            .begin = at + n.begin,
                                            .end = at + size};
    return true;
}

bool fa__npy_open(fa__stored *a)
{
    a->kind = "npy";
    return fa__layout_new(a, 1) && fa__npy_add(a, "array", 0, a->size);
}
