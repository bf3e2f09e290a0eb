/* String builder for buffers of fixed size. */
#include "base/text.h"
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fa__text fa__text_in(char *buffer, size_t size)
{
    buffer[0] = 0;
    return (fa__text){.at = buffer, .left = size};
}

fa__text fa__text_after(char *buffer, size_t size)
{
    size_t length = strnlen(buffer, size - 1);
    buffer[length] = 0;
    return (fa__text){.at = buffer + length, .left = size - length};
}

/* Where to cut text of `length` bytes so that no UTF-8 character is split. */
static size_t whole_characters(const char *text, size_t length)
{
    size_t lead = length;
    while (lead > 0 && length - lead < 3 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (lead == 0)
        return length;
    unsigned char first = (unsigned char)text[lead - 1];
    size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return length - (lead - 1) < wanted ? lead - 1 : length;
}

fa__number_format fa__numbers_begin(void)
{
    fa__number_format n = {(locale_t)0, (locale_t)0};
    if (!strcmp(nl_langinfo(RADIXCHAR), "."))
        return n;
    locale_t same = duplocale(uselocale((locale_t)0));
    n.plain = same ? newlocale(LC_NUMERIC_MASK, "C", same) : (locale_t)0;
    if (n.plain)
        n.before = uselocale(n.plain);
    else if (same)
        freelocale(same);
    return n;
}

void fa__numbers_end(fa__number_format n)
{
    if (!n.plain)
        return;
    uselocale(n.before);
    freelocale(n.plain);
}

bool fa__text_add_list(fa__text *text, const char *format, va_list list)
{
    if (text->cut)
        return false;
    fa__number_format numbers = fa__numbers_begin();
    int length = vsnprintf(text->at, text->left, format, list);
    fa__numbers_end(numbers);
    size_t added = length < 0 ? 0 : (size_t)length;
    text->cut = length < 0 || added >= text->left;
    if (text->cut && length > 0)
        added = whole_characters(text->at, text->left - 1);
    text->at += added;
    text->left -= added;
    *text->at = 0;
    return !text->cut;
}

bool fa__text_add(fa__text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    bool whole = fa__text_add_list(text, format, list);
    va_end(list);
    return whole;
}

void fa__text_add_clause(char *buffer, size_t size, const char *format, ...)
{
    fa__text text = fa__text_after(buffer, size);
    va_list list;
    va_start(list, format);
    if (buffer[0])
        fa__text_add(&text, "; ");
    fa__text_add_list(&text, format, list);
    va_end(list);
}

bool fa__text_add_number(fa__text *text, double number)
{
    char digits[40];
    fa__number_format numbers = fa__numbers_begin();
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    fa__numbers_end(numbers);
    return fa__text_add(text, "%s", digits);
}
