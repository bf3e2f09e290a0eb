/* events FILE: checks the records of an event file for TensorBoard, and prints step, name and value of its scalars. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *why)
{
    fprintf(stderr, "events: %s\n", why);
    exit(1);
}

static uint64_t fixed(const uint8_t *at, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint64_t)at[i] << 8 * i;
    return x;
}

/* By the table of nibbles, so that it is not the code that is tested. */
static uint32_t masked_crc(const uint8_t *at, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                       0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc = table[(crc ^ at[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ at[i] >> 4) & 15] ^ crc >> 4;
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

static uint64_t varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t x = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        x |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return x;
    }
    give_up("a number does not end");
    return 0;
}

/* What is known of an event so far. */
typedef struct event {
    uint64_t step;
    char tag[64];
    float value;
    int has_value;
} event;

/* Reads a message: depth 0 is Event, 1 Summary, 2 Value. */
static void read_message(const uint8_t *at, const uint8_t *end, int depth, event *e)
{
    while (at < end) {
        uint64_t key = varint(&at, end), field = key >> 3, type = key & 7, n = 0;
        if (type == 0 || type == 2)
            n = varint(&at, end);
        uint64_t size = type == 0 ? 0 : type == 1 ? 8 : type == 2 ? n : type == 5 ? 4 : UINT64_MAX;
        if (size > (uint64_t)(end - at))
            give_up("a field is longer than its message");
        if (depth == 0 && field == 2 && type == 0)
            e->step = n;
        if (type == 2 && ((depth == 0 && field == 5) || (depth == 1 && field == 1)))
            read_message(at, at + n, depth + 1, e);
        if (depth == 2 && field == 1 && type == 2 && n < sizeof e->tag)
            memcpy(e->tag, at, n);
        if (depth == 2 && field == 2 && type == 5) {
            uint32_t bits = (uint32_t)fixed(at, 4);
            memcpy(&e->value, &bits, 4);
            e->has_value = 1;
        }
        at += size;
    }
}

static int holds(const uint8_t *at, uint64_t size, const char *text)
{
    size_t length = strlen(text);
    for (; size >= length; at++, size--)
        if (!memcmp(at, text, length))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    static uint8_t data[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t size = file ? fread(data, 1, sizeof data, file) : 0, records = 0;
    if (!file)
        give_up("usage: events FILE");
    fclose(file);
    for (size_t at = 0; at < size; records++) {
        event e = {0};
        uint64_t length = size - at < 16 ? UINT64_MAX : fixed(data + at, 8);
        if (length > size - at - 16)
            give_up("a record is longer than the file");
        if (fixed(data + at + 8, 4) != masked_crc(data + at, 8))
            give_up("the checksum of a length is wrong");
        if (fixed(data + at + 12 + length, 4) != masked_crc(data + at + 12, length))
            give_up("the checksum of a record is wrong");
        if (!records && !holds(data + at + 12, length, "brain.Event:2"))
            give_up("the first record has no version");
        read_message(data + at + 12, data + at + 12 + length, 0, &e);
        if (e.has_value)
            printf("%" PRIu64 " %s %.6f\n", e.step, e.tag, (double)e.value);
        at += 16 + length;
    }
    return records ? 0 : 1;
}
