/* Telling lines of source from addresses of code, and describing both. */
#define _GNU_SOURCE
#include "base/site.h"
#include "base/text.h"
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

typedef struct search {
    uintptr_t address;
    size_t left; /* bytes of the segment from there on; 0: the address is not mapped */
} search;

static int look(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    search *s = context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && s->address - begin < p->p_filesz)
            s->left = p->p_filesz - (s->address - begin);
    }
    return s->left > 0;
}

/* Whether it is a text that ends with a colon and a number. Machine code is not. */
static bool is_line(const char *text, size_t left)
{
    size_t length = strnlen(text, left), digits = 0;
    if (length == left)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ')
            return false;
    while (digits < length && text[length - 1 - digits] >= '0' && text[length - 1 - digits] <= '9')
        digits++;
    return digits > 0 && digits < length && text[length - 1 - digits] == ':';
}

void fa__describe_site(struct fa__text *text, const void *site)
{
    search s = {(uintptr_t)site, 0};
    Dl_info info = {0};
    dl_iterate_phdr(look, &s);
    if ((s.left && is_line(site, s.left)) || (!s.left && fa__line_is_stored(site)))
        fa__text_add(text, "%s", (const char *)site);
    else if (s.left && dladdr(site, &info) && info.dli_sname)
        fa__text_add(text, "%s+%#tx", info.dli_sname, (const char *)site - (const char *)info.dli_saddr);
    else if (s.left && info.dli_fname)
        fa__text_add(text, "%s+%#tx", info.dli_fname, (const char *)site - (const char *)info.dli_fbase);
    else
        fa__text_add(text, "an unknown line");
}
