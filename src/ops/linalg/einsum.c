/* Einstein summation. einsum("ij,jk->ik", a, b) writes any sum of products of tensors by naming their dimensions. */
#include "ops/linalg/einsum.h"
#include "base/text.h"

/* Labels are numbered A to Z, then a to z, then the dimensions of the ellipsis, which are aligned at the end because
 * they broadcast. */
enum { LETTERS = 52, LABELS = LETTERS + FA_MAX_DIMS };

/* The labels of one operand or of the result, as parsed from the equation. */
typedef struct term {
    int letters;
    uint8_t letter[FA_MAX_DIMS];
    int ellipsis; /* number of letters before the ellipsis; -1 if there is none */
} term;

typedef struct reader {
    const fa__call *call; /* NULL: mistakes are not reported */
    const char *text, *at;
} reader;

typedef struct {
    const char *equation; /* a letter for each dimension of each tensor, and of the result: "ij,jk->ik" */
    fa_tensors x;         /* one tensor for each term before the arrow; all of one dtype, not bool */
} einsum_args;

/* ---- the equation ---- */

static bool reader_fails(const reader *r, const char *what)
{
    return r->call
           && fa__call_fail(r->call, FA_ERROR_ARGUMENT, "the equation at character %td: %s", r->at - r->text + 1, what);
}

static bool skip(reader *r, const char *word)
{
    while (*r->at == ' ')
        r->at++;
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* The label of a letter; -1 if it is none. */
static int label_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

static bool read_term(reader *r, term *t)
{
    *t = (term){.ellipsis = -1};
    for (;;) {
        if (skip(r, "...")) {
            if (t->ellipsis >= 0)
                return reader_fails(r, "a second ellipsis in one term");
            t->ellipsis = t->letters;
        } else if (label_of(*r->at) < 0) {
            return true;
        } else {
            if (t->letters == FA_MAX_DIMS)
                return reader_fails(r, "more labels than a tensor has dimensions");
            t->letter[t->letters++] = (uint8_t)label_of(*r->at++);
        }
    }
}

/* Parses the operands' terms and then the result's. *implicit is set if there is no arrow. */
static bool read_terms(reader *r, size_t count, term *t, bool *implicit)
{
    for (size_t k = 0; k < count; k++) {
        if (k && !skip(r, ","))
            return reader_fails(r, "',' was expected: there are more tensors than terms");
        if (!read_term(r, &t[k]))
            return false;
    }
    if (skip(r, ","))
        return reader_fails(r, "there are more terms than tensors");
    *implicit = !skip(r, "->");
    if (!*implicit && !read_term(r, &t[count]))
        return false;
    skip(r, "");
    return !*r->at || reader_fails(r, "a letter, '...', ',' or '->' was expected");
}

/* ---- operands ---- */

/* Gives each dimension of x its label, including repeated ones. */
static bool give_labels(const fa__call *c, size_t k, const term *t, fa__labelled *x)
{
    int covered = x->t->rank - t->letters, n = 0;
    if (covered < 0 || (covered && t->ellipsis < 0))
        return fa__call_fail(c, FA_ERROR_SHAPE, "the equation has %d labels for x[%zu], which has %d dimensions",
                             t->letters, k, x->t->rank);
    for (int i = 0; i <= t->letters; i++) {
        for (int j = 0; i == t->ellipsis && j < covered; j++)
            x->label[n++] = (uint8_t)(LABELS - covered + j);
        if (i < t->letters)
            x->label[n++] = t->letter[i];
    }
    return true;
}

static void drop(fa__labelled *x, int dim, int rank)
{
    memmove(&x->label[dim], &x->label[dim + 1], (size_t)(rank - dim - 1));
}

/* Replaces dimensions that share a label by their diagonal. */
static bool take_diagonals(const fa__call *c, size_t k, fa__labelled *x)
{
    for (int i = 0; i < x->t->rank; i++)
        for (int j = i + 1; j < x->t->rank; j++) {
            int rank = x->t->rank;
            uint8_t label = x->label[i];
            if (x->label[j] != label)
                continue;
            if (x->t->shape[i] != x->t->shape[j])
                return fa__call_fail(c, FA_ERROR_SHAPE, "dimensions %d and %d of x[%zu] have one label and two sizes",
                                     i, j, k);
            x->t = fa_diagonal(x->t, .dim1 = i, .dim2 = j);
            if (!x->t)
                return false;
            drop(x, j, rank);
            drop(x, i, rank - 1);
            x->label[rank - 2] = label;
            i = -1; /* restart, because the dimensions have moved */
            break;
        }
    return true;
}

static char letter_of(unsigned label)
{
    return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

static bool sizes_fail(const fa__call *c, size_t k, unsigned label, int64_t size, int64_t before)
{
    if (label >= LETTERS)
        return fa__call_fail(c, FA_ERROR_SHAPE,
                             "what '...' covers in x[%zu] does not broadcast with what it did before", k);
    return fa__call_fail(c, FA_ERROR_SHAPE, "the label %c is %lld in x[%zu], and %lld before", letter_of(label),
                         (long long)size, k, (long long)before);
}

/* Records the sizes of operand k's labels. Two different sizes of one label are an error unless one of them is 1, which
 * broadcasts. */
static bool note_sizes(fa__einsum *e, size_t k)
{
    const fa__labelled *x = &e->x[k];
    for (int i = 0; i < x->t->rank; i++) {
        int64_t *size = &e->size[x->label[i]], n = x->t->shape[i];
        if (*size >= 0 && *size != 1 && n != 1 && n != *size)
            return sizes_fail(e->call, k, x->label[i], n, *size);
        *size = *size < 0 || *size == 1 ? n : *size;
    }
    return true;
}

static bool check_operands(const fa__call *c, fa_tensors x)
{
    if (!x.count)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there are no tensors");
    for (size_t k = 0; k < x.count; k++) {
        if (x.item[k]->dtype != x.item[0]->dtype)
            return fa__call_fail(c, FA_ERROR_DTYPE, "x[%zu] is of another dtype than x[0]: nothing is promoted", k);
        if (x.item[k]->dtype == FA_BOOL)
            return fa__call_fail(c, FA_ERROR_DTYPE, "there is no product of bool");
    }
    return true;
}

static bool label_operands(fa__einsum *e, fa_tensors x, const term *t)
{
    for (size_t k = 0; k < e->count; k++) {
        e->x[k].t = x.item[k];
        if (!give_labels(e->call, k, &t[k], &e->x[k]) || !take_diagonals(e->call, k, &e->x[k]) || !note_sizes(e, k))
            return false;
    }
    return true;
}

/* Sums x over the dimensions whose labels are in the set. */
static bool sum_labels(fa__labelled *x, uint64_t set)
{
    fa_dims dims = 0;
    int count = 0, left = 0;
    for (int i = 0; i < x->t->rank; i++)
        if (set >> x->label[i] & 1) {
            dims |= FA__DIM(i);
            count++;
        } else {
            x->label[left++] = x->label[i];
        }
    if (count)
        x->t = fa_sum(x->t, .dim = dims | FA__DIMS(count), .dtype = (fa_dtype)x->t->dtype);
    return x->t != NULL;
}

/* Removes dimensions of size 1 whose label has a larger size in another operand: they broadcast. */
static bool leave_out_repeated(const fa__einsum *e, fa__labelled *x)
{
    uint64_t set = 0;
    for (int i = 0; i < x->t->rank; i++)
        if (x->t->shape[i] == 1 && e->size[x->label[i]] != 1)
            set |= UINT64_C(1) << x->label[i];
    return sum_labels(x, set);
}

/* Sums labels that only one operand has and the result has not, before any product. */
static bool sum_alone(const fa__einsum *e, size_t k)
{
    uint64_t needed = e->result;
    for (size_t j = 0; j < e->count; j++)
        needed |= j == k ? 0 : fa__labels_of(&e->x[j]);
    return sum_labels(&e->x[k], ~needed);
}

static bool reduce_operands(const fa__einsum *e)
{
    for (size_t k = 0; k < e->count; k++)
        if (!leave_out_repeated(e, &e->x[k]))
            return false;
    for (size_t k = 0; k < e->count; k++)
        if (!sum_alone(e, k))
            return false;
    return true;
}

/* ---- the result ---- */

static int add_covered(const fa__einsum *e, uint8_t *order)
{
    int n = 0;
    for (int i = LETTERS; i < LABELS; i++)
        if (e->size[i] >= 0)
            order[n++] = (uint8_t)i;
    return n;
}

/* The result without an arrow: the ellipsis' dimensions, then the letters that occur once. */
static int implicit_result(const fa__einsum *e, const term *t, uint8_t *order)
{
    int seen[LETTERS] = {0}, n = add_covered(e, order);
    for (size_t k = 0; k < e->count; k++)
        for (int i = 0; i < t[k].letters; i++)
            seen[t[k].letter[i]]++;
    for (int i = 0; i < LETTERS; i++)
        if (seen[i] == 1)
            order[n++] = (uint8_t)i;
    return n;
}

/* The result after the arrow; -1 and an error. */
static int explicit_result(const fa__einsum *e, const term *t, uint8_t *order)
{
    uint64_t seen = 0;
    int n = 0;
    for (int i = 0; i <= t->letters; i++) {
        if (i == t->ellipsis)
            n += add_covered(e, order + n);
        if (i == t->letters)
            break;
        unsigned label = t->letter[i];
        if (e->size[label] < 0 || seen >> label & 1) {
            fa__call_fail(e->call, FA_ERROR_ARGUMENT,
                          seen >> label & 1 ? "the result has the label %c twice" : "no tensor has the label %c",
                          letter_of(label));
            return -1;
        }
        seen |= UINT64_C(1) << label;
        order[n++] = (uint8_t)label;
    }
    return n;
}

static bool find_result(fa__einsum *e, const term *t, bool implicit, uint8_t *order)
{
    int rank = implicit ? implicit_result(e, t, order) : explicit_result(e, &t[e->count], order);
    for (int i = 0; i < rank; i++)
        e->result |= UINT64_C(1) << order[i];
    if (rank > FA_MAX_DIMS)
        fa__call_fail(e->call, FA_ERROR_SHAPE, "the result would have %d dimensions: a tensor has at most %d", rank,
                      FA_MAX_DIMS);
    return rank >= 0 && rank <= FA_MAX_DIMS;
}

/* e->x has room for the operands, t for one term more. */
static fa_tensor *einsum(fa__einsum *e, const einsum_args *a, term *t)
{
    reader r = {.call = e->call, .text = a->equation, .at = a->equation};
    uint8_t order[LABELS];
    bool implicit = false;
    fa__labelled product;
    memset(e->size, -1, sizeof e->size);
    if (!read_terms(&r, e->count, t, &implicit) || !label_operands(e, a->x, t) || !find_result(e, t, implicit, order)
        || !reduce_operands(e))
        return NULL;
    return fa__einsum_product(e, &product) ? fa__label_order(&product, order) : NULL;
}

static fa_tensor *einsum_compose(fa__call *c)
{
    const einsum_args *a = c->args;
    if (!a->equation) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "the equation is NULL");
        return NULL;
    }
    if (!check_operands(c, a->x))
        return NULL;
    fa__einsum e = {.call = c, .count = a->x.count, .x = fa__malloc(a->x.count * sizeof *e.x)};
    term *t = fa__malloc((a->x.count + 1) * sizeof *t);
    fa__labelled *room = e.x;
    fa_tensor *y = room && t ? einsum(&e, a, t) : NULL;
    fa__free(room);
    fa__free(t);
    return y;
}

/* ---- autocast on the CPU ---- */

/* The labels of x's dimensions of sizes other than 1, which do not broadcast. */
static uint64_t long_labels(const term *t, const fa_tensor *x)
{
    const int covered = x->rank - t->letters;
    uint64_t labels = 0;
    for (int i = 0, dim = 0; covered >= 0 && i <= t->letters; i++) {
        for (int j = 0; i == t->ellipsis && j < covered; j++, dim++)
            labels |= (uint64_t)(x->shape[dim] != 1) << (LABELS - covered + j);
        if (i < t->letters && dim < x->rank)
            labels |= (uint64_t)(x->shape[dim++] != 1) << t->letter[i];
    }
    return labels;
}

/* Whether two tensors share a label that the result has not, so that there is a product of matrices. */
static bool multiplies(const einsum_args *a, term *t)
{
    const size_t count = a->x.count;
    reader r = {.text = a->equation, .at = a->equation};
    uint64_t once = 0, shared = 0, result = 0;
    bool implicit = false;
    if (!read_terms(&r, count, t, &implicit))
        return false;
    for (size_t k = 0; k < count; k++) {
        const uint64_t labels = long_labels(&t[k], a->x.item[k]);
        shared |= once & labels;
        once |= labels;
    }
    for (int i = 0; !implicit && i < t[count].letters; i++)
        result |= UINT64_C(1) << t[count].letter[i];
    if (implicit || t[count].ellipsis >= 0)
        result |= ~((UINT64_C(1) << LETTERS) - 1);
    return shared & ~result;
}

/* As in PyTorch, only products of matrices are in the low dtype. */
static fa__cast einsum_cast(const fa__call *c)
{
    const einsum_args *a = c->args;
    term *t = a->equation ? fa__malloc((a->x.count + 1) * sizeof *t) : NULL;
    const bool low = t && multiplies(a, t);
    fa__free(t);
    return low ? FA__CAST_LOW : FA__CAST_WIDEST;
}

/** Einstein summation: a sum of products over named dimensions. Each dimension of each operand has a letter; dimensions
 *  with the same letter are multiplied elementwise, and letters missing in the result are summed. Examples: "ij,jk->ik"
 *  is the matrix product, "bij,bjk->bik" the batched one, "ii->" the trace, "ii->i" the diagonal, "i,j->ij" the outer
 *  product, "ij->ji" the transpose. "..." stands for any number of further dimensions, which broadcast, and which are
 *  summed if the result has no "...". Dimensions of size 1 broadcast. Without an arrow the result has the dimensions of
 *  "...", then the letters that occur once in alphabetical order (A to Z before a to z). Spaces are ignored.
 *
 *  Several operands are multiplied two at a time with matrix products: in the order with the fewest multiplications for
 *  up to 8 operands, in an order chosen greedily for more. The result may be a view of an operand. Sums of integers
 *  keep the operands' dtype. Under autocast on the CPU, what sums no products of several tensors keeps its dtype. */
OP(einsum, einsum_args, (y), .compose = einsum_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   .autocast_by = einsum_cast,
   DIFFERS("i32 u8 bool: as matmul; sums of integers keep their dtype, whichever way they are made"),
   TORCH("einsum(equation, *x)"),
   SAMPLES(
       "'ij,jk->ik' [(2,3) (3,4)]; 'ij,jk' [(2,3) (3,4)]; 'bij,bjk->bik' [(2,2,3) (2,3,2)]; 'ii' [(3,3)]; 'ii->i' "
       "[(3,3)]; 'ij->ji' [(2,3)]; 'i,j->ij' [(2) (3)]; 'ij->' [(2,3)]; 'iji->j' [(2,3,2)]; '...ij,...jk->...ik' "
       "[(2,2,3) (3,2)]; '...i,i' [(2,3) (3)]; 'i...->...' [(2,3,2)]; 'i...->i' [(2,3,2)]; 'ij,jk,kl->il' [(2,3) (3,2) "
       "(2,4)]; 'i,i,i->i' [(3) (3) (3)]; 'a,b,c->cab' [(2) (3) (2)]; 'bhqd,bhkd->bhqk' [(2,1,2,3) (2,2,3,3)]; 'ij,ij' "
       "[(2,3) (2,3)]; ',->' [() ()]; 'ij,kj->ik' [(2,1) (3,4)]; 'ij,kj->ik' [(2,4) (3,1)]; 'Ba,aB,b' [(2,2) (2,2) "
       "(3)]; 'ij,jk->ik' [(2,0) "
       "(0,3)]; 'ij,ik,il->jkl' [(2,2) (2,3) (2,2)]; '... , ...' [(2,1) (3)]; 'ijkl,klij->il' [(2,3,2,2) (2,2,2,3)]; "
       "'bik,bkj,bk->bij' [(2,2,3) (2,3,2) (2,3)]"))

#include "einsum.rows"
