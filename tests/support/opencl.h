/* What the tests of OpenCL's backend share: two of its devices, the driver's table as it is, kernels of our own, which
 * are launched on storages through the table that all GPUs have. */
#ifndef FA__TESTS_OPENCL_H
#define FA__TESTS_OPENCL_H
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/error.h"
#include "support/devices.h"
#include "support/same.h"
#include "support/storages.h"
#include <facula/facula.h>

/* To be called first in main. False, and a line that says why, when there are not two devices: then main returns
 * TEST_SKIPPED. */
bool opencl_there(void);

extern fa__opencl_api opencl_real; /* the driver's functions: a test may put others into fa__opencl */
extern char opencl_said[8192];     /* the log since the test began */

fa__device *opencl_device(int i);
/* Whether copies go through pinned memory. */
void use_pinned(bool pinned);

/* A test begins without pinned memory, and ends with the driver's own table and nothing under way. */
int opencl_begin(void **state);
int opencl_end(void **state);
#define TEST(f) cmocka_unit_test_setup_teardown(f, opencl_begin, opencl_end)

/* ---- kernels ---- */
enum { GROUP = 64 };
#define KERNEL_HEAD "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void "
#define KERNEL_WORDS "(__global int *fault, const int careful, __global uchar *b, long at, "
extern const char opencl_source[]; /* of the kernels `add`, `slow` and `check` */

fa__gpu_kernel build_kernel(int d, const char *entry);
void drop_kernel(int d, fa__gpu_kernel *k);

/* Each returns the launch's ticket; 0 and an error. */
/* Adds the value to the first n of the ints. */
uint64_t launch_add(fa__queue *q, const fa__gpu_kernel *k, void *data, int value, int64_t n);
/* Makes the first int 1, which is 0, after many turns. */
uint64_t launch_slow(fa__queue *q, const fa__gpu_kernel *k, void *data, int turns);
/* A fault where the first int is not less than the size. */
uint64_t launch_check(fa__queue *q, const fa__gpu_kernel *k, void *data, int64_t size);
uint64_t launch_check_for(fa__queue *q, const fa__launch *l, const fa__gpu_kernel *k, void *data, int64_t size);
/* Any kernel, on behalf of a launch; NULL: of nobody's. */
uint64_t launch_for(fa__queue *q, const fa__launch *l, const fa__gpu_kernel *k, uint64_t groups, const fa__gpu_args *);

/* The launch of that ticket was the last one that wrote into the storage. */
void wrote(fa__storage *s, uint64_t ticket);
/* The first int, when all work on the storage is done. */
int first_of(fa__storage *s);
#endif
