/* The table of scalar primitives, from primitives.def. */
#include "core/ssa.h"

const fa__prim_info fa__prims[FA__PRIM_count] = {
    {"input", 0, FA__DOMAIN_ANY, FA_SAME},
    {"constant", 0, FA__DOMAIN_ANY, FA_SAME},
#define PRIMITIVE(name, arity, domain, ...) {#name, arity, FA__DOMAIN_##domain, FA_SAME},
#define CONVERSION(tag, prim, domain, ...) {#prim, 1, FA__DOMAIN_##domain, FA_##tag},
#include "core/primitives.def"
#undef PRIMITIVE
#undef CONVERSION
};
