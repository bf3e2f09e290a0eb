/* facula train: makes a network, trains it on a data set, and shows how well it does on the part that is held out. */
#include "events.h"
#include "progress.h"
#include "report.h"
#include "run.h"
#include "style.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- settings ---- */

/* What is not given gets what does well. */
static void complete(settings *s)
{
    static const double rate[] = {0, 0.002, 0.002, 0.001, 0.01};
    const data_set *d = data_set_like(s->data);
    if (!setting_given(s, "epochs"))
        s->epochs = d->epochs;
    if (!setting_given(s, "batch-size"))
        s->batch_size = d->batch_size;
    if (!setting_given(s, "schedule"))
        s->schedule = setting_given(s, "warm-up") ? SCHEDULE_CONSTANT : d->schedule;
    if (!setting_given(s, "lr"))
        s->lr = s->optimizer != OPTIM_SGD ? rate[s->optimizer] : s->model == MODEL_CNN ? d->cnn_lr : d->lr;
    if (!setting_given(s, "momentum"))
        s->momentum = s->optimizer == OPTIM_SGD ? 0.9 : 0;
    if (!setting_given(s, "weight-decay"))
        s->weight_decay = s->optimizer == OPTIM_ADAMW ? 0.01 : 0;
    if (!setting_given(s, "step-size"))
        s->step_size = s->epochs > 3 ? (s->epochs + 2) / 3 : 1;
}

/* An option of other schedules than that of the run would change nothing. */
static int check_schedule(const settings *s)
{
    const bool steps = s->schedule == SCHEDULE_STEP, plateau = s->schedule == SCHEDULE_PLATEAU;
    const struct {
        const char *name;
        bool wrong;
    } option[] = {
        {"warm-up", s->warm_up > 0 && (plateau || s->schedule == SCHEDULE_ONE_CYCLE)},
        {"step-size", !steps},
        {"patience", !plateau},
        {"gamma", !steps && !plateau},
    };
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (option[i].wrong && setting_given(s, option[i].name))
            return command_wrong("--%s does not go with --schedule=%s", option[i].name, schedule_names[s->schedule]);
    return 0;
}

/* A file that is there is overwritten with --force, or if the user says so. */
static int check_overwriting(const settings *s, const char *path)
{
    char answer[16] = "";
    if (!path || s->force || access(path, F_OK))
        return 0;
    if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !getenv("WORLD_SIZE")) {
        fprintf(stderr, "%s exists; overwrite it? [y/N] ", path);
        if (fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y'))
            return 0;
    }
    return command_wrong("%s exists: --force overwrites it, --resume continues it", path);
}

/* Options that do not go with the data. */
static int check_data(const settings *s)
{
    bool path = !data_set_named(s->data), table = path && data_is_table(s->data);
    int wrong = data_check(s);
    if (wrong)
        return wrong;
    if (s->target && !table)
        return command_wrong("--target: %s is no table", s->data);
    if (s->size && (!path || table))
        return command_wrong("--size: %s is no folder of images", s->data);
    if (s->size && s->size < 8)
        return command_wrong("--size: images of less than 8 x 8 are too small");
    if (s->augment && table)
        return command_wrong("--augment: %s is a table", s->data);
    if (path && s->data_dir)
        return command_wrong("--data-dir: \"%s\" is the data itself", s->data);
    if (table && s->model == MODEL_CNN)
        return command_wrong("%s is a table, and cnn takes images: mlp or linear", s->data);
    if (path && s->save && !json_is_text(s->data))
        return command_wrong("--data: its name is not UTF-8, so that --save cannot write it down");
    return 0;
}

/* Refuses the name of another format, which would mislead, before the training. */
static int check_name(const char *option, const char *path)
{
    static const char *const others[] = {".pt", ".pth", ".npy", ".npz"};
    size_t length = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t of = strlen(others[i]);
        if (length > of && !strcmp(path + length - of, others[i]))
            return command_wrong("%s: \"%s\": the file is none of PyTorch's or NumPy's, but safetensors: "
                                 "%.*s.safetensors",
                                 option, path, (int)(length - of), path);
    }
    return 0;
}

/* What is wrong with them together; 0: nothing. */
static int check(const settings *s)
{
    bool heavy = s->optimizer == OPTIM_SGD || s->optimizer == OPTIM_RMSPROP;
    if (setting_given(s, "momentum") && !heavy)
        return command_wrong("--momentum: %s has none", optimizer_names[s->optimizer]);
    if (s->schedule == SCHEDULE_PLATEAU && s->gamma >= 1)
        return command_wrong("--gamma: --schedule=plateau lowers the rate, by a number below 1");
    int wrong = check_data(s);
    if (wrong)
        return wrong;
    if (s->save && s->data_dir && !json_is_text(s->data_dir)) /* known before an epoch, not behind it */
        return command_wrong("--data-dir: its name is not UTF-8, so that --save cannot write it down");
    if (s->log && !log_knows(s->log))
        return command_wrong("--log: \"%s\" ends with neither .csv nor .jsonl", s->log);
    if (s->quiet && s->json)
        return command_wrong("--quiet does not go with --json");
    wrong = check_name("--save", s->save);
    wrong = wrong ? wrong : check_name("--best", s->best);
    if (wrong)
        return wrong;
    if (s->save && s->best && !strcmp(s->save, s->best))
        return command_wrong("--best and --save are the same file");
    wrong = check_schedule(s);
    wrong = wrong || (s->resume && !strcmp(s->save, s->resume)) ? wrong : check_overwriting(s, s->save);
    return wrong || s->resume ? wrong : check_overwriting(s, s->best);
}

/* Settings of a run that goes on are those of its file; what is given has to be the same, but for what may change. */
static int restore(settings *s, const fa_saved *file)
{
    for (const setting *row = setting_rows; row->name; row++) {
        char key[64], given[4096];
        bool changes = !strcmp(row->name, "epochs") || !strcmp(row->name, "data-dir");
        if (!row->kept || (changes && setting_given(s, row->name)))
            continue;
        snprintf(key, sizeof key, "run.%s", row->name);
        const char *text = saved_text(file, key);
        setting_write(s, row, given, sizeof given);
        if (text && setting_given(s, row->name) && strcmp(text, given))
            return command_wrong("%s%s: %s, and %s goes on with %s", row->letter ? "--" : "", row->name, given,
                                 s->resume, text);
        if (!text && row->kind == TEXT)
            continue;
        if (!text || !setting_read(s, row, text)) {
            fa_fail(FA_ERROR_FILE, "%s is no run that was saved by `facula train`: it has no \"%s\"", s->resume, key);
            return command_failed();
        }
    }
    if (!s->save)
        s->save = s->resume;
    return 0;
}

/* ---- training ---- */

/* What is being written goes on; a second signal, of either kind, ends it all. */
static void stop(int number)
{
    signal(number == SIGINT ? SIGTERM : SIGINT, SIG_DFL);
    fa_stop();
}

static void print_head(const run *r)
{
    printf("%s on %s, %" PRId64 " samples and %" PRId64 " held out, on %s", model_names[r->s.model], r->s.data,
           fa_dataset_length(fa_loader_dataset(r->train)), fa_dataset_length(fa_loader_dataset(r->held_out)),
           fa_device_name(r->device));
    for (size_t i = 1; i < r->device_count; i++)
        printf(", %s", fa_device_name(r->devices[i]));
    if (r->world)
        printf(", %d processes", fa_dist_size(r->world));
    printf("\n");
    if (r->done)
        printf("goes on behind epoch %" PRId64 " of %s%s\n", r->done, r->s.resume,
               r->done < r->s.epochs ? "" : ", which was the last one: --epochs sets more");
}

static void print_epoch(const run *r, const char *label, const epoch_facts *e)
{
    char left[32];
    double all = (double)(r->s.epochs * fa_loader_length(r->train) - r->steps_before);
    double seconds = r->steps ? (progress_now() - r->began) / (double)r->steps * (all - (double)r->steps) : 0;
    printf("%s  loss %.4f  held out %.1f%%  %.0f/s  %s left\n", label, e->loss, 100 * e->accuracy, e->rate,
           progress_time(seconds, left, sizeof left));
}

/* Once, when it begins to be so; training goes on, as the program was told. */
static void note_divergence(const run *r, double loss)
{
    if (!isfinite(loss) && (!r->done || isfinite(r->epoch[r->done - 1].loss)))
        fprintf(stderr, "facula: epoch %" PRId64 ": the loss is %f; with a smaller --lr it may stay finite\n",
                r->done + 1, loss);
}

/* Adds an epoch to the log and the events, and saves what is to be saved. */
static bool keep(run *r, FILE *log, FILE *events, const epoch_facts *e)
{
    return (!log || log_write(log, r->s.log, r->done, e)) && (!events || events_write(events, r->done, e))
           && (!r->s.best || r->best != r->done || run_save(r, r->s.best)) && (!r->s.save || run_save(r, r->s.save));
}

/* Whether the held-out accuracy has not improved for as long as --stop-early allows. */
static bool is_stale(const run *r)
{
    return r->s.stop_early && r->done - r->best >= r->s.stop_early;
}

/* What is left of one epoch, and all that is told of it. False when it was stopped or failed. */
static bool one_epoch(run *r, FILE *log, FILE *events)
{
    char label[64];
    double began = progress_now();
    epoch_facts e = {.rate = NAN};
    snprintf(label, sizeof label, "epoch %*" PRId64 "/%" PRId64, r->s.epochs > 9 ? 2 : 1, r->done + 1, r->s.epochs);
    if (fa_loader_position(r->train).epoch > r->done) /* it was stopped before it was evaluated */
        e.loss = r->sum / (double)r->seen;
    else if (!run_epoch(r, &e.loss, &e.rate, label))
        return false;
    r->skipped = fa_dataset_length(fa_loader_dataset(r->train)) - r->seen;
    note_divergence(r, e.loss);
    if (!evaluate(r->net, r->held_out, r->n.classes, &r->tally))
        return false;
    if (r->s.schedule == SCHEDULE_PLATEAU)
        fa_schedule_step_metric(r->schedule, e.loss);
    r->evaluated = true;
    e.accuracy = tally_accuracy(&r->tally) / 100;
    e.lr = fa_optim_lr(r->optim);
    e.seconds = progress_now() - began;
    if (!run_note(r, e))
        return false;
    if (!r->s.quiet && !r->s.json)
        print_epoch(r, label, &e);
    return keep(r, log, events, &e);
}

/* Whether a file can be written there: better known before an epoch than behind it. */
static bool can_save(const char *path)
{
    fa_file out;
    bool good = fa_file_begin(&out, path);
    if (good)
        fa_file_abandon(&out);
    return good;
}

/* All epochs that are left, and what the network does then. False when it was stopped or failed. */
static bool train(run *r)
{
    bool good = (!r->s.save || can_save(r->s.save)) && (!r->s.best || can_save(r->s.best))
                && (!r->s.report || can_save(r->s.report));
    FILE *log = good && r->s.log ? log_open(r->s.log, r->s.resume ? r->done : -1) : NULL;
    FILE *events = good && !fa_failed() && r->s.tensorboard ? events_open(r->s.tensorboard) : NULL;
    good = !fa_failed();
    r->began = progress_now();
    while (good && r->done < r->s.epochs && !is_stale(r))
        good = !fa_stopped() && one_epoch(r, log, events);
    if (good && !r->evaluated)
        good = evaluate(r->net, r->held_out, r->n.classes, &r->tally) && (!r->s.save || run_save(r, r->s.save));
    if (log)
        fclose(log);
    if (events)
        fclose(events);
    return good && (!r->s.report || report_write(r, r->s.report));
}

/* ---- what it came to ---- */

static void json_settings(json *j, const run *r)
{
    json_open(j, "settings", '{');
    for (const setting *row = setting_rows; row->name; row++) {
        const void *at = (const char *)&r->s + row->at;
        char text[4096];
        setting_write(&r->s, row, text, sizeof text);
        if (!row->kept || (row->kind == TEXT && !*text))
            continue;
        if (row->kind == WHOLE)
            json_whole(j, row->name, *(const int64_t *)at);
        else if (row->kind == NUMBER)
            json_number(j, row->name, *(const double *)at);
        else
            json_text(j, row->name, text);
    }
    json_text(j, "device", fa_device_name(r->device));
    if (r->s.devices)
        json_text(j, "devices", r->s.devices);
    json_whole(j, "threads", fa_num_threads());
    json_close(j, '}');
}

static int64_t held_out_skipped(const run *r)
{
    return fa_dataset_length(fa_loader_dataset(r->held_out)) - r->tally.samples;
}

static void print_json(const run *r)
{
    json j = {.file = stdout};
    json_open(&j, NULL, '{');
    json_settings(&j, r);
    json_whole(&j, "parameters", fa_module_numel(r->net));
    json_whole(&j, "training_samples", fa_dataset_length(fa_loader_dataset(r->train)));
    if (r->s.skip_broken) {
        json_whole(&j, "skipped", r->skipped);
        json_whole(&j, "skipped_held_out", held_out_skipped(r));
    }
    json_open(&j, "epochs", '[');
    for (int64_t i = 0; i < r->done; i++) {
        json_open(&j, NULL, '{');
        epoch_json(&j, i + 1, &r->epoch[i]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    tally_json(&r->tally, &r->n, &j);
    json_number(&j, "seconds", progress_now() - r->began);
    json_close(&j, '}');
}

static void print_times(const run *r)
{
    fa_loader_times t = fa_loader_report(r->train);
    printf("data: waited %.2f s for %" PRId64 " batches (%.2f%% of the time); reading %.2f s, transforming %.2f s, "
           "copying %.2f s\n",
           t.waiting, t.batches, 100 * t.waiting / r->training, t.reading, t.transforming, t.copying);
}

static void print_result(const run *r, int64_t first)
{
    char from[32], to[32];
    if (!r->s.quiet) {
        snprintf(from, sizeof from, "epoch %" PRId64, first);
        snprintf(to, sizeof to, "epoch %" PRId64, r->done);
        if (r->s.curve || isatty(STDOUT_FILENO))
            chart_draw(&r->chart, from, to);
        tally_print(&r->tally, &r->n);
        if (setting_given(&r->s, "workers"))
            print_times(r);
        if (r->skipped || held_out_skipped(r))
            printf("skipped: %" PRId64 " samples and %" PRId64 " held out, which cannot be read; `facula data show %s` "
                   "names them\n",
                   r->skipped, held_out_skipped(r), r->s.data);
        if (is_stale(r) && r->done < r->s.epochs)
            printf("stopped early: no improvement for %" PRId64 " epochs\n", r->done - r->best);
        if (r->s.save)
            printf("saved: %s\n", r->s.save);
        if (r->s.best && r->best)
            printf("best: epoch %" PRId64 ", held out %.1f%%: %s\n", r->best, 100 * r->epoch[r->best - 1].accuracy,
                   r->s.best);
        if (r->s.report)
            printf("report: %s\n", r->s.report);
    }
    printf("test accuracy: %.1f%%\n", tally_accuracy(&r->tally));
}

/* Ctrl-C: what there is is saved. */
static int stopped(run *r)
{
    fa_loader_place place = fa_loader_position(r->train);
    char where[100] = "", what[300] = "nothing is saved without --save";
    if (r->s.save && !run_save(r, r->s.save))
        return command_failed();
    if (place.epoch > r->done)
        snprintf(where, sizeof where, "while epoch %" PRId64 " was evaluated", place.epoch);
    else
        snprintf(where, sizeof where, "in epoch %" PRId64 ", step %" PRId64 " of %" PRId64, place.epoch + 1,
                 place.batch, fa_loader_length(r->train));
    if (r->s.save)
        snprintf(what, sizeof what, "`facula train --resume %s` goes on", r->s.save);
    fprintf(stderr, "facula: stopped %s; %s\n", where, what);
    return EXIT_FAILED;
}

static int run_all(run *r, const fa_saved *file)
{
    if ((file && !network_read(file, r->s.resume, &r->n)) || !run_new(r) || (file && !run_load(r, r->s.resume, file)))
        return data_failed(&r->s);
    int64_t first = r->done + 1;
    if (!r->s.quiet && !r->s.json)
        print_head(r);
    bool good = train(r);
    if (fa_failed())
        return data_failed(&r->s);
    if (!good)
        return stopped(r);
    if (r->s.json)
        print_json(r);
    else
        print_result(r, first);
    return 0;
}

static int wrong_model(const char *name)
{
    char hint[100];
    return command_wrong("MODEL: \"%s\" is none of cnn, mlp, linear%s", name,
                         style_hint(name, model_names, hint, sizeof hint));
}

/* The settings of the run: the model stands among the arguments, or in the file of --resume, which is read. What the
 * process exits with when something is wrong; 0: nothing. */
static int read_settings(settings *s, fa_saved *file)
{
    int wrong = s->config ? config_read(s) : 0;
    if (wrong)
        return wrong;
    if (s->arguments > 1)
        return command_wrong("\"%s\" is not expected: --data names the data", s->argument[1]);
    if (s->arguments && !setting_read(s, setting_rows, s->argument[0]))
        return wrong_model(s->argument[0]);
    s->given |= (uint64_t)(s->arguments > 0);
    if (!setting_given(s, "model") && !s->resume)
        return command_wrong("a model is missing: cnn, mlp, linear");
    if (s->resume) {
        *file = fa_load_file(s->resume, .device = FA_META);
        wrong = fa_failed() ? command_failed() : restore(s, file);
    } else {
        complete(s);
    }
    return wrong ? wrong : check(s);
}

/* The number of this process among those of its machine, as launchers say it; -1: none has. */
static int local_rank(void)
{
    static const char *const names[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text)
            return atoi(text);
    }
    return -1;
}

/* Joins the processes that `facula run`, torchrun, mpirun or srun has started. All but the first are silent, and save
 * nothing. Without --device, each has a GPU of its own. */
static bool join_world(run *r)
{
    fa_group *world = fa_dist_init();
    if (fa_dist_size(world) < 2)
        return world && !fa_failed();
    r->world = world;
    int gpus = fa_device_count("cuda", NULL), local = local_rank();
    if (!r->s.device && local >= 0 && gpus && r->device.kind == FA_CUDA(0).kind)
        r->device = FA_CUDA(local % gpus);
    if (fa_dist_rank(r->world) == 0)
        return true;
    r->s.save = r->s.best = r->s.log = r->s.tensorboard = r->s.report = NULL;
    return freopen("/dev/null", "w", stdout) || fa_fail(FA_ERROR_FILE, "cannot open /dev/null");
}

/* The first Ctrl-C, or request to end, stops after the step that is being made; the second one ends the process. */
static void catch_signals(void)
{
    const int once = (int)(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop, .sa_flags = once}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop, .sa_flags = once}, NULL);
}

int command_train(int argc, char **argv)
{
    static run r;
    fa_saved file = {0};
    r.s = settings_parse(TRAIN, argc, argv, "MODEL",
                         "Trains a network and reports its accuracy on held-out samples.\v"
                         "MODEL is cnn (convolutional), mlp (one hidden layer) or linear; with --resume it is read "
                         "from the file. Epochs, batch size and learning rate have defaults for each dataset. The "
                         "same seed gives the same network. Ctrl-C stops after the current step and saves; a second "
                         "Ctrl-C stops immediately.\n"
                         "\n"
                         "Examples:\n"
                         "  facula train cnn --data fashion-mnist --save net.safetensors\n"
                         "  facula train cnn --data photos --augment --workers 2 --report run.html\n"
                         "  facula train mlp --data iris.csv --target species\n"
                         "  facula train --resume net.safetensors --epochs 20");
    int wrong = read_settings(&r.s, &file);
    wrong = wrong ? wrong : command_device_list(&r.s, r.devices, &r.device_count);
    if (wrong)
        return wrong;
    r.device = r.devices[0];
    if (!join_world(&r))
        return command_failed();
    if (r.device_count > 1 && r.world)
        return command_wrong("--devices does not go with several processes");
    catch_signals();
    int status = run_all(&r, r.s.resume ? &file : NULL);
    run_free(&r);
    return status;
}
