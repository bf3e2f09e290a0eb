/* Parses tensors from text such as "[[1, 2], [3, 4]]", as Python and NumPy write them. The first row at each depth
 * determines the length of the others. */
#define _GNU_SOURCE /* strtod_l */
#include "base/alloc.h"
#include "base/error.h"
#include "base/site.h"
#include "core/attribution.h"
#include "dispatch/call.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MOST_SHOWN = 60 /* longest text shown in messages, in bytes */ };

typedef enum { TRUTH, WHOLE, REAL } sort;

/* A parsed element. The common dtype is known only when all have been parsed. */
typedef struct element {
    sort sort;
    int64_t i; /* for bool and integers */
    double f;  /* for all */
    size_t at; /* its position in the text */
} element;

typedef struct parser {
    const char *text, *at;
    element *item;
    size_t count, room;
    int depth, rank;           /* depth of the current row; depth of the elements, -1 until the first */
    int64_t size[FA_MAX_DIMS]; /* row length at each depth; -1: not known yet */
    int64_t have[FA_MAX_DIMS]; /* number of entries so far in the open rows */
    char wrong[160];
} parser;

static bool fails(parser *p, const char *format, ...) FA__PRINTF(2, 3);

static bool fails(parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(p->wrong, sizeof p->wrong, format, list);
    va_end(list);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void blanks(parser *p)
{
    while (is_blank(*p->at))
        p->at++;
}

/* ---- elements ---- */

static bool add(parser *p, element e)
{
    if (p->count == p->room) {
        size_t room = 2 * p->room + 16;
        element *more = fa__realloc(p->item, room * sizeof *more);
        if (!more)
            return fails(p, "there is no memory for so many elements");
        p->item = more;
        p->room = room;
    }
    e.at = (size_t)(p->at - p->text);
    p->item[p->count++] = e;
    return true;
}

static bool word(parser *p, const char *at, element *e)
{
    static const struct {
        const char *name;
        element is;
    } words[] = {{"true", {TRUTH, 1, 1, 0}},  {"false", {TRUTH, 0, 0, 0}},     {"True", {TRUTH, 1, 1, 0}},
                 {"False", {TRUTH, 0, 0, 0}}, {"inf", {REAL, 0, INFINITY, 0}}, {"nan", {REAL, 0, NAN, 0}}};
    size_t n = 0;
    while (is_letter(at[n]) || is_digit(at[n]))
        n++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == n && !memcmp(words[i].name, at, n)) {
            bool is_signed = at != p->at;
            *e = words[i].is;
            if (is_signed && e->sort == TRUTH)
                break;
            e->f = *p->at == '-' ? -e->f : e->f;
            p->at = at + n;
            return true;
        }
    return fails(p, "\"%.*s\" is no number", (int)(n < 20 ? n : 20), at);
}

/* The end of the number at `at` (digits, point, exponent); NULL if there is none. */
static const char *number_end(const char *at, bool *whole)
{
    const char *first = at;
    int digits = 0;
    for (; is_digit(*at); at++)
        digits++;
    *whole = *at != '.';
    for (at += *at == '.'; is_digit(*at) && !*whole; at++)
        digits++;
    if (!digits || at == first)
        return NULL;
    if (*at == 'e' || *at == 'E') {
        *whole = false;
        at += 1 + (at[1] == '-' || at[1] == '+');
        if (!is_digit(*at))
            return NULL;
        while (is_digit(*at))
            at++;
    }
    return at;
}

static bool number(parser *p, element *e)
{
    bool whole;
    const char *digits = p->at + (*p->at == '-' || *p->at == '+');
    if (is_letter(*digits))
        return word(p, digits, e);
    const char *end = number_end(digits, &whole);
    if (!end || is_letter(*end) || *end == '.')
        return fails(p, "a number was expected");
    *e = (element){.sort = whole ? WHOLE : REAL};
    errno = 0;
    if (whole)
        e->i = strtoll(p->at, NULL, 10);
    if (errno)
        return fails(p, "the number does not fit into 64 bits; with a point it is a floating one");
    e->f = whole ? (double)e->i : strtod_l(p->at, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
    p->at = end;
    return true;
}

/* ---- rows ---- */

static bool counts(parser *p)
{
    if (p->depth)
        p->have[p->depth - 1]++;
    return true;
}

static bool read_element(parser *p)
{
    element e = {.sort = WHOLE};
    const char *at = p->at;
    if (p->rank >= 0 && p->depth != p->rank)
        return fails(p, "a row was expected, as before");
    if (!number(p, &e))
        return false;
    const char *behind = p->at;
    p->at = at;
    if (!add(p, e))
        return false;
    p->at = behind;
    p->rank = p->depth;
    return counts(p);
}

static bool open_row(parser *p)
{
    if (p->depth == FA_MAX_DIMS)
        return fails(p, "a tensor has at most %d dimensions", FA_MAX_DIMS);
    if (p->rank >= 0 && p->depth == p->rank)
        return fails(p, "a number was expected, as before");
    p->have[p->depth++] = 0;
    p->at++;
    return true;
}

static bool close_row(parser *p)
{
    int64_t *size = &p->size[p->depth - 1], have = p->have[p->depth - 1];
    if (*size >= 0 && have != *size)
        return fails(p, "the row has length %lld, and one before has length %lld", (long long)have, (long long)*size);
    *size = have;
    if (p->rank < 0)
        p->rank = p->depth;
    p->depth--;
    p->at++;
    return counts(p);
}

/* Skips the separator between two entries: a comma or spaces. */
static bool next_entry(parser *p, const char *behind)
{
    bool comma = *p->at == ',';
    p->at += comma;
    blanks(p);
    if (comma && *p->at == ',')
        return fails(p, "a number or a row was expected");
    return comma || p->at > behind || *p->at == ']' || !*p->at || fails(p, "',' was expected");
}

static bool read_all(parser *p)
{
    blanks(p);
    for (bool first = true; first || p->depth; first = false) {
        if (!*p->at)
            return fails(p, first ? "there is nothing in the text" : "']' is missing");
        if (*p->at == ']' && !p->depth)
            return fails(p, "']' without '['");
        bool opens = *p->at == '[', good = opens ? open_row(p) : *p->at == ']' ? close_row(p) : read_element(p);
        const char *behind = p->at;
        if (!good)
            return false;
        blanks(p);
        if (p->depth && !opens && !next_entry(p, behind))
            return false;
        if (opens && *p->at == ',')
            return fails(p, "a number or a row was expected");
    }
    return !*p->at || fails(p, "the tensor ends before this");
}

/* ---- making the tensor ---- */

static fa_dtype dtype_of(const parser *p)
{
    sort most = p->count ? TRUTH : REAL;
    for (size_t i = 0; i < p->count; i++)
        most = p->item[i].sort > most ? p->item[i].sort : most;
    return most == REAL ? FA_F32 : most == WHOLE ? FA_I64 : FA_BOOL;
}

/* Integers must be in the range of the dtype; floating values are rounded. */
static bool check_fit(parser *p, fa_dtype dtype)
{
    for (size_t i = 0; i < p->count && !fa__dtype_is_float(dtype); i++) {
        const element *e = &p->item[i];
        if ((e->sort == WHOLE && dtype == FA_I64) || fa__dtype_holds(dtype, e->f))
            continue;
        p->at = p->text + e->at;
        return fails(p, "%g does not fit into %s", e->f, fa_dtype_name(dtype));
    }
    return true;
}

/* Makes a row-major tensor of the elements (i64 if all are whole numbers, else f64), then converts it and moves it to
 * its device. */
static fa_tensor *make(parser *p, fa_shape shape, fa_dtype dtype, fa_device device)
{
    bool whole = dtype_of(p) != FA_F32;
    for (size_t i = 0; i < p->count; i++) /* in place over the parsed elements, each of which is larger */
        if (whole)
            ((int64_t *)(void *)p->item)[i] = p->item[i].i;
        else
            ((double *)(void *)p->item)[i] = p->item[i].f;
    FA_SCOPE;
    FA_USE(.no_grad = true, .placement = FA_PLACE_STRICT);
    fa_tensor *t = fa_tensor_from(p->item, shape, .dtype = whole ? FA_I64 : FA_F64, .device = FA_CPU);
    t = t ? fa_to(t, dtype) : NULL;
    return t ? fa_escape(fa_to(t, device)) : NULL;
}

static fa_tensor *parsed(parser *p, fa_dtype wanted, fa_device device)
{
    p->rank = -1;
    for (int i = 0; i < FA_MAX_DIMS; i++)
        p->size[i] = -1;
    fa_dtype dtype = wanted;
    bool good = read_all(p);
    if (good && wanted == FA_SAME)
        dtype = dtype_of(p);
    if (!good || !check_fit(p, dtype)) {
        bool longer = strlen(p->text) > MOST_SHOWN;
        fa__fail(FA_ERROR_ARGUMENT, "fa_tensor_parse(\"%.*s%s\"): at %td: %s", MOST_SHOWN, p->text, longer ? "..." : "",
                 p->at - p->text, p->wrong);
        return NULL;
    }
    fa_shape shape = {.rank = p->rank};
    memcpy(shape.dim, p->size, sizeof shape.dim);
    return make(p, shape, dtype, device);
}

static bool check_gradient(const fa_tensor_parse_options *options, fa_dtype dtype)
{
    return !options->requires_grad || fa__dtype_is_float(dtype)
           || fa__fail(FA_ERROR_DTYPE, "fa_tensor_parse: only floating tensors can need gradients, not %s",
                       fa_dtype_name(dtype));
}

fa_tensor *(fa_tensor_parse)(const char *text, const fa_tensor_parse_options *options)
{
    static const fa__op parse_op = {.name = "tensor_parse", .id = FA__OP_expression};
    FA__COMPLETE(fa_tensor_parse)
    parser p = {.text = text, .at = text};
    if (fa__failed())
        return NULL;
    if (!text || (options->dtype != FA_SAME && !fa_dtype_size(options->dtype))) {
        fa__fail(text ? FA_ERROR_DTYPE : FA_ERROR_ARGUMENT, "fa_tensor_parse: %s",
                 text ? "there is no such dtype" : "the text is NULL");
        return NULL;
    }
    if (options->dtype != FA_SAME && !check_gradient(options, options->dtype))
        return NULL;
    FA__WORK_FOR(&parse_op);
    fa_device device = options->device.kind == FA__DEFAULT_DEVICE ? fa_device_current() : options->device;
    fa_tensor *t = parsed(&p, options->dtype, device);
    fa__free(p.item);
    if (!t || !check_gradient(options, (fa_dtype)t->dtype))
        return NULL;
    t->requires_grad = options->requires_grad;
    fa__sign(t, &parse_op, FA__SITE);
    return t;
}
