/* What the files of fa_register_op share: a definition that is checked, and the functions of the row that it becomes.
 */
#ifndef FA__DISPATCH_REGISTERED_H
#define FA__DISPATCH_REGISTERED_H
#include "backend/registered.h"
#include "dispatch/row.h"

/* A registered operation, with all that its fa__op points to. */
typedef struct fa__registration {
    _Atomic(struct fa__registration *) next; /* in the order of registration */
    fa__op op;
    fa__traits row;
    fa__registered registered;
    fa__field field[FA__MAX_FIELDS];
    fa_op_field shown[FA__MAX_FIELDS];
    char results[128]; /* their names, each with its 0 */
    void *texts;       /* the memory of all copied texts and numbers */
    _Alignas(16) char defaults[FA__REGISTERED_ARGS];
} fa__registration;

/* Fails in the name of fa_register_op: "fa_register_op("demo::clip"): ...". */
FA__COLD bool fa__refuse_definition(const char *name, const char *format, ...) FA__PRINTF(2, 3);
/* ---- definition.c: fills op, row, fields and defaults from what the caller gave; false and an error */
bool fa__define(fa__registration *, const char *name, size_t count, const fa_op_field *,
                const fa_register_op_options *);
/* ---- registered.c: the row's functions */
bool fa__registered_infer(fa__call *);
void fa__registered_gradient(fa__back *);
#endif
