/* Faults of queues. Work that finds something wrong late (an index out of range) puts its queue behind a fault, from
 * its ticket on until the host has reported the fault and the backend has cleared it. The rule: a value computed behind
 * a fault is an error to read, copy or use, for every thread, every time; what existed before is unchanged, unless the
 * work was given up while it ran. So a queue remembers the spans of tickets behind its faults, and a storage the work
 * that first wrote it, and that wrote over it last (core/order.c). */
#ifndef FA__CORE_FAULTS_H
#define FA__CORE_FAULTS_H
#include "core/device.h"
#include <facula/error.h>

/* A fault as an error. The queues that are behind it share it; it lives until the devices are closed. Of the latest
 * thousand the message is known. */
typedef struct fa__fault_note fa__fault_note;

/* A note of an error. Never NULL: without memory it is a note that says so. */
fa__fault_note *fa__fault_note_new(const fa_error *);
/* The same, for work that was given up while it ran: what existed before, and this work was to write over, is an error
 * to use, too. */
fa__fault_note *fa__fault_note_spoiling(const fa_error *);
bool fa__fault_spoils(const fa__fault_note *);

/* Work of the queue from `ticket` on is behind the fault. Nothing when the ticket is in a span already: the first fault
 * of a span stands for its consequences. Called in the order of tickets. */
void fa__faults_open(fa__queue *, uint64_t ticket, fa__fault_note *);

/* The fault that the work of a ticket is behind; NULL: none is known. */
fa__fault_note *fa__faults_find(fa__queue *, uint64_t ticket);
static inline fa__fault_note *fa__faults_at(fa__queue *q, uint64_t ticket)
{
    return FA__LIKELY(!atomic_load_explicit(&q->faults, memory_order_acquire)) ? NULL : fa__faults_find(q, ticket);
}

/* Whether any queue ever had a fault. */
extern _Atomic bool fa__faults_were;
static inline bool fa__any_faults(void)
{
    return atomic_load_explicit(&fa__faults_were, memory_order_acquire);
}

/* Raises the fault, unless an error stands; then it counts as reported. Always false. */
bool fa__fault_raise(fa__fault_note *) __attribute__((__cold__));
bool fa__fault_is_reported(const fa__fault_note *);

/* The host has waited for a ticket: raises the first fault up to it that was not reported yet, unless an error stands.
 * False when it did. */
bool fa__faults_surface(fa__queue *, uint64_t ticket);

/* How many reports there were so far, of all queues. */
uint64_t fa__faults_reported(void);
/* Whether later work of the queue would be behind a fault; `reported`: and behind one that was reported, which is to be
 * cleared. */
bool fa__faults_stand(fa__queue *, bool reported);
/* The fault is cleared: work behind `ticket` is not behind it any more. */
void fa__faults_close(fa__queue *, uint64_t ticket);

/* Forgets the spans of a queue whose storages are gone: its device is closed. */
void fa__faults_end(fa__queue *);
#endif
