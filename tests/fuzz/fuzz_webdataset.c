/* Any tar archive as a stream of samples: refused with a message that names it, or read to its end, with and without
 * images that cannot be decoded. */
#include <facula/data.h>
#include <facula/dataset.h>
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
        snprintf(path, sizeof path, "/tmp/facula-fuzz-shard-%d.tar", (int)getpid());
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size);
    fclose(f);
    FA_SCOPE;
    fa_dataset *d = fa_data_webdataset(path, .extra = "json", .channels = 1, .shuffle = 2);
    require(d);
    for (int skip = 0; skip < 2; skip++) {
        FA_EACH (batch, fa_data_loader(d, .seed = 1, .skip_bad_samples = skip))
            require(batch.input && batch.target && batch.extra[0]);
        require(!fa_failed() || strstr(fa_error_message(), path));
        fa_error_clear();
    }
    remove(path);
    return 0;
}
