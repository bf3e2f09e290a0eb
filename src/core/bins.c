/* Free blocks of memory by size: insertion, removal, and best fit. */
#include "core/bins.h"

static const size_t small_most = (size_t)FA__SMALL_LISTS * FA__BLOCK_STEP, large_least = (size_t)1 << 20;

/* The last list of small blocks has all that are larger, the first of large ones all that are smaller, too. */
static int list_of(size_t size, bool small)
{
    if (small)
        return (int)(size < small_most ? size / FA__BLOCK_STEP : FA__SMALL_LISTS) - 1;
    if (size < large_least)
        return FA__SMALL_LISTS;
    int power = 63 - __builtin_clzll(size);
    int list = (power - 20) * 16 + (int)(size >> (power - 4) & 15);
    return FA__SMALL_LISTS + (list < FA__LARGE_LISTS ? list : FA__LARGE_LISTS - 1);
}

void fa__bins_put(fa__bins *bins, fa__block *b)
{
    int list = list_of(b->size, b->small);
    b->previous = NULL;
    b->next = bins->list[list];
    if (b->next)
        b->next->previous = b;
    bins->list[list] = b;
    bins->full[list / 64] |= UINT64_C(1) << list % 64;
    bins->some[list / 4096] |= UINT64_C(1) << list / 64 % 64;
}

void fa__bins_remove(fa__bins *bins, fa__block *b)
{
    if (b->next)
        b->next->previous = b->previous;
    if (b->previous) {
        b->previous->next = b->next;
        return;
    }
    int list = list_of(b->size, b->small);
    bins->list[list] = b->next;
    if (!b->next && !(bins->full[list / 64] &= ~(UINT64_C(1) << list % 64)))
        bins->some[list / 4096] &= ~(UINT64_C(1) << list / 64 % 64);
}

/* The lowest set bit of `words` from bit i on; -1: none. */
static int bit_from(const uint64_t *words, int count, int i)
{
    for (int word = i / 64; word < count; word++) {
        uint64_t bits = words[word];
        if (word == i / 64)
            bits &= ~UINT64_C(0) << i % 64;
        if (bits)
            return word * 64 + __builtin_ctzll(bits);
    }
    return -1;
}

fa__block *fa__bins_from(const fa__bins *bins, int *list)
{
    if (*list >= FA__LISTS)
        return NULL;
    int found = bit_from(bins->full, *list / 64 + 1, *list);
    if (found < 0) {
        int word = bit_from(bins->some, 2, *list / 64 + 1);
        if (word < 0)
            return NULL;
        found = word * 64 + __builtin_ctzll(bins->full[word]);
    }
    *list = found;
    return bins->list[found];
}

static bool usable(const fa__block *b, const fa__queue *queue)
{
    for (int i = 0; i < b->uses; i++)
        if (b->use[i].queue != queue && !fa__sync_point_done(&b->use[i]))
            return false;
    return true;
}

/* The best block of one list. In a list of small blocks all have the same size, or more than any small request. */
static fa__block *best_of(fa__block *b, size_t size, bool small, const fa__queue *queue)
{
    fa__block *best = NULL;
    for (; b; b = b->next) {
        if (b->size < size || (best && b->size >= best->size) || !usable(b, queue))
            continue;
        if (small || b->size == size)
            return b;
        best = b;
    }
    return best;
}

fa__block *fa__bins_best(const fa__bins *bins, size_t size, bool small, const fa__queue *queue)
{
    int end = small ? FA__SMALL_LISTS : FA__LISTS;
    int list = list_of(size, small);
    for (fa__block *b; (b = fa__bins_from(bins, &list)) && list < end; list++) {
        fa__block *best = best_of(b, size, small, queue);
        if (best)
            return best;
    }
    return NULL;
}
