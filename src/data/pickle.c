/* Pickled dicts, as Python writes them: a program for a machine with a stack, of which the part is run here that makes
 * numbers, text, lists, tuples, dicts, and objects that are kept as the names of the functions that would make them
 * (https://docs.python.org/3/library/pickletools.html; protocols 2 to 5). */
#include "data/pickle.h"
#include <facula/error.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1 << 22, HIGHEST_PROTOCOL = 5 };

typedef enum kind { MARK, NONE, NUMBER, TEXT, LIST, DICT, NAME, OBJECT } kind;

/* A value. Lists, tuples, dicts (keys and values in turn) and objects have their items in a box: those of an object are
 * its function, the arguments and its state. */
typedef struct value {
    kind kind;
    int64_t number; /* or that of the box */
    fa__span text;  /* of a name, without the module */
} value;

typedef struct values {
    value *item;
    int64_t count, room;
} values;

struct fa__pickle {
    fa_object base;
    const char *who, *path;
    fa__span bytes;
    int64_t at, made; /* position, and the number of values so far, which bounds the memory */
    bool done;
    values stack, memo, *box;
    int64_t boxes, box_room;
};

static void pickle_destroy(void *object)
{
    fa__pickle *p = object;
    for (int64_t i = 0; i < p->boxes; i++)
        free(p->box[i].item);
    free(p->box);
    free(p->stack.item);
    free(p->memo.item);
}

static const fa_object_type pickle_type = {"pickle", pickle_destroy};

__attribute__((__format__(__printf__, 2, 3))) static bool wrong(const fa__pickle *p, const char *format, ...)
{
    char what[160];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return fa_fail(FA_ERROR_FILE, "%s: %s, byte %" PRId64 ": %s", p->who, p->path, p->at, what);
}

/* ---- values ---- */

static bool add(fa__pickle *p, values *to, value v)
{
    if (++p->made > MOST_VALUES)
        return wrong(p, "the pickle has more than %d values", (int)MOST_VALUES);
    if (to->count == to->room) {
        int64_t room = to->room ? 2 * to->room : 8;
        void *larger = realloc(to->item, (size_t)room * sizeof *to->item);
        if (!larger)
            return fa_fail(FA_ERROR_MEMORY, "%s: out of memory for %s", p->who, p->path);
        to->item = larger;
        to->room = room;
    }
    to->item[to->count++] = v;
    return true;
}

static bool push(fa__pickle *p, value v)
{
    return add(p, &p->stack, v);
}

/* Takes the topmost value from the stack. */
static bool pop(fa__pickle *p, value *v)
{
    if (!p->stack.count || p->stack.item[p->stack.count - 1].kind == MARK)
        return wrong(p, "the pickle takes a value that is not there");
    *v = p->stack.item[--p->stack.count];
    return true;
}

/* A new value with a box. */
static bool push_box(fa__pickle *p, kind k)
{
    if (p->boxes == p->box_room) {
        int64_t room = p->box_room ? 2 * p->box_room : 16;
        void *larger = realloc(p->box, (size_t)room * sizeof *p->box);
        if (!larger)
            return fa_fail(FA_ERROR_MEMORY, "%s: out of memory for %s", p->who, p->path);
        p->box = larger;
        p->box_room = room;
    }
    p->box[p->boxes] = (values){0};
    return push(p, (value){.kind = k, .number = p->boxes++});
}

/* Moves the topmost `count` values, which lie on the box's value, into it. */
static bool put_into(fa__pickle *p, kind k, int64_t count)
{
    int64_t first = p->stack.count - count;
    const value *to = first > 0 ? &p->stack.item[first - 1] : NULL;
    if (!to || to->kind != k || (k == DICT && count % 2))
        return wrong(p, "the pickle puts values into one of another kind, or a key without a value");
    int64_t box = to->number;
    for (int64_t i = 0; i < count; i++)
        if (!add(p, &p->box[box], p->stack.item[first + i]))
            return false;
    p->stack.count = first;
    return true;
}

/* The number of values on the last mark, which is removed; -1 and an error if there is none. */
static int64_t take_mark(fa__pickle *p)
{
    int64_t i = p->stack.count - 1;
    while (i >= 0 && p->stack.item[i].kind != MARK)
        i--;
    if (i < 0)
        return wrong(p, "the pickle goes back to a mark that is not there") ? 0 : -1;
    memmove(&p->stack.item[i], &p->stack.item[i + 1], (size_t)(p->stack.count - i - 1) * sizeof(value));
    p->stack.count--;
    return p->stack.count - i;
}

/* Replaces the topmost values by one with a box of them. */
static bool collect(fa__pickle *p, kind k, int64_t count)
{
    if (count < 0 || p->stack.count < count)
        return count < 0 ? false : wrong(p, "the pickle takes values that are not there");
    int64_t first = p->stack.count - count, box = p->boxes;
    if (!push_box(p, k))
        return false;
    p->stack.count--;
    for (int64_t i = first; i < first + count; i++) {
        if (p->stack.item[i].kind == MARK)
            return wrong(p, "the pickle takes a value that is not there");
        if (!add(p, &p->box[box], p->stack.item[i]))
            return false;
    }
    p->stack.count = first;
    return push(p, (value){.kind = k, .number = box});
}

/* ---- instructions: the operand is a number behind the instruction ---- */

static bool run_protocol(fa__pickle *p, uint64_t operand)
{
    return operand <= HIGHEST_PROTOCOL || wrong(p, "protocol %" PRIu64 " of pickles is not known", operand);
}

static bool run_nothing(fa__pickle *p, uint64_t operand)
{
    (void)p;
    (void)operand;
    return true;
}

static bool run_stop(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return p->done = true;
}

static bool run_mark(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return push(p, (value){.kind = MARK});
}

static bool run_none(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return push(p, (value){.kind = NONE});
}

static bool run_true(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return push(p, (value){.kind = NUMBER, .number = 1});
}

static bool run_false(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return push(p, (value){.kind = NUMBER});
}

static bool run_number(fa__pickle *p, uint64_t operand)
{
    return push(p, (value){.kind = NUMBER, .number = (int64_t)operand});
}

static bool run_signed(fa__pickle *p, uint64_t operand)
{
    return push(p, (value){.kind = NUMBER, .number = (int32_t)(uint32_t)operand});
}

/* The operand is the number of bytes that follow. */
static bool run_text(fa__pickle *p, uint64_t operand)
{
    if (operand > (uint64_t)(p->bytes.size - p->at))
        return wrong(p, "the file ends within %" PRIu64 " bytes of text", operand);
    p->at += (int64_t)operand;
    return push(p, (value){.kind = TEXT, .text = {p->bytes.item + p->at - operand, (int64_t)operand}});
}

static bool run_list(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return push_box(p, LIST);
}

static bool run_dict(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return push_box(p, DICT);
}

static bool run_tuple(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return collect(p, LIST, take_mark(p));
}

static bool run_tuple_1(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return collect(p, LIST, 1);
}

static bool run_tuple_2(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return collect(p, LIST, 2);
}

static bool run_tuple_3(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return collect(p, LIST, 3);
}

static bool run_append(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return p->stack.count > 0 ? put_into(p, LIST, 1) : wrong(p, "there is nothing to append");
}

static bool run_appends(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    int64_t count = take_mark(p);
    return count >= 0 && put_into(p, LIST, count);
}

static bool run_set_item(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return p->stack.count > 1 ? put_into(p, DICT, 2) : wrong(p, "there is nothing to put into a dict");
}

static bool run_set_items(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    int64_t count = take_mark(p);
    return count >= 0 && put_into(p, DICT, count);
}

/* A line of text; none if the file ends in it. */
static fa__span line_of(fa__pickle *p)
{
    const unsigned char *from = p->bytes.item + p->at;
    const unsigned char *end = memchr(from, '\n', (size_t)(p->bytes.size - p->at));
    if (!end)
        return (fa__span){0};
    p->at += end - from + 1;
    return (fa__span){from, end - from};
}

/* Module and name, a line each. */
static bool run_global(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    fa__span name = line_of(p).item ? line_of(p) : (fa__span){0};
    return name.item ? push(p, (value){.kind = NAME, .text = name}) : wrong(p, "the file ends within a name");
}

static bool run_stack_global(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    value name = {.kind = NONE}, module = {.kind = NONE};
    if (!pop(p, &name) || !pop(p, &module))
        return false;
    return name.kind == TEXT ? push(p, (value){.kind = NAME, .text = name.text}) : wrong(p, "a name is no text");
}

/* A function and its arguments become an object. */
static bool run_reduce(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return collect(p, OBJECT, 2);
}

static bool run_build(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return p->stack.count > 1 ? put_into(p, OBJECT, 1) : wrong(p, "there is no state of an object");
}

/* Numbers of the memo follow each other, from 0 or 1 on. */
static bool run_put(fa__pickle *p, uint64_t operand)
{
    if (!p->stack.count || operand > (uint64_t)p->memo.count + 1)
        return wrong(p, "the pickle keeps value %" PRIu64 " of %" PRId64, operand, p->memo.count);
    const value v = p->stack.item[p->stack.count - 1];
    while ((uint64_t)p->memo.count <= operand)
        if (!add(p, &p->memo, v))
            return false;
    p->memo.item[operand] = v;
    return true;
}

static bool run_memoize(fa__pickle *p, uint64_t operand)
{
    (void)operand;
    return run_put(p, (uint64_t)p->memo.count);
}

static bool run_get(fa__pickle *p, uint64_t operand)
{
    if (operand >= (uint64_t)p->memo.count)
        return wrong(p, "the pickle has kept no value %" PRIu64, operand);
    return push(p, p->memo.item[operand]);
}

static const struct {
    unsigned char code;
    int operand; /* bytes, little-endian */
    bool (*run)(fa__pickle *p, uint64_t operand);
} instructions[] = {{0x80, 1, run_protocol}, {0x95, 8, run_nothing},  {'.', 0, run_stop},   {'(', 0, run_mark},
                    {'N', 0, run_none},      {0x88, 0, run_true},     {0x89, 0, run_false}, {'K', 1, run_number},
                    {'M', 2, run_number},    {'J', 4, run_signed},    {'U', 1, run_text},   {'T', 4, run_text},
                    {'C', 1, run_text},      {'B', 4, run_text},      {0x8e, 8, run_text},  {0x96, 8, run_text},
                    {'X', 4, run_text},      {0x8c, 1, run_text},     {0x8d, 8, run_text},  {']', 0, run_list},
                    {')', 0, run_list},      {'}', 0, run_dict},      {'t', 0, run_tuple},  {0x85, 0, run_tuple_1},
                    {0x86, 0, run_tuple_2},  {0x87, 0, run_tuple_3},  {'a', 0, run_append}, {'e', 0, run_appends},
                    {'s', 0, run_set_item},  {'u', 0, run_set_items}, {'c', 0, run_global}, {0x93, 0, run_stack_global},
                    {'R', 0, run_reduce},    {0x81, 0, run_reduce},   {'b', 0, run_build},  {'q', 1, run_put},
                    {'r', 4, run_put},       {0x94, 0, run_memoize},  {'h', 1, run_get},    {'j', 4, run_get}};

/* ---- running ---- */

static bool step(fa__pickle *p)
{
    if (p->at >= p->bytes.size)
        return wrong(p, "the file ends before its pickle");
    unsigned char code = p->bytes.item[p->at++];
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        if (instructions[i].code != code)
            continue;
        uint64_t operand = 0;
        if (instructions[i].operand > p->bytes.size - p->at)
            return wrong(p, "the file ends within an instruction of its pickle");
        for (int k = 0; k < instructions[i].operand; k++)
            operand |= (uint64_t)p->bytes.item[p->at++] << 8 * k;
        return instructions[i].run(p, operand);
    }
    p->at--;
    if (p->bytes.item[0] != 0x80) /* pickles of protocol 2 and above begin with the opcode PROTO */
        return wrong(p, "no pickle of protocol 2 to 5: Python 3 writes one by pickle.dump(pickle.load(f, "
                        "encoding=\"bytes\"), g, 4)");
    return wrong(p, "0x%02x is no instruction of a pickle with numbers, text and arrays", code);
}

fa__pickle *fa__pickle_read(const char *who, const char *path, fa__span bytes)
{
    fa__pickle *p = fa_object_new(&pickle_type, sizeof *p);
    if (!p)
        return NULL;
    p->who = who;
    p->path = path;
    p->bytes = bytes;
    while (!p->done)
        if (!step(p))
            return NULL;
    if (p->stack.count == 1 && p->stack.item[0].kind == DICT)
        return p;
    wrong(p, "what is pickled is no dict");
    return NULL;
}

/* ---- looking ---- */

static bool is_text(value v, const char *text)
{
    return (v.kind == TEXT || v.kind == NAME) && (size_t)v.text.size == strlen(text)
           && !memcmp(v.text.item, text, strlen(text));
}

/* The value under a key; NULL and an error if there is none. */
static const value *find(const fa__pickle *p, const char *key)
{
    const values *d = &p->box[p->stack.item[0].number];
    for (int64_t i = 0; i + 1 < d->count; i += 2)
        if (is_text(d->item[i], key))
            return &d->item[i + 1];
    fa_fail(FA_ERROR_FILE, "%s: %s has no \"%s\"", p->who, p->path, key);
    return NULL;
}

fa__numbers *fa__pickle_numbers(fa__pickle *p, const char *key)
{
    const value *v = find(p, key);
    const values *list = v && v->kind == LIST ? &p->box[v->number] : NULL;
    fa__numbers *to = list ? fa__numbers_new(list->count) : NULL;
    bool good = to;
    for (int64_t i = 0; good && i < list->count; i++) {
        good = list->item[i].kind == NUMBER;
        to->item[i] = list->item[i].number;
    }
    if (v && (!list || (to && !good)))
        fa_fail(FA_ERROR_FILE, "%s: %s: \"%s\" is no list of whole numbers", p->who, p->path, key);
    return good ? to : NULL;
}

/* The items of a box with at least so many; NULL if the value is none. */
static const value *items_of(const fa__pickle *p, const value *v, kind k, int64_t least)
{
    return v && v->kind == k && p->box[v->number].count >= least ? p->box[v->number].item : NULL;
}

/* An array as its parts: dtype, shape, elements, and whether they are in the order of Fortran. */
typedef struct array {
    const value *dtype, *shape, *data;
    bool fortran;
} array;

/* An array is made by _reconstruct() and a state (version, shape, dtype, order, elements), or by _frombuffer() of
 * (elements, dtype, shape, order). */
static bool read_array(const fa__pickle *p, const value *v, array *a)
{
    const value *made = items_of(p, v, OBJECT, 2);
    if (made && is_text(made[0], "_reconstruct") && (made = items_of(p, v, OBJECT, 3))) {
        const value *state = items_of(p, &made[2], LIST, 5);
        if (state)
            *a = (array){&state[2], &state[1], &state[4], state[3].kind != NUMBER || state[3].number};
        return state;
    }
    if (made && is_text(made[0], "_frombuffer")) {
        const value *given = items_of(p, &made[1], LIST, 4);
        if (given)
            *a = (array){&given[1], &given[2], &given[0], !is_text(given[3], "C")};
        return given;
    }
    return false;
}

static bool is_bytes(const fa__pickle *p, const value *dtype)
{
    const value *made = items_of(p, dtype, OBJECT, 2);
    const value *name = made && is_text(made[0], "dtype") ? items_of(p, &made[1], LIST, 1) : NULL;
    return name && (is_text(*name, "u1") || is_text(*name, "|u1"));
}

bool fa__pickle_array(fa__pickle *p, const char *key, int64_t *rows, int64_t columns, fa__span *data)
{
    const value *v = find(p, key);
    array a = {0};
    if (!v)
        return false;
    const value *shape =
        read_array(p, v, &a) && is_bytes(p, a.dtype) && !a.fortran ? items_of(p, a.shape, LIST, 2) : NULL;
    bool good = shape && a.data->kind == TEXT && shape[0].kind == NUMBER && shape[0].number >= 0
                && shape[1].kind == NUMBER && shape[1].number == columns && a.data->text.size % columns == 0
                && a.data->text.size / columns == shape[0].number;
    if (!good)
        return fa_fail(FA_ERROR_FILE, "%s: %s: \"%s\" is no array of bytes with %" PRId64 " columns", p->who, p->path,
                       key, columns);
    *rows = shape[0].number;
    *data = a.data->text;
    return true;
}
