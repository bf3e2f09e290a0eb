/** @file
 *  All operations.
 *
 *  Written by facula-rows from src/ops: edit there. */
#ifndef FACULA_OPERATIONS_H
#define FACULA_OPERATIONS_H
#include <facula/activation.h>
#include <facula/creation.h>
#include <facula/index.h>
#include <facula/linalg.h>
#include <facula/loss.h>
#include <facula/math.h>
#include <facula/move.h>
#include <facula/pointwise.h>
#include <facula/reduce.h>
#include <facula/slice.h>
#include <facula/test.h>
#include <facula/view.h>
#endif
