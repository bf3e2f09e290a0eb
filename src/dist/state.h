/* The parameters and buffers of a module that several ranks have. */
#ifndef FA__DIST_STATE_H
#define FA__DIST_STATE_H
#include <facula/dist.h>

/* The state of rank 0 becomes that of all ranks, if all have the same names, shapes and dtypes. Otherwise false on all
 * of them, and an error that begins with `who` and names the first difference. */
bool fa__dist_share_state(fa_module *net, fa_group *group, const char *who);
/* The buffers of the rank `from` become those of all, in one call for each dtype. */
bool fa__dist_share_buffers(const fa_module *net, fa_group *group, int from);
#endif
