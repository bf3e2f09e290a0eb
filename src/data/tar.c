/* Members of tar archives (POSIX ustar), plain or compressed: blocks of 512 bytes, a header before each member. */
#include "data/file.h"
#include <facula/error.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SUM_AT = 148, KIND_AT = 156 };

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
