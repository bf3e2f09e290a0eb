/* The fields of a CSV file. */
#ifndef FA__DATA_CSV_H
#define FA__DATA_CSV_H
#include <facula/scope.h>

/* A field, without quotes: `length` bytes, behind which there is a zero byte. */
typedef struct fa__csv_field {
    char *text;
    int64_t length;
} fa__csv_field;

/* rows x columns fields; the text they point to belongs to the caller of fa__csv_parse(). */
typedef struct fa__csv {
    fa_object base;
    int64_t rows, columns;
    int64_t room; /* for fields */
    fa__csv_field *field;
    int64_t *line; /* on which each row begins, from 1 */
    int64_t lines; /* room for them */
    char delimiter;
} fa__csv;

/* Parses a file in the innermost scope, and writes over it: text[size] must be a byte of the caller's. Errors begin
 * with the name. `delimiter` 0: the most frequent of , ; and tab in the first line. NULL and an error on failure. */
fa__csv *fa__csv_parse(const char *name, char *text, int64_t size, char delimiter);
/* Whether a field is a number, and which; missing fields are none. */
bool fa__csv_number(const fa__csv_field *field, double *number);
bool fa__csv_missing(const fa__csv_field *field);
#endif
