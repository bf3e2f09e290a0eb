/* Where the program called: the file and line that the macro of a call sets, or else the return address. */
#ifndef FA__BASE_SITE_H
#define FA__BASE_SITE_H
#include <facula/macros.h>
#include <stdbool.h>

struct fa__text;

/* In a function that the program calls: where it did. A text or an address of code, which fa__describe_site can tell
 * apart. */
#define FA__SITE (fa__line ? (const void *)fa__line : __builtin_return_address(0))

/* Whether it is a text that fa_line_of has returned. */
bool fa__line_is_stored(const void *text);

/* Adds "train.c:41", "main+0x53" (a function that the dynamic linker knows) or "./train+0x1153"; "an unknown line" if
 * the memory is no longer mapped, because a plugin was unloaded. */
void fa__describe_site(struct fa__text *, const void *site) __attribute__((__cold__));
#endif
