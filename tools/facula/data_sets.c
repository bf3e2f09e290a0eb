/* The data sets, and suitable training settings for each. */
#include "network.h"

/* The dataset has rows of 64 numbers; here they are images, as in the other data sets. */
static fa_dataset *digits(const char *folder, bool train, fa_module *transform)
{
    (void)folder;
    fa_module *image = fa_nn_unflatten(1, FA_SHAPE(1, 8, 8));
    return fa_data_transformed(fa_data_digits(.train = train), fa_nn_sequential(image, transform));
}

static fa_dataset *fashion(const char *folder, bool train, fa_module *transform)
{
    return fa_data_fashion_mnist(folder, .train = train, .transform = transform);
}

static fa_dataset *mnist(const char *folder, bool train, fa_module *transform)
{
    return fa_data_mnist(folder, .train = train, .transform = transform);
}

static fa_dataset *cifar10(const char *folder, bool train, fa_module *transform)
{
    return fa_data_cifar10(folder, .train = train, .transform = transform);
}

#define DIGITS                                                                                                         \
    {                                                                                                                  \
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"                                                               \
    }

const data_set data_sets[] = {
    {1, 8, 8, 0, 1, DIGITS, digits, false, 15, 32, SCHEDULE_ONE_CYCLE, 0.05, 0.2},
    {1,
     28,
     28,
     0.286,
     0.353,
     {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"},
     fashion,
     false,
     5,
     64,
     SCHEDULE_ONE_CYCLE,
     0.05,
     0.1},
    {1, 28, 28, 0.1307, 0.3081, DIGITS, mnist, true, 5, 64, SCHEDULE_ONE_CYCLE, 0.05, 0.1},
    {3,
     32,
     32,
     0.5,
     0.5,
     {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"},
     cifar10,
     true,
     2,
     4,
     SCHEDULE_COSINE,
     0.01,
     0.01},
};
