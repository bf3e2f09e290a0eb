/* User-defined expressions: fa_pointwise for one result, fa_update for in-place updates of lists of tensors. */
#include "base/text.h"
#include "ops/math/update.h"

enum { MOST_OPERANDS = 8 };

static const char *const operand_names[MOST_OPERANDS] = {"x", "y", "z", "w", "a", "b", "c", "d"};

/* Whether operands are computed in several types. */
static bool mixes_types(size_t count, const fa_arg *operands)
{
    unsigned types = 0;
    for (size_t i = 0; i < count; i++) {
        const fa_tensor *t = operands[i].kind == FA__ARG_TENSOR ? fa__tensor_in(operands[i]) : NULL;
        if (t && t->object.type == FA__TYPE_TENSOR)
            types |= 1U << fa__class_of(t->dtype);
    }
    return types & (types - 1);
}

/* An expression without casts, of operands that are computed in one type, is computed in that; in others each value
 * has a type of its own. */
static const fa__op *take_expression(const char *text, size_t count, const fa_arg *operands)
{
    const fa__op *op = NULL;
    if (!mixes_types(count, operands)) {
        op = fa__expression_take("pointwise", text, operand_names, (int)count, NULL, 0);
        if (!op || !op->compiled->e->casts)
            return op;
        fa__expression_drop(op);
    }
    return fa__expression_take_typed("pointwise", text, operand_names, (int)count);
}

fa_tensor *fa__pointwise(const char *text, size_t count, const fa_arg *operands)
{
    if (!text || !count || count > MOST_OPERANDS) {
        if (text)
            fa__fail(FA_ERROR_ARGUMENT, "fa_pointwise: %zu operands: there have to be 1 to %d", count, MOST_OPERANDS);
        else
            fa__fail(FA_ERROR_ARGUMENT, "fa_pointwise: the expression is NULL");
        return NULL;
    }
    const fa__op *op = take_expression(text, count, operands);
    if (!op)
        return NULL;
    fa__call c = {.op = op, .args = operands, .site = FA__SITE};
    if (!op->compiled->e->random)
        fa__invoke(&c);
    else
        fa__fail(FA_ERROR_ARGUMENT,
                 "fa_pointwise: \"%.80s\" draws random numbers: pass some, such as fa_rand_like(x), or "
                 "use fa_update()",
                 text);
    fa__expression_drop(op);
    return c.out[0];
}

/* ---- fa_update ---- */

/* The results of an expression: names that it assigns and that are also bound to tensors. */
static int find_results(const char *text, size_t count, const fa_binding *b, const char *const *names,
                        const char **result, int *input)
{
    int assigned[FA__MAX_INPUTS], all = fa__assigned_names(text, names, (int)count, assigned, FA__MAX_INPUTS), n = 0;
    for (int k = 0; k < all && n < FA__MAX_OUTPUTS; k++)
        if (b[assigned[k]].tensors.count) {
            result[n] = names[assigned[k]];
            input[n++] = assigned[k];
        }
    return n;
}

/* Reports an error for binding b; `other` is the binding it conflicts with, or NULL. */
static bool update_fails(const fa_binding *b, size_t i, const char *what, const fa_binding *other)
{
    char text[600];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    fa__describe_tensor(&tensor, b->tensors.count > i ? b->tensors.item[i] : NULL, true);
    if (other) {
        fa__text_add(&tensor, "; %s[%zu] is ", other->name, i);
        fa__describe_tensor(&tensor, other->tensors.item[i], true);
    }
    bool apart = other && fa__tensor_device(b->tensors.item[i]) != fa__tensor_device(other->tensors.item[i]);
    return fa__fail(apart ? FA_ERROR_DEVICE : FA_ERROR_ARGUMENT, "fa_update: %s[%zu]: %s: %s", b->name, i, what, text);
}

/* The same for a binding that is a number. */
static bool word_fails(const fa__update *u, size_t k, size_t i, fa_code code, const char *what)
{
    char text[600];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    fa__describe_tensor(&tensor, fa__update_tensor(u, k, i), true);
    fa__text_add(&tensor, "; %s[%zu] is ", u->binding[u->result[0]].name, i);
    fa__describe_tensor(&tensor, fa__update_first(u, i), true);
    return fa__fail(code, "fa_update: %s: %s: %s", u->binding[k].name, what, text);
}

/* Checks a number that is read from a 0-dim tensor, which has to be on the device of the other tensors. */
static bool check_word(const fa__update *u, size_t k, size_t i)
{
    const fa_tensor *t = fa__update_tensor(u, k, i);
    if (t->object.type != FA__TYPE_TENSOR || !t->storage)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_update: %s: there is no tensor", u->binding[k].name);
    if (t->rank)
        return word_fails(u, k, i, FA_ERROR_SHAPE, "a tensor in the place of a number has no dimensions");
    if (fa__tensor_device(t) != fa__tensor_device(fa__update_first(u, i)))
        return word_fails(u, k, i, FA_ERROR_DEVICE,
                          "a tensor in the place of a number has to be on the device of the others");
    return true;
}

static bool is_result(const fa__update *u, size_t k)
{
    for (int r = 0; r < u->results; r++)
        if (u->result[r] == (int)k)
            return true;
    return false;
}

/* A result may also be read under another name only as exactly the same view; a partial overlap could be read after it
 * was written, and of two overlapping results one would be lost. */
static bool check_overlap(const fa__update *u, size_t i, int result)
{
    const fa_binding *written = &u->binding[result];
    const fa_tensor *t = written->tensors.item[i];
    for (size_t k = 0; k < u->bindings; k++) {
        const fa_binding *b = &u->binding[k];
        const fa_tensor *other = b != written ? fa__update_tensor(u, k, i) : NULL;
        if (!fa__may_share(t, other) || (!is_result(u, k) && fa__same_view(t, other)))
            continue;
        return b->tensors.count
                   ? update_fails(b, i, "it overlaps a result in memory", written)
                   : word_fails(u, k, i, FA_ERROR_ARGUMENT, "a tensor in the place of a number overlaps a result");
    }
    return true;
}

/* Checks the tensors at one position of the lists: live, one shape, one device, writable results. */
static bool check_place(const fa__update *u, size_t i)
{
    const fa_tensor *first = fa__update_first(u, i);
    for (size_t k = 0; k < u->bindings; k++) {
        const fa_binding *b = &u->binding[k];
        const fa_tensor *t = fa__update_tensor(u, k, i);
        if (!b->tensors.count) {
            if (t && !check_word(u, k, i))
                return false;
            continue;
        }
        if (!t || t->object.type != FA__TYPE_TENSOR || !t->storage)
            return update_fails(b, i, "there is no tensor", NULL);
        if (fa__tensor_device(t) != fa__tensor_device(first))
            return update_fails(b, i, "the tensors at one place have to be on one device, with FA_PLACE_AUTO too",
                                &u->binding[u->result[0]]);
        if (!is_result(u, k) && fa__update_is_word(u, k, i))
            continue;
        if (!fa__same_shape(t, first))
            return update_fails(b, i, "its shape has to be that of the others at this place",
                                &u->binding[u->result[0]]);
        if (!fa__dtype_is_float(t->dtype))
            return update_fails(b, i, "it has to be floating", NULL);
    }
    for (int r = 0; r < u->results; r++) {
        const fa_tensor *t = u->binding[u->result[r]].tensors.item[i];
        if (fa__overlaps_itself(t->rank, t->shape, t->stride))
            return update_fails(&u->binding[u->result[r]], i, "its elements share memory", NULL);
        if (!check_overlap(u, i, u->result[r]))
            return false;
    }
    return true;
}

/* Compiles the expression for the device before the first launch, so that running out of memory is reported before
 * anything is written. */
static bool prepare_place(const fa__update *u, size_t i)
{
    fa__device *d = fa__tensor_device(fa__update_first(u, i));
    fa__class class = fa__class_of(fa__update_dtype(u, i));
    return d->shapes_only || d->backend->prepare(d, &u->op->compiled->program, class);
}

static bool check_bindings(const char *text, size_t count, const fa_binding *b, size_t *length)
{
    *length = 0;
    if (!text || !b)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_update: %s", text ? "the bindings are NULL" : "the program is NULL");
    if (count > FA__MAX_INPUTS)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_update: %zu names are bound: at most %d can be", count, FA__MAX_INPUTS);
    for (size_t i = 0; i < count; i++) {
        bool none = !b[i].tensors.count && !b[i].tensors.item && !b[i].numbers && !b[i].random
                    && b[i].number.kind == FA__ARG_TENSOR && !fa__tensor_in(b[i].number);
        if (!b[i].name || none)
            return fa__fail(FA_ERROR_ARGUMENT, "fa_update: binding %zu has no name, or neither tensors nor a number",
                            i);
        if (b[i].tensors.count && !b[i].tensors.item)
            return fa__fail(FA_ERROR_ARGUMENT, "fa_update: %s has %zu tensors, and the list of them is NULL", b[i].name,
                            b[i].tensors.count);
        if (b[i].tensors.count && *length && b[i].tensors.count != *length)
            return fa__fail(FA_ERROR_ARGUMENT, "fa_update: %s has %zu tensors, others have %zu", b[i].name,
                            b[i].tensors.count, *length);
        *length = b[i].tensors.count ? b[i].tensors.count : *length;
    }
    return true;
}

/* A list may be empty, such as that of the parameters of a network without any; a number is none. */
static bool has_lists(const fa_program *p)
{
    bool lists = false;
    for (size_t i = 0; i < p->count; i++)
        lists |= p->bindings[i].tensors.item != NULL;
    return lists;
}

/* Only a random key can be drawn from, and nothing else can be done with it. */
static bool check_keys(const fa__update *u)
{
    const uint32_t random = u->op->compiled->e->random;
    for (size_t k = 0; k < u->bindings; k++) {
        const fa_binding *b = &u->binding[k];
        bool drawn = random >> k & 1;
        if (drawn && !b->random)
            return fa__fail(FA_ERROR_ARGUMENT,
                            "fa_update: random numbers are drawn from %s, which is not bound by "
                            "fa_bind_random()",
                            b->name);
        if (b->random && (b->tensors.item || b->numbers || (u->op->compiled->e->used >> k & 1 && !drawn)))
            return fa__fail(FA_ERROR_ARGUMENT,
                            "fa_update: %s is a random key: it is for uniform(%s) and normal(%s) only", b->name,
                            b->name, b->name);
    }
    return true;
}

/* Finds the compiled expression, checks the arguments and prepares the devices. */
static bool update_prepare(fa__update *u, const fa_program *p)
{
    const char *names[FA__MAX_INPUTS], *result[FA__MAX_OUTPUTS];
    if (!check_bindings(p->text, p->count, p->bindings, &u->length))
        return false;
    u->bindings = p->count;
    u->binding = p->bindings;
    for (size_t i = 0; i < p->count; i++)
        names[i] = p->bindings[i].name;
    u->results = find_results(p->text, p->count, p->bindings, names, result, u->result);
    if (!u->results)
        return (has_lists(p) && !u->length)
               || fa__fail(FA_ERROR_ARGUMENT, "fa_update: \"%.80s\" assigns no name that is bound to tensors", p->text);
    u->op = fa__expression_take("update", p->text, names, (int)p->count, result, u->results);
    if (!u->op)
        return false;
    if (u->op->compiled->e->whole)
        return fa__fail(FA_ERROR_DTYPE, "fa_update: \"%.80s\" is of integers, and the tensors are floating", p->text);
    if (!check_keys(u))
        return false;
    for (size_t i = 0; i < u->length; i++)
        if (!check_place(u, i) || !prepare_place(u, i))
            return false;
    return true;
}

bool fa_update_all(size_t count, const fa_program *programs)
{
    enum { FEW = 4 };
    fa__update few[FEW] = {0}, *u = few;
    if (fa__failed())
        return false;
    if (count && !programs)
        return fa__fail(FA_ERROR_ARGUMENT, "fa_update_all: the programs are NULL");
    bool good = count <= FEW || (u = fa__calloc(count, sizeof *u));
    for (size_t k = 0; good && k < count; k++)
        good = update_prepare(&u[k], &programs[k]);
    good = good && fa__updates_run(u, count);
    if (!good)
        fa__error_named("update");
    for (size_t k = 0; u && k < count; k++)
        fa__expression_drop(u[k].op);
    if (u != few)
        fa__free(u);
    return good;
}

bool fa_update(const char *text, size_t count, const fa_binding *bindings)
{
    fa_program program = {.text = text, .count = count, .bindings = bindings};
    return fa_update_all(1, &program);
}
