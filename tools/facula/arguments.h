/* Arguments of a program: options from a table, and the answers to --help, --usage and --version. POSIX and getopt_long
 * are enough for it, as not every C library has argp. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

typedef struct arguments_option {
    const char *name;
    int key;              /* the letter, or a number above all letters */
    const char *argument; /* NULL: it has none */
    const char *doc;
} arguments_option;

typedef struct arguments {
    const arguments_option *options; /* up to one without a name; may be NULL */
    const char *words;               /* what follows the options, for --usage */
    const char *doc;                 /* --help: text before the options, and behind a '\v' what follows them */
    int words_first;                 /* options behind the first word are left alone */
    void (*take)(void *context, const arguments_option *option, const char *value);
    void *context;
} arguments;

/* Calls `take` for each option, and moves the other words to the end; returns the index of the first. argv[0] is the
 * name in messages. Exits with EXIT_USAGE after a message if an option is wrong, and with 0 after --help and its like.
 */
int arguments_read(int argc, char **argv, const arguments *a);

/* Prints a message with the program's name, and where to find help, and exits with EXIT_USAGE. */
_Noreturn void arguments_wrong(const char *program, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
#endif
