/* The loss over the time of training, kept small, and drawn on the terminal. */
#ifndef CHART_H
#define CHART_H
#include <stdbool.h>

enum { CHART_POINTS = 1024 };

typedef struct chart {
    double value[CHART_POINTS];
    int count, each; /* how many points; how many losses make one */
    double sum;      /* of losses that are no point yet */
    int summed;
} chart;

/* Adds a loss; when there are too many, neighbours are joined. */
void chart_add(chart *c, double loss);
/* Draws it, in characters that the locale has. Nothing for fewer than two points, or
 * on a terminal that is too narrow. */
void chart_draw(const chart *c, const char *from, const char *to);
#endif
