/* The log file of a run, with a line for each epoch. */
#include "log.h"
#include <errno.h>
#include <facula/facula.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), of = strlen(end);
    return length > of && !strcmp(path + length - of, end);
}

static bool is_csv(const char *path)
{
    return ends_with(path, ".csv");
}

bool log_knows(const char *path)
{
    return is_csv(path) || ends_with(path, ".jsonl");
}

static bool failed(const char *path)
{
    return fa_fail(FA_ERROR_FILE, "%s: %s", path, strerror(errno));
}

/* The position of the first line that is incomplete, or belongs to an epoch after number `done`. */
static long end_of(FILE *file, int64_t done)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    long end = 0;
    rewind(file);
    while ((length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
        int64_t epoch = 0; /* the header line */
        if (sscanf(line, "%" SCNd64 ",", &epoch) != 1)
            sscanf(line, "{\"epoch\": %" SCNd64, &epoch);
        if (epoch > done)
            break;
        end = ftell(file);
    }
    free(line);
    return end;
}

/* Positions the file for appending; only a regular file has lines to look at. */
static bool go_behind(FILE *file, int64_t done)
{
    struct stat status;
    if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode))
        return true;
    long end = end_of(file, done);
    return end >= 0 && !ftruncate(fileno(file), end) && !fseek(file, end, SEEK_SET);
}

FILE *log_open(const char *path, int64_t done)
{
    bool there = done >= 0 && !access(path, F_OK);
    FILE *file = fopen(path, there ? "r+" : "w");
    if (!file || (there && !go_behind(file, done))) {
        failed(path);
        if (file)
            fclose(file);
        return NULL;
    }
    fseek(file, 0, SEEK_END); /* a pipe has no position */
    if (is_csv(path) && ftell(file) <= 0)
        fputs("epoch,loss,accuracy,lr,samples_per_second,seconds\n", file);
    return file;
}

void epoch_json(json *j, int64_t epoch, const epoch_facts *facts)
{
    json_whole(j, "epoch", epoch);
    json_number(j, "loss", facts->loss);
    json_number(j, "accuracy", facts->accuracy);
    json_number(j, "lr", facts->lr);
    json_number(j, "samples_per_second", facts->rate);
    json_number(j, "seconds", facts->seconds);
}

bool log_write(FILE *file, const char *path, int64_t epoch, const epoch_facts *facts)
{
    json j = {.file = file, .line = true};
    if (is_csv(path)) {
        fprintf(file, "%" PRId64 ",%.10g,%.10g,%.10g,%.1f,%.3f\n", epoch, facts->loss, facts->accuracy, facts->lr,
                facts->rate, facts->seconds);
    } else {
        json_open(&j, NULL, '{');
        epoch_json(&j, epoch, facts);
        json_close(&j, '}');
    }
    errno = 0;
    return !fflush(file) || failed(path);
}
