/* Type promotion, as PyTorch has it (semantics: "Promotion"). */
#include "dispatch/promote.h"

enum { BOOLEAN, INTEGER, REAL };

static int category(fa_dtype d)
{
    return d == FA_BOOL ? BOOLEAN : d < FA_F16 ? INTEGER : REAL;
}

fa_dtype fa__promote(fa_dtype a, fa_dtype b)
{
    if (a == b || b == FA_SAME)
        return a;
    if (a == FA_SAME)
        return b;
    fa_dtype low = a < b ? a : b, high = a < b ? b : a;
    if (low == FA_U8 && high == FA_I8)
        return FA_I16;
    if (low == FA_F16 && high == FA_BF16)
        return FA_F32;
    return high;
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
