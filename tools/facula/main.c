/* The command `facula`: finds the subcommand and passes the remaining arguments to it. */
#include "arguments.h"
#include "command.h"
#include "style.h"
#include <errno.h>
#include <facula/facula.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"train", command_train}, {"eval", command_eval},       {"predict", command_predict},
                {"info", command_info},   {"devices", command_devices}, {"bench", command_bench},
                {"data", command_data},   {"run", command_run}};

enum { COMMANDS = sizeof commands / sizeof *commands };

static const char what[] =
    "Trains and runs neural networks."
    "\v"
    "Commands:\n"
    "  train MODEL         train a network and print its accuracy\n"
    "  eval FILE           evaluate a saved network\n"
    "  predict FILE IMAGE  classify images with a saved network\n"
    "  info FILE           list the contents of a safetensors file\n"
    "  devices             list the available devices\n"
    "  bench               measure a device\n"
    "  data show WHAT      describe a dataset; data preview: draw it; data get: download it\n"
    "  run -- PROGRAM      start a program several times, as the ranks of a group\n"
    "\n"
    "Examples:\n"
    "  facula train cnn --save digits.safetensors\n"
    "  facula train cnn --data photos --workers 2\n"
    "  facula predict digits.safetensors zero.png\n"
    "\n"
    "`facula COMMAND --help` lists the options of a command. Exit status: 0, 1 after a failure, 2 for "
    "wrong arguments.";

static const char names[] = "train, eval, predict, info, devices, bench, data, run";

int command_failed(void)
{
    fprintf(stderr, "%sfacula:%s %s\n", style_red(stderr), style_end(stderr), fa_error_message());
    fa_error_clear();
    return EXIT_FAILED;
}

int command_wrong(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%sfacula:%s ", style_red(stderr), style_end(stderr));
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    return EXIT_USAGE;
}

static int find_device(const char *name, fa_device *device)
{
    *device = name ? fa_device_of(name) : fa_device_best();
    if (fa_failed()) /* there is no device with that name */
        return command_failed(), EXIT_USAGE;
    return fa_device_equal(*device, FA_META) ? command_wrong("the device meta has shapes alone, and computes nothing")
                                             : 0;
}

int command_device(const settings *s, fa_device *device)
{
    fa_set_num_threads((int)s->threads);
    return find_device(s->device, device);
}

int command_device_list(const settings *s, fa_device *devices, size_t *count)
{
    *count = 1;
    if (!s->devices)
        return command_device(s, devices);
    if (s->device)
        return command_wrong("--device does not go with --devices");
    fa_set_num_threads((int)s->threads);
    const char *at = s->devices;
    for (size_t n = 0; n < MOST_DEVICES; n++) {
        char name[64];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        int wrong = find_device(name, &devices[n]);
        for (size_t i = 0; !wrong && i < n; i++)
            wrong = fa_device_equal(devices[i], devices[n]) ? command_wrong("--devices: %s is named twice", name) : 0;
        *count = n + 1;
        if (wrong || !at[length])
            return wrong;
        at += length + 1;
    }
    return command_wrong("--devices: at most %d devices", MOST_DEVICES);
}

/* Runs at exit (--help and --version exit): checks that all output was written. */
static void check_output(void)
{
    bool failed = ferror(stdout);
    errno = 0;
    if (!fflush(stdout) && !failed)
        return;
    fprintf(stderr, "facula: cannot write to standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    _exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
    static const arguments before = {.words = "COMMAND [OPTION...]", .doc = what, .words_first = 1};
    static char name[64] = "facula";
    setlocale(LC_CTYPE, ""); /* what can be drawn; numbers are written as everywhere */
    if (setvbuf(stdout, NULL, _IOLBF, 0) || atexit(check_output)) /* readers of a pipe see each line at once */
        return EXIT_FAILED;
    if (argc < 1)
        return EXIT_USAGE;
    argv[0] = name;
    int at = arguments_read(argc, argv, &before);
    if (at == argc)
        arguments_wrong(name, "a command is missing: %s", names);
    if (!strcmp(argv[at], "help")) { /* [COMMAND]: what --help says of it */
        static char asked[] = "--help";
        bool of_one = argc - at > 1 && strcmp(argv[at + 1], "help") != 0;
        if (of_one)
            argv[at] = argv[at + 1];
        argv[at + of_one] = asked;
        at = arguments_read(argc, argv, &before);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[at], commands[i].name)) {
            snprintf(name, sizeof name, "facula %s", commands[i].name);
            argv[at] = name;
            return commands[i].run(argc - at, argv + at);
        }
    const char *known[COMMANDS + 1] = {NULL};
    char hint[100];
    for (int i = 0; i < COMMANDS; i++)
        known[i] = commands[i].name;
    return command_wrong("there is no command \"%s\"%s: %s", argv[at], style_hint(argv[at], known, hint, sizeof hint),
                         names);
}
