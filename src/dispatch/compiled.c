/* Formulas: parsing rows' expressions, deriving them, and expressions that are not rows'. All are made once and live as
 * long as the library; readers need no lock. */
#include "dispatch/compiled.h"
#include "backend/device.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/hash.h"
#include "base/thread.h"
#include "dispatch/promote.h"
#include "dispatch/row.h"
#include "hot.h"
#include <pthread.h>
#include <stdlib.h>

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

static fa__source *sources; /* those that know their formula */

void fa__source_knows(fa__source *source, fa__compiled *f)
{
    pthread_mutex_lock(&lock);
    if (!atomic_load(&source->compiled)) {
        source->next = sources;
        sources = source;
    }
    atomic_store_explicit(&source->compiled, f, memory_order_release);
    pthread_mutex_unlock(&lock);
}

static void free_all(void)
{
    fa__devices_finish();
    for (int i = 0; i < FA__OPS; i++)
        atomic_store(&of_rows[i], NULL);
    for (; sources; sources = sources->next)
        atomic_store(&sources->compiled, NULL);
    while (all_made) {
        made *m = all_made;
        all_made = m->next;
        free_program(&m->compiled->program);
        for (int i = 0; i < FA__DTYPES; i++) {
            fa__program *p = atomic_load(&m->compiled->narrow[i]);
            if (p)
                free_program(p);
            fa__free(p ? (void *)(uintptr_t)p->ssa : NULL);
            fa__free(p);
        }
        fa__expression_free(m->compiled->e);
        fa__free(m);
    }
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

static bool is_exact(const fa__ssa *ssa)
{
    bool exact = true;
    for (int i = 0; i < ssa->count; i++) {
        const fa__prim_info *p = &fa__prims[ssa->node[i].prim];
        exact &= exact_prims[ssa->node[i].prim] || p->domain == FA__DOMAIN_TEST || fa__dtype_is_float(p->dtype);
    }
    return exact;
}

/* A formula with an operation behind it (size 0: none), zeroed; the lock is held. */
static fa__compiled *formula_new(const fa__expression *e, size_t more)
{
    static bool registered;
    if (!registered && !(registered = fa__at_exit(free_all)))
        return NULL;
    made *m = fa__calloc(1, sizeof *m + sizeof *m->compiled + more);
    if (!m)
        return NULL;
    fa__compiled *f = m->compiled = (fa__compiled *)(void *)(m + 1);
    f->e = e;
    f->program.ssa = &e->ssa;
    f->program.text = e->text;
    f->program.hot = -1;
    f->result = e->boolean & 1 ? FA_BOOL : e->cast[0];
    f->exact = is_exact(&e->ssa);
    f->casts = (uint8_t)promoted(e->casts);
    f->program.low = INT32_MIN;
    f->program.high = INT32_MAX;
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
    fa__compiled *f = formula_new(e, 0);
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

/* ---- derivatives ---- */

/* An operation that stands behind its formula: `op`, its fields and its name in one piece. */
typedef struct derived {
    fa__op op;
    fa__field field[FA__MAX_FIELDS];
    char name[64];
} derived;

static const fa__traits derived_traits;

static size_t rounded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* A derivative's fields are those of its operation, then gy, then y. */
static void fill_derived(derived *d, const fa__op *op, const fa__expression *e)
{
    for (int i = 0; i < op->nfields; i++)
        d->field[i] = op->fields[i];
    uint16_t at = (uint16_t)rounded(op->args_size);
    d->field[op->nfields] = (fa__field){.name = e->names[op->nfields], .kind = FA__TENSOR, .offset = at};
    d->field[op->nfields + 1] =
        (fa__field){.name = e->names[op->nfields + 1], .kind = FA__TENSOR, .offset = (uint16_t)(at + 8)};
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
    fa__compiled *df = formula_new(e, sizeof(derived));
    if (!df) {
        fa__expression_free(e);
        return NULL;
    }
    derived *d = (derived *)(void *)(df + 1);
    snprintf(d->name, sizeof d->name, "%s'%s", op->name, op->fields[input].name);
    fill_derived(d, op, e);
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

/* ---- expressions that are not rows' ---- */

typedef struct entry {
    struct entry *next;
    uint64_t hash;
    size_t size;
    fa__op op;
    fa__field field[FA__MAX_FIELDS];
    char text[]; /* the text, then the names, each with its 0: what the hash is of */
} entry;

enum { BUCKETS = 1024 };
static _Atomic(entry *) entries[BUCKETS];

static void free_entries(void)
{
    for (int b = 0; b < BUCKETS; b++)
        for (entry *e = atomic_exchange(&entries[b], NULL), *next; e; e = next) {
            next = e->next;
            fa__free(e);
        }
}

static char *add_string(char *at, const char *s)
{
    size_t n = strlen(s) + 1;
    memcpy(at, s, n);
    return at + n;
}

static entry *find_entry(uint64_t hash, const char *key, size_t size)
{
    for (entry *e = atomic_load_explicit(&entries[hash % BUCKETS], memory_order_acquire); e; e = e->next)
        if (e->hash == hash && e->size == size && !memcmp(e->text, key, size))
            return e;
    return NULL;
}

static const char *const results[] = {"y", "y1", "y2", "y3"};

static fa__expression *parsed(const char *caller, const char *text, const fa__signature *signature)
{
    fa__parse_error error;
    fa__expression *x = fa__expression_parse(text, signature, &error);
    char shown[512];
    if (!x)
        fa__fail(FA_ERROR_ARGUMENT, "fa_%s: %s", caller, fa__parse_error_render(text, &error, shown, sizeof shown));
    return x;
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
    fa__compiled *f = formula_new(e, 0);
    pthread_mutex_unlock(&lock);
    if (!f)
        fa__expression_free(e);
    return f;
}

/* The operation of an entry whose text is written: its operands' names are those that stand behind the expression. */
static void fill_op(entry *e, const char *caller, const fa__signature *signature, fa__compiled *formula)
{
    const char *name = e->text + strlen(e->text) + 1;
    for (int i = 0; i < signature->ninputs; i++) {
        e->field[i] = (fa__field){.name = name, .kind = FA__NUMBER, .offset = (uint16_t)((size_t)i * sizeof(fa_arg))};
        name += strlen(name) + 1;
    }
    e->op = (fa__op){.name = caller,
                     .id = FA__OP_expression,
                     .traits = &derived_traits,
                     .fields = e->field,
                     .nfields = (uint8_t)signature->ninputs,
                     .nresults = (uint8_t)(signature->noutputs ? signature->noutputs : 1),
                     .args_size = (uint16_t)((size_t)signature->ninputs * sizeof(fa_arg)),
                     .inplace = -1,
                     .compiled = formula};
    memcpy(e->op.results, results, sizeof results);
    fa__op_sort_fields(&e->op);
}

static entry *make_entry(const char *caller, uint64_t hash, const char *key, size_t size,
                         const fa__signature *signature)
{
    static bool registered;
    if (!registered && !(registered = fa__at_exit(free_entries)))
        return NULL;
    fa__expression *x = parsed(caller, key, signature);
    if (!x)
        return NULL;
    entry *e = fa__calloc(1, sizeof *e + size);
    fa__compiled *f = e ? formula_new(x, 0) : NULL;
    if (!f) {
        fa__expression_free(x);
        fa__free(e);
        return NULL;
    }
    memcpy(e->text, key, size);
    e->hash = hash;
    e->size = size;
    fill_op(e, caller, signature, f);
    return e;
}

/* The entry of a key: the one that is there, or a new one. NULL and an error. */
static entry *entry_for(const char *caller, const char *key, size_t size, const fa__signature *signature)
{
    uint64_t hash = fa__hash_bytes(key, size);
    entry *e = find_entry(hash, key, size);
    if (e)
        return e;
    pthread_mutex_lock(&lock);
    e = find_entry(hash, key, size); /* another thread may have made it since */
    if (!e && (e = make_entry(caller, hash, key, size, signature))) {
        e->next = atomic_load(&entries[hash % BUCKETS]);
        atomic_store_explicit(&entries[hash % BUCKETS], e, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return e;
}

/* A key is the text and all names, each ended by a zero; before the names of outputs stands a '='. */
static size_t key_size(const char *text, const fa__signature *signature)
{
    size_t size = strlen(text) + 1;
    for (int i = 0; i < signature->ninputs; i++)
        size += strlen(signature->inputs[i]) + 1;
    for (int i = 0; i < signature->noutputs; i++)
        size += strlen(signature->outputs[i]) + 2;
    return size;
}

static void write_key(char *at, const char *text, const fa__signature *signature)
{
    at = add_string(at, text);
    for (int i = 0; i < signature->ninputs; i++)
        at = add_string(at, signature->inputs[i]);
    for (int i = 0; i < signature->noutputs; i++) {
        *at++ = '=';
        at = add_string(at, signature->outputs[i]);
    }
}

const fa__op *fa__expression_op(const char *caller, const char *text, const char *const *names, int count,
                                const char *const *outputs, int noutputs)
{
    fa__signature signature = {.inputs = names, .ninputs = count, .outputs = outputs, .noutputs = noutputs};
    size_t size = key_size(text, &signature);
    char small[512], *key = size <= sizeof small ? small : fa__malloc(size);
    if (!key)
        return NULL;
    write_key(key, text, &signature);
    const entry *e = entry_for(caller, key, size, &signature);
    if (key != small)
        fa__free(key);
    return e ? &e->op : NULL;
}
