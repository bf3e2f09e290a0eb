/* The files of well-known datasets: their addresses, and what they have to be. */
#include "data/data.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 4, ROOM = 4096 };

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
             {{"cifar-100-binary.tar.gz", "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"}}}};

bool(fa_data_get)(const char *name, const char *folder, const fa_data_get_options *options)
{
    const char *mirror = getenv("FACULA_MIRROR");
    char url[ROOM], path[ROOM];
    if (!name || !folder)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_get: the %s is NULL", name ? "folder" : "name");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (strcmp(sets[i].name, name) != 0)
            continue;
        for (int k = 0; k < MOST_FILES && sets[i].file[k][0]; k++) {
            const char *file = sets[i].file[k][0];
            snprintf(url, sizeof url, "%s/%s", mirror && *mirror ? mirror : sets[i].site, file);
            if (snprintf(path, sizeof path, "%s/%s", folder, file) >= ROOM)
                return fa_fail(FA_ERROR_ARGUMENT, "fa_data_get: the folder has too long a path");
            if (!(fa_data_download)(url, sets[i].file[k][1], path, options))
                return false;
        }
        return true;
    }
    return fa_fail(FA_ERROR_ARGUMENT, "fa_data_get: \"%s\" is none of mnist, fashion-mnist, kmnist, cifar10, cifar100",
                   name);
}
