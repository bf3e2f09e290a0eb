/* Working memory of a thread: kept between calls, because fresh pages cost more than what is computed in them. */
#ifndef FA__BACKEND_CPU_SCRATCH_H
#define FA__BACKEND_CPU_SCRATCH_H
#include <stddef.h>

/* A buffer of the calling thread, aligned to 64 bytes, with unspecified contents; valid until the thread's next call,
 * and freed when the thread ends. NULL, with the error set, when memory runs out. */
void *fa__cpu_scratch(size_t bytes);

/* Frees the calling thread's buffer now; the next call makes a new one. */
void fa__cpu_scratch_release(void);
#endif
