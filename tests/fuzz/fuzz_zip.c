/* Any zip archive: a member is taken out of it, or it is refused with a message that names it. */
#include "data/file.h"
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
    static char path[64], to[80];
    if (!*path) {
        snprintf(path, sizeof path, "/tmp/facula-fuzz-zip-%d", (int)getpid());
        snprintf(to, sizeof to, "%s-to", path);
    }
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size);
    fclose(f);
    FA_SCOPE;
    static const char *const names[] = {"a.gz", "b.gz"};
    for (int i = 0; i < 2; i++) {
        if (!fa__zip_extract("fuzz", path, names[i], to))
            require(fa_error_code() == FA_ERROR_MEMORY || strstr(fa_error_message(), path));
        fa_error_clear();
    }
    remove(path);
    remove(to);
    return 0;
}
