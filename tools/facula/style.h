/* How text looks on a terminal: colors, width, and the nearest of some names to one that is not there. */
#ifndef STYLE_H
#define STYLE_H
#include <stdbool.h>
#include <stdio.h>

/* Escape sequences, "" where a file is no terminal that shows them, or if NO_COLOR is set (no-color.org). */
const char *style_bold(FILE *file);
const char *style_red(FILE *file);
const char *style_end(FILE *file);
/* Whether standard output is a terminal of fewer columns; lines in files have any length. */
bool style_narrow(int columns);
/* The name that a word was probably meant to be; NULL: none is near. The names end with NULL. */
const char *style_nearest(const char *word, const char *const *names);
/* " (did you mean \"...\"?)", or "" if no name is near. */
const char *style_hint(const char *word, const char *const *names, char *text, size_t room);
#endif
