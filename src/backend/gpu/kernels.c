/* Compiled kernels: by device, family, variant and class, or by program, device and shape. What is not in memory may be
 * on disk; else it is built. The caller has the device's lock, which guards that device's places in all tables. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include <string.h>

/* A kernel in the list of all, which is there for closing devices. One that the compiler refused has no handle: it is
 * not tried again. */
typedef struct built {
    fa__gpu_kernel kernel;
    char *why; /* there is no handle */
    struct built *next, *previous;
    fa__device *device;
    fa__gpu_kernel **place; /* the table's */
} built;

/* What a program has as `compiled`. */
typedef struct compiled {
    uint32_t reads;
    fa__gpu_kernel *kernel[FA__GPU_DEVICES][FA__GPU_SHAPES];
} compiled;

static fa__gpu_kernel *fixed[FA__GPU_DEVICES][FA__GPU_FAMILIES][FA__GPU_VARIANTS][FA__CLASSES];
static built *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
FA__LOCKED_AT_FORK(KERNELS, &lock)

/* ---- the devices ---- */

static const fa__ssa identity = {
    .count = 1, .inputs = 1, .outputs = 1, .node = &(fa__ssa_node){.prim = FA__PRIM_input}};

/* A device keeps its number when it is closed. */
bool fa__gpu_enroll(fa__device *d)
{
    static const fa__device *enrolled[FA__GPU_DEVICES];
    fa__gpu_device *g = d->own;
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < FA__GPU_DEVICES && enrolled[i] && enrolled[i] != d)
        i++;
    if (i < FA__GPU_DEVICES)
        enrolled[i] = d;
    pthread_mutex_unlock(&lock);
    g->number = i;
    g->copy = (fa__program){.ssa = &identity, .text = "x", .hot = -1};
    return i < FA__GPU_DEVICES || fa__fail(FA_ERROR_UNAVAILABLE, "%s: there are more than %d GPUs", d->name, i);
}

/* ---- the list ---- */

static void add(built *b)
{
    pthread_mutex_lock(&lock);
    b->next = all;
    if (all)
        all->previous = b;
    all = b;
    pthread_mutex_unlock(&lock);
    *b->place = &b->kernel;
}

static void take_out(built *b)
{
    *(b->previous ? &b->previous->next : &all) = b->next;
    if (b->next)
        b->next->previous = b->previous;
    *b->place = NULL;
}

static void free_built(built *b)
{
    const fa__gpu_device *g = b->device->own;
    if (b->kernel.handle)
        g->driver->kernel_free(b->device, b->kernel.handle);
    fa__free(b->why);
    fa__free(b);
}

static built *first_of(const fa__device *d)
{
    built *b = all;
    while (b && b->device != d)
        b = b->next;
    return b;
}

void fa__gpu_forget(fa__device *d)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        built *b = first_of(d);
        if (b)
            take_out(b);
        pthread_mutex_unlock(&lock);
        if (!b)
            break;
        free_built(b);
    }
    fa__gpu_device *g = d->own;
    for (int class = 0; class < FA__CLASSES; class ++)
        fa__free(atomic_exchange(&g->copy.compiled[d->id.kind][class], NULL));
}

void fa__gpu_discard(void *what)
{
    compiled *c = what;
    for (int i = 0; i < FA__GPU_DEVICES; i++)
        for (int s = 0; s < FA__GPU_SHAPES; s++) {
            built *b = (built *)(void *)c->kernel[i][s];
            if (!b)
                continue;
            pthread_mutex_lock(&b->device->lock);
            pthread_mutex_lock(&lock);
            take_out(b);
            pthread_mutex_unlock(&lock);
            pthread_mutex_t *of_device = &b->device->lock;
            free_built(b);
            pthread_mutex_unlock(of_device);
        }
    fa__free(c);
}

/* ---- compiling ---- */

static void *from_disk(fa__device *d, const char *source, const char *entry)
{
    const fa__gpu_driver *driver = ((const fa__gpu_device *)d->own)->driver;
    size_t size;
    void *bytes = fa__gpu_disk_read(driver->identity(d), driver->options, source, &size);
    void *handle = bytes ? driver->load(d, bytes, size, entry) : NULL;
    fa__free(bytes);
    return handle;
}

static void to_disk(fa__device *d, const char *source, void *handle)
{
    const fa__gpu_driver *driver = ((const fa__gpu_device *)d->own)->driver;
    size_t size;
    void *bytes = driver->binary(d, handle, &size);
    if (bytes)
        fa__gpu_disk_write(driver->identity(d), driver->options, source, bytes, size);
    fa__free(bytes);
}

static void *compile(fa__device *d, const char *source, const char *entry)
{
    const fa__gpu_driver *driver = ((const fa__gpu_device *)d->own)->driver;
    void *handle = from_disk(d, source, entry);
    if (handle)
        return handle;
    handle = driver->build(d, source, entry);
    if (handle && fa__gpu_disk_is_used()) /* drivers may compile once more to tell what they have compiled */
        to_disk(d, source, handle);
    return handle;
}

/* NULL, and the error, for a kernel that could not be built. */
static const fa__gpu_kernel *usable(const fa__gpu_kernel *k, const char *what)
{
    const built *b = (const built *)(const void *)k;
    if (FA__LIKELY(k->handle != NULL))
        return k;
    fa__fail(FA_ERROR_DEVICE, "%s", b->why);
    fa__error_within("compiling '%s' for %s", what, b->device->name);
    return NULL;
}

/* A kernel, or what the compiler (or the device, which is lost then) said: FA_ERROR_DEVICE. Nothing after other errors.
 */
static bool try(fa__device *d, built *b, const char *source, const char *entry)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    b->kernel.handle = compile(d, source, entry);
    fa__error_use(before);
    if (!b->kernel.handle && error.code == FA_ERROR_DEVICE && (b->why = fa__malloc(sizeof error.message)))
        memcpy(b->why, error.message, sizeof error.message);
    else if (!b->kernel.handle)
        fa__error_hand_over(&error);
    return b->kernel.handle || b->why;
}

/* Compiles a source (which is freed; NULL: there was an error) into a place of a table. */
static const fa__gpu_kernel *make(fa__device *d, fa__gpu_kernel **place, const fa__gpu_form *form, char *source,
                                  const char *what)
{
    built *b = source ? fa__calloc(1, sizeof *b) : NULL;
    bool known = b && try(d, b, source, form->entry);
    fa__free(source);
    if (!known) {
        fa__error_within("compiling '%s' for %s", what, d->name);
        fa__free(b);
        return NULL;
    }
    b->device = d;
    b->place = place;
    b->kernel.group[0] = form->group[0];
    b->kernel.group[1] = form->group[1];
    b->kernel.faults = form->needs & FA__GPU_NEEDS_FAULTS;
    b->kernel.name = form->entry;
    b->kernel.form = form;
    add(b);
    return usable(&b->kernel, what);
}

const fa__gpu_kernel *fa__gpu_fixed(fa__device *d, fa__gpu_family family, int variant, fa__class class)
{
    const fa__gpu_device *g = d->own;
    fa__gpu_kernel **place = &fixed[g->number][family][variant][class];
    const fa__gpu_form *form = fa__gpu_family_form(family);
    if (FA__LIKELY(*place != NULL))
        return usable(*place, form->entry);
    const char *entry = "";
    char *source = fa__gpu_source_fixed(d, family, variant, class, &entry);
    return make(d, place, form, source, form->entry);
}

/* ---- programs ---- */

static compiled *compiled_of(const fa__device *d, const fa__program *p, fa__class class)
{
    return atomic_load_explicit(&p->compiled[d->id.kind][class], memory_order_acquire);
}

/* Kernels are compiled when their shape is first needed. */
bool fa__gpu_prepare(fa__device *d, fa__program *p, fa__class class)
{
    if (FA__LIKELY(compiled_of(d, p, class) != NULL))
        return true;
    compiled *c = fa__calloc(1, sizeof *c);
    if (!c)
        return false;
    c->reads = fa__gpu_program_reads(p->ssa);
    void *none = NULL;
    if (!atomic_compare_exchange_strong(&p->compiled[d->id.kind][class], &none, (void *)c))
        fa__free(c); /* another thread was first */
    return true;
}

uint32_t fa__gpu_reads(const fa__device *d, const fa__program *p, fa__class class)
{
    return compiled_of(d, p, class)->reads;
}

const fa__gpu_kernel *fa__gpu_program(fa__device *d, const fa__program *p, fa__class class, fa__gpu_shape shape)
{
    const fa__gpu_device *g = d->own;
    fa__gpu_kernel **place = &compiled_of(d, p, class)->kernel[g->number][shape];
    if (FA__LIKELY(*place != NULL))
        return usable(*place, p->text);
    const char *entry = "";
    char *source = fa__gpu_source_program(d, p, class, shape, &entry);
    return make(d, place, fa__gpu_shape_form(shape), source, p->text);
}
