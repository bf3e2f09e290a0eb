/** @file
 *  Objects of the program's own that belong to scopes as tensors do: counted references, fa_keep, fa_release,
 *  fa_escape and fa_adopt. Modules, optimizers, datasets and loaders are made of these.
 *
 *      typedef struct counter {
 *          fa_object base;
 *          int64_t count;
 *      } counter;
 *      static const fa_object_type counter_type = {"counter", NULL};
 *      counter *c = fa_object_new(&counter_type, sizeof *c); */
#ifndef FACULA_OBJECT_H
#define FACULA_OBJECT_H
#include <facula/types.h>

FA__BEGIN

/** What an object is. Lives as long as objects of it do: a static constant. */
typedef struct fa_object_type {
    const char *name;              /**< for messages */
    void (*destroy)(void *object); /**< releases what the object holds, not the object; may be NULL */
} fa_object_type;

/** The first member of an object: its references and its type. Only the library changes it. */
typedef struct fa_object {
    uint64_t fa__head[2];
    const fa_object_type *type; /**< as fa_object_new() was given it */
} fa_object;

/** Makes an object: zeros after its first member, one reference, which the innermost scope owns.
 *  @param type what it is
 *  @param size of the whole, its fa_object included
 *  @return the object; NULL and an error without memory */
FA_API void *fa_object_new(const fa_object_type *type, size_t size);

/** Whether an object was made by fa_object_new with this type, and is still there. False for NULL. */
FA_API bool fa_object_is(const void *object, const fa_object_type *type);

/** Whether an error stands in this thread. Does not count as looking at it: for layers, datasets and loops, which leave
 *  that to the program. */
FA_API bool fa_error_stands(void);

/* Reads named options over their defaults: as much of them as the caller's version and this one both know. */
static inline void fa__options_read(void *options, size_t known, const void *given)
{
    size_t size = given ? *(const size_t *)given : 0;
    if (given)
        __builtin_memcpy(options, given, size < known ? size : known);
}

FA__END
#endif
