/* Compiling a kernel: read from disk, or built by the driver and kept on disk; what its compiler reports. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>

/* Where the driver has a cache of its own, only if the program's environment names a folder. */
static bool is_kept(const fa__device *d)
{
    return fa__gpu_disk_is_used() && (!fa__gpu_own(d)->caches || getenv("FACULA_CACHE_DIR"));
}

static void *from_disk(fa__device *d, const char *source, const char *entry)
{
    const fa__gpu_driver *driver = fa__gpu_own(d)->driver;
    size_t size;
    void *bytes = fa__gpu_disk_read(fa__gpu_own(d)->identity, driver->options, source, &size);
    void *handle = bytes ? driver->load_binary(d, bytes, size, entry) : NULL;
    fa__free(bytes);
    return handle;
}

void *fa__gpu_compile(fa__device *d, const char *source, const char *entry)
{
    const bool kept = is_kept(d);
    void *handle = fa__gpu_well(d) && kept ? from_disk(d, source, entry) : NULL;
    if (handle || fa__failed())
        return handle;
    const fa__gpu_driver *driver = fa__gpu_own(d)->driver;
    void *bytes = NULL;
    size_t size = 0;
    handle = driver->build(d, source, entry, kept ? &bytes : NULL, &size);
    if (bytes)
        fa__gpu_disk_write(fa__gpu_own(d)->identity, driver->options, source, bytes, size);
    fa__free(bytes);
    return handle;
}

/* ---- what the compiler reports ---- */
void fa__gpu_build_failed(const fa__device *d, fa_code code, const char *entry, int status, const char *log)
{
    const char *error = log ? strstr(log, "error") : NULL;
    while (error && error > log && error[-1] != '\n')
        error--;
    fa__fail(code, "%s: kernel %s was not built: %s (%d): %.300s", d->name, entry,
             fa__gpu_own(d)->driver->error_name(status), status,
             error ? error
             : log ? log
                   : "the compiler says nothing");
    for (const char *line = log, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        fa__log(FA_LOG_ERROR, "%s: kernel %s: %.*s", d->name, entry, (int)(end - line), line);
        end += *end != 0;
    }
}
