/* Any image file: refused with a message that names it, or an image. */
#include <facula/data.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
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
        snprintf(path, sizeof path, "/tmp/facula-fuzz-image-%d", (int)getpid());
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size);
    fclose(f);
    FA_SCOPE;
    fa_tensor *t = fa_image_read(path);
    require(t ? fa_numel(t) > 0 : strstr(fa_error_message(), path) != NULL);
    fa_error_clear();
    remove(path);
    return 0;
}
