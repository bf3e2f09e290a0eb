/* The plugin gzip, over zlib. */
#include "plugins/gzip.h"
#include "plugins/plugin.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER = 1 << 17, MOST = 1 << 30 };

static void *gzip_open(int descriptor)
{
    errno = 0;
    gzFile file = gzdopen(descriptor, "rb");
    if (file)
        gzbuffer(file, BUFFER);
    else if (!errno)
        errno = ENOMEM;
    return file;
}

/* gzread takes and gives an int; at an end that comes too early it gives what there was, and says so only when asked.
 */
static ptrdiff_t gzip_read(void *file, void *to, size_t size)
{
    size_t done = 0;
    while (done < size) {
        size_t left = size - done;
        int n = gzread(file, (char *)to + done, (unsigned)(left < MOST ? left : MOST)), code;
        if (n <= 0) {
            gzerror(file, &code);
            return n < 0 || code < 0 ? -1 : (ptrdiff_t)done;
        }
        done += (size_t)n;
    }
    return (ptrdiff_t)done;
}

/* zlib puts the path in front. */
static const char *gzip_reason(void *file)
{
    static _Thread_local char reason[160];
    int code, error = errno;
    const char *text = gzerror(file, &code), *behind = strrchr(text, ':');
    snprintf(reason, sizeof reason, "byte %lld: %s", (long long)gzoffset(file),
             code == Z_ERRNO ? strerror(error)
             : behind        ? behind + strspn(behind, ": ")
                             : text);
    return reason;
}

static void gzip_close(void *file)
{
    gzclose(file);
}

static unsigned at_most(size_t size)
{
    return (unsigned)(size < MOST ? size : MOST);
}

/* zlib counts in unsigned, so that more than 1 GiB is passed in parts. */
static bool gzip_inflate(const void *packed, size_t packed_size, void *to, size_t size)
{
    z_stream s = {.next_in = (Bytef *)packed, .next_out = to};
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return false;
    int code = Z_OK;
    while (code == Z_OK && size > 0) {
        unsigned in = at_most(packed_size), out = at_most(size);
        s.avail_in = in, s.avail_out = out;
        code = inflate(&s, Z_NO_FLUSH);
        packed_size -= in - s.avail_in;
        size -= out - s.avail_out;
    }
    inflateEnd(&s);
    return size == 0;
}

FA__PLUGIN const fa__gzip FA__PLUGIN_TABLE = {gzip_open, gzip_read, gzip_reason, gzip_close, gzip_inflate};
