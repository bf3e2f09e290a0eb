/* What is alive: objects of the program's own, counted, and tensors by their memory; what a case leaves behind. */
#ifndef API_ALIVE_H
#define API_ALIVE_H
#include "support/api_test.h"
#include <facula/scope.h>

static _Atomic int alive;

typedef struct counted {
    fa_object base;
    void (*at_end)(void);
} counted;

static void counted_destroy(void *object)
{
    counted *c = object;
    alive--;
    if (c->at_end)
        c->at_end();
}

static const fa_object_type counted_type = {"counted", counted_destroy};

static inline counted *make(void)
{
    counted *c = fa_object_new(&counted_type, sizeof *c);
    assert_non_null(c);
    alive++;
    return c;
}

static inline size_t blocks(void)
{
    return fa_memory_stats(FA_CPU).blocks.current;
}

/* The lines of fa_scope_report: how many scopes are open, and how many objects they own. */
static int open_scopes(size_t *objects)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fa_scope_report(file);
    fclose(file);
    int lines = 0;
    *objects = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        char where[128];
        size_t count;
        assert_int_equal(sscanf(at, "%127[^\n]", where), 1);
        const char *number = strstr(where, " objects");
        assert_non_null(number);
        while (number > where && number[-1] != ' ')
            number--;
        assert_int_equal(sscanf(number, "%zu objects", &count), 1);
        *objects += count;
        lines++;
    }
    free(text);
    return lines;
}

static size_t owned_at_begin;
static int open_at_begin;

static int alive_begin(void **state)
{
    api_begin(state);
    alive = 0;
    open_at_begin = open_scopes(&owned_at_begin); /* 1, unless a case before this one failed */
    return 0;
}

/* After each case: what is open and owned is what was before. */
static int alive_end(void **state)
{
    (void)state;
    size_t owned;
    fa_error_clear();
    int open = open_scopes(&owned);
    if (open != open_at_begin || owned != owned_at_begin || alive != 0)
        print_error("%d scopes are open, %zu objects owned (%zu before), %d alive\n", open, owned, owned_at_begin,
                    alive);
    return open == open_at_begin && owned == owned_at_begin && alive == 0 && !fa__settings().no_grad ? 0 : -1;
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, alive_begin, alive_end)
#endif
