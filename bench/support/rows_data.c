/* Rows of loaders: 64 batches of 64 images in the format of CIFAR-10, as bytes, to normalized floats, by two workers.
 */
#include "row.h"
#include <facula/facula.h>

enum { IMAGES = 10000, BATCHES = 64 };

static fa_loader *loader;

static void open_with(fa_transform *t)
{
    fa_tensor *x = fa_to(fa_randint(0, 256, FA_SHAPE(IMAGES, 3, 32, 32)), FA_U8),
              *y = fa_randint(0, 10, FA_SHAPE(IMAGES));
    loader = fa_data_loader(fa_data_transformed(fa_data_tensors(x, y), t), .batch_size = 64, .shuffle = true,
                            .drop_last = true, .workers = 2);
}

#define VALUES fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.5, 0.5), FA_LIST(0.5, 0.5, 0.5))

static void open_plain(void)
{
    open_with(fa_transform_compose(VALUES));
}

static void open_augmented(void)
{
    open_with(fa_transform_compose(fa_transform_random_crop(32, .padding = 4), fa_transform_random_horizontal_flip(),
                                   VALUES));
}

/* Epochs follow each other; the loop is left where it stands, and goes on there. */
static void load(int64_t count)
{
    for (int64_t left = count * BATCHES; left > 0 && !fa_failed();) {
        fa_loader_seek(loader, fa_loader_position(loader));
        FA_EACH (batch, loader)
            if (--left == 0)
                break;
    }
}

const bench_row bench_data[] = {
    {"loader_cifar", BENCH_MILLISECONDS, 20, BENCH_NO_LIMIT, open_plain, load},
    {"loader_cifar_augmented", BENCH_MILLISECONDS, 20, BENCH_NO_LIMIT, open_augmented, load},
    {0},
};
