/** @file
 *  Integration with the host program: memory allocation, threads, logging, stopping, plugins, and atomic file writes.
 *  Ordinary programs need none of this. */
#ifndef FACULA_HOST_H
#define FACULA_HOST_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup host Memory allocation, threads, logging and stopping
 *  @{ */

/** A memory allocator. Several threads may call both functions at the same time, also while the library holds locks:
 *  they must not call the library or fork. */
typedef struct fa_allocator {
    /** Allocates at least `size` bytes aligned to `alignment` (a power of two, at least 16). Returns NULL on failure.
     *  `size` is never 0. */
    void *(*allocate)(void *context, size_t size, size_t alignment);
    /** Frees `memory`, which is never NULL; `size` is the size passed to `allocate`. */
    void (*release)(void *context, void *memory, size_t size);
    void *context; /**< passed to both functions */
} fa_allocator;

/** Uses `allocator` for all host memory; NULL: that of the C library, which is the default. The struct is copied; its
 *  context must live until the process ends. Call it first, before any other thread uses the library: after the first
 *  allocation it fails with FA_ERROR_STATE.
 *  @return false and an error if it failed */
FA_API bool fa_set_allocator(const fa_allocator *allocator);

/** Sets the number of threads for computations, including the calling thread; takes effect with the next computation.
 *  0 restores the default: the environment variable FACULA_NUM_THREADS, or the number of CPUs available to the
 *  process. Results do not depend on it. Negative values of `threads` are an FA_ERROR_ARGUMENT; values above 256 are
 *  treated as 256. May be called at any time from any thread. */
FA_API void fa_set_num_threads(int threads);

/** The maximum number of threads for a computation, including the calling thread. */
FA_API int fa_num_threads(void);

/** A parallel loop over 0 to `count`: calls `body(body_context, begin, end)` for ranges that together cover each
 *  number exactly once, and returns when all calls have returned. Ranges should not be shorter than `grain`, as they
 *  would not be worth a thread. `body` never fails, and may be called from any thread, including the calling one. */
typedef void fa_parallel_for(void *context, int64_t count, int64_t grain,
                             void (*body)(void *body_context, int64_t begin, int64_t end), void *body_context);

/** Runs the library's parallel loops with `function(context, ...)`, for programs with a thread pool of their own;
 *  NULL restores the library's own threads. `context` must live as long as the function is set. Must not be called
 *  during a computation.
 *  @return true */
FA_API bool fa_set_parallel_for(fa_parallel_for *function, void *context);

/** Severity of a log message. */
typedef enum fa_log_level { FA_LOG_DEBUG, FA_LOG_INFO, FA_LOG_WARNING, FA_LOG_ERROR } fa_log_level;

/** Receives a log message: one line without a newline, valid until the function returns. Several threads may call it
 *  at the same time; it must not fork. */
typedef void fa_log_function(void *context, fa_log_level level, const char *message);

/** Sends log messages of all levels to `function(context, ...)`. NULL restores the default: warnings and errors are
 *  written to standard error as "facula: warning: ...", other levels only if the environment variable FACULA_LOG
 *  lists their topic. Topics, separated by commas: "placement" (where operations run, and which copies that causes),
 *  "fallback" (operations that run on the CPU in place of a device), "all". The function may be called until the
 *  process ends, even after main() has returned. May be called at any time from any thread. */
FA_API void fa_set_log(fa_log_function *function, void *context);
/* Logs a warning about the call that this thread is in, which begins with its file and line. */
FA_API void fa__warn(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
/* A shape in a message: "(1, 3, 8, 8)". */
typedef struct fa__shape_text {
    char text[FA_MAX_DIMS * 22 + 3];
} fa__shape_text;
FA_API fa__shape_text fa__shape_write(fa_shape shape);
/* Sets the function that rewrites what goes to standard error, in memory of `size` bytes, in the words of another
 * language; NULL: none. */
FA_API void fa__log_words(void (*rewrite)(char *message, size_t size));

/** A log function that keeps each `message` and its `level` for fa_log_take(), for programs of which no function can
 *  be called at that moment: `fa_set_log(fa_log_keep, NULL)`. It holds up to 32 messages and drops later ones;
 *  `context` is NULL, or points to an int that it sets to 1. Thread-safe. */
FA_API void fa_log_keep(void *context, fa_log_level level, const char *message);
/** Takes the oldest message that fa_log_keep() has kept, of any thread: copies it to `message`, which has room for
 *  `size` bytes, and its level to `level`. False if there is none, or for NULL. Thread-safe. */
FA_API bool fa_log_take(fa_log_level *level, char *message, size_t size);

/** Requests that the loops FA_EACH, FA_REPEAT and the training command end after the current iteration. Safe in a
 *  signal handler and from any thread. */
FA_API void fa_stop(void);

/** Returns true if fa_stop() was called. Safe in a signal handler and from any thread. */
FA_API bool fa_stopped(void);

/** Resets fa_stop(), so that loops run again. */
FA_API void fa_stop_clear(void);

/** @} */

/* Background threads, on which loops of the library use no further threads. */
typedef struct fa__crew fa__crew;
/* Starts up to `count` threads, each of which calls work(context) once. `wake` makes these calls return soon. NULL if
 * there is no thread to be had, as in a forked child, with an error if memory ran out. */
FA_API fa__crew *fa__crew_start(int count, void (*work)(void *context), void (*wake)(void *context), void *context);
/* False in a forked child, and once the process ends: then there are no threads. */
FA_API bool fa__crew_works(const fa__crew *crew);
/* Calls wake(context), joins the threads and frees the crew. False, and nothing is done, in a forked child: what the
 * threads shared may be half modified there. */
FA_API bool fa__crew_end(fa__crew *crew);

/** @defgroup plugin Plugins
 *
 *  Plugins are small shared objects for the parts of Facula that need a third-party library. A plugin is built if the
 *  headers of its library are installed. It is loaded on first use and stays loaded. A call that needs a missing
 *  plugin fails with an error that says why.
 *
 *  | plugin | used for | library | |---|---|---| | gzip | compressed dataset files | zlib | | image | PNG and
 *  JPEG files | libpng, libjpeg |
 *
 *  They are searched in the folder named by the environment variable FACULA_PLUGINS; in facula-plugins beside the
 *  program or library that contains this code, and beside its folder; and in the install location.
 *  @{ */

/** Returns true if the plugin with this name, such as "gzip", exists and can be loaded. Sets no error. May be called
 *  from any thread. */
FA_API bool fa_plugin_available(const char *name);

/** The function table of a plugin, whose type is declared in plugins/NAME.h. May be called from any thread.
 *  @param name    name of the plugin, such as "gzip": a string literal
 *  @param purpose the end of the error message, such as "to read data/train.gz"
 *  @return the table, which stays valid; NULL and FA_ERROR_UNAVAILABLE with the reason if the plugin is missing */
FA_API const void *fa__plugin(const char *name, const char *purpose);

/** @} */

/** @defgroup file Atomic file writes
 *
 *  Replaces a file so that readers see either the old or the new content, never a part of it. fa_save() uses this;
 *  programs can use it for their own files.
 *
 *      fa_file out;
 *      if (fa_file_begin(&out, "log.csv") && fa_file_put(&out, text, size))
 *          fa_file_commit(&out);
 *      fa_file_abandon(&out);
 *
 *  Failures set FA_ERROR_FILE with the file's name and the reason. Several threads may write different files at the
 *  same time.
 *  @{ */

/** A file being written. */
typedef struct fa_file {
    int file;   /**< file descriptor; -1: none */
    char *path; /**< final path; owned by the library */
    char
        *temporary; /**< path of the temporary file beside it; NULL: writes go directly to `path`, a device or a pipe */
} fa_file;

/** Opens a temporary file in the folder of `path`, named like it with a random number and ".part" at the end;
 *  fa_file_commit() renames it to `path`. What a killed process left of this kind is removed. Symbolic links are
 *  followed, also to a file that does not exist yet, and the mode of an existing file is kept. If `path` is not a
 *  regular file, it is written directly. After a failure, fa_file_abandon() is not needed. */
FA_API bool fa_file_begin(fa_file *out, const char *path);

/** Appends `size` bytes of `data`. */
FA_API bool fa_file_put(fa_file *out, const void *data, size_t size);

/** Flushes the data to disk (fsync) and renames the file to its final path. On failure, the old file is unchanged.
 *  Closes `out` in both cases. */
FA_API bool fa_file_commit(fa_file *out);

/** Discards the new file. Does nothing after fa_file_commit() or a failed fa_file_begin(). */
FA_API void fa_file_abandon(fa_file *out);

/** Replaces the content of the file `path` by `size` bytes of `data`, in one call. */
FA_API bool fa_file_write(const char *path, const void *data, size_t size);

/* Opens a regular file for reading; never waits, as opening a pipe may. `who` is for the error, such as "fa_load". The
 * descriptor; -1 and an error that names the path on failure. */
FA_API int fa__file_open(const char *who, const char *path, int64_t *size);

/** @} */

FA__END
#endif
