/* Images: formats as they are, damaged and cut, colours, and other sizes against PyTorch's. */
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/host.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static void put_file(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static size_t get_file(const char *name, unsigned char *to, size_t room)
{
    char from[300];
    snprintf(from, sizeof from, FA_TEST_DATA "/images/%s", name);
    FILE *f = fopen(from, "rb");
    assert_non_null(f);
    size_t size = fread(to, 1, room, f);
    fclose(f);
    return size;
}

/* Whether reading fails and names the file, and a reason. */
static void assert_refused(const char *reason)
{
    assert_null(fa_image_read(path));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
    assert_non_null(strstr(fa_error_message(), path));
    if (!strstr(fa_error_message(), reason))
        fail_msg("\"%s\" is not said: %s", reason, fa_error_message());
    fa_error_clear();
}

static void assert_pixels(const fa_tensor *t, int64_t channels, int64_t height, int64_t width, const int *expected)
{
    uint8_t got[256];
    assert_no_error();
    assert_int_equal(fa_tensor_dtype(t), FA_U8);
    assert_int_equal(fa_dim(t), 3);
    assert_int_equal(fa_size(t, 0), channels);
    assert_int_equal(fa_size(t, 1), height);
    assert_int_equal(fa_size(t, 2), width);
    assert_true(fa_read(t, got, FA_U8, fa_numel(t)));
    for (int64_t i = 0; i < channels * height * width; i++)
        assert_int_equal(got[i], expected[i]);
}

/* ---- PGM and PPM ---- */

static void pnm_files(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char gray[] = "P5 3 2 255\n\0\1\2\3\4\377", deep[] = "P5\n2 1\n65535\n\200\0\377\377";
    static const char text[] = "P2 # a comment\n# another\n3 1\n10\n0 5\n10\n", colours[] = "P6 2 1 255\n\1\2\3\4\5\6";
    static const char words[] = "P3\t1\r2 255 255 0 0  0 0 255";
    put_file(gray, sizeof gray - 1);
    assert_pixels(fa_image_read(path), 1, 2, 3, (const int[]){0, 1, 2, 3, 4, 255});
    put_file(deep, sizeof deep - 1);
    assert_pixels(fa_image_read(path), 1, 1, 2, (const int[]){128, 255});
    put_file(text, sizeof text - 1);
    assert_pixels(fa_image_read(path), 1, 1, 3, (const int[]){0, 128, 255});
    put_file(colours, sizeof colours - 1);
    assert_pixels(fa_image_read(path), 3, 1, 2, (const int[]){1, 4, 2, 5, 3, 6});
    put_file(words, sizeof words - 1);
    assert_pixels(fa_image_read(path, .channels = 1), 1, 2, 1, (const int[]){76, 29});
    put_file(gray, sizeof gray - 1);
    assert_pixels(fa_image_read(path, .channels = 3), 3, 2, 3,
                  (const int[]){0, 1, 2, 3, 4, 255, 0, 1, 2, 3, 4, 255, 0, 1, 2, 3, 4, 255});
}

/* The sum of the weighted channels is rounded, not cut. */
static void gray_is_rounded(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char colours[] = "P6 8 1 255\n\2\0\0\1\0\0\1\1\0\0\0\5\0\0\4\1\2\3\377\377\377\0\0\0";
    put_file(colours, sizeof colours - 1);
    assert_pixels(fa_image_read(path, .channels = 1), 1, 1, 8, (const int[]){1, 0, 1, 1, 0, 2, 255, 0});
}

static void a_pipe_is_refused(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused("is no regular file");
    unlink(path);
}

/* Files that end with the buffer that is read into, just behind it, and after others. */
static void long_files(void **state)
{
    (void)state;
    enum { HEAD = 16 };
    static char file[200000];
    const int sizes[] = {1 << 16, (1 << 16) + 1, 1 << 17, sizeof file};
    for (int k = 0; k < 4; k++) {
        FA_SCOPE;
        int head = snprintf(file, sizeof file, "P5 %6d 1 255\n", sizes[k] - HEAD);
        assert_int_equal(head, HEAD);
        for (int i = head; i < sizes[k]; i++)
            file[i] = (char)(i % 251);
        put_file(file, (size_t)sizes[k]);
        fa_tensor *t = fa_image_read(path);
        assert_no_error();
        assert_int_equal(fa_numel(t), sizes[k] - head);
        assert_true(fa_item(fa_get(t, "0, 0, -1")) == (sizes[k] - 1) % 251);
    }
}

static void refused_pnm(const char *text, const char *reason)
{
    put_file(text, strlen(text));
    assert_refused(reason);
}

static void damaged_pnm(void **state)
{
    (void)state;
    FA_SCOPE;
    refused_pnm("P5 3 2 255\nabc", "it ends at byte 14, within its pixels");
    refused_pnm("P5 3 2 255", "no blank behind the head");
    refused_pnm("P5 0 2 255\n", "no width from 1");
    refused_pnm("P5 3 x 255\n", "at byte 5 there is no height");
    refused_pnm("P5 3 2 0\n", "no value of white from 1 to 65535");
    refused_pnm("P5 3 2 65536\n", "no value of white");
    refused_pnm("P5 99999999999999999999 2 255\n", "no width");
    refused_pnm("P5 1000000 1000000 255\n", "it has 1000000 x 1000000 pixels; there may be 268435456");
    refused_pnm("P2 2 1 10 3 11", "no brightness from 0 to 10");
    refused_pnm("P5 1 1 10 z", "there is the brightness 122, and white is 10");
    refused_pnm("P5 # no end", "no width");
    refused_pnm("P5", "at byte 2 there is no width");
    refused_pnm("P7 1 1 1 1", "it is no PNG, JPEG, PGM or PPM");
    refused_pnm("", "it is no PNG");
    unlink(path);
    assert_refused("No such file");
    assert_null(fa_image_read("/"));
    assert_int_equal(fa_error_code(), FA_ERROR_FILE);
    assert_non_null(strstr(fa_error_message(), "/ is no regular file"));
    fa_error_clear();
    assert_null(fa_image_read(NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_ARGUMENT);
    fa_error_clear();
    assert_null(fa_image_read(path, .channels = 2));
    assert_int_equal(fa_error_code(), FA_ERROR_ARGUMENT);
    fa_error_clear();
}

/* ---- PNG, written here without compression ---- */

typedef struct png {
    unsigned char at[900];
    size_t size;
} png;

static void put_32(png *p, uint32_t v)
{
    for (int i = 24; i >= 0; i -= 8)
        p->at[p->size++] = (unsigned char)(v >> i);
}

static uint32_t crc_of(const unsigned char *at, size_t size)
{
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static void put_chunk(png *p, const char *name, const void *data, size_t size)
{
    put_32(p, (uint32_t)size);
    size_t begin = p->size;
    memcpy(p->at + p->size, name, 4);
    memcpy(p->at + p->size + 4, data, size);
    p->size += 4 + size;
    put_32(p, crc_of(p->at + begin, p->size - begin));
}

static void put_kind(png *p, int width, int height, int depth, int type, bool interlaced)
{
    static const unsigned char magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    png head = {.size = 0};
    memcpy(p->at, magic, sizeof magic);
    p->size = sizeof magic;
    put_32(&head, (uint32_t)width);
    put_32(&head, (uint32_t)height);
    memcpy(head.at + 8, (const unsigned char[]){(unsigned char)depth, (unsigned char)type, 0, 0, interlaced}, 5);
    put_chunk(p, "IHDR", head.at, 13);
}

static void put_head(png *p, int width, int height, int depth, int type)
{
    put_kind(p, width, height, depth, type, false);
}

/* Rows, each with the 0 of "no filter" in front, as zlib stores what it does not compress. */
static void put_rows(png *p, const void *rows, size_t size)
{
    png data = {.at = {0x78, 0x01, 1}, .size = 3};
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + ((const unsigned char *)rows)[i]) % 65521;
        b = (b + a) % 65521;
    }
    data.at[3] = (unsigned char)size, data.at[4] = (unsigned char)(size >> 8);
    data.at[5] = (unsigned char)~data.at[3], data.at[6] = (unsigned char)~data.at[4];
    memcpy(data.at + 7, rows, size);
    data.size = 7 + size;
    put_32(&data, b << 16 | a);
    put_chunk(p, "IDAT", data.at, data.size);
    put_chunk(p, "IEND", "", 0);
}

static png gray_png(void)
{
    static const unsigned char rows[] = {0, 1, 2, 255, 0, 4, 5, 6};
    png p;
    put_head(&p, 3, 2, 8, 0);
    put_rows(&p, rows, sizeof rows);
    return p;
}

static void png_files(void **state)
{
    (void)state;
    FA_SCOPE;
    png p = gray_png();
    if (!fa_plugin_available("image"))
        skip();
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 1, 2, 3, (const int[]){1, 2, 255, 4, 5, 6});
    put_head(&p, 2, 1, 8, 2);
    put_rows(&p, (const unsigned char[]){0, 10, 20, 30, 40, 50, 60}, 7);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 3, 1, 2, (const int[]){10, 40, 20, 50, 30, 60});
    put_head(&p, 3, 1, 16, 0); /* the upper byte */
    put_rows(&p, (const unsigned char[]){0, 128, 128, 255, 255, 7, 255}, 7);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 1, 1, 3, (const int[]){128, 255, 7});
    put_head(&p, 8, 1, 1, 0);
    put_rows(&p, (const unsigned char[]){0, 0xa1}, 2);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 1, 1, 8, (const int[]){255, 0, 255, 0, 0, 0, 0, 255});
    put_head(&p, 2, 1, 8, 3);
    put_chunk(&p, "PLTE", (const unsigned char[]){1, 2, 3, 250, 251, 252}, 6);
    put_rows(&p, (const unsigned char[]){0, 1, 0}, 3);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 3, 1, 2, (const int[]){250, 1, 251, 2, 252, 3});
}

/* Transparency and gamma do not change pixels, as in Pillow's convert("RGB") and in torchvision. */
static void png_files_with_more_than_pixels(void **state)
{
    (void)state;
    FA_SCOPE;
    png p;
    if (!fa_plugin_available("image"))
        skip();
    put_head(&p, 3, 1, 8, 6);
    put_rows(&p, (const unsigned char[]){0, 9, 9, 9, 0, 7, 8, 9, 255, 1, 2, 3, 128}, 13);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 3, 1, 3, (const int[]){9, 7, 1, 9, 8, 2, 9, 9, 3});
    put_head(&p, 2, 1, 8, 4);
    put_rows(&p, (const unsigned char[]){0, 50, 0, 60, 255}, 5);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 1, 1, 2, (const int[]){50, 60});
    put_head(&p, 2, 1, 8, 0);
    put_chunk(&p, "tRNS", "\0\62", 2);
    put_rows(&p, (const unsigned char[]){0, 50, 60}, 3);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 1, 1, 2, (const int[]){50, 60});
    put_head(&p, 2, 1, 8, 3);
    put_chunk(&p, "PLTE", (const unsigned char[]){1, 2, 3, 250, 251, 252}, 6);
    put_chunk(&p, "tRNS", "\0", 1);
    put_rows(&p, (const unsigned char[]){0, 1, 0}, 3);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 3, 1, 2, (const int[]){250, 1, 251, 2, 252, 3});
    for (int depth = 8; depth <= 16; depth += 8) {
        put_head(&p, 2, 1, depth, 0);
        put_chunk(&p, "gAMA", "\0\1\x86\xa0", 4); /* 1.0 */
        put_rows(&p, depth == 8 ? "\0\62\74" : "\0\62\62\74\74", depth == 8 ? 3 : 5);
        put_file(p.at, p.size);
        assert_pixels(fa_image_read(path), 1, 1, 2, (const int[]){50, 60});
    }
}

/* Writes the seven passes of an interlaced image, whose channel c of pixel (x, y) is 10 y + 2 x + c + 1. */
static void put_passes(png *p, int width, int height, int bytes, int channels)
{
    static const int first[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0}, {0, 2}, {1, 0}, {0, 1}},
                     step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}};
    unsigned char rows[500];
    size_t size = 0;
    for (int pass = 0; pass < 7; pass++)
        for (int y = first[pass][1]; y < height && first[pass][0] < width; y += step[pass][1]) {
            rows[size++] = 0;
            for (int x = first[pass][0]; x < width; x += step[pass][0])
                for (int i = 0; i < channels * bytes; i++)
                    rows[size++] = (unsigned char)(i % bytes ? 200 : 10 * y + 2 * x + i / bytes + 1);
        }
    put_rows(p, rows, size);
}

static void interlaced_png_files(void **state)
{
    (void)state;
    FA_SCOPE;
    static const int types[] = {0, 4, 2, 6};
    if (!fa_plugin_available("image"))
        skip();
    for (int type = 0; type < 4; type++)
        for (int depth = 8; depth <= 16; depth += 8)
            for (int width = 1; width <= 6; width++) {
                enum { HEIGHT = 5 };
                png p;
                int expected[3 * HEIGHT * 6], channels = type < 2 ? 1 : 3, n = 0;
                put_kind(&p, width, HEIGHT, depth, types[type], true);
                put_passes(&p, width, HEIGHT, depth / 8, type + 1);
                put_file(p.at, p.size);
                for (int c = 0; c < channels; c++)
                    for (int i = 0; i < HEIGHT * width; i++)
                        expected[n++] = 10 * (i / width) + 2 * (i % width) + c + 1;
                assert_pixels(fa_image_read(path), channels, HEIGHT, width, expected);
            }
}

/* ---- JPEG: 16 x 8, red from left to right, green from above to below, blue in the middle ---- */

static void jpeg_files(void **state)
{
    (void)state;
    FA_SCOPE;
    unsigned char file[1000];
    uint8_t got[3 * 128];
    if (!fa_plugin_available("image"))
        skip();
    put_file(file, get_file("gray.jpg", file, sizeof file));
    fa_tensor *t = fa_image_read(path);
    assert_no_error();
    assert_int_equal(fa_size(t, 0), 1);
    assert_true(fa_read(t, got, FA_U8, 128));
    for (int i = 0; i < 128; i++)
        assert_in_range(got[i] + 6, i % 16 * 16, i % 16 * 16 + 12);
    put_file(file, get_file("colour.jpg", file, sizeof file));
    t = fa_image_read(path);
    assert_no_error();
    assert_int_equal(fa_size(t, 0), 3);
    assert_int_equal(fa_size(t, 1), 8);
    assert_int_equal(fa_size(t, 2), 16);
    assert_true(fa_read(t, got, FA_U8, 3 * 128));
    for (int i = 0; i < 128; i++) {
        assert_in_range(got[i] + 40, i % 16 * 16, i % 16 * 16 + 80);
        assert_in_range(got[128 + i] + 40, i / 16 * 32, i / 16 * 32 + 80);
        assert_in_range(got[256 + i] + 40, 128, 128 + 80);
    }
}

/* Cyan, magenta, yellow and black: numbers of Pillow's convert("RGB"). */
static void jpeg_files_of_inks(void **state)
{
    (void)state;
    FA_SCOPE;
    unsigned char file[1000];
    uint8_t got[3 * 128];
    if (!fa_plugin_available("image"))
        skip();
    put_file(file, get_file("cmyk.jpg", file, sizeof file));
    fa_tensor *t = fa_image_read(path);
    assert_no_error();
    assert_int_equal(fa_size(t, 0), 3);
    assert_true(fa_read(t, got, FA_U8, 3 * 128));
    for (int i = 0; i < 128; i++) {
        assert_int_equal(got[i], i % 16 * 8);
        assert_int_equal(got[128 + i], i / 16 * 16 + (i / 16 == 4));
        assert_int_equal(got[256 + i], 64);
    }
    assert_int_equal(fa_size(fa_image_read(path, .channels = 1), 0), 1);
}

/* Writes the photograph with EXIF data, of one entry before the orientation. */
static void put_exif(bool big, int orientation, int type)
{
    unsigned char file[1000], out[1100];
    size_t size = get_file("colour.jpg", file, sizeof file);
    static const unsigned char head[] = {0xff, 0xd8, 0xff, 0xe1, 0, 42, 'E', 'x', 'i', 'f', 0, 0};
    const unsigned char tiff[] = {'M',  'M',
                                  0,    42,
                                  0,    0,
                                  0,    8,
                                  0,    2,
                                  0x01, 0x00,
                                  0,    3,
                                  0,    0,
                                  0,    1,
                                  0,    9,
                                  0,    0,
                                  0x01, 0x12,
                                  0,    (unsigned char)type,
                                  0,    0,
                                  0,    1,
                                  0,    (unsigned char)orientation,
                                  0,    0};
    const unsigned char other[] = {'I',
                                   'I',
                                   42,
                                   0,
                                   8,
                                   0,
                                   0,
                                   0,
                                   2,
                                   0,
                                   0x00,
                                   0x01,
                                   3,
                                   0,
                                   1,
                                   0,
                                   0,
                                   0,
                                   9,
                                   0,
                                   0,
                                   0,
                                   0x12,
                                   0x01,
                                   (unsigned char)type,
                                   0,
                                   1,
                                   0,
                                   0,
                                   0,
                                   (unsigned char)orientation,
                                   0,
                                   0,
                                   0};
    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, big ? tiff : other, sizeof tiff);
    memcpy(out + sizeof head + sizeof tiff, file + 2, size - 2);
    put_file(out, sizeof head + sizeof tiff + size - 2);
}

/* Photographs are turned as Pillow's ImageOps.exif_transpose() turns them. */
static void photographs_are_turned_upright(void **state)
{
    (void)state;
    FA_SCOPE;
    unsigned char file[1000];
    if (!fa_plugin_available("image"))
        skip();
    put_file(file, get_file("colour.jpg", file, sizeof file));
    fa_tensor *t = fa_image_read(path), *turned = fa_transpose(t, 1, 2);
    fa_tensor *const expected[10] = {t,
                                     t,
                                     fa_flip(t, .dim = FA_DIMS(2)),
                                     fa_flip(t, .dim = FA_DIMS(1, 2)),
                                     fa_flip(t, .dim = FA_DIMS(1)),
                                     turned,
                                     fa_flip(turned, .dim = FA_DIMS(2)),
                                     fa_flip(turned, .dim = FA_DIMS(1, 2)),
                                     fa_flip(turned, .dim = FA_DIMS(1)),
                                     t};
    for (int how = 0; how < 10; how++)
        for (int big = 0; big < 2; big++) {
            put_exif(big, how, 3);
            assert_true(same_tensors(fa_image_read(path), expected[how]));
            assert_no_error();
        }
    put_exif(true, 6, 2); /* of another type: no orientation */
    assert_true(same_tensors(fa_image_read(path), t));
}

/* Bytes between two segments, which libjpeg skips with a warning, and Pillow without one. */
static void a_warning_of_libjpeg_is_no_error(void **state)
{
    (void)state;
    FA_SCOPE;
    unsigned char file[1000], odd[1010];
    if (!fa_plugin_available("image"))
        skip();
    size_t size = get_file("colour.jpg", file, sizeof file);
    put_file(file, size);
    fa_tensor *t = fa_image_read(path);
    size_t at = 2;
    while (file[at + 1] != 0xc4) /* to the segment of Huffman tables */
        at += 2 + (size_t)(file[at + 2] << 8 | file[at + 3]);
    memcpy(odd, file, at);
    memcpy(odd + at, "abc", 3);
    memcpy(odd + at + 3, file + at, size - at);
    put_file(odd, size + 3);
    assert_true(same_tensors(fa_image_read(path), t));
    assert_no_error();
    put_file(odd, size - 20);
    assert_refused("Premature end of JPEG file");
}

/* The chunk eXIf of a PNG file; those that end early, or whose length is too large, turn nothing. */
static void png_files_are_turned_upright(void **state)
{
    (void)state;
    FA_SCOPE;
    static const unsigned char exif[] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0};
    static const unsigned char rows[] = {0, 1, 2, 3, 0, 4, 5, 6};
    if (!fa_plugin_available("image"))
        skip();
    for (int behind = 0; behind < 2; behind++) {
        png p;
        put_head(&p, 3, 2, 8, 0);
        if (!behind)
            put_chunk(&p, "eXIf", exif, sizeof exif);
        put_rows(&p, rows, sizeof rows);
        if (behind) {
            p.size -= 12; /* the end */
            put_chunk(&p, "eXIf", exif, sizeof exif);
            put_chunk(&p, "IEND", "", 0);
        }
        put_file(p.at, p.size);
        assert_pixels(fa_image_read(path), 1, 3, 2, (const int[]){4, 1, 5, 2, 6, 3});
    }
    png p;
    put_head(&p, 3, 2, 8, 0);
    put_chunk(&p, "eXIf", exif, 9);
    put_rows(&p, rows, sizeof rows);
    put_file(p.at, p.size);
    assert_pixels(fa_image_read(path), 1, 2, 3, (const int[]){1, 2, 3, 4, 5, 6});
}

/* ---- damage ---- */

/* A file cut at every byte is refused; one with a byte changed is refused or read, but never more. */
static void assert_damage_is_seen(const unsigned char *file, size_t size, size_t least)
{
    unsigned char bad[1000];
    for (size_t cut = 0; cut < least; cut++) {
        FA_SCOPE;
        put_file(file, cut);
        assert_refused("");
    }
    for (size_t at = 0; at < size; at++) {
        FA_SCOPE;
        memcpy(bad, file, size);
        bad[at] ^= (unsigned char)(1 + at % 255);
        put_file(bad, size);
        const fa_tensor *t = fa_image_read(path);
        assert_true(t ? !fa_failed() : fa_failed());
        if (!t)
            assert_non_null(strstr(fa_error_message(), path));
        fa_error_clear();
    }
}

static void damaged_files(void **state)
{
    (void)state;
    unsigned char file[1000];
    png p = gray_png(), large;
    if (!fa_plugin_available("image"))
        skip();
    assert_damage_is_seen(p.at, p.size, p.size - 12); /* what ends it is not missed */
    memcpy(file, p.at, p.size);
    file[p.size - 12 - 6] ^= 1; /* a sum of the pixels */
    put_file(file, p.size);
    assert_refused("");
    size_t size = get_file("gray.jpg", file, sizeof file);
    assert_damage_is_seen(file, size, size - 2);
    size = get_file("colour.jpg", file, sizeof file);
    assert_damage_is_seen(file, size, size - 2);
    size = get_file("cmyk.jpg", file, sizeof file);
    assert_damage_is_seen(file, size, size - 2);
    put_head(&large, 60000, 60000, 8, 2); /* 10 GB of pixels */
    put_rows(&large, "", 1);
    put_file(large.at, large.size);
    assert_refused("it has 60000 x 60000 pixels; there may be 89478485");
}

static void without_the_plugin(void **state)
{
    (void)state;
    FA_SCOPE;
    png p = gray_png();
    if (fa_plugin_available("image"))
        skip(); /* what is open stays open: files.sh looks at it */
    put_file(p.at, p.size);
    assert_null(fa_image_read(path));
    assert_int_equal(fa_error_code(), FA_ERROR_UNAVAILABLE);
    fa_error_clear();
}

/* ---- sizes: numbers of PyTorch 2.15's interpolate(mode="bilinear", antialias=True) ---- */

static void assert_resized(fa_pair size, const double *expected)
{
    FA_SCOPE;
    fa_tensor *x = fa_square(fa_reshape(fa_arange(0, 20, .dtype = FA_F64), FA_SHAPE(4, 5)));
    fa_tensor *y = fa_image_resize(x, size);
    double got[64];
    assert_no_error();
    assert_true(fa_read(y, got, FA_F64, fa_numel(y)));
    for (int64_t i = 0; i < fa_numel(y); i++)
        if (!(fabs(got[i] - expected[i]) <= 2e-4))
            fail_msg("element %d is %g, not %g", (int)i, got[i], expected[i]);
}

static void other_sizes(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_resized(FA_PAIR(2, 3), (const double[]){28.4898, 43.7302, 63.5102, 153.0816, 193.0159, 237.4898});
    assert_resized(1, (const double[]){119.0175});
    assert_resized(FA_PAIR(6, 7), (const double[]){0.0,   0.5714,   1.8571,   4.0,      7.5714,   12.0,     16.0,
                                                   12.5,  15.9286,  20.7857,  26.5,     33.6429,  41.6429,  48.5,
                                                   37.5,  44.7381,  54.3572,  64.8333,  76.7381,  89.5,     100.1667,
                                                   87.5,  98.5476,  112.9286, 128.1667, 144.8334, 162.3572, 176.8333,
                                                   162.5, 177.3571, 196.5,    216.5,    237.9286, 260.2143, 278.5,
                                                   225.0, 242.7143, 265.4286, 289.0,    314.0,    339.8571, 361.0});
    static const uint8_t pixels[] = {0, 255, 0, 255, 10, 30, 40, 50, 60, 70};
    fa_tensor *bytes = fa_tensor_from(pixels, FA_SHAPE(1, 2, 5), .dtype = FA_U8);
    assert_pixels(fa_image_resize(bytes, FA_PAIR(2, 3)), 1, 2, 3, (const int[]){109, 113, 115, 34, 50, 66});
    assert_true(same_tensors(fa_image_resize(bytes, FA_PAIR(2, 5)), bytes));
}

/* Also while new tensors are made elsewhere. */
static void other_sizes_are_where_the_image_is(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    for (int i = 0; i < 9; i++) {
        FA_SCOPE;
        const fa_device place = places[i / 3];
        fa_tensor *image = fa_ones(FA_SHAPE(1, 4, 5), .device = place);
        FA_USE(.device = places[i % 3]);
        fa_transfers_reset();
        fa_tensor *y = fa_image_resize(image, 2), *bytes = fa_image_resize(fa_to(image, FA_U8), 2);
        assert_no_error();
        assert_true(fa_device_equal(fa_tensor_device(y), place) && fa_device_equal(fa_tensor_device(bytes), place));
        assert_int_equal(fa_transfers_total().to_host, 0);
    }
}

static void other_sizes_are_not_cast(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *image = fa_mul(fa_rand(FA_SHAPE(1, 8, 8)), 255), *bytes = fa_to(image, FA_U8);
    const fa_tensor *y = fa_image_resize(image, 5), *z = fa_image_resize(bytes, 5);
    FA_USE(.autocast = FA_BF16);
    assert_true(same_tensors(fa_image_resize(image, 5), y) && same_tensors(fa_image_resize(bytes, 5), z));
}

static void other_sizes_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    const struct {
        fa_tensor *image;
        fa_pair size;
        fa_code code;
    } rows[] = {{NULL, 3, FA_ERROR_ARGUMENT},
                {fa_zeros(FA_SHAPE(3)), 3, FA_ERROR_SHAPE},
                {fa_zeros(FA_SHAPE(0, 3)), 3, FA_ERROR_SHAPE},
                {fa_zeros(FA_SHAPE(3, 3), .dtype = FA_I64), 3, FA_ERROR_DTYPE},
                {fa_zeros(FA_SHAPE(3, 3)), 0, FA_ERROR_ARGUMENT},
                {fa_zeros(FA_SHAPE(3, 3)), FA_PAIR(3, -5), FA_ERROR_ARGUMENT},
                {fa_zeros(FA_SHAPE(3, 3)), FA_PAIR(3, 1 << 30), FA_ERROR_ARGUMENT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(fa_image_resize(rows[i].image, rows[i].size));
        assert_int_equal(fa_error_code(), rows[i].code);
        assert_non_null(strstr(fa_error_message(), "fa_image_resize"));
        fa_error_clear();
    }
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/facula-images-%ld", (long)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(pnm_files),
                                       cmocka_unit_test(long_files),
                                       cmocka_unit_test(damaged_pnm),
                                       cmocka_unit_test(png_files),
                                       cmocka_unit_test(gray_is_rounded),
                                       cmocka_unit_test(a_pipe_is_refused),
                                       cmocka_unit_test(png_files_with_more_than_pixels),
                                       cmocka_unit_test(interlaced_png_files),
                                       cmocka_unit_test(jpeg_files),
                                       cmocka_unit_test(jpeg_files_of_inks),
                                       cmocka_unit_test(a_warning_of_libjpeg_is_no_error),
                                       cmocka_unit_test(png_files_are_turned_upright),
                                       cmocka_unit_test(photographs_are_turned_upright),
                                       cmocka_unit_test(damaged_files),
                                       cmocka_unit_test(without_the_plugin),
                                       cmocka_unit_test(other_sizes),
                                       cmocka_unit_test(other_sizes_are_where_the_image_is),
                                       cmocka_unit_test(other_sizes_are_not_cast),
                                       cmocka_unit_test(other_sizes_refused)};
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return status;
}
