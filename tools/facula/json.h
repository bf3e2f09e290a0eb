/* JSON on a file, member by member; commas and indents are taken care of. */
#ifndef JSON_H
#define JSON_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *file;
    int depth;
    bool first; /* nothing stands yet in what is open */
    bool line;  /* all on one line */
} json;

/* Each writes one value: into an object under a name, into an array with NULL. */
void json_open(json *j, const char *name, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                  /* '}' or ']'; the last one ends the line */
void json_text(json *j, const char *name, const char *text);
void json_whole(json *j, const char *name, int64_t value);
void json_number(json *j, const char *name, double value); /* null when it is not finite */
/* Whether a text is UTF-8, so that it is written as it is. */
bool json_is_text(const char *text);
#endif
