/* Output of transfer statistics: sums, a table, JSON. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "core/ledger.h"
#include <stdlib.h>
#include <string.h>

static const char *op_name(const fa__ledger_row *r)
{
    return r->op ? r->op->name : "-";
}

static const char *op_prefix(const fa__ledger_row *r)
{
    return r->op && r->op != &fa__ledger_fork ? "fa_" : "";
}

static const char *place_name(const fa__device *d)
{
    return d ? d->name : "cpu";
}

static double gigabytes_a_second(const fa__ledger_row *r)
{
    return r->ns ? (double)r->bytes / (double)r->ns : 0;
}

/* Copies before waits, longest time first. */
static int compare(const void *a, const void *b)
{
    const fa__ledger_row *x = a, *y = b;
    if (x->wait != y->wait)
        return x->wait - y->wait;
    uint64_t s = x->ns + x->implicit_ns, t = y->ns + y->implicit_ns;
    return s != t                 ? (s < t ? 1 : -1)
           : x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1)
                                  : strcmp(op_name(x), op_name(y));
}

/* The sorted rows, to be freed by the caller. NULL and an error if memory runs out. */
static fa__ledger_row *sorted(size_t *count)
{
    fa__ledger_row *rows = fa__malloc(FA__LEDGER_ROWS * sizeof *rows);
    if (!rows)
        return NULL;
    *count = fa__ledger_rows(rows, FA__LEDGER_ROWS);
    qsort(rows, *count, sizeof *rows, compare);
    return rows;
}

static void add_to_total(fa_transfers *t, const fa__ledger_row *r)
{
    if (r->wait) {
        t->waits += r->count;
        t->wait_ns += r->ns;
        t->implicit += r->implicit;
        t->implicit_ns += r->implicit_ns;
        return;
    }
    *(!r->from ? &t->to_device : !r->to ? &t->to_host : &t->between) += r->count;
    *(!r->from ? &t->bytes_to_device : !r->to ? &t->bytes_to_host : &t->bytes_between) += r->bytes;
    t->copy_ns += r->ns;
}

fa_transfers fa_transfers_total(void)
{
    fa_transfers total = {0};
    size_t count = 0;
    fa__ledger_row *rows = sorted(&count);
    for (size_t i = 0; i < count; i++)
        add_to_total(&total, &rows[i]);
    fa__free(rows);
    return total;
}

/* ---- the table ---- */
static void write_row(FILE *file, const fa__ledger_row *r)
{
    char place[48], name[72];
    snprintf(place, sizeof place, r->wait ? "%s" : "%s -> %s", place_name(r->from), place_name(r->to));
    snprintf(name, sizeof name, "%s%s", op_prefix(r), op_name(r));
    fprintf(file, "%-20s %-5s %-20s %9llu %14llu %10.3f", name, r->wait ? "wait" : "copy", place,
            (unsigned long long)r->count, (unsigned long long)r->bytes, (double)r->ns / 1e6);
    if (r->wait)
        fprintf(file, " %7s %9llu %10.3f\n", "", (unsigned long long)r->implicit, (double)r->implicit_ns / 1e6);
    else
        fprintf(file, " %7.2f\n", gigabytes_a_second(r));
}

void fa_transfers_report(FILE *file)
{
    if (!file) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_transfers_report: the file is NULL");
        return;
    }
    size_t count = 0;
    fa__ledger_row *rows = sorted(&count);
    fa_transfers t = {0};
    fa__number_format numbers = fa__numbers_begin();
    fprintf(file, "%-20s %-5s %-20s %9s %14s %10s %7s %9s %10s\n", "operation", "what", "place", "count", "bytes", "ms",
            "GB/s", "implicit", "ms");
    for (size_t i = 0; i < count; i++) {
        write_row(file, &rows[i]);
        add_to_total(&t, &rows[i]);
    }
    fprintf(file, "in all: %llu copies of %llu bytes, %llu waits of %.3f ms, %llu implicit waits of %.3f ms\n",
            (unsigned long long)(t.to_device + t.to_host + t.between),
            (unsigned long long)(t.bytes_to_device + t.bytes_to_host + t.bytes_between), (unsigned long long)t.waits,
            (double)t.wait_ns / 1e6, (unsigned long long)t.implicit, (double)t.implicit_ns / 1e6);
    fa__numbers_end(numbers);
    fa__free(rows);
}

/* ---- JSON; names are made of letters, digits, _, ' and colons ---- */
static void write_json_row(FILE *file, const fa__ledger_row *r)
{
    fprintf(
        file,
        "{\"operation\": \"%s%s\", \"from\": \"%s\", \"to\": \"%s\", \"count\": %llu, \"bytes\": %llu, \"ns\": %llu, ",
        op_prefix(r), op_name(r), place_name(r->from), place_name(r->to), (unsigned long long)r->count,
        (unsigned long long)r->bytes, (unsigned long long)r->ns);
    fprintf(file, "\"implicit\": %llu, \"implicit_ns\": %llu}", (unsigned long long)r->implicit,
            (unsigned long long)r->implicit_ns);
}

static void write_json_rows(FILE *file, const char *name, const fa__ledger_row *rows, size_t count, bool wait)
{
    const char *between = "";
    fprintf(file, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].wait != wait)
            continue;
        fputs(between, file);
        write_json_row(file, &rows[i]);
        between = ",\n  ";
    }
    fprintf(file, "],\n ");
}

void fa_transfers_json(FILE *file)
{
    if (!file) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_transfers_json: the file is NULL");
        return;
    }
    size_t count = 0;
    fa__ledger_row *rows = sorted(&count);
    fa_transfers t = {0};
    for (size_t i = 0; i < count; i++)
        add_to_total(&t, &rows[i]);
    fprintf(file, "{");
    write_json_rows(file, "copies", rows, count, false);
    write_json_rows(file, "waits", rows, count, true);
    fa__free(rows);
    const struct {
        const char *name;
        uint64_t value;
    } sums[] = {
        {"to_device", t.to_device},     {"bytes_to_device", t.bytes_to_device},
        {"to_host", t.to_host},         {"bytes_to_host", t.bytes_to_host},
        {"between", t.between},         {"bytes_between", t.bytes_between},
        {"copy_ns", t.copy_ns},         {"waits", t.waits},
        {"wait_ns", t.wait_ns},         {"implicit", t.implicit},
        {"implicit_ns", t.implicit_ns},
    };
    fprintf(file, "\"total\": {");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        fprintf(file, "%s\"%s\": %llu", i ? ", " : "", sums[i].name, (unsigned long long)sums[i].value);
    fprintf(file, "}}\n");
}
