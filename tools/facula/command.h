/* What the files of the command share: its subcommands, exit codes and reading of numbers. */
#ifndef COMMAND_H
#define COMMAND_H
#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Subcommands: argv[0] is their name for messages; they return what the process exits with. */
int command_train(int argc, char **argv);
int command_devices(int argc, char **argv);

/* Tells the standing error of the library on standard error. */
int command_failed(void);

/* The number of an option's argument; ends with a message that names the option when it is not within the limits. */
int64_t command_integer(struct argp_state *state, const char *option, const char *text, int64_t least, int64_t most);
double command_number(struct argp_state *state, const char *option, const char *text, double least, double most);
/* Which of `names`, that end with NULL, the text is. */
int command_choice(struct argp_state *state, const char *choice, const char *text, const char *const *names);
#endif
