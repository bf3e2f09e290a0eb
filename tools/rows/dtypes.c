/* The dtypes that operations take, as a test found them out (tests/ops/dtypes.c): lines as "sum: all". */
#include "rows.h"
#include <string.h>

static op *line_op(rows *r, const char *line, size_t length)
{
    for (op *o = r->ops; o; o = o->next)
        if (strlen(o->name) == length && !strncmp(o->name, line, length))
            return o;
    return NULL;
}

void read_dtypes(rows *r, const char *path)
{
    size_t length;
    const char *p = file_read(path, &length);
    for (size_t n; p && *p; p += n + (p[n] == '\n')) {
        n = strcspn(p, "\n");
        size_t name = strcspn(p, ":");
        op *o = name + 2 <= n ? line_op(r, p, name) : NULL;
        if (o)
            o->dtypes = rows_copy(p + name + 2, n - name - 2);
    }
}
