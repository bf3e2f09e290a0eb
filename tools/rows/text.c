/* What the rest of facula-rows stands on: memory that lives until the end, growing texts, files that are only touched
 * when they change, and errors in the form that editors understand. */
#include "rows.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    struct block *next;
    max_align_t bytes[];
} block;

static block *blocks;
int rows_errors;

static void *must(void *p)
{
    if (p)
        return p;
    fputs("facula-rows: no memory\n", stderr);
    exit(1);
}

void *rows_get(size_t size)
{
    block *b = must(calloc(1, sizeof *b + size));
    b->next = blocks;
    blocks = b;
    return b->bytes;
}

void rows_end(void)
{
    while (blocks) {
        block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

char *rows_copy(const char *at, size_t length)
{
    char *s = rows_get(length + 1);
    memcpy(s, at, length);
    return s;
}

char *rows_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *s = rows_get((size_t)n + 1);
    va_start(list, format);
    vsnprintf(s, (size_t)n + 1, format, list);
    va_end(list);
    return s;
}

void put(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t n = (size_t)vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (t->length + n + 1 > t->room) {
        t->room = 2 * (t->length + n + 1);
        t->bytes = must(realloc(t->bytes, t->room));
    }
    va_start(list, format);
    vsnprintf(t->bytes + t->length, n + 1, format, list);
    va_end(list);
    t->length += n;
}

char *text_take(text *t)
{
    char *s = rows_copy(t->bytes ? t->bytes : "", t->length);
    free(t->bytes);
    *t = (text){0};
    return s;
}

char *file_read(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    text t = {0};
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        put(&t, "%.*s", (int)n, part);
    bool bad = ferror(f);
    fclose(f);
    *length = t.length;
    char *bytes = text_take(&t);
    return bad ? NULL : bytes;
}

static bool same(const char *path, const text *t)
{
    size_t length;
    const char *old = file_read(path, &length);
    return old && length == t->length && !memcmp(old, t->bytes ? t->bytes : "", length);
}

/* Writes a file beside the right one and moves it there: nobody ever reads half a file. */
void file_write(const char *path, text *t)
{
    if (!same(path, t)) {
        const char *beside = rows_format("%s.new", path);
        FILE *f = fopen(beside, "wb");
        bool good = f && fwrite(t->bytes ? t->bytes : "", 1, t->length, f) == t->length;
        good = f && !fclose(f) && good && !rename(beside, path);
        if (!good)
            fail(path, 0, "cannot write: %s", strerror(errno));
    }
    text_take(t);
}

void fail(const char *path, int line, const char *format, ...)
{
    rows_errors++;
    va_list list;
    va_start(list, format);
    if (line)
        fprintf(stderr, "%s:%d: error: ", path, line);
    else
        fprintf(stderr, "%s: error: ", path);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}
