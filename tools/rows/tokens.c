/* Divides a C file into tokens, comments and directives included, and pairs its brackets. */
#include "rows.h"
#include <ctype.h>
#include <string.h>

typedef struct scan {
    source *source;
    const char *at;
    int line, room;
} scan;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of a text in quotes; the end of the line where there is no closing quote. */
static const char *quoted_end(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote && *s != '\n')
        s += *s == '\\' && s[1] ? 2 : 1;
    return *s == quote ? s + 1 : s;
}

static const char *line_end(const char *s)
{
    while (*s && *s != '\n')
        s += *s == '\\' && s[1] ? 2 : 1;
    return s;
}

/* A directive ends before a comment on its line, so that the comment is read as one. */
static const char *directive_end(const char *s)
{
    const char *end = line_end(s);
    for (; s < end; s++)
        if (s[0] == '/' && (s[1] == '*' || s[1] == '/'))
            return s;
    return end;
}

static const char *comment_end(const char *s)
{
    if (s[1] == '/')
        return line_end(s);
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
}

/* A number as the preprocessor sees it: 1e-3, 0x1p-2, 10u. */
static const char *number_end(const char *s)
{
    while (is_word(*s) || *s == '.' || ((*s == '+' || *s == '-') && strchr("eEpP", s[-1])))
        s++;
    return s;
}

static const char *word_end(const char *s)
{
    while (is_word(*s))
        s++;
    return s;
}

static bool starts_line(const scan *s)
{
    const char *p = s->at;
    while (p > s->source->bytes && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return p == s->source->bytes || p[-1] == '\n';
}

static token_kind divide(const scan *s, const char **end)
{
    const char *p = s->at;
    if (p[0] == '/' && (p[1] == '*' || p[1] == '/'))
        return *end = comment_end(p), p[1] == '*' && p[2] == '*' && p[3] != '/' ? T_DOC : T_COMMENT;
    if (*p == '#' && starts_line(s))
        return *end = directive_end(p), T_DIRECTIVE;
    if (*p == '"' || *p == '\'')
        return *end = quoted_end(p), *p == '"' ? T_STRING : T_CHARACTER;
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1])))
        return *end = number_end(p), T_NUMBER;
    if (is_word(*p))
        return *end = word_end(p), T_NAME;
    return *end = p + 1, T_PUNCTUATION;
}

static void add(scan *s, token_kind what, const char *end)
{
    source *f = s->source;
    if (f->count == s->room) {
        token *more = rows_get(sizeof *more * (size_t)(s->room = 2 * s->room + 256));
        if (f->count)
            memcpy(more, f->token, sizeof *more * (size_t)f->count);
        f->token = more;
    }
    f->token[f->count++] = (token){.kind = what, .at = s->at, .length = (size_t)(end - s->at), .line = s->line};
    for (; s->at < end; s->at++)
        s->line += *s->at == '\n';
}

static bool pair(source *f)
{
    int open[256], depth = 0;
    for (int i = 0; i < f->count; i++) {
        token *t = &f->token[i];
        if (t->kind != T_PUNCTUATION)
            continue;
        if (strchr("({[", *t->at)) {
            if (depth == 256)
                return fail(f->path, t->line, "brackets are nested too deeply"), false;
            open[depth++] = i;
        } else if (strchr(")}]", *t->at)) {
            char other = *t->at == ')' ? '(' : *t->at == '}' ? '{' : '[';
            if (!depth || *f->token[open[depth - 1]].at != other)
                return fail(f->path, t->line, "'%c' without '%c'", *t->at, other), false;
            t->mate = open[--depth];
            f->token[t->mate].mate = i;
        }
    }
    if (depth)
        fail(f->path, f->token[open[depth - 1]].line, "'%c' is never closed", *f->token[open[depth - 1]].at);
    return !depth;
}

static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return rows_copy(base, dot ? (size_t)(dot - base) : strlen(base));
}

source *source_read(const char *path, const char *place)
{
    source *f = rows_get(sizeof *f);
    size_t length;
    f->path = path, f->place = place, f->family = base_name(path);
    f->bytes = file_read(path, &length);
    if (!f->bytes || strlen(f->bytes) != length)
        return fail(path, 0, f->bytes ? "not a text file" : "cannot be read"), NULL;
    scan s = {.source = f, .at = f->bytes, .line = 1};
    while (*s.at) {
        const char *end;
        if (isspace((unsigned char)*s.at)) {
            s.line += *s.at++ == '\n';
            continue;
        }
        token_kind what = divide(&s, &end);
        add(&s, what, end);
    }
    add(&s, T_END, s.at);
    return pair(f) ? f : NULL;
}

bool token_is(const token *t, const char *word)
{
    return strlen(word) == t->length && !memcmp(t->at, word, t->length);
}

char *token_text(const token *t)
{
    return rows_copy(t->at, t->length);
}

int token_next(const source *f, int i)
{
    while (f->token[i].kind == T_COMMENT || f->token[i].kind == T_DOC)
        i++;
    return i;
}

char *tokens_text(const source *f, int first, int last)
{
    text t = {0};
    for (int i = first; i <= last; i++) {
        const token *now = &f->token[i];
        if (now->kind == T_COMMENT || now->kind == T_DOC)
            continue;
        bool apart = i > first && isspace((unsigned char)now->at[-1]);
        put(&t, "%s%.*s", apart && t.length ? " " : "", (int)now->length, now->at);
    }
    return text_take(&t);
}

/* Adds what a line of a comment says: white space and a star before it are not part of it. */
static void put_line(text *t, const char *p, const char *end, bool keep_lines)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    if (p < end && *p == '*')
        p++;
    for (int n = 0; p < end && *p == ' ' && (n < 2 || !keep_lines); n++)
        p++;
    while (end > p && isspace((unsigned char)end[-1]))
        end--;
    const char *between = !t->length ? "" : keep_lines ? "\n" : " ";
    put(t, "%s%.*s", end > p || keep_lines ? between : "", (int)(end - p), p);
}

char *comment_text(const token *c, bool keep_lines)
{
    text t = {0};
    const char *p = c->at + 2, *end = c->at + c->length;
    if (c->at[1] == '*' && end - p >= 2 && end[-1] == '/')
        end -= 2;
    while (p < end && (*p == '*' || *p == '<' || *p == ' '))
        p++;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        put_line(&t, p, stop ? stop : end, keep_lines);
        p = stop ? stop + 1 : end;
    }
    while (t.length && isspace((unsigned char)t.bytes[t.length - 1]))
        t.length--;
    return text_take(&t);
}
