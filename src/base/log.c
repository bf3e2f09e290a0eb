/* Log messages to the program's function or to standard error, and the topics enabled by FACULA_LOG. */
#include "base/log.h"
#include "base/fork.h"
#include "base/text.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {
    [FA_LOG_DEBUG] = "debug",
    [FA_LOG_INFO] = "info",
    [FA_LOG_WARNING] = "warning",
    [FA_LOG_ERROR] = "error",
};

static struct {
    pthread_mutex_t lock;
    fa_log_function *function;
    void *context;
} target = {.lock = PTHREAD_MUTEX_INITIALIZER};

FA__LOCKED_AT_FORK(LOG, &target.lock)

static char topics[256]; /* the topics, with a comma at each end, or "" */
static pthread_once_t topics_once = PTHREAD_ONCE_INIT;

static void read_topics(void)
{
    const char *value = getenv("FACULA_LOG");
    if (!value || !*value)
        return;
    fa__text text = fa__text_in(topics, sizeof topics);
    fa__text_add(&text, ",%.250s,", value);
}

static bool listed(const char *topic)
{
    size_t length = strlen(topic);
    for (const char *at = topics; *at && at[1]; at = strchr(at + 1, ','))
        if (strncmp(at + 1, topic, length) == 0 && at[1 + length] == ',')
            return true;
    return false;
}

bool fa__log_wants(const char *topic)
{
    pthread_once(&topics_once, read_topics);
    return topics[0] && (listed(topic) || listed("all"));
}

enum { MESSAGE = 1200, KEPT = 32 };

/* Memory for a text: `room` if it is short. NULL if memory runs out. It is the C library's: the program's allocator may
 * log. */
static char *text_memory(char room[MESSAGE], size_t size)
{
    return size <= MESSAGE ? room : malloc(size);
}

static void text_free(const char room[MESSAGE], char *text)
{
    if (text != room)
        free(text);
}

static void (*_Atomic words)(char *message, size_t size);

void fa__log_words(void (*rewrite)(char *message, size_t size))
{
    words = rewrite;
}

static void to_standard_error(void *context, fa_log_level level, const char *message)
{
    (void)context;
    pthread_once(&topics_once, read_topics);
    if (level < FA_LOG_WARNING && !topics[0])
        return;
    void (*rewrite)(char *, size_t) = words;
    const size_t size = 2 * strlen(message) + 200; /* room for other words */
    char room[MESSAGE], *text = rewrite ? text_memory(room, size) : NULL;
    if (text) {
        memcpy(text, message, strlen(message) + 1);
        rewrite(text, size);
    }
    fprintf(stderr, "facula: %s: %s\n", level_names[level], text ? text : message);
    text_free(room, text);
}

void fa_set_log(fa_log_function *function, void *context)
{
    pthread_mutex_lock(&target.lock);
    target.function = function;
    target.context = context;
    pthread_mutex_unlock(&target.lock);
}

/* ---- messages that are kept ---- */
static struct {
    unsigned first, count;
    struct {
        fa_log_level level;
        char *message;
    } ring[KEPT];
} kept; /* with the target's lock */

void fa_log_keep(void *context, fa_log_level level, const char *message)
{
    char *copy = message ? strdup(message) : NULL;
    pthread_mutex_lock(&target.lock);
    if (context)
        __atomic_store_n((int *)context, 1, __ATOMIC_RELAXED);
    if (copy && kept.count < KEPT) {
        unsigned at = (kept.first + kept.count++) % KEPT;
        kept.ring[at].level = level;
        kept.ring[at].message = copy;
        copy = NULL;
    }
    pthread_mutex_unlock(&target.lock);
    free(copy);
}

bool fa_log_take(fa_log_level *level, char *message, size_t size)
{
    pthread_mutex_lock(&target.lock);
    bool there = level && (message || size == 0) && kept.count > 0;
    if (there) {
        *level = kept.ring[kept.first].level;
        snprintf(message, size, "%s", kept.ring[kept.first].message);
        free(kept.ring[kept.first].message);
        kept.first = (kept.first + 1) % KEPT;
        kept.count--;
    }
    pthread_mutex_unlock(&target.lock);
    return there;
}

/* ---- sending ---- */
/* Calls the program's function without the lock, since it may log or set another function. */
static void send(fa_log_level level, const char *message)
{
    int error = errno;
    pthread_mutex_lock(&target.lock);
    fa_log_function *function = target.function ? target.function : to_standard_error;
    void *context = target.context;
    pthread_mutex_unlock(&target.lock);
    function(context, level, message);
    errno = error;
}

/* Sends a message of any length, which begins with a line of the program or "". If memory for it runs out, it is cut.
 */
static void compose(fa_log_level level, const char *line, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t size = strlen(line) + (length < 0 ? 0 : (size_t)length) + 3;
    char room[MESSAGE], *message = text_memory(room, size);
    if (!message) {
        message = room;
        size = sizeof room;
    }
    fa__text text = fa__text_in(message, size);
    fa__text_add(&text, *line ? "%s: " : "%s", line);
    fa__text_add_list(&text, format, list);
    send(level, message);
    text_free(room, message);
}

void fa__log(fa_log_level level, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    compose(level, "", format, list);
    va_end(list);
}

void fa__warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    compose(FA_LOG_WARNING, fa__line ? fa__line : "", format, list);
    va_end(list);
}
