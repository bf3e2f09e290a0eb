/* Operations for the expressions of programs, and the cache that holds them: bounded, the least recently used one is
 * dropped. An operation's memory is used again for another text with the same names, never for anything else: what
 * remembers an operation for its name (a tensor, the ledger, an error) needs no reference. What will run or derive its
 * formula does, to the formula's owner. */
#ifndef FA__DISPATCH_EXPRESSIONS_H
#define FA__DISPATCH_EXPRESSIONS_H
#include "dispatch/compiled.h"

enum { FA__EXPRESSIONS_MOST = 1024 /* kept when nobody uses them */ };

/* The operation for an expression: its fields are numbers or tensors, named, and its name is the caller's
 * ("pointwise"). It stays until fa__expression_drop. NULL and an error that names the caller and the position in the
 * text when the text is wrong. */
const fa__op *fa__expression_take(const char *caller, const char *text, const char *const *names, int count,
                                  const char *const *outputs, int noutputs);
/* The same for an expression with one result whose values have types of their own (typing.h). */
const fa__op *fa__expression_take_typed(const char *caller, const char *text, const char *const *names, int count);
void fa__expression_drop(const fa__op *);

/* The same for texts that the library itself has: never dropped. */
const fa__op *fa__expression_op(const char *caller, const char *text, const char *const *names, int count,
                                const char *const *outputs, int noutputs);

/* Keeps the formula of a source in it; it is forgotten when all formulas are freed. */
struct fa__source;
void fa__source_knows(struct fa__source *source, fa__compiled *formula);

/* A derivative's operation: its own memory, and the names that it has. */
typedef struct fa__derived_op {
    fa__op op; /* first */
    fa__field field[FA__MAX_FIELDS];
    char name[64], gradient[8], result[8];
} fa__derived_op;

/* Fills the operation of the derivative by a field, except for its formula: fields are those of `op`, then gy, then y.
 */
void fa__derived_op_fill(fa__derived_op *, const fa__op *op, int input, const fa__expression *derivative);
/* The one that belongs to an expression's operation; NULL and an error without memory. Under the lock of formulas. */
fa__derived_op *fa__expression_derived_op(const fa__op *op, int input, const fa__expression *derivative);

/* For tests: how many are kept from now on, and how many there are. */
void fa__expressions_keep(int most);
int fa__expressions_count(void);
#endif
