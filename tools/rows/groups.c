/* Groups: the folders of src/ops. groups.txt gives their titles and their order in the manual. */
#include "rows.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void add_group(rows *r, const char *name, const char *title)
{
    group **at = &r->groups;
    for (; *at; at = &(*at)->next)
        if (!strcmp((*at)->name, name))
            return;
    *at = rows_get(sizeof **at);
    (*at)->name = name;
    (*at)->title = title;
}

static void read_titles(rows *r, const char *path)
{
    size_t length;
    const char *p = file_read(path, &length);
    for (size_t n; p && *p; p += n + (p[n] == '\n')) {
        n = strcspn(p, "\n");
        size_t name = strcspn(p, ":");
        if (*p != '#' && name + 2 < n)
            add_group(r, rows_copy(p, name), rows_copy(p + name + 2, n - name - 2));
    }
}

/* The names in a folder, in alphabetical order, without hidden ones; NULL ends them. */
static const char **names_in(const char *folder)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, alphasort), kept = 0;
    const char **name = rows_get(sizeof *name * (size_t)(n < 0 ? 1 : n + 1));
    if (n < 0)
        fail(folder, 0, "cannot be read");
    for (int i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.')
            name[kept++] = rows_copy(entry[i]->d_name, strlen(entry[i]->d_name));
        free(entry[i]);
    }
    free(entry);
    return name;
}

static bool is_c(const char *name)
{
    size_t n = strlen(name);
    return n > 2 && !strcmp(name + n - 2, ".c");
}

static void read_families(rows *r, group *g, const char *ops)
{
    for (const char **name = names_in(rows_format("%s/%s", ops, g->name)); *name; name++) {
        if (!is_c(*name))
            continue;
        source *f =
            source_read(rows_format("%s/%s/%s", ops, g->name, *name), rows_format("src/ops/%s/%s", g->name, *name));
        if (!f)
            continue;
        f->group = g;
        source_rows(r, f);
    }
}

void read_groups(rows *r, const char *ops, const char *titles)
{
    read_titles(r, titles);
    for (const char **name = names_in(ops); *name; name++)
        add_group(r, *name, *name);
    for (group *g = r->groups; g; g = g->next)
        read_families(r, g, ops);
}
