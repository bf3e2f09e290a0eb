/* The ledger: every copy between devices and every wait of the host, by public function and place. What `.forbid`
 * forbids is refused here. All of it may be called by any thread. */
#ifndef FA__CORE_LEDGER_H
#define FA__CORE_LEDGER_H
#include "core/device.h"
#include "core/op.h"
#include <facula/device.h>

/* Copies from one place to another, or waits for one (from and to are the same then). NULL is the host. Devices live as
 * long as the process. */
typedef struct fa__ledger_row {
    const fa__op *op; /* NULL: the program itself */
    const fa__device *from, *to;
    bool wait;
    uint64_t count, bytes, ns, implicit, implicit_ns;
} fa__ledger_row;

enum { FA__LEDGER_ROWS = 1024 };
/* A copy of the rows, in no order; returns how many there are. */
size_t fa__ledger_rows(fa__ledger_row *, size_t most);

/* Counts a copy when it is issued; the host is NULL or the CPU. What is between two hosts is not counted. */
void fa__ledger_copy(const fa__op *, const fa__device *from, const fa__device *to, size_t bytes);
/* Adds the time that a copy took, when that is known; `since` is what fa__ledger_age said when it was issued: of what
 * fa_transfers_reset has forgotten the time is not counted either. */
uint32_t fa__ledger_age(void);
void fa__ledger_copy_time(uint32_t since, const fa__op *, const fa__device *from, const fa__device *to, int64_t ns);
/* Counts a wait of the host; for `fa__ledger_fork` when the process forks, which cannot be forbidden. */
extern const fa__op fa__ledger_fork;
void fa__ledger_wait(const fa__op *, const fa__device *, int64_t ns);
/* Counts a wait that happened inside a driver; without an operation, for the function that this thread works for. */
void fa__ledger_implicit(const fa__op *, const fa__device *, int64_t ns);

/* False and FA_ERROR_SYNC, which names the operation and devices, when the settings in force forbid it. */
bool fa__allow_sync(const fa__op *, const fa__device *);
bool fa__allow_transfer(const fa__op *, const fa__device *from, const fa__device *to);
#endif
