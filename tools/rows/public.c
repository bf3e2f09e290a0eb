/* Reads the public headers, the written ones and those of the rows: functions, structs with the defaults of their
 * options, enumerations. The headers are regular (scripts/documented.sh), so that a reader of C is not needed. */
#include "rows.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A copy without white space at its ends and with single spaces inside. */
static char *squeezed(const char *at, size_t length)
{
    char *s = rows_copy(at, length), *to = s;
    for (const char *p = s; *p; p++)
        if (!isspace((unsigned char)*p))
            *to++ = *p;
        else if (to > s && to[-1] != ' ')
            *to++ = ' ';
    while (to > s && to[-1] == ' ')
        to--;
    *to = 0;
    return s;
}

/* A comment's text without its marks, white space squeezed except for the ends of lines where they are kept. */
static char *comment_of(const char *at, const char *end, bool lines)
{
    text t = {0};
    at += at[2] == '*' ? 3 + (at[3] == '<') : 2;
    for (const char *line = at, *next; line < end - 2; line = next) {
        next = memchr(line, '\n', (size_t)(end - 2 - line));
        next = next ? next + 1 : end - 2;
        const char *p = line + strspn(line, " ");
        p += line > at && *p == '*' ? 1 + (p[1] == ' ') + (p[1] == ' ' && p[2] == ' ') : 0;
        size_t n = p < next ? (size_t)(next - p) : 0;
        while (n && isspace((unsigned char)p[n - 1]))
            n--;
        put(&t, "%s%.*s", t.length ? lines ? "\n" : " " : "", (int)n, p);
    }
    char *all = text_take(&t);
    return lines ? all + strspn(all, " \n") : squeezed(all, strlen(all));
}

/* The comment that ends right before p; "" where there is none. */
static const char *comment_before(const char *header, const char *p)
{
    while (p > header && isspace((unsigned char)p[-1]))
        p--;
    if (p - header < 5 || strncmp(p - 2, "*/", 2) != 0)
        return "";
    const char *begin = p - 2;
    while (begin > header && strncmp(begin, "/*", 2) != 0)
        begin--;
    return !strncmp(begin, "/**", 3) ? comment_of(begin, p, true) : "";
}

/* "const fa_tensor *x", "int64_t dim[8]" or "void (*free)(void *)" as name and type. */
static public_item item_of(const char *declared)
{
    public_item item = {.type = declared, .name = "", .fallback = NULL, .doc = ""};
    const char *pointer = strstr(declared, "(*"), *end = declared + strcspn(declared, "["), *begin = end;
    if (pointer) {
        size_t n = strcspn(pointer + 2, ")");
        item.name = rows_copy(pointer + 2, n);
        item.type = rows_format("%.*s%s", (int)(pointer + 2 - declared), declared, pointer + 2 + n);
        return item;
    }
    while (begin > declared && is_of_name(begin[-1]))
        begin--;
    item.name = rows_copy(begin, (size_t)(end - begin));
    const char *type = squeezed(declared, (size_t)(begin - declared));
    item.type = *end ? rows_format("%s%s", type, end) : type;
    return item;
}

/* Divides a text at the commas outside of brackets and strings; returns the number of parts. */
static int parts_of(const char *list, const char **part, int most)
{
    int n = 0, depth = 0;
    bool quoted = false;
    const char *begin = list;
    for (const char *p = list;; p++) {
        quoted ^= *p == '"';
        depth += !quoted && *p && strchr("({[", *p) ? 1 : !quoted && *p && strchr(")}]", *p) ? -1 : 0;
        if ((*p && (*p != ',' || depth || quoted)) || n == most)
            continue;
        part[n++] = squeezed(begin, (size_t)(p - begin));
        begin = p + 1;
        if (!*p)
            return n;
    }
}

/* ---- structs ---- */

static void add_members(public_struct *s, const char *declared)
{
    const char *part[8];
    int n = strchr(declared, '(') ? 1 : parts_of(declared, part, 8);
    if (strchr(declared, '('))
        part[0] = declared;
    public_item first = item_of(part[0]);
    for (int i = 0; i < n && s->members < MOST_MEMBERS; i++) {
        public_item item = i ? item_of(rows_format("%s%s%s", first.type, "", part[i])) : first;
        if (i)
            item.type = first.type, item.name = part[i] + strspn(part[i], "* ");
        s->member[s->members++] = item;
    }
}

/* Reads members up to the closing brace; false for a struct that is not flat. */
static bool read_members(public_struct *s, const char *p)
{
    text t = {0};
    int documented = 0;
    for (; *p && *p != '}'; p++) {
        const char *end = p[0] == '/' && p[1] == '*' ? strstr(p, "*/") : NULL;
        if (*p == '{')
            return text_take(&t), false;
        if (end) {
            if (!strncmp(p, "/**<", 4))
                for (; documented < s->members; documented++)
                    s->member[documented].doc = comment_of(p, end + 2, false);
            p = end + 1;
        } else if (*p == ';') {
            documented = s->members;
            char *declared = text_take(&t);
            add_members(s, squeezed(declared, strlen(declared)));
        } else
            put(&t, "%c", *p);
    }
    text_take(&t);
    return true;
}

static void read_structs(public_api *api, const char *header)
{
    for (const char *p = header; (p = strstr(p, "\ntypedef struct fa_"));) {
        p += strlen("\ntypedef struct ");
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");
        public_struct s = {.name = rows_copy(p, n)};
        if (strncmp(p + n, " {", 2) != 0 || !strncmp(s.name, "fa__", 4) || !read_members(&s, p + n + 2))
            continue;
        *api->last_struct = rows_get(sizeof s);
        **api->last_struct = s;
        api->last_struct = &(*api->last_struct)->next;
    }
}

public_struct *public_struct_find(const public_api *api, const char *name)
{
    for (public_struct *s = api->structs; s; s = s->next)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

/* typedef fa_nn_conv2d_options fa_nn_conv1d_options; */
static void read_aliases(public_api *api, const char *header)
{
    for (const char *p = header; (p = strstr(p, "\ntypedef fa_"));) {
        p += strlen("\ntypedef ");
        size_t from = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789"), end = strcspn(p, ";\n");
        const public_struct *s = public_struct_find(api, rows_copy(p, from));
        const char *name = squeezed(p + from, end - from);
        if (p[end] != ';' || !s)
            continue;
        public_struct *same = *api->last_struct = rows_get(sizeof *same);
        *same = *s;
        same->name = name;
        same->alias = s->name;
        same->next = NULL;
        api->last_struct = &same->next;
    }
}

/* ---- defaults: #define FA__DEFAULT_fa_sum {offsetof(...), NULL, FA_ALL, false, 0} ---- */

/* What a macro is defined as, on one line; NULL where there is none. */
static const char *definition(const char *header, const char *name)
{
    const char *wanted = rows_format("\n#define %s", name), *p = header;
    while ((p = strstr(p, wanted)) && is_of_name(p[strlen(wanted)]))
        p++;
    if (!p)
        return NULL;
    p += strlen(wanted);
    text t = {0};
    for (; *p && *p != '\n'; p++)
        if (*p == '\\' && p[1] == '\n')
            p++;
        else
            put(&t, "%c", *p);
    char *all = text_take(&t);
    return squeezed(all, strlen(all));
}

static const char *default_of(const public_api *api, const char *function)
{
    for (const public_header *h = api->headers; h; h = h->next) {
        const char *d = definition(h->text, rows_format("FA__DEFAULT_%s", function));
        if (d)
            return !strncmp(d, "FA__DEFAULT_", 12) ? default_of(api, d + 12) : d;
    }
    return NULL;
}

/* The options of a function: its struct, with the function's own defaults. */
static void give_options(const public_api *api, public_function *f)
{
    const char *part[MOST_MEMBERS + 2];
    const public_item *last = f->parameters ? &f->parameter[f->parameters - 1] : NULL;
    const char *values = last && !strcmp(last->name, "options") ? default_of(api, f->name) : NULL;
    if (!values)
        return;
    const char *type = last->type + strlen("const ");
    const public_struct *s = public_struct_find(api, rows_copy(type, strcspn(type, " ")));
    values = strchr(values, '{') + 1;
    int n = parts_of(rows_copy(values, strlen(values) - 1), part, MOST_MEMBERS + 2);
    if (!s || n != s->members)
        fail(f->header, 0, "%s: its options are not those of its defaults", f->name);
    if (!s || n != s->members)
        return;
    f->parameters--;
    f->options = s->alias ? s->alias : s->name;
    for (int i = 1; i + 1 < n; i++) {
        if (!strncmp(s->member[i].doc, "set by the macro", 16))
            continue;
        f->option[f->noptions] = s->member[i];
        f->option[f->noptions++].fallback = part[i];
    }
}

/* ---- functions ---- */

static void read_parameters(public_function *f, const char *list)
{
    const char *part[MOST_PARAMETERS];
    if (!strcmp(list, "void") || !*list)
        return;
    f->parameters = parts_of(list, part, MOST_PARAMETERS);
    for (int i = 0; i < f->parameters; i++)
        f->parameter[i] = item_of(part[i]);
}

/* Whether there is a function of that name. */
static bool is_declared(const char *header, const char *name)
{
    for (const char *p = header, *wanted = rows_format("%s(", name); (p = strstr(p, "\nFA_API "));) {
        p += strlen("\nFA_API ");
        const char *found = strstr(p, wanted);
        if (found && found < p + strcspn(p, "(;") && !is_of_name(found[-1]))
            return true;
    }
    return false;
}

/* The comment before a macro's definition, in C or C++, or the one behind the declaration of the function it calls. */
static const char *doc_of_macro(const char *header, const char *name, const char *declared_to)
{
    const char *doc = "", *next = declared_to + strspn(declared_to, "; \n");
    for (const char *p = header, *wanted = rows_format("\n#define %s(", name); !*doc && (p = strstr(p, wanted)); p++)
        doc = comment_before(header, p);
    return *doc || strncmp(next, "/**", 3) != 0 ? doc : comment_of(next, strstr(next, "*/") + 2, true);
}

/* The declaration at p, behind FA_API. Names with two underscores are not public, but for those that a macro calls
 * which is a public call of its own: fa_forward(net, x) is fa__forward(net, inputs). */
static void read_function(public_api *api, const public_header *h, const char *p)
{
    const char *open = p + strcspn(p, "(;"), *name = open;
    while (name > p && is_of_name(name[-1]))
        name--;
    const char *close = open, *docs = p - strlen("FA_API ");
    int depth = 0;
    do
        depth += *close == '(' ? 1 : *close == ')' ? -1 : 0;
    while (*close++ && depth);
    public_function f = {.header = h->name, .result = squeezed(p, (size_t)(name - p))};
    f.symbol = f.name = rows_copy(name, (size_t)(open - name));
    if (*open != '(' || strncmp(f.name, "fa_", 3) != 0)
        return;
    if (!strncmp(f.name, "fa__", 4)) {
        f.name = rows_format("fa_%s", f.name + 4);
        if (!strstr(h->text, rows_format("\n#define %s(", f.name)) || is_declared(h->text, f.name))
            return;
        f.doc = doc_of_macro(h->text, f.name, close);
    } else
        f.doc = comment_before(h->text, docs);
    read_parameters(&f, squeezed(open + 1, (size_t)(close - open - 2)));
    give_options(api, &f);
    *api->last_function = rows_get(sizeof f);
    **api->last_function = f;
    api->last_function = &(*api->last_function)->next;
}

static void read_functions(public_api *api, const public_header *h)
{
    for (const char *p = h->text; (p = strstr(p, "\nFA_API "));)
        read_function(api, h, p += strlen("\nFA_API "));
}

/* ---- enumerations ---- */

static void add_constant(public_api *api, const char *type, const char *name, const char *value)
{
    public_constant *c = *api->last_constant = rows_get(sizeof *c);
    *c = (public_constant){.type = type, .name = name, .value = value};
    api->last_constant = &c->next;
}

static void read_enum(public_api *api, const char *type, const char *p)
{
    text t = {0};
    const char *part[64];
    for (; *p && *p != '}'; p++)
        if (p[0] == '/' && p[1] == '*' && strstr(p, "*/"))
            p = strstr(p, "*/") + 1;
        else
            put(&t, "%c", *p);
    int n = parts_of(text_take(&t), part, 64);
    long value = 0;
    for (int i = 0; i < n; i++) {
        const char *is = strchr(part[i], '=');
        value = is ? strtol(is + 1, NULL, 0) : value;
        if (*part[i] && !strstr(part[i], "__"))
            add_constant(api, type, squeezed(part[i], is ? (size_t)(is - part[i]) : strlen(part[i])),
                         rows_format("%ld", value));
        value++;
    }
}

static void read_enums(public_api *api, const char *header)
{
    for (const char *p = header; (p = strstr(p, "enum ")); p++) {
        size_t n = strcspn(p, "{;\n");
        if (p[n] == '{' && (p == header || p[-1] == '\n' || p[-1] == ' ') && n < 64)
            read_enum(api, squeezed(p + 5, n - 5), p + n + 1);
    }
}

/* ---- headers ---- */

static void read_folder(public_api *api, const char *folder, const char *prefix)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        size_t length = strlen(name), bytes;
        if (length > 2 && !strcmp(name + length - 2, ".h") && strcmp(name, "lines.h") != 0) {
            public_header *h = *api->last_header = rows_get(sizeof *h);
            api->last_header = &h->next;
            h->name = rows_format("%s%s", prefix, name);
            h->text = file_read(rows_format("%s/%s", folder, name), &bytes);
        }
        free(entry[i]);
    }
    free(entry);
}

void read_public(public_api *api, const char *folder)
{
    *api = (public_api){0};
    api->last_header = &api->headers;
    api->last_struct = &api->structs;
    api->last_function = &api->functions;
    api->last_constant = &api->constants;
    read_folder(api, folder, "");
    read_folder(api, rows_format("%s/ops", folder), "ops/");
    for (const public_header *h = api->headers; h; h = h->next)
        read_structs(api, h->text), read_enums(api, h->text);
    for (const public_header *h = api->headers; h; h = h->next)
        read_aliases(api, h->text);
    for (const public_header *h = api->headers; h; h = h->next)
        read_functions(api, h);
}
