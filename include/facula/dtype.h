/** @file
 *  Dtypes: the types of tensor elements. fa_dtype_describe() returns the names and limits of one, for bindings and file
 *  formats; docs/operations.md lists them all. */
#ifndef FACULA_DTYPE_H
#define FACULA_DTYPE_H
#include <facula/macros.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

FA__BEGIN

/** @defgroup dtype Dtypes
 *  @{ */

/** The type of a tensor's elements. The order of the values has no meaning. */
typedef enum fa_dtype {
    FA_SAME, /**< no dtype: the same as the operand, or the default dtype (f32) where there is no operand */
    FA_BOOL, /**< one byte, 0 or 1 */
    FA_U8,
    FA_I8,
    FA_I16,
    FA_I32,
    FA_I64,
    FA_F16,  /**< IEEE 754 binary16 */
    FA_BF16, /**< bfloat16: the upper half of an f32 */
    FA_F32,
    FA_F64,
    FA_F8_E4M3FN, /**< 1 sign, 4 exponent and 3 mantissa bits: up to 448, NaN, no infinities. Only stores values */
    FA_F8_E5M2,   /**< 1 sign, 5 exponent and 2 mantissa bits: the upper half of an f16. Only stores values */
    FA__DTYPES
} fa_dtype;

/** fa_ptr() for one dtype, with a typed pointer. For f16, bf16 and the 8-bit floats it points to the raw bits. */
#define fa_ptr_bool(t) ((bool *)fa_ptr(t, FA_BOOL))
#define fa_ptr_u8(t) ((uint8_t *)fa_ptr(t, FA_U8))
#define fa_ptr_i8(t) ((int8_t *)fa_ptr(t, FA_I8))
#define fa_ptr_i16(t) ((int16_t *)fa_ptr(t, FA_I16))
#define fa_ptr_i32(t) ((int32_t *)fa_ptr(t, FA_I32))
#define fa_ptr_i64(t) ((int64_t *)fa_ptr(t, FA_I64))
#define fa_ptr_f16(t) ((uint16_t *)fa_ptr(t, FA_F16))
#define fa_ptr_bf16(t) ((uint16_t *)fa_ptr(t, FA_BF16))
#define fa_ptr_f32(t) ((float *)fa_ptr(t, FA_F32))
#define fa_ptr_f64(t) ((double *)fa_ptr(t, FA_F64))
#define fa_ptr_f8_e4m3fn(t) ((uint8_t *)fa_ptr(t, FA_F8_E4M3FN))
#define fa_ptr_f8_e5m2(t) ((uint8_t *)fa_ptr(t, FA_F8_E5M2))

/** Properties of a dtype, and its names in other libraries and in file formats. */
typedef struct fa_dtype_info {
    const char *name;         /**< as fa_dtype_name() returns it: "f32" */
    char kind;                /**< as in NumPy: 'b' bool, 'u' unsigned integer, 'i' signed integer, 'f' floating */
    bool storage;             /**< only stores values: operations that compute reject it */
    uint8_t size;             /**< size of an element in bytes */
    uint8_t digits;           /**< precision in bits: of an integer without its sign, of a float's significand */
    double lowest, largest;   /**< the range of finite numbers; for i64 the closest f64 inside it */
    double smallest;          /**< the smallest positive number */
    const char *torch;        /**< name in PyTorch: "float32" */
    const char *numpy;        /**< name in NumPy; NULL: none */
    const char *npy;          /**< type string in npy files: "<f4"; NULL: none */
    const char *safetensors;  /**< name in safetensors files: "F32" */
    uint8_t safetensors_rank; /**< such files store tensors in order of falling rank */
    uint8_t dlpack;           /**< type code in DLPack */
} fa_dtype_info;

/** Returns the properties of a dtype; NULL for an invalid dtype. */
FA_API const fa_dtype_info *fa_dtype_describe(fa_dtype dtype);
/** The name of a dtype, such as "f32"; "unknown" for an invalid dtype. */
FA_API const char *fa_dtype_name(fa_dtype dtype);
/** Whether a dtype is a floating-point type; false for an invalid dtype. */
FA_API bool fa_dtype_is_floating(fa_dtype dtype);
/** The size of one element in bytes; 0 for an invalid dtype. */
FA_API size_t fa_dtype_size(fa_dtype dtype);

/** @} */

FA__END
#endif
