/* Scans along a dimension: each element of a result combines all elements up to its own. What is combined, and in which
 * order, for every backend.
 *
 * A line is cut into runs of FA__SCAN_RUN elements. Each run is combined from its first element on; the last elements
 * of the runs are a line that is scanned in the same way; and each element of a run, but of the first one, is combined
 * with what that gave for the run before. So all runs can be worked on at once, and there is one order for every
 * length. */
#ifndef FA__BACKEND_SCAN_H
#define FA__BACKEND_SCAN_H

enum { FA__SCAN_RUN = 32 };

/* The first four are those of fa__combine. A state that is combined has one number, or two. */
typedef enum {
    FA__SCAN_SUM,
    FA__SCAN_PROD,
    FA__SCAN_MAX,
    FA__SCAN_MIN,
    FA__SCAN_LOG_SUM, /* the largest x, and the sum of exp(x - largest) */
    FA__SCAN_LINEAR   /* y[i] = a[i] y[i - 1] + b[i]: the product of the a, and y */
} fa__scan_kind;
#endif
