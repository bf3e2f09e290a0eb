/* facula info: what is in a safetensors file: texts, tensors, and how large they are. */
#include "json.h"
#include "network.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "(3, 4)" */
static const char *shape_text(const fa_tensor *t, char *text, size_t room)
{
    snprintf(text, room, "(");
    for (int i = 0; i < fa_dim(t); i++) {
        size_t length = strlen(text);
        snprintf(text + length, room - length, "%s%" PRId64, i ? ", " : "", fa_size(t, i));
    }
    size_t length = strlen(text);
    snprintf(text + length, room - length, ")");
    return text;
}

static int64_t all_elements(const fa_saved *f, size_t *bytes)
{
    int64_t n = 0;
    *bytes = 0;
    for (size_t i = 0; i < f->tensors.count; i++) {
        n += fa_numel(f->tensors.item[i]);
        *bytes += fa_nbytes(f->tensors.item[i]);
    }
    return n;
}

/* Text of a file, up to so many bytes and at least so wide; what would move the cursor is a question mark. */
static void print_plain(const char *text, int length, int wide)
{
    for (int i = 0; i < length; i++)
        putchar((unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i]);
    printf("%*s", wide > length ? wide - length : 0, "");
}

/* Texts of several lines are told by their first one. */
static void print_text(const char *name, const char *value, int wide)
{
    int length = (int)strcspn(value, "\n");
    int lines = 1;
    for (const char *at = value; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    print_plain(name, (int)strlen(name), wide);
    printf("  ");
    print_plain(value, length, 0);
    printf(lines > 1 ? " ... (%d lines)\n" : "\n", lines);
}

static void print_all(const fa_saved *f, const char *path)
{
    size_t bytes;
    int wide = 6;
    int64_t elements = all_elements(f, &bytes);
    for (size_t i = 0; i < f->tensors.count; i++)
        wide = (int)strlen(f->tensors.name[i]) > wide ? (int)strlen(f->tensors.name[i]) : wide;
    for (size_t i = 0; i < f->metadata.count; i++)
        wide = (int)strlen(f->metadata.name[i]) > wide ? (int)strlen(f->metadata.name[i]) : wide;
    printf("%s: %zu tensors, %" PRId64 " elements, %zu bytes\n\n", path, f->tensors.count, elements, bytes);
    for (size_t i = 0; i < f->metadata.count; i++)
        print_text(f->metadata.name[i], f->metadata.value[i], wide);
    printf("%s%-*s  dtype  %-18s %12s\n", f->metadata.count ? "\n" : "", wide, "tensor", "shape", "bytes");
    for (size_t i = 0; i < f->tensors.count; i++) {
        const fa_tensor *t = f->tensors.item[i];
        char shape[200];
        print_plain(f->tensors.name[i], (int)strlen(f->tensors.name[i]), wide);
        printf("  %-5s  %-18s %12zu\n", fa_dtype_name(fa_tensor_dtype(t)), shape_text(t, shape, sizeof shape),
               fa_nbytes(t));
    }
}

static void json_all(const fa_saved *f, const char *path)
{
    json j = {.file = stdout};
    size_t bytes;
    json_open(&j, NULL, '{');
    json_text(&j, "file", path);
    json_whole(&j, "elements", all_elements(f, &bytes));
    json_whole(&j, "bytes", (int64_t)bytes);
    json_open(&j, "metadata", '{');
    for (size_t i = 0; i < f->metadata.count; i++)
        json_text(&j, f->metadata.name[i], f->metadata.value[i]);
    json_close(&j, '}');
    json_open(&j, "tensors", '[');
    for (size_t i = 0; i < f->tensors.count; i++) {
        const fa_tensor *t = f->tensors.item[i];
        json_open(&j, NULL, '{');
        j.line = true;
        json_text(&j, "name", f->tensors.name[i]);
        json_text(&j, "dtype", fa_dtype_name(fa_tensor_dtype(t)));
        json_open(&j, "shape", '[');
        for (int k = 0; k < fa_dim(t); k++)
            json_whole(&j, NULL, fa_size(t, k));
        json_close(&j, ']');
        json_whole(&j, "bytes", (int64_t)fa_nbytes(t));
        json_close(&j, '}');
        j.line = false;
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

int command_info(int argc, char **argv)
{
    settings s = settings_parse(INFO, argc, argv, "FILE",
                                "Shows what is in a safetensors file, a network that was saved among them: texts, "
                                "tensors with their dtypes, shapes and bytes.");
    if (s.arguments != 1)
        return s.arguments ? command_wrong("\"%s\" is not expected", s.argument[1])
                           : command_wrong("a file is missing");
    fa_saved f = fa_load_file(s.argument[0], .device = FA_META);
    if (fa_failed())
        return command_failed();
    (s.json ? json_all : print_all)(&f, s.argument[0]);
    return 0;
}
