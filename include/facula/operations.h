/** @file
 *  All operations.
 *
 *  Written by facula-rows from src/ops: edit there. */
#ifndef FACULA_OPERATIONS_H
#define FACULA_OPERATIONS_H
#include <facula/activation.h>
#include <facula/creation.h>
#include <facula/diagonal.h>
#include <facula/extremes.h>
#include <facula/fillers.h>
#include <facula/grid.h>
#include <facula/histogram.h>
#include <facula/index.h>
#include <facula/join.h>
#include <facula/like.h>
#include <facula/linalg.h>
#include <facula/loss.h>
#include <facula/math.h>
#include <facula/moments.h>
#include <facula/move.h>
#include <facula/norm.h>
#include <facula/one_hot.h>
#include <facula/pad.h>
#include <facula/pointwise.h>
#include <facula/quantile.h>
#include <facula/randint.h>
#include <facula/reduce.h>
#include <facula/repeat.h>
#include <facula/sampling.h>
#include <facula/scan.h>
#include <facula/search.h>
#include <facula/series.h>
#include <facula/shape.h>
#include <facula/slice.h>
#include <facula/sort.h>
#include <facula/split.h>
#include <facula/statistics.h>
#include <facula/test.h>
#include <facula/unique.h>
#include <facula/view.h>
#endif
