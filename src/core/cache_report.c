/* What the blocks of a cache hold: the largest ones for messages and summaries, and all as JSON. */
#include "base/error.h"
#include "base/site.h"
#include "base/text.h"
#include "core/bins.h"
#include "core/tensor.h"
#include <string.h>

/* A block is signed without the cache's lock, while other threads may report: made_by is set last. */
void fa__block_sign(fa__block *b, const fa_tensor *t)
{
    if (__atomic_load_n(&b->made_by, __ATOMIC_RELAXED))
        return;
    b->made_at = t->made_at;
    b->dtype = t->dtype;
    b->rank = t->rank;
    memcpy(b->shape, t->shape, t->rank * sizeof *t->shape);
    __atomic_store_n(&b->made_by, t->made_by, __ATOMIC_RELEASE);
}

void fa__storage_sign(fa__storage *s, const fa_tensor *t)
{
    __atomic_fetch_add(&s->holds, 1, __ATOMIC_SEQ_CST);
    if (FA__LIKELY(!__atomic_load_n(&s->away, __ATOMIC_SEQ_CST)))
        fa__block_sign(s->block, t);
    fa__storage_let_go(s);
}

void fa__block_sign_as(fa__block *b, const fa__block *other)
{
    b->made_at = other->made_at;
    b->dtype = other->dtype;
    b->rank = other->rank;
    memcpy(b->shape, other->shape, sizeof b->shape);
    __atomic_store_n(&b->made_by, __atomic_load_n(&other->made_by, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

void fa__write_bytes(char *out, size_t size, size_t bytes)
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

/* ---- the largest ---- */

/* The largest blocks of tensors, the largest first; their number. */
static int find_largest(const fa__cache *c, const fa__block *largest[FA__MOST_SHOWN])
{
    int count = 0;
    for (const fa__block *b = c->live; b; b = b->next) {
        int at = count;
        if (!__atomic_load_n(&b->made_by, __ATOMIC_ACQUIRE))
            continue;
        while (at > 0 && largest[at - 1]->requested < b->requested)
            at--;
        if (at == FA__MOST_SHOWN)
            continue;
        count += count < FA__MOST_SHOWN;
        for (int i = count - 1; i > at; i--)
            largest[i] = largest[i - 1];
        largest[at] = b;
    }
    return count;
}

static void describe(char *out, size_t size, const fa__block *b)
{
    fa__write_bytes(out, size, b->requested);
    fa__text text = fa__text_after(out, size);
    fa__text_add(&text, " ");
    fa__describe_shape(&text, b->rank, b->shape);
    fa__text_add(&text, " %s, made by %s", fa__dtype_names[b->dtype], b->made_by->name);
    if (!b->made_at)
        return;
    fa__text_add(&text, " at ");
    fa__describe_site(&text, b->made_at);
}

static void each_largest(const fa__cache *c, void (*line)(void *, const char *), void *context)
{
    const fa__block *largest[FA__MOST_SHOWN];
    char text[256];
    for (int i = 0, count = find_largest(c, largest); i < count; i++) {
        describe(text, sizeof text, largest[i]);
        line(context, text);
    }
}

void fa__cache_each_largest(fa__cache *c, void (*line)(void *, const char *), void *context)
{
    pthread_mutex_lock(&c->lock);
    each_largest(c, line, context);
    pthread_mutex_unlock(&c->lock);
}

static void append(void *context, const char *text)
{
    const char **before = context;
    fa_error_append("%s%s", *before, text);
    *before = "; ";
}

void fa__cache_append_largest(const fa__cache *c)
{
    const char *before = ". The largest tensors there: ";
    each_largest(c, append, &before);
}

/* ---- JSON ---- */

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < ' ')
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void write_maker(FILE *file, const fa__block *b)
{
    char line[400] = "";
    fa__text text = fa__text_in(line, sizeof line);
    fputs(", \"operation\": ", file);
    write_string(file, b->made_by->name);
    fprintf(file, ", \"dtype\": \"%s\", \"shape\": [", fa__dtype_names[b->dtype]);
    for (int i = 0; i < b->rank; i++)
        fprintf(file, i ? ", %lld" : "%lld", (long long)b->shape[i]);
    fputc(']', file);
    if (!b->made_at)
        return;
    fa__describe_site(&text, b->made_at);
    fputs(", \"line\": ", file);
    write_string(file, line);
}

static void write_block(FILE *file, const fa__block *b, size_t offset)
{
    const char *state = !b->free ? "used" : b->uses ? "pending" : "free";
    fprintf(file, "%s\n    {\"offset\": %zu, \"size\": %zu, \"state\": \"%s\"", offset ? "," : "", offset, b->size,
            state);
    if (!b->free)
        fprintf(file, ", \"requested\": %zu", b->requested);
    if (!b->free && __atomic_load_n(&b->made_by, __ATOMIC_ACQUIRE))
        write_maker(file, b);
    fputc('}', file);
}

/* A segment, if this is its first block. */
static void write_segment(FILE *file, const fa__block *first, bool *some)
{
    size_t size = 0;
    if (first->before)
        return;
    for (const fa__block *b = first; b; b = b->after)
        size += b->size;
    fprintf(file, "%s\n  {\"address\": \"%p\", \"size\": %zu, \"blocks\": [", *some ? "," : "", (void *)first->memory,
            size);
    size = 0;
    for (const fa__block *b = first; b; size += b->size, b = b->after)
        write_block(file, b, size);
    fputs("]}", file);
    *some = true;
}

void fa__cache_write(fa__cache *c, FILE *file)
{
    bool some = false;
    int list = 0;
    pthread_mutex_lock(&c->lock);
    for (const fa__block *b = c->live; b; b = b->next)
        write_segment(file, b, &some);
    for (const fa__block *b; c->bins && (b = fa__bins_from(c->bins, &list)); list++)
        for (; b; b = b->next)
            write_segment(file, b, &some);
    pthread_mutex_unlock(&c->lock);
}
