/* What the program that started this process says about the group of processes. */
#ifndef FA__DIST_LAUNCHER_H
#define FA__DIST_LAUNCHER_H
#include <facula/dist.h>

/* Completes options that are not given from the environment, and checks all of them. False and an error on failure. The
 * address is valid until the next call in this thread. */
bool fa__launch_complete(fa_dist_init_options *o);
#endif
