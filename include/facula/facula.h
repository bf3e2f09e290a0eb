/** @file
 *  Facula: tensors, gradients and training in C, on CPU and GPU. This header includes all others. */
#ifndef FACULA_H
#define FACULA_H
#include <facula/autograd.h>
#include <facula/data.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/host.h>
#include <facula/memory.h>
#include <facula/nn.h>
#include <facula/object.h>
#include <facula/operations.h>
#include <facula/optim.h>
#include <facula/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <facula/to.h>
#include <facula/transfers.h>
#include <facula/types.h>
#include <facula/version.h>
#endif
