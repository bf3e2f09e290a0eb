/* Operations that fa_register_op made, as far as backends know them: their kernels, and a launch as the public
 * interface shows it to them. */
#ifndef FA__BACKEND_REGISTERED_H
#define FA__BACKEND_REGISTERED_H
#include "backend/device.h"
#include <facula/op.h>

enum {
    FA__REGISTERED_ARGS = 1024, /* the largest struct of arguments */
    FA__VIEW_FEW = 12           /* operands and results of a launch that need no memory of their own */
};

/* What GPUs compiled for an operation: their backend's struct begins with this. */
typedef struct fa__compiled_kernels {
    void (*discard)(struct fa__compiled_kernels *);
} fa__compiled_kernels;

/* What a registered operation has beside its fa__op. Never changed once it is registered, and lives as long. */
typedef struct fa__registered {
    fa_register_op_options given;                    /* texts are copies */
    const fa_op_field *field;                        /* copies */
    _Atomic(struct fa__compiled_kernels *) compiled; /* of GPUs; NULL until the first launch */
} fa__registered;

/* A launch as kernels of registered operations see it. */
typedef struct fa__launch_view {
    fa_op_launch launch;
    fa_operand *many; /* of more operands than FA__VIEW_FEW */
    fa_operand few[FA__VIEW_FEW];
    _Alignas(16) char args[FA__REGISTERED_ARGS];
} fa__launch_view;

/* False and an error without memory; ended by fa__launch_view_end. */
bool fa__launch_view_begin(fa__launch_view *, const fa__launch *);
void fa__launch_view_end(fa__launch_view *);
#endif
