/* The programs that a run of tests launches, for tests/gpu/source.c, which compiles them: whatever is launched joins by
 * itself. FACULA_TEST_RECORD names a folder; each program has a file there for each class and shape that a GPU would
 * take for it. */
#ifndef FA__TESTS_RECORD_H
#define FA__TESTS_RECORD_H
#include "backend/gpu/gpu.h"

/* A file. Nodes, their types where the program has types, and the text, with a 0 at its end, follow. */
typedef struct recorded {
    uint32_t class, shape, nodes, inputs, outputs, typed, text; /* text: its bytes */
    uint16_t output[FA__MAX_OUTPUTS];
} recorded;

/* The same for programs that compute the same values by the same steps. */
uint64_t record_key(const fa__ssa *, fa__class, int shape);
/* From now on what runs on the CPU and on late devices is recorded, when FACULA_TEST_RECORD is set. */
void record_begin(void);
#endif
