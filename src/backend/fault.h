/* Faults: what a kernel found wrong, told by the host. */
#ifndef FA__BACKEND_FAULT_H
#define FA__BACKEND_FAULT_H
#include "backend/device.h"

/* Raises a fault's error, "index_select: index 7 is out of range for size 4", and clears it. Without a fault nothing is
 * raised, and true returned. */
bool fa__fault_report(fa__fault *);
#endif
