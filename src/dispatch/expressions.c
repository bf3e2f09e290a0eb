/* Operations for the expressions of programs, and their cache (expressions.h). */
#include "dispatch/expressions.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/hash.h"
#include "base/thread.h"
#include "core/object.h"
#include "dispatch/row.h"
#include <pthread.h>
#include <string.h>

/* ---- operations, and the memory that they are in ---- */

/* An operation with the operations of its derivatives. Names and fields are those of its kind: they never change. */
typedef struct shell {
    fa__derived_op of; /* first */
    struct shell *derived[FA__MAX_INPUTS];
    struct shell *next; /* that is free, of the same kind */
    struct shell *all;
} shell;

/* Callers and names: operations that differ in nothing but their formula. */
typedef struct kind {
    struct kind *next;
    shell *free;
    size_t size;
    char key[]; /* the caller, then the names, each with its 0; before those of outputs stands a '=' */
} kind;

/* An expression in the cache. */
typedef struct entry {
    fa__object object;           /* the cache has a reference; so has whoever uses it */
    struct entry *next;          /* in its bucket */
    struct entry *newer, *older; /* by last use */
    kind *kind;
    shell *shell;
    fa__compiled *compiled;
    uint64_t hash;
    size_t size;
    bool pinned; /* it is not in the order of use, and not counted */
    char key[];  /* that of the kind, then the text; one byte more when it is typed */
} entry;

enum { BUCKETS = 1024 };

static struct {
    pthread_mutex_t lock;
    entry *bucket[BUCKETS];
    entry *newest, *oldest;
    kind *kinds;
    shell *shells;       /* all that were ever made */
    fa__source *sources; /* those that know their formula */
    int count, most;
    bool registered;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER, .most = FA__EXPRESSIONS_MOST};

FA__LOCKED_AT_FORK(EXPRESSIONS, &cache.lock)

static const fa__traits expression_traits;

static shell *shell_alloc(void)
{
    shell *s = fa__calloc(1, sizeof *s);
    if (s) {
        pthread_mutex_lock(&cache.lock);
        s->all = cache.shells;
        cache.shells = s;
        pthread_mutex_unlock(&cache.lock);
    }
    return s;
}

/* The operation of a kind: its operands' names are those that stand behind the caller's. */
static void fill_shell(shell *s, const kind *k, const fa__signature *signature)
{
    static const char *const results[] = {"y", "y1", "y2", "y3"};
    const char *name = k->key + strlen(k->key) + 1;
    for (int i = 0; i < signature->ninputs; i++) {
        s->of.field[i] =
            (fa__field){.name = name, .kind = FA__NUMBER, .offset = (uint16_t)((size_t)i * sizeof(fa_arg))};
        name += strlen(name) + 1;
    }
    s->of.op = (fa__op){.name = k->key,
                        .id = FA__OP_expression,
                        .traits = &expression_traits,
                        .fields = s->of.field,
                        .nfields = (uint8_t)signature->ninputs,
                        .nresults = (uint8_t)(signature->noutputs ? signature->noutputs : 1),
                        .args_size = (uint16_t)((size_t)signature->ninputs * sizeof(fa_arg)),
                        .inplace = -1};
    memcpy(s->of.op.results, results, sizeof results);
    fa__op_sort_fields(&s->of.op);
}

fa__derived_op *fa__expression_derived_op(const fa__op *op, int input, const fa__expression *derivative)
{
    shell *s = (shell *)(uintptr_t)op, *d = s->derived[input];
    if (!d && (d = shell_alloc())) {
        fa__derived_op_fill(&d->of, op, input, derivative);
        s->derived[input] = d;
    }
    return d ? &d->of : NULL;
}

/* Under the lock, as the two that follow. */
static kind *kind_of(const char *key, size_t size)
{
    kind *k = cache.kinds;
    while (k && (k->size != size || memcmp(k->key, key, size) != 0))
        k = k->next;
    if (k || !(k = fa__calloc(1, sizeof *k + size)))
        return k;
    memcpy(k->key, key, size);
    k->size = size;
    k->next = cache.kinds;
    cache.kinds = k;
    return k;
}

static shell *take_free(kind *k)
{
    shell *s = k ? k->free : NULL;
    if (s)
        k->free = s->next;
    return s;
}

static void give_back(kind *k, shell *s)
{
    s->of.op.compiled = NULL;
    s->next = k->free;
    k->free = s;
}

/* An operation of the kind, used before or new. */
static bool find_shell(entry *e, size_t kind_size, const fa__signature *signature)
{
    pthread_mutex_lock(&cache.lock);
    e->kind = kind_of(e->key, kind_size);
    e->shell = take_free(e->kind);
    pthread_mutex_unlock(&cache.lock);
    if (e->kind && !e->shell && (e->shell = shell_alloc()))
        fill_shell(e->shell, e->kind, signature);
    return e->shell;
}

/* ---- entries ---- */

static void free_entry(entry *e)
{
    fa__compiled_free(e->compiled);
    if (e->shell) {
        pthread_mutex_lock(&cache.lock);
        give_back(e->kind, e->shell);
        pthread_mutex_unlock(&cache.lock);
    }
    fa__free(e);
}

static void entry_destroy(fa__object *o)
{
    free_entry((entry *)(void *)o);
}

__attribute__((__constructor__)) static void entry_type(void)
{
    fa__object_type(FA__TYPE_EXPRESSION, "expression", entry_destroy);
}

static fa__expression *parsed(const char *caller, const char *text, const fa__signature *signature)
{
    fa__parse_error error;
    fa__expression *x = fa__expression_parse(text, signature, &error);
    char shown[512];
    if (!x)
        fa__fail(FA_ERROR_ARGUMENT, "fa_%s: %s", caller, fa__parse_error_render(text, &error, shown, sizeof shown));
    return x;
}

/* A key that is on its way to becoming an entry. */
typedef struct wanted {
    const char *key;
    size_t size, kind_size;
    uint64_t hash;
    const fa__signature *signature;
} wanted;

static entry *make_entry(const wanted *w)
{
    fa__expression *x = parsed(w->key, w->key + w->kind_size, w->signature);
    entry *e = x ? fa__calloc(1, sizeof *e + w->size) : NULL;
    if (!e) {
        fa__expression_free(x);
        return NULL;
    }
    atomic_init(&e->object.references, 1);
    e->object.type = FA__TYPE_EXPRESSION;
    memcpy(e->key, w->key, w->size);
    e->size = w->size;
    e->hash = w->hash;
    e->compiled = fa__compiled_new(x, &e->object);
    if (!e->compiled)
        fa__expression_free(x);
    if (!e->compiled || !find_shell(e, w->kind_size, w->signature)) {
        free_entry(e);
        return NULL;
    }
    e->shell->of.op.compiled = e->compiled;
    return e;
}

/* ---- the cache: all of this under its lock ---- */

static void take_out(entry *e)
{
    cache.count--;
    *(e->newer ? &e->newer->older : &cache.newest) = e->older;
    *(e->older ? &e->older->newer : &cache.oldest) = e->newer;
}

static void put_first(entry *e)
{
    cache.count++;
    e->newer = NULL;
    e->older = cache.newest;
    *(cache.newest ? &cache.newest->newer : &cache.oldest) = e;
    cache.newest = e;
}

/* The entry of a key, with a reference, which is now the one that was used last. */
static entry *find(const wanted *w)
{
    entry *e = cache.bucket[w->hash % BUCKETS];
    while (e && (e->hash != w->hash || e->size != w->size || memcmp(e->key, w->key, w->size) != 0))
        e = e->next;
    if (!e)
        return NULL;
    if (!e->pinned && cache.newest != e) {
        take_out(e);
        put_first(e);
    }
    return fa__ref(e);
}

static void forget(entry *e)
{
    entry **at = &cache.bucket[e->hash % BUCKETS];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    if (!e->pinned)
        take_out(e);
}

static void pin(entry *e)
{
    take_out(e);
    e->pinned = true;
}

/* Takes out what is too much, from the one that was used longest ago: a list of what nobody else uses. Nobody can begin
 * to use it meanwhile, since references are taken here, or from somebody who has one. */
static entry *evict(void)
{
    entry *dropped = NULL;
    for (entry *e = cache.oldest, *newer; e && cache.count > cache.most; e = newer) {
        newer = e->newer;
        if (atomic_load_explicit(&e->object.references, memory_order_acquire) > 1)
            continue;
        forget(e);
        e->next = dropped;
        dropped = e;
    }
    return dropped;
}

/* ---- and without it ---- */

static void free_dropped(entry *dropped)
{
    while (dropped) {
        entry *next = dropped->next;
        free_entry(dropped);
        dropped = next;
    }
}

static void clear(void)
{
    fa__devices_finish();
    for (; cache.sources; cache.sources = cache.sources->next)
        atomic_store(&cache.sources->compiled, NULL);
    for (int i = 0; i < BUCKETS; i++)
        while (cache.bucket[i]) {
            entry *e = cache.bucket[i];
            forget(e);
            free_entry(e);
        }
    while (cache.shells) {
        shell *s = cache.shells;
        cache.shells = s->all;
        fa__free(s);
    }
    while (cache.kinds) {
        kind *k = cache.kinds;
        cache.kinds = k->next;
        fa__free(k);
    }
}

/* Puts a new entry in, or returns the one that another thread put in first; with a reference. */
static entry *keep(entry *made, const wanted *w)
{
    pthread_mutex_lock(&cache.lock);
    bool registered = cache.registered || (cache.registered = fa__at_exit(clear));
    entry *first = registered ? find(w) : NULL, *dropped = NULL;
    if (!first && registered) {
        made->next = cache.bucket[w->hash % BUCKETS];
        cache.bucket[w->hash % BUCKETS] = made;
        put_first(made);
        first = fa__ref(made);
        made = NULL;
        dropped = evict();
    }
    pthread_mutex_unlock(&cache.lock);
    if (made)
        free_entry(made);
    free_dropped(dropped);
    return first;
}

static entry *entry_for(const wanted *w)
{
    pthread_mutex_lock(&cache.lock);
    entry *e = find(w);
    pthread_mutex_unlock(&cache.lock);
    entry *made = e ? NULL : make_entry(w);
    return made ? keep(made, w) : e;
}

/* ---- keys ---- */

static size_t kind_size(const char *caller, const fa__signature *signature)
{
    size_t size = strlen(caller) + 1;
    for (int i = 0; i < signature->ninputs; i++)
        size += strlen(signature->inputs[i]) + 1;
    for (int i = 0; i < signature->noutputs; i++)
        size += strlen(signature->outputs[i]) + 2;
    return size;
}

static char *add_string(char *at, const char *s)
{
    size_t n = strlen(s) + 1;
    memcpy(at, s, n);
    return at + n;
}

static void write_key(char *at, const char *caller, const char *text, const fa__signature *signature)
{
    at = add_string(at, caller);
    for (int i = 0; i < signature->ninputs; i++)
        at = add_string(at, signature->inputs[i]);
    for (int i = 0; i < signature->noutputs; i++) {
        *at++ = '=';
        at = add_string(at, signature->outputs[i]);
    }
    add_string(at, text);
}

static const fa__op *take(const char *caller, const char *text, const fa__signature *signature)
{
    wanted w = {.kind_size = kind_size(caller, signature), .signature = signature};
    w.size = w.kind_size + strlen(text) + 1 + signature->typed;
    char small[512], *key = w.size <= sizeof small ? small : fa__malloc(w.size);
    if (!key)
        return NULL;
    write_key(key, caller, text, signature);
    if (signature->typed)
        key[w.size - 1] = 't';
    w.key = key;
    w.hash = fa__hash_bytes(key, w.size);
    const entry *e = entry_for(&w);
    if (key != small)
        fa__free(key);
    return e ? &e->shell->of.op : NULL;
}

const fa__op *fa__expression_take(const char *caller, const char *text, const char *const *names, int count,
                                  const char *const *outputs, int noutputs)
{
    fa__signature signature = {.inputs = names, .ninputs = count, .outputs = outputs, .noutputs = noutputs};
    return take(caller, text, &signature);
}

const fa__op *fa__expression_take_typed(const char *caller, const char *text, const char *const *names, int count)
{
    fa__signature signature = {.inputs = names, .ninputs = count, .typed = true};
    return take(caller, text, &signature);
}

void fa__expression_drop(const fa__op *op)
{
    if (op)
        fa__unref(op->compiled->owner);
}

const fa__op *fa__expression_op(const char *caller, const char *text, const char *const *names, int count,
                                const char *const *outputs, int noutputs)
{
    const fa__op *op = fa__expression_take(caller, text, names, count, outputs, noutputs);
    entry *e = op ? (entry *)(void *)op->compiled->owner : NULL;
    if (!e)
        return NULL;
    pthread_mutex_lock(&cache.lock);
    bool known = e->pinned;
    if (!known)
        pin(e);
    pthread_mutex_unlock(&cache.lock);
    if (known)
        fa__expression_drop(op);
    return op;
}

void fa__source_knows(fa__source *source, fa__compiled *f)
{
    pthread_mutex_lock(&cache.lock);
    if (!atomic_load(&source->compiled)) {
        source->next = cache.sources;
        cache.sources = source;
    }
    atomic_store_explicit(&source->compiled, f, memory_order_release);
    pthread_mutex_unlock(&cache.lock);
}

void fa__expressions_keep(int most)
{
    pthread_mutex_lock(&cache.lock);
    cache.most = most;
    entry *dropped = evict();
    pthread_mutex_unlock(&cache.lock);
    free_dropped(dropped);
}

int fa__expressions_count(void)
{
    pthread_mutex_lock(&cache.lock);
    int count = cache.count;
    pthread_mutex_unlock(&cache.lock);
    return count;
}
