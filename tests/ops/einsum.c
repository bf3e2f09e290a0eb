/* einsum against sums that are written out: equations by chance, the order of products by what it costs, views, limits,
 * and what is refused. Values and gradients of fixed equations are held against PyTorch in golden.c. */
#include "dispatch/call.h"
#include "support/autograd_test.h"

/* ---- equations by chance ---- */

enum { LETTERS = 5, COVERED = 2, AXES = LETTERS + COVERED, MOST_TENSORS = 10, MOST_DIMS = 4 };

static uint32_t drawn = 1;

static int draw(int below)
{
    drawn = drawn * 1664525u + 1013904223u;
    return (int)((drawn >> 10) % (uint32_t)below);
}

/* An operand: the axis that each of its dimensions is of, letters first numbered, then what an ellipsis covers. */
typedef struct operand {
    int rank, axis[MOST_DIMS + COVERED];
    fa_tensor *t;
    double value[243]; /* dense */
} operand;

typedef struct problem {
    char text[200];
    int count, size[AXES], result[AXES], rank;
    operand x[MOST_TENSORS];
} problem;

static void add(problem *p, const char *text)
{
    strncat(p->text, text, sizeof p->text - strlen(p->text) - 1);
}

static void add_letter(problem *p, int axis)
{
    /* the order of the letters is not that of their numbers */
    const char letter[LETTERS][2] = {"b", "A", "z", "C", "a"};
    add(p, letter[axis]);
    if (!draw(6))
        add(p, " ");
}

static void add_covered(operand *x, int covered)
{
    for (int i = 0; i < covered; i++)
        x->axis[x->rank++] = AXES - covered + i;
}

/* Labels of one operand; *seen: bits of all axes so far. */
static void make_term(problem *p, operand *x, bool ellipses, unsigned *seen)
{
    int letters = draw(MOST_DIMS), dots = ellipses && draw(4) ? draw(letters + 1) : -1;
    for (int i = 0; i <= letters; i++) {
        if (i == dots) {
            add(p, "...");
            add_covered(x, draw(COVERED + 1));
        }
        if (i < letters) {
            x->axis[x->rank] = draw(LETTERS);
            add_letter(p, x->axis[x->rank++]);
        }
    }
    for (int i = 0; i < x->rank; i++)
        *seen |= 1U << x->axis[i];
}

static void make_tensor_of(const problem *p, operand *x)
{
    fa_shape shape = {.rank = x->rank};
    int n = 1;
    for (int i = 0; i < x->rank; i++) {
        bool twice = false;
        for (int j = 0; j < x->rank; j++)
            twice = twice || (j != i && x->axis[j] == x->axis[i]);
        shape.dim[i] = !twice && !draw(5) ? 1 : p->size[x->axis[i]];
        n *= (int)shape.dim[i];
    }
    for (int i = 0; i < n; i++)
        x->value[i] = draw(5) - 2;
    fa_tensor *dense = fa_tensor_from(x->value, shape, .dtype = FA_F64);
    x->t = draw(2) ? dense : fa_flip(fa_contiguous(fa_flip(dense)));
}

/* The result without an arrow: what is covered, then letters that stand there once, A to Z before a to z. */
static void implicit_result(problem *p, unsigned seen)
{
    const int sorted[LETTERS] = {1, 3, 4, 0, 2};
    int times[AXES] = {0};
    for (int k = 0; k < p->count; k++)
        for (int i = 0; i < p->x[k].rank; i++)
            times[p->x[k].axis[i]]++;
    for (int a = LETTERS; a < AXES; a++)
        if (seen >> a & 1)
            p->result[p->rank++] = a;
    for (int i = 0; i < LETTERS; i++)
        if (times[sorted[i]] == 1)
            p->result[p->rank++] = sorted[i];
}

static void explicit_result(problem *p, unsigned seen, bool ellipses)
{
    int order[LETTERS] = {0, 1, 2, 3, 4}, dots = ellipses && draw(3) ? draw(LETTERS) : -1;
    add(p, "->");
    for (int i = 0; i < LETTERS; i++) {
        int j = i + draw(LETTERS - i), axis = order[j];
        order[j] = order[i];
        if (i == dots) {
            add(p, "...");
            for (int a = LETTERS; a < AXES; a++)
                if (seen >> a & 1)
                    p->result[p->rank++] = a;
        }
        if (seen >> axis & 1 && draw(2)) {
            add_letter(p, axis);
            p->result[p->rank++] = axis;
        }
    }
}

static void make_problem(problem *p)
{
    unsigned seen = 0;
    bool ellipses = draw(2);
    memset(p, 0, sizeof *p);
    p->count = draw(4) ? 1 + draw(4) : 1 + draw(MOST_TENSORS);
    for (int a = 0; a < AXES; a++)
        p->size[a] = 1 + draw(3);
    for (int k = 0; k < p->count; k++) {
        add(p, k ? "," : "");
        make_term(p, &p->x[k], ellipses, &seen);
    }
    /* the first of two covered dimensions is there only if an operand has both */
    for (int k = 0; k < p->count; k++)
        make_tensor_of(p, &p->x[k]);
    for (int a = 0; a < AXES; a++) { /* an axis may be 1 wherever it is */
        int size = 1;
        for (int k = 0; k < p->count; k++)
            for (int i = 0; i < p->x[k].rank; i++)
                size = p->x[k].axis[i] == a && fa_size(p->x[k].t, i) > size ? (int)fa_size(p->x[k].t, i) : size;
        p->size[a] = size;
    }
    if (draw(2))
        explicit_result(p, seen, ellipses);
    else
        implicit_result(p, seen);
}

static double element(const operand *x, const int *at)
{
    int64_t place = 0;
    for (int i = 0; i < x->rank; i++)
        place = place * fa_size(x->t, i) + (fa_size(x->t, i) == 1 ? 0 : at[x->axis[i]]);
    return x->value[place];
}

static int place_of_result(const problem *p, const int *at)
{
    int place = 0;
    for (int i = 0; i < p->rank; i++)
        place = place * p->size[p->result[i]] + at[p->result[i]];
    return place;
}

/* Every place of every axis in turn. */
static void write_out(const problem *p, double *y)
{
    int at[AXES] = {0}, a = 0;
    while (a < AXES) {
        double product = 1;
        for (int k = 0; k < p->count; k++)
            product *= element(&p->x[k], at);
        y[place_of_result(p, at)] += product;
        for (a = 0; a < AXES && ++at[a] == p->size[a]; a++)
            at[a] = 0;
    }
}

static bool one_problem(void)
{
    FA_SCOPE;
    static problem p;
    static double want[3 * 3 * 3 * 3 * 3 * 3 * 3], have[sizeof want / sizeof *want];
    make_problem(&p);
    fa_tensor *item[MOST_TENSORS];
    for (int k = 0; k < p.count; k++)
        item[k] = p.x[k].t;
    int64_t n = 1;
    for (int i = 0; i < p.rank; i++)
        n *= p.size[p.result[i]];
    memset(want, 0, sizeof want);
    write_out(&p, want);
    fa_tensor *y = fa_einsum(p.text, ((fa_tensors){(size_t)p.count, item}));
    bool good = y && fa_dim(y) == p.rank && fa_numel(y) == n && fa_read(y, have, FA_F64, n);
    for (int i = 0; good && i < p.rank; i++)
        good = fa_size(y, i) == p.size[p.result[i]];
    for (int64_t i = 0; good && i < n; i++)
        good = have[i] == want[i];
    if (!good)
        print_error("\"%s\" of %d tensors: %s\n", p.text, p.count, fa_failed() ? fa_error_message() : "other values");
    return good;
}

static void equations_by_chance(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++)
        if (!one_problem())
            fail_msg("equation %d by chance", i);
}

/* ---- the order of products ---- */

static double multiplications;

static void count_product(const fa__call *c, int depth)
{
    (void)depth;
    if (strcmp(c->op->name, "matmul") != 0)
        return;
    const fa_tensor *const *field = c->args; /* a and b are its fields */
    multiplications += (double)fa_numel(c->out[0]) * (double)fa_size(field[0], -1);
}

/* How many multiplications the matrix products of an expression take. */
#define COST(call)                                                                                                     \
    (multiplications = 0, fa__call_hook = count_product, (void)(call), fa__call_hook = NULL, multiplications)

static fa_tensor *ones(int64_t rows, int64_t columns)
{
    return fa_ones(FA_SHAPE(rows, columns), .dtype = FA_F64);
}

static void takes_the_cheapest_order(void **state)
{
    (void)state;
    fa_tensor *a = ones(10, 100), *b = ones(100, 5), *c = ones(5, 50), *d = ones(50, 1);
    assert_true(COST(fa_einsum("ij,jk,kl->il", FA_TENSORS(a, b, c))) == 5000 + 2500);
    assert_true(COST(fa_einsum("kl,ij,jk->il", FA_TENSORS(c, a, b))) == 5000 + 2500);
    assert_true(COST(fa_einsum("ij,jk,kl,lm->im", FA_TENSORS(a, b, c, d))) == 250 + 500 + 1000);
    assert_true(COST(fa_multi_dot(FA_TENSORS(a, b, c))) == 5000 + 2500);
    assert_true(COST(fa_multi_dot(FA_TENSORS(a, b, c, d))) == 250 + 500 + 1000);
    HOLD(fa_get(fa_multi_dot(FA_TENSORS(a, b, c, d)), "3"), 100 * 5 * 50);
    /* what only one operand has is summed before any product */
    assert_true(COST(fa_einsum("ij,kj->k", FA_TENSORS(ones(30, 4), ones(5, 4)))) == 20);
}

/* Nine and more operands go by pairs: a chain with a vector at its end is never a product of two matrices. */
static void many_operands(void **state)
{
    (void)state;
    enum { N = 4 };
    fa_tensor *m = fa_mul(fa_ones(FA_SHAPE(N, N), .dtype = FA_F64), 0.5), *v = fa_ones(FA_SHAPE(N), .dtype = FA_F64);
    fa_tensors x = FA_TENSORS(m, m, m, m, m, m, m, m, m, m, v);
    HOLD(fa_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,k->a", x), 1024, 1024, 1024, 1024);
    assert_true(COST(fa_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,k->a", x)) == 10 * N * N);
    HOLD(fa_einsum(",,,,,,,,,,", FA_TENSORS(fa_sum(m), fa_sum(m), fa_sum(m), fa_sum(m), fa_sum(m), fa_sum(m), fa_sum(m),
                                            fa_sum(m), fa_sum(m), fa_sum(m), fa_sum(m))),
         pow(8, 11));
}

/* Orders that would need more dimensions than there are, are not taken. */
static void stays_within_dimensions(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(1, 2, 1, 2, 1, 2), .dtype = FA_F64);
    HOLD(fa_sum(fa_einsum("abcdef,ghijkl,abcghi->dl", FA_TENSORS(x, x, x))), 256);
    assert_null(fa_einsum("abcdef,ghijkl", FA_TENSORS(x, x)));
    FAILS(FA_ERROR_SHAPE, "fa_einsum(", "the result would have 12 dimensions");
    fa_tensor *y = fa_ones(FA_SHAPE(2, 1, 2, 1, 2, 1, 2, 1), .dtype = FA_F64);
    assert_null(fa_einsum("abcdefgh,abcdijkl,abcdefij->efghijkl", FA_TENSORS(y, y, y)));
    FAILS(FA_ERROR_SHAPE, "fa_einsum(", "no order of the products");
}

static void views_are_views(void **state)
{
    (void)state;
    fa_tensor *x = fa_reshape(fa_arange(0, 9, .dtype = FA_F64), FA_SHAPE(3, 3));
    fa_copy_(fa_einsum("ii->i", FA_TENSORS(x)), -1);
    HOLD(x, -1, 1, 2, 3, -1, 5, 6, 7, -1);
    HOLD(fa_einsum("ij->ji", FA_TENSORS(x)), -1, 3, 6, 1, -1, 7, 2, 5, -1);
    HOLD(fa_einsum("...", FA_TENSORS(x)), -1, 1, 2, 3, -1, 5, 6, 7, -1);
}

/* ---- what is refused ---- */

#define REFUSED(code, equation, tensors, ...)                                                                          \
    do {                                                                                                               \
        assert_null(fa_einsum(equation, tensors));                                                                     \
        FAILS(code, "fa_einsum(", __VA_ARGS__);                                                                        \
    } while (0)

static void errors(void **state)
{
    (void)state;
    fa_tensor *x = ones(2, 3), *y = ones(3, 4);
    const fa_tensors one = FA_TENSORS(x), two = FA_TENSORS(x, y), none = {0, NULL};
    REFUSED(FA_ERROR_ARGUMENT, "ij,jk->ik", one, "more terms than tensors", "character 4");
    REFUSED(FA_ERROR_ARGUMENT, "ij->ij", two, "more tensors than terms");
    REFUSED(FA_ERROR_ARGUMENT, "i1", one, "character 2", "'->' was expected");
    REFUSED(FA_ERROR_ARGUMENT, "ij->i,j", one, "character 6");
    REFUSED(FA_ERROR_ARGUMENT, "ij->k", one, "no tensor has the label k");
    REFUSED(FA_ERROR_ARGUMENT, "ij->ii", one, "label i twice");
    REFUSED(FA_ERROR_ARGUMENT, "...i...", one, "second ellipsis");
    REFUSED(FA_ERROR_ARGUMENT, "..ij", one, "character 1");
    REFUSED(FA_ERROR_ARGUMENT, "abcdefghi", one, "more labels");
    REFUSED(FA_ERROR_ARGUMENT, "", none, "no tensors");
    REFUSED(FA_ERROR_ARGUMENT, NULL, one, "equation is NULL");
    REFUSED(FA_ERROR_SHAPE, "ijk", one, "3 labels for x[0]", "2 dimensions");
    REFUSED(FA_ERROR_SHAPE, "i", one, "1 labels");
    REFUSED(FA_ERROR_SHAPE, "ij,ik", two, "label i is 3 in x[1], and 2 before");
    REFUSED(FA_ERROR_SHAPE, "ii", one, "dimensions 0 and 1 of x[0]");
    REFUSED(FA_ERROR_SHAPE, "...,...", two, "covers in x[1]");
    REFUSED(FA_ERROR_DTYPE, "ij,jk", FA_TENSORS(x, fa_to(y, FA_F32)), "x[1]", "another dtype");
    REFUSED(FA_ERROR_DTYPE, "ij", FA_TENSORS(fa_gt(x, 0)), "no product of bool");
    fa_tensor *huge = fa_expand(x, FA_SHAPE(INT64_C(1) << 40, 2, 3));
    REFUSED(FA_ERROR_SHAPE, "ajk,bjk->ab", FA_TENSORS(huge, huge), "addressed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equations_by_chance),     TEST(takes_the_cheapest_order), TEST(many_operands),
        TEST(stays_within_dimensions), TEST(views_are_views),          TEST(errors),
    };
    return RUN("einsum");
}
