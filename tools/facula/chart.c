/* A chart of the training loss over time, for the terminal. */
#include "chart.h"
#include "progress.h"
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 64, HIGH = 8, STEPS = 8 /* in lines */, BESIDE = 11 /* columns for the numbers and the cursor */ };

static void join(chart *c)
{
    for (int i = 0; i < c->count / 2; i++)
        c->value[i] = (c->value[2 * i] + c->value[2 * i + 1]) / 2;
    c->count /= 2;
    c->each *= 2;
}

void chart_add(chart *c, double loss)
{
    if (!isfinite(loss))
        return;
    c->each = c->each ? c->each : 1;
    c->sum += loss;
    if (++c->summed < c->each)
        return;
    c->value[c->count++] = c->sum / c->summed;
    c->sum = c->summed = 0;
    if (c->count == CHART_POINTS)
        join(c);
}

/* The mean of the points in a column. */
static double column_of(const chart *c, int column, int columns)
{
    int first = column * c->count / columns, last = (column + 1) * c->count / columns;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += c->value[i];
    return sum / (last - first);
}

/* One character of the curve: the cell is filled from the bottom, by a number of eighths. */
static void put_cell(int eighths, bool unicode)
{
    static const char *const block[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ".", ":", ":", ":", "#", "#"};
    fputs((unicode ? block : plain)[eighths], stdout);
}

static void draw_line(const int *height, int columns, int line, bool unicode)
{
    for (int i = 0; i < columns; i++) {
        int part = height[i] - (HIGH - 1 - line) * STEPS;
        put_cell(part < 0 ? 0 : part > STEPS ? STEPS : part, unicode);
    }
}

void chart_draw(const chart *c, const char *from, const char *to)
{
    int room = progress_columns() - BESIDE, height[WIDE];
    int columns = c->count < WIDE ? c->count : WIDE;
    bool unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
    double most = -INFINITY;
    columns = columns < room ? columns : room;
    if (columns < 2 || room < (int)(strlen(from) + 1 + strlen(to)))
        return;
    for (int i = 0; i < columns; i++)
        most = fmax(most, column_of(c, i, columns));
    for (int i = 0; i < columns; i++) /* at least one line from 0, so that the curve has no gaps */
        height[i] = most > 0 ? (int)fmax(1, round(column_of(c, i, columns) / most * HIGH * STEPS)) : 1;
    printf("\nloss\n");
    for (int line = 0; line < HIGH; line++) {
        printf(line == 0 ? "%8.4f " : line == HIGH - 1 ? "%8.4f " : "         ", line == 0 ? most : 0.0);
        fputs(unicode ? "│" : "|", stdout);
        draw_line(height, columns, line, unicode);
        putchar('\n');
    }
    printf("          %-*s%s\n", columns - (int)strlen(to) > 0 ? columns - (int)strlen(to) + 1 : 1, from, to);
}
