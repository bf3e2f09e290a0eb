/* Evaluation of a network: accuracy and confusion matrix. */
#include "evaluate.h"
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

typedef struct measures {
    int64_t samples;
    double precision, recall, f1; /* 0 if the divisor is 0 */
} measures;

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static measures measures_of(const tally *t, int64_t class)
{
    int64_t right = t->count[class * t->classes + class], predicted = 0, actual = 0;
    for (int64_t i = 0; i < t->classes; i++) {
        actual += t->count[class * t->classes + i];
        predicted += t->count[i * t->classes + class];
    }
    return (measures){actual, ratio((double)right, (double)predicted), ratio((double)right, (double)actual),
                      ratio(2 * (double)right, (double)(predicted + actual))};
}

static void print_classes(const tally *t, const network *n, int wide)
{
    measures mean = {t->samples, 0, 0, 0};
    printf("\n%-*s  precision  recall      F1  samples\n", wide, "class");
    for (int64_t i = 0; i < t->classes; i++) {
        measures m = measures_of(t, i);
        printf("%-*s  %9.3f  %6.3f  %6.3f  %7" PRId64 "\n", wide, n->class_name[i], m.precision, m.recall, m.f1,
               m.samples);
        mean.precision += m.precision / (double)t->classes;
        mean.recall += m.recall / (double)t->classes;
        mean.f1 += m.f1 / (double)t->classes;
    }
    printf("%-*s  %9.3f  %6.3f  %6.3f  %7" PRId64 "\n", wide, "mean", mean.precision, mean.recall, mean.f1,
           mean.samples);
}

/* Columns are labelled with class numbers, as names are long. */
static void print_confusion(const tally *t, const network *n, int wide)
{
    printf("\nconfusion matrix (rows: actual, columns: predicted)\n%-*s      ", wide, "");
    for (int64_t i = 0; i < t->classes; i++)
        printf(i ? " %5" PRId64 : "%2" PRId64, i);
    printf("\n");
    for (int64_t i = 0; i < t->classes; i++) {
        printf("%-*s %2" PRId64 " ", wide, n->class_name[i], i);
        for (int64_t k = 0; k < t->classes; k++)
            printf(k ? " %5" PRId64 : "%4" PRId64, t->count[i * t->classes + k]);
        printf("\n");
    }
}

void tally_print(const tally *t, const network *n)
{
    int wide = (int)strlen("class");
    for (int64_t i = 0; i < t->classes; i++)
        if ((int)strlen(n->class_name[i]) > wide)
            wide = (int)strlen(n->class_name[i]);
    print_classes(t, n, wide);
    print_confusion(t, n, wide);
    printf("\n");
}

void tally_json(const tally *t, const network *n, json *j)
{
    json_number(j, "accuracy", tally_accuracy(t) / 100);
    json_whole(j, "samples", t->samples);
    json_open(j, "classes", '[');
    for (int64_t i = 0; i < t->classes; i++) {
        measures m = measures_of(t, i);
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
