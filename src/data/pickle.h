/* Pickled dicts, as Python writes them: numbers, text, lists and NumPy's arrays of bytes. Nothing in a file is
 * executed: functions that it names are only compared with those that arrays are made by. */
#ifndef FA__DATA_PICKLE_H
#define FA__DATA_PICKLE_H
#include "data/data.h"
#include "data/file.h"

typedef struct fa__pickle fa__pickle;
/* Reads the bytes of a file, which must stay, in the innermost scope; NULL and an error if it is no such file. */
fa__pickle *fa__pickle_read(const char *who, const char *path, fa__span bytes);
/* The list of whole numbers under a key, in the innermost scope; NULL and an error if there is none. */
fa__numbers *fa__pickle_numbers(fa__pickle *p, const char *key);
/* The elements of the array of bytes (rows, columns) under a key; false and an error if there is none. */
bool fa__pickle_array(fa__pickle *p, const char *key, int64_t *rows, int64_t columns, fa__span *data);
#endif
