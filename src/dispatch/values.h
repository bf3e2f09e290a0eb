/* Values of the public interface (fa_value) as fields of an operation's arguments, and back. */
#ifndef FA__DISPATCH_VALUES_H
#define FA__DISPATCH_VALUES_H
#include "core/op.h"
#include <facula/op.h>

/* The size of a field of a kind; 0: there is no such kind. */
size_t fa__kind_size(fa_kind);
/* "a number", for messages. */
const char *fa__kind_name(fa_kind);
/* Writes a value into a field of a kind; false, and no error, where a value of its kind does not go there. */
bool fa__value_write(void *field, fa_kind, const fa_value *);
fa_value fa__value_read(const void *field, fa_kind);
#endif
