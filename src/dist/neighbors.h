/* Which ranks of a group run on one machine. */
#ifndef FA__DIST_NEIGHBORS_H
#define FA__DIST_NEIGHBORS_H
#include "dist/wire.h"

/* For processes that are connected by sockets: those that can share memory do so from now on, if both want to. */
bool fa__neighbors_meet(fa__wire *w, bool shares);
/* Connects two threads of this process: by a socket and, unless FACULA_DIST_BACKEND is "tcp", memory. */
bool fa__neighbors_threads(fa__wire *a, fa__wire *b);
#endif
