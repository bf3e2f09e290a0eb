/* What an optimizer or a schedule holds, by names: one function goes over all of it, to count, to write it into an
 * fa_state_dict, to check one, and to read it. */
#ifndef FA__OPTIM_DICT_H
#define FA__OPTIM_DICT_H
#include <facula/optim.h>
#include <facula/scope.h>

enum { FA__DICT_NAME = 256 };

typedef struct fa__dict {
    const char *who;           /* for messages */
    const fa_state_dict *from; /* what is read; NULL: it is written */
    bool commit;               /* reading: all was found and is good, and is taken over now */
    bool *seen;                /* which numbers, then which tensors, were asked for */
    struct fa__kept *to;       /* NULL: only counted */
    size_t tensors, numbers, letters;
    char prefix[FA__DICT_NAME]; /* of the names that follow */
} fa__dict;

/* Goes over all of an object, the same way each time. Checks what it has read, and changes the object only when
 * `commit` says so: then it cannot fail. */
typedef bool (*fa__visit)(fa__dict *, void *object);

/* A number of this name: writes *value, or reads it. */
bool fa__dict_number(fa__dict *, double *value, const char *format, ...) __attribute__((__format__(__printf__, 3, 4)));
/* The same for a whole number from `least` on. */
bool fa__dict_whole(fa__dict *, int64_t *value, int64_t least, const char *name);
/* The same for one that need not be there, and then is `missing`, which is not finite. */
bool fa__dict_optional(fa__dict *, double *value, double missing, const char *name);
/* A number that has to be the same. */
bool fa__dict_same(fa__dict *, size_t value, const char *what, const char *name);
/* A tensor of this name: writes it, or finds the one that is there. *tensor may be NULL in both. */
bool fa__dict_tensor(fa__dict *, fa_tensor **tensor, const char *name);

/* All that an object holds; belongs to the innermost scope. */
fa_state_dict fa__dict_write(const char *who, const char *kind, fa__visit, void *object);
/* Reads it, all or nothing. */
bool fa__dict_read(const char *who, const char *kind, const fa_state_dict *, fa__visit, void *object);
#endif
