/* The error of a thread: setting, reading, clearing and moving it. */
#include "base/error.h"
#include "base/log.h"
#include "base/site.h"
#include "base/text.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a message without the line of the call, which is put in front of it at the end. */
enum { REASON = sizeof((fa_error *)NULL)->message - 128 };

static const char *const code_names[] = {
    [FA_OK] = "ok",
    [FA_ERROR_ARGUMENT] = "argument",
    [FA_ERROR_SHAPE] = "shape",
    [FA_ERROR_DTYPE] = "dtype",
    [FA_ERROR_DEVICE] = "device",
    [FA_ERROR_INDEX] = "index",
    [FA_ERROR_GRADIENT] = "gradient",
    [FA_ERROR_MEMORY] = "memory",
    [FA_ERROR_FILE] = "file",
    [FA_ERROR_SYNC] = "sync",
    [FA_ERROR_UNAVAILABLE] = "unavailable",
    [FA_ERROR_STATE] = "state",
    [FA_ERROR_USER] = "user",
    [FA_ERROR_INTERNAL] = "internal",
};

const char *fa_code_name(fa_code code)
{
    size_t i = (size_t)code;
    return i < sizeof code_names / sizeof *code_names ? code_names[i] : "unknown";
}

/* Makes a message one line, whatever it quotes. */
static void on_one_line(char *message)
{
    for (; *message; message++)
        if (*message == '\n' || *message == '\r')
            *message = ' ';
}

/* FACULA_ERROR=now prints errors as they happen, =trap stops in a debugger there as well. */
static void announce(const fa_error *error)
{
    const char *wanted = getenv("FACULA_ERROR");
    bool trap = wanted && !strcmp(wanted, "trap");
    if (!trap && (!wanted || strcmp(wanted, "now") != 0))
        return;
    fprintf(stderr, "facula: %s%s%s error: %s\n", error->line ? error->line : "", error->line ? ": " : "",
            fa_code_name(error->code), error->message);
    if (trap)
        raise(SIGTRAP);
}

static void raise_error(fa_code code, bool unfinished, const char *format, va_list list) FA__PRINTF(3, 0);

static void raise_error(fa_code code, bool unfinished, const char *format, va_list list)
{
    fa__thread *t = fa__thread_here();
    if (!t || t->error->code != FA_OK)
        return;
    fa__text text = fa__text_in(t->error->message, REASON);
    fa__text_add_list(&text, format, list);
    on_one_line(t->error->message);
    t->error->seen = t->error->located = t->error->complete = false;
    t->error->unfinished = unfinished;
    t->error->line = fa__line;
    t->error->site = NULL;
    t->error->code = code;
    announce(t->error);
}

bool fa__fail(fa_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    raise_error(code, false, format, list);
    va_end(list);
    return false;
}

bool fa__fail_unfinished(fa_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    raise_error(code, true, format, list);
    va_end(list);
    return false;
}

bool fa_fail(fa_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    raise_error(code > FA_OK && code <= FA_ERROR_INTERNAL ? code : FA_ERROR_USER, false, format, list);
    va_end(list);
    return false;
}

void fa_error_append(const char *format, ...)
{
    if (!fa__failed() || !fa__self->started)
        return;
    fa_error *error = fa__self->error;
    fa__text text = fa__text_after(error->message, error->located ? sizeof error->message : REASON);
    va_list list;
    va_start(list, format);
    fa__text_add_list(&text, format, list);
    va_end(list);
    on_one_line(error->message);
    error->unfinished = false;
}

void fa__error_end(const char *before, const char *now)
{
    if (!fa__failed() || !fa__self->started)
        return;
    char *message = fa__self->error->message;
    size_t length = strlen(message), end = strlen(before);
    if (length >= end && !strcmp(message + length - end, before))
        message[length - end] = 0;
    fa_error_append("%s", now);
}

/* The last part of a message, of at most `room` bytes: it contains the reason. */
static const char *end_of(char *message, size_t room)
{
    size_t length = strlen(message);
    if (length <= room)
        return message;
    char *end = message + (length - room);
    for (char *c = end; c < end + 3 || ((unsigned char)*c & 0xc0) == 0x80; c++)
        *c = '.'; /* after 3 bytes: the rest of a truncated UTF-8 character */
    return end;
}

void fa__error_within(const char *format, ...)
{
    if (!fa__failed() || !fa__self->started)
        return;
    enum { SIZE = REASON, LEAST = SIZE / 4 };
    char *message = fa__self->error->message, inner[SIZE];
    memcpy(inner, message, sizeof inner);
    size_t left = SIZE - 3 - strlen(inner);
    fa__text text = fa__text_in(message, (left < SIZE && left > LEAST ? left : LEAST) - 3);
    va_list list;
    va_start(list, format);
    fa__text_add_list(&text, format, list);
    va_end(list);
    size_t length = strlen(message);
    snprintf(message + length, SIZE - length, "%s: %s", text.cut ? "..." : "", end_of(inner, SIZE - 6 - length));
    on_one_line(message);
}

void fa__error_named(const char *name)
{
    if (strncmp(fa__self->error->message, "fa_", 3) != 0)
        fa__error_within("fa_%s", name);
}

bool fa__error_names(const char *call)
{
    const fa_error *error = fa__self->error;
    size_t length = strcspn(call, "(");
    bool same = !strncmp(error->message, call, length) && strchr("(,", error->message[length]);
    return same || error->complete;
}

/* Puts the line of the call in front of the message. Of a long path the end is kept. */
static void locate(fa_error *error)
{
    if (error->code == FA_OK || error->located || (!error->line && !error->site))
        return;
    enum { ROOM = sizeof error->message - REASON - 2 };
    char site[1024];
    struct fa__text text = fa__text_in(site, sizeof site);
    if (error->line)
        fa__text_add(&text, "%s", error->line);
    else
        fa__describe_site(&text, error->site);
    const char *line = end_of(site, ROOM);
    size_t length = strlen(line);
    memmove(error->message + length + 2, error->message, strlen(error->message) + 1);
    memcpy(error->message, line, length);
    memcpy(error->message + length, ": ", 2);
    error->located = true;
}

void fa__error_at(const void *site)
{
    if (fa__failed() && fa__self->started && !fa__self->error->line)
        fa__self->error->site = site;
}

fa_error *fa__error_use(fa_error *slot)
{
    fa__thread *t = fa__thread_here();
    if (!t) {
        if (slot && slot->code == FA_OK)
            *slot = *fa__self->error;
        return NULL;
    }
    fa_error *previous = t->error;
    if (!previous->line || previous->line != fa__line) /* otherwise its call goes on, and may still add to it */
        locate(previous);
    t->error = slot ? slot : &t->own;
    return previous == &t->own ? NULL : previous;
}

void fa__error_hand_over(fa_error *from)
{
    if (from->code != FA_OK && from->unfinished)
        fa__fail_unfinished(from->code, "%s", from->message);
    else if (from->code != FA_OK)
        fa__fail(from->code, "%s", from->message);
    if (from->code != FA_OK && fa__self->started) {
        fa__self->error->located = from->located;
        fa__self->error->line = from->line ? from->line : fa__line;
        fa__self->error->site = from->site;
    }
    from->code = FA_OK;
    from->message[0] = 0;
}

void fa__error_report(fa_error *error)
{
    if (error->code == FA_OK || error->seen)
        return;
    error->seen = true;
    locate(error);
    fa__log(FA_LOG_ERROR, "%s (an error that the program never looked at)", error->message);
}

/* The current error, marked as seen. */
static const fa_error *look(void)
{
    fa_error *error = fa__self->error;
    if (error->code != FA_OK && !error->seen)
        error->seen = true;
    if (fa__self->started)
        locate(error);
    return error;
}

bool fa_failed(void)
{
    return look()->code != FA_OK;
}

fa_code fa_error_code(void)
{
    return look()->code;
}

const char *fa_error_message(void)
{
    return look()->message;
}
