/* facula info: lists the metadata and tensors of a safetensors file, and their sizes. */
#include "json.h"
#include "network.h"
#include "style.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "(3, 4)" */
static const char *shape_text(const fa_saved_entry *e, char *text, size_t room)
{
    snprintf(text, room, "(");
    for (int i = 0; i < e->shape.rank; i++) {
        size_t length = strlen(text);
        snprintf(text + length, room - length, "%s%" PRId64, i ? ", " : "", e->shape.dim[i]);
    }
    size_t length = strlen(text);
    snprintf(text + length, room - length, e->rank > e->shape.rank ? ", ...)" : ")");
    return text;
}

static const char *dtype_text(const fa_saved_entry *e)
{
    return e->dtype == FA_SAME ? e->dtype_name : fa_dtype_name(e->dtype);
}

/* Why the tensor cannot be loaded; NULL if it can. */
static const char *refused(const fa_saved_entry *e)
{
    return e->dtype == FA_SAME ? "no such dtype here" : e->rank > FA_MAX_DIMS ? "too many dimensions" : NULL;
}

static int64_t all_elements(const fa_saved_head *f, int64_t *bytes)
{
    uint64_t n = 0; /* those of unsupported dtypes may have any size */
    *bytes = f->count ? f->entry[f->count - 1].end : 0;
    for (size_t i = 0; i < f->count; i++)
        n += (uint64_t)f->entry[i].elements;
    return (int64_t)n;
}

/* Prints text of a file, with a maximum length and a minimum width; control characters become question marks. */
static void print_plain(const char *text, int length, int wide)
{
    for (int i = 0; i < length; i++)
        putchar((unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i]);
    printf("%*s", wide > length ? wide - length : 0, "");
}

/* Only the first line of a text is printed. */
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

/* A line, or two on a narrow terminal. */
static void print_tensor(const fa_saved_entry *e, int wide, bool narrow)
{
    char shape[200];
    print_plain(e->name, (int)strlen(e->name), narrow ? 0 : wide);
    printf(narrow ? "\n    " : "  ");
    print_plain(dtype_text(e), (int)strlen(dtype_text(e)), 7);
    printf(narrow ? "  %s, %" PRId64 " bytes" : "  %-18s %12" PRId64, shape_text(e, shape, sizeof shape),
           e->end - e->begin);
    if (refused(e))
        printf("  cannot be loaded: %s", refused(e));
    putchar('\n');
}

static void print_all(const fa_saved_head *f, const char *path)
{
    enum { OTHERS = 42 /* columns beside the name */ };
    int64_t bytes;
    int wide = 6;
    int64_t elements = all_elements(f, &bytes);
    for (size_t i = 0; i < f->count; i++)
        wide = (int)strlen(f->entry[i].name) > wide ? (int)strlen(f->entry[i].name) : wide;
    for (size_t i = 0; i < f->metadata.count; i++)
        wide = (int)strlen(f->metadata.name[i]) > wide ? (int)strlen(f->metadata.name[i]) : wide;
    bool narrow = style_narrow(wide + OTHERS);
    printf("%s: %zu tensors, %" PRId64 " elements, %" PRId64 " bytes\n\n", path, f->count, elements, bytes);
    for (size_t i = 0; i < f->metadata.count; i++)
        print_text(f->metadata.name[i], f->metadata.value[i], narrow ? 0 : wide);
    if (narrow)
        printf("\n");
    else
        printf("%s%s%-*s  %-7s  %-18s %12s%s\n", f->metadata.count ? "\n" : "", style_bold(stdout), wide, "tensor",
               "dtype", "shape", "bytes", style_end(stdout));
    for (size_t i = 0; i < f->count; i++)
        print_tensor(&f->entry[i], wide, narrow);
}

static void json_all(const fa_saved_head *f, const char *path)
{
    json j = {.file = stdout};
    int64_t bytes;
    json_open(&j, NULL, '{');
    json_text(&j, "file", path);
    json_whole(&j, "elements", all_elements(f, &bytes));
    json_whole(&j, "bytes", bytes);
    json_open(&j, "metadata", '{');
    for (size_t i = 0; i < f->metadata.count; i++)
        json_text(&j, f->metadata.name[i], f->metadata.value[i]);
    json_close(&j, '}');
    json_open(&j, "tensors", '[');
    for (size_t i = 0; i < f->count; i++) {
        const fa_saved_entry *e = &f->entry[i];
        json_open(&j, NULL, '{');
        j.line = true;
        json_text(&j, "name", f->entry[i].name);
        json_text(&j, "dtype", dtype_text(e));
        json_open(&j, "shape", '[');
        for (int k = 0; k < e->shape.rank; k++)
            json_whole(&j, NULL, e->shape.dim[k]);
        json_close(&j, ']');
        json_whole(&j, "rank", e->rank);
        json_whole(&j, "bytes", e->end - e->begin);
        if (refused(e))
            json_text(&j, "cannot_be_loaded", refused(e));
        json_close(&j, '}');
        j.line = false;
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

int command_info(int argc, char **argv)
{
    settings s = settings_parse(INFO, argc, argv, "FILE",
                                "Lists the contents of a safetensors file, such as a saved network: metadata, and "
                                "the dtype, shape and size of each tensor.\v"
                                "Example:\n"
                                "  facula info net.safetensors --json");
    if (s.arguments != 1)
        return s.arguments ? command_wrong("\"%s\" is not expected", s.argument[1])
                           : command_wrong("a file is missing");
    fa_saved_head f = fa_load_header(s.argument[0]);
    if (fa_failed())
        return command_failed();
    (s.json ? json_all : print_all)(&f, s.argument[0]);
    return 0;
}
