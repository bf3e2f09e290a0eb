/* Finding the simulator of CUDA in the process. */
#define _GNU_SOURCE
#include "support/cudasim.h"
#include <dlfcn.h>
#include <stdlib.h>

static bool find(void *library, const char *name, void *pointer)
{
    return (*(void **)pointer = dlsym(library, name)) != NULL;
}

const cudasim_functions *test_cudasim(void)
{
    static cudasim_functions found;
    const char *name = getenv("FACULA_CUDA_LIBRARY");
    void *library = name && *name ? dlopen(name, RTLD_NOW) : NULL;
    bool all =
        library && find(library, "cudasim_fail", &found.inject) && find(library, "cudasim_calls", &found.calls)
        && find(library, "cudasim_delay", &found.delay) && find(library, "cudasim_ignore_events", &found.ignore_events)
        && find(library, "cudasim_allocated", &found.allocated) && find(library, "cudasim_reaches", &found.reaches)
        && find(library, "cudasim_races", &found.races) && find(library, "cudasim_conflicts", &found.conflicts);
    return all ? &found : NULL;
}
