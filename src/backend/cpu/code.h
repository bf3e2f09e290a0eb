/* What a scalar program is on the CPU: steps over slots. A slot holds a tile of one value: an input's, a constant's, a
 * result's or one in between. */
#ifndef FA__CPU_CODE_H
#define FA__CPU_CODE_H
#include "backend/cpu/level.h"
#include "core/program.h"

enum {
    FA__MAX_SLOTS = FA__MAX_INPUTS + FA__MAX_OUTPUTS + FA__MAX_NODES,
    FA__TILE = 256,          /* elements at a time, at least where all slots fit a thread's stack, */
    FA__TILE_MOST = 1024,    /* and at most, */
    FA__TILE_CACHE = 24576,  /* where the tiles of all slots fit the first-level cache */
    FA__TILE_BYTES = 131072, /* of a thread's stack, for all slots; programs with many have shorter tiles */
    FA__TILE_GAP = 64,       /* bytes between the tiles of two slots: their lines then lie in different sets */
    FA__SERIAL = 16384       /* elements that are not worth a second thread */
};

typedef enum {
    FA__STEP_LOOP,
    FA__STEP_COPY,
    FA__STEP_CONVERT,
    FA__STEP_HOT,
    FA__STEP_INDEX,
    FA__STEP_UNIFORM,
    FA__STEP_NORMAL
} fa__step_kind;

typedef struct fa__step {
    uint8_t kind;     /* fa__step_kind */
    uint8_t prim;     /* of LOOP */
    uint8_t type;     /* fa__class of what it writes */
    uint8_t from;     /* of CONVERT: the dtype of what it reads */
    uint16_t o;       /* the slot it writes */
    uint16_t a, b, c; /* the slots it reads; for draws, a is the input whose value is the key */
} fa__step;

typedef struct fa__code_constant {
    uint16_t slot;
    uint8_t type;  /* fa__class */
    uint64_t bits; /* of that type, in the first bytes */
} fa__code_constant;

/* Slots 0 to inputs are the inputs, then come the outputs, then the rest. */
typedef struct fa__code {
    uint16_t inputs, outputs, slots, steps, constants;
    int16_t hot;   /* the number of its compiled loop, or -1 */
    bool placed;   /* values depend on the elements' numbers: dimensions keep their order */
    bool single;   /* one step that is a loop or HOT */
    bool typed;    /* steps are of several types */
    bool logical;  /* in integers, of steps that fa__cpu_simd->truth has too: may compute in bytes */
    uint8_t size;  /* bytes of an element, of the largest type */
    uint16_t tile; /* elements */
    bool read[FA__MAX_INPUTS];
    uint8_t type[FA__MAX_INPUTS + FA__MAX_OUTPUTS]; /* fa__class of the slots of inputs and outputs */
    int16_t same_as[FA__MAX_OUTPUTS];               /* the input that the output is nothing but, or -1 */
    uint16_t written[FA__MAX_OUTPUTS];              /* the step that writes it */
    uint16_t last_read[FA__MAX_INPUTS];             /* the last step that reads it */
    const fa__code_constant *constant;
    const fa__step *step;
} fa__code;

/* Lowers a program for a compute type, or one with types of its own; NULL with an error when there is no memory or a
 * primitive is not of its type. */
fa__code *fa__cpu_lower(const fa__program *program, fa__class class);
#endif
