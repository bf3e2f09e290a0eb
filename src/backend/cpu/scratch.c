/* Working memory of a thread: one buffer that grows, found by a thread-local variable, freed by a key's destructor, and
 * for the thread that ends the process at its end. */
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include <pthread.h>

enum { ALIGNMENT = 64, SMALLEST = 1 << 16 };

static FA__TLS struct {
    void *data;
    size_t size;
} scratch;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool key_made;

static void end_thread(void *data)
{
    fa__aligned_free(data);
    scratch.data = NULL;
    scratch.size = 0;
}

static void end_process(void)
{
    end_thread(scratch.data); /* the key stays: other threads' buffers go by it */
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, end_thread) == 0 && fa__at_exit(end_process);
}

void fa__cpu_scratch_release(void)
{
    if (scratch.data)
        pthread_setspecific(key, NULL);
    end_thread(scratch.data);
}

static void *grow(size_t bytes)
{
    pthread_once(&once, make_key);
    if (!key_made) {
        fa__fail(FA_ERROR_MEMORY, "no key for working memory of threads");
        return NULL;
    }
    fa__cpu_scratch_release();
    size_t size = bytes < SMALLEST ? SMALLEST : bytes;
    scratch.data = fa__aligned(ALIGNMENT, size);
    if (!scratch.data)
        return NULL;
    scratch.size = size;
    pthread_setspecific(key, scratch.data);
    return scratch.data;
}

void *fa__cpu_scratch(size_t bytes)
{
    return FA__LIKELY(scratch.data && bytes <= scratch.size) ? scratch.data : grow(bytes);
}
