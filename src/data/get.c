/* The files of well-known datasets: their addresses, and what they have to be. */
#include "data/data.h"
#include "data/file.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 4, ROOM = 4096, LONGEST_NAME = 64 };

static const struct {
    const char *name, *site;
    const char *file[MOST_FILES][2]; /* name and SHA-256 */
} sets[] = {{"mnist",
             "https://ossci-datasets.s3.amazonaws.com/mnist",
             {{"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
              {"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
              {"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
              {"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}},
            {"fashion-mnist",
             "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
             {{"train-images-idx3-ubyte.gz", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
              {"train-labels-idx1-ubyte.gz", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
              {"t10k-images-idx3-ubyte.gz", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
              {"t10k-labels-idx1-ubyte.gz", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}}},
            {"kmnist",
             "http://codh.rois.ac.jp/kmnist/dataset/kmnist",
             {{"train-images-idx3-ubyte.gz", "51467d22d8cc72929e2a028a0428f2086b092bb31cfb79c69cc0a90ce135fde4"},
              {"train-labels-idx1-ubyte.gz", "e38f9ebcd0f3ebcdec7fc8eabdcdaef93bb0df8ea12bee65224341c8183d8e17"},
              {"t10k-images-idx3-ubyte.gz", "edd7a857845ad6bb1d0ba43fe7e794d164fe2dce499a1694695a792adfac43c5"},
              {"t10k-labels-idx1-ubyte.gz", "20bb9a0ef54c7db3efc55a92eef5582c109615df22683c380526788f98e42a1c"}}},
            {"cifar10",
             "https://www.cs.toronto.edu/~kriz",
             {{"cifar-10-binary.tar.gz", "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}}},
            {"cifar100",
             "https://www.cs.toronto.edu/~kriz",
             {{"cifar-100-binary.tar.gz", "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"}}},
            {"emnist",
             "https://biometrics.nist.gov/cs_links/EMNIST",
             {{"gzip.zip", "fb9bb67e33772a9cc0b895e4ecf36d2cf35be8b709693c3564cea2a019fcda8e"}}}};

/* ---- the archive of EMNIST, which has the files of all splits ---- */

enum { EMNIST_FILES = 24 };

/* The path of file k, and where its name begins in it. */
static const char *emnist_path(char to[static ROOM], const char *folder, int k)
{
    static const char *const splits[] = {"balanced", "byclass", "bymerge", "digits", "letters", "mnist"};
    int n = snprintf(to, ROOM, "%s/", folder);
    snprintf(to + n, (size_t)(ROOM - n), "emnist-%s-%s-%s-ubyte.gz", splits[k / 4], k & 2 ? "test" : "train",
             k & 1 ? "labels-idx1" : "images-idx3");
    return to + n;
}

static bool emnist_is_there(const char *folder)
{
    char path[ROOM];
    int k = 0;
    while (k < EMNIST_FILES && (emnist_path(path, folder, k), access(path, R_OK) == 0))
        k++;
    return k == EMNIST_FILES;
}

/* Takes the files out of the archive, and deletes it. */
static bool unpack_emnist(const char *archive, const char *folder)
{
    char path[ROOM];
    for (int k = 0; k < EMNIST_FILES; k++) {
        const char *name = emnist_path(path, folder, k);
        if (!fa__zip_extract("fa_data_get", archive, name, path))
            return false;
    }
    return !unlink(archive);
}

/* ---- all datasets ---- */

static const char *site_of(size_t i)
{
    const char *mirror = getenv("FACULA_MIRROR");
    return mirror && *mirror ? mirror : sets[i].site;
}

static bool get_files(size_t i, const char *folder, const fa_data_get_options *options)
{
    char url[ROOM], path[ROOM];
    bool zipped = strcmp(sets[i].name, "emnist") == 0;
    if (strlen(folder) + LONGEST_NAME >= ROOM)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_get: the folder has too long a path");
    if (zipped && emnist_is_there(folder))
        return true;
    for (int k = 0; k < MOST_FILES && sets[i].file[k][0]; k++) {
        snprintf(url, sizeof url, "%s/%s", site_of(i), sets[i].file[k][0]);
        snprintf(path, sizeof path, "%s/%s", folder, sets[i].file[k][0]);
        if (!(fa_data_download)(url, sets[i].file[k][1], path, options))
            return false;
    }
    return !zipped || unpack_emnist(path, folder);
}

bool(fa_data_get)(const char *name, const char *folder, const fa_data_get_options *options)
{
    if (!name || !folder)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_get: the %s is NULL", name ? "folder" : "name");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, name) == 0)
            return get_files(i, folder, options);
    return fa_fail(FA_ERROR_ARGUMENT,
                   "fa_data_get: \"%s\" is none of mnist, fashion-mnist, kmnist, emnist, cifar10, cifar100", name);
}
