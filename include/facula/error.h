/** @file
 *  Errors stick. The first failure of a thread is kept, with what failed and why; later ones are ignored until it is
 *  cleared. A program checks once, after the loop:
 *
 *      if (fa_failed())
 *          fprintf(stderr, "%s\n", fa_error_message());
 *
 *  What goes wrong inside a kernel of a device that runs late, such as an index out of range, is found later: a thread
 * is told of it once, at its next wait (fa_item, fa_synchronize), or when an error stands there, at the first one after
 *  fa_error_clear(). What it had issued behind that until then has written over nothing; new results of it hold
 * anything.
 *
 *  Every thread has an error of its own. One that nobody ever looked at is told to the log when its thread or the
 *  process ends (see fa_set_log()). All functions here may be called at any time and from any thread. */
#ifndef FACULA_ERROR_H
#define FACULA_ERROR_H
#include <facula/types.h>

FA__BEGIN

/** What kind of failure it was. */
typedef enum fa_code {
    FA_OK,                /**< none */
    FA_ERROR_ARGUMENT,    /**< a value that the function does not take */
    FA_ERROR_SHAPE,       /**< shapes that do not go together */
    FA_ERROR_DTYPE,       /**< dtypes that do not go together, or that the operation lacks */
    FA_ERROR_DEVICE,      /**< operands on different devices, or a device that failed */
    FA_ERROR_INDEX,       /**< out of range */
    FA_ERROR_GRADIENT,    /**< no gradient here: not recorded, changed in place, freed */
    FA_ERROR_MEMORY,      /**< none left */
    FA_ERROR_FILE,        /**< reading or writing failed */
    FA_ERROR_SYNC,        /**< a wait or a copy that `.forbid` forbids */
    FA_ERROR_UNAVAILABLE, /**< a device, library or file format that is not here */
    FA_ERROR_STATE,       /**< not now: called at the wrong time or on an object in the wrong state */
    FA_ERROR_USER,        /**< raised by the program's own code */
    FA_ERROR_INTERNAL     /**< a fault of Facula's */
} fa_code;

/** An error. One filled with zeros (`fa_error e = {0};`) is none, and is ready for `FA_USE(.catch_errors = &e)`. */
typedef struct fa_error {
    fa_code code;       /**< what kind; FA_OK: there is none */
    bool seen;          /**< somebody asked for it */
    bool unfinished;    /**< for the library's own use: the call that failed still adds its operands to the message */
    char message[1024]; /**< one line: newlines in it became blanks; cut if it was longer */
} fa_error;

/** Whether an error stands in this thread, or in what `FA_USE(.catch_errors = &e)` names. Counts as looking at it. */
FA_API bool fa_failed(void);

/** The code of the standing error, or FA_OK. Counts as looking at it. */
FA_API fa_code fa_error_code(void);

/** The message of the standing error, or "". Never NULL. It belongs to the library and lives until fa_error_clear() or
 *  the end of the thread. Counts as looking at it. */
FA_API const char *fa_error_message(void);

/** Forgets the standing error, so that calls work again. */
FA_API void fa_error_clear(void);

/** A code's name, as "shape" for FA_ERROR_SHAPE; "unknown" for what is no code. Lives forever. */
FA_API const char *fa_code_name(fa_code code);

/** Raises an error, for code beside the library: a layer, a dataset, a callback. Ignored while another error stands.
 *  Takes a format as printf does. A `code` that is none of the errors counts as FA_ERROR_USER.
 *  @return false, always: `return fa_fail(FA_ERROR_USER, "no sample %d", i);` */
FA_API bool fa_fail(fa_code code, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

/** Adds to the message of the standing error, for what called the code that failed: where in a network or file it was.
 *  Takes a `format` as printf does. Does not count as looking at it. Nothing happens when no error stands. */
FA_API void fa_error_append(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

FA__END
#endif
