/* The simulator of CUDA (cudasim/), where tests run on it: its functions for tests. */
#ifndef FA__TESTS_CUDASIM_H
#define FA__TESTS_CUDASIM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What cudasim/cudasim.h says of each. */
typedef struct cudasim_functions {
    void (*inject)(const char *call, long n, int code, bool sticky);
    long (*calls)(const char *call);
    void (*delay)(int64_t microseconds, const void *stream);
    void (*ignore_events)(bool);
    size_t (*allocated)(int device);
    bool (*reaches)(int device, const void *memory, size_t bytes);
    long (*conflicts)(void);
    long (*races)(char *text, size_t size);
} cudasim_functions;

/* NULL: CUDA's library is not the simulator. */
const cudasim_functions *test_cudasim(void);
#endif
