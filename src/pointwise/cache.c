/* Expressions of users, by text and names. Finding one takes a shared lock; what nobody holds is dropped when there are
 * many, longest unused first, as nearly as one bit an expression can tell. */
#include "base/alloc.h"
#include "base/fork.h"
#include "base/hash.h"
#include "base/thread.h"
#include "pointwise/body.h"
#include <pthread.h>
#include <string.h>

enum { BUCKETS = 4096, ENOUGH = 4096 };

static struct {
    pthread_rwlock_t lock;
    pthread_once_t once;
    fa__body *bucket[BUCKETS];
    int count;
    unsigned hand; /* the bucket that is looked at next for what can be dropped */
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER, .once = PTHREAD_ONCE_INIT};

/* The lock knows its writer by a number that the child does not have: it gets a fresh one. */
static void around_fork(fa__fork_moment moment)
{
    if (moment == FA__FORK_BEFORE)
        pthread_rwlock_wrlock(&cache.lock);
    else if (moment == FA__FORK_PARENT)
        pthread_rwlock_unlock(&cache.lock);
    else
        cache.lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
}

FA__AROUND_FORK(EXPRESSIONS, around_fork)

/* Of the text alone, which is nearly always enough; a word at a time, since each call of a user's passes here. */
static uint64_t hash_text(const char *text)
{
    size_t length = strlen(text);
    uint64_t hash = length, word = 0;
    for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (word = 0; length > 0; length--)
        word = word << 8 | (unsigned char)*text++;
    return fa__hash_mix(hash ^ word);
}

static bool same_names(const char *const *a, int na, const char *const *b, int nb)
{
    if (na != nb)
        return false;
    for (int i = 0; i < na; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool is_key(const fa__body *body, uint64_t hash, const char *text, const fa__signature *s)
{
    const fa__expression *e = &body->expression;
    return body->hash == hash && !strcmp(e->text, text) && same_names(e->names, e->ninputs, s->inputs, s->ninputs)
           && same_names(body->outputs, body->noutputs, s->outputs, s->noutputs);
}

/* A reference to what is there, or NULL. Under the lock. */
static const fa__expression *find(uint64_t hash, const char *text, const fa__signature *s)
{
    for (fa__body *body = cache.bucket[hash % BUCKETS]; body; body = body->next) {
        if (!is_key(body, hash, text, s))
            continue;
        if (!atomic_load_explicit(&body->recent, memory_order_relaxed))
            atomic_store_explicit(&body->recent, true, memory_order_relaxed);
        return fa__expression_ref(&body->expression);
    }
    return NULL;
}

/* Takes what `all` or disuse says out of a bucket, and gives it to `dropped`. Nobody can take a reference meanwhile. */
static void drop(fa__body **bucket, bool all, fa__body **dropped)
{
    for (fa__body **at = bucket; *at;) {
        fa__body *body = *at;
        bool held = atomic_load_explicit(&body->references, memory_order_relaxed) > 1;
        bool recent = atomic_exchange_explicit(&body->recent, false, memory_order_relaxed);
        if (!all && (held || recent)) {
            at = &body->next;
            continue;
        }
        *at = body->next;
        body->next = *dropped;
        *dropped = body;
        cache.count--;
    }
}

static void free_all(fa__body *dropped)
{
    while (dropped) {
        fa__body *next = dropped->next;
        fa__expression_free(&dropped->expression);
        dropped = next;
    }
}

void fa__expression_cache_clear(void)
{
    fa__body *dropped = NULL;
    pthread_rwlock_wrlock(&cache.lock);
    for (int i = 0; i < BUCKETS; i++)
        drop(&cache.bucket[i], true, &dropped);
    pthread_rwlock_unlock(&cache.lock);
    free_all(dropped);
}

static void clear_at_exit(void)
{
    fa__at_exit(fa__expression_cache_clear);
}

/* Puts a new expression in, or returns the one that another thread put in first. */
static const fa__expression *keep(fa__expression *made, uint64_t hash, const char *text, const fa__signature *s)
{
    fa__body *body = (fa__body *)made, *dropped = NULL;
    pthread_once(&cache.once, clear_at_exit);
    pthread_rwlock_wrlock(&cache.lock);
    const fa__expression *first = find(hash, text, s);
    if (!first) {
        for (int step = 0; step < 2 * BUCKETS && cache.count >= ENOUGH; step++)
            drop(&cache.bucket[cache.hand++ % BUCKETS], false, &dropped);
        body->hash = hash;
        body->next = cache.bucket[hash % BUCKETS];
        cache.bucket[hash % BUCKETS] = body;
        cache.count++;
        first = fa__expression_ref(made);
        made = NULL;
    }
    pthread_rwlock_unlock(&cache.lock);
    fa__expression_free(made);
    free_all(dropped);
    return first;
}

const fa__expression *fa__expression_cached(const char *text, const fa__signature *signature, fa__parse_error *error)
{
    uint64_t hash = hash_text(text);
    error->position = 0;
    error->message[0] = 0;
    pthread_rwlock_rdlock(&cache.lock);
    const fa__expression *e = find(hash, text, signature);
    pthread_rwlock_unlock(&cache.lock);
    if (e)
        return e;
    fa__expression *made = fa__expression_parse(text, signature, error);
    return made ? keep(made, hash, text, signature) : NULL;
}
