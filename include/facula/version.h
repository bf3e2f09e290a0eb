/** @file
 *  The version of the headers and of the library. */
#ifndef FACULA_VERSION_H
#define FACULA_VERSION_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup version Version
 *  @{ */

/** The version of the headers as numbers. While the major version is 0, a new minor version may be incompatible. */
#define FA_VERSION_MAJOR 0
#define FA_VERSION_MINOR 1
#define FA_VERSION_PATCH 0
/** The version of the headers as a string: "0.1.0". */
#define FA_VERSION FA__VERSION(FA_VERSION_MAJOR, FA_VERSION_MINOR, FA_VERSION_PATCH)
#define FA__VERSION(major, minor, patch) FA__VERSION_(major, minor, patch)
#define FA__VERSION_(major, minor, patch) #major "." #minor "." #patch

/** The version of the loaded library as a string: the FA_VERSION it was built with. */
FA_API const char *fa_version(void);

/** @} */

FA__END
#endif
