/* Generators: a seed and the number of the next call. The random values themselves are computed by the devices. */
#include "core/random.h"
#include "base/alloc.h"
#include "base/fork.h"
#include "core/capture.h"
#include "core/context.h"
#include <pthread.h>

struct fa_generator {
    fa__object object;
    pthread_mutex_t lock;
    fa_generator_state state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fa_generator_state process_state;

FA__LOCKED_AT_FORK(RANDOM, &lock)

static void generator_destroy(fa__object *o)
{
    pthread_mutex_destroy(&((fa_generator *)o)->lock);
    fa__object_free(o);
}

__attribute__((__constructor__)) static void generator_type(void)
{
    fa__object_type(FA__TYPE_GENERATOR, "generator", generator_destroy);
}

void fa_manual_seed(uint64_t seed)
{
    fa_set_random_state((fa_generator_state){.seed = seed});
}

fa_generator_state fa_random_state(void)
{
    pthread_mutex_lock(&lock);
    fa_generator_state s = process_state;
    pthread_mutex_unlock(&lock);
    return s;
}

static bool may_set(const char *name)
{
    return fa__capture_allows(name, "a replay would not set the state");
}

void fa_set_random_state(fa_generator_state state)
{
    if (!may_set("fa_set_random_state"))
        return;
    pthread_mutex_lock(&lock);
    process_state = state;
    pthread_mutex_unlock(&lock);
}

fa_generator *fa_generator_new(uint64_t seed)
{
    fa_generator *g = fa__object_new(FA__TYPE_GENERATOR, sizeof *g);
    if (!g)
        return NULL;
    pthread_mutex_init(&g->lock, NULL);
    g->state = (fa_generator_state){.seed = seed};
    return fa__own(g);
}

static bool is_generator(const fa_generator *g, const char *name)
{
    return (g && g->object.type == FA__TYPE_GENERATOR)
           || fa__fail(FA_ERROR_ARGUMENT, "%s: there is no generator", name);
}

fa_generator_state fa_generator_get(const fa_generator *generator)
{
    fa_generator_state state = {0};
    if (!is_generator(generator, "fa_generator_get"))
        return state;
    fa_generator *g = (fa_generator *)(uintptr_t)generator; /* other threads may be using the generator */
    pthread_mutex_lock(&g->lock);
    state = g->state;
    pthread_mutex_unlock(&g->lock);
    return state;
}

bool fa_generator_set(fa_generator *generator, fa_generator_state state)
{
    if (!is_generator(generator, "fa_generator_set") || !may_set("fa_generator_set"))
        return false;
    pthread_mutex_lock(&generator->lock);
    generator->state = state;
    pthread_mutex_unlock(&generator->lock);
    return true;
}

void fa_generator_use(fa_generator *generator)
{
    fa__context *c = fa__ctx();
    if (!c || (generator && !is_generator(generator, "fa_generator_use")))
        return;
    void *old = c->generator;
    c->generator = generator ? fa__ref(generator) : NULL;
    fa__unref(old);
}

fa_generator *fa__generator_used(void)
{
    const fa__context *c = fa__ctx();
    return c ? c->generator : NULL;
}

fa__key fa__draw_keys(void *generator, uint64_t count)
{
    fa_generator *g = generator;
    pthread_mutex_t *held = g ? &g->lock : &lock;
    fa_generator_state *state = g ? &g->state : &process_state;
    pthread_mutex_lock(held);
    fa__key key = {state->seed, state->call};
    state->call += count;
    pthread_mutex_unlock(held);
    return key;
}

fa__key fa__draw_key(void)
{
    fa__context *c = fa__ctx();
    fa_generator *g = c ? c->generator : NULL;
    fa__key key = fa__draw_keys(g, 1);
    fa__capture *capture = fa__capturing();
    if (FA__UNLIKELY(capture != NULL))
        capture->drawn(capture, g, key);
    return key;
}
