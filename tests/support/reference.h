/* Reads the files of tests/reference, which hold what PyTorch answers. */
#ifndef FA__TESTS_REFERENCE_H
#define FA__TESTS_REFERENCE_H
#include <facula/types.h>

/* What is known of one result: "f64 0 f64 3,4 1 2 3 ...". */
typedef enum {
    ANSWER_NONE,    /* nothing: was never asked */
    ANSWER_MISSING, /* PyTorch lacks it */
    ANSWER_ERROR,   /* PyTorch refuses it */
    ANSWER_CLOSE,   /* as f64's, within the dtype's tolerance */
    ANSWER_SAME,    /* as i64's */
    ANSWER_VALUES
} answer_kind;

typedef struct answer {
    answer_kind kind;
    fa_dtype dtype;
    int rank;
    int64_t shape[FA_MAX_DIMS], count;
    const char *values; /* text; NULL: none */
} answer;

/* The text of a file in tests/reference, for the caller to free; NULL when it cannot be read. */
char *reference_load(const char *name);
/* The same for a file anywhere. */
char *reference_load_path(const char *path);
/* The lines of a row's sample in operations.txt; NULL: there is no reference. */
const char *reference_sample(const char *operations, const char *row, const char *sample);
/* The answer with that tag and number, as "i64", 1; gradients have the tag "grad" and the operand's place. */
answer reference_answer(const char *sample, const char *tag, int number);
/* The values of an answer, for the caller to free. */
double *answer_values(const answer *);
/* The dtype of a name as "f32"; FA_SAME: none. `length` 0: to the end. */
fa_dtype reference_dtype(const char *name, size_t length);
#endif
