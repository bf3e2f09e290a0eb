/* Writes JSON to a file, member by member, with commas and indentation. */
#ifndef JSON_H
#define JSON_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *file;
    int depth;
    bool first; /* nothing has been written to the innermost object or array */
    bool line;  /* write everything on one line */
} json;

/* Each function writes one value: into an object with a name, into an array with NULL. */
void json_open(json *j, const char *name, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                  /* '}' or ']'; a newline follows the last one */
void json_text(json *j, const char *name, const char *text);
void json_whole(json *j, const char *name, int64_t value);
void json_number(json *j, const char *name, double value); /* writes null if the number is not finite */
/* True if a text is valid UTF-8, so that it is written unchanged. */
bool json_is_text(const char *text);
#endif
