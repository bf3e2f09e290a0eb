/* Shared libraries that are opened on first use: by one of several names, with a table of functions. */
#ifndef FA__BASE_DYNAMIC_H
#define FA__BASE_DYNAMIC_H
#include "base/types.h"

/* A function to look up, and the pointer to store it in. An optional function may be missing; its pointer is NULL
 * then. */
typedef struct fa__symbol {
    const char *name;
    void *pointer; /* address of a function pointer, such as &api.cuInit */
    bool optional;
} fa__symbol;

typedef struct fa__library {
    void *handle;     /* NULL: not open */
    const char *name; /* which of the names was found */
    char reason[512]; /* why it is not open, for messages; "" if it is open */
} fa__library;

/* Opens the first library of `names` (terminated by NULL) that exists and has all `symbols`, and fills in their
 * pointers. If there is none: false, with a reason in *library but no error set; all pointers are NULL. */
bool fa__library_open(fa__library *library, const char *const *names, const fa__symbol *symbols, size_t count);

/* A folder, as a pattern of glob(), below the one that a variable of the environment names ("": none). */
typedef struct fa__folder {
    const char *variable, *pattern;
} fa__folder;

/* Where a library may be that has two versions which can be used. */
typedef struct fa__library_place {
    const char *named; /* a variable of the environment; if it is set, its library is the only one */
    const char *stem;  /* "libnvrtc" */
    int newest;        /* 13: libnvrtc.so.13, or else libnvrtc.so.12 */
    const fa__folder *folders;
    size_t count;
} fa__library_place;

/* The same for a library that is looked for where the dynamic linker looks, then in folders. Of each folder the newest
 * version comes first. */
bool fa__library_search(fa__library *library, const fa__library_place *place, const fa__symbol *symbols, size_t count);

/* The same from what the process has loaded already. False when that lacks one; pointers may be set then. */
bool fa__library_in_process(const fa__symbol *symbols, size_t count);

/* Closes the library if it is open. Its pointers must not be used any more. */
void fa__library_close(fa__library *library);

/* Keeps this library loaded until the process ends, even if it is closed with dlclose, because threads run its code. */
void fa__library_stay(void);
/* The same for the shared object that has the code at this address: it may be called to the end of the process. */
void fa__code_stay(const void *address);
#endif
