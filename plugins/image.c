/* The plugin image, over libpng and libjpeg. */
#include <stdio.h> /* jpeglib.h takes FILE for granted */

#include "plugins/image.h"
#include "plugins/plugin.h"
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- PNG ---- */

typedef struct png {
    png_structp state;
    png_infop info;
    const unsigned char *at;
    size_t left, row; /* bytes: of the file, of a row of pixels */
    jmp_buf out;
    char text[120]; /* why it came out there */
} png;

static void png_fail(png_structp state, png_const_charp text)
{
    png *p = png_get_error_ptr(state);
    snprintf(p->text, sizeof p->text, "%s", text);
    longjmp(p->out, 1);
}

/* A warning (an odd colour profile, say) is no damage. */
static void png_ignore(png_structp state, png_const_charp text)
{
    (void)state;
    (void)text;
}

static void png_take(png_structp state, png_bytep to, size_t size)
{
    png *p = png_get_io_ptr(state);
    if (size > p->left)
        png_error(state, "unexpected end of file");
    memcpy(to, p->at, size);
    p->at += size;
    p->left -= size;
}

static void png_close(void *file)
{
    png *p = file;
    png_destroy_read_struct(&p->state, &p->info, NULL);
    free(p);
}

/* Colours of 8 bits, as Pillow's convert("RGB") or convert("L") gives them: the upper byte of 16 bits, palettes looked
 * up, transparency dropped, gamma left alone. */
static bool png_head(png *p, fa__image_size *image)
{
    if (setjmp(p->out))
        return false;
    p->info = png_create_info_struct(p->state);
    if (!p->info)
        png_error(p->state, "no memory");
    png_set_read_fn(p->state, p, png_take);
    png_read_info(p->state, p->info);
    bool color = png_get_color_type(p->state, p->info) & PNG_COLOR_MASK_COLOR;
    png_set_expand(p->state);
    png_set_strip_16(p->state);
    png_set_strip_alpha(p->state);
    png_set_interlace_handling(p->state);
    *image = (fa__image_size){png_get_image_height(p->state, p->info), png_get_image_width(p->state, p->info),
                              color ? 3 : 1};
    p->row = (size_t)(image->width * image->channels);
    return true;
}

static void *png_open(const void *bytes, size_t size, fa__image_size *image, char *reason, size_t room)
{
    png *p = calloc(1, sizeof *p);
    if (p)
        p->state = png_create_read_struct(PNG_LIBPNG_VER_STRING, p, png_fail, png_ignore);
    if (!p || !p->state) {
        free(p);
        snprintf(reason, room, "no memory");
        return NULL;
    }
    p->at = bytes;
    p->left = size;
    if (png_head(p, image))
        return p;
    snprintf(reason, room, "%s", p->text);
    png_close(p);
    return NULL;
}

/* Each pass of an interlaced image fills the rows further. */
static bool png_read(void *file, unsigned char *to, char *reason, size_t room)
{
    png *p = file;
    if (setjmp(p->out)) {
        snprintf(reason, room, "%s", p->text);
        return false;
    }
    png_read_update_info(p->state, p->info);
    png_uint_32 height = png_get_image_height(p->state, p->info);
    size_t row = png_get_rowbytes(p->state, p->info);
    if (row != p->row)
        png_error(p->state, "rows of another size");
    int passes = png_get_interlace_type(p->state, p->info) == PNG_INTERLACE_NONE ? 1 : PNG_INTERLACE_ADAM7_PASSES;
    for (int pass = 0; pass < passes; pass++)
        for (png_uint_32 y = 0; y < height; y++)
            png_read_row(p->state, to + row * y, NULL);
    return true;
}

/* ---- JPEG ---- */

typedef struct jpeg {
    struct jpeg_decompress_struct state;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf out;
    unsigned char *row;         /* of four inks; NULL: the image has none */
    char text[JMSG_LENGTH_MAX]; /* why it came out there */
} jpeg;

enum { MOST_SCANS = 1000 /* of a progressive image; more only cost time */ };

/* Errors end what libjpeg is doing. */
static void jpeg_fail(j_common_ptr state)
{
    jpeg *j = (jpeg *)state->client_data;
    j->errors.format_message(state, j->text);
    longjmp(j->out, 1);
}

/* A warning (odd bytes between two segments, say) is no error, as in Pillow; but a file that ends too early is. */
static void jpeg_message(j_common_ptr state, int level)
{
    if (level < 0 && state->err->msg_code == JWRN_JPEG_EOF)
        jpeg_fail(state);
}

static void jpeg_progress(j_common_ptr state)
{
    jpeg *j = (jpeg *)state->client_data;
    if (j->state.input_scan_number > MOST_SCANS) {
        snprintf(j->text, sizeof j->text, "more than %d scans", (int)MOST_SCANS);
        longjmp(j->out, 1);
    }
}

static void jpeg_close(void *file)
{
    jpeg *j = file;
    jpeg_destroy_decompress(&j->state);
    free(j->row);
    free(j);
}

/* Colors become red, green and blue. libjpeg gives cyan, magenta, yellow and black as they are. */
static bool jpeg_head(jpeg *j, const void *bytes, size_t size, fa__image_size *image)
{
    if (setjmp(j->out))
        return false;
    jpeg_create_decompress(&j->state);
    j->progress.progress_monitor = jpeg_progress;
    j->state.progress = &j->progress;
    jpeg_mem_src(&j->state, bytes, size);
    jpeg_read_header(&j->state, TRUE);
    bool gray = j->state.jpeg_color_space == JCS_GRAYSCALE;
    bool inks = j->state.jpeg_color_space == JCS_CMYK || j->state.jpeg_color_space == JCS_YCCK;
    j->state.out_color_space = gray ? JCS_GRAYSCALE : inks ? JCS_CMYK : JCS_RGB;
    j->state.dct_method = JDCT_ISLOW;
    jpeg_calc_output_dimensions(&j->state);
    *image = (fa__image_size){j->state.output_height, j->state.output_width, gray ? 1 : 3};
    return true;
}

static void *jpeg_open(const void *bytes, size_t size, fa__image_size *image, char *reason, size_t room)
{
    jpeg *j = calloc(1, sizeof *j);
    if (!j) {
        snprintf(reason, room, "no memory");
        return NULL;
    }
    j->state.err = jpeg_std_error(&j->errors);
    j->errors.error_exit = jpeg_fail;
    j->errors.emit_message = jpeg_message;
    j->state.client_data = j;
    if (jpeg_head(j, bytes, size, image))
        return j;
    snprintf(reason, room, "%s", j->text);
    jpeg_close(j);
    return NULL;
}

/* The product of two fractions of 255, rounded. */
static unsigned char times(unsigned a, unsigned b)
{
    unsigned product = a * b + 128;
    return (unsigned char)((product + (product >> 8)) >> 8);
}

/* Files have 255 for no ink, as Adobe's programs write them: then a color is what its ink and the black leave. */
static void put_colors(unsigned char *to, const unsigned char *inks, size_t width)
{
    for (size_t i = 0; i < width; i++)
        for (size_t c = 0; c < 3; c++)
            to[3 * i + c] = (unsigned char)(inks[4 * i + 3] - times(255u - inks[4 * i + c], inks[4 * i + 3]));
}

static bool jpeg_read(void *file, unsigned char *to, char *reason, size_t room)
{
    jpeg *j = file;
    if (setjmp(j->out)) {
        snprintf(reason, room, "%s", j->text);
        return false;
    }
    jpeg_start_decompress(&j->state);
    size_t width = j->state.output_width, channels = (size_t)j->state.output_components;
    bool inks = channels == 4;
    if (inks && !(j->row = malloc(4 * width))) {
        snprintf(reason, room, "no memory");
        return false;
    }
    while (j->state.output_scanline < j->state.output_height) {
        unsigned char *row = to + (inks ? 3 : channels) * width * j->state.output_scanline;
        JSAMPROW rows[] = {inks ? j->row : row};
        jpeg_read_scanlines(&j->state, rows, 1);
        if (inks)
            put_colors(row, j->row, width);
    }
    jpeg_finish_decompress(&j->state);
    return true;
}

FA__PLUGIN const fa__image FA__PLUGIN_TABLE = {{png_open, png_read, png_close}, {jpeg_open, jpeg_read, jpeg_close}};
