/** @file
 *  Plugins: parts of the library that need a library of others. Each is a small shared object, built where that one's
 *  headers are, opened when it is first needed, and kept; a call that needs one that is not there says so, and why.
 *
 *  | plugin | for | library |
 *  |---|---|---|
 *  | gzip | compressed files of data sets | zlib |
 *  | json | the heads of safetensors files | jansson |
 *  | image | PNG and JPEG files | libpng, libjpeg |
 *
 *  They are looked for in the folder that FACULA_PLUGINS names; in facula-plugins beside the program or library that
 *  holds this one, and beside its folder; and where `make install` puts them. */
#ifndef FACULA_PLUGIN_H
#define FACULA_PLUGIN_H
#include <facula/types.h>

FA__BEGIN

/** Whether a plugin is there and can be opened: "gzip". No error when it is not. Any thread. */
FA_API bool fa_plugin_available(const char *name);

/** The table of functions of a plugin, whose type is in plugins/NAME.h. The name is a literal.
 *  @param name    "gzip"
 *  @param purpose what it is for, as a message goes on: "to read data/train.gz"
 *  @return NULL and FA_ERROR_UNAVAILABLE with the reason when it is not there. It stays open and valid. Any thread. */
FA_API const void *fa__plugin(const char *name, const char *purpose);

FA__END
#endif
