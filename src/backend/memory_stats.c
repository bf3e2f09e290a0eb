/* The memory of devices, as programs see it: statistics, limits, a table. */
#include "backend/device.h"
#include "base/error.h"
#include "base/text.h"
#include "core/context.h"
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

static void write_bytes(char *out, size_t size, size_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit < sizeof units / sizeof *units - 1) {
        value /= 1024;
        unit++;
    }
    fa__text text = fa__text_in(out, size);
    fa__text_add(&text, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
}

static void write_line(FILE *file, const char *name, const fa_memory_count *c, bool bytes)
{
    const size_t value[] = {c->current, c->peak, c->total};
    fprintf(file, "| %-22s |", name);
    for (int i = 0; i < 3; i++) {
        char text[32];
        if (bytes)
            write_bytes(text, sizeof text, value[i]);
        else
            snprintf(text, sizeof text, "%zu", value[i]);
        fprintf(file, " %12s |", text);
    }
    fputc('\n', file);
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
    char largest[32];
    write_bytes(largest, sizeof largest, m.largest_free);
    fprintf(file, "| memory of %-12s | %12s | %12s | %12s |\n", d->name, "now", "peak", "in all");
    fprintf(file, "|------------------------|--------------|--------------|--------------|\n");
    write_line(file, "allocated", &m.active, true);
    write_line(file, "requested", &m.requested, true);
    write_line(file, "reserved", &m.segments, true);
    write_line(file, "blocks in use", &m.blocks, false);
    fprintf(file, "largest free block %s, %zu retries, %zu failures\n", largest, m.retries, m.failures);
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

bool fa_memory_limit(fa_device device, size_t bytes)
{
    fa__device *d = device_of(device, "fa_memory_limit");
    if (d)
        fa__cache_set_limit(&d->cache, bytes);
    return d != NULL;
}
