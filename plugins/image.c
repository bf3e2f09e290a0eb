/* The plugin image, over libpng and libjpeg. */
#include <stdio.h> /* jpeglib.h takes FILE for granted */

#include "plugins/image.h"
#include "plugins/plugin.h"
#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

/* ---- PNG: libpng's short interface, which keeps its jumps to itself ---- */

static void *png_open(const void *bytes, size_t size, fa__image_size *image, char *reason, size_t room)
{
    png_image *png = calloc(1, sizeof *png);
    if (!png) {
        snprintf(reason, room, "no memory");
        return NULL;
    }
    png->version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(png, bytes, size)) {
        snprintf(reason, room, "%s", png->message);
        free(png);
        return NULL;
    }
    png->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    png->format = png->format & PNG_FORMAT_FLAG_COLOR ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    *image = (fa__image_size){png->height, png->width, png->format == PNG_FORMAT_RGB ? 3 : 1};
    return png;
}

/* What is transparent lies on white. A warning (an odd colour profile, say) is no damage. */
static bool png_read(void *file, unsigned char *to, char *reason, size_t room)
{
    png_image *png = file;
    const png_color white = {255, 255, 255};
    if (png_image_finish_read(png, &white, to, 0, NULL))
        return true;
    snprintf(reason, room, "%s", png->message);
    return false;
}

static void png_close(void *file)
{
    png_image_free(file);
    free(file);
}

/* ---- JPEG ---- */

typedef struct jpeg {
    struct jpeg_decompress_struct state;
    struct jpeg_error_mgr errors;
    jmp_buf out;
    char text[JMSG_LENGTH_MAX]; /* why it came out there */
} jpeg;

/* Errors end what libjpeg is doing, and so do warnings, which stand for damaged data that it would guess. */
static void jpeg_fail(j_common_ptr state)
{
    jpeg *j = (jpeg *)state->client_data;
    j->errors.format_message(state, j->text);
    longjmp(j->out, 1);
}

static void jpeg_message(j_common_ptr state, int level)
{
    if (level < 0)
        jpeg_fail(state);
}

static void jpeg_close(void *file)
{
    jpeg *j = file;
    jpeg_destroy_decompress(&j->state);
    free(j);
}

/* Colours become red, green and blue; from CMYK they cannot, as libjpeg says. */
static bool jpeg_head(jpeg *j, const void *bytes, size_t size, fa__image_size *image)
{
    if (setjmp(j->out))
        return false;
    jpeg_create_decompress(&j->state);
    jpeg_mem_src(&j->state, bytes, size);
    jpeg_read_header(&j->state, TRUE);
    bool gray = j->state.jpeg_color_space == JCS_GRAYSCALE;
    j->state.out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
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

static bool jpeg_read(void *file, unsigned char *to, char *reason, size_t room)
{
    jpeg *j = file;
    if (setjmp(j->out)) {
        snprintf(reason, room, "%s", j->text);
        return false;
    }
    jpeg_start_decompress(&j->state);
    size_t row = (size_t)j->state.output_width * (size_t)j->state.output_components;
    while (j->state.output_scanline < j->state.output_height) {
        JSAMPROW rows[] = {to + row * j->state.output_scanline};
        jpeg_read_scanlines(&j->state, rows, 1);
    }
    jpeg_finish_decompress(&j->state);
    return true;
}

FA__PLUGIN const fa__image FA__PLUGIN_TABLE = {{png_open, png_read, png_close}, {jpeg_open, jpeg_read, jpeg_close}};
