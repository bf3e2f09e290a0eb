/* Storages whose bytes move between the host and devices, below tensors: for the tests of backends. What should never
 * fail is asserted here. */
#ifndef FA__TESTS_STORAGES_H
#define FA__TESTS_STORAGES_H
#include "backend/device.h"
#include "backend/movement.h"
#include "core/order.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 4096 /* of most storages */ };
extern const fa__op op_to, op_back, op_copy;

fa__storage *new_storage(fa_device where, size_t size);
/* On the host, each byte with the value. */
fa__storage *filled(int value, size_t size);
/* All bytes of the first one from the second one; false and an error. */
bool copy(const fa__op *op, fa__storage *to, fa__storage *from);

bool all_are(const void *bytes, int value, size_t count);
/* Whether each byte has the value; the host waits for the storage, or for a copy of it. */
bool holds(fa__storage *s, int value);

/* Copies at random between storages of the host and of devices 0 and 1 of a kind, and looks whether they have the
 * values that they should have. */
bool copy_at_random(int kind, uint32_t seed, int turns);
/* The same in three threads, and `times` in this one meanwhile. */
bool copy_at_random_in_threads(int kind, int turns, uint32_t times);
#endif
