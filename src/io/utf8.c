/* Validation of UTF-8 (RFC 3629), which file headers must use. */
#include "io/safetensors.h"
#include <facula/error.h>

/* The range of some second bytes is restricted, to exclude overlong encodings, surrogates and code points above
 * 10ffff. */
int fa__utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    int length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    unsigned low = c[0] == 0xe0   ? 0xa0
                   : c[0] == 0xf0 ? 0x90
                                  : 0x80,
             high = c[0] == 0xed   ? 0x9f
                    : c[0] == 0xf4 ? 0x8f
                                   : 0xbf;
    if (c[0] < 0xc2 || c[0] > 0xf4 || c[1] < low || c[1] > high)
        return 0;
    for (int i = 2; i < length; i++)
        if (c[i] >> 6 != 2)
            return 0;
    return length;
}

bool fa__stored_texts_check(const char *who, const char *what, const char *const *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *c = text[i];
        int length;
        while (*c && (length = fa__utf8_length(c)))
            c += length;
        if (*c)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: %s %zu is not UTF-8: byte %zu is 0x%02x", who, what, i,
                           (size_t)(c - text[i]), (unsigned char)*c);
    }
    return true;
}
