/* Type promotion, as PyTorch has it (semantics: "Promotion"). */
#include "dispatch/promote.h"
#include "core/dtype.h"

enum { BOOLEAN, INTEGER, REAL };

static int category(fa_dtype d)
{
    return d == FA_BOOL ? BOOLEAN : fa__dtype_is_float(d) ? REAL : INTEGER;
}

/* Whether dtype a has all numbers of b, which is of the same category. */
static bool holds(fa_dtype a, fa_dtype b)
{
    const fa_dtype_info *x = &fa__dtypes[a].info, *y = &fa__dtypes[b].info;
    return x->lowest <= y->lowest && x->largest >= y->largest && x->digits >= y->digits && x->smallest <= y->smallest;
}

/* Whether a has fewer numbers than b or, where each has numbers that the other lacks, more digits. */
static bool is_less(fa_dtype a, fa_dtype b)
{
    return holds(b, a) || (!holds(a, b) && fa__dtypes[a].info.digits > fa__dtypes[b].info.digits);
}

/* The smallest dtype of their category that has all numbers of both. */
static fa_dtype least_above(fa_dtype a, fa_dtype b)
{
    fa_dtype least = FA_SAME;
    for (int i = FA_SAME + 1; i < FA__DTYPES; i++) {
        fa_dtype d = (fa_dtype)i;
        if (category(d) == category(a) && holds(d, a) && holds(d, b) && (least == FA_SAME || is_less(d, least)))
            least = d;
    }
    return least;
}

fa_dtype fa__promote(fa_dtype a, fa_dtype b)
{
    if (a == b || b == FA_SAME)
        return a;
    if (a == FA_SAME)
        return b;
    if (category(a) != category(b))
        return category(a) > category(b) ? a : b;
    return holds(a, b) ? a : holds(b, a) ? b : least_above(a, b);
}

static fa_dtype combine(fa_dtype higher, fa_dtype lower)
{
    if (higher == FA_SAME || lower == FA_SAME)
        return fa__promote(higher, lower);
    return category(higher) >= category(lower) ? higher : fa__promote(higher, lower);
}

fa_dtype fa__promoted_mixed(fa__promotion p)
{
    return combine(combine((fa_dtype)p.dims, (fa_dtype)p.zero), (fa_dtype)p.number);
}

bool fa__can_store(fa_dtype from, fa_dtype to)
{
    return category(from) <= category(to);
}
