/* Other programs: one that answers lines, or one that runs to its end. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct bench_child {
    pid_t pid; /* 0: there is none */
    FILE *to, *from;
} bench_child;

/* Starts a program whose standard input and output are ours. */
bool bench_child_start(bench_child *, const char *const *arguments);
/* Says a line and reads the answer, without its newline; false when the program has ended. */
bool bench_child_ask(bench_child *, const char *line, char *answer, size_t size);
/* Closes its input and waits for its end. */
void bench_child_end(bench_child *);

/* Runs a program to its end, without its output: seconds, and the most memory that it had at once, in bytes. False when
 * it does not exit with 0. */
bool bench_child_run(const char *const *arguments, double *seconds, double *memory);
#endif
