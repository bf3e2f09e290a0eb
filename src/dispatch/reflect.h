/* What reflection knows of the library's rows beside their fa__op; written by tools/rows (texts.c). */
#ifndef FA__DISPATCH_REFLECT_H
#define FA__DISPATCH_REFLECT_H
#include "core/op.h"
#include <facula/op.h>

enum { FA__TAKES_OUT = 1, FA__ONLY_INPLACE = 2, FA__POINTWISE_ROW = 4 };

/* Strings that follow each other: the family, the documentation, then the documentation of each field. */
typedef struct fa__op_text {
    const char *strings;
    unsigned flags;
} fa__op_text;

extern const fa__op_text fa__op_texts[]; /* by id */
/* The ids of public rows, in the order of their names. */
extern const uint16_t fa__public_ids[];
extern const size_t fa__public_count;

/* ---- register.c ---- */
size_t fa__registered_count(void);
/* Number i of them, or the one of that name; NULL if there is none. */
const fa_op *fa__registered_at(size_t i);
const fa_op *fa__registered_find(const char *name);
#endif
