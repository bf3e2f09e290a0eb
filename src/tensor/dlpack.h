/* The structs of DLPack's binary interface, version 1.0 and before (https://dmlc.github.io/dlpack/latest/c_api.html).
 */
#ifndef FA__TENSOR_DLPACK_H
#define FA__TENSOR_DLPACK_H
#include <facula/dlpack.h>
#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 }; /* kinds of devices */
enum { DL_READ_ONLY = 1, DL_COPIED = 2 };                                 /* flags */

typedef struct fa__dl_tensor {
    void *data;
    struct {
        int32_t kind, index;
    } device;
    int32_t rank;
    struct {
        uint8_t code, bits; /* code: the column dlpack of core/dtypes.def */
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides; /* in elements; NULL strides: row-major */
    uint64_t byte_offset;     /* of element (0, ..., 0) from data */
} fa__dl_tensor;

struct DLManagedTensorVersioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct DLManagedTensorVersioned *); /* may be NULL */
    uint64_t flags;
    fa__dl_tensor tensor;
};

struct DLManagedTensor {
    fa__dl_tensor tensor;
    void *context;
    void (*deleter)(struct DLManagedTensor *); /* may be NULL */
};
#endif
