/** @file
 *  Facula: tensors, gradients and training in C, on CPU and GPU. This header includes all others.
 *
 *  What holds for every function, unless its own comment says otherwise:
 *
 *  - **Ownership.** What a call makes belongs to the innermost open scope of the thread and is freed with it (scope.h):
 *    the program frees nothing. What a call is given stays the caller's. An object that needs another one later (a view
 *    its memory, a module its parameters, a loader its dataset) holds a reference of its own. Names, numbers in arrays
 *    and structs of functions are copied. A text that is returned belongs to the library.
 *  - **Contexts.** A `context` is handed to the functions that it came with, and to nobody else. What it points to has
 *    to live as long as these may be called: declare it before the scope whose objects call them.
 *  - **Errors.** A call that fails raises the thread's error (error.h) and returns NULL, false, or the value that its
 *    comment names. Arguments are checked before anything is changed. NULL in the place of an object is an
 *    FA_ERROR_ARGUMENT. While an error stands, nothing is written into tensors: changes in place, `.out`, fa_backward()
 *    and steps of optimizers return NULL or false at once.
 *  - **Threads.** Every function may be called by any thread. One object may be used by several threads at once as long
 *    as none changes it; what several fa_backward() add to the gradient of one leaf, and counting references, are safe.
 *  - **Units.** Shapes and strides are in elements, the last dimension being the innermost. Dimensions count from 0,
 *    and from the end when they are negative. What is in bytes or nanoseconds says so.
 *  - **Options.** `.name = value` after the operands, in any order; the comment shows all with their defaults. A value
 *    with commas in braces stands in parentheses: `.strides = ((int64_t[]){1, 4})`. `out` is a tensor to write the
 *    result to, of its shape, dtype and device. */
#ifndef FACULA_H
#define FACULA_H
#include <facula/autograd.h>
#include <facula/data.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/host.h>
#include <facula/indexing.h>
#include <facula/init.h>
#include <facula/nn.h>
#include <facula/op.h>
#include <facula/operations.h>
#include <facula/optim.h>
#include <facula/random.h>
#include <facula/save.h>
#include <facula/schedule.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <facula/train.h>
#include <facula/types.h>
#include <facula/version.h>
#endif
