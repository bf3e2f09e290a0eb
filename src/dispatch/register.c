/* fa_register_op: the table of registered operations. It only grows; readers need no lock. */
#include "backend/movement.h"
#include "base/dynamic.h"
#include "base/fork.h"
#include "dispatch/reflect.h"
#include "dispatch/registered.h"
#include <pthread.h>
#include <stdarg.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(fa__registration *) first;
static fa__registration *last;
static _Atomic size_t registered_count;

FA__LOCKED_AT_FORK(REGISTERED, &lock)

bool fa__refuse_definition(const char *name, const char *format, ...)
{
    char text[500];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return fa__fail(FA_ERROR_ARGUMENT, "fa_register_op(\"%.60s\"): %s", name ? name : "NULL", text);
}

size_t fa__registered_count(void)
{
    return atomic_load_explicit(&registered_count, memory_order_acquire);
}

const fa_op *fa__registered_at(size_t i)
{
    const fa__registration *r = atomic_load_explicit(&first, memory_order_acquire);
    while (r && i-- > 0)
        r = atomic_load_explicit(&r->next, memory_order_acquire);
    return r ? &r->op : NULL;
}

const fa_op *fa__registered_find(const char *name)
{
    const fa__registration *r = atomic_load_explicit(&first, memory_order_acquire);
    while (r && strcmp(r->op.name, name) != 0)
        r = atomic_load_explicit(&r->next, memory_order_acquire);
    return r ? &r->op : NULL;
}

static void free_one(fa__registration *r)
{
    fa__compiled_kernels *compiled = atomic_load(&r->registered.compiled);
    if (compiled)
        compiled->discard(compiled);
    fa__free(r->texts);
    fa__aligned_free(r);
}

static void free_all(void)
{
    fa__devices_finish();
    atomic_store(&registered_count, 0);
    for (fa__registration *r = atomic_exchange(&first, NULL), *next; r; r = next) {
        next = atomic_load(&r->next);
        free_one(r);
    }
    last = NULL;
}

/* Puts a registration at the end, unless its name is taken; the lock is held. */
static bool add(fa__registration *r)
{
    static bool ends;
    if (fa_op_find(r->op.name))
        return fa__refuse_definition(r->op.name, "there is an operation of this name");
    if (!ends && !(ends = fa__at_exit(free_all)))
        return false;
    atomic_store_explicit(last ? &last->next : &first, r, memory_order_release);
    last = r;
    atomic_fetch_add_explicit(&registered_count, 1, memory_order_release);
    return true;
}

/* Functions of a plugin have to stay where they are as long as somebody may call them. */
static void keep_code(const fa_register_op_options *o)
{
    if (o->cpu)
        fa__code_stay((const void *)(uintptr_t)o->cpu);
    if (o->infer)
        fa__code_stay((const void *)(uintptr_t)o->infer);
    if (o->gradient)
        fa__code_stay((const void *)(uintptr_t)o->gradient);
    if (o->gpu_items)
        fa__code_stay((const void *)(uintptr_t)o->gpu_items);
}

const fa_op *(fa_register_op)(const char *name, size_t count, const fa_op_field *fields,
                              const fa_register_op_options *options)
{
    FA__COMPLETE(fa_register_op)
    fa__registration *r = fa__aligned(16, sizeof *r);
    if (!r)
        return NULL;
    memset(r, 0, sizeof *r);
    bool good = fa__define(r, name, count, fields, options);
    pthread_mutex_lock(&lock);
    good = good && add(r);
    pthread_mutex_unlock(&lock);
    if (good) {
        keep_code(options);
        return &r->op;
    }
    free_one(r);
    return NULL;
}
