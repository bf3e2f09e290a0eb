/* The memory of devices, as programs see it: statistics, limits, a table. */
#include "backend/device.h"
#include "base/error.h"
#include "core/context.h"
#include "core/storage.h"
#include <errno.h>
#include <string.h>

/* Small host tensors keep their elements in themselves; they are in use and reserved all the same. */
static void add_small(fa_memory *m)
{
    int64_t bytes = fa__small_bytes_all(), count = fa__small_count_all();
    size_t more = bytes > 0 ? (size_t)bytes : 0;
    fa_memory_count *const counts[] = {&m->active, &m->requested, &m->segments};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        counts[i]->current += more;
        counts[i]->peak += more;
        counts[i]->total += more;
    }
    m->blocks.current += count > 0 ? (size_t)count : 0;
    m->blocks.peak += count > 0 ? (size_t)count : 0;
    m->blocks.total += count > 0 ? (size_t)count : 0;
    m->allocated += more;
    m->reserved += more;
    m->peak += more;
}

/* NULL and an error in the name of who asks. */
static fa__device *device_of(fa_device device, const char *who)
{
    bool stood = fa__failed();
    fa__device *d = fa__device_get(device);
    if (!d && !stood)
        fa__error_within("%s", who);
    return d;
}

fa_memory fa_memory_stats(fa_device device)
{
    fa__device *d = device_of(device, "fa_memory_stats");
    if (!d)
        return (fa_memory){0};
    fa_memory m = fa__cache_stats(&d->cache);
    if (d->id.kind == FA__CPU)
        add_small(&m);
    return m;
}

static void write_line(FILE *file, const char *name, const fa_memory_count *c, bool bytes)
{
    const size_t value[] = {c->current, c->peak, c->total, c->total - c->current};
    fprintf(file, "| %-22s |", name);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        char text[32];
        if (bytes)
            fa__write_bytes(text, sizeof text, value[i]);
        else
            snprintf(text, sizeof text, "%zu", value[i]);
        fprintf(file, " %12s |", text);
    }
    fputc('\n', file);
}

static void write_large(void *context, const char *text)
{
    fprintf(context, "  %s\n", text);
}

void fa_memory_summary(fa_device device, FILE *file)
{
    if (!file) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_memory_summary: the file is NULL");
        return;
    }
    fa__device *d = device_of(device, "fa_memory_summary");
    if (!d)
        return;
    fa_memory m = fa_memory_stats(device);
    char largest[32], moved[32], limit[32] = "none";
    fa__write_bytes(largest, sizeof largest, m.largest_free);
    if (m.limit)
        fa__write_bytes(limit, sizeof limit, m.limit);
    fprintf(file, "| memory of %-12s | %12s | %12s | %12s | %12s |\n", d->name, "now", "peak", "in all", "freed");
    fprintf(file, "|------------------------|--------------|--------------|--------------|--------------|\n");
    write_line(file, "allocated", &m.active, true);
    write_line(file, "requested", &m.requested, true);
    write_line(file, "reserved", &m.segments, true);
    write_line(file, "blocks in use", &m.blocks, false);
    if (m.spill || m.spilled.total)
        write_line(file, "spilled to the host", &m.spilled, true);
    fprintf(file, "limit %s; largest free block %s; out of memory: %zu retries, %zu failures\n", limit, largest,
            m.retries, m.failures);
    if (m.moved) {
        fa__write_bytes(moved, sizeof moved, m.moved);
        fprintf(file, "moved to join free memory: %s\n", moved);
    }
    fprintf(file, "largest tensors:\n");
    fa__cache_each_largest(&d->cache, write_large, file);
}

bool fa_memory_snapshot(fa_device device, FILE *file)
{
    if (!file)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_memory_snapshot: the file is NULL");
    fa__device *d = device_of(device, "fa_memory_snapshot");
    if (!d)
        return false;
    fa_memory m = fa_memory_stats(device);
    fprintf(file,
            "{\"device\": \"%s\", \"allocated\": %zu, \"requested\": %zu, \"reserved\": %zu, \"peak\": %zu,\n"
            " \"limit\": %zu, \"largest_free\": %zu, \"retries\": %zu, \"failures\": %zu, \"spilled\": %zu,\n"
            " \"moved\": %zu, \"segments\": [",
            d->name, m.allocated, m.requested.current, m.reserved, m.peak, m.limit, m.largest_free, m.retries,
            m.failures, m.spilled.current, m.moved);
    fa__cache_write(&d->cache, file);
    fputs("]}\n", file);
    return (fflush(file) == 0 && !ferror(file))
           || fa__fail(FA_ERROR_FILE, "fa_memory_snapshot: cannot write: %s", strerror(errno));
}

void fa_memory_reset_peak(fa_device device)
{
    fa__device *d = device_of(device, "fa_memory_reset_peak");
    if (d)
        fa__cache_reset_peak(&d->cache);
}

void fa_empty_cache(fa_device device)
{
    fa__device *d = device_of(device, "fa_empty_cache");
    if (d)
        fa__cache_trim(&d->cache);
}

bool(fa_memory_limit)(fa_device device, size_t bytes, const fa_memory_limit_options *options)
{
    fa_memory_limit_options o = FA__DEFAULT_fa_memory_limit;
    fa__options_read(&o, o.size, options);
    fa__device *d = device_of(device, "fa_memory_limit");
    if (!d)
        return false;
    if (o.spill && (d->host || d->shapes_only))
        return fa__fail(FA_ERROR_DEVICE, "fa_memory_limit: tensors of %s cannot go to the host's memory", d->name);
    size_t before = fa__cache_set_limit(&d->cache, bytes, o.spill);
    atomic_fetch_add(&fa__spilling, (o.spill != 0) - (before != 0));
    return true;
}
