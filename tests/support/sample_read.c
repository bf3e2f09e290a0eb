/* Parses the text of a sample into the arguments of its operation, by the operation's table of fields. */
#include "support/sample.h"
#include <ctype.h>
#include <facula/plain.h>
#include <math.h>
#include <stdlib.h>

const fa__op *sample_op(const char *name)
{
    for (int i = 0; i < FA__OPS; i++)
        if (fa__ops[i] && !strcmp(fa__ops[i]->name, name))
            return fa__ops[i];
    return NULL;
}

/* ---- pieces of text ---- */

/* The end of the piece that starts at s: a separator outside of brackets and quotes. */
static const char *piece_end(const char *s, char separator)
{
    int depth = 0;
    for (bool quoted = false; *s; s++) {
        if (*s == '\'')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (strchr("([{", *s))
            depth++;
        else if (strchr(")]}", *s))
            depth--;
        else if (*s == separator && !depth)
            break;
    }
    return s;
}

/* Copies the n-th sample with its white space squeezed. */
static bool pick(char *to, const char *s, int n)
{
    const char *end = piece_end(s, ';');
    for (; n; n--) {
        if (!*end)
            return false;
        s = end + 1;
        end = piece_end(s, ';');
    }
    char *t = to;
    for (; s < end && t < to + MOST_TEXT - 1; s++)
        if (!isspace((unsigned char)*s))
            *t++ = *s;
        else if (t > to && t[-1] != ' ')
            *t++ = ' ';
    while (t > to && t[-1] == ' ')
        t--;
    *t = 0;
    return t > to;
}

/* "3,4)" to numbers; returns what follows the bracket, or NULL. */
static const char *numbers(const char *s, char close, int64_t *to, int *count)
{
    for (*count = 0; *s != close; (*count)++) {
        char *end;
        if (*count == FA_MAX_DIMS)
            return NULL;
        to[*count] = strtoll(s, &end, 10);
        if (end == s || (*end != ',' && *end != close))
            return NULL;
        s = *end == ',' ? end + 1 : end;
    }
    return s + 1;
}

static bool is_variable(const char *s)
{
    return *s == 'x' && isdigit((unsigned char)s[1]);
}

const char *operand_read(operand *o, const char *s, int place)
{
    *o = (operand){.domain = 'f', .place = place, .item = -1, .count = 1};
    if (is_variable(s)) {
        o->domain = 'x';
        o->variable = (int)strtol(s + 1, (char **)(uintptr_t)&s, 10);
        return s;
    }
    if (*s != '(')
        o->domain = *s++;
    if (!*s || !strchr("fpaudtnirb", o->domain) || *s != '(' || !(s = numbers(s + 1, ')', o->shape, &o->rank)))
        return NULL;
    if (*s == '<')
        o->below = strtoll(s + 1, (char **)(uintptr_t)&s, 10);
    for (int i = 0; i < o->rank; i++)
        o->count *= o->shape[i];
    return s;
}

/* ---- values of fields, by kind ---- */
static bool is_tensor_text(const char *s)
{
    return *s == '(' || (strchr("paudtnirb", *s) && s[1] == '(') || is_variable(s);
}

/* Returns what follows the tensor, or NULL. */
static const char *add_tensor(sample *r, const char *s, int field, int item, int place)
{
    if (r->operands == MOST_TENSORS)
        return NULL;
    operand *o = &r->operand[r->operands];
    s = operand_read(o, s, place);
    o->field = field;
    o->item = item;
    r->operands += s != NULL;
    return s;
}

/* A tensor that is all of the text. */
static bool read_tensor(sample *r, const char *s, int field, int place)
{
    s = add_tensor(r, s, field, -1, place);
    return s && !*s;
}

static bool read_list(sample *r, const char *s, int field, int place)
{
    int n = 0;
    if (*s++ != '[')
        return false;
    for (; s && *s && *s != ']'; n++) {
        s = add_tensor(r, s, field, n, place + 16 * (n + 1));
        s += s && *s == ' ';
    }
    r->lists[field] = n;
    return s && *s == ']';
}

static bool read_number(fa_arg *a, const char *s)
{
    char *end;
    bool truth = !strcmp(s, "true"), name = isalpha((unsigned char)s[*s == '-']);
    if (truth || !strcmp(s, "false"))
        return *a = fa__arg_b(truth), true;
    if (name || s[strcspn(s, ".e")])
        *a = fa__arg_f(strtod(s, &end));
    else
        *a = fa__arg_i(strtoll(s, &end, 10));
    return end != s && !*end;
}

static bool read_dims(fa_dims *d, const char *s)
{
    int64_t dim[FA_MAX_DIMS];
    int count;
    fa_arg a;
    if (!strcmp(s, "all"))
        return *d = FA_ALL, true;
    if (*s != '{')
        return read_number(&a, s) && (*d = fa__int_in(a), true);
    if (!numbers(s + 1, '}', dim, &count))
        return false;
    *d = (fa_dims_of)((size_t)count, dim);
    return true;
}

static bool read_pair(fa_pair *p, const char *s)
{
    int64_t size[FA_MAX_DIMS];
    int count;
    fa_arg a;
    if (!strcmp(s, "same"))
        return *p = FA_PADDING_SAME, true;
    if (*s != '{')
        return read_number(&a, s) && (*p = fa__int_in(a), true);
    return numbers(s + 1, '}', size, &count) && count == 2 && (*p = FA_PAIR(size[0], size[1]), true);
}

/* l(1,2.5) */
static bool read_numbers(sample *r, fa_list *list, const char *s)
{
    double *to = r->numbers + r->numbers_used;
    list->item = to;
    list->count = 0;
    if (s[0] != 'l' || s[1] != '(')
        return false;
    for (s += 2; *s && *s != ')'; s += *s == ',') {
        char *end;
        if (r->numbers_used == MOST_NUMBERS)
            return false;
        r->numbers[r->numbers_used++] = strtod(s, &end);
        if (end == s || (*end != ',' && *end != ')'))
            return false;
        list->count++;
        s = end;
    }
    return *s == ')' && !s[1];
}

static bool read_dtype(fa_dtype *d, const char *s)
{
    for (int i = FA_BOOL; i < FA__DTYPES; i++)
        if (!strcmp(fa_dtype_name((fa_dtype)i), s))
            return *d = (fa_dtype)i, true;
    return false;
}

static bool read_enum(int32_t *e, const char *s)
{
    static const struct {
        const char *name;
        int value;
    } names[] = {{"mean", FA_MEAN}, {"sum", FA_SUM}, {"none", FA_NONE}, {"batchmean", FA_BATCHMEAN}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, s))
            return *e = names[i].value, true;
    char *end;
    *e = (int32_t)strtol(s, &end, 10);
    return end != s && !*end;
}

static bool read_string(sample *r, const char **field, const char *s)
{
    size_t length = strlen(s);
    if (length < 2 || *s != '\'' || r->strings_used + length > sizeof r->strings)
        return false;
    char *to = r->strings + r->strings_used;
    memcpy(to, s + 1, length - 2);
    to[length - 2] = 0;
    r->strings_used += length;
    *field = to;
    return true;
}

static bool read_value(sample *r, int field, const char *s, int place)
{
    const fa__field *f = &r->op->fields[field];
    void *at = r->args + f->offset;
    fa_arg a;
    if (!strcmp(s, "null")) {
        r->lists[field] = 0;
        return f->kind == FA__TENSOR || f->kind == FA__TENSORS || f->kind == FA__STRING;
    }
    switch (f->kind) {
    case FA__TENSOR:
    case FA__LIKE:
        return read_tensor(r, s, field, place);
    case FA__TENSORS:
        return read_list(r, s, field, place);
    case FA__LIST:
        return read_numbers(r, at, s);
    case FA__NUMBER:
        return is_tensor_text(s) ? read_tensor(r, s, field, place) : read_number(at, s);
    case FA__INT:
        return read_number(&a, s) && a.kind == FA__ARG_INT && (*(int64_t *)at = fa__int_in(a), true);
    case FA__DOUBLE:
        return read_number(&a, s)
               && (*(double *)at = a.kind == FA__ARG_FLOAT ? fa__double_in(a) : (double)fa__int_in(a), true);
    case FA__BOOL:
        return read_number(&a, s) && (*(bool *)at = fa__int_in(a) != 0, true);
    case FA__DIMS:
        return read_dims(at, s);
    case FA__PAIR_:
        return read_pair(at, s);
    case FA__SHAPE: {
        fa_shape *shape = at;
        return *s == 's' && s[1] == '(' && (s = numbers(s + 2, ')', shape->dim, &shape->rank)) && !*s;
    }
    case FA__DTYPE:
        return read_dtype(at, s);
    case FA__ENUM:
        return read_enum(at, s);
    case FA__STRING:
        return read_string(r, at, s);
    default:
        return false;
    }
}

/* ---- the call ---- */

/* The length of "name=" at s; 0: there is none. */
static size_t name_length(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return n && s[n] == '=' && !isdigit((unsigned char)*s) ? n + 1 : 0;
}

static int field_named(const fa__op *op, const char *s, size_t length)
{
    for (int i = 0; i < op->nfields; i++)
        if (strlen(op->fields[i].name) == length && !strncmp(op->fields[i].name, s, length))
            return i;
    return -1;
}

/* Marks the fields that are named: values without a name go to the others. */
static unsigned named_fields(const sample *r)
{
    unsigned named = 0;
    for (const char *s = r->text; *s; s = piece_end(s, ' '), s += *s == ' ') {
        int f = name_length(s) ? field_named(r->op, s, name_length(s) - 1) : -1;
        if (f >= 0)
            named |= 1u << f;
    }
    return named;
}

static bool is_positional(const fa__field *f)
{
    return !f->optional && f->kind != FA__KEY;
}

static const char *read_piece(sample *r, char *piece, int place, unsigned *taken)
{
    size_t name = name_length(piece);
    int field = name ? field_named(r->op, piece, name - 1) : 0;
    if (field < 0)
        return "there is no such field";
    if (!name) {
        while (field < r->op->nfields && (!is_positional(&r->op->fields[field]) || *taken >> field & 1))
            field++;
        if (field == r->op->nfields)
            return "more values than fields";
        *taken |= 1u << field;
    }
    return read_value(r, field, piece + name, place) ? NULL : "a value that its field does not take";
}

static void prepare(sample *r)
{
    if (r->op->defaults)
        memcpy(r->args, r->op->defaults, r->op->args_size);
    for (int i = 0; i < r->op->nfields; i++) {
        r->lists[i] = -1;
        if (r->op->fields[i].kind == FA__KEY)
            *(fa__key *)(void *)(r->args + r->op->fields[i].offset) = (fa__key){.seed = 7, .call = 3};
    }
}

bool sample_read(sample *r, const fa__op *op, const fa__samples *row, int n, const char **wrong)
{
    memset(r, 0, sizeof *r);
    r->op = op;
    r->row = row;
    *wrong = NULL;
    if (op->args_size > MOST_ARGS)
        return *wrong = "the arguments are larger than MOST_ARGS", false;
    if (!row->samples || !pick(r->text, row->samples, n))
        return false;
    r->seed = sample_seed(op->name, r->text);
    prepare(r);
    unsigned taken = named_fields(r);
    int place = 0;
    for (const char *s = r->text; *s && !*wrong; place++) {
        char piece[MOST_TEXT];
        const char *end = piece_end(s, ' ');
        snprintf(piece, sizeof piece, "%.*s", (int)(end - s), s);
        *wrong = read_piece(r, piece, place, &taken);
        s = end + (*end == ' ');
    }
    for (int i = 0; i < op->nfields && !*wrong; i++)
        if (is_positional(&op->fields[i]) && !(taken >> i & 1))
            *wrong = "a field without a value";
    return !*wrong;
}
