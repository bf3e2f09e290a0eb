/* Walks over the elements of a launch: its dimensions made few, a cursor over them, and tiles of a program's slots that
 * are the operands' memory itself or copies of it. Shared by programs and reductions. */
#ifndef FA__CPU_WALK_H
#define FA__CPU_WALK_H
#include "backend/cpu/code.h"
#include "backend/device.h"
#include "base/integer.h"

enum { FA__MAX_LANES = FA__MAX_INPUTS + FA__MAX_OUTPUTS };

/* One operand, by the number of its slot. */
typedef struct fa__lane {
    char *data;
    const fa__operand *operand;
    const fa__simd_class *simd;  /* of the type that its slot has */
    uint8_t size;                /* bytes of an element */
    bool memory;                 /* otherwise a value, or not read at all */
    bool own;                    /* of that type's own dtype */
    bool linear;                 /* contiguous over all dimensions */
    bool line;                   /* own, and neighbours along the last dimension are neighbours in memory */
    bool repeats;                /* the same elements on each line, or the same element along it */
    bool apart;                  /* an output that may not be written before the tile is finished */
    bool stream;                 /* an output that goes past the caches */
    bool turned;                 /* an input whose neighbours in memory lie along the last dimension but one (turn.c) */
    int64_t stride[FA_MAX_DIMS]; /* in bytes */
} fa__lane;

typedef struct fa__walk {
    const fa__launch *launch;
    const fa__code *code;
    const fa__simd_class *simd; /* of the launch's type: of all values, when the code is not typed */
    int rank;                   /* at least 1 */
    int kept;                   /* of them; reductions */
    int lanes;                  /* inputs, then outputs */
    bool spans;                 /* tiles are several whole lines; else they end where a line does */
    int64_t n, inner;
    int64_t tile; /* elements of one step */
    int64_t shape[FA_MAX_DIMS];
    fa__lane lane[FA__MAX_LANES];
} fa__walk;

/* A place in the walk. */
typedef struct fa__cursor {
    int64_t position, column;        /* in logical order; along the last dimension */
    int64_t coordinate[FA_MAX_DIMS]; /* of the line */
    char *line[FA__MAX_LANES];       /* where it begins */
} fa__cursor;

/* What one thread works with. Large: on the stack, never cleared. */
typedef struct fa__worker {
    const fa__walk *walk;
    fa__cursor at;
    void *slot[FA__MAX_SLOTS];
    const char *filled[FA__MAX_LANES]; /* what a lane that repeats was loaded from, and how much */
    int64_t filled_count[FA__MAX_LANES];
    _Alignas(64) char memory[FA__TILE_BYTES];
} fa__worker;

/* Fills a walk from a launch, whose outputs only count when `outputs`; drops dimensions of size 1. */
void fa__walk_begin(fa__walk *w, const fa__launch *l, const fa__code *code, bool outputs);
/* Puts the dimensions from..to in the order of the first output's (or else input's) strides. */
void fa__walk_sort(fa__walk *w, int from, int to);
/* Joins neighbours among the dimensions from..to that all lanes step through as one; returns how many went away. */
int fa__walk_join(fa__walk *w, int from, int to);
/* Moves a dimension to the end. */
void fa__walk_move_last(fa__walk *w, int dim);
/* Afterwards: what the lanes are like. */
void fa__walk_classify(fa__walk *w);
/* The same when tiles are always parts of a line. */
void fa__walk_classify_lines(fa__walk *w);

/* Where some inputs are stored across the order of the output: false when there are none or too few elements. Else
 * the dimensions are put so that blocks of rows and columns are read along memory and turned over in the caches; units
 * of work are then fa__turned_units, done by fa__turned_run (turn.c). */
bool fa__walk_turn(fa__walk *w);
int64_t fa__turned_units(const fa__walk *w);
void fa__turned_run(void *walk, int64_t begin, int64_t end);

/* Sets up slots, constants and values for tiles of up to n elements. */
void fa__worker_begin(fa__worker *k, const fa__walk *w, int64_t n);
void fa__worker_seek(fa__worker *k, int64_t position);
/* The slots of the inputs: n elements from the cursor on. */
void fa__worker_load(fa__worker *k, int64_t n);
/* Where the outputs of this tile are computed into. */
void fa__worker_aim(fa__worker *k, int64_t n);
void fa__worker_steps(fa__worker *k, int64_t n);
/* What was not computed in place. */
void fa__worker_store(fa__worker *k, int64_t n);
void fa__worker_advance(fa__worker *k, int64_t n);
/* To the same column of the next line. */
void fa__worker_next_line(fa__worker *k);

/* How many elements the next tile has, when `left` are to be done. */
static inline int64_t fa__worker_next(const fa__worker *k, int64_t left)
{
    const fa__walk *w = k->walk;
    int64_t n = fa__min(w->tile, left);
    return w->spans ? n : fa__min(n, w->inner - k->at.column);
}
#endif
