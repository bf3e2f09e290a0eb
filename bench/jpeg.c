/* A folder of JPEG photographs, read by loaders with 1, 2 and 4 workers, beside what libjpeg takes to read and decode
 * the same files with two threads of its own:
 *
 *     bench/jpeg FOLDER [IMAGES]    makes the photographs there if there are none (2,000 of 500 x 375 pixels) */
#include <stdio.h> /* jpeglib.h needs it */

#if __has_include(<jpeglib.h>)
#include <facula/facula.h>
#include <jpeglib.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { HEIGHT = 375, WIDTH = 500, IMAGES = 2000, QUALITY = 85, ROUNDS = 5, THREADS = 2, MOST_BYTES = 1 << 20 };

static char folder[3000];
static int images;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "jpeg: %s\n", what);
    exit(1);
}

static const char *path_of(int image, char path[static 4000])
{
    snprintf(path, 4000, "%s/photo/%05d.jpg", folder, image);
    return path;
}

/* ---- photographs: waves of several lengths, edges and noise, as large as files of cameras are ---- */

static void paint(int image, unsigned char *to)
{
    unsigned state = (unsigned)image + 1;
    double a = image % 17 * 0.01 + 0.02, b = image % 23 * 0.007 + 0.01;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) {
                state = state * 1664525 + 1013904223;
                double v = 128 + 60 * sin(a * x + c) * cos(b * y) + 30 * sin(0.3 * x + 0.21 * y + image);
                v += (x * (image % 5 + 1) + 3 * y) % 200 < 100 ? 20 : -20;
                v += (double)(state >> 24) / 16 - 8;
                to[(y * WIDTH + x) * 3 + c] = (unsigned char)fmin(255, fmax(0, v));
            }
}

static void make_photograph(int image, unsigned char *pixels)
{
    char path[4000];
    struct jpeg_compress_struct state;
    struct jpeg_error_mgr errors;
    FILE *to = fopen(path_of(image, path), "wb");
    if (!to)
        fail("the folder cannot be written to");
    paint(image, pixels);
    state.err = jpeg_std_error(&errors);
    jpeg_create_compress(&state);
    jpeg_stdio_dest(&state, to);
    state.image_width = WIDTH;
    state.image_height = HEIGHT;
    state.input_components = 3;
    state.in_color_space = JCS_RGB;
    jpeg_set_defaults(&state);
    jpeg_set_quality(&state, QUALITY, TRUE);
    jpeg_start_compress(&state, TRUE);
    while (state.next_scanline < HEIGHT) {
        JSAMPROW row = pixels + 3 * WIDTH * (size_t)state.next_scanline;
        jpeg_write_scanlines(&state, &row, 1);
    }
    jpeg_finish_compress(&state);
    jpeg_destroy_compress(&state);
    fclose(to);
}

static void make_folder(void)
{
    char path[4000];
    struct stat status;
    unsigned char *pixels = malloc((size_t)HEIGHT * WIDTH * 3);
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/photo", folder);
    mkdir(path, 0777);
    for (int i = 0; pixels && i < images; i++)
        if (stat(path_of(i, path), &status) != 0)
            make_photograph(i, pixels);
    free(pixels);
}

/* ---- libjpeg alone ---- */

static _Atomic int next_image;

static void decode(const unsigned char *bytes, size_t size, unsigned char *pixels)
{
    struct jpeg_decompress_struct state;
    struct jpeg_error_mgr errors;
    state.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&state);
    jpeg_mem_src(&state, bytes, size);
    jpeg_read_header(&state, TRUE);
    state.out_color_space = JCS_RGB;
    jpeg_start_decompress(&state);
    while (state.output_scanline < state.output_height) {
        JSAMPROW row = pixels + 3 * WIDTH * (size_t)state.output_scanline;
        jpeg_read_scanlines(&state, &row, 1);
    }
    jpeg_finish_decompress(&state);
    jpeg_destroy_decompress(&state);
}

static void *decode_files(void *unused)
{
    unsigned char *bytes = malloc(MOST_BYTES), *pixels = malloc((size_t)HEIGHT * WIDTH * 3);
    char path[4000];
    (void)unused;
    for (int i; bytes && pixels && (i = atomic_fetch_add(&next_image, 1)) < images;) {
        FILE *f = fopen(path_of(i, path), "rb");
        size_t size = f ? fread(bytes, 1, MOST_BYTES, f) : 0;
        if (f)
            fclose(f);
        decode(bytes, size, pixels);
    }
    free(bytes);
    free(pixels);
    return NULL;
}

static double by_libjpeg(int threads)
{
    pthread_t thread[THREADS];
    double start = now();
    atomic_store(&next_image, 0);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, decode_files, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return now() - start;
}

/* ---- loaders ---- */

static double by_loader(int64_t workers)
{
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(fa_data_image_folder(folder), .batch_size = 8, .workers = workers);
    int64_t count = 0;
    double start = now();
    FA_EACH (batch, loader) {
        count += batch.size;
        if (count == images)
            start -= now(); /* the loader goes on with the next epoch */
    }
    if (fa_failed() || count != images)
        fail(fa_failed() ? fa_error_message() : "images are missing");
    return -start;
}

/* ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **text)
{
    enum { WAYS = 5 };
    static double taken[WAYS][ROUNDS];
    static const char *const names[WAYS] = {"libjpeg, 1 thread", "libjpeg, 2 threads", "loader, 1 worker",
                                            "loader, 2 workers", "loader, 4 workers"};
    if (count < 2)
        fail("which folder?");
    snprintf(folder, sizeof folder, "%s", text[1]);
    images = count > 2 ? (int)strtol(text[2], NULL, 10) : IMAGES;
    make_folder();
    by_libjpeg(THREADS); /* files are in memory from here on */
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++)
            taken[way][round] = way < 2 ? by_libjpeg(way + 1) : by_loader(1 << (way - 2));
    for (int way = 0; way < WAYS; way++) {
        qsort(taken[way], ROUNDS, sizeof(double), by_value);
        printf("%-20s %8.0f images/s   %.3f of libjpeg's time with 2 threads\n", names[way],
               images / taken[way][ROUNDS / 2], taken[way][ROUNDS / 2] / taken[1][ROUNDS / 2]);
    }
    return 0;
}
#else
int main(void)
{
    printf("jpeg: built without libjpeg's headers\n");
    return 0;
}
#endif
