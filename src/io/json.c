/* JSON reader: white space, strings, numbers, and values that are skipped. */
#include "io/json.h"
#include "io/safetensors.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32 };

bool fa__json_fail(fa__json *j, size_t at, const char *format, ...)
{
    if (j->why[0])
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(j->why, sizeof j->why, format, list);
    va_end(list);
    j->wrong = at;
    return false;
}

/* The first byte after white space; 0 at the end of the text. */
static char peek(fa__json *j)
{
    while (j->at < j->size && strchr(" \t\n\r", j->text[j->at]) && j->text[j->at])
        j->at++;
    return j->at < j->size ? j->text[j->at] : 0;
}

static bool expected(fa__json *j, const char *what)
{
    if (j->at >= j->size)
        return fa__json_fail(j, j->size, "the text ends where %s is expected", what);
    return fa__json_fail(j, j->at, "%s is expected", what);
}

bool fa__json_open(fa__json *j, char bracket, const char *what)
{
    if (peek(j) != bracket)
        return fa__json_fail(j, j->at, "%s is no %s", what, bracket == '{' ? "object" : "array");
    j->at++;
    return !j->why[0];
}

bool fa__json_next(fa__json *j, char bracket, size_t count)
{
    char next = peek(j);
    if (j->why[0])
        return false;
    if (next == bracket) {
        j->at++;
        return false;
    }
    if (!count)
        return true;
    if (next != ',')
        return expected(j, bracket == '}' ? "a comma or }" : "a comma or ]");
    j->at++;
    return true;
}

/* ---- strings ---- */

/* The value of four hexadecimal digits; -1 if they are not there. */
static int hexadecimal(const fa__json *j)
{
    int value = 0;
    for (size_t i = j->at; i < j->at + 4; i++) {
        char c = i < j->size ? j->text[i] : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

static char *put_utf8(char *to, unsigned code)
{
    unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | code >> 6 * more);
    for (; more > 0; more--)
        *to++ = (char)(0x80 | (code >> 6 * (more - 1) & 0x3f));
    return to;
}

/* Reads the digits after \u, and a second \u if these are the first half of a surrogate pair. */
static bool read_code(fa__json *j, char **to)
{
    size_t begin = j->at - 2;
    int code = hexadecimal(j), low;
    if (code < 0)
        return fa__json_fail(j, begin, "\\u needs four hexadecimal digits");
    j->at += 4;
    if (code >= 0xd800 && code < 0xdc00 && j->text[j->at] == '\\' && j->text[j->at + 1] == 'u') {
        j->at += 2;
        low = hexadecimal(j);
        if (low < 0xdc00 || low > 0xdfff)
            return fa__json_fail(j, begin, "half of a surrogate pair");
        j->at += 4;
        code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
    }
    if (code >= 0xd800 && code < 0xe000)
        return fa__json_fail(j, begin, "half of a surrogate pair");
    if (!code)
        return fa__json_fail(j, begin, "a string with a zero byte");
    *to = put_utf8(*to, (unsigned)code);
    return true;
}

/* Reads what follows a backslash. */
static bool read_escape(fa__json *j, char **to)
{
    static const char escapes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = j->text[j->at++];
    if (c == 'u')
        return read_code(j, to);
    const char *found = c ? strchr(escapes, c) : NULL;
    if (!found)
        return fa__json_fail(j, j->at - 2, "an unknown escape sequence");
    *(*to)++ = values[found - escapes];
    return true;
}

static bool read_character(fa__json *j, char **to)
{
    int length = fa__utf8_length(j->text + j->at);
    if (!length)
        return fa__json_fail(j, j->at, "no UTF-8: the byte 0x%02x", (unsigned char)j->text[j->at]);
    memmove(*to, j->text + j->at, (size_t)length);
    *to += length;
    j->at += (size_t)length;
    return true;
}

const char *fa__json_string(fa__json *j, const char *what)
{
    if (peek(j) != '"')
        return fa__json_fail(j, j->at, "%s is no string", what), NULL;
    size_t begin = j->at++;
    char *string = j->text + j->at, *to = string;
    for (;;) {
        char c = j->text[j->at];
        if (c == '"')
            break;
        if (j->at >= j->size)
            return fa__json_fail(j, begin, "a string without an end"), NULL;
        if ((unsigned char)c < ' ')
            return fa__json_fail(j, j->at, "the control character 0x%02x in a string", (unsigned char)c), NULL;
        j->at += c == '\\';
        if (!(c == '\\' ? read_escape(j, &to) : read_character(j, &to)))
            return NULL;
    }
    j->at++;
    *to = 0;
    return string;
}

const char *fa__json_name(fa__json *j)
{
    if (peek(j) != '"')
        return expected(j, "a name in quotes"), NULL;
    const char *name = fa__json_string(j, "a name");
    if (!name)
        return NULL;
    if (peek(j) != ':')
        return expected(j, "a colon"), NULL;
    j->at++;
    return name;
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool fa__json_whole(fa__json *j, int64_t *to, const char *what)
{
    int64_t value = 0;
    char first = peek(j);
    size_t begin = j->at;
    bool fits = true;
    while (is_digit(j->text[j->at]))
        fits = fits && !__builtin_mul_overflow(value, 10, &value)
               && !__builtin_add_overflow(value, j->text[j->at] - '0', &value),
        j->at++;
    char next = j->text[j->at];
    bool good = j->at > begin && (first != '0' || j->at == begin + 1) && next != '.' && next != 'e' && next != 'E';
    if (!good)
        return fa__json_fail(j, begin, "%s is no whole number of 0 or more", what);
    *to = value;
    return fits || fa__json_fail(j, begin, "%s is larger than 64 bits can count", what);
}

static size_t skip_digits(fa__json *j)
{
    size_t begin = j->at;
    while (is_digit(j->text[j->at]))
        j->at++;
    return j->at - begin;
}

static bool skip_number(fa__json *j)
{
    size_t begin = j->at;
    j->at += j->text[j->at] == '-';
    bool zero = j->text[j->at] == '0';
    size_t digits = skip_digits(j);
    bool good = digits == 1 || (digits && !zero);
    if (j->text[j->at] == '.') {
        j->at++;
        good = skip_digits(j) && good;
    }
    if (j->text[j->at] == 'e' || j->text[j->at] == 'E') {
        j->at++;
        j->at += j->text[j->at] == '+' || j->text[j->at] == '-';
        good = skip_digits(j) && good;
    }
    return good || fa__json_fail(j, begin, "no JSON number");
}

/* ---- any value ---- */

static bool skip_word(fa__json *j)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (!strncmp(j->text + j->at, words[i], length)) {
            j->at += length;
            return true;
        }
    }
    return expected(j, "a value");
}

/* A value that is neither an object nor an array. */
static bool skip_scalar(fa__json *j, char first)
{
    if (first == '"')
        return fa__json_string(j, "a value");
    return first == '-' || is_digit(first) ? skip_number(j) : skip_word(j);
}

bool fa__json_skip(fa__json *j)
{
    char close[DEEPEST] = {0};
    size_t count[DEEPEST];
    int depth = 0;
    do {
        char first = peek(j);
        if (first == '{' || first == '[') {
            if (depth == DEEPEST)
                return fa__json_fail(j, j->at, "more than %d nested values", DEEPEST);
            close[depth] = first == '{' ? '}' : ']';
            count[depth++] = 0;
            j->at++;
        } else if (!skip_scalar(j, first)) {
            return false;
        }
        while (depth && !fa__json_next(j, close[depth - 1], count[depth - 1]++))
            depth--;
        if (j->why[0] || (depth && close[depth - 1] == '}' && !fa__json_name(j)))
            return false;
    } while (depth);
    return true;
}

bool fa__json_end(fa__json *j)
{
    peek(j);
    return j->at == j->size || fa__json_fail(j, j->at, "something follows the end of the object");
}
