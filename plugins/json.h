/* The plugin json: reading JSON (jansson). Values belong to their document. */
#ifndef FA__PLUGINS_JSON_H
#define FA__PLUGINS_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fa__json {
    /* A document, which is one object or array; NULL, with a reason of at most `room` bytes. A name that an object has
     * twice is refused. */
    void *(*parse)(const char *text, size_t size, char *reason, size_t room);
    void (*free)(void *document);
    /* The members of an object, in no order that means anything: the first one behind NULL. NULL: no more, or no
     * object.
     */
    void *(*next)(void *object, void *member);
    const char *(*name)(void *member);
    void *(*value)(void *member);
    /* A member's value; NULL: there is none, or no object. */
    void *(*find)(const void *object, const char *name);
    bool (*object)(const void *value);
    /* The entries of an array; -1: it is none. */
    int64_t (*count)(const void *array);
    void *(*item)(const void *array, int64_t index);
    /* NULL: it is no text. */
    const char *(*text)(const void *value);
    bool (*integer)(const void *value, int64_t *to);
    bool (*number)(const void *value, double *to);
} fa__json;
#endif
