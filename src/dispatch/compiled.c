/* Formulas: parsing rows' expressions, and deriving expressions. A formula, and what is made of it, is made once and
 * found without a lock; those of rows live as long as the library, others as long as their owner (expressions.h). */
#include "dispatch/compiled.h"
#include "backend/device.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/hash.h"
#include "base/thread.h"
#include "dispatch/expressions.h"
#include "dispatch/promote.h"
#include "dispatch/row.h"
#include "hot.h"
#include "pointwise/narrow.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is made here */
static _Atomic(fa__compiled *) of_rows[FA__OPS];

FA__LOCKED_AT_FORK(FORMULAS, &lock)

static const fa__traits zero_traits;
const fa__op fa__zero_op = {.name = "zero", .traits = &zero_traits};
const fa__op fa__large_op = {.name = "large", .traits = &zero_traits};

/* What is made here, to be freed at the end. */
typedef struct made {
    struct made *next;
    fa__compiled *compiled;
} made;

static made *all_made;

static void free_program(fa__program *p)
{
    for (int i = 0; i < FA__BACKENDS; i++)
        for (int k = 0; k < FA__CLASSES; k++) {
            const fa__backend *b = fa__backends[i];
            void *compiled = atomic_load(&p->compiled[i][k]);
            if (compiled && b && b->discard)
                b->discard(compiled);
            else
                fa__free(compiled);
        }
}

static void free_made(made *m)
{
    free_program(&m->compiled->program);
    for (int i = 0; i < FA__DTYPES; i++) {
        fa__program *p = atomic_load(&m->compiled->narrow[i]);
        if (p)
            free_program(p);
        fa__free(p ? (void *)(uintptr_t)p->ssa : NULL);
        fa__free(p);
    }
    for (fa__typed *t = atomic_load(&m->compiled->typed), *next; t; t = next) {
        next = t->next;
        free_program(&t->program);
        fa__free(t);
    }
    fa__expression_free(m->compiled->e);
    fa__free(m);
}

static void free_all(void)
{
    fa__devices_finish();
    for (int i = 0; i < FA__OPS; i++)
        atomic_store(&of_rows[i], NULL);
    while (all_made) {
        made *m = all_made;
        all_made = m->next;
        free_made(m);
    }
}

void fa__compiled_free(fa__compiled *f)
{
    for (int i = 0; f && i < FA__MAX_INPUTS; i++) {
        const fa__op *d = atomic_load(&f->derivative[i]);
        if (d && d->compiled != f)
            fa__compiled_free(d->compiled); /* NULL for fa__zero_op and fa__large_op */
    }
    if (f)
        free_made((made *)(void *)f - 1);
}

/* The dtype of several conversions together (bits). FA_SAME when there are none. */
static fa_dtype promoted(uint32_t casts)
{
    fa_dtype all = FA_SAME;
    FA__EACH_BIT (d, casts)
        all = fa__promote(all, (fa_dtype)d);
    return all;
}

static const bool exact_prims[FA__PRIM_count] = {
    [FA__PRIM_input] = true,   [FA__PRIM_constant] = true, [FA__PRIM_neg] = true,    [FA__PRIM_abs] = true,
    [FA__PRIM_maximum] = true, [FA__PRIM_minimum] = true,  [FA__PRIM_select] = true,
};

bool fa__prim_is_exact(fa__prim prim)
{
    const fa__prim_info *p = &fa__prims[prim];
    return exact_prims[prim] || p->domain == FA__DOMAIN_TEST || fa__dtype_is_float(p->dtype);
}

static bool is_exact(const fa__ssa *ssa)
{
    bool exact = true;
    for (int i = 0; i < ssa->count; i++)
        exact &= fa__prim_is_exact((fa__prim)ssa->node[i].prim);
    return exact;
}

/* A formula with `more` zeroed bytes behind it. */
static fa__compiled *formula_alloc(const fa__expression *e, struct fa__object *owner, size_t more)
{
    made *m = fa__calloc(1, sizeof *m + sizeof *m->compiled + more);
    if (!m)
        return NULL;
    fa__compiled *f = m->compiled = (fa__compiled *)(void *)(m + 1);
    f->e = e;
    f->owner = owner;
    f->program.owner = owner;
    f->program.ssa = &e->ssa;
    f->program.text = e->text;
    f->program.hot = -1;
    f->result = e->boolean & 1 ? FA_BOOL : e->cast[0];
    f->exact = is_exact(&e->ssa);
    f->casts = (uint8_t)promoted(e->casts);
    f->program.low = INT32_MIN;
    f->program.high = INT32_MAX;
    return f;
}

/* ---- programs of which the C compiler made loops ---- */

static const struct {
    const char *operands, *results, *text; /* a space behind each name */
    int hot;
} hot_programs[] = {
#define HOT_PROGRAM(name, operands, results, text) {operands " ", results " ", text, FA__HOT_##name},
#include "core/hot.def"
#undef HOT_PROGRAM
};

static bool operands_are(const fa__expression *e, const char *names)
{
    for (int i = 0; i < e->ninputs; i++) {
        size_t length = strlen(e->names[i]);
        if (strncmp(names, e->names[i], length) != 0 || names[length] != ' ')
            return false;
        names += length + 1;
    }
    return !*names;
}

static int names_in(const char *list)
{
    int count = 0;
    for (; *list; list++)
        count += *list == ' ';
    return count;
}

static int hot_program(const fa__expression *e)
{
    for (size_t i = 0; i < sizeof hot_programs / sizeof *hot_programs; i++)
        if (!strcmp(e->text, hot_programs[i].text) && operands_are(e, hot_programs[i].operands)
            && e->ssa.outputs == names_in(hot_programs[i].results))
            return hot_programs[i].hot;
    return -1;
}

fa__compiled *fa__compiled_new(const fa__expression *e, struct fa__object *owner)
{
    fa__compiled *f = formula_alloc(e, owner, 0);
    if (f && !e->typed)
        f->program.hot = hot_program(e);
    return f;
}

/* The same for a row, freed when the process ends; the lock is held. */
static fa__compiled *row_formula_new(const fa__expression *e, size_t more)
{
    static bool registered;
    if (!registered && !(registered = fa__at_exit(free_all)))
        return NULL;
    fa__compiled *f = formula_alloc(e, NULL, more);
    if (!f)
        return NULL;
    made *m = (made *)(void *)f - 1;
    m->next = all_made;
    all_made = m;
    return f;
}

static int hot_of(int op, int by)
{
    for (int i = 0; fa__hot_names[i].op >= 0; i++)
        if (fa__hot_names[i].op == op && fa__hot_names[i].by == by)
            return fa__hot_names[i].hot;
    return -1;
}

/* ---- rows ---- */

static fa__compiled *parse_row(const fa__op *op)
{
    const char *names[FA__MAX_FIELDS];
    fa__parse_error error;
    for (int i = 0; i < op->nfields; i++)
        names[i] = op->fields[i].name;
    static const char *const result[] = {"y"};
    fa__signature signature = {.inputs = names, .ninputs = op->nfields, .outputs = result, .noutputs = 1};
    fa__expression *e = fa__expression_parse(op->traits->expr, &signature, &error);
    if (!e) {
        fa__fail(FA_ERROR_INTERNAL, "%s: in '%s' at %d: %s", op->name, op->traits->expr, error.position, error.message);
        return NULL;
    }
    fa__compiled *f = row_formula_new(e, 0);
    if (!f) {
        fa__expression_free(e);
        return NULL;
    }
    f->program.hot = hot_of(op->id, -1);
    f->result = f->result != FA_SAME ? f->result : (uint8_t)op->traits->result;
    return f;
}

static FA__COLD fa__compiled *row_formula(const fa__op *op)
{
    pthread_mutex_lock(&lock);
    fa__compiled *f = atomic_load(&of_rows[op->id]);
    if (!f && (f = parse_row(op)))
        atomic_store_explicit(&of_rows[op->id], f, memory_order_release);
    pthread_mutex_unlock(&lock);
    return f;
}

FA__HOT fa__compiled *fa__compiled_of(const fa__op *op)
{
    if (op->compiled)
        return op->compiled;
    fa__compiled *f = atomic_load_explicit(&of_rows[op->id], memory_order_acquire);
    return FA__LIKELY(f != NULL) ? f : row_formula(op);
}

/* ---- narrow dtypes ---- */

static fa__program *make_narrow(const fa__program *wide, fa__prim to)
{
    fa__narrow_range range = fa__narrow_range_of(to);
    fa__ssa *ssa = fa__ssa_narrowed(wide->ssa, to);
    fa__program *p = ssa ? fa__calloc(1, sizeof *p) : NULL;
    if (!p) {
        fa__free(ssa);
        return NULL;
    }
    p->ssa = ssa;
    p->text = wide->text;
    p->owner = wide->owner;
    p->hot = -1;
    p->low = range.low;
    p->high = range.high;
    return p;
}

fa__program *fa__narrow_program(fa__compiled *f, fa_dtype d)
{
    static const uint8_t to[FA__DTYPES] = {
#define DTYPE(tag, name, ...) [FA_##tag] = FA__PRIM_to_##name,
#include "core/dtypes.def"
#undef DTYPE
    };
    fa__program *p = atomic_load_explicit(&f->narrow[d], memory_order_acquire);
    if (FA__LIKELY(p != NULL))
        return p;
    pthread_mutex_lock(&lock);
    p = atomic_load(&f->narrow[d]);
    if (!p && (p = make_narrow(&f->program, (fa__prim)to[d])))
        atomic_store_explicit(&f->narrow[d], p, memory_order_release);
    pthread_mutex_unlock(&lock);
    return p;
}

/* ---- typed expressions ---- */

static fa__typed *find_typed(const fa__compiled *f, const fa__operand_types *key)
{
    fa__typed *t = atomic_load_explicit(&f->typed, memory_order_acquire);
    while (t && memcmp(&t->key, key, sizeof *key) != 0)
        t = t->next;
    return t;
}

fa__typed *fa__typed_of(fa__compiled *f, const fa__operand_types *key, fa__type_error *why)
{
    fa__typed *t = find_typed(f, key);
    if (FA__LIKELY(t != NULL))
        return t;
    pthread_mutex_lock(&lock);
    t = find_typed(f, key);
    if (!t && (t = fa__program_typed(&f->e->ssa, key, why))) {
        t->program.text = f->e->text;
        t->program.owner = f->owner;
        t->next = atomic_load(&f->typed);
        atomic_store_explicit(&f->typed, t, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return t;
}

/* ---- derivatives ---- */

static const fa__traits derived_traits;

static size_t rounded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

void fa__derived_op_fill(fa__derived_op *d, const fa__op *op, int input, const fa__expression *e)
{
    snprintf(d->name, sizeof d->name, "%s'%s", op->name, op->fields[input].name);
    for (int i = 0; i < op->nfields; i++)
        d->field[i] = op->fields[i];
    uint16_t at = (uint16_t)rounded(op->args_size);
    const char *gy = e->order > 1 ? d->gradient : "gy", *y = e->order > 1 ? d->result : "y";
    snprintf(d->gradient, sizeof d->gradient, "gy%d", (int)e->order);
    snprintf(d->result, sizeof d->result, "y%d", (int)e->order);
    d->field[op->nfields] = (fa__field){.name = gy, .kind = FA__TENSOR, .offset = at};
    d->field[op->nfields + 1] = (fa__field){.name = y, .kind = FA__TENSOR, .offset = (uint16_t)(at + 8)};
    d->op = (fa__op){.name = d->name,
                     .id = FA__OP_expression,
                     .traits = &derived_traits,
                     .fields = d->field,
                     .nfields = (uint8_t)(op->nfields + 2),
                     .nresults = 1,
                     .args_size = (uint16_t)(at + 16),
                     .inplace = -1,
                     .results = {"y"}};
    fa__op_sort_fields(&d->op);
}

/* Whether a field is the incoming gradient of an operation that is a derivative. */
static bool is_gradient(const fa__op *op, int field)
{
    return op->compiled && op->compiled->e->order > 0 && field == op->nfields - 2;
}

static const fa__op *make_derivative(const fa__op *op, fa__compiled *f, int input)
{
    if (is_gradient(op, input))
        return op;
    fa__underived why;
    fa__expression *e = fa__expression_derive(f->e, input, &why);
    if (!e)
        return why == FA__UNDERIVED_ZERO ? &fa__zero_op : why == FA__UNDERIVED_LARGE ? &fa__large_op : NULL;
    _Static_assert((int)FA__MAX_FIELDS >= (int)FA__MAX_INPUTS, "each input of an expression is a field");
    fa__compiled *df = f->owner ? fa__compiled_new(e, f->owner) : row_formula_new(e, sizeof(fa__derived_op));
    fa__derived_op *d = !df        ? NULL
                        : f->owner ? fa__expression_derived_op(op, input, e)
                                   : (fa__derived_op *)(void *)(df + 1);
    if (!df || !d) {
        if (df)
            fa__compiled_free(df);
        else
            fa__expression_free(e);
        return NULL;
    }
    if (!f->owner)
        fa__derived_op_fill(d, op, input, e);
    d->op.compiled = df;
    df->program.hot = op->id == FA__OP_expression ? -1 : hot_of(op->id, input);
    return &d->op;
}

FA__HOT const fa__op *fa__derivative_of(const fa__op *op, int input)
{
    fa__compiled *f = fa__compiled_of(op);
    if (!f)
        return NULL;
    const fa__op *d = atomic_load_explicit(&f->derivative[input], memory_order_acquire);
    if (FA__LIKELY(d != NULL))
        return d;
    pthread_mutex_lock(&lock);
    d = atomic_load(&f->derivative[input]);
    if (!d && (d = make_derivative(op, f, input)))
        atomic_store_explicit(&f->derivative[input], d, memory_order_release);
    pthread_mutex_unlock(&lock);
    return d;
}

/* A gradient that is zero flows too, to where the expression has its value from. */
static bool find_needs(const fa__op *op, const fa__expression *e, uint32_t asked, fa__needs *needs)
{
    int n = op->nfields;
    *needs = (fa__needs){.wants = e->boolean & 1 ? 0 : asked & e->mentioned};
    FA__EACH_BIT (i, needs->wants) {
        const fa__op *d = fa__derivative_of(op, (int)i);
        if (!d)
            return false;
        if (d == &fa__large_op)
            needs->keep |= e->used;
        else if (d == op)
            needs->keep |= e->used & ~(1U << i);
        else if (d != &fa__zero_op) {
            uint32_t keep = d->compiled->e->used | d->compiled->e->mentioned;
            needs->keep |= keep & ((1U << n) - 1);
            needs->keep_y |= d->compiled->e->used >> (n + 1) & 1;
        }
    }
    return true;
}

FA__HOT bool fa__needs_of(const fa__op *op, uint32_t asked, fa__needs *needs)
{
    fa__compiled *f = fa__compiled_of(op);
    bool remembered = asked < 1U << FA__NEEDS_INPUTS;
    uint64_t known = f && remembered ? atomic_load_explicit(&f->needs[asked], memory_order_relaxed) : 0;
    if (FA__LIKELY(known)) {
        *needs = (fa__needs){.wants = known & 0xffff, .keep = known >> 16 & 0xffff, .keep_y = known >> 32 & 1};
        return true;
    }
    if (!f || !find_needs(op, f->e, asked, needs))
        return false;
    if (remembered && needs->keep <= 0xffff)
        atomic_store_explicit(&f->needs[asked],
                              UINT64_C(1) << 63 | (uint64_t)needs->keep_y << 32 | (uint64_t)needs->keep << 16
                                  | needs->wants,
                              memory_order_relaxed);
    return true;
}

fa__compiled *fa__compiled_of_text(const char *op, const char *text, const char *const *names, int count,
                                   const char *result)
{
    fa__parse_error error;
    char shown[512];
    const fa__signature signature = {.inputs = names, .ninputs = count, .outputs = &result, .noutputs = 1};
    fa__expression *e = fa__expression_parse(text, &signature, &error);
    if (!e) {
        fa__fail(FA_ERROR_ARGUMENT, "%s: %s", op, fa__parse_error_render(text, &error, shown, sizeof shown));
        return NULL;
    }
    pthread_mutex_lock(&lock);
    fa__compiled *f = row_formula_new(e, 0);
    pthread_mutex_unlock(&lock);
    if (!f)
        fa__expression_free(e);
    return f;
}
