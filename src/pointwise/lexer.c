/* From text to tokens. Numbers are read the same in every locale. */
#define _GNU_SOURCE /* strtod_l */
#include "pointwise/lexer.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Of one or two characters; longer ones stand before their beginnings. */
static const fa__operator operators[] = {
    {.text = "**", .hint = "powers are written pow(x, y)"},
    {.text = "+=", .hint = "write 'x = x + y'"},
    {.text = "-=", .hint = "write 'x = x - y'"},
    {.text = "*=", .hint = "write 'x = x * y'"},
    {.text = "/=", .hint = "write 'x = x / y'"},
    {.text = "<<", .hint = "shifts are written shift_left(x, y)"},
    {.text = ">>", .hint = "shifts are written shift_right(x, y)"},
    {.text = "||", .level = 1, .prim = FA__PRIM_or},
    {.text = "&&", .level = 2, .prim = FA__PRIM_and},
    {.text = "|", .level = 3, .prim = FA__PRIM_or, .tests = true},
    {.text = "&", .level = 4, .prim = FA__PRIM_and, .tests = true},
    {.text = "==", .level = 5, .prim = FA__PRIM_eq, .single = true},
    {.text = "!=", .level = 5, .prim = FA__PRIM_ne, .single = true},
    {.text = "<=", .level = 6, .prim = FA__PRIM_le, .single = true},
    {.text = ">=", .level = 6, .prim = FA__PRIM_le, .single = true, .swapped = true},
    {.text = "<", .level = 6, .prim = FA__PRIM_lt, .single = true},
    {.text = ">", .level = 6, .prim = FA__PRIM_lt, .single = true, .swapped = true},
    {.text = "+", .level = 7, .prim = FA__PRIM_add},
    {.text = "-", .level = 7, .prim = FA__PRIM_sub},
    {.text = "*", .level = FA__TIGHTEST, .prim = FA__PRIM_mul},
    {.text = "/", .level = FA__TIGHTEST, .prim = FA__PRIM_div},
    {.text = "!"},
    {.text = "("},
    {.text = ")"},
    {.text = ","},
    {.text = "?"},
    {.text = ":"},
    {.text = ";"},
    {.text = "="},
    {.text = "%", .hint = "a remainder is written remainder(x, y) or fmod(x, y)"},
    {.text = "^", .hint = "powers are written pow(x, y)"},
    {.text = "~", .hint = "'not' is written !, and of bits bit_not(x)"},
    {.text = "[", .hint = "operands are not indexed: each element is computed by itself"},
    {.text = "{", .hint = "there are no blocks"},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static fa__token bad(fa__token t)
{
    t.kind = FA__TOKEN_BAD;
    return t;
}

/* The digits at `at` in a base, exactly; false when 63 bits do not hold them. */
static bool read_integer(const char *at, const char *end, int base, int64_t *value)
{
    *value = 0;
    for (; at < end; at++)
        if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, hex_digit(*at), value))
            return false;
    return true;
}

static fa__token integer(fa__token t, const char *digits, const char *end, int base, fa__parse_error *error)
{
    t.integer = true;
    t.length += (int)(end - digits);
    if (read_integer(digits, end, base, &t.number.i))
        return t;
    fa__parse_error_set(error, t.position, "the integer does not fit in 64 bits; with a point it is not one");
    return bad(t);
}

static fa__token hexadecimal(fa__token t, const char *digits, fa__parse_error *error)
{
    const char *end = digits;
    while (hex_digit(*end) >= 0)
        end++;
    t.length = 2;
    if (end > digits)
        return integer(t, digits, end, 16, error);
    fa__parse_error_set(error, t.position + 2, "expected hexadecimal digits after '0x'");
    return bad(t);
}

static const char *skip_digits(const char *at)
{
    while (is_digit(*at))
        at++;
    return at;
}

/* The end of a number that begins at `at`. NULL if its exponent has no digits; then *stop is where they should be. */
static const char *number_end(const char *at, const char **stop)
{
    at = skip_digits(at);
    if (*at == '.')
        at = skip_digits(at + 1);
    if (*at != 'e' && *at != 'E')
        return at;
    *stop = at + 1 + (at[1] == '+' || at[1] == '-');
    return is_digit(**stop) ? skip_digits(*stop) : NULL;
}

static fa__token number(const char *text, fa__token t, fa__parse_error *error)
{
    const char *at = text + t.position, *stop = at;
    t.kind = FA__TOKEN_NUMBER;
    if (at[0] == '0' && (at[1] | 0x20) == 'x')
        return hexadecimal(t, at + 2, error);
    const char *end = number_end(at, &stop);
    if (!end) {
        fa__parse_error_set(error, (int)(stop - text), "expected the digits of the exponent");
        return bad(t);
    }
    if (end == skip_digits(at))
        return integer(t, at, end, 10, error);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant of the C library: takes no memory */
    t.length = (int)(end - at);
    t.number.f = strtod_l(at, NULL, c);
    freelocale(c);
    if (t.number.f <= __DBL_MAX__)
        return t;
    fa__parse_error_set(error, t.position, "the constant is too large for an f64");
    return bad(t);
}

static fa__token punctuation(const char *text, fa__token t, fa__parse_error *error)
{
    const char *at = text + t.position;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const fa__operator *op = &operators[i];
        const char second = op->text[1];
        if (*at != op->text[0] || (second && at[1] != second))
            continue;
        t.kind = FA__TOKEN_OPERATOR, t.op = op, t.length = second ? 2 : 1;
        if (!op->hint)
            return t;
        fa__parse_error_set(error, t.position, "no operator '%s': %s", op->text, op->hint);
        return bad(t);
    }
    unsigned char c = (unsigned char)*at;
    if (c > ' ' && c < 0x7f)
        fa__parse_error_set(error, t.position, "unexpected '%c'", c);
    else
        fa__parse_error_set(error, t.position, "unexpected character: byte 0x%02X", c);
    return bad(t);
}

fa__token fa__next_token(const char *text, int position, fa__parse_error *error)
{
    while (strchr(" \t\r\n\v\f", text[position]) && text[position])
        position++;
    fa__token t = {.position = position};
    char c = text[position];
    if (!c)
        return t;
    if (is_digit(c) || (c == '.' && is_digit(text[position + 1])))
        return number(text, t, error);
    if (!is_letter(c))
        return punctuation(text, t, error);
    t.kind = FA__TOKEN_NAME;
    while (is_letter(text[position + t.length]) || is_digit(text[position + t.length]))
        t.length++;
    return t;
}
