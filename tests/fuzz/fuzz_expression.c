/* Any text: it parses or is refused with a message inside it, and what parses has sound programs and derivatives. The
 * first byte chooses the names of results. */
#include "base/error.h"
#include "pointwise/expression.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_program(const fa__ssa *ssa)
{
    require(ssa->count >= 1 && ssa->count <= FA__MAX_NODES && ssa->outputs >= 1 && ssa->outputs <= FA__MAX_OUTPUTS);
    for (int o = 0; o < ssa->outputs; o++)
        require(ssa->output[o] < ssa->count);
    for (int i = 0; i < ssa->count; i++) {
        const fa__ssa_node *n = &ssa->node[i];
        const uint16_t operand[] = {n->a, n->b, n->c};
        require(n->prim < FA__PRIM_count);
        if (n->prim == FA__PRIM_input)
            require(n->a < ssa->inputs);
        for (int k = 0; k < fa__prims[n->prim].arity; k++)
            require(operand[k] < i);
    }
}

static void check_derivatives(const fa__expression *e, int orders)
{
    for (int i = 0; i < e->ninputs; i++) {
        fa__underived why;
        const fa__expression *d = fa__expression_derivative(e, i, &why);
        require(!d || why == FA__UNDERIVED_ERROR);
        require(d || why != FA__UNDERIVED_ERROR || fa__failed());
        fa_error_clear();
        if (!d)
            continue;
        check_program(&d->ssa);
        if (orders > 1)
            check_derivatives(d, orders - 1);
    }
}

static void check_error(const char *text, const fa__parse_error *error)
{
    char report[256];
    require(error->message[0] && error->position >= 0 && (size_t)error->position <= strlen(text));
    require(strlen(fa__parse_error_render(text, error, report, sizeof report)) < sizeof report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const inputs[] = {"x", "y", "m", "k"}, *const outputs[] = {"x", "m", "q"};
    if (size < 1)
        return 0;
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    fa__signature signature = {.inputs = inputs, .ninputs = 4, .outputs = outputs, .noutputs = data[0] % 4};
    fa__parse_error error;
    const fa__expression *e = fa__expression_parse(text, &signature, &error);
    if (e) {
        check_program(&e->ssa);
        check_derivatives(e, e->ssa.count < 40 ? 2 : 1);
        fa__expression_free(e);
    } else {
        check_error(text, &error);
    }
    free(text);
    return 0;
}
