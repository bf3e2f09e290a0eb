/* The plugin json, over jansson. */
#include "plugins/json.h"
#include "plugins/plugin.h"
#include <jansson.h>
#include <stdio.h>

static void *json_parse(const char *text, size_t size, char *reason, size_t room)
{
    json_error_t error;
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        snprintf(reason, room, "line %d, column %d: %s", error.line, error.column, error.text);
    return document;
}

static void json_free(void *document)
{
    json_decref(document);
}

static void *json_next(void *object, void *member)
{
    return member ? json_object_iter_next(object, member) : json_object_iter(object);
}

static const char *json_name(void *member)
{
    return json_object_iter_key(member);
}

static void *json_member_value(void *member)
{
    return json_object_iter_value(member);
}

static void *json_find(const void *object, const char *name)
{
    return json_object_get(object, name);
}

static bool json_is_an_object(const void *value)
{
    return json_is_object((const json_t *)value);
}

static int64_t json_count(const void *array)
{
    return json_is_array((const json_t *)array) ? (int64_t)json_array_size(array) : -1;
}

static void *json_item(const void *array, int64_t index)
{
    return json_array_get(array, (size_t)index);
}

static const char *json_text(const void *value)
{
    return json_string_value(value);
}

static bool json_whole(const void *value, int64_t *to)
{
    *to = json_integer_value(value);
    return json_is_integer((const json_t *)value);
}

static bool json_any_number(const void *value, double *to)
{
    *to = json_number_value(value);
    return json_is_number((const json_t *)value);
}

FA__PLUGIN const fa__json FA__PLUGIN_TABLE = {json_parse,        json_free, json_next,         json_name,
                                              json_member_value, json_find, json_is_an_object, json_count,
                                              json_item,         json_text, json_whole,        json_any_number};
