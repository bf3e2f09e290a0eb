/* Any file of images in IDX format: refused with a message that names it, or a dataset of one sample. */
#include <facula/data.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size);
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char label[] = {0, 0, 8, 1, 0, 0, 0, 1, 7};
    static char folder[64], images[100], labels[100];
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/facula-fuzz-idx-%d", (int)getpid());
        snprintf(images, sizeof images, "%s/train-images-idx3-ubyte", folder);
        snprintf(labels, sizeof labels, "%s/train-labels-idx1-ubyte", folder);
    }
    require(mkdir(folder, 0700) == 0);
    put(images, data, size);
    put(labels, label, sizeof label);
    FA_SCOPE;
    fa_dataset *d = fa_data_mnist(folder);
    require(d ? fa_dataset_length(d) == 1 && fa_dataset_get(d, 0).input != NULL
              : strstr(fa_error_message(), "train-images") != NULL);
    fa_error_clear();
    remove(images);
    remove(labels);
    remove(folder);
    return 0;
}
