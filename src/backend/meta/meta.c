/* The device without memory: shapes, dtypes and the count of bytes that would be there. Nothing runs on it. */
#include "backend/device.h"

static int meta_count(void)
{
    return 1;
}

static const char *meta_why(void)
{
    return "";
}

static bool meta_open(fa__device *d)
{
    d->shapes_only = true;
    return true;
}

static void meta_close(fa__device *d)
{
    (void)d;
}

static void meta_properties(fa__device *d, fa_device_properties *p)
{
    (void)d;
    snprintf(p->name, sizeof p->name, "shapes without memory");
    p->bit_equal = true;
}

static void *meta_allocate(fa__device *d, size_t size)
{
    (void)d, (void)size;
    return NULL;
}

static void meta_release(fa__device *d, void *memory, size_t size)
{
    (void)d, (void)memory, (void)size;
}

static bool meta_has_kernel(const fa__op *op)
{
    (void)op;
    return true;
}

static bool meta_prepare(fa__device *d, fa__program *p, fa__class class)
{
    (void)d, (void)p, (void)class;
    return true;
}

static uint64_t meta_run(fa__queue *queue, const fa__launch *l)
{
    (void)queue, (void)l;
    return 1;
}

extern const fa__backend fa__backend_meta;
const fa__backend fa__backend_meta = {
    .name = "meta",
    .kind = FA__META,
    .count = meta_count,
    .why = meta_why,
    .open = meta_open,
    .close = meta_close,
    .properties = meta_properties,
    .allocate = meta_allocate,
    .release = meta_release,
    .has_kernel = meta_has_kernel,
    .prepare = meta_prepare,
    .run = meta_run,
};
