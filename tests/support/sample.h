/* Samples: the calls that a row says to try, parsed from its SAMPLES text, and the values of their tensors. The grammar
 * stands in tests/reference/README.md; tests/reference/samples.py has the same grammar and the same values. */
#ifndef FA__TESTS_SAMPLE_H
#define FA__TESTS_SAMPLE_H
#include "dispatch/row.h"
#include "samples.h"

enum { MOST_TENSORS = 12, MOST_RESULTS = 16, MOST_NUMBERS = 32, MOST_ARGS = 1024, MOST_TEXT = 512 };

/* A tensor of a sample: a field, or an item of a field that is a list. */
typedef struct operand {
    char domain;   /* 'f' for a plain float tensor, or the letter: p a u d t n i r b */
    int place;     /* where it stands in the sample: part of its values */
    int64_t below; /* i(...)<below; 0: none */
    int rank;
    int64_t shape[FA_MAX_DIMS], count;
    int field, item; /* item -1: the field itself */
    int variable;    /* of domain 'x', in programs alone (programs.c): its number */
} operand;

typedef struct sample {
    const fa__op *op;
    const fa__samples *row;
    char text[MOST_TEXT];
    uint32_t seed;
    operand operand[MOST_TENSORS];
    int operands;
    int lists[FA__MAX_FIELDS]; /* of a field that is a list: its items; -1: none given */
    char strings[MOST_TEXT];   /* what const char * fields point into */
    size_t strings_used;
    double numbers[MOST_NUMBERS]; /* what fa_list fields point into */
    int numbers_used;
    _Alignas(16) unsigned char args[MOST_ARGS]; /* the arguments, but for the tensors */
} sample;

/* Reads sample number n (from 0) of a row; false when there is no such one, or after an error: then *wrong says what.
 */
bool sample_read(sample *, const fa__op *, const fa__samples *, int n, const char **wrong);
/* The operation of that name, or NULL. */
const fa__op *sample_op(const char *name);

/* The dtype an operand has in a call where plain tensors have `dtype`: i, r and b keep theirs. */
fa_dtype operand_dtype(const operand *, fa_dtype dtype);
/* The values as dtype (operand->count of them), row-major. */
void operand_values(const sample *, const operand *, fa_dtype dtype, double *values);
/* FNV-1a of "row:text", as sample->seed is. */
uint32_t sample_seed(const char *row, const char *text);
/* Reads a tensor as "(3,4)" or "i(3)<4", or a variable as "x3"; returns what follows, or NULL. */
const char *operand_read(operand *, const char *s, int place);
#endif
