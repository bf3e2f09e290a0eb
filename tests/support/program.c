/* Random programs: their variables, and what their lines do. */
#include "support/program.h"
#include "support/reference.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { CHECKSUM = 800, WEIGHTS = 900 /* places of weights, as in tests/reference/machine.py */ };

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

bool machine_sum(const machine *m, const fa_tensor *t, double *sum, double *size)
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

bool word_is(const char **s, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*s, word, n) != 0 || ((*s)[n] && (*s)[n] != ' '))
        return false;
    *s += n + ((*s)[n] == ' ');
    return true;
}

const char *word_next(const char **s, char *to, size_t room)
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

fa_tensor *machine_variable(const machine *m, const char *s)
{
    int k = is_variable(s) ? atoi(s + 1) : -1;
    return k >= 0 && k < m->count ? m->x[k] : NULL;
}

static void add(machine *m, fa_tensor *t)
{
    if (m->count < MOST_VARIABLES)
        m->x[m->count++] = t;
}

/* ---- lines: each returns whether the library did it ---- */

static bool run_leaf(machine *m, const char *s)
{
    char kind[64], dtype[8], how[16];
    operand o;
    word_next(&s, kind, sizeof kind);
    fa_dtype type = reference_dtype(word_next(&s, dtype, sizeof dtype), 0);
    word_next(&s, how, sizeof how);
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
    return out ? machine_variable(m, out + 5) : NULL;
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
    const fa_tensor *x = machine_variable(m, word_next(&s, name, sizeof name));
    quoted(&s, where, sizeof where);
    fa_tensor *y = fa_get(x, where);
    if (y)
        add(m, y);
    return y != NULL;
}

static bool run_set(machine *m, const char *s)
{
    char name[16], where[128], value[32];
    fa_tensor *x = machine_variable(m, word_next(&s, name, sizeof name));
    quoted(&s, where, sizeof where);
    word_next(&s, value, sizeof value);
    if (is_variable(value))
        return fa_set(x, where, machine_variable(m, value)) != NULL;
    bool whole = !value[strcspn(value, ".")];
    return (whole ? fa_set(x, where, (int64_t)atoll(value)) : fa_set(x, where, atof(value))) != NULL;
}

/* Where PyTorch has zeros for what a gradient does not depend on, nothing needs gradients here. */
static bool run_backward(machine *m, const char *s)
{
    char name[16];
    const fa_tensor *y = machine_variable(m, word_next(&s, name, sizeof name));
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
        y[outputs] = machine_variable(m, word_next(&s, name, sizeof name));
        w[outputs] = weights_like(m, y[outputs], k);
        outputs += !m->lenient || fa_requires_grad(y[outputs]);
    }
    for (word_is(&s, ":"); is_variable(s) && leaves < 8;)
        x[leaves++] = machine_variable(m, word_next(&s, name, sizeof name));
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
    return fa_set_requires_grad(machine_variable(m, s), true);
}

static const struct {
    const char *name;
    bool (*run)(machine *, const char *);
} kinds[] = {{"leaf", run_leaf}, {"get", run_get},           {"set", run_set},
             {"grad", run_grad}, {"backward", run_backward}, {"requires_grad", run_requires_grad}};

bool machine_run(machine *m, const char *s)
{
    FA_USE(.device = m->where);
    if (word_is(&s, "no_grad")) {
        FA_USE(.no_grad = true);
        return machine_run(m, s);
    }
    const char *behind = strstr(s, " = ");
    char name[64];
    s = behind ? behind + 3 : s;
    word_next(&s, name, sizeof name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].run(m, s) && !fa_failed();
    return run_row(m, name, s) && !fa_failed();
}
