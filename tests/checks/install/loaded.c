/* A program that is not linked to the library: it opens it, uses it on several threads, closes it while one of them
 * lives on, and does so again. Usage: loaded LIBRARY */
#include <dlfcn.h>
#include <facula/facula.h>
#include <pthread.h>
#include <stdio.h>

static void *library;

/* The library's function of that name, by the type that the header gives it. */
#define FUNCTION(name) __typeof__(&(name)) its_##name = (__typeof__(&(name)))find(#name)

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    if (!function)
        fprintf(stderr, "%s\n", dlerror());
    return function;
}

/* Large enough for the pool, with an expression, a gradient, and a kernel that keeps working memory. */
static bool compute(void)
{
    FUNCTION(fa_full);
    FUNCTION(fa_mul);
    FUNCTION(fa_sum);
    FUNCTION(fa_softmax);
    FUNCTION(fa_item);
    FUNCTION(fa_backward);
    FUNCTION(fa_grad);
    FUNCTION(fa__pointwise);
    FUNCTION(fa_failed);
    FUNCTION(fa_set_requires_grad);
    if (!its_fa_full || !its_fa_mul || !its_fa_sum || !its_fa_softmax || !its_fa_item || !its_fa_backward
        || !its_fa_grad || !its_fa__pointwise || !its_fa_failed || !its_fa_set_requires_grad)
        return false;
    fa_tensor *x = its_fa_full(FA_SHAPE(1000, 1000), fa__arg_f(2), NULL);
    its_fa_softmax(x, 1, NULL);
    its_fa_set_requires_grad(x, true);
    fa_arg product = fa__arg_t(its_fa_mul(fa__arg_t(x), fa__arg_t(x), NULL));
    fa_tensor *sum = its_fa_sum(its_fa__pointwise("x + 1", 1, &product), NULL);
    return its_fa_item(sum) == 5e6 && its_fa_backward(sum, NULL) && its_fa_item(its_fa_sum(its_fa_grad(x), NULL)) == 4e6
           && !its_fa_failed();
}

static pthread_barrier_t used, closed;

static void *live_on(void *good)
{
    *(bool *)good = compute();
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return NULL;
}

static bool round_trip(const char *path)
{
    pthread_t thread;
    bool there = false;
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fprintf(stderr, "%s\n", dlerror()), false;
    if (pthread_create(&thread, NULL, live_on, &there))
        return false;
    bool here = compute();
    pthread_barrier_wait(&used);
    int status = dlclose(library);
    bool gone = !dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    pthread_barrier_wait(&closed);
    pthread_join(thread, NULL);
    if (!here || !there || status || !gone)
        fprintf(stderr, "here %d, there %d, dlclose %d, gone %d\n", here, there, status, gone);
    return here && there && !status && gone;
}

int main(int count, char **arguments)
{
    pthread_barrier_init(&used, NULL, 2);
    pthread_barrier_init(&closed, NULL, 2);
    for (int i = 0; i < 3; i++)
        if (count < 2 || !round_trip(arguments[1]))
            return 1;
    return 0;
}
