/* Opening shared libraries (dlopen) by a list of names, with a table of functions and a reason on failure. */
#define _GNU_SOURCE
#include "base/dynamic.h"
#include "base/text.h"
#include <dlfcn.h>
#include <string.h>

/* Through memcpy, as each pointer has its own function type. */
static void set_pointer(const fa__symbol *symbol, void *value)
{
    memcpy(symbol->pointer, &value, sizeof value);
}

static void clear_pointers(const fa__symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++)
        set_pointer(&symbols[i], NULL);
}

/* Fills in the pointers; returns the name of the first required function that is missing, or NULL. */
static const char *look_up(void *handle, const fa__symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *value = dlsym(handle, symbols[i].name);
        if (!value && !symbols[i].optional)
            return symbols[i].name;
        set_pointer(&symbols[i], value);
    }
    return NULL;
}

bool fa__library_open(fa__library *library, const char *const *names, const fa__symbol *symbols, size_t count)
{
    *library = (fa__library){0};
    fa__text reason = fa__text_in(library->reason, sizeof library->reason);
    for (; *names; names++) {
        void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        const char *missing = handle ? look_up(handle, symbols, count) : NULL;
        if (handle && !missing) {
            library->handle = handle;
            library->name = *names;
            library->reason[0] = 0;
            return true;
        }
        const char *between = library->reason[0] ? "; " : "";
        if (handle) {
            fa__text_add(&reason, "%s%s has no %s", between, *names, missing);
            dlclose(handle);
        } else {
            const char *why = dlerror();
            fa__text_add(&reason, "%s%s", between, why ? why : *names);
        }
        clear_pointers(symbols, count);
    }
    return false;
}

bool fa__library_in_process(const fa__symbol *symbols, size_t count)
{
    void *process = dlopen(NULL, RTLD_NOW);
    bool all = process && count && dlsym(process, symbols[0].name) && !look_up(process, symbols, count);
    if (process)
        dlclose(process);
    return all;
}

void fa__library_close(fa__library *library)
{
    if (library->handle)
        dlclose(library->handle);
    *library = (fa__library){0};
}

void fa__code_stay(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void fa__library_stay(void)
{
    static const char here;
    fa__code_stay(&here);
}
