/* The table of scalar primitives, from primitives.def. */
#include "core/ssa.h"

const fa__prim_info fa__prims[FA__PRIM_count] = {
    {"input", 0, FA__DOMAIN_ANY},
    {"constant", 0, FA__DOMAIN_ANY},
#define PRIMITIVE(name, arity, domain, ...) {#name, arity, FA__DOMAIN_##domain},
#include "core/primitives.def"
#undef PRIMITIVE
};
