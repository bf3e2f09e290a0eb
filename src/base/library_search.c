/* Looking for a shared library in folders, by patterns and versions. */
#include "base/dynamic.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    VERSIONS = 2, /* of a library: the newest, and the one before */
    NAMES = 64    /* places where it may be */
};

/* Appends to what was found. */
static void look_into(const fa__folder *in, const char *stem, int version, glob_t *found)
{
    const char *folder = *in->variable ? getenv(in->variable) : "";
    char path[1024];
    int n = folder ? snprintf(path, sizeof path, "%s%s/%s.so.%d", folder, in->pattern, stem, version) : -1;
    if (n > 0 && n < (int)sizeof path && (!*in->variable || *folder == '/'))
        glob(path, GLOB_APPEND, NULL, found);
}

/* Where the dynamic linker looks. */
static bool open_usual(fa__library *library, const fa__library_place *p, const fa__symbol *symbols, size_t count)
{
    char usual[VERSIONS][64];
    const char *names[VERSIONS + 1] = {NULL};
    for (int i = 0; i < VERSIONS; i++) {
        snprintf(usual[i], sizeof usual[i], "%s.so.%d", p->stem, p->newest - i);
        names[i] = usual[i];
    }
    return fa__library_open(library, names, symbols, count);
}

bool fa__library_search(fa__library *library, const fa__library_place *p, const fa__symbol *symbols, size_t count)
{
    const char *named = getenv(p->named), *names[NAMES + 1] = {named};
    glob_t found = {0};
    if (named && *named)
        return fa__library_open(library, names, symbols, count);
    if (open_usual(library, p, symbols, count))
        return true;
    for (int i = 0; i < VERSIONS; i++)
        for (size_t k = 0; k < p->count; k++)
            look_into(&p->folders[k], p->stem, p->newest - i, &found);
    size_t several = 0;
    for (; several < found.gl_pathc && several < NAMES; several++)
        names[several] = found.gl_pathv[several];
    names[several] = NULL;
    bool open = several && fa__library_open(library, names, symbols, count);
    globfree(&found);
    return open;
}
