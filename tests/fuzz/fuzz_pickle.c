/* Any file in the place of CIFAR's pickled ones: refused with a message that names it, or a dataset whose samples can
 * be read. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[64], path[80];
    if (!*path) {
        snprintf(folder, sizeof folder, "/tmp/facula-fuzz-pickle-%d", (int)getpid());
        snprintf(path, sizeof path, "%s/test_batch", folder);
    }
    require(mkdir(folder, 0700) == 0);
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size);
    fclose(f);
    FA_SCOPE;
    fa_dataset *d = fa_data_cifar10(folder, .train = false);
    for (int64_t i = 0; d && i < fa_dataset_length(d); i++)
        require(fa_dataset_get(d, i).input);
    require(d || strstr(fa_error_message(), "test_batch"));
    fa_error_clear();
    remove(path);
    remove(folder);
    return 0;
}
