/* How often a network tells which class as which: accuracy, and a table of classes. */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "json.h"
#include "network.h"

typedef struct tally {
    int64_t classes, samples, right;
    int64_t count[MOST_CLASSES * MOST_CLASSES]; /* [what it is][what was told] */
} tally;

/* Of all samples of a loader. False while an error stands, and after fa_stop(). */
bool evaluate(fa_module *net, fa_loader *loader, int64_t classes, tally *t);
/* In percent. */
double tally_accuracy(const tally *t);
/* Precision, recall and F1 of each class, and what was told for what. */
void tally_print(const tally *t, const network *n);
void tally_json(const tally *t, const network *n, json *j);
#endif
