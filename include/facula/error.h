/** @file
 *  Errors. Each thread has one error, which is sticky: the first failure sets it, and later failures are ignored
 *  until it is cleared. A program may therefore check once, after its loop:
 *
 *      if (fa_failed())
 *          fprintf(stderr, "%s\n", fa_error_message());
 *
 *  An error inside a kernel of an asynchronous device, such as an index out of range, is reported later: by the first
 *  wait for the device (fa_synchronize()), or by the first use of a value that was computed behind it. Such a value
 *  is an error to read, copy or use, for every thread and every time, also after fa_error_clear(). What existed
 *  before is unchanged, and what is computed after the report is fine.
 *
 *  A message begins with the file and line of the call, which the macros of the calls record. In a file that defines
 *  FACULA_NO_LINES before it includes a header they do not; then, as in calls through pointers, messages of operations
 *  begin with the address of the call. With FACULA_ERROR=now in the environment, errors are also printed to stderr as
 *  they happen; with FACULA_ERROR=trap the process gets SIGTRAP there, which stops it in a debugger.
 *
 *  An error that the program never looked at is written to the log when the thread or the process ends (see
 *  fa_set_log()). All functions of this header may be called at any time from any thread. */
#ifndef FACULA_ERROR_H
#define FACULA_ERROR_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup error Errors
 *  @{ */

/** Kinds of errors. */
typedef enum fa_code {
    FA_OK,             /**< no error */
    FA_ERROR_ARGUMENT, /**< an invalid argument */
    FA_ERROR_SHAPE,    /**< shapes that do not match */
    FA_ERROR_DTYPE,    /**< dtypes that do not match, or that the operation does not support */
    FA_ERROR_DEVICE,   /**< operands on different devices, or a device that failed */
    FA_ERROR_INDEX,    /**< an index out of range */
    FA_ERROR_GRADIENT, /**< a gradient cannot be computed: not recorded, modified in place since, or the graph was freed
                        */
    FA_ERROR_MEMORY,   /**< out of memory */
    FA_ERROR_FILE,     /**< reading or writing a file failed */
    FA_ERROR_SYNC,     /**< a wait or copy that the setting `.forbid` does not allow */
    FA_ERROR_UNAVAILABLE, /**< a device, library or file format that is not available */
    FA_ERROR_STATE,       /**< a call at the wrong time, or on an object in the wrong state */
    FA_ERROR_USER,        /**< raised by user code */
    FA_ERROR_INTERNAL     /**< a bug in Facula */
} fa_code;

/** An error. A zeroed struct (`fa_error e = {0};`) means no error, and can be passed to `FA_USE(.catch_errors = &e)`.
 */
typedef struct fa_error {
    fa_code code;       /**< kind of error; FA_OK: none */
    bool seen;          /**< the program has looked at it */
    bool unfinished;    /**< internal: the failing call will still append its operands to the message */
    bool located;       /**< internal: the message begins with the line of the call */
    bool complete;      /**< internal: callers of the call that failed are not named */
    const char *line;   /**< internal: the line of the call, if it recorded one */
    const void *site;   /**< internal: its address otherwise */
    char message[1152]; /**< one line (newlines become spaces), truncated if it is too long. It begins with the file
                             and line of the program's call: "train.c:41: fa_matmul(...): ..." */
} fa_error;

/** Returns true if an error is set in this thread, or in the struct given by `FA_USE(.catch_errors = &e)`. Marks the
 *  error as seen. */
FA_API bool fa_failed(void);

/** Returns the code of the current error, or FA_OK. Marks the error as seen. */
FA_API fa_code fa_error_code(void);

/** Returns the message of the current error, or "" if there is none; never NULL. The string belongs to the library
 *  and is valid until fa_error_clear() or the end of the thread. Marks the error as seen. */
FA_API const char *fa_error_message(void);

/** Clears the current error, so that calls work again. */
FA_API void fa_error_clear(void);

/** The name of a code, such as "shape" for FA_ERROR_SHAPE; "unknown" for an invalid code. The string is static. */
FA_API const char *fa_code_name(fa_code code);

/** Sets an error from user code, such as a custom layer, a dataset or a callback. Ignored if an error is already set.
 *  `format` and the following arguments are those of printf. An invalid `code` becomes FA_ERROR_USER.
 *  @return always false, so that a function can end with `return fa_fail(FA_ERROR_USER, "no sample %d", i);` */
FA_API bool fa_fail(fa_code code, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
#define fa_fail(...) FA__CALLED(fa_fail(__VA_ARGS__))

/** Appends to the message of the current error, for callers that know more about where it happened, such as the layer
 *  of a network or the line of a file. `format` and the following arguments are those of printf. Does not mark the
 *  error as seen. Does nothing if no error is set. */
FA_API void fa_error_append(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
/* Appends `now` in place of `before`, if the message ends with that: for a place that is known better step by step. */
FA_API void fa__error_end(const char *before, const char *now);
/* Moves an error, for example one of another thread, to this thread: sets it unless an error is set, and clears
 * *from. */
FA_API void fa__error_hand_over(fa_error *from);

/** @} */

FA__END
#endif
