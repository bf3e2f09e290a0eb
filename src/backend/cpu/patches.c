/* Packing images. A band of an image, the rows that some neighbouring pixels need, is copied with its padding, columns
 * that are `step` apart side by side; then each tap finds its pixels as neighbours in memory. See patches.h. */
#include "backend/cpu/patches.h"
#include "base/integer.h"
#include <string.h>

enum { MOST_ROOM = 64 << 20 }; /* bytes of a band; beyond, elements are fetched one by one */

fa__cpu_strip fa__cpu_run_from(const int64_t pixels[2], bool join, int64_t pixel, int64_t most)
{
    int64_t all = pixels[0] * pixels[1], image = pixel / all, in_image = pixel - image * all;
    int64_t row = in_image / pixels[1], column = in_image - row * pixels[1];
    return (fa__cpu_strip){image, row, column, fa__min(most, join ? all - in_image : pixels[1] - column)};
}

/* ---- images ---- */

static bool rows_join(const fa__cpu_image *m)
{
    return m->columns == m->pixels[1] && (m->stride[2] == m->pixels[1] * m->stride[3] || m->pixels[0] == 1);
}

static int64_t run_offset(const fa__cpu_image *m, const fa__cpu_strip *r)
{
    return r->image * m->stride[0] + r->row * m->stride[2] + r->column * m->stride[3];
}

/* The address of element (i, j) of what is packed */
static char *packed_at(const fa__gemm_place *to, const fa__gemm_kind *kind, int64_t i, int64_t j)
{
    int64_t panel = j / to->panel;
    return (char *)to->data + (panel * to->step + i * to->row + j - panel * to->panel) * (int64_t)kind->packed;
}

static void pack_image(const fa__gemm_source *source, const fa__gemm_kind *kind, const fa__gemm_place *to,
                       const fa__gemm_block *at, void *room)
{
    const fa__cpu_image *m = (const fa__cpu_image *)source;
    const bool join = rows_join(m);
    (void)room;
    for (int64_t i = 0; i < at->rows;) {
        fa__cpu_strip r = fa__cpu_run_from(m->pixels, join, m->first + at->row + i, at->rows - i);
        for (int64_t j = 0; j < at->cols; j += to->panel) {
            int64_t offset = run_offset(m, &r) + (at->col + j) * m->stride[1];
            kind->pack(packed_at(to, kind, i, j), to->row, (const char *)m->data + offset * (int64_t)kind->element,
                       m->stride[3], m->stride[1], r.count, fa__min(to->panel, at->cols - j));
        }
        i += r.count;
    }
}

static size_t no_room(const fa__gemm_source *source, const fa__gemm_kind *kind, int64_t rows, int64_t cols)
{
    (void)source, (void)kind, (void)rows, (void)cols;
    return 0;
}

static void put_image(const fa__gemm_sink *sink, const fa__gemm_kind *kind, const fa__gemm *g, const fa__gemm_block *at,
                      const void *sums, int64_t sums_row)
{
    const fa__cpu_image *m = (const fa__cpu_image *)(const void *)((const char *)sink - offsetof(fa__cpu_image, sink));
    const bool join = rows_join(m);
    fa__gemm part = *g;
    part.c_row = m->stride[1];
    part.c_col = m->stride[3];
    for (int64_t j = 0; j < at->cols;) {
        fa__cpu_strip r = fa__cpu_run_from(m->pixels, join, m->first + at->col + j, at->cols - j);
        int64_t count = join ? r.count : fa__min(r.count, m->columns - r.column);
        const fa__gemm_block block = {at->row, 0, at->rows, count};
        part.c = (char *)m->data + run_offset(m, &r) * (int64_t)kind->element;
        if (count > 0)
            kind->finish(&part, &block, (const char *)sums + j * (int64_t)kind->sum, sums_row);
        j += r.count;
    }
}

void fa__cpu_image_init(fa__cpu_image *m, void *data, const int64_t pixels[2], const int64_t stride[4], int64_t first)
{
    *m = (fa__cpu_image){{pack_image, no_room}, {put_image}, data, {pixels[0], pixels[1]}, {0}, first, pixels[1]};
    memcpy(m->stride, stride, sizeof m->stride);
}

/* ---- patches ---- */

/* Where the pixels of a few rows find their entries: in the band, or in the image itself. */
typedef struct band {
    fa__cpu_strip run;           /* the pixels: of whole rows, or of one */
    int64_t rows, columns;       /* of pixels */
    bool part;                   /* of one row, from the run's first pixel on */
    int64_t channel, channels;   /* those that the taps have */
    int64_t low[2], high[2];     /* the rows and columns that they meet: from, to (inclusive) */
    int64_t phases, length;      /* of a row: columns by their number modulo the step, so many of each */
    int64_t pitch, channel_step; /* of rows and channels: elements of the band */
} band;

static int64_t band_elements(const band *b)
{
    return b->channels * b->channel_step;
}

/* The columns (d = 1) or rows (0) from pixel `from` to `to` */
static void set_reach(band *b, const fa__patches *p, int d, int64_t from, int64_t to)
{
    int64_t far = (p->taps[d] - 1) * p->tap[d];
    b->low[d] = p->start[d] + from * p->step[d] + (far < 0 ? far : 0);
    b->high[d] = p->start[d] + to * p->step[d] + (far > 0 ? far : 0);
}

static int64_t absolute(int64_t x)
{
    return x < 0 ? -x : x;
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* Taps whose columns are so many apart have the same phase. */
static int64_t period(const fa__patches *p)
{
    return p->step[1] / gcd(p->step[1], absolute(p->tap[1]));
}

static void set_band(band *b, const fa__cpu_patches *s, const fa__cpu_strip *r, int64_t tap, int64_t taps)
{
    const fa__patches *p = &s->p;
    const int64_t each = p->taps[0] * p->taps[1], width = p->pixels[1];
    b->run = *r;
    b->rows = (r->column + r->count - 1) / width + 1;
    b->part = b->rows == 1 && !s->flat;
    int64_t column = b->part ? r->column : 0, last = b->part ? r->column + r->count - 1 : width - 1;
    b->columns = last - column + 1;
    b->channel = tap / each;
    b->channels = (tap + taps - 1) / each - b->channel + 1;
    set_reach(b, p, 0, r->row, r->row + b->rows - 1);
    set_reach(b, p, 1, column, s->flat ? last - (p->taps[1] - 1) * absolute(p->tap[1]) : last);
    b->phases = fa__min(period(p), p->taps[1]);
    b->length = b->columns + (s->flat ? 0 : (p->taps[1] - 1) * absolute(p->tap[1]) / p->step[1]);
    b->pitch = b->phases * b->length;
    b->channel_step = (b->high[0] - b->low[0] + 1) * b->pitch;
}

/* How far the entries of a tap of a channel are from those of the first pixel */
static int64_t tap_offset(const band *b, const fa__patches *p, int64_t t, int64_t u, int64_t cycle)
{
    int64_t row = p->tap[0] < 0 ? p->taps[0] - 1 - t : t, column = p->tap[1] < 0 ? p->taps[1] - 1 - u : u;
    int64_t place = cycle == 1 && p->step[1] == 1
                        ? column * absolute(p->tap[1])
                        : column % cycle * b->length + column * absolute(p->tap[1]) / p->step[1];
    return row * absolute(p->tap[0]) * b->pitch + place;
}

/* Where the entries of each tap begin: relative to those of the first pixel of the band */
static void find_taps(const band *b, const fa__patches *p, int64_t tap, int64_t taps, int64_t *offset)
{
    const int64_t each = p->taps[0] * p->taps[1], cycle = period(p);
    int64_t c = tap / each - b->channel, t = tap % each / p->taps[1], u = tap % p->taps[1];
    for (int64_t i = 0; i < taps; i++) {
        offset[i] = i < each ? c * b->channel_step + tap_offset(b, p, t, u, cycle) : offset[i - each] + b->channel_step;
        u++;
        t += u == p->taps[1];
        u = u == p->taps[1] ? 0 : u;
        c += t == p->taps[0];
        t = t == p->taps[0] ? 0 : t;
    }
}

/* The part of a row that is in the image, phase by phase; all channels at once */
static void copy_row(const fa__cpu_patches *s, const fa__gemm_kind *kind, const band *b, int64_t row, char *to)
{
    const fa__patches *p = &s->p;
    const int64_t step = p->step[1];
    for (int64_t f = 0; f < b->phases; f++) {
        int64_t column = b->low[1] + f * absolute(p->tap[1]) % step;
        int64_t skip = column < 0 ? (-column + step - 1) / step : 0;
        column += skip * step;
        int64_t count = column < p->size[1] ? (p->size[1] - 1 - column) / step + 1 : 0;
        count = fa__min(count, b->length - skip);
        if (count <= 0)
            continue;
        int64_t from =
            b->run.image * p->stride[0] + b->channel * p->stride[1] + row * p->stride[2] + column * p->stride[3];
        kind->pack(to + (f * b->length + skip) * (int64_t)kind->packed, b->channel_step,
                   (const char *)s->data + from * (int64_t)kind->element, p->stride[1], step * p->stride[3],
                   b->channels, count);
    }
}

static void copy_band(const fa__cpu_patches *s, const fa__gemm_kind *kind, const band *b, char *to)
{
    bool inside = b->low[0] >= 0 && b->high[0] < s->p.size[0] && b->low[1] >= 0 && b->high[1] < s->p.size[1];
    if (!inside)
        memset(to, 0, (size_t)band_elements(b) * kind->packed);
    for (int64_t row = b->low[0] < 0 ? 0 : b->low[0]; row <= b->high[0] && row < s->p.size[0]; row++)
        copy_row(s, kind, b, row, to + (row - b->low[0]) * b->pitch * (int64_t)kind->packed);
}

/* Columns of the packed matrix from `col` on, panel by panel */
static void gather(const fa__gemm_kind *kind, const fa__gemm_place *to, const fa__gemm_block *at, int64_t col,
                   const char *from, const int64_t *offset, int64_t count)
{
    while (count > 0) {
        int64_t n = fa__min(count, to->panel - col % to->panel);
        kind->gather(packed_at(to, kind, 0, col), to->row, from, offset, at->rows, n);
        col += n;
        from += n * (int64_t)kind->packed;
        count -= n;
    }
}

/* The pixels of a band, row by row */
static void gather_band(const fa__cpu_patches *s, const fa__gemm_kind *kind, const band *b, const fa__gemm_place *to,
                        const fa__gemm_block *at, int64_t col, const char *from, const int64_t *offset)
{
    int64_t column = b->part ? 0 : b->run.column, left = b->run.count;
    const int64_t next = s->p.step[0] * b->pitch;
    if (next == b->columns) {
        gather(kind, to, at, col, from + column * (int64_t)kind->packed, offset, left);
        return;
    }
    for (; left > 0; from += next * (int64_t)kind->packed) {
        int64_t count = fa__min(left, b->columns - column);
        gather(kind, to, at, col, from + column * (int64_t)kind->packed, offset, count);
        col += count;
        left -= count;
        column = 0;
    }
}

/* A tap's entry for a pixel; NULL in the padding */
static const char *entry_at(const fa__cpu_patches *s, size_t element, int64_t tap, int64_t pixel)
{
    const fa__patches *p = &s->p;
    fa__cpu_strip r = fa__cpu_run_from(p->pixels, true, pixel, 1);
    int64_t each = p->taps[0] * p->taps[1], c = tap / each, in_channel = tap - c * each;
    int64_t row = p->start[0] + r.row * p->step[0] + in_channel / p->taps[1] * p->tap[0];
    int64_t column = p->start[1] + r.column * p->step[1] + in_channel % p->taps[1] * p->tap[1];
    if (row < 0 || row >= p->size[0] || column < 0 || column >= p->size[1])
        return NULL;
    int64_t at = r.image * p->stride[0] + c * p->stride[1] + row * p->stride[2] + column * p->stride[3];
    return (const char *)s->data + at * (int64_t)element;
}

static void pack_each(const fa__cpu_patches *s, const fa__gemm_kind *kind, const fa__gemm_place *to,
                      const fa__gemm_block *at)
{
    for (int64_t i = 0; i < at->rows; i++)
        for (int64_t j = 0; j < at->cols; j++) {
            const char *from = entry_at(s, kind->element, at->row + i, s->first + at->col + j);
            char *out = packed_at(to, kind, i, j);
            if (from)
                kind->pack(out, 1, from, 1, 1, 1, 1);
            else
                memset(out, 0, kind->packed);
        }
}

/* Bytes for the offsets of taps, and for the largest band; 0: too much. */
static size_t patches_room(const fa__gemm_source *source, const fa__gemm_kind *kind, int64_t rows, int64_t cols)
{
    const fa__patches *p = &((const fa__cpu_patches *)source)->p;
    const int64_t each = p->taps[0] * p->taps[1];
    if (!each || !cols || !rows)
        return 0;
    bool flat = ((const fa__cpu_patches *)source)->flat;
    int64_t width = p->pixels[1], across = flat ? width : fa__min(width, cols);
    int64_t down = width >= cols && !flat ? 1 : fa__min(p->pixels[0], (cols + width - 2) / width + 1);
    int64_t channels = fa__min(p->channels, (rows + each - 2) / each + 1);
    double more = (double)(p->taps[1] - 1) * (double)absolute(p->tap[1]) / (double)p->step[1];
    double length = (double)across + more; /* of a flat band no more than that: the last row is read as if it were */
    double height =
        (double)(down - 1) * (double)p->step[0] + (double)(p->taps[0] - 1) * (double)absolute(p->tap[0]) + 1;
    double bytes = (double)channels * (double)fa__min(period(p), p->taps[1]) * length * height * (double)kind->packed;
    if (!(bytes < MOST_ROOM))
        return 0;
    return (size_t)bytes + (((size_t)rows * sizeof(int64_t) + 127) & ~(size_t)63);
}

static void pack_patches(const fa__gemm_source *source, const fa__gemm_kind *kind, const fa__gemm_place *to,
                         const fa__gemm_block *at, void *room)
{
    const fa__cpu_patches *s = (const fa__cpu_patches *)source;
    if (!room) {
        pack_each(s, kind, to, at);
        return;
    }
    int64_t *offset = room;
    char *copy = (char *)room + (((size_t)at->rows * sizeof *offset + 63) & ~(size_t)63);
    bool join = s->flat || s->p.pixels[1] < at->cols;
    band found = {.pitch = -1}; /* that of `offset` */
    for (int64_t j = 0; j < at->cols;) {
        fa__cpu_strip r = fa__cpu_run_from(s->p.pixels, join, s->first + at->col + j, at->cols - j);
        band b;
        set_band(&b, s, &r, at->row, at->rows);
        if (b.channel_step != found.channel_step || b.pitch != found.pitch || b.length != found.length)
            find_taps(&b, &s->p, at->row, at->rows, offset);
        found = b;
        copy_band(s, kind, &b, copy);
        gather_band(s, kind, &b, to, at, j, copy, offset);
        j += r.count;
    }
}

void fa__cpu_patches_init(fa__cpu_patches *s, const void *data, const fa__patches *p, int64_t first)
{
    *s = (fa__cpu_patches){{pack_patches, patches_room}, data, *p, first, false};
}

/* What is saved is about SPLIT row by row for each of the pieces in which a panel of 32 pixels is gathered; what it
 * costs, the products of pixels that are too many. */
int64_t fa__cpu_flatten(fa__cpu_patches *s, fa__cpu_image *sink, int64_t rows)
{
    enum { SPLIT = 5, PANEL = 32, WIDEST = 1024 };
    fa__patches *p = &s->p;
    int64_t width = p->pixels[1], more = p->taps[1] ? (p->taps[1] - 1) * absolute(p->tap[1]) : 0;
    if (p->step[0] == 1 && p->step[1] == 1 && more && width + more <= WIDEST && p->taps[0]
        && 2 * more * rows < SPLIT * (width + PANEL)) {
        s->flat = true;
        p->pixels[1] = sink->pixels[1] = width + more;
    }
    return p->images * p->pixels[0] * p->pixels[1];
}
