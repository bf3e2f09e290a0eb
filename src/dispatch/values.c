/* Values of the public interface as fields of an operation's arguments: one row a kind, and what may be written where.
 */
#include "dispatch/values.h"
#include <limits.h>
#include <string.h>

#define SAME(public, internal) _Static_assert((int)FA_KIND_##public == (int)FA__##internal, "fa_kind is fa__kind")
SAME(TENSOR, TENSOR);
SAME(LIKE, LIKE);
SAME(TENSORS, TENSORS);
SAME(LIST, LIST);
SAME(NUMBER, NUMBER);
SAME(INT, INT);
SAME(DOUBLE, DOUBLE);
SAME(BOOL, BOOL);
SAME(DIMS, DIMS);
SAME(PAIR, PAIR_);
SAME(SHAPE, SHAPE);
SAME(DTYPE, DTYPE);
SAME(DEVICE, DEVICE_);
SAME(ENUM, ENUM);
SAME(STRING, STRING);
_Static_assert((int)FA__KEY == (int)FA_KIND_STRING + 1, "a key is the only kind that is not public");

static const struct {
    const char *name;
    size_t size;
} kinds[] = {
    [FA_KIND_TENSOR] = {"a tensor", sizeof(fa_tensor *)},
    [FA_KIND_LIKE] = {"a tensor", sizeof(fa_tensor *)},
    [FA_KIND_TENSORS] = {"a list of tensors", sizeof(fa_tensors)},
    [FA_KIND_LIST] = {"a list of numbers", sizeof(fa_list)},
    [FA_KIND_NUMBER] = {"a tensor or a number", sizeof(fa_arg)},
    [FA_KIND_INT] = {"an integer", sizeof(int64_t)},
    [FA_KIND_DOUBLE] = {"a number", sizeof(double)},
    [FA_KIND_BOOL] = {"a bool", sizeof(bool)},
    [FA_KIND_DIMS] = {"dimensions", sizeof(fa_dims)},
    [FA_KIND_PAIR] = {"a pair", sizeof(fa_pair)},
    [FA_KIND_SHAPE] = {"a shape", sizeof(fa_shape)},
    [FA_KIND_DTYPE] = {"a dtype", sizeof(fa_dtype)},
    [FA_KIND_DEVICE] = {"a device", sizeof(fa_device)},
    [FA_KIND_ENUM] = {"a value of an enumeration", sizeof(int)},
    [FA_KIND_STRING] = {"a string", sizeof(const char *)},
};

static bool is_kind(fa_kind k)
{
    return (unsigned)k < sizeof kinds / sizeof *kinds;
}

size_t fa__kind_size(fa_kind k)
{
    return is_kind(k) ? kinds[k].size : 0;
}

const char *fa__kind_name(fa_kind k)
{
    return is_kind(k) ? kinds[k].name : "of no kind";
}

/* Kinds whose values are integers (fa_value.as.i). */
static bool is_integer(fa_kind k)
{
    return k == FA_KIND_INT || k == FA_KIND_BOOL || k == FA_KIND_DIMS || k == FA_KIND_PAIR || k == FA_KIND_DTYPE
           || k == FA_KIND_ENUM;
}

static bool write_integer(void *field, fa_kind kind, int64_t i)
{
    switch (kind) {
    case FA_KIND_INT:
    case FA_KIND_DIMS:
    case FA_KIND_PAIR:
        memcpy(field, &i, sizeof i);
        return true;
    case FA_KIND_BOOL:
        *(bool *)field = i != 0;
        return i == 0 || i == 1;
    case FA_KIND_DTYPE:
    case FA_KIND_ENUM: {
        int narrow = (int)i;
        memcpy(field, &narrow, sizeof narrow);
        return i >= 0 && i <= INT_MAX;
    }
    case FA_KIND_DOUBLE: {
        double f = (double)i;
        memcpy(field, &f, sizeof f);
        return true;
    }
    default:
        return false;
    }
}

/* A tensor or a number where either may stand. */
static bool write_number(fa_arg *field, const fa_value *v)
{
    if (v->kind == FA_KIND_TENSOR)
        *field = fa__arg_t(v->as.tensor);
    else if (v->kind == FA_KIND_NUMBER)
        *field = v->as.number;
    else if (v->kind == FA_KIND_DOUBLE)
        *field = fa__arg_f(v->as.f);
    else if (v->kind == FA_KIND_BOOL)
        *field = fa__arg_b(v->as.i != 0);
    else
        *field = fa__arg_i(v->as.i);
    return v->kind == FA_KIND_TENSOR || v->kind == FA_KIND_NUMBER || v->kind == FA_KIND_DOUBLE || is_integer(v->kind);
}

/* A value that is an fa_arg, as one of the kind that it has. */
static fa_value plain(const fa_value *v)
{
    fa_value p = *v;
    if (v->kind != FA_KIND_NUMBER)
        return p;
    const fa_arg a = v->as.number;
    p.kind = a.kind == FA__ARG_TENSOR  ? FA_KIND_TENSOR
             : a.kind == FA__ARG_FLOAT ? FA_KIND_DOUBLE
             : a.kind == FA__ARG_BOOL  ? FA_KIND_BOOL
                                       : FA_KIND_INT;
    if (a.kind == FA__ARG_TENSOR)
        p.as.tensor = fa__tensor_in(a);
    else if (a.kind == FA__ARG_FLOAT)
        p.as.f = fa__double_in(a);
    else
        p.as.i = fa__int_in(a);
    return p;
}

bool fa__value_write(void *field, fa_kind kind, const fa_value *value)
{
    if (kind == FA_KIND_NUMBER)
        return write_number(field, value);
    const fa_value v = plain(value);
    if (is_integer(v.kind))
        return write_integer(field, kind, v.as.i);
    bool tensor = v.kind == FA_KIND_TENSOR || v.kind == FA_KIND_LIKE;
    if (v.kind != kind && !(tensor && (kind == FA_KIND_TENSOR || kind == FA_KIND_LIKE)))
        return false;
    memcpy(field, &v.as, kinds[kind].size);
    return true;
}

static int64_t read_integer(const void *field, fa_kind kind)
{
    int narrow;
    int64_t wide;
    if (kind == FA_KIND_BOOL)
        return *(const bool *)field;
    if (kind == FA_KIND_DTYPE || kind == FA_KIND_ENUM)
        return memcpy(&narrow, field, sizeof narrow), narrow;
    return memcpy(&wide, field, sizeof wide), wide;
}

fa_value fa__value_read(const void *field, fa_kind kind)
{
    fa_value v = {.kind = kind};
    if (is_integer(kind))
        v.as.i = read_integer(field, kind);
    else
        memcpy(&v.as, field, kinds[kind].size);
    return v;
}
