/* facula-rows reads the operation rows of src/ops/GROUP/FAMILY.c and writes what follows from them: public headers,
 * tables, entry functions, samples, loops. This is what is read (tokens.c, read.c), judged (check.c, formula.c) and
 * written (write_*.c). Everything read lives until the program ends. */
#ifndef FA__TOOLS_ROWS_H
#define FA__TOOLS_ROWS_H
#include "pointwise/expression.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROWS_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))

/* ---- text.c: memory, texts, files, errors ---- */
void *rows_get(size_t size); /* zeroed; lives until rows_end */
char *rows_copy(const char *at, size_t length);
char *rows_format(const char *format, ...) ROWS_PRINTF(1, 2);
void rows_end(void);

typedef struct text {
    char *bytes; /* terminated; NULL while empty */
    size_t length, room;
} text;

void put(text *, const char *format, ...) ROWS_PRINTF(2, 3);
char *text_take(text *);                           /* what it says, to live until rows_end; the text is empty again */
char *file_read(const char *path, size_t *length); /* NULL when it cannot be read */
void file_write(const char *path, text *); /* only when it differs from what is there; takes the text's memory back */
void fail(const char *path, int line, const char *format, ...) ROWS_PRINTF(3, 4); /* line 0: the file as such */
extern int rows_errors;

/* ---- tokens.c ---- */
typedef enum {
    T_END,
    T_NAME,
    T_NUMBER,
    T_STRING,
    T_CHARACTER,
    T_PUNCTUATION,
    T_COMMENT,
    T_DOC,
    T_DIRECTIVE
} token_kind;

typedef struct token {
    token_kind kind;
    const char *at;
    size_t length;
    int line;
    int mate; /* of a bracket: the number of its partner */
} token;

/* A folder of src/ops: its operations share a public header. */
typedef struct group {
    const char *name;  /* reduce */
    const char *title; /* "Reductions" */
    int listed;        /* rows that are not INTERNAL: found by check.c */
    struct group *next;
} group;

typedef struct source {
    const char *path;   /* as it can be opened */
    const char *place;  /* from the project's root: src/ops/reduce/reduce.c */
    const char *family; /* reduce */
    struct group *group;
    const char *about; /* its leading comment */
    const char *bytes;
    token *token; /* ends with a T_END */
    int count, ops;
    int listed; /* rows that are not INTERNAL: found by check.c */
    struct source *next;
} source;

/* Reads and divides a file; NULL after an error. */
source *source_read(const char *path, const char *place);
bool token_is(const token *, const char *text);
char *token_text(const token *);
/* The text of tokens first to last without comments, white space squeezed to single spaces. */
char *tokens_text(const source *, int first, int last);
/* A comment's words without the marks, its lines kept or joined. */
char *comment_text(const token *, bool keep_lines);
/* The next token that is no comment, from i on. */
int token_next(const source *, int i);

/* ---- read.c: what a file says ---- */
enum { MOST_FIELDS = 16, MOST_RESULTS = 4, MOST_CELLS = 24, MOST_OPERANDS = 5 };

typedef struct kind {
    const char *type;   /* in the struct of arguments */
    const char *name;   /* FA__name is the fa__kind */
    const char *passed; /* in public functions and options */
} kind;

typedef struct field {
    const char *name, *fallback, *doc; /* fallback: the default of an option; NULL: positional */
    const kind *kind;
    int line;
} field;

typedef struct schema {
    const char *name; /* reduce_args */
    const source *source;
    int line;
    field field[MOST_FIELDS];
    int nfields;
    bool written; /* its tables stand in the family's rows */
    struct schema *next;
} schema;

typedef struct cell {
    const char *name, *value; /* value: the text after "=", or between the parentheses of SAMPLES(...) */
    int first, last;          /* the tokens of the value */
    int line;
} cell;

typedef struct op {
    const char *name;
    source *source;
    int line;
    const char *doc;
    bool pointwise;
    schema *args;
    const char *result[MOST_RESULTS], *result_doc[MOST_RESULTS]; /* the latter NULL where there is no comment */
    int nresults;
    bool list;                       /* its result is a list: [parts] in the place of (y) */
    int expression, expression_last; /* tokens of a POINTWISE row's expression */
    cell cell[MOST_CELLS];
    int ncells;
    /* found by check.c and formula.c */
    bool view, hot, out, options, internal;
    bool fills;                     /* its name ends with "_": only the in-place form is public, by this name */
    int inplace;                    /* the field that the in-place form writes, or -1 */
    uint32_t keep, constant, index; /* fields, as bits */
    /* of each field and result that is kept: the fields whose gradients need it */
    uint32_t keep_for[MOST_FIELDS + MOST_RESULTS];
    const char *samples, *torch, *also, *differs;
    int header_line;    /* where its manual page begins in the public header, once that is written */
    const char *dtypes; /* that it takes, as dtypes.txt says: "numbers"; NULL: not found out yet */
    const fa__expression *formula, *derivative[MOST_FIELDS]; /* NULL: zero */
    struct op *next;
} op;

/* Where a definition stands. */
typedef struct definition_place {
    const char *path; /* NULL: there is none */
    int line;
} definition_place;

/* A kind of device, named as the folder of its files, and the operations that it overrides. */
typedef struct device_kind {
    const char *name;
    definition_place *override; /* for each operation */
    struct device_kind *next;
} device_kind;

/* A folder of kernels. Its tables have a place for each operation, and one for "expression". */
typedef struct backend {
    const char *name;
    int count;
    const char **op;
    bool *kernel;
    device_kind *kinds; /* the folder itself, and those in it */
    struct backend *next;
} backend;

/* A public name of PyTorch or NumPy, and why names are missing: names.c. */
typedef struct foreign foreign;
typedef struct excuse {
    const char *text;
    struct excuse *next;
} excuse;

/* PyTorch's signature of an operation: names.c. */
typedef struct torch_name torch_name;

typedef struct rows {
    group *groups;
    source *sources;
    schema *schemas;
    op *ops;
    backend *backends;
    foreign *names;
    excuse *reasons;
    torch_name *signatures;
} rows;

/* Adds what a file under src/ops says. */
void source_rows(rows *, source *);
/* Reads all groups below a folder, in the order of the file of titles ("reduce: Reductions"), others after them under
 * their own name. */
void read_groups(rows *, const char *ops, const char *titles);
const op *op_find(const rows *, const char *name);
const cell *cell_find(const op *, const char *name);

/* ---- fields.c ---- */
field *field_add(schema *, const source *, const char *type, const token *name); /* NULL after an error */
/* Comments from token i on, as documentation of a field (or NULL). Returns the token behind them. */
int field_comments(const source *, int i, field *);
schema *schema_add(rows *, const source *, const char *name, int line);
schema *schema_find(const rows *, const char *name);
/* "typedef struct { ... } name_args;" from token i on. Returns a token behind it. */
int read_schema(rows *, source *, int i);
bool is_operand(const field *);
bool is_option(const field *);
bool is_tensor(const field *); /* one that has a gradient: a tensor, or what may be one */
bool is_number(const field *); /* one that is always a number */
/* What its function returns: "fa_tensor *", "fa_max_result ", "fa_tensors ". */
const char *result_type(const op *);

/* ---- check.c, formula.c ---- */
void check_rows(rows *);
/* Parses the expressions of an op and derives them. */
void formula_make(op *);
void formula_free(op *);
/* Whether tokens first to last are an expression of the numbers among the fields. */
void formula_check(const op *, int first, int last);

/* ---- names.c: of other libraries ---- */
/* Reads names.txt and missing.txt of a folder, and holds each name against the operations. */
void read_names(rows *, const char *folder);
/* What NumPy calls an operation; "": nothing that is known. */
const char *numpy_name(const rows *, const op *);
/* What signatures.txt says PyTorch's signature is, which may be empty; NULL where it says nothing. */
const char *torch_signature(const rows *, const op *);
/* The names that have no operation, and why. */
void put_missing(text *, const rows *);

/* ---- dtypes.c ---- */
/* Gives each operation its line of a file, "sum: all"; the rest have none yet. */
void read_dtypes(rows *, const char *path);

/* ---- write_*.c ---- */
void write_headers(const rows *, const char *folder);
void write_lines(const char *folder);
void write_docs(const rows *, const char *path);
void write_rows(const rows *, const char *folder);
void write_tables(const rows *, const char *folder);
void write_reflection(const rows *, const char *folder);
void write_hot(const rows *, const char *folder);
/* Finds the kernels in each folder of `folder`. */
void read_kernels(rows *, const char *folder);
bool has_kernel(const rows *, const char *backend, const op *);
/* Writes their tables. */
void write_kernels(const rows *, const char *folder);

/* ---- public.c: the public headers ---- */
enum { MOST_MEMBERS = 40, MOST_PARAMETERS = 12 };

/* A member, option or parameter. */
typedef struct public_item {
    const char *name, *type;
    const char *fallback; /* of an option: its default */
    const char *doc;      /* "" where there is none */
} public_item;

typedef struct public_struct {
    const char *name;
    const char *alias; /* the struct that this is another name of */
    public_item member[MOST_MEMBERS];
    int members;
    struct public_struct *next;
} public_struct;

typedef struct public_function {
    const char *name, *symbol; /* fa_forward, fa__forward: most often the same */
    const char *header, *result, *doc;
    public_item parameter[MOST_PARAMETERS]; /* without the options */
    int parameters;
    const char *options; /* their struct; NULL: none */
    public_item option[MOST_MEMBERS];
    int noptions;
    struct public_function *next;
} public_function;

typedef struct public_constant {
    const char *type, *name, *value; /* type: "" of an enumeration without a name */
    struct public_constant *next;
} public_constant;

typedef struct public_header {
    const char *name, *text;
    struct public_header *next;
} public_header;

typedef struct public_api {
    public_header *headers, **last_header;
    public_struct *structs, **last_struct;
    public_function *functions, **last_function;
    public_constant *constants, **last_constant;
} public_api;

void read_public(public_api *, const char *folder);
public_struct *public_struct_find(const public_api *, const char *name);
void write_api(const rows *, const public_api *, const char *folder);
void write_options(const public_api *, const char *folder);
void write_cpp(const public_api *, const char *folder);

/* "fa_tensor *(fa_sum)(const fa_tensor *x, const fa_sum_options *options)"; `name` is what is to stand for the name. */
void put_prototype(text *, const op *, const char *name, bool inplace);
/* The function's name: fa_sum, and fa__relaid for an INTERNAL row. */
const char *function_name(const op *);
/* "const fa_tensor *x" */
char *declare(const char *type, const char *name);
#endif
