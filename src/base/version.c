/* The version of the running library. */
#include <facula/version.h>

const char *fa_version(void)
{
    return FA_VERSION;
}
