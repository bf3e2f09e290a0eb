/** @file
 *  Images in files: PNG and JPEG (by the plugin image), and PGM and PPM.
 *
 *      fa_tensor *photo = fa_image_read("shirt.png", .channels = 1);
 *      fa_tensor *small = fa_image_resize(photo, FA_PAIR(28, 28));
 *
 *  What is in a file is found by its first bytes, not by its name. */
#ifndef FACULA_IMAGE_H
#define FACULA_IMAGE_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_image_read(). */
typedef struct fa_image_read_options {
    size_t size;      /**< set by the macro */
    int64_t channels; /**< 1: gray, 0.299 red + 0.587 green + 0.114 blue, rounded (ITU-R BT.601); 3: red, green, blue;
                           0: as many as the file has */
    char fa__end;
} fa_image_read_options;
#define FA__DEFAULT_fa_image_read                                                                                      \
    {                                                                                                                  \
        offsetof(fa_image_read_options, fa__end), 0, 0                                                                 \
    }

/** The image in a file: u8 (channels, height, width) on the CPU, of 1 or 3 channels. 16 bits a channel become 8, what
 * is transparent lies on white, and a PGM or PPM is scaled to 255 when it counts to another number.
 *
 *      fa_image_read("shirt.png", .channels = 0)
 *
 *  @param path    of the file
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return NULL and an error that names the file: FA_ERROR_FILE when it cannot be read, is damaged, of another format,
 *  or of more than 2^28 bytes, in the file or unpacked; FA_ERROR_UNAVAILABLE without the plugin */
FA_API fa_tensor *fa_image_read(const char *path, const fa_image_read_options *options);
#define fa_image_read(...) FA__CALL1(fa_image_read, FA__SAME, __VA_ARGS__)

/** An image of another size: each pixel is the mean of those that it covers, weighted by a triangle that is as wide as
 *  two pixels of the smaller of both images. As PyTorch's interpolate with mode "bilinear" and antialias. The host
 * waits for nothing, and gradients go through, but for those of u8.
 *
 *  @param image u8 or floating, (..., height, width), with at least one pixel
 *  @param size  the new height and width, each 1 or more: 28, or FA_PAIR(28, 20)
 *  @return of the dtype of `image`, where that is: u8 is rounded. NULL and an error for other dtypes and shapes */
FA_API fa_tensor *fa_image_resize(const fa_tensor *image, fa_pair size);

FA__END
#endif
