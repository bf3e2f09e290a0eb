/* Tensors over a file's memory, without a copy. */
#include "io/safetensors.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <sys/mman.h>

typedef struct mapping {
    fa_object base;
    char *at;
    size_t size;
} mapping;

static void mapping_destroy(void *object)
{
    mapping *m = object;
    if (m->at)
        munmap(m->at, m->size);
}

static const fa_object_type mapping_type = {"mapped file", mapping_destroy};

static void let_go(void *context, void *data)
{
    (void)data;
    fa__unhold(context);
}

/* Maps the whole file; private: what a tensor's owner writes does not reach it. */
static mapping *mapping_new(const fa__stored *a)
{
    mapping *m = fa_object_new(&mapping_type, sizeof *m);
    if (!m)
        return NULL;
    void *at = mmap(NULL, (size_t)a->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(a->file), 0);
    if (at == MAP_FAILED)
        return NULL;
    m->at = at;
    m->size = (size_t)a->size;
    return m;
}

/* Whether the bytes of an entry are the elements of a tensor on the CPU. */
static bool can_be_mapped(const fa__stored *a, const fa_saved_entry *e, fa_device device)
{
    if (device.kind == FA__DEFAULT_DEVICE)
        device = fa__settings().device;
    bool cpu = device.kind == FA__DEFAULT_DEVICE || fa_device_equal(device, FA_CPU);
    const fa__layout *l = a->layout ? &a->layout[e - a->entry] : NULL;
    bool converted = l && (l->swapped || l->packed);
    return cpu && !converted && e->dtype != FA_BOOL && e->elements
           && (a->head + e->begin) % (int64_t)fa_dtype_size(e->dtype) == 0;
}

fa_tensor *fa__stored_map(fa__stored *a, const fa_saved_entry *e, fa_device device)
{
    if (!a->map || !can_be_mapped(a, e, device))
        return NULL;
    if (!a->mapping) {
        FA_SCOPE;
        mapping *made = mapping_new(a);
        a->mapping = made ? fa__hold(&made->base) : NULL;
    }
    const mapping *m = (const mapping *)(const void *)a->mapping;
    if (!m)
        return NULL;
    int64_t strides[FA_MAX_DIMS], step = 1;
    bool fortran = a->layout && a->layout[e - a->entry].fortran;
    for (int i = 0; i < e->shape.rank; i++) {
        int dim = fortran ? i : e->shape.rank - 1 - i;
        strides[dim] = step;
        step *= e->shape.dim[dim];
    }
    fa_tensor *t = fa_tensor_borrow(m->at + a->head + e->begin, e->shape, .dtype = e->dtype, .strides = strides,
                                    .device = FA_CPU, .free = let_go, .ctx = a->mapping);
    if (t)
        fa__hold(a->mapping);
    return t;
}
