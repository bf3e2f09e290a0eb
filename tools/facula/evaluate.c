/* Evaluation of a network: accuracy and confusion matrix. */
#include "evaluate.h"
#include "progress.h"
#include "style.h"
#include <inttypes.h>
#include <string.h>

/* Counts on the device, and reads the result once. */
static bool count(fa_module *net, fa_loader *loader, int64_t classes, int64_t *to)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_meter *confusion = fa_meter_confusion(classes);
    FA_EACH (batch, loader)
        fa_meter_update(confusion, fa_forward(net, batch.input), .target = batch.target);
    memset(to, 0, (size_t)(classes * classes) * sizeof *to);
    return fa_read(fa_meter_table(confusion), to, FA_I64, classes * classes);
}

bool evaluate(fa_module *net, fa_loader *loader, int64_t classes, tally *t)
{
    bool training = fa_module_training(net);
    fa_module_train(net, false);
    bool good = count(net, loader, classes, t->count);
    fa_module_train(net, training);
    t->classes = classes;
    t->samples = t->right = 0;
    for (int64_t i = 0; i < classes * classes; i++) {
        t->samples += t->count[i];
        t->right += i / classes == i % classes ? t->count[i] : 0;
    }
    return good && !fa_failed() && !fa_stopped();
}

double tally_accuracy(const tally *t)
{
    return 100 * (double)t->right / (double)t->samples;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

measures tally_measures(const tally *t, int64_t class)
{
    int64_t right = t->count[class * t->classes + class], predicted = 0, actual = 0;
    for (int64_t i = 0; i < t->classes; i++) {
        actual += t->count[class * t->classes + i];
        predicted += t->count[i * t->classes + class];
    }
    return (measures){actual, ratio((double)right, (double)predicted), ratio((double)right, (double)actual),
                      ratio(2 * (double)right, (double)(predicted + actual))};
}

static void print_measures(const char *name, measures m, int wide)
{
    printf("%-*.*s  %9.3f  %6.3f  %6.3f  %7" PRId64 "\n", wide, wide, name, m.precision, m.recall, m.f1, m.samples);
}

static void print_classes(const tally *t, const network *n, int wide)
{
    measures mean = {t->samples, 0, 0, 0};
    printf("\n%s%-*s  precision  recall      F1  samples%s\n", style_bold(stdout), wide, "class", style_end(stdout));
    for (int64_t i = 0; i < t->classes; i++) {
        measures m = tally_measures(t, i);
        print_measures(n->class_name[i], m, wide);
        mean.precision += m.precision / (double)t->classes;
        mean.recall += m.recall / (double)t->classes;
        mean.f1 += m.f1 / (double)t->classes;
    }
    print_measures("mean", mean, wide);
}

/* Columns are labelled with class numbers, as names are long. */
static void print_confusion(const tally *t, const network *n, int wide)
{
    printf("\n%sconfusion matrix (rows: actual, columns: predicted)%s\n%-*s      ", style_bold(stdout),
           style_end(stdout), wide, "");
    for (int64_t i = 0; i < t->classes; i++)
        printf(i ? " %5" PRId64 : "%2" PRId64, i);
    printf("\n");
    for (int64_t i = 0; i < t->classes; i++) {
        printf("%-*.*s %2" PRId64 " ", wide, wide, n->class_name[i], i);
        for (int64_t k = 0; k < t->classes; k++)
            printf(k ? " %5" PRId64 : "%4" PRId64, t->count[i * t->classes + k]);
        printf("\n");
    }
}

/* The pair of classes that was confused most often, but for those of `below` times and more; 0: none is left. */
static int64_t most_confused(const tally *t, int64_t below, int64_t after, int64_t *at)
{
    int64_t best = 0;
    for (int64_t i = 0; i < t->classes * t->classes; i++) {
        bool later = t->count[i] < below || (t->count[i] == below && i > after);
        if (i / t->classes != i % t->classes && later && t->count[i] > best) {
            best = t->count[i];
            *at = i;
        }
    }
    return best;
}

/* Where the matrix is too wide: what it has to say, a line for each of the largest numbers. */
static void print_confused(const tally *t, const network *n, int columns)
{
    enum { MOST = 10 };
    int64_t at = -1, times = INT64_MAX;
    int room = (columns - 12) / 2;
    printf("\n%smost confused (actual, predicted)%s\n", style_bold(stdout), style_end(stdout));
    for (int i = 0; i < MOST && (times = most_confused(t, times, at, &at)) > 0; i++)
        printf("%6" PRId64 "  %-*.*s  %.*s\n", times, room, room, n->class_name[at / t->classes], room,
               n->class_name[at % t->classes]);
}

void tally_print(const tally *t, const network *n)
{
    enum { OTHERS = 34 /* columns beside the class */, MOST_NAME = 40, MOST_ROWS = 40 };
    int wide = (int)strlen("class"), columns = progress_columns();
    for (int64_t i = 0; i < t->classes; i++)
        if ((int)strlen(n->class_name[i]) > wide)
            wide = (int)strlen(n->class_name[i]);
    if (style_narrow(OTHERS + wide) && columns > OTHERS + 4)
        wide = columns - OTHERS;
    wide = wide < MOST_NAME ? wide : MOST_NAME;
    print_classes(t, n, wide);
    if (t->classes > MOST_ROWS || style_narrow(wide + 8 + 6 * (int)(t->classes - 1)))
        print_confused(t, n, columns);
    else
        print_confusion(t, n, wide);
    printf("\n");
}

void tally_json(const tally *t, const network *n, json *j)
{
    json_number(j, "accuracy", tally_accuracy(t) / 100);
    json_whole(j, "samples", t->samples);
    json_open(j, "classes", '[');
    for (int64_t i = 0; i < t->classes; i++) {
        measures m = tally_measures(t, i);
        json_open(j, NULL, '{');
        json_text(j, "name", n->class_name[i]);
        json_number(j, "precision", m.precision);
        json_number(j, "recall", m.recall);
        json_number(j, "f1", m.f1);
        json_whole(j, "samples", m.samples);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "confusion", '[');
    for (int64_t i = 0; i < t->classes; i++) {
        json_open(j, NULL, '[');
        j->line = true;
        for (int64_t k = 0; k < t->classes; k++)
            json_whole(j, NULL, t->count[i * t->classes + k]);
        json_close(j, ']');
        j->line = false;
    }
    json_close(j, ']');
}
