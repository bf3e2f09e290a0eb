/* Any CSV file: refused with a message that names it, or a table whose samples can all be read. The first byte chooses
 * the options. */
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

static void read_all(fa_dataset *d)
{
    for (int64_t i = 0; i < fa_dataset_length(d); i++) {
        FA_SCOPE;
        require(fa_dataset_get(d, i).input);
    }
    fa_column c;
    for (int64_t i = 0; fa_data_csv_column(d, i, &c); i++)
        require(c.name && c.missing <= fa_dataset_length(d));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!*path)
        snprintf(path, sizeof path, "/tmp/facula-fuzz-csv-%d", (int)getpid());
    if (size < 1)
        return 0;
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data + 1, 1, size - 1, f) == size - 1);
    fclose(f);
    FA_SCOPE;
    int how = data[0];
    fa_dataset *d = fa_data_csv(path, .header = how % 3 - 1, .delimiter = how / 3 % 2 ? ';' : 0,
                                .missing = (fa_missing)(how / 6 % 3), .target = how / 18 % 2 ? "" : NULL);
    if (d)
        read_all(d);
    else
        require(strstr(fa_error_message(), path));
    fa_error_clear();
    remove(path);
    return 0;
}
