/* A page about a run. */
#ifndef REPORT_H
#define REPORT_H
#include "run.h"

/* Writes an HTML file that needs no other one: settings, curves, the measures of the classes, the confusion matrix, and
 * the held-out samples that the network is most wrong about. False and an error on failure. */
bool report_write(const run *r, const char *path);
#endif
