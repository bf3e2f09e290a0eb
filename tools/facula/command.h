/* What the files of the command share: its subcommands, exit codes, and settings, which are its options. */
#ifndef COMMAND_H
#define COMMAND_H
#include <facula/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Subcommands: argv[0] is their name for messages; they return what the process exits with. */
int command_train(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_info(int argc, char **argv);
int command_devices(int argc, char **argv);
int command_bench(int argc, char **argv);

/* Tells the standing error of the library on standard error, and forgets it. */
int command_failed(void);
/* Tells what is wrong with the arguments, in the manner of printf. */
int command_wrong(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Which subcommands an option is of. */
enum { TRAIN = 1, EVAL = 2, PREDICT = 4, INFO = 8, DEVICES = 16, BENCH = 32 };

enum { MODEL_CNN, MODEL_MLP, MODEL_LINEAR };
enum { OPTIM_SGD, OPTIM_ADAM, OPTIM_ADAMW, OPTIM_RMSPROP, OPTIM_ADAGRAD };
enum { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE, SCHEDULE_ONE_CYCLE, SCHEDULE_PLATEAU };

/* All options: `settings.c` has a row for each. Texts are NULL when they are not given. */
typedef struct settings {
    int64_t model, data, epochs, batch_size, optimizer, schedule, step_size, patience, hidden, seed, threads, top;
    double lr, momentum, weight_decay, gamma, warm_up;
    const char *data_dir, *device, *save, *resume, *log;
    int64_t quiet, json, curve, invert;
    uint64_t given;    /* a bit for each row of the table: it stood among the arguments */
    char **argument;   /* those that are no options */
    int64_t arguments; /* how many */
} settings;

/* What an option is; `at` is its place in the settings. */
typedef struct setting {
    const char *name;
    int letter;
    enum { WHOLE, NUMBER, CHOICE, TEXT, FLAG } kind;
    size_t at;
    int64_t least, most;        /* of numbers */
    const char *const *choices; /* ended by NULL */
    int commands;               /* which subcommands it is of */
    bool kept;                  /* it belongs to a run: is saved with it, and stays as it is when the run goes on */
    const char *argument, *doc;
} setting;

enum { SETTINGS = 27 }; /* with the one without a name, which ends them */
extern const setting setting_rows[SETTINGS];
extern const char *const model_names[], *const data_names[], *const optimizer_names[], *const schedule_names[];

/* Reads the arguments of a subcommand. Ends the process when one is wrong, and after --help. */
settings settings_parse(int command, int argc, char **argv, const char *arguments, const char *doc);
/* Sets the threads, and finds the device. What the process exits with when there is none that computes; 0: there is. */
int command_device(const settings *s, fa_device *device);
/* The row of a name; it is there. */
const setting *setting_named(const char *name);
bool setting_given(const settings *s, const char *name);
/* A value as text, which gives the same value when it is read. "" for a text that is NULL. */
void setting_write(const settings *s, const setting *row, char *text, size_t room);
/* Reads such a text; false when it is none. */
bool setting_read(settings *s, const setting *row, const char *text);
#endif
