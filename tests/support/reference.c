/* Reads the files of tests/reference: lines of words, searched from the start. */
#include "support/reference.h"
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

char *reference_load(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/reference/%s", FA_TEST_DATA, name);
    return reference_load_path(path);
}

char *reference_load_path(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room + 1), *more = text;
    for (size_t n; more && (n = fread(text + used, 1, room - used, file)) > 0;) {
        used += n;
        if (used == room && (more = realloc(text, (room *= 2) + 1)))
            text = more;
    }
    fclose(file);
    if (text)
        text[used] = 0;
    return text;
}

fa_dtype reference_dtype(const char *name, size_t length)
{
    length = length ? length : strlen(name);
    for (int i = FA_BOOL; i < FA__DTYPES; i++) {
        const char *other = fa_dtype_name((fa_dtype)i);
        if (strlen(other) == length && !strncmp(other, name, length))
            return (fa_dtype)i;
    }
    return FA_SAME;
}

static const char *next_line(const char *s)
{
    s = strchr(s, '\n');
    return s ? s + 1 : NULL;
}

/* Whether the line at s is `head`, a blank, and `rest`. */
static bool line_is(const char *s, const char *head, const char *rest)
{
    size_t a = strlen(head), b = strlen(rest);
    return !strncmp(s, head, a) && s[a] == ' ' && !strncmp(s + a + 1, rest, b) && s[a + 1 + b] == '\n';
}

const char *reference_sample(const char *operations, const char *row, const char *sample)
{
    const char *s = operations;
    while (s && !line_is(s, "row", row))
        s = next_line(s);
    for (s = s ? next_line(s) : NULL; s && *s && strncmp(s, "row ", 4); s = next_line(s))
        if (line_is(s, "sample", sample))
            return next_line(s);
    return NULL;
}

/* "f64 3,4 values" after the tag. */
static answer read_answer(const char *s)
{
    answer a = {.kind = ANSWER_VALUES};
    if (!strncmp(s, "error", 5) || !strncmp(s, "missing", 7))
        return a.kind = *s == 'e' ? ANSWER_ERROR : ANSWER_MISSING, a;
    size_t length = strcspn(s, " ");
    a.dtype = reference_dtype(s, length);
    s += length + 1;
    if (*s == '~' || *s == '=')
        return a.kind = *s == '~' ? ANSWER_CLOSE : ANSWER_SAME, a;
    a.count = 1;
    for (char *end; *s != ' ' && *s != '\n' && *s != '-'; s = end + (*end == ',')) {
        a.shape[a.rank] = strtoll(s, &end, 10);
        a.count *= a.shape[a.rank++];
    }
    a.values = s + (*s == '-');
    return a;
}

answer reference_answer(const char *sample, const char *tag, int number)
{
    char head[32];
    size_t length = (size_t)snprintf(head, sizeof head, "%s %d ", tag, number);
    for (const char *s = sample; s && *s && strncmp(s, "row ", 4) && strncmp(s, "sample ", 7); s = next_line(s))
        if (!strncmp(s, head, length))
            return read_answer(s + length);
    return (answer){.kind = ANSWER_NONE};
}

double *answer_values(const answer *a)
{
    double *values = malloc(((size_t)a->count + 1) * sizeof *values);
    const char *s = a->values;
    for (int64_t i = 0; values && i < a->count; i++)
        values[i] = strtod(s, (char **)(uintptr_t)&s);
    return values;
}
