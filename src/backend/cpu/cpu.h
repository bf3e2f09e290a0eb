/* The CPU as a device: launches run when they are issued. The late device runs the same launches later. */
#ifndef FA__BACKEND_CPU_H
#define FA__BACKEND_CPU_H
#include "backend/device.h"

/* Runs a launch on this thread (and the thread pool). False when an error stands or a fault was noted. */
bool fa__cpu_run(const fa__launch *);
bool fa__cpu_has_kernel(const fa__op *);
bool fa__cpu_prepare_program(fa__device *, fa__program *, fa__class);
#endif
