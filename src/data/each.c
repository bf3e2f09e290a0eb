/* Loops over a loader for languages without FA_EACH (facula/plain.h). */
#include <facula/plain.h>

bool fa_loader_begin(fa_loader *loader, fa_batch *batch)
{
    *batch = fa__each_open(loader, fa__line ? fa__line : "fa_loader_begin", 0);
    return batch->fa__epoch != NULL;
}

bool fa_loader_next(fa_batch *batch)
{
    return fa__each_next(batch);
}

void fa_loader_end(fa_batch *batch)
{
    fa__each_close(batch);
}
