/** @file
 *  DLPack: tensors exchanged with other libraries without a copy, in their process. NumPy, PyTorch, JAX, CuPy and
 *  others read and write the structs of DLPack; the functions here take and return pointers to them. The structs
 *  themselves are declared in DLPack's header, <dlpack/dlpack.h>, which a program includes if it looks into them.
 *
 *  In Python a capsule holds such a pointer: `x.__dlpack__(max_version=(1, 0))` returns one named "dltensor_versioned"
 *  for fa_from_dlpack(), and older libraries return one named "dltensor" for fa_from_dlpack_unversioned(). The consumer
 *  of a capsule renames it "used_dltensor_versioned", or "used_dltensor". */
#ifndef FACULA_DLPACK_H
#define FACULA_DLPACK_H
#include <facula/types.h>

struct DLManagedTensorVersioned;
struct DLManagedTensor;

FA__BEGIN

/** @defgroup dlpack DLPack
 *  @{ */

/** Exports a tensor, as a struct of DLPack 1.0 that shares its memory and keeps it alive. The call waits for the work
 * of devices on the tensor, so the other library may use it on any stream; later writes of either side are seen by
 * both. The memory is pinned: fa_move_() cannot move it any more. May be called from any thread.
 *  @param t a tensor on the CPU or on CUDA that requires no gradient: fa_detach() drops the graph
 *  @return the struct; the consumer calls its `deleter` once, from any thread. NULL and an error: FA_ERROR_GRADIENT if
 * t requires a gradient, FA_ERROR_DEVICE if other libraries cannot reach the memory of its device */
FA_API struct DLManagedTensorVersioned *fa_to_dlpack(const fa_tensor *t);

/** As fa_to_dlpack(), for the tensor `t`: a struct of DLPack before 1.0, for older libraries. */
FA_API struct DLManagedTensor *fa_to_dlpack_unversioned(const fa_tensor *t);

/** Imports a tensor of another library: a leaf over its memory, without a copy. The work of the other library on it has
 *  to be complete. Memory that is marked as read-only is copied.
 *  @param from a struct of DLPack 1.x, on the CPU or on CUDA, with one of the dtypes here and at most 8 dimensions
 *  @return the tensor, in the innermost scope. It owns the struct: its `deleter` is called once, when the last tensor
 * over the memory is freed and the work on it is complete, by the thread that finds that out. NULL and an error, and
 * the struct still belongs to the caller, if it cannot be represented here */
FA_API fa_tensor *fa_from_dlpack(struct DLManagedTensorVersioned *from);

/** As fa_from_dlpack(), of a struct `from` of DLPack before 1.0. */
FA_API fa_tensor *fa_from_dlpack_unversioned(struct DLManagedTensor *from);

/* The destructor of a capsule of Python, which ends a struct that was not taken; and the functions of CPython that it
 * calls. It runs while an exception is set, when no code of Python can run. */
FA_API void fa__capsule_end(void *capsule);
FA_API void fa__capsule_calls(int (*is_valid)(void *, const char *), void *(*pointer)(void *, const char *));

/** @} */

FA__END
#endif
