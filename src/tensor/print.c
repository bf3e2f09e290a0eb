/* Prints tensors in PyTorch's format: 4 digits, lines of 80 columns, and beyond 1000 elements only the first and last 3
 * of each dimension. Only elements that are printed are read from the device. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "core/attribution.h"
#include "core/tensor.h"
#include "ids.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PRECISION = 4, THRESHOLD = 1000, EDGE = 3, COLUMNS = 80 };
static const char prefix[] = "tensor(";
enum { INDENT = sizeof prefix - 1 };

/* How an element is printed. */
typedef enum { INTEGER, TRUTH, FIXED, WHOLE, SCIENTIFIC } style;

typedef struct printer {
    const fa_tensor *t;
    int64_t shown[FA_MAX_DIMS]; /* number of printed elements of each dimension */
    void *value;                /* the printed elements: double or int64_t */
    style style;
    int width;
    char *text;
    size_t length, capacity;
    size_t column; /* where the next suffix would start, counted as PyTorch does */
    bool failed;
} printer;

/* ---- text ---- */
static void add_bytes(printer *p, const char *bytes, size_t count)
{
    if (p->failed)
        return;
    if (p->capacity - p->length <= count) {
        size_t capacity = (p->capacity + count) * 2 + 256;
        char *text = fa__realloc(p->text, capacity);
        if (!text) {
            p->failed = true;
            return;
        }
        p->text = text;
        p->capacity = capacity;
    }
    memcpy(p->text + p->length, bytes, count);
    p->length += count;
    p->text[p->length] = 0;
}

static void add(printer *p, const char *text)
{
    add_bytes(p, text, strlen(text));
}

static void add_many(printer *p, char c, int64_t count)
{
    while (count-- > 0)
        add_bytes(p, &c, 1);
}

/* ---- elements ---- */
static const char *not_finite(double v)
{
    return isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}

static int format_value(const printer *p, int64_t i, char *out, size_t size)
{
    if (p->style == INTEGER)
        return snprintf(out, size, "%lld", (long long)((const int64_t *)p->value)[i]);
    if (p->style == TRUTH)
        return snprintf(out, size, "%s", ((const int64_t *)p->value)[i] ? "True" : "False");
    double v = ((const double *)p->value)[i];
    if (!isfinite(v))
        return snprintf(out, size, "%s", not_finite(v));
    if (p->style == WHOLE)
        return snprintf(out, size, "%.0f.", v);
    return snprintf(out, size, p->style == SCIENTIFIC ? "%.*e" : "%.*f", PRECISION, v);
}

static void add_value(printer *p, int64_t i)
{
    char text[400];
    int length = format_value(p, i, text, sizeof text);
    add_many(p, ' ', p->width - length);
    add_bytes(p, text, (size_t)length);
}

/* Chooses the format of floating elements: whole numbers have no decimals, unless their magnitudes are large, small or
 * far apart. */
static style float_style(const double *v, int64_t count)
{
    bool whole = true;
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = fabs(v[i]);
        if (!isfinite(size) || size == 0)
            continue;
        least = size < least ? size : least;
        most = size > most ? size : most;
        whole &= v[i] == ceil(v[i]);
    }
    bool wide = most > 0 && (most / least > 1000.0 || most > 1.0e8 || least < 1.0e-4);
    return wide ? SCIENTIFIC : whole ? WHOLE : FIXED;
}

/* Chooses the format from all integers, or from the finite nonzero floating elements. */
static void choose_style(printer *p, int64_t count)
{
    bool is_float = fa__dtype_is_float(p->t->dtype);
    p->style = is_float ? float_style(p->value, count) : p->t->dtype == FA_BOOL ? TRUTH : INTEGER;
    p->width = 1;
    for (int64_t i = 0; i < count; i++) {
        char text[400];
        double v = is_float ? ((const double *)p->value)[i] : 1;
        int length = v != 0 && isfinite(v) ? format_value(p, i, text, sizeof text) : 0;
        p->width = length > p->width ? length : p->width;
    }
}

/* ---- reading elements ---- */
static bool cut(const printer *p, int dim)
{
    return p->shown[dim] != p->t->shape[dim];
}

/* A view of the printed elements from dimension `dim` on: a summarized dimension becomes two, (2, 3). */
static bool read_view(const printer *p, int dim, int64_t offset, char *out)
{
    int64_t shape[FA_MAX_DIMS], stride[FA_MAX_DIMS], count = 1;
    int rank = 0;
    for (int i = dim; i < p->t->rank; i++) {
        if (cut(p, i)) {
            shape[rank] = 2;
            stride[rank++] = (p->t->shape[i] - EDGE) * p->t->stride[i];
        }
        shape[rank] = cut(p, i) ? EDGE : p->t->shape[i];
        stride[rank++] = p->t->stride[i];
        count *= p->shown[i];
    }
    fa_tensor *view = fa__tensor_new(p->t->storage, p->t->dtype, rank, shape, stride, offset);
    if (!view)
        return false;
    bool done = fa_read(view, out, fa__dtype_is_float(p->t->dtype) ? FA_F64 : FA_I64, count);
    fa__unref(view);
    return done;
}

/* Reads the printed elements at once, or one index after the other if the view would have too many dimensions. */
static bool read_shown(const printer *p, int dim, int64_t offset, char *out)
{
    int dims = p->t->rank - dim;
    int64_t size = 8;
    for (int i = dim; i < p->t->rank; i++) {
        dims += cut(p, i);
        size *= i == dim ? 1 : p->shown[i];
    }
    if (dims <= FA_MAX_DIMS)
        return read_view(p, dim, offset, out);
    for (int64_t k = 0; k < p->shown[dim]; k++) {
        int64_t index = cut(p, dim) && k >= EDGE ? p->t->shape[dim] - 2 * EDGE + k : k;
        if (!read_shown(p, dim + 1, offset + index * p->t->stride[dim], out + k * size))
            return false;
    }
    return true;
}

/* ---- brackets and elements ---- */
static void add_vector(printer *p, int64_t first, int dim, int indent)
{
    int64_t count = p->shown[dim] + (cut(p, dim) ? 1 : 0);
    int each_line = (COLUMNS - indent) / (p->width + 2);
    if (each_line < 1)
        each_line = 1;
    add(p, "[");
    for (int64_t i = 0, value = first; i < count; i++) {
        if (i && i % each_line == 0) {
            add(p, ",\n");
            add_many(p, ' ', indent + 1);
        } else if (i) {
            add(p, ", ");
        }
        if (cut(p, dim) && i == EDGE)
            add(p, " ...");
        else
            add_value(p, value++);
    }
    add(p, "]");
}

static void add_level(printer *p, int64_t first, int dim, int indent)
{
    int rank = p->t->rank;
    if (dim == rank - 1) {
        add_vector(p, first, dim, indent);
        return;
    }
    int64_t size = 1;
    for (int i = dim + 1; i < rank; i++)
        size *= p->shown[i];
    add(p, "[");
    for (int64_t i = 0; i < p->shown[dim]; i++) {
        for (int turn = cut(p, dim) && i == EDGE ? 2 : 1; turn > 0; turn--) {
            if (i) {
                add(p, ",");
                add_many(p, '\n', rank - dim - 1);
                add_many(p, ' ', indent + 1);
            }
            if (turn == 2)
                add(p, "...");
        }
        add_level(p, first + i * size, dim + 1, indent + 1);
    }
    add(p, "]");
}

static void add_elements(printer *p)
{
    int64_t all = fa__numel(p->t), count = 1;
    if (!p->t->storage || fa__tensor_device(p->t)->shapes_only) {
        add(p, "...");
        return;
    }
    if (all == 0) {
        add(p, "[]");
        return;
    }
    for (int i = 0; i < p->t->rank; i++) {
        p->shown[i] = all > THRESHOLD && p->t->shape[i] > 2 * EDGE ? 2 * EDGE : p->t->shape[i];
        count *= p->shown[i];
    }
    p->value = fa__malloc((size_t)count * 8);
    if (!p->value || !read_shown(p, 0, p->t->offset, p->value)) {
        p->failed = true;
        return;
    }
    choose_style(p, count);
    if (p->t->rank)
        add_level(p, 0, 0, INDENT);
    else
        add_value(p, 0);
}

/* ---- suffixes: device, dtype, requires_grad ---- */
static void add_suffix(printer *p, const char *format, ...) FA__PRINTF(2, 3);

static void add_suffix(printer *p, const char *format, ...)
{
    char text[320];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (p->column + (size_t)length + 2 > COLUMNS) {
        add(p, ",\n");
        add_many(p, ' ', INDENT);
        p->column = INDENT + (size_t)length;
    } else {
        add(p, ", ");
        p->column += (size_t)length + 2;
    }
    add(p, text);
}

static void add_size(printer *p)
{
    char text[FA_MAX_DIMS * 24];
    int length = 0;
    for (int i = 0; i < p->t->rank; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, i ? ", %lld" : "%lld", (long long)p->t->shape[i]);
    text[length] = 0;
    add_suffix(p, "size=(%s%s)", text, p->t->rank == 1 ? "," : "");
}

static void add_suffixes(printer *p)
{
    const fa_tensor *t = p->t;
    const char *line = memrchr(p->text, '\n', p->length);
    p->column = line ? p->length - (size_t)(line - p->text) + 1 : p->length + 2;
    const fa__device *place = fa__tensor_device(t);
    bool unknown = !t->storage || place->shapes_only, empty = fa__numel(t) == 0;
    if (place->id.kind != FA__CPU)
        add_suffix(p, "device=%s", place->name);
    if (unknown || (empty && t->rank != 1))
        add_size(p);
    if (t->dtype != FA_F32 && (unknown || empty || (t->dtype != FA_I64 && t->dtype != FA_BOOL)))
        add_suffix(p, "dtype=%s", fa__dtype_names[t->dtype]);
    if (t->node)
        add_suffix(p, "grad_fn=<%s>", t->made_by ? t->made_by->name : "unknown");
    else if (t->requires_grad)
        add_suffix(p, "requires_grad=true");
    add(p, ")");
}

#define FUNCTION(text)                                                                                                 \
    {                                                                                                                  \
        .name = text, .id = FA__OP_expression                                                                          \
    }
static const fa__op text_op = FUNCTION("text"), print_op = FUNCTION("print"), fprint_op = FUNCTION("fprint");

/* The text of a tensor; the decimal point is '.' in every locale. NULL and an error, and nothing is written, if the
 * elements cannot be read. */
static char *text_of(const fa_tensor *t, const fa__op *op)
{
    char what[40];
    snprintf(what, sizeof what, "fa_%s: the tensor", op->name);
    if (!fa__tensor_check(t, what))
        return NULL;
    FA__WORK_FOR(op);
    fa__number_format numbers = fa__numbers_begin();
    printer p = {.t = t};
    add(&p, prefix);
    add_elements(&p);
    if (!p.failed)
        add_suffixes(&p);
    fa__numbers_end(numbers);
    fa__free(p.value);
    if (!p.failed)
        return p.text;
    fa__free(p.text);
    return NULL;
}

void fa_free_text(char *text)
{
    fa__free(text);
}

char *fa_text(const fa_tensor *t)
{
    return text_of(t, &text_op);
}

static bool print(FILE *file, const fa_tensor *t, const fa__op *op)
{
    char *text = text_of(t, op);
    if (!text)
        return false;
    bool written = fputs(text, file) != EOF && fputc('\n', file) != EOF;
    if (!written)
        fa__fail(FA_ERROR_FILE, "fa_%s: writing failed: %s", op->name, strerror(errno));
    fa__free(text);
    return written;
}

bool fa_fprint(FILE *file, const fa_tensor *t)
{
    if (!file)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_fprint: the file is NULL");
    return print(file, t, &fprint_op);
}

void fa_print(const fa_tensor *t)
{
    print(stdout, t, &print_op);
}
