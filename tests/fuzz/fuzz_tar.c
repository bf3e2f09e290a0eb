/* Any tar archive of CIFAR-10's files: refused with a message that names it, or a dataset whose samples can be read. */
#include <facula/data.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!*path)
        snprintf(path, sizeof path, "/tmp/facula-fuzz-%d.tar", (int)getpid());
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size);
    fclose(f);
    FA_SCOPE;
    fa_dataset *d = fa_data_cifar10(path);
    for (int64_t i = 0; d && i < fa_dataset_length(d); i++)
        require(fa_dataset_get(d, i).input);
    require(d || strstr(fa_error_message(), path));
    fa_error_clear();
    remove(path);
    return 0;
}
