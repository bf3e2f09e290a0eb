/* Headers of safetensors files: which JSON is taken, which is refused and where, and how large a header may be. */
#include "io/json.h"
#include "support/api_test.h"
#include <facula/facula.h>
#include <fcntl.h>
#include <unistd.h>

static char path[] = "/tmp/facula-header-XXXXXX";

static void put_header(const char *header, size_t length, size_t data)
{
    char bytes[8 + 1024] = {0};
    assert_true(length <= 1000);
    bytes[0] = (char)length, bytes[1] = (char)(length >> 8);
    memcpy(bytes + 8, header, length);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, 8 + length + data, f), 8 + length + data);
    fclose(f);
}

#define ENTRY "{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}"

/* Each text, and the name of its tensor of two bytes. */
static void what_is_taken(void **state)
{
    (void)state;
    FA_SCOPE;
    static const struct {
        const char *text, *name;
    } good[] = {
        {"{\"a\":" ENTRY "}", "a"},
        {"{\"a\":" ENTRY "}  \t\r\n ", "a"},
        {"{ \"a\" : { \"data_offsets\" : [ 0 , 2 ] , \"shape\" : [ 2 ] , \"dtype\" : \"U8\" } }", "a"},
        {"{\"\":" ENTRY "}", ""},
        {"{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\":" ENTRY "}", "\"\\/\b\f\n\r\t"},
        {"{\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\":" ENTRY "}", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"{\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\":" ENTRY "}", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"{\"__metadata__\":{},\"a\":" ENTRY "}", "a"},
        {"{\"a\":{\"other\":[1,-0.5e+3,{\"x\":{},\"y\":[[]]},true,false,null,\"\\u00e9\"],\"dtype\":\"U8\","
         "\"shape\":[2],\"data_offsets\":[0,2]}}",
         "a"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        put_header(good[i].text, strlen(good[i].text), 2);
        fa_saved saved = fa_load_file(path);
        assert_no_error();
        assert_int_equal(saved.tensors.count, 1);
        assert_string_equal(saved.tensors.name[0], good[i].name);
        assert_int_equal(fa_numel(saved.tensors.item[0]), 2);
    }
    put_header("{}", 2, 0);
    assert_int_equal(fa_load_file(path).tensors.count, 0);
    put_header("{\"__metadata__\":{\"a\":\"\",\"\":\"b\"}}", 32, 0);
    fa_saved_head head = fa_load_header(path);
    assert_no_error();
    assert_int_equal(head.metadata.count, 2);
    assert_string_equal(head.metadata.name[0], "a");
    assert_string_equal(head.metadata.value[1], "b");
}

/* What is wrong begins where the text has `@`, which is left out. */
static void what_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"@ {}", "the header does not begin with {"},
        {"{@", "the text ends where a name in quotes is expected"},
        {"{@a:1}", "a name in quotes is expected"},
        {"{@'a':1}", "a name in quotes is expected"},
        {"{\"a\"@}", "a colon is expected"},
        {"{\"a\":" ENTRY "@", "the text ends where a comma or } is expected"},
        {"{\"a\":" ENTRY "@\"b\":" ENTRY "}", "a comma or } is expected"},
        {"{\"a\":" ENTRY ",@}", "a name in quotes is expected"},
        {"{\"a\":" ENTRY "}@x", "something follows the end of the object"},
        {"{\"a\":" ENTRY "}@{}", "something follows the end of the object"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2@;0],\"data_offsets\":[0,2]}}", "a comma or ] is expected"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[@02],\"data_offsets\":[0,2]}}", "a size of the shape is no whole number"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[@2e0],\"data_offsets\":[0,2]}}",
         "a size of the shape is no whole number"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2,@],\"data_offsets\":[0,2]}}", "a size of the shape is no whole number"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[@9223372036854775808]}}", "a size of the shape is larger than 64 bits"},
        {"{\"a\":{\"dtype\":@7}}", "the dtype is no string"},
        {"{\"a\":{\"dtype\":\"U8\",\"@dtype\":\"U8\"}}", "\"a\" has dtype twice"},
        {"{\"__metadata__\":{\"a\":\"\",\"@a\":\"\"}}", "there are two called \"a\""},
        {"{\"__metadata__\":{},\"@__metadata__\":{}}", "__metadata__ is there twice"},
        {"{\"\\u00e9\":" ENTRY ",\"@\xc3\xa9\":" ENTRY "}", "there are two called"},
        {"{\"ab@\n\":" ENTRY "}", "the control character 0x0a in a string"},
        {"{\"ab@\xff\":" ENTRY "}", "no UTF-8: the byte 0xff"},
        {"{\"ab@\xed\xa0\x80\":" ENTRY "}", "no UTF-8: the byte 0xed"},
        {"{\"ab@\\x\":" ENTRY "}", "an unknown escape sequence"},
        {"{\"ab@\\u00g0\":" ENTRY "}", "\\u needs four hexadecimal digits"},
        {"{\"ab@\\u00", "\\u needs four hexadecimal digits"},
        {"{\"ab@\\ud800\":" ENTRY "}", "half of a surrogate pair"},
        {"{\"ab@\\ud800\\u0041\":" ENTRY "}", "half of a surrogate pair"},
        {"{\"ab@\\udc00\":" ENTRY "}", "half of a surrogate pair"},
        {"{\"ab@\\u0000\":" ENTRY "}", "a string with a zero byte"},
        {"{@\"ab", "a string without an end"},
        {"{\"ab@\\", "an unknown escape sequence"},
        {"{\"a\":{\"x\":@tru}}", "a value is expected"},
        {"{\"a\":{\"x\":@-}}", "no JSON number"},
        {"{\"a\":{\"x\":@01}}", "no JSON number"},
        {"{\"a\":{\"x\":@1.}}", "no JSON number"},
        {"{\"a\":{\"x\":@1e}}", "no JSON number"},
        {"{\"a\":{\"x\":[1@}}", "a comma or ] is expected"},
        {"{\"a\":{\"x\":{\"y\":1@]}}", "a comma or } is expected"},
        {"{\"a\":{\"x\":{@1:1}}}", "a name in quotes is expected"},
        {"{\"a\":{\"x\":{\"y\"@,1}}}", "a colon is expected"},
        {"{\"a\":{\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[@[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}",
         "more than 32 nested values"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[400], says[400];
        size_t length = 0, at = 0;
        for (const char *c = wrong[i].text; *c; c++)
            if (*c == '@')
                at = length;
            else
                text[length++] = *c;
        put_header(text, length, 2);
        snprintf(says, sizeof says, "at byte %zu: %s", 8 + at, wrong[i].says);
        assert_null(fa_load_header(path).entry);
        assert_error(FA_ERROR_FILE, "fa_load_header", path, says);
    }
    put_header("{\"a\0\":1}", 9, 0);
    assert_null(fa_load_header(path).entry);
    assert_error(FA_ERROR_FILE, path, "at byte 11: the control character 0x00 in a string");
}

static void length_is(uint64_t length, int64_t size)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(length >> 8 * i);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, 8), 8);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
    close(file);
    assert_null(fa_load_header(path).entry);
}

/* The format's limit is 100,000,000 bytes; these files are sparse. */
static void how_large_a_header_may_be(void **state)
{
    (void)state;
    FA_SCOPE;
    length_is(100000000, 100000008);
    assert_error(FA_ERROR_FILE, path, "at byte 8: the header does not begin with {");
    length_is(100000001, 100000009);
    assert_error(FA_ERROR_FILE, path, "is said to have 100000001 bytes, and the format allows 100000000");
    length_is(100000000, 100000007);
    assert_error(FA_ERROR_FILE, path, "is said to have 100000000 bytes, and it has 100000007 in all");
    length_is(UINT64_MAX, 16);
    assert_error(FA_ERROR_FILE, path, "is said to have 18446744073709551615 bytes");
}

/* Objects within objects take no stack. */
static void depth_takes_no_stack(void **state)
{
    (void)state;
    enum { DEEP = 1 << 20 };
    char *text = malloc(DEEP + 1);
    memset(text, '[', DEEP);
    text[DEEP] = 0;
    fa__json j = {.text = text, .size = DEEP};
    assert_false(fa__json_skip(&j));
    assert_int_equal(j.wrong, 32);
    free(text);
}

int main(void)
{
    close(mkstemp(path));
    const struct CMUnitTest tests[] = {TEST(what_is_taken), TEST(what_is_refused), TEST(how_large_a_header_may_be),
                                       TEST(depth_takes_no_stack)};
    int status = RUN("header");
    unlink(path);
    return status;
}
