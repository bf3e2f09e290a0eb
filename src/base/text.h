/* Text put together in a buffer of fixed size: what does not fit is cut, never written. */
#ifndef FA__BASE_TEXT_H
#define FA__BASE_TEXT_H
#include "base/types.h"
#include <stdarg.h>

typedef struct fa__text {
    char *at;    /* the 0 at the end */
    size_t left; /* bytes from there, the 0 counted in */
    bool cut;    /* something did not fit */
} fa__text;

/* Begins an empty text in a buffer of `size` bytes, 1 or more. */
fa__text fa__text_in(char *buffer, size_t size);

/* Goes on behind a text that is already in the buffer. */
fa__text fa__text_after(char *buffer, size_t size);

/* Adds; false if something was cut, now or before. Once cut, nothing more is added. A cut never leaves part of a UTF-8
 * character behind. */
bool fa__text_add(fa__text *text, const char *format, ...) FA__PRINTF(2, 3);
bool fa__text_add_list(fa__text *text, const char *format, va_list list) FA__PRINTF(2, 0);
#endif
