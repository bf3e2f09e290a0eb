/* What cmocka.h wants before it. */
#ifndef BASE_TEST_H
#define BASE_TEST_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those */
#include <cmocka.h>
#endif
