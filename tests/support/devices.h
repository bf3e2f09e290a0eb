/* The two devices that tests of devices are run with: late:0 and late:1, or what FACULA_TEST_DEVICES names. CTest runs
 * the same programs with `opencl:0 opencl:1`, and with one of each. */
#ifndef FA__TESTS_DEVICES_H
#define FA__TESTS_DEVICES_H
#include <facula/device.h>
#include <stdbool.h>
#include <stdint.h>

/* Number 0 or 1, with its name. */
fa_device test_device(int number);
const char *test_device_name(int number);
/* Whether it is one of the late devices, whose queues can be held and whose order is checked. */
bool test_device_is_late(int number);
/* To be called first in main. False, and a line that says why, when one of the two is not here: then main returns
 * TEST_SKIPPED. */
bool test_devices_there(void);
/* Whether OpenCL's devices are made to say that they do not compute in f64: FACULA_TEST_WITHOUT_F64. */
bool test_without_f64(void);
enum { TEST_SKIPPED = 77 };

/* How long queues wait before each piece of work, in microseconds; negative: until somebody waits for some work; 0, as
 * it is at first for devices other than late ones: not at all. FACULA_TEST_DELAY_US says so for a whole run. */
void test_devices_delay(int64_t microseconds);
/* Of OpenCL's devices only this one is slow; -1: all. */
void test_devices_delay_one(int number);
/* Lets work of one queue run without waiting for that of another; to see that tests would notice. */
void test_devices_ignore_order(bool);

/* How often a queue of OpenCL was put behind work of another one, since the first delay. */
int64_t test_devices_orders(void);

/* What a test expects a message to say, with the names of the devices there are for late:0 and late:1. The text is good
 * until a few calls later. */
const char *test_named(const char *expected);

#define DEVICE(number) test_device(number)
#define DEVICE_NAME(number) test_device_name(number)
#endif
