/* Putting sources together (source.c), and programs as text of the dialect (emit.c). */
#ifndef FA__BACKEND_GPU_SOURCE_H
#define FA__BACKEND_GPU_SOURCE_H
#include "backend/gpu/gpu.h"
#include "base/types.h"
#include "core/device.h"
#include "core/op.h"
#include "core/program.h"

/* A text that grows. Once memory was lacking it stays as it is, and `failed`. */
typedef struct fa__gpu_text {
    char *at; /* fa__malloc's, with a 0 at the end */
    size_t length, room;
    bool failed;
} fa__gpu_text;

void fa__gpu_put(fa__gpu_text *, const char *format, ...) FA__PRINTF(2, 3);
/* A whole file. */
void fa__gpu_put_file(fa__gpu_text *, const char *text);

/* What a text needs besides the class's own functions; see families.def. */
enum {
    FA__GPU_NEEDS_FAULTS = 1,
    FA__GPU_NEEDS_MATH = 2,
    FA__GPU_NEEDS_WIDE = 4,
    FA__GPU_NEEDS_RANDOM = 8,
    FA__GPU_NEEDS_F64 = 16,
    FA__GPU_NEEDS_TREE = 32,
    FA__GPU_NEEDS_FLOATING = 64,
    FA__GPU_NEEDS_SPECIAL = 128,
    FA__GPU_NEEDS_POISSON = 256,
    FA__GPU_NEEDS_RARE = 512,
    FA__GPU_NEEDS_PRODUCT = 1024,
    FA__GPU_NEEDS_TILES = 2048,
    FA__GPU_NEEDS_TENSOR = 4096,
    FA__GPU_NEEDS_PATCHES = 8192
};

/* The inputs (bits) that its results need, and that are no keys. */
uint32_t fa__gpu_program_reads(const fa__ssa *);
/* What a program needs. */
unsigned fa__gpu_program_needs(const fa__ssa *, fa__class);
/* The primitives of a class as functions prim_name: those that the needs allow. */
void fa__gpu_put_primitives(fa__gpu_text *, fa__class, unsigned there, bool f64);
/* One of them. False, and an error, when it is not of the class. */
bool fa__gpu_put_primitive(fa__gpu_text *, int prim, fa__class, bool f64);
/* What a kernel that is given as text needs, by the primitives that it names. */
unsigned fa__gpu_text_needs(const char *text, fa__class);
/* What stands before program.inc: the numbers of operands and what lists them. */
void fa__gpu_put_operands(fa__gpu_text *, const fa__device *, const fa__ssa *, fa__gpu_shape);
/* And behind it: the function `program`. False, and an error, when a primitive is not of the class. */
bool fa__gpu_put_program(fa__gpu_text *, const fa__ssa *, fa__class);
/* Sets needed[i] for the nodes that the results are made of. */
void fa__gpu_find_needed(const fa__ssa *, bool needed[FA__MAX_NODES]);
/* A constant by its bits, as `of_bits` makes a value of them, up to the end of the statement. */
void fa__gpu_put_constant(fa__gpu_text *, const fa__ssa_node *, fa__class, const char *of_bits);
/* Of a program whose values have types of their own: the sections of its types, in the place of the class's own texts;
 * and run_item, behind program.inc. False, and an error, when a primitive is not of its type. typed.c */
bool fa__gpu_put_types(fa__gpu_text *, const fa__ssa *, bool f64);
void fa__gpu_put_typed_item(fa__gpu_text *, const fa__ssa *);
/* What a text that is the library's says of a compute type: its file, by class. */
extern const char *const fa__gpu_class_texts[FA__CLASSES];
/* What stands before registered.inc: the struct of arguments of a registered operation, and the names of operands. */
void fa__gpu_put_registered(fa__gpu_text *, const fa__op *, int rank);
/* The dimensions that a program's operands may have, when neighbours are joined: as many as the device's kernels have
 * room for in their arguments, and any in a list's table. 0: not even one. */
int fa__gpu_program_dims(const fa__device *, const fa__ssa *, fa__gpu_shape);
#endif
