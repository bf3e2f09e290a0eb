/* One description of a call, for errors, logs and reports: "add(x=(3, 4) f32 cpu, y=2, alpha=3)"; and the name that the
 * program knows it by. */
#include "base/text.h"
#include "dispatch/call.h"
#include <inttypes.h>
#include <stdarg.h>

/* An operation in place under its own name, made when somebody asks. */
typedef struct twin {
    fa__op op;
    char name[40];
    _Atomic int state; /* 0: not made, 1: being made, 2: made */
} twin;

/* What stands behind an operation's name where the call is in place. */
static const char *ending(const fa__op *op, bool inplace)
{
    size_t length = strlen(op->name);
    return inplace && op->name[length - 1] != '_' ? "_" : "";
}

static const fa__op *in_place(const fa__op *op)
{
    static twin twins[FA__OPS];
    int none = 0;
    if (op->id < 0 || op->id >= FA__OP_expression || op == &twins[op->id].op)
        return op;
    twin *t = &twins[op->id];
    if (atomic_compare_exchange_strong(&t->state, &none, 1)) {
        snprintf(t->name, sizeof t->name, "%s%s", op->name, ending(op, true));
        t->op = (fa__op){.name = t->name, .id = op->id, .traits = op->traits};
        atomic_store_explicit(&t->state, 2, memory_order_release);
    }
    return atomic_load_explicit(&t->state, memory_order_acquire) == 2 ? &t->op : op;
}

const fa__op *fa__reported_op(const fa__call *c)
{
    return FA__LIKELY(!c->inplace) ? c->op : in_place(c->op);
}

const fa__op *fa__asked_for(const fa__call *c)
{
    const fa__op *called = fa__called_by_program();
    return called ? called : fa__reported_op(c);
}

static void add_number(struct fa__text *text, const fa_arg *a)
{
    if (a->kind == FA__ARG_FLOAT)
        fa__text_add_number(text, fa__double_in(*a));
    else if (a->kind == FA__ARG_INT)
        fa__text_add(text, "%" PRId64, fa__int_in(*a));
    else
        fa__text_add(text, fa__int_in(*a) ? "true" : "false");
}

/* What a number is where dimensions go: FA_PAIR(1, 2), FA_DIMS(2, 2), in the order in which they were written, or a
 * plain number. */
static void add_written(struct fa__text *text, int64_t d)
{
    const fa_shape order = fa__dims_in_order(d);
    if (fa__dim_is_pair(d))
        fa__text_add(text, "FA_PAIR(%" PRId64 ", %" PRId64 ")", fa_pair_at(d, 0), fa_pair_at(d, 1));
    else if (!fa__dims_named(d))
        fa__text_add(text, "%" PRId64, d);
    else if (d & FA__DIM(9))
        fa__text_add(text, "FA_DIMS(out of range)");
    else
        for (int i = 0; i < order.rank; i++)
            fa__text_add(text, "%s%" PRId64 "%s", i ? ", " : "FA_DIMS(", order.dim[i], i + 1 < order.rank ? "" : ")");
}

static void add_dims(struct fa__text *text, fa_dims d)
{
    if (d == FA_ALL)
        fa__text_add(text, "all");
    else if (!fa__dims_named(d))
        add_written(text, d);
    else {
        const char *between = "(";
        for (int i = -8; i < 8; i++)
            if (d & FA__DIM(i)) {
                fa__text_add(text, "%s%d", between, i);
                between = ", ";
            }
        if (d & FA__DIM(9))
            fa__text_add(text, "%sout of range", between);
        fa__text_add(text, ")");
    }
}

static void add_pair(struct fa__text *text, fa_pair p)
{
    int64_t height = fa_pair_at(p, 0), width = fa_pair_at(p, 1);
    if (p == FA_PADDING_SAME)
        fa__text_add(text, "same");
    else if (p == FA__PAIR_INVALID)
        fa__text_add(text, "out of range");
    else if (fa__dims_named(p))
        add_written(text, p);
    else if (height == width)
        fa__text_add(text, "%" PRId64, height);
    else
        fa__text_add(text, "(%" PRId64 ", %" PRId64 ")", height, width);
}

/* How much of a call is told. */
typedef enum { PLAIN, ORIGINS, ODD_ORIGINS /* of lists: the first item, and those on other devices */ } detail;

/* Whether item k of a list is told of, when `shown` others were. */
static bool is_shown(const fa_tensors *list, size_t k, size_t shown, detail much)
{
    const fa_tensor *first = list->item[0], *t = list->item[k];
    bool odd = k && t && first && t->object.type == FA__TYPE_TENSOR && first->object.type == FA__TYPE_TENSOR
               && fa__tensor_device(t) != fa__tensor_device(first);
    return shown < 8 && (much != ODD_ORIGINS || !k || odd);
}

static void add_list(struct fa__text *text, const fa_tensors *list, detail much)
{
    size_t shown = 0;
    bool gap = false;
    if (list->count && !list->item) {
        fa__text_add(text, "NULL");
        return;
    }
    if (much == ORIGINS && list->count > 8)
        much = ODD_ORIGINS;
    fa__text_add(text, "[");
    for (size_t k = 0; k < list->count; k++) {
        bool is = is_shown(list, k, shown, much);
        if (is || !gap)
            fa__text_add(text, is ? "%s" : "%s...", k ? ", " : "");
        if (is)
            fa__describe_tensor(text, list->item[k], much != PLAIN);
        shown += is;
        gap = !is;
    }
    fa__text_add(text, "]");
}

static void add_numbers(struct fa__text *text, const fa_list *list)
{
    if (list->count && !list->item) {
        fa__text_add(text, "NULL");
        return;
    }
    fa__text_add(text, "{");
    for (size_t k = 0; k < list->count && k < 16; k++)
        fa__text_add(text, "%s%g", k ? ", " : "", list->item[k]);
    fa__text_add(text, list->count > 16 ? ", ...}" : "}");
}

/* A shape; and where one holds dimensions, what was written in their place. */
static void add_shape(struct fa__text *text, const fa_shape *s)
{
    if (s->rank == 1 && fa__dim_is_pair(s->dim[0]))
        add_written(text, s->dim[0]);
    else
        fa__describe_shape(text, s->rank, s->dim);
}

static void add_field(struct fa__text *text, const fa__field *f, const void *p, detail much)
{
    const bool origins = much != PLAIN;
    switch ((fa__kind)f->kind) {
    case FA__TENSOR:
    case FA__LIKE:
        fa__describe_tensor(text, *(const fa_tensor *const *)p, origins);
        break;
    case FA__NUMBER:
        if (((const fa_arg *)p)->kind == FA__ARG_TENSOR)
            fa__describe_tensor(text, fa__tensor_in(*(const fa_arg *)p), origins);
        else
            add_number(text, p);
        break;
    case FA__TENSORS:
        add_list(text, p, much);
        break;
    case FA__LIST:
        add_numbers(text, p);
        break;
    case FA__INT:
        if (strstr(f->name, "dim"))
            add_written(text, *(const int64_t *)p);
        else
            fa__text_add(text, "%" PRId64, *(const int64_t *)p);
        break;
    case FA__DOUBLE:
        fa__text_add_number(text, *(const double *)p);
        break;
    case FA__BOOL:
        fa__text_add(text, *(const bool *)p ? "true" : "false");
        break;
    case FA__DIMS:
        add_dims(text, *(const fa_dims *)p);
        break;
    case FA__PAIR_:
        add_pair(text, *(const fa_pair *)p);
        break;
    case FA__SHAPE:
        add_shape(text, p);
        break;
    case FA__DTYPE:
        fa__text_add(text, "%s", fa_dtype_name(*(const fa_dtype *)p));
        break;
    case FA__DEVICE_:
        fa__text_add(text, "%s", fa_device_name(*(const fa_device *)p));
        break;
    case FA__ENUM:
        fa__text_add(text, "%d", *(const int *)p);
        break;
    case FA__STRING:
        fa__text_add(text, "\"%s\"", *(const char *const *)p ? *(const char *const *)p : "");
        break;
    case FA__KEY:
        break;
    }
}

static size_t field_size(fa__kind kind)
{
    switch (kind) {
    case FA__BOOL:
        return sizeof(bool);
    case FA__ENUM:
    case FA__DTYPE:
        return sizeof(int);
    case FA__SHAPE:
        return sizeof(fa_shape);
    case FA__NUMBER:
        return sizeof(fa_arg);
    case FA__TENSORS:
    case FA__LIST:
        return sizeof(fa_list);
    default:
        return 8;
    }
}

/* Options that stand at their default are not worth a word. */
static bool is_default(const fa__op *op, const fa__field *f, const void *p)
{
    return f->kind == FA__KEY
           || (f->optional && op->defaults && !memcmp(p, fa__field_at(op->defaults, f), field_size((fa__kind)f->kind)));
}

/* fa_to and its kin are fa_move by other names; and functions that are no operations (fa_item) read by it. */
static const fa__op *known_as(const fa__call *c)
{
    const fa__op *other = fa__outermost_function();
    bool by_move = other && (other->id == FA__OP_move || other->id == FA__OP_expression) && !other->nfields;
    return by_move && c->op->id == FA__OP_move ? other : c->op;
}

static void describe(struct fa__text *text, const fa__call *c, detail much)
{
    const char *between = "";
    const fa__op *known = known_as(c);
    fa__text_add(text, "%s%s(", known->name, ending(known, c->inplace));
    for (int i = 0; i < c->op->nfields; i++) {
        const fa__field *f = &c->op->fields[i];
        const void *p = fa__field_at(c->args, f);
        if (is_default(c->op, f, p) || (known->id == FA__OP_expression && c->op != known && f->optional))
            continue;
        fa__text_add(text, "%s%s=", between, f->name);
        add_field(text, f, p, much);
        between = ", ";
    }
    if (c->given && !c->inplace) {
        fa__text_add(text, "%sout=", between);
        fa__describe_tensor(text, c->given, much != PLAIN);
    }
    fa__text_add(text, ")");
}

void fa__describe_call(struct fa__text *text, const fa__call *c, bool origins)
{
    describe(text, c, origins ? ORIGINS : PLAIN);
}

/* Whether a call is part of another one, which the program made: that is then named, and the part only where it tells
 * what a device lacks, or what is wrong with the library. */
static bool is_part(const fa__call *c, fa_code code)
{
    const fa__call *outer = fa__outermost_call();
    return outer && outer != c && code != FA_ERROR_UNAVAILABLE && code != FA_ERROR_INTERNAL;
}

/* With as much as there is room for. */
static void describe_within(char *buffer, size_t size, const fa__call *c, bool origins)
{
    static const detail less[] = {ORIGINS, ODD_ORIGINS, PLAIN};
    for (int i = origins ? 0 : 2; i < 3; i++) {
        struct fa__text text = fa__text_in(buffer, size - 3);
        describe(&text, c, less[i]);
        if (!text.cut)
            return;
    }
    memcpy(buffer + strlen(buffer), "...", 4);
}

/* The reason is there in full, and of the operands what there is room for. */
bool(fa__call_fail)(const fa__call *c, fa_code code, const char *format, ...)
{
    char reason[600], call[1000];
    struct fa__text text = fa__text_in(reason, sizeof reason);
    va_list list;
    if (fa__failed())
        return false;
    va_start(list, format);
    fa__text_add_list(&text, format, list);
    va_end(list);
    if (is_part(c, code))
        return fa__fail(code, "%s", reason);
    describe_within(call, sizeof call - strlen(reason), c, code == FA_ERROR_DEVICE);
    return fa__fail(code, "%s%s: %s", fa__op_prefix(c->op), call, reason);
}

/* An error about a forbidden copy or wait names the function already; this adds its tensors. */
static void add_tensors(const fa__call *c)
{
    char text[600];
    struct fa__text t = fa__text_in(text, sizeof text);
    FA__EACH_BIT (i, fa__tensor_fields(c->op)) {
        const fa_tensor *operand = fa__field_tensor(c->args, &c->op->fields[i]);
        if (operand) {
            fa__text_add(&t, t.at == text ? ": " : " and ");
            fa__describe_tensor(&t, operand, true);
        }
    }
    if (t.at != text)
        fa_error_append("%s", text);
}

/* An error from below (no memory, a part of a composed operation) gets in front of it what the program called; parts
 * are not named. */
void fa__name_failure(const fa__call *c)
{
    char text[600];
    struct fa__text description = fa__text_in(text, sizeof text);
    const fa_code code = fa__self->error->code;
    if (fa__self->error->unfinished)
        add_tensors(c);
    if (code == FA_ERROR_SYNC || fa__outermost_call())
        return;
    fa__error_at(c->site);
    fa__text_add(&description, "%s", fa__op_prefix(c->op));
    fa__describe_call(&description, c, code == FA_ERROR_DEVICE);
    if (!fa__error_names(text))
        fa__error_within("%s", text);
}
