/* What is printed into files, as text. */
#ifndef FA__TESTS_TEXT_H
#define FA__TESTS_TEXT_H
#include <stdio.h>

/* What the function writes, for the caller to free. */
char *written(void (*write)(FILE *));
#endif
