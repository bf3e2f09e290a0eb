/* Members of zip archives: stored and compressed, missing, and archives that are damaged. */
#include "data/file.h"
#include "support/api_test.h"
#include <facula/host.h>
#include <stdio.h>
#include <unistd.h>

/* What Python's zipfile writes: the folder gzip, in it a.gz, stored, and b.gz, compressed; a comment. */
static const unsigned char archive[] = {
    80, 75,  3,   4,   20,  0,   0,   0,   0,   0,   0,   0,   33,  0,   0,  0,  0,   0,   0,   0,   0,   0,   0,
    0,  0,   0,   5,   0,   0,   0,   103, 122, 105, 112, 47,  80,  75,  3,  4,  20,  0,   0,   0,   0,   0,   0,
    0,  33,  0,   11,  249, 67,  86,  6,   0,   0,   0,   6,   0,   0,   0,  9,  0,   0,   0,   103, 122, 105, 112,
    47, 97,  46,  103, 122, 115, 116, 111, 114, 101, 100, 80,  75,  3,   4,  20, 0,   0,   0,   8,   0,   0,   0,
    33, 0,   31,  168, 116, 149, 15,  0,   0,   0,   200, 0,   0,   0,   9,  0,  0,   0,   103, 122, 105, 112, 47,
    98, 46,  103, 122, 75,  76,  79,  204, 204, 83,  72,  204, 75,  81,  72, 28, 210, 44,  0,   80,  75,  1,   2,
    20, 3,   20,  0,   0,   0,   0,   0,   0,   0,   33,  0,   0,   0,   0,  0,  0,   0,   0,   0,   0,   0,   0,
    0,  5,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128, 1,  0,  0,   0,   0,   103, 122, 105, 112,
    47, 80,  75,  1,   2,   20,  3,   20,  0,   0,   0,   0,   0,   0,   0,  33, 0,   11,  249, 67,  86,  6,   0,
    0,  0,   6,   0,   0,   0,   9,   0,   0,   0,   0,   0,   0,   0,   0,  0,  0,   0,   128, 1,   35,  0,   0,
    0,  103, 122, 105, 112, 47,  97,  46,  103, 122, 80,  75,  1,   2,   20, 3,  20,  0,   0,   0,   8,   0,   0,
    0,  33,  0,   31,  168, 116, 149, 15,  0,   0,   0,   200, 0,   0,   0,  9,  0,   0,   0,   0,   0,   0,   0,
    0,  0,   0,   0,   128, 1,   80,  0,   0,   0,   103, 122, 105, 112, 47, 98, 46,  103, 122, 80,  75,  5,   6,
    0,  0,   0,   0,   3,   0,   3,   0,   161, 0,   0,   0,   134, 0,   0,  0,  3,   0,   101, 110, 100,
};

static char path[64], to[80];

static void put(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static size_t get(char *text, size_t room)
{
    FILE *f = fopen(to, "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, room, f);
    fclose(f);
    return n;
}

static void members(void **state)
{
    (void)state;
    char text[300];
    put(archive, sizeof archive);
    assert_true(fa__zip_extract("test", path, "a.gz", to));
    assert_int_equal(get(text, sizeof text), 6);
    assert_memory_equal(text, "stored", 6);
    assert_false(fa__zip_extract("test", path, "c.gz", to));
    assert_error(FA_ERROR_FILE, "there is no c.gz in", path);
    assert_false(fa__zip_extract("test", path, ".gz", to));
    assert_error(FA_ERROR_FILE, "there is no .gz in");
    if (!fa_plugin_available("gzip"))
        skip();
    assert_true(fa__zip_extract("test", path, "b.gz", to));
    assert_int_equal(get(text, sizeof text), 200);
    for (int i = 0; i < 200; i += 10)
        assert_memory_equal(text + i, "again and ", 10);
    assert_no_error();
}

/* A cut archive is refused; one with another byte is refused, or read. */
static void damaged(void **state)
{
    (void)state;
    unsigned char bad[sizeof archive];
    for (size_t cut = 0; cut < sizeof archive - 3; cut++) {
        put(archive, cut);
        assert_false(fa__zip_extract("test", path, "b.gz", to));
        assert_error(FA_ERROR_FILE, path);
    }
    for (size_t at = 0; at < 2 * sizeof archive; at++) {
        memcpy(bad, archive, sizeof bad);
        bad[at / 2] ^= at % 2 ? 0x80 : 1;
        put(bad, sizeof bad);
        if (!fa__zip_extract("test", path, "b.gz", to))
            assert_true(fa_error_code() == FA_ERROR_FILE || fa_error_code() == FA_ERROR_UNAVAILABLE);
        fa_error_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(members), TEST(damaged)};
    snprintf(path, sizeof path, "/tmp/facula-zip-%d", (int)getpid());
    snprintf(to, sizeof to, "%s-to", path);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(to);
    return failed;
}
