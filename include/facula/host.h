/** @file
 *  For the program that Facula is part of: where memory comes from, how many threads work, where messages go, and how
 *  to stop. None of it is needed for ordinary use. */
#ifndef FACULA_HOST_H
#define FACULA_HOST_H
#include <facula/types.h>

FA__BEGIN

/** A source of host memory. Both functions may be called by several threads at once, and while the library holds locks:
 *  they use nothing of it, and do not fork. */
typedef struct fa_allocator {
    /** Gives at least `size` bytes aligned to `alignment` (a power of two, 16 or more), or NULL. `size` is never 0. */
    void *(*allocate)(void *context, size_t size, size_t alignment);
    /** Takes back what `allocate` gave; `size` is what was asked for. `memory` is never NULL. */
    void (*release)(void *context, void *memory, size_t size);
    void *context; /**< handed to both */
} fa_allocator;

/** Takes all further host memory from `allocator`; NULL stands for the C library's, which is the default. `*allocator`
 *  is copied; its context has to live until the process ends. To be called before anything else, by one thread: after
 *  the first allocation it is refused with FA_ERROR_STATE.
 *  @return false, with an error, if it was refused. */
FA_API bool fa_set_allocator(const fa_allocator *allocator);

/** Lets computations use `threads` threads, the caller's counted in, from the next one on; 0 goes back to the default:
 *  the CPUs that the process may run on, or the environment's FACULA_NUM_THREADS. Results never depend on it. A
 *  negative number is an FA_ERROR_ARGUMENT. More than 256 count as 256. May be called at any time by any thread. */
FA_API void fa_set_num_threads(int threads);

/** How many threads a computation uses at most, the caller's counted in. */
FA_API int fa_num_threads(void);

/** A loop over 0 to `count`, shared between threads: calls `body(body_context, begin, end)` for ranges that cover every
 *  number once, and returns when all are done. Ranges shorter than `grain` are not worth a thread. `body` never fails
 *  and may be called by any thread, by the calling one included. */
typedef void fa_parallel_for(void *context, int64_t count, int64_t grain,
                             void (*body)(void *body_context, int64_t begin, int64_t end), void *body_context);

/** Runs Facula's loops by `function(context, ...)`, so that a program with threads of its own keeps to those; NULL goes
 *  back to Facula's own threads. `context` has to live as long as it is set. To be called while nothing is computed.
 *  @return true. */
FA_API bool fa_set_parallel_for(fa_parallel_for *function, void *context);

/** How much a message matters. */
typedef enum fa_log_level { FA_LOG_DEBUG, FA_LOG_INFO, FA_LOG_WARNING, FA_LOG_ERROR } fa_log_level;

/** Receives a message: one line without a newline, which lives until the function returns. May be called by several
 *  threads at once; does not fork. */
typedef void fa_log_function(void *context, fa_log_level level, const char *message);

/** Sends messages of every level to `function(context, ...)`; NULL goes back to the default: warnings and errors go to
 *  standard error as a line "facula: warning: ...", the other levels only if the environment's FACULA_LOG names topics
 *  (a list with commas: "placement" for where operations ran and what was copied for that, "fallback" for what the CPU
 *  did for a device; "all" for all of them). The function is called until the process ends, even
 *  after main() has returned. May be called at any time by any thread. */
FA_API void fa_set_log(fa_log_function *function, void *context);

/** Asks the loops of Facula (FA_EACH, FA_REPEAT, training) to end after the step they are in. Safe in a signal handler
 *  and from any thread. */
FA_API void fa_stop(void);

/** Whether fa_stop() was called. Safe in a signal handler and from any thread. */
FA_API bool fa_stopped(void);

/** Forgets fa_stop(), so that loops run again. */
FA_API void fa_stop_clear(void);

/** @defgroup plugin Plugins: parts of the library that need a library of others. Each is a small shared object, built
 * where that one's headers are, opened when it is first needed, and kept; a call that needs one that is not there says
 * so, and why.
 *
 *  | plugin | for | library |
 *  |---|---|---|
 *  | gzip | compressed files of data sets | zlib |
 *  | json | the heads of safetensors files | jansson |
 *  | image | PNG and JPEG files | libpng, libjpeg |
 *
 *  They are looked for in the folder that FACULA_PLUGINS names; in facula-plugins beside the program or library that
 *  holds this one, and beside its folder; and where `make install` puts them.
 *  @{ */

/** Whether a plugin is there and can be opened: "gzip". No error when it is not. Any thread. */
FA_API bool fa_plugin_available(const char *name);

/** The table of functions of a plugin, whose type is in plugins/NAME.h. The name is a literal.
 *  @param name    "gzip"
 *  @param purpose what it is for, as a message goes on: "to read data/train.gz"
 *  @return NULL and FA_ERROR_UNAVAILABLE with the reason when it is not there. It stays open and valid. Any thread. */
FA_API const void *fa__plugin(const char *name, const char *purpose);

/** @} */

/** @defgroup file Writing a file so that a reader sees the old one or the new one, never half of it: fa_save() does,
 * and programs that write files of their own can.
 *
 *      fa_file out;
 *      if (fa_file_begin(&out, "log.csv") && fa_file_put(&out, text, size))
 *          fa_file_commit(&out);
 *      fa_file_abandon(&out);
 *
 *  Failures raise FA_ERROR_FILE with the file's name and the reason. Different files may be written by different
 * threads at once.
 *  @{ */

/** A file being written. */
typedef struct fa_file {
    int file;        /**< its descriptor; -1: none */
    char *path;      /**< what it will be; the library's */
    char *temporary; /**< what it is until then, beside it; NULL: path itself, a device or a pipe */
} fa_file;

/** Begins to write a file beside `path`, to be put in its place by fa_file_commit(). A link is followed, the mode of a
 *  file that is already there is kept, and what is no regular file is written directly. After a failure there is
 * nothing to abandon. */
FA_API bool fa_file_begin(fa_file *out, const char *path);

/** Adds `size` bytes of `data`. */
FA_API bool fa_file_put(fa_file *out, const void *data, size_t size);

/** Makes what was put safe on disk (fsync) and puts it in its place (rename). On failure the old file is as it was.
 * Ends `out` in both cases. */
FA_API bool fa_file_commit(fa_file *out);

/** Throws away what was put. Does nothing after a commit, or a begin that failed. */
FA_API void fa_file_abandon(fa_file *out);

/** A file of `size` bytes of `data` in one go. */
FA_API bool fa_file_write(const char *path, const void *data, size_t size);

/** @} */

FA__END
#endif
