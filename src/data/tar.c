/* Members of tar archives (POSIX ustar and pax, GNU tar), plain or compressed: blocks of 512 bytes, a header before
 * each member. */
#include "data/file.h"
#include <facula/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 512,
    NAME = 100,
    SIZE_AT = 124,
    SUM_AT = 148,
    KIND_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX = 155,
    MOST_CONTENT = 1 << 28, /* bytes of a member */
    MOST_NAMES = 1 << 20    /* bytes of a member with a name or with attributes of the next one */
};

/* A number in octal digits, ended by a space or a zero byte; -1 if it is none. */
static int64_t octal(const unsigned char *at, int room)
{
    int64_t n = 0;
    int i = 0;
    while (i < room && at[i] == ' ')
        i++;
    int begin = i;
    for (; i < room && at[i] >= '0' && at[i] <= '7'; i++)
        n = n * 8 + (at[i] - '0');
    return i > begin && (i == room || at[i] == ' ' || !at[i]) ? n : -1;
}

/* The sum of the header's bytes, with spaces for the sum itself. */
static int64_t sum_of(const unsigned char *header)
{
    int64_t sum = 0;
    for (int i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + 8 ? ' ' : header[i];
    return sum;
}

static bool wrong(const char *who, const fa__bytes *archive, int64_t at, const char *what)
{
    return fa_fail(FA_ERROR_FILE, "%s: %s, byte %lld: %s", who, archive->path, (long long)at, what);
}

/* Whether the member is a regular file of this name, in any folder. */
static bool is_named(const unsigned char *header, const char *name)
{
    char there[NAME + 1] = {0};
    memcpy(there, header, NAME);
    const char *slash = strrchr(there, '/');
    return (header[KIND_AT] == '0' || !header[KIND_AT]) && !strcmp(slash ? slash + 1 : there, name);
}

bool fa__tar_find(const char *who, const fa__bytes *archive, const char *name, fa__span *member)
{
    int64_t at = 0;
    *member = (fa__span){0};
    while (at + BLOCK <= archive->size && archive->item[at]) {
        const unsigned char *header = archive->item + at;
        int64_t size = octal(header + SIZE_AT, 12);
        if (octal(header + SUM_AT, 8) != sum_of(header))
            return wrong(who, archive, at, "no header of a tar archive: its checksum is wrong");
        if (size < 0 || size > archive->size - at - BLOCK)
            return wrong(who, archive, at + SIZE_AT, "the archive ends within a member");
        if (is_named(header, name)) {
            *member = (fa__span){header + BLOCK, size};
            return true;
        }
        at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
    return at + BLOCK <= archive->size || wrong(who, archive, archive->size, "the archive ends before its end mark");
}

/* ---- archives from start to end ---- */

/* The size of a member: octal digits, or a number in 11 bytes behind one with 0x80, big-endian; -1 if it is none. */
static int64_t size_of(const unsigned char *header)
{
    const unsigned char *at = header + SIZE_AT;
    if (*at != 0x80)
        return octal(at, 12);
    int64_t n = 0;
    for (int i = 1; i < 12; i++)
        n = n >> 54 ? INT64_MAX >> 8 : n << 8 | at[i];
    return n;
}

/* The name that a header has, with its prefix if there is one. */
static void name_of(const unsigned char *header, char name[static FA__PATH_ROOM])
{
    bool prefixed = !memcmp(header + MAGIC_AT, "ustar", 6) && header[PREFIX_AT];
    snprintf(name, FA__PATH_ROOM, "%.*s%s%.*s", prefixed ? PREFIX : 0, (const char *)header + PREFIX_AT,
             prefixed ? "/" : "", NAME, (const char *)header);
}

/* The attribute "path" of a pax header, whose lines are "LENGTH NAME=VALUE\n" with the length of the whole line. */
static void pax_name(const fa__bytes *b, char name[static FA__PATH_ROOM])
{
    for (int64_t at = 0, length; at < b->size; at += length) {
        int64_t i = at;
        for (length = 0; i < b->size && b->item[i] >= '0' && b->item[i] <= '9' && length < MOST_NAMES; i++)
            length = 10 * length + (b->item[i] - '0');
        if (i == b->size || b->item[i] != ' ' || length <= i - at || length > b->size - at)
            return;
        int64_t left = at + length - ++i;
        if (left > 5 && !memcmp(b->item + i, "path=", 5))
            snprintf(name, FA__PATH_ROOM, "%.*s", (int)(left - 6), (const char *)b->item + i + 5);
    }
}

/* The content of a member, and what pads its last block. */
static fa__bytes *take_content(fa__reader *r, int64_t size, int64_t most)
{
    unsigned char pad[BLOCK];
    if (size < 0 || size > most)
        return fa__reader_wrong(r, "a member of the archive has no size, or is too large"), NULL;
    fa__bytes *b = fa__reader_take(r, size);
    int64_t rest = (BLOCK - size % BLOCK) % BLOCK, n = b ? fa__reader_read(r, pad, rest) : -1;
    if (n >= 0 && n < rest)
        fa__reader_wrong(r, "the archive ends within a member");
    return n == rest ? b : NULL;
}

/* Reads a header; *end is set at the mark of the end. */
static bool take_header(fa__reader *r, unsigned char header[static BLOCK], bool *end)
{
    int64_t n = fa__reader_read(r, header, BLOCK);
    if (n < BLOCK)
        return n < 0 ? false : fa__reader_wrong(r, "the archive ends before its end mark");
    *end = !header[0];
    return *end || octal(header + SUM_AT, 8) == sum_of(header)
           || fa__reader_wrong(r, "no header of a tar archive: its checksum is wrong");
}

bool fa__tar_next(fa__reader *r, fa__tar_member *member)
{
    unsigned char header[BLOCK];
    char given[FA__PATH_ROOM] = "";
    bool end = false;
    member->content = NULL;
    while (take_header(r, header, &end)) {
        if (end)
            return true;
        unsigned char kind = header[KIND_AT];
        bool file = kind == '0' || !kind, named = kind == 'L' || kind == 'x';
        const fa__bytes *b = take_content(r, size_of(header), named ? MOST_NAMES : MOST_CONTENT);
        if (!b)
            return false;
        if (kind == 'L')
            snprintf(given, sizeof given, "%.*s", (int)b->size, (const char *)b->item);
        else if (kind == 'x')
            pax_name(b, given);
        if (!file && !named && kind != 'K' && kind != 'g') /* the name was that of a folder or a link */
            *given = 0;
        if (!file)
            continue;
        name_of(header, member->name);
        if (*given)
            memcpy(member->name, given, sizeof given);
        member->content = b;
        return true;
    }
    return false;
}
