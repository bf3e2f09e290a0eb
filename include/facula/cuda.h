/** @file
 *  CUDA streams, contexts and addresses that a program and the library share: for programs that have CUDA code of their
 *  own, or that call libraries that do. Handles are `void *`, so that no header of CUDA is needed: a stream is a
 * CUstream (cudaStream_t), a context a CUcontext, an address a CUdeviceptr.
 *
 *      fa_stream *stream = fa_cuda_stream_adopt(FA_CUDA(0), my_stream);
 *      FA_USE(.stream = stream);
 *      fa_tensor *y = fa_matmul(a, b);
 *      my_kernel<<<n, 256, 0, my_stream>>>((float *)fa_cuda_pointer(y));   // behind the product
 *      fa_tensor *z = fa_relu(y);                                          // behind my_kernel
 *
 *  The library does not see what a program issues by itself: it is ordered by the stream alone. Before such work's
 * results are used on another stream, record an event (fa_event_record()) and wait for it there (fa_event_wait()).
 *
 *  By default the library uses the primary context of each device, as CUDA's runtime and PyTorch do. */
#ifndef FACULA_CUDA_H
#define FACULA_CUDA_H
#include <facula/device.h>
#include <facula/error.h>

FA__BEGIN

/** @addtogroup stream
 *  @{ */

/** Makes a stream of a CUDA stream of the program's own. May be called from any thread.
 *  @param device      the CUDA device that it is a stream of
 *  @param cuda_stream the CUstream or cudaStream_t, of the context that the library uses; NULL: CUDA's default stream.
 * It has to exist as long as the result
 *  @return the stream, owned by the innermost scope; when it is freed, its work is waited for, and the CUDA stream is
 * not destroyed. NULL and an error if the device is none of CUDA, if the CUDA stream is of another context, or if the
 * device has no more queues */
FA_API fa_stream *fa_cuda_stream_adopt(fa_device device, void *cuda_stream);

/** The CUDA stream that work of a stream is issued to. May be called from any thread.
 *  @param stream a stream of a CUDA device; NULL: the active stream, or the default queue of the current device
 *  @return the CUstream (NULL for CUDA's default stream), which belongs to the library or to the program that it was
 *  adopted from. NULL and an error if the device is none of CUDA */
FA_API void *fa_cuda_stream(const fa_stream *stream);

/** The address of a tensor's first element in the memory of its CUDA device, for kernels of the program. What the
 * program issues to the active stream from then on (NULL: to the device's default queue, see fa_cuda_stream()) is
 * behind all work of the library on the tensor; the host does not wait. Gradients do not know of what is written there.
 * May be called from any thread.
 *  @param t the tensor; elements are where fa_stride() says
 *  @return the CUdeviceptr, valid as long as the tensor exists and is not moved (fa_move_()); NULL for a tensor without
 *  elements. NULL and an error if it is not on a CUDA device */
FA_API void *fa_cuda_pointer(const fa_tensor *t);

/** Makes the library use a context of the program's own instead of the device's primary one. To be called before the
 * device is used, by the thread that uses it first.
 *  @param device  the CUDA device that it is a context of
 *  @param context the CUcontext; it has to exist until the process ends
 *  @return false and an error if the context is of another device, or if the device is used already (FA_ERROR_STATE) */
FA_API bool fa_cuda_context_adopt(fa_device device, void *context);

/** @} */

/* A tensor that a library of NVIDIA's reads, and writes if `writes`. */
typedef struct fa__cuda_use {
    const fa_tensor *tensor;
    bool writes;
} fa__cuda_use;
/* Calls issue(context, native) with the device's context, where `native` is the CUstream of a stream: what it issues
 * there is behind all work on the tensors, and later work on them, on any stream, is behind it. The host does not wait.
 * `issue` must not call this library, and returns false if it issued nothing, after fa_fail(). */
FA_API bool fa__cuda_issue(const fa_stream *stream, size_t count, const fa__cuda_use *use,
                           bool (*issue)(void *context, void *native), void *context);
/* A tensor's first element, for `issue`: where it is by then. */
FA_API void *fa__cuda_address(const fa_tensor *t);

/* How far a stream is: what was issued to it, and what of that is done, as numbers that only grow. Does not wait. */
typedef struct fa__cuda_progress {
    uint64_t issued, done;
} fa__cuda_progress;
FA_API fa__cuda_progress fa__cuda_progress_of(const fa_stream *stream);
/* All work of the stream's device that is not done has failed, for this reason: who waits for it, or uses what it
 * computes or was to write over, gets the error. To be called before a library's work that would never end is stopped.
 */
FA_API void fa__cuda_fail_pending(const fa_stream *stream, fa_code code, const char *message);

/* A function of a library of NVIDIA's, and the function pointer that gets its address. */
typedef struct fa__cuda_function {
    const char *name;
    void *pointer;
} fa__cuda_function;
/* Opens the library that the variable of the environment names, or else lib`stem`.so.`version`, from where the system,
 * the toolkit or Python's packages have it, which stays open. False, without an error but with the reason in
 * `why`, of `room` bytes, if it is not there; otherwise `why` is empty. */
FA_API bool fa__cuda_open_functions(const char *variable, const char *stem, int version, size_t count,
                                    const fa__cuda_function *function, char *why, size_t room);

FA__END
#endif
