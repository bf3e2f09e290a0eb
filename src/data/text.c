/* Texts for language models: windows of a mapped file, as bytes or as characters. Where characters are not all ASCII,
 * the position of each 64th is kept, from which the others are found. */
#include "data/data.h"
#include <errno.h>
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { APART = 64, CODES = 0x110000 };

typedef struct text {
    fa_object base;
    const unsigned char *at; /* the file */
    int64_t size;            /* its bytes */
    int64_t tokens, block, stride;
    bool characters;
    int32_t *id;       /* of each code point, if characters are tokens */
    int64_t *position; /* of each 64th character; NULL: all are one byte */
} text;

static void text_destroy(void *object)
{
    text *t = object;
    if (t->at)
        munmap((void *)(uintptr_t)t->at, (size_t)t->size);
    free(t->id);
    free(t->position);
}

static const fa_object_type text_object = {"text", text_destroy};

static int64_t text_length(void *context)
{
    const text *t = context;
    return (t->tokens - t->block - 1) / t->stride + 1;
}

/* ---- characters ---- */

/* Reads the character at *at, and moves *at behind it. -1 if there is no valid UTF-8 (RFC 3629). */
static int32_t next_code(const unsigned char *b, int64_t size, int64_t *at)
{
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    int32_t first = b[*at], more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (more < 0 || first > 0xf4 || *at + more >= size)
        return -1;
    int32_t code = more ? first & (0x3f >> more) : first;
    for (int k = 1; k <= more; k++) {
        if ((b[*at + k] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (b[*at + k] & 0x3f);
    }
    *at += 1 + more;
    return code < least[more] || code >= CODES || (code >= 0xd800 && code < 0xe000) ? -1 : code;
}

static bool out_of_memory(const char *path)
{
    return fa_fail(FA_ERROR_MEMORY, "fa_data_text: out of memory for the characters of %s", path);
}

/* Finds the different characters, and their number in the text. */
static bool count_characters(text *t, const char *path)
{
    t->id = calloc(CODES, sizeof *t->id);
    if (!t->id)
        return out_of_memory(path);
    for (int64_t at = 0; at < t->size; t->tokens++) {
        int64_t begin = at;
        int32_t code = next_code(t->at, t->size, &at);
        if (code < 0)
            return fa_fail(FA_ERROR_FILE, "fa_data_text: %s, byte %" PRId64 ": no UTF-8", path, begin);
        t->id[code] = 1;
    }
    return true;
}

static bool find_positions(text *t, const char *path)
{
    if (t->tokens == t->size)
        return true;
    t->position = malloc((size_t)(t->tokens / APART + 1) * sizeof *t->position);
    if (!t->position)
        return out_of_memory(path);
    for (int64_t at = 0, n = 0; at < t->size; n++) {
        if (n % APART == 0)
            t->position[n / APART] = at;
        next_code(t->at, t->size, &at);
    }
    return true;
}

static int put_code(char *to, int32_t code)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (int k = more; k > 0; k--, code >>= 6)
        to[k] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(first[more] | code);
    to[more + 1] = 0;
    return more + 2;
}

/* Numbers the characters in the order of their codes; their names. */
static fa__names *number_characters(const text *t)
{
    int64_t count = 0;
    for (int32_t code = 0; code < CODES; code++)
        count += t->id[code];
    fa__names *names = fa__names_new(count, (size_t)count * 5);
    char *at = names ? names->text : NULL;
    int32_t id = 0;
    for (int32_t code = 0; at && code < CODES; code++)
        if (t->id[code]) {
            names->item[id] = at;
            at += put_code(at, code);
            t->id[code] = id++;
        }
    return names;
}

static fa__names *name_bytes(void)
{
    fa__names *names = fa__names_new(256, 256 * sizeof "\\x00");
    for (int i = 0; names && i < 256; i++) {
        char *at = names->text + i * (int)sizeof "\\x00";
        snprintf(at, sizeof "\\x00", i >= ' ' && i < 127 ? "%c" : "\\x%02x", i);
        names->item[i] = at;
    }
    return names;
}

/* ---- samples ---- */

/* 0 for what is no character, should the file have been modified. */
static int32_t id_of(const text *t, int32_t code)
{
    return code < 0 ? 0 : t->id[code];
}

/* Writes tokens `first` to first + block. */
static void put_tokens(const text *t, int64_t first, int64_t *to)
{
    int64_t at = first;
    if (t->position) {
        at = t->position[first / APART];
        for (int64_t n = first % APART; n > 0; n--)
            next_code(t->at, t->size, &at);
    }
    for (int64_t i = 0; i <= t->block; i++)
        if (t->position)
            to[i] = id_of(t, next_code(t->at, t->size, &at));
        else
            to[i] = t->characters ? t->id[t->at[at + i]] : t->at[at + i];
}

static bool text_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    const text *t = context;
    fa__numbers *row = fa__numbers_new(t->block + 1);
    fa_shape shape = FA_SHAPE(count, t->block);
    batch->input = fa_empty(shape, .dtype = FA_I64, .device = FA_CPU);
    batch->target = fa_empty(shape, .dtype = FA_I64, .device = FA_CPU);
    int64_t *x = batch->input ? fa_ptr(batch->input, FA_I64) : NULL;
    int64_t *y = batch->target ? fa_ptr(batch->target, FA_I64) : NULL;
    for (int64_t i = 0; row && x && y && i < count; i++) {
        put_tokens(t, index[i] * t->stride, row->item);
        memcpy(x + i * t->block, row->item, (size_t)t->block * sizeof *x);
        memcpy(y + i * t->block, row->item + 1, (size_t)t->block * sizeof *y);
    }
    return row && x && y;
}

/* ---- making one ---- */

static bool map_file(text *t, const char *path)
{
    int file = fa__file_open("fa_data_text", path, &t->size);
    if (file < 0)
        return false;
    void *at = t->size ? mmap(NULL, (size_t)t->size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    int reason = errno;
    close(file);
    if (at == MAP_FAILED)
        return fa_fail(FA_ERROR_FILE, "fa_data_text: %s: %s", path, strerror(reason));
    t->at = at;
    return true;
}

static fa_dataset *text_new(const char *path, int64_t block_size, const fa_data_text_options *o)
{
    static const fa_dataset_type type = {
        .name = "text", .length = text_length, .batch = text_batch, .release = fa__context_release};
    text *t = fa_object_new(&text_object, sizeof *t);
    if (!t || !map_file(t, path))
        return NULL;
    t->block = block_size;
    t->stride = o->stride ? o->stride : block_size;
    t->characters = o->token == FA_TOKEN_CHARACTERS;
    if (t->characters ? !count_characters(t, path) || !find_positions(t, path) : (t->tokens = t->size, false))
        return NULL;
    if (t->tokens <= block_size) {
        fa_fail(FA_ERROR_FILE, "fa_data_text: %s has %" PRId64 " tokens, and a sample needs %" PRId64, path, t->tokens,
                block_size + 1);
        return NULL;
    }
    fa__names *names = t->characters ? number_characters(t) : name_bytes();
    return names ? fa__dataset_named(fa_dataset_new(&type, fa__hold(t)), names) : NULL;
}

fa_dataset *(fa_data_text)(const char *path, int64_t block_size, const fa_data_text_options *options)
{
    fa_data_text_options o = FA__DEFAULT_fa_data_text;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return NULL;
    const char *why = !path                                      ? "the path is NULL"
                      : block_size < 1 || block_size > INT32_MAX ? "block_size is 1 to 2147483647"
                      : o.stride < 0                             ? ".stride is negative"
                      : (unsigned)o.token > FA_TOKEN_CHARACTERS  ? "there is no such .token"
                                                                 : NULL;
    if (why) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_text: %s", why);
        return NULL;
    }
    FA_SCOPE;
    fa_dataset *d = text_new(path, block_size, &o);
    return d ? fa_escape(d) : NULL;
}
