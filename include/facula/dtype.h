/** @file
 *  Dtypes: what an element of a tensor is.
 *
 *  fa_dtype_describe() tells names and limits of a dtype, for bindings and importers. docs/dtypes.md has them as a
 *  table. */
#ifndef FACULA_DTYPE_H
#define FACULA_DTYPE_H
#include <facula/macros.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

FA__BEGIN

/** What an element is. Programs name dtypes; their numbers and order have no meaning. */
typedef enum fa_dtype {
    FA_SAME, /**< no dtype: that of the operand, or the default (f32) where there is none */
    FA_BOOL, /**< one byte, 0 or 1 */
    FA_U8,
    FA_I8,
    FA_I16,
    FA_I32,
    FA_I64,
    FA_F16,  /**< IEEE 754 binary16 */
    FA_BF16, /**< the upper half of an f32 */
    FA_F32,
    FA_F64,
    FA__DTYPES
} fa_dtype;

/** fa_ptr() for one dtype, with its pointer: f16 and bf16 are the bits. */
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

/** What is known of a dtype. */
typedef struct fa_dtype_info {
    const char *name;         /**< "f32", as fa_dtype_name() has it */
    char kind;                /**< NumPy's letters: 'b' bool, 'u' unsigned, 'i' signed, 'f' floating */
    bool storage;             /**< it only holds values: nothing is computed in it */
    uint8_t size;             /**< bytes of an element */
    uint8_t digits;           /**< bits of an integer without its sign; of the significand of a floating dtype */
    double lowest, largest;   /**< the range of its numbers; of i64 as far as f64 has them */
    double smallest;          /**< of floating dtypes the smallest number above 0 */
    const char *torch;        /**< PyTorch's name: "float32" */
    const char *numpy;        /**< NumPy's name; NULL: it has none */
    const char *npy;          /**< in files of numpy.save: "<f4"; NULL: it has none */
    const char *safetensors;  /**< in files of safetensors: "F32" */
    uint8_t safetensors_rank; /**< such files have the tensors of the highest rank first */
    uint8_t dlpack;           /**< type code of DLPack */
} fa_dtype_info;

/** What is known of a dtype: names for files and other libraries, and limits. NULL for what is no dtype. */
FA_API const fa_dtype_info *fa_dtype_describe(fa_dtype dtype);
/** "f32"; "unknown" for what is no dtype. */
FA_API const char *fa_dtype_name(fa_dtype dtype);
/** Whether its numbers are floating; false for what is no dtype. */
FA_API bool fa_dtype_is_floating(fa_dtype dtype);
/** Bytes of an element; 0 for what is no dtype. */
FA_API size_t fa_dtype_size(fa_dtype dtype);

FA__END
#endif
