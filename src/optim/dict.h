/* The named state of an optimizer or schedule. One visitor function goes over all of it: to count it, to write it to
 * an fa_state_dict, to validate such a dict, and to read it. */
#ifndef FA__OPTIM_DICT_H
#define FA__OPTIM_DICT_H
#include <facula/optim.h>
#include <facula/scope.h>

enum { FA__DICT_NAME = 256 };

typedef struct fa__dict {
    const char *who;           /* name for messages */
    const fa_state_dict *from; /* the dict to read; NULL: write */
    bool commit;               /* reading: everything was found and is valid, and is stored now */
    bool *seen;                /* which numbers, and then which tensors, were asked for */
    struct fa__kept *to;       /* NULL: only count */
    size_t tensors, numbers, letters;
    char prefix[FA__DICT_NAME]; /* prefix of the names that follow */
} fa__dict;

/* Goes over the state of an object, in the same order each time. Validates what it reads, and modifies the object
 * only if `commit` is set; it cannot fail then. */
typedef bool (*fa__dict_visit)(fa__dict *, void *object);

/* A number with this name: writes *value, or reads it. */
bool fa__dict_number(fa__dict *, double *value, const char *format, ...) __attribute__((__format__(__printf__, 3, 4)));
/* The same for an integer of at least `least`. */
bool fa__dict_whole(fa__dict *, int64_t *value, int64_t least, const char *name);
/* The same for an optional number, which is written only if it is finite; if it does not exist, the value is
 * `missing`. */
bool fa__dict_optional(fa__dict *, double *value, double missing, const char *name);
/* A number that has to be equal to `value`. */
bool fa__dict_same(fa__dict *, size_t value, const char *what, const char *name);
/* A tensor with this name: writes it, or finds it. *tensor may be NULL in both cases. */
bool fa__dict_tensor(fa__dict *, fa_tensor **tensor, const char *name);

/* The complete state of an object; belongs to the innermost scope. */
/* What a function returns after an error. */
fa_state_dict fa__dict_none(void);
fa_state_dict fa__dict_write(const char *who, const char *kind, fa__dict_visit, void *object);
/* Reads the state of an object, all or nothing. */
bool fa__dict_read(const char *who, const char *kind, const fa_state_dict *, fa__dict_visit, void *object);
#endif
