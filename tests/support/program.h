/* Random programs (tests/cpu/random_programs.c): their variables, and what their lines do. What a line is stands in
 * tests/reference/README.md. */
#ifndef FA__TESTS_PROGRAM_H
#define FA__TESTS_PROGRAM_H
#include "support/attempt.h"

enum { MOST_VARIABLES = 128, MOST_LINES = 128 };

typedef struct machine {
    const char *line[MOST_LINES]; /* each ends in a NUL */
    int lines, at;                /* at: the line that runs, from 0 */
    fa_device where;
    fa_tensor *x[MOST_VARIABLES]; /* NULL: a gradient that there is none of */
    int count;
    char kind[16]; /* the dtype of most of its tensors, or "mixed" */
    double tolerance;
    bool lenient;  /* PyTorch does the line */
    bool over;     /* what follows cannot be compared */
    sample values; /* its seed makes the values of leaves and weights */
} machine;

/* Runs the line m->at, of which `line` is the text without what is to be seen; whether the library did it. */
bool machine_run(machine *, const char *line);
/* The variable that is named at s; NULL: there is none. */
fa_tensor *machine_variable(const machine *, const char *s);
/* The sum of the elements times weights, and of its terms' sizes. */
bool machine_sum(const machine *, const fa_tensor *t, double *sum, double *size);

/* Whether the word comes next; goes past it. */
bool word_is(const char **s, const char *word);
/* The next word, "" at the end. */
const char *word_next(const char **s, char *to, size_t room);
#endif
