/* Random programs, held against what PyTorch made of them: views, changes in place, .out, gradients and gradients of
 * gradients (tests/reference/programs.txt; what a line is stands in tests/reference/README.md).
 *
 *     programs [FILE [name...]]    those of a file that tests/reference/programs.py wrote; only the programs named */
#include "support/check.h"
#include "support/devices.h"
#include "support/program.h"
#include "support/reference.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MOST_LENGTH = 4096 };

/* Where Facula differs from PyTorch on purpose: by a part of the line or of our error, and why PyTorch refuses it; "":
 * PyTorch does it and we refuse. */
static const struct {
    const char *part, *tag, *why;
} differences[] = {
    {"has too few entries", "", "pad: what is cropped on one side is not there to be repeated on the other"},
    {"index is longer along dimension", "",
     "scatter_add: an index without elements is held to the same shapes as others"},
    {"index has ", "", "as before"},
    {"backward of fa_erfinv: y was changed", "", "its gradient is made from the result, PyTorch's from the operand"},
    {"backward of fa_ldexp: ", "", "PyTorch keeps the result"},
    {"backward of fa_expm1: x was changed", "", "PyTorch's is made from the result, which lacks digits near -1"},
    {"backward of fa_copysign: y was changed", "", "PyTorch keeps the result"},
    {"'x: x was changed", "", "derivatives of derivatives: PyTorch keeps what it calculated on the way"},
    {"take_along_dim", "shape", "without dim PyTorch makes views of its operands, which not all have"},
    {"matrix products do not promote", "", "PyTorch does where there is nothing to multiply"},
    {"is of another dtype than x[0]: nothing is promoted", "", "as before"},
    {"x1 and x2 have to be of one floating dtype", "", "as before"},
    {"convolutions do not promote", "", "as before"},
    {"x and src have to be of one dtype", "", "index_fill: PyTorch converts any number where nothing is filled"},
    {"backward x", "shape", "scatter_reduce by prod: PyTorch's gradient takes the index to be as large as x"},
    {" = grad x", "shape", "as before"},
    {"x cannot hold values of value's dtype", "", "masked_fill: PyTorch cuts the digits off"},
    {"index_fill_ ", "", "indices are looked at where there is nothing to fill, too"},
    {"fa_index_fill_, at", "", "as before, of a device that tells it later"},
    {"index_copy_ ", "", "what is written is an operand, too"},
    {"made by masked_scatter", "", "of a source of which nothing is taken there is no history"},
    {"binary_cross_entropy_with_logits", "cast", "a target of integers is converted"},
    {"gaussian_nll_loss", "cast", "a variance of integers is converted"},
    {"fa_gaussian_nll_loss(", "", "losses are of floats"},
    {"(its pointwise)", "", "what a composed operation is made of keeps operands, PyTorch what came of them"},
    {"made by nanmedian", "", "PyTorch keeps other indices than those that it gives"},
    {"", "overlap", "an operand that shares memory with what is written is copied, as in NumPy"},
    {"made by kron", "", "PyTorch keeps nothing of operands without elements"},
    {"backward of fa_tanhshrink: x was changed", "", "PyTorch keeps the tanh"},
    {"is not defined: fa_to converts", "", "means of integers: PyTorch gives nothing of nothing"},
    {"which is not floating: fa_to converts", "", "normalisations of integers: PyTorch gives nothing of nothing"},
};

/* ---- what is to be seen ---- */

static void fails(const machine *m, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
static void fails(const machine *m, const char *format, ...)
{
    char what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    check(false, "line %d: %s", m->at + 1, what);
    for (int i = 0; i <= m->at; i++)
        printf("    %s%.*s\n", i == m->at ? "> " : "  ", (int)strcspn(m->line[i], "|"), m->line[i]);
    printf("    %s\n", m->line[m->at] + strcspn(m->line[m->at], "|"));
}

static bool same_shape(const fa_tensor *t, const char *text)
{
    for (int i = 0; i < t->rank; i++) {
        char *end;
        if (strtoll(text, &end, 10) != t->shape[i] || end == text)
            return false;
        text = end + (*end == ',');
    }
    return !*text || (!t->rank && *text == '-');
}

static bool same_strides(const fa_tensor *t, const char *text)
{
    for (int i = 0; i < t->rank; i++) {
        char *end;
        if (strtoll(text, &end, 10) != t->stride[i] && t->shape[i] > 1)
            return false;
        text = end + (*end == ',');
    }
    return true;
}

/* "new": memory of its own; "x0 4,1": that of x0, by these strides; "x0 -": by any. */
static bool hold_memory(const machine *m, const fa_tensor *t, const char *text)
{
    char name[16];
    if (word_is(&text, "new")) {
        for (int i = 0; i < m->count && m->x[i] != t; i++)
            if (m->x[i] && m->x[i]->storage == t->storage)
                return fails(m, "the result shares the memory of x%d", i), false;
        return true;
    }
    const fa_tensor *other = machine_variable(m, word_next(&text, name, sizeof name));
    if (!other || t->storage != other->storage)
        return fails(m, "the result does not share the memory of %s", name), false;
    if (*text != '-' && !same_strides(t, text))
        return fails(m, "the strides differ from %s", text), false;
    return true;
}

static const char *why_different(const char *line, const char *tag)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if ((strstr(line, differences[i].part) || strstr(fa_error_message(), differences[i].part))
            && !strcmp(differences[i].tag, tag))
            return differences[i].why;
    return NULL;
}

static bool hold_sum(const machine *m, const char *name, const fa_tensor *t, double want)
{
    double sum, size;
    if (!machine_sum(m, t, &sum, &size)) {
        if (!why_different("", ""))
            fails(m, "%s cannot be read", name);
        return false;
    }
    if (!(fabs(sum - want) <= m->tolerance * (1 + size)))
        return fails(m, "%s differs: its weighted sum is %.9g, not %.9g", name, sum, want), false;
    return true;
}

/* Where nothing can flow, a gradient of zeros is none. */
static bool is_zero(const fa_tensor *t)
{
    double *v = tensor_values(t);
    bool zero = v != NULL;
    for (int64_t i = 0; zero && i < fa_numel(t); i++)
        zero = v[i] == 0;
    free(v);
    return zero;
}

/* Nor is one without elements, by its shape. */
static bool is_empty(const char *shape)
{
    return strtoll(shape, NULL, 10) == 0 ? *shape != '-' : strstr(shape, ",0") != NULL;
}

/* "f64 3,4 1.25 new", without the dtype where it is the program's; or "none". */
static bool hold_tensor(const machine *m, const char *name, const fa_tensor *t, const char *text)
{
    char dtype[16], shape[80], sum[40];
    if (word_is(&text, "none"))
        return !t || is_zero(t) || (fails(m, "%s has a gradient", name), false);
    snprintf(dtype, sizeof dtype, "%s", m->kind);
    if (isalpha((unsigned char)*text))
        word_next(&text, dtype, sizeof dtype);
    word_next(&text, shape, sizeof shape);
    if (!t)
        return is_empty(shape) || (fails(m, "%s is not there", name), false);
    if (strcmp(dtype, fa_dtype_name(fa_tensor_dtype(t))) != 0)
        return fails(m, "%s is %s, not %s", name, fa_dtype_name(fa_tensor_dtype(t)), dtype), false;
    if (!same_shape(t, shape))
        return fails(m, "%s has another shape than %s", name, shape), false;
    double want = strtod(word_next(&text, sum, sizeof sum), NULL);
    return hold_sum(m, name, t, want) && (!*text || hold_memory(m, t, text));
}

/* The name of the variable that an entry is about: its first word, or that of the line's next result. */
static const char *name_of(const char **entry, const char **results, char *name, size_t size)
{
    char next[16];
    word_next(results, next, sizeof next);
    if (**entry == 'x')
        return word_next(entry, name, size);
    snprintf(name, size, "%s", next);
    return name;
}

/* The entries between " ; ", each about a variable: its value, its gradient, or at the end its sum alone. */
static bool hold_all(const machine *m, const char *line, const char *seen, char of)
{
    for (const char *s = seen; *s;) {
        char entry[256], name[16];
        const char *end = strstr(s, " ; "), *rest = entry;
        snprintf(entry, sizeof entry, "%.*s", (int)(end ? end - s : (long)strlen(s)), s);
        s = end ? end + 3 : s + strlen(s);
        const fa_tensor *t = machine_variable(m, name_of(&rest, &line, name, sizeof name));
        if (of == 'g')
            t = fa_grad(t);
        if (of == 'e' ? !hold_sum(m, name, t, strtod(rest, NULL)) : !hold_tensor(m, name, t, rest))
            return false;
    }
    return true;
}

/* ---- programs ---- */

static bool is_clean(void)
{
    static const fa_code clean[] = {FA_ERROR_ARGUMENT, FA_ERROR_SHAPE, FA_ERROR_DTYPE, FA_ERROR_INDEX,
                                    FA_ERROR_GRADIENT};
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++)
        if (fa_error_code() == clean[i])
            return true;
    return false;
}

/* Whether the program goes on. */
static bool hold_refusal(const machine *m, bool done, const char *line, const char *tag)
{
    if (done && why_different(line, tag))
        return check(true, "differs on purpose"), false;
    if (done)
        return fails(m, "PyTorch refuses it (%s)", tag), false;
    if (!is_clean())
        return fails(m, "is refused in another way"), false;
    return check(true, "refused");
}

static bool hold_line(machine *m)
{
    char line[MOST_LENGTH];
    const char *seen = strstr(m->line[m->at], " | ");
    size_t length = seen ? (size_t)(seen - m->line[m->at]) : 0;
    if (!seen || length >= sizeof line)
        return fails(m, "is no line of a program"), false;
    memcpy(line, m->line[m->at], length);
    line[length] = 0;
    seen += 3;
    if (!strcmp(line, "end"))
        return hold_all(m, line, seen, 'e') && check(true, "end");
    m->lenient = !strstr(seen, "refused");
    bool done = machine_run(m, line), gradients = !strncmp(line, "backward", 8);
    if (word_is(&seen, "refused"))
        return hold_refusal(m, done, line, seen);
    if (word_is(&seen, "maybe") && !done && fa_error_code() == FA_ERROR_GRADIENT)
        return check(true, "refused"), false;
    if (m->over)
        return check(true, "nothing to compare"), false;
    if (!done && why_different(line, ""))
        return check(true, "differs on purpose"), false;
    if (!done)
        return fails(m, "fails"), false;
    return hold_all(m, line, seen, gradients ? 'g' : 'v') && check(true, "line");
}

static void hold_program(machine *m, const char *name, fa_device where)
{
    FA_SCOPE;
    char device[32];
    m->where = where;
    m->count = 0;
    m->over = false;
    m->values.seed = sample_seed("programs", name);
    snprintf(device, sizeof device, "%s", where.kind == FA__CPU ? "cpu" : DEVICE_NAME(0));
    check_about("program %s on %s", name, device);
    for (m->at = 0; m->at < m->lines && hold_line(m); m->at++)
        ;
    fa_error_clear();
    /* gradients of gradients hold what they come from */
    for (int i = 0; i < m->count; i++)
        if (m->x[i] && fa_is_leaf(m->x[i]) && fa_requires_grad(m->x[i]))
            fa_set_grad(m->x[i], NULL);
    fa_error_clear();
}

/* Cuts the text at its line ends; returns where the next program begins. */
static char *read_program(machine *m, char *s)
{
    m->lines = 0;
    while (*s && strncmp(s, "program ", 8) != 0 && m->lines < MOST_LINES) {
        m->line[m->lines++] = s;
        s += strcspn(s, "\n");
        if (*s)
            *s++ = 0;
    }
    return s;
}

static bool chosen(const char *name, int argc, char **argv)
{
    bool found = argc < 3;
    for (int i = 2; i < argc; i++)
        found |= !strcmp(name, argv[i]);
    return found;
}

static char *load(int argc, char **argv)
{
    return argc < 2 ? reference_load("programs.txt") : reference_load_path(argv[1]);
}

int main(int argc, char **argv)
{
    static machine m;
    int programs = 0;
    if (!test_devices_there())
        return TEST_SKIPPED;
    char *text = load(argc, argv), *s = text ? strstr(text, "program ") : NULL;
    while (s && *s) {
        char name[64], kind[16];
        if (sscanf(s, "program %63s %15s", name, kind) != 2)
            break;
        s = read_program(&m, s + strcspn(s, "\n") + 1);
        snprintf(m.kind, sizeof m.kind, "%s", kind);
        m.tolerance = strcmp(kind, "f64") ? 1e-3 : 1e-6;
        if (!chosen(name, argc, argv))
            continue;
        programs++;
        if (test_device_is_late(0))
            hold_program(&m, name, FA_CPU);
        hold_program(&m, name, DEVICE(0));
    }
    check_about("programs");
    check(programs > 0, "there are none");
    printf("%d programs\n", programs);
    free(text);
    return check_end();
}
