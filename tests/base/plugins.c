/* Plugins: opened where they are, and named with the reason where they are not; the plugin gzip. */
#include "base/base_test.h"
#include "base/error.h"
#include "plugins/gzip.h"
#include <facula/error.h>
#include <facula/host.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "hello, hello, hello\n", by `gzip -n`. */
static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
                                       0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0xc8, 0x40, 0xa2,
                                       0xb8, 0x00, 0xe7, 0x42, 0x6e, 0x52, 0x14, 0x00, 0x00, 0x00};
static const char plain[] = "hello, hello, hello\n";
static char path[64];

static void write_file(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static const fa__gzip *gzip_or_skip(void)
{
    if (!fa_plugin_available("gzip"))
        skip();
    return fa__plugin("gzip", "by this test");
}

/* What a file holds; -1 when it cannot be read to its end. */
static ptrdiff_t holds(const fa__gzip *z, char *to, size_t size)
{
    void *file = z->open(open(path, O_RDONLY));
    assert_non_null(file);
    ptrdiff_t n = z->read(file, to, size);
    if (n < 0)
        assert_true(strlen(z->reason(file)) > 0);
    z->close(file);
    return n;
}

static void test_reads_both_kinds(void **state)
{
    (void)state;
    const fa__gzip *z = gzip_or_skip();
    char text[64];
    write_file(packed, sizeof packed);
    assert_int_equal(holds(z, text, sizeof text), sizeof plain - 1);
    assert_memory_equal(text, plain, sizeof plain - 1);
    assert_int_equal(holds(z, text, 5), 5);
    write_file(plain, sizeof plain - 1);
    assert_int_equal(holds(z, text, sizeof text), sizeof plain - 1);
    assert_memory_equal(text, plain, sizeof plain - 1);
}

static void test_damage_is_seen(void **state)
{
    (void)state;
    const fa__gzip *z = gzip_or_skip();
    char text[64];
    unsigned char bad[sizeof packed];
    memcpy(bad, packed, sizeof packed);
    bad[sizeof bad - 6] ^= 1; /* the checksum */
    write_file(bad, sizeof bad);
    assert_int_equal(holds(z, text, sizeof text), -1);
    write_file(packed, sizeof packed - 9);
    assert_int_equal(holds(z, text, sizeof text), -1);
    assert_null(z->open(-1));
}

static void test_missing_is_named(void **state)
{
    (void)state;
    assert_false(fa_plugin_available("nothing"));
    assert_false(fa_plugin_available(NULL));
    assert_false(fa_failed());
    assert_null(fa__plugin("nothing", "to test"));
    assert_int_equal(fa_error_code(), FA_ERROR_UNAVAILABLE);
    assert_non_null(strstr(fa_error_message(), "the plugin nothing is needed to test"));
    assert_non_null(strstr(fa_error_message(), "facula-nothing.so"));
    fa_error_clear();
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/facula-plugins-%ld", (long)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads_both_kinds), cmocka_unit_test(test_damage_is_seen),
                                       cmocka_unit_test(test_missing_is_named)};
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return status;
}
