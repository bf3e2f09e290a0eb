/* fa_line_of: texts "file:line" of other languages, each stored once and until the process ends. */
#include "base/alloc.h"
#include "base/fork.h"
#include "base/site.h"
#include <facula/plain.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct line_text {
    struct line_text *next;
    char text[];
} line_text;

/* Texts stand in blocks, so that an address can be recognized as that of a text. */
typedef struct text_block {
    struct text_block *next;
    size_t used;
    char bytes[64 * 1024 - 2 * sizeof(void *)];
} text_block;

enum { CHAINS = 1024, MOST = 512 };
static line_text *chain[CHAINS];
static text_block *blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
FA__LOCKED_AT_FORK(LINES, &lock)

static unsigned hash_of(const char *text)
{
    unsigned h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h % CHAINS;
}

static void *block_get(size_t size)
{
    size = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    if (!blocks || sizeof blocks->bytes - blocks->used < size) {
        text_block *b = fa__malloc(sizeof *b);
        if (!b)
            return NULL;
        b->next = blocks;
        b->used = 0;
        blocks = b;
    }
    blocks->used += size;
    return blocks->bytes + blocks->used - size;
}

static line_text *find_or_add(line_text **at, const char *text)
{
    for (line_text *l = *at; l; l = l->next)
        if (!strcmp(l->text, text))
            return l;
    size_t size = strlen(text) + 1;
    line_text *l = block_get(sizeof *l + size);
    if (!l)
        return NULL;
    memcpy(l->text, text, size);
    l->next = *at;
    return *at = l;
}

const char *fa_line_of(const char *file, int line)
{
    char text[MOST];
    size_t length = file ? strlen(file) : 0, most = MOST - 16;
    /* of a path that is too long, its end */
    snprintf(text, sizeof text, "%s:%d", !file ? "" : length > most ? file + (length - most) : file, line);
    pthread_mutex_lock(&lock);
    line_text *l = find_or_add(&chain[hash_of(text)], text);
    pthread_mutex_unlock(&lock);
    return l ? l->text : NULL;
}

bool fa__line_is_stored(const void *text)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const text_block *b = blocks; b && !found; b = b->next)
        found = (uintptr_t)text - (uintptr_t)b->bytes < b->used;
    pthread_mutex_unlock(&lock);
    return found;
}
