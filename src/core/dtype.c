/* Dtypes: their names and sizes, and in which class of numbers each is computed. */
#include "core/program.h"
#include "core/tensor.h"

const uint8_t fa__dtype_sizes[FA__DTYPES] = {[FA_BOOL] = 1, [FA_U8] = 1,  [FA_I8] = 1,   [FA_I16] = 2, [FA_I32] = 4,
                                             [FA_I64] = 8,  [FA_F16] = 2, [FA_BF16] = 2, [FA_F32] = 4, [FA_F64] = 8};
const char *const fa__dtype_names[FA__DTYPES] = {
    [FA_SAME] = "none", [FA_BOOL] = "bool", [FA_U8] = "u8",     [FA_I8] = "i8",   [FA_I16] = "i16", [FA_I32] = "i32",
    [FA_I64] = "i64",   [FA_F16] = "f16",   [FA_BF16] = "bf16", [FA_F32] = "f32", [FA_F64] = "f64"};

const uint8_t fa__dtype_classes[FA__DTYPES] = {
    [FA_BOOL] = FA__CLASS_I32, [FA_U8] = FA__CLASS_I32,  [FA_I8] = FA__CLASS_I32,  [FA_I16] = FA__CLASS_I32,
    [FA_I32] = FA__CLASS_I32,  [FA_I64] = FA__CLASS_I64, [FA_F16] = FA__CLASS_F32, [FA_BF16] = FA__CLASS_F32,
    [FA_F32] = FA__CLASS_F32,  [FA_F64] = FA__CLASS_F64};

const char *fa_dtype_name(fa_dtype dtype)
{
    return dtype > FA_SAME && dtype < FA__DTYPES ? fa__dtype_names[dtype] : "unknown";
}

size_t fa_dtype_size(fa_dtype dtype)
{
    return dtype > FA_SAME && dtype < FA__DTYPES ? fa__dtype_sizes[dtype] : 0;
}
