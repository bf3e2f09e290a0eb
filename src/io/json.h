/* A reader of JSON texts (RFC 8259) without recursion: the caller asks for what comes next, in the order of the text.
 * Every function returns false after an error, of which the first one is kept. */
#ifndef FA__IO_JSON_H
#define FA__IO_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fa__json {
    char *text; /* `size` bytes and a zero byte; strings are decoded in place */
    size_t size, at;
    size_t wrong;  /* position of the error */
    char why[300]; /* the error; "": none */
} fa__json;

/* Sets the error, unless there is one. */
bool fa__json_fail(fa__json *json, size_t at, const char *format, ...) __attribute__((__format__(__printf__, 3, 4)));

/* Reads the bracket that opens an object ('{') or an array ('['). `what` is the subject of the error, such as
 * "the shape". */
bool fa__json_open(fa__json *json, char bracket, const char *what);
/* Whether another item follows in an object or array, of which `count` were read; false at the closing bracket, which
 * is read, and after an error:
 *
 *     for (size_t n = 0; fa__json_next(json, ']', n); n++)
 *         if (!fa__json_whole(json, &number, "a size"))
 *             break;
 *     if (json->why[0])
 *         return false; */
bool fa__json_next(fa__json *json, char bracket, size_t count);
/* Reads a string, which must be UTF-8 without zero bytes; it stays in json->text. NULL after an error. */
const char *fa__json_string(fa__json *json, const char *what);
/* Reads the name of a member and the colon after it. NULL after an error. */
const char *fa__json_name(fa__json *json);
/* Reads an integer of 0 to INT64_MAX, written as digits only. */
bool fa__json_whole(fa__json *json, int64_t *to, const char *what);
/* Reads any value, of up to 32 nested arrays and objects. */
bool fa__json_skip(fa__json *json);
/* Checks that only white space is left. */
bool fa__json_end(fa__json *json);
#endif
