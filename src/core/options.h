/* The defaults of all options structs, by the functions that take them. */
#ifndef FA__CORE_OPTIONS_H
#define FA__CORE_OPTIONS_H
#include <stddef.h>

typedef struct fa__options_of {
    const char *function;
    const void *defaults;
    size_t size;
} fa__options_of;

/* In-place forms only where their options are others than those of the other form. In no order; ends with one whose
 * function is NULL. Written by facula-rows. */
extern const fa__options_of fa__options_table[];
#endif
