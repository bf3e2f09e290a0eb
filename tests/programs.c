/* Random programs, held against what PyTorch made of them: views, changes in place, .out, gradients and gradients of
 * gradients (tests/reference/programs.txt; what a line is stands in tests/reference/README.md).
 *
 *     programs [FILE [name...]]    those of a file that tests/reference/programs.py wrote; only the programs named */
#include "support/attempt.h"
#include "support/check.h"
#include "support/devices.h"
#include "support/reference.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MOST_VARIABLES = 128, MOST_LINES = 128, MOST_LENGTH = 4096, CHECKSUM = 800, WEIGHTS = 900 };

/* Where Facula differs from PyTorch on purpose: by a part of the line or of our error, and why PyTorch refuses it; "":
 * PyTorch does it and we refuse. */
static const struct {
    const char *part, *tag, *why;
} differences[] = {
    {"has too few entries", "", "pad: what is cropped on one side is not there to be repeated on the other"},
    {"fa_scatter_add_(", "", "an index without elements is held to the same shapes as others"},
    {"backward of fa_erfinv: y was changed", "", "its gradient is made from the result, PyTorch's from the operand"},
    {"backward of fa_rsqrt: x was changed", "", "the other way round"},
    {"backward of fa_ldexp: y was changed", "", "PyTorch keeps the power of 2"},
    {"backward of fa_expm1: x was changed", "", "as rsqrt"},
    {"backward of fa_copysign: y was changed", "", "PyTorch keeps the result"},
    {"'x: x was changed", "", "derivatives of derivatives: PyTorch keeps what it calculated on the way"},
    {"backward of fa_tanhshrink: x was changed", "", "PyTorch keeps the tanh"},
};

typedef struct machine {
    const char *line[MOST_LINES]; /* each ends in a NUL */
    int lines, at;                /* at: the line that runs, from 0 */
    fa_device where;
    fa_tensor *x[MOST_VARIABLES]; /* NULL: a gradient that there is none of */
    int count;
    double tolerance;
    bool lenient;  /* PyTorch does the line */
    bool over;     /* what follows cannot be compared */
    sample values; /* its seed makes the values of leaves and weights */
} machine;

/* ---- values ---- */

static void draw(const machine *m, operand *o, fa_dtype dtype, double *to)
{
    operand_values(&m->values, o, dtype, to);
}

/* Weights in the shape of t, to start gradients with. */
static fa_tensor *weights_like(const machine *m, const fa_tensor *t, int number)
{
    operand o = {.domain = 'f', .place = WEIGHTS + 8 * (m->at + 1) + number, .count = fa_numel(t)};
    double *v = t ? malloc(((size_t)o.count + 1) * sizeof *v) : NULL;
    if (!v)
        return NULL;
    draw(m, &o, FA_F64, v);
    fa_tensor *w = make_tensor(v, fa_tensor_dtype(t), t->rank, t->shape, LAYOUT_DENSE, m->where);
    free(v);
    return w;
}

/* The sum of the elements times weights, and of its terms' sizes. */
static bool weighted_sum(const machine *m, const fa_tensor *t, double *sum, double *size)
{
    operand o = {.domain = 'f', .place = CHECKSUM, .count = fa_numel(t)};
    double *v = tensor_values(t), *w = malloc(((size_t)o.count + 1) * sizeof *w);
    *sum = *size = 0;
    if (v && w) {
        draw(m, &o, FA_F64, w);
        for (int64_t i = 0; i < o.count; i++) {
            *sum += v[i] * w[i];
            *size += fabs(v[i] * w[i]);
        }
    }
    bool good = v && w;
    free(v);
    free(w);
    return good;
}

/* ---- words ---- */

/* Whether the word comes next; goes past it. */
static bool word_is(const char **s, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*s, word, n) != 0 || ((*s)[n] && (*s)[n] != ' '))
        return false;
    *s += n + ((*s)[n] == ' ');
    return true;
}

/* The next word, "" at the end. */
static const char *word(const char **s, char *to, size_t room)
{
    size_t n = strcspn(*s, " ");
    snprintf(to, room, "%.*s", (int)n, *s);
    *s += n + ((*s)[n] == ' ');
    return to;
}

static bool is_variable(const char *s)
{
    return *s == 'x' && isdigit((unsigned char)s[1]);
}

static fa_tensor *variable(const machine *m, const char *s)
{
    int k = is_variable(s) ? atoi(s + 1) : -1;
    return k >= 0 && k < m->count ? m->x[k] : NULL;
}

static void add(machine *m, fa_tensor *t)
{
    if (m->count < MOST_VARIABLES)
        m->x[m->count++] = t;
}

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
    const fa_tensor *other = variable(m, word(&text, name, sizeof name));
    if (!other || t->storage != other->storage)
        return fails(m, "the result does not share the memory of %s", name), false;
    if (*text != '-' && !same_strides(t, text))
        return fails(m, "the strides differ from %s", text), false;
    return true;
}

static bool hold_sum(const machine *m, const char *name, const fa_tensor *t, double want)
{
    double sum, size;
    if (!weighted_sum(m, t, &sum, &size))
        return fails(m, "%s cannot be read", name), false;
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

/* "f64 3,4 1.25 new", or "none". */
static bool hold_tensor(const machine *m, const char *name, const fa_tensor *t, const char *text)
{
    char dtype[16], shape[80], sum[40];
    if (word_is(&text, "none"))
        return !t || is_zero(t) || (fails(m, "%s has a gradient", name), false);
    if (!t)
        return fails(m, "%s is not there", name), false;
    if (strcmp(word(&text, dtype, sizeof dtype), fa_dtype_name(fa_tensor_dtype(t))) != 0)
        return fails(m, "%s is %s, not %s", name, fa_dtype_name(fa_tensor_dtype(t)), dtype), false;
    if (!same_shape(t, word(&text, shape, sizeof shape)))
        return fails(m, "%s has another shape than %s", name, shape), false;
    double want = strtod(word(&text, sum, sizeof sum), NULL);
    return hold_sum(m, name, t, want) && (!*text || hold_memory(m, t, text));
}

/* The entries between " ; ", each about a variable: its value, its gradient, or at the end its sum alone. */
static bool hold_all(const machine *m, const char *seen, char of)
{
    for (const char *s = seen; *s;) {
        char entry[256], name[16];
        const char *end = strstr(s, " ; "), *rest = entry;
        snprintf(entry, sizeof entry, "%.*s", (int)(end ? end - s : (long)strlen(s)), s);
        s = end ? end + 3 : s + strlen(s);
        const fa_tensor *t = variable(m, word(&rest, name, sizeof name));
        if (of == 'g')
            t = fa_grad(t);
        if (of == 'e' ? !hold_sum(m, name, t, strtod(rest, NULL)) : !hold_tensor(m, name, t, rest))
            return false;
    }
    return true;
}

/* ---- lines: each returns whether the library did it ---- */

static bool run_leaf(machine *m, const char *s)
{
    char kind[64], dtype[8], how[16];
    operand o;
    word(&s, kind, sizeof kind);
    fa_dtype type = reference_dtype(word(&s, dtype, sizeof dtype), 0);
    word(&s, how, sizeof how);
    layout l = LAYOUT_DENSE;
    for (int i = 0; i < LAYOUTS; i++)
        l = strcmp(how, layout_names[i]) ? l : (layout)i;
    if (!operand_read(&o, kind, m->at + 1))
        return false;
    double *v = malloc(((size_t)o.count + 1) * sizeof *v);
    if (!v)
        return false;
    draw(m, &o, type, v);
    if (l == LAYOUT_EXPANDED)
        repeat_values(o.rank, o.shape, v);
    fa_tensor *t = make_tensor(v, type, o.rank, o.shape, l, m->where);
    free(v);
    add(m, t);
    return t && (!word_is(&s, "grad") || fa_set_requires_grad(t, true));
}

/* Takes " out=x3" from the end of the arguments. */
static fa_tensor *take_out(const machine *m, char *arguments)
{
    char *out = strstr(arguments, " out=x");
    if (out)
        *out = 0;
    return out ? variable(m, out + 5) : NULL;
}

static bool run_row(machine *m, const char *name, const char *s)
{
    char op[64], arguments[MOST_TEXT];
    size_t length = strlen(name);
    bool inplace = name[length - 1] == '_', good;
    snprintf(op, sizeof op, "%.*s", (int)(length - inplace), name);
    snprintf(arguments, sizeof arguments, "%s", s);
    fa_tensor *given = take_out(m, arguments);
    fa__samples row = {.op = op, .place = "programs", .samples = arguments};
    const char *wrong = "no such operation";
    sample call;
    attempt a = {.s = &call};
    if (!sample_op(op) || !sample_read(&call, sample_op(op), &row, 0, &wrong))
        return fa_fail(FA_ERROR_USER, "%s [%s]: %s", op, arguments, wrong);
    for (int i = 0; i < call.operands; i++) {
        int k = call.operand[i].variable;
        a.tensor[i] = k < m->count ? m->x[k] : NULL;
        if (inplace && call.operand[i].field == call.op->inplace)
            given = a.tensor[i];
    }
    attempt_fill(&a);
    good = attempt_run(&a, given, inplace);
    for (int i = 0; good && !given && i < a.results; i++)
        add(m, a.result[i]);
    return good;
}

/* The text in quotes; s goes behind it. */
static void quoted(const char **s, char *to, size_t room)
{
    size_t n = strcspn(*s + 1, "'");
    snprintf(to, room, "%.*s", (int)n, *s + 1);
    *s += n + 2;
    *s += **s == ' ';
}

static bool run_get(machine *m, const char *s)
{
    char name[16], where[128];
    const fa_tensor *x = variable(m, word(&s, name, sizeof name));
    quoted(&s, where, sizeof where);
    fa_tensor *y = fa_get(x, where);
    if (y)
        add(m, y);
    return y != NULL;
}

static bool run_set(machine *m, const char *s)
{
    char name[16], where[128], value[32];
    fa_tensor *x = variable(m, word(&s, name, sizeof name));
    quoted(&s, where, sizeof where);
    word(&s, value, sizeof value);
    if (is_variable(value))
        return fa_set(x, where, variable(m, value)) != NULL;
    bool whole = !value[strcspn(value, ".")];
    return (whole ? fa_set(x, where, (int64_t)atoll(value)) : fa_set(x, where, atof(value))) != NULL;
}

/* Where PyTorch has zeros for what a gradient does not depend on, nothing needs gradients here. */
static bool run_backward(machine *m, const char *s)
{
    char name[16];
    const fa_tensor *y = variable(m, word(&s, name, sizeof name));
    if (m->lenient && !fa_requires_grad(y))
        return m->over = true;
    return fa_backward(y, .grad = weights_like(m, y, 0), .retain_graph = !strcmp(s, "retain"),
                       .create_graph = !strcmp(s, "create"));
}

/* "x3 x4 : x0 x1 create" */
static bool run_grad(machine *m, const char *s)
{
    fa_tensor *y[8], *x[8], *w[8];
    size_t outputs = 0, leaves = 0;
    char name[16];
    for (int k = 0; is_variable(s) && outputs < 8; k++) {
        y[outputs] = variable(m, word(&s, name, sizeof name));
        w[outputs] = weights_like(m, y[outputs], k);
        outputs += !m->lenient || fa_requires_grad(y[outputs]);
    }
    for (word_is(&s, ":"); is_variable(s) && leaves < 8;)
        x[leaves++] = variable(m, word(&s, name, sizeof name));
    if (m->lenient && !outputs)
        return m->over = true;
    fa_tensors of = {outputs, y}, to = {leaves, x}, weights = {outputs, w};
    fa_tensors found = fa_grad_of(of, to, .allow_unused = true, .grad_outputs = weights,
                                  .retain_graph = !strcmp(s, "retain"), .create_graph = !strcmp(s, "create"));
    for (size_t i = 0; i < found.count; i++)
        add(m, found.item[i]);
    return found.count == leaves;
}

static bool run_requires_grad(machine *m, const char *s)
{
    return fa_set_requires_grad(variable(m, s), true);
}

static const struct {
    const char *name;
    bool (*run)(machine *, const char *);
} kinds[] = {{"leaf", run_leaf}, {"get", run_get},           {"set", run_set},
             {"grad", run_grad}, {"backward", run_backward}, {"requires_grad", run_requires_grad}};

/* The line without what is to be seen. */
static bool run_line(machine *m, const char *s)
{
    FA_USE(.device = m->where);
    if (word_is(&s, "no_grad")) {
        FA_USE(.no_grad = true);
        return run_line(m, s);
    }
    const char *behind = strstr(s, " = ");
    char name[64];
    s = behind ? behind + 3 : s;
    word(&s, name, sizeof name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].run(m, s) && !fa_failed();
    return run_row(m, name, s) && !fa_failed();
}

/* ---- programs ---- */

static const char *why_different(const char *line, const char *tag)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if ((strstr(line, differences[i].part) || strstr(fa_error_message(), differences[i].part))
            && !strcmp(differences[i].tag, tag))
            return differences[i].why;
    return NULL;
}

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
        return hold_all(m, seen, 'e') && check(true, "end");
    m->lenient = !strstr(seen, "refused");
    bool done = run_line(m, line), gradients = !strncmp(line, "backward", 8);
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
    return hold_all(m, seen, gradients ? 'g' : 'v') && check(true, "line");
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
