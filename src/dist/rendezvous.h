/* Connecting some ranks of a group, which know each other. */
#ifndef FA__DIST_RENDEZVOUS_H
#define FA__DIST_RENDEZVOUS_H
#include "dist/wire.h"

/* Opens a socket that waits for connections, of the kind of a connected one; its port is stored. -1 on failure. */
int fa__meeting_open(int connected, int *port);
/* Connects all ranks of `w`: rank 0 waits at `listener`, which is closed; the others connect to `port` of the machine
 * that `connected` leads to. False and an error on failure. */
bool fa__meeting_join(fa__wire *w, int connected, int port, int listener);
#endif
