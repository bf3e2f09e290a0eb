/* A chart of the training loss over time, of limited size, for the terminal. */
#ifndef CHART_H
#define CHART_H
#include <stdbool.h>

enum { CHART_POINTS = 1024 };

typedef struct chart {
    double value[CHART_POINTS];
    int count, each; /* number of points; number of losses averaged in a point */
    double sum;      /* losses of the incomplete point */
    int summed;
} chart;

/* Adds a loss; if there are too many points, pairs of neighbours are merged. */
void chart_add(chart *c, double loss);
/* Draws the chart with characters of the locale. Draws nothing for fewer than two points, or on a terminal that is
 * too narrow. */
void chart_draw(const chart *c, const char *from, const char *to);
#endif
