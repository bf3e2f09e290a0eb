/** @file
 *  Facula: tensors, automatic differentiation and training in C, on CPUs and GPUs. This header includes all others.
 *
 *  These rules hold for every function, unless its own comment says otherwise:
 *
 *  - **Ownership.** An object that a call returns belongs to the innermost open scope of the calling thread, and is
 *    freed with that scope (scope.h); a program need not free anything itself. Arguments still belong to the caller.
 *    An object that needs another one later holds a reference to it: a view to its storage, a module to its
 *    parameters, a loader to its dataset. Strings, arrays of numbers and structs of functions are copied. Strings
 *    that are returned belong to the library.
 *  - **Contexts.** A `context` pointer is passed unchanged to the callbacks it was registered with. The memory it
 *    points to has to live as long as these callbacks may be called: declare it before the scope of the objects that
 *    call them.
 *  - **Errors.** A call that fails sets the error of the current thread (error.h) and returns NULL, false, or the
 *    value that its comment names. Arguments are checked before anything is modified. Passing NULL for an object is
 *    an FA_ERROR_ARGUMENT. While an error is set, no tensor is written: in-place operations, `.out`, fa_backward()
 *    and optimizer steps return NULL or false at once.
 *  - **Threads.** Every function may be called from any thread. Several threads may use one object at the same time
 *    as long as none of them modifies it. Two things are safe even then: several fa_backward() that accumulate into
 *    the same leaf, and reference counts.
 *  - **Units.** Shapes and strides are in elements, and the last dimension is the innermost one. Dimensions count
 *    from 0, negative ones from the end. Values in bytes or nanoseconds are documented as such.
 *  - **Options.** Named options follow the operands as `.name = value`, in any order; the comment of a function shows
 *    all of them with their defaults. A value with commas inside braces needs parentheses: `.strides =
 *    ((int64_t[]){1, 4})`. The option `out` is a tensor to write the result to; it must have the result's shape,
 *    dtype and device. */
#ifndef FACULA_H
#define FACULA_H
#include <facula/amp.h>
#include <facula/autograd.h>
#include <facula/cuda.h>
#include <facula/data.h>
#include <facula/dataset.h>
#include <facula/device.h>
#include <facula/dist.h>
#include <facula/dlpack.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/graph.h>
#include <facula/host.h>
#include <facula/indexing.h>
#include <facula/init.h>
#include <facula/lines.h>
#include <facula/nn.h>
#include <facula/op.h>
#include <facula/operations.h>
#include <facula/optim.h>
#include <facula/parallel.h>
#include <facula/plain.h>
#include <facula/random.h>
#include <facula/sampler.h>
#include <facula/save.h>
#include <facula/schedule.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <facula/train.h>
#include <facula/transform.h>
#include <facula/types.h>
#include <facula/version.h>
#endif
