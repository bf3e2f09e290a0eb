/* Transfer statistics: every copy between devices and every wait of the host, by public function and device. Also
 * checks the setting `.forbid`. All functions may be called from any thread. */
#ifndef FA__CORE_LEDGER_H
#define FA__CORE_LEDGER_H
#include "core/device.h"
#include "core/op.h"
#include <facula/device.h>

/* Copies between two devices, or waits for one device (`from` and `to` are equal then). NULL is the host. Devices
 * live as long as the process. */
typedef struct fa__ledger_row {
    const fa__op *op; /* NULL: the program itself */
    const fa__device *from, *to;
    bool wait;
    uint64_t count, bytes, ns, implicit, implicit_ns;
} fa__ledger_row;

enum { FA__LEDGER_ROWS = 1024 };
/* A copy of the rows, in no particular order; returns their number. */
size_t fa__ledger_rows(fa__ledger_row *, size_t most);

/* Counts a copy when it is issued; the host is NULL or the CPU. Copies within the host are not counted. */
void fa__ledger_copy(const fa__op *, const fa__device *from, const fa__device *to, size_t bytes);
/* Adds the time of a copy when it is known. `since` is the value of fa__ledger_age when it was issued; copies issued
 * before a reset are not counted. */
uint32_t fa__ledger_age(void);
void fa__ledger_copy_time(uint32_t since, const fa__op *, const fa__device *from, const fa__device *to, int64_t ns);
/* Counts a wait of the host. fa__ledger_fork is used for waits in fork(), which cannot be forbidden. */
extern const fa__op fa__ledger_fork;
void fa__ledger_wait(const fa__op *, const fa__device *, int64_t ns);
/* Counts a wait inside a driver; without an operation, for the function that this thread works for. */
void fa__ledger_implicit(const fa__op *, const fa__device *, int64_t ns);

/* If the current settings forbid this: false and FA_ERROR_SYNC, whose message has the operation and devices. */
bool fa__allow_sync(const fa__op *, const fa__device *);
bool fa__allow_transfer(const fa__op *, const fa__device *from, const fa__device *to);
#endif
