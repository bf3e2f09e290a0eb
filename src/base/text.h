/* Builds a string in a buffer of fixed size; what does not fit is cut off. */
#ifndef FA__BASE_TEXT_H
#define FA__BASE_TEXT_H
#include "base/types.h"
#include <locale.h>
#include <stdarg.h>

typedef struct fa__text {
    char *at;    /* points to the terminating 0 */
    size_t left; /* bytes from there, including the 0 */
    bool cut;    /* text was cut off */
} fa__text;

/* Between begin and end, this thread prints and parses numbers with a decimal point, whatever the locale of the
 * program is. */
typedef struct fa__number_format {
    locale_t before, plain; /* 0: the locale was not changed */
} fa__number_format;

fa__number_format fa__numbers_begin(void);
void fa__numbers_end(fa__number_format);

/* Starts an empty text in a buffer of `size` bytes, at least 1. */
fa__text fa__text_in(char *buffer, size_t size);

/* Continues a text that is already in the buffer. */
fa__text fa__text_after(char *buffer, size_t size);

/* Appends text; numbers have a decimal point. Returns false if text was cut off, now or before. After that, nothing
 * more is appended. UTF-8 characters are not split. */
bool fa__text_add(fa__text *text, const char *format, ...) FA__PRINTF(2, 3);
/* Appends a number with the fewest digits that identify it, but at least 6. */
bool fa__text_add_number(fa__text *text, double number);
/* Appends to the text in a buffer, with "; " between it and what is there already. */
void fa__text_add_clause(char *buffer, size_t size, const char *format, ...) FA__PRINTF(3, 4);
bool fa__text_add_list(fa__text *text, const char *format, va_list list) FA__PRINTF(2, 0);
#endif
