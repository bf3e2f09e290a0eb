/* facula devices: one line for each device, and the reason for each kind that is not available. */
#include "arguments.h"
#include "command.h"
#include "style.h"
#include <facula/facula.h>
#include <stdio.h>

enum { WIDE = 110 };
static const char line[] = "%-9s %-48s %-10s %11s %6s %9s  %s\n";

static void print_device(fa_device device)
{
    fa_device_properties p;
    if (!fa_device_info(device, &p)) {
        printf("%-9s not available: %s\n", fa_device_name(device), fa_error_message());
        fa_error_clear();
        return;
    }
    char memory[32] = "-", units[32] = "-", clock[32] = "-";
    if (p.memory)
        snprintf(memory, sizeof memory, "%.1f GiB", (double)p.memory / (1 << 30));
    if (p.units)
        snprintf(units, sizeof units, "%d", p.units);
    if (p.clock)
        snprintf(clock, sizeof clock, "%d MHz", p.clock);
    if (style_narrow(WIDE)) {
        printf("%-9s %s\n", fa_device_name(device), p.name);
        if (p.memory)
            printf("%-9s %s, %s units, %s\n", "", memory, units, clock);
    } else {
        printf(line, fa_device_name(device), p.name, p.driver, memory, units, clock, p.bit_equal ? "yes" : "no");
    }
}

static void print_kind(const char *kind)
{
    const char *why = "";
    int count = fa_device_count(kind, &why);
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s:%d", kind, i);
        print_device(fa_device_of(name));
    }
    if (*why)
        printf("%-9s not available: %s\n", kind, why);
}

int command_devices(int argc, char **argv)
{
    static const char *const kinds[] = {"cpu", "cuda", "opencl", "late", "meta"};
    static const arguments none = {
        .doc = "Lists the available devices, and why others are not available.\v"
               "bit-equal: element-wise operations, reductions and random numbers give the same bits as the CPU."};
    int first = arguments_read(argc, argv, &none);
    if (first < argc)
        arguments_wrong(argv[0], "\"%s\" is not expected", argv[first]);
    if (!style_narrow(WIDE))
        printf(line, "device", "name", "driver", "memory", "units", "clock", "bit-equal");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        print_kind(kinds[i]);
    return 0;
}
