/* What the programs of run.py share that call a library from C or C++: weights from files, the check of the first
 * result, and the lines of standard input. A program includes this, defines the functions declared here, and has
 *
 *     int main(int count, char **arguments) { return program_main(count, arguments); } */
#ifndef NEIGHBORS_PROGRAM_H
#define NEIGHBORS_PROGRAM_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIXELS = 28 * 28, CLASSES = 10, MOST_ROWS = 64, THREADS = 2 };

/* The version of the library. */
static const char *version(void);
/* Makes the network "mlp" or "cnn", with weights of load_floats(), for a number of images. False: it failed. */
static bool open_network(const char *net, int rows);
/* Computes the network's results for images, rows of PIXELS: rows of CLASSES. */
static void compute(const float *images, float *results);

static const char *folder;

/* The floats of a file FOLDER/NET.NAME.f32, for the program to keep; ends the program if they are not `count`. */
static float *load_floats(const char *net, const char *name, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s%s.f32", folder, net, *net && *name ? "." : "", name);
    FILE *file = fopen(path, "rb");
    float *values = (float *)malloc((count + 1) * sizeof(float));
    if (!file || !values || fread(values, sizeof(float), count + 1, file) != count) {
        fprintf(stderr, "%s: not %zu floats\n", path, count);
        exit(1);
    }
    fclose(file);
    return values;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one call, of as many as fit a tenth of a second. */
static double seconds_of_call(const float *images, float *results)
{
    double begin = now(), end = begin;
    int count = 0;
    for (; end - begin < 0.1; end = now(), count++)
        compute(images, results);
    return (end - begin) / count;
}

static bool is_right(const char *net, int rows, const float *images, float *results)
{
    float *expected = load_floats(net, "", MOST_ROWS * CLASSES);
    double apart = 0;
    compute(images, results);
    for (int i = 0; i < rows * CLASSES; i++) {
        double difference = fabs((double)results[i] - (double)expected[i]);
        apart = difference <= apart ? apart : difference;
    }
    free(expected);
    if (!(apart < 1e-4))
        printf("error: results differ from NumPy's by %g\n", apart);
    return apart < 1e-4;
}

static void answer_open(const char *row, const float *images, float *results)
{
    char net[8];
    int rows;
    if (sscanf(row, "%7s %d", net, &rows) != 2 || rows > MOST_ROWS)
        puts("cannot");
    else if (!open_network(net, rows))
        puts("error: the network cannot be made");
    else if (is_right(net, rows, images, results))
        puts("opened");
}

static int program_main(int count, char **arguments)
{
    char line[64];
    float results[MOST_ROWS * CLASSES];
    if (count != 2)
        return fprintf(stderr, "%s FOLDER: is run by run.py\n", arguments[0]), 2;
    folder = arguments[1];
    float *images = load_floats("", "x", (size_t)MOST_ROWS * PIXELS);
    if (!open_network("mlp", 1))
        return 1;
    compute(images, results);
    printf("ready %s\n", version());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "open ", 5))
            answer_open(line + 5, images, results);
        else
            printf("%.9g\n", seconds_of_call(images, results));
        fflush(stdout);
    }
    free(images);
    return 0;
}
#endif
