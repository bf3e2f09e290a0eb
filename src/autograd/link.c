/* Copies that a program keeps beside their source: gradients of the copy go to the source, as if it had just been
 * copied from it. Replicas of a module on several devices are such copies. */
#include "autograd/engine.h"
#include "dispatch/call.h"

typedef struct link_args {
    fa_tensors source; /* one; in a node, with a shape, dtype and device only */
} link_args;

static void link_grad(fa__back *b)
{
    const fa_tensor *source = ((const link_args *)b->args)->source.item[0];
    fa__set_item_grad(
        b, 0, fa_move(b->gy[0], .device = fa__tensor_device(source)->id, .dtype = fa__gradient_dtype(source->dtype)));
}

static const fa__traits link_traits = {.grad = link_grad};
static const fa__field link_fields[] = {{.name = "source", .kind = FA__TENSORS, .offset = offsetof(link_args, source)}};
static const fa__op link_op = {.name = "copy",
                               .id = FA__OP_expression,
                               .traits = &link_traits,
                               .fields = link_fields,
                               .nfields = 1,
                               .of = {[FA__TENSORS] = 1},
                               .nresults = 1,
                               .args_size = sizeof(link_args),
                               .inplace = -1,
                               .results = {"the copy"}};

static fa__node *link_node(fa_tensor *t, fa_tensor *source)
{
    const link_args args = {{1, &source}};
    fa__node *n = fa__node_new(&link_op, &args, 1, 0, 0);
    if (n && fa__node_result(n, 0, t, false) && fa__node_edge(n, 1, source))
        return n;
    fa__unref(n);
    return NULL;
}

bool fa__link(fa_tensor *t, fa_tensor *source)
{
    if (!fa__tensor_check(t, "fa__link: the copy") || (source && !fa__tensor_check(source, "fa__link: the source")))
        return false;
    bool flows = source && fa__recording() && fa__needs_grad(source);
    fa__node *n = flows ? link_node(t, source) : NULL;
    if (flows && !n)
        return false;
    fa__node_attach(t, n, 0);
    t->requires_grad = false;
    t->history++; /* views of it get the new history */
    return true;
}
