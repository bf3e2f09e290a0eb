/* Evaluation of a network: accuracy, and a confusion matrix. */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "json.h"
#include "network.h"

typedef struct tally {
    int64_t classes, samples, right;
    int64_t count[MOST_CLASSES * MOST_CLASSES]; /* [actual class][predicted class] */
} tally;

/* Measures of a class; 0 where a divisor is 0. */
typedef struct measures {
    int64_t samples;
    double precision, recall, f1;
} measures;
measures tally_measures(const tally *t, int64_t class);

/* Counts all samples of a loader. False after an error, and after fa_stop(). */
bool evaluate(fa_module *net, fa_loader *loader, int64_t classes, tally *t);
/* In percent. */
double tally_accuracy(const tally *t);
/* Prints precision, recall and F1 of each class, and the confusion matrix. */
void tally_print(const tally *t, const network *n);
void tally_json(const tally *t, const network *n, json *j);
#endif
