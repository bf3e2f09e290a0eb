/* Shared by the files of the command: subcommands, exit codes, and settings, which are the command's options. */
#ifndef COMMAND_H
#define COMMAND_H
#include <facula/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Subcommands: argv[0] is the name for messages; they return the exit code of the process. */
int command_train(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_info(int argc, char **argv);
int command_devices(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_data(int argc, char **argv);
int command_run(int argc, char **argv);

/* Prints the library's current error to standard error, and clears it. */
int command_failed(void);
/* Prints an error about the arguments, with a printf format. */
int command_wrong(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* The subcommands that accept an option. */
enum { TRAIN = 1, EVAL = 2, PREDICT = 4, INFO = 8, DEVICES = 16, BENCH = 32, DATA = 64 };

enum { MODEL_CNN, MODEL_MLP, MODEL_LINEAR };
enum { OPTIM_SGD, OPTIM_ADAM, OPTIM_ADAMW, OPTIM_RMSPROP, OPTIM_ADAGRAD };
enum { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE, SCHEDULE_ONE_CYCLE, SCHEDULE_PLATEAU };
enum { AMP_OFF, AMP_BF16, AMP_F16 };

/* All options; settings.c has a row for each. Strings are NULL if they are not given. */
typedef struct settings {
    int64_t model, epochs, batch_size, optimizer, schedule, amp, step_size, patience, hidden, seed, threads, top;
    int64_t workers, size, stop_early;
    double lr, momentum, weight_decay, gamma, warm_up;
    const char *data, *target, *data_dir, *device, *devices, *save, *best, *resume, *log, *tensorboard, *report,
        *config, *out;
    int64_t quiet, json, force, curve, invert, as_is, augment, skip_broken;
    uint64_t given;    /* one bit for each row of the table: the option was given */
    char **argument;   /* arguments that are not options */
    int64_t arguments; /* number of arguments */
} settings;

/* Describes an option; `at` is its offset in the settings. */
typedef struct setting {
    const char *name;
    int letter;
    enum { WHOLE, NUMBER, CHOICE, TEXT, FLAG } kind;
    size_t at;
    int64_t least, most;        /* range of numbers */
    const char *const *choices; /* terminated by NULL */
    int commands;               /* subcommands that accept it */
    bool kept;                  /* it is a property of a run: saved with it, and fixed when the run is resumed */
    const char *argument, *doc;
} setting;

enum { SETTINGS = 48, MOST_DEVICES = 64 }; /* including the last row, which has no name */
extern const setting setting_rows[SETTINGS];
extern const char *const model_names[], *const optimizer_names[], *const schedule_names[], *const amp_names[];
extern const char data_names[]; /* the data sets that have names */

/* Parses the arguments of a subcommand. Exits if they are invalid, and after --help. */
settings settings_parse(int command, int argc, char **argv, const char *words, const char *doc);
/* Sets the number of threads, and finds the device. Returns 0, or the exit code if there is no device that can
 * compute. */
int command_device(const settings *s, fa_device *device);
/* The same for the devices of --devices, or the one of --device: stores up to MOST_DEVICES, and their number. */
int command_device_list(const settings *s, fa_device *devices, size_t *count);
/* The row of an existing name. */
const setting *setting_named(const char *name);
bool setting_given(const settings *s, const char *name);
/* Reads the file of --config: options that were not given. Returns 0, or the exit code after a message. */
int config_read(settings *s);
/* Writes a value as text that setting_read() converts back exactly. "" for a string that is NULL. */
void setting_write(const settings *s, const setting *row, char *text, size_t room);
/* Parses such a text; false if it is invalid. */
bool setting_read(settings *s, const setting *row, const char *text);
#endif
