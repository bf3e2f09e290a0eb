/* TensorBoard's event files: records, each a length and data behind which there are their masked CRC-32C; the data of a
 * record is an Event in the encoding of protocol buffers. */
#include "events.h"
#include <errno.h>
#include <facula/facula.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 512, VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* A message that is being written. */
typedef struct message {
    uint8_t at[ROOM];
    size_t size;
} message;

/* ---- protocol buffers ---- */

static void put_varint(message *m, uint64_t x)
{
    for (; x > 127; x >>= 7)
        m->at[m->size++] = (uint8_t)(x | 128);
    m->at[m->size++] = (uint8_t)x;
}

/* Little-endian, whatever the machine is. */
static void put_fixed(uint8_t *to, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(x >> 8 * i);
}

static void put_key(message *m, int field, int type)
{
    put_varint(m, (uint64_t)(field << 3 | type));
}

static void put_double(message *m, int field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_key(m, field, FIXED64);
    put_fixed(m->at + m->size, bits, 8);
    m->size += 8;
}

static void put_float(message *m, int field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_key(m, field, FIXED32);
    put_fixed(m->at + m->size, bits, 4);
    m->size += 4;
}

static void put_bytes(message *m, int field, const void *bytes, size_t size)
{
    put_key(m, field, BYTES);
    put_varint(m, size);
    memcpy(m->at + m->size, bytes, size);
    m->size += size;
}

/* ---- records ---- */

/* CRC-32C (Castagnoli), rotated and shifted as in TFRecord files. */
static uint32_t masked_crc(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

static bool failed(void)
{
    return fa_fail(FA_ERROR_FILE, "--tensorboard: %s", strerror(errno));
}

static bool put_record(FILE *file, const message *m)
{
    uint8_t head[12], tail[4];
    put_fixed(head, m->size, 8);
    put_fixed(head + 8, masked_crc(head, 8), 4);
    put_fixed(tail, masked_crc(m->at, m->size), 4);
    errno = 0;
    return (fwrite(head, sizeof head, 1, file) == 1 && fwrite(m->at, m->size, 1, file) == 1
            && fwrite(tail, sizeof tail, 1, file) == 1 && !fflush(file))
           || failed();
}

/* Event: wall_time = 1, step = 2, file_version = 3, summary = 5. */
static message event_at(int64_t step)
{
    struct timespec now;
    message m = {.size = 0};
    clock_gettime(CLOCK_REALTIME, &now);
    put_double(&m, 1, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    put_key(&m, 2, VARINT);
    put_varint(&m, (uint64_t)step);
    return m;
}

/* Summary: value = 1, in which tag = 1 and simple_value = 2. */
static bool put_scalar(FILE *file, int64_t step, const char *tag, double number)
{
    message value = {.size = 0}, summary = {.size = 0}, event = event_at(step);
    if (isnan(number))
        return true;
    put_bytes(&value, 1, tag, strlen(tag));
    put_float(&value, 2, (float)number);
    put_bytes(&summary, 1, value.at, value.size);
    put_bytes(&event, 5, summary.at, summary.size);
    return put_record(file, &event);
}

FILE *events_open(const char *folder)
{
    static const char version[] = "brain.Event:2";
    char host[64] = "localhost", path[4096];
    message m = event_at(0);
    gethostname(host, sizeof host - 1);
    int length = snprintf(path, sizeof path, "%s/events.out.tfevents.%lld.%s.%ld", folder, (long long)time(NULL), host,
                          (long)getpid());
    FILE *file = NULL;
    if (length >= (int)sizeof path)
        errno = ENAMETOOLONG;
    else if (!mkdir(folder, 0777) || errno == EEXIST)
        file = fopen(path, "wb");
    put_bytes(&m, 3, version, sizeof version - 1);
    if (file && put_record(file, &m))
        return file;
    if (file)
        fclose(file);
    else
        fa_fail(FA_ERROR_FILE, "--tensorboard: %s: %s", folder, strerror(errno));
    return NULL;
}

bool events_write(FILE *file, int64_t epoch, const epoch_facts *facts)
{
    return put_scalar(file, epoch, "loss/train", facts->loss)
           && put_scalar(file, epoch, "accuracy/held_out", facts->accuracy)
           && put_scalar(file, epoch, "learning_rate", facts->lr)
           && put_scalar(file, epoch, "samples_per_second", facts->rate);
}
