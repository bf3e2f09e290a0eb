/* The history of views and bases: what a change in place does to them. */
#ifndef FA__OPS_HISTORY_H
#define FA__OPS_HISTORY_H
#include "dispatch/row.h"

/* The view was changed in place by `value` (NULL: by something without gradient): its base's history becomes "the base
 * as it was, with the view's part replaced", and all views of the base are made anew when they are used. */
bool fa__rewrite_base(fa_tensor *view, fa__node *value);
#endif
