/** @file
 *  All operations.
 *
 *  Written by facula-rows from src/ops: edit there. */
/* clang-format off */
#ifndef FACULA_OPERATIONS_H
#define FACULA_OPERATIONS_H

/** @defgroup ops Operations
 *  Functions of tensors, by subject. docs/operations.md lists them with their counterparts in PyTorch and NumPy. */

#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/reduce.h>
#include <facula/ops/linalg.h>
#include <facula/ops/shape.h>
#include <facula/ops/index.h>
#include <facula/ops/nn.h>
#include <facula/ops/loss.h>
#include <facula/ops/random.h>
#endif
