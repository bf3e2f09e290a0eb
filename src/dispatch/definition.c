/* Definitions of registered operations: checked, and copied into the row that they become. */
#include "dispatch/compiled.h"
#include "dispatch/registered.h"
#include "dispatch/values.h"
#include <ctype.h>

/* ---- names ---- */

/* How many characters of a text are letters, digits and '_', with no digit in front. */
static size_t word(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return isdigit((unsigned char)s[0]) ? 0 : n;
}

static bool is_name(const char *s)
{
    size_t n = s ? word(s) : 0;
    if (n && !strncmp(s + n, "::", 2)) {
        size_t after = word(s + n + 2);
        n = after ? n + 2 + after : 0;
    }
    return n && n <= 60 && !s[n];
}

/* ---- copies ---- */

/* Where copies of texts and numbers go: first all are counted (`at` is NULL), then written. */
typedef struct room {
    char *at;
    size_t size;
} room;

static const void *copied(room *r, const void *bytes, size_t size)
{
    size_t rounded = (size + 7) & ~(size_t)7;
    char *to = r->at ? r->at + r->size : NULL;
    r->size += rounded;
    return to && size ? memcpy(to, bytes, size) : bytes;
}

static const char *copied_text(room *r, const char *text)
{
    return text ? copied(r, text, strlen(text) + 1) : NULL;
}

static void copy_field(room *r, fa_op_field *f)
{
    f->name = copied_text(r, f->name);
    f->doc = copied_text(r, f->doc ? f->doc : "");
    f->fallback.name = NULL;
    if (f->fallback.kind == FA_KIND_STRING)
        f->fallback.as.string = copied_text(r, f->fallback.as.string);
    if (f->fallback.kind == FA_KIND_LIST)
        f->fallback.as.list.item = copied(r, f->fallback.as.list.item, f->fallback.as.list.count * sizeof(double));
}

/* Everything that the definition points to and that is data. */
static void copy_all(fa__registration *g, room *r, const char *name, int count)
{
    fa_register_op_options *o = &g->registered.given;
    g->op.name = copied_text(r, name);
    o->doc = copied_text(r, o->doc ? o->doc : "");
    o->results = copied_text(r, o->results ? o->results : "y");
    o->expression = copied_text(r, o->expression);
    o->saved = copied_text(r, o->saved);
    o->gpu = copied_text(r, o->gpu);
    o->inplace = copied_text(r, o->inplace);
    for (int i = 0; i < count; i++)
        copy_field(r, &g->shown[i]);
}

static bool make_copies(fa__registration *g, const char *name, int count)
{
    room r = {NULL, 0};
    const fa_register_op_options given = g->registered.given;
    fa_op_field field[FA__MAX_FIELDS];
    memcpy(field, g->shown, sizeof field);
    copy_all(g, &r, name, count);
    if (!(g->texts = fa__malloc(r.size)))
        return false;
    g->registered.given = given;
    memcpy(g->shown, field, sizeof field);
    r = (room){g->texts, 0};
    copy_all(g, &r, name, count);
    return true;
}

/* ---- fields ---- */

static bool is_operand(fa_kind k)
{
    return k == FA_KIND_TENSOR || k == FA_KIND_NUMBER;
}

static bool check_field(const char *name, const fa_op_field *f)
{
    size_t size = fa__kind_size(f->kind), align = size < 8 ? size : 8;
    if (!f->name || !word(f->name) || f->name[word(f->name)] || strlen(f->name) > 60)
        return fa__refuse_definition(name, "'%.60s' is no name of an argument", f->name ? f->name : "NULL");
    if (!size)
        return fa__refuse_definition(name, "%s: %d is no fa_kind", f->name, (int)f->kind);
    if (f->size != size)
        return fa__refuse_definition(name, "%s is %s, of %zu bytes, and the struct's member has %zu", f->name,
                                     fa__kind_name(f->kind), size, f->size);
    if (f->offset % align || f->offset > FA__REGISTERED_ARGS - size)
        return fa__refuse_definition(name, "%s: a struct of arguments has no member at byte %zu: it has up to %d bytes",
                                     f->name, f->offset, FA__REGISTERED_ARGS);
    return true;
}

static bool check_pair(const char *name, const fa_op_field *a, const fa_op_field *b)
{
    if (!strcmp(a->name, b->name))
        return fa__refuse_definition(name, "two arguments are called %s", a->name);
    if (a->offset < b->offset + b->size && b->offset < a->offset + a->size)
        return fa__refuse_definition(name, "%s and %s overlap in the struct of arguments", b->name, a->name);
    if (a->kind == FA_KIND_TENSORS && b->kind == FA_KIND_TENSORS)
        return fa__refuse_definition(name, "%s and %s are lists of tensors: there can be one", b->name, a->name);
    return true;
}

static bool check_fields(const char *name, size_t count, const fa_op_field *fields)
{
    if (count < 1 || count > FA__MAX_FIELDS || !fields)
        return fa__refuse_definition(name, "%zu arguments: there have to be 1 to %d", fields ? count : (size_t)0,
                                     FA__MAX_FIELDS);
    for (size_t i = 0; i < count; i++) {
        if (!check_field(name, &fields[i]))
            return false;
        for (size_t k = 0; k < i; k++)
            if (!check_pair(name, &fields[i], &fields[k]))
                return false;
    }
    return true;
}

/* Defaults are numbers and the like: a tensor would have to live as long as the operation. */
static bool set_default(fa__registration *g, const char *name, const fa_op_field *f)
{
    const fa_value *v = &f->fallback;
    if (!f->optional)
        return true;
    if (!fa__value_write(g->defaults + f->offset, f->kind, v))
        return fa__refuse_definition(name, "%s is %s, and its default is %s", f->name, fa__kind_name(f->kind),
                                     fa__kind_name(v->kind));
    bool tensor = (v->kind == FA_KIND_TENSOR || v->kind == FA_KIND_LIKE) ? v->as.tensor != NULL
                  : v->kind == FA_KIND_TENSORS                           ? v->as.tensors.count > 0
                  : v->kind == FA_KIND_NUMBER                            ? v->as.number.kind == FA__ARG_TENSOR
                                                                         : false;
    return !tensor || fa__refuse_definition(name, "the default of %s has a tensor", f->name);
}

static bool set_fields(fa__registration *g, const char *name, int count)
{
    size_t end = 0;
    for (int i = 0; i < count; i++) {
        const fa_op_field *f = &g->shown[i];
        g->field[i] = (fa__field){
            .name = f->name, .kind = (uint8_t)f->kind, .optional = f->optional, .offset = (uint16_t)f->offset};
        end = f->offset + f->size > end ? f->offset + f->size : end;
        if (!set_default(g, name, f))
            return false;
        if (f->optional)
            g->shown[i].fallback = fa__value_read(g->defaults + f->offset, f->kind);
    }
    g->op.fields = g->field;
    g->op.nfields = (uint8_t)count;
    g->op.args_size = (uint16_t)end;
    g->op.defaults = g->defaults;
    fa__op_sort_fields(&g->op);
    return true;
}

/* ---- lists of names ---- */

/* Copies the next name of "x, y" and moves behind it; false at the end, and where there is none (*good is false). */
static bool next_name(const char **list, char *to, size_t size, bool *good)
{
    while (isspace((unsigned char)**list) || **list == ',')
        ++*list;
    size_t n = word(*list);
    *good = **list == 0 || (n && n < size);
    if (!n || !*good)
        return false;
    memcpy(to, *list, n);
    to[n] = 0;
    *list += n;
    return true;
}

static bool set_results(fa__registration *g, const char *name)
{
    const char *list = g->registered.given.results;
    char one[32], *at = g->results;
    bool good;
    while (next_name(&list, one, sizeof one, &good)) {
        if (g->op.nresults == FA__MAX_RESULTS)
            return fa__refuse_definition(name, "there are more than %d results", FA__MAX_RESULTS);
        for (int i = 0; i < g->op.nfields; i++)
            if (!strcmp(one, g->field[i].name))
                return fa__refuse_definition(name, "%s is an argument and a result", one);
        g->op.results[g->op.nresults++] = strcpy(at, one);
        at += strlen(one) + 1;
    }
    return (good && g->op.nresults) || fa__refuse_definition(name, "'%.60s' are no names of results", list);
}

/* The bit of what a name names: a field, or a result behind them; 0: nothing that could be saved. */
static uint32_t named(const fa__registration *g, const char *name)
{
    const fa__op *op = &g->op;
    for (int i = 0; i < op->nfields; i++)
        if (!strcmp(op->fields[i].name, name))
            return is_operand((fa_kind)op->fields[i].kind) || op->fields[i].kind == FA__TENSORS ? 1U << i : 0;
    for (int i = 0; i < op->nresults; i++)
        if (!strcmp(op->results[i], name))
            return 1U << (op->nfields + i);
    return 0;
}

static bool set_saved(fa__registration *g, const char *name)
{
    const fa_register_op_options *o = &g->registered.given;
    const char *list = o->saved;
    char one[64];
    bool good = true;
    if (!o->gradient)
        return !list || fa__refuse_definition(name, ".saved is for .gradient, which is not there");
    if (!list)
        g->op.keep = (uint32_t)g->op.of[FA__TENSOR] | g->op.of[FA__NUMBER] | g->op.of[FA__TENSORS];
    while (list && next_name(&list, one, sizeof one, &good)) {
        uint32_t bit = named(g, one);
        if (!bit)
            return fa__refuse_definition(name, ".saved: %s is no operand and no result", one);
        g->op.keep |= bit;
    }
    return good || fa__refuse_definition(name, ".saved: '%.60s' are no names", list);
}

/* ---- forms ---- */

static bool set_inplace(fa__registration *g, const char *name)
{
    const fa_register_op_options *o = &g->registered.given;
    g->op.inplace = -1;
    for (int i = 0; i < g->op.nfields && g->op.inplace < 0; i++) {
        bool meant = o->inplace ? !strcmp(o->inplace, g->field[i].name) : o->expression != NULL;
        if (meant && is_operand((fa_kind)g->field[i].kind) && !g->field[i].optional)
            g->op.inplace = (int8_t)i;
    }
    if (!o->inplace)
        return true;
    if (g->op.inplace < 0)
        return fa__refuse_definition(name, ".inplace: %.60s is no operand", o->inplace);
    return g->op.nresults == 1 || fa__refuse_definition(name, ".inplace is for operations with one result");
}

static bool check_expression(const fa__registration *g, const char *name)
{
    const fa_register_op_options *o = &g->registered.given;
    if (o->cpu || o->gpu || o->infer || o->gpu_items)
        return fa__refuse_definition(name, "with .expression there is no .infer and no kernel");
    if (g->op.nresults != 1)
        return fa__refuse_definition(name, "an expression has one result");
    for (int i = 0; i < g->op.nfields; i++) {
        fa_kind k = (fa_kind)g->field[i].kind;
        if (!is_operand(k) && k != FA_KIND_DOUBLE && k != FA_KIND_INT && k != FA_KIND_BOOL)
            return fa__refuse_definition(name, "%s is %s, which no expression can read", g->field[i].name,
                                         fa__kind_name(k));
    }
    return true;
}

static bool set_expression(fa__registration *g, const char *name)
{
    const char *names[FA__MAX_FIELDS];
    if (!check_expression(g, name))
        return false;
    for (int i = 0; i < g->op.nfields; i++)
        names[i] = g->field[i].name;
    g->op.compiled = fa__compiled_of_text(name, g->registered.given.expression, names, g->op.nfields, g->op.results[0]);
    return g->op.compiled != NULL;
}

/* What a kernel's arguments on a GPU may be. */
static bool check_gpu(const fa__registration *g, const char *name)
{
    const fa_register_op_options *o = &g->registered.given;
    if (o->gpu_group < 1 || o->gpu_group > 256)
        return fa__refuse_definition(name, ".gpu_group is %d, and has to be 1 to 256", o->gpu_group);
    for (int i = 0; i < g->op.nfields; i++) {
        fa_kind k = (fa_kind)g->field[i].kind;
        if (k == FA_KIND_TENSORS || k == FA_KIND_LIST || k == FA_KIND_SHAPE || k == FA_KIND_STRING)
            return fa__refuse_definition(name, "%s is %s, which kernels of GPUs do not take", g->field[i].name,
                                         fa__kind_name(k));
    }
    return true;
}

static bool set_kernels(fa__registration *g, const char *name)
{
    const fa_register_op_options *o = &g->registered.given;
    if (!o->cpu && !o->gpu)
        return fa__refuse_definition(name, "there is no kernel and no expression");
    if (!o->gpu && o->gpu_items)
        return fa__refuse_definition(name, ".gpu_items is for .gpu, which is not there");
    g->row.infer = fa__registered_infer;
    return !o->gpu || check_gpu(g, name);
}

static bool set_casts(fa__registration *g, const char *name)
{
    static const fa__cast casts[] = {[FA_AUTOCAST_NONE] = FA__CAST_NONE,
                                     [FA_AUTOCAST_LOW] = FA__CAST_LOW,
                                     [FA_AUTOCAST_F32] = FA__CAST_F32,
                                     [FA_AUTOCAST_WIDEST] = FA__CAST_WIDEST};
    const unsigned there = g->registered.given.autocast, host = g->registered.given.autocast_cpu, end = 4;
    if (there >= end || host >= end)
        return fa__refuse_definition(name, "%u is no fa_autocast", there >= end ? there : host);
    g->row.autocast = casts[there];
    g->row.autocast_cpu = casts[host];
    return true;
}

static void set_gradient(fa__registration *g)
{
    if (g->registered.given.gradient)
        g->row.grad = fa__registered_gradient;
    else if (!g->op.compiled)
        g->row.no_grad = "it was registered without a gradient";
}

bool fa__define(fa__registration *g, const char *name, size_t count, const fa_op_field *fields,
                const fa_register_op_options *options)
{
    if (!is_name(name))
        return fa__refuse_definition(name,
                                     "a name is letters, digits and '_', up to 60, after an optional namespace::");
    if (!check_fields(name, count, fields))
        return false;
    memcpy(g->shown, fields, count * sizeof *fields);
    g->registered.given = *options;
    g->registered.field = g->shown;
    g->op.id = FA__OP_expression;
    g->op.traits = &g->row;
    g->op.registered = &g->registered;
    if (!make_copies(g, name, (int)count) || !set_fields(g, name, (int)count) || !set_results(g, name)
        || !set_saved(g, name) || !set_casts(g, name) || !set_inplace(g, name))
        return false;
    if (!(options->expression ? set_expression(g, name) : set_kernels(g, name)))
        return false;
    set_gradient(g);
    return true;
}
