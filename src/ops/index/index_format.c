/* Indices made by the program at run time: an integer, or a text in the form of printf(). */
#include "base/error.h"
#include "dispatch/call.h"
#include <stdarg.h>
#include <stdio.h>

enum { LONGEST = 512 };

/* Writes an index into `text`; false and an error if it is too long or the format is invalid. */
static bool write_index(const char *name, char *text, const char *format, va_list values)
{
    int length = format ? vsnprintf(text, LONGEST, format, values) : -1;
    if (length >= 0 && length < LONGEST)
        return true;
    return fa__fail(FA_ERROR_ARGUMENT,
                    !format      ? "%s: the index is NULL"
                    : length < 0 ? "%s: the format is invalid"
                                 : "%s: the index is too long",
                    name);
}

fa_tensor *fa__get_at(const fa_tensor *x, int64_t index)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)index);
    return (fa_get)(x, text);
}

fa_tensor *fa__set_at(fa_tensor *x, int64_t index, fa_arg value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)index);
    return (fa_set)(x, text, value);
}

fa_tensor *fa_getf(const fa_tensor *x, const char *format, ...)
{
    char text[LONGEST];
    va_list values;
    va_start(values, format);
    bool good = write_index("fa_getf", text, format, values);
    va_end(values);
    return good ? (fa_get)(x, text) : NULL;
}

fa_tensor *(fa_setf)(fa_tensor *x, fa_arg value, const char *format, ...)
{
    char text[LONGEST];
    va_list values;
    va_start(values, format);
    bool good = write_index("fa_setf", text, format, values);
    va_end(values);
    return good ? (fa_set)(x, text, value) : NULL;
}
