/* Text put together in a buffer of fixed size: what does not fit is cut, never written. */
#ifndef FA__BASE_TEXT_H
#define FA__BASE_TEXT_H
#include "base/types.h"
#include <locale.h>
#include <stdarg.h>

typedef struct fa__text {
    char *at;    /* the 0 at the end */
    size_t left; /* bytes from there, the 0 counted in */
    bool cut;    /* something did not fit */
} fa__text;

/* Between these, numbers that this thread writes and reads have a point, whatever the program's locale says. */
typedef struct fa__numbers {
    locale_t before, plain; /* 0: nothing had to be changed */
} fa__numbers;

fa__numbers fa__numbers_begin(void);
void fa__numbers_end(fa__numbers);

/* Begins an empty text in a buffer of `size` bytes, 1 or more. */
fa__text fa__text_in(char *buffer, size_t size);

/* Goes on behind a text that is already in the buffer. */
fa__text fa__text_after(char *buffer, size_t size);

/* Adds, numbers with a point; false if something was cut, now or before. Once cut, nothing more is added. A cut never
 * leaves part of a UTF-8 character behind. */
bool fa__text_add(fa__text *text, const char *format, ...) FA__PRINTF(2, 3);
/* Adds a number with as few digits as tell it from its neighbours, 6 at least. */
bool fa__text_add_number(fa__text *text, double number);
bool fa__text_add_list(fa__text *text, const char *format, va_list list) FA__PRINTF(2, 0);
#endif
