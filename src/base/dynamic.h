/* Libraries opened when first needed: one of several names, and a table of its functions. */
#ifndef FA__BASE_DYNAMIC_H
#define FA__BASE_DYNAMIC_H
#include "base/types.h"

/* A function to look up, and the pointer to put it in; an optional one may be missing and is NULL then. */
typedef struct fa__symbol {
    const char *name;
    void *pointer; /* the address of a function pointer, as &api.cuInit */
    bool optional;
} fa__symbol;

typedef struct fa__library {
    void *handle;     /* NULL: not open */
    const char *name; /* which of the names it was */
    char reason[512]; /* why it is not open, for a message; "" when it is */
} fa__library;

/* Opens the first of `names` (ended by NULL) that is there and has all of `symbols`, and fills in their pointers.
 * False, with a reason in *library and no error raised, if none did; all pointers are NULL then. */
bool fa__library_open(fa__library *library, const char *const *names, const fa__symbol *symbols, size_t count);

/* Closes it, if open. The pointers are dead then. */
void fa__library_close(fa__library *library);

/* From now on this library is not unloaded, whoever closes it: threads will run in it to the end of the process. */
void fa__library_stay(void);
/* The same for the shared object that has the code at this address: it may be called to the end of the process. */
void fa__code_stay(const void *address);
#endif
