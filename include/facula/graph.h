/** @file
 *  Graphs: a training step is recorded once and replayed, without the cost of the calls (PyTorch:
 * torch.cuda.CUDAGraph).
 *
 *      fa_graph *graph = fa_graph_new(device);
 *      FA_VAR(loss, NULL);
 *      FA_RECORD (graph) {                         // runs the step, and records it
 *          fa_optim_zero_grad(opt);
 *          fa_assign(&loss, fa_cross_entropy(fa_forward(net, x), y));
 *          fa_backward(loss);
 *          fa_optim_step(opt);
 *      }
 *      FA_EACH (batch, loader) {
 *          fa_copy_(x, batch.input);               // new values in the same tensors
 *          fa_copy_(y, batch.target);
 *          fa_graph_replay(graph);                 // the next step; loss has its value
 *      }
 *
 *  A recording is a list of the kernel launches of one device (of one stream), with their memory. A replay issues the
 *  list again: on the same memory, without calling any function of the program or of the library's operations. It
 *  computes the same bits as the calls would, on every device, the CPU included.
 *
 *  - **Inputs** are tensors that exist before the recording. A replay reads what they hold then. The graph keeps all
 *    memory that it uses: freeing an input is harmless.
 *  - **Results** are the tensors that were created in the recording and still exist at its end. Each replay overwrites
 *    them. Their memory, and that of everything in between, is a pool that belongs to the graph; it is given back when
 *    the graph and these tensors are freed.
 *  - **Random numbers** are new in each replay: it draws from the generators that the recorded calls drew from, the
 *    numbers that the same calls would draw now.
 *  - **Optimizers** keep step counts and learning rates on the device from the first recorded step on
 *    (fa_optim_set_capturable()). Schedules and fa_optim_set_lr() work between replays. So does a scaler for mixed
 *    precision. State that does not exist yet is created, but not recorded: no warm-up is needed.
 *  - **What the host does** is done once, while recording: control flow, hooks, changes of variables. Everything whose
 *    result would depend on it in a replay is an error (FA_ERROR_STATE) that names the call: reading a value
 *    (fa_item(), fa_read(), fa_ptr()), a shape that depends on values (fa_nonzero()), tensors made of the program's
 *    data, copies to or from other devices, work on another device or stream, setting a generator or a learning rate.
 *    FA_UNRECORDED exempts a block.
 *  - A replay that would use memory that was moved (fa_module_to()) since the recording is an error. */
#ifndef FACULA_GRAPH_H
#define FACULA_GRAPH_H
#include <facula/device.h>
#include <facula/scope.h>
#include <stdio.h>

FA__BEGIN

/** @defgroup graph Graphs
 *  Recording a training step, and replaying it.
 *  @{ */

/** A recorded step. It belongs to the innermost scope. */
typedef struct fa_graph fa_graph;

/** Creates an empty graph for the work of a device. NULL and an error if the device is not available, or has no memory
 *  (meta). */
FA_API fa_graph *fa_graph_new(fa_device device);

/** A block that is executed once and recorded: FA_RECORD (graph) { }. It is a memory scope, and ends on every way out.
 *  A graph is recorded once. If there is an error in the block, the graph stays empty. Work of other threads is not
 *  recorded; they may record graphs of their own at the same time. */
#define FA_RECORD(graph) FA__RECORD(FA__UNIQUE(fa__r), graph)
#define FA__RECORD(r, graph)                                                                                           \
    for (fa__graph_block r FA__CLEANUP(fa__graph_close) = fa__graph_open(graph, FA__WHERE, FA__FUNCTION);              \
         fa__graph_next(&r);)

/** What is done in the rest of the enclosing block is not recorded: FA_UNRECORDED; For state that is created on first
 *  use, or a value that is logged while recording. Without a recording it does nothing. */
#define FA_UNRECORDED void *FA__UNIQUE(fa__p) FA__CLEANUP(fa__unrecorded_end) = fa__unrecorded_begin()

/** Returns true if this thread is recording a graph (PyTorch: torch.cuda.is_current_stream_capturing()). */
FA_API bool fa_graph_recording(void);

/** Executes a recording again, with the values that its inputs hold now. On devices that work asynchronously it returns
 *  before the work is done, like an operation. Several threads may replay a graph: one after the other.
 *  @return false and an error if the graph was not recorded, if memory that it uses was moved, if a kernel fails, or if
 *  an error was set before: then nothing is executed */
FA_API bool fa_graph_replay(fa_graph *graph);

/** The number of kernel launches of a recording; 0 before it. */
FA_API size_t fa_graph_launches(const fa_graph *graph);

/** Statistics of the memory that belongs to a graph: `peak` is the maximum in use at a time, `reserved` what it
 *  occupies. fa_memory_stats() counts it as memory in use. Zeros before the recording. */
FA_API fa_memory fa_graph_memory(const fa_graph *graph);

/** Writes the launches of a recording to `file`, a line for each: the operation, the shapes, dtypes and addresses of
 *  what it writes and reads, and the line of the program's call. */
FA_API void fa_graph_print(const fa_graph *graph, FILE *file);

/** @} */

typedef struct fa__graph_block {
    fa_graph *graph;
    fa__scope scope;
    bool entered;
} fa__graph_block;

FA_API fa__graph_block fa__graph_open(fa_graph *graph, const char *where, uintptr_t function);
FA_API bool fa__graph_next(fa__graph_block *record);
FA_API void fa__graph_close(fa__graph_block *record);
FA_API void *fa__unrecorded_begin(void);
FA_API void fa__unrecorded_end(void **capture);

FA__END
#endif
