/* Plugins: search folders and function tables. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "base/text.h"
#include <dlfcn.h>
#include <facula/host.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The name includes the version of all tables, so that a plugin of another version is not opened by mistake. */
#define TABLE "facula_plugin_3"

enum { PLACES = 4, MOST_KNOWN = 8 };

/* Plugins that were opened, so that each is searched once. A name is stored behind its table. */
static struct {
    _Atomic int used;
    struct {
        _Atomic(const char *) name; /* a literal; NULL: nothing yet */
        const void *table;
    } slot[MOST_KNOWN];
} known;

static const void *known_table(const char *name)
{
    for (int i = 0; i < MOST_KNOWN; i++) {
        const char *there = atomic_load_explicit(&known.slot[i].name, memory_order_acquire);
        if (there && !strcmp(there, name))
            return known.slot[i].table;
    }
    return NULL;
}

static void remember(const char *name, const void *table)
{
    int i = atomic_fetch_add(&known.used, 1);
    if (i >= MOST_KNOWN) {
        atomic_store(&known.used, MOST_KNOWN);
        return;
    }
    known.slot[i].table = table;
    atomic_store_explicit(&known.slot[i].name, name, memory_order_release);
}

typedef struct places {
    char path[PLACES][PATH_MAX];
    const char *name[PLACES + 1]; /* the existing ones, terminated by NULL */
    size_t count;
} places;

__attribute__((__format__(__printf__, 2, 3))) static void add(places *p, const char *format, ...)
{
    fa__text text = fa__text_in(p->path[p->count], PATH_MAX);
    va_list list;
    va_start(list, format);
    if (fa__text_add_list(&text, format, list))
        p->name[p->count] = p->path[p->count], p->count++;
    va_end(list);
}

/* The folder of the program or library that contains this function. */
static bool own_folder(char *folder)
{
    Dl_info info;
    if (!dladdr(TABLE, &info) || !info.dli_fname || !realpath(info.dli_fname, folder))
        return false;
    *strrchr(folder, '/') = 0;
    return true;
}

static void places_find(places *p, const char *name)
{
    char folder[PATH_MAX];
    const char *named = secure_getenv("FACULA_PLUGINS");
    *p = (places){.count = 0};
    if (named && *named)
        add(p, "%s/facula-%s.so", named, name);
    if (own_folder(folder)) {
        add(p, "%s/facula-plugins/facula-%s.so", folder, name);
        add(p, "%s/../facula-plugins/facula-%s.so", folder, name);
    }
    add(p, "%s/facula-%s.so", FA__PLUGIN_FOLDER, name);
}

/* The table, or NULL with the reason in *library. Plugins stay open; opening one again returns the same table. */
static const void *open_plugin(fa__library *library, const char *name)
{
    places *p = fa__malloc(sizeof *p);
    const void *table = NULL;
    if (!p)
        return NULL;
    places_find(p, name);
    const fa__symbol symbol = {TABLE, &table, false};
    fa__library_open(library, p->name, &symbol, 1);
    fa__free(p);
    return table;
}

bool fa_plugin_available(const char *name)
{
    fa__library library = {0};
    return name && open_plugin(&library, name);
}

const void *fa__plugin(const char *name, const char *purpose)
{
    const void *table = known_table(name);
    if (table)
        return table;
    fa__library library = {0};
    table = open_plugin(&library, name);
    if (table)
        remember(name, table);
    if (!table && library.reason[0])
        fa__fail(FA_ERROR_UNAVAILABLE,
                 "the plugin %s is needed %s, and is not there: %s; FACULA_PLUGINS names more folders", name, purpose,
                 library.reason);
    return table;
}
