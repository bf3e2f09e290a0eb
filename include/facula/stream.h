/** @file
 *  Streams: queues of a device that the program asks for, so that work which does not depend on each other may run side
 *  by side; and events, which mark a moment of a stream.
 *
 *      fa_stream *side = fa_stream_new(FA_CUDA(0));
 *      {
 *          FA_USE(.stream = side);
 *          y = fa_matmul(a, b);            // beside what the device's own queue does
 *      }
 *      z = fa_add(y, 1);                   // on the device's own queue, behind the product
 *
 *  - Work on the stream's device is issued to the stream; work on other devices to their own queues. FA_USE(.stream =
 *    NULL) goes back to the device's own queue. One stream is in force at a time, whatever device it is of.
 *  - **Tensors are ordered without the program's help.** A tensor remembers the queue that last wrote it and those that
 *    still read it: work on another stream runs behind them, and so does work on memory that was freed and handed out
 *    again. Events are for what the library does not see: for timing, and for the program's own order.
 *  - A copy between two devices runs on the stream when that is of one of the two, on the target's queue otherwise.
 *  - fa_backward() runs each step on the queue that its forward ran on.
 *  - The CPU and `meta` have no queues: their work is done when a call returns. Streams and events of theirs are
 *    allowed, so that programs need not ask, and have nothing to wait for.
 *
 *  Streams and events belong to the innermost scope, as tensors do (fa_keep, fa_release). A stream may be freed while
 *  work is under way: that work is done all the same, and the host does not wait for it. */
#ifndef FACULA_STREAM_H
#define FACULA_STREAM_H
#include <facula/types.h>

FA__BEGIN

/** A new stream of a device.
 *  @param device where; FA_CPU and FA_META are allowed. Kind 0: the device of the settings in force
 *  @return the stream, which belongs to the innermost scope. NULL and an error when the device is not there, has no
 * more queues, or tells now of an error in work of a stream that was freed. Any thread. */
FA_API fa_stream *fa_stream_new(fa_device device);

/** The device that a stream is of; kind 0 and an error for what is no stream. Any thread. */
FA_API fa_device fa_stream_device(const fa_stream *stream);

/** Waits until all that was issued to a stream so far, by any thread, is done. Counts as a wait when it is not done
 * yet.
 *  @return false and an error when something went wrong in that work, or where waiting is forbidden (FA_ERROR_SYNC).
 * Any thread. */
FA_API bool fa_stream_synchronize(fa_stream *stream);

/** Whether all that was issued to a stream so far is done. Does not wait, and does not tell of errors in that work.
 * False and an error for what is no stream. Any thread. */
FA_API bool fa_stream_done(const fa_stream *stream);

/** A new event, which marks nothing until fa_event_record().
 *  @return the event, which belongs to the innermost scope; NULL and an error without memory. Any thread. */
FA_API fa_event *fa_event_new(void);

/** Marks the moment when all that was issued to a stream so far will be done. An event that marked another moment
 * forgets that; who waits for it already is not disturbed.
 *  @param event  what is to mark it. Not to be used by another thread meanwhile
 *  @param stream whose work; NULL: the stream in force, or without one the current device's own queue
 *  @return false and an error when one of the two is not there, or the device has no memory for it */
FA_API bool fa_event_record(fa_event *event, const fa_stream *stream);

/** Work that is issued to a stream from now on runs behind the moment of an event, on whatever device that is. The host
 *  goes on at once; only for a stream of the CPU, whose work is the host's, it waits, counted and refused where waiting
 * is forbidden.
 *  @param event  recorded before: else it is an FA_ERROR_STATE
 *  @param stream what waits; NULL: the stream in force, or without one the current device's own queue
 *  @return false and an error on failure. Any thread. */
FA_API bool fa_event_wait(const fa_event *event, const fa_stream *stream);

/** The host waits for the moment of an event. Counts as a wait when it has not come yet.
 *  @return false and an error when something went wrong in the work before it, when the event was not recorded
 *  (FA_ERROR_STATE), or where waiting is forbidden (FA_ERROR_SYNC). Any thread. */
FA_API bool fa_event_synchronize(const fa_event *event);

/** Whether the moment of an event has come. Does not wait. False, with an FA_ERROR_STATE, for an event that was not
 *  recorded. Any thread. */
FA_API bool fa_event_done(const fa_event *event);

/** Milliseconds from the moment of `start` to that of `end`, by the device's clock; on the CPU, whose work is done when
 * a call returns, between the two calls of fa_event_record().
 *  @return NaN and an error when one was not recorded or has not come yet (FA_ERROR_STATE), when they are of two
 * devices (FA_ERROR_DEVICE), or when the device cannot tell (FA_ERROR_UNAVAILABLE). Any thread. */
FA_API double fa_event_ms(const fa_event *start, const fa_event *end);

FA__END
#endif
