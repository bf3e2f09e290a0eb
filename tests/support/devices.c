/* The devices that tests are run with. */
#include "support/devices.h"
#include "backend/gpu/driver.h"
#include "support/record.h"
#include <facula/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char names[2][32] = {"late:0", "late:1"};
static fa_device devices[2] = {{FA__LATE, 0}, {FA__LATE, 1}};

fa_device test_device(int number)
{
    return devices[number];
}

const char *test_device_name(int number)
{
    return names[number];
}

bool test_device_is_late(int number)
{
    return devices[number].kind == FA__LATE;
}

const char *test_named(const char *expected)
{
    static char texts[8][2048];
    static unsigned turn;
    char *text = texts[turn++ % 8];
    size_t used = 0;
    for (const char *s = expected; *s && used < sizeof texts[0] - 40;) {
        bool named = !strncmp(s, "late:0", 6) || !strncmp(s, "late:1", 6);
        used += (size_t)sprintf(text + used, "%.*s", named ? 31 : 1, named ? names[s[5] - '0'] : s);
        s += named ? 6 : 1;
    }
    text[used] = 0;
    return text;
}

/* FACULA_TEST_DEVICES says otherwise; false, and a line, when these are not here. */
static bool choose(const char *text)
{
    if (sscanf(text, "%31s %31s", names[0], names[1]) != 2) {
        printf("FACULA_TEST_DEVICES=\"%s\": the names of two devices are expected\n", text);
        exit(2);
    }
    for (int i = 0; i < 2; i++) {
        devices[i] = fa_device_of(names[i]);
        if (fa_failed()) {
            bool none = fa_error_code() == FA_ERROR_UNAVAILABLE;
            printf("%s: %s\n", none ? "skipped" : names[i], fa_error_message());
            fa_error_clear();
            if (!none)
                exit(2);
            return false;
        }
    }
    return true;
}

bool test_without_f64(void)
{
    return getenv("FACULA_TEST_WITHOUT_F64") != NULL;
}

/* GPUs say that they do not compute in f64. */
static void lose_f64(void)
{
    for (int i = 0; i < 2; i++) {
        fa__device *d = devices[i].kind == FA__OPENCL ? fa__device_get(devices[i]) : NULL;
        if (d)
            ((fa__gpu_device *)d->own)->f64 = false;
    }
}

bool test_devices_there(void)
{
    const char *text = getenv("FACULA_TEST_DEVICES"), *delay = getenv("FACULA_TEST_DELAY_US");
    setenv("POCL_DEVICES", "pthread pthread", 0);
    if (text && *text && !choose(text))
        return false;
    if (test_without_f64())
        lose_f64();
    if (delay)
        test_devices_delay(atoll(delay));
    record_begin();
    return true;
}
