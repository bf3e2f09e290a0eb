/* Faults: what a kernel found wrong, told by the host. */
#ifndef FA__BACKEND_FAULT_H
#define FA__BACKEND_FAULT_H
#include "backend/device.h"

struct fa__text;
/* "index 7 is out of range for dimension 0 of size 4 (element 2 of the indices)": of those that were given, which a
 * composed operation, the caller, may have expanded before the launch. Both are NULL where they are not known. */
void fa__fault_describe(struct fa__text *, const fa__fault *, const fa__launch *, const fa__op *caller);

/* Raises a fault's error with what is left of the call that ran late, which is the launch:
 * "fa_gather(x=(3, 4) f32 late:0, dim=1, index=(3, 1) i64 late:0): index 7 is ...". Without a fault nothing is raised,
 * and true returned. */
bool fa__fault_report(const fa__fault *, const fa__launch *, const fa__device *);
#endif
